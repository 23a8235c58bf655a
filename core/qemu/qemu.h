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
#include "profile/program/program_trace.h"
#include "profile/structure/structure.h"

enum {
    QEMU_SETTINGS = 16,
    QEMU_EVERY = 1667, /* instructions from batch to batch: 1.5 % with 25 a batch */
};

struct qemu_setting {
    bool transfers;  /* sample single control transfers (batches of two: the transfer and its
                        destination), one at a random place in each `every`; else batches of
                        instructions */
    uint64_t every;  /* executed instructions, or transfers; 0: QEMU_EVERY */
    unsigned length; /* instructions a batch; 0: 25; at most every */
    uint64_t seed;   /* for the random offsets */
    /* Not 0: each batch is the code between so many last taken branches, read at one in `every`
     * instructions; with `transfers` after a random one in each `every` taken branches. A stack has
     * fewer entries after a signal, and when their code has more than 8,192 instructions. */
    unsigned stack;
};

/* STATUS_ARGUMENT if batches would overlap, or a stack is larger than SAMPLER_STACK_MOST. */
enum status qemu_check_setting(const struct qemu_setting *s, struct error *e);

struct qemu_request {
    const char *const *argv; /* program (see qemu_program_path()) and its arguments; ends with
                                NULL */
    const char *const *env;  /* "NAME=VALUE", added to the fixed environment; ends with NULL; may
                                be NULL */
    const char *folder;      /* working folder; NULL: the current one */
    const char *input;       /* file that is its standard input; "-": ours; NULL: empty */
    const char *output;      /* file for its standard output; NULL: ours */
    const char *sysroot;     /* folder with a foreign program's libraries; may be NULL */
    const char *plugin;      /* hotgraph-qemu.so */
    const struct qemu_setting *settings;
    size_t setting_count; /* at most QEMU_SETTINGS */
    bool single_step;     /* QEMU translates each instruction separately: slow, but exact even if
                             signals and self-modifying code leave blocks midway */
    bool follow;          /* also records the processes that it starts, the programs that they
                             become (exec), and each thread after the first one, separately: see
                             qemu_process_count() */
    bool trace; /* also makes the trace of the program's control flow; not with `follow` */
    bool each;  /* the plugin counts each instruction separately: slow; for tests */
    int (*stopped)(void); /* returns nonzero to end the program; may be NULL */
    bool pass_signals;    /* what stopped() returns is a signal, which the program gets first, and
                             ten seconds to end by itself */
    bool keep; /* if the program is ended, or ends by a signal, keep what it did so far (see
                  `end` of the result); otherwise STATUS_INTERRUPTED or STATUS_GUEST */
    uint64_t instructions;         /* with keep: most instructions, in whole blocks; 0: no limit */
    uint64_t timeout_milliseconds; /* with keep: time limit; 0: none */
};

/* How the program ended. All but the first and the last leave a partial recording. */
enum qemu_end {
    QEMU_ENDED,   /* by itself */
    QEMU_SIGNAL,  /* by a signal that it did not handle */
    QEMU_STOPPED, /* on request by stopped() */
    QEMU_TIMEOUT,
    QEMU_LIMIT, /* of instructions */
    QEMU_EXEC,  /* it became another program */
};

struct qemu_image {
    char *path; /* "" for anonymous memory */
    uint32_t base, room;
    uint64_t size; /* of the file when the program had ended; 0: there was none */
    char hash[33]; /* of the file's bytes; "" if there was none */
};

struct qemu_result {
    const char *target;         /* "x86_64" */
    struct graph graph;         /* names its program, as the streams do */
    struct structure structure; /* for techniques that need it */
    struct stream *streams;     /* one for each setting; they do not point to `structure` */
    size_t stream_count;
    struct program_trace trace; /* without its structure; empty unless it was requested */
    uint64_t instructions, transfers;
    uint64_t signals, unfinished, flushes, threads; /* unfinished: blocks left midway */
    uint64_t forks;                                 /* processes that it started */
    struct qemu_processes *processes;               /* others that were followed; may be NULL */
    enum qemu_end end;
    int signal; /* for QEMU_SIGNAL */
    VEC(struct qemu_image) images;
    int exit_status; /* as shells report it */
    double seconds;  /* processor time of QEMU and the program */
};

