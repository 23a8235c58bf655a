/*
 * sampling_rows: what is sampled, as options that commands share.
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

enum { SAMPLING_ROWS = 10 };

struct sampling_choice {
    struct sampler_options sampler; /* whole after sampling_chosen(), but for the structure */
    uint64_t batch_length;
    const char *by, *place;
    const char *structure; /* file, or NULL */
    bool interval_given;
};

/* Fills rows[0] .. rows[SAMPLING_ROWS - 1]; they store into *s. */
void sampling_rows(struct sampling_choice *s, struct option_spec *rows);
/* Prints what is wrong with the combination; false then. */
bool sampling_chosen(struct sampling_choice *s, const char *command);

#endif
