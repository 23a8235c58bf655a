#include "experiment/work/find.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

/* Real programs have phases, so their first batches are not representative: every point of their
 * curves but the last uses a thinned stream. Games do not change that way. */
static bool is_thinned(const struct find *f, size_t batches) {
    return f->game->game->program != NULL && batches < f->stream->stream.batch_count;
}

static void start_quality(struct db_quality *row, const struct find *f, size_t point,
                          size_t batches, const struct profile *profile) {
    *row = db_new_quality();
    row->configuration_id = plan_configuration_id(&f->config->points.at[point]);
    row->part = is_thinned(f, batches) ? "strata" : "first";
    row->batches = (int64_t)batches;
    row->bins = (int64_t)profile->bins;
    row->blocks = (int64_t)profile->graph.block_count;
}

/* Fills a row for each of the configuration's hot shares. */
static enum status compare(const struct find *f, struct db_quality *rows, size_t point,
                           size_t batches, const struct profile *profile, struct error *e) {
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < f->config->hot.len; i++) {
        const struct reference *exact = f->source->references[i];
        struct metrics whole, active;
        start_quality(&rows[i], f, point, batches, profile);
        rows[i].hot_permille = f->config->hot.at[i];
        status = reference_compare(exact, &whole, &profile->graph, SCOPE_WHOLE, e);
        if (status == STATUS_OK)
            status = reference_compare(exact, &active, &profile->graph, SCOPE_ACTIVE, e);
        if (status == STATUS_OK)
            db_set_metrics(&rows[i], &whole, &active);
    }
    return status;
}

static enum status fill_worth(const struct find *f, const struct profile *profile,
                              struct db_result *row, struct error *e) {
    struct worth worth;
    enum status status = worth_compare(f->source->worth, &worth, &profile->graph, e);
    if (status == STATUS_OK)
        db_set_worth(row, &worth);
    return status;
}

/* What the graph tells of the paths. */
static enum status fill_paths(const struct find *f, const struct profile *profile,
                              struct db_result *row, struct error *e) {
    struct path_knowledge known;
    const enum status status = path_truth_judge(f->source->paths, &profile->graph, &known, e);
    if (status != STATUS_OK)
        return status;
    row->fixed_flow = (int64_t)known.fixed;
    row->edges_overlap = (int64_t)known.match.overlap;
    row->edges_matched = (int64_t)known.match.matched;
    return STATUS_OK;
}

