/* perf_text: reads what `perf script --show-mmap-events` prints. Private to core/qemu. */
#ifndef HOTGRAPH_QEMU_PERF_TEXT_H
#define HOTGRAPH_QEMU_PERF_TEXT_H

#include "base/base.h"

enum { PERF_STACK = 64, PERF_MAP_PATH = 4096 };
#define PERF_UNKNOWN UINT32_MAX

/* Executable memory of a process. */
struct perf_map {
    uint32_t process;
    uint64_t start, size, offset; /* offset: in the file */
    char path[PERF_MAP_PATH];
};

/* A file's name in the text; at NULL: not printed. */
struct perf_file {
    const char *at;
    size_t length;
};

/* With a file (-F +brstackoff,+dso) an end may be an offset in it, instead of an address. */
struct perf_branch {
    uint64_t from, to;
    struct perf_file from_file, to_file;
};

struct perf_sample {
    uint32_t process; /* PERF_UNKNOWN: the line has only the thread */
    uint32_t thread;
    bool has_address;
    uint64_t address;
    /* With call chains, perf prints where the instruction is in its file, instead of its address;
     * versions before 4.19 print the address. */
    bool chained;
    struct perf_file file;                   /* of a chain's first line */
    struct perf_branch branches[PERF_STACK]; /* the newest first */
    size_t branch_count;
};

/* Each returns false if out of memory. */
struct perf_reader {
    bool (*map)(void *user, const struct perf_map *map);
    bool (*sample)(void *user, const struct perf_sample *sample);
    void *user;
};

/* STATUS_FORMAT: a malformed branch stack, or no line was understood. */
enum status perf_text_read(const char *text, size_t len, const char *name,
                           const struct perf_reader *reader, struct error *e);

#endif
