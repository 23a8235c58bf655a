#include "experiment/experiment.h"

#include "base/base.h"
#include "cli/cli.h"
#include "experiment/rows.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How much longer than one configuration a replay takes, for the estimate of the time left only. */
#define REPLAY_WORK 40.0

/* Configurations of one technique that are built together, for their results and curves. */
struct unit {
    size_t *points, count;
};

enum task_state { TASK_WAITING, TASK_LOADING, TASK_READY, TASK_OVER };

/* One game's work. */
struct task {
    struct plan_game *game;
    enum task_state state;
    struct source source;
    struct rows_of_game of;
    VEC(struct unit) units;
    size_t next, finished;
    struct stream_index *index; /* of the stream; NULL with --direct */
    bool failed;
};

struct work {
    struct plan *plan;
    const struct config *config;
    const struct work_options *options;
    struct writer *writer;
    pthread_mutex_t lock; /* over everything below */
    pthread_cond_t changed;
    struct progress progress;
    struct task *tasks;
    size_t count;
    bool ending;
    enum status status;
    struct error error;
};

/* ---- units of work; they run without the lock and look at nothing that changes ---- */

static enum status compare_both(struct metrics *whole, struct metrics *active,
                                const struct graph *g, const struct source *source,
                                struct error *e) {
    enum status status = reference_compare(source->reference, whole, g, SCOPE_WHOLE, e);
    return status != STATUS_OK ? status
                               : reference_compare(source->reference, active, g, SCOPE_ACTIVE, e);
}

/* The shares of the weight that are called hot. */
enum { HOT_PERMILLE = 900 };

static struct db_quality new_quality(struct work *w, size_t point, uint64_t batches,
                                     const struct profile *profile) {
    struct db_quality row = db_new_quality();
    row.configuration_id = plan_configuration_id(&w->config->points.at[point]);
    row.part = "first";
    row.batches = (int64_t)batches;
    row.hot_permille = HOT_PERMILLE;
    row.bins = (int64_t)profile->bins;
    row.blocks = (int64_t)profile->graph.block_count;
    return row;
}

static enum status fill_result(struct work *w, struct task *t, size_t point,
                               const struct profile *profile, struct rows_result *row,
                               struct error *e) {
    struct metrics whole, active;
    row->quality = new_quality(w, point, t->source.stream.batch_count, profile);
    row->result.configuration_id = row->quality.configuration_id;
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
    enum status status = compare_both(&whole, &active, &profile->graph, &t->source, e);
    if (status == STATUS_OK)
        status = graph_hash(&profile->graph, row->graph_hash, e);
    if (status == STATUS_OK)
        status = db_pack_graph(&row->graph, &profile->graph, e);
    if (status == STATUS_OK)
        db_set_metrics(&row->quality, &whole, &active);
    return status;
}

/* Where a graph is known only by its hash, what is found now must be the same. */
static enum status check_result(const struct task *t, size_t point, const char *hash,
                                struct error *e) {
    const char *stored = t->game->points[point].graph_hash;
    if (stored[0] == '\0' || strcmp(stored, hash) == 0)
        return STATUS_OK;
    return error_set(e, STATUS_FORMAT,
                     "a graph is not the one that the database's result was computed from (%s "
                     "there, %s now): the program has changed what it finds; sweep into a new "
                     "database with --db",
                     stored, hash);
}

/* What is known of one configuration while it is built with others. */
struct built {
    size_t point;
    size_t *marks;
    struct db_quality *rows; /* its curve; NULL: not wanted */
    size_t row_count;
    bool wants_result;
};

struct building {
    struct work *work;
    struct task *task;
    struct built *built; /* by number in the unit */
    size_t count;
    double start, seconds; /* seconds: of the pass, shared out; below 0: it still goes on */
};

static enum status add_to_curve(struct building *b, struct built *at, size_t batches,
                                const struct profile *profile, struct error *e) {
    struct db_quality *row = &at->rows[at->row_count++];
    struct metrics whole, active;
    *row = new_quality(b->work, at->point, batches, profile);
    enum status status = compare_both(&whole, &active, &profile->graph, &b->task->source, e);
    if (status == STATUS_OK)
        db_set_metrics(row, &whole, &active);
    return status;
}

