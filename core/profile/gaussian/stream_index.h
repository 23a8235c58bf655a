/*
 * Private to core/profile: a stream indexed by dense numbers, for techniques that go over it many
 * times. Everything that does not depend on a parameter is computed once.
 *
 * A place is an address at which an instruction of the stream starts. Places are numbered by
 * address, so the places within an instruction's bytes are consecutive. A passage is a control
 * transfer from the instruction at one place to the instruction at another.
 */
#ifndef HOTGRAPH_PROFILE_INDEX_H
#define HOTGRAPH_PROFILE_INDEX_H

#include "profile/profile.h"

enum { NO_PLACE = UINT32_MAX };

struct index_insn {
    uint32_t pc, place;
    uint32_t covers; /* number of places within its bytes, its own first */
    uint32_t target; /* place of the encoded target; NO_PLACE: none, or never executed */
    uint8_t size;
    bool transfer, direct;
};

struct passage {
    uint32_t from, to; /* places */
};

struct batch_passage {
    uint32_t number, times; /* its number, and how often it occurs in the batch */
};

/* Contents of a distinct batch: each place, target and passage once. */
struct index_batch {
    size_t places, passages; /* start indices in the index's lists; the targets follow the places */
    uint32_t place_count, target_count, passage_count;
    uint32_t transfers;
};

struct stream_index {
    const struct stream *stream;
    size_t batch_count; /* distinct ones */
    uint32_t *pcs;      /* of the places, ascending */
    size_t place_count;
    struct index_insn *insns;
    size_t insn_count;
    uint32_t *numbers; /* numbers of instructions: batch_length for each distinct batch */
    struct passage *passages;
    size_t passage_count;
    uint32_t *first_from; /* by place: its first passage; the passages from a place are
                             consecutive; place_count + 1 entries */
    uint32_t *into;       /* passages sorted by their destination, ... */
    uint32_t *first_into; /* ... and by place the index of its first one there; place_count + 1
                             entries */
    struct index_batch *batches;
    uint32_t *places; /* lists of places, and of places that are targets of transfers */
    struct batch_passage *batch_passages;
};

/* Place of an address, or NO_PLACE. */
uint32_t index_place(const struct stream_index *x, uint64_t address);

#endif