/* The path of a program's file. Relative paths, and those below /proc/self/cwd, are relative to the
 * folder (NULL: the current one). The latter give the program the same name wherever the folder is.
 */
enum { QEMU_PATH = 4096 };
void qemu_program_path(const char *folder, const char *program, char out[QEMU_PATH]);
/* STATUS_OK if the program in that file can be recorded here: it exists, is for a supported
 * processor, and QEMU is installed. */
enum status qemu_can_record(const char *path, struct error *e);

/* The path of hotgraph-qemu.so, from $HOTGRAPH_QEMU_PLUGIN or the running program's build or
 * installation. */
enum { QEMU_PLUGIN_PATH = 1100 };
enum status qemu_find_plugin(char out[QEMU_PLUGIN_PATH], struct error *e);

/* The environment of every recorded program, as "NAME=VALUE"; ends with NULL. */
const char *const *qemu_usual_env(void);

/* STATUS_UNSUPPORTED: the program is for an unsupported processor or not an ELF file, or QEMU is
 * not installed (the message names the package). STATUS_GUEST: there is no recording (the program
 * did not end by itself, was killed, or became another program), or it has threads and streams or a trace
 * were requested. */
enum status qemu_record(const struct qemu_request *request, struct qemu_result *out,
                        struct error *e);
void qemu_result_free(struct qemu_result *r);
/* How a partial run ended: "ended by signal 11 (Segmentation fault)"; "" for a complete run. */
void qemu_end_text(const struct qemu_result *r, char *text, size_t size);
bool qemu_is_partial(const struct qemu_result *r);

/* What was followed, sorted: a process before what it started, in the order in which it did. A label
 * says where in the tree it is. Its words are joined by dots: N for the Nth process that was
 * forked, x for the next program (exec), tN for the Nth further thread. */
struct qemu_process {
    const char *label, *path;
    const char *const *words; /* arguments, ends with NULL */
    bool is_thread;
    const char *reason; /* why it was not recorded; NULL: it was */
};
size_t qemu_process_count(const struct qemu_result *r);
/* The strings live as long as r. */
struct qemu_process qemu_process(const struct qemu_result *r, size_t i);
/* Reads a recording, one that has no `reason`. The caller frees *out also after an error. */
enum status qemu_process_read(const struct qemu_result *r, size_t i, struct qemu_result *out,
                              struct error *e);

/* Writes one sentence on why another run may differ. False: it cannot differ. */
bool qemu_doubt(const struct qemu_result *r, struct error *out);

/* Moves a recording's graph to the addresses of another recording of the same program: images are
 * numbered in the order in which they begin to run, which may depend on the input. Images match by
 * their hashes, anonymous memory by its order; what the other recording lacks lies after its last
 * image. STATUS_UNSUPPORTED: there are too many images for 32 bits. */
enum status qemu_align(struct graph *g, const struct qemu_image *from, size_t from_count,
                       const struct qemu_image *to, size_t to_count, struct error *e);

/* ---- names of code addresses ---- */

struct qemu_symbols;
/* Reads the symbols (.symtab, else .dynsym) of all images that are files; the others get none. */
enum status qemu_symbols_read(struct qemu_symbols **out, const struct qemu_image *images,
                              size_t count, struct error *e);
/* Writes "main+0x12", or "libc.so.6+0x2a1f0" if no symbol covers the address, or "0x..." outside
 * all images. */
void qemu_symbols_name(const struct qemu_symbols *s, uint32_t address, char *text, size_t size);
/* Returns function number i of all functions, sorted by address and then by name; false: there are
 * fewer. `name` lives as long as s. */
struct qemu_symbol {
    uint32_t address, size; /* size 0: unknown */
    const char *name;
};
bool qemu_symbols_get(const struct qemu_symbols *s, size_t i, struct qemu_symbol *out);
void qemu_symbols_free(struct qemu_symbols *s);

/* Code addresses of a file: from `first` to before `end`. */
struct qemu_range {
    uint32_t first;
    uint64_t end;
};
/* Copies the graph's blocks in the range, and its edges with an end there. graph_free()
 * frees *out. */
enum status qemu_image_part(struct graph *out, const struct graph *g, struct qemu_range range,
                            struct error *e);

#endif
