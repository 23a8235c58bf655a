/*
 * parameters: makes a technique's parameters options of a command. The technique determines which
 * options exist, so it is looked up before they are parsed.
 *
 *     struct technique_choice c;
 *     technique_choose(&c, argc, argv, live, "exact");
 *     ... options: technique_option(&c), and .more = c.rows ...
 *     if (!options_parse(...))
 *         ...
 *     technique_chosen(&c);    // converts named values into c.values
 */
#ifndef HOTGRAPH_COMMANDS_PARAMETERS_H
#define HOTGRAPH_COMMANDS_PARAMETERS_H

#include "cli/cli.h"
#include "profile/profile.h"

enum { TECHNIQUE_CHOICES = 32, TECHNIQUE_TEXT = 400 };

struct technique_choice {
    const struct technique *technique;
    const char *option; /* that chooses it */
    const char *name;   /* as given */
    int64_t values[TECHNIQUE_PARAMETERS];
    const char *words[TECHNIQUE_PARAMETERS]; /* the names of named values */
    char names[TECHNIQUE_PARAMETERS][32], help[TECHNIQUE_PARAMETERS][TECHNIQUE_TEXT];
    const char *choices[TECHNIQUE_CHOICES + 1];
    struct option_spec rows[TECHNIQUE_PARAMETERS + 1]; /* one per parameter */
};

/* live: choose among techniques that can watch a machine, directly or through samples; else among
 * those that work on recorded streams. */
void technique_choose(struct technique_choice *c, int argc, char **argv, bool live,
                      const char *standard);
/* The same among live ones, with another option than --technique. If that is not given, its
 * technique is NULL. */
void technique_choose_by(struct technique_choice *c, const char *option, int argc, char **argv,
                         const char *standard);
struct option_spec technique_option(struct technique_choice *c);
void technique_chosen(struct technique_choice *c);
/* Formats "name value name value", without the technique's name; returns the length. */
size_t technique_describe(const struct technique_choice *c, char *text, size_t room);
/* Prints `"parameters": {...}`: numbers, and words where the parameter has words. */
void technique_print_json(const struct technique_choice *c);

#endif
