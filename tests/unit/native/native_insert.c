/* Measures, in this process, the cost of inserting and hitting probes while 0 to N other threads
 * run: lines "what,tool,probes,seconds,seconds without" on standard output; hits where the first
 * number of threads is 1.
 *
 *     native_insert [uprobes] THREADS...
 *
 * Or runs a program with a uprobe at each of these offsets of its file, to measure its time:
 *
 *     native_insert around OFFSET... -- PROGRAM ARGUMENT...
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "native/hotprobe.h"

/* A thousand functions, as compilers begin them. */
#define ONE(n)                                                                                     \
    __attribute__((noinline, used)) static int victim_##n(int x) {                                 \
        __asm__ volatile("" : "+r"(x));                                                            \
        return x * (n + 3) + (x >> 3);                                                             \
    }
#define TEN(n)                                                                                     \
    ONE(n##0)                                                                                      \
    ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED(n)                                                                                 \
    TEN(n##0)                                                                                      \
    TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)
/* Without this it takes them for the beginning of what follows. */
/* clang-format off */
HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4) HUNDRED(5)
HUNDRED(6) HUNDRED(7) HUNDRED(8) HUNDRED(9) HUNDRED(10)
    /* clang-format on */

    __attribute__((noinline)) static int small(int x) {
    __asm__ volatile("" : "+r"(x));
    return x + 1;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static atomic_bool running;
static void *busy(void *unused) {
    (void)unused;
    int x = 1;
    while (running)
        x = victim_100(victim_555(x));
    return (void *)(long)x;
}

enum { MOST = 1100, ROUNDS = 20, HITS = 2000000 };
static struct hotprobe_request requests[MOST];

static size_t victims(struct hotprobe *h) {
    const struct hotprobe_function *f;
    size_t n = hotprobe_functions(h, &f), k = 0;
    for (size_t i = 0; i < n && k < 1000; i++)
        if (f[i].name != NULL && strncmp(f[i].name, "victim_", 7) == 0)
            requests[k++] = (struct hotprobe_request){.site = f[i].start};
    return k;
}

static void fail(const char *what) {
    fprintf(stderr, "native_insert: %s\n", what);
    exit(1);
}

static double processor(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* What goes on for longer ends after three rounds. */
static bool enough(int rounds, double start) {
    return rounds >= 3 && now() - start > 2;
}

static void print_line(const char *what, const char *tool, size_t probes, double seconds,
                       double base) {
    printf("%s,%s,%zu,%.9g,", what, tool, probes, seconds);
    if (base > 0)
        printf("%.9g", base);
    printf("\n");
}

static double median(double *round, int n) {
    qsort(round, (size_t)n, sizeof *round, by_value);
    return round[n / 2];
}

/* The median round, in seconds per probe, and the processor time of the first round, which also
 * makes the stubs (later rounds reuse them). */
static void measure(struct hotprobe *h, size_t n, size_t batch) {
    double in[ROUNDS], out[ROUNDS], first = 0, begun = now();
    struct error e = {0};
    int k = 0;
    for (; k < ROUNDS && !enough(k, begun); k++) {
        size_t count = batch == 1 ? 20 : n, from = batch == 1 ? (size_t)k * 20 % n : 0, done = 0;
        double start = now(), used = processor();
        for (size_t i = from; i < from + count; i += batch)
            if (hotprobe_insert(h, requests + i, batch < n - i ? batch : n - i, &e) != STATUS_OK)
                fail(e.text);
        in[k] = (now() - start) / (double)count;
        if (k == 0)
            first = (processor() - used) / (double)count;
        for (size_t i = from; i < from + count; i++)
            done += requests[i].reason == HOTPROBE_DONE;
        if (done * 100 < count * 95)
            fail("too few probes went in");
        start = now();
        for (size_t i = from; i < from + count; i += batch)
            if (hotprobe_remove(h, requests + i, batch < n - i ? batch : n - i, &e) != STATUS_OK)
                fail(e.text);
        out[k] = (now() - start) / (double)count;
    }
    print_line("insertion", "hotprobe, stubs made, processor", batch, first, 0);
    print_line("insertion", "hotprobe", batch, median(in, k), 0);
    print_line("removal", "hotprobe", batch, median(out, k), 0);
}

static double loop(int hits) {
    double start = now();
    int x = 0;
    for (int i = 0; i < hits; i++)
        x = small(x);
    __asm__ volatile("" : : "r"(x));
    return (now() - start) / hits;
}

/* A uprobe by perf_event_open, which is how perf and tracers put one in; -1 where there are none.
 * In this process, or in the program that it becomes. */
static int uprobe_in(const char *path, uint64_t offset, bool inherit) {
    struct perf_event_attr a = {.size = sizeof a, .inherit = inherit};
    char text[32] = "";
    int fd = open("/sys/bus/event_source/devices/uprobe/type", O_RDONLY);
    bool there = fd >= 0 && read(fd, text, sizeof text - 1) > 0;
    if (fd >= 0)
        close(fd);
    a.type = (unsigned)atoi(text);
    a.config1 = (uintptr_t)path;
    a.config2 = offset;
    return there ? (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0) : -1;
}

static int uprobe(const struct hotprobe_function *f, uintptr_t site) {
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = 0;
    return uprobe_in(self, site - f->base, false);
}

static void measure_uprobe(struct hotprobe *h, size_t n) {
    const struct hotprobe_function *f;
    double round[ROUNDS], begun = now();
    int k = 0;
    hotprobe_functions(h, &f);
    for (; k < ROUNDS && !enough(k, begun); k++) {
        double start = now();
        int event = uprobe(f, requests[(size_t)k * 37 % n].site);
        round[k] = now() - start;
        if (event < 0)
            return;
        close(event);
    }
    print_line("insertion", "uprobe", 1, median(round, k), 0);
}

static void measure_uprobe_hits(struct hotprobe *h) {
    enum { FEW = 20000 };
    const struct hotprobe_function *f;
    hotprobe_functions(h, &f);
    double base = loop(HITS);
    int event = uprobe(f, (uintptr_t)small);
    uint64_t count = 0;
    if (event < 0)
        return;
    double with = loop(FEW);
    if (read(event, &count, sizeof count) == sizeof count && count == FEW)
        print_line("hit", "uprobe", 1, with, base);
    close(event);
}

static void never(const struct hotprobe_hit *hit) {
    (void)hit;
}

/* The same loop alternately with and without probes: the minimum of each. */
static void measure_hits(struct hotprobe *h, const char *name, uint64_t threshold, unsigned flags) {
    double without = 1e9, with = 1e9;
    struct hotprobe_request r = {.site = (uintptr_t)small,
                                 .threshold = threshold,
                                 .flags = flags,
                                 .call = threshold != 0 ? never : NULL};
    for (int k = 0; k < 25; k++) {
        double t = loop(HITS);
        without = t < without ? t : without;
        if (hotprobe_insert(h, &r, 1, NULL) != STATUS_OK || r.reason != HOTPROBE_DONE)
            fail("the loop's function cannot be probed");
        t = loop(HITS);
        with = t < with ? t : with;
        if (hotprobe_count(h, &r) != HITS)
            fail("hits were lost");
        hotprobe_remove(h, &r, 1, NULL);
    }
    print_line("hit", name, 1, with, without);
}

/* Events stay open across exec. */
static int around(int argc, char **argv) {
    int program = 0;
    while (program < argc && strcmp(argv[program], "--") != 0)
        program++;
    if (program + 1 >= argc)
        fail("around OFFSET... -- PROGRAM ARGUMENT...");
    for (int i = 0; i < program; i++)
        if (uprobe_in(argv[program + 1], strtoull(argv[i], NULL, 10), true) < 0)
            fail("no uprobe");
    execv(argv[program + 1], argv + program + 1);
    fail("cannot be executed");
    return 1;
}

int main(int argc, char **argv) {
    struct hotprobe *h;
    struct error e = {0};
    if (argc > 1 && strcmp(argv[1], "around") == 0)
        return around(argc - 2, argv + 2);
    if (hotprobe_open(&h, NULL, &e) != STATUS_OK)
        fail(e.text);
    size_t n = victims(h);
    if (n != 1000)
        fail("where are the thousand functions?");
    bool uprobes = argc > 1 && strcmp(argv[1], "uprobes") == 0;
    if (argc > 1 + uprobes && strcmp(argv[1 + uprobes], "1") == 0) {
        measure_hits(h, "count", 0, 0);
        measure_hits(h, "count and threshold", (uint64_t)1 << 60, 0);
        measure_hits(h, "locked", 0, HOTPROBE_ATOMIC);
        if (uprobes)
            measure_uprobe_hits(h);
    }
    for (int i = uprobes ? 2 : 1; i < argc; i++) {
        int threads = atoi(argv[i]);
        pthread_t other[64];
        if (threads > 64)
            fail("64 threads at most");
        running = true;
        for (int k = 1; k < threads; k++)
            pthread_create(&other[k], NULL, busy, NULL);
        measure(h, n, 1000);
        measure(h, n, 1);
        if (uprobes)
            measure_uprobe(h, n);
        running = false;
        for (int k = 1; k < threads; k++)
            pthread_join(other[k], NULL);
    }
    hotprobe_close(h);
    return 0;
}
