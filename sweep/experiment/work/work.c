#include "experiment/experiment.h"

#include "base/base.h"
#include "cli/cli.h"
#include "experiment/plan/groups.h"
#include "experiment/store/window_rows.h"
#include "experiment/work/find.h"
#include "experiment/work/find_windows.h"
#include "experiment/work/illustrate.h"
#include "experiment/work/program_images.h"

#include <inttypes.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* One game's work. Its concurrent tasks change only atomic members, and their own points of the
 * plan. */
struct game_work {
    struct plan_game *game;
    struct groups groups;
    struct source source;
    bool loaded;
    double source_seconds, point_seconds; /* estimates: for the streams, for building from them */
    atomic_bool failed;
    atomic_size_t found;  /* groups */
    atomic_size_t losses; /* results whose program failed */
};

struct work {
    struct plan *plan;
    const struct config *config;
    const struct work_options *options;
    struct writer *writer;
    struct game_work *games;
    size_t count;
    atomic_size_t begun; /* games */
    atomic_bool ending;
    struct plan_rates rates;
    /* Protected by the critical section `report`. */
    struct progress progress; /* in estimated seconds of one processor */
    enum status status;       /* of the first failure that ends the sweep */
    struct error error;
};

/* ---- what is said meanwhile ---- */

/* Records a failure. everything: the first such failure ends the sweep; otherwise only the game
 * ends. */
static void fail(struct work *w, struct game_work *t, enum status status, bool everything,
                 const struct error *e) {
    everything |= status == STATUS_INTERRUPTED || status == STATUS_MEMORY;
    const bool first = !atomic_exchange(&t->failed, true);
    if (everything)
        atomic_store(&w->ending, true);
#pragma omp critical(report)
    {
        if (everything && w->status == STATUS_OK) {
            w->status = status;
            w->error = *e;
        } else if (!everything && first) {
            progress_line(&w->progress, "hotgraph: %s: %s", t->game->label, e->text);
        }
    }
}

/* Advances the progress by `work` and shows it. */
static void advance(struct work *w, double work, const char *what) {
#pragma omp critical(report)
    {
        w->progress.done += work;
        progress_show(&w->progress, what);
    }
}

/* False if the game's remaining tasks must not run. */
static bool goes_on(struct work *w, struct game_work *t) {
    if (w->options->stopped != NULL && w->options->stopped() && !atomic_load(&w->ending)) {
        struct error e;
        fail(w, t, error_set(&e, STATUS_INTERRUPTED, "stopped"), true, &e);
    }
    return !atomic_load(&w->ending) && !atomic_load(&t->failed);
}

/* ---- a game's first task: its streams ---- */

struct frame_hook {
    struct work *work;
    struct game_work *task;
    double counted; /* the part of source_seconds already in progress.done */
};

static void show_frame(void *user, uint64_t done, uint64_t total) {
    struct frame_hook *hook = user;
    const double part = hook->task->source_seconds * (double)done / (double)total;
    char what[120];
    snprintf(what, sizeof what, "%.60s: frame %" PRIu64 " of %" PRIu64, hook->task->game->label,
             done, total);
    advance(hook->work, part - hook->counted, what);
    hook->counted = part;
}

/* "1667 batches"; for several streams "1667 to 18000 batches in 4 streams". */
static void describe_streams(const struct source *s, char *out, size_t size) {
    size_t count = 0, least = SIZE_MAX, most = 0;
    for (size_t i = 0; i < s->stream_count; i++) {
        const struct stream *one = &s->streams[i].stream;
        if (one->batch_length == 0)
            continue;
        count++;
        least = one->batch_count < least ? one->batch_count : least;
        most = one->batch_count > most ? one->batch_count : most;
    }
    if (count <= 1)
        snprintf(out, size, "%zu batches", most);
    else
        snprintf(out, size, "%zu to %zu batches in %zu streams", least, most, count);
}

