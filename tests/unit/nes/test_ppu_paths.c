/*
 * Compares the PPU's fast paths with its definition. If this failed, a replay would depend on how
 * often the machine is inspected, or on whether pictures are on: sprite 0 splits would come in
 * other cycles, and the same movie would give other control flow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nes/ppu/ppu_log.h"
#include "nes/ppu/ppu_prediction.h"
#include "nes/ppu/ppu_raster.h"
#include "nes/ppu/ppu_scroll.h"
#include "nes/ppu/ppu_sprites.h"
#include "tests/support/effort.h"

/* Three PPUs with the same accesses: the fast paths, dot by dot, and the fast paths with pictures.
 * The one dot by dot draws, too, for comparison. */
enum { FAST, DOTS, PICTURES, PATHS };
/* Every other test has a board that watches the PPU's bus. */
enum { MMC3 = 4 };

struct world {
    struct cartridge cart;
    struct board board[PATHS];
    struct ppu ppu[PATHS];
    uint16_t *pictures[PATHS];
    uint64_t seed, drawn, cycle;
};

static uint8_t prg[16384];

static unsigned dice(struct world *w, unsigned n) {
    return (unsigned)(splitmix64(w->seed, w->drawn++) >> 16) % n;
}

static void world_create(struct world *w, uint64_t seed) {
    *w = (struct world){.seed = seed};
    w->cart = (struct cartridge){.prg = prg,
                                 .mapper = seed % 2 ? 0 : MMC3,
                                 .prg_size = sizeof prg,
                                 .chr_size = 8192,
                                 .chr_is_ram = true,
                                 .mirroring = (enum mirroring)(seed % 3)};
    for (int i = 0; i < PATHS; i++) {
        if (i != FAST)
            w->pictures[i] = malloc(2 * PPU_WIDTH * PPU_HEIGHT * sizeof(uint16_t));
        assert_int_equal(board_init(&w->board[i], &w->cart, NULL), STATUS_OK);
        ppu_init(&w->ppu[i], &w->board[i], w->pictures[i], NULL);
    }
}

static void world_free(struct world *w) {
    for (int i = 0; i < PATHS; i++)
        board_free(&w->board[i]), free(w->pictures[i]);
}

/* Synchronises a PPU with the access of the current cycle, in its own way. */
static void present(struct world *w, int i) {
    if (i == DOTS)
        ppu_dots(&w->ppu[i], 3 * w->cycle + 1);
}

static void store(struct world *w, uint16_t address, uint8_t value) {
    for (int i = 0; i < PATHS; i++) {
        present(w, i);
        ppu_write(&w->ppu[i], address, value, w->cycle);
    }
}

static void load(struct world *w, uint16_t address) {
    uint8_t value[PATHS];
    for (int i = 0; i < PATHS; i++) {
        present(w, i);
        value[i] = ppu_read(&w->ppu[i], address, w->cycle);
    }
    assert_int_equal(value[FAST], value[DOTS]);
    assert_int_equal(value[PICTURES], value[DOTS]);
}

/* Synchronises all with the next cycle: a read may have brought one of them to the end of this
 * one. */
static void synchronize(struct world *w) {
    w->cycle++;
    for (int i = 0; i < PATHS; i++) {
        present(w, i);
        ppu_sync(&w->ppu[i], w->cycle);
    }
}

static void compare(struct world *w) {
    synchronize(w);
    for (int i = 0; i < PATHS; i++) {
        assert_memory_equal(&w->ppu[i].state, &w->ppu[DOTS].state, sizeof w->ppu[i].state);
        assert_memory_equal(&w->board[i].state, &w->board[DOTS].state, sizeof w->board[i].state);
        assert_memory_equal(w->board[i].chr_ram, w->board[DOTS].chr_ram, 8192);
    }
    const uint16_t *const a = ppu_picture(&w->ppu[PICTURES], w->cycle);
    const uint16_t *const b = ppu_picture(&w->ppu[DOTS], w->cycle);
    assert_int_equal(a == NULL, b == NULL);
    if (a)
        assert_memory_equal(a, b, PPU_WIDTH * PPU_HEIGHT * sizeof *a);
}

