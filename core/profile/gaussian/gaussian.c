/*
 * gaussian: GFCGaussiano, after Napoli, "Estudo e implementação de técnicas de perfilamento por
 * amostragem" (2015), chapters 4.2 and 7, exactly as its authors' prototype (gaussianCFG) ran it:
 * the same edges with the same counts, the same blocks, the same number of bins.
 *
 * This file implements one configuration directly, in the order of the definition.
 * gaussian_many.c builds many configurations at once, and must find the same.
 *
 * Batches whose window means lie close together (low) vote for bins, which are clusters of hot
 * addresses. Recurrent instructions, those whose bin has many votes, grow basic blocks and count
 * edges along the batch. Scattered batches (high) only add edges that leave known blocks.
 *
 * Builder 1 is the prototype's other builder: any recurrent instruction may start a block, not only
 * a known target of a transfer.
 *
 * Costs: records and observed are the samples of the batches; a step is one window mean, one search
 * for a nearest bin, or one instruction taken from a batch.
 */
#include "profile/gaussian/gaussian.h"
#include "profile/gaussian/batch_windows.h"
#include "profile/gaussian/bins.h"
#include "profile/gaussian/gaussian_watch.h"
#include "profile/technique.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ORDER PATH */
const char *const gaussian_path_names[GAUSSIAN_PATHS] = {
    "batches", "low",    "high",      "means",     "new bin", "walked",
    "grown",   "called", "transfers", "recurrent", "built",   "edges",
};

struct byte_cell {
    uint32_t owner; /* 1 + index of the oldest block that contains this byte; 0: none */
    bool target;    /* known target of a transfer */
};

struct gaussian {
    const int64_t *values;
    struct bins bins;
    struct cells bytes;       /* struct byte_cell */
    struct byte_cell nowhere; /* used instead if memory runs out */
    struct gaussian_graph graph;
    uint64_t last_edge, *last_count; /* the edge counted last */
    uint64_t low, high, steps;
    uint64_t paths[GAUSSIAN_PATHS];
    struct gaussian_watch *watch; /* NULL: not watched */
    bool lost;                    /* out of memory: the state is invalid */
    /* the current batch */
    const struct sample *batch;
    size_t length, cursor;
    uint32_t *means;
    struct gaussian_frame *frames;
};

static inline struct byte_cell *byte_at(struct gaussian *g, uint32_t address) {
    struct byte_cell *cell = cells_at(&g->bytes, address);
    if (cell != NULL)
        return cell;
    g->lost = true;
    return &g->nowhere;
}

static inline uint32_t block_at(struct gaussian *g, uint32_t address) {
    return byte_at(g, address)->owner;
}

static void count_edge(struct gaussian *g, uint32_t source, uint32_t target) {
    uint64_t key = (uint64_t)source << 32 | target;
    /* Loops count the same edge repeatedly. Its counter moves only when an edge is added. */
    if (key != g->last_edge || g->last_count == NULL) {
        g->last_edge = key;
        g->last_count = map_at(&g->graph.edges, key);
    }
    if (g->last_count != NULL)
        ++*g->last_count;
    else
        g->lost = true;
}

static void add_target(struct gaussian *g, uint64_t address) {
    if (address != STREAM_NOWHERE)
        byte_at(g, (uint32_t)address)->target = true;
}

static const struct bin *nearest(struct gaussian *g, uint32_t address) {
    g->steps++;
    return bins_nearest(&g->bins, address, &g->lost);
}

static bool is_recurrent(const struct gaussian *g, const struct bin *bin) {
    return bin != NULL && bin->count > (uint64_t)g->values[RECURRENT_THRESHOLD];
}

static uint32_t new_block(struct gaussian *g, uint32_t entry) {
    struct gaussian_block b = {.entry = entry, .last = entry, .end = entry};
    if (!vec_push(&g->graph.blocks, b)) {
        g->lost = true;
        return NOBODY;
    }
    return (uint32_t)g->graph.blocks.len;
}

