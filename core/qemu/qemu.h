/*
 * qemu: runs Linux programs in QEMU's user-mode emulators with a plugin, and records their exact
 * control-flow graph and sample streams.
 *
 *     struct qemu_request request = {.argv = (const char *const[]){"/usr/bin/gzip", "-9", NULL},
 *                                    .input = "text", .plugin = path_of_hotgraph_qemu_so,
 *                                    .settings = &(struct qemu_setting){.every = 1667},
 *                                    .setting_count = 1};
 *     struct qemu_result result;
 *     if (qemu_record(&request, &result, &e) == STATUS_OK) {
 *         ... result.graph, result.streams[0] ...
 *         qemu_result_free(&result);
 *     }
 *
 * Invariants
 *  - Code addresses do not depend on where the kernel maps anything: see code addresses below.
 *  - Time is counted in executed instructions; the kernel's clocks, random bytes and the like are
 *    the same in every run and on every machine. So a program that depends on its input alone
 *    always gives the same graph and streams. If a run may not repeat, struct qemu_result says why.
 *  - The program sees the environment of struct qemu_request and no other.
 *  - The program and its children end with this process (base/child.h); no temporary file remains.
 *
 * Code addresses: images (files, ranges of anonymous memory) lie one after the other in 32 bits,
 * in the order in which their first instruction was translated, each at a multiple of 16 MiB, the
 * first at 0x01000000; inside an image an address is the offset in its file.
 *
 * Processors: x86_64, aarch64, riscv64.
 */
#ifndef HOTGRAPH_QEMU_H
#define HOTGRAPH_QEMU_H

#include "base/base.h"
#include "graph/graph.h"
#include "profile/profile.h"
#include "profile/structure/structure.h"

enum {
    QEMU_SETTINGS = 16,
    QEMU_EVERY = 1667, /* instructions from batch to batch: 1.5 % with 25 a batch */
};

struct qemu_setting {
    bool transfers;  /* single control transfers (batches of two: the transfer, and where it went),
                        one at a random place of each `every`; else batches of instructions */
    uint64_t every;  /* executed instructions, or transfers; 0: QEMU_EVERY */
    unsigned length; /* instructions a batch; 0: 25; at most every */
    uint64_t seed;   /* of the random offsets */
};

/* STATUS_ARGUMENT if batches would overlap. */
enum status qemu_check_setting(const struct qemu_setting *s, struct error *e);

struct qemu_request {
    const char *const *argv; /* program (see qemu_program_path) and its arguments; ends with NULL */
    const char *const *env;  /* "NAME=VALUE" beside the usual; ends with NULL; may be NULL */
    const char *folder;      /* to run in; NULL: this one */
    const char *input;       /* file that is its standard input; "-": ours; NULL: empty */
    const char *output;      /* file that gets its standard output; NULL: to ours */
    const char *sysroot;     /* where a foreign program's libraries are; may be NULL */
    const char *plugin;      /* hotgraph-qemu.so */
    const struct qemu_setting *settings;
    size_t setting_count; /* at most QEMU_SETTINGS */
    bool single_step;     /* QEMU translates each instruction alone: exact even where signals and
                             self-modifying code leave blocks in their middle; slow */
    bool each;            /* the plugin counts each instruction by itself: slow; for tests */
    int (*stopped)(void); /* nonzero: the program is ended; may be NULL */
    bool keep; /* a program that is ended, or ends by a signal, leaves what it did so far: see `end`
                  of the result. Else STATUS_INTERRUPTED and STATUS_GUEST */
    uint64_t instructions;         /* maximum, in whole blocks; with keep; 0: no limit */
    uint64_t timeout_milliseconds; /* with keep; 0: none */
};

/* How the program ended. All but the first leave a partial run. */
enum qemu_end {
    QEMU_ENDED,   /* by itself */
    QEMU_SIGNAL,  /* by a signal that it did not handle */
    QEMU_STOPPED, /* stopped() said so */
    QEMU_TIMEOUT,
    QEMU_LIMIT, /* of instructions */
};

struct qemu_image {
    char *path; /* "" for anonymous memory */
    uint32_t base, room;
    uint64_t size; /* of the file; 0 where there is none, as it was when the program had ended */
    char hash[33]; /* of the file's bytes; "" where there is none */
};

struct qemu_result {
    const char *target;         /* "x86_64" */
    struct graph graph;         /* as the streams, says what program it is of */
    struct structure structure; /* of the program, for techniques that know it */
    struct stream *streams;     /* one a setting; they do not point to it */
    size_t stream_count;
    uint64_t instructions, transfers;
    uint64_t signals, unfinished, flushes, threads; /* unfinished: blocks left in the middle */
    uint64_t forks;                                 /* processes it started; not recorded */
    enum qemu_end end;
    int signal; /* of QEMU_SIGNAL */
    VEC(struct qemu_image) images;
    int exit_status; /* as a shell says it */
    double seconds;  /* processor time of QEMU and the program */
};

/* A program's file: relative paths, and those below /proc/self/cwd, begin at the folder (NULL: the
 * current one). The latter give the program a name that is the same wherever the folder is. */
enum { QEMU_PATH = 4096 };
void qemu_program_path(const char *folder, const char *program, char out[QEMU_PATH]);
/* Whether the program in that file can be recorded here: it exists, is for a supported
 * processor, and QEMU is installed. */
enum status qemu_can_record(const char *path, struct error *e);

/* The path of hotgraph-qemu.so in the build or installation of the running program, or as in
 * $HOTGRAPH_QEMU_PLUGIN. */
enum { QEMU_PLUGIN_PATH = 1100 };
enum status qemu_find_plugin(char out[QEMU_PLUGIN_PATH], struct error *e);

/* STATUS_UNSUPPORTED: the program is for another processor, or no ELF file, or QEMU is not
 * installed (the message says which package); STATUS_GUEST: it left no recording (it did not end by
 * itself, was killed, or became another program), or it has threads and streams were wanted. */
enum status qemu_record(const struct qemu_request *request, struct qemu_result *out,
                        struct error *e);
void qemu_result_free(struct qemu_result *r);
/* How a partial run ended: "ended by signal 11 (Segmentation fault)"; "" for a complete run. */
void qemu_end_text(const struct qemu_result *r, char *text, size_t size);
/* Writes one sentence on why another run may differ. False: it cannot. */
bool qemu_doubt(const struct qemu_result *r, struct error *out);

/* ---- names of code addresses ---- */

struct qemu_symbols;
/* Reads the symbols (.symtab, else .dynsym) of all images that are files; those without get none.
 */
enum status qemu_symbols_read(struct qemu_symbols **out, const struct qemu_image *images,
                              size_t count, struct error *e);
/* "main+0x12", "libc.so.6+0x2a1f0" where no symbol covers it, or "0x..." outside all images. */
void qemu_symbols_name(const struct qemu_symbols *s, uint32_t address, char *text, size_t size);
/* Number i of all functions by address, equal addresses by name; false: there are no more. `name`
 * lives as long as s. */
struct qemu_symbol {
    uint32_t address, size; /* size 0: not known */
    const char *name;
};
bool qemu_symbols_get(const struct qemu_symbols *s, size_t i, struct qemu_symbol *out);
void qemu_symbols_free(struct qemu_symbols *s);

#endif
