/*
 * parameters: a technique's parameters as options of a command. The technique decides which options
 * there are, so it is looked up before they are parsed.
 *
 *     struct technique_choice c;
 *     technique_choose(&c, argc, argv, live, "exact");
 *     ... options: technique_option(&c), and .more = c.rows ...
 *     if (!options_parse(...))
 *         ...
 *     technique_chosen(&c);    // values with names are in c.values now
 */
#ifndef HOTGRAPH_COMMANDS_PARAMETERS_H
#define HOTGRAPH_COMMANDS_PARAMETERS_H

#include "cli/cli.h"
#include "profile/profile.h"

enum { TECHNIQUE_CHOICES = 32, TECHNIQUE_TEXT = 400 };

struct technique_choice {
    const struct technique *technique;
    const char *name; /* as given */
    int64_t values[TECHNIQUE_PARAMETERS];
    const char *words[TECHNIQUE_PARAMETERS]; /* of values that have names */
    char names[TECHNIQUE_PARAMETERS][32], help[TECHNIQUE_PARAMETERS][TECHNIQUE_TEXT];
    const char *choices[TECHNIQUE_CHOICES + 1];
    struct option_spec rows[TECHNIQUE_PARAMETERS + 1]; /* one a parameter */
};

/* live: of those that can watch a machine, by themselves or through samples; else of those that
 * work on recorded streams. */
void technique_choose(struct technique_choice *c, int argc, char **argv, bool live,
                      const char *standard);
struct option_spec technique_option(struct technique_choice *c);
void technique_chosen(struct technique_choice *c);
/* "name value name value", without the technique's own name; returns its length. */
size_t technique_describe(const struct technique_choice *c, char *text, size_t room);

#endif
