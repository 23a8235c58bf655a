/* Probes in this program itself. A wrong one makes a function of native_traps.S return something
 * else, loses a count, leaves a byte behind, or ends the test by a signal. */
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "native/hotprobe.h"

#ifdef __clang__
#define LEAVE __attribute__((noinline))
#else
#define LEAVE __attribute__((noipa))
#endif

typedef uint64_t (*trap_function)(uint64_t, uint64_t);
/* clang-format off */
#define TRAPS(X)                                                                                   \
    X(trap_target_inside)                                                                          \
    X(trap_jump_table)                                                                             \
    X(trap_endbr)                                                                                  \
    X(trap_red_zone)                                                                               \
    X(trap_flags)                                                                                  \
    X(trap_carry)                                                                                  \
    X(trap_relative) X(trap_loops) X(trap_calls) X(trap_lock_prefix) X(trap_four) X(trap_short)    \
        X(trap_short_return) X(trap_strings) X(trap_computed) X(trap_reachable) X(trap_straight)
/* clang-format on */
#define DECLARE(name) uint64_t name(uint64_t, uint64_t);
TRAPS(DECLARE)
uint64_t trap_where(uint64_t, uint64_t);
uint64_t trap_sleep(uint64_t, uint64_t);
uint64_t trap_one(uint64_t, uint64_t);
uint64_t trap_two(uint64_t, uint64_t);
uint64_t trap_three(uint64_t, uint64_t);

static const struct {
    const char *name;
    trap_function call;
} traps[] = {
#define ROW(name) {#name, name},
    TRAPS(ROW)};
enum { TRAPS_COUNT = sizeof traps / sizeof *traps };

static struct hotprobe *open_session(struct hotprobe_options options) {
    struct hotprobe *h = NULL;
    struct error e = {0};
    if (hotprobe_open(&h, &options, &e) != STATUS_OK)
        fail_msg("%s", e.text);
    return h;
}

static const struct hotprobe_function *function_named(const struct hotprobe *h, const char *name) {
    const struct hotprobe_function *f;
    size_t n = hotprobe_functions(h, &f);
    for (size_t i = 0; i < n; i++)
        if (f[i].name != NULL && strcmp(f[i].name, name) == 0)
            return &f[i];
    fail_msg("%s was not found", name);
    return NULL;
}

/* Requests for all sites of the functions with that prefix. */
static size_t sites_of(const struct hotprobe *h, const char *prefix, enum hotprobe_kind kind,
                       struct hotprobe_request *out, size_t most) {
    const struct hotprobe_function *f;
    size_t n = hotprobe_functions(h, &f), k = 0;
    for (size_t i = 0; i < n; i++)
        if (f[i].name != NULL && strncmp(f[i].name, prefix, strlen(prefix)) == 0)
            for (uintptr_t at = 0; (at = hotprobe_next_site(h, &f[i], kind, at)) != 0;) {
                assert_true(k < most);
                out[k++] = (struct hotprobe_request){.site = at};
            }
    return k;
}

static void insert(struct hotprobe *h, struct hotprobe_request *r, size_t n) {
    struct error e = {0};
    if (hotprobe_insert(h, r, n, &e) != STATUS_OK)
        fail_msg("%s", e.text);
}

static void take_out(struct hotprobe *h, struct hotprobe_request *r, size_t n) {
    struct error e = {0};
    if (hotprobe_remove(h, r, n, &e) != STATUS_OK)
        fail_msg("%s", e.text);
}

static uint64_t trap_inputs(size_t k) {
    static const uint64_t value[] = {0, 1, 2, 3, 5, 127, 255, 0x7fffffff, ~0ull, 1ull << 63, 12345};
    return value[k % (sizeof value / sizeof *value)];
}
enum { INPUTS = 11 };

static void traps_run(uint64_t *out) {
    for (size_t t = 0; t < TRAPS_COUNT; t++)
        for (size_t k = 0; k < INPUTS * INPUTS; k++) {
            uint64_t b = trap_inputs(k / INPUTS);
            out[t * INPUTS * INPUTS + k] =
                traps[t].call(trap_inputs(k), traps[t].call == trap_target_inside ? b & 63 : b);
        }
    trap_one(1, 2);
    trap_two(1, 2);
    trap_three(1, 2);
}

static uint64_t before[TRAPS_COUNT * INPUTS * INPUTS], after[TRAPS_COUNT * INPUTS * INPUTS];
enum { MOST = 4096 };
static struct hotprobe_request requests[MOST];

static void traps_compare(const char *how) {
    traps_run(after);
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (before[i] != after[i])
            fail_msg("%s: %s(%llx, %llx) is %llx, was %llx", how, traps[i / INPUTS / INPUTS].name,
                     (unsigned long long)trap_inputs(i % (INPUTS * INPUTS)),
                     (unsigned long long)trap_inputs(i % (INPUTS * INPUTS) / INPUTS),
                     (unsigned long long)after[i], (unsigned long long)before[i]);
}

/* The text of this program, from its first trap to its last. */
static uint8_t *text_copy(const struct hotprobe *h, uintptr_t *from, size_t *size) {
    *from = function_named(h, "trap_target_inside")->start & ~4095ul;
    *size = (function_named(h, "trap_computed")->end - *from + 4095) & ~4095ul;
    return memcpy(malloc(*size), (const void *)*from, *size);
}