/* Adds the bytes of an instruction to block b; a byte belongs to the oldest block that contains
 * it. */
static void add_bytes(struct gaussian *g, uint32_t b, const struct sample *s) {
    uint64_t end = (uint64_t)s->pc + s->size;
    for (uint64_t byte = s->pc; byte < end && byte <= UINT32_MAX; byte++) {
        struct byte_cell *cell = byte_at(g, (uint32_t)byte);
        if (cell->owner == NOBODY || cell->owner > b)
            cell->owner = b;
    }
    struct gaussian_block *block = &g->graph.blocks.at[b - 1];
    if (s->pc == block->end) {
        block->last = s->pc;
        block->end = end;
    }
}

/* Shared by steps 3c (after its recursive call) and 4: counts the edge from block `source` to the
 * block of the instruction that follows transfer i in the batch. */
static void count_transfer(struct gaussian *g, uint32_t source, size_t i) {
    uint32_t target = block_at(g, g->batch[i + 1].pc);
    if (source != NOBODY && target != NOBODY)
        count_edge(g, source, target);
}

static void step_4(struct gaussian *g, size_t i) {
    if (is_transfer(&g->batch[i]) && i + 1 < g->length)
        count_transfer(g, block_at(g, g->batch[i].pc), i);
}

/* Steps 3a to 3d: grows block b from instruction *i; afterwards *i is the last instruction taken.
 * True if a transfer ended the block and the rest of the batch is to be built next. */
static bool grow_block(struct gaussian *g, uint32_t b, size_t *i) {
    struct gaussian_block *block = &g->graph.blocks.at[b - 1];
    while (!block->done) {
        const struct sample *s = &g->batch[*i];
        uint32_t x = block_at(g, s->pc);
        if (x != NOBODY && x != b) {
            block->done = true;
            count_edge(g, b, x);
            return false;
        }
        if (x == NOBODY)
            add_bytes(g, b, s);
        if (is_transfer(s)) {
            block->done = true;
            if (*i + 1 == g->length)
                return false;
            add_target(g, g->batch[*i + 1].pc);
            return true;
        }
        if (g->cursor == g->length)
            return false;
        *i = g->cursor++;
        g->steps++;
    }
    return false;
}

/*
 * build(), from the cursor on. The recursive call of 3c always consumes the rest of the batch: bins
 * exist by then, so step 2 does not return early in it. Its callers only have to count their
 * transfer twice, as in 3c and as in step 4. So g->frames replaces the recursion, for batches of
 * any length.
 */
static void build(struct gaussian *g, bool just_build) {
    const bool anywhere = g->values[BUILDER] == 1; /* builder 1 ignores targets */
    size_t depth = 0;
    while (g->cursor < g->length && !g->lost) {
        size_t i = g->cursor++;
        const struct sample *s = &g->batch[i];
        g->steps++;
        g->paths[PATH_WALKED]++;
        if (is_transfer(s))
            add_target(g, sample_target(g->batch, g->length, i));
        const struct bin *bin = nearest(g, s->pc);
        if (bin == NULL && !just_build)
            break;
        struct byte_cell *cell = byte_at(g, s->pc);
        if (just_build || (is_recurrent(g, bin) && (cell->target || anywhere))) {
            uint32_t b = cell->owner;
            if (b == NOBODY && (b = new_block(g, s->pc)) == NOBODY)
                return;
            g->paths[PATH_GROWN]++;
            if (grow_block(g, b, &i)) {
                g->paths[PATH_CALLED]++;
                g->frames[depth++] = (struct gaussian_frame){b, i};
                just_build = false;
                continue;
            }
        }
        step_4(g, i);
    }
    while (depth > 0) {
        struct gaussian_frame f = g->frames[--depth];
        count_transfer(g, f.block, f.i);
        step_4(g, f.i);
    }
}

