/*
 * verdict: runs a test ROM until it has told whether this machine is right.
 *
 * How a ROM tells it is a matter of its entry in a table (romtable.h); without one it has to speak
 * the protocol of blargg's test ROMs: it keeps DE B0 61 at $6001-$6003 and its status at $6000: $80
 * runs, $81 wants the reset button pressed, not before 100 ms have passed, less than $80 is the
 * result, 0 for passed. A text that ends with a zero byte stands from $6004 on.
 */
#ifndef HOTGRAPH_VERDICT_H
#define HOTGRAPH_VERDICT_H

#include "engines.h"
#include "romtable.h"

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
    bool no_fast;                /* run everything cycle by cycle */
    /* Run it by the interpreter, with pictures and cycle by cycle, too, and compare the states. */
    bool ways;
    unsigned variant; /* where variant_given: run as this submapper */
    bool variant_given;
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
