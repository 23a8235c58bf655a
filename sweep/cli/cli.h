/*
 * cli: what all commands share: the command line, helpers for output, progress, signals, and the
 * engine that --engine names. It is the lowest room of sweep/ and knows neither games nor
 * databases.
 *
 *  - options: parses a command line by the command's table of options
 *  - files: checks before the work that outputs can be written and overwrite no other file
 *  - manual: prints these tables as help, for man(1), and for a shell's completion
 *  - output: helpers for printing
 *  - data: finds the configurations, games and movies that come with the program
 *  - progress: shows the progress of long work
 *  - interrupt: the first signal asks the program to stop, the second one ends it
 *  - engines: selects and configures the engine that runs a machine
 *  - jobs: the number of threads
 */
#ifndef HOTGRAPH_CLI_H
#define HOTGRAPH_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/base.h"
#include "dbt/dbt.h"

/*
 * options: parses a command line by the command's table of options.
 *
 * A command describes its options and operands. options_parse() fills the variables that the table
 * points to, prints the manual for --help, or explains an error. It checks all values before the
 * command begins its work.
 *
 *     uint64_t frames = 0;
 *     const struct option_spec options[] = {
 *         {"frames", "N", "play N frames", OPTION_NUMBER, .to = &frames, .least = 1, .most =
 * 1000000}, {0},
 *     };
 *     const struct usage usage = {.command = "replay", .operands = "ROM", .least = 1, .most = 1,
 *                                 .summary = "...", .options = options};
 *     struct operands operands;
 *     if (!options_parse(&usage, argc, argv, &operands))
 *         return operands.exit_status;
 */

/* 141: a shell's exit status for a command that SIGPIPE has ended. */
enum { EXIT_USAGE = 2, EXIT_READER_GONE = 141 };

enum option_kind {
    OPTION_FLAG,        /* bool *: true if given */
    OPTION_STRING,      /* const char **: points into argv */
    OPTION_NUMBER,      /* uint64_t *: decimal, least..most */
    OPTION_SIGNED,      /* int64_t *: the same, signed */
    OPTION_THOUSANDTHS, /* uint64_t *: a decimal with up to three places, stored in thousandths */
    OPTION_LIST,        /* struct option_list *: may be repeated */
    OPTION_CHOICE,      /* const char **: one word of `choices` */
    OPTION_PARSED,      /* parsed and stored by `parse` */
};

struct option_list {
    VEC(const char *) items;
};

/* What a command does with a file named on its command line. */
enum file_use {
    FILE_NONE,    /* not a file */
    FILE_READ,    /* read; no output may overwrite it */
    FILE_WRITTEN, /* created, or replaced as a whole */
    FILE_UPDATED, /* a database, extended in place */
    FILE_FOLDER,  /* a folder for outputs, created if it does not exist */
};

struct option_spec {
    const char *name;  /* long name without dashes; NULL ends the table */
    const char *value; /* the value's placeholder in the manual; NULL for flags */
    const char *help;  /* a sentence or two; wrapped when printed */
    enum option_kind kind;
    void *to;
    int64_t least, most;        /* OPTION_NUMBER, OPTION_SIGNED, OPTION_THOUSANDTHS (in
                                   thousandths) */
    const char *const *choices; /* OPTION_CHOICE: permitted words, ends with NULL; for other kinds,
                                   words that a shell completes */
    bool *given;                /* may be NULL */
    /* OPTION_PARSED: on failure, the message continues "--NAME ". */
    enum status (*parse)(void *to, const char *text, struct error *e);
    /* OPTION_CHOICE: suggests what to type instead of an unknown word; false: no suggestion. May be
     * NULL. */
    bool (*hint)(const char *word, char *text, size_t size);
    /* OPTION_STRING, OPTION_LIST: checks the value's form; fails as `parse` does. May be NULL. */
    enum status (*check)(const char *value, struct error *e);
    enum file_use file; /* OPTION_STRING, OPTION_LIST: how the command uses the file */
    /* Returns the path within the value, as in "ADDRESS:FILE", or NULL if there is none. NULL: the
     * whole value is the path. */
    const char *(*path)(const char *value);
};

enum { OPTIONS_MOST = 48 };

struct usage {
    const char *command;               /* "replay", "movie make" */
    const char *operands;              /* "GAME|ROM" */
    unsigned least, most;              /* number of operands */
    const char *summary;               /* one line */
    const char *details;               /* paragraphs below the options; may be NULL */
    const struct option_spec *options; /* the command's own */
    const struct option_spec *more;    /* options shared with other commands; may be NULL */
    unsigned inputs;                   /* number of leading operands that are input files */
    const char *const *words;          /* permitted first operands, ends with NULL; NULL: any */
};

struct operands {
    char **at;
    unsigned count;
    int exit_status; /* if options_parse() returned false */
};

/* True: run the command; its files have been checked as well. False: help (roff with --help=man,
 * for shells with --help=options) or an error was printed, and exit_status tells which. Permutes
 * argv. */
bool options_parse(const struct usage *usage, int argc, char **argv, struct operands *out);

/* For `check`: requires "NAME,NAME,..." without empty names. */
enum status option_check_names(const char *value, struct error *e);

/* The words of "a,b"; of NULL: none. */
struct words {
    VEC(const char *) at; /* point into text */
    char *text;
};
enum status words_split(struct words *out, const char *list, struct error *e);
void words_free(struct words *w);

/* For main's own page: prints the page up to the program's name in SYNOPSIS; and prints text with
 * roff's special characters escaped. */
void print_roff_head(const char *page, const char *summary);
void print_roff(const char *text);

