/* The loop of cpu_ram.c for a machine whose observers go by opcodes: an instruction that goes on is counted as the last
 * one that was met at its address with its opcode. */
#include "nes/machine/machine.h"
#include "nes/observe/watch.h"

enum { BOARD = 0x4020 /* it may switch banks */ };

/* Fires the probes of a transfer. */
static __attribute__((noinline)) void fire_transfer(struct nes *n, struct site *site,
                                                    enum insn_outcome outcome) {
    /* A JSR that pushes onto its own operand does not go to its encoded target. */
    if (outcome == OUTCOME_TARGET && n->cpu.r.pc != (uint16_t)site->insn.target)
        outcome = OUTCOME_ELSEWHERE;
    struct hooks *const hooks = &site->probes[watch_when(outcome)];
    if (hooks->simple)
        watch_add(n, hooks);
    else if (hooks->fires)
        watch_fire(n, hooks, site->insn.address, nes_code_address(n, n->cpu.r.pc));
}

#define LOOP_FUNCTION                                                                              \
    void cpu_run_ram_tallied(struct nes *n, uint64_t stop, uint64_t deadline, bool touches,        \
                             enum ram_end *ended)
#define LOOP_SKIPS      false
#define LOOP_STOPS      false
#define LOOP_READS(at)  touches
#define LOOP_WRITES(at) (touches && (at) < BOARD)
#define LOOP_ENDS_ONCE  0
#define IS_BRANCH       ((OPCODE & 0x1f) == 0x10)
#define MEETS()                                                                                    \
    (site = slots[PC(0)], !site || site->by_opcode != epoch || site->insn.bytes[0] != *ip)
/* A transfer, or an instruction that has not been met with this opcode. */
#define MET()                                                                                      \
    do {                                                                                           \
        if (!watch_find_by_opcode(n, &site, PC(0), ip)) {                                          \
            *ended = RAM_UNKNOWN;                                                                  \
            goto leave;                                                                            \
        }                                                                                          \
    } while (0)
#define WENT(how)                                                                                  \
    do {                                                                                           \
        if ((how) == OUTCOME_NEXT) {                                                               \
            counters[site->tally.counter[0] - 1]++;                                                \
            break;                                                                                 \
        }                                                                                          \
        if ((how) == OUTCOME_TARGET && IS_BRANCH) {                                                \
            counters[site->tally.counter[1] - 1]++;                                                \
        } else {                                                                                   \
            STORE_REGISTERS();                                                                     \
            fire_transfer(n, site, how);                                                           \
        }                                                                                          \
        if (PC(0) >= 0x8000 || n->observed.attention) {                                            \
            *ended = RAM_LEFT;                                                                     \
            end = NULL;                                                                            \
        }                                                                                          \
    } while (0)
#define LEFT() ((void)0)
#define LOOP_LOCALS()                                                                              \
    struct site *const *const slots = n->observed.watch->slots;                                    \
    const uint32_t epoch = n->observed.watch->probes_epoch;                                        \
    uint64_t *const counters = n->observed.counters;                                               \
    struct site *site = NULL
#include "nes/cpu/cpu_loop.h"
