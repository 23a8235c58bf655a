/* bolt: runs BOLT, and runs cachegrind on the result. Private to optimise. */
#ifndef HOTGRAPH_OPTIMISE_BOLT_H
#define HOTGRAPH_OPTIMISE_BOLT_H

#include "base/base.h"

enum { TOOL_PATH = 1024, TOOL_TEXT = 300 };

struct tools {
    char bolt[TOOL_PATH];       /* path */
    char cachegrind[TOOL_PATH]; /* path of valgrind; "": not installed */
    char about[TOOL_TEXT];      /* BOLT's version and the options that are used */
    char qemu[TOOL_TEXT];       /* version of QEMU */
    int (*stopped)(void);
};

/* STATUS_UNSUPPORTED if there is no BOLT; the message names the package. */
enum status tools_find(struct tools *out, int (*stopped)(void), struct error *e);

struct bolt_run {
    uint64_t stale; /* functions whose profile BOLT rejected */
    double seconds; /* processor time */
};
/* Lays `program` out by the profile (NULL: none); writes the result to `out`. */
enum status bolt_lay_out(const struct tools *t, const char *program, const char *profile,
                         const char *out, struct bolt_run *run, struct error *e);

/* Misses of an instruction cache of 32 KiB with 8 ways and lines of 64 bytes. words: argv, words[0] is
 * a path; env: all of the environment. */
struct cachegrind_run {
    const char *const *words;
    char *const *env;
    const char *folder, *input; /* input NULL: none */
};
enum status cachegrind_misses(const struct tools *t, const struct cachegrind_run *run,
                              uint64_t *misses, struct error *e);

#endif
