#include "experiment/work/source.h"
#include "experiment/work/illustrate.h"
#include "experiment/work/source_program.h"
#include "experiment/work/source_windows.h"

#include "base/base.h"
#include "qemu/qemu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double source_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- one replay ---- */

/* Frames between two calls of the frame hook. */
enum { FRAMES_A_CALL = 60 };

/* One of a game's replays: its share of the progress and its purpose. */
struct pass {
    const struct plan_game *game;
    const struct movie *movie;
    uint64_t frames; /* to play */
    struct nes *nes;
    const struct source_hooks *hooks;
    uint64_t before, total;      /* frames of earlier replays, and of all replays */
    struct hash *hashes;         /* of the frames; NULL: not wanted */
    struct trace_excerpt *trace; /* NULL: not wanted */
    /* Called after each frame, with the number of frames played; may be NULL. */
    enum status (*played)(void *user, uint64_t frames, struct error *e);
    void *user;
};

/* A machine has a limited number of observers. Others besides samplers: exact, the structure's, the
 * tracer. */
enum { OTHER_OBSERVERS = 3, SAMPLERS_MOST = NES_OBSERVERS - OTHER_OBSERVERS };

static enum status play_frame(const struct pass *p, struct tracer *tracer, uint64_t number,
                              struct error *e) {
    const bool traced = tracer->attached && number == ILLUSTRATED_FRAME;
    if (traced)
        tracer_trace(tracer, true);
    enum status status = movie_play_frame(p->movie, p->nes, e);
    if (traced)
        tracer_trace(tracer, false);
    return status;
}

static enum status play_frames(const struct pass *p, struct tracer *tracer, struct error *e) {
    const struct source_hooks *hooks = p->hooks;
    for (uint64_t i = 0; i < p->frames; i++) {
        if (hooks->stopped != NULL && hooks->stopped())
            return error_set(e, STATUS_INTERRUPTED, "stopped");
        enum status status = play_frame(p, tracer, i, e);
        if (status == STATUS_OK && p->played != NULL)
            status = p->played(p->user, i + 1, e);
        if (status != STATUS_OK)
            return status;
        if (p->hashes != NULL)
            hash_add(p->hashes, "%016" PRIx64 "\n", nes_ram_hash(p->nes));
        if (hooks->frame != NULL && (i + 1) % FRAMES_A_CALL == 0)
            hooks->frame(hooks->user, p->before + i + 1, p->total);
    }
    return STATUS_OK;
}

static enum status play(const struct pass *p, struct error *e) {
    struct tracer tracer = {0};
    enum status status = p->trace != NULL ? tracer_begin(&tracer, p->nes, p->trace, e) : STATUS_OK;
    if (status == STATUS_OK)
        status = play_frames(p, &tracer, e);
    enum status ended = tracer_end(&tracer, status == STATUS_OK ? e : NULL);
    if (p->trace != NULL)
        trace_sort(p->trace);
    return status != STATUS_OK ? status : ended;
}

/* One observer that samples: for one stream, or for several that can share it. */
struct sampling {
    struct sampler *alone;
    struct sampler_group *group;
    VEC(size_t) streams; /* indexes */
};

/* The observers of a replay. */
struct watchers {
    const struct technique *exact; /* NULL: not wanted */
    void *watch;
    struct sampling samplings[SAMPLERS_MOST];
    size_t sampling_count;
    struct structure_recorder *recorder;
};

static enum status watch_exactly(struct watchers *w, struct nes *nes, struct error *e) {
    w->exact = technique_find("exact");
    if (w->exact == NULL)
        return error_set(e, STATUS_UNSUPPORTED,
                         "this program was built without the technique 'exact', with which all "
                         "results are compared");
    int64_t values[TECHNIQUE_PARAMETERS] = {0};
    for (int i = 0; i < TECHNIQUE_PARAMETERS && w->exact->parameters[i].name != NULL; i++)
        values[i] = w->exact->parameters[i].standard;
    return w->exact->attach(&w->watch, nes, values, e);
}

/* True if the stream is incomplete, and is one of samples. */
static bool has_sampler(const struct plan_stream *s) {
    return s->missing > 0 && !s->configured->live;
}

/* True if stream `i` shares the observer of stream `first`. */
static bool shares(const struct plan_game *game, size_t first, size_t i) {
    const struct plan_stream *const a = &game->streams[first], *const b = &game->streams[i];
    return i == first ||
           (has_sampler(a) && has_sampler(b) && sampler_may_share(&a->configured->options) &&
            a->configured->options.by == b->configured->options.by);
}

