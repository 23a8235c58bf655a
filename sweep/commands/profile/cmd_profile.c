/* hotgraph profile: plays a movie while a live technique watches. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands/command.h"
#include "commands/profile/parameters.h"
#include "commands/profile/sampling_rows.h"
#include "config/config.h"
#include "play/play.h"
#include "profile/live/live.h"
#include "profile/path/path_judge.h"
#include "profile/program/program_trace.h"
#include "profile/structure/structure.h"

struct profile_command {
    struct play_options wish;
    struct technique_choice choice;
    struct sampling_choice sampling; /* for a technique on samples */
    const char *where;
    uint64_t queue;
    const char *out, *dot;
    bool json, paths;
    bool program; /* a recorded one is followed */
};

/* What was found. */
struct found {
    struct profile profile;
    struct live_report live;
    struct path_totals paths; /* with --paths; known: what the graph tells of them */
    struct path_knowledge known;
};

static const char details[] = GAME_DETAILS
    "By default the game's own movie is played.\n"
    "\n"
    "The default technique is exact. The parameters above belong to the chosen\n"
    "technique: 'hotgraph profile GAME --technique NAME --help' shows those of\n"
    "another one. The graph's file begins with technique, parameters and costs as\n"
    "comments.\n"
    "\n"
    "A technique on samples gets each batch as soon as it is complete: between two\n"
    "instructions of the game (--where inline), or through a queue on a thread of\n"
    "its own (--where thread). Its result equals that of the recorded stream.\n"
    "'flow' is solved once per second of emulated time. If all counts of a graph\n"
    "are 0, it is a set: the technique says which edges are hot, but not how hot.\n"
    "\n"
    "FILE.hgtrace instead of a game is the trace of a recorded program ('hotgraph\n"
    "record --trace'): techniques follow it, or build from samples of it, taken as\n"
    "'record --stream' does, with --by instructions or --by transfers.\n"
    "\n"
    "With --paths all acyclic paths of the game are counted in the same replay. This\n"
    "says how much of their flow the graph fixes, because every set of paths with\n"
    "its edge counts has it, and how well the hot paths are estimated from the graph.\n"
    "\n"
    "Examples:\n"
    "  hotgraph profile mazewisp --technique entries --share 990 --out e.graph\n"
    "  hotgraph profile mazewisp --technique gaussian --where thread --out g.graph\n"
    "  hotgraph profile gzip.hgtrace --technique flow --by instructions \\\n"
    "      --every 1667 --paths --out f.graph\n";

/* Formats the technique's further counts: "offered 12 accepted 9". */
static void describe_counts(const struct profile *p, char *text, size_t room) {
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < p->count_count && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%s %" PRIu64, i > 0 ? " " : "",
                                 p->counts[i].name, p->counts[i].value);
}

static struct program_sampling program_sampling(const struct profile_command *c) {
    const struct sampler_options *s = &c->sampling.sampler;
    return (struct program_sampling){.transfers = s->by == SAMPLER_TRANSFERS,
                                     .every = s->every,
                                     .batch = s->batch_length,
                                     .seed = s->seed};
}

static void describe_sampling(const struct profile_command *c, char *out, size_t size) {
    const struct program_sampling s = program_sampling(c);
    const struct config_budget budget = {.transfers = s.transfers,
                                         .every = s.every,
                                         .batch = s.transfers ? 0 : s.batch,
                                         .seed = s.seed};
    if (c->program)
        config_budget_key(&budget, out, size);
    else
        config_sampling_key(&c->sampling.sampler, out, size);
}

static void print_report(const struct live_report *r, bool thread) {
    printf("%s: %zu batches, %.2f us each (%.2f in the first quarter, %.2f in the last)",
           thread ? "thread" : "inline", r->batches,
           r->batches > 0 ? 1e6 * r->seconds / (double)r->batches : 0, r->first_us, r->last_us);
    if (r->solves > 0)
        printf(", built %zu time%s, %.2f ms each", r->solves, r->solves == 1 ? "" : "s",
               1e3 * r->build_seconds / (double)r->solves);
    if (thread)
        printf(", at most %zu in the queue, which was full %" PRIu64 " times", r->longest, r->held);
    printf("\n");
}

static double share_of(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0 : (double)part / (double)whole;
}

static void print_paths(const struct found *found) {
    const struct path_totals *t = &found->paths;
    const struct path_knowledge *k = &found->known;
    printf("paths: %" PRIu64 " with decisions, %" PRIu64 " of them hot, with %.1f %% of the flow\n"
           "  the graph fixes %.1f %% of the flow; hot paths estimated from it: overlap %.3f, "
           "matched %.3f\n",
           t->paths, t->hot, 100 * share_of(t->hot_flow, t->flow),
           100 * share_of(k->fixed, t->flow), share_of(k->match.overlap, t->hot_flow),
           share_of(k->match.matched, t->hot_flow));
}