static enum status add_result(struct building *b, const struct built *at,
                              const struct profile *profile, struct error *e) {
    struct rows_result row = {.result = db_new_result()};
    row.result.seconds = b->seconds;
    enum status status = fill_result(b->work, b->task, at->point, profile, &row, e);
    if (status == STATUS_OK)
        status = check_result(b->task, at->point, row.graph_hash, e);
    if (status == STATUS_OK)
        return rows_put_result(b->work->writer, &b->task->of, &row, e);
    bytes_free(&row.graph);
    return status;
}

static enum status take_profile(void *user, size_t number, size_t batches, struct profile *profile,
                                struct error *e) {
    struct building *b = user;
    struct built *at = &b->built[number];
    const bool whole = batches == b->task->source.stream.batch_count;
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
    return b->work->options->stopped != NULL && b->work->options->stopped();
}

/* What a unit asks of its technique. */
static enum status ask_for(struct building *b, const struct unit *unit, struct build_point *points,
                           struct error *e) {
    const struct work *w = b->work;
    const struct task *t = b->task;
    for (size_t i = 0; i < unit->count; i++) {
        struct built *at = &b->built[i];
        const size_t point = at->point = unit->points[i];
        const struct config_point *p = &w->config->points.at[point];
        const bool curve = p->label != NULL && !t->game->points[point].has_curve;
        at->wants_result = !t->game->points[point].has_result;
        points[i].values = p->values;
        enum status status = plan_marks(w->config, t->source.stream.batch_count, &at->marks,
                                        &points[i].mark_count, e);
        if (status != STATUS_OK)
            return status;
        points[i].marks = at->marks;
        if (!curve) { /* the end alone */
            points[i].marks += points[i].mark_count - 1;
            points[i].mark_count = 1;
        } else if ((at->rows = calloc(points[i].mark_count, sizeof *at->rows)) == NULL) {
            return error_set(e, STATUS_MEMORY, "out of memory");
        }
    }
    return STATUS_OK;
}

static enum status put_curves(struct building *b, struct error *e) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < b->count && status == STATUS_OK; i++) {
        struct built *at = &b->built[i];
        struct db_quality *rows = at->rows;
        at->rows = NULL;
        if (rows != NULL)
            status = rows_put_curve(b->work->writer, &b->task->of, rows, at->row_count, e);
    }
    return status;
}

static enum status find_results(struct work *w, struct task *t, const struct unit *unit,
                                struct error *e) {
    struct building b = {
        .work = w, .task = t, .count = unit->count, .start = source_clock(), .seconds = -1};
    struct build_point *points = calloc(unit->count, sizeof *points);
    b.built = calloc(unit->count, sizeof *b.built);
    enum status status = points != NULL && b.built != NULL
                             ? ask_for(&b, unit, points, e)
                             : error_set(e, STATUS_MEMORY, "out of memory");
    const struct build_request request = {
        .stream = &t->source.stream,
        .index = t->index,
        .points = points,
        .point_count = unit->count,
        .direct = w->options->direct,
        .each = take_profile,
        .stopped = build_is_stopped,
        .user = &b,
    };
    if (status == STATUS_OK)
        status = technique_build_many(w->config->points.at[unit->points[0]].technique, &request, e);
    if (status == STATUS_OK)
        status = put_curves(&b, e);
    for (size_t i = 0; b.built != NULL && i < unit->count; i++) {
        free(b.built[i].marks);
        free(b.built[i].rows);
    }
    free(b.built);
    free(points);
    return status;
}

/* ---- what happens under the lock ---- */