static size_t mappings(void) {
    FILE *f = fopen("/proc/self/maps", "r");
    size_t n = 0;
    char line[500];
    while (fgets(line, sizeof line, f) != NULL)
        n += strstr(line, "r-xp 00000000 00:00") != NULL && strstr(line, "[") == NULL;
    fclose(f);
    return n;
}

/* Every kind of site by every set of strategies, alone and together. */
static void traps_probed(bool live) {
    static const struct {
        const char *name;
        struct hotprobe_options options;
    } ways[] = {
        {"usual", {0}},
        {"greedy", {.assign = HOTPROBE_GREEDY}},
        {"traps only", {.trap = true, .without = 0x1f}},
        {"jumps and traps", {.trap = true}},
        {"no jump over several", {.without = 1 << HOTPROBE_OVER_SEVERAL, .trap = true}},
        {"constrained and traps", {.without = 0xf, .trap = true}},
        {"reachable padding and traps",
         {.without = 0x1f & ~(1 << HOTPROBE_REACHABLE), .trap = true}},
        {"unproven", {.unproven = true}},
        {"a counter for each thread", {.per_thread = true}}, /* the last one must wait while there
                                                                are two */
    };
    traps_run(before);
    size_t had = mappings();
    for (size_t w = 0; w < sizeof ways / sizeof *ways - live; w++)
        for (int kind = HOTPROBE_ENTRIES; kind <= HOTPROBE_INSTRUCTIONS; kind++) {
            struct hotprobe *h = open_session(ways[w].options);
            uintptr_t from;
            size_t size, n = sites_of(h, "trap_", (enum hotprobe_kind)kind, requests, MOST), in = 0;
            uint8_t *text = text_copy(h, &from, &size);
            insert(h, requests, n);
            for (size_t i = 0; i < n; i++)
                in += requests[i].reason == HOTPROBE_DONE;
            assert_true(in * 3 > n); /* a jump of five bytes takes the place of its neighbours */
            traps_compare(ways[w].name);
            take_out(h, requests, n);
            traps_compare("removed");
            for (size_t i = 0; i < n; i++) { /* one at a time */
                insert(h, &requests[i], 1);
                if (i % 8 == 0)
                    traps_compare("one");
                take_out(h, &requests[i], 1);
            }
            for (int tries = 0; tries < 300 && hotprobe_reclaim(h) > 0; tries++)
                usleep(1000);
            if (memcmp(text, (const void *)from, size) != 0)
                fail_msg("%s: text is not what it was", ways[w].name);
            free(text);
            hotprobe_close(h);
            if (mappings() != had)
                fail_msg("%s, kind %d, live %d: %zu mappings, were %zu", ways[w].name, kind, live,
                         mappings(), had);
        }
}

/* What would break: short blocks have no counter, although a window near them has free bytes; or a
 * window that grows for them changes what the program does, or is not restored. */
static void test_hosts(void **state) {
    (void)state;
    traps_run(before);
    for (int kind = HOTPROBE_BLOCKS; kind <= HOTPROBE_INSTRUCTIONS; kind++) {
        size_t done[2] = {0};
        for (int at_start = 0; at_start <= 1; at_start++) {
            struct hotprobe *h = open_session((struct hotprobe_options){.at_start = at_start == 1});
            uintptr_t from;
            size_t size, n = sites_of(h, "trap_", (enum hotprobe_kind)kind, requests, MOST);
            uint8_t *text = text_copy(h, &from, &size);
            insert(h, requests, n);
            for (size_t i = 0; i < n; i++)
                done[at_start] += requests[i].reason == HOTPROBE_DONE;
            traps_compare("hosts");
            struct error e = {0};
            assert_int_equal(hotprobe_remove(h, requests, n, &e),
                             at_start == 1 ? STATUS_UNSUPPORTED : STATUS_OK);
            hotprobe_close(h);
            traps_compare("closed");
            assert_memory_equal(text, (const void *)from, size);
            free(text);
        }
        assert_true(done[1] > done[0]);
    }
}

/* Before the program starts, a return that no jump fits over is reached by a short jump over the
 * instruction before it, although that is a jump's target. */
static void test_short_return(void **state) {
    enum { RETURN = 10 };
    (void)state;
    traps_run(before);
    struct hotprobe *h = open_session((struct hotprobe_options){.at_start = true});
    struct hotprobe_request r = {.site = (uintptr_t)trap_short_return + RETURN,
                                 .flags = HOTPROBE_COVER};
    assert_int_equal(*(const uint8_t *)r.site, 0xc3);
    insert(h, &r, 1);
    assert_int_equal(r.reason, HOTPROBE_DONE);
    assert_int_equal(r.strategy, HOTPROBE_PADDING);
    traps_compare("a short return");
    hotprobe_close(h);
    traps_compare("closed");
}

/* Threads run through sites while probes are inserted and removed there. Their results must be
 * right, and a permanent probe beside the others must not miss a hit. */