/* Patterns of `density` from 0 to 3, or solid ones. */
enum { SOLID = 4 };
static void scene(struct world *w, unsigned density) {
    synchronize(w);
    for (unsigned a = 0; a < 8192; a++) {
        uint8_t bits = dice(w, 8) < density * 2 ? (uint8_t)(1u << dice(w, 8)) : 0;
        if (density == SOLID)
            bits = dice(w, 2) ? 0xFF : 0;
        for (int i = 0; i < PATHS; i++)
            w->board[i].chr_ram[a] = bits;
    }
    for (unsigned a = 0; a < 4096; a++) {
        uint8_t tile = (uint8_t)dice(w, 256);
        for (int i = 0; i < PATHS; i++)
            w->board[i].state.vram[a] = tile;
    }
    for (int i = 0; i < PATHS; i++)
        ppu_loaded(&w->ppu[i]);
}

/* Sparse patterns, so that sprite 0 misses often and hits late. */
static void random_scene(struct world *w) {
    scene(w, dice(w, 4));
}

/* Sprites crowded on few lines, so that overflow and its bug are common. */
static void random_sprites(struct world *w) {
    unsigned spread = 1u << dice(w, 8), base = dice(w, 256);
    store(w, 0x2003, 0);
    for (unsigned i = 0; i < 256; i++) {
        w->cycle++;
        store(w, 0x2004, (uint8_t)(i & 3 ? dice(w, 256) : base + dice(w, spread)));
    }
}

static void board_store(struct world *w, uint16_t address, uint8_t value) {
    for (int i = 0; i < PATHS; i++) {
        present(w, i);
        if (address >= 0xC000) /* these switch no pages */
            ppu_show_board(&w->ppu[i], w->cycle);
        else
            ppu_sync(&w->ppu[i], w->cycle);
        board_write(&w->board[i], address, value, w->cycle);
    }
}

/* Mostly short counts, so that IRQs come. */
static void random_board_write(struct world *w) {
    static const uint16_t addresses[] = {0x8000, 0x8001, 0xA000, 0xC000,
                                         0xC001, 0xC001, 0xE000, 0xE001};
    const uint16_t address = addresses[dice(w, 8)];
    board_store(w, address,
                (uint8_t)(address == 0xC000 ? dice(w, 1u << dice(w, 9)) : dice(w, 256)));
}

static void random_access(struct world *w) {
    static const uint8_t masks[] = {0x00, 0x08, 0x10, 0x18, 0x1E, 0x1E, 0x1E, 0xFF};
    switch (dice(w, 16)) {
    case 0:
        store(w, 0x2000, (uint8_t)dice(w, 256));
        break;
    case 1:
    case 2:
    case 3:
        store(w, 0x2001, masks[dice(w, 8)]);
        break;
    case 4:
        store(w, 0x2003, dice(w, 2) ? 0 : (uint8_t)dice(w, 256));
        break;
    case 5:
        store(w, 0x2004, (uint8_t)dice(w, 256));
        break;
    case 6:
    case 7:
        store(w, 0x2005, (uint8_t)dice(w, 256));
        break;
    case 8:
        store(w, 0x2006, (uint8_t)dice(w, 256));
        break;
    case 9:
        store(w, 0x2007, (uint8_t)dice(w, 256));
        break;
    case 10:
        load(w, 0x2007);
        break;
    case 11:
        load(w, 0x2004);
        break;
    case 12:
        random_sprites(w);
        break;
    case 13:
        compare(w);
        break;
    case 14:
        random_board_write(w);
        break;
    default:
        load(w, 0x2002);
        break;
    }
}

/* Some cycles, or to the dots around the start or the end of vertical blank. */
static void random_wait(struct world *w) {
    enum { TO_VBLANK = 0, TO_PRERENDER = 1, VBLANK_CYCLES = 2273 };
    static const unsigned longest[] = {4,   4,   40,   40,    114,       114,         400,
                                       400, 400, 3000, 50000, TO_VBLANK, TO_PRERENDER};
    unsigned wait = longest[dice(w, sizeof longest / sizeof *longest)];
    if (wait > TO_PRERENDER) {
        w->cycle += 1 + dice(w, wait);
        return;
    }
    uint64_t at = ppu_frame_end(&w->ppu[DOTS]) + wait * VBLANK_CYCLES - 3 + dice(w, 6);
    w->cycle = at > w->cycle ? at : w->cycle + 1;
}

