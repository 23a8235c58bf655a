/* Private to core/profile: a profiling engine that watches a machine; a model or a thread. */
#ifndef HOTGRAPH_PROFILE_FIFO_H
#define HOTGRAPH_PROFILE_FIFO_H

#include "profile/fifo/fifo_model.h"
#include "profile/flow/flow.h"

struct fifo_wish {
    struct fifo_options model;
    size_t ring; /* entries of the ring that a thread drains; 0: the engine is modelled */
    bool pairs;  /* count pairs instead of repairing block counts; only if modelled */
    enum flow_model costs;
};
/* The attach, finish and abandon of a technique. */
enum status fifo_attach(void **self, struct nes *nes, const struct fifo_wish *wish,
                        struct error *e);
enum status fifo_finish(void *self, struct profile *out, struct error *e);
void fifo_abandon(void *self);

#endif
