#include "native/edges/edge_placement.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum status placement_open(struct placement *p, const char *folder, struct error *e) {
    char path[4096];
    struct stat st;
    uint64_t blocks;
    *p = (struct placement){0};
    snprintf(path, sizeof path, "%s/placement", folder);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? STATUS_OK
                               : error_set(e, STATUS_IO, "%s: %s", path, strerror(errno));
    void *at = fstat(fd, &st) == 0 && (size_t)st.st_size >= sizeof blocks
                   ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                   : MAP_FAILED;
    close(fd);
    if (at == MAP_FAILED)
        return error_set(e, STATUS_IO, "%s: cannot be mapped", path);
    p->bytes = (size_t)st.st_size;
    memcpy(&blocks, at, sizeof blocks);
    p->blocks = (const void *)((const char *)at + sizeof blocks);
    p->block_count = (size_t)blocks;
    p->edges = p->blocks + blocks;
    p->edge_count = (p->bytes - sizeof blocks) / sizeof *p->blocks - p->block_count;
    return STATUS_OK;
}

void placement_close(struct placement *p) {
    if (p->bytes > 0)
        munmap((void *)((uintptr_t)p->blocks - sizeof(uint64_t)), p->bytes);
    *p = (struct placement){0};
}

/* The first one whose (from, to) is greater. */
static size_t after(const struct session_weight *list, size_t n, uint64_t from, uint64_t to) {
    size_t low = 0;
    while (low < n) {
        const size_t middle = low + (n - low) / 2;
        const struct session_weight *w = &list[middle];
        if (w->from < from || (w->from == from && w->to <= to))
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

static const struct session_weight *block_of(const struct placement *p, uint64_t at) {
    const size_t k = after(p->blocks, p->block_count, at, UINT64_MAX);
    return k > 0 && at <= p->blocks[k - 1].to ? &p->blocks[k - 1] : NULL;
}

uint64_t placement_executed(const struct placement *p, uint64_t at) {
    const struct session_weight *b = block_of(p, at);
    return b != NULL ? b->count : 0;
}

uint64_t placement_went(const struct placement *p, uint64_t from, uint64_t to) {
    const struct session_weight *b = block_of(p, from);
    const size_t k = b != NULL ? after(p->edges, p->edge_count, b->from, to) : 0;
    const bool there = k > 0 && p->edges[k - 1].from == b->from && p->edges[k - 1].to == to;
    return there ? p->edges[k - 1].count : 0;
}
