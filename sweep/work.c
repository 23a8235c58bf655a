#include "sweep/work.h"

#include "sweep/hash.h"
#include "sweep/progress.h"
#include "sweep/rows.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How much longer than one configuration a replay takes, for the estimate of the time left only. */
#define REPLAY_WORK 40.0

enum unit_kind { UNIT_RESULT, UNIT_CURVE, UNIT_GRAPH };

struct unit {
    enum unit_kind kind;
    size_t point;
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
    bool graphs_added, failed;
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
    size_t loaded; /* tasks that hold a stream, or will soon */
    bool ending;
    enum status status;
    struct error error;
};

/* ---- units of work; they run without the lock and look at nothing that changes ---- */

struct found { /* by UNIT_RESULT */
    double similarity;
    uint64_t edges;
};

static enum status compare_both(struct metrics *whole, struct metrics *active,
                                const struct graph *g, const struct graph *exact, struct error *e) {
    enum status status = graph_compare(whole, g, exact, (struct compare_options){0}, e);
    return status != STATUS_OK
               ? status
               : graph_compare(active, g, exact, (struct compare_options){.active = true}, e);
}

static enum status find_result(struct work *w, struct task *t, size_t point, struct found *found,
                               struct error *e) {
    const struct config_point *p = &w->config->points.at[point];
    struct db_result row = {.configuration_id = w->options->configuration_ids[point]};
    struct profile profile = {0};
    double start = source_clock();
    enum status status = p->technique->build(&profile, &t->source.stream, SIZE_MAX, p->values, e);
    row.seconds = source_clock() - start;
    if (status == STATUS_OK)
        status = compare_both(&row.whole, &row.active, &profile.graph, &t->source.exact, e);
    if (status == STATUS_OK)
        status = hash_graph(&profile.graph, row.graph_hash, e);
    row.bins = profile.bins;
    row.low = profile.low;
    row.high = profile.high;
    row.blocks = profile.graph.block_count;
    row.cost = profile.cost;
    *found = (struct found){.similarity = row.whole.similarity, .edges = row.whole.edges};
    profile_free(&profile);
    return status != STATUS_OK ? status : rows_put_result(w->writer, &t->of, row, e);
}

struct curve {
    struct work *work;
    struct task *task;
    size_t point, count;
    struct db_convergence *rows;
};

static enum status add_to_curve(void *user, size_t batches, const struct profile *profile,
                                struct error *e) {
    struct curve *c = user;
    struct db_convergence *row = &c->rows[c->count++];
    *row = (struct db_convergence){
        .configuration_id = c->work->options->configuration_ids[c->point],
        .batches = batches,
        .bins = profile->bins,
        .blocks = profile->graph.block_count,
    };
    return compare_both(&row->whole, &row->active, &profile->graph, &c->task->source.exact, e);
}

static enum status find_curve(struct work *w, struct task *t, size_t point, struct error *e) {
    const struct config_point *p = &w->config->points.at[point];
    size_t *marks, count;
    enum status status = plan_marks(w->config, t->source.stream.batch_count, &marks, &count, e);
    if (status != STATUS_OK)
        return status;
    struct curve curve = {
        .work = w, .task = t, .point = point, .rows = calloc(count, sizeof *curve.rows)};
    if (curve.rows == NULL)
        status = error_set(e, STATUS_MEMORY, "out of memory");
    if (status == STATUS_OK)
        status = technique_build_at(p->technique, &t->source.stream, marks, count, p->values,
                                    add_to_curve, &curve, e);
    free(marks);
    if (status == STATUS_OK)
        return rows_put_curve(w->writer, &t->of, curve.rows, curve.count, e);
    free(curve.rows);
    return status;
}

