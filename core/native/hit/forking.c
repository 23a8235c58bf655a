/*
 * A child of fork() executes libc's code before libc calls the library: what it counts there must not be
 * the parent's. So fork() finds the counts mapped privately, as copies that are made when they are
 * written to. The child keeps them. The parent writes its copies to the files, a few pages, and maps the
 * files again.
 *
 * With several threads others count meanwhile, and their counts would be lost: then libc is not counted.
 *
 * The same makes the library's own calls of libc unseen: its copies are dropped. It calls libc only while
 * there is one thread.
 */
#include "native/hit/forking.h"
#include "native/hit/pairs.h"
#include "native/hit/tasks.h"
#include "native/raw.h"
#include "native/session_state.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* A mapped part of a file. */
struct part {
    uintptr_t at;
    size_t bytes;
    uint64_t offset;
    int fd;
};

static struct {
    int counters, pairs; /* open while fork() runs */
    unsigned aside;      /* begun so often */
} files;

enum what { PRIVATE, SHARE, DROP };

static bool part_private(const struct part *p) {
    return raw_call6(SYS_mmap, p->at, p->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
                     (uint64_t)p->fd, p->offset) == (long)p->at;
}

/* Was the page copied? The kernel's entry says that it is there, or swapped out, and no file's. */
static bool is_copy(uint64_t entry) {
    return (entry >> 62) != 0 && (entry >> 61 & 1) == 0;
}

static bool part_write(const struct part *p, int map) {
    enum { AT_ONCE = 64 };
    uint64_t entry[AT_ONCE];
    for (size_t done = 0; done < p->bytes; done += AT_ONCE * PAGE) {
        const size_t left = (p->bytes - done + PAGE - 1) / PAGE,
                     n = left < AT_ONCE ? left : AT_ONCE, size = n * sizeof *entry;
        if (raw_call6(SYS_pread64, (uint64_t)map, (uintptr_t)entry, size,
                      (p->at + done) / PAGE * sizeof *entry, 0, 0) != (long)size)
            return false;
        for (size_t k = 0; k < n; k++) {
            const size_t at = done + k * PAGE, bytes = p->bytes - at < PAGE ? p->bytes - at : PAGE;
            if (is_copy(entry[k]) && raw_call6(SYS_pwrite64, (uint64_t)p->fd, p->at + at, bytes,
                                               p->offset + at, 0, 0) != (long)bytes)
                return false;
        }
    }
    return true;
}

static bool part_shared(const struct part *p) {
    return raw_call6(SYS_mmap, p->at, p->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                     (uint64_t)p->fd, p->offset) == (long)p->at;
}

/* Makes it private; or writes the copies to the file, unless they are dropped, and maps it. */
static bool part_do(const struct part *p, enum what what, int map) {
    return what == PRIVATE ? part_private(p)
                           : (what == DROP || part_write(p, map)) && part_shared(p);
}

static bool own_part(const struct hotprobe *h, size_t i, enum what what, int map) {
    const struct pairs *t = &h->pairs;
    const struct part p = {(uintptr_t)t->own[i], PAIRS_PART_BYTES,
                           t->head[SESSION_PAIRS_OWN] + i * PAIRS_PART_BYTES, files.pairs};
    return p.at == 0 || part_do(&p, what, map);
}

static bool head_part(const struct hotprobe *h, enum what what, int map) {
    const struct part p = {(uintptr_t)h->pairs.head, h->pairs.bytes, 0, files.pairs};
    return part_do(&p, what, map);
}

static bool counters_part(const struct hotprobe *h, size_t i, enum what what, int map) {
    const struct counter_chunk *c = &h->pool.counters.at[i];
    const struct part p = {c->start, POOL_COUNTERS * sizeof(uint64_t), c->offset, files.counters};
    return part_do(&p, what, map);
}

