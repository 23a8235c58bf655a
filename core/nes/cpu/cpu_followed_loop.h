/*
 * cpu_followed_loop: the body of the loops of cpu_followed.h. An includer defines LOOP_FUNCTION, MEETS() and
 * MET() as for cpu_loop.h, LOOP_LOCALS() with FOLLOWING(), and COUNT(how), which counts the instruction just
 * executed. Private to core/nes.
 */
#define LOOP_SKIPS      false
#define LOOP_STOPS      false
#define LOOP_READS(at)  true
#define LOOP_WRITES(at) ((at) < BOARD)
#define LOOP_ENDS_ONCE  0
#define IS_BRANCH       ((OPCODE & 0x1f) == 0x10)
#define TOUCHED(low, high)                                                                         \
    (touches[OPCODE] == TOUCHES || (touches[OPCODE] == TOUCHES_OPERAND && is_device(low, high)))
#define WENT(how)                                                                                  \
    do {                                                                                           \
        COUNT(how);                                                                                \
        if ((how) == OUTCOME_NEXT && !IS_BRANCH) {                                                 \
            touched |= TOUCHED(ip[-2], ip[-1]);                                                    \
            break;                                                                                 \
        }                                                                                          \
        const uint64_t start = START() - took;                                                     \
        if (start >= due_cycle) {                                                                  \
            struct transfer *const t_ = &f->at[f->count];                                          \
            t_->start = start;                                                                     \
            t_->end = START();                                                                     \
            t_->from = (how) == OUTCOME_NEXT ? (uint16_t)(PC(0) - 2) : from_pc;                    \
            t_->to = PC(0);                                                                        \
            t_->untouched = !touched && !TOUCHED(PC(0) & 0xff, PC(0) >> 8); /* JMP's */            \
            t_->loops = may_loop(n, t_->from, t_->to);                                             \
            if (t_->loops)                                                                         \
                STORE_REGISTERS();                                                                 \
            if (noted(n, f))                                                                       \
                goto leave;                                                                        \
        } else {                                                                                   \
            before = start;                                                                        \
        }                                                                                          \
        touched = false;                                                                           \
        if (PC(0) < ROM && !is_followed(PC(0)))                                                    \
            goto leave;                                                                            \
    } while (0)
#define LEFT() ((void)(f->touched = touched, f->before = before))
#define FOLLOWING()                                                                                \
    const uint64_t due_cycle = f->due;                                                             \
    uint64_t before = f->before;                                                                   \
    bool touched = f->touched
#include "nes/cpu/cpu_loop.h"
