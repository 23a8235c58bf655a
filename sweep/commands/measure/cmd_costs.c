/* hotgraph costs: counts host instructions for everything in a configuration. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/command.h"
#include "commands/measure/study.h"
#include "counted/counted.h"
#include "profile/structure/structure.h"
#include "version.h"

static const char details[] =
    "CONFIG is a configuration as for 'hotgraph sweep', and the database is the one\n"
    "that it was swept into. For each of its games this counts the host instructions of\n"
    "a replay without observers, with 'exact', with the recorder of the structure, and\n"
    "with each sampling, once for all seeds, or with each live technique. What processors\n"
    "do by themselves (trace) is left out.\n"
    "\n"
    "The rows go into the table 'cost'. The views 'profiler_cost', 'technique_frontier' and\n"
    "'frontier' put them beside the results. Rows that this version of the program (and\n"
    "commit) has counted are not counted again; those of another one are replaced.\n"
    "\n"
    "Example:\n"
    "  hotgraph sweep configs/techniques.cfg --db techniques.db\n"
    "  hotgraph costs configs/techniques.cfg --db techniques.db\n"
    "  sqlite3 -box techniques.db 'SELECT * FROM frontier'\n";

struct costs {
    uint64_t frames, from;
    struct study study;
    const struct plan_game *game;
    struct structure structure; /* of the game: samplers of transfers ask for it */
};

static bool stopped(void) {
    return interrupt_signal() != 0;
}

static enum status learn_structure(struct costs *c, struct error *e) {
    struct nes *nes;
    struct structure_recorder *recorder = NULL;
    struct sampler *counting = NULL;
    const struct nes_options options = {
        .cartridge = c->game->cartridge, .console = c->game->game->console, .engine = dbt_engine()};
    structure_free(&c->structure);
    enum status status = nes_create(&nes, &options, e);
    if (status != STATUS_OK)
        return status;
    status = structure_attach(&recorder, nes, e);
    if (status == STATUS_OK)
        status = sampler_attach_counting(&counting, nes, e);
    for (uint64_t i = 0; status == STATUS_OK && i < c->frames; i++)
        status = stopped() ? error_set(e, STATUS_INTERRUPTED, "stopped")
                           : movie_play_frame(&c->game->movie, nes, e);
    if (status == STATUS_OK) {
        status = structure_finish(recorder, &c->structure, e);
        recorder = NULL;
    }
    if (status == STATUS_OK) {
        status = sampler_finish_counting(counting, &c->structure, e);
        counting = NULL;
    }
    sampler_free(counting);
    structure_abandon(recorder);
    nes_free(nes);
    return status;
}

/* ---- rows ---- */

/* Another version may translate otherwise: rows of two versions must not stand side by side. */
static enum status is_there(const struct costs *c, const char *watcher, bool *there,
                            struct error *e) {
    int64_t found;
    const enum status status =
        db_integer(c->study.db,
                   "SELECT 1 FROM cost JOIN run USING (run_id) WHERE replay_id = ? AND watcher = ? "
                   "AND frames = ? AND version = ? AND source_commit = ?",
                   0, &found, e, "ititt", c->game->replay_id, watcher, (int64_t)c->frames,
                   HOTGRAPH_VERSION, HOTGRAPH_COMMIT);
    *there = found != 0;
    return status;
}

static void print_json_row(struct costs *c, const struct db_cost *row) {
    const struct {
        const char *name;
        int64_t value;
    } counts[] = {{"frames", row->frames},
                  {"steady_from", row->steady_from},
                  {"host", row->host},
                  {"host_steady", row->host_steady},
                  {"translated", row->translated},
                  {"translated_steady", row->translated_steady},
                  {"probes", row->probes},
                  {"probes_steady", row->probes_steady},
                  {"handlers", row->handlers},
                  {"handlers_steady", row->handlers_steady},
                  {"samples", row->samples},
                  {"samples_steady", row->samples_steady},
                  {"memory", row->memory}};
    study_begin_row(&c->study, c->game);
    printf(", ");
    print_json_text("watcher", row->watcher);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        printf(", ");
        print_json_count(counts[i].name, (uint64_t)counts[i].value);
    }
    printf("}");
}

static enum status put(struct costs *c, const char *watcher, const struct counted *n,
                       struct error *e) {
    struct db_cost row = db_new_cost();
    row.replay_id = c->game->replay_id;
    row.watcher = watcher;
    row.frames = (int64_t)c->frames;
    row.steady_from = (int64_t)c->from;
    row.host = (int64_t)n->host;
    row.host_steady = (int64_t)n->host_steady;
    row.translated = (int64_t)n->translated;
    row.translated_steady = (int64_t)n->translated_steady;
    row.probes = (int64_t)n->probes;
    row.probes_steady = (int64_t)n->probes_steady;
    row.handlers = (int64_t)n->handlers;
    row.handlers_steady = (int64_t)n->handlers_steady;
    row.samples = (int64_t)n->samples;
    row.samples_steady = (int64_t)n->samples_steady;
    row.memory = (int64_t)n->memory;
    row.run_id = c->study.run_id;
    if (c->study.json)
        print_json_row(c, &row);
    else
        printf("%-10s %10.1f a frame  %s\n", c->game->game->name,
               (double)n->host_steady / (double)(c->frames - c->from), watcher);
    return db_put_cost(c->study.db, &row, e);
}

/* ---- counting ---- */

