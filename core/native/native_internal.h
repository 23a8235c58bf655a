/*
 * What the files of this room share. Nothing here is for anybody else.
 *
 * The files, from the top down; each uses those below it, and none above (a test refuses circles):
 *
 *     preload.c, interpose.c            inside a program that `hotgraph native` runs
 *     session.c                         opening and closing; what there is to probe
 *     direct.c                          calls that lead to stubs, when everything is in
 *     insert.c, remove.c                the two calls; call.c: how each begins and ends
 *     patch.c                           Lock and Load: a batch of patches is written
 *     padding.c, gate.c                 room for long jumps
 *     stub.c, window.c                  where a probe's code goes, and what is overwritten for it
 *     grace.c, patches.c, write_text.c  what is let go of; the patches there are; the bytes of text
 *     code.c, jump_tables.c, walk.c     which bytes are instructions
 *     decode.c, quick.c                 one instruction; flags.c, relocate.c: what it does
 *     hit.c, trap.c, counters.c         what runs when a probe is hit; counters for each thread
 *     pool.c                            memory for stubs and counters, near the text
 *     object.c, elf_symbols.c, frames.c what is mapped, and the ELF files behind it
 *     site_index.c, memory.c, names.c   containers; names of strategies and reasons
 *
 * They share one struct because what is overwritten is one: the text of the process.
 */
#ifndef HOTGRAPH_NATIVE_INTERNAL_H
#define HOTGRAPH_NATIVE_INTERNAL_H

#include "native/hotprobe.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

/* ---- memory.c: the host's heap is left alone; all memory comes from mmap ---- */

/* Like base's vec_push, from pages. */
#define seq_push(v, value)                                                                         \
    (seq_reserve_(&(v)->at, &(v)->cap, (v)->len + 1, sizeof *(v)->at)                              \
         ? ((v)->at[(v)->len++] = (value), true)                                                   \
         : false)
#define seq_reserve(v, n) seq_reserve_(&(v)->at, &(v)->cap, (n), sizeof *(v)->at)
#define seq_free(v)                                                                                \
    (seq_free_((v)->at, (v)->cap * sizeof *(v)->at), (v)->at = NULL, (v)->len = (v)->cap = 0)
bool seq_reserve_(void *at_pointer, size_t *cap, size_t need, size_t size);
void seq_free_(void *at, size_t bytes);

/* qsort asks the host's heap for room. */
void sort_items(void *items, size_t n, size_t size, int (*compare)(const void *, const void *));

/* Pieces that live until the arena is freed; zeroed. NULL when memory is out. */
struct arena {
    struct arena_page *last;
};
void *arena_get(struct arena *a, size_t size);
void arena_free(struct arena *a);

/* A whole file, mapped read-only; at NULL when it cannot be. */
struct view {
    const uint8_t *at;
    size_t len;
};
struct view view_open(const char *path);
void view_close(struct view *v);

/* ---- object.c: what is mapped, and the ELF files behind it ---- */

struct mapping {
    uintptr_t start, end;
    uint64_t offset, inode;
    bool read, write, execute;
    const char *path; /* "" for anonymous */
};
typedef VEC(struct mapping) mapping_list;
/* The process's mappings; paths live in `arena`, and are left out when that is NULL. */
bool mappings_read(mapping_list *out, struct arena *arena);

/* What is known about a byte of text. */
enum mark {
    MARK_START = 1,   /* an instruction that is reached starts here */
    MARK_TARGET = 2,  /* a jump may lead here, or its address is taken */
    MARK_ENTRY = 4,   /* a function starts here */
    MARK_LEADER = 8,  /* a block is known to start here */
    MARK_PAD = 16,    /* padding that is never executed */
    MARK_OURS = 32,   /* overwritten by a patch */
    MARK_NOP = 64,    /* a NOP on a path */
    MARK_SWEPT = 128, /* an instruction of the linear sweep starts here */
};

struct range {
    uintptr_t start, end;
};

struct function {
    uintptr_t start, end;
    const char *name;
    bool plt, unproven;
    bool symbol; /* from a symbol table, which names more than an FDE */
};

