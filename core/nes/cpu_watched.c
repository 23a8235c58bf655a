/* The fast loop once more, with probes: the loop for unwatched machines pays nothing for them. */
#include "nes/machine.h"
#include "nes/watch.h"

/* A callback may have moved an alarm or asked to step: then the loop ends at the next boundary. */
#define NOTICE_REQUESTS()                                                                          \
    do {                                                                                           \
        if (n->attention)                                                                          \
            end = NULL;                                                                            \
    } while (0)
#define LOOP_FUNCTION void cpu_run_watched(struct nes *n, uint64_t stop, uint64_t deadline)
/* Who steps hears of each instruction of a busy-wait. */
#define LOOP_SKIPS     (!n->stepping)
#define LOOP_STOPS     true
#define LOOP_TOUCHES   false
#define LOOP_ENDS_ONCE 1
#define MET()                                                                                      \
    do {                                                                                           \
        if (silence[PC(0)]) {                                                                      \
            site = NULL;                                                                           \
        } else {                                                                                   \
            site = watch_find(n, PC(0), watch_slot(n, PC(0), ip), ip);                             \
            met = true;                                                                            \
            if (__builtin_expect(n->stepping | site->probes[PROBE_BEFORE].fires, 0)) {             \
                STORE_REGISTERS();                                                                 \
                watch_before(n, site, n->cycle);                                                   \
                NOTICE_REQUESTS();                                                                 \
            }                                                                                      \
        }                                                                                          \
    } while (0)
/* A JSR that pushes onto its own operand goes elsewhere than it says. */
#define AS_ENCODED(how) ((how) != WENT_TARGET || PC(0) == (uint16_t)site->insn.target)
#define TELL(how)                                                                                  \
    do {                                                                                           \
        const enum went went_ = AS_ENCODED(how) ? (how) : WENT_ELSEWHERE;                          \
        struct hooks *const hooks_ = &site->probes[watch_when(went_)];                             \
        met = false;                                                                               \
        if (hooks_->simple) {                                                                      \
            watch_add(n, hooks_);                                                                  \
        } else if (hooks_->fires) {                                                                \
            STORE_REGISTERS();                                                                     \
            watch_fire(n, hooks_, site->insn.address, nes_code_address(n, PC(0)));                 \
        }                                                                                          \
        NOTICE_REQUESTS(); /* also those from before the instruction: a jump has set `end` anew */ \
    } while (0)
#define WENT(how)                                                                                  \
    do {                                                                                           \
        if ((how) != WENT_NEXT || site)                                                            \
            TELL(how);                                                                             \
    } while (0)
#define LEFT() (n->announced = met)
#define LOOP_LOCALS()                                                                              \
    const uint8_t *const silence = n->stepping ? watch_nowhere : n->watch->silence;                \
    struct site *site = NULL;                                                                      \
    bool met = false;                                                                              \
    n->attention = false
#include "nes/cpu_loop.h"