static enum status count(struct costs *c, const char *watcher, struct counted_request r,
                         struct error *e) {
    struct counted n;
    bool there;
    enum status status = is_there(c, watcher, &there, e);
    if (status != STATUS_OK || there)
        return status;
    r.cartridge = c->game->cartridge;
    r.movie = &c->game->movie;
    r.console = c->game->game->console;
    r.frames = c->frames;
    r.from = c->from;
    r.stopped = stopped;
    status = counted_replay(&r, &n, e);
    return status == STATUS_OK ? put(c, watcher, &n, e) : status;
}

static bool needs_structure(const struct sampler_options *o) {
    return o->by == SAMPLER_ACTIVE || (o->by == SAMPLER_TRANSFERS && o->per_million != 0);
}

/* Replicates differ only in their seeds: one is enough. */
static bool is_counted(const struct config *config, size_t i) {
    struct sampler_options mine = config->samplings.at[i].options;
    char key[400], other[400];
    if (config->samplings.at[i].live)
        return false;
    mine.seed = 0;
    config_sampling_key(&mine, key, sizeof key);
    for (size_t k = 0; k < i; k++) {
        struct sampler_options earlier = config->samplings.at[k].options;
        if (config->samplings.at[k].live)
            continue;
        earlier.seed = 0;
        config_sampling_key(&earlier, other, sizeof other);
        if (strcmp(key, other) == 0)
            return false;
    }
    return true;
}

static enum status count_samplings(struct costs *c, struct error *e) {
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < c->study.config.samplings.len; i++) {
        const struct sampler_options *o = &c->study.config.samplings.at[i].options;
        char key[400];
        if (!is_counted(&c->study.config, i))
            continue;
        if (needs_structure(o) && c->structure.executed == 0)
            status = learn_structure(c, e);
        struct counted_request r = {.kind = COUNTED_SAMPLER, .sampler = *o};
        r.sampler.structure = &c->structure;
        config_sampling_key(o, key, sizeof key);
        if (status == STATUS_OK)
            status = count(c, key, r, e);
    }
    return status;
}

/* Does a live technique watch all of the judged run? What it costs elsewhere is not counted. */
static bool watches_all(const struct config *config) {
    for (size_t i = 0; i < config->samplings.len; i++) {
        const struct config_sampling *s = &config->samplings.at[i];
        if (s->live && !s->other && s->seconds == 0)
            return true;
    }
    return false;
}

static enum status count_live(struct costs *c, struct error *e) {
    enum status status = STATUS_OK;
    if (!watches_all(&c->study.config))
        return STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < c->study.config.points.len; i++) {
        const struct config_point *p = &c->study.config.points.at[i];
        if (p->technique->attach && !p->technique->in_hardware && strcmp(p->key, "exact") != 0)
            status = count(c, p->key,
                           (struct counted_request){.kind = COUNTED_TECHNIQUE,
                                                    .technique = p->technique->name,
                                                    .values = p->values},
                           e);
    }
    return status;
}

static enum status count_game(struct costs *c, struct error *e) {
    static const int64_t none[TECHNIQUE_PARAMETERS] = {0};
    int64_t stored;
    structure_free(&c->structure);
    c->structure = (struct structure){0};
    enum status status = db_integer(c->study.db, "SELECT 1 FROM replay WHERE replay_id = ?", 0,
                                    &stored, e, "i", c->game->replay_id);
    if (status == STATUS_OK && !stored)
        return error_set(e, STATUS_ARGUMENT,
                         "%s: has no results of %s yet: run 'hotgraph sweep %s --db %s' first",
                         c->study.db_path, c->game->game->name, c->study.config_path,
                         c->study.db_path);
    if (status == STATUS_OK)
        status = count(c, "nobody", (struct counted_request){.kind = COUNTED_BARE}, e);
    if (status == STATUS_OK)
        status = count(c, "structure", (struct counted_request){.kind = COUNTED_STRUCTURE}, e);
    if (status == STATUS_OK)
        status = count(c, "exact",
                       (struct counted_request){
                           .kind = COUNTED_TECHNIQUE, .technique = "exact", .values = none},
                       e);
    if (status == STATUS_OK)
        status = count_live(c, e);
    if (status == STATUS_OK)
        status = count_samplings(c, e);
    const enum status kept = db_commit(c->study.db, status == STATUS_OK ? e : NULL);
    return status != STATUS_OK ? status : kept;
}

static enum status count_all(void *self, struct error *e) {
    struct costs *c = self;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && (c->game = study_next(&c->study, c->game)) != NULL)
        status = count_game(c, e);
    return status;
}

int command_costs(int argc, char **argv) {
    struct costs c = {.frames = 3600, .from = 3000};
    struct option_spec own[STUDY_OPTIONS];
    study_options(&c.study, own);
    own[0].help = "the database of the sweep (required)";
    const struct option_spec options[] = {
        own[0],
        own[1],
        own[2],
        {"frames", "N", "the length of each replay (default 3600)", OPTION_NUMBER, .to = &c.frames,
         .least = 1, .most = 1000000},
        {"from", "FRAME", "the steady state's first frame (default 3000)", OPTION_NUMBER,
         .to = &c.from, .least = 0, .most = 1000000},
        {0},
    };
    const struct usage usage = {
        .command = "costs",
        .operands = "CONFIG",
        .inputs = 1,
        .least = 1,
        .most = 1,
        .summary = "Counts the host instructions that the profilers of a configuration add.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    if (c.from >= c.frames)
        return usage_error("costs", "--from %" PRIu64 " is not below --frames %" PRIu64, c.from,
                           c.frames);
    const int status = study_run(&c.study, &(struct study_request){.command = "costs",
                                                                   .config = operands.at[0],
                                                                   .engine = "dbt",
                                                                   .measure = count_all,
                                                                   .self = &c});
    structure_free(&c.structure);
    return status;
}
