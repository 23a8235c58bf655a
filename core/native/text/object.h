/* The ELF files that are mapped into the process, and a mark for each byte of their text. Private
 * to core/native. */
#ifndef HOTGRAPH_NATIVE_OBJECT_H
#define HOTGRAPH_NATIVE_OBJECT_H

#include "native/memory/memory.h"

struct hotprobe;

/* A line of /proc/self/maps. */
struct mapping {
    uintptr_t start, end;
    uint64_t offset, inode;
    bool read, write, execute;
    const char *path; /* "" for anonymous */
};
typedef VEC(struct mapping) mapping_list;
/* Reads the process's mappings. Paths live in `arena`; without one they are left out. */
bool mappings_read(mapping_list *out, struct arena *arena);

/* What is known about a byte of text. */
enum mark {
    MARK_START = 1,   /* a reachable instruction starts here */
    MARK_TARGET = 2,  /* a jump may lead here, or the address is taken */
    MARK_ENTRY = 4,   /* a function starts here */
    MARK_LEADER = 8,  /* a basic block is known to start here */
    MARK_PAD = 16,    /* padding that is never executed */
    MARK_OURS = 32,   /* overwritten by a patch */
    MARK_NOP = 64,    /* a NOP that is executed */
    MARK_SWEPT = 128, /* an instruction of the linear sweep starts here */
};

struct range {
    uintptr_t start, end;
};

struct function {
    uintptr_t start, end;
    const char *name;
    bool plt, unproven; /* unproven: has an indirect jump with unknown targets */
    bool symbol;        /* from a symbol table; else from an FDE, which has no name */
    bool outside;       /* counts as other code: it has no pieces */
};

enum { FUNCTION_PART = 8 /* of the text: bits of an address within it */ };

/* A target of a jump through a table. */
struct arm {
    uintptr_t jump, target;
};

struct object {
    const char *path;
    struct mapped_file file;
    uintptr_t bias;           /* add to a file address */
    uintptr_t text, text_end; /* the executable segments in memory, from the first to the last */
    const uint8_t *text_file; /* the same in the file */
    uint8_t *mark;            /* one for each byte of the segment */
    uint8_t head[64];         /* the segment's first bytes */
    bool alive;               /* still mapped; checked by each call */
    bool begins_threads;      /* a new thread executes its code before the program's */
    bool is_libc;             /* signals are blocked in it at times, so it has no traps */
    bool split;               /* has several executable segments */
    bool late;                /* its parts get probes when they are first executed */
    struct range part;        /* of the text: what is read for probes at a time; mostly all of it */
    size_t part_first, part_functions; /* the functions in there: the first one, and how many */
    VEC(struct range) sections;        /* executable sections, or the segments */
    VEC(struct range) plt;
    VEC(struct range) data;  /* what else is readable in memory: segments, and between `sections` */
    VEC(struct range) fixed; /* those of `data` that are never written: tables */
    VEC(uintptr_t)
    starts; /* what the loader calls: such code has no frames, and in stripped files no
                              symbols */
    VEC(uintptr_t) exported;   /* functions that other objects may find by name */
    VEC(struct arm) arms;      /* of jumps whose tables are whole; by the jump's address */
    VEC(uintptr_t) dispatches; /* jumps through tables, or to targets that are not known */
    VEC(struct function) functions;
    VEC(uint32_t) functions_before; /* for function_at() */
    VEC(uintptr_t) pads;            /* landing pads */
    VEC(uintptr_t) inside;          /* instructions that start inside another one, by address */
    VEC(struct range) changed;      /* functions whose text is not the file's: no sites */
};
enum status objects_find(struct hotprobe *h, struct error *e);
void object_free(struct object *o);
struct object *object_at(struct hotprobe *h, uintptr_t at);
/* Sets o->part and what belongs to it. */
void part_set(struct object *o, struct range part);
/* The function that holds `at`, or NULL. */
struct function *function_at(const struct object *o, uintptr_t at);
/* Does the function that holds `at` count as other code? */
bool outside_at(const struct object *o, uintptr_t at);
/* Is the code part of the linkage to other objects (.plt)? */
bool in_linkage(const struct object *o, uintptr_t at);
/* Was the text around `at` changed before the session, for example by a debugger's breakpoint? */
bool changed_at(const struct object *o, uintptr_t at);
static inline uint8_t *mark_at(const struct object *o, uintptr_t at) {
    return &o->mark[at - o->text];
}
static inline bool in_text(const struct object *o, uintptr_t at) {
    return at >= o->text && at < o->text_end;
}
static inline bool in_part(const struct object *o, uintptr_t at) {
    return at >= o->part.start && at < o->part.end;
}
/* The number of the function that holds `at`, among those of the part, from 1; 0: none of them does. */
static inline uint32_t part_number(const struct object *o, uintptr_t at) {
    const struct function *f = function_at(o, at);
    const size_t k = f != NULL ? (size_t)(f - o->functions.at) - o->part_first : SIZE_MAX;
    return k < o->part_functions ? (uint32_t)k + 1 : 0;
}
/* The first arm whose jump is in the part, or behind it. */
static inline size_t arms_from(const struct object *o) {
    return items_below(o->arms.at, o->arms.len, sizeof *o->arms.at, o->part.start);
}
/* The address as an offset in the file. */
static inline uint64_t file_offset(const struct object *o, uintptr_t at) {
    return at - o->text + (uint64_t)(o->text_file - o->file.at);
}

#endif