/* True if the stream needs an observer that no earlier stream has. */
static bool begins_sampling(const struct plan_game *game, size_t i) {
    size_t first = 0;
    while (!shares(game, first, i))
        first++;
    return first == i && has_sampler(&game->streams[i]);
}

/* Attaches a sampler for each of the streams of `s`. */
static enum status attach_sampling(struct sampling *s, struct nes *nes,
                                   const struct plan_game *game, const struct structure *structure,
                                   struct error *e) {
    struct sampler_options *const options = calloc(s->streams.len, sizeof *options);
    if (options == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; i < s->streams.len; i++) {
        options[i] = game->streams[s->streams.at[i]].configured->options;
        options[i].structure = structure;
    }
    const enum status status =
        s->streams.len == 1 ? sampler_attach(&s->alone, nes, options[0], e)
                            : sampler_group_attach(&s->group, nes, options, s->streams.len, e);
    free(options);
    return status;
}

/* Attaches samplers for incomplete streams, from index *next on, as many as there is room for;
 * *next gets the index of the first stream whose observer remains. */
static enum status sample(struct watchers *w, struct nes *nes, const struct plan_game *game,
                          const struct structure *structure, size_t *next, struct error *e) {
    enum status status = STATUS_OK;
    for (; status == STATUS_OK && *next < game->stream_count && w->sampling_count < SAMPLERS_MOST;
         ++*next) {
        if (!begins_sampling(game, *next))
            continue;
        struct sampling *const s = &w->samplings[w->sampling_count++];
        for (size_t i = *next; status == STATUS_OK && i < game->stream_count; i++)
            if (shares(game, *next, i) && !vec_push(&s->streams, i))
                status = error_set(e, STATUS_MEMORY, "out of memory");
        if (status == STATUS_OK)
            status = attach_sampling(s, nes, game, structure, e);
    }
    return status;
}

static void describe_sampling(const struct sampling *s, size_t number, struct stream *out) {
    if (s->group != NULL)
        sampler_group_describe(s->group, number, out);
    else
        sampler_describe(s->alone, out);
}

/* Moves the streams to `out`, unless `status` says that the replay failed, and frees the observer. */
static enum status finish_sampling(struct sampling *s, struct source *out, enum status status,
                                   struct error *e) {
    const size_t count = s->streams.len;
    struct stream *const made = status == STATUS_OK ? calloc(count, sizeof *made) : NULL;
    if (made != NULL) {
        status = s->group != NULL ? sampler_group_finish(s->group, made, e)
                                  : sampler_finish(s->alone, made, e);
        for (size_t i = 0; i < count; i++)
            out->streams[s->streams.at[i]].stream = made[i];
    } else {
        sampler_group_free(s->group);
        sampler_free(s->alone);
        if (status == STATUS_OK)
            status = error_set(e, STATUS_MEMORY, "out of memory");
    }
    free(made);
    vec_free(&s->streams);
    return status;
}

/* A replay whose steps are noted: the exact counts, and how far each sampler has come. */
struct noted_steps {
    struct watchers *watchers;
    struct source *source;
};

static enum status note_step(void *user, uint64_t frames, struct error *e) {
    const struct noted_steps *n = user;
    struct source_windows *w = n->source->windows;
    size_t step;
    if (!source_windows_ends_step(w, frames, &step))
        return STATUS_OK;
    for (size_t i = 0; i < n->watchers->sampling_count; i++) {
        const struct sampling *const s = &n->watchers->samplings[i];
        for (size_t k = 0; k < s->streams.len; k++)
            describe_sampling(s, k, &n->source->streams[s->streams.at[k]].moments[step]);
    }
    return n->watchers->watch != NULL ? exact_steps_mark(w->marks, e) : STATUS_OK;
}

/* Collects the observers' results, unless `status` says that the replay failed, and frees them. */
static enum status finish(struct watchers *w, struct source *out, enum status status,
                          struct error *e) {
    struct profile profile = {0};
    for (size_t i = 0; i < w->sampling_count; i++)
        status = finish_sampling(&w->samplings[i], out, status, e);
    if (status == STATUS_OK && w->watch != NULL) {
        status = w->exact->finish(w->watch, &profile, e);
        w->watch = NULL;
        out->exact = profile.graph;
        out->exact_cost = profile.cost;
    }
    if (status == STATUS_OK && w->recorder != NULL) {
        status = structure_finish(w->recorder, &out->structure, e);
        w->recorder = NULL;
    }
    if (w->exact != NULL)
        w->exact->abandon(w->watch);
    structure_abandon(w->recorder);
    return status;
}

