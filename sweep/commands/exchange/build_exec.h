/* build_exec: the options of `hotgraph build` for an external technique. Private to the commands.
 */
#ifndef HOTGRAPH_COMMANDS_BUILD_EXEC_H
#define HOTGRAPH_COMMANDS_BUILD_EXEC_H

#include "commands/profile/parameters.h"
#include "profile/exec/exec.h"

struct build_exec {
    const char *command;     /* --exec; NULL: not given */
    struct option_list sets; /* --set NAME=VALUE */
    const char *format;
    uint64_t seconds, memory_mib;
    bool formatted, timed, limited; /* the option was given */
    struct exec exec;
    char *words; /* copy of the command, cut at blanks */
    char names[TECHNIQUE_PARAMETERS][64];
    const char *values[TECHNIQUE_PARAMETERS][2]; /* each followed by NULL */
};

enum { BUILD_EXEC_OPTIONS = 5 };
void build_exec_options(struct build_exec *b, struct option_spec options[BUILD_EXEC_OPTIONS]);
/* Is --exec among the words? Then the technique's own parameters are no options. */
bool build_exec_wanted(int argc, char **argv);
/* The name of an option that was given although --exec was not; NULL: none. */
const char *build_exec_stray(const struct build_exec *b);
/* Makes the program the chosen technique, which then refers to b. STATUS_ARGUMENT if the options
 * are invalid. structure: the program also gets the structure. */
enum status build_exec_choose(struct build_exec *b, bool structure, struct technique_choice *c,
                              struct error *e);
void build_exec_free(struct build_exec *b);

#endif