/* Estimates the seconds to build everything from a game's streams. */
static double estimate_points(const struct work *w, const struct plan_game *game) {
    double seconds = 0;
    for (size_t k = 0; k < game->stream_count; k++) {
        const struct plan_stream *s = &game->streams[k];
        for (size_t i = 0; i < w->config->points.len; i++)
            if (plan_due(w->plan, s, i) > 0)
                seconds +=
                    plan_point_seconds(&w->rates, w->plan, game, s, plan_batches(game, s), i);
    }
    return seconds;
}

/* Reports that the streams are loaded and revises the estimate, since new streams' batches are
 * known only now; `work` was done to load them. */
static void say_loaded(struct work *w, struct game_work *t, double work) {
    struct plan_game *game = t->game;
    for (size_t i = 0; i < game->stream_count; i++) {
        if (t->source.streams[i].stream.batch_length == 0)
            continue;
        game->streams[i].has_stream = true; /* its rows are on their way */
        game->streams[i].batches = t->source.streams[i].stream.batch_count;
        game->streams[i].batch_length = t->source.streams[i].stream.batch_length;
    }
    plan_count(w->plan, game);
    const double points = estimate_points(w, game), more = points - t->point_seconds;
    t->point_seconds = points;
    char batches[100];
    describe_streams(&t->source, batches, sizeof batches);
    const char *how = game->cartridge != NULL       ? "replayed"
                      : game->game->program == NULL ? "read"
                      : game->game->program->native ? "counted"
                                                    : "recorded";
#pragma omp critical(report)
    {
        w->progress.done += work;
        w->progress.total += more;
        if (t->source.warning.text[0] != '\0')
            progress_line(&w->progress, "hotgraph: warning: %s", t->source.warning.text);
        progress_line(&w->progress, "%s: %s, %s, %zu exact edges (%.1f s)", game->label, how,
                      batches, t->source.exact.edge_count, t->source.seconds);
    }
}

/* True if all replay results are stored. */
static bool is_stored(const struct plan_game *game) {
    bool stored = game->has_exact && (game->has_paths || !game->judges_paths);
    for (size_t i = 0; i < game->stream_count; i++)
        stored &= game->streams[i].has_stream || game->streams[i].missing == 0;
    return stored;
}

static enum status make_indexes(struct source *s, struct error *e) {
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < s->stream_count; i++)
        if (s->streams[i].stream.batch_count > 0 && s->streams[i].stream.of != STREAM_OF_BRANCHES)
            status = stream_index_make(&s->streams[i].index, &s->streams[i].stream, e);
    return status;
}

static void load(struct work *w, struct game_work *t) {
    struct error e = {0};
    struct frame_hook hook = {.work = w, .task = t};
    const struct source_hooks hooks = {
        .stopped = w->options->stopped, .frame = show_frame, .user = &hook};
    if (!goes_on(w, t))
        return;
    enum status status =
        source_make(&t->source, t->game, w->config, &w->options->engine, &hooks, &e);
    bool writing = false;
    if (status == STATUS_OK && !is_stored(t->game)) {
        status = rows_put_source(w->writer, w->options->run_id, t->game, &t->source,
                                 w->options->engine_options, &e);
        if (status == STATUS_OK && t->game->game->program != NULL)
            status = images_put(w->writer, w->options->run_id, t->game, &t->source, &e);
        writing = status != STATUS_OK;
    }
    if (status == STATUS_OK && t->source.windows != NULL) {
        status = window_rows_put_exact(w->writer, t->game->replay_id, t->source.windows, &e);
        writing = status != STATUS_OK;
    }
    if (status == STATUS_OK) {
        status = illustrate(w->writer, t->game, w->config, &t->source, &e);
        writing = status != STATUS_OK;
    }
    if (status == STATUS_OK && !w->options->direct)
        status = make_indexes(&t->source, &e);
    t->loaded = status == STATUS_OK;
    if (t->loaded)
        say_loaded(w, t, t->source_seconds - hook.counted);
    else
        fail(w, t, status, writing, &e);
}

