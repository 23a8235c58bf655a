/* A part of a stream, as if only that had been sampled. */
#include "profile/window/windows.h"

#include <stdlib.h>
#include <string.h>

static bool copy_batch(struct stream_maker *m, const struct stream *s, size_t i) {
    return s->of == STREAM_OF_BRANCHES
               ? stream_add_some(m, stream_batch(s, i), stream_batch_length(s, i))
               : stream_add(m, stream_batch(s, i));
}

enum status stream_window(struct stream *out, const struct stream *s, const struct stream *from,
                          const struct stream *to, struct error *e) {
    struct stream_maker m = {.stream = {.batch_length = s->batch_length, .of = s->of}};
    const size_t count = to->batch_count - from->batch_count;
    *out = (struct stream){0};
    bool made = true;
    for (size_t i = from->batch_count; made && i < to->batch_count; i++)
        made = copy_batch(&m, s, i);
    if (made && s->cycles != NULL) {
        made = (m.stream.cycles = calloc(count + 1, sizeof *m.stream.cycles)) != NULL;
        if (made)
            memcpy(m.stream.cycles, s->cycles + from->batch_count, count * sizeof *s->cycles);
    }
    if (!made) {
        stream_unmake(&m);
        return error_set(e, STATUS_MEMORY, "out of memory for the samples of a window");
    }
    *out = stream_made(&m);
    out->batch_length = s->batch_length;
    out->of = s->of;
    out->active = s->active;
    out->overruns = to->overruns - from->overruns;
    out->population = to->population - from->population;
    out->executed = to->executed - from->executed;
    out->probes = to->probes - from->probes;
    out->structure = s->structure;
    memcpy(out->program, s->program, sizeof out->program);
    return STATUS_OK;
}