static atomic_bool running;
static _Atomic uint64_t wrong;
struct runner {
    pthread_t thread;
    uint64_t calls;
};
static void *runner(void *raw) {
    struct runner *r = raw;
    uint64_t want[TRAPS_COUNT];
    for (size_t t = 0; t < TRAPS_COUNT; t++)
        want[t] = before[t * INPUTS * INPUTS + 4 + 3 * INPUTS];
    while (running) {
        for (size_t t = 0; t < TRAPS_COUNT; t++)
            if (traps[t].call != trap_relative && /* the variable is in the environment */
                traps[t].call(trap_inputs(4), trap_inputs(3)) != want[t])
                wrong++;
        r->calls++; /* trap_four is among them */
        if (r->calls % 64 == 0)
            usleep(1);
    }
    return NULL;
}

/* A slot in a NOP that is executed: the NOP jumps over it, and is a NOP again afterwards. */
static void reachable_probed(void) {
    unsigned others = 0x1f & ~(1u << HOTPROBE_REACHABLE);
    struct hotprobe *h = open_session((struct hotprobe_options){.without = others});
    const struct hotprobe_function *f = function_named(h, "trap_reachable");
    size_t size = f->end - f->start, in = 0;
    uint8_t *text = memcpy(malloc(size), (const void *)f->start, size);
    traps_run(before);
    size_t n = sites_of(h, "trap_reachable", HOTPROBE_INSTRUCTIONS, requests, MOST);
    for (int round = 0; round < 3; round++) {
        insert(h, requests, n);
        in = 0;
        for (size_t i = 0; i < n; i++) {
            if (requests[i].reason != HOTPROBE_DONE)
                continue;
            assert_int_equal(requests[i].strategy, HOTPROBE_REACHABLE);
            in++;
        }
        assert_int_equal(in, 3); /* 9 bytes have room for one, 12 for two */
        trap_reachable(1, 5);
        for (size_t i = 0; i < n; i++)
            assert_true(requests[i].reason != HOTPROBE_DONE || hotprobe_count(h, &requests[i]) > 0);
        assert_memory_not_equal(text, (const void *)f->start, size);
        traps_compare("reachable");
        take_out(h, requests, n);
        for (int tries = 0; tries < 300 && hotprobe_reclaim(h) > 0; tries++)
            usleep(1000);
        assert_memory_equal(text, (const void *)f->start, size);
    }
    free(text);
    hotprobe_close(h);
    h = open_session((struct hotprobe_options){.without = 0x1f});
    insert(h, requests, n);
    for (size_t i = 0; i < n; i++)
        assert_int_not_equal(requests[i].reason, HOTPROBE_DONE);
    hotprobe_close(h);
}

static void test_reachable_quiet(void **state) {
    (void)state;
    reachable_probed();
}

static void test_reachable_live(void **state) {
    (void)state;
    struct runner r[2] = {0};
    traps_run(before);
    running = true;
    wrong = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&r[i].thread, NULL, runner, &r[i]);
    reachable_probed();
    running = false;
    for (int i = 0; i < 2; i++)
        pthread_join(r[i].thread, NULL);
    assert_int_equal(wrong, 0);
}

static void test_traps_quiet(void **state) {
    (void)state;
    traps_probed(false);
}

static atomic_bool stop_now;
static void *sleeper(void *unused) {
    (void)unused;
    while (!stop_now)
        usleep(500);
    return NULL;
}

static void test_traps_live(void **state) {
    (void)state;
    pthread_t other;
    stop_now = false;
    pthread_create(&other, NULL, sleeper, NULL);
    traps_probed(true);
    stop_now = true;
    pthread_join(other, NULL);
}

/* ---- counting ---- */

static void test_counts(void **state) {
    (void)state;
    struct hotprobe *h = open_session((struct hotprobe_options){0});
    struct hotprobe_request r[3] = {{.site = (uintptr_t)trap_four},
                                    {.site = (uintptr_t)trap_carry},
                                    {.site = (uintptr_t)trap_four + 1}};
    insert(h, r, 3);
    assert_int_equal(r[0].reason, HOTPROBE_DONE);
    assert_int_equal(r[1].reason, HOTPROBE_DONE);
    assert_int_equal(r[2].reason, HOTPROBE_NOT_CODE);
    for (int i = 0; i < 1000; i++)
        trap_four(1, 2);
    trap_carry(1, 2);
    assert_int_equal(hotprobe_count(h, &r[0]), 1000);
    assert_int_equal(hotprobe_count(h, &r[1]), 1);
    take_out(h, r, 3);
    trap_four(1, 2);
    assert_int_equal(hotprobe_count(h, &r[0]), 1000);
    insert(h, r, 1);
    assert_int_equal(hotprobe_count(h, &r[0]), 0);
    hotprobe_close(h);
}

struct called {
    _Atomic uint64_t times, at;
    uint64_t registers[16];
};
static void on_hit(const struct hotprobe_hit *hit) {
    struct called *c = hit->data;
    memcpy(c->registers, hit->registers, sizeof c->registers);
    c->at = hit->count;
    c->times++;
    volatile double x = 3.5; /* vector registers hold the function's arguments */
    x = x * (double)c->times;
}

