/* The empty statements in loops keep compilers from making calls of libc out of them. */
#include "native/hit/tasks.h"
#include "base/base.h"
#include "native/raw.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

static int raw_open(const char *path, int flags) {
    return (int)raw_call6(SYS_openat, (uint64_t)(int64_t)AT_FDCWD, (uintptr_t)path,
                          (uint64_t)(flags | O_RDONLY | O_CLOEXEC), 0, 0, 0);
}

static long raw_read(int fd, void *into, size_t size) {
    return raw_call3(SYS_read, (uint64_t)fd, (uintptr_t)into, size);
}

static void raw_close(int fd) {
    (void)raw_call3(SYS_close, (uint64_t)fd, 0, 0);
}

static size_t append(char *path, size_t n, const char *text) {
    for (; *text != 0; text++) {
        path[n++] = *text;
        __asm__ volatile("");
    }
    path[n] = 0;
    return n;
}

/* Reads a file of the thread as text. Returns its length. */
static size_t task_read(char *into, size_t size, pid_t thread, const char *what) {
    char path[64], digits[16];
    size_t k = sizeof digits;
    digits[--k] = 0;
    for (pid_t t = thread; t > 0; t /= 10)
        digits[--k] = (char)('0' + t % 10);
    size_t n = append(path, 0, "/proc/self/task/");
    n = append(path, n, digits + k);
    (void)append(path, n, what);
    const int fd = raw_open(path, 0);
    const long got = fd >= 0 ? raw_read(fd, into, size - 1) : -1;
    if (fd >= 0)
        raw_close(fd);
    into[got > 0 ? got : 0] = 0;
    return got > 0 ? (size_t)got : 0;
}

uint64_t task_time(pid_t thread) {
    char text[128];
    uint64_t ns = 0;
    const size_t n = task_read(text, sizeof text, thread, "/schedstat");
    const char *p = text;
    return scan_decimal(&p, text + n, UINT64_MAX, &ns) ? ns : 0;
}

/* Where the last word before `end` begins. */
static const char *last_word(const char *text, const char *end) {
    while (end > text && end[-1] != ' ') {
        end--;
        __asm__ volatile("");
    }
    return end;
}

/* The line of a thread that runs is "running"; else it ends with stack pointer and program counter. */
bool task_asleep(pid_t thread, uint64_t *pc, uint64_t *stack) {
    char text[256];
    const size_t n = task_read(text, sizeof text, thread, "/syscall");
    if (n == 0 || text[0] == 'r')
        return false;
    const char *last = last_word(text, text + n), *p = last;
    if (last == text || !scan_hex(&p, text + n, UINT64_MAX, pc))
        return false;
    p = last_word(text, last - 1);
    return p != text && scan_hex(&p, last, UINT64_MAX, stack);
}

struct directory_entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

bool tasks_each(bool (*visit)(void *, pid_t), void *user) {
    char buffer[4096] __attribute__((aligned(8)));
    const int fd = raw_open("/proc/self/task", O_DIRECTORY);
    bool ok = fd >= 0;
    long n;
    while (ok &&
           (n = raw_call3(SYS_getdents64, (uint64_t)fd, (uintptr_t)buffer, sizeof buffer)) > 0)
        for (long at = 0; at < n && ok;) {
            const struct directory_entry *d = (const void *)(buffer + at);
            const char *p = d->name;
            uint64_t id = 0;
            if (scan_decimal(&p, buffer + n, 1 << 30, &id))
                ok = visit(user, (pid_t)id);
            at += d->length;
        }
    if (fd >= 0)
        raw_close(fd);
    return ok;
}

bool task_alone(void) {
    enum { ONE = 3 }; /* links: . and .., and one thread */
    struct stat st;
    return raw_call6(SYS_newfstatat, (uint64_t)(int64_t)AT_FDCWD, (uintptr_t) "/proc/self/task",
                     (uintptr_t)&st, 0, 0, 0) == 0 &&
           st.st_nlink == ONE;
}

void task_pause(uint64_t ns) {
    const struct timespec t = {.tv_nsec = (long)ns};
    (void)raw_call3(SYS_nanosleep, (uintptr_t)&t, 0, 0);
}

/* What a line of /proc/self/maps begins with: "start-end ". */
struct bounds {
    uint64_t start, end;
    enum { IN_START, IN_END, AFTER } state;
};

static void bounds_take(struct bounds *b, char c) {
    const uint64_t digit = (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    if (c == '\n')
        *b = (struct bounds){.state = IN_START};
    else if (b->state == IN_START && c == '-')
        b->state = IN_END;
    else if (b->state == IN_START)
        b->start = b->start << 4 | digit;
    else if (b->state == IN_END && c == ' ')
        b->state = AFTER;
    else if (b->state == IN_END)
        b->end = b->end << 4 | digit;
}

uintptr_t mapping_end(uintptr_t at) {
    char text[4096];
    struct bounds b = {.state = IN_START};
    uintptr_t found = 0;
    long n;
    const int fd = raw_open("/proc/self/maps", 0);
    while (fd >= 0 && found == 0 && (n = raw_read(fd, text, sizeof text)) > 0)
        for (long k = 0; k < n && found == 0; k++) {
            bounds_take(&b, text[k]);
            if (b.state == AFTER && at >= b.start && at < b.end)
                found = b.end;
        }
    if (fd >= 0)
        raw_close(fd);
    return found;
}
