/*
 * Private to core/profile: a stream by dense numbers, for techniques that go over it again and
 * again. Everything that can be known without a parameter is worked out once.
 *
 * A place is an address at which an instruction of the stream starts; places are numbered in the
 * order of their addresses, so that the places of an instruction's bytes are neighbours. A passage
 * is a control transfer at one place with the instruction at another behind it.
 */
#ifndef HOTGRAPH_PROFILE_INDEX_H
#define HOTGRAPH_PROFILE_INDEX_H

#include "profile/profile.h"

enum { NO_PLACE = UINT32_MAX };

struct index_insn {
    uint32_t pc, place;
    uint32_t covers; /* places in its bytes, its own first */
    uint32_t target; /* place of the encoded target; NO_PLACE: none, or never executed */
    uint8_t size;
    bool transfer, direct;
};

struct passage {
    uint32_t from, to; /* places */
};

struct batch_passage {
    uint32_t number, times; /* that it occurs in the batch */
};

/* What is in a different batch; each place, target and passage once. */
struct index_batch {
    size_t places, passages; /* where they start, in the index's lists; targets follow places */
    uint32_t place_count, target_count, passage_count;
    uint32_t transfers;
};

struct stream_index {
    const struct stream *stream;
    size_t batch_count; /* different ones */
    uint32_t *pcs;      /* of the places; rising */
    size_t place_count;
    struct index_insn *insns;
    size_t insn_count;
    uint32_t *numbers; /* of the instructions: batch_length for each different batch */
    struct passage *passages;
    size_t passage_count;
    uint32_t *first_from; /* of the passages from a place, which are neighbours; place_count + 1 */
    uint32_t *into;       /* passages by where they lead to, */
    uint32_t *first_into; /* and the first of a place in that; place_count + 1 */
    struct index_batch *batches;
    uint32_t *places; /* lists of places, and of places that are targets */
    struct batch_passage *batch_passages;
};

/* Place of an address, or NO_PLACE. */
uint32_t index_place(const struct stream_index *x, uint64_t address);

#endif
