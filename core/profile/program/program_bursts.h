/*
 * program_bursts: what duplicated code would count of a recorded program that is entered for bursts, as bursts.c has
 * it on a machine. Private to core/profile.
 *
 * A check is a call, a backward branch or jump that is taken, an indirect jump, and the entry of a signal's handler.
 * In a burst each transfer is counted, and each straight run up to it. A burst begins and ends at the target of a
 * check; interrupted contexts go on in it when they resume.
 */
#ifndef HOTGRAPH_PROGRAM_BURSTS_H
#define HOTGRAPH_PROGRAM_BURSTS_H

#include "profile/profile.h"
#include "profile/program/program_trace.h"

struct program_bursts_options {
    uint64_t interval, burst; /* checks; a burst is shorter than an interval */
    uint64_t phase;           /* checks before the one at which the first burst begins */
};
struct program_bursts_result {
    uint64_t bursts, checks;
};
/* Fills *out with what the bursts counted, unscaled, and with their costs; observed are their transfers. On failure
 * it is empty. */
enum status program_bursts(struct profile *out, struct program_bursts_result *result,
                           const struct program_trace *program,
                           const struct program_bursts_options *options, struct error *e);

#endif
