/*
 * Random loops that a register steers, interrupted in the midst, entered in the midst, with branches out of them and
 * handlers that change the register: the exact graph of the translator, which counts such loops where control enters
 * them, against that of the machine without fast paths, which counts every pass. If these fail, an exact profile is
 * wrong. test_loops [FIRST [COUNT]] other programs: COUNT of them, from seed FIRST on
 */
#include "dbt/dbt.h"
#include "profile/profile.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"
#include "tests/support/tiny_rom.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { STEPS = 40, LOOPS = 6, NMI_AT = 0x7000 };

static uint64_t first = 0, count = EFFORT(300);

/* ---- programs ---- */

struct program {
    struct random r;
    uint8_t code[0x7800];
    unsigned at;
};

static void put(struct program *p, const uint8_t *bytes, size_t n) {
    memcpy(p->code + p->at, bytes, n);
    p->at += (unsigned)n;
}
#define PUT(p, ...) put(p, (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})

static uint8_t byte(struct program *p) {
    return (uint8_t)random_below(&p->r, 256);
}

static uint8_t in_zero_page(struct program *p) {
    return (uint8_t)(0x20 + random_below(&p->r, 16));
}

/* Neither X nor Y changes. */
static void put_plain(struct program *p) {
    const uint8_t zp = in_zero_page(p);
    switch (random_below(&p->r, 16)) {
    case 0:
        PUT(p, 0xA5, zp); /* LDA zp */
        break;
    case 1:
        PUT(p, 0x65, zp); /* ADC zp */
        break;
    case 2:
        PUT(p, 0x85, zp); /* STA zp */
        break;
    case 3:
        PUT(p, 0x66, zp); /* ROR zp */
        break;
    case 4:
        PUT(p, 0xE6, zp); /* INC zp */
        break;
    case 5:
        PUT(p, 0x2C, 0x02, 0x20); /* BIT $2002 */
        break;
    case 6:
        PUT(p, 0x8D, 0x06, 0x20); /* STA $2006 */
        break;
    case 7:
        PUT(p, 0xBD, byte(p), 0x80); /* LDA $80..,X */
        break;
    case 8:
        PUT(p, 0x99, byte(p), 0x04); /* STA $04..,Y */
        break;
    case 9:
        PUT(p, 0xB1, 0x40); /* LDA ($40),Y: $0000 */
        break;
    case 10:
        PUT(p, 0x48, 0x8A, 0x68); /* PHA, TXA, PLA */
        break;
    case 11:
        PUT(p, 0x4A); /* LSR A */
        break;
    case 14:
        PUT(p, 0xB1, 0x42); /* LDA ($42),Y: registers of the PPU */
        break;
    case 15:
        PUT(p, 0xA9, 0x80, 0x8D, 0x00, 0x20); /* LDA #$80, STA $2000 */
        break;
    case 12:
        PUT(p, 0xAD, 0x07, 0x20); /* LDA $2007 */
        break;
    default:
        PUT(p, 0xC9, byte(p)); /* CMP #n */
        break;
    }
}

static uint8_t some_branch(struct program *p) {
    return (uint8_t)(0x10 | random_below(&p->r, 8) << 5);
}

static void bind(struct program *p, unsigned at, unsigned target) {
    p->code[at] = (uint8_t)(target - at - 1);
}

static void put_steps(struct program *p, bool by_y) {
    static const uint8_t step[2][2] = {{0xE8, 0xCA}, {0xC8, 0x88}};
    const bool down = random_chance(&p->r, 70);
    for (unsigned n = random_chance(&p->r, 90) ? 1 : 1 + random_below(&p->r, 4); n > 0; n--)
        PUT(p, step[by_y][random_chance(&p->r, 98) ? down : !down]);
}

