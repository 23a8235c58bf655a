#include "experiment/plan/open_experiment.h"

#include "base/base.h"
#include "config/config.h"
#include "experiment/plan/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status plan_find_roms(const struct config *config, char **paths, struct error *e) {
    struct rom_wish *wishes = calloc(config->games.len + 1, sizeof *wishes);
    size_t *owners = calloc(config->games.len + 1, sizeof *owners);
    enum status status = STATUS_OK;
    size_t count = 0;
    if (wishes == NULL || owners == NULL)
        status = error_set(e, STATUS_MEMORY, "%s: out of memory", config->path);
    for (size_t i = 0; status == STATUS_OK && i < config->games.len; i++) {
        const struct config_game *g = &config->games.at[i];
        if (g->rom != NULL || g->sha1 == NULL) /* pairs and programs have neither */
            continue;
        wishes[count].sha1 = g->sha1;
        owners[count++] = i;
    }
    if (status == STATUS_OK)
        status = roms_find(roms_folder(config->roms), wishes, count, e);
    for (size_t i = 0; i < count; i++)
        paths[owners[i]] = wishes[i].path;
    free(wishes);
    free(owners);
    return status;
}

/* The default console is not named, so that keys from before there were others stay valid. */
static void name_replay(struct plan_game *p, const char *sha1) {
    const struct nes_console usual = {0};
    char text[NES_CONSOLE_TEXT], usual_text[NES_CONSOLE_TEXT];
    nes_console_text(text, &p->game->console);
    nes_console_text(usual_text, &usual);
    const bool other = strcmp(text, usual_text) != 0;
    if (other)
        memcpy(p->console, text, sizeof p->console);
    snprintf(p->replay_key, PLAN_KEY, "rom=%s movie=%s frames=%" PRIu64 " method=%d%s%s", sha1,
             p->movie.sha1, p->game->frames, CONFIG_METHOD, other ? " console=" : "", p->console);
}

static enum status open_movie(struct movie *out, const char *path, const struct plan_game *p,
                              struct error *e) {
    enum status status = movie_load(out, path, e);
    if (status == STATUS_OK && (status = movie_matches(out, p->cartridge, e)))
        error_prefix(e, "%s", path);
    return status;
}

static enum status open_rom(struct plan_game *p, const char *path, struct error *e) {
    const struct config_game *g = p->game;
    enum status status = cartridge_load(&p->cartridge, path, e);
    if (status == STATUS_OK && g->sha1 != NULL && strcmp(g->sha1, p->cartridge->sha1) != 0)
        status = error_set(e, STATUS_FORMAT,
                           "%s: is not the ROM that %s wants: PRG and CHR have SHA-1 %s, not %s",
                           path, g->place, p->cartridge->sha1, g->sha1);
    if (status == STATUS_OK)
        status = open_movie(&p->movie, p->movie_path, p, e);
    if (status == STATUS_OK && g->other != NULL)
        status = open_movie(&p->other, g->other, p, e);
    if (status == STATUS_OK && strcmp(p->movie.sha1, p->other.sha1) == 0)
        status = error_set(e, STATUS_FORMAT, "%s: %s and the other movie, %s, are the same",
                           g->place, p->movie_path, g->other);
    if (status != STATUS_OK)
        return status;
    p->present = true;
    memcpy(p->other_input, p->other.sha1, sizeof p->other_input);
    name_replay(p, p->cartridge->sha1);
    return STATUS_OK;
}

/* A game without its ROM cannot be played, but its row ids are known. So rows of other frames or
 * another movie are not mistaken for its own. */
static void name_absent(struct plan_game *p) {
    const struct config_game *g = p->game;
    if (g->sha1 != NULL && movie_load(&p->movie, p->movie_path, NULL) == STATUS_OK &&
        (g->other == NULL || movie_load(&p->other, g->other, NULL) == STATUS_OK)) {
        memcpy(p->other_input, p->other.sha1, sizeof p->other_input);
        name_replay(p, g->sha1);
    }
}