static void test_every(void **state) {
    (void)state;
    struct hotprobe *h = open_session((struct hotprobe_options){0});
    struct called c = {0};
    struct hotprobe_request r = {
        .site = (uintptr_t)trap_flags, .call = on_hit, .data = &c, .flags = HOTPROBE_EVERY};
    traps_run(before);
    insert(h, &r, 1);
    assert_int_equal(r.reason, HOTPROBE_DONE);
    trap_flags(0x1234, 0x5678);
    assert_int_equal(c.times, 1);
    assert_int_equal(c.registers[7], 0x1234);
    assert_int_equal(c.registers[6], 0x5678);
    assert_true(c.registers[4] > (uintptr_t)&h - 100000 && c.registers[4] < (uintptr_t)&h + 100000);
    traps_compare("called each time");
    take_out(h, &r, 1);
    /* In the middle, where flags live. */
    size_t n = sites_of(h, "trap_flags", HOTPROBE_INSTRUCTIONS, requests, MOST);
    for (size_t i = 0; i < n; i++) {
        requests[i].threshold = 1 + i % 3;
        requests[i].call = on_hit;
        requests[i].data = &c;
    }
    insert(h, requests, n);
    c.times = 0;
    traps_compare("thresholds");
    for (size_t i = 0; i < n; i++) {
        uint64_t count = hotprobe_count(h, &requests[i]);
        if (requests[i].reason == HOTPROBE_DONE && count >= requests[i].threshold)
            c.times--;
    }
    assert_int_equal(c.times, 0);
    hotprobe_close(h);
}

/* A probe that is inserted again reuses the removed one, with its count, only if it is of the same
 * kind: called at its third execution, or at each one. */
static void test_kinds_at_one_site(void **state) {
    (void)state;
    struct hotprobe *h = open_session((struct hotprobe_options){0});
    for (int round = 0; round < 4; round++) {
        struct called c = {0};
        struct hotprobe_request r = {.site = (uintptr_t)trap_carry,
                                     .call = on_hit,
                                     .data = &c,
                                     .flags = round % 2 ? HOTPROBE_EVERY : 0,
                                     .threshold = 3};
        insert(h, &r, 1);
        for (int i = 0; i < 5; i++)
            trap_carry(1, 2);
        assert_int_equal(c.times, round % 2 ? 5 : 1);
        assert_int_equal(c.at, round % 2 ? 0 : 3);
        take_out(h, &r, 1);
    }
    hotprobe_close(h);
}

/* ---- threads ---- */

enum { HITS = 200000, THRESHOLD = 333333 };
static void *hitter(void *unused) {
    (void)unused;
    for (int i = 0; i < HITS; i++)
        trap_endbr(1, 2);
    return NULL;
}

static void test_threshold_once(void **state) {
    (void)state;
    struct hotprobe *h = open_session((struct hotprobe_options){0});
    for (int round = 0; round < 5; round++) {
        struct called c = {0};
        struct hotprobe_request r = {.site = (uintptr_t)trap_endbr,
                                     .threshold = THRESHOLD + (uint64_t)round,
                                     .call = on_hit,
                                     .data = &c};
        pthread_t t[4];
        insert(h, &r, 1);
        for (int i = 0; i < 4; i++)
            pthread_create(&t[i], NULL, hitter, NULL);
        for (int i = 0; i < 4; i++)
            pthread_join(t[i], NULL);
        assert_int_equal(c.times, 1);
        assert_int_equal(c.at, THRESHOLD + round);
        assert_int_equal(hotprobe_count(h, &r), 4 * HITS);
        take_out(h, &r, 1);
    }
    hotprobe_close(h);
}

/* The number of insertions and removals, one at a time and in batches. Short tests prove nothing
 * here: a plain write of five bytes survived 400 of them, and crashed within 30,000. */
static size_t toggles(void) {
    const char *many = getenv("HOTPROBE_TOGGLES");
    return many != NULL ? strtoul(many, NULL, 10) : 30000;
}

static void toggle(size_t threads, enum hotprobe_kind kind) {
    struct runner r[16] = {0};
    traps_run(before);
    struct hotprobe *h = open_session((struct hotprobe_options){0});
    static struct hotprobe_request stays;
    stays = (struct hotprobe_request){.site = (uintptr_t)trap_four, .flags = HOTPROBE_ATOMIC};
    insert(h, &stays, 1);
    assert_int_equal(stays.reason, HOTPROBE_DONE);
    uintptr_t from;
    size_t size;
    take_out(h, &stays, 1);
    uint8_t *text = text_copy(h, &from, &size);
    insert(h, &stays, 1);
    size_t n = sites_of(h, "trap_", kind, requests, MOST), kept = 0;
    for (size_t i = 0; i < n; i++)
        if (requests[i].site != stays.site)
            requests[kept++] = requests[i];
    running = true;
    wrong = 0;
    for (size_t i = 0; i < threads; i++)
        pthread_create(&r[i].thread, NULL, runner, &r[i]);
    for (size_t k = 0, done = 0; done < toggles(); k++) {
        size_t a = k * 7 % kept, m = k % 8 != 0 ? kept - a : 1;
        insert(h, requests + a, m);
        take_out(h, requests + a, m);
        done += m;
        if (k % 100 == 0)
            hotprobe_reclaim(h);
    }
    running = false;
    uint64_t calls = 0;
    for (size_t i = 0; i < threads; i++) {
        pthread_join(r[i].thread, NULL);
        calls += r[i].calls;
    }
    assert_int_equal(wrong, 0);
    assert_true(calls > 0);
    assert_int_equal(hotprobe_count(h, &stays), calls);
    take_out(h, &stays, 1);
    for (int tries = 0; tries < 300 && hotprobe_reclaim(h) > 0; tries++)
        usleep(1000);
    assert_memory_equal(text, (const void *)from, size);
    free(text);
    hotprobe_close(h);
}