static void print_json_paths(const struct found *found) {
    const struct path_totals *t = &found->paths;
    const struct path_knowledge *k = &found->known;
    printf("\"paths\": {\"paths\": %" PRIu64 ", \"hot_paths\": %" PRIu64 ", \"path_flow\": %" PRIu64
           ", \"hot_path_flow\": %" PRIu64 ", \"fixed_flow\": %" PRIu64
           ", \"edges_overlap\": %" PRIu64 ", \"edges_matched\": %" PRIu64 "}",
           t->paths, t->hot, t->flow, t->hot_flow, k->fixed, k->match.overlap, k->match.matched);
}

static void print_json(const struct profile_command *c, const struct found *found) {
    const struct profile *p = &found->profile;
    const struct live_report *r = &found->live;
    char sampled[TECHNIQUE_TEXT];
    const bool sampling = c->choice.technique->attach == NULL;
    printf("{");
    print_json_text("out", c->out);
    printf(", \"technique\": \"%s\", ", c->choice.technique->name);
    technique_print_json(&c->choice);
    printf(", \"records\": %" PRIu64 ", \"probes\": %" PRIu64 ", \"observed\": %" PRIu64
           ", \"steps\": %" PRIu64
           ", \"structure\": %s, \"blocks\": %zu, \"edges\": %zu, \"counts\": {",
           p->cost.records, p->cost.probes, p->cost.observed, p->cost.steps,
           p->cost.structure ? "true" : "false", p->graph.block_count, p->graph.edge_count);
    for (size_t i = 0; i < p->count_count; i++)
        printf("%s\"%s\": %" PRIu64, i > 0 ? ", " : "", p->counts[i].name, p->counts[i].value);
    printf("}, ");
    if (sampling)
        describe_sampling(c, sampled, sizeof sampled);
    print_json_text("sampling", sampling ? sampled : NULL);
    if (sampling && !c->program)
        printf(
            ", \"live\": {\"where\": \"%s\", \"batches\": %zu, \"seconds\": %.9f, \"solves\": %zu, "
            "\"build_seconds\": %.9f, \"queue_longest\": %zu, \"held\": %" PRIu64 "}, ",
            c->where, r->batches, r->seconds, r->solves, r->build_seconds, r->longest, r->held);
    else
        printf(", \"live\": null, ");
    if (c->paths)
        print_json_paths(found);
    else
        printf("\"paths\": null");
    printf("}\n");
}

static enum status write_graph(const struct profile_command *c, const struct found *found,
                               struct error *e) {
    const struct profile *p = &found->profile;
    char parameters[TECHNIQUE_TEXT] = "", what[2 * TECHNIQUE_TEXT], costs[TECHNIQUE_TEXT];
    char counts[TECHNIQUE_TEXT], sampled[TECHNIQUE_TEXT] = "";
    technique_describe(&c->choice, parameters, sizeof parameters);
    snprintf(what, sizeof what, "technique %s %s", c->choice.technique->name, parameters);
    snprintf(costs, sizeof costs,
             "records %" PRIu64 " probes %" PRIu64 " observed %" PRIu64 " steps %" PRIu64
             " structure %s blocks %zu edges %zu",
             p->cost.records, p->cost.probes, p->cost.observed, p->cost.steps,
             p->cost.structure ? "given" : "none", p->graph.block_count, p->graph.edge_count);
    describe_counts(p, counts, sizeof counts);
    if (c->choice.technique->attach == NULL)
        describe_sampling(c, sampled, sizeof sampled);
    const char *comments[4] = {what, costs};
    size_t comment_count = 2;
    if (counts[0] != 0)
        comments[comment_count++] = counts;
    if (sampled[0] != 0)
        comments[comment_count++] = sampled;
    enum status status = graph_write(
        &p->graph, c->out,
        (struct graph_write_options){.comments = comments, .comment_count = comment_count}, e);
    if (status == STATUS_OK && c->dot != NULL)
        status =
            graph_export(&p->graph, c->dot,
                         &(struct graph_export_options){.hot_permille = GRAPH_HOT_PERMILLE}, e);
    if (status != STATUS_OK)
        return status;
    if (c->json) {
        print_json(c, found);
        return status;
    }
    if (sampled[0] != 0 && !c->program)
        print_report(&found->live, strcmp(c->where, "thread") == 0);
    printf("%s: %s; %s%s%s\n", c->out, what, costs, counts[0] != 0 ? "; " : "", counts);
    if (c->paths)
        print_paths(found);
    return status;
}

