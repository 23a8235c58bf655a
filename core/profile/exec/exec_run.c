/* Runs the program of a technique within its limits. */
#include "base/child.h"
#include "profile/exec/exec.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { LOOK_MILLISECONDS = 50 };
#define FILE_MOST                                                                                  \
    (UINT64_C(1) << 30) /* bytes of a graph, or of what a program leaves in its
                                         folder */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

enum end { END_ITSELF, END_TIME, END_STOPPED };

static enum end watch(const struct child *c, unsigned seconds, const struct exec_hooks *hooks) {
    const double until = now() + seconds;
    while (!child_ended(c)) {
        struct pollfd end = {.fd = c->end, .events = POLLIN};
        if (hooks->stopped != NULL && hooks->stopped(hooks->user))
            return END_STOPPED;
        if (now() > until)
            return END_TIME;
        poll(&end, 1, LOOK_MILLISECONDS);
    }
    return END_ITSELF;
}

static enum status judge(const struct exec *x, enum end end, int word, struct error *e) {
    if (end == END_STOPPED)
        return error_set(e, STATUS_INTERRUPTED, "stopped");
    if (end == END_TIME)
        return error_set(e, STATUS_GUEST, "%s ran longer than %u s", x->name, x->seconds);
    if (WIFSIGNALED(word))
        return error_set(e, STATUS_GUEST, "%s was ended by signal %d (%s)", x->name, WTERMSIG(word),
                         strsignal(WTERMSIG(word)));
    if (WEXITSTATUS(word) != 0)
        return error_set(e, STATUS_GUEST, "%s ended with status %d", x->name, WEXITSTATUS(word));
    return STATUS_OK;
}

enum status exec_run(const struct exec *x, const char *const *words, const char *folder,
                     const int files[3], const struct exec_hooks *hooks, struct error *e) {
    /* For equal results on all machines, one thread per thread of the sweep, and no files left
     * beside a script. */
    char **env = child_env((const char *const[]){"LC_ALL=C.UTF-8", "TZ=UTC0", "PYTHONHASHSEED=0",
                                                 "PYTHONDONTWRITEBYTECODE=1", "OMP_NUM_THREADS=1",
                                                 "OPENBLAS_NUM_THREADS=1", NULL});
    if (env == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    struct child child;
    const struct child_request request = {.words = words,
                                          .env = env,
                                          .folder = folder,
                                          .files = files,
                                          .group = true,
                                          .memory = x->memory,
                                          .file = FILE_MOST};
    enum status status = child_start(&child, &request, e);
    if (status == STATUS_OK) {
        int word = 0;
        const enum end end = watch(&child, x->seconds, hooks);
        child_signal_group(&child, SIGKILL); /* also ends processes that it has started and left
                                                behind */
        status = child_wait(&child, NULL, &word, e);
        if (status == STATUS_OK)
            status = judge(x, end, word, e);
    } else if (e != NULL) {
        e->status = status = STATUS_GUEST;
    }
    free(env);
    return status;
}
