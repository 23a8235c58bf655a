/* Sample streams in memory. */
#include "profile/internal.h"

#define XXH_STATIC_LINKING_ONLY /* the state on the stack */
#include <xxhash.h>

void stream_free(struct stream *s) {
    free(s->samples);
    *s = (struct stream){0};
}

bool sample_is_transfer(const struct sample *s) {
    return is_transfer(s);
}

static bool is_direct(const struct sample *s) {
    return s->kind == INSN_BRANCH || s->kind == INSN_JUMP || s->kind == INSN_CALL;
}

uint64_t sample_target(const struct sample *batch, size_t batch_length, size_t i) {
    if (is_direct(&batch[i]))
        return batch[i].target;
    return i + 1 < batch_length ? batch[i + 1].pc : STREAM_NOWHERE;
}

/* Bytes in a fixed order, so that the hash is the same on every machine. */
static size_t put(uint8_t *at, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; i++)
        at[i] = (uint8_t)(value >> 8 * i);
    return size;
}

uint64_t stream_hash(const struct stream *s) {
    enum { SAMPLE = 10, CHUNK = 1024 };
    uint8_t buffer[SAMPLE * CHUNK];
    XXH64_state_t state;
    XXH64_reset(&state, 0);
    size_t used = put(buffer, s->batch_length, 8);
    used += put(buffer + used, s->batch_count, 8);
    XXH64_update(&state, buffer, used);
    used = 0;
    for (size_t i = 0; i < s->batch_length * s->batch_count; i++) {
        const struct sample *at = &s->samples[i];
        used += put(buffer + used, at->pc, 4);
        used += put(buffer + used, is_direct(at) ? at->target : 0, 4);
        used += put(buffer + used, at->size, 1);
        used += put(buffer + used, at->kind, 1);
        if (used == sizeof buffer) {
            XXH64_update(&state, buffer, used);
            used = 0;
        }
    }
    XXH64_update(&state, buffer, used);
    return XXH64_digest(&state);
}