static void put_loop(struct program *p) {
    enum { PARTS_MOST = 6, BRANCHES_MOST = 4 };
    const bool by_y = random_chance(&p->r, 50);
    const unsigned parts = random_below(&p->r, PARTS_MOST + 1);
    unsigned part[PARTS_MOST + 1], out[BRANCHES_MOST], outs = 0, within = 0;
    PUT(p, by_y ? 0xA0 : 0xA2,
        random_chance(&p->r, 30) ? 0
                                 : 1 + random_below(&p->r, random_chance(&p->r, 80) ? 20 : 255));
    const unsigned enters = p->at + 1;
    const bool in_the_midst = random_chance(&p->r, 30);
    if (in_the_midst)
        PUT(p, 0x4C, 0, 0); /* JMP into the loop */
    const unsigned head = p->at;
    for (unsigned i = 0; i < parts; i++) {
        part[i] = p->at;
        put_plain(p);
        if (within != 0 && random_chance(&p->r, 60)) {
            bind(p, within, p->at);
            within = 0;
        }
        if (outs < BRANCHES_MOST && random_chance(&p->r, 35)) {
            PUT(p, some_branch(p), 0);
            if (within == 0 && random_chance(&p->r, 70))
                within = p->at - 1;
            else
                out[outs++] = p->at - 1;
        }
    }
    part[parts] = p->at;
    if (within != 0)
        bind(p, within, p->at);
    if (in_the_midst) {
        const unsigned to = 0x8000 + part[random_below(&p->r, parts + 1)];
        p->code[enters] = (uint8_t)to;
        p->code[enters + 1] = (uint8_t)(to >> 8);
    }
    put_steps(p, by_y);
    if (random_chance(&p->r, 15))
        PUT(p, by_y ? 0xC0 : 0xE0, byte(p)); /* CPY or CPX #n */
    PUT(p, random_chance(&p->r, 70) ? 0xD0 : random_chance(&p->r, 70) ? 0x10 : some_branch(p), 0);
    bind(p, p->at - 1, head);
    for (unsigned i = 0; i < outs; i++)
        bind(p, out[i], p->at);
}

static void put_main(struct program *p) {
    unsigned loop[LOOPS];
    PUT(p, 0xA2, 0xFF, 0x9A, 0xA9, 0x80, 0x8D, 0x00, 0x20); /* LDX #$FF, TXS, LDA #$80, STA $2000 */
    if (random_chance(&p->r, 50))
        PUT(p, 0xA9, 0x00, 0x8D, 0x17, 0x40, 0x58); /* LDA #0, STA $4017, CLI: IRQs */
    PUT(p, 0xA9, 0x20, 0x85, 0x43);                 /* LDA #$20, STA $43 */
    const unsigned main = p->at;
    for (unsigned i = 0; i < LOOPS; i++) {
        PUT(p, 0x20, 0, 0); /* JSR loop */
        loop[i] = p->at - 2;
    }
    PUT(p, 0x4C, (uint8_t)main, 0x80); /* JMP main */
    for (unsigned i = 0; i < LOOPS; i++) {
        p->code[loop[i]] = (uint8_t)p->at;
        p->code[loop[i] + 1] = (uint8_t)(0x80 + (p->at >> 8));
        put_loop(p);
        if (random_chance(&p->r, 30))
            put_loop(p);
        PUT(p, 0x60); /* RTS */
    }
    p->at = NMI_AT;
    PUT(p, 0x48, 0xE6, 0x14, 0xAD, 0x15, 0x40); /* PHA, INC $14, LDA $4015 */
    if (random_chance(&p->r, 40))
        PUT(p, 0xE8); /* INX: the loop goes on with another value */
    if (random_chance(&p->r, 20))
        PUT(p, 0xA0, byte(p)); /* LDY #n */
    PUT(p, 0x68, 0x40);        /* PLA, RTI */
}

static struct cartridge *program(uint64_t seed) {
    struct program *const p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->r.seed = seed;
    put_main(p);
    struct cartridge *const cartridge =
        tiny_rom(p->code, sizeof p->code, 0x8000 + NMI_AT, 0x8000, 0x8000 + NMI_AT);
    assert_non_null(cartridge);
    free(p);
    return cartridge;
}

