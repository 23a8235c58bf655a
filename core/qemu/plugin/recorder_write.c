#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qemu/plugin/program_tracer.h"
#include "qemu/plugin/recorder.h"

struct output {
    int descriptor;
    size_t len;
    bool failed;
    uint8_t buffer[1 << 16];
};

static void flush(struct output *o) {
    for (size_t done = 0; done < o->len && !o->failed;) {
        ssize_t n = write(o->descriptor, o->buffer + done, o->len - done);
        if (n < 0 && errno != EINTR)
            o->failed = true;
        else if (n > 0)
            done += (size_t)n;
    }
    o->len = 0;
}

static void put(struct output *o, const void *data, size_t size) {
    const uint8_t *from = data;
    while (size > 0) {
        if (o->len == sizeof o->buffer)
            flush(o);
        size_t part = sizeof o->buffer - o->len < size ? sizeof o->buffer - o->len : size;
        memcpy(o->buffer + o->len, from, part);
        o->len += part;
        from += part;
        size -= part;
    }
}

/* A block starts at the start of a thread, or after another block. */
static void put_blocks(struct output *o, const struct recorder *r) {
    uint64_t *executions = calloc(r->blocks.len + 1, sizeof *executions);
    o->failed |= executions == NULL;
    for (size_t i = 0; i < r->arcs.len && !o->failed; i++)
        executions[r->arcs.at[i]->to->id] += r->arcs.at[i]->count;
    for (size_t i = 0; i < r->blocks.len && !o->failed; i++) {
        const struct block *b = r->blocks.at[i];
        executions[i] += b->starts;
        put(o, &executions[i], sizeof *executions);
        put(o, &b->count, sizeof b->count);
        put(o, b->insns, b->count * sizeof *b->insns);
    }
    free(executions);
}

static void put_arcs(struct output *o, const struct recorder *r) {
    for (size_t i = 0; i < r->arcs.len; i++) {
        const struct arc *a = r->arcs.at[i];
        struct recording_arc row = {a->from->id, a->to->id, a->count};
        put(o, &row, sizeof row);
    }
}

static void put_samples(struct output *o, const struct recorder *r) {
    for (unsigned i = 0; i < r->setting_count; i++) {
        const struct setting *s = &r->settings[i];
        const bool stacks = s->by >= RECORDING_STACKS;
        uint64_t whole = s->samples.len - (stacks ? 0 : s->samples.len % s->length);
        put(o, &whole, sizeof whole);
        put(o, s->samples.at, whole * sizeof *s->samples.at);
    }
}

static struct recording_header header(const struct recorder *r, size_t images,
                                      struct recording_outcome end) {
    struct recording_header h = r->totals;
    h.magic = RECORDING_MAGIC;
    snprintf(h.trouble, sizeof h.trouble, "%.*s", (int)sizeof h.trouble - 1, r->error.text);
    h.instructions = r->clock;
    h.transfers = 0;
    for (size_t i = 0; i < r->arcs.len; i++)
        h.transfers += r->arcs.at[i]->transfer ? r->arcs.at[i]->count : 0;
    for (size_t i = 0; i < r->arcs.len; i++)
        h.unfinished += r->arcs.at[i]->odd ? r->arcs.at[i]->count : 0;
    h.end = end.end;
    h.signal = (uint32_t)end.number;
    h.images = images;
    h.insns = r->insns.len;
    h.blocks = r->blocks.len;
    h.arcs = r->arcs.len;
    h.starts = r->starts.len;
    h.settings = r->setting_count;
    h.traced = r->tracer != NULL;
    h.changes = r->tracer != NULL ? r->tracer->changes.len : 0;
    return h;
}

bool recorder_write(const struct recorder *r, const struct recording_image *images, size_t count,
                    struct recording_outcome end, int descriptor) {
    static const uint64_t magic = RECORDING_MAGIC;
    struct output *o = calloc(1, sizeof *o);
    if (o == NULL)
        return false;
    const struct recording_header h = header(r, count, end);
    o->descriptor = descriptor;
    put(o, &h, sizeof h);
    put(o, images, count * sizeof *images);
    put(o, r->insns.at, r->insns.len * sizeof *r->insns.at);
    put_blocks(o, r);
    put_arcs(o, r);
    put(o, r->starts.at, r->starts.len * sizeof *r->starts.at);
    put_samples(o, r);
    if (r->tracer != NULL)
        put(o, r->tracer->changes.at, h.changes * sizeof *r->tracer->changes.at);
    put(o, &magic, sizeof magic);
    flush(o);
    const bool ok = !o->failed;
    free(o);
    return ok;
}