static void test_toggle_4(void **state) {
    (void)state;
    for (int kind = HOTPROBE_ENTRIES; kind <= HOTPROBE_INSTRUCTIONS; kind++)
        toggle(4, (enum hotprobe_kind)kind);
}

static void test_toggle_8(void **state) {
    (void)state;
    for (int kind = HOTPROBE_ENTRIES; kind <= HOTPROBE_INSTRUCTIONS; kind++)
        toggle(8, (enum hotprobe_kind)kind);
}

/* Threads that were interrupted inside a window and sleep there for longer than patching takes.
 * The new bytes must lead them out, and their stubs must not be reused meanwhile. */
static void sleeps_long(int number) {
    (void)number;
    usleep(300);
}

static void *straight(void *raw) {
    struct runner *r = raw;
    uint64_t want = before[(TRAPS_COUNT - 1) * INPUTS * INPUTS + 4 + 3 * INPUTS];
    struct timespec t = {.tv_nsec = 1000};
    for (; running; r->calls++) {
        if (trap_straight(trap_inputs(4), trap_inputs(3)) != want)
            wrong++;
        if (r->calls % 512 == 0) {
            uint64_t left = trap_sleep((uintptr_t)&t, 0);
            wrong += left != 1 && left != (uint64_t)-3; /* 0, or interrupted */
        }
    }
    return NULL;
}

static void test_interrupted(void **state) {
    (void)state;
    struct runner r[3] = {0};
    traps_run(before);
    signal(SIGUSR2, sleeps_long);
    struct hotprobe *h = open_session((struct hotprobe_options){0});
    size_t n = sites_of(h, "trap_straight", HOTPROBE_INSTRUCTIONS, requests, MOST);
    n += sites_of(h, "trap_sleep", HOTPROBE_INSTRUCTIONS, requests + n, MOST - n);
    running = true;
    wrong = 0;
    for (int i = 0; i < 3; i++)
        pthread_create(&r[i].thread, NULL, straight, &r[i]);
    for (size_t k = 0; k < toggles() / 500; k++) { /* each makes new stubs, which is slow */
        pthread_kill(r[k % 3].thread, SIGUSR2);
        if (k % 4 == 0)
            usleep(20);
        size_t a = k % 6, m = k % 3 == 0 ? 1 : n - a;
        insert(h, requests + a, m);
        if (k % 2 == 0)
            pthread_kill(r[(k + 1) % 3].thread, SIGUSR2);
        take_out(h, requests + a, m);
        if (k % 25 == 0)
            hotprobe_reclaim(h);
    }
    running = false;
    for (int i = 0; i < 3; i++)
        pthread_join(r[i].thread, NULL);
    assert_int_equal(wrong, 0);
    hotprobe_close(h);
    signal(SIGUSR2, SIG_DFL);
}

/* Threads that come and go, and that sleep in a call inside the function that is patched. */
static LEAVE int sleeps_inside(int us) {
    usleep((useconds_t)us);
    return us + 1;
}
static void *short_life(void *raw) {
    uint64_t sum = 0;
    for (int i = 0; i < 20; i++)
        sum += (uint64_t)sleeps_inside(50) + trap_four(3, 4);
    *(_Atomic uint64_t *)raw += sum;
    return NULL;
}

static void test_births(void **state) {
    (void)state;
    struct hotprobe *h = open_session((struct hotprobe_options){0});
    _Atomic uint64_t sum = 0;
    size_t n = sites_of(h, "sleeps_inside", HOTPROBE_INSTRUCTIONS, requests, MOST);
    n += sites_of(h, "short_life", HOTPROBE_INSTRUCTIONS, requests + n, MOST - n);
    enum { ROUNDS = 60 };
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t t[3];
        for (int k = 0; k < 3; k++)
            pthread_create(&t[k], NULL, short_life, &sum);
        insert(h, requests, n);
        take_out(h, requests, n);
        insert(h, requests, n);
        for (int k = 0; k < 3; k++)
            pthread_join(t[k], NULL);
        take_out(h, requests, n);
    }
    assert_int_equal(sum, ROUNDS * 3 * 20 * (51 + 3));
    hotprobe_close(h);
}

/* ---- signals ---- */

static _Atomic int own_traps;
static void own_handler(int number) {
    assert_int_equal(number, SIGTRAP);
    own_traps++;
}