static void paths_agree(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= EFFORT(25); seed++) {
        struct world w;
        world_create(&w, seed);
        w.cycle = 1;
        for (int step = 0; step < 400; step++) {
            if (step % 80 == 0)
                random_scene(&w);
            random_wait(&w);
            random_access(&w);
        }
        compare(&w);
        world_free(&w);
    }
}

/* Synchronises after long periods without accesses, as in an idle game. */
static void untouched_frames_agree(void **state) {
    (void)state;
    unsigned hits = 0, overflows = 0;
    for (uint64_t seed = 100; seed < 100 + EFFORT(60); seed++) {
        struct world w;
        world_create(&w, seed);
        w.cycle = 30000;
        random_scene(&w);
        random_sprites(&w);
        store(&w, 0x2000, (uint8_t)(dice(&w, 8) << 3));
        store(&w, 0x2001, dice(&w, 4) ? 0x1E : 0x18);
        for (int i = 0; i < 2; i++, w.cycle++)
            store(&w, 0x2005, (uint8_t)dice(&w, 256));
        for (int step = 0; step < 6; step++) {
            w.cycle += 1 + dice(&w, 40000);
            compare(&w);
            hits += w.ppu[FAST].state.status >> 6 & 1;
            overflows += w.ppu[FAST].state.status >> 5 & 1;
        }
        world_free(&w);
    }
    assert_in_range(hits, EFFORT(40), 300); /* the scenes exercise what is compared */
    assert_in_range(overflows, EFFORT(40), 300);
}

/* Compares saved states. Saves a copy, because saving would apply the deferred writes. */
static void compare_copy(struct world *w) {
    struct ppu p = w->ppu[FAST];
    struct board board = w->board[FAST];
    p.board = &board;
    w->cycle++;
    ppu_sync(&p, w->cycle);
    present(w, DOTS);
    ppu_sync(&w->ppu[DOTS], w->cycle);
    assert_memory_equal(&p.state, &w->ppu[DOTS].state, sizeof p.state);
    assert_memory_equal(&board.state, &w->board[DOTS].state, sizeof board.state);
}

/* Scroll, tables and masks change on every line, as demonstrations and split screens have it. One
 * of `kinds` accesses, at least 12, is of each kind but the usual one. */
static void raster_write(struct world *w, unsigned kinds) {
    static const uint8_t masks[] = {0x08, 0x18, 0x1E, 0x1F, 0x10, 0x1A};
    const unsigned which = dice(w, kinds), odd = dice(w, 2), all = dice(w, 8);
    if (which >= 12) {
        store(w, (uint16_t)(0x2005 + odd), (uint8_t)dice(w, 256));
        if (all == 0) { /* twice, as INC does it */
            w->cycle++;
            store(w, (uint16_t)(0x2005 + odd), (uint8_t)dice(w, 256));
        }
    } else if (which < 3)
        store(w, 0x2000, (uint8_t)(dice(w, 256) & (all ? 0x17 : 0xFF)));
    else if (which < 6)
        store(w, 0x2001, masks[dice(w, 6)]);
    else if (which < 9)
        store(w, 0x2006, (uint8_t)dice(w, 256));
    else
        dice(w, kinds > 12 ? 2 : 40) ? store(w, 0x2005, (uint8_t)dice(w, 256)) : random_access(w);
    if (dice(w, kinds > 12 ? kinds : 400) == 0)
        random_board_write(w);
}

/* Deferred writes over several frames, more than the log holds, with few synchronisations between:
 * else v, the pipeline or a hit would depend on the last inspection. */