/* The first failure that concerns everything ends it; one of a game ends that game. */
static void fail(struct work *w, struct task *t, enum status status, const struct error *e) {
    bool everything = status == STATUS_INTERRUPTED || status == STATUS_MEMORY;
    if (status == STATUS_IO && t->state != TASK_LOADING)
        everything = true; /* the writer's */
    if (everything && w->status == STATUS_OK) {
        w->status = status;
        w->error = *e;
    }
    w->ending |= everything;
    if (!everything && !t->failed)
        progress_line(&w->progress, "hotgraph: %s: %s", t->game->game->name, e->text);
    t->failed = true;
}

static void free_source(struct task *t) {
    stream_index_free(t->index);
    t->index = NULL;
    source_free(&t->source);
}

static void forget_source(struct task *t) {
    free_source(t);
    t->state = TASK_OVER;
}

static bool out_of_memory(struct work *w, struct task *t) {
    struct error e;
    enum status status = error_set(&e, STATUS_MEMORY, "out of memory");
    fail(w, t, status, &e);
    return false;
}

/* The points are copied. */
static bool add_unit(struct work *w, struct task *t, const size_t *points, size_t count) {
    struct unit unit = {.points = malloc(count * sizeof *points), .count = count};
    if (unit.points == NULL)
        return out_of_memory(w, t);
    memcpy(unit.points, points, count * sizeof *points);
    if (vec_push(&t->units, unit))
        return true;
    free(unit.points);
    return out_of_memory(w, t);
}

/* Called whenever a unit of t has ended. */
static void settle(struct work *w, struct task *t) {
    bool running = t->finished < t->next;
    if (!running && (t->failed || t->finished == t->units.len))
        forget_source(t);
    if (t->state == TASK_OVER && !t->failed) {
        t->game->missing = 0;
        progress_line(&w->progress, "%s: done", t->game->game->name);
    }
    pthread_cond_broadcast(&w->changed);
}

/* A unit for each group; groups[i] is the number of that of points[i]. */
static bool add_groups(struct work *w, struct task *t, const size_t *points, size_t count,
                       const size_t *groups, size_t group_count) {
    size_t *members = calloc(count, sizeof *members);
    bool ok = members != NULL || out_of_memory(w, t);
    for (size_t g = 0; ok && g < group_count; g++) {
        size_t n = 0;
        for (size_t i = 0; i < count; i++)
            if (groups[i] == g)
                members[n++] = points[i];
        ok = add_unit(w, t, members, n);
    }
    free(members);
    return ok;
}

/* Units for points of one technique. */
static bool add_units_of(struct work *w, struct task *t, const size_t *points, size_t count) {
    const int64_t **values = calloc(count, sizeof *values);
    size_t *groups = calloc(count, sizeof *groups), group_count = count;
    bool ok = (values != NULL && groups != NULL) || out_of_memory(w, t);
    for (size_t i = 0; ok && i < count; i++) {
        values[i] = w->config->points.at[points[i]].values;
        groups[i] = i;
    }
    if (ok && !w->options->direct)
        group_count =
            technique_group(w->config->points.at[points[0]].technique, values, count, groups);
    if (ok && group_count == SIZE_MAX)
        ok = out_of_memory(w, t);
    ok = ok && add_groups(w, t, points, count, groups, group_count);
    free(values);
    free(groups);
    return ok;
}

static bool is_complete(const struct work *w, const struct task *t, size_t point) {
    const struct plan_point *p = &t->game->points[point];
    return p->unfit ||
           (p->has_result && (p->has_curve || w->config->points.at[point].label == NULL));
}

static void add_units(struct work *w, struct task *t) {
    const size_t count = w->config->points.len;
    size_t *points = calloc(count + 1, sizeof *points);
    bool *taken = calloc(count + 1, sizeof *taken);
    bool ok = (points != NULL && taken != NULL) || out_of_memory(w, t);
    for (size_t i = 0; ok && i < count; i++)
        taken[i] = is_complete(w, t, i);
    for (size_t first = 0; ok && first < count; first++) {
        size_t n = 0;
        for (size_t i = first; i < count; i++)
            if (!taken[i] &&
                w->config->points.at[i].technique == w->config->points.at[first].technique) {
                points[n++] = i;
                taken[i] = true;
            }
        ok = n == 0 || add_units_of(w, t, points, n);
    }
    free(points);
    free(taken);
}

