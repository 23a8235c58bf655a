/* The processor cycle by cycle: each bus access happens in its own cycle, and devices catch up with
 * it if they can observe it. */
#include "nes/machine/machine.h"
#include "nes/observe/watch.h"

#include "nes/cpu/cpu_exec.h"
#include "nes/cpu/deadline.h"

/* Tests define BUS_CYCLE to observe every bus cycle. */
#ifdef BUS_CYCLE
enum { SHOWS_CYCLES = true };
#else
enum { SHOWS_CYCLES = false };
#define BUS_CYCLE(n, address, value, write) ((void)0)
#endif

static inline void end_cycle(struct nes *n) {
    if (n->cpu.cycle >= n->lines.event)
        bus_lines(n);
    n->cpu.cycle++;
}

static inline void allow_dma(struct nes *n, uint16_t address) {
    if (n->cpu.cycle >= n->dma.from)
        bus_dma(n, address);
}

static inline uint8_t access_read(struct nes *n, uint16_t address) {
    const uint8_t *page = n->memory.rd[address >> 8];
    const uint8_t value = page ? (n->memory.bus = page[address & 0xff]) : bus_read(n, address);
    BUS_CYCLE(n, address, value, false);
    end_cycle(n);
    return value;
}

static inline uint8_t cycle_read(struct nes *n, uint16_t address) {
    allow_dma(n, address);
    return access_read(n, address);
}

static inline void cycle_write(struct nes *n, uint16_t address, uint8_t value) {
    uint8_t *page = n->memory.wr[address >> 8];
    if (page)
        page[address & 0xff] = n->memory.bus = value;
    else
        bus_write(n, address, value);
    BUS_CYCLE(n, address, value, true);
    end_cycle(n);
}

/* The decision that the chip makes at the end of the last but one cycle. */
static inline bool poll(const struct nes *n, uint8_t p) {
    return is_interrupted(n, p & P_I);
}

enum { VECTOR_NMI = 0xfffa, VECTOR_RESET = 0xfffc, VECTOR_IRQ = 0xfffe };

/* Chooses the vector of an interrupt sequence, once the return address has been pushed. */
static uint16_t choose_vector(const struct nes *n) {
    return n->lines.nmi_pending ? VECTOR_NMI : VECTOR_IRQ;
}

/* An NMI is served when the read of its vector begins: an edge one cycle earlier is lost. */
static uint8_t read_vector(struct nes *n, uint16_t vector) {
    if (vector == VECTOR_NMI)
        n->lines.nmi_pending = false;
    return cycle_read(n, vector);
}

/* The primitives of cpu_exec.h: one bus cycle each. */
#define LAST_READ(address)         (allow_dma(n, address), due |= poll(n, p), access_read(n, address))
#define LAST_WRITE(address, value) (due |= poll(n, p), cycle_write(n, address, value))
#define FETCH(m, k)                m = n->cpu.fetched[k] = cycle_read(n, PC(k))
#define FETCH_LAST(m, k)           m = n->cpu.fetched[k] = LAST_READ(PC(k))
#define READ(m, at)                m = cycle_read(n, at)
#define READ_LAST(m, at)           m = LAST_READ(at)
#define ZP_READ(m, at)             m = cycle_read(n, at)
#define ZP_READ_LAST(m, at)        m = LAST_READ(at)
#define WRITE_LAST(at, m)          LAST_WRITE(at, m)
#define ZP_WRITE(at, m)            cycle_write(n, at, m)
#define ZP_WRITE_LAST(at, m)       LAST_WRITE(at, m)
#define REWRITE(at, m)             cycle_write(n, at, m)
#define IDLE(at)                   cycle_read(n, at)
#define IDLE_LAST(at)              LAST_READ(at)
#define STRAY(at)                  cycle_read(n, at)
#define STRAY_LAST(at)             LAST_READ(at)
#define PC(k)                      ((uint16_t)(pc + (k)))
#define NOW()                      (n->cpu.cycle)
#define EXTRA_CYCLE(condition)     ((void)0)
#define REACHABLE(at)              ((void)0)
#define SLOW_ONLY()                ((void)0)
#define MAY_UNMASK()               ((void)0)
#define CHOOSE_VECTOR()            choose_vector(n)
#define READ_VECTOR(m, at)         m = read_vector(n, at)
#define LEAVE(to, how)                                                                             \
    do {                                                                                           \
        pc = (to);                                                                                 \
        outcome = (how);                                                                           \
        goto done;                                                                                 \
    } while (0)
