#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MILLISECONDS = 100, GRACE_MILLISECONDS = 2000, DESCRIPTORS = 1024 };

/* ---- preparing ---- */

/* A folder is executable, too, in the sense of access(). */
static bool is_program(const char *path) {
    struct stat st;
    return access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool child_find(const char *name, char *out, size_t size) {
    const char *path = getenv("PATH");
    if (strchr(name, '/') != NULL) {
        snprintf(out, size, "%s", name);
        return is_program(out);
    }
    for (const char *at = path != NULL ? path : "/usr/bin:/bin"; *at != '\0';) {
        size_t len = strcspn(at, ":");
        snprintf(out, size, "%.*s/%s", len > 0 ? (int)len : 1, len > 0 ? at : ".", name);
        if (is_program(out))
            return true;
        at += len + (at[len] == ':');
    }
    return false;
}

static bool same_name(const char *a, const char *b) {
    const size_t name = strcspn(a, "=");
    return strncmp(a, b, name) == 0 && b[name] == '=';
}

bool child_beside(const char *built, const char *name, char *out, size_t size) {
    const char *const places[] = {built, "../lib/hotgraph", "."};
    char self[900];
    const ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    self[len > 0 ? len : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if ((size_t)snprintf(out, size, "%s/%s/%s", self, places[i], name) < size &&
            access(out, R_OK) == 0)
            return true;
    return false;
}

char **child_env(const char *const *changes) {
    VEC(char *) env = {0};
    bool ok = true;
    size_t ours = 0;
    for (; environ != NULL && environ[ours] != NULL; ours++)
        ok = ok && vec_push(&env, environ[ours]);
    for (; *changes != NULL; changes++) {
        char *change = (char *)(uintptr_t)*changes;
        size_t i = 0;
        while (ok && i < ours && !same_name(change, env.at[i]))
            i++;
        if (ok && i < ours)
            env.at[i] = change; /* replaced in place */
        else
            ok = ok && vec_push(&env, change);
    }
    ok = ok && vec_push(&env, NULL);
    if (!ok)
        vec_free(&env);
    return env.at;
}

int child_scratch(void) {
    const char *named = getenv("TMPDIR"), *folder = named != NULL && named[0] != 0 ? named : "/tmp";
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    char path[4096];
    if (fd >= 0 || (size_t)snprintf(path, sizeof path, "%s/hotgraph-XXXXXX", folder) >= sizeof path)
        return fd;
    fd = mkostemp(path, O_CLOEXEC); /* the file system has no O_TMPFILE */
    if (fd >= 0)
        unlink(path);
    return fd;
}

/* ---- between fork and exec ---- */

struct start {
    const struct child_request *request;
    const char *path;
    pid_t parent, group; /* group: the guard's; 0: no guard */
    int report;          /* receives errno if exec fails; closed by exec */
    bool guard;          /* leads its own process group and survives its parent */
};

/* Marks descriptors 3 and above close-on-exec. */
static void close_at_exec(void) {
    enum { CLOSE_AT_EXEC = 4 }; /* CLOSE_RANGE_CLOEXEC of Linux 5.11 */
#ifdef SYS_close_range
    if (syscall(SYS_close_range, 3u, ~0u, CLOSE_AT_EXEC) == 0)
        return;
#endif
    for (int fd = 3; fd < DESCRIPTORS; fd++)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* Makes `files` descriptors 0 to 2. They are duplicated first, because they may themselves be 0 to
 * 2. */
static bool place_files(const int files[3]) {
    int copies[3];
    for (int i = 0; i < 3; i++)
        if ((copies[i] = fcntl(files[i], F_DUPFD, 3)) < 0)
            return false;
    for (int i = 0; i < 3; i++)
        if (dup2(copies[i], i) < 0)
            return false;
    close_at_exec();
    return true;
}

static _Noreturn void give_up(const struct start *s) {
    const int code = errno;
    ssize_t n = write(s->report, &code, sizeof code);
    _exit(n == sizeof code ? 127 : 126);
}

static bool limit(int resource, uint64_t most) {
    const struct rlimit both = {most, most};
    return most == 0 || setrlimit(resource, &both) == 0;
}

static _Noreturn void become(const struct start *s) {
    const struct child_request *q = s->request;
    if (s->guard) {
        if (setpgid(0, 0) != 0)
            give_up(s);
    } else {
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
            give_up(s);
        if (getppid() != s->parent) /* the parent ended before prctl() */
            _exit(127);
        if (s->group != 0 && setpgid(0, s->group) != 0)
            give_up(s);
    }
    if (q->files != NULL && !place_files(q->files))
        give_up(s);
    if (q->folder != NULL && chdir(q->folder) != 0)
        give_up(s);
    if (!limit(RLIMIT_AS, q->memory) || !limit(RLIMIT_FSIZE, q->file))
        give_up(s);
    if (q->prepare != NULL)
        q->prepare();
    execve(s->path, (char *const *)q->words, q->env != NULL ? q->env : environ);
    give_up(s);
}

void child_forget_inherited(void) {
    static const struct rlimit stack = {8 << 20, 8 << 20}, files = {DESCRIPTORS, DESCRIPTORS};
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    umask(022);
    setrlimit(RLIMIT_STACK, &stack); /* lower hard limits stay */
    setrlimit(RLIMIT_NOFILE, &files);
}

/* ---- starting ---- */

/* Returns the child's errno; 0: exec succeeded. */
static int read_report(int report) {
    int code = 0;
    ssize_t n;
    while ((n = read(report, &code, sizeof code)) < 0 && errno == EINTR)
        ;
    return n == sizeof code ? code : 0;
}

/* Waits for the child. Returns its processor time and that of the children it waited for, in
 * seconds. */
static double reap(pid_t id, int *word) {
    struct rusage used = {0};
    while (wait4(id, word, 0, &used) < 0 && errno == EINTR)
        ;
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static enum status start(struct start *s, pid_t *id, struct error *e) {
    int report[2], word;
    if (pipe2(report, O_CLOEXEC) != 0)
        return error_set(e, STATUS_IO, "%s: cannot create a pipe: %s", s->path, strerror(errno));
    s->parent = getpid();
    s->report = fcntl(report[1], F_DUPFD_CLOEXEC, 3); /* 3 or above: descriptors 0 to 2 become the
                                                         child's files */
    close(report[1]);
    /* Unlike fork(), _Fork() calls no handlers in the child. An OpenMP runtime registers one that
     * allocates, which would wait for ever for a lock of an allocator (a sanitizer's, for example)
     * that another thread held at that moment. */
    *id = s->report >= 0 ? _Fork() : -1;
    if (*id == 0)
        become(s);
    int code = *id < 0 ? errno : 0;
    if (s->report >= 0)
        close(s->report);
    if (*id > 0 && (code = read_report(report[0])) != 0)
        reap(*id, &word);
    close(report[0]);
    if (code == 0)
        return STATUS_OK;
    *id = 0;
    return error_set(e, STATUS_IO, "%s: cannot be started%s%s: %s", s->path,
                     s->request->folder != NULL ? " in " : "",
                     s->request->folder != NULL ? s->request->folder : "", strerror(code));
}

/* However this process ends, the kernel closes `lifeline`, `read` returns, and the guard kills its
 * group. */
static enum status start_guard(struct child *c, struct error *e) {
    int line[2];
    if (pipe2(line, O_CLOEXEC) != 0)
        return error_set(e, STATUS_IO, "cannot create a pipe: %s", strerror(errno));
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const int files[3] = {line[0], nothing, nothing};
    const struct child_request request = {
        .words =
            (const char *const[]){"sh", "-c",
                                  "trap '' HUP INT QUIT TERM; read -r line; kill -KILL 0", NULL},
        .files = files};
    struct start s = {.request = &request, .path = "/bin/sh", .guard = true};
    enum status status = nothing >= 0 ? start(&s, &c->guard, e)
                                      : error_set(e, STATUS_IO, "/dev/null: %s", strerror(errno));
    close(line[0]);
    if (nothing >= 0)
        close(nothing);
    if (status != STATUS_OK)
        close(line[1]);
    else
        c->lifeline = line[1];
    return status;
}

static void end_guard(struct child *c) {
    int word;
    if (c->guard == 0)
        return;
    kill(c->guard, SIGKILL);
    reap(c->guard, &word);
    close(c->lifeline);
    c->guard = 0;
}

enum status child_start(struct child *out, const struct child_request *q, struct error *e) {
    char found[4096];
    *out = (struct child){.lifeline = -1, .end = -1};
    struct start s = {.request = q, .path = q->path};
    if (s.path == NULL) {
        if (!child_find(q->words[0], found, sizeof found))
            return error_set(e, STATUS_IO, "%s cannot be started: it is not installed",
                             q->words[0]);
        s.path = found;
    }
    enum status status = q->group ? start_guard(out, e) : STATUS_OK;
    s.group = out->guard;
    if (status == STATUS_OK)
        status = start(&s, &out->id, e);
    if (status == STATUS_OK)
        out->end = (int)syscall(SYS_pidfd_open, out->id, 0);
    else
        end_guard(out);
    return status;
}

/* ---- ending ---- */

bool child_ended(const struct child *c) {
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)c->id, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

void child_signal(const struct child *c, int number) {
    kill(c->id, number); /* not reaped yet, so the id still names this process */
}

void child_signal_group(const struct child *c, int number) {
    if (c->guard != 0)
        kill(-c->guard, number);
    else
        child_signal(c, number);
}

/* Returns when the child has ended or stopped() asks to end it. */
static void wait_for(const struct child *c, int (*stopped)(void)) {
    struct pollfd end = {.fd = c->end, .events = POLLIN};
    while (stopped() == 0 && poll(&end, 1, LOOK_MILLISECONDS) <= 0 && !child_ended(c))
        ;
}

/* One that ignores SIGTERM gets SIGKILL. */
static void stop_child(const struct child *c) {
    struct pollfd end = {.fd = c->end, .events = POLLIN};
    child_signal(c, SIGTERM);
    for (int waited = 0; waited < GRACE_MILLISECONDS && !child_ended(c);
         waited += LOOK_MILLISECONDS)
        poll(&end, 1, LOOK_MILLISECONDS);
    child_signal(c, SIGKILL);
}

enum status child_wait(struct child *c, int (*stopped)(void), int *word, struct error *e) {
    if (stopped != NULL)
        wait_for(c, stopped);
    const bool stop = stopped != NULL && stopped() != 0;
    if (stop)
        stop_child(c);
    const double seconds = reap(c->id, word);
    if (stop && c->guard != 0)
        child_signal_group(c, SIGKILL);
    end_guard(c);
    if (c->end >= 0)
        close(c->end);
    *c = (struct child){.lifeline = -1, .end = -1, .seconds = seconds};
    return stop ? error_set(e, STATUS_INTERRUPTED, "stopped") : STATUS_OK;
}

int child_status(int word) {
    return WIFSIGNALED(word) ? 128 + WTERMSIG(word) : WEXITSTATUS(word);
}

/* ---- run and wait ---- */

/* Returns a descriptor of a scratch file that holds `input`; -1, with errno: none. */
static int file_of(const char *input, size_t len) {
    const int fd = child_scratch();
    for (size_t done = 0; fd >= 0 && done < len;) {
        ssize_t n = write(fd, input + done, len - done);
        if (n < 0 && errno != EINTR) {
            const int code = errno;
            close(fd);
            errno = code;
            return -1;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

enum status child_run(const char *const *words, const char *input, size_t len, int said_from,
                      int said, int (*stopped)(void), int *exit_status, struct error *e) {
    const int in = file_of(input, len);
    if (in < 0)
        return error_set(e, STATUS_IO, "a temporary file for %s cannot be written: %s", words[0],
                         strerror(errno));
    int files[3] = {in, 1, 2}, word = 0;
    files[said_from] = said;
    char **env = child_env((const char *const[]){"LC_ALL=C.UTF-8", "TZ=UTC0", NULL});
    struct child child;
    enum status status = env != NULL ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
    if (status == STATUS_OK)
        status = child_start(
            &child,
            &(struct child_request){.words = words, .env = env, .files = files, .group = true}, e);
    if (status == STATUS_OK && (status = child_wait(&child, stopped, &word, e)) != STATUS_OK)
        error_prefix(e, "%s", words[0]);
    *exit_status = child_status(word);
    close(in);
    free(env);
    return status;
}
