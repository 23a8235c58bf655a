/*
 * Recordings (nes_record) against an observer that is called before every instruction of the same
 * run: busy-waits that are skipped, code in RAM and banks that are switched among them. Equal trace
 * numbers must mean the same instructions. If these fail, batches of samples are not what was
 * executed, or depend on who else watches.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tests/support/effort.h"
#include "tests/support/played.h"
#include "tests/support/random_programs.h"

enum { LENGTHS = 5 };
static const uint32_t lengths[LENGTHS] = {1, 2, 25, 26, 300};

/* ---- everything that was executed ---- */

struct log {
    struct nes *nes;
    VEC(struct guest_insn) insns;
    VEC(uint64_t) cycles;
};

static void log_step(void *self, const struct guest_insn *insn, uint64_t cycle) {
    struct log *log = self;
    assert_true(vec_push(&log->insns, *insn) && vec_push(&log->cycles, cycle));
}

static struct played machine(const struct cartridge *cartridge, const struct engine *engine,
                             bool no_skip, const struct dbt_options *translator) {
    struct played p = {0};
    struct error e = {0};
    const struct nes_options options = {
        .cartridge = cartridge, .engine = engine, .no_skip = no_skip, .engine_options = translator};
    played_must(nes_create(&p.nes, &options, &e), &e);
    return p;
}

static struct log everything(const struct cartridge *cartridge, unsigned frames) {
    struct log log = {0};
    struct error e = {0};
    unsigned id;
    struct played p = machine(cartridge, NULL, true, NULL);
    played_must(nes_attach(p.nes, &(struct observer){.self = &log, .step = log_step}, &id, &e), &e);
    nes_observe(p.nes, id, UINT64_MAX);
    played_frames(&p, frames);
    nes_free(p.nes);
    return log;
}

/* ---- recordings, one after the other ---- */

struct recorder {
    struct nes *nes;
    unsigned id;
    const struct log *log;
    uint64_t from, by;
    uint32_t length, done;
    size_t at; /* in the log: nothing before it begins at or after `from` */
    uint32_t read;
    struct guest_insn insns[300];
    struct map executed; /* hash of a trace -> hash of the executed instructions */
    struct map numbers;  /* the same for trace numbers */
    unsigned again;      /* traces with a number that occurred before */
};

/* Often close together, sometimes a frame apart. */
static void ask(struct recorder *r, uint64_t after) {
    const uint64_t dice = splitmix64(r->length, r->done);
    r->from = after + dice % (dice >> 60 == 0 ? 40000 : dice >> 60 < 8 ? 3000 : 200);
    r->by = r->from + (dice >> 32) % 4000;
    assert_true(nes_record(r->nes, r->id, r->from, r->length, r->by));
}

