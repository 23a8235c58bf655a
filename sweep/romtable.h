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
#ifndef HOTGRAPH_ROMTABLE_H
#define HOTGRAPH_ROMTABLE_H

#include "base/base.h"

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

#endif
