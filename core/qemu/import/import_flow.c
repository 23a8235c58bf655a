#include "qemu/import/import_flow.h"

#include <stdlib.h>
#include <string.h>

void import_free(struct import_result *r) {
    graph_free(&r->graph);
    structure_free(&r->structure);
    stream_free(&r->stream);
}

void import_flow_free(struct import_flow *f) {
    code_free(&f->code);
    flow_free(&f->flow);
}

bool import_flow_add(struct import_flow *f, uint32_t a, uint32_t b, uint64_t count, bool transfer) {
    const struct flow_pair pair = {.a = a, .b = b, .count = count, .transfer = transfer};
    return vec_push(&f->flow.pairs, pair);
}

static bool shape_insn(const void *user, uint32_t address, struct shape_insn *out) {
    const struct mapped_code *c = user;
    const uint64_t *known = map_find(&c->decoded, address);
    if (known == NULL)
        return false;
    const struct sample *insn = &c->insns.at[*known - 1];
    *out = (struct shape_insn){insn->size, insn->unused != 0 ? END_CALL : shape_end_of(insn->kind)};
    return true;
}

/* Sampled inflow and outflow do not balance, so they do not say where contexts end. Contexts
 * therefore begin in blocks without inflow, and end in blocks without outflow. */
static void mark_ends(struct structure *s) {
    const struct graph *g = &s->graph;
    for (size_t b = 0; b < g->block_count; b++) {
        s->begins[b] = 1;
        s->sink[b] = true;
    }
    for (size_t i = 0; i < g->edge_count; i++) {
        const struct block *from = graph_find_block(g, g->edges[i].source),
                           *to = graph_find_block(g, g->edges[i].target);
        s->sink[from - g->blocks] = false;
        s->begins[to - g->blocks] = 0;
    }
}

static enum status list_images(struct structure *s, const struct mapped_code *c, struct error *e) {
    s->shapes.regions = calloc(c->images.len + 1, sizeof *s->shapes.regions);
    bool ok = s->shapes.regions != NULL;
    for (size_t i = 0; ok && i < c->images.len; i++) {
        const struct code_image *image = &c->images.at[i];
        s->shapes.regions[s->shapes.region_count++] = (struct region){.base = image->base};
        ok = strpbrk(image->path, "\r\n") != NULL ||
             structure_add_image(s, image->base, image->hash, image->path, strlen(image->path));
    }
    return ok ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
}

enum status import_flow_end(struct import_flow *f, struct import_result *out, struct error *e) {
    struct structure *s = &out->structure;
    enum status status = graph_from_flow(&out->graph, &f->flow, false, e);
    if (status == STATUS_OK)
        status = structure_of_flow(s, &f->flow, &out->graph, e);
    if (status != STATUS_OK)
        return status;
    mark_ends(s);
    status = list_images(s, &f->code, e);
    const struct shape_source source = {.insn = shape_insn, .user = &f->code};
    return status == STATUS_OK ? shapes_of_blocks(&s->shapes, &s->graph, source, e) : status;
}