static enum status open_foreign(struct plan_game *p, struct error *e) {
    char stream[33], graph[33];
    enum status status = hash_file(p->game->graph, graph, e);
    if (status == STATUS_OK)
        status = hash_file(p->game->stream, stream, e);
    if (status != STATUS_OK)
        return status;
    p->present = true;
    if (p->game->instructions >= 0)
        snprintf(p->replay_key, PLAN_KEY, "graph=%s instructions=%" PRId64 " method=%d", graph,
                 p->game->instructions, CONFIG_METHOD);
    else
        snprintf(p->replay_key, PLAN_KEY, "graph=%s method=%d", graph, CONFIG_METHOD);
    snprintf(p->streams->sampling_key, PLAN_KEY, "file=%s", stream);
    p->streams->sampling.method = "file";
    return stream_peek(&p->streams->of, p->game->stream, e);
}

/* The last taken branches: a batch is as many in a row. */
static void name_branches(struct plan_stream *p, const struct sampler_options *s) {
    const bool taken = s->by == SAMPLER_LBR_TAKEN;
    p->sampling.method = sampler_by_words[taken ? SAMPLER_TRANSFERS : SAMPLER_TIME];
    p->sampling.stride = taken ? (int64_t)s->every : DB_NULL;
    p->sampling.batch_length = (int64_t)s->stack;
    p->sampling.seed = taken || s->jitter_us > 0 ? (int64_t)s->seed : DB_NULL;
    if (taken)
        return;
    p->sampling.interval_us = (int64_t)s->interval_us;
    p->sampling.jitter_us = (int64_t)s->jitter_us;
    p->sampling.phase_cycles = (int64_t)s->phase_cycles;
}

/* In sampling by time, the seed has no effect without jitter. */
static void name_sampling(struct plan_stream *p) {
    const struct sampler_options *s = &p->configured->options;
    config_sampling_key(s, p->sampling_key, PLAN_KEY);
    p->sampling.method = sampler_by_words[s->by];
    p->sampling.weighting = s->weigh ? "cycles" : NULL;
    if (s->by == SAMPLER_LBR || s->by == SAMPLER_LBR_TAKEN) {
        name_branches(p, s);
        return;
    }
    if (s->by == SAMPLER_CLOCK) {
        p->sampling.method = sampler_by_words[SAMPLER_TIME]; /* that is what is counted */
        p->sampling.weighting = s->window > 0 ? NULL : "transfers";
        p->sampling.interval_us = (int64_t)s->interval_us;
        p->sampling.batch_length = (int64_t)s->batch_length;
        p->sampling.seed = (int64_t)s->seed;
        return;
    }
    if (s->by != SAMPLER_TIME) {
        if (s->by == SAMPLER_ACTIVE && s->place >= SAMPLER_GOLDEN)
            p->sampling.method = "golden";
        p->sampling.stride = s->every != 0 ? (int64_t)s->every : DB_NULL;
        p->sampling.batch_length = (int64_t)s->batch_length;
        p->sampling.seed = (int64_t)s->seed;
        return;
    }
    p->sampling.interval_us = (int64_t)s->interval_us;
    p->sampling.batch_length = (int64_t)s->batch_length;
    p->sampling.jitter_us = (int64_t)s->jitter_us;
    p->sampling.seed = s->jitter_us > 0 ? (int64_t)s->seed : DB_NULL;
    p->sampling.phase_cycles = (int64_t)s->phase_cycles;
}

static void name_live(struct plan_stream *p) {
    config_key(p->configured, p->sampling_key, PLAN_KEY);
    p->sampling.method = "live";
    p->sampling.first_seconds =
        p->configured->seconds > 0 ? (int64_t)p->configured->seconds : DB_NULL;
}

/* Which input it is, is known only when it has been opened. */
static void name_other(const struct plan_game *game, struct plan_stream *p) {
    const size_t len = strlen(p->sampling_key);
    snprintf(p->sampling_key + len, PLAN_KEY - len, " from=%s", game->other_input);
    p->sampling.other_input = game->other_input;
}

/* A program's further streams: its budgets, and "by=live", with "input=other" or without, as of games. */
static void name_own_variant(const struct plan_stream *s, char *out, size_t size) {
    const struct config_budget *b = s->budget;
    char key[BUDGET_KEY];
    if (s->configured != NULL)
        config_key(s->configured, key, sizeof key);
    else
        config_budget_name(b, key, sizeof key);
    snprintf(out, size, "%s%s", s->configured != NULL || b->batch == 0 ? "by=" : "", key);
}

