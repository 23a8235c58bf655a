/*
 * Saved states contain everything that decides what the machine does from now on, and nothing else.
 *
 * A file is a header (magic, version, SHA-1 of the cartridge, length and FNV-1a of the rest) and
 * sections (four letters, length, content). Numbers are little-endian, and structs are written
 * field by field. So a state is the same bytes on every machine, and equal hashes mean equal
 * states.
 */
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "nes/cpu/cpu_exec.h"
#include "nes/machine/machine.h"
#include "nes/observe/watch.h"
#include "nes/ppu/ppu_raster.h"

enum { VERSION = 2, MAGIC_SIZE = 16, SHA1_SIZE = 40 };
enum { HEADER_SIZE = MAGIC_SIZE + 4 + SHA1_SIZE + 8 + 8, SECTION_HEADER_SIZE = 8 };
static const char magic[MAGIC_SIZE + 1] = "hotgraph state\r\n";

/* One number, or an array of numbers; values above `most` are refused. */
struct field {
    const char *name;
    uint32_t offset, count;
    uint8_t size;
    uint64_t most;
};
#define ITEM(type, member) (((type *)0)->member)
#define FIELD_MOST(type, member, limit)                                                            \
    { #member, offsetof(type, member), 1, sizeof ITEM(type, member), limit }
#define FIELD(type, member) FIELD_MOST(type, member, UINT64_MAX)
#define FLAG(type, member)  FIELD_MOST(type, member, 1)
#define BYTES(type, member)                                                                        \
    { #member, offsetof(type, member), sizeof ITEM(type, member), 1, UINT64_MAX }
#define LONGS(type, member)                                                                        \
    { #member, offsetof(type, member), sizeof ITEM(type, member) / 8, 8, UINT64_MAX }

/* The saved members of the machine's parts, as marked in their headers. nes_differences() reports
 * these names. */
static_assert(sizeof(struct registers) == 12 && sizeof(struct cpu) == 64 &&
                  sizeof(struct video_frame) == 24 && sizeof(struct pads) == 40 &&
                  sizeof(struct dma) == 32 && sizeof(struct lines) == 48 &&
                  sizeof(struct memory) == 3 * 256 * sizeof(void *) + RAM_SIZE + 8,
              "list new saved members below");
#define SAVED_MOST(name, member, limit)                                                            \
    { name, offsetof(struct nes, member), 1, sizeof ITEM(struct nes, member), limit }
#define SAVED(name, member)      SAVED_MOST(name, member, UINT64_MAX)
#define SAVED_FLAG(name, member) SAVED_MOST(name, member, 1)
static const struct field cpu_fields[] = {
    SAVED("cpu.pc", cpu.r.pc),
    SAVED("cpu.a", cpu.r.a),
    SAVED("cpu.x", cpu.r.x),
    SAVED("cpu.y", cpu.r.y),
    SAVED("cpu.s", cpu.r.s),
    SAVED("flags", cpu.flags), /* nz, p, c and v, packed */
    SAVED("cycle", cpu.cycle),
    SAVED("instructions", cpu.instructions),
    SAVED_FLAG("nmi_level", lines.nmi_level),
    SAVED_FLAG("nmi_pending", lines.nmi_pending),
    SAVED_FLAG("irq", lines.irq),
    SAVED_FLAG("due", cpu.due),
    SAVED_MOST("phase", cpu.phase, PHASE_JAM),
    SAVED_MOST("jam_cycle", cpu.jam_cycle, 3),
    SAVED("jam_frame", cpu.jam_frame),
    SAVED("bus", memory.bus),
    SAVED_FLAG("oam_pending", dma.oam_pending),
    SAVED("oam_page", dma.oam_page),
    SAVED("frame", frame.number),
    SAVED("frame_end", frame.end),
    SAVED_FLAG("frame_guess", frame.estimated),
    BYTES(struct nes, pads.buttons),
    BYTES(struct nes, pads.shift),
    BYTES(struct nes, pads.out),
    FLAG(struct nes, pads.strobe),
    FLAG(struct nes, pads.written),
    FIELD(struct nes, pads.strobe_cycle),
    LONGS(struct nes, pads.read_cycle),
    {"ram", offsetof(struct nes, memory.ram), RAM_SIZE, 1, UINT64_MAX},
};

#define THREAD(i) FIELD(struct contexts, at[i].address), FIELD(struct contexts, at[i].s)
static const struct field thread_fields[] = {
    FIELD_MOST(struct contexts, count, CONTEXTS),
    THREAD(0),
    THREAD(1),
    THREAD(2),
    THREAD(3),
    THREAD(4),
    THREAD(5),
    THREAD(6),
    THREAD(7),
    THREAD(8),
    THREAD(9),
    THREAD(10),
    THREAD(11),
    THREAD(12),
    THREAD(13),
    THREAD(14),
    THREAD(15),
};

static_assert(sizeof(struct board_state) == 4176, "list new members of board_state below");
static const struct field board_fields[] = {
    BYTES(struct board_state, regs),
    FIELD(struct board_state, clock),
    FIELD_MOST(struct board_state, mirroring, MIRROR_HIGH),
    BYTES(struct board_state, vram),
};

static_assert(sizeof(struct ppu_state) == 472, "list new members of ppu_state below");
#define UNIT(i)                                                                                    \
    FIELD(struct ppu_state, sprites[i].low), FIELD(struct ppu_state, sprites[i].high),             \
        FIELD(struct ppu_state, sprites[i].attributes),                                            \
        FIELD_MOST(struct ppu_state, sprites[i].x, PPU_WIDTH)
static const struct field ppu_fields[] = {
    FIELD(struct ppu_state, time),
    FIELD_MOST(struct ppu_state, line, PPU_LINES - 1),
    FIELD_MOST(struct ppu_state, dot, PPU_DOTS - 1),
    FLAG(struct ppu_state, odd),
    FLAG(struct ppu_state, ignore_writes),
    FLAG(struct ppu_state, w),
    FIELD_MOST(struct ppu_state, x, 7),
    FIELD_MOST(struct ppu_state, v, 0x7fff),
    FIELD_MOST(struct ppu_state, t, 0x7fff),
    FIELD(struct ppu_state, ctrl),
    FIELD(struct ppu_state, mask),
    FIELD(struct ppu_state, status),
    FIELD(struct ppu_state, late_status),
    FIELD(struct ppu_state, oam_address),
    FIELD(struct ppu_state, read_buffer),
    FLAG(struct ppu_state, vblank_suppressed),
    FIELD(struct ppu_state, mask_due),
    FIELD(struct ppu_state, v_due),
    FIELD(struct ppu_state, data_read_cycle),
    LONGS(struct ppu_state, latch_cycle),
    FIELD(struct ppu_state, latch),
    FIELD_MOST(struct ppu_state, odd_dots.corrupt_row, 31),
    FLAG(struct ppu_state, odd_dots.late_sprites),
    FLAG(struct ppu_state, odd_dots.data_due),
    FIELD(struct ppu_state, odd_dots.data_bus),
    FIELD(struct ppu_state, rendering),
    FIELD(struct ppu_state, nt),
    FIELD(struct ppu_state, at),
    FIELD(struct ppu_state, low),
    FIELD(struct ppu_state, high),
    FIELD(struct ppu_state, shift_low),
    FIELD(struct ppu_state, shift_high),
    FIELD(struct ppu_state, shift_at_low),
    FIELD(struct ppu_state, shift_at_high),
    FIELD_MOST(struct ppu_state, evaluation, 4),
    FIELD_MOST(struct ppu_state, found, 8),
    FIELD_MOST(struct ppu_state, copied, 3),
    FIELD(struct ppu_state, oam_data),
    FLAG(struct ppu_state, zero_next),
    FLAG(struct ppu_state, zero_now),
    UNIT(0),
    UNIT(1),
    UNIT(2),
    UNIT(3),
    UNIT(4),
    UNIT(5),
    UNIT(6),
    UNIT(7),
    BYTES(struct ppu_state, secondary),
    BYTES(struct ppu_state, oam),
    BYTES(struct ppu_state, palette),
};

#define LENGTH(i)                                                                                  \
    FIELD(struct apu, length[i].value), FLAG(struct apu, length[i].enabled),                       \
        FLAG(struct apu, length[i].halt)
static_assert(sizeof(struct apu) == 136, "list new members of struct apu below");
static const struct field apu_fields[] = {
    FIELD(struct apu, time),
    LENGTH(0),
    LENGTH(1),
    LENGTH(2),
    LENGTH(3),
    FIELD(struct apu, half_frame),
    FIELD_MOST(struct apu, half_frame_running, 15),
    FIELD(struct apu, sequence),
    FIELD_MOST(struct apu, step, 3),
    FLAG(struct apu, five_steps),
    FLAG(struct apu, irq_inhibited),
    FLAG(struct apu, frame_irq),
    FIELD(struct apu, frame_register),
    FIELD(struct apu, restart),
    FIELD(struct apu, acknowledge),
    FLAG(struct apu, dmc_irq_enabled),
    FLAG(struct apu, dmc_loop),
    FLAG(struct apu, dmc_irq),
    FLAG(struct apu, dmc_full),
    FIELD_MOST(struct apu, dmc_bits, 8),
    FIELD(struct apu, dmc_address_register),
    FIELD(struct apu, dmc_length_register),
    FIELD(struct apu, dmc_address),
    FIELD_MOST(struct apu, dmc_remaining, 0xFF1),
    FIELD(struct apu, dmc_period),
    FIELD(struct apu, dmc_clock),
    FIELD(struct apu, dmc_wish),
    FIELD(struct apu, dmc_ghost),
    FIELD(struct apu, dmc_given),
    FIELD(struct apu, dmc_enable),
    FIELD(struct apu, dmc_stop),
};

struct section {
    char tag[5];
    const char *name; /* for messages */
    uint8_t *base;
    const struct field *fields; /* NULL: plain bytes, `count` of them */
    size_t count;
};
enum { SECTIONS = 7 };

#define LENGTH_OF(array) (sizeof(array) / sizeof *(array))
static void list_sections(struct section out[SECTIONS], struct nes *n) {
    struct board *b = &n->board;
    const struct section sections[SECTIONS] = {
        {"CPU ", "CPU", (uint8_t *)n, cpu_fields, LENGTH_OF(cpu_fields)},
        {"THRD", "threads", (uint8_t *)&n->contexts, thread_fields, LENGTH_OF(thread_fields)},
        {"BRD ", "board", (uint8_t *)&b->state, board_fields, LENGTH_OF(board_fields)},
        {"PPU ", "PPU", (uint8_t *)&n->ppu.state, ppu_fields, LENGTH_OF(ppu_fields)},
        {"APU ", "APU", (uint8_t *)&n->apu, apu_fields, LENGTH_OF(apu_fields)},
        {"PRAM", "PRG RAM", b->prg_ram, NULL, b->prg_ram_size},
        {"CRAM", "CHR RAM", b->chr_ram, NULL, b->chr_ram_size},
    };
    memcpy(out, sections, sizeof sections);
}

static uint64_t load_number(const uint8_t *at, unsigned size) {
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

static void store_number(uint8_t *at, uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* Reads a member of a struct in the host's byte order. */
static uint64_t read_member(const uint8_t *at, unsigned size) {
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    switch (size) {
    case 1:
        return *at;
    case 2:
        return memcpy(&u16, at, 2), u16;
    case 4:
        return memcpy(&u32, at, 4), u32;
    default:
        return memcpy(&u64, at, 8), u64;
    }
}

static void write_member(uint8_t *at, uint64_t value, unsigned size) {
    const uint16_t u16 = (uint16_t)value;
    const uint32_t u32 = (uint32_t)value;
    switch (size) {
    case 1:
        *at = (uint8_t)value;
        break;
    case 2:
        memcpy(at, &u16, 2);
        break;
    case 4:
        memcpy(at, &u32, 4);
        break;
    default:
        memcpy(at, &value, 8);
        break;
    }
}

/* ---- writing ---- */

static size_t content_size(const struct section *s) {
    if (!s->fields)
        return s->count;
    size_t size = 0;
    for (size_t i = 0; i < s->count; i++)
        size += (size_t)s->fields[i].count * s->fields[i].size;
    return size;
}

/* Copies the machine and lets the copy's devices catch up, so that a state does not depend on when
 * devices were last accessed. The copy borrows the machine's memories, and is read-only. */
static void snapshot(struct nes *copy, const struct nes *n) {
    *copy = *n;
    copy->ppu.board = &copy->board;
    copy->ppu.picture.wanted = NULL;
    ppu_sync(&copy->ppu, copy->cpu.cycle);
    apu_sync(&copy->apu, copy->cpu.cycle);
    bus_strobe(copy);
    copy->lines.nmi_level = bus_nmi_level(copy);
    copy->cpu.flags = cpu_flags(&copy->cpu.r);
    if (copy->memory.rd[copy->cpu.r.pc >> 8] || copy->cpu.r.pc < 0x4000)
        copy->memory.bus = 0; /* overwritten by the next fetch */
    if (copy->cpu.phase != PHASE_JAM)
        copy->cpu.jam_cycle = 0, copy->cpu.jam_frame = 0;
    for (unsigned i = copy->contexts.count; i < CONTEXTS; i++)
        copy->contexts.at[i].address = copy->contexts.at[i].s = 0;
}

static uint8_t *write_section(uint8_t *to, const struct section *s) {
    memcpy(to, s->tag, 4);
    store_number(to + 4, content_size(s), 4);
    to += SECTION_HEADER_SIZE;
    if (!s->fields) {
        if (s->count)
            memcpy(to, s->base, s->count);
        return to + s->count;
    }
    for (size_t i = 0; i < s->count; i++) {
        const struct field *f = &s->fields[i];
        for (uint32_t k = 0; k < f->count; k++, to += f->size)
            store_number(to, read_member(s->base + f->offset + (size_t)k * f->size, f->size),
                         f->size);
    }
    return to;
}

enum status nes_save(const struct nes *n, struct bytes *out, struct error *e) {
    struct nes copy;
    struct section sections[SECTIONS];
    snapshot(&copy, n);
    list_sections(sections, &copy);
    size_t size = HEADER_SIZE;
    for (unsigned i = 0; i < SECTIONS; i++)
        size += SECTION_HEADER_SIZE + content_size(&sections[i]);
    uint8_t *at = malloc(size);
    if (!at)
        return error_set(e, STATUS_MEMORY, "out of memory for a state of %zu bytes", size);
    uint8_t *to = at + HEADER_SIZE;
    for (unsigned i = 0; i < SECTIONS; i++)
        to = write_section(to, &sections[i]);
    const size_t content = size - HEADER_SIZE;
    memcpy(at, magic, MAGIC_SIZE);
    store_number(at + MAGIC_SIZE, VERSION, 4);
    memcpy(at + MAGIC_SIZE + 4, n->made.options.cartridge->sha1, SHA1_SIZE);
    store_number(at + MAGIC_SIZE + 4 + SHA1_SIZE, content, 8);
    store_number(at + HEADER_SIZE - 8, fnv1a64(at + HEADER_SIZE, content), 8);
    *out = (struct bytes){at, size};
    return STATUS_OK;
}

uint64_t nes_state_hash(const struct nes *n) {
    struct bytes state = {0};
    if (nes_save(n, &state, NULL) != STATUS_OK)
        return 0;
    const uint64_t hash = load_number(state.at + HEADER_SIZE - 8, 8);
    bytes_free(&state);
    return hash;
}

/* ---- comparing ---- */

struct comparison {
    struct nes_difference *out;
    size_t most, found;
};

static void add_difference(struct comparison *c, struct nes_difference d) {
    if (c->found < c->most)
        c->out[c->found] = d;
    c->found++;
}

static void compare_field(struct comparison *c, const struct section *x, const struct section *y,
                          const struct field *f) {
    const uint8_t *p = x->base + f->offset, *q = y->base + f->offset;
    if (!memcmp(p, q, (size_t)f->count * f->size))
        return;
    for (uint32_t k = 0; k < f->count; k++, p += f->size, q += f->size)
        if (memcmp(p, q, f->size))
            add_difference(c, (struct nes_difference){x->name, f->name, k, f->count,
                                                      read_member(p, f->size),
                                                      read_member(q, f->size)});
}

static void compare_sections(struct comparison *c, const struct section *x,
                             const struct section *y) {
    for (size_t i = 0; x->fields && i < x->count; i++)
        compare_field(c, x, y, &x->fields[i]);
    if (x->fields || !x->count || !memcmp(x->base, y->base, x->count))
        return;
    for (size_t i = 0; i < x->count; i++)
        if (x->base[i] != y->base[i])
            add_difference(
                c, (struct nes_difference){x->name, "", i, x->count, x->base[i], y->base[i]});
}

size_t nes_differences(const struct nes *a, const struct nes *b, struct nes_difference *out,
                       size_t most) {
    struct nes copies[2];
    struct section sections[2][SECTIONS];
    struct comparison c = {.out = out, .most = most};
    snapshot(&copies[0], a);
    snapshot(&copies[1], b);
    list_sections(sections[0], &copies[0]);
    list_sections(sections[1], &copies[1]);
    for (unsigned i = 0; i < SECTIONS; i++)
        compare_sections(&c, &sections[0][i], &sections[1][i]);
    return c.found;
}

/* ---- reading ---- */

static bool read_section(const uint8_t *from, const struct section *s) {
    if (!s->fields) {
        if (s->count)
            memcpy(s->base, from, s->count);
        return true;
    }
    for (size_t i = 0; i < s->count; i++) {
        const struct field *f = &s->fields[i];
        for (uint32_t k = 0; k < f->count; k++, from += f->size) {
            const uint64_t value = load_number(from, f->size);
            if (value > f->most)
                return false;
            write_member(s->base + f->offset + (size_t)k * f->size, value, f->size);
        }
    }
    return true;
}

/* ---- Checks of the whole state. Each number may be valid by itself; an invalid combination could
 * make a device run for ever, stop, or exceed an array. ---- */

static bool near(uint64_t time, uint64_t cycle, uint64_t span) {
    return time - cycle <= span || cycle - time <= span;
}

static bool never_or_near(uint64_t time, uint64_t cycle, uint64_t span) {
    return time == NEVER || near(time, cycle, span);
}

enum { FRAME_CYCLES = 29781, SEQUENCE_CYCLES = 37282, SAMPLE_CYCLES = 428, SOON = 8 };

/* True for a past time, or none. */
static bool never_or_past(uint64_t time, uint64_t cycle) {
    return time == NEVER || time <= cycle;
}

static bool sane_samples(const struct apu *a, uint64_t cycle) {
    return a->dmc_address >= 0x8000 && near(a->dmc_clock, cycle, SAMPLE_CYCLES + SOON) &&
           a->dmc_period >= 54 && a->dmc_period <= SAMPLE_CYCLES && a->dmc_bits >= 1 &&
           never_or_near(a->dmc_wish, cycle, FRAME_CYCLES) &&
           never_or_past(a->dmc_ghost, cycle + SOON) && never_or_past(a->dmc_given, cycle) &&
           a->dmc_enable <= cycle + SOON && never_or_near(a->dmc_stop, cycle, SOON);
}

static bool sane_apu(const struct apu *a, uint64_t cycle) {
    return near(a->time, cycle, 2) && a->sequence <= cycle + SOON &&
           cycle + SOON - a->sequence <= SEQUENCE_CYCLES + 2 * SOON && a->restart != 0 &&
           never_or_near(a->restart, cycle, SOON) && never_or_near(a->acknowledge, cycle, SOON) &&
           never_or_past(a->half_frame, cycle) && sane_samples(a, cycle);
}

/* Sprite evaluation: the number of sprites found must fit the phase. */
static bool sane_evaluation(const struct ppu_state *s) {
    enum { SEARCH = 1, COPY, OVERFLOW, OVERFLOWN }; /* after PPU_IDLE, see ppu_sprites.c */
    switch (s->evaluation) {
    case SEARCH:
    case COPY:
        return s->found < 8;
    case OVERFLOW:
    case OVERFLOWN:
        return s->found == 8;
    default:
        return true;
    }
}

static bool sane_latch(const struct ppu_state *s, uint64_t cycle) {
    for (unsigned i = 0; i < sizeof s->latch_cycle / sizeof *s->latch_cycle; i++)
        if (s->latch_cycle[i] > cycle)
            return false;
    return true;
}

static bool sane_ppu(const struct ppu_state *s, uint64_t cycle) {
    return sane_latch(s, cycle) && near(s->time, 3 * cycle, 6) &&
           never_or_near(s->mask_due, s->time, SOON) && never_or_near(s->v_due, s->time, SOON) &&
           !(s->status & (uint8_t) ~(STATUS_OVERFLOW | STATUS_HIT | STATUS_VBLANK)) &&
           !(s->late_status & (uint8_t) ~(STATUS_OVERFLOW | STATUS_HIT)) &&
           !(s->rendering & (uint8_t)~MASK_RENDERING) && sane_evaluation(s);
}

/* The frame must end with the PPU's next vertical blank. While that is an estimate, it must be an
 * estimate from the last vertical blank, which must be recent. Otherwise a frame could end without
 * a picture, or almost at once. */
static bool sane_frame(const struct nes *n) {
    enum { LINES = PPU_LINES * PPU_DOTS, FLAGS = LINE_VBLANK * PPU_DOTS + DOT_FLAGS };
    const struct ppu_state *const s = &n->ppu.state;
    if (!n->frame.estimated)
        return n->frame.end == ppu_frame_end(&n->ppu);
    const unsigned here = s->line * PPU_DOTS + s->dot;
    const uint64_t since = here >= FLAGS ? here - FLAGS : LINES + here - FLAGS;
    const uint64_t last = n->frame.end - LESS_THAN_FRAME;
    if (n->frame.end < LESS_THAN_FRAME || n->cpu.cycle < last ||
        n->cpu.cycle - last >= MORE_THAN_BLANK || s->time < since)
        return false;
    /* In line 0, the odd frame may have skipped a dot. */
    return last == ppu_end_after(s->time - since) ||
           (here < FLAGS && last == ppu_end_after(s->time - since + 1));
}

/* Contexts must resume in existing code. */
static bool sane_threads(const struct nes *n) {
    for (unsigned i = 0; i < n->contexts.count; i++) {
        const uint32_t address = n->contexts.at[i].address, bank = address >> 16;
        const bool banked = n->board.banked && (address & 0x8000);
        if (banked ? bank >= board_prg_banks(&n->board) : bank != 0)
            return false;
    }
    return true;
}

static bool sane(const struct nes *n) {
    enum { MOST = 1 << 30 };
    return n->cpu.cycle < UINT64_MAX / 8 && n->cpu.instructions <= n->cpu.cycle &&
           n->frame.number < (uint64_t)MOST * MOST && n->frame.end > n->cpu.cycle &&
           n->frame.end - n->cpu.cycle <= FRAME_CYCLES + SOON && sane_threads(n) &&
           never_or_near(n->pads.strobe_cycle, n->cpu.cycle, SOON) &&
           sane_ppu(&n->ppu.state, n->cpu.cycle) && sane_apu(&n->apu, n->cpu.cycle) &&
           sane_frame(n);
}

/* Reads all sections into `n`, whose RAMs have the right sizes. */
static enum status read_sections(struct nes *n, const uint8_t *at, size_t len, const char *name,
                                 struct error *e) {
    struct section sections[SECTIONS];
    list_sections(sections, n);
    for (unsigned i = 0; i < SECTIONS; i++) {
        const size_t size = content_size(&sections[i]);
        if (len < SECTION_HEADER_SIZE + size || memcmp(at, sections[i].tag, 4) ||
            load_number(at + 4, 4) != size)
            return error_set(e, STATUS_FORMAT, "%s: section %s of the state is missing or damaged",
                             name, sections[i].tag);
        if (!read_section(at + SECTION_HEADER_SIZE, &sections[i]))
            return error_set(e, STATUS_FORMAT, "%s: section %s holds a value that cannot be", name,
                             sections[i].tag);
        at += SECTION_HEADER_SIZE + size;
        len -= SECTION_HEADER_SIZE + size;
    }
    if (len != 0 || !sane(n))
        return error_set(e, STATUS_FORMAT, "%s: the parts of the state do not fit together", name);
    return STATUS_OK;
}

static enum status check_header(const struct nes *n, const uint8_t *at, size_t len,
                                const char *name, struct error *e) {
    if (len < MAGIC_SIZE || memcmp(at, magic, MAGIC_SIZE))
        return error_set(e, STATUS_FORMAT, "%s: not a saved state of this program", name);
    if (len < HEADER_SIZE)
        return error_set(e, STATUS_FORMAT, "%s: the state ends in its header", name);
    const uint64_t version = load_number(at + MAGIC_SIZE, 4);
    if (version != VERSION)
        return error_set(e, STATUS_UNSUPPORTED,
                         "%s: the state has version %llu, this program reads version %d", name,
                         (unsigned long long)version, VERSION);
    const char *sha1 = (const char *)at + MAGIC_SIZE + 4;
    for (unsigned i = 0; i < SHA1_SIZE; i++)
        if (!isxdigit((unsigned char)sha1[i]))
            return error_set(e, STATUS_FORMAT, "%s: the state's header is damaged", name);
    if (memcmp(sha1, n->made.options.cartridge->sha1, SHA1_SIZE))
        return error_set(e, STATUS_ARGUMENT,
                         "%s: the state belongs to the ROM with SHA-1 %.40s, not to %s (%s)", name,
                         sha1, n->made.options.cartridge->name, n->made.options.cartridge->sha1);
    const size_t content = len - HEADER_SIZE;
    if (load_number(at + MAGIC_SIZE + 4 + SHA1_SIZE, 8) != content)
        return error_set(e, STATUS_FORMAT, "%s: the state is truncated", name);
    if (load_number(at + HEADER_SIZE - 8, 8) != fnv1a64(at + HEADER_SIZE, content))
        return error_set(e, STATUS_FORMAT, "%s: the state is damaged: its checksum differs", name);
    return STATUS_OK;
}

/* Parses the content into a copy of the machine with its own RAMs. */
static enum status try_sections(const struct nes *n, const uint8_t *at, size_t len,
                                const char *name, struct error *e) {
    struct nes copy = *n;
    copy.board.prg_ram = malloc(n->board.prg_ram_size + 1);
    copy.board.chr_ram = malloc(n->board.chr_ram_size + 1);
    const enum status status =
        copy.board.prg_ram && copy.board.chr_ram
            ? read_sections(&copy, at, len, name, e)
            : error_set(e, STATUS_MEMORY, "%s: out of memory for a state", name);
    free(copy.board.prg_ram);
    free(copy.board.chr_ram);
    return status;
}

enum status nes_load(struct nes *n, const void *data, size_t len, const char *name,
                     struct error *e) {
    const uint8_t *at = data;
    enum status status = check_header(n, at, len, name, e);
    if (status == STATUS_OK)
        status = try_sections(n, at + HEADER_SIZE, len - HEADER_SIZE, name, e);
    if (status != STATUS_OK)
        return status;
    watch_notify_all(n, THREAD_ENDS);
    status = read_sections(n, at + HEADER_SIZE, len - HEADER_SIZE, name, e);
    cpu_set_flags(&n->cpu.r, n->cpu.flags);
    board_loaded(&n->board);
    ppu_loaded(&n->ppu);
    bus_map(n);
    n->memory.epoch++;
    bus_forget_lines(n);
    n->dma.from = n->dma.oam_pending ? 0 : apu_dmc_deadline(&n->apu);
    n->observed.announced = false;
    n->dma.latch.cycle = NEVER; /* left on the bus before the load */
    wait_forget(n);
    spin_forget(n);
    if (n->made.engine->forget)
        n->made.engine->forget(n->made.engine_self);
    watch_notify_all(n, THREAD_BEGINS);
    return status;
}
