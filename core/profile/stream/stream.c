/* Sample streams in memory: making and describing them. */
#include "profile/technique.h"

#include <stdlib.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* allows its state on the stack */
#include <xxhash.h>

void stream_free(struct stream *s) {
    free(s->batches);
    free(s->first);
    free(s->order);
    free(s->cycles);
    *s = (struct stream){0};
}

uint64_t *stream_weights(const struct stream *s, size_t batches) {
    uint64_t *const weights = calloc(s->distinct_count + 1, sizeof *weights);
    for (size_t i = 0; weights != NULL && i < batches; i++)
        weights[s->order[i]] += stream_weight(s, i);
    return weights;
}

uint64_t stream_samples(const struct stream *s, size_t batches) {
    uint64_t sum = 0;
    if (s->first == NULL)
        return (uint64_t)batches * s->batch_length;
    for (size_t i = 0; i < batches; i++)
        sum += stream_batch_length(s, i);
    return sum;
}

/* ---- making ---- */

/* Equal batches have equal hashes. Every batch is hashed while a machine waits, so only parts of it
 * are used: a sample's address almost determines the rest. */
static uint64_t hash_of(const struct sample *batch, size_t length) {
    uint64_t hash = 0;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ batch[i].pc) * UINT64_C(0x9e3779b97f4a7c15) + batch[i].opcode;
    return hash ^ hash >> 32;
}

/* The table slot that holds the batch, or the one where it belongs. */
static uint32_t *table_slot(const struct stream_maker *m, const struct sample *batch,
                            size_t length) {
    const size_t size = length * sizeof *batch, mask = m->table_cap - 1;
    for (size_t i = hash_of(batch, length) & mask;; i = (i + 1) & mask) {
        const size_t number = m->table[i];
        if (number == 0 || (stream_distinct_length(&m->stream, number - 1) == length &&
                            memcmp(stream_distinct(&m->stream, number - 1), batch, size) == 0))
            return &m->table[i];
    }
}

/* The table is never more than half full. */
static bool grow_table(struct stream_maker *m) {
    const size_t cap = m->table_cap == 0 ? 1024 : 4 * m->table_cap;
    uint32_t *table = calloc(cap, sizeof *table);
    if (table == NULL)
        return false;
    free(m->table);
    m->table = table;
    m->table_cap = cap;
    for (size_t i = 0; i < m->stream.distinct_count; i++)
        *table_slot(m, stream_distinct(&m->stream, i), stream_distinct_length(&m->stream, i)) =
            (uint32_t)i + 1;
    return true;
}

bool stream_add_again(struct stream_maker *m, uint32_t number) {
    struct stream *s = &m->stream;
    if (s->batch_count == m->order_cap &&
        !vec_reserve_(&s->order, &m->order_cap, s->batch_count + 1, sizeof *s->order))
        return false;
    s->order[s->batch_count++] = number;
    return true;
}

/* Keeps a new distinct batch. */
static bool keep(struct stream_maker *m, const struct sample *batch, size_t length) {
    struct stream *s = &m->stream;
    const bool uneven = s->of == STREAM_OF_BRANCHES;
    const size_t used =
        uneven && s->distinct_count > 0 ? s->first[s->distinct_count] : s->distinct_count * length;
    if (s->distinct_count == UINT32_MAX ||
        !vec_reserve_(&s->batches, &m->batch_cap, used + length, sizeof *s->batches) ||
        (uneven &&
         !vec_reserve_(&s->first, &m->first_cap, s->distinct_count + 2, sizeof *s->first)))
        return false;
    memcpy(s->batches + used, batch, length * sizeof *batch);
    s->distinct_count++;
    if (uneven) {
        s->first[s->distinct_count - 1] = used;
        s->first[s->distinct_count] = used + length;
        s->batch_length = length > s->batch_length ? length : s->batch_length;
    }
    return true;
}

bool stream_add_some(struct stream_maker *m, const struct sample *batch, size_t length) {
    if (2 * m->stream.distinct_count >= m->table_cap && !grow_table(m))
        return false;
    uint32_t *number = table_slot(m, batch, length);
    if (*number == 0) {
        if (!keep(m, batch, length))
            return false;
        *number = (uint32_t)m->stream.distinct_count;
    }
    return stream_add_again(m, *number - 1);
}

bool stream_add(struct stream_maker *m, const struct sample *batch) {
    return stream_add_some(m, batch, m->stream.batch_length);
}

struct stream stream_made(struct stream_maker *m) {
    struct stream s = m->stream;
    m->stream = (struct stream){0};
    stream_unmake(m);
    return s;
}

void stream_unmake(struct stream_maker *m) {
    stream_free(&m->stream);
    free(m->table);
    *m = (struct stream_maker){0};
}

/* ---- describing ---- */

bool sample_is_transfer(const struct sample *s) {
    return is_transfer(s);
}

uint64_t sample_target(const struct sample *batch, size_t batch_length, size_t i) {
    if (sample_is_direct(&batch[i]))
        return batch[i].target;
    return i + 1 < batch_length ? batch[i + 1].pc : STREAM_NOWHERE;
}

/* Hashes what is in the buffer, if there might be no room for a sample; returns where to go on. */
static uint8_t *make_room(XXH64_state_t *state, uint8_t *buffer, uint8_t *at, size_t most) {
    if ((size_t)(at - buffer) <= most)
        return at;
    XXH64_update(state, buffer, (size_t)(at - buffer));
    return buffer;
}

/* Fixed byte order, so that the hash is the same on every machine. */
static uint8_t *put_32(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    at[2] = (uint8_t)(value >> 16);
    at[3] = (uint8_t)(value >> 24);
    return at + 4;
}

static uint8_t *put_sample(uint8_t *at, const struct sample *s) {
    at = put_32(at, s->pc);
    at = put_32(at, sample_is_direct(s) ? s->target : 0);
    *at++ = s->size;
    *at++ = s->kind;
    return at;
}

uint64_t stream_hash(const struct stream *s) {
    enum { SAMPLE = 10, CHUNK = 1024 };
    uint8_t buffer[SAMPLE * CHUNK], *at = buffer;
    XXH64_state_t state;
    XXH64_reset(&state, 0);
    const uint64_t sizes[2] = {s->batch_length, s->batch_count};
    for (int i = 0; i < 2; i++)
        at = put_32(put_32(at, (uint32_t)sizes[i]), (uint32_t)(sizes[i] >> 32));
    for (size_t i = 0; i < s->batch_count; i++) {
        const struct sample *batch = stream_batch(s, i);
        const size_t length = stream_batch_length(s, i);
        if (s->first != NULL)
            at = put_32(make_room(&state, buffer, at, sizeof buffer - SAMPLE), (uint32_t)length);
        for (size_t k = 0; k < length; k++)
            at = put_sample(make_room(&state, buffer, at, sizeof buffer - SAMPLE), &batch[k]);
    }
    XXH64_update(&state, buffer, (size_t)(at - buffer));
    return XXH64_digest(&state);
}
