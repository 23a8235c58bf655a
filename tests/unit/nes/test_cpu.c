/*
 * The processor against vectors from a transistor-level run of the chip (tests/data/cpu), on a bus
 * that is all RAM. If this fails, games run differently from the console: a wrong flag, a dummy
 * access that moves a register, an interrupt that comes an instruction late.
 *
 * The cycle-by-cycle loop runs them with a tap on each bus cycle and on the interrupt lines
 * (flat.h); the loops as compiled into the library run them for registers, memory and time.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dbt/dbt.h"
#include "tests/support/flat.h"

/* ---- vectors ---- */

enum { MAX_CELLS = 64, MAX_CYCLES = 64 };

struct cell {
    unsigned address, value;
};
struct vector_registers {
    unsigned pc, s, a, x, y, p;
};
struct bus_cycle {
    char sync, direction; /* sync: '*' opcode fetch, '.' none, ' ' unknown */
    unsigned lines, address, value;
};
struct test_vector {
    unsigned opcode;
    char kind;
    struct vector_registers before, after;
    int set_count, written_count, cycle_count;
    struct cell set[MAX_CELLS], written[MAX_CELLS];
    struct bus_cycle cycles[MAX_CYCLES];
};

static bool parse_registers(const char **at, struct vector_registers *r) {
    int used = 0;
    const bool ok =
        sscanf(*at, "%x %x %x %x %x %x%n", &r->pc, &r->s, &r->a, &r->x, &r->y, &r->p, &used) == 6;
    *at += used;
    return ok;
}

static bool parse_count(const char **at, int *count, int most) {
    int used = 0;
    const bool ok = sscanf(*at, "%d%n", count, &used) == 1 && *count <= most;
    *at += used;
    return ok;
}

static bool parse_cells(const char **at, int *count, struct cell *cells) {
    bool ok = parse_count(at, count, MAX_CELLS);
    for (int i = 0; ok && i < *count; i++) {
        int used = 0;
        ok = sscanf(*at, " %4x=%2x%n", &cells[i].address, &cells[i].value, &used) == 2;
        *at += used;
    }
    return ok;
}

static bool parse_cycles(const char **at, struct test_vector *t, bool lines) {
    bool ok = parse_count(at, &t->cycle_count, MAX_CYCLES);
    for (int i = 0; ok && i < t->cycle_count; i++) {
        struct bus_cycle *c = &t->cycles[i];
        int used = 0;
        *c = (struct bus_cycle){.sync = ' '};
        if (lines)
            ok = sscanf(*at, " %c%c%1u%4x=%2x%n", &c->sync, &c->direction, &c->lines, &c->address,
                        &c->value, &used) == 5;
        else
            ok = sscanf(*at, " %c%4x=%2x%n", &c->direction, &c->address, &c->value, &used) == 3;
        *at += used;
    }
    return ok;
}

static bool parse_vector(const char *at, struct test_vector *t, bool lines) {
    int used = 0;
    if (sscanf(at, "%x %c%n", &t->opcode, &t->kind, &used) != 2)
        return false;
    at += used;
    return parse_registers(&at, &t->before) && parse_registers(&at, &t->after) &&
           parse_cells(&at, &t->set_count, t->set) &&
           parse_cells(&at, &t->written_count, t->written) && parse_cycles(&at, t, lines);
}

/* ---- running them ---- */

static void flat_load(struct flat *f, const struct test_vector *t) {
    struct nes *n = &f->nes;
    for (int i = 0; i < t->cycle_count; i++)
        *cell_of(f, t->cycles[i].address) = 0;
    for (int i = 0; i < t->set_count; i++)
        *cell_of(f, t->set[i].address) = (uint8_t)t->set[i].value;
    const struct vector_registers *r = &t->before;
    n->cpu.r = (struct registers){.pc = (uint16_t)r->pc,
                                  .a = (uint8_t)r->a,
                                  .x = (uint8_t)r->x,
                                  .y = (uint8_t)r->y,
                                  .s = (uint8_t)r->s};
    cpu_set_flags(&n->cpu.r, (uint8_t)r->p);
    n->cpu.phase = PHASE_RUN;
    n->cpu.due = n->lines.irq = n->lines.nmi_level = n->lines.nmi_pending = false;
    n->contexts.count = 0;
    n->cpu.cycle = n->cpu.instructions = 0;
    n->lines.event = n->dma.from = NEVER;
}