struct object {
    const char *path;
    struct view file;
    uintptr_t bias;             /* add to a file address */
    uintptr_t text, text_end;   /* the executable segment in memory */
    uint8_t *mark;              /* a byte for each of it */
    uint8_t head[64];           /* its first bytes */
    bool alive;                 /* still mapped: looked at in each call */
    VEC(struct range) sections; /* executable sections, or the segment */
    VEC(struct range) plt;
    VEC(struct range) data;  /* other segments in memory, readable */
    VEC(struct range) fixed; /* those of them that are never written: tables */
    VEC(struct function) functions;
    VEC(uintptr_t) pads; /* landing pads */
};
enum status objects_find(struct hotprobe *h, struct error *e);
void object_free(struct object *o);
struct object *object_at(struct hotprobe *h, uintptr_t at);
struct function *function_at(struct object *o, uintptr_t at);
static inline uint8_t *mark_at(const struct object *o, uintptr_t at) {
    return &o->mark[at - o->text];
}
static inline bool in_text(const struct object *o, uintptr_t at) {
    return at >= o->text && at < o->text_end;
}

/* elf_symbols.c, frames.c: fill functions and pads. */
bool symbols_read(struct object *o);
bool frames_read(struct object *o);
void functions_finish(struct object *o);
bool functions_add(struct object *o, uintptr_t start, uintptr_t end, const char *name, bool symbol);

/* ---- decode.c ---- */

enum flow {
    FLOW_NEXT,
    FLOW_JUMP,      /* direct, unconditional */
    FLOW_BRANCH,    /* direct, conditional */
    FLOW_LOOP,      /* loop, loope, loopne, jrcxz */
    FLOW_CALL,      /* direct */
    FLOW_CALL_AWAY, /* indirect */
    FLOW_JUMP_AWAY, /* indirect */
    FLOW_RETURN,
    FLOW_STOP,    /* ud2, hlt */
    FLOW_SYSTEM,  /* syscall, int: comes back to the next instruction */
    FLOW_REFUSED, /* xbegin, far transfers, iret: not to be moved */
};
struct insn {
    uintptr_t at;
    const uint8_t *bytes;
    uint8_t length, opcode, flow;
    bool nop, relative_memory;
    bool kills_unsure; /* may leave the flags alone: a shift by a count, a repeated string op */
    uint8_t disp_offset, modrm_offset, imm_offset, imm_size, prefixes; /* 0: none */
    uint16_t mnemonic;
    uint32_t flags_read, flags_written;
    uintptr_t target; /* of a direct transfer */
    uintptr_t memory; /* address of a RIP-relative operand */
};
/* Decodes at `at`, reading no byte from `end` on. False: not an instruction. */
bool insn_decode(struct insn *out, uintptr_t at, uintptr_t end);
static inline bool insn_ends_block(const struct insn *i) {
    return i->flow == FLOW_JUMP || i->flow == FLOW_JUMP_AWAY || i->flow == FLOW_RETURN ||
           i->flow == FLOW_STOP;
}
/* The same for a copy of the bytes (16 can be read) of an instruction that belongs at `at`; bytes
 * says where the copy is. */
bool insn_decode_copy(struct insn *out, const uint8_t *bytes, uintptr_t at);
/* The same of a usual encoding, in a tenth of the time: at, bytes, length, flow, nop, target,
 * memory and immediates are set. False: not one of those, or too near to the end. */
bool insn_quick(struct insn *out, uintptr_t at, uintptr_t end);
/* Does the instruction at `bytes` name or imply rsp? */
bool insn_uses_stack(const uint8_t *bytes);
/* Behind the endbr64 that is at `at`, or `at`. */
uintptr_t behind_endbr(const struct object *o, uintptr_t at);

/* ---- code.c, jump_tables.c, walk.c: marks ---- */

enum status code_find(struct object *o, struct error *e);
struct walk {
    struct object *o;
    VEC(uintptr_t) todo, indirect;
    uint8_t *known; /* of each byte of text, from the sweep: length and kind of the instruction */
    bool failed;
};
/* Targets of the indirect jump at `at`: marks them, pushes them on the walk. False: not proven. */
bool table_find(struct walk *w, struct function *f, uintptr_t at);
/* A block starts at `at`: marks it and has it walked. */
void walk_leader(struct walk *w, uintptr_t at);

/* ---- flags.c ---- */

/* Are status flags other than carry read after `at` before they are written? */
bool flags_live(const struct object *o, uintptr_t at);

