/* What a program's trace executes. */
#include "profile/program/program_trace.h"

#include <stdlib.h>
#include <string.h>

void program_trace_free(struct program_trace *t) {
    for (size_t i = 0; i < t->images.len; i++)
        free(t->images.at[i].path);
    vec_free(&t->insns);
    vec_free(&t->changes);
    vec_free(&t->images);
    structure_free(&t->structure);
    file_view_free(&t->file);
    *t = (struct program_trace){0};
}

enum status program_trace_decode(const struct program_trace *t, struct packet_decoder *d,
                                 const struct packet_events *events, void *user, struct error *e) {
    d->events = events;
    d->user = user;
    d->complete = true;
    for (size_t i = 0; i < t->insns.len; i++)
        packet_decoder_add(d, t->insns.at[i]);
    for (size_t i = 0; i < t->changes.len; i++)
        packet_decoder_change(d, t->changes.at[i]);
    packets_decode(d, t->packets, t->length, 0);
    if (d->out_of_memory)
        return error_set(e, STATUS_MEMORY, "out of memory for a trace");
    if (d->errors > 0 || d->lost > 0 || (t->length > 0 && d->enabled))
        return error_set(
            e, STATUS_FORMAT,
            "the trace cannot be decoded after %llu instructions: it is damaged, or the "
            "program did what a trace cannot tell",
            (unsigned long long)d->instructions);
    return STATUS_OK;
}

enum status program_trace_flow(struct flow *flow, const struct program_trace *t, struct error *e) {
    struct packet_decoder d = {0};
    enum status status = program_trace_decode(t, &d, NULL, NULL, e);
    if (status == STATUS_OK)
        packet_decoder_flow(&d, flow);
    if (status == STATUS_OK && d.out_of_memory)
        status = error_set(e, STATUS_MEMORY, "out of memory for a trace");
    packet_decoder_free(&d);
    return status;
}

/* ---- structure ---- */

struct code_index {
    const struct program_trace *trace;
    struct map at; /* address -> 1 + index of its first instruction */
};

static bool shape_insn(const void *user, uint32_t address, struct shape_insn *out) {
    const struct code_index *index = user;
    const uint64_t *found = map_find(&index->at, address);
    if (found == NULL)
        return false;
    const struct code_insn *insn = &index->trace->insns.at[*found - 1];
    const bool calls = insn->kind == CODE_CALL_INDIRECT;
    *out = (struct shape_insn){insn->next - insn->address,
                               shape_end_of(calls ? INSN_CALL : (enum insn_kind)insn->kind)};
    return true;
}

static bool index_code(struct code_index *index) {
    for (size_t i = 0; i < index->trace->insns.len; i++) {
        uint64_t *at = map_at(&index->at, index->trace->insns.at[i].address);
        if (at == NULL)
            return false;
        *at = *at == 0 ? i + 1 : *at;
    }
    return true;
}

/* A region for each image. */
static bool list_images(struct structure *s, const struct program_trace *t) {
    bool ok = (s->shapes.regions = calloc(t->images.len + 1, sizeof *s->shapes.regions)) != NULL;
    for (size_t i = 0; ok && i < t->images.len; i++) {
        const struct program_image *image = &t->images.at[i];
        const bool memory = image->path[0] == '\0';
        s->shapes.regions[s->shapes.region_count++] =
            (struct region){.base = image->base, .memory = memory};
        if (!memory && strpbrk(image->path, "\r\n") == NULL)
            ok = structure_add_image(s, image->base, image->hash, image->path, strlen(image->path));
    }
    return ok;
}

enum status program_trace_learn(struct program_trace *t, struct error *e) {
    struct code_index index = {.trace = t};
    struct structure *s = &t->structure;
    struct flow flow = {0};
    struct graph exact = {0};
    enum status status = program_trace_flow(&flow, t, e);
    if (status == STATUS_OK)
        status = graph_from_flow(&exact, &flow, false, e);
    if (status == STATUS_OK)
        status = structure_of_flow(s, &flow, &exact, e);
    if (status == STATUS_OK && !(list_images(s, t) && index_code(&index)))
        status = error_set(e, STATUS_MEMORY, "out of memory for a trace");
    const struct shape_source source = {.insn = shape_insn, .user = &index};
    if (status == STATUS_OK)
        status = shapes_of_blocks(&s->shapes, &s->graph, source, e);
    memcpy(s->graph.program, t->program, sizeof s->graph.program);
    s->executed = t->instructions;
    map_free(&index.at);
    graph_free(&exact);
    flow_free(&flow);
    return status;
}
