/* hotgraph sample: plays a movie and records batches of executed instructions. */
#include <inttypes.h>
#include <stdio.h>

#include "command.h"
#include "play.h"
#include "profile/profile.h"

struct sample_command {
    struct play_options wish;
    struct sampler_options sampler;
    uint64_t batch_length;
    const char *out;
};

static const char details[] = GAME_DETAILS
    "A game's own movie is played\n"
    "when no other is given.\n"
    "\n"
    "The time is the emulated console's, so a stream does not depend on the computer.\n"
    "Batch k is due at k times the interval; it starts at the first instruction from then\n"
    "on, and is left out if the batch before it has not ended yet. The stream is tab-\n"
    "separated text with a header line:\n"
    "  sequence  pc  size  type  batch  text  image\n"
    "type is GENERIC, or BRANCHORCALL with DIRECT COND, DIRECT INCOND or INDIRECT INCOND;\n"
    "text is the assembly, and has the target of direct transfers. A name that ends in .gz\n"
    "is compressed.\n"
    "\n"
    "Example:\n"
    "  hotgraph sample mazewisp --out m.isampling.gz\n";

static enum status record(void *command, struct play *p, struct error *e) {
    const struct sample_command *c = command;
    struct sampler *sampler = NULL;
    struct stream stream = {0};
    struct sampler_options options = c->sampler;
    options.batch_length = (unsigned)c->batch_length;
    uint64_t before = nes_instructions(p->nes);
    enum status status = sampler_attach(&sampler, p->nes, options, e);
    if (status == STATUS_OK)
        status = play_run(p, (struct play_hooks){0}, e);
    if (status == STATUS_OK) {
        status = sampler_finish(sampler, &stream, e);
        sampler = NULL;
    }
    if (status == STATUS_OK)
        status = stream_write(&stream, c->out, p->cartridge->name, e);
    if (status == STATUS_OK) {
        uint64_t executed = nes_instructions(p->nes) - before;
        uint64_t sampled = (uint64_t)stream.batch_count * stream.batch_length;
        printf("%s: %zu batches of %zu, %" PRIu64 " overruns, %.2f %% of %" PRIu64
               " instructions sampled\n",
               c->out, stream.batch_count, stream.batch_length, stream.overruns,
               100.0 * (double)sampled / (double)executed, executed);
    }
    sampler_free(sampler);
    stream_free(&stream);
    return status;
}

int command_sample(int argc, char **argv) {
    struct sample_command c = {.sampler = {.interval_us = 3000, .seed = 1}, .batch_length = 25};
    const struct option_spec options[] = {
        {"out", "FILE", "the stream's file (required)", OPTION_STRING, .to = &c.out},
        {"interval-ms", "T", "milliseconds between batches (default 3)", OPTION_THOUSANDTHS,
         .to = &c.sampler.interval_us, .least = 1, .most = 3600000000},
        {"batch", "M", "instructions of a batch (default 25)", OPTION_NUMBER, .to = &c.batch_length,
         .least = 1, .most = 1000000},
        {"jitter-ms", "T", "move each batch by up to this much either way (default 0)",
         OPTION_THOUSANDTHS, .to = &c.sampler.jitter_us, .least = 0, .most = 3600000000},
        {"seed", "N", "of the jitter (default 1)", OPTION_NUMBER, .to = &c.sampler.seed, .least = 0,
         .most = INT64_MAX},
        {0},
    };
    struct option_spec rows[PLAY_OPTION_ROWS];
    const struct usage usage = {
        .command = "sample",
        .operands = GAME_OPERAND,
        .least = 1,
        .most = 1,
        .summary = "Plays a game and writes the sample stream: every few milliseconds, a batch of "
                   "consecutive executed instructions.",
        .details = details,
        .options = options,
        .more = play_option_rows(&c.wish, rows),
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    if (c.out == NULL)
        return usage_error("sample", "--out FILE is missing");
    return play_command(operands.at[0], &c.wish, record, &c);
}
