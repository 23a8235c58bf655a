/* Batches that the machine has recorded. Batches of the same runs are the same: as a rule it need
 * not be looked at instruction by instruction. */
#include "profile/samplers.h"

#include <string.h>

static uint64_t hash_of(const struct recording *r) {
    uint64_t hash = 0;
    for (size_t i = 0; i < r->run_count; i++) {
        const struct recorded_run *run = &r->runs[i];
        uint64_t rest;
        memcpy(&rest, (const char *)run + sizeof run->banks, sizeof rest);
        hash = (hash ^ run->banks ^ rest) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

static const struct known_way *find_way(const struct sampler *s, const struct recording *r,
                                        uint64_t hash) {
    const uint64_t *at = map_find(&s->known_at, hash);
    if (at == NULL || *at == 0)
        return NULL;
    const struct known_way *way = &s->known.at[*at - 1];
    const bool same = way->count == r->run_count &&
                      memcmp(&s->ways.at[way->first], r->runs, r->run_count * sizeof *r->runs) == 0;
    return same ? way : NULL;
}

/* The batch that was kept last went this way. */
static void learn_way(struct sampler *s, const struct recording *r, uint64_t hash) {
    const struct stream *kept = &s->stream.stream;
    const struct known_way way = {s->ways.len, r->run_count, kept->order[kept->batch_count - 1]};
    uint64_t *at = map_at(&s->known_at, hash);
    if (at == NULL || !vec_reserve(&s->ways, s->ways.len + r->run_count) ||
        !vec_push(&s->known, way)) {
        s->out_of_memory = true;
        return;
    }
    memcpy(s->ways.at + s->ways.len, r->runs, r->run_count * sizeof *r->runs);
    s->ways.len += r->run_count;
    *at = s->known.len;
}

static void take(void *self, const struct guest_insn *insn) {
    sampler_take(self, insn);
}

void sampler_keep_recording(struct sampler *s, const struct recording *r) {
    const bool known_ways = s->options.take == NULL;
    const uint64_t hash = known_ways ? hash_of(r) : 0;
    const struct known_way *way = known_ways ? find_way(s, r, hash) : NULL;
    if (way != NULL) {
        s->out_of_memory |= !stream_add_again(&s->stream, way->batch);
        return;
    }
    s->taken = 0;
    nes_recorded(s->nes, r, take, s);
    if (known_ways && !s->out_of_memory)
        learn_way(s, r, hash);
}

void sampler_forget_ways(struct sampler *s) {
    vec_free(&s->ways);
    vec_free(&s->known);
    map_free(&s->known_at);
}
