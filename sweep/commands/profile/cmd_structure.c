/* hotgraph structure: plays a movie and records what a translator knows without counting. */
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
};

static const char details[] = GAME_DETAILS
    "A game's own movie is played\n"
    "when no other is given.\n"
    "\n"
    "The structure is what a binary translator knows of a program without counting: its\n"
    "blocks and edges, where threads begin and may end, and how often it went round in\n"
    "busy-waits; and how many instructions and control transfers there were in all, which\n"
    "samplers of so many per million must know. The technique 'flow' repairs sampled counts with "
    "it, and samplers of\n"
    "active transfers know busy-waits from it. The file is a graph whose counts are 0 but\n"
    "for busy-waits, with further lines that other commands take for comments.\n"
    "\n"
    "Example:\n"
    "  hotgraph structure mazewisp --out mazewisp.structure\n";

static enum status write_structure(const struct structure_command *c, const struct play *p,
                                   const struct structure *s, struct error *e) {
    struct play_comments comments;
    play_comments(&comments, p, "structure");
    return structure_write(s, c->out, comments.at, PLAY_COMMENTS, e);
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
        printf("%s: %zu blocks of %zu instructions, %zu edges, %" PRIu64
               " transitions in busy-waits; %" PRIu64 " probes executed\n",
               c->out, s.graph.block_count, structure_insn_count(&s), s.graph.edge_count,
               graph_weight(&s.graph), s.probes);
    structure_free(&s);
    return status;
}

int command_structure(int argc, char **argv) {
    struct structure_command c = {0};
    const struct option_spec options[] = {
        {"out", "FILE.structure", "the structure's file (required)", OPTION_STRING, .to = &c.out,
         .file = FILE_WRITTEN},
        {0},
    };
    const struct play_usage usage = {
        .command = "structure",
        .summary = "Plays a game and writes the structure of what was executed: blocks and edges "
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