static void rasters_agree(void **state) {
    (void)state;
    unsigned most = 0, deferred = 0, hits = 0;
    for (uint64_t seed = 400; seed < 400 + EFFORT(40); seed++) {
        struct world w;
        world_create(&w, seed);
        w.cycle = 30000;
        random_scene(&w);
        random_sprites(&w);
        store(&w, 0x2001, 0x1E);
        const bool fills = seed == 400; /* the log */
        unsigned gap = 3 + dice(&w, 120), looks = 1 + dice(&w, 4000),
                 kinds = dice(&w, 2) ? 1600 : 12;
        if (fills)
            gap = 3, looks = kinds = 100000;
        for (int step = 0; step < 2500; step++) {
            const bool pause = kinds == 12 && dice(&w, 50) == 0;
            w.cycle += 1 + dice(&w, pause ? 20000 : gap);
            raster_write(&w, kinds);
            if (pause)
                compare_copy(&w);
            const unsigned kept = w.ppu[FAST].writes.end;
            most = kept > most ? kept : most;
            deferred += w.ppu[FAST].writes.first < kept;
            if (dice(&w, looks) == 0)
                dice(&w, 4) ? compare_copy(&w) : load(&w, 0x2002);
            hits += w.ppu[DOTS].state.status >> 6 & 1;
        }
        compare(&w);
        world_free(&w);
    }
    assert_int_equal(most, PPU_LOG);
    assert_true(deferred > EFFORT(10000));
    assert_true(hits > EFFORT(1000));
}

/* Runs to about that dot of a line. */
static void wait_for_dot(struct world *w, unsigned dot) {
    const struct ppu_state *s = &w->ppu[DOTS].state;
    const uint64_t here = (PPU_DOTS + s->dot + 3 * w->cycle - s->time) % PPU_DOTS;
    w->cycle += (PPU_DOTS + dot - here) % PPU_DOTS / 3;
}

/* Between lines: rendering off, colours, rendering on; `aligned`: at a dot after which the line
 * does not reset the OAM address. */
static void bars_write(struct world *w, bool aligned) {
    if (aligned)
        wait_for_dot(w, 240);
    else
        w->cycle += dice(w, 2 * PPU_DOTS / 3);
    if (dice(w, 16) == 0)
        store(w, 0x2000, (uint8_t)(dice(w, 256) & 0x17));
    store(w, 0x2001, (uint8_t)(dice(w, 8) | (dice(w, 30) ? 0 : 8)));
    w->cycle += 1 + dice(w, 6);
    store(w, 0x2006, dice(w, 30) ? 0x3F : 0x20);
    w->cycle += 1 + dice(w, 6);
    store(w, 0x2006, (uint8_t)dice(w, 256));
    for (unsigned i = 1 + dice(w, 3); i-- > 0;) {
        w->cycle += 1 + dice(w, 6);
        store(w, 0x2007, (uint8_t)dice(w, 256));
    }
    w->cycle += 1 + dice(w, 6);
    if (aligned && dice(w, 200))
        wait_for_dot(w, 324);
    if (dice(w, 30))
        store(w, 0x2001, 0x1E);
    const unsigned odd = dice(w, 200);
    if (odd < 2)
        store(w, (uint16_t)(0x2005 + odd), (uint8_t)dice(w, 256));
}

/* Rendering is switched off and on within lines; colours and scroll are written meanwhile, mostly
 * after the last line with sprites. */
static void switch_write(struct world *w) {
    static const uint8_t masks[] = {0x00, 0x06, 0x00, 0x08, 0x10, 0x18, 0x1E, 0x1F};
    switch (dice(w, 16)) {
    case 0:
    case 1:
        store(w, 0x2001, (uint8_t)dice(w, 8));
        break;
    case 2:
    case 3:
    case 4:
        store(w, 0x2001, masks[dice(w, 8)]);
        break;
    case 5:
        store(w, 0x2005, (uint8_t)dice(w, 256));
        break;
    case 6:
        store(w, 0x2006, (uint8_t)dice(w, 256));
        break;
    case 7:
        store(w, 0x2000, (uint8_t)(dice(w, 256) & 0x17));
        break;
    case 8:
        if (dice(w, 20) == 0)
            random_access(w);
        break;
    case 9:
    case 10:
        load(w, 0x2002);
        store(w, 0x2006, 0x3F);
        w->cycle += 1 + dice(w, 8);
        store(w, 0x2006, (uint8_t)dice(w, 32));
        break;
    default:
        store(w, 0x2007, (uint8_t)dice(w, 256));
    }
}

/* Else v or the OAM address would be wrong after a part of a line, and with them colours and the
 * next frame's sprites. */