static bool same_insn(const struct guest_insn *a, const struct guest_insn *b) {
    return a->address == b->address && a->next == b->next && a->target == b->target &&
           a->pc == b->pc && a->size == b->size && a->kind == b->kind &&
           memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static void read_insns(void *self, const struct guest_insn *insns, uint32_t count) {
    struct recorder *r = self;
    assert_in_range(count, 1, r->length - r->read);
    memcpy(&r->insns[r->read], insns, count * sizeof *insns);
    r->read += count;
}

/* The number alone identifies the executed instructions. */
static void check_number(struct recorder *r, const struct recording *recording, uint64_t insns) {
    if (recording->number == 0)
        return;
    uint64_t *const at = map_at(&r->numbers, recording->number);
    assert_non_null(at);
    r->again += *at != 0;
    if (*at != 0 && *at != insns)
        fail_msg("recording %u of %u has the number of another", r->done, r->length);
    *at = insns;
}

static void check_way(struct recorder *r, const struct recording *recording) {
    uint64_t insns = r->length;
    for (uint32_t i = 0; i < r->length; i++) {
        const struct guest_insn *const insn = &r->insns[i];
        insns = splitmix64(insns, (uint64_t)insn->address << 32 | insn->target);
        insns =
            splitmix64(insns, (uint64_t)insn->next << 32 | insn->bytes[0] |
                                  (unsigned)insn->bytes[1] << 8 | (unsigned)insn->bytes[2] << 16);
    }
    assert_true(recording->trace_length > 0);
    uint64_t *const at =
        map_at(&r->executed, fnv1a64(recording->trace, recording->trace_length * sizeof(uint64_t)));
    assert_non_null(at);
    if (*at != 0 && *at != insns)
        fail_msg("recording %u of %u went a way that was another before", r->done, r->length);
    *at = insns;
    check_number(r, recording, insns);
}

static void check_recording(void *self, const struct recording *recording) {
    struct recorder *r = self;
    const struct log *log = r->log;
    assert_int_equal(recording->count, r->length);
    r->read = 0;
    nes_recorded(r->nes, recording, read_insns, r);
    assert_int_equal(r->read, r->length);
    while (log->cycles.at[r->at] < r->from)
        r->at++;
    for (uint32_t i = 0; i < r->length; i++, r->at++)
        if (!same_insn(&r->insns[i], &log->insns.at[r->at]))
            fail_msg("recording %u of %u, instruction %u: %x, not %x", r->done, r->length, i,
                     r->insns[i].address, log->insns.at[r->at].address);
    check_way(r, recording);
    /* An interrupt's sequence may come between this boundary and the next instruction. */
    const uint64_t now = nes_cycle(r->nes);
    assert_in_range(recording->end, log->cycles.at[r->at - 1] + 1,
                    r->at < log->cycles.len ? log->cycles.at[r->at] : now);
    assert_true(now >= recording->end);
    assert_true(now == recording->end || now < r->by + 8);
    r->done++;
    ask(r, now);
}

/* In one variant: 3: another observer is notified of each instruction, too; 4: blocks are
 * translated at first execution; 5: the same with a cache that is always full; 6: short blocks
 * without chaining. */
enum { WAYS = 7 };
static const struct dbt_options translators[WAYS] = {
    [4] = {.hot = 1},
    [5] = {.hot = 1, .cache_bytes = DBT_CACHE_LEAST},
    [6] = {.hot = 1, .block_length = 2, .no_chaining = true},
};
struct checked {
    unsigned done, again; /* recordings, and those whose number occurred before */
};
static struct checked check_run(const struct cartridge *cartridge, unsigned frames,
                                const struct log *log, uint32_t length, int way) {
    struct error e = {0};
    struct played p =
        machine(cartridge, way == 0 ? NULL : dbt_engine(), way == 2, &translators[way]);
    struct recorder *r = calloc(1, sizeof *r);
    struct log beside = {0};
    unsigned other;
    assert_non_null(r);
    *r = (struct recorder){.nes = p.nes, .log = log, .length = length};
    const struct observer observer = {.self = r, .recorded = check_recording};
    played_must(nes_attach(p.nes, &observer, &r->id, &e), &e);
    if (way == 3) {
        const struct observer steps = {.self = &beside, .step = log_step};
        played_must(nes_attach(p.nes, &steps, &other, &e), &e);
        nes_observe(p.nes, other, UINT64_MAX);
    }
    ask(r, 0);
    played_frames(&p, frames);
    assert_int_equal(nes_instructions(p.nes), log->insns.len);
    if (way == 3)
        assert_int_equal(beside.insns.len, log->insns.len);
    const struct checked checked = {r->done, r->again};
    vec_free(&beside.insns);
    vec_free(&beside.cycles);
    nes_free(p.nes);
    map_free(&r->executed);
    map_free(&r->numbers);
    free(r);
    return checked;
}

static struct checked check(const struct cartridge *cartridge, unsigned frames) {
    struct log log = everything(cartridge, frames);
    struct checked all = {0};
    for (unsigned i = 0; i < LENGTHS; i++)
        for (int way = 0; way < WAYS; way++) {
            const struct checked one = check_run(cartridge, frames, &log, lengths[i], way);
            all.done += one.done;
            all.again += one.again;
        }
    vec_free(&log.insns);
    vec_free(&log.cycles);
    return all;
}

/* again: the least number of recordings whose trace number occurred before. */
static void check_game(const char *game, unsigned again) {
    struct played p = played_open(game, NULL, false);
    const struct checked all = check(p.cartridge, 60);
    assert_in_range(all.done, 200 * LENGTHS * WAYS, UINT32_MAX);
    assert_in_range(all.again, again, UINT32_MAX);
    played_close(&p);
}

static void test_busy_waits(void **state) {
    (void)state;
    check_game("mazewisp", 1000);
}

static void test_code_in_ram(void **state) {
    (void)state;
    check_game("burrow", 0);
}

/* Switches banks, patches code, and takes interrupts from every source. */
static void test_programs(void **state) {
    (void)state;
    static const unsigned mappers[] = {4, 1, 2, 0, 7, 28, 34};
    unsigned done = 0;
    for (uint64_t seed = 1; seed <= EFFORT(21); seed++) {
        struct guest *g =
            structured_program(seed, mappers[seed % (sizeof mappers / sizeof *mappers)]);
        done += check(&g->cart, 6).done;
        free(g);
    }
    assert_in_range(done, 1000, UINT32_MAX);
}

static void test_noise(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= EFFORT(9); seed++) {
        struct guest *g = random_program(seed);
        check(&g->cart, 4);
        free(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_busy_waits),
        cmocka_unit_test(test_code_in_ram),
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
