/*
 * The machine's ways of running are one: whole instructions or cycle by cycle, watched or not, with
 * pictures or without, saved and loaded in between. If this failed, a profiler would change what it
 * measures, or a replay could not be repeated.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "programs.h"
#include "watcher.h"

/* ---- the ways ---- */

enum { PLAIN, SLOW, SLOW_PICTURES, PROBED, PROBED_SLOW, STEPPED, STEPPED_SLOW, RELOADED, WAYS };

struct way {
    struct nes *nes;
    struct watcher watcher;
};

static void start(struct way *w, const struct guest *g, int way) {
    const bool slow =
        way == SLOW || way == SLOW_PICTURES || way == PROBED_SLOW || way == STEPPED_SLOW;
    *w = (struct way){0};
    w->nes =
        guest_machine(g, (struct nes_options){.no_fast = slow, .pictures = way == SLOW_PICTURES});
    w->watcher.nes = w->nes;
    struct observer o = {.self = &w->watcher, .thread = on_thread};
    const bool probed = way == PROBED || way == PROBED_SLOW;
    const bool stepped = way == STEPPED || way == STEPPED_SLOW;
    if (!probed && !stepped)
        return;
    w->watcher.counters = nes_counters_add(w->nes, 1);
    o.instrument = probed ? instrument : NULL;
    o.step = stepped ? on_step : NULL;
    unsigned id;
    assert_int_equal(nes_attach(w->nes, &o, &id, NULL), STATUS_OK);
    if (stepped)
        nes_observe(w->nes, id, UINT64_MAX);
}

/* Saves into a state and loads it again, at places that differ from frame to frame. */
static void reload(struct nes *nes) {
    struct bytes state = {0};
    struct error e = {0};
    assert_int_equal(nes_run_to(nes, nes_cycle(nes) + 9000 + nes_frame(nes) * 137, NULL),
                     STATUS_OK);
    assert_int_equal(nes_save(nes, &state, NULL), STATUS_OK);
    if (nes_load(nes, state.at, state.len, "state", &e) != STATUS_OK)
        fail_msg("%s", e.text);
    bytes_free(&state);
}

static void run_frame(struct way *w, int way, uint64_t seed, unsigned frame) {
    uint32_t pc;
    uint64_t jam_frame;
    if (nes_jammed(w->nes, &pc, &jam_frame) || frame % 40 == 39)
        nes_reset(w->nes, frame % 3 == 0);
    nes_set_buttons(w->nes, 0, (uint8_t)splitmix64(seed, frame));
    const uint64_t number = nes_frame(w->nes);
    if (way == RELOADED)
        reload(w->nes);
    if (nes_frame(w->nes) == number)
        assert_int_equal(nes_run_frame(w->nes, NULL), STATUS_OK);
}

static void compare_ways(uint64_t seed, unsigned frames) {
    struct guest *g = random_program(seed);
    struct way ways[WAYS];
    for (int i = 0; i < WAYS; i++)
        start(&ways[i], g, i);
    for (unsigned frame = 0; frame < frames; frame++) {
        uint64_t hash[WAYS];
        for (int i = 0; i < WAYS; i++) {
            run_frame(&ways[i], i, seed, frame);
            hash[i] = nes_state_hash(ways[i].nes);
            if (hash[i] != hash[PLAIN])
                fail_msg("seed %llu, frame %u: way %d ends elsewhere", (unsigned long long)seed,
                         frame, i);
        }
    }
    assert_int_equal(ways[PROBED].watcher.hash, ways[PROBED_SLOW].watcher.hash);
    assert_int_equal(ways[STEPPED].watcher.hash, ways[STEPPED_SLOW].watcher.hash);
    assert_int_equal(*nes_counters(ways[PROBED].nes), *nes_counters(ways[PROBED_SLOW].nes));
    assert_int_equal(nes_probes_fired(ways[PROBED].nes, 0),
                     nes_probes_fired(ways[PROBED_SLOW].nes, 0));
    for (int i = 0; i < WAYS; i++)
        nes_free(ways[i].nes);
    free(g);
}

/* Broken: a profiler would disturb the guest, or the interpreter's short cuts would. */
static void test_ways(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++)
        compare_ways(seed, 24);
}

/* ---- states ---- */

static struct nes *started(const struct guest *g) {
    struct nes *nes = guest_machine(g, (struct nes_options){0});
    for (int i = 0; i < 5; i++)
        nes_run_frame(nes, NULL);
    return nes;
}

static void refuse(struct nes *nes, const uint8_t *data, size_t len, const char *part) {
    struct error e = {0};
    const uint64_t hash = nes_state_hash(nes);
    assert_int_not_equal(nes_load(nes, data, len, "x.state", &e), STATUS_OK);
    if (strncmp(e.text, "x.state: ", 9) != 0 || !strstr(e.text, part))
        fail_msg("\"%s\" does not name the file and \"%s\"", e.text, part);
    assert_int_equal(nes_state_hash(nes), hash);
}

