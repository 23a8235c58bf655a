/*
 * cli: what all commands share: the command line, pieces of output, progress, signals, and the
 * engine that --engine names. Below every other room of sweep/; it knows no game and no database.
 *
 *  - options: the command line of every command, in one table each
 *  - files: what is written is checked before the work: it can be, and is nothing else's
 *  - manual: the same tables for people, for man(1) and for a shell that completes words
 *  - output: pieces of what commands print
 *  - data: the configurations, games and movies that come with the program
 *  - progress: how far a long piece of work is
 *  - interrupt: a first signal asks to stop, a second one ends
 *  - engines: which engine runs a machine, and how
 */
#ifndef HOTGRAPH_CLI_H
#define HOTGRAPH_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/base.h"
#include "dbt/dbt.h"

/*
 * options: the command line of every command, in one table each.
 *
 * A command describes its options and operands; options_parse() fills the variables that the table
 * points to, prints the manual for --help, and explains what is wrong otherwise. Values are checked
 * before a command begins to work.
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

/* 141: what a shell says of a command that SIGPIPE has ended. */
enum { EXIT_USAGE = 2, EXIT_READER_GONE = 141 };

enum option_kind {
    OPTION_FLAG,        /* bool *: set when given */
    OPTION_STRING,      /* const char **: points into argv */
    OPTION_NUMBER,      /* uint64_t *: decimal, least..most */
    OPTION_SIGNED,      /* int64_t *: the same with a sign */
    OPTION_THOUSANDTHS, /* uint64_t *: a decimal with up to three places; stored times 1000 */
    OPTION_LIST,        /* struct option_list *: each time the option is given */
    OPTION_CHOICE,      /* const char **: one word of `choices` */
    OPTION_PARSED,      /* whatever `parse` stores */
};

struct option_list {
    VEC(const char *) items;
};

/* What a command does with a file that is named on its command line. */
enum file_use {
    FILE_NONE,    /* it is no file */
    FILE_READ,    /* only read: nothing may be written over it */
    FILE_WRITTEN, /* made, or replaced by a whole new one */
    FILE_UPDATED, /* a database: it grows */
    FILE_FOLDER,  /* files are put into it; made where it is missing */
};

struct option_spec {
    const char *name;  /* long name without dashes; a row without one ends the table */
    const char *value; /* what stands for the value in the manual; NULL for flags */
    const char *help;  /* a sentence or two; wrapped when printed */
    enum option_kind kind;
    void *to;
    int64_t least, most;        /* OPTION_NUMBER, OPTION_SIGNED, OPTION_THOUSANDTHS (times 1000) */
    const char *const *choices; /* OPTION_CHOICE: ends with NULL; of others, for a shell to offer */
    bool *given;                /* may be NULL */
    /* OPTION_PARSED: fails with a message that can stand behind "--NAME ". */
    enum status (*parse)(void *to, const char *text, struct error *e);
    /* OPTION_CHOICE: writes what to type instead of a word that is none of them; false: nothing is
     * known. May be NULL. */
    bool (*hint)(const char *word, char *text, size_t size);
    /* OPTION_STRING, OPTION_LIST: whether the value has the right form; fails as `parse` does. May
     * be NULL. */
    enum status (*check)(const char *value, struct error *e);
    enum file_use file; /* OPTION_STRING, OPTION_LIST: what the file is for */
    /* Where the path begins in "ADDRESS:FILE", NULL where there is none; NULL: it is the value. */
    const char *(*path)(const char *value);
};

enum { OPTIONS_MOST = 48 };

struct usage {
    const char *command;               /* "replay", "movie make" */
    const char *operands;              /* "GAME|ROM" */
    unsigned least, most;              /* how many operands */
    const char *summary;               /* one line */
    const char *details;               /* paragraphs under the options; may be NULL */
    const struct option_spec *options; /* the command's own */
    const struct option_spec *more;    /* options it shares with others; may be NULL */
    unsigned inputs;                   /* how many of the first operands are files that are read */
    const char *const *words; /* what the first operand may be, where it is one of a few; ends with
                                 NULL; may be NULL */
};

struct operands {
    char **at;
    unsigned count;
    int exit_status; /* when options_parse() returned false */
};

/* True when the command shall run: its files have been checked, too. Otherwise --help was printed
 * (as a page in roff with --help=man, for a shell with --help=options), or an error: exit_status
 * says which. Permutes argv. */
bool options_parse(const struct usage *usage, int argc, char **argv, struct operands *out);

/* For `check`: "NAME,NAME,...", none of them empty. */
enum status option_check_names(const char *value, struct error *e);

/* For main's own page: its beginning, to the program's name in SYNOPSIS, and text with what roff
 * would take for its own escaped. */
void print_roff_head(const char *page, const char *summary);
void print_roff(const char *text);

/* Prints "hotgraph COMMAND: MESSAGE" and where help is; returns EXIT_USAGE. */
int usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints "hotgraph: MESSAGE"; returns EXIT_FAILURE, or what a shell says of a signal's end when one
 * asked to stop. Nothing is printed, and the status is EXIT_READER_GONE, when the error is that
 * nobody reads standard output. */
