/*
 * A thousand machines in one process, on all available threads: each opens, plays its first frames
 * and ends in the same state as the first of its kind. If this failed, a suite that makes a machine
 * for each of its tests would have to start a process for each, or pay for unused memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/effort.h"
#include "tests/support/played.h"

enum { KINDS = 4, FRAMES = 4 };

static const char *const games[KINDS / 2] = {"mazewisp", "burrow"};

/* The interpreter and, where there is one, the translator, which translates at once. */
static struct nes *open_kind(const struct cartridge *cartridge, unsigned kind) {
    static const struct dbt_options at_once = {.hot = 1};
    struct error e = {0};
    struct nes *nes = NULL;
    const struct nes_options options = {.cartridge = cartridge,
                                        .engine = kind % 2 ? dbt_engine() : NULL,
                                        .engine_options = &at_once};
    played_must(nes_create(&nes, &options, &e), &e);
    return nes;
}

static void load(struct cartridge *cartridges[KINDS / 2]) {
    for (unsigned i = 0; i < KINDS / 2; i++) {
        char path[512];
        struct error e = {0};
        snprintf(path, sizeof path, "%s/%s.nes", GAMES_FOLDER, games[i]);
        played_must(cartridge_load(&cartridges[i], path, &e), &e);
    }
}

static void free_all(struct cartridge *cartridges[KINDS / 2]) {
    for (unsigned i = 0; i < KINDS / 2; i++)
        cartridge_free(cartridges[i]);
}

static uint64_t play(struct nes *nes) {
    struct played p = {.nes = nes};
    played_frames(&p, FRAMES);
    return nes_state_hash(nes);
}

/* All of them exist at once. */
static void a_thousand_machines_live_in_one_process(void **state) {
    (void)state;
    enum { MACHINES = EFFORT(1000) };
    struct cartridge *cartridges[KINDS / 2];
    static struct nes *machines[MACHINES];
    static uint64_t ended[MACHINES];
    load(cartridges);
#pragma omp parallel for schedule(dynamic)
    for (unsigned i = 0; i < MACHINES; i++)
        machines[i] = open_kind(cartridges[i % KINDS / 2], i % KINDS);
#pragma omp parallel for schedule(dynamic)
    for (unsigned i = 0; i < MACHINES; i++)
        ended[i] = play(machines[i]);
    for (unsigned i = 0; i < MACHINES; i++) {
        assert_int_equal(ended[i], ended[i % KINDS / 2 * 2]); /* of the same game */
        nes_free(machines[i]);
    }
    assert_true(ended[0] != ended[2]);
    free_all(cartridges);
}

/* Kilobytes of memory that the process holds: none of it in files. */
static long held(void) {
    long kilobytes = 0, of = -1;
    char line[256];
    FILE *const f = fopen("/proc/self/status", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "RssAnon: %ld", &of) == 1 || sscanf(line, "RssShmem: %ld", &of) == 1)
            kilobytes += of;
    fclose(f);
    assert_true(of >= 0);
    return kilobytes;
}

/* One that has been played on the translator needs less than 4 MiB of memory. */
static void a_machine_is_small(void **state) {
    (void)state;
    enum { MACHINES = 20, MOST = 4096 };
    struct cartridge *cartridges[KINDS / 2];
    struct nes *machines[MACHINES];
    load(cartridges);
    const long before = held();
    for (unsigned i = 0; i < MACHINES; i++) {
        machines[i] = open_kind(cartridges[i % KINDS / 2], i % KINDS);
        played_frames(&(struct played){.nes = machines[i]}, 120);
    }
    const long each = (held() - before) / MACHINES;
    print_message("a machine holds %ld KiB\n", each);
    assert_in_range(each, 16, EFFORT(3) == 3 ? MOST : 10 * MOST); /* a sanitizer uses memory of its
                                                                     own */
    for (unsigned i = 0; i < MACHINES; i++)
        nes_free(machines[i]);
    free_all(cartridges);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_machine_is_small), /* first: the process has no freed memory to use again */
        cmocka_unit_test(a_thousand_machines_live_in_one_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
