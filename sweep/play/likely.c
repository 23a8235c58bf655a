/* The likeliest paths of a found graph, for the translator. */
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "play/play.h"

/* Transfers that are executed less often are cold: their blocks stay short. */
enum { COLD_PER_MILLION = 20 };
/* A superblock takes several times as long to translate as a block: only hotter ones repay that. */
enum { HOT_PER_MILLION = 1000 };

static int by_from(const void *a, const void *b) {
    const struct dbt_likely *const x = a, *const y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* The edges of one source block. */
struct leaving {
    uint64_t total, most;
    uint32_t to;
};

static struct leaving leaving_block(const struct graph *g, size_t *edge, uint32_t source) {
    struct leaving l = {0};
    for (; *edge < g->edge_count && g->edges[*edge].source == source; ++*edge) {
        const struct edge *const at = &g->edges[*edge];
        l.total += at->count;
        if (at->count > l.most) {
            l.most = at->count;
            l.to = at->target;
        }
    }
    return l;
}

/* Is it more than this share of the whole? */
static bool is_share(uint64_t part, uint64_t whole, unsigned per_million) {
    return __extension__(unsigned __int128) part * 1000000 >
           __extension__(unsigned __int128) whole * per_million;
}

static enum status collect(struct likely_paths *out, const struct graph *g, struct error *e) {
    const uint64_t weight = graph_weight(g);
    for (size_t i = 0; i < g->edge_count;) {
        const struct block *const block = graph_find_block(g, g->edges[i].source);
        const struct leaving l = leaving_block(g, &i, g->edges[i].source);
        if (!block || !is_share(l.total, weight, COLD_PER_MILLION))
            continue;
        const uint32_t share =
            (uint32_t)((__extension__(unsigned __int128) l.most * DBT_ALWAYS) / l.total);
        const struct dbt_likely likely = {.from = block->last, .to = l.to, .share = share};
        if (!vec_push(&out->likely, likely))
            return error_set(e, STATUS_MEMORY, "out of memory");
    }
    return STATUS_OK;
}

/* Blocks of found graphs may overlap, and end in the same instruction: the first one counts. */
static void sort(struct likely_paths *p) {
    size_t kept = 0;
    if (p->likely.len)
        qsort(p->likely.at, p->likely.len, sizeof *p->likely.at, by_from);
    for (size_t i = 0; i < p->likely.len; i++)
        if (kept == 0 || p->likely.at[kept - 1].from != p->likely.at[i].from)
            p->likely.at[kept++] = p->likely.at[i];
    p->likely.len = kept;
    p->profile = (struct dbt_profile){.at = p->likely.at, .count = kept};
}

static int by_address(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Superblocks begin at blocks with at least this share of the graph's weight. */
static enum status collect_hot(struct likely_paths *out, const struct graph *g, struct error *e) {
    const uint64_t weight = graph_weight(g);
    for (size_t i = 0; i < g->edge_count;) {
        const uint32_t entry = g->edges[i].source;
        const struct leaving l = leaving_block(g, &i, entry);
        if (is_share(l.total, weight, HOT_PER_MILLION) && !vec_push(&out->hot, entry))
            return error_set(e, STATUS_MEMORY, "out of memory");
    }
    if (out->hot.len)
        qsort(out->hot.at, out->hot.len, sizeof *out->hot.at, by_address);
    out->profile.hot = out->hot.at;
    out->profile.hot_count = out->hot.len;
    return STATUS_OK;
}

enum status likely_paths_of(struct likely_paths *out, const struct graph *g, struct error *e) {
    *out = (struct likely_paths){0};
    enum status status = collect(out, g, e);
    sort(out);
    if (status == STATUS_OK)
        status = collect_hot(out, g, e);
    memcpy(out->program, g->program, sizeof out->program);
    return status;
}

enum status likely_paths_read(struct likely_paths *out, const char *path, struct error *e) {
    struct graph g = {0};
    *out = (struct likely_paths){0};
    enum status status = graph_read(&g, path, e);
    if (status == STATUS_OK && g.block_count == 0)
        status = error_set(
            e, STATUS_ARGUMENT,
            "%s: it has no blocks, so it is unknown which instructions its edges leave", path);
    if (status == STATUS_OK)
        status = likely_paths_of(out, &g, e);
    graph_free(&g);
    return status;
}

void likely_paths_free(struct likely_paths *p) {
    vec_free(&p->likely);
    vec_free(&p->hot);
    *p = (struct likely_paths){0};
}
