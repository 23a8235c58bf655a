/* hotgraph: finds the command and runs it; the commands are in files of their own. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "version.h"

static const struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"replay", "play a game's movie: RAM hashes, pictures, traces, saved states", command_replay},
    {"sample", "play a movie and record the sample stream", command_sample},
    {"exact", "play a movie and count the exact control-flow graph", command_exact},
    {"record", "run a Linux program under QEMU: exact graph and sample streams", command_record},
    {"structure", "play a movie and record blocks and edges without counts", command_structure},
    {"profile", "play a movie and find a graph with a live technique", command_profile},
    {"build", "find a graph in a sample stream with a profiling technique", command_build},
    {"blocks", "see hot translated blocks: guest code, host code, counts, chains", command_blocks},
    {"compare", "compare a graph with an exact one: all metrics", command_compare},
    {"export", "write a graph as a profile for an optimiser (BOLT)", command_export},
    {"flow", "find the flow of least cost in a network (DIMACS)", command_flow},
    {"report", "tables and figures from a database", command_report},
    {"results", "all results of a database as CSV or JSON", command_results},
    {"runs", "list who computed what is in a database, and on what", command_runs},
    {"sweep", "run the experiment that a configuration file describes", command_sweep},
    {"bench", "measure how much slower games replay with techniques inside", command_bench},
    {"merge", "join databases into one", command_merge},
    {"diff", "say whether two databases hold the same results", command_diff},
    {"techniques", "list the profiling techniques and their parameters", command_techniques},
    {"testrom", "run test ROMs to their verdict", command_testrom},
    {"lockstep", "run games in many ways at once; find where they differ", command_lockstep},
#ifdef HOTGRAPH_NATIVE
    {"native", "run a program of this machine with probes in it", command_native},
    {"measured", "store what was measured of a native program", command_measured},
#endif
    {"movie", "describe an .fm2 movie, see whether it plays, or make one", command_movie},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(void) {
    printf(
        "Usage: hotgraph COMMAND [OPTION]... [OPERAND]...\n\n"
        "Replays recorded game input deterministically on an NES, watches the program's control\n"
        "flow with profiling techniques, and measures how well each found the hot graph.\n\n"
        "Commands:\n");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-12s%s\n", commands[i].name, commands[i].summary);
    printf("\n'hotgraph help COMMAND' is the manual of one; 'hotgraph --version' names the "
           "build.\n\n"
           "Exit status: 0 done, 1 an error, explained on standard error, 2 called wrongly, 141\n"
           "nobody reads standard output any more.\n");
}

static void print_page(void) {
    print_roff_head("hotgraph", "how well sampling profilers find hot control flow");
    printf("\\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIOPERAND\\fR]...\n.SH COMMANDS\n");
    for (size_t i = 0; i < COMMANDS; i++) {
        printf(".TP\n.BR hotgraph\\-%s (1)\n", commands[i].name);
        print_roff(commands[i].summary);
        putchar('\n');
    }
    printf(".SH EXIT STATUS\n0 done, 1 an error, explained on standard error, 2 called wrongly, "
           "141 nobody reads standard output any more.\n");
}

static int unknown_command(const char *word) {
    const char *names[COMMANDS + 1] = {0};
    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i].name;
    const char *near = nearest_word(word, names);
    if (near != NULL)
        return usage_error("", "unknown command '%s', did you mean '%s'?", word, near);
    return usage_error("", "unknown command '%s'", word);
}

static const struct command *find(const char *word) {
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(word, commands[i].name) == 0)
            return &commands[i];
    return NULL;
}

/* `help COMMAND`, `help movie make`: what `COMMAND --help` prints. */
static int print_manual(int count, char **words) {
    char *args[4] = {words[0], count > 1 ? words[1] : "--help", "--help", NULL};
    const struct command *command = find(words[0]);
    return command != NULL ? command->run(count > 1 ? 3 : 2, args) : unknown_command(words[0]);
}

static int run(int argc, char **argv) {
    if (argc < 2)
        return usage_error("", "a command is missing");
    const char *word = argv[1];
    const bool help = strcmp(word, "help") == 0;
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || (help && argc == 2)) {
        print_help();
        return 0;
    }
    if (strcmp(word, "--help=man") == 0) {
        print_page();
        return 0;
    }
    if (strcmp(word, "--help=options") == 0) {
        for (size_t i = 0; i < COMMANDS; i++)
            printf("word\t%s\n", commands[i].name);
        return 0;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("hotgraph %s (commit %s)\n", HOTGRAPH_VERSION, HOTGRAPH_COMMIT);
        return 0;
    }
    if (help)
        return print_manual(argc - 2, argv + 2);
    const struct command *command = find(word);
    if (command != NULL)
        return command->run(argc - 1, argv + 1);
    if (word[0] == '-')
        return usage_error("", "unknown option '%s': options follow a command", word);
    return unknown_command(word);
}

int main(int argc, char **argv) {
    /* A limit on the size of files (code is made in one, too) is an error like a full disk, not a
     * silent death; a reader that went away ends the program quietly, but with its files whole. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    int status = run(argc, argv);
    errno = 0;
    const bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (failed && reader_gone()) {
        status = status == 0 ? EXIT_READER_GONE : status;
    } else if (failed) {
        fprintf(stderr, "hotgraph: standard output: cannot be written: %s\n",
                errno != 0 ? strerror(errno) : "an earlier write failed");
        if (status == 0)
            status = EXIT_FAILURE;
    }
    return status;
}