static enum status create(struct nes **nes, const struct plan_game *game,
                          const struct engine_choice *engine, struct error *e) {
    return engine_create(
        nes, engine,
        &(struct nes_options){.cartridge = game->cartridge, .console = game->game->console}, e);
}

/* Replays the game only to record its structure. */
static enum status learn_structure(struct source *out, const struct pass *like,
                                   const struct engine_choice *engine, struct error *e) {
    struct pass pass = *like;
    struct structure_recorder *recorder = NULL;
    struct sampler *counting = NULL;
    enum status status = create(&pass.nes, pass.game, engine, e);
    if (status != STATUS_OK)
        return status;
    status = structure_attach(&recorder, pass.nes, e);
    if (status == STATUS_OK)
        status = sampler_attach_counting(&counting, pass.nes, e);
    if (status == STATUS_OK)
        status = play(&pass, e);
    if (status == STATUS_OK) {
        status = structure_finish(recorder, &out->structure, e);
        recorder = NULL;
    }
    if (status == STATUS_OK) {
        status = sampler_finish_counting(counting, &out->structure, e);
        counting = NULL;
    }
    sampler_free(counting);
    structure_abandon(recorder);
    nes_free(pass.nes);
    return status;
}

/* The first replay with samplers also runs the exact profiler and, if wanted, records the
 * structure. */
static enum status watch_and_play(struct source *out, const struct pass *pass, bool first,
                                  bool structure, const struct structure *known, size_t *next,
                                  struct error *e) {
    struct watchers watchers = {0};
    enum status status = sample(&watchers, pass->nes, pass->game, known, next, e);
    if (status == STATUS_OK && first)
        status = watch_exactly(&watchers, pass->nes, e);
    if (status == STATUS_OK && first && structure)
        status = structure_attach(&watchers.recorder, pass->nes, e);
    if (status == STATUS_OK && first && out->windows != NULL)
        status = exact_steps_begin(&out->windows->marks, watchers.watch, e);
    struct noted_steps noted = {&watchers, out};
    struct pass noting = *pass;
    noting.played = out->windows != NULL ? note_step : NULL;
    noting.user = &noted;
    if (status == STATUS_OK)
        status = play(&noting, e);
    return finish(&watchers, out, status, e);
}

static size_t count_samplings(const struct plan_game *game) {
    size_t count = 0;
    for (size_t i = 0; i < game->stream_count; i++)
        count += begins_sampling(game, i);
    return count;
}

/* True if a sampler needs the structure before it begins: the busy-waits, or the number of
 * transfers. */
static bool sampled_with_structure(const struct plan_game *game) {
    for (size_t i = 0; i < game->stream_count; i++) {
        const struct sampler_options *o = &game->streams[i].configured->options;
        if (has_sampler(&game->streams[i]) &&
            (o->by == SAMPLER_ACTIVE || (o->by == SAMPLER_TRANSFERS && o->per_million != 0)))
            return true;
    }
    return false;
}

static enum status play_first(struct source *out, struct pass *pass, bool structure,
                              const struct structure *known, size_t *next, struct error *e) {
    pass->hashes = hash_start();
    pass->trace = &out->trace;
    enum status status = watch_and_play(out, pass, true, structure, known, next, e);
    if (!hash_finish(pass->hashes, out->frames_hash) && status == STATUS_OK)
        status = error_set(e, STATUS_MEMORY, "out of memory");
    pass->hashes = NULL;
    pass->trace = NULL;
    out->instructions = (int64_t)nes_instructions(pass->nes);
    out->cycles = (int64_t)nes_cycle(pass->nes);
    out->engine = nes_engine(pass->nes)->name;
    snprintf(out->ram_hash, sizeof out->ram_hash, "%016" PRIx64, nes_ram_hash(pass->nes));
    return status;
}

