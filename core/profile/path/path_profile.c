/* Counted paths, put on the blocks and edges of the structure. */
#include "profile/path/path_counts.h"

#include <stdlib.h>

struct reading {
    struct path_profile *out;
    const struct path_counts *counts;
    const struct traces *t;
    const struct structure *s;
    const struct insn_place *places;
    uint64_t *through[PATH_COUNTINGS]; /* of each node: paths that came by */
    VEC(uint32_t) segment;             /* edges up to a node, from its parent on */
    struct edges_of {
        uint32_t first, count;
    } * edges_of; /* of each node: in `all` */
    VEC(uint32_t) all;
};

/* ---- from transfers to edges ---- */

static bool take_edge_to(struct reading *r, uint32_t source, uint32_t target) {
    const struct graph *g = &r->s->graph;
    const struct edge *edge = graph_find_edge(g, source, target);
    return edge != NULL && vec_push(&r->segment, (uint32_t)(edge - g->edges));
}

/* True if a context that does not go on at `address` stands in the block, or before it. */
static bool stands_in(const struct reading *r, const struct block *b, uint32_t address) {
    return address == b->entry || structure_block_of(r->places, structure_insn_count(r->s),
                                                     address) == (size_t)(b - r->s->graph.blocks);
}

/* Finds the edges from the target of the parent's transfer to the end of this node's. */
static void read_segment(struct reading *r, const struct path_node *node) {
    const struct graph *g = &r->s->graph;
    uint32_t at = r->counts->nodes.at[node->parent].to;
    r->segment.len = 0;
    for (size_t n = 0; n < g->block_count; n++) {
        const struct block *b = graph_find_block(g, at);
        const uint64_t *next = b != NULL ? map_find(&r->t->next_at, b->last) : NULL;
        if (b == NULL || next == NULL)
            return;
        if (b->last == node->from) {
            if (node->to != PATH_NOWHERE)
                take_edge_to(r, b->entry, node->to);
            return;
        }
        if (node->from == PATH_NOWHERE && node->to != PATH_NOWHERE && stands_in(r, b, node->to))
            return;
        at = (uint32_t)*next;
        if (!take_edge_to(r, b->entry, at))
            return;
    }
}

static bool read_node(struct reading *r, size_t i) {
    const struct path_node *node = &r->counts->nodes.at[i];
    r->edges_of[i].first = (uint32_t)r->all.len;
    if (node->starts)
        return true;
    read_segment(r, node);
    r->edges_of[i].count = (uint32_t)r->segment.len;
    for (size_t k = 0; k < r->segment.len; k++) {
        const uint32_t edge = r->segment.at[k];
        if (!vec_push(&r->all, edge))
            return false;
        for (int n = 0; n < PATH_COUNTINGS; n++)
            r->out->edges[n][edge] += r->through[n][i];
    }
    return true;
}

static void sum_up(struct reading *r) {
    for (size_t i = r->counts->nodes.len; i-- > 1;)
        for (int n = 0; n < PATH_COUNTINGS; n++) {
            const struct path_node *node = &r->counts->nodes.at[i];
            r->through[n][i] += node->ends[n];
            r->through[n][node->parent] += r->through[n][i];
        }
}

static void add_returns(struct reading *r, int counting) {
    const struct graph *g = &r->s->graph;
    size_t position = 0;
    uint64_t key, count;
    while (map_next(&r->counts->returns[counting], &position, &key, &count)) {
        const size_t block =
            structure_block_of(r->places, structure_insn_count(r->s), (uint32_t)(key >> 32));
        const struct edge *edge =
            block == SIZE_MAX ? NULL : graph_find_edge(g, g->blocks[block].entry, (uint32_t)key);
        if (edge != NULL)
            r->out->edges[counting][edge - g->edges] += count;
    }
}

/* ---- paths ---- */

static bool was_cut_off(const struct path_node *node) {
    return !node->starts && node->from == PATH_NOWHERE && node->to != PATH_NOWHERE;
}

/* Appends the edges from the start of the path to this node, and finds the start. */
static bool unroll(struct reading *r, uint32_t node, uint32_t *start) {
    struct path_set *set = &r->out->paths;
    size_t length = 0;
    for (uint32_t i = node; !r->counts->nodes.at[i].starts; i = r->counts->nodes.at[i].parent)
        length += r->edges_of[i].count;
    size_t at = set->edges.len + length;
    if (!vec_reserve(&set->edges, at))
        return false;
    set->edges.len = at;
    uint32_t i = node;
    for (; !r->counts->nodes.at[i].starts; i = r->counts->nodes.at[i].parent)
        for (uint32_t k = r->edges_of[i].count; k-- > 0;)
            set->edges.at[--at] = r->all.at[r->edges_of[i].first + k];
    *start = r->counts->nodes.at[i].to;
    return true;
}

