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

static const char details[] = GAME_DETAILS
    "A game's own movie is played\n"
    "when no other is given.\n"
    "\n"
    "The time is the emulated console's, so a stream does not depend on the computer.\n"
    "Batch k is due at k times the interval; it starts at the first instruction from then\n"
    "on, and is left out if the batch before it has not ended yet.\n"
    "\n"
    "A batch that begins at a time begins with an instruction that was chosen in proportion\n"
    "to the cycles of the one before it. --weigh notes these, and techniques make up for\n"
    "them; --by instructions chooses one batch in every N executed instructions; --by\n"
    "transfers one control transfer in every N, each recorded as two instructions, from and\n"
    "to; --by active the same of those that are no busy-wait's, which the structure tells.\n"
    "--place golden shifts what is chosen by the golden ratio from NMI to NMI: programs\n"
    "repeat themselves from frame to frame, and so all of a frame is seen alike; --place\n"
    "calls does so at each call and return, too, where less has changed since.\n"
    "\n"
    "The stream is tab-separated text with a header line:\n"
    "  sequence  pc  size  type  batch  text  image\n"
    "type is GENERIC, or BRANCHORCALL with DIRECT COND, DIRECT INCOND or INDIRECT INCOND;\n"
    "text is the assembly, and has the target of direct transfers. The file's name says so:\n"
    ".isampling is this text, .hgstream is binary, much smaller and quicker to read; with\n"
    ".gz behind it either is compressed. Other names are refused, but for devices and pipes.\n"
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
           s->of != STREAM_OF_TRANSFERS ? "instructions"
           : s->active                  ? "active transfers"
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
        {"json", NULL, "print what was recorded as JSON", OPTION_FLAG, .to = &c.json},
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
