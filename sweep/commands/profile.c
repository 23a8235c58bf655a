/* hotgraph profile: plays a movie while a live technique watches. */
#include <inttypes.h>
#include <stdio.h>

#include "commands/command.h"
#include "commands/parameters.h"
#include "play/play.h"

struct profile_command {
    struct play_options wish;
    struct technique_choice choice;
    const char *out, *dot;
};

static const char details[] = GAME_DETAILS
    "A game's own movie is played\n"
    "when no other is given.\n"
    "\n"
    "Without --technique it is exact. The parameters are the technique's: 'hotgraph profile\n"
    "GAME --technique NAME --help' shows those of another one. The graph's file starts with\n"
    "technique, parameters and costs as comments. A graph whose counts are all 0 is a set:\n"
    "the technique says which edges are hot, not how hot.\n"
    "\n"
    "Example:\n"
    "  hotgraph profile mazewisp --technique entries --share 990 --out e.graph\n";

static enum status write_graph(const struct profile_command *c, const struct profile *p,
                               struct error *e) {
    char parameters[TECHNIQUE_TEXT] = "", what[2 * TECHNIQUE_TEXT], costs[TECHNIQUE_TEXT];
    technique_describe(&c->choice, parameters, sizeof parameters);
    snprintf(what, sizeof what, "technique %s %s", c->choice.technique->name, parameters);
    snprintf(costs, sizeof costs,
             "records %" PRIu64 " probes %" PRIu64 " observed %" PRIu64 " steps %" PRIu64
             " structure %s blocks %zu edges %zu",
             p->cost.records, p->cost.probes, p->cost.observed, p->cost.steps,
             p->cost.structure ? "given" : "none", p->graph.block_count, p->graph.edge_count);
    const char *const comments[] = {what, costs};
    enum status status =
        graph_write(&p->graph, c->out,
                    (struct graph_write_options){.comments = comments, .comment_count = 2}, e);
    if (status == STATUS_OK && c->dot != NULL)
        status = graph_write_dot(&p->graph, c->dot, e);
    if (status == STATUS_OK)
        printf("%s: %s; %s\n", c->out, what, costs);
    return status;
}

static enum status watch(void *command, struct play *p, struct error *e) {
    const struct profile_command *c = command;
    const struct technique *t = c->choice.technique;
    struct profile profile = {0};
    void *self = NULL;
    enum status status = t->attach(&self, p->nes, c->choice.values, e);
    if (status == STATUS_OK)
        status = play_run(p, (struct play_hooks){0}, e);
    if (status == STATUS_OK) {
        status = t->finish(self, &profile, e);
        self = NULL;
    }
    t->abandon(self);
    if (status == STATUS_OK)
        status = write_graph(c, &profile, e);
    profile_free(&profile);
    return status;
}

int command_profile(int argc, char **argv) {
    struct profile_command c = {.out = NULL};
    technique_choose(&c.choice, argc, argv, true, "exact");
    struct option_spec options[TECHNIQUE_PARAMETERS + 4] = {
        technique_option(&c.choice),
        {"out", "FILE.graph", "the graph's file (required)", OPTION_STRING, .to = &c.out},
        {"dot", "FILE", "write the graph for Graphviz, too", OPTION_STRING, .to = &c.dot},
    };
    for (size_t i = 0; c.choice.rows[i].name != NULL; i++)
        options[3 + i] = c.choice.rows[i];
    struct option_spec rows[PLAY_OPTION_ROWS];
    const struct usage usage = {
        .command = "profile",
        .operands = GAME_OPERAND,
        .least = 1,
        .most = 1,
        .summary = "Plays a game while a profiling technique watches it, and writes the graph that "
                   "it found.",
        .details = details,
        .options = options,
        .more = play_option_rows(&c.wish, rows),
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    if (c.out == NULL)
        return usage_error("profile", "--out FILE is missing");
    technique_chosen(&c.choice);
    return play_command(operands.at[0], &c.wish, watch, &c);
}