static void test_own_sigtrap(void **state) {
    (void)state;
    struct sigaction act = {.sa_handler = own_handler}, old;
    sigfillset(&act.sa_mask);
    sigaction(SIGTRAP, &act, NULL);
    struct hotprobe *h = open_session((struct hotprobe_options){.trap = true, .without = 0x1f});
    struct hotprobe_request r = {.site = (uintptr_t)trap_carry};
    insert(h, &r, 1);
    assert_int_equal(r.strategy, HOTPROBE_TRAP);
    own_traps = 0;
    trap_carry(1, 2);
    assert_int_equal(own_traps, 0);
    __asm__ volatile("int3");
    raise(SIGTRAP);
    assert_int_equal(own_traps, 2);
    sigaction(SIGTRAP, NULL, &old);
    assert_ptr_equal(old.sa_handler, own_handler);
    sigset_t all, was;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &was);
    trap_carry(1, 2); /* blocked, as far as the program knows */
    raise(SIGTRAP);
    assert_int_equal(own_traps, 2);
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    assert_true(sigismember(&now, SIGTRAP));
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    assert_int_equal(own_traps, 3); /* it was pending */
    assert_int_equal(hotprobe_count(h, &r), 2);
    hotprobe_close(h);
    sigaction(SIGTRAP, NULL, &old);
    assert_ptr_equal(old.sa_handler, own_handler);
    signal(SIGTRAP, SIG_DFL);
}

/* An unhandled trap of the program itself ends it, as it would without probes. */
static void test_own_trap_ends_it(void **state) {
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        struct hotprobe *h = open_session((struct hotprobe_options){.trap = true});
        struct hotprobe_request r = {.site = (uintptr_t)trap_carry};
        insert(h, &r, 1);
        setrlimit(RLIMIT_CORE, &(struct rlimit){0});
        __asm__ volatile("int3");
        _exit(trap_carry(1, 2) != 0 ? 1 : 2);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP);
}

static sigjmp_buf away;
static LEAVE int jumps_away(int x) {
    if (x > 3)
        siglongjmp(away, x);
    return x;
}
static void *trace[32];
static int depth;
static void on_alarm(int number) {
    (void)number;
    depth = backtrace(trace, 32);
}
static LEAVE int raises(int x) {
    raise(SIGUSR1);
    return x + 1;
}
static LEAVE int through(int x) {
    int y = raises(x);
    return y * 2;
}

/* Backtraces, signals and long jumps through probed frames see the program's own addresses. */
static void test_frames(void **state) {
    (void)state;
    struct hotprobe *h = open_session((struct hotprobe_options){0});
    size_t n = sites_of(h, "through", HOTPROBE_INSTRUCTIONS, requests, MOST);
    n += sites_of(h, "raises", HOTPROBE_INSTRUCTIONS, requests + n, MOST - n);
    n += sites_of(h, "jumps_away", HOTPROBE_INSTRUCTIONS, requests + n, MOST - n);
    insert(h, requests, n);
    signal(SIGUSR1, on_alarm);
    assert_int_equal(through(4), 10);
    bool seen_through = false, seen_raises = false;
    const struct hotprobe_function *f = function_named(h, "through"),
                                   *g = function_named(h, "raises");
    for (int i = 0; i < depth; i++) {
        seen_through |= (uintptr_t)trace[i] > f->start && (uintptr_t)trace[i] <= f->end;
        seen_raises |= (uintptr_t)trace[i] > g->start && (uintptr_t)trace[i] <= g->end;
    }
    assert_true(seen_through && seen_raises);
    int got = sigsetjmp(away, 1);
    if (got == 0)
        jumps_away(7);
    assert_int_equal(got, 7);
    hotprobe_close(h);
}

/* What would break: a debugger's breakpoint is copied into a stub, where the debugger does not expect
 * it, and ends the program; or code after the breakpoint is patched between its instructions. */
static LEAVE int with_breakpoint(int x) {
    return x > 3 ? jumps_away(x - 3) * 5 : x + 2;
}

static void text_poke(uintptr_t at, uint8_t byte) {
    int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    assert_true(mem >= 0 && pwrite(mem, &byte, 1, (off_t)at) == 1);
    close(mem);
}

static void test_breakpoint(void **state) {
    (void)state;
    const uintptr_t at = (uintptr_t)with_breakpoint;
    const uint8_t was = *(const volatile uint8_t *)at;
    for (int set = 1; set >= 0; set--) {
        text_poke(at, set ? 0xcc : was);
        struct hotprobe *h = open_session((struct hotprobe_options){0});
        size_t n = sites_of(h, "with_breakpoint", HOTPROBE_INSTRUCTIONS, requests, MOST);
        size_t others = sites_of(h, "jumps_away", HOTPROBE_ENTRIES, requests + n, MOST - n);
        assert_true(n > 0 && others == 1);
        insert(h, requests, n + others);
        for (size_t i = 0; i < n; i++)
            assert_true((requests[i].reason == HOTPROBE_GONE) == (set == 1));
        assert_int_equal(requests[n].reason, HOTPROBE_DONE);
        assert_int_equal(*(const volatile uint8_t *)at == 0xcc, set == 1);
        if (set == 0)
            assert_int_equal(with_breakpoint(1), 3);
        hotprobe_close(h);
    }
}

/* ---- processes ---- */