/* What the stream is like is known only now, where it was not in the database. */
static void leave_out_unfit(struct work *w, struct task *t) {
    const size_t before = t->game->missing;
    t->game->batches = t->source.stream.batch_count;
    t->game->batch_length = t->source.stream.batch_length;
    plan_count(w->plan, t->game);
    w->progress.done += (double)(before - t->game->missing);
}

/* ---- one thread's loop ---- */

struct frame_hook {
    struct work *work;
    struct task *task;
    double counted; /* of REPLAY_WORK, in progress.done already */
};

static void show_frame(void *user, uint64_t done, uint64_t total) {
    struct frame_hook *hook = user;
    struct work *w = hook->work;
    double part = REPLAY_WORK * (double)done / (double)total;
    char what[120];
    snprintf(what, sizeof what, "%s: frame %" PRIu64 " of %" PRIu64, hook->task->game->game->name,
             done, total);
    pthread_mutex_lock(&w->lock);
    w->progress.done += part - hook->counted;
    hook->counted = part;
    progress_show(&w->progress, what);
    pthread_mutex_unlock(&w->lock);
}

static void load(struct work *w, struct task *t) {
    struct error e = {0};
    struct frame_hook hook = {.work = w, .task = t};
    struct source_hooks hooks = {
        .stopped = w->options->stopped, .frame = show_frame, .user = &hook};
    pthread_mutex_unlock(&w->lock);
    enum status status =
        source_make(&t->source, t->game, w->config, &w->options->engine, &hooks, &e);
    enum status written = STATUS_OK;
    if (status == STATUS_OK && !(t->game->has_stream && t->game->has_exact))
        written =
            rows_put_source(w->writer, &t->of, t->game, &t->source, w->options->engine_options, &e);
    if (status == STATUS_OK && !w->options->direct)
        status = stream_index_make(&t->index, &t->source.stream, &e);
    pthread_mutex_lock(&w->lock);
    w->progress.done += REPLAY_WORK - hook.counted;
    if (status != STATUS_OK)
        fail(w, t, status, &e);
    t->state = TASK_READY;
    if (written != STATUS_OK)
        fail(w, t, written, &e);
    if (!t->failed) {
        if (t->source.warning.text[0] != '\0')
            progress_line(&w->progress, "hotgraph: warning: %s", t->source.warning.text);
        progress_line(&w->progress, "%s: %s, %zu batches, %zu exact edges (%.1f s)",
                      t->game->game->name,
                      t->game->cartridge != NULL       ? "replayed"
                      : t->game->game->program != NULL ? "recorded"
                                                       : "read",
                      t->source.stream.batch_count, t->source.exact.edge_count, t->source.seconds);
        leave_out_unfit(w, t);
        add_units(w, t);
    }
    settle(w, t);
}

/* How many of a unit's things were missing; they are there now. */
static double mark_found(struct work *w, struct task *t, const struct unit *unit) {
    double found = 0;
    for (size_t i = 0; i < unit->count; i++) {
        struct plan_point *p = &t->game->points[unit->points[i]];
        const bool curve = w->config->points.at[unit->points[i]].label != NULL;
        found += !p->has_result + (curve && !p->has_curve);
        p->has_result = true;
        p->has_curve |= curve;
    }
    return found;
}

static void run_unit(struct work *w, struct task *t) {
    struct error e = {0};
    const struct unit unit = t->units.at[t->next++];
    char what[120];
    snprintf(what, sizeof what, "%s: %zu of %zu", t->game->game->name, t->next, t->units.len);
    pthread_mutex_unlock(&w->lock);
    enum status status = find_results(w, t, &unit, &e);
    pthread_mutex_lock(&w->lock);
    t->finished++;
    if (status != STATUS_OK)
        fail(w, t, status, &e);
    else
        w->progress.done += mark_found(w, t, &unit);
    progress_show(&w->progress, what);
    settle(w, t);
}

