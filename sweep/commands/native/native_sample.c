#include "commands/native/native_sample.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "qemu/import/import.h"

enum { STEPS_MOST = 20000 }; /* of one batch: a repeated instruction steps once a repetition */

struct sampler {
    const struct native_sampling *request;
    pid_t id;
    VEC(uint64_t) addresses; /* batch after batch */
    VEC(struct import_map) maps;
    uint64_t unfinished;
    bool stepping, at_end; /* at_end: it has ended, or became another program */
    uint64_t last;         /* address of the step before */
    size_t length, steps;  /* of the current batch */
    clockid_t clock;       /* of its processor time, */
    uint64_t sampled_us;   /* which was this at the last batch */
    struct error *e;
};

/* ---- the timer ---- */

static volatile sig_atomic_t due;

static void note_due(int number) {
    (void)number;
    due = 1;
}

/* Timers of processor time are only looked at when the kernel ticks, every few milliseconds. So the timer is one of
 * real time; its signal interrupts the waiting, and is_due() asks how long the program has worked. */
static bool start_timer(struct sampler *s, timer_t *timer) {
    const uint64_t us = s->request->interval_us;
    const struct timespec each = {.tv_sec = (time_t)(us / 1000000),
                                  .tv_nsec = (long)(us % 1000000 * 1000)};
    struct sigaction action = {.sa_handler = note_due};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    if (clock_getcpuclockid(s->id, &s->clock) != 0 ||
        timer_create(CLOCK_MONOTONIC, &event, timer) != 0)
        return false;
    if (timer_settime(*timer, 0, &(struct itimerspec){each, each}, NULL) == 0)
        return true;
    timer_delete(*timer);
    return false;
}

/* Has it worked for an interval since the last batch? The wait for a processor does not count. */
static bool is_due(struct sampler *s) {
    struct timespec now;
    if (!due || s->stepping)
        return false;
    due = 0;
    if (clock_gettime(s->clock, &now) != 0)
        return false;
    const uint64_t worked_us = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
    if (worked_us - s->sampled_us < s->request->interval_us)
        return false;
    s->sampled_us = worked_us;
    return true;
}

/* ---- memory maps ---- */

static bool is_known(const struct sampler *s, uint64_t address) {
    for (size_t i = 0; i < s->maps.len; i++)
        if (address - s->maps.at[i].start < s->maps.at[i].size)
            return true;
    return false;
}

/* "START-END r-xp OFFSET DEVICE INODE PATH" */
static bool add_map(struct sampler *s, char *line) {
    uint64_t start, end, offset;
    char access[8];
    int at = 0;
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &start, &end, access,
               &offset, &at) < 4 ||
        access[2] != 'x' || at == 0)
        return true;
    struct import_map map = {start, end - start, offset, strdup(line + at)};
    if (map.path != NULL && vec_push(&s->maps, map))
        return true;
    free(map.path);
    return false;
}

/* Reads the executable maps again when an address is in none. Anonymous ones have no path. */
static bool learn_maps(struct sampler *s, uint64_t address) {
    char name[64], *line = NULL;
    size_t room = 0;
    bool ok = true;
    if (is_known(s, address))
        return true;
    snprintf(name, sizeof name, "/proc/%d/maps", (int)s->id);
    FILE *file = fopen(name, "re");
    while (ok && file != NULL && getline(&line, &room, file) > 0)
        ok = add_map(s, line);
    if (file != NULL)
        fclose(file);
    free(line);
    return ok;
}

/* ---- batches ---- */

static void drop_batch(struct sampler *s) {
    s->unfinished += s->stepping;
    s->addresses.len -= s->stepping ? s->length : 0;
    s->stepping = false;
}

/* Adds the instruction that comes next. False: out of memory. */
static bool take_step(struct sampler *s) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, s->id, NULL, &registers) != 0) { /* it was killed */
        drop_batch(s);
        return true;
    }
    const uint64_t address = registers.rip;
    if (++s->steps > STEPS_MOST) {
        drop_batch(s);
    } else if (s->length == 0 || address != s->last) {
        if (!learn_maps(s, address) || !vec_push(&s->addresses, address))
            return false;
        s->last = address;
        s->stepping = ++s->length < s->request->batch_length;
    }
    return true;
}

static bool begin_batch(struct sampler *s) {
    s->stepping = true;
    s->length = s->steps = 0;
    return take_step(s);
}

/* ---- stops ---- */

static void resume(const struct sampler *s, int number) {
    ptrace(s->stepping ? PTRACE_SINGLESTEP : PTRACE_CONT, s->id, NULL, (void *)(intptr_t)number);
}

/* Was it the step that stopped it, or a breakpoint instruction of its own? */
static bool is_step(const struct sampler *s) {
    siginfo_t info;
    return s->stepping && ptrace(PTRACE_GETSIGINFO, s->id, NULL, &info) == 0 &&
           info.si_code != SI_KERNEL;
}

