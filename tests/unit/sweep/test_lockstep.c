/*
 * Lockstep with engines that are wrong on purpose. If this failed, a faulty translator could pass
 * for a right one, or a fault would be looked for at the wrong place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lockstep/lockstep.h"
#include "lockstep/runner.h"
#include "nes/machine/machine.h"
#include "tests/support/tiny_rom.h"

enum { FRAMES = 40, FAULT = 700123, BYTE = 0x123 };

/* ---- an engine that interprets, and does one thing wrong ---- */

enum fault {
    FLIPS_RAM,      /* a bit, once, at the first boundary at or after cycle FAULT */
    FLIPS_RAM_WARM, /* the same, on machines that have been running since power-on only */
    FLIPS_RAM_ONCE, /* the same, on the first machine that comes there, and never again */
    LOSES_TIME,     /* is a cycle late */
    COUNTS_WRONG,   /* adds one to a counter of probes */
    COUNTS_BADLY,   /* takes all from it */
    MISSES_A_PROBE, /* takes one from those that have fired */
};

struct faulty {
    const enum fault *fault;
    bool done, warm;
};

static enum status create(void **self, struct nes *n, struct error *e) {
    struct faulty *const f = *self = calloc(1, sizeof *f);
    if (!f)
        return error_set(e, STATUS_MEMORY, "out of memory");
    f->fault = n->made.options.engine_options;
    return STATUS_OK;
}

static unsigned flips_left = 1;

static void go_wrong(struct faulty *f, struct nes *n) {
    f->done = true;
    switch (*f->fault) {
    case FLIPS_RAM_WARM:
        n->memory.ram[BYTE] ^= f->warm ? 4 : 0;
        break;
    case FLIPS_RAM:
        n->memory.ram[BYTE] ^= 4;
        break;
    case FLIPS_RAM_ONCE:
        n->memory.ram[BYTE] ^= flips_left > 0 ? 4 : 0;
        flips_left = 0;
        break;
    case LOSES_TIME:
        n->cpu.cycle++;
        break;
    case COUNTS_WRONG:
        n->observed.counters[0]++;
        break;
    case COUNTS_BADLY:
        n->observed.counters[0] = 0;
        break;
    case MISSES_A_PROBE:
        n->observed.fired[0]--;
        break;
    }
}

/* Stops at FAULT, so that the fault comes at the same place whatever the machine is run to. */
static void run(void *self, struct nes *n, uint64_t stop, uint64_t deadline) {
    struct faulty *const f = self;
    f->warm |= n->cpu.cycle < 1000;
    engine_interpreter.run(NULL, n, n->cpu.cycle < FAULT ? earlier(stop, FAULT) : stop, deadline);
    if (!f->done && n->cpu.cycle >= FAULT)
        go_wrong(f, n);
}

static const struct engine faulty_engine = {
    .name = "faulty", .create = create, .destroy = free, .run = run};

/* ---- what is found of it ---- */

/* Without skipping: the machine itself runs most of a busy-wait. */
static struct way faulty_way(const enum fault *fault, enum watching watching) {
    return (struct way){.name = "faulty",
                        .engine = &faulty_engine,
                        .engine_options = fault,
                        .watching = watching,
                        .no_skip = true};
}

static void compare(const struct way *ways, size_t count, struct outcome *outcomes) {
    static const struct movie movie;
    struct cartridge *const cartridge = tiny_program();
    const struct lockstep l = {
        .cartridge = cartridge, .movie = &movie, .end = FRAMES, .ways = ways, .count = count};
    struct error e = {0};
    if (lockstep_run(&l, outcomes, &e) != STATUS_OK)
        fail_msg("%s", e.text);
    cartridge_free(cartridge);
}

static struct outcome outcome_of(enum fault fault, enum watching watching) {
    struct outcome outcome;
    const struct way way = faulty_way(&fault, watching);
    compare(&way, 1, &outcome);
    assert_false(outcome.equal);
    return outcome;
}

/* The interpreter at a cycle, for a second opinion. */
static struct nes *interpreter_at(struct cartridge **cartridge, uint64_t cycle) {
    struct nes *nes;
    *cartridge = tiny_program();
    assert_int_equal(nes_create(&nes, &(struct nes_options){.cartridge = *cartridge}, NULL),
                     STATUS_OK);
    assert_int_equal(nes_run_to(nes, cycle, NULL), STATUS_OK);
    return nes;
}

