/*
 * fifo_model: a profile engine beside the processor, as CrossBit has it in hardware (Yang, Guan,
 * Liang 2010): a queue of block addresses, and behind it a table of counters that is filled at its
 * own pace. Private to core/profile; knows nothing of machines. Time is in cycles of the guest.
 *
 *     struct fifo_model m;
 *     if (fifo_model_init(&m, options)) ...
 *     each block entry: fifo_model_offer(&m, address, cycle);
 *     fifo_model_free(&m);
 */
#ifndef HOTGRAPH_FIFO_MODEL_H
#define HOTGRAPH_FIFO_MODEL_H

#include "profile/cells.h"
#include "profile/profile.h"

struct fifo_options {
    unsigned slot_bits; /* the table has 2^slot_bits slots, 6 to 16 */
    uint64_t depth;     /* capacity of the queue, including the entry being processed */
    uint64_t cycles;    /* time that the engine takes for an entry; at least 1 */
    bool stall;         /* a full queue stalls the processor; else the entry is dropped */
    uint64_t threshold; /* a counter that reaches it is reported; 0: off */
};

struct fifo_slot {
    uint32_t address;
    uint64_t count; /* 0: free */
};

struct fifo_model {
    struct fifo_options options;
    struct fifo_slot *slots;
    size_t used;
    struct cells known; /* by address, uint32_t: 1 + its slot, or FIFO_LOST; 0: never seen */
    uint64_t free_at;   /* cycle at which the engine will have emptied the queue */
    uint64_t offered, accepted, dropped, lost, stalled, reported;
    uint64_t looks; /* slots examined */
    bool out_of_memory;
};

/* False when memory is out. */
bool fifo_model_init(struct fifo_model *m, struct fifo_options options);
void fifo_model_free(struct fifo_model *m);
/* A block is entered at a cycle, which never decreases; false: the entry was dropped. */
bool fifo_model_offer(struct fifo_model *m, uint32_t address, uint64_t cycle);

#endif
