/*
 * cpu_loop: the body of the fast loops. An includer defines LOOP_FUNCTION, its head, and the hooks
 *
 *   MET()     an instruction is about to be executed (it may still be left to nes_step)
 *   WENT(how) it was executed, see enum insn_outcome; everything is as at the boundary behind it; OPCODE is
 *             its own where LOOP_ENDS_ONCE is 0, and from_pc where it was unless it went on behind
 *   LEFT()    the loop ends
 *   LOOP_LOCALS() declares what the hooks need
 *
 * as nothing where nobody watches; LOOP_SKIPS, whether it looks for busy-waits, and LOOP_STOPS,
 * whether it stops at one that it has found; LOOP_READS(address) and LOOP_WRITES(address), whether
 * it may touch that device, which moves the deadline; and LOOP_ENDS_ONCE as 1 when the hooks are so
 * much code that they are to stand in few places, not behind each of the 256 instructions.
 *
 * Registers live in locals, and a primitive may leave the loop: therefore all of it is macros. `ip`
 * points at the instruction in the host's memory, and pc is ip - base. `budget` is how many cycles
 * later an instruction may still start. Whatever this loop cannot do at once it leaves, unchanged,
 * to nes_step.
 */
#include "nes/cpu/cpu_exec.h"
#include "nes/cpu/deadline.h"

#define LEAVE_UNLESS(condition)                                                                    \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0))                                                     \
            goto leave;                                                                            \
    } while (0)

#define FETCH(m, k)      m = ip[k]
#define FETCH_LAST(m, k) m = ip[k]
#define READ(m, at)                                                                                \
    do {                                                                                           \
        const uint8_t *const page_ = n->memory.rd[(uint16_t)(at) >> 8];                            \
        LEAVE_UNLESS(page_);                                                                       \
        m = page_[(at)&0xff];                                                                      \
    } while (0)
/* A device may be touched in an instruction's last cycle, which is known: nothing can happen before
 * it. (The byte on the bus is the address's high one where the index has not carried.) $2002, while
 * it says the same again and again, moves no deadline. */
#define READ_LAST(m, at)                                                                           \
    do {                                                                                           \
        const uint8_t *const page_ = n->memory.rd[(uint16_t)(at) >> 8];                            \
        if (__builtin_expect(page_ != NULL, 1)) {                                                  \
            m = page_[(at)&0xff];                                                                  \
        } else if ((at) != PPU_STATUS_ADDRESS || !ppu_reads_again(&n->ppu, LAST_CYCLE(), &m)) {    \
            LEAVE_UNLESS(LOOP_READS(at) && !extra);                                                \
            n->memory.bus = (uint8_t)((at) >> 8);                                                  \
            m = bus_read_at(n, at, LAST_CYCLE());                                                  \
            MOVE_DEADLINE();                                                                       \
        }                                                                                          \
    } while (0)
#define START()      (budget_end - (uint64_t)budget)
#define LAST_CYCLE() (START() + CYCLES - 1 + extra)
#define MOVE_DEADLINE()                                                                            \
    do {                                                                                           \
        const uint64_t start_ = START();                                                           \
        budget_end = last_start(stop, engine_deadline(n, p & P_I));                                \
        budget = (int64_t)(budget_end - start_);                                                   \
    } while (0)
#define ZP_READ(m, at)      m = n->memory.ram[at]
#define ZP_READ_LAST(m, at) m = n->memory.ram[at]
#define WRITE_LAST(at, m)                                                                          \
    do {                                                                                           \
        uint8_t *const page_ = n->memory.wr[(uint16_t)(at) >> 8];                                  \
        if (__builtin_expect(page_ != NULL, 1)) {                                                  \
            page_[(at)&0xff] = (m);                                                                \
        } else {                                                                                   \
            LEAVE_UNLESS(LOOP_WRITES(at));                                                         \
            bus_write_at(n, at, m, LAST_CYCLE());                                                  \
            MOVE_DEADLINE();                                                                       \
            if ((at) >= 0x4020) /* the board may have moved the code */                            \
                end = NULL;                                                                        \
        }                                                                                          \
    } while (0)
