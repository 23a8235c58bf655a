/*
 * trace_recorder: recordings of executed instructions (nes_record()). Private to core/nes and its
 * engines.
 */
#ifndef HOTGRAPH_TRACE_RECORDER_H
#define HOTGRAPH_TRACE_RECORDER_H

#include "nes/machine/machine.h"
#include "nes/observe/site.h"

struct watched_by;

/* Instructions that are recorded for an observer (nes_record()). */
struct record {
    uint64_t from;       /* begins at the first boundary from this cycle on; NEVER: not requested */
    uint64_t by;         /* hand-over deadline, if it is complete before */
    uint32_t count, met; /* instructions requested, and recorded so far */
    bool on, full;       /* in progress; complete, but not handed over */
    bool pauses;         /* cpu_run_recorded() returns after each jump, for an engine with blocks */
    uint64_t end;        /* cycle after the last; NEVER: that of the next boundary */
    struct recorded_run *runs;
    size_t run_count, runs_cap;
    /* Instead of the runs, if a shorter form is known: see TRACE_... */
    struct short_trace *trace;
    unsigned trace_parts; /* length of its parts; 0: the runs are valid */
    uint32_t number;      /* see struct recording */
};

/* A trace in a shorter form than runs. Its first number has TRACE_OF_CODE, which that of runs never
 * has. */
#define TRACE_OF_CODE (UINT64_C(1) << 63)
#define TRACE_OF_WAIT (UINT64_C(1) << 62 | TRACE_OF_CODE)
struct short_trace {
    uint64_t first; /* TRACE_OF_... | the value described below */
    uint64_t banks; /* as struct recorded_run has them */
    /* Padded with a 0 to an even number of parts.
     *  - TRACE_OF_CODE, code that an engine has numbered: each part is a number (see
     *    engine.recorded_code) and, in the lower TRACE_COUNT_BITS bits, the number of instructions
     *    executed. `first` is the index of the first executed instruction in the first part.
     *  - TRACE_OF_WAIT, a busy-wait: the pc of the first instruction and, in the lower 16 bits, the
     *    pc at which passes begin. `first` is the number of instructions of a pass and, above
     *    TRACE_COUNT_BITS bits, of the first pass. */
    uint32_t parts[];
};
enum { TRACE_COUNT_BITS = 8, TRACE_CODES = 1 << (32 - TRACE_COUNT_BITS) };
static inline uint32_t trace_low(uint64_t number) {
    return number & ((1u << TRACE_COUNT_BITS) - 1);
}

/* Snapshot of code in writable memory, for recordings. Three bytes are readable at its last
 * instruction. */
enum { SNAPSHOT_MOST = 80 };
struct snapshot {
    uint8_t size, bytes[SNAPSHOT_MOST];
};

/* A numbered trace of a busy-wait: most recordings of a program that waits repeat a few traces. */
struct numbered_trace {
    uint64_t first, banks;
    uint32_t part, number;
};
enum { TRACES_NUMBERED = 256 };

/* What is mapped, as struct recorded_run has it. */
static inline uint64_t record_banks(const struct nes *n) {
    const uint32_t *const bank = n->board.prg_bank;
    return n->board.banked ? bank[0] | (uint64_t)bank[1] << 16 | (uint64_t)bank[2] << 32 |
                                 (uint64_t)bank[3] << 48
                           : 0;
}
/* Begins the recording. */
void record_begin(struct record *r);
/* Records an instruction that is about to be executed. */
void record_insn(const struct nes *n, struct record *r, const struct site *site);
/* Number of its trace, which must be that of a busy-wait; 0: none is left. */
uint32_t record_number(struct nes *n, const struct record *r);
/* A run of `size` bytes of code at pc, without banks and number; false: out of memory. */
bool record_code(struct nes *n, uint16_t pc, const uint8_t *bytes, unsigned size,
                 struct recorded_run *out);
/* Call after the last instruction: the recording is handed over at the next boundary. */
void record_complete(struct nes *n, struct record *r);
/* Hands over a complete recording. */
void record_hand_over(struct nes *n, struct watched_by *by);
void record_free(struct record *r);

#endif
