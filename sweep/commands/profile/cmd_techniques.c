/* hotgraph techniques: lists the profiling techniques. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "profile/profile.h"

static void print_technique(const struct technique *t) {
    const char *on = t->build != NULL    ? "on sample streams"
                     : t->replay != NULL ? "live, and on programs' traces"
                                         : "live";
    printf("%s (%s): %s\n", t->name, on, t->summary);
    printf("    source: %s\n", t->source);
    for (size_t i = 0; i < TECHNIQUE_PARAMETERS && t->parameters[i].name != NULL; i++) {
        const struct parameter *p = &t->parameters[i];
        printf("    %s: %s (%" PRId64 " to %" PRId64 ", default %" PRId64 ")\n", p->name, p->help,
               p->least, p->most, p->standard);
    }
}

static void print_json(const struct technique *t, bool first) {
    printf("%s{\"name\": \"%s\", \"on\": \"%s\", \"summary\": ", first ? "[" : ",\n ", t->name,
           t->build != NULL ? "stream" : "machine");
    print_json_string(t->summary);
    printf(", \"source\": ");
    print_json_string(t->source);
    printf(", \"parameters\": [");
    for (size_t i = 0; i < TECHNIQUE_PARAMETERS && t->parameters[i].name != NULL; i++) {
        const struct parameter *p = &t->parameters[i];
        printf("%s{\"name\": \"%s\", \"least\": %" PRId64 ", \"most\": %" PRId64
               ", \"default\": %" PRId64 ", \"help\": ",
               i == 0 ? "" : ", ", p->name, p->least, p->most, p->standard);
        print_json_string(p->help);
        putchar('}');
    }
    printf("]}");
}

int command_techniques(int argc, char **argv) {
    bool json = false;
    const struct option_spec options[] = {
        {"json", NULL, "print JSON", OPTION_FLAG, .to = &json},
        {0},
    };
    const struct usage usage = {
        .command = "techniques",
        .operands = "",
        .summary = "Lists the profiling techniques with their parameters. 'hotgraph build' and "
                   "'hotgraph sweep' run techniques on sample streams. 'hotgraph profile' runs "
                   "live techniques, and techniques on samples inside the running machine.",
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    size_t count;
    const struct technique *const *all = techniques(&count);
    for (size_t i = 0; i < count; i++)
        if (json)
            print_json(all[i], i == 0);
        else
            print_technique(all[i]);
    if (json)
        puts(count > 0 ? "]" : "[]");
    return 0;
}