/* Located at the first instruction that a machine which goes wrong at FAULT executes then. */
static void expect_located(const struct outcome *o) {
    const struct divergence *const d = &o->where;
    struct cartridge *cartridge;
    struct nes *const nes = interpreter_at(&cartridge, d->before.cycle);
    const struct cpu_registers r = nes_registers(nes);
    assert_true(d->located);
    assert_in_range(d->before.cycle, FAULT - LONGEST_INSTRUCTION, FAULT - 1);
    assert_int_equal(nes_frame(nes), d->frame);
    assert_int_equal(d->frame, o->frames);
    assert_int_equal(nes_cycle(nes), d->before.cycle);
    assert_int_equal(nes_instructions(nes), d->before.instructions);
    assert_int_equal(r.pc, d->before.registers.pc);
    assert_true(d->step_count > 0);
    const struct divergence_step *const step = &d->steps[d->warm ? d->step_count - 1 : 0];
    assert_int_equal(step->insn.pc, r.pc);
    assert_int_equal(step->insn.address, nes_code_address(nes, r.pc));
    assert_int_equal(step->insn.bytes[0], nes_peek(nes, r.pc));
    assert_int_equal(step->cycle, d->before.cycle);
    assert_int_equal(nes_run_to(nes, d->before.cycle + 1, NULL), STATUS_OK);
    assert_int_equal(nes_cycle(nes), d->reference.cycle);
    assert_int_equal(nes_instructions(nes), d->reference.instructions);
    assert_int_equal(nes_registers(nes).pc, d->reference.registers.pc);
    nes_free(nes);
    cartridge_free(cartridge);
}

static void expect_flipped_byte(const struct divergence *d) {
    assert_int_equal(d->differences, 1);
    assert_string_equal(d->numbers[0].member, "ram");
    assert_int_equal(d->numbers[0].index, BYTE);
    assert_int_equal(d->numbers[0].a ^ d->numbers[0].b, 4);
}

/* ---- tests ---- */

static void a_flipped_bit(void **state) {
    (void)state;
    for (int watching = 0; watching < WATCHINGS; watching++) {
        const struct outcome o = outcome_of(FLIPS_RAM, (enum watching)watching);
        expect_located(&o);
        expect_flipped_byte(&o.where);
        assert_false(o.where.warm);
        assert_memory_equal(&o.where.reference, &o.where.other, sizeof o.where.other);
    }
}

static void a_bit_that_flips_only_on_old_machines(void **state) {
    (void)state;
    const struct outcome o = outcome_of(FLIPS_RAM_WARM, WATCH_NOBODY);
    expect_located(&o);
    expect_flipped_byte(&o.where);
    assert_true(o.where.warm);
}

static void a_bit_that_flips_once(void **state) {
    (void)state;
    const struct outcome o = outcome_of(FLIPS_RAM_ONCE, WATCH_NOBODY);
    assert_false(o.where.located);
    assert_int_equal(o.where.frame, o.frames);
    assert_true(o.frames > 0 && o.frames < FRAMES);
    expect_flipped_byte(&o.where);
}

static void a_lost_cycle(void **state) {
    (void)state;
    const struct outcome o = outcome_of(LOSES_TIME, WATCH_NOBODY);
    expect_located(&o);
    assert_int_equal(o.where.other.cycle, o.where.reference.cycle + 1);
    assert_true(o.where.differences > 0);
}

/* The guest is right, and what is said of it is not: first noticed at the end. */
static void a_wrong_counter(void **state) {
    (void)state;
    static const enum fault faults[] = {COUNTS_WRONG, COUNTS_BADLY};
    for (unsigned i = 0; i < 2; i++) {
        const struct outcome o = outcome_of(faults[i], WATCH_PROFILERS);
        assert_int_equal(o.frames, FRAMES);
        assert_int_equal(o.where.differences, 0);
        assert_non_null(strstr(o.where.what, "exact graph"));
        assert_true(o.where.located);
        if (faults[i] == COUNTS_WRONG)
            assert_in_range(o.where.before.cycle, FAULT - LONGEST_INSTRUCTION, FAULT - 1);
    }
}

static void a_probe_that_does_not_fire(void **state) {
    (void)state;
    for (int watching = WATCH_PROFILERS; watching < WATCHINGS; watching++) {
        const struct outcome o = outcome_of(MISSES_A_PROBE, (enum watching)watching);
        expect_located(&o);
        assert_int_equal(o.where.differences, 0);
        assert_non_null(strstr(o.where.what, "probes fired"));
    }
}

/* One way's fault is no other's, and a machine that ran to the end did so. */
static void other_ways_go_on(void **state) {
    (void)state;
    const enum fault fault = FLIPS_RAM;
    const struct way ways[] = {
        {.name = "interp"},
        faulty_way(&fault, WATCH_NOBODY),
        {.name = "cycles", .no_fast = true, .watching = WATCH_PROFILERS},
        {.name = "slow", .no_skip = true, .watching = WATCH_TRANSFERS, .pictures = true},
    };
    enum { WAYS = sizeof ways / sizeof *ways };
    struct outcome outcomes[WAYS];
    compare(ways, WAYS, outcomes);
    for (unsigned i = 0; i < WAYS; i++) {
        assert_true(outcomes[i].equal == (i != 1));
        if (i == 1)
            continue;
        assert_int_equal(outcomes[i].frames, FRAMES);
        assert_true(outcomes[i].instructions > 1000 * FRAMES);
        assert_int_equal(outcomes[i].instructions, outcomes[0].instructions);
    }
}