#define NEXT(size)          LEAVE((uint16_t)(pc + (size)), OUTCOME_NEXT)
#define GOTO_NEAR(to)       LEAVE(to, OUTCOME_TARGET)
#define GOTO_FAR(to, extra) LEAVE(to, OUTCOME_TARGET)
#define GOTO_INDIRECT(to)   LEAVE(to, OUTCOME_ELSEWHERE)
#define GOTO_BRK(to)        LEAVE(to, OUTCOME_ELSEWHERE)
#define GOTO_RTI(to)        LEAVE(to, OUTCOME_RTI)
#define STAY_JAMMED()                                                                              \
    do {                                                                                           \
        n->cpu.phase = PHASE_JAM;                                                                  \
        n->cpu.jam_cycle = 0;                                                                      \
        n->cpu.jam_frame = n->frame.number;                                                        \
        due = false;                                                                               \
        LEAVE(pc, OUTCOME_NOWHERE);                                                                \
    } while (0)

/* Not inlined: its callers' short paths need not save its registers. */
static __attribute__((noinline)) enum insn_outcome execute(struct nes *n) {
    uint16_t pc = n->cpu.r.pc, nz = n->cpu.r.nz;
    uint8_t a = n->cpu.r.a, x = n->cpu.r.x, y = n->cpu.r.y, s = n->cpu.r.s;
    uint8_t p = n->cpu.r.p, c = n->cpu.r.c, v = n->cpu.r.v;
    enum insn_outcome outcome;
    bool due = false;
    switch (n->cpu.fetched[0] = cycle_read(n, pc)) {
#define OP(code, name, mode, access, cycles, status)                                               \
    case code: {                                                                                   \
        EXECUTE(name, mode, access)                                                                \
    }
#include "nes/isa/ops.def"
    }
    __builtin_unreachable();
done:
    n->cpu.r = (struct registers){
        .pc = pc, .nz = nz, .a = a, .x = x, .y = y, .s = s, .p = p, .c = c, .v = v};
    n->cpu.due = due;
    n->cpu.instructions++;
    return outcome;
}

/* True if the processor can observe nothing but memory in the next cycles, and pc is in plain
 * memory. Then a sequence of pushes or pulls can be done at once. */
static bool is_undisturbed(const struct nes *n, unsigned cycles, uint16_t pc) {
    return n->cpu.cycle + cycles <= earlier(n->lines.event, n->dma.from) && n->memory.rd[pc >> 8] &&
           n->memory.wr[1] && !n->made.options.no_fast && !SHOWS_CYCLES;
}

enum { INTERRUPT_CYCLES = 7, RTI_CYCLES = 6 };

/* RTI without separate bus cycles, with the same effect as in execute(). */
static void return_at_once(struct nes *n) {
    struct registers *const cpu = &n->cpu.r;
    const uint8_t *const stack = n->memory.wr[1], s = cpu->s;
    n->cpu.fetched[0] = OPCODE_RTI;
    cpu_set_flags(cpu, stack[(uint8_t)(s + 1)]);
    n->memory.bus = stack[(uint8_t)(s + 3)];
    cpu->pc = (uint16_t)(stack[(uint8_t)(s + 2)] | n->memory.bus << 8);
    cpu->s = (uint8_t)(s + 3);
    n->cpu.due = poll(n, cpu->p);
    n->cpu.cycle += RTI_CYCLES;
    n->cpu.instructions++;
}

static enum insn_outcome execute_at_once(struct nes *n) {
    if (!next_is_rti(n) || !is_undisturbed(n, RTI_CYCLES, (uint16_t)(n->cpu.r.pc + 1)))
        return execute(n);
    return_at_once(n);
    return OUTCOME_RTI;
}

/* interrupt() without separate bus cycles. */
static void interrupt_at_once(struct nes *n) {
    struct registers *const cpu = &n->cpu.r;
    const uint32_t resume = nes_code_address(n, cpu->pc);
    const uint8_t s = cpu->s, *const top = n->memory.rd[0xff];
    uint8_t *const stack = n->memory.wr[1];
    const uint16_t vector = choose_vector(n);
    stack[s] = (uint8_t)(cpu->pc >> 8);
    stack[(uint8_t)(s - 1)] = (uint8_t)cpu->pc;
    stack[(uint8_t)(s - 2)] = cpu_flags(cpu);
    cpu->s = (uint8_t)(s - 3);
    cpu->p |= P_I;
    n->memory.bus = top[(vector + 1) & 0xff];
    cpu->pc = (uint16_t)(top[vector & 0xff] | n->memory.bus << 8);
    n->cpu.cycle += INTERRUPT_CYCLES;
    n->lines.nmi_pending &= vector != VECTOR_NMI;
    n->cpu.due = false;
    contexts_interrupt(n, resume, s, vector == VECTOR_NMI ? THREAD_NMI : THREAD_IRQ);
}

