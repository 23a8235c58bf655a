/*
 * testrom: runs test ROMs and finds their verdicts, with the help of a table that says where each
 * ROM leaves its verdict.
 *
 *  - romtable: the table of test ROMs
 *  - verdict: runs one ROM according to its entry in the table
 */
#ifndef HOTGRAPH_TESTROM_H
#define HOTGRAPH_TESTROM_H

#include "base/base.h"
#include "cli/cli.h"

/*
 * romtable: the table of test ROMs: how to run each, and where it leaves its verdict.
 *
 * A table is text. An entry begins at the start of a line with the SHA-1 of the ROM's PRG and CHR
 * and its name in quotation marks; then, also on further lines that begin with a space, come words
 * in any order (numbers decimal, addresses and bytes hexadecimal, # begins a comment):
 *
 *     frames N             how long to run; with `text` at most
 *     ram ADDRESS BYTE     passed when the byte stands there at the end
 *     pc ADDRESS           ... when the program is there at the end
 *     picture FROM TO HASH ... when each of these frames looks so (FNV-1a of nes_picture's pixels)
 *     area X Y WIDTH HEIGHT only this part of the pictures counts (decimal, in pixels)
 *     text "A|B"           passed as soon as a row of the name tables contains one of these texts
 *     fails "A|B"          failed as soon as one contains one of these
 *     tiles N              a character's tile is its ASCII code less N (else 0)
 *     log "FILE" ADDRESS   run from ADDRESS, every instruction as in the log FILE beside the ROM
 *     hold FROM TO BUTTONS pad 1 holds them in the frames FROM to TO-1: letters of ABsSUDLR (A, B,
 *                          select, Start, directions); hold2: pad 2
 *     reset FRAME          the reset button is pressed before that frame
 *     submapper N          run as this variant of the board
 *     console "KIND"       run on this console, as --console has it
 *     label "TEXT"         tells entries of one ROM apart in messages
 *     exception "WHY"      it is known not to pass
 *     none "WHY"           it has no verdict
 *     other "WHY"          it is for another machine
 *
 * Without ram, pc, picture, text or log, the ROM uses the $6000 protocol. All conditions must hold;
 * a log must be the only one. A ROM with several entries is run once for each.
 */

struct rom_byte {
    uint16_t address;
    uint8_t value;
};

struct rom_picture {
    uint64_t from, to, hash; /* frames from..to */
};

struct rom_hold {
    uint64_t from, to;
    uint8_t port, buttons;
};

enum rom_kind { ROM_TEST, ROM_EXCEPTION, ROM_NO_VERDICT, ROM_OTHER_MACHINE };

struct rom_entry {
    char sha1[41];
    char *name;
    char *label; /* NULL: none, like the other texts */
    enum rom_kind kind;
    char *why; /* if kind is not ROM_TEST */

    uint64_t frames; /* 0: not given */
    VEC(struct rom_byte) ram;
    bool pc_given, submapper_given, console_given;
    uint16_t pc;
    VEC(struct rom_picture) pictures;
    unsigned area[4]; /* x, y, width, height; width 0: the whole picture */
    char *text, *fails;
    uint8_t tiles;
    char *log;
    uint16_t log_start;
    VEC(struct rom_hold) holds;
    VEC(uint64_t) resets;
    unsigned submapper;
    struct nes_console console;
};

struct romtable {
    VEC(struct rom_entry) entries;
};

/* The built-in table. */
extern const char romtable_text[];

/* Parses `text` and appends its entries to *t (all zero: empty); `name` is for messages. The caller
 * frees *t even after an error. */
enum status romtable_parse(struct romtable *t, const char *text, const char *name, struct error *e);
void romtable_free(struct romtable *t);
/* The first entry after `after` (NULL: from the beginning) with this SHA-1, or NULL. */
const struct rom_entry *romtable_next(const struct romtable *t, const struct rom_entry *after,
                                      const char *sha1);
/* True if the entry defines how the verdict is found; false: the ROM uses the $6000 protocol. */
bool rom_entry_decides(const struct rom_entry *r);

/*
 * verdict: runs a test ROM until it has reported whether this machine is right.
 *
 * The ROM's entry in a table says how it reports. Without an entry it must use the protocol of
 * blargg's test ROMs: DE B0 61 at $6001-$6003 and a status at $6000. $80 means running; $81 asks
 * for the reset button, after at least 100 ms; a value below $80 is the result, 0 if passed. A text
 * from $6004 on ends with a zero byte.
 */

enum outcome {
    OUTCOME_PASSED,
    OUTCOME_FAILED,
    OUTCOME_UNKNOWN,   /* neither passed nor failed in time */
    OUTCOME_EXCEPTION, /* did not pass, and the table says why that is acceptable */
    OUTCOME_NO_VERDICT,
    OUTCOME_OTHER_MACHINE,
    OUTCOME_DIFFERS, /* engines or options ended in different states */
    OUTCOMES
};

struct verdict {
    enum outcome outcome;
    uint64_t frames; /* run so far */
    char text[512];  /* why, in one line; "" when passed */
    char said[2048]; /* the ROM's own text; may be "" */
};

struct verdict_options {
    uint64_t frames;             /* the most frames, unless the entry says how many */
    const char *log;             /* replaces the log named by the entry; may be NULL */
    struct engine_choice engine; /* on which it runs */
    struct nes_console console;  /* on which it runs */
    bool no_fast;                /* run everything cycle by cycle */
    /* Also run it on the interpreter, with pictures, and cycle by cycle, and compare the states. */
    bool ways;
    unsigned variant; /* if variant_given: run as this submapper */
    bool variant_given;
    int (*stopped)(void); /* nonzero: return STATUS_INTERRUPTED at the next frame; may be NULL */
};

/* Runs the ROM at `path` (loaded as `cartridge`, whose submapper may be changed) according to
 * `entry`; NULL: the protocol. Errors: reading a log, memory. */
enum status verdict_run(struct verdict *v, struct cartridge *cartridge, const char *path,
                        const struct rom_entry *entry, const struct verdict_options *options,
                        struct error *e);

/* ---- verdict_log.c ---- */

/* Runs the machine from its reset sequence and compares every instruction with the log at `path`:
 * address, bytes, registers, cycle, and the PPU's line and dot. */
enum status verdict_log(struct verdict *v, struct nes *nes, const char *path, struct error *e);

#endif