static void switches_agree(void **state) {
    (void)state;
    unsigned hits = 0, deferred = 0, dark = 0;
    for (uint64_t seed = 501; seed < 501 + EFFORT(80); seed++) {
        struct world w;
        world_create(&w, seed);
        w.cycle = 30000;
        random_scene(&w);
        const unsigned spread = 1 + dice(&w, 60), base = dice(&w, 2) ? dice(&w, 60) : 0;
        store(&w, 0x2003, 0);
        for (unsigned i = 0; i < 256; i++) {
            const unsigned y = dice(&w, 8) ? base + dice(&w, spread) : 240 + dice(&w, 16);
            w.cycle++;
            store(&w, 0x2004, (uint8_t)(i & 3 ? dice(&w, 256) : y));
        }
        const unsigned gap = 3 + dice(&w, 60), looks = 1 + dice(&w, 1000);
        const bool bars = dice(&w, 2);
        for (int step = 0; step < 2500; step++) {
            const bool pause = dice(&w, 100) == 0;
            w.cycle += 1 + dice(&w, pause ? 20000 : gap);
            if (pause)
                store(&w, 0x2001, 0x1E);
            else if (bars && dice(&w, 100))
                bars_write(&w, seed % 4 < 2);
            else
                switch_write(&w);
            if (dice(&w, looks) == 0)
                dice(&w, 8) ? compare_copy(&w) : load(&w, 0x2002);
            const struct ppu *p = &w.ppu[FAST];
            deferred += p->writes.first < p->writes.end;
            dark += !p->state.rendering;
            hits += w.ppu[DOTS].state.status >> 6 & 1;
        }
        compare(&w);
        world_free(&w);
    }
    assert_true(deferred > EFFORT(1000) && dark > EFFORT(1000));
    assert_true(hits > EFFORT(1000));
}

/* Sprites on the first lines, so that secondary OAM has some of them wherever rendering ends, and
 * the pre-render line, which counts as line 5, shows them. */
static void sprites_on_top(struct world *w) {
    store(w, 0x2003, 0);
    for (unsigned i = 0; i < 256; i++) {
        w->cycle++;
        store(w, 0x2004, (uint8_t)dice(w, i & 3 ? 256 : i == 0 || dice(w, 3) ? 6 : 64));
    }
}

/* Rendering is switched on and off for a few dots; OAM is written and $2007 read at any dot. */
static void toggle(struct world *w) {
    static const uint8_t on[] = {0x1E, 0x1E, 0x18, 0x08, 0x10};
    uint64_t at;
    switch (dice(w, 12)) {
    case 0:
        load(w, 0x2007);
        break;
    case 1:
        at = ppu_frame_end(&w->ppu[DOTS]) - 114 - dice(w, 3);
        if (dice(w, 4) == 0 && at > w->cycle) /* the last dots of the picture */
            w->cycle = at;
        load(w, 0x2007);
        w->cycle += 1 + dice(w, 4);
        store(w, 0x2001, 0);
        break;
    case 2:
        store(w, 0x2004, (uint8_t)dice(w, 256));
        break;
    case 3:
        dice(w, 8) ? load(w, 0x2002) : store(w, 0x2007, (uint8_t)dice(w, 256));
        break;
    case 4:
    case 5:
    case 6:
    case 7:
        store(w, 0x2001, 0);
        break;
    default:
        store(w, 0x2001, on[dice(w, 5)]);
    }
}

/* In cycles; the first is that of the pre-render line from the start of vblank. */
enum { PRERENDER = 2273, LINE = 114, FRAME = 29780 };

/* Rendering ends on one of the first lines, and begins in the next pre-render line or the vertical
 * blank before it. Counts when that line was a dot short and had sprites, and when a row of OAM was
 * to be overwritten. */