/* ---- then, for each group of configurations: its results ---- */

/* Marks the group's results as done; returns their estimated cost. */
static double mark_found(struct work *w, struct game_work *t, const struct group_of_points *group) {
    const struct plan_stream *stream = &t->game->streams[group->stream];
    double seconds = 0;
    for (size_t i = 0; i < group->count; i++) {
        struct plan_point *p = &stream->points[group->points[i]];
        p->has_result = p->has_windows = p->has_paths = true;
        p->has_curve |= w->config->points.at[group->points[i]].label != NULL;
        seconds += plan_point_seconds(&w->rates, w->plan, t->game, stream,
                                      plan_batches(t->game, stream), group->points[i]);
    }
    return seconds;
}

/* A line of a technique's program. */
struct said_by {
    struct work *work;
    const struct game_work *task;
    const struct config_point *point;
};

static void say_line(void *user, const char *line) {
    const struct said_by *by = user;
    char safe[300];
    size_t len = 0;
    for (; line[len] != '\0' && len + 1 < sizeof safe; len++) /* it must not control a terminal */
        safe[len] = (unsigned char)line[len] < ' ' || line[len] == 0x7f ? '?' : line[len];
    safe[len] = '\0';
#pragma omp critical(report)
    progress_line(&by->work->progress, "%s: %s: %s", by->task->game->label,
                  by->point->technique->name, safe);
}

/* A program's failure is its result's alone. */
static void lose(struct work *w, struct game_work *t, const struct config_point *point,
                 const struct error *e) {
    atomic_fetch_add(&t->losses, 1);
#pragma omp critical(report)
    progress_line(&w->progress, "hotgraph: %s: %s: no result: %s", t->game->label, point->key,
                  e->text);
}

/* Builds the group's points; skips those that do not fit the stream. */
static void build(struct work *w, struct game_work *t, struct group_of_points *group) {
    /* A game that failed may have no streams. */
    if (!goes_on(w, t))
        return;
    struct error e = {0};
    const struct plan_stream *plan = &t->game->streams[group->stream];
    const struct config_point *point = &w->config->points.at[group->points[0]];
    struct said_by said_by = {.work = w, .task = t, .point = point};
    const struct find find = {.config = w->config,
                              .game = t->game,
                              .engine = w->options->engine,
                              .plan = plan,
                              .source = &t->source,
                              .stream = &t->source.streams[group->stream],
                              .of = {.run_id = w->options->run_id, .stream_id = plan->stream_id},
                              .writer = w->writer,
                              .direct = w->options->direct,
                              .stopped = w->options->stopped,
                              .said = say_line,
                              .user = &said_by};
    size_t count = 0;
    for (size_t i = 0; i < group->count; i++)
        if (plan_due(w->plan, plan, group->points[i]) > 0)
            group->points[count++] = group->points[i];
    group->count = count;
    enum status status = count > 0 ? find_missing(&find, group->points, count, &e) : STATUS_OK;
    if (status == STATUS_OK && count > 0)
        status = find_windows(&find, group->points, count, &e);
    if (status == STATUS_GUEST && point->technique->exec != NULL) {
        lose(w, t, point, &e);
        return;
    }
    if (status != STATUS_OK) {
        fail(w, t, status, status == STATUS_IO, &e);
        return;
    }
    char what[120];
    const size_t found = atomic_fetch_add(&t->found, 1) + 1;
    snprintf(what, sizeof what, "%.80s: %zu of %zu", t->game->label, found, t->groups.list.len);
    advance(w, mark_found(w, t, group), what);
}

/* ---- and at the end ---- */

static void let_go(struct work *w, struct game_work *t) {
    source_free(&t->source);
    if (t->loaded && t->losses > 0) {
        t->game->has_exact = true;
        plan_count(w->plan, t->game);
    }
    if (!t->loaded || atomic_load(&t->found) < t->groups.list.len)
        return;
    for (size_t i = 0; i < t->game->stream_count; i++)
        t->game->streams[i].missing = 0;
    t->game->missing = 0;
#pragma omp critical(report)
    progress_line(&w->progress, "%s: done", t->game->label);
}