static enum status fill_result(const struct find *f, size_t point, const struct profile *profile,
                               struct rows_result *row, struct error *e) {
    row->result.configuration_id = plan_configuration_id(&f->config->points.at[point]);
    row->result.bins = (int64_t)profile->bins;
    row->result.low = (int64_t)profile->low;
    row->result.high = (int64_t)profile->high;
    row->result.blocks = row->graph_blocks = (int64_t)profile->graph.block_count;
    row->result.edges = row->graph_edges = (int64_t)profile->graph.edge_count;
    row->result.records = (int64_t)profile->cost.records;
    row->result.probes = (int64_t)profile->cost.probes;
    row->result.observed = (int64_t)profile->cost.observed;
    row->result.steps = (int64_t)profile->cost.steps;
    row->result.structure = profile->cost.structure;
    memcpy(row->counts, profile->counts, sizeof row->counts);
    row->count_count = profile->count_count;
    row->quality_count = f->config->hot.len;
    row->qualities = calloc(row->quality_count, sizeof *row->qualities);
    if (row->qualities == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    enum status status =
        compare(f, row->qualities, point, f->stream->stream.batch_count, profile, e);
    if (status == STATUS_OK && f->source->worth != NULL)
        status = fill_worth(f, profile, &row->result, e);
    if (status == STATUS_OK && f->source->paths != NULL)
        status = fill_paths(f, profile, &row->result, e);
    if (status == STATUS_OK)
        status = graph_hash(&profile->graph, row->graph_hash, e);
    return status == STATUS_OK ? db_pack_graph(&row->graph, &profile->graph, e) : status;
}

/* If only a graph's hash is stored, the new graph must have the same hash. */
static enum status check_result(const struct find *f, size_t point, const char *hash,
                                struct error *e) {
    const char *stored = f->plan->points[point].graph_hash;
    if (stored[0] == '\0' || strcmp(stored, hash) == 0)
        return STATUS_OK;
    return error_set(
        e, STATUS_FORMAT,
        "a graph differs from the one behind the database's result (hash %s there, %s now): the "
        "program now finds something else; sweep into a new database with --db",
        stored, hash);
}

/* State of one configuration while it is built with others. */
struct built {
    size_t point;
    size_t *marks, mark_count;
    struct db_quality *rows; /* its curve, with all shares for each mark; NULL: not wanted */
    size_t row_count;
    bool wants_result;
};

struct building {
    const struct find *find;
    struct built *built; /* by number in the request */
    size_t count;
    double start, seconds; /* seconds: its part of the pass; negative: the pass is not finished */
};

static enum status add_to_curve(struct building *b, struct built *at, size_t batches,
                                const struct profile *profile, struct error *e) {
    struct db_quality *rows = &at->rows[at->row_count];
    at->row_count += b->find->config->hot.len;
    return compare(b->find, rows, at->point, batches, profile, e);
}

static enum status add_result(struct building *b, const struct built *at,
                              const struct profile *profile, struct error *e) {
    struct rows_result row = {.result = db_new_result()};
    row.result.seconds = b->seconds;
    enum status status = fill_result(b->find, at->point, profile, &row, e);
    if (status == STATUS_OK)
        status = check_result(b->find, at->point, row.graph_hash, e);
    if (status == STATUS_OK)
        return rows_put_result(b->find->writer, &b->find->of, &row, e);
    bytes_free(&row.graph);
    free(row.qualities);
    return status;
}

static enum status take_profile(void *user, size_t number, size_t batches, struct profile *profile,
                                struct error *e) {
    struct building *b = user;
    struct built *at = &b->built[number];
    const bool whole = batches == b->find->stream->stream.batch_count;
    if (whole && b->seconds < 0)
        b->seconds = (source_clock() - b->start) / (double)b->count;
    enum status status = STATUS_OK;
    if (at->rows != NULL)
        status = add_to_curve(b, at, batches, profile, e);
    if (status == STATUS_OK && whole && at->wants_result) {
        at->wants_result = false;
        status = add_result(b, at, profile, e);
    }
    return status;
}

static bool build_is_stopped(void *user) {
    const struct building *b = user;
    return b->find->stopped != NULL && b->find->stopped();
}

static void hand_on_said(void *user, const char *line) {
    const struct find *f = ((const struct building *)user)->find;
    if (f->said != NULL)
        f->said(f->user, line);
}

/* Prepares the requests to the technique. */
static enum status ask_for(struct building *b, const size_t *numbers, struct build_point *points,
                           struct error *e) {
    const struct find *f = b->find;
    for (size_t i = 0; i < b->count; i++) {
        struct built *at = &b->built[i];
        const size_t point = at->point = numbers[i];
        const struct config_point *p = &f->config->points.at[point];
        const bool curve = p->label != NULL && !f->plan->points[point].has_curve;
        at->wants_result = !f->plan->points[point].has_result ||
                           (f->plan->judges_paths && !f->plan->points[point].has_paths);
        points[i].values = p->values;
        enum status status = plan_marks(f->config, f->stream->stream.batch_count, &at->marks,
                                        &points[i].mark_count, e);
        if (status != STATUS_OK)
            return status;
        points[i].marks = at->marks;
        at->mark_count = points[i].mark_count;
        if (curve &&
            (at->rows = calloc(at->mark_count * f->config->hot.len, sizeof *at->rows)) == NULL)
            return error_set(e, STATUS_MEMORY, "out of memory");
        if (!curve || f->game->game->program != NULL) { /* only the end */
            points[i].marks += points[i].mark_count - 1;
            points[i].mark_count = 1;
        }
    }
    return STATUS_OK;
}

/* ---- curves of real programs ---- */

/* One seed for all configurations, so that all get the same batches. */
enum { THIN_SEED = 1 };

static enum status build_thinned(struct building *b, struct built *at, const struct stream *thinned,
                                 struct error *e) {
    const struct config_point *point = &b->find->config->points.at[at->point];
    const struct build_one one = {
        .stream = thinned, .batches = SIZE_MAX, .values = point->values, .direct = b->find->direct};
    struct profile profile = {0};
    enum status status = technique_build(&profile, point->technique, &one, e);
    if (status == STATUS_OK)
        status = add_to_curve(b, at, thinned->batch_count, &profile, e);
    profile_free(&profile);
    return status;
}

/* Thins the stream once per mark for all configurations with curves: they have the same marks. */
static enum status add_thinned(struct building *b, struct error *e) {
    const struct built *like = NULL;
    for (size_t i = 0; i < b->count && like == NULL; i++)
        if (b->built[i].rows != NULL)
            like = &b->built[i];
    enum status status = STATUS_OK;
    for (size_t k = 0; like != NULL && status == STATUS_OK && k + 1 < like->mark_count; k++) {
        struct stream thinned;
        if (build_is_stopped(b))
            return error_set(e, STATUS_INTERRUPTED, "stopped");
        status = stream_thin(&thinned, &b->find->stream->stream, like->marks[k], THIN_SEED, e);
        for (size_t i = 0; i < b->count && status == STATUS_OK; i++)
            if (b->built[i].rows != NULL)
                status = build_thinned(b, &b->built[i], &thinned, e);
        stream_free(&thinned);
    }
    return status;
}

static enum status put_curves(struct building *b, struct error *e) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < b->count && status == STATUS_OK; i++) {
        struct built *at = &b->built[i];
        struct db_quality *rows = at->rows;
        at->rows = NULL;
        if (rows != NULL)
            status = rows_put_curve(b->find->writer, &b->find->of, rows, at->row_count, e);
    }
    return status;
}