static void stale_top(struct world *w, unsigned *late, unsigned *corrupt) {
    store(w, 0x2001, 0);
    w->cycle += 2;
    if (dice(w, 2))
        sprites_on_top(w);
    store(w, 0x2001, 0x1E);
    w->cycle = ppu_frame_end(&w->ppu[DOTS]) + PRERENDER + LINE + dice(w, 2 * LINE);
    store(w, 0x2001, 0);
    w->cycle += dice(w, 2) * FRAME;
    present(w, DOTS);
    const uint64_t next = ppu_frame_end(&w->ppu[DOTS]) + PRERENDER;
    w->cycle = next + dice(w, LINE) - (dice(w, 2) ? 0 : 1000);
    store(w, 0x2001, dice(w, 4) ? 0x1E : 0x18);
    *corrupt += w->cycle < next && w->ppu[DOTS].state.odd_dots.corrupt_row;
    while (w->ppu[DOTS].state.line != 0) {
        w->cycle++;
        present(w, DOTS);
    }
    *late += w->ppu[DOTS].state.odd_dots.late_sprites;
    if (dice(w, 2))
        w->cycle += dice(w, 60);
    dice(w, 4) ? load(w, 0x2002) : store(w, 0x2001, 0);
}

/* The sprite units, secondary OAM and the buffer of $2007 keep their content while rendering is
 * off, which shows later. If it were lost, a sprite 0 hit, or OAM itself, would depend on the last
 * inspection. */
static void leftovers_agree(void **state) {
    (void)state;
    unsigned hits = 0, corrupt = 0, late = 0, due = 0, stale = 0;
    for (uint64_t seed = 700; seed < 700 + EFFORT(20); seed++) {
        struct world w;
        world_create(&w, seed);
        w.cycle = 30000;
        dice(&w, 2) ? random_scene(&w) : scene(&w, SOLID);
        sprites_on_top(&w);
        store(&w, 0x2000, (uint8_t)(dice(&w, 8) << 3));
        const unsigned gap = 3 + dice(&w, 40), looks = 2 + dice(&w, 60);
        for (int step = 0; step < 1000; step++) {
            if (dice(&w, 20) == 0)
                stale_top(&w, &late, &corrupt);
            w.cycle += 1 + dice(&w, gap);
            toggle(&w);
            if (dice(&w, looks) == 0)
                dice(&w, 8) ? compare_copy(&w) : compare(&w);
            const struct ppu_state *const s = &w.ppu[DOTS].state;
            hits += s->status >> 6 & 1;
            due += s->odd_dots.data_due;
            stale += !s->rendering && ppu_any_sprite(s);
        }
        compare(&w);
        world_free(&w);
    }
    assert_true(hits > EFFORT(100) && late > EFFORT(100));
    assert_true(corrupt > EFFORT(100) && due > EFFORT(500) && stale > EFFORT(1000));
}

/* With a late deadline, a busy-wait would be skipped beyond its end; with one that is never ahead,
 * none would be skipped. */
static void deadlines_hold(void **state) {
    (void)state;
    uint64_t ahead = 0, asked = 0;
    for (uint64_t seed = 200; seed < 200 + EFFORT(15); seed++) {
        struct world w;
        world_create(&w, seed);
        w.cycle = 30000;
        random_scene(&w);
        for (int step = 0; step < 200; step++) {
            random_wait(&w);
            random_access(&w);
            load(&w, 0x2002);
            uint64_t deadline = ppu_status_deadline(&w.ppu[FAST], w.cycle);
            uint64_t nmi = ppu_nmi_deadline(&w.ppu[FAST]);
            bool level = ppu_nmi(&w.ppu[FAST], w.cycle);
            asked++;
            ahead += deadline > w.cycle + 8;
            struct ppu p = w.ppu[FAST];
            struct board board = w.board[FAST];
            p.board = &board;
            ppu_advance(&p, 3 * w.cycle + 2); /* applies the deferred writes */
            while (w.cycle + 1 < deadline) {
                uint64_t at = w.cycle + 1 + dice(&w, 1000);
                if (at >= deadline)
                    break;
                uint8_t first = ppu_read(&w.ppu[FAST], 0x2002, w.cycle);
                ppu_dots(&p, 3 * at + 1);
                assert_int_equal(p.state.status, ppu_status_at(&w.ppu[FAST], 3 * w.cycle + 2));
                assert_false(p.state.line == LINE_VBLANK && p.state.dot == DOT_FLAGS);
                assert_int_equal(ppu_read(&p, 0x2002, at), first);
                assert_true(at >= nmi || ppu_nmi(&p, at) == level);
                for (int i = 1; i < PATHS; i++)
                    ppu_read(&w.ppu[i], 0x2002, w.cycle);
                w.cycle = at;
            }
        }
        world_free(&w);
    }
    assert_true(ahead > asked / 4);
}