/* ---- comparing ---- */

struct machine {
    struct nes *nes;
    void *exact;
};

static void must(enum status status, const struct error *e) {
    if (status != STATUS_OK)
        fail_msg("%s", e->text);
}

static struct machine begin(const struct cartridge *cartridge, struct nes_options options) {
    struct error e = {0};
    struct machine m = {0};
    options.cartridge = cartridge;
    options.console.no_warmup = true; /* NMIs from the start */
    must(nes_create(&m.nes, &options, &e), &e);
    must(technique_find("exact")->attach(&m.exact, m.nes, NULL, &e), &e);
    return m;
}

static bool same_graphs(struct profile *a, struct profile *b) {
    const bool same =
        a->graph.edge_count == b->graph.edge_count &&
        !memcmp(a->graph.edges, b->graph.edges, a->graph.edge_count * sizeof *a->graph.edges);
    profile_free(a);
    profile_free(b);
    return same;
}

static bool same_now(const struct machine *a, const struct machine *b) {
    struct error e = {0};
    struct profile p, q;
    must(technique_find("exact")->now(a->exact, &p, &e), &e);
    must(technique_find("exact")->now(b->exact, &q, &e), &e);
    return same_graphs(&p, &q);
}

static bool same_at_end(const struct machine *a, const struct machine *b) {
    struct error e = {0};
    struct profile p, q;
    must(technique_find("exact")->finish(a->exact, &p, &e), &e);
    must(technique_find("exact")->finish(b->exact, &q, &e), &e);
    return same_graphs(&p, &q);
}

/* False: they differ. *loops: how many were counted where control enters. */
static bool compare(const struct cartridge *cartridge, uint64_t seed,
                    const struct dbt_options *translator, size_t *loops) {
    struct machine truth = begin(cartridge, (struct nes_options){.no_skip = true, .no_fast = true});
    struct machine m = begin(
        cartridge, (struct nes_options){.engine = dbt_engine(), .engine_options = translator});
    bool same = true;
    struct nes_difference d;
    for (unsigned step = 0; step < STEPS && same; step++) {
        const uint64_t to = nes_cycle(m.nes) + splitmix64(seed, step) % 5000;
        must(nes_run_to(truth.nes, to, NULL), NULL);
        must(nes_run_to(m.nes, to, NULL), NULL);
        same = nes_differences(truth.nes, m.nes, &d, 1) == 0 &&
               (splitmix64(seed, step) >> 60 >= 2 || same_now(&truth, &m));
    }
    struct dbt_statistics statistics;
    dbt_statistics(m.nes, &statistics);
    *loops += statistics.loops;
    same = same_at_end(&truth, &m) && same;
    if (!same)
        fprintf(stderr, "program %llu differs\n", (unsigned long long)seed);
    nes_free(truth.nes);
    nes_free(m.nes);
    return same;
}

static void passes_are_counted(void **state) {
    (void)state;
    unsigned differ = 0;
    size_t loops = 0;
    if (!dbt_engine())
        skip();
    for (uint64_t seed = first; seed < first + count; seed++) {
        const struct dbt_options translator = {.hot = seed % 3 ? 1 : 4,
                                               .cache_bytes = seed % 5 ? 0 : 4096,
                                               .block_length = seed % 11 ? 0 : 5,
                                               .no_chaining = seed % 13 == 7,
                                               .random_paths = seed % 17 == 5 ? 3 : 0};
        struct cartridge *const cartridge = program(seed);
        differ += !compare(cartridge, seed, &translator, &loops);
        cartridge_free(cartridge);
    }
    assert_int_equal(differ, 0);
    assert_true(loops > count);
}

int main(int argc, char **argv) {
    first = argc > 1 ? strtoull(argv[1], NULL, 10) : first;
    count = argc > 2 ? strtoull(argv[2], NULL, 10) : count;
    const struct CMUnitTest tests[] = {cmocka_unit_test(passes_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