/* Does the same to each part; `map` is /proc/self/pagemap, to share. */
static bool each_part(const struct hotprobe *h, enum what what, int map) {
    const struct pairs *t = &h->pairs;
    bool ok = true;
    for (size_t i = 0; ok && i < h->pool.counters.len; i++)
        ok = counters_part(h, i, what, map);
    for (size_t i = 0; ok && i < PAIRS_PARTS; i++)
        ok = own_part(h, i, what, map);
    const struct part maps = {(uintptr_t)t->map_at, t->map_bytes, t->head[SESSION_PAIRS_MAPS],
                              files.pairs};
    if (ok && maps.at != 0)
        ok = part_do(&maps, what, map);
    return ok && head_part(h, what, map);
}

/* The same to those with counts of libc, which has no maps. */
static bool each_early_part(const struct hotprobe *h, enum what what) {
    const struct pairs *t = &h->pairs;
    const size_t last = t->early_to / PAIRS_PART;
    bool ok = true;
    for (size_t i = 0; ok && i < t->early_chunks && i < h->pool.counters.len; i++)
        ok = counters_part(h, i, what, -1);
    for (size_t i = t->early_from / PAIRS_PART; ok && i <= last && i < PAIRS_PARTS; i++)
        ok = own_part(h, i, what, -1);
    return ok && head_part(h, what, -1);
}

static int open_file(const char *path, int flags) {
    return (int)raw_call6(SYS_openat, (uint64_t)(int64_t)AT_FDCWD, (uintptr_t)path,
                          (uint64_t)(flags | O_CLOEXEC), 0, 0, 0);
}

static void close_file(int fd) {
    if (fd >= 0)
        (void)raw_call3(SYS_close, (uint64_t)fd, 0, 0);
}

static void close_files(void) {
    close_file(files.counters);
    close_file(files.pairs);
}

bool forking_counts(const struct hotprobe *h) {
    return h != NULL && h->pairs.head != NULL && h->pairs.early_to > h->pairs.early_from &&
           !h->pairs.parted;
}

static bool open_files(const struct hotprobe *h) {
    files.counters = open_file(h->options.counters, O_RDWR);
    files.pairs = open_file(h->pairs.path, O_RDWR);
    if (files.counters >= 0 && files.pairs >= 0)
        return true;
    close_files();
    return false;
}

void aside_begin(struct hotprobe *h) {
    if (!forking_counts(h) || h->pairs.forking || files.aside++ > 0)
        return;
    uint64_t *why = &h->pairs.head[SESSION_PAIRS_LIBC];
    if (!h->atomic && open_files(h))
        h->pairs.aside = each_early_part(h, PRIVATE);
    else if (*why == SESSION_LIBC_EXACT)
        *why = SESSION_LIBC_SEEN;
}

void aside_end(struct hotprobe *h) {
    if (!forking_counts(h) || h->pairs.forking || --files.aside > 0 || !h->pairs.aside)
        return;
    (void)each_early_part(h, DROP);
    close_files();
    h->pairs.aside = false;
}

/* Threads that have been joined may need a moment to end. */
static bool alone(const struct hotprobe *h) {
    enum { TURNS = 5, NS = 1000 * 1000 };
    bool one = !h->atomic || task_alone();
    for (int turn = 0; turn < TURNS && !one; turn++) {
        task_pause(NS);
        one = task_alone();
    }
    return one;
}

/* The first word that is written says that the parent has not come back yet. */
void forking_begin(struct hotprobe *h) {
    const bool can = alone(h) && open_files(h);
    h->pairs.head[SESSION_PAIRS_LIBC] = can ? SESSION_LIBC_BEGUN : SESSION_LIBC_FORKED;
    h->pairs.forking = can;
    if (can)
        (void)each_part(h, PRIVATE, -1);
}

void forking_parent(struct hotprobe *h) {
    if (!h->pairs.forking)
        return;
    const int map = open_file("/proc/self/pagemap", O_RDONLY);
    const bool ok = map >= 0 && each_part(h, SHARE, map);
    close_file(map);
    close_files();
    h->pairs.forking = false;
    if (ok)
        h->pairs.head[SESSION_PAIRS_LIBC] = SESSION_LIBC_EXACT;
}

void forking_child(struct hotprobe *h) {
    h->pairs.parted = true;
    h->pairs.process = (pid_t)raw_call3(SYS_getpid, 0, 0, 0);
    if (h->pairs.forking)
        close_files();
}