/* Every IRQ comes in the same cycle as dot by dot, and no deadline is too late: else a game's split
 * screen moves, and everything after it changes. */
static void irqs_hold(void **state) {
    (void)state;
    unsigned asserted = 0, ahead = 0;
    for (uint64_t seed = 300; seed < 300 + EFFORT(40); seed += 2) {
        struct world w;
        world_create(&w, seed);
        w.cycle = 30000;
        random_scene(&w);
        for (int step = 0; step < 300; step++) {
            random_wait(&w);
            dice(&w, 2) ? random_board_write(&w) : random_access(&w);
            uint64_t deadline;
            const bool level = ppu_board_irq(&w.ppu[FAST], w.cycle, &deadline);
            assert_true(deadline > w.cycle);
            struct board board = w.board[DOTS];
            struct ppu p = w.ppu[DOTS];
            p.board = &board;
            p.picture.wanted = NULL;
            ppu_dots(&p, 3 * w.cycle + 2);
            assert_int_equal(board.ops->irq(&board), level);
            asserted += level;
            uint64_t end = w.cycle + (dice(&w, 8) ? 200 : 30000);
            end = deadline < end ? deadline : end;
            ahead += end > w.cycle + 50;
            ppu_dots(&p, 3 * end - 1);
            assert_int_equal(board.ops->irq(&board), level);
        }
        world_free(&w);
    }
    assert_true(asserted > EFFORT(300) && ahead > EFFORT(1000));
}

/* With small sprites, the cycle of a sprite 0 split is predicted from anywhere in the previous
 * frame: a game is woken once for it, and once more if the picture ends before. */
static void splits_are_told_once(void **state) {
    (void)state;
    for (uint64_t seed = 600; seed < 600 + EFFORT(300); seed += 2) {
        struct world w;
        world_create(&w, seed);
        w.cycle = 30000;
        store(&w, 0x2000, dice(&w, 2) ? CTRL_SPRITE_TABLE : CTRL_BACKGROUND_TABLE);
        store(&w, 0x2001, 0x1E);
        for (int split = 0; split < 4; split++) {
            w.cycle += 10 + dice(&w, 60000);
            board_store(&w, 0xE000, 0);
            board_store(&w, 0xC000, (uint8_t)(1 + dice(&w, 200)));
            board_store(&w, 0xC001, 0);
            board_store(&w, 0xE001, 0);
            uint64_t at, next;
            assert_false(ppu_board_irq(&w.ppu[FAST], w.cycle, &at));
            w.cycle = at;
            if (!ppu_board_irq(&w.ppu[FAST], at, &next)) {
                unsigned line, dot;
                ppu_place(&w.ppu[FAST], at, &line, &dot);
                assert_int_equal(line, LINE_IDLE);
                w.cycle = next;
                assert_true(ppu_board_irq(&w.ppu[FAST], w.cycle, &next));
            }
            ppu_dots(&w.ppu[DOTS], 3 * w.cycle - 1);
            assert_false(w.board[DOTS].ops->irq(&w.board[DOTS]));
            ppu_dots(&w.ppu[DOTS], 3 * w.cycle + 2);
            assert_true(w.board[DOTS].ops->irq(&w.board[DOTS]));
            ppu_show_board(&w.ppu[PICTURES], w.cycle + 1);
        }
        world_free(&w);
    }
}

/* Sprite 0 at y, on the right side, with rendering on; the next picture's cycle `cycle` comes. */
static void place_sprite_0(struct world *w, unsigned y, unsigned cycle) {
    const uint8_t bytes[4] = {(uint8_t)y, (uint8_t)dice(w, 256), 0, (uint8_t)(120 + dice(w, 120))};
    store(w, 0x2001, 0);
    w->cycle += 2;
    store(w, 0x2003, 0);
    for (unsigned i = 0; i < 4; i++) {
        w->cycle++;
        store(w, 0x2004, bytes[i]);
    }
    store(w, 0x2001, 0x1E);
    w->cycle = ppu_frame_end(&w->ppu[DOTS]) + PRERENDER + LINE + cycle;
    present(w, DOTS);
}