static enum status replay(struct source *out, const struct plan_game *game,
                          const struct config *config, const struct engine_choice *engine,
                          const struct source_hooks *hooks, struct error *e) {
    const struct window_measure measure = window_measure(config, game, 0);
    enum status status = source_windows_new(out, &measure, config, e);
    if (status != STATUS_OK)
        return status;
    const bool before = sampled_with_structure(game), needed = config_needs_structure(config);
    const size_t samplings = count_samplings(game);
    const size_t replays = /* with samplers */
        samplings == 0 ? 1 : (samplings + SAMPLERS_MOST - 1) / SAMPLERS_MOST;
    struct pass pass = {.game = game,
                        .movie = &game->movie,
                        .frames = game->game->frames,
                        .hooks = hooks,
                        .total = game->game->frames * (replays + before)};
    status = before ? learn_structure(out, &pass, engine, e) : STATUS_OK;
    const struct structure *known = before ? &out->structure : NULL;
    pass.before = before ? game->game->frames : 0;
    size_t next = 0;
    for (size_t i = 0; status == STATUS_OK && i < replays; i++) {
        status = create(&pass.nes, game, engine, e);
        if (status != STATUS_OK)
            break;
        status = i == 0 ? play_first(out, &pass, needed && !before, known, &next, e)
                        : watch_and_play(out, &pass, false, false, known, &next, e);
        pass.before += game->game->frames;
        nes_free(pass.nes);
    }
    for (size_t i = 0; needed && i < out->stream_count; i++)
        out->streams[i].stream.structure = &out->structure;
    for (size_t i = 0; i < out->stream_count; i++)
        if (game->streams[i].configured->live)
            out->streams[i].stream.batch_length = 1; /* made, but empty */
    return status == STATUS_OK && out->windows != NULL
               ? source_windows_make(out->windows, &out->exact, e)
               : status;
}

static enum status watch_game(struct profile *out, const struct plan_game *game,
                              const struct config_sampling *way, const struct config_point *point,
                              const struct engine_choice *engine, const struct source_hooks *hooks,
                              struct error *e) {
    const uint64_t frames = config_watched(way, game->game->frames);
    struct pass pass = {.game = game,
                        .movie = way->other ? &game->other : &game->movie,
                        .frames = frames,
                        .hooks = hooks,
                        .total = frames};
    const struct technique *t = point->technique;
    void *self = NULL;
    enum status status = create(&pass.nes, game, engine, e);
    if (status != STATUS_OK)
        return status;
    status = t->attach(&self, pass.nes, point->values, e);
    if (status == STATUS_OK)
        status = play(&pass, e);
    if (status == STATUS_OK) {
        status = t->finish(self, out, e);
        self = NULL;
    }
    t->abandon(self);
    nes_free(pass.nes);
    return status;
}

/* Replays the game once more to count its paths, for all graphs that are judged by them. */
static enum status count_paths(struct source *out, const struct plan_game *game,
                               const struct engine_choice *engine, const struct source_hooks *hooks,
                               struct error *e) {
    struct pass pass = {.game = game,
                        .movie = &game->movie,
                        .frames = game->game->frames,
                        .hooks = &(struct source_hooks){.stopped = hooks->stopped},
                        .total = game->game->frames};
    void *judge = NULL;
    enum status status = create(&pass.nes, game, engine, e);
    if (status != STATUS_OK)
        return status;
    status = path_judge_attach(&judge, pass.nes, e);
    if (status == STATUS_OK)
        status = play(&pass, e);
    if (status == STATUS_OK) {
        status = path_judge_finish(judge, &out->paths, e);
        judge = NULL;
    }
    path_judge_abandon(judge);
    nes_free(pass.nes);
    return status;
}

/* ---- windows of a live technique ---- */

struct windowed {
    const struct window_watch *watch;
    const struct config_point *point;
    struct nes *nes;
    const struct source_window *window; /* the current one */
    size_t left;                        /* windows, with it */
    void *self;                         /* attached in it */
};

static enum status take(struct windowed *w, struct error *e) {
    const struct window_watch *watch = w->watch;
    const struct technique *t = w->point->technique;
    struct profile profile;
    if (!watch->anew && !watch->wants(watch->user, w->window))
        return STATUS_OK;
    enum status status = (watch->anew ? t->finish : t->now)(w->self, &profile, e);
    if (watch->anew)
        w->self = NULL;
    if (status == STATUS_OK) {
        status = watch->each(watch->user, w->window, &profile, e);
        profile_free(&profile);
    }
    return status;
}

