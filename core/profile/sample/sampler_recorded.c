/* Batches recorded by the machine. Batches with equal traces are equal, so most need not be decoded
 * instruction by instruction. */
#include "profile/sample/samplers.h"

#include <stdlib.h>
#include <string.h>

static uint64_t number_at(const void *trace, size_t i) {
    uint64_t number;
    memcpy(&number, (const char *)trace + i * sizeof number, sizeof number);
    return number;
}

static uint32_t hash_of(const struct recording *r) {
    uint64_t hash = 0;
    for (size_t i = 0; i < r->trace_length; i++)
        hash = hash * UINT64_C(0x9e3779b97f4a7c15) + number_at(r->trace, i);
    return (uint32_t)((hash ^ hash >> 31) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static bool same_trace(const struct sampler *s, const struct known_trace *known,
                       const struct recording *r) {
    const uint64_t *const traces = &s->traces.at[known->first];
    if (known->length != r->trace_length)
        return false;
    for (size_t i = 0; i < r->trace_length; i++)
        if (traces[i] != number_at(r->trace, i))
            return false;
    return true;
}

static const struct known_trace *find_trace(const struct sampler *s, const struct recording *r,
                                            uint32_t hash) {
    if (s->known_cap == 0)
        return NULL;
    for (size_t i = hash;; i++) {
        const uint32_t number = s->known_at[i & (s->known_cap - 1)];
        if (number == 0)
            return NULL;
        const struct known_trace *known = &s->known.at[number - 1];
        if (known->hash == hash && same_trace(s, known, r))
            return known;
    }
}

/* The table is never more than half full. */
static bool grow_known(struct sampler *s) {
    const size_t cap = s->known_cap == 0 ? 1024 : 4 * s->known_cap;
    uint32_t *table = calloc(cap, sizeof *table);
    if (table == NULL)
        return false;
    for (size_t i = 0; i < s->known.len; i++) {
        size_t at = s->known.at[i].hash;
        while (table[at & (cap - 1)] != 0)
            at++;
        table[at & (cap - 1)] = (uint32_t)i + 1;
    }
    free(s->known_at);
    s->known_at = table;
    s->known_cap = cap;
    return true;
}

uint32_t sampler_kept_last(const struct sampler *s) {
    const struct stream *const kept = &s->stream.stream;
    return kept->order[kept->batch_count - 1];
}

/* Remembers a new trace, that of the batch kept last. */
static bool learn_trace(struct sampler *s, const struct recording *r, uint32_t hash) {
    const struct known_trace trace = {s->traces.len, (uint32_t)r->trace_length,
                                      sampler_kept_last(s), hash};
    if ((2 * s->known.len >= s->known_cap && !grow_known(s)) ||
        !vec_reserve(&s->traces, s->traces.len + r->trace_length) || !vec_push(&s->known, trace))
        return false;
    memcpy(s->traces.at + s->traces.len, r->trace, r->trace_length * sizeof(uint64_t));
    s->traces.len += r->trace_length;
    size_t at = hash;
    while (s->known_at[at & (s->known_cap - 1)] != 0)
        at++;
    s->known_at[at & (s->known_cap - 1)] = (uint32_t)s->known.len;
    return true;
}

static void take(void *self, const struct guest_insn *insns, uint32_t count) {
    sampler_take_some(self, insns, count);
}

static void keep_new(struct sampler *s, const struct recording *r) {
    s->taken = 0;
    nes_recorded(s->nes, r, take, s);
}

static void keep_again(struct sampler *s, uint32_t batch) {
    s->out_of_memory |= !stream_add_again(&s->stream, batch);
}

static void keep_numbered(struct sampler *s, const struct recording *r) {
    if (r->number < s->numbered.len && s->numbered.at[r->number] != 0) {
        keep_again(s, s->numbered.at[r->number] - 1);
        return;
    }
    keep_new(s, r);
    while (s->numbered.len <= r->number && !s->out_of_memory)
        s->out_of_memory = !vec_push(&s->numbered, 0);
    if (!s->out_of_memory)
        s->numbered.at[r->number] = sampler_kept_last(s) + 1;
}

static void keep_hashed(struct sampler *s, const struct recording *r) {
    const uint32_t hash = hash_of(r);
    const struct known_trace *const trace = find_trace(s, r, hash);
    if (trace != NULL) {
        keep_again(s, trace->batch);
        return;
    }
    keep_new(s, r);
    if (!s->out_of_memory)
        s->out_of_memory = !learn_trace(s, r, hash);
}

void sampler_keep_recording(struct sampler *s, const struct recording *r) {
    if (s->options.take != NULL)
        keep_new(s, r);
    else if (r->number != 0)
        keep_numbered(s, r);
    else
        keep_hashed(s, r);
}

void sampler_forget_traces(struct sampler *s) {
    vec_free(&s->numbered);
    vec_free(&s->traces);
    vec_free(&s->known);
    free(s->known_at);
}