/* Fills `why` and returns false unless registers and written memory are as they should be. */
static bool flat_check(struct flat *f, const struct test_vector *t, bool check_pc, char why[200]) {
    const struct registers *c = &f->nes.cpu.r;
    const struct vector_registers *r = &t->after;
    if ((check_pc && c->pc != r->pc) || c->a != r->a || c->x != r->x || c->y != r->y ||
        c->s != r->s || cpu_flags(c) != r->p) {
        snprintf(why, 200,
                 "PC %04X S %02X A %02X X %02X Y %02X P %02X, not %04X %02X %02X %02X %02X %02X",
                 c->pc, c->s, c->a, c->x, c->y, cpu_flags(c), r->pc, r->s, r->a, r->x, r->y, r->p);
        return false;
    }
    for (int i = 0; i < t->written_count; i++)
        if (*cell_of(f, t->written[i].address) != t->written[i].value) {
            snprintf(why, 200, "%04X holds %02X, not %02X", t->written[i].address,
                     *cell_of(f, t->written[i].address), t->written[i].value);
            return false;
        }
    return true;
}

/* ---- every bus cycle ---- */

static struct { /* of the vector being run */
    const struct test_vector *vector;
    int wrong;  /* first cycle that differs, or -1 */
    bool first; /* of a step */
} tap;

static void tap_cycle(struct nes *n, unsigned address, unsigned value, bool write) {
    const int i = (int)n->cpu.cycle;
    if (tap.wrong >= 0 || i >= tap.vector->cycle_count)
        return;
    const struct bus_cycle *c = &tap.vector->cycles[i];
    if (c->address != address || c->value != value || c->direction != (write ? 'w' : 'r') ||
        (c->sync != ' ' && (c->sync == '*') != tap.first))
        tap.wrong = i;
    tap.first = false;
}

static void tap_lines(struct nes *n) {
    const int i = (int)n->cpu.cycle;
    const unsigned lines = i < tap.vector->cycle_count ? tap.vector->cycles[i].lines : 0;
    const bool nmi = lines & 2;
    n->lines.nmi_pending |= nmi && !n->lines.nmi_level;
    n->lines.nmi_level = nmi;
    n->lines.irq = lines & 1;
}

static bool run_tapped(struct flat *f, const struct test_vector *t, char why[200]) {
    struct nes *n = &f->nes;
    flat_load(f, t);
    n->lines.event = 0;
    tap.vector = t;
    tap.wrong = -1;
    while (n->cpu.cycle < (uint64_t)t->cycle_count) {
        tap.first = true;
        tapped_step(n);
    }
    if (tap.wrong >= 0) {
        snprintf(why, 200, "bus cycle %d differs", tap.wrong);
        return false;
    }
    if (n->cpu.cycle != (uint64_t)t->cycle_count) {
        snprintf(why, 200, "%" PRIu64 " cycles instead of %d", n->cpu.cycle, t->cycle_count);
        return false;
    }
    return flat_check(f, t, t->kind != 'h' || t->cycles[0].sync != ' ', why);
}

/* ---- the loops as they are in the library ---- */

static bool run_step(struct flat *f, const struct test_vector *t, char why[200]) {
    flat_load(f, t);
    while (f->nes.cpu.cycle < (uint64_t)t->cycle_count)
        nes_step(&f->nes);
    if (f->nes.cpu.cycle != (uint64_t)t->cycle_count) {
        snprintf(why, 200, "%" PRIu64 " cycles in the production loop", f->nes.cpu.cycle);
        return false;
    }
    return flat_check(f, t, t->kind != 'h', why);
}

static bool may_be_left(const struct test_vector *t) {
    const uint8_t kind = opcode_info((uint8_t)t->opcode)->kind;
    const unsigned pc = t->before.pc;
    return kind == INSN_RTI || kind == INSN_BRK || kind == INSN_JAM || pc >= 0xfffe ||
           (pc < RAM_SIZE && pc >= RAM_SIZE - 2);
}

static bool run_fast(struct flat *f, const struct test_vector *t, char why[200]) {
    flat_load(f, t);
    cpu_run_fast(&f->nes, 1, NEVER, false);
    if (f->nes.cpu.instructions == 0) {
        snprintf(why, 200, "the fast loop did not run it");
        return may_be_left(t) && f->nes.cpu.r.pc == t->before.pc && f->nes.cpu.cycle == 0;
    }
    if (f->nes.cpu.instructions != 1 || f->nes.cpu.cycle != (uint64_t)t->cycle_count) {
        snprintf(why, 200, "%" PRIu64 " cycles in the fast loop", f->nes.cpu.cycle);
        return false;
    }
    return flat_check(f, t, true, why);
}

/* nes_step() executes those whose value depends on their address, those that push onto themselves,
 * and an RTS that pulls over the end of the stack. */
static bool may_be_left_by_translator(const struct test_vector *t) {
    static const char *const left[] = {"SHA", "SHX", "SHY", "TAS"};
    const struct opcode_info *op = opcode_info((uint8_t)t->opcode);
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (!strcmp(op->name, left[i]))
            return true;
    return may_be_left(t) || (op->kind == INSN_RETURN && t->before.s >= 0xfe) ||
           (op->kind == INSN_CALL && t->before.pc >= 0xfe && t->before.pc < 0x200);
}