/* At the end of a window: takes its profile, and may start anew. */
static enum status next_window(void *user, uint64_t frames, struct error *e) {
    struct windowed *w = user;
    if (frames < w->window->first_tick + w->window->ticks)
        return STATUS_OK;
    const enum status status = take(w, e);
    w->window++;
    w->left--;
    return status == STATUS_OK && w->watch->anew && w->left > 0
               ? w->point->technique->attach(&w->self, w->nes, w->point->values, e)
               : status;
}

enum status source_watch_windows(const struct source *s, const struct plan_game *game,
                                 const struct window_watch *watch, const struct config_point *point,
                                 const struct engine_choice *engine,
                                 const struct source_hooks *hooks, struct error *e) {
    if (game->game->program != NULL)
        return source_follow_windows(s, watch, point, hooks, e);
    struct windowed w = {.watch = watch, .point = point};
    struct pass pass = {.game = game,
                        .movie = &game->movie,
                        .frames = game->game->frames,
                        .hooks = hooks,
                        .total = game->game->frames,
                        .played = next_window,
                        .user = &w};
    w.window = s->windows->list.at;
    while (w.window->length != watch->length)
        w.window++;
    w.left = window_count(&s->windows->measure, watch->length);
    enum status status = create(&pass.nes, game, engine, e);
    if (status != STATUS_OK)
        return status;
    w.nes = pass.nes;
    status = point->technique->attach(&w.self, w.nes, point->values, e);
    if (status == STATUS_OK)
        status = play(&pass, e);
    point->technique->abandon(w.self);
    nes_free(pass.nes);
    return status;
}

/* ---- a foreign pair ---- */

/* Files that do not name their program are trusted. */
static enum status check_pair(const struct stream *s, const struct graph *g,
                              const struct config_game *game, struct error *e) {
    if (s->program[0] != '\0' && g->program[0] != '\0' && strcmp(s->program, g->program) != 0)
        return error_set(e, STATUS_ARGUMENT,
                         "%s and %s belong to different programs (%.8s..., %.8s...): a pair must "
                         "belong to one program",
                         game->stream, game->graph, s->program, g->program);
    if (g->partial)
        return error_set(
            e, STATUS_ARGUMENT,
            "%s: covers only part of a run (its comments say why): record the whole run",
            game->graph);
    return STATUS_OK;
}

static enum status read_pair(struct source *out, const struct plan_game *game, struct error *e) {
    enum status status = stream_read(&out->streams->stream, game->game->stream, &out->warning, e);
    if (status == STATUS_OK)
        status = graph_read(&out->exact, game->game->graph, e);
    if (status == STATUS_OK)
        status = check_pair(&out->streams->stream, &out->exact, game->game, e);
    out->instructions = game->game->instructions >= 0 ? game->game->instructions : DB_NULL;
    out->cycles = DB_NULL;
    out->exact_cost = (struct cost){0};
    return status;
}

enum status source_watch(struct profile *out, const struct source *s, const struct plan_game *game,
                         const struct config_sampling *way, const struct config_point *point,
                         const struct engine_choice *engine, const struct source_hooks *hooks,
                         struct error *e) {
    *out = (struct profile){0};
    if (game->game->program == NULL)
        return watch_game(out, game, way, point, engine, hooks, e);
    return way->other ? graph_copy(&out->graph, &s->other, e)
                      : point->technique->replay(out, &s->program_trace, point->values, e);
}

/* ---- all ---- */

static enum status check_hash(const char *path, const char *what, const char *stored,
                              const char *now, struct error *e) {
    if (stored[0] == '\0' || strcmp(stored, now) == 0)
        return STATUS_OK;
    return error_set(
        e, STATUS_FORMAT,
        "%s: its %s differs from the one behind the database's results (hash %s there, %s now): "
        "the program now finds something else; sweep into a new database with --db",
        path, what, stored, now);
}

/* A new stream must equal the database's, and must not be empty unless nothing is sampled. */
static enum status check_stream(struct source_stream *s, const struct plan_stream *wanted,
                                const char *path, struct error *e) {
    if (s->stream.batch_length == 0) /* not made: it lacks nothing */
        return STATUS_OK;
    const bool live = wanted->configured != NULL && wanted->configured->live;
    snprintf(s->hash, sizeof s->hash, "%016" PRIx64, stream_hash(&s->stream));
    enum status status = check_hash(path, "sample stream", wanted->hash, s->hash, e);
    if (status == STATUS_OK && s->stream.batch_count == 0 && !live)
        status = error_set(e, STATUS_FORMAT, "%s: has no whole batch of samples%s%s", path,
                           wanted->variant[0] != '\0' ? " with " : "", wanted->variant);
    return status;
}