/* An interrupt sequence: two dummy fetches, three pushes, the vector. */
static __attribute__((noinline)) void interrupt(struct nes *n) {
    struct registers *cpu = &n->cpu.r;
    const uint32_t resume = nes_code_address(n, cpu->pc);
    const uint8_t s = cpu->s;
    cycle_read(n, cpu->pc);
    cycle_read(n, cpu->pc);
    cycle_write(n, ON_STACK(s), (uint8_t)(cpu->pc >> 8));
    cycle_write(n, ON_STACK(s - 1), (uint8_t)cpu->pc);
    const uint16_t vector = choose_vector(n);
    cycle_write(n, ON_STACK(s - 2), cpu_flags(cpu));
    cpu->s = (uint8_t)(s - 3);
    cpu->p |= P_I;
    const uint8_t low = read_vector(n, vector);
    cpu->pc = (uint16_t)(low | cycle_read(n, vector + 1) << 8);
    n->cpu.due = false;
    contexts_interrupt(n, resume, s, vector == VECTOR_NMI ? THREAD_NMI : THREAD_IRQ);
}

/* The same, with reads instead of pushes. */
static void reset(struct nes *n) {
    struct registers *cpu = &n->cpu.r;
    cycle_read(n, cpu->pc);
    cycle_read(n, cpu->pc);
    for (int i = 0; i < 3; i++)
        cycle_read(n, ON_STACK(cpu->s--));
    cpu->p |= P_I;
    const uint8_t low = cycle_read(n, VECTOR_RESET);
    cpu->pc = (uint16_t)(low | cycle_read(n, VECTOR_RESET + 1) << 8);
    n->cpu.due = false;
    n->cpu.phase = PHASE_RUN;
    contexts_begin(n, THREAD_RESET);
}

/* One more cycle of a processor that has executed a JAM. */
static void jam(struct nes *n) {
    static const uint16_t addresses[] = {0xffff, 0xfffe, 0xfffe};
    cycle_read(n, n->cpu.jam_cycle < 3 ? addresses[n->cpu.jam_cycle++] : 0xffff);
}

static void run_instruction(struct nes *n) {
    const uint8_t s = n->cpu.r.s;
    if (execute_at_once(n) == OUTCOME_RTI)
        contexts_rti(n, s);
}

/* The bytes of an instruction in registers or open bus are known only after it was executed. */
static void run_watched_instruction(struct nes *n) {
    const uint8_t s = n->cpu.r.s;
    const uint16_t pc = n->cpu.r.pc;
    const uint64_t cycle = n->cpu.cycle;
    struct site *site = watch_announce(n);
    enum insn_outcome outcome = execute_at_once(n);
    if (!site)
        site = watch_announce_late(n, pc, n->cpu.fetched, cycle);
    if (outcome == OUTCOME_RTI)
        outcome = contexts_rti(n, s) ? OUTCOME_NOWHERE : OUTCOME_ELSEWHERE;
    watch_outcome(n, site, outcome);
}

static void run_tallied_instruction(struct nes *n, const struct tally *tally) {
    const uint8_t s = n->cpu.r.s;
    const uint16_t pc = n->cpu.r.pc;
    const enum insn_outcome outcome = execute_at_once(n);
    if (outcome == OUTCOME_NEXT || outcome == OUTCOME_TARGET)
        watch_count_tally(n, tally, outcome);
    else if (outcome == OUTCOME_ELSEWHERE || (outcome == OUTCOME_RTI && !contexts_rti(n, s)))
        watch_left_elsewhere(n, pc);
}

/* A tally cannot say where an instruction went that has switched the bank that it lies in. */
static bool may_switch_bank(const struct nes *n) {
    enum { BOARD_PAGE = 0x40, PAGE_END = 0xfd }; /* of page $40, some boards have registers */
    const uint16_t pc = n->cpu.r.pc;
    if (!n->board.banked)
        return false;
    const uint8_t *const code = n->memory.rd[pc >> 8] + (pc & 0xff);
    const struct opcode_info *const info = opcode_info(*code);
    if (!info->writes_memory || info->mode == MODE_ZP || info->mode == MODE_ZPX ||
        info->mode == MODE_ZPY)
        return false;
    /* The usual stores to devices. In the next page, the operand may be in another bank. */
    return info->mode != MODE_ABS || (pc & 0xff) > PAGE_END ||
           !(code[2] < BOARD_PAGE || (code[2] == BOARD_PAGE && code[1] < 0x20));
}

static void step_watched(struct nes *n) {
    const struct tally *const tally = watch_tally(n, n->cpu.r.pc);
    if (tally && !n->observed.announced && !may_switch_bank(n))
        run_tallied_instruction(n, tally);
    else
        run_watched_instruction(n);
}

void nes_step(struct nes *n) {
    if (n->cpu.phase == PHASE_RUN && !n->cpu.due) {
        n->cpu.started = n->cpu.cycle;
        /* Also when its last observer has just gone, in a callback. */
        if (n->observed.watched || n->observed.announced)
            step_watched(n);
        else
            run_instruction(n);
    } else if (n->cpu.phase == PHASE_RESET) {
        reset(n);
    } else if (n->cpu.phase == PHASE_JAM) {
        jam(n);
    } else if (n->memory.rd[0xff] && is_undisturbed(n, INTERRUPT_CYCLES, n->cpu.r.pc)) {
        interrupt_at_once(n);
    } else {
        interrupt(n);
    }
}
