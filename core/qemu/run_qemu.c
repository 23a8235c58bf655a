#include "qemu/run_qemu.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "qemu/recording.h"

enum {
    LOOK_MILLISECONDS = 100,
    PASS_MILLISECONDS = 10000,     /* a program that was passed a signal has this time to end */
    PATIENCE_MILLISECONDS = 30000, /* the plugin must start to write within this time, or all is
                                      killed */
};

/* ---- files ---- */

struct files {
    int input, output;
    int pipes[2][2]; /* the program's standard output and error */
};

static void close_one(int *descriptor) {
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

static void close_all(struct files *f) {
    close_one(&f->input);
    close_one(&f->output);
    for (int i = 0; i < 2; i++) {
        close_one(&f->pipes[i][0]);
        close_one(&f->pipes[i][1]);
    }
}

static enum status open_files(struct files *f, const struct qemu_request *q, struct error *e) {
    const char *from = q->input != NULL ? q->input : "/dev/null";
    f->input = strcmp(from, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                      : open(from, O_RDONLY | O_CLOEXEC);
    if (f->input < 0)
        return file_unopened(from, errno, e);
    if (q->output != NULL &&
        (f->output = open(q->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0)
        return file_unmade(q->output, "cannot be written", errno, e);
    for (int i = 0; i < 2; i++)
        if (pipe2(f->pipes[i], O_CLOEXEC) != 0)
            return error_set(e, STATUS_IO, "cannot create a pipe for the program's output: %s",
                             strerror(errno));
    return STATUS_OK;
}

static bool copy_some(int from, int to) {
    char buffer[1 << 16];
    ssize_t got = read(from, buffer, sizeof buffer);
    if (got <= 0)
        return got < 0 && errno == EINTR;
    for (ssize_t done = 0; done < got;) {
        ssize_t n = write(to, buffer + done, (size_t)(got - done));
        if (n < 0 && errno != EINTR)
            break; /* our output is closed: the program continues */
        done += n > 0 ? n : 0;
    }
    return true;
}

/* ---- the end ---- */

static int64_t now_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool run_is_recorded(const struct run *r) {
    struct stat is;
    return fstat(r->recording, &is) == 0 && is.st_size > 0;
}

static bool ended_at_limit(const struct run *r) {
    struct recording_header h;
    return pread(r->recording, &h, sizeof h, 0) == sizeof h && h.end == RECORDING_LIMIT;
}

/* State while a run is in progress. */
struct watch {
    struct run *run;
    struct child child;
    int64_t started, told_at, passed_at;
    bool over; /* the program itself has ended */
    struct error *e;
};

static enum qemu_end why_stop(const struct watch *w) {
    const struct qemu_request *q = w->run->request;
    if (q->stopped != NULL && q->stopped() != 0)
        return QEMU_STOPPED;
    if (q->timeout_milliseconds > 0 &&
        (uint64_t)(now_milliseconds() - w->started) >= q->timeout_milliseconds)
        return QEMU_TIMEOUT;
    return QEMU_ENDED;
}

/* Have the program and all that is followed ended? */
static bool is_over(const struct watch *w) {
    return w->over && (w->run->tree == NULL || tree_is_over(w->run->tree));
}

static void signal_all(const struct watch *w, int number) {
    if (number == SIGKILL)
        child_signal_group(&w->child, SIGKILL);
    else if (!w->over)
        child_signal(&w->child, number);
    if (w->run->tree != NULL)
        tree_signal(w->run->tree, number);
}

/* The plugin may miss the signal, so it is sent again each time. A plugin that writes has as much
 * time as it needs. */
static void tell_to_end(struct watch *w) {
    const int64_t now = now_milliseconds();
    if (w->run->told == QEMU_ENDED)
        w->told_at = now;
    const bool patient =
        now - w->told_at < PATIENCE_MILLISECONDS || (!w->over && run_is_recorded(w->run));
    if (is_over(w) || !w->run->request->keep || !patient)
        signal_all(w, SIGKILL);
    else
        signal_all(w, RECORDING_STOP);
}

/* True while the program may still end by itself: it was passed the signal that stops us, or, once
 * it has ended, all that is followed were. */
static bool passes(struct watch *w, enum qemu_end why) {
    const struct qemu_request *q = w->run->request;
    if (!q->pass_signals || why != QEMU_STOPPED || w->run->told != QEMU_ENDED)
        return false;
    const int64_t now = now_milliseconds();
    if (w->passed_at == 0) {
        w->passed_at = now;
        if (!w->over)
            child_signal(&w->child, q->stopped());
        else if (w->run->tree != NULL)
            tree_signal(w->run->tree, q->stopped());
    }
    return now - w->passed_at < PASS_MILLISECONDS;
}

/* Processes that a program leaves behind continue without it, unless the program was told to
 * end. */
static void look(struct watch *w) {
    enum qemu_end why = why_stop(w);
    if (!w->over && child_ended(&w->child)) {
        w->over = true;
        if (why == QEMU_ENDED && ended_at_limit(w->run))
            why = QEMU_LIMIT;
    }
    const bool lost = w->run->tree != NULL && tree_look(w->run->tree, w->e) != STATUS_OK;
    if (passes(w, why))
        why = QEMU_ENDED;
    if (lost)
        why = QEMU_STOPPED;
    if (why == QEMU_ENDED && w->run->told == QEMU_ENDED)
        return;
    tell_to_end(w);
    if (w->run->told == QEMU_ENDED)
        w->run->told = why;
}

/* Waits until the program has ended and all its output is closed. */
static void attend(struct watch *w, const struct files *f) {
    struct pollfd wait[3] = {{.fd = f->pipes[0][0], .events = POLLIN},
                             {.fd = f->pipes[1][0], .events = POLLIN},
                             {.fd = w->child.end, .events = POLLIN}};
    while (wait[0].fd >= 0 || wait[1].fd >= 0 || !is_over(w)) {
        if (poll(wait, 3, LOOK_MILLISECONDS) < 0 && errno != EINTR)
            return;
        for (int i = 0; i < 2; i++)
            if (wait[i].fd >= 0 && (wait[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0 &&
                !copy_some(wait[i].fd, i + 1))
                wait[i].fd = -1;
        look(w);
        if (w->over)
            wait[2].fd = -1;
    }
}

enum status run_program(struct run *r, struct error *e) {
    const struct qemu_request *q = r->request;
    struct files f = {-1, -1, {{-1, -1}, {-1, -1}}};
    struct watch w = {.run = r, .started = now_milliseconds(), .e = e};
    enum status status = open_files(&f, q, e);
    if (status == STATUS_OK) {
        const int files[3] = {f.input, f.output >= 0 ? f.output : f.pipes[0][1], f.pipes[1][1]};
        const struct child_request request = {.path = r->emulator,
                                              .words = r->argv,
                                              .env = r->env,
                                              .folder = q->folder,
                                              .files = files,
                                              .prepare = child_forget_inherited,
                                              .group = true};
        status = child_start(&w.child, &request, e);
    }
    if (status == STATUS_OK) {
        close_one(&f.pipes[0][1]);
        close_one(&f.pipes[1][1]);
        attend(&w, &f);
        status = child_wait(&w.child, NULL, &r->word, e);
        r->seconds = w.child.seconds;
        if (r->tree != NULL && status == STATUS_OK)
            status = tree_look(r->tree, e);
    }
    close_all(&f);
    return status;
}

enum status run_explain(const struct run *r, struct error *e) {
    const char *program = r->request->argv[0];
    const int number = WIFSIGNALED(r->word) ? WTERMSIG(r->word) : 0;
    if (r->told == QEMU_STOPPED)
        return error_set(e, STATUS_INTERRUPTED, "%s: stopped, and it left no recording", program);
    if (r->told == QEMU_TIMEOUT)
        return error_set(e, STATUS_GUEST, "%s: stopped at its timeout, and it left no recording",
                         program);
    if (number != 0)
        return error_set(e, STATUS_GUEST, "%s: ended by signal %d (%s), and it left no recording",
                         program, number, strsignal(number));
    return error_set(e, STATUS_GUEST,
                     "%s: exit status %d, and no recording: it was not started, or became another "
                     "program (exec)",
                     program, WEXITSTATUS(r->word));
}