#define ZP_WRITE(at, m)        n->memory.ram[at] = (m)
#define ZP_WRITE_LAST(at, m)   n->memory.ram[at] = (m)
#define REWRITE(at, m)         LEAVE_UNLESS(n->memory.wr[(uint16_t)(at) >> 8])
#define IDLE(at)               ((void)0)
#define IDLE_LAST(at)          ((void)0)
#define STRAY(at)              LEAVE_UNLESS(n->memory.rd[(uint16_t)(at) >> 8])
#define STRAY_LAST(at)         STRAY(at)
#define PC(k)                  ((uint16_t)((uintptr_t)ip - base + (k)))
#define NOW()                  0
#define EXTRA_CYCLE(condition) (extra = (condition) != 0)
#define REACHABLE(at)          LEAVE_UNLESS(n->memory.rd[(uint16_t)(at) >> 8])
#define SLOW_ONLY()            goto leave
#define MAY_UNMASK()           LEAVE_UNLESS(!n->lines.irq)
#define CHOOSE_VECTOR()        0
#define READ_VECTOR(m, at)     m = 0

/* Code cannot run where it is not plain memory: then no instruction is at `ip`, and the loop ends.
 * The last byte on the bus was the high byte of the address. */
#define JUMP(to)                                                                                   \
    do {                                                                                           \
        const uint8_t *page_ = n->memory.rd[(to) >> 8];                                            \
        if (__builtin_expect(!page_, 0)) {                                                         \
            n->memory.bus = (to) >> 8;                                                             \
            page_ = n->memory.ram;                                                                 \
        }                                                                                          \
        end = n->memory.code_end[(to) >> 8];                                                       \
        ip = page_ + ((to)&0xff);                                                                  \
        base = (uintptr_t)page_ - ((to)&0xff00);                                                   \
    } while (0)
#define DISPATCH_HERE()                                                                            \
    do {                                                                                           \
        if (__builtin_expect(budget < 0 || ip >= end, 0))                                          \
            goto leave;                                                                            \
        MET();                                                                                     \
        goto *labels[*ip];                                                                         \
    } while (0)
/* One place for all instructions is slower, but compiles in a fraction of the time with a
 * sanitizer. */
#if defined HOTGRAPH_ONE_DISPATCH || LOOP_ENDS_ONCE
#define DISPATCH() goto dispatch
#else
#define DISPATCH() DISPATCH_HERE()
#endif
/* Behind a jump from `from` to PC(0), `back` when that is not far back: where the machine waits, it
 * can do better than this loop. */
#define ENDED(how)                                                                                 \
    do {                                                                                           \
        executed++;                                                                                \
        WENT(how);                                                                                 \
        if ((how) == OUTCOME_TARGET && back && (LOOP_STOPS) &&                                     \
            wait_candidate(n, n->idle.waits, from, from_pc, PC(0), executed)) {                    \
            n->idle.waiting = &n->idle.waits[(uintptr_t)from % WAITS];                             \
            goto leave;                                                                            \
        }                                                                                          \
        DISPATCH();                                                                                \
    } while (0)
#if LOOP_ENDS_ONCE
#define END(how) goto ended_##how
#else
#define END(how) ENDED(how)
#endif
#define DONE(cost, how)                                                                            \
    do {                                                                                           \
        budget -= (cost);                                                                          \
        END(how);                                                                                  \
    } while (0)

#define NEXT(size)                                                                                 \
    do {                                                                                           \
        ip += (size);                                                                              \
        DONE(CYCLES + extra, OUTCOME_NEXT);                                                        \
    } while (0)