/* Runs a technique on samples. */
static enum status watch_samples(const struct profile_command *c, struct play *p,
                                 struct profile *out, struct live_report *report, struct error *e) {
    struct structure structure = {0};
    struct live *live = NULL;
    struct live_options o = {.technique = c->choice.technique,
                             .values = c->choice.values,
                             .sampling = c->sampling.sampler,
                             .thread = strcmp(c->where, "thread") == 0,
                             .queue = (size_t)c->queue,
                             .timed = true};
    enum status status = STATUS_OK;
    if (c->sampling.structure != NULL)
        status = structure_read(&structure, c->sampling.structure, e);
    if (c->sampling.structure != NULL)
        o.sampling.structure = &structure;
    if (status == STATUS_OK)
        status = live_attach(&live, p->nes, &o, e);
    if (status == STATUS_OK)
        status = play_run(p, (struct play_hooks){0}, e);
    if (status == STATUS_OK) {
        status = live_finish(live, out, report, e);
        live = NULL;
    }
    live_abandon(live);
    structure_free(&structure);
    return status;
}

static enum status watch_itself(const struct profile_command *c, struct play *p,
                                struct profile *out, struct live_report *report, struct error *e) {
    (void)report;
    const struct technique *t = c->choice.technique;
    void *self = NULL;
    enum status status = t->attach(&self, p->nes, c->choice.values, e);
    if (status == STATUS_OK)
        status = play_run(p, (struct play_hooks){0}, e);
    if (status == STATUS_OK) {
        status = t->finish(self, out, e);
        self = NULL;
    }
    t->abandon(self);
    return status;
}

/* What the graph tells; frees the truth. */
static enum status ask_judge(struct path_truth *truth, struct found *found, struct error *e) {
    found->paths = *path_truth_totals(truth);
    const enum status status = path_truth_judge(truth, &found->profile.graph, &found->known, e);
    path_truth_free(truth);
    return status;
}

static enum status judge_paths(void *judge, struct found *found, struct error *e) {
    struct path_truth *truth;
    const enum status status = path_judge_finish(judge, &truth, e);
    return status == STATUS_OK ? ask_judge(truth, found, e) : status;
}

static enum status watch(void *command, struct play *p, struct error *e) {
    const struct profile_command *c = command;
    struct found found = {0};
    void *judge = NULL;
    enum status status = c->paths ? path_judge_attach(&judge, p->nes, e) : STATUS_OK;
    if (status == STATUS_OK)
        status = (c->choice.technique->attach != NULL ? watch_itself : watch_samples)(
            c, p, &found.profile, &found.live, e);
    if (status == STATUS_OK && c->paths) {
        status = judge_paths(judge, &found, e);
        judge = NULL;
    }
    if (status == STATUS_OK)
        status = write_graph(c, &found, e);
    path_judge_abandon(judge);
    profile_free(&found.profile);
    return status;
}

/* ---- a recorded program ---- */

static bool is_program(const char *path) {
    uint8_t start[FILE_PEEK];
    size_t got = 0;
    struct file_reader *file;
    if (file_open_reader(&file, path, NULL) != STATUS_OK)
        return false;
    const bool is = file_peek(file, start, sizeof start, &got, NULL) == STATUS_OK &&
                    program_trace_is(start, got);
    file_close_reader(file, NULL);
    return is;
}

static bool samples_program(const struct profile_command *c) {
    const struct sampler_options *s = &c->sampling.sampler;
    const bool instructions =
        s->by == SAMPLER_INSTRUCTIONS && s->place == SAMPLER_REGULAR && s->every >= s->batch_length;
    const bool transfers = s->by == SAMPLER_TRANSFERS && s->place == SAMPLER_STRATIFIED;
    return s->per_million == 0 && c->sampling.structure == NULL && (instructions || transfers);
}

/* Options that only a game has. Returns 0, or the exit status. */
static int check_program(const struct profile_command *c) {
    const struct play_options *w = &c->wish;
    const struct technique *t = c->choice.technique;
    if (t->attach == NULL && !samples_program(c))
        return usage_error("profile",
                           "%s works on samples: a program's trace is sampled as 'hotgraph record "
                           "--stream' would sample the program, with --by instructions --every N, "
                           "where N is at least --batch, or with --by transfers --place "
                           "stratified --every N",
                           t->name);
    if (t->attach != NULL && t->replay == NULL)
        return usage_error("profile", "%s cannot follow a program's trace: %s", t->name,
                           t->only_machine);
    if (w->movie != NULL || w->load_state != NULL || w->frames_given || w->console_given ||
        w->force || w->no_skip || w->no_fast || strcmp(c->where, "inline") != 0)
        return usage_error("profile", "a program's trace is not played: --movie, --frames, "
                                      "--console, --no-skip, --no-fast, --load-state, --force and "
                                      "--where are for games");
    return 0;
}