static enum status make_references(struct source *out, const struct config *config,
                                   struct error *e) {
    out->references = calloc(config->hot.len, sizeof *out->references);
    enum status status =
        out->references != NULL ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; status == STATUS_OK && i < config->hot.len; i++) {
        status = reference_new(&out->references[i], &out->exact, config->hot.at[i], e);
        out->reference_count = i + 1;
    }
    return status;
}

static bool met_insn(const void *user, uint32_t address, struct shape_insn *out) {
    const struct guest_insn *insn = trace_find(user, address);
    if (insn == NULL)
        return false;
    *out = (struct shape_insn){insn->size, shape_end_of((enum insn_kind)insn->kind)};
    return true;
}

/* A game's code is what the engine decoded in the first replay. */
static enum status make_worth_of_game(struct source *out, struct error *e) {
    struct shapes shapes = {0};
    const struct shape_source met = {.insn = met_insn, .user = &out->trace, .banked = true};
    enum status status = shapes_of_game(&shapes, &out->exact, e);
    if (status == STATUS_OK)
        status = shapes_of_blocks(&shapes, &out->exact, met, e);
    const struct layout_program program = shapes_program(&shapes, &out->exact);
    if (status == STATUS_OK)
        status = worth_reference_new(&out->worth, &program, &out->exact, e);
    shapes_free(&shapes);
    return status;
}

static enum status make_worth(struct source *out, const struct plan_game *game, struct error *e) {
    if (game->cartridge != NULL)
        return make_worth_of_game(out, e);
    if (game->game->program == NULL)
        return STATUS_OK;
    const struct shapes *shapes = out->structure.shapes.blocks != NULL
                                      ? &out->structure.shapes
                                      : &out->recording.structure.shapes;
    const struct layout_program program = shapes_program(shapes, &out->exact);
    return worth_reference_new(&out->worth, &program, &out->exact, e);
}

static const char *path_of(const struct plan_game *game) {
    return game->cartridge != NULL       ? game->cartridge->name
           : game->game->program != NULL ? game->game->program->command[0]
                                         : game->game->stream;
}

enum status source_make(struct source *out, const struct plan_game *game,
                        const struct config *config, const struct engine_choice *engine,
                        const struct source_hooks *hooks, struct error *e) {
    *out = (struct source){.streams = calloc(game->stream_count, sizeof *out->streams),
                           .stream_count = game->stream_count};
    if (out->streams == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    double start = source_clock();
    enum status status = game->cartridge != NULL       ? replay(out, game, config, engine, hooks, e)
                         : game->game->program != NULL ? source_record(out, game, config, hooks, e)
                                                       : read_pair(out, game, e);
    out->seconds = source_clock() - start + out->recording.seconds;
    if (status == STATUS_OK)
        status = graph_hash(&out->exact, out->exact_hash, e);
    if (status == STATUS_OK)
        status = check_hash(path_of(game), "exact graph", game->exact_hash, out->exact_hash, e);
    for (size_t i = 0; status == STATUS_OK && i < out->stream_count; i++)
        status = check_stream(&out->streams[i], &game->streams[i], path_of(game), e);
    if (status == STATUS_OK)
        status = make_references(out, config, e);
    if (status == STATUS_OK)
        status = make_worth(out, game, e);
    if (status == STATUS_OK && config->paths && game->cartridge != NULL)
        status = count_paths(out, game, engine, hooks, e);
    if (status != STATUS_OK)
        source_free(out);
    return status;
}

void source_free(struct source *s) {
    for (size_t i = 0; i < s->stream_count; i++) {
        stream_index_free(s->streams[i].index);
        free(s->streams[i].moments);
        stream_free(&s->streams[i].stream);
    }
    for (size_t i = 0; i < s->reference_count; i++)
        reference_free(s->references[i]);
    worth_reference_free(s->worth);
    path_truth_free(s->paths);
    source_windows_free(s->windows);
    free(s->streams);
    free(s->references);
    graph_free(&s->exact);
    graph_free(&s->other);
    structure_free(&s->structure);
    program_trace_free(&s->program_trace);
    qemu_result_free(&s->recording);
    qemu_symbols_free(s->symbols);
    trace_free(&s->trace);
    *s = (struct source){0};
}
