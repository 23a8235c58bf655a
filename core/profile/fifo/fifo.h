/* Private to core/profile: a profile engine that watches a machine, modelled or a thread. */
#ifndef HOTGRAPH_PROFILE_FIFO_H
#define HOTGRAPH_PROFILE_FIFO_H

#include "profile/fifo/fifo_model.h"
#include "profile/flow/flow.h"

struct fifo_wish {
    struct fifo_options model;
    size_t ring; /* entries of a ring that a thread drains; 0: modelled */
    bool pairs;  /* what the counts are made of; modelled only */
    enum flow_model costs;
};
/* As a technique's attach, finish and abandon. */
enum status fifo_attach(void **self, struct nes *nes, const struct fifo_wish *wish,
                        struct error *e);
enum status fifo_finish(void *self, struct profile *out, struct error *e);
void fifo_abandon(void *self);

#endif
