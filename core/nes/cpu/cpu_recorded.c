/* The fast loop for a machine whose only activity is one observer's recording of a few
 * instructions. Only the destinations of jumps are recorded. After the last recorded instruction
 * the loop runs on to the next jump, where an engine has blocks, or a busy-wait may begin. */
#include "nes/machine/machine.h"
#include "nes/observe/watch.h"

#define LOOP_FUNCTION                                                                              \
    static void run_recorded(struct nes *n, struct record *r, uint64_t stop, uint64_t deadline)
#define LOOP_SKIPS      true
#define LOOP_STOPS      false
#define LOOP_READS(at)  true
#define LOOP_WRITES(at) true
#define LOOP_ENDS_ONCE  0
/* `limit` is the next instruction to examine: the last one, and each one in writable memory. */
#define MEETS() (executed == limit)
#define MET()                                                                                      \
    do {                                                                                           \
        if (executed != complete) {                                                                \
            run += run->at != executed - first;                                                    \
            *run = (struct recorded_run){banks, .at = (uint32_t)(executed - first),                \
                                         .opcode = ip[0], .operand = {ip[1], ip[2]}, .pc = PC(0)}; \
            limit = executed + 1;                                                                  \
        } else {                                                                                   \
            r->end = START();                                                                      \
            over = true;                                                                           \
            limit = NEVER;                                                                         \
            stop = earlier(stop, r->by);                                                           \
            MOVE_DEADLINE();                                                                       \
            if (budget < 0)                                                                        \
                goto leave;                                                                        \
        }                                                                                          \
    } while (0)
#define WENT(how)                                                                                  \
    do {                                                                                           \
        if ((how) != OUTCOME_NEXT) {                                                               \
            if (over) {                                                                            \
                end = NULL;                                                                        \
                if ((how) == OUTCOME_TARGET && back)                                               \
                    n->idle.waiting = wait_at(n, n->idle.waits, from, from_pc, PC(0));             \
            } else {                                                                               \
                *++run =                                                                           \
                    (struct recorded_run){banks, .at = (uint32_t)(executed - first), .pc = PC(0)}; \
                limit = PC(0) < 0x8000 ? executed : complete;                                      \
                if (pauses)                                                                        \
                    end = NULL;                                                                    \
            }                                                                                      \
        }                                                                                          \
    } while (0)
#define LEFT()                                                                                     \
    do {                                                                                           \
        if (executed == complete && !over) {                                                       \
            r->end = START();                                                                      \
            over = true;                                                                           \
        }                                                                                          \
        r->met = over ? r->count : (uint32_t)(executed - first);                                   \
        r->run_count = (size_t)(run - r->runs) + (run->at < r->met);                               \
        r->full = over;                                                                            \
    } while (0)
#define LOOP_LOCALS()                                                                              \
    const uint64_t first = executed - r->met, banks = record_banks(n);                             \
    const uint64_t complete = first + r->count;                                                    \
    uint64_t limit = n->cpu.r.pc < 0x8000 ? executed : complete;                                   \
    const bool pauses = r->pauses;                                                                 \
    bool over = false;                                                                             \
    struct recorded_run *run = r->runs + r->run_count;                                             \
    *run = (struct recorded_run) {                                                                 \
        banks, .at = r->met, .pc = n->cpu.r.pc                                                     \
    }
#include "nes/cpu/cpu_loop.h"

void cpu_run_recorded(struct nes *n, uint64_t stop, uint64_t deadline) {
    struct record *const r = n->observed.recorder;
    run_recorded(n, r, stop, deadline);
    if (r->full)
        record_complete(n, r);
}