/* Broken: a damaged state would end in a replay that is silently another one. */
static void test_damaged_states(void **state) {
    (void)state;
    struct guest *g = random_program(3), *other = random_program(4);
    other->cart.sha1[0] = 'f';
    struct nes *nes = started(g), *other_nes = started(other);
    struct bytes s = {0}, foreign = {0};
    assert_int_equal(nes_save(nes, &s, NULL), STATUS_OK);
    assert_int_equal(nes_save(other_nes, &foreign, NULL), STATUS_OK);
    nes_run_frame(nes, NULL);
    refuse(nes, foreign.at, foreign.len, "belongs to the ROM with SHA-1 f123456789");
    refuse(nes, (const uint8_t *)"NES\x1a", 4, "not a saved state");
    for (size_t len = 16; len < s.len; len += 1 + len / 16)
        refuse(nes, s.at, len, "");
    for (size_t i = 0; i < s.len; i += i < 200 ? 1 : 97) {
        s.at[i] ^= 0x40;
        refuse(nes, s.at, s.len, "");
        s.at[i] ^= 0x40;
    }
    s.at[16]++;
    refuse(nes, s.at, s.len, "version");
    s.at[16]--;
    assert_int_equal(nes_load(nes, s.at, s.len, "x.state", NULL), STATUS_OK);
    bytes_free(&s);
    bytes_free(&foreign);
    nes_free(nes);
    nes_free(other_nes);
    free(g);
    free(other);
}

/* A state whose checksum is right but whose content is not: the device would index past its
 * arrays, or run for ever. */
static void test_forged_states(void **state) {
    (void)state;
    enum { HEADER = 76 };
    struct guest *g = random_program(5);
    struct nes *nes = started(g);
    struct bytes s = {0};
    assert_int_equal(nes_save(nes, &s, NULL), STATUS_OK);
    struct random r = {.seed = 7};
    unsigned refused = 0, accepted = 0;
    for (int i = 0; i < 3000; i++) {
        const size_t at = HEADER + random_below(&r, (uint32_t)(s.len - HEADER));
        const uint8_t old = s.at[at];
        s.at[at] = (uint8_t)random_below(&r, 256);
        uint64_t hash = fnv1a64(s.at + HEADER, s.len - HEADER);
        for (int k = 0; k < 8; k++)
            s.at[HEADER - 8 + k] = (uint8_t)(hash >> 8 * k);
        if (nes_load(nes, s.at, s.len, "x.state", NULL) == STATUS_OK) {
            accepted++;
            if (i % 8 == 0)
                nes_run_frame(nes, NULL);
        } else {
            refused++;
        }
        s.at[at] = old;
    }
    assert_true(refused > 0 && accepted > 0);
    bytes_free(&s);
    nes_free(nes);
    free(g);
}

/* ---- frames, power, reset ---- */

/* Broken: movies would drift against other emulators, a line too early or too late. */
static void test_frames(void **state) {
    (void)state;
    struct guest *g = guest_new();
    guest_code(g, 0x8000, 0x4C, 0x00, 0x80);
    guest_vectors(g, 0x8000, 0x8000, 0x8000);
    struct nes *nes = guest_machine(g, (struct nes_options){0});
    assert_int_equal(nes_cycle(nes), 0);
    static const uint8_t pattern[8] = {0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF};
    assert_memory_equal(nes_ram(nes), pattern, 8);
    assert_memory_equal(nes_ram(nes) + 2040, pattern, 8);
    assert_int_equal(nes_run_to(nes, 1, NULL), STATUS_OK);
    assert_int_equal(nes_cycle(nes), 7);
    assert_int_equal(nes_registers(nes).pc, 0x8000);
    assert_int_equal(nes_registers(nes).s, 0xFD);
    assert_int_equal(nes_registers(nes).p, 0x34 & ~0x10);
    /* 241 lines and a dot from power-on, then 89,342 dots a frame, at 3 dots a cycle. */
    const uint64_t first = 241 * 341 + 1;
    for (uint64_t frame = 0; frame < 100; frame++) {
        assert_int_equal(nes_frame(nes), frame);
        nes_run_frame(nes, NULL);
        const uint64_t blank = (first + frame * 89342 + 1) / 3;
        assert_in_range(nes_cycle(nes), blank, blank + 2);
    }
    nes_free(nes);
    free(g);
}

/* A JAM holds the bus, time goes on, and only a reset ends it. */
static void test_jam(void **state) {
    (void)state;
    struct guest *g = guest_new();
    guest_code(g, 0x8000, 0xA9, 0x55, 0x85, 0x10, 0x02);
    guest_vectors(g, 0x8000, 0x8000, 0x8000);
    struct nes *nes = guest_machine(g, (struct nes_options){0});
    uint32_t pc;
    uint64_t frame;
    assert_false(nes_jammed(nes, &pc, &frame));
    for (int i = 0; i < 3; i++)
        nes_run_frame(nes, NULL);
    assert_true(nes_jammed(nes, &pc, &frame));
    assert_int_equal(pc, 0x8004);
    assert_int_equal(frame, 0);
    assert_int_equal(nes_frame(nes), 3);
    assert_int_equal(nes_instructions(nes), 3);
    nes_reset(nes, true);
    assert_false(nes_jammed(nes, &pc, &frame));
    assert_int_equal(nes_ram(nes)[0x10], 0);
    nes_run_frame(nes, NULL);
    assert_int_equal(nes_ram(nes)[0x10], 0x55);
    nes_free(nes);
    free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways),          cmocka_unit_test(test_damaged_states),
        cmocka_unit_test(test_forged_states), cmocka_unit_test(test_frames),
        cmocka_unit_test(test_jam),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