static void high_batch(struct gaussian *g) {
    while (g->cursor < g->length && !g->lost) {
        size_t i = g->cursor++;
        g->steps++;
        if (!is_transfer(&g->batch[i]))
            continue;
        g->paths[PATH_TRANSFERS]++;
        add_target(g, sample_target(g->batch, g->length, i));
        const struct bin *bin = nearest(g, g->batch[i].pc);
        uint32_t b = block_at(g, g->batch[i].pc);
        if (b == NOBODY || !is_recurrent(g, bin) || i + 1 == g->length)
            continue;
        g->paths[PATH_RECURRENT]++;
        uint32_t next = g->batch[i + 1].pc;
        if (block_at(g, next) == NOBODY) {
            g->paths[PATH_BUILT]++;
            build(g, true);
        }
        if (block_at(g, next) != NOBODY) {
            g->paths[PATH_EDGES]++;
            count_edge(g, b, block_at(g, next));
        }
    }
}

/* The bins around index i. */
static struct gaussian_bins bins_around(const struct bins *b, size_t i) {
    struct gaussian_bins out = {0};
    const size_t half = GAUSSIAN_NEIGHBOURS / 2;
    out.first = i > half ? i - half : 0;
    if (out.first + GAUSSIAN_NEIGHBOURS > b->count)
        out.first = b->count > GAUSSIAN_NEIGHBOURS ? b->count - GAUSSIAN_NEIGHBOURS : 0;
    for (; out.count < GAUSSIAN_NEIGHBOURS && out.first + out.count < b->count; out.count++) {
        const struct bin *bin = &b->at[out.first + out.count];
        out.at[out.count] =
            (struct gaussian_bin){bin->address, bin->count, b->centroid[out.first + out.count + 1]};
    }
    return out;
}

/* Like bins_put(), and reports it to a watcher. */
static bool put_mean(struct gaussian *g, size_t number, uint32_t mean) {
    struct gaussian_watch *w = g->watch;
    const size_t count = g->bins.count;
    if (w == NULL || w->insertion == NULL || number < w->from) {
        const bool ok = bins_put(&g->bins, mean);
        g->paths[PATH_NEW_BIN] += g->bins.count != count;
        return ok;
    }
    const struct bin *bin = bins_nearest(&g->bins, mean, &g->lost);
    const size_t at = bin != NULL ? (size_t)(bin - g->bins.at) : 0;
    const double centroid = bin != NULL ? g->bins.centroid[at + 1] : 0;
    struct gaussian_insertion insertion = {
        .batch = number, .mean = mean, .before = bins_around(&g->bins, at)};
    if (!bins_put(&g->bins, mean))
        return false;
    insertion.made = g->bins.count != count;
    g->paths[PATH_NEW_BIN] += insertion.made;
    if (insertion.made || fabs(g->bins.centroid[at + 1] - centroid) >= 1) {
        insertion.after = bins_around(&g->bins, at);
        if (!w->insertion(w->user, &insertion))
            w->insertion = NULL;
    }
    return true;
}

static void take_batch(struct gaussian *g, const struct sample *batch) {
    const size_t number = (size_t)(g->low + g->high); /* number of the batch */
    size_t window = (size_t)g->values[WINDOW_SIZE], count = g->length - window + 1;
    g->batch = batch;
    g->cursor = 0;
    window_means(g->means, g->batch, g->length, window);
    g->steps += count;
    const unsigned __int128 spread = window_spread(g->means, count);
    const bool low = spread_is_low(spread, count, (uint64_t)g->values[STDEV_THRESHOLD]);
    if (g->watch != NULL && g->watch->batch != NULL)
        g->watch->batch(g->watch->user, number, sqrt((double)spread) / (double)count, low);
    if (low) {
        g->low++;
        g->paths[PATH_MEANS] += count;
        for (size_t i = 0; i < count; i++) {
            g->steps++;
            g->lost |= !put_mean(g, number, g->means[i]);
        }
        build(g, false);
    } else {
        g->high++;
        high_batch(g);
    }
}

