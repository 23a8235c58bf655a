#include "native/memory/memory.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, ARENA_PAGE = 1 << 18 };

static size_t pages(size_t bytes) {
    return (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
}

bool seq_reserve_(void *at_pointer, size_t *cap, size_t need, size_t size) {
    void *old = NULL;
    memcpy(&old, at_pointer, sizeof old);
    if (need <= *cap)
        return true;
    size_t want = *cap * 2 > need ? *cap * 2 : need;
    if (want > SIZE_MAX / 2 / size)
        return false;
    size_t bytes = pages(want * size);
    void *fresh =
        old == NULL ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                    : mremap(old, pages(*cap * size), bytes, MREMAP_MAYMOVE);
    if (fresh == MAP_FAILED)
        return false;
    memcpy(at_pointer, &fresh, sizeof fresh);
    *cap = bytes / size;
    return true;
}

void seq_free_(void *at, size_t bytes) {
    if (at != NULL)
        munmap(at, pages(bytes));
}

struct arena_page {
    struct arena_page *before;
    size_t size, used;
};

void *arena_get(struct arena *a, size_t size) {
    size = (size + 15) & ~(size_t)15;
    if (a->last == NULL || a->last->size - a->last->used < size) {
        size_t head = (sizeof(struct arena_page) + 15) & ~(size_t)15;
        size_t bytes = pages(size + head > ARENA_PAGE ? size + head : ARENA_PAGE);
        struct arena_page *p =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED)
            return NULL;
        *p = (struct arena_page){.before = a->last, .size = bytes, .used = head};
        a->last = p;
    }
    void *at = (uint8_t *)a->last + a->last->used;
    a->last->used += size;
    return at;
}

void arena_free(struct arena *a) {
    while (a->last != NULL) {
        struct arena_page *p = a->last;
        a->last = p->before;
        munmap(p, p->size);
    }
}

struct mapped_file mapped_file_open(const char *path) {
    struct mapped_file v = {0};
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return v;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (at != MAP_FAILED)
            v = (struct mapped_file){.at = at, .len = (size_t)st.st_size};
    }
    close(fd);
    return v;
}

void mapped_file_close(struct mapped_file *v) {
    if (v->at != NULL)
        munmap((void *)(uintptr_t)v->at, v->len);
    *v = (struct mapped_file){0};
}

static void swap_items(uint8_t *a, uint8_t *b, size_t size) {
    for (size_t i = 0; i < size; i++) {
        uint8_t t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

static void sift(uint8_t *at, size_t root, size_t n, size_t size,
                 int (*compare)(const void *, const void *)) {
    for (size_t child; (child = root * 2 + 1) < n; root = child) {
        if (child + 1 < n && compare(at + child * size, at + (child + 1) * size) < 0)
            child++;
        if (compare(at + root * size, at + child * size) >= 0)
            return;
        swap_items(at + root * size, at + child * size, size);
    }
}

static void heap_sort(uint8_t *at, size_t n, size_t size,
                      int (*compare)(const void *, const void *)) {
    for (size_t i = n / 2; i-- > 0;)
        sift(at, i, n, size, compare);
    for (size_t i = n; i-- > 1;) {
        swap_items(at, at + i * size, size);
        sift(at, 0, i, size, compare);
    }
}

/* Most lists are nearly sorted: sorted halves are not merged. */
static void merge_sort(uint8_t *at, size_t n, size_t size, uint8_t *room,
                       int (*compare)(const void *, const void *)) {
    size_t left = n / 2, right = n - left;
    uint8_t *b = at + left * size, *to = at;
    if (n < 2)
        return;
    merge_sort(at, left, size, room, compare);
    merge_sort(b, right, size, room, compare);
    if (compare(b - size, b) <= 0)
        return;
    memcpy(room, at, left * size);
    for (const uint8_t *a = room; left > 0; to += size) {
        bool second = right > 0 && compare(b, a) < 0;
        memcpy(to, second ? b : a, size);
        *(second ? &right : &left) -= 1;
        if (second)
            b += size;
        else
            a += size;
    }
}

void sort_items(void *items, size_t n, size_t size, int (*compare)(const void *, const void *)) {
    uint8_t *room = NULL;
    size_t cap = 0;
    if (n < 2)
        return;
    if (!seq_reserve_(&room, &cap, n / 2, size)) {
        heap_sort(items, n, size, compare);
        return;
    }
    merge_sort(items, n, size, room, compare);
    seq_free_(room, cap * size);
}
