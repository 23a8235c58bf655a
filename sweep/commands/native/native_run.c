#include "commands/native/native_run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/child.h"
#include "cli/cli.h"
#include "native/session.h"

static volatile sig_atomic_t child_to_signal; /* 0: none yet */
static volatile sig_atomic_t told;            /* the last signal passed on; 0: none */

/* The terminal's signals reach the program directly; others are passed on. */
static void pass_on(int number, siginfo_t *info, void *context) {
    (void)context;
    if (info->si_code == SI_KERNEL)
        return;
    told = number;
    if (child_to_signal > 0)
        kill((pid_t)child_to_signal, number);
}

void native_pass_signals_on(void) {
    static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
        struct sigaction old;
        sigemptyset(&action.sa_mask);
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
}

void native_started(pid_t id) {
    child_to_signal = (sig_atomic_t)id;
    if (id > 0 && told != 0) /* it arrived before the program started */
        kill(id, told);
}

enum status native_run(const struct native_run *run, int *status, struct error *e) {
    char preload[8192], session[4096];
    const char *before = getenv("LD_PRELOAD");
    bool more = before != NULL && before[0] != 0;
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s%s%s", run->library, more ? ":" : "",
             more ? before : "");
    snprintf(session, sizeof session, HOTPROBE_SESSION "=%s", run->folder);
    char **env = child_env((const char *const[]){preload, session, NULL});
    if (env == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    struct child child;
    fflush(NULL);
    enum status s =
        child_start(&child,
                    &(struct child_request){
                        .path = run->path, .words = (const char *const *)run->argv, .env = env},
                    e);
    if (s == STATUS_OK) {
        native_started(child.id);
        s = child_wait(&child, NULL, status, e);
        native_started(0);
    }
    free(env);
    return s;
}

void native_say_stopped(const char *program, int status) {
    if (told == 0)
        return;
    if (WIFSIGNALED(status))
        fprintf(stderr, "hotgraph: %s: stopped by signal %d (%s); the counts end there\n", program,
                WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        fprintf(stderr, "hotgraph: %s: got signal %d (%s), and ended with exit status %d\n",
                program, (int)told, strsignal(told), WEXITSTATUS(status));
}

int native_end(int status, enum status s, const struct error *e) {
    const int wrong = s == STATUS_OK ? 0 : failure(e);
    if (!WIFSIGNALED(status) && WEXITSTATUS(status) != 0)
        return WEXITSTATUS(status);
    if (!WIFSIGNALED(status))
        return wrong == EXIT_FAILURE ? NATIVE_EXIT_NO_RESULT : wrong;
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(WTERMSIG(status), SIG_DFL);
    fflush(NULL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}