static enum status export_profile(const struct gaussian *g, size_t batches, struct profile *out,
                                  struct error *e) {
    const uint64_t samples = (uint64_t)batches * g->length;
    *out = (struct profile){
        .cost = {.records = samples, .observed = samples, .steps = g->steps},
        .bins = g->bins.count,
        .low = g->low,
        .high = g->high,
    };
    return gaussian_export(&g->graph, &out->graph, e);
}

static void gaussian_free(struct gaussian *g) {
    bins_free(&g->bins);
    cells_free(&g->bytes);
    gaussian_graph_free(&g->graph);
    free(g->means);
    free(g->frames);
}

static enum status gaussian_fits(const struct stream *stream, const int64_t *values,
                                 struct error *e) {
    if (stream->of == STREAM_OF_BRANCHES)
        return error_set(e, STATUS_ARGUMENT,
                         "gaussian: its windows need batches of one length, and the last taken "
                         "branches of a sample are as long as the code between them");
    if (stream->batch_count > 0 && (uint64_t)values[WINDOW_SIZE] > stream->batch_length)
        return error_set(e, STATUS_ARGUMENT,
                         "gaussian: a window_size of %d is larger than the batches of this stream, "
                         "which have %zu instructions",
                         (int)values[WINDOW_SIZE], stream->batch_length);
    return STATUS_OK;
}

static enum status gaussian_init(struct gaussian *g, const struct stream *stream,
                                 const int64_t *values, struct error *e) {
    *g = (struct gaussian){
        .values = values,
        .bytes = {.cell_size = sizeof(struct byte_cell)},
        .length = stream->batch_length,
    };
    enum status status = technique_fits(&technique_gaussian, stream, values, e);
    if (status != STATUS_OK)
        return status;
    g->means = calloc(g->length + 1, sizeof *g->means);
    g->frames = calloc(g->length + 1, sizeof *g->frames);
    if (g->means == NULL || g->frames == NULL || !bins_init(&g->bins, (uint64_t)values[BIN_SIZE])) {
        gaussian_free(g);
        return error_set(e, STATUS_MEMORY, "out of memory for gaussian");
    }
    return STATUS_OK;
}

static enum status gaussian_build_at(const struct stream *stream, const size_t *marks,
                                     size_t mark_count, const int64_t *values,
                                     enum status (*each)(void *user, size_t batches,
                                                         const struct profile *p, struct error *e),
                                     void *user, struct error *e) {
    struct gaussian g;
    enum status status = gaussian_init(&g, stream, values, e);
    if (status != STATUS_OK)
        return status;
    size_t batch = 0;
    for (size_t i = 0; i < mark_count && status == STATUS_OK; i++) {
        while (batch < marks[i] && !g.lost)
            take_batch(&g, stream_batch(stream, batch++));
        struct profile p = {0};
        status = g.lost ? error_set(e, STATUS_MEMORY, "out of memory for gaussian")
                        : export_profile(&g, batch, &p, e);
        if (status == STATUS_OK)
            status = each(user, batch, &p, e);
        profile_free(&p);
    }
    gaussian_free(&g);
    return status;
}

/* Reports all bins; false: out of memory. */
static bool tell_bins(const struct gaussian *g, const struct gaussian_watch *w, uint64_t batches) {
    struct gaussian_bin *bins = calloc(g->bins.count + 1, sizeof *bins);
    for (size_t i = 0; bins != NULL && i < g->bins.count; i++) {
        const struct bin *bin = &g->bins.at[i];
        bins[i] = (struct gaussian_bin){bin->address, bin->count, g->bins.centroid[i + 1]};
    }
    if (bins != NULL)
        w->mark(w->user, batches, bins, g->bins.count);
    free(bins);
    return bins != NULL;
}

