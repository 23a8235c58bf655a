/*
 * Cells for pairs of a site and the target it went to: a hash table in a file that the process maps.
 * A stub (patch/stub.c) looks in a key's home and in the next cell; for others, and for new keys, it
 * calls pairs_miss(). session.h has the file's layout. Private to core/native.
 */
#ifndef HOTGRAPH_NATIVE_PAIRS_H
#define HOTGRAPH_NATIVE_PAIRS_H

#include "native/hotprobe.h"
#include "native/session.h"

#define PAIRS_FACTOR UINT64_C(0x9e3779b97f4a7c15)

struct pairs {
    uint64_t *head; /* NULL: there is no table */
    struct session_pair *at;
    size_t bytes;
    uint8_t shift; /* of the product of key and factor */
};

/* Makes the file, for so many sites, and the table. Call before probes of pairs are inserted. */
enum status pairs_open(struct pairs *t, const char *path, size_t sites, struct error *e);
/* Writes one of SESSION_THREADS_... to the table. */
void pairs_threads(struct pairs *t, uint64_t state);
/* In the child of a fork: gives it a table of its own. */
void pairs_part(struct pairs *t);
/* Unmaps the table: no stub can run any more. */
void pairs_close(struct pairs *t);
/* The probe's function. In the program's registers, rax is the key and rcx its home. */
void pairs_miss(struct pairs *t, const struct hotprobe_hit *hit);

#endif
