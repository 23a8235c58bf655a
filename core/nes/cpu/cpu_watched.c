/* The fast loop with probes. It is separate, so that the loop for machines without observers pays
 * nothing for them. */
#include "nes/machine/machine.h"
#include "nes/observe/watch.h"

enum { BOARD = 0x4020 /* it may switch the bank that an instruction lies in */ };

/* A callback may have changed an alarm or requested steps: then the loop ends at the next
 * boundary. */
#define NOTICE_REQUESTS()                                                                          \
    do {                                                                                           \
        if (n->observed.attention)                                                                 \
            end = NULL;                                                                            \
    } while (0)
#define LOOP_FUNCTION                                                                              \
    static void run_checked(struct nes *n, uint64_t stop, uint64_t deadline, bool touches)
/* An observer that steps is shown each instruction of a busy-wait. */
#define LOOP_SKIPS      (!n->observed.stepping)
#define LOOP_STOPS      true
#define LOOP_READS(at)  touches
#define LOOP_WRITES(at) (touches && (at) < BOARD)
#define LOOP_ENDS_ONCE  1
#define MEETS()         true
#define MET()                                                                                      \
    do {                                                                                           \
        tally = &tallies[PC(0) & mask];                                                            \
        if (tally->counter[0] != 0) {                                                              \
            site = NULL;                                                                           \
        } else {                                                                                   \
            site = watch_find(n, PC(0), watch_slot(n, PC(0), ip), ip);                             \
            tally = &site->tally;                                                                  \
            met = true;                                                                            \
            if (__builtin_expect(n->observed.stepping | site->probes[PROBE_BEFORE].fires, 0)) {    \
                STORE_REGISTERS();                                                                 \
                watch_before(n, site, n->cpu.cycle);                                               \
                NOTICE_REQUESTS();                                                                 \
                tally = tallies; /* that of address 0, which is in RAM:
                                    empty */                            \
            }                                                                                      \
        }                                                                                          \
    } while (0)
/* A JSR that pushes onto its own operand does not go to its encoded target. */
#define AS_ENCODED(how) ((how) != OUTCOME_TARGET || PC(0) == (uint16_t)site->insn.target)
#define TELL(how)                                                                                  \
    do {                                                                                           \
        const enum insn_outcome outcome_ = AS_ENCODED(how) ? (how) : OUTCOME_ELSEWHERE;            \
        struct hooks *const hooks_ = &site->probes[watch_when(outcome_)];                          \
        met = false;                                                                               \
        if (hooks_->simple) {                                                                      \
            watch_add(n, hooks_);                                                                  \
        } else if (hooks_->fires) {                                                                \
            STORE_REGISTERS();                                                                     \
            watch_fire(n, hooks_, site->insn.address, nes_code_address(n, PC(0)));                 \
        }                                                                                          \
        NOTICE_REQUESTS(); /* also requests made before the instruction: a jump resets `end` */    \
    } while (0)
#define WENT(how)                                                                                  \
    do {                                                                                           \
        if ((how) == OUTCOME_ELSEWHERE && !site) {                                                 \
            STORE_REGISTERS();                                                                     \
            watch_left_elsewhere(n, (uint16_t)(tally - tallies));                                  \
            NOTICE_REQUESTS();                                                                     \
        } else if ((how) == OUTCOME_ELSEWHERE || tally->counter[0] == 0) {                         \
            TELL(how);                                                                             \
        } else {                                                                                   \
            watch_count_tally(n, tally, how);                                                      \
            met = false;                                                                           \
        }                                                                                          \
        if ((how) != OUTCOME_NEXT && watch_run_known(n, PC(0)))                                    \
            end = NULL; /* cpu_run_tallied() is faster
                           there */                                             \
    } while (0)
#define LEFT() (n->observed.announced = met)
#define LOOP_LOCALS()                                                                              \
    const struct tally *const tallies = n->observed.watch->tallies, *tally = tallies;              \
    const uint16_t mask = n->observed.stepping ? 0 : n->observed.watch->tally_mask;                \
    struct site *site = NULL;                                                                      \
    bool met = false
#include "nes/cpu/cpu_loop.h"
#include "nes/cpu/deadline.h"

/* Runs code that is not known to need only counts of transfers. False: the next instruction is for others. */
static bool run_unknown(struct nes *n, uint64_t stop, uint64_t deadline, bool touches) {
    if (n->cpu.r.pc < 0x8000 && watch_goes_by_opcode(n)) {
        enum ram_end ended = RAM_STOPPED;
        cpu_run_ram_tallied(n, stop, deadline, touches, &ended);
        if (ended != RAM_UNKNOWN)
            return ended == RAM_LEFT;
    }
    run_checked(n, stop, deadline, touches);
    return true;
}

void cpu_run_watched(struct nes *n, uint64_t stop, uint64_t deadline) {
    n->observed.attention = false;
    watch_follow_banks(n);
    while (true) {
        const uint64_t start = n->cpu.cycle;
        bool goes_on = true;
        if (watch_run_known(n, n->cpu.r.pc))
            cpu_run_tallied(n, stop, deadline, &goes_on);
        else
            goes_on = run_unknown(n, stop, deadline, false);
        if (!goes_on || n->cpu.cycle == start || n->cpu.cycle > last_start(stop, deadline) ||
            n->idle.waiting || n->observed.announced || n->observed.attention)
            return;
    }
}

void cpu_run_ram_watched(struct nes *n, uint64_t stop, uint64_t deadline) {
    n->observed.attention = false;
    watch_follow_banks(n);
    run_unknown(n, stop, deadline, true);
}
