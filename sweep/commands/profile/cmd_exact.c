/* hotgraph exact: plays a movie and counts every control transfer. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands/command.h"
#include "play/play.h"
#include "profile/profile.h"

struct exact_command {
    struct play_options wish;
    const char *out, *dot;
    bool json;
};

static const char details[] =
    GAME_DETAILS "By default the game's own movie is played.\n"
                 "\n"
                 "The graph's file has one edge per line, with tabs between columns: source and\n"
                 "target (the entries of two basic blocks, hexadecimal), count, and 1 if the\n"
                 "edge belongs to a busy-wait, else 0. Lines '#block ENTRY LAST' give each\n"
                 "block's first and last instruction. A file whose name ends in .gz is\n"
                 "compressed.\n"
                 "\n"
                 "Example:\n"
                 "  hotgraph exact mazewisp --out mazewisp.graph\n";

static enum status write_graph(const struct exact_command *c, const struct play *p,
                               const struct profile *profile, struct error *e) {
    struct play_comments comments;
    play_comments(&comments, p, "exact graph");
    enum status status =
        graph_write(&profile->graph, c->out,
                    (struct graph_write_options){
                        .comments = comments.at, .comment_count = PLAY_COMMENTS, .with_busy = true},
                    e);
    if (status == STATUS_OK && c->dot != NULL)
        status =
            graph_export(&profile->graph, c->dot,
                         &(struct graph_export_options){.hot_permille = GRAPH_HOT_PERMILLE}, e);
    return status;
}

/* Percentage of transitions inside busy-waits; the same on every engine. */
static double busy_percent(const struct graph *g) {
    uint64_t busy = 0;
    for (size_t i = 0; i < g->edge_count; i++)
        busy += g->edges[i].busy ? g->edges[i].count : 0;
    return busy > 0 ? 100.0 * (double)busy / (double)graph_weight(g) : 0;
}

static void print_text(const struct exact_command *c, const struct profile *p) {
    printf("%s: %zu blocks, %zu edges, %" PRIu64
           " transitions, %.1f %% of them in busy-waits; %" PRIu64 " probes executed\n",
           c->out, p->graph.block_count, p->graph.edge_count, graph_weight(&p->graph),
           busy_percent(&p->graph), p->cost.probes);
}

static void print_json(const struct exact_command *c, const struct profile *p) {
    printf("{\"out\": ");
    print_json_string(c->out);
    printf(", \"program\": \"%s\", \"blocks\": %zu, \"edges\": %zu, \"transitions\": %" PRIu64
           ", \"busy_percent\": %.17g, \"probes\": %" PRIu64 "}\n",
           p->graph.program, p->graph.block_count, p->graph.edge_count, graph_weight(&p->graph),
           busy_percent(&p->graph), p->cost.probes);
}

static enum status count(void *command, struct play *p, struct error *e) {
    const struct exact_command *c = command;
    const struct technique *exact = technique_find("exact");
    const int64_t values[TECHNIQUE_PARAMETERS] = {0};
    struct profile profile = {0};
    void *self = NULL;
    enum status status = exact->attach(&self, p->nes, values, e);
    if (status == STATUS_OK)
        status = play_run(p, (struct play_hooks){0}, e);
    if (status == STATUS_OK) {
        status = exact->finish(self, &profile, e);
        self = NULL;
        profile.graph.kind = GRAPH_EXACT;
        memcpy(profile.graph.program, p->cartridge->sha1, sizeof profile.graph.program);
    }
    exact->abandon(self);
    if (status == STATUS_OK)
        status = write_graph(c, p, &profile, e);
    if (status == STATUS_OK)
        (c->json ? print_json : print_text)(c, &profile);
    profile_free(&profile);
    return status;
}

int command_exact(int argc, char **argv) {
    struct exact_command c = {0};
    const struct option_spec options[] = {
        {"out", "FILE.graph", "the graph's file (required)", OPTION_STRING, .to = &c.out,
         .file = FILE_WRITTEN},
        {"dot", "FILE", "also write the hot part of the graph for Graphviz", OPTION_STRING,
         .to = &c.dot, .file = FILE_WRITTEN},
        {"json", NULL, "print a summary as JSON", OPTION_FLAG, .to = &c.json},
        {0},
    };
    const struct play_usage usage = {
        .command = "exact",
        .summary = "Plays a game and writes its exact control-flow graph: every executed basic "
                   "block, and the count of every transfer between blocks.",
        .details = details,
        .options = options,
        .out = &c.out,
    };
    int exit_status;
    const char *game = play_parse(&usage, &c.wish, argc, argv, &exit_status);
    if (game == NULL)
        return exit_status;
    c.wish.identify = true;
    return play_command(game, &c.wish, count, &c);
}