/* ---- relocate.c ---- */

struct emit {
    uintptr_t at; /* address of bytes[0] when it runs */
    size_t len;
    bool far, full; /* a distance did not fit; too long */
    uint8_t bytes[1024];
};
void emit_bytes(struct emit *e, const void *bytes, size_t n);
void emit_u32(struct emit *e, uint32_t v);
/* The 32-bit distance from the end of the instruction, which ends `behind` bytes after it. */
void emit_distance(struct emit *e, uintptr_t target, size_t behind);
void emit_jump(struct emit *e, uintptr_t target);
/* The instruction, to be executed at e->at + e->len instead of where it is. `pushed`: its call's
 * return address is on the stack already. `pool` receives constants, placed by the caller behind
 * the code: see stub.c. False: cannot be moved. */
struct constants {
    size_t count;
    uint64_t value[16];
    size_t use[16]; /* where in e->bytes the distance to it is */
};
bool relocate(struct emit *e, struct constants *c, const struct insn *i, bool pushed);
/* Writes the constants behind the code and fills in the distances. */
void constants_place(struct emit *e, struct constants *c);
/* push qword [rip + constant] */
void emit_push_constant(struct emit *e, struct constants *c, uint64_t value);

/* ---- pool.c: memory near the text, for stubs and counters ---- */

struct chunk {
    uintptr_t start;
    size_t size, dirty, dirty_end;
    uint8_t *mirror; /* what it holds, writable, for us alone */
    uint64_t *used;  /* a bit for each byte */
    size_t first_free;
};
struct counter_chunk {
    uintptr_t start;
    size_t count, used;
    uint64_t offset; /* in the counters' file */
};
struct pool {
    VEC(struct chunk) chunks;
    VEC(struct counter_chunk) counters;
    mapping_list maps; /* as they were read last */
    bool read;
    uint64_t file_size;
};
/* Where a stub may be: (address - base) has `value` in the bits of `mask`. */
struct place {
    uintptr_t base;
    uint32_t mask, value;
};
uintptr_t pool_get(struct hotprobe *h, size_t size, const struct place *place);
void pool_put(struct hotprobe *h, uintptr_t at, size_t size);
void pool_write(struct hotprobe *h, uintptr_t at, const void *bytes, size_t n);
/* Makes what was written executable: one write a chunk. */
bool pool_flush(struct hotprobe *h, int mem);
bool pool_holds(const struct hotprobe *h, uintptr_t at);
/* A counter near `near`; *offset in the file. NULL: none in reach. */
uint64_t *pool_counter(struct hotprobe *h, uintptr_t near, uint64_t *offset);
/* After fork: the counters are the child's own from here on. */
void pool_part(struct hotprobe *h);
void pool_free(struct hotprobe *h, bool code_too);

/* ---- probes and patches ---- */

struct hotprobe_probe {
    struct hotprobe *session;
    struct hotprobe_probe *next; /* on the same patch, by boundary */
    struct patch *patch;
    uintptr_t site;
    uint64_t *counter, counter_offset; /* NULL: each thread has its own, in `slot` of its block */
    uint32_t slot;
    uint64_t threshold;
    void (*call)(const struct hotprobe_hit *);
    void *data;
    unsigned flags;
    struct hotprobe_request *asking; /* while it is put in */
    uint8_t boundary;                /* index of the patch's instruction */
    bool in;
};

enum { WINDOW = 24, BOUNDARIES = 8, LOCKS = 16 };

/* Written once, before anybody can see it. */
struct stub {
    uintptr_t at;
    uint32_t size;
    bool pushed;      /* entered with the call's return address on the stack */
    bool constrained; /* the jump to it has traps at inner instructions */
    uint8_t lock_count;
    uint16_t entry[BOUNDARIES]; /* where each overwritten instruction's part begins */
    uint16_t lock[LOCKS];       /* where the prefix of an increment is */
    uint64_t key;               /* of the probes it serves */
};

