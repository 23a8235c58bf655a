/* hotgraph structure: plays a movie and records the program's structure, without counts. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands/command.h"
#include "play/play.h"
#include "profile/profile.h"
#include "profile/structure/structure.h"

struct structure_command {
    struct play_options wish;
    const char *out;
    bool json;
};

static const char details[] =
    GAME_DETAILS "By default the game's own movie is played.\n"
                 "\n"
                 "The structure is what a binary translator knows about a program without\n"
                 "counting: its blocks and edges; where handlers begin and may end; the\n"
                 "iterations of busy-waits; and the total numbers of instructions and control\n"
                 "transfers, which samplers with --per-million need. The technique 'flow' uses\n"
                 "it to repair sampled counts; samplers of active transfers use it to recognise\n"
                 "busy-waits. The file is a graph whose counts are 0 except for busy-waits, with\n"
                 "additional lines that other commands treat as comments.\n"
                 "\n"
                 "Example:\n"
                 "  hotgraph structure mazewisp --out mazewisp.structure\n";

static enum status write_structure(const struct structure_command *c, const struct play *p,
                                   const struct structure *s, struct error *e) {
    struct play_comments comments;
    play_comments(&comments, p, "structure");
    return structure_write(s, c->out, comments.at, PLAY_COMMENTS, e);
}

static void print_text(const struct structure_command *c, const struct structure *s) {
    printf("%s: %zu blocks of %zu instructions, %zu edges, %" PRIu64
           " transitions in busy-waits; %" PRIu64 " probes executed\n",
           c->out, s->graph.block_count, structure_insn_count(s), s->graph.edge_count,
           graph_weight(&s->graph), s->probes);
}

static void print_json(const struct structure_command *c, const struct structure *s) {
    printf("{");
    print_json_text("out", c->out);
    printf(", \"program\": \"%s\", \"blocks\": %zu, \"instructions\": %zu, \"edges\": %zu, "
           "\"busy_transitions\": %" PRIu64 ", \"probes\": %" PRIu64 "}\n",
           s->graph.program, s->graph.block_count, structure_insn_count(s), s->graph.edge_count,
           graph_weight(&s->graph), s->probes);
}

static enum status record(void *command, struct play *p, struct error *e) {
    const struct structure_command *c = command;
    struct structure_recorder *recorder = NULL;
    struct sampler *counting = NULL;
    struct structure s = {0};
    enum status status = structure_attach(&recorder, p->nes, e);
    if (status == STATUS_OK)
        status = sampler_attach_counting(&counting, p->nes, e);
    if (status == STATUS_OK)
        status = play_run(p, (struct play_hooks){0}, e);
    if (status == STATUS_OK) {
        status = structure_finish(recorder, &s, e);
        recorder = NULL;
        memcpy(s.graph.program, p->cartridge->sha1, sizeof s.graph.program);
    }
    if (status == STATUS_OK) {
        status = sampler_finish_counting(counting, &s, e);
        counting = NULL;
    }
    sampler_free(counting);
    structure_abandon(recorder);
    if (status == STATUS_OK)
        status = write_structure(c, p, &s, e);
    if (status == STATUS_OK)
        (c->json ? print_json : print_text)(c, &s);
    structure_free(&s);
    return status;
}

int command_structure(int argc, char **argv) {
    struct structure_command c = {0};
    const struct option_spec options[] = {
        {"out", "FILE.structure", "the structure's file (required)", OPTION_STRING, .to = &c.out,
         .file = FILE_WRITTEN},
        json_option(&c.json),
        {0},
    };
    const struct play_usage usage = {
        .command = "structure",
        .summary = "Plays a game and writes the structure of the executed code: blocks and edges "
                   "without counts.",
        .details = details,
        .options = options,
        .out = &c.out,
    };
    int exit_status;
    const char *game = play_parse(&usage, &c.wish, argc, argv, &exit_status);
    if (game == NULL)
        return exit_status;
    c.wish.identify = true;
    return play_command(game, &c.wish, record, &c);
}