#define GOTO_NEAR(to)                                                                              \
    do {                                                                                           \
        from = ip;                                                                                 \
        from_pc = PC(0);                                                                           \
        back = m_ & near_back;                                                                     \
        ip += 2 + (int8_t)m_;                                                                      \
        DONE(CYCLES + 1, OUTCOME_TARGET);                                                          \
    } while (0)
#define GOTO_FAR(to, more)                                                                         \
    do {                                                                                           \
        const uint16_t there_ = (to);                                                              \
        from = ip;                                                                                 \
        from_pc = PC(0);                                                                           \
        back = (uint16_t)(from_pc - there_) <= far_back;                                           \
        JUMP(there_);                                                                              \
        DONE(CYCLES + (more), OUTCOME_TARGET);                                                     \
    } while (0)
#define GOTO_INDIRECT(to)                                                                          \
    do {                                                                                           \
        const uint16_t there_ = (to);                                                              \
        from_pc = PC(0);                                                                           \
        JUMP(there_);                                                                              \
        DONE(CYCLES, OUTCOME_ELSEWHERE);                                                           \
    } while (0)
/* Never reached: SLOW_ONLY came before. */
#define GOTO_BRK(to)  GOTO_INDIRECT(to)
#define GOTO_RTI(to)  GOTO_INDIRECT(to)
#define STAY_JAMMED() goto leave
/* What the locals hold, into the machine. */
#define STORE_REGISTERS()                                                                          \
    do {                                                                                           \
        n->cpu.r = (struct registers){                                                             \
            .pc = PC(0), .nz = nz, .a = a, .x = x, .y = y, .s = s, .p = p, .c = c, .v = v};        \
        n->cpu.cycle = START();                                                                    \
        n->cpu.instructions = executed;                                                            \
    } while (0)

LOOP_FUNCTION {
    static const void *const labels[256] = {
#define OP(code, name, mode, access, cycles, status) [code] = &&op_##code,
#include "nes/isa/ops.def"
    };
    if (n->cpu.cycle >= stop || n->cpu.cycle + LONGEST_INSTRUCTION > deadline ||
        !n->memory.rd[n->cpu.r.pc >> 8])
        return;
    uint64_t budget_end = last_start(stop, deadline);
    int64_t budget = (int64_t)(budget_end - n->cpu.cycle);
    uint64_t executed = n->cpu.instructions;
    uint16_t nz = n->cpu.r.nz;
    uint8_t a = n->cpu.r.a, x = n->cpu.r.x, y = n->cpu.r.y, s = n->cpu.r.s;
    uint8_t p = n->cpu.r.p, c = n->cpu.r.c, v = n->cpu.r.v;
    const uint8_t *ip, *end;
    uintptr_t base;
    const uint8_t *from = NULL; /* behind a jump: */
    uint16_t from_pc = 0;
    unsigned back = 0;
    /* A branch's operand and a jump's distance that lead back: none where nothing is skipped. */
    const unsigned near_back = LOOP_SKIPS ? 0x80 : 0;
    const int far_back = LOOP_SKIPS ? 3 * WAIT_LONGEST : -1;
    LOOP_LOCALS();
    JUMP(n->cpu.r.pc);
#if defined HOTGRAPH_ONE_DISPATCH || LOOP_ENDS_ONCE
dispatch:
#endif
    DISPATCH_HERE();
#if LOOP_ENDS_ONCE
ended_OUTCOME_NEXT:
    ENDED(OUTCOME_NEXT);
ended_OUTCOME_TARGET:
    ENDED(OUTCOME_TARGET);
ended_OUTCOME_ELSEWHERE:
    ENDED(OUTCOME_ELSEWHERE);
#endif

#define OP(code, name, mode, access, cycles, status)                                               \
    op_##code : {                                                                                  \
        enum { CYCLES = cycles, OPCODE = code };                                                   \
        unsigned extra = 0;                                                                        \
        (void)extra;                                                                               \
        EXECUTE(name, mode, access)                                                                \
    }
#include "nes/isa/ops.def"

leave:
    LEFT();
    STORE_REGISTERS();
}