/* What is overwritten. The geometry is written once; another window there is another patch. */
struct patch {
    uintptr_t at;
    struct object *object;
    uint8_t length; /* of the overwritten bytes */
    uint8_t count;  /* instructions */
    uint8_t offset[BOUNDARIES + 1];
    uint8_t strategy;
    bool in, unproven, ends; /* ends: nothing goes on behind it */
    bool changed;            /* in the batch under way */
    bool restored;           /* the slot's bytes are the padding's again */
    bool is_gate;            /* no probe's: a long NOP on a path, which jumps over slots in it */
    struct patch *gate;      /* of the slot; NULL: padding that is never executed */
    uint8_t old[WINDOW + 16], now[WINDOW];
    uintptr_t slot; /* the padding's jump; 0: none */
    uint8_t slot_old[5], slot_now[5];
    struct hotprobe_probe *probes; /* all there ever were, sorted by boundary */
    struct stub *_Atomic stub;
    struct stub *spare;  /* the last one, for when the same probes come back */
    struct patch *older; /* another window at the same address */
};

/* Address -> patch. Read by the signal handler: entries are added and changed, never moved; a table
 * that is full is replaced by a larger one and kept. */
struct index_entry {
    _Atomic uintptr_t at;
    struct patch *_Atomic patch;
};
struct index {
    size_t cap, len;
    struct index_entry *entry;
};
struct patch *index_find(struct index *_Atomic *table, uintptr_t at);
bool index_set(struct hotprobe *h, struct index *_Atomic *table, uintptr_t at, struct patch *p);

struct retired {
    struct stub *stub;  /* or */
    struct patch *slot; /* whose slot is to be restored */
};
/* A thread, when the snapshot was taken. */
struct seen {
    pid_t thread;
    uint64_t since; /* its processor time in ns */
    bool outside, here;
};

/* What a call works with: lists that are empty between calls, and keep their room, because getting
 * it anew would be most of what it costs to put in one probe. */
struct request_at {
    uintptr_t site;
    size_t request;
};
struct wish {
    uintptr_t site;
    size_t request;
};
struct edit {
    uintptr_t at;
    uint8_t byte;
};
typedef VEC(struct edit) edit_list;
struct scratch {
    VEC(struct request_at) order; /* requests by address */
    VEC(struct wish) wishes;      /* those that no jump over whole instructions serves */
    VEC(uintptr_t) slots;         /* their padding */
    edit_list edits;              /* of text */
};

enum { THREAD_SLOTS = HOTPROBE_THREAD_SLOTS };
/* Counters of a thread; 0: of those that have no block yet. Added, never taken away. */
struct thread_block {
    struct thread_block *next;
    uint64_t *at;
    pid_t thread;
};

struct hotprobe {
    pthread_mutex_t lock;
    struct hotprobe_options options;
    struct arena arena;
    VEC(struct object) objects;
    VEC(struct hotprobe_function) listed;
    VEC(struct patch *) patches;
    VEC(struct retired) retired;
    VEC(struct seen) seen;
    size_t seen_before;          /* how many of `retired` were there then */
    struct index *_Atomic traps; /* an instruction that is overwritten -> the patch that is in */
    struct index *_Atomic homes; /* a patch's first byte -> the patch made last */
    struct pool pool;
    VEC(struct patch *) gates; /* that are open */
    VEC(struct patch *) batch; /* that changed in the call under way */
    struct scratch scratch;
    bool live;       /* other threads may run: patch so that they survive it */
    bool registered; /* for membarrier */
    bool atomic;     /* increments are locked */
    struct thread_block *_Atomic blocks;
    uint32_t block_count, slots_used;
    int mem;                        /* /proc/self/mem, while a call is under way */
    _Atomic uint64_t entered, left; /* the handlers' calls */
};

/* ---- window.c ---- */

/* The bytes to overwrite for a probe at `site` by a jump over whole instructions; HOTPROBE_DONE or
 * why not. Fills everything but stub and probes. */
enum hotprobe_reason window_find(struct hotprobe *h, struct object *o, uintptr_t site,
                                 struct patch *p);
/* The same for the one instruction at the site, by the other strategies. */
enum hotprobe_reason window_single(struct hotprobe *h, struct object *o, uintptr_t site,
                                   enum hotprobe_strategy how, struct patch *p);
static inline bool strategy_on(const struct hotprobe *h, enum hotprobe_strategy s) {
    return (h->options.without >> s & 1) == 0 && (s != HOTPROBE_TRAP || h->options.trap);
}

/* ---- counters.c: counters for each thread ---- */

