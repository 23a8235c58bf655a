/* hotgraph: finds the command and runs it; each command is in a file of its own. */
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
    {"cost", "count the host instructions that a profiler adds to a replay", command_cost},
    {"costs", "the same for every sampling and live technique of a configuration", command_costs},
    {"exact", "play a movie and count the exact control-flow graph", command_exact},
    {"record", "run a Linux program under QEMU: exact graph and sample streams", command_record},
    {"structure", "play a movie and record blocks and edges without counts", command_structure},
    {"profile", "play a movie while a technique watches, and write its graph", command_profile},
    {"build", "find a graph in a sample stream with a technique", command_build},
    {"blocks", "list hot translated blocks: guest code, host code, counts", command_blocks},
    {"compare", "compare a graph with an exact one: all metrics", command_compare},
    {"optimise", "lay programs out by profiles with BOLT, and count what it saves",
     command_optimise},
    {"export", "write a graph for other tools: BOLT, Graphviz, kcachegrind, pprof ...",
     command_export},
    {"import", "make a graph and a stream from what perf or callgrind recorded", command_import},
    {"flow", "find a minimum-cost flow in a network (DIMACS)", command_flow},
    {"report", "write tables and figures from a database", command_report},
    {"results", "print the results in a database as CSV or JSON", command_results},
    {"sql", "answer a named question, or a SELECT, about a database", command_sql},
    {"runs", "list the runs that computed a database, and their machines", command_runs},
    {"sweep", "run the experiment that a configuration file describes", command_sweep},
    {"init", "write a configuration for your own games and programs", command_init},
    {"bench", "measure how much techniques slow down replays", command_bench},
    {"merge", "merge databases into one", command_merge},
    {"diff", "compare the results in two databases", command_diff},
    {"techniques", "list the profiling techniques and their parameters", command_techniques},
    {"testrom", "run test ROMs and print their verdicts", command_testrom},
    {"lockstep", "run games on several engines in lockstep; find differences", command_lockstep},
    {"doctor", "list what is missing on this machine, and for which command", command_doctor},
#ifdef HOTGRAPH_NATIVE
    {"native", "count functions or blocks of a program with native probes", command_native},
    {"measured", "store measurements of a native program", command_measured},
#endif
    {"movie", "describe or make an .fm2 movie, or check whether it plays", command_movie},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(void) {
    printf("Usage: hotgraph COMMAND [OPTION]... [OPERAND]...\n\n"
           "Replays recorded game input deterministically on an emulated NES, observes the\n"
           "program's control flow with profiling techniques, and measures how well each of\n"
           "them found the hot graph.\n\n"
           "Commands:\n");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-12s%s\n", commands[i].name, commands[i].summary);
    printf(
        "\n'hotgraph help COMMAND' prints a command's manual, 'hotgraph --version' the build.\n\n"
        "Exit status: 0 success, 1 an error, explained on standard error, 2 a wrong command\n"
        "line, 141 standard output was closed by its reader.\n");
}

static void print_page(void) {
    print_roff_head("hotgraph", "how well sampling profilers find hot control flow");
    printf("\\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIOPERAND\\fR]...\n.SH COMMANDS\n");
    for (size_t i = 0; i < COMMANDS; i++) {
        printf(".TP\n.BR hotgraph\\-%s (1)\n", commands[i].name);
        print_roff(commands[i].summary);
        putchar('\n');
    }
    printf(".SH EXIT STATUS\n0 success, 1 an error, explained on standard error, 2 a wrong command "
           "line, 141 standard output was closed by its reader.\n");
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

/* `help COMMAND` and `help movie make` print what `COMMAND --help` prints. */
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

static void take_note(int number) {
    (void)number; /* the call that caused it fails, and its error is reported */
}

/* A handler, unlike SIG_IGN, ends with exec: programs that we start have the signal as we got it. */
static void survive(int number) {
    struct sigaction action = {.sa_handler = take_note, .sa_flags = SA_RESTART};
    struct sigaction old;
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

int main(int argc, char **argv) {
    /* Exceeding a limit on file sizes (translated code is in a file, too) is an error like a full
     * disk, not a silent death. If the reader of standard output is gone, the program ends quietly
     * but completes its files. */
    survive(SIGPIPE);
    survive(SIGXFSZ);
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
