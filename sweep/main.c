/* hotgraph: finds the command and runs it; the commands are in files of their own. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "options.h"
#include "version.h"

static const struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"replay", "play a game's movie: RAM hashes, pictures, traces, saved states", command_replay},
    {"sample", "play a movie and record the sample stream", command_sample},
    {"exact", "play a movie and count the exact control-flow graph", command_exact},
    {"build", "find a graph in a sample stream with a profiling technique", command_build},
    {"blocks", "see hot translated blocks: guest code, host code, counts, chains", command_blocks},
    {"compare", "compare a graph with an exact one: all metrics", command_compare},
    {"report", "tables and figures from a database", command_report},
    {"sweep", "run the experiment that a configuration file describes", command_sweep},
    {"techniques", "list the profiling techniques and their parameters", command_techniques},
    {"testrom", "run test ROMs to their verdict", command_testrom},
    {"lockstep", "run games in many ways at once; find where they differ", command_lockstep},
    {"movie", "describe an .fm2 movie, or make one", command_movie},
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
    printf("\n'hotgraph COMMAND --help' is the manual of one; 'hotgraph --version' names the "
           "build.\n\n"
           "Exit status: 0 done, 1 an error, explained on standard error, 2 called wrongly.\n");
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

static int run(int argc, char **argv) {
    if (argc < 2)
        return usage_error("", "a command is missing");
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "help") == 0) {
        print_help();
        return 0;
    }
    if (strcmp(word, "--version") == 0) {
        printf("hotgraph %s (commit %s)\n", HOTGRAPH_VERSION, HOTGRAPH_COMMIT);
        return 0;
    }
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(word, commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    if (word[0] == '-')
        return usage_error("", "unknown option '%s': options follow a command", word);
    return unknown_command(word);
}

int main(int argc, char **argv) {
    /* A reader that went away and a limit on the size of files (code is made in one, too) are
     * errors like a full disk, not a silent death. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    int status = run(argc, argv);
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "hotgraph: standard output: cannot be written: %s\n",
                errno != 0 ? strerror(errno) : "an earlier write failed");
        if (status == 0)
            status = EXIT_FAILURE;
    }
    return status;
}
