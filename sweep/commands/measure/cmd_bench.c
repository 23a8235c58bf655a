/* hotgraph bench: measures how much techniques slow down replays. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands/command.h"
#include "commands/measure/study.h"
#include "profile/live/live.h"
#include "profile/structure/structure.h"

static const char details[] =
    "CONFIG is a configuration as for 'hotgraph sweep': its games, grid and\n"
    "samplings are measured. Live techniques (by = \"live\") are attached to the\n"
    "replay. Techniques on samples run inside it: inline, and then on a thread of\n"
    "their own. A replay without a technique runs directly before each replay with\n"
    "one, so that changes in the machine's speed affect both. Techniques alternate,\n"
    "--rounds times, on both engines.\n"
    "\n"
    "The time is the processor time of the replaying thread. It excludes waiting\n"
    "for the technique's thread, but the column `held` counts how often it had to\n"
    "wait.\n"
    "\n"
    "The rows go into the table 'bench' of the database, which is created if it\n"
    "does not exist. The view 'technique_cost' has the slowdowns with their spread.\n"
    "\n"
    "Example:\n"
    "  hotgraph bench configs/live.cfg --games mazewisp --db bench.db\n"
    "  sqlite3 -box bench.db 'SELECT * FROM technique_cost'\n";

struct bench {
    uint64_t frames, rounds;
    struct study study;
    uint64_t round;
    const struct plan_game *game;
    struct structure structure; /* of the game, for flow and samplers of active transfers */
    struct engine_choice engine;
    const char *engine_name;
};

/* A technique inside a replay. */
struct inside {
    const struct config_point *point;
    const struct sampler_options *sampling; /* NULL: a live technique */
    bool thread;
    struct live_report report;
};

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- one replay ---- */

static enum status play(const struct bench *b, struct nes *nes, struct error *e) {
    enum status status = STATUS_OK;
    for (uint64_t i = 0; i < b->frames && status == STATUS_OK; i++) {
        status = interrupt_signal() != 0 ? error_set(e, STATUS_INTERRUPTED, "stopped")
                                         : movie_play_frame(&b->game->movie, nes, e);
    }
    return status;
}

static enum status play_with(const struct bench *b, struct nes *nes, struct inside *in,
                             struct error *e) {
    const struct technique *t = in->point->technique;
    struct profile profile = {0};
    struct live *live = NULL;
    void *self = NULL;
    enum status status;
    if (in->sampling == NULL) {
        status = t->attach(&self, nes, in->point->values, e);
    } else {
        struct live_options o = {.technique = t,
                                 .values = in->point->values,
                                 .sampling = *in->sampling,
                                 .thread = in->thread,
                                 .timed = true};
        o.sampling.structure = &b->structure;
        status = live_attach(&live, nes, &o, e);
    }
    if (status == STATUS_OK)
        status = play(b, nes, e);
    if (status == STATUS_OK && live != NULL) {
        status = live_finish(live, &profile, &in->report, e);
        live = NULL;
    } else if (status == STATUS_OK) {
        status = t->finish(self, &profile, e);
        self = NULL;
    }
    live_abandon(live);
    if (self != NULL)
        t->abandon(self);
    profile_free(&profile);
    return status;
}

/* in: NULL: no technique. *took gets the seconds. */
static enum status replay(const struct bench *b, struct inside *in, double *took,
                          uint64_t *instructions, struct error *e) {
    struct nes *nes;
    const struct nes_options options = {.cartridge = b->game->cartridge,
                                        .console = b->game->game->console};
    enum status status = engine_create(&nes, &b->engine, &options, e);
    if (status != STATUS_OK)
        return status;
    const double begun = seconds();
    status = in == NULL ? play(b, nes, e) : play_with(b, nes, in, e);
    *took = seconds() - begun;
    *instructions = nes_instructions(nes);
    nes_free(nes);
    return status;
}

static enum status learn_structure(struct bench *b, struct error *e) {
    struct nes *nes;
    struct structure_recorder *recorder = NULL;
    const struct nes_options options = {.cartridge = b->game->cartridge,
                                        .console = b->game->game->console};
    enum status status = engine_create(&nes, &b->engine, &options, e);
    if (status != STATUS_OK)
        return status;
    structure_free(&b->structure);
    status = structure_attach(&recorder, nes, e);
    if (status == STATUS_OK)
        status = play(b, nes, e);
    if (status == STATUS_OK) {
        status = structure_finish(recorder, &b->structure, e);
        recorder = NULL;
    }
    structure_abandon(recorder);
    nes_free(nes);
    return status;
}

/* ---- rows ---- */

static void print_count(const char *name, bool is_null, int64_t value) {
    printf(is_null ? ", \"%s\": null" : ", \"%s\": %" PRId64, name, value);
}

static void print_json_row(struct bench *b, const struct db_bench *row, const struct inside *in) {
    const bool sampled = in->sampling != NULL;
    study_begin_row(&b->study, b->game);
    printf(", ");
    print_json_text("configuration", row->configuration);
    printf(", \"engine\": \"%s\", \"mode\": \"%s\", \"round\": %" PRId64 ", \"frames\": %" PRId64
           ", \"instructions\": %" PRId64 ", ",
           row->engine, row->mode, row->round, row->frames, row->instructions);
    print_json_number("seconds", row->seconds);
    printf(", ");
    print_json_number("base_seconds", row->base_seconds);
    print_count("batches", !sampled, (int64_t)in->report.batches);
    printf(", ");
    print_json_number("technique_seconds", row->technique_seconds);
    print_count("queue_longest", !in->thread, (int64_t)in->report.longest);
    print_count("held", !in->thread, (int64_t)in->report.held);
    printf("}");
}