/* "movie=b interval_ms=0.3": what distinguishes the stream from the game's first. */
static void name_variant(const struct plan_game *p, struct plan_stream *s) {
    const char *sampling = s->configured != NULL ? s->configured->variant : "";
    char own[BUDGET_KEY + 4] = "";
    if (p->game->program != NULL && s != p->streams) {
        name_own_variant(s, own, sizeof own);
        sampling = own;
    }
    const char *movie = p->label + strlen(p->game->name);
    movie += movie[0] == ' ';
    snprintf(s->variant, sizeof s->variant, "%s%s%s", movie,
             movie[0] != '\0' && sampling[0] != '\0' ? " " : "", sampling);
}

static void name_rows(struct plan_game *p) {
    struct db_replay replay = {.key = p->replay_key};
    db_name_replay(&replay);
    p->replay_id = replay.replay_id;
    p->named = p->replay_key[0] != '\0';
    for (size_t i = 0; i < p->stream_count; i++) {
        struct plan_stream *s = &p->streams[i];
        if (s->configured != NULL && s->configured->other)
            name_other(p, s);
        s->sampling.key = s->sampling_key;
        db_name_sampling(&s->sampling);
        struct db_stream stream = {.replay_id = p->replay_id,
                                   .sampling_id = s->sampling.sampling_id};
        db_name_stream(&stream);
        s->stream_id = stream.stream_id;
    }
}

/* Of the samplings that watch, a program has those of a whole run: of its other one, or of its own, if techniques
 * follow its trace. */
static bool watches_program(const struct config *config, const struct plan_game *p,
                            const struct config_sampling *s) {
    if (!s->live || s->seconds > 0)
        return false;
    return s->other || (config_follows_programs(config) && !p->game->program->native);
}

/* A program is sampled by its own budgets; a native one that names none has no samples. */
static void list_own_streams(const struct config *config, struct plan_game *p) {
    for (size_t i = 0; i < config->budgets.len; i++)
        p->streams[p->stream_count++].budget = &config->budgets.at[i];
    p->stream_count += config->budgets.len == 0 && p->game->program->sampled;
    for (size_t i = 0; i < config->samplings.len; i++) {
        const struct config_sampling *one = &config->samplings.at[i];
        if (watches_program(config, p, one))
            p->streams[p->stream_count++].configured = one;
    }
}

static enum stream_of kind_of(const struct plan_game *p, const struct plan_stream *s) {
    const struct config_sampling *c = s->configured;
    if (c == NULL && p->game->program != NULL) {
        const struct config_budget b = program_budget(p->game->program, s);
        return config_budget_of(&b);
    }
    const bool branches = c != NULL && !c->live &&
                          (c->options.by == SAMPLER_LBR || c->options.by == SAMPLER_LBR_TAKEN);
    return branches ? STREAM_OF_BRANCHES : STREAM_OF_BATCHES;
}

enum status plan_make_streams(const struct config *config, struct plan_game *p, struct error *e) {
    const size_t most = config->samplings.len + config->budgets.len + 1;
    p->streams = calloc(most, sizeof *p->streams);
    if (p->streams == NULL)
        return error_set(e, STATUS_MEMORY, "%s: out of memory", config->path);
    if (p->game->program != NULL)
        list_own_streams(config, p);
    else
        p->stream_count = p->movie_path != NULL ? config->samplings.len : 1;
    for (size_t i = 0; i < p->stream_count; i++) {
        struct plan_stream *s = &p->streams[i];
        s->sampling = db_new_sampling();
        if (p->movie_path != NULL)
            s->configured = &config->samplings.at[i];
        s->of = kind_of(p, s);
        if (s->configured != NULL && s->configured->live)
            name_live(s);
        else if (s->configured != NULL)
            name_sampling(s);
        name_variant(p, s);
    }
    return STATUS_OK;
}

enum status plan_open_game(const struct config *config, struct plan_game *p, const char *rom,
                           struct db *db, struct error *e) {
    enum status status = STATUS_OK;
    if (p->game->stream != NULL)
        status = open_foreign(p, e);
    else if (p->game->program != NULL)
        status = program_open(p, e);
    else if (rom != NULL)
        status = open_rom(p, rom, e);
    else
        name_absent(p);
    if (status == STATUS_OK && p->game->program != NULL && !p->present)
        status = program_find_absent(p, config->name, db, e);
    if (status != STATUS_OK) {
        if (status == STATUS_IO && e != NULL) { /* add the line to correct */
            const struct error said = *e;
            error_set(e, status, "%s (%s names it)", said.text, p->game->place);
        }
        error_prefix(e, "%s", p->game->name);
        return status;
    }
    name_rows(p);
    return STATUS_OK;
}
