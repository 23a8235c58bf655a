/*
 * exec: a technique that is a program in any language. docs/adding-a-technique.md is its manual.
 *
 * The program runs in an empty folder of its own. Its standard input is the stream, as text
 * (docs/formats.md) or as JSON lines. Its arguments are its command, --NAME=VALUE for each
 * parameter, and --structure=FILE if it needs the structure. It writes a graph to its standard
 * output.
 *
 *     struct exec x = {.seconds = EXEC_SECONDS};
 *     exec_command(&x, words, NULL, "./own.cfg", &err);
 *     exec_name(&x, "mine");
 *     technique_build(&profile, &x.technique, &one, &err);
 *
 * Invariants
 *  - When exec_build() returns, all processes of the program have ended and its folder is gone,
 *    whatever the program did; only one that has both left its process group and cleared its
 *    environment goes on.
 *  - A crash, an exit status other than 0, a time-out and a malformed graph give STATUS_GUEST; the
 *    message has the reason.
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
    struct technique technique; /* parameters and needs_structure are set by the caller, the rest
                                   by exec_name() */
    char **words;               /* command; ends with NULL */
    bool json;                  /* the stream as JSON lines */
    unsigned seconds;           /* wall-clock time limit */
    uint64_t memory;            /* bytes of address space of each process */
    char hash[33];              /* of everything that determines a result; set by exec_command() */
    char name[EXEC_NAME + 8];   /* "exec-NAME" */
};
extern const char *const exec_format_words[]; /* "text", "json", NULL */

/* Completes x->technique, which then refers to x, so x must not move. `name`: at most EXEC_NAME
 * letters, digits, dashes and underscores. */
void exec_name(struct exec *x, const char *name);
/* The default name, such as "my" for {"python3", "my.py", NULL}: the stem of the last word that is
 * a file, or of the first word. */
void exec_usual_name(const struct exec *x, char name[EXEC_NAME + 1]);

/* Sets x->words, which the caller frees with exec_free(), and x->hash. The program runs elsewhere,
 * so a word that names a file beside `beside` (the configuration file) becomes that file's absolute
 * path; the first word only if it contains a slash. The hash covers the words, and for a file its
 * content instead of its name. `files` names further files for the hash; may be NULL. Lists end
 * with NULL. Set json and needs_structure before. */
enum status exec_command(struct exec *x, const char *const *words, const char *const *files,
                         const char *beside, struct error *e);
void exec_free(struct exec *x);

struct exec_hooks { /* as those of struct build_request; each may be NULL */
    bool (*stopped)(void *user);
    void (*said)(void *user, const char *line);
    void *user;
};
/* Builds from the first `batches` batches. values: one for each parameter. */
enum status exec_build(struct profile *out, const struct exec *x, const struct stream *stream,
                       size_t batches, const int64_t *values, const struct exec_hooks *hooks,
                       struct error *e);

/* Runs the command in the folder, with files[3], until it ends, is stopped, or exceeds its time
 * limit. Private to exec. */
enum status exec_run(const struct exec *x, const char *const *words, const char *folder,
                     const int files[3], const struct exec_hooks *hooks, struct error *e);
/* Writes the first `batches` batches as JSON lines. Private to exec. */
enum status stream_write_json(const struct stream *s, size_t batches, const char *path,
                              struct error *e);

#endif
