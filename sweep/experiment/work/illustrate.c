#include "experiment/work/illustrate.h"

#include "nes/nes.h"
#include "profile/gaussian/gaussian_watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* GFCGaussiano's parameters in the configuration that the paper finds best most often. */
static const int64_t OFTEN_BEST[] = {10, 15, 13, 5, 0};

enum { TEXT = 32, BATCHES_SHOWN = 3 };

struct spread {
    double deviation;
    uint32_t batch;
    bool low;
};

struct pictures {
    VEC(struct db_excerpt)
    excerpts; /* their texts are offsets into `texts` until the job is
                                        complete */
    VEC(char *) texts;
    VEC(struct db_bin_history) bins;
    struct db_path_count paths[GAUSSIAN_PATHS];
    VEC(struct spread) spreads;
    VEC(uint64_t) marks;
    int64_t configuration_id;
    bool moved, made, lost;
};

static void free_pictures(void *self) {
    struct pictures *p = self;
    for (size_t i = 0; i < p->texts.len; i++)
        free(p->texts.at[i]);
    vec_free(&p->texts);
    vec_free(&p->excerpts);
    vec_free(&p->bins);
    vec_free(&p->spreads);
    vec_free(&p->marks);
    free(p);
}

static enum status write_pictures(struct db *db, void *self, struct error *e) {
    struct pictures *p = self;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < p->excerpts.len; i++)
        status = db_put_excerpt(db, &p->excerpts.at[i], e);
    for (size_t i = 0; status == STATUS_OK && i < p->bins.len; i++)
        status = db_put_bin_history(db, &p->bins.at[i], e);
    for (size_t i = 0; status == STATUS_OK && i < GAUSSIAN_PATHS; i++)
        status = db_put_path_count(db, &p->paths[i], e);
    return status;
}

/* ---- what the algorithm does ---- */

static void take_batch(void *user, size_t number, double deviation, bool low) {
    struct pictures *p = user;
    p->lost |= !vec_push(&p->spreads, ((struct spread){deviation, (uint32_t)number, low}));
}

static void add_bins(struct pictures *p, const struct gaussian_insertion *of,
                     const struct gaussian_bins *bins, const char *moment) {
    for (size_t i = 0; i < bins->count; i++) {
        struct db_bin_history row = db_new_bin_history();
        row.event = of->made ? "new" : "moved";
        row.batch = (int64_t)of->batch;
        row.moment = moment;
        row.place = (int64_t)(bins->first + i);
        row.address = bins->at[i].address;
        row.centroid = bins->at[i].centroid;
        row.count = (int64_t)bins->at[i].count;
        row.mean = of->mean;
        p->lost |= !vec_push(&p->bins, row);
    }
}

/* Keeps the first insertion of each kind. */
static bool take_insertion(void *user, const struct gaussian_insertion *insertion) {
    struct pictures *p = user;
    bool *seen = insertion->made ? &p->made : &p->moved;
    if (!*seen) {
        add_bins(p, insertion, &insertion->before, "before");
        add_bins(p, insertion, &insertion->after, "after");
    }
    *seen = true;
    return !p->made || !p->moved;
}

static void take_mark(void *user, uint64_t batches, const struct gaussian_bin *bins, size_t count) {
    struct pictures *p = user;
    for (size_t i = 0; i < count; i++) {
        struct db_bin_history row = db_new_bin_history();
        row.event = "mark";
        row.batch = (int64_t)batches;
        row.moment = "after";
        row.place = (int64_t)i;
        row.address = bins[i].address;
        row.centroid = bins[i].centroid;
        row.count = (int64_t)bins[i].count;
        p->lost |= !vec_push(&p->bins, row);
    }
}

/* Finds the marks of the experiment's curves within the stream, and adds the stream's end. */
static bool find_marks(struct pictures *p, const struct config *config, uint64_t batches) {
    bool ok = true;
    for (size_t i = 0; i < config->marks.len && config->marks.at[i] < batches; i++)
        if (config->marks.at[i] > 0)
            ok &= vec_push(&p->marks, config->marks.at[i]);
    return vec_push(&p->marks, batches) && ok;
}

/* ---- instructions ---- */