/* Prints "hotgraph COMMAND: MESSAGE" and how to get help; returns EXIT_USAGE. */
int usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints "hotgraph: MESSAGE" and returns EXIT_FAILURE, or 128 + N if signal N asked the program to
 * stop. If the error is that the reader of standard output is gone, prints nothing and returns
 * EXIT_READER_GONE. */
int failure(const struct error *e);
/* Prints "hotgraph: warning: MESSAGE". */
void warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The word in `words` (ends with NULL) closest to `word`, or NULL if none is similar. */
const char *nearest_word(const char *word, const char *const *words);

/*
 * files: checks a command's files before its work begins. Every output must be writable; no two
 * outputs may be the same file, and no output may be an input, whatever their paths and links
 * (/dev/null is an exception); inputs named by options must exist, even if they turn out not to be
 * needed. options_parse() does this for the files in the tables.
 */

struct file_named {
    const char *what, *path; /* "--out" */
    enum file_use use;
};

/* Returns 0, or the exit status after printing the error. */
int files_check(const char *command, const struct file_named *files, size_t count);
/* The same for the files of a command's options and for `more`, which the command found itself. */
int files_check_options(const struct usage *u, const struct file_named *more, size_t count);
/* True if an option names a file or folder that the command writes. */
bool files_are_written(const struct usage *u);

/* output: helpers for printing. */

/* Prints untrusted text (from a file, a file name or a user) so that it cannot control a terminal:
 * control characters and bytes that are not UTF-8 become "\x1b" and so on. */
void print_safe(FILE *to, const char *text);
/* True if standard output is a pipe whose reader is gone (as with `| head`). A failed write is then
 * not worth a message. */
bool reader_gone(void);
/* The permitted width of tables on standard output: the terminal's width; 0 (any) if it is not a
 * terminal, or if `wide`. */
size_t print_width(bool wide);
/* The row of the option table for --wide. */
struct option_spec wide_option(bool *wide);
/* Prints s as a quoted JSON string; bytes that are not UTF-8 become U+FFFD. Here and below, absent
 * values (NULL or NAN) become null. */
void print_json_string(const char *s);
/* Prints `"name": value`. */
void print_json_text(const char *name, const char *text);
void print_json_number(const char *name, double value);
void print_json_count(const char *name, uint64_t value);
/* Holds what is printed until it is complete, so that a command that fails midway prints no part of
 * a value. May be nested. */
struct held_output {
    FILE *real; /* NULL: nothing is held (out of memory) */
    char *text;
    size_t size;
};
void output_hold(struct held_output *h);
/* Prints what was held if `complete`. */
void output_release(struct held_output *h, bool complete);
/* The row of the option table for --json of a command that prints one object. */
struct option_spec json_option(bool *json);
/* Prints the translator's statistics as a JSON object. */
void print_translation(const struct dbt_statistics *s);

/*
 * data: finds the configurations, games and movies that come with the program.
 */

/* Finds a file that `make install` puts into share/hotgraph: NAME if it exists in the current
 * folder, else the installed file (BIN/../share/hotgraph/NAME), else NAME again, for messages. The
 * caller frees it; NULL: out of memory. */
char *data_find(const char *name);

/*
 * progress: shows the progress of a sweep on standard error: on a terminal a bar with the remaining
 * time, elsewhere a line now and then. Not thread-safe.
 */

struct progress {
    bool terminal;
    double total, done;    /* in any unit of work */
    double period;         /* seconds between two lines without a terminal */
    double started, shown; /* seconds of the monotonic clock */
    bool line_open;        /* the current line holds the bar */
};

void progress_start(struct progress *p, double total);
/* Shows `what` as the current activity: in the bar, redrawn at most ten times a second; or, without
 * a terminal, in a line if none was printed for half a minute. */
void progress_show(struct progress *p, const char *what);
/* Prints a permanent line, above the bar on a terminal. */
void progress_line(struct progress *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Removes the bar. */
void progress_end(struct progress *p);

/*
 * interrupt: the first SIGINT, SIGTERM or SIGHUP asks the program to stop as soon as it can do so
 * without leaving half-written files; the second one ends it at once.
 */

/* Starts catching signals. */
void interrupt_catch(void);
/* The signal that asked the program to stop; 0: none. */
int interrupt_signal(void);

/*
 * engines: selects and configures the engine that runs a machine. The syntax of --engine:
 *
 *     interp                              the interpreter
 *     dbt, dbt:OPTION[=VALUE],...         the translator and its options
 *     auto                                the translator if it is available
 *
 *     struct engine_choice choice = {0};  // auto
 *     const struct option_spec options[] = {engine_option(&choice), {0}};
 *     ...
 *     engine_create(&nes, &choice, &(struct nes_options){.cartridge = cartridge}, &e);
 */

/* All zero: auto. */
struct engine_choice {
    enum engine_kind { ENGINE_AUTO, ENGINE_INTERP, ENGINE_DBT } kind;
    struct dbt_options translator; /* of dbt; zero members mean the defaults */
};

/* STATUS_ARGUMENT: `text` is not an engine; the message continues "--engine ", and *out is
 * unchanged. */
enum status engine_parse(struct engine_choice *out, const char *text, struct error *e);
/* The row of the option table for --engine, which stores into *to. */
struct option_spec engine_option(struct engine_choice *to);

/* The row for --console, the variant of the console. */
struct option_spec console_option(struct nes_console *to);

/* jobs: the row of the option table for --jobs; and the number of threads that 0, the default,
 * stands for. */
struct option_spec jobs_option(uint64_t *to);
uint64_t usual_jobs(void);

/* nes_create() with the chosen engine; nes_engine() returns it. If there is no translator (another
 * processor, no executable memory), auto uses the interpreter, and dbt is an error that says what
 * is missing. */
enum status engine_create(struct nes **out, const struct engine_choice *choice,
                          const struct nes_options *options, struct error *e);

#endif
