#include "testrom/testrom.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STATUS_AT = 0x6000,
    TEXT_AT = 0x6004,
    TEXT_END = 0x8000,
    RUNNING = 0x80,
    WANTS_RESET = 0x81
};
enum { RESET_AFTER = 7, FRAMES_DEMO = 600 };       /* frames */
enum { PLAIN, PICTURES, SLOW, INTERPRETED, WAYS }; /* machines that run the same ROM */
enum { ROWS = 30, COLUMNS = 32, NAME_TABLES = 0x2000, TABLE_SIZE = 0x400 };
enum { WIDTH = 256, HEIGHT = 240 };

struct run {
    const struct rom_entry *entry;
    struct nes *nes[WAYS];
    unsigned count;
    struct verdict *v;
    int (*stopped)(void); /* may be NULL */

    bool decided;
    bool deaf;       /* between a reset and the $80 that follows */
    unsigned wanted; /* frames since the ROM asked for a reset */
    unsigned resets;
};

static void decide(struct run *r, enum outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void decide(struct run *r, enum outcome outcome, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(r->v->text, sizeof r->v->text, format, args);
    va_end(args);
    r->v->outcome = outcome;
    r->decided = true;
}

static void press_reset(struct run *r) {
    for (unsigned i = 0; i < r->count; i++)
        nes_reset(r->nes[i], false);
}

/* ---- the protocol ---- */

static bool speaks(const struct nes *nes) {
    return nes_peek(nes, STATUS_AT + 1) == 0xDE && nes_peek(nes, STATUS_AT + 2) == 0xB0 &&
           nes_peek(nes, STATUS_AT + 3) == 0x61;
}

static void keep_said(struct run *r) {
    char *to = r->v->said, *const end = to + sizeof r->v->said - 1;
    for (uint16_t at = TEXT_AT; at < TEXT_END && to < end; at++) {
        const uint8_t c = nes_peek(r->nes[0], at);
        if (c == 0)
            break;
        *to++ = c == '\n' || (c >= ' ' && c <= '~') ? (char)c : '?';
    }
    *to = 0;
}

static void listen(struct run *r) {
    const struct nes *nes = r->nes[0];
    if (!speaks(nes))
        return;
    const uint8_t now = nes_peek(nes, STATUS_AT);
    const bool asks = !r->deaf && now == WANTS_RESET;
    if (now == RUNNING)
        r->deaf = false;
    r->wanted = asks ? r->wanted + 1 : 0;
    if (r->wanted > RESET_AFTER) {
        press_reset(r);
        r->deaf = true;
    } else if (!r->deaf && now < RUNNING) {
        if (now == 0)
            decide(r, OUTCOME_PASSED, "%s", "");
        else
            decide(r, OUTCOME_FAILED, "result %u", now);
        keep_said(r);
    }
}

/* ---- texts on the screen ---- */

/* True if a row contains one of `texts`, which are separated by |. */
static bool row_has(const char *row, const char *texts) {
    for (const char *at = texts; *at != 0;) {
        const size_t n = strcspn(at, "|");
        if (n > 0 && memmem(row, COLUMNS, at, n) != NULL)
            return true;
        at += n + (at[n] == '|');
    }
    return false;
}

static void read_row(const struct run *r, unsigned table, unsigned y, char row[COLUMNS + 1]) {
    for (unsigned x = 0; x < COLUMNS; x++) {
        const unsigned tile = nes_peek_video(
            r->nes[0], (uint16_t)(NAME_TABLES + table * TABLE_SIZE + y * COLUMNS + x));
        const unsigned c = (tile + r->entry->tiles) & 0xFF;
        row[x] = c >= ' ' && c <= '~' ? (char)c : ' ';
    }
    row[COLUMNS] = 0;
}

static bool screen_has(const struct run *r, const char *texts) {
    char row[COLUMNS + 1];
    for (unsigned table = 0; table < 4 && texts != NULL; table++)
        for (unsigned y = 0; y < ROWS; y++) {
            read_row(r, table, y, row);
            if (row_has(row, texts))
                return true;
        }
    return false;
}

/* Stores the first name table's text, which may tell why a ROM failed. */
static void keep_screen(struct run *r) {
    char *to = r->v->said;
    for (unsigned y = 0; y < ROWS; y++) {
        char row[COLUMNS + 1];
        read_row(r, 0, y, row);
        size_t n = COLUMNS;
        while (n > 0 && row[n - 1] == ' ')
            n--;
        if (n == 0)
            continue;
        memcpy(to, row, n);
        to += n;
        *to++ = '\n';
    }
    *to = 0;
}

/* ---- what an entry asks for ---- */

static uint64_t hash_of_picture(const struct rom_entry *entry, const uint16_t *pixels) {
    static const unsigned whole[4] = {0, 0, WIDTH, HEIGHT};
    const unsigned *const area = entry->area[2] != 0 ? entry->area : whole;
    uint16_t part[WIDTH * HEIGHT];
    for (unsigned y = 0; y < area[3]; y++)
        memcpy(part + y * area[2], pixels + (area[1] + y) * WIDTH + area[0],
               area[2] * sizeof *part);
    return fnv1a64(part, (size_t)area[2] * area[3] * sizeof *part);
}

static void look_at_picture(struct run *r) {
    const struct rom_entry *entry = r->entry;
    const uint16_t *pixels;
    const uint64_t frame = r->v->frames - 1;
    struct nes *nes = r->nes[r->count > 1 ? PICTURES : PLAIN];
    for (size_t i = 0; i < entry->pictures.len && !r->decided; i++) {
        const struct rom_picture *want = &entry->pictures.at[i];
        if (frame < want->from || frame > want->to)
            continue;
        if ((pixels = nes_picture(nes)) == NULL) {
            decide(r, OUTCOME_FAILED, "frame %" PRIu64 " has no complete picture", frame);
            return;
        }
        const uint64_t hash = hash_of_picture(entry, pixels);
        if (hash != want->hash)
            decide(r, OUTCOME_FAILED,
                   "the picture of frame %" PRIu64 " is %016" PRIx64 ", not %016" PRIx64, frame,
                   hash, want->hash);
    }
}

/* Makes the checks at the end; if none fails, the ROM has passed. */
static void check_end(struct run *r) {
    const struct rom_entry *entry = r->entry;
    for (size_t i = 0; i < entry->ram.len && !r->decided; i++) {
        const struct rom_byte want = entry->ram.at[i];
        const uint8_t is = nes_peek(r->nes[0], want.address);
        if (is != want.value)
            decide(r, OUTCOME_FAILED, "$%04X is %02X, not %02X", want.address, is, want.value);
    }
    const uint16_t pc = nes_registers(r->nes[0]).pc;
    if (!r->decided && entry->pc_given && pc != entry->pc)
        decide(r, OUTCOME_FAILED, "it is at $%04X, not at $%04X", pc, entry->pc);
    if (!r->decided)
        decide(r, OUTCOME_PASSED, "%s", "");
}

static void look(struct run *r) {
    const struct rom_entry *entry = r->entry;
    if (screen_has(r, entry->fails))
        decide(r, OUTCOME_FAILED, "its screen says so");
    if (!r->decided)
        look_at_picture(r);
    if (r->decided)
        return;
    if (entry->text != NULL) {
        if (screen_has(r, entry->text))
            check_end(r);
    } else if (r->v->frames == entry->frames) {
        check_end(r);
    }
}

/* ---- running ---- */

static void before_frame(struct run *r, uint64_t frame) {
    uint8_t buttons[2] = {0};
    if (r->entry == NULL)
        return;
    for (size_t i = 0; i < r->entry->holds.len; i++) {
        const struct rom_hold *hold = &r->entry->holds.at[i];
        if (frame >= hold->from && frame < hold->to)
            buttons[hold->port] |= hold->buttons;
    }
    for (unsigned i = 0; i < r->count; i++)
        for (unsigned port = 0; port < 2; port++)
            nes_set_buttons(r->nes[i], port, buttons[port]);
    for (size_t i = 0; i < r->entry->resets.len; i++)
        if (r->entry->resets.at[i] == frame)
            press_reset(r);
}

/* Compares the states of the machines. */
static void compare_ways(struct run *r) {
    static const char *const names[WAYS] = {"", "with pictures", "cycle by cycle", "interpreted"};
    for (unsigned i = 1; i < r->count; i++)
        if (nes_differences(r->nes[i], r->nes[0], NULL, 0) > 0) {
            decide(r, OUTCOME_DIFFERS, "%s it ends frame %" PRIu64 " in another state", names[i],
                   r->v->frames - 1);
            return;
        }
}

/* True after a JAM, unless the program has asked for a reset. */
static bool stuck(const struct run *r) {
    uint32_t pc;
    uint64_t frame;
    if (!nes_jammed(r->nes[0], &pc, &frame))
        return false;
    if (r->entry != NULL)
        for (size_t i = 0; i < r->entry->resets.len; i++)
            if (r->entry->resets.at[i] >= r->v->frames)
                return false;
    return r->wanted == 0;
}

static void after_frame(struct run *r, bool protocol, bool has_verdict) {
    compare_ways(r);
    if (r->decided || !has_verdict)
        return;
    if (protocol)
        listen(r);
    else
        look(r);
    uint32_t pc;
    uint64_t frame;
    if (!r->decided && stuck(r) && nes_jammed(r->nes[0], &pc, &frame))
        decide(r, OUTCOME_FAILED, "a JAM instruction at $%04X", (unsigned)pc);
}

static enum status run_frames(struct run *r, uint64_t frames, bool has_verdict, struct error *e) {
    const bool protocol = r->entry == NULL || !rom_entry_decides(r->entry);
    while (r->v->frames < frames && !r->decided) {
        if (r->stopped != NULL && r->stopped() != 0)
            return error_set(e, STATUS_INTERRUPTED, "stopped by signal %d in frame %" PRIu64,
                             r->stopped(), r->v->frames);
        before_frame(r, r->v->frames);
        for (unsigned i = 0; i < r->count; i++) {
            const enum status status = nes_run_frame(r->nes[i], e);
            if (status != STATUS_OK)
                return status;
        }
        r->v->frames++;
        after_frame(r, protocol, has_verdict);
    }
    if (!r->decided && has_verdict) {
        decide(r, OUTCOME_UNKNOWN, "no verdict after %" PRIu64 " frames", r->v->frames);
        if (speaks(r->nes[0]))
            keep_said(r);
    }
    if (r->v->outcome != OUTCOME_PASSED && !protocol && r->v->said[0] == 0)
        keep_screen(r);
    return STATUS_OK;
}

static enum status create(struct run *r, const struct cartridge *cartridge,
                          const struct verdict_options *options, struct error *e) {
    const bool pictures = r->entry != NULL && r->entry->pictures.len > 0 && !options->ways;
    struct nes_options ways[WAYS] = {
        [PLAIN] = {.cartridge = cartridge, .no_fast = options->no_fast, .pictures = pictures},
        [PICTURES] = {.cartridge = cartridge, .pictures = true},
        [SLOW] = {.cartridge = cartridge, .no_fast = true, .no_skip = true},
        [INTERPRETED] = {.cartridge = cartridge},
    };
    enum status status = STATUS_OK;
    r->count = options->ways ? WAYS : 1;
    for (unsigned i = 0; i < r->count && status == STATUS_OK; i++) {
        ways[i].console =
            r->entry != NULL && r->entry->console_given ? r->entry->console : options->console;
        status = i == PLAIN ? engine_create(&r->nes[i], &options->engine, &ways[i], e)
                            : nes_create(&r->nes[i], &ways[i], e);
    }
    return status;
}

/* Compares with the log beside the ROM, or the given one. */
static enum status run_log(struct run *r, const char *path, const struct verdict_options *options,
                           struct error *e) {
    if (options->log != NULL)
        return verdict_log(r->v, r->nes[0], options->log, e);
    const char *slash = strrchr(path, '/');
    char *log;
    if (asprintf(&log, "%.*s%s", slash != NULL ? (int)(slash - path + 1) : 0, path, r->entry->log) <
        0)
        return error_set(e, STATUS_MEMORY, "%s: out of memory", path);
    const enum status status = verdict_log(r->v, r->nes[0], log, e);
    free(log);
    if (status != STATUS_IO)
        return status;
    /* A missing log is not the ROM's fault. */
    decide(r, OUTCOME_UNKNOWN, "%s; name another log with --log", e->text);
    return STATUS_OK;
}

/* Makes the program start at the log's first address. */
static void start_at(struct cartridge *c, uint16_t address) {
    uint8_t *const vector = c->prg + c->prg_size - 4;
    vector[0] = (uint8_t)address;
    vector[1] = (uint8_t)(address >> 8);
}

static void outcome_of_kind(struct verdict *v, const struct rom_entry *entry) {
    char text[sizeof v->text];
    if (entry->kind == ROM_EXCEPTION && v->outcome != OUTCOME_PASSED &&
        v->outcome != OUTCOME_DIFFERS) {
        snprintf(text, sizeof text, "%s (%.200s)", entry->why, v->text);
        memcpy(v->text, text, sizeof text);
        v->outcome = OUTCOME_EXCEPTION;
    } else if (entry->kind >= ROM_NO_VERDICT && v->outcome != OUTCOME_DIFFERS) {
        snprintf(v->text, sizeof v->text, "%s", entry->why);
        v->outcome = entry->kind == ROM_NO_VERDICT ? OUTCOME_NO_VERDICT : OUTCOME_OTHER_MACHINE;
    }
}

enum status verdict_run(struct verdict *v, struct cartridge *cartridge, const char *path,
                        const struct rom_entry *entry, const struct verdict_options *options,
                        struct error *e) {
    struct run r = {.entry = entry, .v = v, .stopped = options->stopped};
    const bool has_verdict = entry == NULL || entry->kind <= ROM_EXCEPTION;
    const bool log = entry != NULL && entry->log != NULL;
    const uint64_t standard = has_verdict ? options->frames : FRAMES_DEMO;
    const uint64_t frames = entry != NULL && entry->frames != 0 ? entry->frames : standard;
    enum status status = STATUS_OK;
    *v = (struct verdict){0};
    if (options->variant_given)
        status = cartridge_set_submapper(cartridge, options->variant, e);
    else if (entry != NULL && entry->submapper_given)
        status = cartridge_set_submapper(cartridge, entry->submapper, e);
    if (log)
        start_at(cartridge, entry->log_start);
    if (status == STATUS_OK && (has_verdict || options->ways))
        status = create(&r, cartridge, options, e);
    if (status == STATUS_OK && log)
        status = run_log(&r, path, options, e);
    else if (status == STATUS_OK && r.count > 0)
        status = run_frames(&r, frames, has_verdict, e);
    if (status == STATUS_OK && entry != NULL)
        outcome_of_kind(v, entry);
    for (unsigned i = 0; i < WAYS; i++)
        nes_free(r.nes[i]);
    return status;
}