static enum status measure(struct bench *b, struct inside in, struct error *e) {
    double base = 0, with = 0;
    uint64_t instructions = 0;
    char key[800], sampling[200] = "";
    enum status status = replay(b, NULL, &base, &instructions, e);
    if (status == STATUS_OK)
        status = replay(b, &in, &with, &instructions, e);
    if (status != STATUS_OK)
        return status;
    if (in.sampling != NULL)
        config_sampling_key(in.sampling, sampling, sizeof sampling);
    snprintf(key, sizeof key, "%s%s%s", in.point->key, sampling[0] != 0 ? "; " : "", sampling);
    struct db_bench row = db_new_bench();
    row.run_id = b->study.run_id;
    row.game = b->game->game->name;
    row.configuration = key;
    row.engine = b->engine_name;
    row.mode = in.thread ? "thread" : "inline";
    row.round = (int64_t)b->round;
    row.frames = (int64_t)b->frames;
    row.instructions = (int64_t)instructions;
    row.seconds = with;
    row.base_seconds = base;
    if (in.sampling != NULL) {
        row.batches = (int64_t)in.report.batches;
        row.technique_seconds = in.report.seconds + in.report.build_seconds;
        row.first_us = in.report.first_us;
        row.last_us = in.report.last_us;
    }
    if (in.thread) {
        row.queue_longest = (int64_t)in.report.longest;
        row.held = (int64_t)in.report.held;
    }
    if (b->study.json)
        print_json_row(b, &row, &in);
    else
        printf("%-10s %-7s %-7s %8.3f  %s\n", row.game, row.engine, row.mode, with / base, key);
    return db_put_bench(b->study.db, &row, e);
}

static bool fits(const struct config_point *p, const struct sampler_options *s) {
    /* The last taken branches cannot be handed over batch by batch. */
    const struct stream shape = {.batch_length = s->batch_length, .batch_count = 1};
    return s->by != SAMPLER_LBR && s->by != SAMPLER_LBR_TAKEN &&
           technique_fits(p->technique, &shape, p->values, NULL) == STATUS_OK;
}

static enum status measure_point(struct bench *b, const struct config_point *p, struct error *e) {
    if (p->technique->build == NULL)
        return measure(b, (struct inside){.point = p}, e);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < b->study.config.samplings.len; i++) {
        const struct sampler_options *sampling = &b->study.config.samplings.at[i].options;
        const bool sampled = !b->study.config.samplings.at[i].live && fits(p, sampling);
        for (int thread = 0; thread < 2 && status == STATUS_OK && sampled; thread++)
            status =
                measure(b, (struct inside){.point = p, .sampling = sampling, .thread = thread}, e);
    }
    return status;
}

static enum status measure_game(struct bench *b, struct error *e) {
    static const char *const engines[] = {"interp", "dbt"};
    const size_t count = dbt_engine() != NULL ? 2 : 1;
    enum status status = STATUS_OK;
    for (size_t k = 0; k < count && status == STATUS_OK; k++) {
        b->engine_name = engines[k];
        status = engine_parse(&b->engine, engines[k], e);
        if (status == STATUS_OK && k == 0 && !b->study.config.live)
            status = learn_structure(b, e);
        for (size_t i = 0; i < b->study.config.points.len && status == STATUS_OK; i++)
            status = measure_point(b, &b->study.config.points.at[i], e);
    }
    return status == STATUS_OK ? db_commit(b->study.db, e) : status;
}

/* ---- all ---- */

static enum status measure_all(void *self, struct error *e) {
    struct bench *b = self;
    enum status status = STATUS_OK;
    for (b->round = 0; b->round < b->rounds && status == STATUS_OK; b->round++) {
        b->game = NULL;
        while (status == STATUS_OK && (b->game = study_next(&b->study, b->game)) != NULL)
            status = measure_game(b, e);
    }
    return status;
}

int command_bench(int argc, char **argv) {
    struct bench b = {.frames = 1800, .rounds = 3};
    struct option_spec own[STUDY_OPTIONS];
    study_options(&b.study, own);
    const struct option_spec options[] = {
        own[0],
        own[1],
        own[2],
        {"frames", "N", "the length of each replay (default 1800)", OPTION_NUMBER, .to = &b.frames,
         .least = 1, .most = 1000000},
        {"rounds", "N", "measure everything N times (default 3)", OPTION_NUMBER, .to = &b.rounds,
         .least = 1, .most = 1000},
        {0},
    };
    const struct usage usage = {
        .command = "bench",
        .operands = "CONFIG",
        .inputs = 1,
        .least = 1,
        .most = 1,
        .summary = "Measures how much profiling techniques slow down replays.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    const int status = study_run(&b.study, &(struct study_request){.command = "bench",
                                                                   .config = operands.at[0],
                                                                   .engine = "interp, dbt",
                                                                   .measure = measure_all,
                                                                   .self = &b});
    structure_free(&b.structure);
    return status;
}