/* True if the address is in a block of a busy-wait. */
static bool is_busy(const struct graph *exact, uint32_t address) {
    size_t low = 0, high = exact->block_count; /* the first block after the address */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (exact->blocks[middle].entry <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || exact->blocks[low - 1].last < address)
        return false;
    const uint32_t entry = exact->blocks[low - 1].entry;
    low = 0, high = exact->edge_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (exact->edges[middle].source < entry)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < exact->edge_count && exact->edges[low].source == entry; low++)
        if (exact->edges[low].busy)
            return true;
    return false;
}

static void add_excerpt(struct pictures *p, struct db_excerpt row, const char *text) {
    char *copy = strdup(text);
    if (copy == NULL || !vec_push(&p->texts, copy)) {
        free(copy);
        p->lost = true;
        return;
    }
    row.text = copy;
    p->lost |= !vec_push(&p->excerpts, row);
}

/* The cycle at which batch k is due (core/profile/sample/sampler_time.c). */
static uint64_t due_cycle(const struct sampler_options *o, uint64_t k) {
    const uint64_t us = o->interval_us != 0 ? o->interval_us : 3000;
    return (k * us * 39375 + 21999) / 22000 + o->phase_cycles;
}

/* True if batch k equals the trace from instruction `first`. */
static bool is_batch(const struct stream *s, uint64_t k, const struct trace_excerpt *t,
                     size_t first) {
    if (k >= s->batch_count || first + s->batch_length > t->insns.len)
        return false;
    const struct sample *batch = stream_batch(s, k);
    for (size_t i = 0; i < s->batch_length; i++)
        if (batch[i].pc != t->insns.at[first + i].address)
            return false;
    return true;
}

static void add_traced(struct pictures *p, const struct source *source, size_t i, int64_t batch) {
    const struct traced *t = &source->trace.insns.at[i];
    struct db_excerpt row = db_new_excerpt();
    char text[TEXT];
    disassemble(text, t->pc, t->bytes);
    row.figure = "intervals";
    row.place = (int64_t)i;
    row.cycle = (int64_t)t->cycle;
    row.frame = (int64_t)source->trace.frame;
    row.batch = batch;
    row.address = t->address;
    row.size = t->size;
    row.busy = is_busy(&source->exact, t->address);
    row.interrupt = t->interrupt;
    add_excerpt(p, row, text);
}

/* Shows the traced frame's first batches and the code between them: all sampled instructions; of
 * the others, those where work begins or ends or an interrupt arrives. */
static void show_intervals(struct pictures *p, const struct source *source,
                           const struct sampler_options *sampling) {
    const struct trace_excerpt *t = &source->trace;
    if (t->insns.len == 0 || sampling == NULL || sampling->by != SAMPLER_TIME ||
        sampling->jitter_us != 0)
        return;
    uint64_t k = 0;
    while (due_cycle(sampling, k) < t->insns.at[0].cycle)
        k++;
    const uint64_t end = due_cycle(sampling, k + BATCHES_SHOWN), last = k + BATCHES_SHOWN;
    size_t sampled = 0; /* instructions left in the current batch */
    bool busy = false, forced = true;
    for (size_t i = 0; i < t->insns.len && t->insns.at[i].cycle < end; i++) {
        if (sampled == 0 && k < last && t->insns.at[i].cycle >= due_cycle(sampling, k)) {
            sampled = is_batch(&source->streams[0].stream, k, t, i)
                          ? source->streams[0].stream.batch_length
                          : 0;
            k++;
        }
        const bool now = is_busy(&source->exact, t->insns.at[i].address);
        if (sampled > 0 || forced || now != busy || t->insns.at[i].interrupt)
            add_traced(p, source, i, sampled > 0 ? (int64_t)k - 1 : DB_NULL);
        forced = sampled == 1;
        sampled -= sampled > 0;
        busy = now;
    }
}

static int by_deviation(const void *a, const void *b) {
    const struct spread *x = a, *y = b;
    if (x->low != y->low)
        return x->low ? -1 : 1;
    if (x->deviation != y->deviation)
        return x->deviation < y->deviation ? -1 : 1;
    return (x->batch > y->batch) - (x->batch < y->batch);
}

