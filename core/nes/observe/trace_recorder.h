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
    uint64_t from;       /* they begin at the first boundary from here on; NEVER: nobody asks */
    uint64_t by;         /* the latest to hand them over, if there are enough before */
    uint32_t count, met; /* how many are wanted, and are there */
    bool on, full;       /* under way; complete, and to be handed over */
    bool pauses;         /* cpu_run_recorded() comes back behind each jump: an engine has blocks */
    uint64_t end;        /* cycle behind the last; NEVER: that of the next boundary */
    struct recorded_run *runs;
    size_t run_count, runs_cap;
    /* Instead of the runs, where it is known in a shorter form: see WAY_... */
    struct way *way;
    unsigned way_parts; /* of it; 0: there are runs */
    uint32_t number;    /* see struct recording */
};

/* What was executed, where that is told shorter than by runs, which never begin with a number that
 * has WAY_OF_CODE. */
#define WAY_OF_CODE (UINT64_C(1) << 63)
#define WAY_OF_WAIT (UINT64_C(1) << 62 | WAY_OF_CODE)
struct way {
    uint64_t first; /* WAY_OF_...| what is said below */
    uint64_t banks; /* as struct recorded_run has them */
    /* As many as there are, and one of 0 behind them where they are odd.
     * Of code that an engine knows by numbers: the number (see engine.recorded_code) and, in the
     * lower WAY_COUNT bits, how many instructions of it were executed; `first` is the number of
     * the first instruction in the first of them.
     * Of a busy-wait: the pc of the first instruction, and in the lower 16 bits where passes begin.
     * `first` has the instructions of a pass and, above WAY_COUNT bits, those of the first one. */
    uint32_t parts[];
};
enum { WAY_COUNT = 8, WAY_CODES = 1 << (32 - WAY_COUNT) };
static inline uint32_t way_low(uint64_t number) {
    return number & ((1u << WAY_COUNT) - 1);
}

/* Code in memory that can be written, as it was once; of recordings. Three bytes can be read where
 * its last instruction begins. */
enum { PIECE_MOST = 80 };
struct piece {
    uint8_t size, bytes[PIECE_MOST];
};

/* A way of a busy-wait that has a number: most recordings of a program that waits are the same few
 * again. */
struct way_known {
    uint64_t first, banks;
    uint32_t part, number;
};
enum { WAYS_KNOWN = 256 };

/* What is mapped, as struct recorded_run has it. */
static inline uint64_t record_banks(const struct nes *n) {
    const uint32_t *const bank = n->board.prg_bank;
    return n->board.banked ? bank[0] | (uint64_t)bank[1] << 16 | (uint64_t)bank[2] << 32 |
                                 (uint64_t)bank[3] << 48
                           : 0;
}
/* Begins. */
void record_begin(struct record *r);
/* The instruction is about to be executed. */
void record_insn(const struct nes *n, struct record *r, const struct site *site);
/* The number of its way, which is a busy-wait's; 0: there are no more. */
uint32_t record_number(struct nes *n, const struct record *r);
/* A run of `size` bytes of code at pc, without banks and number; false: out of memory. */
bool record_code(struct nes *n, uint16_t pc, const uint8_t *bytes, unsigned size,
                 struct recorded_run *out);
/* The last of them has been executed: it is handed over at the next boundary. */
void record_complete(struct nes *n, struct record *r);
/* Hands over what is full. */
void record_hand_over(struct nes *n, struct watched_by *by);
void record_free(struct record *r);

#endif
