/*
 * testrom: test ROMs run to their verdict, wherever they leave it, and the table that knows where.
 *
 *  - romtable: what is known about test ROMs
 *  - verdict: one ROM, run as an entry of the table says
 */
#ifndef HOTGRAPH_TESTROM_H
#define HOTGRAPH_TESTROM_H

#include "base/base.h"
#include "cli/cli.h"

/*
 * romtable: what is known about test ROMs: how to run each and where it leaves its verdict.
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
 *     label "TEXT"         tells entries of one ROM apart in messages
 *     exception "WHY"      it is known not to pass
 *     none "WHY"           it has no verdict
 *     other "WHY"          it is for another machine
 *
 * Where there is no ram, pc, picture, text or log the ROM speaks the $6000 protocol. All that are
 * given must hold, but a log stands alone. A ROM may have several entries: it is run as each of
 * them says.
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
    char *label; /* NULL: none; so are the other texts */
    enum rom_kind kind;
    char *why; /* where kind is not ROM_TEST */

    uint64_t frames; /* 0: not said */
    VEC(struct rom_byte) ram;
    bool pc_given, submapper_given;
    uint16_t pc;
    VEC(struct rom_picture) pictures;
    unsigned area[4]; /* x, y, width, height; a width of 0: all of it */
    char *text, *fails;
    uint8_t tiles;
    char *log;
    uint16_t log_start;
    VEC(struct rom_hold) holds;
    VEC(uint64_t) resets;
    unsigned submapper;
};

struct romtable {
    VEC(struct rom_entry) entries;
};

/* The table that belongs to the program. */
extern const char romtable_text[];

/* Appends what `text` says to *t (zero is empty); `name` is for messages. After an error *t is
 * still to be freed. */
enum status romtable_parse(struct romtable *t, const char *text, const char *name, struct error *e);
void romtable_free(struct romtable *t);
/* The first entry behind `after` (NULL: of all) with this SHA-1, or NULL. */
const struct rom_entry *romtable_next(const struct romtable *t, const struct rom_entry *after,
                                      const char *sha1);
/* Whether the entry says itself how the verdict is found; else the ROM speaks the protocol. */
bool rom_entry_decides(const struct rom_entry *r);

/*
 * verdict: runs a test ROM until it has told whether this machine is right.
 *
 * How a ROM tells it is a matter of its entry in a table (romtable.h); without one it has to speak
 * the protocol of blargg's test ROMs: it keeps DE B0 61 at $6001-$6003 and its status at $6000: $80
 * runs, $81 wants the reset button pressed, not before 100 ms have passed, less than $80 is the
 * result, 0 for passed. A text that ends with a zero byte stands from $6004 on.
 */

enum outcome {
    OUTCOME_PASSED,
    OUTCOME_FAILED,
    OUTCOME_UNKNOWN,   /* neither passed nor failed within its time */
    OUTCOME_EXCEPTION, /* did not pass, and the table says why it need not */
    OUTCOME_NO_VERDICT,
    OUTCOME_OTHER_MACHINE,
    OUTCOME_DIFFERS, /* the ways of running it ended in different states */
    OUTCOMES
};

struct verdict {
    enum outcome outcome;
    uint64_t frames; /* that were run */
    char text[512];  /* why, in one line; "" when passed */
    char said[2048]; /* what the ROM itself has left as text; may be "" */
};

struct verdict_options {
    uint64_t frames;             /* most frames where the entry does not say how many */
    const char *log;             /* instead of the log that the entry names beside the ROM; NULL */
    struct engine_choice engine; /* that runs it */
    struct nes_console console;  /* that it runs on */
    bool no_fast;                /* run everything cycle by cycle */
    /* Run it by the interpreter, with pictures and cycle by cycle, too, and compare the states. */
    bool ways;
    unsigned variant; /* where variant_given: run as this submapper */
    bool variant_given;
    int (*stopped)(void); /* other than 0: STATUS_INTERRUPTED at the next frame; may be NULL */
};

/* Runs the ROM at `path` (loaded as `cartridge`, whose submapper may be changed) as `entry` says;
 * NULL: the protocol. Errors are those of reading a log and of memory. */
enum status verdict_run(struct verdict *v, struct cartridge *cartridge, const char *path,
                        const struct rom_entry *entry, const struct verdict_options *options,
                        struct error *e);

/* ---- verdict_log.c ---- */

/* Runs the machine, which stands before its reset sequence, and compares every instruction with the
 * log at `path`: address, bytes, registers, cycle, and the PPU's line and dot. */
enum status verdict_log(struct verdict *v, struct nes *nes, const char *path, struct error *e);

#endif