static enum status find_graph(struct work *w, struct task *t, size_t point, struct error *e) {
    const struct config_point *p = &w->config->points.at[point];
    struct profile profile = {0};
    enum status status = p->technique->build(&profile, &t->source.stream, SIZE_MAX, p->values, e);
    if (status == STATUS_OK)
        status = rows_put_graph(w->writer, &t->of, w->options->configuration_ids[point],
                                &profile.graph, e);
    profile_free(&profile);
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

static void forget_source(struct work *w, struct task *t) {
    source_free(&t->source);
    t->state = TASK_OVER;
    w->loaded--;
}

static bool add_unit(struct work *w, struct task *t, enum unit_kind kind, size_t point) {
    if (vec_push(&t->units, ((struct unit){.kind = kind, .point = point})))
        return true;
    struct error e;
    enum status status = error_set(&e, STATUS_MEMORY, "out of memory");
    fail(w, t, status, &e);
    return false;
}

static void add_graph_units(struct work *w, struct task *t) {
    size_t roles[PLAN_ROLES];
    t->graphs_added = true;
    if (!plan_roles(w->config, t->game->points, roles))
        return;
    for (int r = 0; r < PLAN_ROLES; r++) {
        struct plan_point *p = &t->game->points[roles[r]];
        if (!p->has_graph && p->edges > 0 && !add_unit(w, t, UNIT_GRAPH, roles[r]))
            return;
        p->has_graph = true; /* one configuration may have several roles */
    }
}

/* Called whenever a unit of t has ended. */
static void settle(struct work *w, struct task *t) {
    bool running = t->finished < t->next;
    if (!t->failed && t->finished == t->units.len && !t->graphs_added)
        add_graph_units(w, t);
    if (!running && (t->failed || t->finished == t->units.len))
        forget_source(w, t);
    if (t->state == TASK_OVER && !t->failed) {
        t->game->missing = 0;
        progress_line(&w->progress, "%s: done", t->game->game->name);
    }
    pthread_cond_broadcast(&w->changed);
}

static void add_units(struct work *w, struct task *t) {
    bool ok = true;
    for (size_t i = 0; ok && i < w->config->points.len; i++) {
        const struct plan_point *p = &t->game->points[i];
        if (!p->has_result)
            ok = add_unit(w, t, UNIT_RESULT, i);
        if (ok && w->config->points.at[i].label != NULL && !p->has_curve)
            ok = add_unit(w, t, UNIT_CURVE, i);
    }
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
        source_make(&t->source, t->game, &w->config->sampling, &w->options->engine, &hooks, &e);
    enum status written = STATUS_OK;
    if (status == STATUS_OK && t->game->stream_id == 0)
        written = rows_put_source(w->writer, &t->of, t->game, &w->config->sampling, &t->source, &e);
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
                      t->game->game->name, t->game->cartridge != NULL ? "replayed" : "read",
                      t->source.stream.batch_count, t->source.exact.edge_count, t->source.seconds);
        add_units(w, t);
    }
    settle(w, t);
}

static void run_unit(struct work *w, struct task *t) {
    struct error e = {0};
    struct unit unit = t->units.at[t->next++];
    struct found found = {0};
    char what[120];
    snprintf(what, sizeof what, "%s: %zu of %zu", t->game->game->name, t->next, t->units.len);
    pthread_mutex_unlock(&w->lock);
    enum status status = unit.kind == UNIT_RESULT  ? find_result(w, t, unit.point, &found, &e)
                         : unit.kind == UNIT_CURVE ? find_curve(w, t, unit.point, &e)
                                                   : find_graph(w, t, unit.point, &e);
    pthread_mutex_lock(&w->lock);
    t->finished++;
    w->progress.done += 1;
    struct plan_point *p = &t->game->points[unit.point];
    if (status != STATUS_OK) {
        fail(w, t, status, &e);
    } else if (unit.kind == UNIT_RESULT) {
        p->has_result = true;
        p->similarity = found.similarity;
        p->edges = found.edges;
    } else if (unit.kind == UNIT_CURVE) {
        p->has_curve = true;
    }
    progress_show(&w->progress, what);
    settle(w, t);
}

/* Units come before replays, so that streams are held no longer than needed. */
static struct task *pick(struct work *w) {
    for (size_t i = 0; i < w->count; i++)
        if (w->tasks[i].state == TASK_READY && !w->tasks[i].failed &&
            w->tasks[i].next < w->tasks[i].units.len)
            return &w->tasks[i];
    for (size_t i = 0; i < w->count && w->loaded <= (size_t)w->options->jobs; i++)
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
            w->loaded++;
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
        if (!game->wanted || !game->present || game->missing == 0)
            continue;
        w->tasks[w->count++] = (struct task){
            .game = game,
            .of = {.run_id = w->options->run_id,
                   .experiment_id = w->options->experiment_id,
                   .game_id = w->options->game_ids[i],
                   .stream_id = game->stream_id},
        };
        total += REPLAY_WORK + (double)game->missing;
    }
    return total;
}

enum status work_run(struct plan *plan, struct db *db, const struct work_options *options,
                     size_t *failed, struct error *e) {
    struct work w = {.plan = plan, .config = plan->config, .options = options};
    *failed = 0;
    w.tasks = calloc(plan->config->games.len + 1, sizeof *w.tasks);
    if (w.tasks == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    double total = set_up_tasks(&w);
    enum status status = writer_start(&w.writer, db, e);
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
        source_free(&w.tasks[i].source);
        vec_free(&w.tasks[i].units);
    }
    free(w.tasks);
    return status;
}
