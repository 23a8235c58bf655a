/*
 * What the translator needs from its host: memory of its own after a fork, a small stack, and
 * little address space. If this failed, programs that fork, run many machines or have resource
 * limits would crash or, worse, compute wrong results.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "dbt/dbt.h"
#include "tests/support/guest_rom.h"

static const struct dbt_options at_first_sight = {.hot = 1};

static struct nes *machine(const struct guest *g, bool translated) {
    return guest_machine(g, (struct nes_options){.engine = translated ? dbt_engine() : NULL,
                                                 .engine_options = &at_first_sight});
}

/* ---- fork ---- */

/* One routine for each of 128 combinations of buttons: reads the pad, and goes to its routine. */
static struct guest *routines(void) {
    struct guest *const g = guest_new();
    guest_vectors(g, 0x80F0, 0x8000, 0x80F0);
    guest_code(g, 0x80F0, 0x40);
    guest_code(g, 0x8000, 0xA9, 0x01, 0x8D, 0x16, 0x40); /* LDA #1, STA $4016 */
    guest_code(g, 0x8005, 0xA9, 0x00, 0x8D, 0x16, 0x40); /* LDA #0, STA $4016 */
    guest_code(g, 0x800A, 0xA2, 0x08);                   /* LDX #8 */
    guest_code(g, 0x800C, 0xAD, 0x16, 0x40, 0x4A);       /* LDA $4016, LSR A */
    guest_code(g, 0x8010, 0x26, 0x12, 0xCA, 0xD0, 0xF7); /* ROL $12, DEX, BNE $800C */
    guest_code(g, 0x8015, 0xA5, 0x12, 0x0A, 0x0A, 0x0A, 0x0A, 0x85, 0x10); /* $10 = low byte */
    guest_code(g, 0x801D, 0xA5, 0x12, 0x29, 0x7F, 0x4A, 0x4A, 0x4A, 0x4A); /* and ... */
    guest_code(g, 0x8025, 0x18, 0x69, 0x81, 0x85, 0x11);                   /* ... the high one */
    guest_code(g, 0x802A, 0x6C, 0x10, 0x00);                               /* JMP ($0010) */
    for (unsigned i = 0; i < 128; i++)
        guest_code(g, (uint16_t)(0x8100 + 16 * i), 0xA5, 0x30, 0x69, (uint8_t)i, /* $30 += i */
                   0x49, (uint8_t)(7 * i), 0x85, 0x30, 0xE6, 0x31, 0x4C, 0x00, 0x80);
    return g;
}

/* Continues with other buttons than the other process; the processes take turns. */
static bool plays_on(struct nes *truth, struct nes *m, bool child, int from, int to) {
    char turn = 0;
    for (unsigned frame = 0; frame < 60; frame++) {
        const uint8_t buttons = (uint8_t)(frame | (child ? 0x40 : 0));
        if (child && read(from, &turn, 1) != 1)
            return false;
        nes_set_buttons(truth, 0, buttons);
        nes_set_buttons(m, 0, buttons);
        if (nes_run_frame(truth, NULL) != STATUS_OK || nes_run_frame(m, NULL) != STATUS_OK ||
            nes_state_hash(truth) != nes_state_hash(m))
            return false;
        if (write(to, &turn, 1) != 1 || (!child && read(from, &turn, 1) != 1))
            return false;
    }
    return true;
}

