#include "report/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns at its end, or once it is to be stopped; without pidfd_open (before Linux 5.3) only at
 * its end. */
static void wait_for(pid_t child, int (*stopped)(void)) {
    enum { ASK_EVERY_MS = 100 };
    const int fd = stopped != NULL ? (int)syscall(SYS_pidfd_open, child, 0) : -1;
    if (fd < 0)
        return;
    struct pollfd end = {.fd = fd, .events = POLLIN};
    while (stopped() == 0 && poll(&end, 1, ASK_EVERY_MS) <= 0)
        ;
    close(fd);
    if (stopped() != 0)
        kill(child, SIGTERM); /* nobody has waited for it yet, so it is still the same one */
}

enum status child_run(const char *const *words, const char *input, size_t len, int said_from,
                      FILE *said, int (*stopped)(void), int *exit_status, struct error *e) {
    FILE *in = tmpfile();
    if (in == NULL || fwrite(input, 1, len, in) != len || fflush(in) != 0) {
        enum status status =
            error_set(e, STATUS_IO, "a temporary file for %s cannot be written: %s", words[0],
                      strerror(errno));
        if (in != NULL)
            fclose(in);
        return status;
    }
    rewind(in);
    const pid_t child = fork();
    if (child == 0) {
        if (dup2(fileno(in), 0) < 0 || dup2(fileno(said), said_from) < 0 ||
            setenv("LC_ALL", "C.UTF-8", 1) != 0)
            _exit(127);
        execvp(words[0], (char *const *)words);
        _exit(127);
    }
    fclose(in);
    if (child < 0)
        return error_set(e, STATUS_IO, "%s cannot be started: %s", words[0], strerror(errno));
    wait_for(child, stopped);
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (stopped != NULL && stopped() != 0)
        return error_set(e, STATUS_INTERRUPTED, "stopped");
    *exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return STATUS_OK;
}
