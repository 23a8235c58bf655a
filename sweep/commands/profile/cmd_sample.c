/* hotgraph sample: plays a movie and records batches of executed instructions. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands/command.h"
#include "commands/profile/sampling_rows.h"
#include "play/play.h"
#include "profile/profile.h"
#include "profile/structure/structure.h"

struct sample_command {
    struct play_options wish;
    struct sampling_choice sampling;
    const char *out;
    bool json;
};

static const char details[] =
    GAME_DETAILS "By default the game's own movie is played.\n"
                 "\n"
                 "Time is the emulated console's, so a stream does not depend on the computer.\n"
                 "Batch k is due at k times the interval. It begins with the next instruction;\n"
                 "if the previous batch is not finished yet, batch k is skipped.\n"
                 "\n"
                 "Sampling by time is biased: the first instruction of a batch is chosen with a\n"
                 "probability proportional to the cycles of the instruction before it. --weigh\n"
                 "records these cycles so that techniques can correct for them. The\n"
                 "alternatives:\n"
                 "  --by instructions  one batch in every N executed instructions\n"
                 "  --by transfers     one control transfer in every N, recorded as two\n"
                 "                     instructions: its source and its target\n"
                 "  --by active        the same for transfers outside busy-waits, which the\n"
                 "                     structure identifies\n"
                 "  --place golden     shift the position within each N by the golden ratio from\n"
                 "                     NMI to NMI: frames resemble each other, so this covers\n"
                 "                     all parts of a frame evenly\n"
                 "  --place calls      shift it at each call and return as well\n"
                 "\n"
                 "The stream is text, separated by tabs, with a header line:\n"
                 "  sequence  pc  size  type  batch  text  image\n"
                 "type is GENERIC, or BRANCHORCALL with DIRECT COND, DIRECT INCOND or INDIRECT\n"
                 "INCOND. text is the assembly, with the targets of direct transfers. The file's\n"
                 "name determines the format: .isampling is this text; .hgstream is binary, much\n"
                 "smaller and faster to read; .gz after either compresses it. Other names are\n"
                 "refused, except devices and pipes.\n"
                 "\n"
                 "Examples:\n"
                 "  hotgraph sample mazewisp --out m.isampling.gz\n"
                 "  hotgraph structure mazewisp --out m.structure\n"
                 "  hotgraph sample mazewisp --by active --per-million 600 --place calls \\\n"
                 "      --structure m.structure --out golden.isampling\n"
                 "  hotgraph build golden.isampling --technique flow --structure m.structure \\\n"
                 "      --out found.graph\n";

static void print_stream(const struct sample_command *c, const struct stream *s) {
    const uint64_t sampled = stream_observed(s, s->batch_count);
    if (s->of == STREAM_OF_TRANSFERS)
        printf("%s: %zu of %" PRIu64 " %stransfers, %.4f %% of %" PRIu64 " instructions sampled\n",
               c->out, s->batch_count, s->population, s->active ? "active " : "",
               100.0 * (double)sampled / (double)s->executed, s->executed);
    else if (s->of == STREAM_OF_BRANCHES)
        printf("%s: %zu batches of %.1f in the mean, %" PRIu64 " overruns, %.4f %% of %" PRIu64
               " instructions sampled\n",
               c->out, s->batch_count, (double)sampled / (double)(s->batch_count + !s->batch_count),
               s->overruns, 100.0 * (double)sampled / (double)s->executed, s->executed);
    else
        printf("%s: %zu batches of %zu, %" PRIu64 " overruns, %.2f %% of %" PRIu64
               " instructions sampled\n",
               c->out, s->batch_count, s->batch_length, s->overruns,
               100.0 * (double)sampled / (double)s->executed, s->executed);
}

static void print_json(const struct sample_command *c, const struct stream *s) {
    printf("{\"out\": ");
    print_json_string(c->out);
    printf(", \"program\": \"%s\", \"of\": \"%s\", \"batches\": %zu, \"batch\": %zu, \"overruns\": "
           "%" PRIu64 ", \"population\": %" PRIu64 ", \"sampled\": %" PRIu64
           ", \"executed\": %" PRIu64 "}\n",
           s->program,
           s->of == STREAM_OF_BRANCHES    ? "branches"
           : s->of != STREAM_OF_TRANSFERS ? "instructions"
           : s->active                    ? "active transfers"
                                          : "transfers",
           s->batch_count, s->batch_length, s->overruns, s->population,
           stream_observed(s, s->batch_count), s->executed);
}

static enum status record(void *command, struct play *p, struct error *e) {
    const struct sample_command *c = command;
    struct sampler *sampler = NULL;
    struct stream stream = {0};
    struct sampler_options options = c->sampling.sampler;
    struct structure structure = {0};
    enum status status = STATUS_OK;
    options.structure = c->sampling.structure != NULL ? &structure : NULL;
    if (c->sampling.structure != NULL)
        status = structure_read(&structure, c->sampling.structure, e);
    if (status == STATUS_OK)
        status = sampler_attach(&sampler, p->nes, options, e);
    if (status == STATUS_OK)
        status = play_run(p, (struct play_hooks){0}, e);
    if (status == STATUS_OK) {
        status = sampler_finish(sampler, &stream, e);
        sampler = NULL;
        memcpy(stream.program, p->cartridge->sha1, sizeof stream.program);
    }
    if (status == STATUS_OK)
        status = stream_write(&stream, c->out, p->cartridge->name, e);
    if (status == STATUS_OK)
        (c->json ? print_json : print_stream)(c, &stream);
    sampler_free(sampler);
    stream_free(&stream);
    structure_free(&structure);
    return status;
}

int command_sample(int argc, char **argv) {
    struct sample_command c = {.out = NULL};
    struct option_spec options[2 + SAMPLING_ROWS + 1] = {
        {"out", "FILE", "the stream's file (required)", OPTION_STRING, .to = &c.out,
         .file = FILE_WRITTEN},
        {"json", NULL, "print a summary as JSON", OPTION_FLAG, .to = &c.json},
    };
    sampling_rows(&c.sampling, options + 2);
    const struct play_usage usage = {
        .command = "sample",
        .summary = "Plays a game and writes the sample stream: every few milliseconds, a batch of "
                   "consecutive executed instructions.",
        .details = details,
        .options = options,
        .out = &c.out,
    };
    int exit_status;
    const char *game = play_parse(&usage, &c.wish, argc, argv, &exit_status);
    if (game == NULL)
        return exit_status;
    if (!sampling_chosen(&c.sampling, "sample"))
        return EXIT_USAGE;
    struct error e = {0};
    if (stream_check_name(c.out, &e) != STATUS_OK)
        return usage_error("sample", "--out %s", e.text);
    return play_command(game, &c.wish, record, &c);
}
