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
#ifndef HOTGRAPH_OPTIONS_H
#define HOTGRAPH_OPTIONS_H

#include "base/base.h"

enum { EXIT_USAGE = 2 };

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

struct option_spec {
    const char *name;  /* long name without dashes; a row without one ends the table */
    const char *value; /* what stands for the value in the manual; NULL for flags */
    const char *help;  /* a sentence or two; wrapped when printed */
    enum option_kind kind;
    void *to;
    int64_t least, most;        /* OPTION_NUMBER, OPTION_SIGNED, OPTION_THOUSANDTHS (times 1000) */
    const char *const *choices; /* OPTION_CHOICE: ends with NULL */
    bool *given;                /* may be NULL */
    /* OPTION_PARSED: fails with a message that can stand behind "--NAME ". */
    enum status (*parse)(void *to, const char *text, struct error *e);
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
};

struct operands {
    char **at;
    unsigned count;
    int exit_status; /* when options_parse() returned false */
};

/* True when the command shall run. Otherwise --help was printed, or an error: exit_status says
 * which. Permutes argv. */
bool options_parse(const struct usage *usage, int argc, char **argv, struct operands *out);

/* Prints "hotgraph COMMAND: MESSAGE" and where help is; returns EXIT_USAGE. */
int usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints "hotgraph: MESSAGE"; returns EXIT_FAILURE, or what a shell says of a signal's end when one
 * asked to stop. */
int failure(const struct error *e);
/* Prints "hotgraph: warning: MESSAGE". */
void warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The word of `words` (ends with NULL) that is nearest to `word`, or NULL when none is near. */
const char *nearest_word(const char *word, const char *const *words);

#endif