static bool add_path(struct reading *r, uint32_t i) {
    const struct path_node *node = &r->counts->nodes.at[i];
    struct path_set *set = &r->out->paths;
    if (node->ends[PATHS_EACH] == 0 || was_cut_off(node))
        return true;
    struct path path = {.first = set->edges.len, .count = node->ends[PATHS_EACH]};
    uint32_t start;
    if (!unroll(r, i, &start))
        return false;
    const struct block *b = graph_find_block(&r->s->graph, start);
    if (b == NULL) {
        set->edges.len = path.first;
        return true;
    }
    path.start = (uint32_t)(b - r->s->graph.blocks);
    path.edge_count = (uint32_t)(set->edges.len - path.first);
    r->out->sampled[set->paths.len] = node->ends[PATHS_SAMPLED];
    return vec_push(&set->paths, path);
}

/* ---- all of it ---- */

static enum status describe_paths(struct path_profile *out, const struct structure *s,
                                  struct error *e) {
    const size_t count = s->graph.block_count;
    bool *leaves = calloc(count + 1, sizeof *leaves);
    if (leaves == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for paths");
    for (size_t b = 0; b < count; b++)
        leaves[b] = s->shapes.blocks != NULL &&
                    (s->shapes.blocks[b].end == END_CALL || s->shapes.blocks[b].end == END_OTHER);
    const enum status status = path_program_make(&out->program, &s->graph, leaves, s->begins, e);
    free(leaves);
    return status;
}

static bool read_nodes(struct reading *r) {
    const size_t nodes = r->counts->nodes.len, edges = r->s->graph.edge_count;
    r->edges_of = calloc(nodes + 1, sizeof *r->edges_of);
    r->out->sampled = calloc(nodes + 1, sizeof *r->out->sampled);
    bool ok = r->edges_of != NULL && r->out->sampled != NULL;
    for (int n = 0; n < PATH_COUNTINGS; n++) {
        r->through[n] = calloc(nodes + 1, sizeof *r->through[n]);
        r->out->edges[n] = calloc(edges + 1, sizeof *r->out->edges[n]);
        ok &= r->through[n] != NULL && r->out->edges[n] != NULL;
    }
    if (ok)
        sum_up(r);
    for (size_t i = 1; ok && i < nodes; i++)
        ok = read_node(r, i);
    for (size_t i = 1; ok && i < nodes; i++)
        ok = add_path(r, (uint32_t)i);
    for (int n = 0; ok && n < PATH_COUNTINGS; n++)
        add_returns(r, n);
    return ok;
}

enum status path_profile_make(struct path_profile *out, const struct path_counts *counts,
                              const struct traces *t, const struct structure *s, struct error *e) {
    *out = (struct path_profile){0};
    struct insn_place *places;
    enum status status = structure_places(&places, s, e);
    if (status != STATUS_OK)
        return status;
    struct reading r = {.out = out, .counts = counts, .t = t, .s = s, .places = places};
    status = describe_paths(out, s, e);
    if (status == STATUS_OK && !read_nodes(&r))
        status = error_set(e, STATUS_MEMORY, "out of memory for paths");
    free(places);
    vec_free(&r.segment);
    vec_free(&r.all);
    free(r.edges_of);
    for (int n = 0; n < PATH_COUNTINGS; n++)
        free(r.through[n]);
    if (status != STATUS_OK)
        path_profile_free(out);
    return status;
}

void path_profile_free(struct path_profile *p) {
    path_program_free(&p->program);
    path_set_free(&p->paths);
    free(p->sampled);
    for (int n = 0; n < PATH_COUNTINGS; n++)
        free(p->edges[n]);
    *p = (struct path_profile){0};
}

enum status path_profile_graph(struct profile *out, const struct structure *s,
                               const uint64_t *counts, struct error *e) {
    const struct graph *g = &s->graph;
    bool *edges = calloc(g->edge_count + 1, sizeof *edges);
    if (edges == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for paths");
    for (size_t i = 0; i < g->edge_count; i++)
        edges[i] = counts[i] > 0;
    const enum status status = region_of_edges(out, s, edges, e);
    for (size_t i = 0, k = 0; status == STATUS_OK && i < g->edge_count; i++)
        if (edges[i])
            out->graph.edges[k++].count = counts[i];
    free(edges);
    return status;
}
