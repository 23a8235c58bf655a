/* Runs the program of `hotgraph native`: signals reach it, and hotgraph ends as it ended. */
#ifndef HOTGRAPH_NATIVE_RUN_H
#define HOTGRAPH_NATIVE_RUN_H

#include <sys/types.h>

#include "base/base.h"

/* The exit status if the program succeeded but what was asked for could not be had: env(1),
 * timeout(1) and nohup(1) use it for failures of their own, too. */
enum { NATIVE_EXIT_NO_RESULT = 125 };

/* From now on passes signals that end hotgraph on to the program. Call it before there is anything
 * to clean up. The program inherits ignored signals (nohup); signals caught here have their default
 * action there. */
void native_pass_signals_on(void);
/* The program's process, to which signals go; 0: it has ended. */
void native_started(pid_t id);

struct native_run {
    const char *path; /* of the program */
    char *const *argv;
    const char *folder;  /* of the session (native/session.h) */
    const char *library; /* to be preloaded */
};
/* Sets *status as in waitpid. An error: it was not started. */
enum status native_run(const struct native_run *run, int *status, struct error *e);
/* Says by which signal the program was stopped, if one was passed on. */
void native_say_stopped(const char *program, int status);

/* After the program has run: says what went wrong, and ends as the program ended, with its status, or
 * by its signal. Its failure comes first: only if it succeeded, NATIVE_EXIT_NO_RESULT tells of `s`. */
int native_end(int status, enum status s, const struct error *e);

#endif