static enum status find_live(const struct find *f, const size_t *numbers, size_t count,
                             struct error *e) {
    const struct source_hooks hooks = {.stopped = f->stopped};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const struct built at = {.point = numbers[i]};
        struct building b = {.find = f, .start = source_clock()};
        struct profile profile;
        status = source_watch(&profile, f->source, f->game, f->plan->configured,
                              &f->config->points.at[numbers[i]], &f->engine, &hooks, e);
        b.seconds = source_clock() - b.start;
        if (status == STATUS_OK)
            status = add_result(&b, &at, &profile, e);
        profile_free(&profile);
    }
    return status;
}

enum status find_missing(const struct find *f, const size_t *numbers, size_t count,
                         struct error *e) {
    if (f->config->points.at[numbers[0]].technique->build == NULL)
        return find_live(f, numbers, count, e);
    struct building b = {.find = f, .count = count, .start = source_clock(), .seconds = -1};
    struct build_point *points = calloc(count, sizeof *points);
    b.built = calloc(count, sizeof *b.built);
    enum status status = points != NULL && b.built != NULL
                             ? ask_for(&b, numbers, points, e)
                             : error_set(e, STATUS_MEMORY, "out of memory");
    const struct build_request request = {
        .stream = &f->stream->stream,
        .index = f->stream->index,
        .points = points,
        .point_count = count,
        .direct = f->direct,
        .each = take_profile,
        .stopped = build_is_stopped,
        .said = hand_on_said,
        .user = &b,
    };
    if (status == STATUS_OK)
        status = technique_build_many(f->config->points.at[numbers[0]].technique, &request, e);
    if (status == STATUS_OK && f->game->game->program != NULL)
        status = add_thinned(&b, e);
    if (status == STATUS_OK)
        status = put_curves(&b, e);
    for (size_t i = 0; b.built != NULL && i < count; i++) {
        free(b.built[i].marks);
        free(b.built[i].rows);
    }
    free(b.built);
    free(points);
    return status;
}
