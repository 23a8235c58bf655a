/*
 * sampling_rows: the options for sampling, shared by several commands.
 *
 *     struct sampling_choice s;
 *     sampling_rows(&s, rows);
 *     ... options_parse() ...
 *     if (!sampling_chosen(&s, "sample"))
 *         return 2;
 */
#ifndef HOTGRAPH_COMMANDS_SAMPLING_ROWS_H
#define HOTGRAPH_COMMANDS_SAMPLING_ROWS_H

#include "cli/cli.h"
#include "profile/profile.h"

enum { SAMPLING_ROWS = 14 };

struct sampling_choice {
    struct sampler_options sampler; /* complete after sampling_chosen(), except for the structure */
    uint64_t batch_length, next, window, stack, skip;
    const char *by, *place;
    const char *structure; /* file, or NULL */
    bool interval_given, stack_given;
};

/* Fills rows[0] .. rows[SAMPLING_ROWS - 1]; they store into *s. */
void sampling_rows(struct sampling_choice *s, struct option_spec *rows);
/* Checks the combination. False: it is wrong, and an error was printed. */
bool sampling_chosen(struct sampling_choice *s, const char *command);

#endif