int failure(const struct error *e);
/* Prints "hotgraph: warning: MESSAGE". */
void warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The word of `words` (ends with NULL) that is nearest to `word`, or NULL when none is near. */
const char *nearest_word(const char *word, const char *const *words);

/*
 * files: what a command writes is checked before it begins to work: that it can be written, that no
 * two outputs are one file, and that none of them is an input; by whatever path, through links;
 * and that what an option names to be read is there, also where it may turn out not to be needed.
 * /dev/null takes several. options_parse() does it for the files that the tables name.
 */

struct file_named {
    const char *what, *path; /* "--out" */
    enum file_use use;
};

/* 0, or the exit status, with what is wrong on standard error. */
int files_check(const char *command, const struct file_named *files, size_t count);
/* The same of a command's options and `more`: files that it found out about by itself. */
int files_check_options(const struct usage *u, const struct file_named *more, size_t count);
/* Whether an option names a file or folder that the command writes. */
bool files_are_written(const struct usage *u);

/* output: pieces of what commands print. */

/* Prints text that comes from a file, a file's name or a user so that it can do nothing to a
 * terminal: control characters and bytes that are no UTF-8 are written as in "\x1b". */
void print_safe(FILE *to, const char *text);
/* Standard output is a pipe, and nobody reads it any more (as when `| head` has had enough): what
 * cannot be written then is no error to speak of. */
bool reader_gone(void);
/* How long lines of a table may be on standard output: a terminal's width, 0 (any) elsewhere, and
 * where `wide` says so. */
size_t print_width(bool wide);
/* The row of a command's options for that. */
struct option_spec wide_option(bool *wide);
/* Prints s as a JSON string with its quotes; bytes that are no UTF-8 become U+FFFD. Here and below
 * what is absent, NULL or NAN, is null. */
void print_json_string(const char *s);
/* `"name": value`. */
void print_json_text(const char *name, const char *text);
void print_json_number(const char *name, double value);
/* Prints what the translator has done as a JSON object. */
void print_translation(const struct dbt_statistics *s);

/*
 * data: the configurations, games and movies that come with the program.
 */

/* Where a file that `make install` puts into share/hotgraph is: NAME itself where there is such a
 * file in the current folder, else that beside the program (BIN/../share/hotgraph/NAME), else NAME
 * again, for messages. The caller frees it; NULL when memory is out. */
char *data_find(const char *name);

/*
 * progress: how far a sweep is: a bar with the time that is left on a terminal, a plain line now
 * and then elsewhere. Written to standard error. Not for several threads at once.
 */

struct progress {
    bool terminal;
    double total, done;    /* in any unit of work */
    double period;         /* seconds between two plain lines */
    double started, shown; /* seconds on the clock */
    bool line_open;        /* the bar stands on the current line */
};

void progress_start(struct progress *p, double total);
/* `what` is being done now: at most ten times a second the bar is drawn, on a terminal; elsewhere
 * there is a line of its own after half a minute without any. */
void progress_show(struct progress *p, const char *what);
/* A line that stays, on terminals above the bar. */
void progress_line(struct progress *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Takes the bar away. */
void progress_end(struct progress *p);

/*
 * interrupt: a first SIGINT, SIGTERM or SIGHUP asks the program to stop at the next good moment, so
 * that nothing half-written stays behind; a second one ends it at once.
 */

/* From now on signals are caught. */
void interrupt_catch(void);
/* The signal that asked to stop, 0 if none did. */
int interrupt_signal(void);

/*
 * engines: which engine runs a machine, and how, as --engine says it:
 *
 *     interp                              the interpreter
 *     dbt, dbt:OPTION[=VALUE],...         the translator, and ways of translating
 *     auto                                the translator where there can be one
 *
 *     struct engine_choice choice = {0};  // auto
 *     const struct option_spec options[] = {engine_option(&choice), {0}};
 *     ...
 *     engine_create(&nes, &choice, &(struct nes_options){.cartridge = cartridge}, &e);
 */

/* Zero is auto. */
struct engine_choice {
    enum engine_kind { ENGINE_AUTO, ENGINE_INTERP, ENGINE_DBT } kind;
    struct dbt_options translator; /* of dbt; what is zero is the usual */
};

/* STATUS_ARGUMENT when `text` is none, with a message to stand behind "--engine ", and *out as it
 * was. */
enum status engine_parse(struct engine_choice *out, const char *text, struct error *e);
/* The row of a command's options that stores into *to. */
struct option_spec engine_option(struct engine_choice *to);

/* The row for --console, which says what kind of console a game runs on. */
struct option_spec console_option(struct nes_console *to);

/* nes_create() with the engine that was chosen; nes_engine() tells which that is. Without a
 * translator (another processor; no memory to be had that can be executed) auto takes the
 * interpreter, and dbt is an error that says what is missing. */
enum status engine_create(struct nes **out, const struct engine_choice *choice,
                          const struct nes_options *options, struct error *e);

#endif
