#include "sweep/source.h"

#include "sweep/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

double source_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- one replay ---- */

/* How many frames go by between two calls of the frame hook. */
enum { FRAMES_A_CALL = 60 };

static enum status play(const struct plan_game *game, struct nes *nes, struct hash *frames,
                        const struct source_hooks *hooks, struct error *e) {
    uint64_t total = game->game->frames;
    for (uint64_t i = 0; i < total; i++) {
        if (hooks->stopped != NULL && hooks->stopped())
            return error_set(e, STATUS_INTERRUPTED, "stopped");
        enum status status = movie_play_frame(&game->movie, nes, e);
        if (status != STATUS_OK)
            return status;
        hash_add(frames, "%016" PRIx64 "\n", nes_ram_hash(nes));
        if (hooks->frame != NULL && (i + 1) % FRAMES_A_CALL == 0)
            hooks->frame(hooks->user, i + 1, total);
    }
    return STATUS_OK;
}

static enum status watch_and_play(struct source *out, const struct plan_game *game, struct nes *nes,
                                  const struct sampler_options *sampling, struct hash *frames,
                                  const struct source_hooks *hooks, struct error *e) {
    const struct technique *exact = technique_find("exact");
    if (exact == NULL)
        return error_set(e, STATUS_UNSUPPORTED,
                         "this program was built without the technique 'exact', which everything "
                         "is measured against");
    int64_t values[TECHNIQUE_PARAMETERS] = {0};
    for (int i = 0; i < TECHNIQUE_PARAMETERS && exact->parameters[i].name != NULL; i++)
        values[i] = exact->parameters[i].standard;
    struct sampler *sampler = NULL;
    void *watch = NULL;
    struct profile profile = {0};
    enum status status = sampler_attach(&sampler, nes, *sampling, e);
    if (status == STATUS_OK)
        status = exact->attach(&watch, nes, values, e);
    if (status == STATUS_OK)
        status = play(game, nes, frames, hooks, e);
    if (status == STATUS_OK) {
        status = sampler_finish(sampler, &out->stream, e);
        sampler = NULL;
    }
    if (status == STATUS_OK) {
        status = exact->finish(watch, &profile, e);
        watch = NULL;
    }
    sampler_free(sampler);
    exact->abandon(watch);
    out->exact = profile.graph;
    out->exact_cost = profile.cost;
    return status;
}

static enum status replay(struct source *out, const struct plan_game *game,
                          const struct sampler_options *sampling,
                          const struct engine_choice *engine, const struct source_hooks *hooks,
                          struct error *e) {
    struct nes *nes;
    enum status status =
        engine_create(&nes, engine, &(struct nes_options){.cartridge = game->cartridge}, e);
    if (status != STATUS_OK)
        return status;
    struct hash *frames = hash_start();
    status = watch_and_play(out, game, nes, sampling, frames, hooks, e);
    if (!hash_finish(frames, out->frames_hash) && status == STATUS_OK)
        status = error_set(e, STATUS_MEMORY, "out of memory");
    out->instructions = (int64_t)nes_instructions(nes);
    out->cycles = (int64_t)nes_cycle(nes);
    out->engine = nes_engine(nes)->name;
    snprintf(out->ram_hash, sizeof out->ram_hash, "%016" PRIx64, nes_ram_hash(nes));
    nes_free(nes);
    return status;
}

/* ---- a foreign pair ---- */

static enum status read_pair(struct source *out, const struct plan_game *game, struct error *e) {
    enum status status = stream_read(&out->stream, game->game->stream, &out->warning, e);
    if (status == STATUS_OK)
        status = graph_read(&out->exact, game->game->graph, e);
    out->instructions = game->game->instructions >= 0 ? game->game->instructions : DB_NULL;
    out->cycles = DB_NULL;
    out->exact_cost = (struct cost){0};
    return status;
}

/* ---- both ---- */

static enum status check_hash(const char *path, const char *what, const char *stored,
                              const char *now, struct error *e) {
    if (stored[0] == '\0' || strcmp(stored, now) == 0)
        return STATUS_OK;
    return error_set(e, STATUS_FORMAT,
                     "%s: its %s is not the one that the database's results were computed from (%s "
                     "there, %s now): the program has changed what it finds; sweep into a new "
                     "database with --db",
                     path, what, stored, now);
}

enum status source_make(struct source *out, const struct plan_game *game,
                        const struct sampler_options *sampling, const struct engine_choice *engine,
                        const struct source_hooks *hooks, struct error *e) {
    *out = (struct source){0};
    double start = source_clock();
    enum status status = game->cartridge != NULL ? replay(out, game, sampling, engine, hooks, e)
                                                 : read_pair(out, game, e);
    out->seconds = source_clock() - start;
    const char *path = game->cartridge != NULL ? game->cartridge->name : game->game->stream;
    if (status == STATUS_OK)
        status = hash_graph(&out->exact, out->exact_hash, e);
    snprintf(out->stream_hash, sizeof out->stream_hash, "%016" PRIx64, stream_hash(&out->stream));
    if (status == STATUS_OK)
        status = check_hash(path, "exact graph", game->exact_hash, out->exact_hash, e);
    if (status == STATUS_OK)
        status = check_hash(path, "sample stream", game->stream_hash, out->stream_hash, e);
    if (status == STATUS_OK && out->stream.batch_count == 0)
        status = error_set(e, STATUS_FORMAT, "%s: has no whole batch of samples", path);
    if (status != STATUS_OK)
        source_free(out);
    return status;
}

void source_free(struct source *s) {
    stream_free(&s->stream);
    graph_free(&s->exact);
    *s = (struct source){0};
}