/* Begins the tasks of the next game. A game's last task begins another, so the number of games in
 * memory stays the number that was begun from outside. */
static void begin_game(struct work *w) {
    const size_t number = atomic_fetch_add(&w->begun, 1);
    if (number >= w->count)
        return;
    struct game_work *t = &w->games[number];
#pragma omp task depend(out : t->source)
    load(w, t);
    for (size_t i = 0; i < t->groups.list.len; i++) {
        struct group_of_points *group = &t->groups.list.at[i];
#pragma omp task depend(in : t->source)
        build(w, t, group);
    }
#pragma omp task depend(inout : t->source)
    {
        let_go(w, t);
        begin_game(w);
    }
}

/* ---- the whole ---- */

static enum status set_up_games(struct work *w, struct db *db, double *total, struct error *e) {
    enum status status = plan_learn_rates(&w->rates, w->config, db, e);
    for (size_t i = 0; i < w->plan->count && status == STATUS_OK; i++) {
        struct plan_game *game = &w->plan->games[i];
        if (!game->wanted || !game->present || game->missing == 0 || game->same != NULL)
            continue;
        struct game_work *t = &w->games[w->count++];
        t->game = game;
        status = groups_make(&t->groups, w->plan, game, !w->options->direct, e);
        t->source_seconds = plan_source_seconds(&w->rates, game);
        t->point_seconds = estimate_points(w, game);
        *total += t->source_seconds + t->point_seconds;
    }
    return status;
}

static enum status run_tasks(struct work *w, struct db *db, double total, struct error *e) {
    enum status status = writer_start(&w->writer, db, e);
    if (status != STATUS_OK)
        return status;
    progress_start(&w->progress, total);
#pragma omp parallel num_threads(w->options->jobs)
#pragma omp single
    for (int i = 0; i < omp_get_num_threads(); i++)
        begin_game(w);
    progress_end(&w->progress);
    status = writer_finish(w->writer, e);
    /* The writer's error says more than that of the task that noticed it. */
    if (status == STATUS_OK && w->status != STATUS_OK) {
        status = w->status;
        *e = w->error;
    }
    return status;
}

/* Games with identical streams share results. */
static void share_results(struct plan *plan) {
    for (size_t i = 0; i < plan->count; i++) {
        struct plan_game *game = &plan->games[i];
        if (game->same == NULL)
            continue;
        game->missing = game->same->missing;
        game->left = game->same->left;
        for (size_t k = 0; k < game->stream_count; k++) {
            game->streams[k].missing = game->same->streams[k].missing;
            game->streams[k].left = game->same->streams[k].left;
            game->streams[k].has_stream = game->same->streams[k].has_stream;
            game->streams[k].batches = game->same->streams[k].batches;
            game->streams[k].batch_length = game->same->streams[k].batch_length;
        }
    }
}

enum status work_run(struct plan *plan, struct db *db, const struct work_options *options,
                     struct work_failures *failed, struct error *e) {
    struct work w = {.plan = plan, .config = plan->config, .options = options};
    double total = 0;
    *failed = (struct work_failures){0};
    w.games = calloc(plan->count + 1, sizeof *w.games);
    enum status status = w.games != NULL ? set_up_games(&w, db, &total, e)
                                         : error_set(e, STATUS_MEMORY, "out of memory");
    if (status == STATUS_OK)
        status = db_begin_work(db, e);
    if (status == STATUS_OK)
        status = run_tasks(&w, db, total, e);
    for (size_t i = 0; i < w.count; i++) {
        failed->games += w.games[i].failed;
        failed->results += w.games[i].losses;
        groups_free(&w.games[i].groups);
    }
    free(w.games);
    share_results(plan);
    return status;
}