/* Rendering ends on a line on which sprite 0 was found, and begins in the next pre-render line. Its
 * first line then shows sprite 0, although OAM has it on later ones. */
static void sprite_0_on_line_0(struct world *w) {
    place_sprite_0(w, dice(w, 3), 3 * LINE + dice(w, LINE));
    store(w, 0x2001, 0);
    w->cycle += 3 * LINE;
    present(w, DOTS);
    const uint64_t next = ppu_frame_end(&w->ppu[DOTS]) + PRERENDER;
    w->cycle = next + 30 + dice(w, 40); /* after dot 64, and before the sprites are fetched */
    store(w, 0x2001, 0x1E);
    w->cycle = next + LINE + 1;
}

/* Sprite 0 is fetched for the next line, but OAM moves it far away before that line begins. */
static void sprite_0_moves(struct world *w) {
    const unsigned line = 20 + dice(w, 100);
    place_sprite_0(w, line - 1, (line - 1) * LINE);
    wait_for_dot(w, 268);
    store(w, 0x2001, 0);
    w->cycle += 4;
    store(w, 0x2004, dice(w, 2) ? 200 : 2); /* rendering has set the address to 0 */
    w->cycle += 4;
    store(w, 0x2003, 0);
    w->cycle += 4;
    store(w, 0x2001, 0x1E);
    wait_for_dot(w, 340);
    w->cycle += 2;
}

/* Solid sprites, and a background with a pixel in each tile's row, so that scrolling moves hits. */
static void dotted_scene(struct world *w) {
    scene(w, SOLID);
    for (unsigned a = 0; a < 4096; a++) {
        const uint8_t bits = (uint8_t)(1u << dice(w, 8));
        for (int i = 0; i < PATHS; i++)
            w->board[i].chr_ram[a] = a & 8 ? 0 : bits;
    }
    for (int i = 0; i < PATHS; i++)
        ppu_loaded(&w->ppu[i]);
}

/* A line may show sprite 0 though OAM has it on others. If a deferred write were thought not to
 * move the hit there, $2002 would give the flag of the picture before the write. */
static void hits_on_other_lines_agree(void **state) {
    (void)state;
    static const uint8_t masks[] = {0x18, 0x1A, 0x1C, 0x1E};
    unsigned hits = 0, deferred = 0;
    for (uint64_t seed = 801; seed < 801 + EFFORT(24); seed += 2) { /* without MMC3 */
        struct world w;
        world_create(&w, seed);
        w.cycle = 30000;
        dotted_scene(&w);
        random_sprites(&w);
        store(&w, 0x2000, CTRL_SPRITE_TABLE);
        for (int step = 0; step < 40; step++) {
            step % 2 ? sprite_0_on_line_0(&w) : sprite_0_moves(&w);
            load(&w, 0x2002); /* predicts the hit */
            w.cycle += 1 + dice(&w, 30);
            present(&w, DOTS);
            const bool open =
                w.ppu[DOTS].state.zero_now && !(w.ppu[DOTS].state.status & STATUS_HIT);
            switch (dice(&w, 3)) {
            case 0:
                store(&w, 0x2000, (uint8_t)(dice(&w, 4) | CTRL_SPRITE_TABLE));
                break;
            case 1:
                store(&w, 0x2001, masks[dice(&w, 4)]);
                break;
            default:
                store(&w, 0x2005, (uint8_t)dice(&w, 256));
            }
            deferred += open && w.ppu[FAST].writes.first < w.ppu[FAST].writes.end;
            for (int look = 0; look < 4; look++) {
                w.cycle += 2 + dice(&w, 20);
                load(&w, 0x2002);
            }
            hits += open && w.ppu[DOTS].state.status & STATUS_HIT;
        }
        compare(&w);
        world_free(&w);
    }
    assert_true(hits > EFFORT(60) && deferred > EFFORT(150));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_agree),
        cmocka_unit_test(untouched_frames_agree),
        cmocka_unit_test(rasters_agree),
        cmocka_unit_test(switches_agree),
        cmocka_unit_test(deadlines_hold),
        cmocka_unit_test(irqs_hold),
        cmocka_unit_test(splits_are_told_once),
        cmocka_unit_test(leftovers_agree),
        cmocka_unit_test(hits_on_other_lines_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