static void ways_by_name(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "",        "+no-skip",          "interpp",     "interp:hot=1",
        "interp+", "dbt:hot=x+no-skip", "interp+skip", "interp+profiled+followed"};
    struct way way;
    assert_int_equal(way_find(&way, "interp+no-skip+followed+pictures", NULL), STATUS_OK);
    assert_true(way.no_skip && way.pictures && !way.no_fast && way.engine == NULL);
    assert_int_equal(way.watching, WATCH_TRANSFERS);
    assert_int_equal(way_find(&way, "interp+no-fast+profiled", NULL), STATUS_OK);
    assert_true(way.no_fast && !way.no_skip && way.watching == WATCH_PROFILERS);
    if (dbt_engine()) {
        assert_int_equal(way_find(&way, "dbt:hot=7,no-chaining+no-skip", NULL), STATUS_OK);
        assert_true(way.engine == dbt_engine() && way.no_skip);
        assert_true(way.translator.hot == 7 && way.translator.no_chaining);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(way_find(&way, wrong[i], NULL), STATUS_ARGUMENT);
    struct ways all = {0};
    assert_int_equal(ways_add_standard(&all, NULL), STATUS_OK);
    assert_true(all.list.len >= 3);
    unsigned usual = 0; /* the interpreter as it is used, which the reference need not be */
    for (size_t i = 0; i < all.list.len; i++) {
        assert_int_equal(way_find(&way, all.list.at[i].name, NULL), STATUS_OK);
        usual += !way.engine && !way.watching && !way.no_skip;
    }
    assert_int_equal(usual, 1);
    vec_free(&all.list);
}

/* Whatever one of two engines alone finds is a difference, and is named. */
static void each_difference_of_findings_counts(void **state) {
    (void)state;
    static const char *const names[] = {
        "edge",    "edge",   "edge",    "edge",    "edge",   "blocks", "entry",  "end",
        "records", "probes", "batches", "overrun", "sample", "sample", "sample", "reason"};
    for (int change = -1; change < (int)(sizeof names / sizeof *names); change++) {
        struct block blocks[2][2] = {{{.entry = 10, .last = 12}, {.entry = 14, .last = 16}},
                                     {{.entry = 10, .last = 12}, {.entry = 14, .last = 16}}};
        struct edge edges[2][2] = {
            {{.source = 10, .target = 14, .count = 3}, {.source = 14, .target = 10, .count = 3}},
            {{.source = 10, .target = 14, .count = 3}, {.source = 14, .target = 10, .count = 3}}};
        struct sample samples[2][2] = {{{.pc = 1, .size = 1}, {.pc = 2, .size = 1}},
                                       {{.pc = 1, .size = 1}, {.pc = 2, .size = 1}}};
        struct findings f[2] = {0};
        char what[200] = "";
        for (int i = 0; i < 2; i++) {
            f[i].profile.graph.blocks = blocks[i];
            f[i].profile.graph.edges = edges[i];
            f[i].profile.graph.block_count = f[i].profile.graph.edge_count = 2;
            f[i].stream = (struct stream){
                .batches = samples[i], .batch_count = 1, .batch_length = 2, .distinct_count = 1};
        }
        switch (change) {
        case 0:
            edges[1][0].source++;
            break;
        case 1:
            edges[1][1].target++;
            break;
        case 2:
            edges[1][1].count++;
            break;
        case 3:
            edges[1][0].busy = true;
            break;
        case 4:
            f[1].profile.graph.edge_count--;
            break;
        case 5:
            f[1].profile.graph.block_count--;
            break;
        case 6:
            blocks[1][0].entry++;
            break;
        case 7:
            blocks[1][1].last++;
            break;
        case 8:
            f[1].profile.cost.records++;
            break;
        case 9:
            f[1].profile.cost.probes++;
            break;
        case 10:
            f[1].stream.batch_count--;
            break;
        case 11:
            f[1].stream.overruns++;
            break;
        case 12:
            samples[1][1].pc++;
            break;
        case 13:
            samples[1][0].opcode++;
            break;
        case 14:
            samples[1][0].kind++;
            break;
        case 15:
            strcpy(f[1].failure, "the reason");
            break;
        default:
            break;
        }
        assert_int_equal(findings_same(&f[0], &f[1], what), change < 0);
        if (change >= 0 && strstr(what, names[change]) == NULL)
            fail_msg("\"%s\" does not name %s", what, names[change]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flipped_bit),
        cmocka_unit_test(a_bit_that_flips_only_on_old_machines),
        cmocka_unit_test(a_bit_that_flips_once),
        cmocka_unit_test(a_lost_cycle),
        cmocka_unit_test(a_wrong_counter),
        cmocka_unit_test(a_probe_that_does_not_fire),
        cmocka_unit_test(other_ways_go_on),
        cmocka_unit_test(ways_by_name),
        cmocka_unit_test(each_difference_of_findings_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
