/* hotgraph doctor: what is missing on this machine, for which command, and which package has it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "commands/setup/doctor.h"

static const char details[] =
    "Checks the program's own files, plays a game on both engines, looks for the tools\n"
    "that commands start, and measures for a second whether the machine is quiet.\n"
    "Everything that is missing is listed with its purpose and, if there is one, its\n"
    "Debian package. Nothing is changed.\n"
    "\n"
    "Exit status: 0 if 'hotgraph sweep' works, though something may be missing for\n"
    "other commands; 1 if it does not.\n"
    "\n"
    "Examples:\n"
    "  hotgraph doctor\n"
    "  hotgraph doctor --json | grep missing\n";

static const char *const state_names[] = {
    [FINDING_OK] = "ok",
    [FINDING_MISSING] = "missing",
    [FINDING_BROKEN] = "broken",
    [FINDING_NOTE] = "note",
};

static void print_json(const struct finding *findings, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        const struct finding *f = &findings[i];
        printf("%s{", i == 0 ? "[" : ",\n ");
        print_json_text("group", f->group);
        printf(", ");
        print_json_text("name", f->name);
        printf(", ");
        print_json_text("state", state_names[f->state]);
        printf(", ");
        print_json_text("needed_for", f->use);
        printf(", ");
        print_json_text("detail", f->detail);
        printf(", ");
        print_json_text("package", f->package);
        putchar('}');
    }
    puts("]");
}

static void print_finding(const struct finding *f) {
    printf("  %-8s%-20s", state_names[f->state], f->name);
    print_safe(stdout, f->detail);
    putchar('\n');
    if (f->state != FINDING_OK)
        printf("  %28sneeded for %s\n", "", f->use);
}

/* One command that installs every missing package. */
static void print_packages(const struct finding *findings, unsigned count) {
    bool any = false;
    for (unsigned i = 0; i < count; i++) {
        const char *package = findings[i].state == FINDING_OK ? NULL : findings[i].package;
        for (unsigned j = 0; package != NULL && j < i; j++)
            if (findings[j].state != FINDING_OK && findings[j].package != NULL &&
                strcmp(findings[j].package, package) == 0)
                package = NULL; /* printed already */
        if (package == NULL)
            continue;
        printf("%s %s",
               any ? "" : "\nOn Debian, as root:\n  apt-get install --no-install-recommends",
               package);
        any = true;
    }
    printf("%s", any ? "\n" : "");
}

static void print_text(const struct finding *findings, unsigned count) {
    const char *group = "";
    unsigned missing = 0, broken = 0;
    bool played = false; /* a game, without which nobody knows */
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(group, findings[i].group) != 0)
            printf("%s%s\n", i > 0 ? "\n" : "", group = findings[i].group);
        print_finding(&findings[i]);
        missing += findings[i].state == FINDING_MISSING;
        broken += findings[i].state == FINDING_BROKEN;
        played |= findings[i].state == FINDING_OK && strcmp(findings[i].name, "interpreter") == 0;
    }
    if (broken > 0)
        printf("\nhotgraph sweep does not work here.\n");
    else if (missing > 0)
        printf("\nhotgraph sweep %s. For other commands %u %s missing.\n",
               played ? "works" : "was not tried: there is no game", missing,
               missing == 1 ? "thing is" : "things are");
    else
        printf("\nNothing is missing.\n");
    print_packages(findings, count);
}

int command_doctor(int argc, char **argv) {
    bool json = false;
    const struct option_spec options[] = {
        {"json", NULL, "print JSON: a list of objects", OPTION_FLAG, .to = &json},
        {0},
    };
    const struct usage usage = {
        .command = "doctor",
        .operands = "",
        .summary = "Lists what is missing on this machine.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    struct finding findings[FINDINGS_MOST];
    const unsigned count = doctor_check(findings);
    if (json)
        print_json(findings, count);
    else
        print_text(findings, count);
    for (unsigned i = 0; i < count; i++)
        if (findings[i].state == FINDING_BROKEN)
            return EXIT_FAILURE;
    return EXIT_SUCCESS;
}