/* Shows the batch with the median deviation of means among all low batches, or all high ones. */
static void show_median(struct pictures *p, const struct source *source,
                        const struct sampler_options *sampling, size_t first, size_t count,
                        const char *figure) {
    if (count == 0)
        return;
    const uint32_t number = p->spreads.at[first + (count - 1) / 2].batch;
    const struct sample *batch = stream_batch(&source->streams[0].stream, number);
    const bool timed =
        sampling != NULL && sampling->by == SAMPLER_TIME && source->cycles != DB_NULL;
    const uint64_t cycle = timed ? due_cycle(sampling, number) : 0;
    for (size_t i = 0; i < source->streams[0].stream.batch_length; i++) {
        struct db_excerpt row = db_new_excerpt();
        char text[TEXT] = "";
        if (batch[i].opcode != 0) /* operands are not sampled: only the mnemonic is known */
            disassemble(text, (uint16_t)batch[i].pc, (const uint8_t[3]){batch[i].opcode});
        text[3] = '\0';
        row.figure = figure;
        row.place = (int64_t)i;
        row.cycle = (int64_t)cycle;
        row.frame = (int64_t)(cycle * 2 / 59561); /* a frame has 29780.5 cycles */
        row.batch = number;
        row.address = batch[i].pc;
        row.size = batch[i].size;
        row.busy = is_busy(&source->exact, batch[i].pc);
        add_excerpt(p, row, text);
    }
}

static void show_batches(struct pictures *p, const struct source *source,
                         const struct sampler_options *sampling) {
    size_t low = 0;
    qsort(p->spreads.at, p->spreads.len, sizeof *p->spreads.at, by_deviation);
    while (low < p->spreads.len && p->spreads.at[low].low)
        low++;
    show_median(p, source, sampling, 0, low, "low batch");
    show_median(p, source, sampling, low, p->spreads.len - low, "high batch");
}

/* ---- all of it ---- */

static const struct config_point *find_point(const struct config *config) {
    for (size_t i = 0; i < config->points.len; i++) {
        const struct config_point *p = &config->points.at[i];
        if (strcmp(p->technique->name, "gaussian") == 0 &&
            memcmp(p->values, OFTEN_BEST, sizeof OFTEN_BEST) == 0)
            return p;
    }
    return NULL;
}

static void name_rows(struct pictures *p, int64_t stream_id, const struct gaussian_watch *w) {
    for (size_t i = 0; i < p->excerpts.len; i++)
        p->excerpts.at[i].stream_id = stream_id;
    for (size_t i = 0; i < p->bins.len; i++) {
        p->bins.at[i].stream_id = stream_id;
        p->bins.at[i].configuration_id = p->configuration_id;
    }
    for (size_t i = 0; i < GAUSSIAN_PATHS; i++)
        p->paths[i] = (struct db_path_count){.stream_id = stream_id,
                                             .configuration_id = p->configuration_id,
                                             .path = gaussian_path_names[i],
                                             .count = (int64_t)w->paths[i]};
}

enum status illustrate(struct writer *w, const struct plan_game *game, const struct config *config,
                       const struct source *source, struct error *e) {
    const struct config_point *point = find_point(config);
    const struct plan_stream *stream = game->stream_count > 0 ? &game->streams[0] : NULL;
    const struct sampler_options *sampling =
        stream != NULL && stream->configured != NULL ? &stream->configured->options : NULL;
    if (point == NULL || stream == NULL || source->stream_count == 0 ||
        source->streams[0].stream.batch_count == 0 ||
        technique_fits(point->technique, &source->streams[0].stream, point->values, NULL) !=
            STATUS_OK)
        return STATUS_OK;
    struct pictures *p = calloc(1, sizeof *p);
    if (p == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    p->configuration_id = plan_configuration_id(point);
    p->lost = !find_marks(p, config, source->streams[0].stream.batch_count);
    struct gaussian_watch watch = {.user = p,
                                   .marks = p->marks.at,
                                   .mark_count = p->marks.len,
                                   .mark = take_mark,
                                   .batch = take_batch,
                                   .from = ILLUSTRATED_BATCH,
                                   .insertion = take_insertion};
    enum status status = gaussian_watch(&watch, &source->streams[0].stream, point->values, e);
    if (status == STATUS_OK) {
        show_batches(p, source, sampling);
        show_intervals(p, source, sampling);
        name_rows(p, stream->stream_id, &watch);
    }
    if (status == STATUS_OK && p->lost)
        status = error_set(e, STATUS_MEMORY, "out of memory");
    if (status != STATUS_OK) {
        free_pictures(p);
        return status;
    }
    status = writer_put(w, p, write_pictures, free_pictures);
    return status == STATUS_OK ? STATUS_OK : error_set(e, status, "the database cannot be written");
}