/* Builds from samples of the trace, or follows it. */
static enum status find_in_trace(const struct profile_command *c, const struct program_trace *trace,
                                 struct profile *out, struct error *e) {
    const struct technique *t = c->choice.technique;
    if (t->replay != NULL)
        return t->replay(out, trace, c->choice.values, e);
    const struct program_sampling sampling = program_sampling(c);
    struct stream stream;
    enum status status = program_trace_sample(&stream, trace, &sampling, e);
    if (status != STATUS_OK)
        return status;
    const struct build_one one = {
        .stream = &stream, .batches = SIZE_MAX, .values = c->choice.values};
    status = stream.batch_count > 0
                 ? technique_build(out, t, &one, e)
                 : error_set(e, STATUS_ARGUMENT,
                             "the trace is too short for a sample: it has %llu instructions",
                             (unsigned long long)trace->instructions);
    stream_free(&stream);
    return status;
}

static enum status judge_trace(const struct program_trace *trace, struct found *found,
                               struct error *e) {
    struct path_truth *truth;
    const enum status status = path_judge_replay(&truth, trace, e);
    return status == STATUS_OK ? ask_judge(truth, found, e) : status;
}

static int profile_program(const struct profile_command *c, const char *path) {
    struct program_trace trace;
    struct found found = {0};
    struct error e = {0};
    int status = check_program(c);
    if (status != 0)
        return status;
    enum status done = program_trace_read(&trace, path, &e);
    if (done == STATUS_OK)
        done = find_in_trace(c, &trace, &found.profile, &e);
    if (done == STATUS_OK && c->paths)
        done = judge_trace(&trace, &found, &e);
    if (done == STATUS_OK)
        done = write_graph(c, &found, &e);
    profile_free(&found.profile);
    program_trace_free(&trace);
    return done == STATUS_OK ? 0 : failure(&e);
}

int command_profile(int argc, char **argv) {
    static const char *const places[] = {"inline", "thread", NULL};
    struct profile_command c = {.where = "inline", .queue = LIVE_QUEUE};
    technique_choose(&c.choice, argc, argv, true, "exact");
    struct option_spec options[TECHNIQUE_PARAMETERS + SAMPLING_ROWS + 8] = {
        technique_option(&c.choice),
        {"out", "FILE.graph", "the graph's file (required)", OPTION_STRING, .to = &c.out,
         .file = FILE_WRITTEN},
        {"dot", "FILE", "also write the hot part of the graph for Graphviz", OPTION_STRING,
         .to = &c.dot, .file = FILE_WRITTEN},
        {"paths", NULL, "also count all paths, and say how much of them the graph tells",
         OPTION_FLAG, .to = &c.paths},
        json_option(&c.json),
    };
    size_t count = 5;
    for (size_t i = 0; c.choice.rows[i].name != NULL; i++)
        options[count++] = c.choice.rows[i];
    if (c.choice.technique->attach == NULL) {
        options[count++] =
            (struct option_spec){"where",
                                 "PLACE",
                                 "where a technique on samples runs: inline (default) or thread",
                                 OPTION_CHOICE,
                                 .to = &c.where,
                                 .choices = places};
        options[count++] = (struct option_spec){
            "queue",
            "N",
            "with --where thread: the most batches in its queue (default 1024)",
            OPTION_NUMBER,
            .to = &c.queue,
            .least = 1,
            .most = LIVE_QUEUE_MOST};
        sampling_rows(&c.sampling, options + count);
    }
    struct option_spec rows[PLAY_OPTION_ROWS];
    const struct usage usage = {
        .command = "profile",
        .operands = GAME_OPERAND,
        .inputs = 1,
        .least = 1,
        .most = 1,
        .summary = "Plays a game while a profiling technique watches it, and writes the "
                   "technique's graph.",
        .details = details,
        .options = options,
        .more = play_option_rows(&c.wish, rows),
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    if (c.out == NULL)
        return usage_error("profile", "--out FILE is missing");
    if (c.choice.technique->attach == NULL && !sampling_chosen(&c.sampling, "profile"))
        return 2;
    c.program = is_program(operands.at[0]);
    const int status = c.program ? 0 : game_spared(&usage, operands.at[0]);
    if (status != 0)
        return status;
    technique_chosen(&c.choice);
    if (c.program)
        return profile_program(&c, operands.at[0]);
    return play_command(operands.at[0], &c.wish, watch, &c);
}
