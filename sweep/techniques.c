/* hotgraph techniques: what profilers there are. */
#include <inttypes.h>
#include <stdio.h>

#include "command.h"
#include "options.h"
#include "profile/profile.h"

static void print_technique(const struct technique *t) {
    printf("%s (%s): %s\n", t->name, t->build != NULL ? "on sample streams" : "live", t->summary);
    printf("    source: %s\n", t->source);
    for (size_t i = 0; i < TECHNIQUE_PARAMETERS && t->parameters[i].name != NULL; i++) {
        const struct parameter *p = &t->parameters[i];
        printf("    %s: %s (%" PRId64 " to %" PRId64 ", default %" PRId64 ")\n", p->name, p->help,
               p->least, p->most, p->standard);
    }
}

int command_techniques(int argc, char **argv) {
    const struct option_spec options[] = {{.name = NULL}};
    const struct usage usage = {
        .command = "techniques",
        .operands = "",
        .summary = "Lists the profiling techniques with their parameters. Those on sample streams "
                   "are run by 'hotgraph build' and 'hotgraph sweep'; the live one, exact, by "
                   "'hotgraph exact'.",
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    size_t count;
    const struct technique *const *all = techniques(&count);
    for (size_t i = 0; i < count; i++)
        print_technique(all[i]);
    return 0;
}
