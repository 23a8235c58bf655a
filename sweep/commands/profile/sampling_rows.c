#include "commands/profile/sampling_rows.h"

#include <string.h>

void sampling_rows(struct sampling_choice *s, struct option_spec *rows) {
    *s = (struct sampling_choice){.sampler = {.interval_us = 3000, .seed = 1},
                                  .batch_length = 25,
                                  .next = 1,
                                  .stack = 16,
                                  .by = "time",
                                  .place = "regular"};
    const struct option_spec all[SAMPLING_ROWS] = {
        {"interval-ms", "T", "milliseconds between batches (default 3)", OPTION_THOUSANDTHS,
         .to = &s->sampler.interval_us, .least = 1, .most = 3600000000,
         .given = &s->interval_given},
        {"batch", "M", "instructions per batch (default 25)", OPTION_NUMBER, .to = &s->batch_length,
         .least = 1, .most = SAMPLER_BATCH_MOST},
        {"next", "K", "with --by clock: take the first K transfers at each due cycle (default 1)",
         OPTION_NUMBER, .to = &s->next, .least = 1, .most = SAMPLER_NEXT_MOST},
        {"window", "C",
         "with --by clock: take all transfers within C cycles from each due cycle on",
         OPTION_NUMBER, .to = &s->window, .least = 1, .most = SAMPLER_WINDOW_MOST},
        {"stack", "N", "with --by lbr or lbr_taken: taken branches in a sample (default 16)",
         OPTION_NUMBER, .to = &s->stack, .least = 2, .most = SAMPLER_STACK_MOST,
         .given = &s->stack_given},
        {"skip", "N", "with --by lbr or lbr_taken: ignore the N newest of them (default 0)",
         OPTION_NUMBER, .to = &s->skip, .least = 0, .most = SAMPLER_STACK_MOST - 2},
        {"jitter-ms", "T", "move each batch by up to this much either way (default 0)",
         OPTION_THOUSANDTHS, .to = &s->sampler.jitter_us, .least = 0, .most = 3600000000},
        {"seed", "N", "the seed of random positions and jitter (default 1)", OPTION_NUMBER,
         .to = &s->sampler.seed, .least = 0, .most = INT64_MAX},
        {"weigh", NULL, "with --by time: record the cycles of the instruction before each batch",
         OPTION_FLAG, .to = &s->sampler.weigh},
        {"by", "WHAT",
         "what is counted between samples: time (default), instructions, transfers or active "
         "transfers; clock: time, and a sample is the transfer executed then; lbr: time, and a "
         "sample is the last taken branches; lbr_taken: taken branches, and a sample is the last "
         "of them",
         OPTION_CHOICE, .to = &s->by, .choices = sampler_by_words},
        {"every", "N", "take one sample in every N instructions or transfers", OPTION_NUMBER,
         .to = &s->sampler.every, .least = 1, .most = INT64_C(1) << 48},
        {"per-million", "N",
         "instead of --every: observe at most N of every million executed instructions; for "
         "transfers, --structure tells how many there are",
         OPTION_NUMBER, .to = &s->sampler.per_million, .least = 1, .most = 1000000},
        {"place", "HOW",
         "the position within each N: regular (default), stratified (random), golden or calls",
         OPTION_CHOICE, .to = &s->place, .choices = sampler_place_words},
        {"structure", "FILE", "the structure, with the busy-waits and the number of transfers",
         OPTION_STRING, .to = &s->structure, .file = FILE_READ},
    };
    memcpy(rows, all, sizeof all);
}

static unsigned index_of(const char *word, const char *const *words) {
    unsigned i = 0;
    while (words[i] != NULL && strcmp(words[i], word) != 0)
        i++;
    return i;
}

bool sampling_chosen(struct sampling_choice *s, const char *command) {
    const bool by_clock = strcmp(s->by, "clock") == 0;
    const bool by_lbr = strcmp(s->by, "lbr") == 0;
    const bool by_branches = by_lbr || strcmp(s->by, "lbr_taken") == 0;
    const bool by_time = strcmp(s->by, "time") == 0 || by_clock || by_lbr;
    s->sampler.batch_length = (unsigned)s->batch_length;
    s->sampler.next = (unsigned)s->next;
    s->sampler.window = (unsigned)s->window;
    s->sampler.stack = (unsigned)s->stack;
    s->sampler.skip = (unsigned)s->skip;
    s->sampler.by = (enum sampler_by)index_of(s->by, sampler_by_words);
    s->sampler.place = (enum sampler_place)index_of(s->place, sampler_place_words);
    if (by_branches && s->sampler.per_million != 0)
        usage_error(command, "--by %s needs --every N: how many branches are taken is not known",
                    s->by);
    else if (!by_time && (s->sampler.every == 0) == (s->sampler.per_million == 0))
        usage_error(command, "--by %s needs --every N, or --per-million N", s->by);
    else if (by_time && (s->sampler.every != 0 || s->sampler.per_million != 0))
        usage_error(command, "%s needs --by instructions, transfers or active",
                    s->sampler.every != 0 ? "--every" : "--per-million");
    else if (strcmp(s->by, "transfers") == 0 && s->sampler.per_million != 0 && s->structure == NULL)
        usage_error(command, "--by transfers --per-million needs --structure FILE");
    else if (by_time && s->sampler.place != SAMPLER_REGULAR)
        usage_error(
            command,
            "--place %s needs --by instructions, transfers or active: samples by time are regular",
            s->place);
    else if (!by_time && s->interval_given)
        usage_error(command, "--interval-ms needs --by time, clock or lbr");
    else if (!by_clock && (s->next != 1 || s->window != 0))
        usage_error(command, "--%s needs --by clock", s->window != 0 ? "window" : "next");
    else if (!by_branches && (s->stack_given || s->skip != 0))
        usage_error(command, "--%s needs --by lbr or lbr_taken", s->skip != 0 ? "skip" : "stack");
    else if (by_branches && s->skip + 2 > s->stack)
        usage_error(command, "at least 2 of %u entries must not be skipped", s->sampler.stack);
    else if (s->next != 1 && s->window != 0)
        usage_error(command, "--window takes all transfers; --next cannot limit them");
    else if (strcmp(s->by, "active") == 0 && s->structure == NULL)
        usage_error(command, "--by active needs --structure FILE");
    else
        return true;
    return false;
}