/* The stop after PTRACE_INTERRUPT begins a batch; a signal ends the one that is under way. */
static bool handle_stop(struct sampler *s, int word) {
    const int number = WSTOPSIG(word), event = word >> 16;
    bool ok = true;
    if (event == PTRACE_EVENT_EXEC) {
        drop_batch(s);
        s->at_end = true;
        ptrace(PTRACE_DETACH, s->id, NULL, NULL);
        return true;
    }
    if (event == PTRACE_EVENT_STOP && number != SIGTRAP) { /* stopped by job control */
        drop_batch(s);
        ptrace(PTRACE_LISTEN, s->id, NULL, NULL);
        return true;
    }
    if (event == PTRACE_EVENT_STOP) {
        ok = s->stepping || begin_batch(s);
        resume(s, 0);
    } else if (number == SIGTRAP && is_step(s)) {
        ok = take_step(s);
        resume(s, 0);
    } else {
        drop_batch(s);
        resume(s, number);
    }
    return ok;
}

/* Waits for the next stop. False: the program has ended, and is still to be waited for. */
static bool wait_stop(struct sampler *s, int *word) {
    siginfo_t info = {0};
    for (;;) {
        if (is_due(s))
            ptrace(PTRACE_INTERRUPT, s->id, NULL, NULL);
        if (waitid(P_PID, (id_t)s->id, &info, WEXITED | WSTOPPED | WNOWAIT) == 0)
            break;
        if (errno != EINTR)
            return false;
    }
    return info.si_code != CLD_EXITED && info.si_code != CLD_KILLED && info.si_code != CLD_DUMPED &&
           waitpid(s->id, word, __WALL) == s->id && WIFSTOPPED(*word);
}

static enum status sample(struct sampler *s, const struct child *child) {
    timer_t timer;
    int word;
    if (ptrace(PTRACE_SEIZE, s->id, NULL, (void *)PTRACE_O_TRACEEXEC) != 0)
        return child_ended(child)
                   ? STATUS_OK
                   : error_set(s->e, STATUS_UNSUPPORTED, "%s: cannot be traced for samples: %s",
                               s->request->path, strerror(errno));
    if (!start_timer(s, &timer))
        return error_set(s->e, STATUS_UNSUPPORTED, "%s: has no timer of its processor time: %s",
                         s->request->path, strerror(errno));
    bool ok = true;
    while (ok && !s->at_end && wait_stop(s, &word))
        ok = handle_stop(s, word);
    drop_batch(s);
    timer_delete(timer);
    if (!ok && !s->at_end)
        ptrace(PTRACE_DETACH, s->id, NULL, NULL);
    return ok ? STATUS_OK : error_set(s->e, STATUS_MEMORY, "out of memory");
}

/* ---- all of it ---- */

static enum status import(struct native_samples *out, const struct sampler *s,
                          const char *program) {
    struct import_result r;
    if (s->addresses.len == 0)
        return error_set(s->e, STATUS_UNSUPPORTED,
                         "%s: it ended, or became another program, before the first sample; sample "
                         "more often (--interval-ms)",
                         program);
    const struct import_steps steps = {
        .program = program,
        .images = s->request->images,
        .own = !s->request->libraries,
        .maps = s->maps.at,
        .map_count = s->maps.len,
        .addresses = s->addresses.at,
        .batch_length = s->request->batch_length,
        .batch_count = s->addresses.len / s->request->batch_length,
    };
    const enum status status = import_steps(&r, &steps, s->e);
    if (status != STATUS_OK)
        return status;
    out->stream = r.stream;
    r.stream = (struct stream){0};
    out->outside = r.counts.unmapped;
    out->unfinished = s->unfinished;
    import_free(&r);
    return STATUS_OK;
}

/* The file that runs: of a script its interpreter. */
static void name_program(const struct sampler *s, char *out, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/%d/exe", (int)s->id);
    const ssize_t n = readlink(link, out, size - 1);
    if (n > 0)
        out[n] = '\0';
    else
        snprintf(out, size, "%s", s->request->path);
}

enum status native_sample(struct native_samples *out, const struct native_sampling *request,
                          struct error *e) {
    struct sampler s = {.request = request, .e = e};
    struct child child;
    struct error ignored;
    char program[4096];
    *out = (struct native_samples){0};
    fflush(NULL);
    enum status status = child_start(
        &child, &(struct child_request){.path = request->path, .words = request->argv}, e);
    if (status != STATUS_OK)
        return status;
    s.id = child.id;
    request->started(child.id);
    name_program(&s, program, sizeof program);
    status = sample(&s, &child);
    out->ran =
        child_wait(&child, NULL, &out->status, status == STATUS_OK ? e : &ignored) == STATUS_OK;
    if (!out->ran && status == STATUS_OK)
        status = e->status;
    request->started(0);
    if (status == STATUS_OK)
        status = import(out, &s, program);
    for (size_t i = 0; i < s.maps.len; i++)
        free(s.maps.at[i].path);
    vec_free(&s.maps);
    vec_free(&s.addresses);
    return status;
}

void native_samples_free(struct native_samples *s) {
    stream_free(&s->stream);
}