static void test_fork(void **state) {
    (void)state;
    struct hotprobe *h = open_session((struct hotprobe_options){0});
    struct hotprobe_request r[2] = {{.site = (uintptr_t)trap_four},
                                    {.site = (uintptr_t)trap_carry}};
    insert(h, r, 1);
    trap_four(1, 1);
    pid_t child = fork();
    if (child == 0) {
        trap_four(1, 1);
        insert(h, r + 1, 1);
        trap_carry(1, 1);
        bool ok = hotprobe_count(h, &r[0]) == 2 && hotprobe_count(h, &r[1]) == 1;
        take_out(h, r, 2);
        trap_four(1, 1);
        _exit(ok && hotprobe_count(h, &r[0]) == 2 ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    trap_four(1, 1);
    assert_int_equal(hotprobe_count(h, &r[0]), 2);
    child = vfork();
    if (child == 0) {
        trap_four(1, 1);
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(hotprobe_count(h, &r[0]), 3);
    hotprobe_close(h);
}

static void test_dlclose(void **state) {
    (void)state;
    void *m = dlopen("libz.so.1", RTLD_NOW);
    if (m == NULL)
        skip();
    unsigned long (*crc)(unsigned long, const unsigned char *, unsigned);
    *(void **)&crc = dlsym(m, "crc32");
    unsigned long was = crc(0, (const unsigned char *)"hello", 5);
    struct hotprobe *h = open_session((struct hotprobe_options){.libraries = true});
    struct hotprobe_request r = {.site = (uintptr_t)crc}, again;
    insert(h, &r, 1);
    assert_int_equal(r.reason, HOTPROBE_DONE);
    assert_int_equal(crc(0, (const unsigned char *)"hello", 5), was);
    assert_int_equal(hotprobe_count(h, &r), 1);
    dlclose(m);
    again = r;
    if (dlopen("libz.so.1", RTLD_NOW | RTLD_NOLOAD) == NULL) {
        again = (struct hotprobe_request){.site = r.site + 64};
        insert(h, &again, 1);
        assert_int_equal(again.reason, HOTPROBE_GONE);
    }
    take_out(h, &r, 1);
    hotprobe_close(h);
}

/* Threads start and end while others count: no increment is lost, without a lock. */
static void *counts_and_ends(void *raw) {
    for (int i = 0; i < HITS / 10; i++)
        trap_four(1, (uint64_t)i);
    return raw;
}

static void test_per_thread(void **state) {
    (void)state;
    struct hotprobe *h = open_session((struct hotprobe_options){.per_thread = true});
    struct hotprobe_request r[] = {{.site = (uintptr_t)trap_four},
                                   {.site = (uintptr_t)trap_carry, .flags = HOTPROBE_ATOMIC}};
    insert(h, r, 2);
    assert_true(r[0].reason == HOTPROBE_DONE && r[0].own != 0 && r[0].counter == 0 &&
                r[1].own == 0);
    for (int round = 1; round <= 6; round++) {
        pthread_t t[4];
        for (int i = 0; i < 4; i++)
            assert_int_equal(pthread_create(&t[i], NULL, counts_and_ends, NULL), 0);
        trap_four(1, 2);
        for (int i = 0; i < 4; i++)
            pthread_join(t[i], NULL);
        assert_int_equal(hotprobe_count(h, r), round * (4 * HITS / 10 + 1));
    }
    pid_t child = fork();
    if (child == 0) {
        pthread_t t;
        uint64_t was = hotprobe_count(h, r);
        pthread_create(&t, NULL, counts_and_ends, NULL);
        pthread_join(t, NULL);
        _exit(was == 6 * (4 * HITS / 10 + 1) && hotprobe_count(h, r) == was + HITS / 10 ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(hotprobe_count(h, r), 6 * (4 * HITS / 10 + 1)); /* the child's are its own */
    take_out(h, r, 1);
    insert(h, r, 1);
    assert_int_equal(hotprobe_count(h, r), 0);
    hotprobe_close(h);
    pthread_t other;
    struct error e = {0};
    stop_now = false;
    pthread_create(&other, NULL, sleeper, NULL);
    assert_int_equal(hotprobe_open(&h, &(struct hotprobe_options){.per_thread = true}, &e),
                     STATUS_UNSUPPORTED);
    stop_now = true;
    pthread_join(other, NULL);
}

static uint64_t word_of(const char *path, uint64_t offset) {
    uint64_t word = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    (void)!pread(fd, &word, sizeof word, (off_t)offset);
    close(fd);
    return word;
}

/* What would break: a program with threads takes many times its own time, because its threads wait
 * for each other's locked counters; or counts are lost at the change from shared counters to each
 * thread's own, or because a child adds its counts to its parent's file. */
static void test_spread(void **state) {
    (void)state;
    char path[] = "/tmp/hotprobe-spread-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct hotprobe *h = open_session((struct hotprobe_options){
        .at_start = true, .spread = true, .libraries = true, .thread_counters = path});
    struct hotprobe_request r[] = {{.site = (uintptr_t)trap_four},
                                   {.site = (uintptr_t)trap_carry, .flags = HOTPROBE_ATOMIC},
                                   {.site = (uintptr_t)dlsym(RTLD_NEXT, "abs")}};
    insert(h, r, 3);
    assert_true(r[0].own != 0 && r[1].own == 0 && r[2].own == 0); /* libc starts threads */
    uint64_t want = 0;
    for (int i = 0; i < 100; i++, want++)
        trap_four(1, 2);
    for (int round = 0; round < 3; round++) {
        pthread_t t[4];
        for (int i = 0; i < 4; i++, want += HITS / 10)
            assert_int_equal(pthread_create(&t[i], NULL, counts_and_ends, NULL), 0);
        for (int i = 0; i < 1000; i++, want++)
            trap_four(1, 2);
        for (int i = 0; i < 4; i++)
            pthread_join(t[i], NULL);
        assert_int_equal(hotprobe_count(h, r), want);
    }
    uint64_t blocks = 0;
    for (uint64_t block = 0; block < 8; block++)
        blocks += word_of(path, block * HOTPROBE_THREAD_SLOTS * sizeof(uint64_t) + r[0].own);
    assert_int_equal(blocks, want - 100);
    pid_t child = fork();
    if (child == 0) {
        pthread_t t;
        pthread_create(&t, NULL, counts_and_ends, NULL);
        trap_four(1, 2);
        pthread_join(t, NULL);
        _exit(hotprobe_count(h, r) == want + HITS / 10 + 1 ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(hotprobe_count(h, r), want);
    for (uint64_t block = 0; block < 8; block++)
        blocks -= word_of(path, block * HOTPROBE_THREAD_SLOTS * sizeof(uint64_t) + r[0].own);
    assert_int_equal(blocks, 0);
    hotprobe_close(h);
    unlink(path);
}

static void test_one_session(void **state) {
    (void)state;
    struct hotprobe *h = open_session((struct hotprobe_options){0}), *second = NULL;
    struct error e = {0};
    assert_int_equal(hotprobe_open(&second, NULL, &e), STATUS_UNSUPPORTED);
    assert_null(second);
    hotprobe_close(h);
    h = open_session((struct hotprobe_options){0});
    hotprobe_close(h);
}

/* ---- padding to probes ---- */

static void test_assign(void **state) {
    (void)state;
    enum { SITES = 40, SLOTS = 25 };
    size_t less[3] = {0};
    for (uint64_t seed = 0; seed < 400; seed++) {
        uintptr_t site[SITES], slot[SLOTS];
        uint32_t group[SITES];
        int32_t chosen[SITES];
        uintptr_t at = 100000;
        for (size_t i = 0; i < SITES; i++) {
            site[i] = at += 1 + splitmix64(seed, i) % 20;
            group[i] = seed % 3 == 0 ? 0 : (uint32_t)(i / 8);
        }
        at = 99900;
        for (size_t j = 0; j < SLOTS; j++)
            slot[j] = at += 5 + splitmix64(seed, 1000 + j) % 60;
        struct hotprobe_slot_problem q = {SITES, SLOTS, site, group, slot, chosen};
        size_t served[3];
        for (int how = HOTPROBE_LOCAL; how <= HOTPROBE_EXACT; how++) {
            assert_int_equal(hotprobe_assign(&q, (enum hotprobe_assignment)how, &served[how]),
                             STATUS_OK);
            bool taken[SLOTS] = {0};
            size_t n = 0;
            for (size_t i = 0; i < SITES; i++) {
                if (chosen[i] < 0)
                    continue;
                int64_t d = (int64_t)(slot[chosen[i]] - (site[i] + 2));
                assert_true(d >= -128 && d <= 127 && !taken[chosen[i]]);
                taken[chosen[i]] = true;
                n++;
            }
            assert_int_equal(n, served[how]);
            assert_true(how != HOTPROBE_EXACT ||
                        (served[HOTPROBE_LOCAL] <= n && served[HOTPROBE_GREEDY] <= n));
        }
        if (seed % 3 == 0) /* one function: optimal, then */
            assert_int_equal(served[HOTPROBE_LOCAL], served[HOTPROBE_EXACT]);
        less[HOTPROBE_GREEDY] += served[HOTPROBE_GREEDY] < served[HOTPROBE_EXACT];
        less[HOTPROBE_LOCAL] += served[HOTPROBE_LOCAL] < served[HOTPROBE_EXACT];
    }
    assert_true(less[HOTPROBE_GREEDY] > less[HOTPROBE_LOCAL]);
}

/* An argument is a pattern of tests to run; HOTPROBE_TOGGLES is the number of probes that the tests
 * with threads insert and remove. */
int main(int argc, char **argv) {
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_traps_quiet),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_every),
        cmocka_unit_test(test_one_session),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_own_sigtrap),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_breakpoint),
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_short_return),
        cmocka_unit_test(test_assign),
        cmocka_unit_test(test_traps_live),
        cmocka_unit_test(test_threshold_once),
        cmocka_unit_test(test_toggle_4),
        cmocka_unit_test(test_toggle_8),
        cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_births),
        cmocka_unit_test(test_dlclose),
        cmocka_unit_test(test_reachable_quiet),
        cmocka_unit_test(test_reachable_live),
        cmocka_unit_test(test_per_thread),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_kinds_at_one_site),
        cmocka_unit_test(test_own_trap_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
