/*
 * Everything that a session keeps. The modules share one struct because they share one resource:
 * the text of the process. Each module has a header beside it. From the top down; each file uses
 * only those below it (a test refuses circles):
 *
 *     preload, interpose, ending      inside a program that `hotgraph native` runs
 *     edges/edge_late                 inserts those of large libraries when they are first executed
 *     edges/edge_probes               the probes of an edge graph; edge_weights, edge_tree: which
 *                                     edges need none; edge_placement: an earlier run; lines:
 *                                     text files for the command
 *     session                         opens and closes; lists what can be probed
 *     direct                          leads direct calls to stubs, after the last insertion
 *     insert, remove                  the two calls; call: how each begins and ends
 *     patch/patch                     Lock and Load: writes a batch of patches
 *     patch/padding, gate, free_bytes  room for long jumps
 *     patch/stub, window              a probe's code, and the bytes it overwrites
 *     patch/grace, patches, write_text  frees what is removed; the patches; bytes of text
 *     text/code, jump_tables, walk    which bytes are instructions; code_pieces: blocks
 *     text/decode, quick              one instruction; flags, relocate: its effects
 *     hit/hit, trap, counters, pairs  what runs at a hit; counters for each thread, and for targets
 *     hit/forking, raw                fork() and system calls while libc is counted
 *     memory/pool                     memory for stubs and counters, near the text
 *     text/object, elf_symbols, frames  what is mapped, and the ELF files behind it
 *     memory/space                    ranges of addresses that are free
 *     memory/site_index, memory       containers; names: strategies and reasons as text
 *
 * Private to core/native.
 */
#ifndef HOTGRAPH_NATIVE_STATE_H
#define HOTGRAPH_NATIVE_STATE_H

#include "native/hit/counters.h"
#include "native/hit/pairs.h"
#include "native/memory/pool.h"
#include "native/memory/site_index.h"
#include "native/patch/grace.h"
#include "native/patch/padding.h"
#include "native/patch/patch.h"
#include "native/patch/patches.h"
#include "native/text/object.h"

#include <pthread.h>

struct request_at {
    uintptr_t site;
    size_t request;
};
/* Working lists of a call, empty between calls. They keep their memory, because mapping it again
 * would be most of the cost of inserting one probe. */
struct scratch {
    VEC(struct request_at) order; /* requests by address */
    VEC(struct wish) wishes;      /* sites that need another strategy than a jump */
    VEC(uintptr_t) slots;         /* the padding they get */
    edit_list edits;              /* of text */
};

struct hotprobe {
    pthread_mutex_t lock;
    struct hotprobe_options options;
    struct arena arena;
    VEC(struct object) objects;
    VEC(struct range)
    texts;             /* of the objects, when session_settle() has freed them, but of libc: its
                                system calls leave the counted code */
    struct range libc; /* the same of libc, if it is counted */
    VEC(struct hotprobe_function) listed;
    VEC(struct patch *) patches;
    VEC(struct retired) retired;
    VEC(struct seen) seen;
    mapping_list maps;           /* when threads were last looked at */
    size_t seen_before;          /* length of `retired` when the snapshot was taken */
    struct index *_Atomic traps; /* an overwritten instruction -> the patch that is in */
    struct index *_Atomic homes; /* a patch's first byte -> the newest patch there */
    struct pool pool;
    struct pairs pairs;
    VEC(struct patch *) gates; /* that are open */
    VEC(struct patch *) batch; /* that changed in the current call */
    struct scratch scratch;
    size_t settled;         /* patches that session_settle() has seen */
    struct late_plan *plan; /* edges/edge_probes.c: of late objects; NULL: there are none */
    bool live;              /* other threads may run: patch so that they survive it */
    bool registered;        /* for membarrier */
    bool late;     /* what is inserted was never executed, and no thread can execute it yet */
    bool deferred; /* insertions do not write to text: the next one without this does */
    bool atomic;   /* increments are locked */
    struct thread_block *_Atomic blocks;
    uint32_t block_count, slots_used;
    bool spread;                    /* each thread has a block, and %gs leads to it */
    int mem;                        /* /proc/self/mem during a call, else -1 */
    _Atomic uint64_t entered, left; /* calls of handlers: begun, ended */
};

/* session.c: call when no probe will be inserted or removed any more, but in late objects, with one thread.
 * Leads direct calls to stubs and frees what only insertion needs. */
enum status session_settle(struct hotprobe *h, struct error *e);

#endif
