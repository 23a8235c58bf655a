/*
 * Counts for pairs of a site and the target it went to, in a file that the process maps.
 *
 * Most sites have cells: two of their own, mapped near the code, for the targets that are the first to
 * be met often; the others in a hash table. A stub (patch/stub.c) looks in the own cells, in the key's
 * home and in the next cell; for others, and for new keys, it calls pairs_hit(). A jump of an
 * interpreter has a map: a counter for each byte of its function, so no target must be looked for.
 * session.h has the file's layout. Private to core/native.
 */
#ifndef HOTGRAPH_NATIVE_PAIRS_H
#define HOTGRAPH_NATIVE_PAIRS_H

#include "native/hotprobe.h"
#include "native/session.h"
#include "native/text/object.h"

#include <sys/types.h>

#define PAIRS_FACTOR UINT64_C(0x9e3779b97f4a7c15)
enum {
    PAIRS_OWN = SESSION_PAIRS_EACH,
    PAIRS_PART = 512, /* sites: their cells are four pages */
    PAIRS_PART_BYTES = PAIRS_PART * PAIRS_OWN * sizeof(struct session_pair),
    PAIRS_PARTS = (SESSION_PAIRS_SITES + PAIRS_PART) / PAIRS_PART,
};

struct pairs_map {
    size_t site;
    uintptr_t low; /* of the addresses that have counters */
    size_t length;
    uint64_t *at;
};

struct pairs {
    uint64_t *head; /* NULL: there is no table */
    struct session_pair
        *at;         /* the tables: a key has 17 bits for its site, so more need another table */
    size_t cells;    /* of each table */
    size_t bytes;    /* of head and tables */
    uint8_t shift;   /* of the product of key and factor */
    char path[4096]; /* of the file */
    pid_t process;   /* whose they are: a child of vfork() has the same memory */
    int fd;          /* of the file, until no stub is made any more; else -1 */
    struct session_pair *own[PAIRS_PARTS]; /* of PAIRS_PART sites each; NULL: not mapped yet */
    VEC(struct pairs_map) maps;            /* by site */
    uint8_t *map_at;                       /* of all maps, as in the file; NULL: there are none */
    size_t map_bytes;
    bool forking;                /* fork() runs, and the counts are mapped privately */
    bool aside;                  /* the same while the library calls libc */
    bool parted;                 /* this is a child: the counts are its own */
    size_t early_chunks;         /* of counters: the first ones, which have all of libc's */
    size_t early_from, early_to; /* sites of libc, which the library itself has executed: numbers
                                    above the first, up to the second */
};

/* Gives the site, whose number is the highest so far, a map, if there is room for it. False: out of
 * memory. Call before pairs_open(). */
bool pairs_want_map(struct pairs *t, size_t site, struct range text);
/* Drops the maps of sites after this one. */
void pairs_drop_maps(struct pairs *t, size_t site);
/* The site's map, or NULL. */
const struct pairs_map *pairs_map(const struct pairs *t, size_t site);
/* Makes the file, for so many sites, and the table. Call before probes of pairs are inserted. */
enum status pairs_open(struct pairs *t, const char *path, size_t sites, struct error *e);
/* What makes the key of a pair, with the target's address added; and the table for it. */
static inline uint64_t pairs_key(size_t site) {
    return (uint64_t)(site % SESSION_PAIRS_BANK) << SESSION_PAIRS_SITE;
}
static inline struct session_pair *pairs_table(const struct pairs *t, size_t site) {
    return t->at + site / SESSION_PAIRS_BANK * t->cells;
}
/* The site's own cells, which code near `near` reaches; NULL: there are none. */
struct session_pair *pairs_own(struct hotprobe *h, size_t site, uintptr_t near);
/* Forgets what was counted so far, without calls of libc. Sites that are not early have not been
 * executed. */
void pairs_forget(struct pairs *t);
/* No further stubs. */
void pairs_settle(struct pairs *t);
/* Further stubs after all, until it is settled again. */
enum status pairs_again(struct pairs *t, struct error *e);
/* Writes one of SESSION_THREADS_... to the table. */
void pairs_threads(struct pairs *t, uint64_t state);
/* In the child of a fork: gives it a table of its own. */
void pairs_part(struct pairs *t);
/* Unmaps the table: no stub can run any more. */
void pairs_close(struct pairs *t);
/* The probe's function. In the program's registers, rax is the key; rcx is the cell after its home, or
 * eight bytes after its cell in the table, if it was counted there SESSION_PAIRS_OFTEN times. */
void pairs_hit(struct hotprobe *h, const struct hotprobe_hit *hit);

#endif
