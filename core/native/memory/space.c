#include "native/memory/space.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, LOWEST = 65536, USUAL_LIMIT = 65530, RECOUNT = 1024 };
#define HIGHEST ((uintptr_t)1 << 47)

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* Three quarters of vm.max_map_count: the program needs mappings of its own. */
static size_t limit_read(void) {
    char text[32] = "";
    int fd = open("/proc/sys/vm/max_map_count", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    unsigned long value = n > 0 ? strtoul(text, NULL, 10) : 0;
    return (value > 0 ? value : USUAL_LIMIT) / 4 * 3;
}

/* Does not keep paths: memory for them could use up the gaps just found. */
static bool space_read(struct space *s) {
    if (s->limit == 0)
        s->limit = limit_read();
    s->read = mappings_read(&s->lines, NULL);
    s->taken.len = 0;
    s->stale = false;
    s->mappings = s->surely = s->lines.len;
    for (size_t i = 0; i < s->lines.len && s->read; i++)
        s->read = space_note(s, s->lines.at[i].start, s->lines.at[i].end);
    return s->read;
}

/* The first range that ends at `at` or above. */
static size_t first_from(const struct space *s, uintptr_t at) {
    size_t low = 0, high = s->taken.len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->taken.at[middle].end < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool space_note(struct space *s, uintptr_t start, uintptr_t end) {
    size_t i = first_from(s, start), k = i;
    struct range r = {start, end};
    for (; k < s->taken.len && s->taken.at[k].start <= end; k++) {
        r.start = s->taken.at[k].start < r.start ? s->taken.at[k].start : r.start;
        r.end = s->taken.at[k].end > r.end ? s->taken.at[k].end : r.end;
    }
    if (k == i && !seq_push(&s->taken, r))
        return false;
    size_t rest = s->taken.len - (k == i ? 1 : 0) - k;
    memmove(&s->taken.at[i + 1], &s->taken.at[k], rest * sizeof r);
    s->taken.at[i] = r;
    s->taken.len = i + 1 + rest;
    return true;
}

static uintptr_t page_up(uintptr_t at) {
    return (at + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
}

static uintptr_t gap_low(const struct space *s, struct range in, size_t size) {
    uintptr_t from = page_up(in.start);
    for (size_t i = first_from(s, from); from < in.end && in.end - from >= size; i++) {
        uintptr_t next = i < s->taken.len ? s->taken.at[i].start : HIGHEST;
        uintptr_t to = next < in.end ? next : in.end;
        if (to > from && to - from >= size)
            return from;
        if (i == s->taken.len)
            break;
        from = s->taken.at[i].end > from ? page_up(s->taken.at[i].end) : from;
    }
    return 0;
}

static uintptr_t gap_high(const struct space *s, struct range in, size_t size) {
    uintptr_t to = in.end & ~(uintptr_t)(PAGE - 1);
    size_t i = first_from(s, to);
    if (i < s->taken.len && s->taken.at[i].start < to)
        to = s->taken.at[i].start;
    for (;; i--) {
        uintptr_t before = i > 0 ? s->taken.at[i - 1].end : 0;
        uintptr_t from = page_up(before > in.start ? before : in.start);
        if (to > from && to - from >= size)
            return to - size;
        if (i == 0 || s->taken.at[i - 1].start <= in.start)
            return 0;
        to = s->taken.at[i - 1].start;
    }
}

/* Finds a free range; 0: none. The snapshot may list ranges that have since become free. So the
 * file is read once more, but only if something could have changed. */
static uintptr_t gap(struct space *s, struct range in, size_t size, bool lowest) {
    if (in.start < LOWEST)
        in.start = LOWEST;
    if (in.end > HIGHEST)
        in.end = HIGHEST;
    for (int tries = 0; tries < 2; tries++) {
        if ((!s->read || (tries > 0 && s->stale)) && !space_read(s))
            return 0;
        uintptr_t at = lowest ? gap_low(s, in, size) : gap_high(s, in, size);
        if (at != 0 || !s->stale)
            return at;
    }
    return 0;
}

/* The kernel merges adjacent mappings, so the count is an upper bound; it is refreshed before
 * giving up. */
static bool may_map(struct space *s) {
    if (s->mappings >= s->limit && s->mappings - s->surely >= RECOUNT)
        (void)space_read(s);
    s->full = s->mappings >= s->limit;
    return !s->full;
}

uintptr_t space_map(struct space *s, struct range in, size_t size, int prot, int fd,
                    uint64_t offset, bool lowest) {
    int flags = (fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS) | MAP_FIXED_NOREPLACE;
    s->full = false;
    for (uintptr_t at; (at = gap(s, in, size, lowest)) != 0;) {
        if (!may_map(s))
            return 0;
        void *got = mmap((void *)at, size, prot, flags, fd, (off_t)offset);
        if (got != MAP_FAILED && got != (void *)at)
            munmap(got, size); /* the kernel does not know the flag */
        bool taken = got == MAP_FAILED && errno == EEXIST;
        if ((got == MAP_FAILED && !taken) || !space_note(s, at, at + size))
            return 0;
        if (got == (void *)at) {
            s->mappings++;
            return at;
        }
        s->stale = true;
    }
    return 0;
}

void space_free(struct space *s) {
    seq_free(&s->taken);
    seq_free(&s->lines);
    s->read = false;
}
