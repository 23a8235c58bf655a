/*
 * exec: a technique that is a program in any language. docs/adding-a-technique.md is its manual.
 *
 * The program runs in an empty folder of its own. Its standard input is the stream, as text
 * (docs/formats.md) or as JSON lines; its arguments are its command, then --NAME=VALUE for each
 * parameter, then --structure=FILE if it asks for that. It writes a graph to its standard output.
 *
 *     struct exec x = {.seconds = EXEC_SECONDS};
 *     exec_command(&x, words, NULL, "./own.cfg", &err);
 *     exec_name(&x, "mine");
 *     technique_build(&profile, &x.technique, &one, &err);
 *
 * Invariants
 *  - Whatever the program does, all its processes have ended and its folder is gone when
 *    exec_build() returns.
 *  - A crash, an exit status other than 0, a time-out and a malformed graph are STATUS_GUEST, and
 *    the message has the reason.
 */
#ifndef HOTGRAPH_PROFILE_EXEC_H
#define HOTGRAPH_PROFILE_EXEC_H

#include "profile/profile.h"

enum {
    EXEC_SECONDS = 60,
    EXEC_SECONDS_MOST = 86400,
    EXEC_MEMORY_MIB = 2048,
    EXEC_MEMORY_MIB_LEAST = 16,
    EXEC_MEMORY_MIB_MOST = 1 << 20,
    EXEC_NAME = 48,
};

struct exec {
    struct technique technique; /* parameters, needs_structure; the rest by exec_name() */
    char **words;               /* command; ends with NULL */
    bool json;                  /* the stream as JSON lines */
    unsigned seconds;           /* most, on the clock */
    uint64_t memory;            /* bytes of address space of each process */
    char hash[33];              /* of what determines a result, by exec_command() */
    char name[EXEC_NAME + 8];   /* "exec-NAME" */
};
extern const char *const exec_format_words[]; /* "text", "json", NULL */

/* Completes x->technique, which then refers to x: x must not move. `name`: letters, digits, dashes
 * and underscores, at most EXEC_NAME of them. */
void exec_name(struct exec *x, const char *name);
/* "my" of {"python3", "my.py", NULL}: the stem of the last word that is a file, else of the first
 * word. */
void exec_usual_name(const struct exec *x, char name[EXEC_NAME + 1]);

/* Sets x->words, which the caller frees with exec_free(), and x->hash. Words that name a file
 * beside `beside` (a file: the configuration) become its absolute path, since the program runs
 * elsewhere; the first word only if it has a slash. The hash covers the words, and instead of a
 * file's name its content; `files`: further ones, may be NULL. Lists end with NULL. Set json and
 * needs_structure before. */
enum status exec_command(struct exec *x, const char *const *words, const char *const *files,
                         const char *beside, struct error *e);
void exec_free(struct exec *x);

struct exec_hooks { /* as those of struct build_request; each may be NULL */
    bool (*stopped)(void *user);
    void (*said)(void *user, const char *line);
    void *user;
};
/* Builds from the first `batches` batches. values: one a parameter. */
enum status exec_build(struct profile *out, const struct exec *x, const struct stream *stream,
                       size_t batches, const int64_t *values, const struct exec_hooks *hooks,
                       struct error *e);

/* Runs the command with files[3] in the folder until it ends, is stopped, or has had its time.
 * Private to exec. */
enum status exec_run(const struct exec *x, const char *const *words, const char *folder,
                     const int files[3], const struct exec_hooks *hooks, struct error *e);
/* Writes the first `batches` batches as JSON lines. Private to exec. */
enum status stream_write_json(const struct stream *s, size_t batches, const char *path,
                              struct error *e);

#endif
