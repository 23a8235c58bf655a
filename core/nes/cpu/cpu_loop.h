/*
 * cpu_loop: the body of the fast loops. An includer defines LOOP_FUNCTION, the function's head, and
 * these hooks, which are empty in a loop without observers:
 *
 *   MEETS()       whether MET() has anything to do for the instruction at `ip`
 *   MET()         an instruction is about to be executed (it may still be left to nes_step()). It
 *                 exists once in the loop, all dispatches go there
 *   WENT(how)     it was executed, see enum insn_outcome. The state is that of the boundary after
 *                 it. OPCODE is its opcode unless LOOP_ENDS_ONCE; from_pc is its address unless
 *                 OUTCOME_NEXT; `took` are its cycles
 *   LEFT()        the loop ends
 *   LOOP_LOCALS() declares the locals of the hooks
 *
 * It also defines LOOP_SKIPS, whether to look for busy-waits; LOOP_STOPS, whether to stop at one;
 * LOOP_READS(address) and LOOP_WRITES(address), whether that device may be accessed, which moves
 * the deadline; and LOOP_ENDS_ONCE, 1 if the hooks are so much code that they should exist once
 * instead of after each of the 256 instructions.
 *
 * All of this is macros, because the registers are locals and a primitive may leave the loop. `ip`
 * points at the instruction in the host's memory, and pc is ip - base. `budget` is the number of
 * cycles before the last one in which an instruction may start. Whatever the loop cannot do at once
 * it leaves, unchanged, to nes_step().
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
/* A device may be accessed in an instruction's last cycle, whose number is known: nothing can
 * happen before it. (The byte on the bus is the high byte of the address if the index has not
 * carried.) While reads of $2002 return the same value, they move no deadline. */
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
            if ((at) >= 0x4020) /* the board may have remapped the
                                   code */                                 \
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

/* Execution must be in plain memory. Elsewhere `end` is NULL, so there is no instruction at `ip`,
 * and the loop ends. The last byte on the bus was the high byte of the address. */
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
        if (__builtin_expect(MEETS(), 0))                                                          \
            goto met;                                                                              \
        goto *labels[*ip];                                                                         \
    } while (0)
/* One dispatch for all instructions is slower, but compiles in a fraction of the time with a
 * sanitizer. */
#if defined HOTGRAPH_ONE_DISPATCH || LOOP_ENDS_ONCE
#define DISPATCH() goto dispatch
#else
#define DISPATCH() DISPATCH_HERE()
#endif
/* Ends an instruction. After a jump from `from` to PC(0) that is `back`, short and backwards, the
 * loop stops at a busy-wait, which the caller can skip. */
#define ENDED(how)                                                                                 \
    do {                                                                                           \
        executed++;                                                                                \
        WENT(how);                                                                                 \
        if ((how) == OUTCOME_TARGET && back && (LOOP_STOPS) &&                                     \
            wait_candidate(n, n->idle.waits, from, from_pc, PC(0), executed)) {                    \
            n->idle.waiting = wait_entry(n->idle.waits, from_pc);                                  \
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
        took = (cost);                                                                             \
        budget -= took;                                                                            \
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
/* Unreachable: SLOW_ONLY comes first. */
#define GOTO_BRK(to)  GOTO_INDIRECT(to)
#define GOTO_RTI(to)  GOTO_INDIRECT(to)
#define STAY_JAMMED() goto leave
/* Stores the locals in the machine. */
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
    const uint8_t *from = NULL; /* of the last jump: */
    uint16_t from_pc = 0;
    unsigned back = 0;
    unsigned took = 0; /* cycles of the last instruction */
    (void)took;
    /* Which operands and distances are short backward jumps; none if busy-waits are not skipped. */
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

met:
    MET();
    goto *labels[*ip];
leave:
    LEFT();
    STORE_REGISTERS();
}
