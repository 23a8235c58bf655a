/* Tells whether the machine was quiet enough for timings: repeats a fixed workload beside the run,
 * and adds up the processor time of other programs. */
#include "experiment/plan/noise.h"

#include "base/base.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The workload takes about a quarter of a millisecond, so it costs the run a thousandth of a
 * core. */
enum { WORKLOAD_BYTES = 1 << 18, REPEATS_MOST = 4096, REPEATS_AT_ENDS = 5 };
#define PAUSE_NANOSECONDS 250000000L

struct machine {
    double busy, total; /* processor seconds of the whole machine since boot */
    double own;         /* processor seconds of this process */
    bool known;
};

struct noise {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool ending, running;
    struct machine before;
    uint8_t *data;
    double repeats[REPEATS_MOST];
    size_t count;
    uint64_t sum; /* keeps the compiler from removing the workload */
};

static double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- the machine ---- */

/* proc_stat(5): user nice system idle iowait irq softirq steal, in ticks. */
static struct machine look_at_machine(void) {
    struct machine m = {.own = seconds_of(CLOCK_PROCESS_CPUTIME_ID)};
    unsigned long long t[8];
    FILE *file = fopen("/proc/stat", "r");
    if (file == NULL)
        return m;
    m.known = fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2],
                     &t[3], &t[4], &t[5], &t[6], &t[7]) == 8;
    fclose(file);
    const double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
    for (size_t i = 0; m.known && i < 8; i++) {
        m.total += (double)t[i] * tick;
        m.busy += i == 3 || i == 4 ? 0 : (double)t[i] * tick;
    }
    return m;
}

/* ---- the workload ---- */

static void repeat(struct noise *n) {
    const double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    n->sum += fnv1a64(n->data, WORKLOAD_BYTES);
    const double took = seconds_of(CLOCK_THREAD_CPUTIME_ID) - start;
    n->repeats[n->count % REPEATS_MOST] = took; /* a long run keeps the latest */
    n->count++;
}

static void *keep_repeating(void *user) {
    struct noise *n = user;
    repeat(n); /* warms the caches */
    n->count = 0;
    for (int i = 0; i < REPEATS_AT_ENDS; i++)
        repeat(n);
    pthread_mutex_lock(&n->lock);
    while (!n->ending) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += PAUSE_NANOSECONDS;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&n->ended, &n->lock, &until);
        repeat(n);
    }
    pthread_mutex_unlock(&n->lock);
    for (int i = 0; i < REPEATS_AT_ENDS; i++)
        repeat(n);
    return NULL;
}

struct noise *noise_start(void) {
    struct noise *n = calloc(1, sizeof *n);
    if (n == NULL || (n->data = calloc(1, WORKLOAD_BYTES)) == NULL) {
        free(n);
        return NULL;
    }
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&n->ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&n->lock, NULL);
    n->before = look_at_machine();
    n->running = pthread_create(&n->thread, NULL, keep_repeating, n) == 0;
    return n;
}

/* ---- what that says ---- */

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double noise_spread(double *times, size_t count) {
    if (count < 2)
        return NAN;
    qsort(times, count, sizeof *times, by_size);
    const double median = times[count / 2];
    return median > 0 ? (times[(count - 1) * 9 / 10] - times[(count - 1) / 10]) / median : NAN;
}

void noise_judge(struct noise_report *r) {
    r->warning[0] = '\0';
    const bool crowded = r->load > NOISE_LOAD && r->idle < NOISE_IDLE;
    const bool uneven = r->spread > NOISE_SPREAD;
    if (uneven)
        snprintf(r->warning, sizeof r->warning, "the time of a fixed workload varied by %.0f %%%s",
                 100 * r->spread, crowded ? ", and " : "");
    const size_t len = strlen(r->warning);
    if (crowded)
        snprintf(r->warning + len, sizeof r->warning - len,
                 "other programs used %.0f %% of the machine, and almost none of it was idle",
                 100 * r->load);
}

void noise_end(struct noise *n, struct noise_report *out) {
    *out = (struct noise_report){.spread = NAN, .load = NAN, .idle = NAN};
    if (n == NULL)
        return;
    if (n->running) {
        pthread_mutex_lock(&n->lock);
        n->ending = true;
        pthread_cond_signal(&n->ended);
        pthread_mutex_unlock(&n->lock);
        pthread_join(n->thread, NULL);
    }
    const struct machine after = look_at_machine();
    const double total = after.total - n->before.total, busy = after.busy - n->before.busy;
    /* A tick is a hundredth of a second, so a few dozen are needed for a meaningful share. */
    if (n->before.known && after.known && total >= NOISE_SECONDS) {
        const double others = busy - (after.own - n->before.own);
        out->load = others > 0 ? others / total : 0;
        out->idle = total > busy ? (total - busy) / total : 0;
    }
    out->spread = noise_spread(n->repeats, n->count < REPEATS_MOST ? n->count : REPEATS_MOST);
    noise_judge(out);
    pthread_cond_destroy(&n->ended);
    pthread_mutex_destroy(&n->lock);
    free(n->data);
    free(n);
}
