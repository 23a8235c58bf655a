/* technique: shared by all techniques. Private to core/profile. */
#ifndef HOTGRAPH_PROFILE_TECHNIQUE_H
#define HOTGRAPH_PROFILE_TECHNIQUE_H

#include "profile/profile.h"

/* sample_is_transfer(), inlined. */
static inline bool is_transfer(const struct sample *s) {
    return s->kind != INSN_PLAIN && s->kind != INSN_JAM;
}

/* Does the instruction encode its target? */
static inline bool sample_is_direct(const struct sample *s) {
    return s->kind == INSN_BRANCH || s->kind == INSN_JUMP || s->kind == INSN_CALL;
}

/* Builds points[point] of a request directly. */
enum status technique_build_point(const struct technique *t, const struct build_request *r,
                                  size_t point, struct error *e);

#endif
