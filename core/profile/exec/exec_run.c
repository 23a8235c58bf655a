/* Runs the program of a technique within its limits. */
#include "base/child.h"
#include "profile/exec/exec.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MILLISECONDS = 50, PATH = 4096, ENVIRONMENT = 1 << 18, ROUNDS = 50 };
#define FILE_MOST                                                                                  \
    (UINT64_C(1) << 30) /* bytes of a graph, or of what a program leaves in its
                                         folder */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- processes that have left the group (setsid) ---- */

/* Is the variable in the environment of the process? */
static bool has_variable(const char *process, const char *variable, char buffer[ENVIRONMENT]) {
    char path[PATH];
    size_t len = 0;
    ssize_t n;
    snprintf(path, sizeof path, "/proc/%s/environ", process);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    while (len < ENVIRONMENT && (n = read(fd, buffer + len, ENVIRONMENT - len)) > 0)
        len += (size_t)n;
    close(fd);
    return memmem(buffer, len, variable, strlen(variable) + 1) != NULL;
}

/* Kills all processes with the variable. Returns true if there were any. */
static bool kill_marked(const char *variable, char buffer[ENVIRONMENT]) {
    bool any = false;
    DIR *all = opendir("/proc");
    for (struct dirent *d; all != NULL && (d = readdir(all)) != NULL;) {
        if (!isdigit((unsigned char)d->d_name[0]))
            continue;
        /* The descriptor names this process, even if its number is given to another one. */
        const int process = (int)syscall(SYS_pidfd_open, atoi(d->d_name), 0);
        if (process < 0)
            continue;
        if (has_variable(d->d_name, variable, buffer))
            any |= syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0) == 0;
        close(process);
    }
    if (all != NULL)
        closedir(all);
    return any;
}

/* A killed process may have started another one before, so one round may not be enough. */
static void end_marked(const char *variable) {
    char *buffer = malloc(ENVIRONMENT);
    for (int i = 0; buffer != NULL && i < ROUNDS && kill_marked(variable, buffer); i++)
        ;
    free(buffer);
}

/* ---- the program ---- */

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
    char mark[PATH + 20];
    snprintf(mark, sizeof mark, "HOTGRAPH_EXEC=%s", folder);
    /* For equal results on all machines, one thread per thread of the sweep, and no files left
     * beside a script. */
    char **env = child_env((const char *const[]){"LC_ALL=C.UTF-8", "TZ=UTC0", "PYTHONHASHSEED=0",
                                                 "PYTHONDONTWRITEBYTECODE=1", "OMP_NUM_THREADS=1",
                                                 "OPENBLAS_NUM_THREADS=1", mark, NULL});
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
        end_marked(mark);
        if (status == STATUS_OK)
            status = judge(x, end, word, e);
    } else if (e != NULL) {
        e->status = status = STATUS_GUEST;
    }
    free(env);
    return status;
}