bool many_threads(void);
enum status threads_open(struct hotprobe *h, struct error *e);
void threads_close(struct hotprobe *h, bool unused); /* unused: no stub can run any more */
void threads_part(struct hotprobe *h);               /* after fork */
uint64_t threads_sum(const struct hotprobe *h, uint32_t slot);
void threads_zero(struct hotprobe *h, uint32_t slot);
/* Where the pointer to the thread's block is, from %fs. */
int32_t thread_block_offset(void);

/* ---- gate.c ---- */

/* Long NOPs on a path, as compilers put them in front of loops: `jmp` to the end of the NOP, behind
 * that room for slots. Where slots in the NOP at `at` would be that are free, of two that it may
 * have; how many. *length is the NOP's, 0 where there is none. */
enum { GATE_JUMP = 2, GATE_SLOTS = 2 };
size_t gate_slots(struct hotprobe *h, const struct object *o, uintptr_t at, uintptr_t *slot,
                  unsigned *length);
/* The patch of the NOP that the slot is in, opened if it is not; *reached: the slot is in one. NULL
 * with *reached: it cannot be opened. */
struct patch *gate_open(struct hotprobe *h, struct object *o, uintptr_t slot, bool *reached);
/* Those that no slot needs any more are NOPs again. */
bool gates_close(struct hotprobe *h);

/* ---- patches.c ---- */

/* The patch for the plan: one that was there before, or a new one. NULL: out of memory. */
struct patch *patch_for(struct hotprobe *h, const struct patch *plan);
/* Its bytes are taken. */
bool patch_claim(struct hotprobe *h, struct patch *p);
/* Takes the patch into the batch, once. False: out of memory. */
bool patch_changed(struct hotprobe *h, struct patch *p);

/* ---- stub.c ---- */

/* Makes the stub for the probes that are in, or takes the spare; sets what is to be written. */
enum hotprobe_reason stub_make(struct hotprobe *h, struct patch *p);
uint64_t stub_key(const struct hotprobe *h, const struct patch *p);

/* What the batch's patches want; probes for which there is no stub are taken back, with a reason.
 */
void stubs_make(struct hotprobe *h);

/* ---- call.c, session.c ---- */

/* Around each call: takes the lock and looks whether there are other threads. End is needed after a
 * begin that failed, too. */
enum status session_begin(struct hotprobe *h, struct error *e);
void session_end(struct hotprobe *h);

void scratch_free(struct scratch *s);

/* Increments are locked from now on, those that are in as well. */
void locks_set(struct hotprobe *h);

/* Nothing will be put in or taken out any more, and there is one thread: direct calls lead to the
 * stubs, and what was only needed for insertion is given back. */
enum status session_settle(struct hotprobe *h, struct error *e);

/* ---- direct.c ---- */

/* Makes direct calls and jumps lead to the stubs of what they led to. False: cannot be written. */
bool direct_lead(struct hotprobe *h);

/* ---- remove.c ---- */

enum status probes_remove(struct hotprobe *h, struct error *e); /* all of them */

/* ---- patch.c, write_text.c ---- */

/* Writes what the batch's patches want, by Lock and Load where other threads may run. */
enum status patches_write(struct hotprobe *h, struct error *e);
bool text_write(struct hotprobe *h, uintptr_t at, const void *bytes, size_t n);
/* False also where the text is gone. */
bool text_is(struct hotprobe *h, uintptr_t at, const void *bytes, size_t n);
bool cores_serialise(void);
/* The slot's bytes are what they were. */
bool slot_restore(struct hotprobe *h, struct patch *p);
enum status live_register(struct hotprobe *h, struct error *e);

/* ---- padding.c ---- */

/* Gives slots to sites of one object (sorted); sets slot[i], 0 for none. */
bool padding_give(struct hotprobe *h, struct object *o, const struct wish *wishes, size_t n,
                  uintptr_t *slot);

/* ---- hit.c, trap.c, grace.c ---- */

uintptr_t hit_entry(void); /* what stubs call */
enum status trap_open(struct hotprobe *h, struct error *e);
void trap_close(struct hotprobe *h);
void grace_retire(struct hotprobe *h, struct stub *stub, struct patch *slot);
void grace_reclaim(struct hotprobe *h);
size_t grace_left(const struct hotprobe *h); /* bytes */

#endif