/* Units come before replays: a stream is loaded only when of each that is held the last units are
 * under way, so no more are held than there are threads. */
static struct task *pick(struct work *w) {
    for (size_t i = 0; i < w->count; i++)
        if (w->tasks[i].state == TASK_READY && !w->tasks[i].failed &&
            w->tasks[i].next < w->tasks[i].units.len)
            return &w->tasks[i];
    for (size_t i = 0; i < w->count; i++)
        if (w->tasks[i].state == TASK_WAITING)
            return &w->tasks[i];
    return NULL;
}

static bool all_over(const struct work *w) {
    for (size_t i = 0; i < w->count; i++)
        if (w->tasks[i].state != TASK_OVER)
            return false;
    return true;
}

static void loop(struct work *w) {
    pthread_mutex_lock(&w->lock);
    while (!w->ending && !all_over(w)) {
        if (w->options->stopped != NULL && w->options->stopped()) {
            w->ending = true;
            w->status = w->status != STATUS_OK
                            ? w->status
                            : error_set(&w->error, STATUS_INTERRUPTED, "stopped");
            break;
        }
        struct task *t = pick(w);
        if (t == NULL) {
            pthread_cond_wait(&w->changed, &w->lock);
        } else if (t->state == TASK_READY) {
            run_unit(w, t);
        } else {
            t->state = TASK_LOADING;
            load(w, t);
        }
    }
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

/* ---- the whole ---- */

static double set_up_tasks(struct work *w) {
    double total = 0;
    for (size_t i = 0; i < w->plan->config->games.len; i++) {
        struct plan_game *game = &w->plan->games[i];
        if (!game->wanted || !game->present || game->missing == 0 || game->same != NULL)
            continue;
        w->tasks[w->count++] = (struct task){
            .game = game,
            .of = {.run_id = w->options->run_id,
                   .replay_id = game->replay_id,
                   .stream_id = game->stream_id},
        };
        total += REPLAY_WORK + (double)game->missing;
    }
    return total;
}

/* What one of two games of the same stream has found, both have. */
static void share_results(struct plan *plan) {
    for (size_t i = 0; i < plan->config->games.len; i++) {
        struct plan_game *game = &plan->games[i];
        if (game->same == NULL)
            continue;
        game->missing = game->same->missing;
        game->batches = game->same->batches;
        game->batch_length = game->same->batch_length;
    }
}

enum status work_run(struct plan *plan, struct db *db, const struct work_options *options,
                     size_t *failed, struct error *e) {
    struct work w = {.plan = plan, .config = plan->config, .options = options};
    *failed = 0;
    w.tasks = calloc(plan->config->games.len + 1, sizeof *w.tasks);
    if (w.tasks == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    double total = set_up_tasks(&w);
    enum status status = db_begin_work(db, e);
    if (status == STATUS_OK)
        status = writer_start(&w.writer, db, e);
    if (status == STATUS_OK) {
        pthread_mutex_init(&w.lock, NULL);
        pthread_cond_init(&w.changed, NULL);
        progress_start(&w.progress, total);
        int jobs = options->jobs;
#pragma omp parallel num_threads(jobs)
        loop(&w);
        progress_end(&w.progress);
        pthread_cond_destroy(&w.changed);
        pthread_mutex_destroy(&w.lock);
        status = writer_finish(w.writer, e);
    }
    /* The writer's error says more than that of whoever noticed it. */
    if (status == STATUS_OK && w.status != STATUS_OK) {
        status = w.status;
        *e = w.error;
    }
    for (size_t i = 0; i < w.count; i++) {
        *failed += w.tasks[i].failed && w.tasks[i].state == TASK_OVER;
        free_source(&w.tasks[i]);
        for (size_t k = 0; k < w.tasks[i].units.len; k++)
            free(w.tasks[i].units.at[k].points);
        vec_free(&w.tasks[i].units);
    }
    free(w.tasks);
    share_results(plan);
    return status;
}