/* Broken: both would write their blocks to the same places, and run each other's. */
static void both_go_on_after_a_fork(void **state) {
    (void)state;
    struct guest *const g = routines();
    struct nes *const truth = machine(g, false), *const m = machine(g, true);
    int down[2], up[2], status = -1;
    for (unsigned frame = 0; frame < 5; frame++) {
        assert_int_equal(nes_run_frame(truth, NULL), STATUS_OK);
        assert_int_equal(nes_run_frame(m, NULL), STATUS_OK);
    }
    assert_true(pipe(down) == 0 && pipe(up) == 0);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(down[1]);
        _exit(plays_on(truth, m, true, down[0], up[1]) ? 0 : 1);
    }
    close(up[1]);
    const bool same = plays_on(truth, m, false, up[0], down[1]);
    close(down[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(same);
    assert_int_equal(status, 0);
    struct dbt_statistics s;
    dbt_statistics(m, &s);
    assert_true(s.blocks > 30); /* it had something new to write */
    close(up[0]);
    close(down[0]);
    nes_free(truth);
    nes_free(m);
    free(g);
}

/* ---- the stack ---- */

static void *run_frames(void *m) {
    for (unsigned frame = 0; frame < 10; frame++)
        if (nes_run_frame(m, NULL) != STATUS_OK)
            return NULL;
    return m;
}

/* Broken: a guest that calls without end would run over the stack of a small thread. */
static void calls_without_end_on_a_small_stack(void **state) {
    (void)state;
    struct guest *const g = guest_new();
    guest_vectors(g, 0x8020, 0x8000, 0x8020);
    guest_code(g, 0x8000, 0x20, 0x00, 0x80); /* JSR to itself */
    guest_code(g, 0x8020, 0x40);
    struct nes *const truth = machine(g, false), *const m = machine(g, true);
    pthread_attr_t small;
    pthread_t thread;
    void *done = NULL;
    assert_int_equal(pthread_attr_init(&small), 0);
    assert_int_equal(pthread_attr_setstacksize(&small, 64 << 10), 0);
    assert_int_equal(pthread_create(&thread, &small, run_frames, m), 0);
    assert_int_equal(pthread_join(thread, &done), 0);
    assert_ptr_equal(done, m);
    assert_ptr_equal(run_frames(truth), truth);
    assert_int_equal(nes_state_hash(truth), nes_state_hash(m));
    pthread_attr_destroy(&small);
    nes_free(truth);
    nes_free(m);
    free(g);
}

/* ---- address space ---- */

static size_t address_space(void) {
    unsigned long pages = 0;
    FILE *const f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lu", &pages), 1);
    fclose(f);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Broken: a few dozen machines would not fit into a limited address space, as on clusters. */
static void machines_take_little_address_space(void **state) {
    (void)state;
    enum { MACHINES = 8, EACH = 32 << 20 };
    struct guest *const g = routines();
    struct nes *m[MACHINES];
    const size_t before = address_space();
    for (int i = 0; i < MACHINES; i++) {
        m[i] = machine(g, true);
        assert_ptr_equal(run_frames(m[i]), m[i]);
    }
    assert_in_range(address_space() - before, 1, MACHINES * (size_t)EACH);
    for (int i = 0; i < MACHINES; i++)
        nes_free(m[i]);
    free(g);
}

/* Runs in a child, so that the limit is gone afterwards. 0: the message names the limit. */
static int refused_in_words(const struct guest *g) {
    const struct rlimit limit = {address_space() + (1 << 20), RLIM_INFINITY};
    struct nes *n = NULL;
    struct error e = {0};
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        return 77;
    const enum status status = nes_create(&n, &(struct nes_options){.cartridge = &g->cart}, &e);
    return status == STATUS_MEMORY && n == NULL && strstr(e.text, "address space") &&
                   strstr(e.text, "ulimit -v")
               ? 0
               : 1;
}

/* Broken: "out of memory" on a machine with gigabytes of it. */
static void a_limit_is_named(void **state) {
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* it reserves as much address space as it likes */
#endif
    struct guest *const g = routines();
    int status = -1;
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(refused_in_words(g));
    assert_int_equal(waitpid(child, &status, 0), child);
    free(g);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_go_on_after_a_fork),
        cmocka_unit_test(calls_without_end_on_a_small_stack),
        cmocka_unit_test(machines_take_little_address_space),
        cmocka_unit_test(a_limit_is_named),
    };
    if (!dbt_engine()) {
        printf("no translator for this processor\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