/* One instruction as a translated block. */
static bool run_translated(struct flat *f, const struct test_vector *t, char why[200]) {
    static const struct dbt_options options = {.hot = 1, .block_length = 1, .cache_bytes = 4096};
    struct nes *const n = &f->nes;
    const struct engine *const engine = dbt_engine();
    if (!engine)
        return true;
    n->made.options.engine_options = &options;
    if (!n->made.engine_self)
        assert_int_equal(engine->create(&n->made.engine_self, n, NULL), STATUS_OK);
    flat_load(f, t);
    engine->forget(n->made.engine_self); /* the bytes have changed */
    engine->run(n->made.engine_self, n, 1, NEVER);
    if (n->cpu.instructions == 0) {
        snprintf(why, 200, "it was not translated");
        return may_be_left_by_translator(t) && n->cpu.r.pc == t->before.pc && n->cpu.cycle == 0;
    }
    struct dbt_statistics s;
    dbt_statistics(n, &s);
    if (n->cpu.instructions != 1 || n->cpu.cycle != (uint64_t)t->cycle_count || s.blocks == 0) {
        snprintf(why, 200, "%" PRIu64 " cycles in the translator", n->cpu.cycle);
        return false;
    }
    return flat_check(f, t, true, why);
}

/* ---- files ---- */

typedef bool (*runner)(struct flat *, const struct test_vector *, char why[200]);

/* Runs every line of a file; `optional` kinds are counted, never failed. At least `least` lines
 * must have been checked. */
static void run_file(const char *path, bool lines, const char *optional, runner run,
                     unsigned least) {
    struct bytes file = {0};
    struct error e = {0};
    if (file_read(&file, path, 64 << 20, &e) != STATUS_OK)
        fail_msg("%s", e.text);
    struct flat *f = flat_new();
    struct test_vector *t = calloc(1, sizeof *t);
    unsigned line_number = 0, checked = 0, failed = 0;
    for (char *line = (char *)file.at, *next; *line; line = next) {
        next = strchr(line, '\n');
        next = next ? (*next = 0, next + 1) : line + strlen(line);
        line_number++;
        assert_true(parse_vector(line, t, lines));
        char why[200] = "";
        const bool ok = run(f, t, why);
        if (strchr(optional, t->kind))
            continue;
        checked++;
        if (!ok && failed++ < 5)
            print_error("%s:%u: %s %s (kind %c): %s\n", path, line_number,
                        opcode_info((uint8_t)t->opcode)->name, "", t->kind, why);
    }
    if (f->nes.made.engine_self)
        dbt_engine()->destroy(f->nes.made.engine_self);
    free(t);
    free(f);
    bytes_free(&file);
    assert_int_equal(failed, 0);
    assert_true(checked >= least);
}

static void test_bus_cycles(void **state) {
    (void)state;
    run_file(TEST_DATA "/cpu/cpu_net.txt.gz", false, "x", run_tapped, 23000);
    run_file(TEST_DATA "/cpu/cpu_dec.txt.gz", false, "x", run_tapped, 960);
}

static void test_interrupts(void **state) {
    (void)state;
    run_file(TEST_DATA "/cpu/cpu_int.txt.gz", true, "q", run_tapped, 2600);
}

static void test_production_step(void **state) {
    (void)state;
    run_file(TEST_DATA "/cpu/cpu_net.txt.gz", false, "x", run_step, 23000);
    run_file(TEST_DATA "/cpu/cpu_dec.txt.gz", false, "x", run_step, 960);
}

static void test_fast_loop(void **state) {
    (void)state;
    run_file(TEST_DATA "/cpu/cpu_net.txt.gz", false, "x", run_fast, 23000);
    run_file(TEST_DATA "/cpu/cpu_dec.txt.gz", false, "x", run_fast, 960);
}

static void test_translator(void **state) {
    (void)state;
    run_file(TEST_DATA "/cpu/cpu_net.txt.gz", false, "x", run_translated, 23000);
    run_file(TEST_DATA "/cpu/cpu_dec.txt.gz", false, "x", run_translated, 960);
}

/* More vectors, not in the tree: $HOTGRAPH_CPU_VECTORS is the folder of cpu_sst.txt.gz. */
static void test_more_vectors(void **state) {
    (void)state;
    const char *folder = getenv("HOTGRAPH_CPU_VECTORS");
    if (!folder)
        skip();
    char path[4096];
    snprintf(path, sizeof path, "%s/cpu_sst.txt.gz", folder);
    run_file(path, false, "x", run_tapped, 23000);
    run_file(path, false, "x", run_step, 23000);
    run_file(path, false, "x", run_fast, 23000);
    run_file(path, false, "x", run_translated, 23000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bus_cycles),      cmocka_unit_test(test_interrupts),
        cmocka_unit_test(test_production_step), cmocka_unit_test(test_fast_loop),
        cmocka_unit_test(test_translator),      cmocka_unit_test(test_more_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
