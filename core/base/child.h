/*
 * child: starts programs that end with this process.
 *
 *     const int files[3] = {input, output, errors};
 *     struct child child;
 *     int word;
 *     enum status s = child_start(&child, &(struct child_request){
 *         .words = (const char *const[]){"gnuplot", "-d", "-", NULL}, .files = files}, &e);
 *     if (s == STATUS_OK)
 *         s = child_wait(&child, stopped, &word, &e);
 *
 * Invariants
 *  - The kernel kills a child when this process ends, even by SIGKILL. It does so when the thread
 *    ends that started the child: the thread that calls child_start() must call child_wait().
 *  - With `group`, everything that the child starts ends with this process as well: all of it is a
 *    process group, whose leader (a guard) waits for the end of a pipe that this process holds.
 *  - Other threads may run: between fork and exec there are only async-signal-safe calls. Build the
 *    environment before (child_env).
 *  - Descriptors after the first three are closed in the child, unless it inherits all (files
 *    NULL).
 */
#ifndef HOTGRAPH_CHILD_H
#define HOTGRAPH_CHILD_H

#include <sys/types.h>

#include "base/base.h"

struct child_request {
    const char *path;         /* of the program's file; NULL: words[0], looked for in $PATH */
    const char *const *words; /* argv; ends with NULL */
    char *const *env;         /* all of it, ends with NULL; NULL: ours */
    const char *folder;       /* to run in; NULL: ours */
    const int *files;         /* three descriptors: input, output, errors; NULL: it inherits all */
    void (*prepare)(void);    /* called before exec; async-signal-safe; may be NULL */
    uint64_t memory;          /* bytes of address space of each of its processes; 0: unlimited */
    uint64_t file;            /* bytes of a file that it writes; 0: unlimited */
    bool group;
};

struct child {
    pid_t id;       /* 0: there is none */
    pid_t guard;    /* 0: it has no group */
    int lifeline;   /* the guard kills the group when this is closed */
    int end;        /* poll() finds it readable once the child has ended; -1 before Linux 5.3 */
    double seconds; /* after child_wait(): processor time of the child and of what it waited for */
};

/* Finds a program in $PATH; a name with a slash is a path. False: not found. */
bool child_find(const char *name, char *out, size_t size);
/* Finds a file that is built or installed with the running program: in the folder `built` of the
 * build, in ../lib/hotgraph of an installed copy, or beside the program. False: not found. */
bool child_beside(const char *built, const char *name, char *out, size_t size);
/* Our environment with these changes ("NAME=VALUE"; ends with NULL), whose strings it does not
 * copy. The caller frees the array; NULL: out of memory. */
char **child_env(const char *const *changes);

/* For `prepare`, where results must not depend on what starts us: a program can observe the signals
 * and limits that it inherits (nohup, for example, leaves SIGHUP ignored, which xz and gzip check). */
void child_forget_inherited(void);

/* STATUS_IO with the reason where the program cannot be executed. */
enum status child_start(struct child *out, const struct child_request *request, struct error *e);
/* Has the child ended? Does not reap it. */
bool child_ended(const struct child *c);
/* Sends a signal to the child, or to all of its group. */
void child_signal(const struct child *c, int number);
void child_signal_group(const struct child *c, int number);
/* Waits for its end; *word is what waitpid() says. Once stopped(), which may be NULL, returns other
 * than 0, the child gets SIGTERM, SIGKILL two seconds after that, its group SIGKILL once it has
 * ended, and the result is STATUS_INTERRUPTED. */
enum status child_wait(struct child *c, int (*stopped)(void), int *word, struct error *e);

/* Runs words[0] under LC_ALL=C.UTF-8 and TZ=UTC0, fed with `len` bytes of input. What it writes to
 * descriptor said_from (1 or 2) goes to `said`, a descriptor, too. *exit_status: as a shell says
 * it. All that it starts ends with it when it is stopped. `stopped` as for child_wait(). */
enum status child_run(const char *const *words, const char *input, size_t len, int said_from,
                      int said, int (*stopped)(void), int *exit_status, struct error *e);
/* The exit status as shells report it: that of the process, or 128 plus the signal. */
int child_status(int word);

/* An unnamed temporary file in $TMPDIR, else /tmp, which needs no removal. Returns a descriptor,
 * closed at exec; -1 with errno on failure. */
int child_scratch(void);

#endif