enum status gaussian_watch(struct gaussian_watch *w, const struct stream *stream,
                           const int64_t *values, struct error *e) {
    struct gaussian g;
    enum status status = gaussian_init(&g, stream, values, e);
    if (status != STATUS_OK)
        return status;
    g.watch = w;
    for (size_t i = 0, mark = 0; i < stream->batch_count && !g.lost; i++) {
        take_batch(&g, stream_batch(stream, i));
        if (mark < w->mark_count && w->marks[mark] == i + 1) {
            g.lost |= !tell_bins(&g, w, i + 1);
            mark++;
        }
    }
    memcpy(w->paths, g.paths, sizeof w->paths);
    w->paths[PATH_BATCHES] = stream->batch_count;
    w->paths[PATH_LOW] = g.low;
    w->paths[PATH_HIGH] = g.high;
    if (g.lost)
        status = error_set(e, STATUS_MEMORY, "out of memory for gaussian");
    gaussian_free(&g);
    return status;
}

static enum status gaussian_build(struct profile *out, const struct stream *stream, size_t batches,
                                  const int64_t *values, struct error *e) {
    *out = (struct profile){0};
    struct gaussian g;
    enum status status = gaussian_init(&g, stream, values, e);
    if (status != STATUS_OK)
        return status;
    if (batches > stream->batch_count)
        batches = stream->batch_count;
    for (size_t i = 0; i < batches && !g.lost; i++)
        take_batch(&g, stream_batch(stream, i));
    status = g.lost ? error_set(e, STATUS_MEMORY, "out of memory for gaussian")
                    : export_profile(&g, batches, out, e);
    gaussian_free(&g);
    return status;
}

static enum status build_many(const struct build_request *request, struct error *e) {
    return gaussian_build_many(&technique_gaussian, request, e);
}

/* ---- batch by batch ---- */

static enum status begin(void **self, const struct stream *shape, const int64_t *values,
                         struct error *e) {
    struct gaussian *g = *self = malloc(sizeof *g);
    if (g == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for gaussian");
    const enum status status = gaussian_init(g, shape, values, e);
    if (status != STATUS_OK) {
        free(g);
        *self = NULL;
    }
    return status;
}

static bool take(void *self, const struct sample *batch, uint64_t weight) {
    struct gaussian *g = self;
    (void)weight; /* the definition ignores weights */
    take_batch(g, batch);
    return !g->lost;
}

static enum status profile_now(void *self, size_t batches, uint64_t probes, struct profile *out,
                               struct error *e) {
    (void)probes;
    return export_profile(self, batches, out, e);
}

static void end(void *self) {
    gaussian_free(self);
    free(self);
}

static const struct technique_growing growing = {begin, take, profile_now, end};

const struct technique technique_gaussian = {
    .name = "gaussian",
    .summary = "GFCGaussiano: basic blocks around clusters of sampled addresses",
    .source = "Napoli 2015, chapters 4.2 and 7, and its authors' prototype",
    .parameters =
        {
            [BIN_SIZE] = {"bin_size", "largest distance of a window mean from its bin, in bytes", 0,
                          INT32_MAX, 10, NULL},
            [STDEV_THRESHOLD] = {"stdev_threshold",
                                 "largest standard deviation of a batch that forms bins", 0,
                                 INT32_MAX, 15, NULL},
            [WINDOW_SIZE] = {"window_size", "instructions in a window", 1, 1 << 20, 13, NULL},
            [RECURRENT_THRESHOLD] = {"recurrent_threshold",
                                     "a bin with more means than this is recurrent", 0, INT32_MAX,
                                     5, NULL},
            [BUILDER] = {"builder", "0: blocks start at targets of transfers; 1: anywhere", 0, 1, 0,
                         NULL},
        },
    .build = gaussian_build,
    .build_at = gaussian_build_at,
    .build_many = build_many,
    .growing = &growing,
    .fits = gaussian_fits,
    .group = gaussian_group,
};
