/* Makes an evenly thinned copy of a stream. */
#include "profile/profile.h"

#include <stdlib.h>

static bool add_thinned(struct stream_maker *m, uint16_t *cycles, const struct stream *s,
                        size_t count, uint64_t seed) {
    for (size_t i = 0; i < count; i++) {
        const size_t from = (size_t)((unsigned __int128)i * s->batch_count / count);
        const size_t to = (size_t)((unsigned __int128)(i + 1) * s->batch_count / count);
        const size_t chosen = from + (size_t)(splitmix64(seed, i) % (to - from));
        if (!stream_add_some(m, stream_batch(s, chosen), stream_batch_length(s, chosen)))
            return false;
        if (cycles != NULL)
            cycles[i] = s->cycles[chosen];
    }
    return true;
}

enum status stream_thin(struct stream *out, const struct stream *s, size_t count, uint64_t seed,
                        struct error *e) {
    *out = (struct stream){0};
    if (count > s->batch_count)
        return error_set(e, STATUS_ARGUMENT, "a stream of %zu batches has no %zu", s->batch_count,
                         count);
    struct stream_maker maker = {.stream = {.batch_length = s->batch_length, .of = s->of}};
    uint16_t *cycles = s->cycles != NULL ? calloc(count + 1, sizeof *cycles) : NULL;
    if ((s->cycles != NULL && cycles == NULL) || !add_thinned(&maker, cycles, s, count, seed)) {
        free(cycles);
        stream_unmake(&maker);
        return error_set(e, STATUS_MEMORY, "out of memory for a thinned stream");
    }
    const struct stream made = stream_made(&maker);
    *out = *s;
    out->batches = made.batches;
    out->first = made.first;
    out->batch_length = made.batch_length;
    out->order = made.order;
    out->batch_count = made.batch_count;
    out->distinct_count = made.distinct_count;
    out->cycles = cycles;
    return STATUS_OK;
}
