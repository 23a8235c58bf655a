/* Whole blocks, and the fixed code that they lean on. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dbt/translator.h"

/* ---- what emitted code relies on ---- */

static_assert(sizeof(bool) == 1, "flags of the machine are bytes");
static_assert(sizeof(void *) == 8, "pages are addressed with a scale of 8");
static_assert(offsetof(struct nes, ram) + RAM_SIZE < INT32_MAX, "displacements have 32 bits");
static_assert(sizeof((struct cpu *)0)->nz == 2 && sizeof((struct cpu *)0)->pc == 2, "16 bits");
static_assert(sizeof((struct cpu *)0)->a == 1 && sizeof((struct cpu *)0)->c == 1, "8 bits");

#define FRAME(base, type, field)                                                                   \
    mem((unsigned)sizeof(type), ZYDIS_REGISTER_##base, (int64_t)offsetof(struct frame, field))
#define CPU8(field)  FIELD_OF_NES(uint8_t, cpu.field)
#define CPU16(field) FIELD_OF_NES(uint16_t, cpu.field)
#define COUNTER(i)   mem(8, COUNTERS, (int64_t)(i)*8)

/* ---- fixed code ---- */

static void store_registers(struct emitter *e) {
    EMIT(e, MOV, CPU8(a), A8); /* mov [nes + cpu.a], r8b */
    EMIT(e, MOV, CPU8(x), X8);
    EMIT(e, MOV, CPU8(y), Y8);
    EMIT(e, MOV, CPU8(s), S8);
    EMIT(e, MOV, CPU16(nz), NZ16);
    EMIT(e, MOV, CPU8(c), C8);
    EMIT(e, MOV, CPU8(v), V8);
}

static void load_registers(struct emitter *e) {
    EMIT(e, MOVZX, A32, CPU8(a)); /* movzx r8d, byte [nes + cpu.a] */
    EMIT(e, MOVZX, X32, CPU8(x));
    EMIT(e, MOVZX, Y32, CPU8(y));
    EMIT(e, MOVZX, S32, CPU8(s));
    EMIT(e, MOVZX, NZ32, CPU16(nz));
    EMIT(e, MOVZX, C32, CPU8(c));
    EMIT(e, MOVZX, V32, CPU8(v));
}

static const ZydisRegister saved[] = {ZYDIS_REGISTER_RBX, ZYDIS_REGISTER_RBP, ZYDIS_REGISTER_R12,
                                      ZYDIS_REGISTER_R13, ZYDIS_REGISTER_R14, ZYDIS_REGISTER_R15};
/* Guest registers that a call does not preserve. */
static const ZydisRegister volatiles[] = {ZYDIS_REGISTER_R8,  ZYDIS_REGISTER_R9,
                                          ZYDIS_REGISTER_R10, ZYDIS_REGISTER_R11,
                                          ZYDIS_REGISTER_RSI, ZYDIS_REGISTER_RDI};
enum { SAVED = sizeof saved / sizeof *saved, VOLATILES = sizeof volatiles / sizeof *volatiles };

/* to = the frame */
static void frame_in(struct dbt *d, struct emitter *e, ZydisRegister to) {
    EMIT(e, MOV, reg(to), imm_pointer(&d->frame)); /* mov to, frame */
}

/* leave: eax is the number of the exit. Place 0 of the cache, where the table's zeroes lead, comes
 * right before it: an indirect jump to a pc (in ecx) without a block. */
static void emit_leave(struct dbt *d, struct emitter *e) {
    EMIT(e, MOV, CPU16(pc), REG(CX)); /* mov [nes + cpu.pc], cx */
    EMIT(e, MOV, REG(EAX), imm(0));   /* mov eax, 0 */
    d->leave = emit_here(e);
    store_registers(e);
    frame_in(d, e, ZYDIS_REGISTER_RCX);
    EMIT(e, MOV, FRAME(RCX, int64_t, budget), BUDGET); /* mov [rcx + budget], r12 */
    EMIT(e, MOV, FRAME(RCX, uint64_t, executed), EXECUTED);
    EMIT(e, MOV, REG(RSP), FRAME(RCX, uint64_t, host_stack));
    for (unsigned i = SAVED; i-- > 0;)
        EMIT(e, POP, reg(saved[i]));
    emit_ret(e);
}

/* uint32_t enter(struct frame *frame, const void *code) */
static void emit_enter(struct dbt *d, struct emitter *e) {
    d->enter = emit_here(e);
    for (unsigned i = 0; i < SAVED; i++)
        EMIT(e, PUSH, reg(saved[i]));
    EMIT(e, MOV, FRAME(RDI, uint64_t, host_stack), REG(RSP));
    EMIT(e, SUB, REG(RSP), imm(8));   /* sub rsp, 8: a multiple of 16 in all translated code */
    EMIT(e, MOV, REG(RAX), REG(RSI)); /* mov rax, rsi */
    EMIT(e, MOV, reg(NES), FRAME(RDI, void *, nes));
    EMIT(e, MOV, reg(COUNTERS), FRAME(RDI, void *, counters));
    EMIT(e, MOV, reg(TABLE), FRAME(RDI, void *, table));
    EMIT(e, MOV, BUDGET, FRAME(RDI, int64_t, budget));
    EMIT(e, MOV, EXECUTED, FRAME(RDI, uint64_t, executed));
    load_registers(e);
    EMIT(e, JMP, REG(RAX)); /* jmp rax */
}

/* rax: struct hook; edx: code address of the instruction; cpu.pc: where the machine stands. */
static void emit_call_probe(struct dbt *d, struct emitter *e) {
    d->call_probe = emit_here(e);
    store_registers(e);
    frame_in(d, e, ZYDIS_REGISTER_RDI);
    EMIT(e, MOV, FRAME(RDI, int64_t, budget), BUDGET);
    EMIT(e, MOV, FRAME(RDI, uint64_t, executed), EXECUTED);
    EMIT(e, MOV, REG(RSI), REG(RAX)); /* mov rsi, rax */
    EMIT(e, SUB, REG(RSP), imm(8));   /* sub rsp, 8 */
    EMIT(e, MOV, REG(RAX), imm((int64_t)(uintptr_t)dbt_call_probe));
    EMIT(e, CALL, REG(RAX)); /* call dbt_call_probe */
    EMIT(e, ADD, REG(RSP), imm(8));
    load_registers(e);
    emit_ret(e);
}

/* eax: `where` of dbt_touch_read or dbt_touch_write; edx: what is written. Returns its place. */
static uint32_t emit_touch(struct dbt *d, struct emitter *e, int64_t function) {
    const uint32_t place = emit_here(e);
    for (unsigned i = 0; i < VOLATILES; i++)
        EMIT(e, PUSH, reg(volatiles[i]));
    EMIT(e, SUB, REG(RSP), imm(8)); /* sub rsp, 8 */
    frame_in(d, e, ZYDIS_REGISTER_RDI);
    EMIT(e, MOV, FRAME(RDI, int64_t, budget), BUDGET);
    EMIT(e, MOV, REG(ESI), REG(EAX));      /* mov esi, eax */
    EMIT(e, MOV, REG(RAX), imm(function)); /* mov rax, function */
    EMIT(e, CALL, REG(RAX));               /* call rax */
    frame_in(d, e, ZYDIS_REGISTER_RCX);
    EMIT(e, MOV, BUDGET, FRAME(RCX, int64_t, budget));
    EMIT(e, ADD, REG(RSP), imm(8)); /* add rsp, 8 */
    for (unsigned i = VOLATILES; i-- > 0;)
        EMIT(e, POP, reg(volatiles[i]));
    emit_ret(e);
    return place;
}

enum status translate_fixed(struct dbt *d, struct error *e) {
    struct emitter emitter = {.code = d->cache.code, .end = (uint32_t)d->cache.size};
    emit_leave(d, &emitter);
    emit_enter(d, &emitter);
    emit_call_probe(d, &emitter);
    d->touch_read = emit_touch(d, &emitter, (int64_t)(uintptr_t)dbt_touch_read);
    d->touch_write = emit_touch(d, &emitter, (int64_t)(uintptr_t)dbt_touch_write);
    d->fixed_end = emitter.at;
    d->cache.used = emitter.at;
    return emitter.full ? error_set(e, STATUS_ARGUMENT, "a code cache of %zu bytes is too small",
                                    d->cache.size)
                        : STATUS_OK;
}

void dbt_call_probe(struct frame *frame, const struct hook *hook, uint32_t from) {
    struct nes *const n = frame->nes;
    n->cycle = frame->budget_end - (uint64_t)frame->budget;
    n->instructions = frame->instructions + (frame->executed >> EXECUTED_SHIFT);
    const struct probe_event event = {n, from, nes_code_address(n, n->cpu.pc)};
    hook->probe.call(hook->probe.user, &event);
}

/* ---- counts ---- */

/* As settle(). blocks: 1 where the block is left. */
static void settle_counting(struct translation *t, unsigned blocks) {
    struct emitter *const e = t->e;
    settle_c(e, &t->flags);
    settle_nz(e, &t->flags);
    t->flags.host = t->flags.carry = 0; /* the host's flags are lost */
    if (t->cycles)
        EMIT(e, LEA, BUDGET,
             mem(8, ZYDIS_REGISTER_R12, -(int64_t)t->cycles)); /* lea r12, [r12 - cycles] */
    const int64_t executed = ((int64_t)t->count << EXECUTED_SHIFT) + blocks;
    if (executed)
        EMIT(e, ADD, EXECUTED, imm(executed)); /* add r13, (count << 24) + blocks */
    for (unsigned i = 0; i < NES_OBSERVERS; i++) {
        if (t->fired[i])
            EMIT(e, ADD, mem(8, NES, (int64_t)offsetof(struct nes, fired) + 8 * i),
                 imm(t->fired[i])); /* add qword [nes + fired + i*8], count */
        t->fired[i] = 0;
    }
    t->cycles = t->count = 0;
}
static_assert(((int64_t)BLOCK_LONGEST << EXECUTED_SHIFT) + 1 <= INT32_MAX, "32 bits");

void settle(struct translation *t) {
    settle_counting(t, 0);
}

/* ---- stubs: what a block seldom does comes behind it ---- */

struct stub {
    uint32_t jump; /* that leads here */
    struct known_flags flags;
    unsigned cycles, count;
    uint32_t fired[NES_OBSERVERS];
    const struct guest_op *op;
    enum { STUB_SLOW, STUB_TAKEN, STUB_STALE, STUB_ATTENTION, STUB_AT_PC } kind;
    uint8_t leave; /* STUB_AT_PC: enum leave, and where */
    uint16_t pc;
    bool announced;
};
enum { STUBS = BLOCK_LONGEST * 8 };

static struct stub *add_stub(struct translation *t, uint32_t jump, int kind) {
    static_assert(sizeof t->fired == sizeof((struct stub *)0)->fired, "copied");
    struct stub *const s = &t->stubs[t->stub_count];
    if (t->stub_count + 1 < STUBS)
        t->stub_count++;
    else
        t->e->full = true;
    *s = (struct stub){.jump = jump,
                       .flags = t->flags,
                       .cycles = t->cycles,
                       .count = t->count,
                       .op = t->op,
                       .kind = kind,
                       .announced = t->announced};
    memcpy(s->fired, t->fired, sizeof s->fired);
    return s;
}

/* `jump` leads out, to the machine or the dispatcher at `pc`. */
static void leave_to(struct translation *t, uint32_t jump, enum leave leave, uint16_t pc) {
    struct stub *const s = add_stub(t, jump, STUB_AT_PC);
    s->leave = (uint8_t)leave;
    s->pc = pc;
}

void leave_at(struct translation *t, uint32_t jump) {
    add_stub(t, jump, STUB_SLOW);
}

/* ---- ways out ---- */

static uint32_t add_exit(struct translation *t, struct exit exit) {
    if (!vec_push(&t->dbt->exits, exit))
        t->out_of_memory = true;
    return (uint32_t)(t->dbt->exits.len - 1);
}

static void leave_by(struct translation *t, struct exit exit) {
    struct emitter *const e = t->e;
    settle_counting(t, exit.leave != LEAVE_BUDGET && exit.leave != LEAVE_STALE);
    EMIT(e, MOV, REG(EAX), imm(add_exit(t, exit))); /* mov eax, number */
    emit_bind(e, emit_jump(e, JMP), t->dbt->leave); /* jmp leave */
}

/* A jump to the block at pc, once there is one and they are linked. */
static void go_to(struct translation *t, uint16_t pc) {
    struct emitter *const e = t->e;
    settle_counting(t, 1);
    const uint32_t jump = emit_jump(e, JMP); /* jmp block */
    EMIT(e, MOV, REG(EAX),
         imm(add_exit(t, (struct exit){.leave = LEAVE_LINK, .pc = pc, .jump = jump})));
    emit_bind(e, emit_jump(e, JMP), t->dbt->leave); /* mov eax, number; jmp leave */
}

/* A jump to the block at the pc in ecx. */
static void go_indirect(struct translation *t) {
    struct emitter *const e = t->e;
    settle_counting(t, 1);
    if (t->dbt->options.no_chaining) {
        emit_bind(e, emit_jump(e, JMP), 0); /* jmp to place 0 */
        return;
    }
    EMIT(e, MOV, REG(EAX), memx(4, TABLE, ZYDIS_REGISTER_RCX, 4, 0)); /* mov eax, [table + rcx*4] */
    emit_address(e, ZYDIS_REGISTER_RDX, 0);                           /* lea rdx, [place 0] */
    EMIT(e, ADD, REG(RAX), REG(RDX));                                 /* add rax, rdx */
    EMIT(e, JMP, REG(RAX));                                           /* jmp rax */
}

/* Stops at the target of a jump backwards when it has gone round a busy-wait once; see nes/wait.h.
 */
static void look_for_wait(struct translation *t, const struct guest_op *op, uint16_t target) {
    struct emitter *const e = t->e;
    if (target > op->pc)
        return;
    struct wait candidate;
    wait_examine(t->nes, &candidate, op->from, op->pc, target);
    if (candidate.length == 0)
        return;
    struct wait *const wait = malloc(sizeof *wait);
    if (!wait || !vec_push(&t->dbt->waits, wait)) {
        free(wait);
        t->out_of_memory = true;
        return;
    }
    *wait = candidate;
    settle(t);
    const operand last = mem(8, ZYDIS_REGISTER_RDX, (int64_t)offsetof(struct wait, executed));
    EMIT(e, MOV, REG(RDX), imm_pointer(wait)); /* mov rdx, wait */
    frame_in(t->dbt, e, ZYDIS_REGISTER_RCX);
    EMIT(e, MOV, REG(RAX), EXECUTED);            /* mov rax, r13 */
    EMIT(e, SHR, REG(RAX), imm(EXECUTED_SHIFT)); /* shr rax, 24 */
    EMIT(e, ADD, REG(RAX), FRAME(RCX, uint64_t, instructions));
    EMIT(e, MOV, REG(RCX), REG(RAX));          /* ^ add rax, [rcx + ...]; mov rcx, rax */
    EMIT(e, SUB, REG(RAX), last);              /* sub rax, [rdx + executed] */
    EMIT(e, MOV, last, REG(RCX));              /* mov [rdx + executed], rcx */
    EMIT(e, CMP, REG(RAX), imm(wait->length)); /* cmp rax, length */
    const uint32_t no = emit_jump(e, JNZ);     /* jnz no */
    leave_by(t, (struct exit){.leave = LEAVE_WAIT, .pc = target, .wait = wait});
    emit_bind(e, no, emit_here(e)); /* no: */
}

/* ---- probes ---- */

/* counters[i] += value */
static void add_to_counter(struct emitter *e, uint32_t i, uint64_t value) {
    if (value <= INT32_MAX) {
        EMIT(e, ADD, COUNTER(i), imm((int64_t)value)); /* add qword [r14 + i*8], value */
        return;
    }
    EMIT(e, MOV, REG(RAX), imm((int64_t)value)); /* mov rax, value */
    EMIT(e, ADD, COUNTER(i), REG(RAX));          /* add [r14 + i*8], rax */
}

static void call(struct translation *t, const struct hook *hook) {
    struct emitter *const e = t->e;
    EMIT(e, MOV, REG(EDX), imm32(t->op->site->insn.address)); /* mov edx, from */
    EMIT(e, MOV, REG(RAX), imm_pointer(hook));                /* mov rax, hook */
    emit_bind(e, emit_jump(e, CALL), t->dbt->call_probe);     /* call call_probe */
}

/* The counter counts; when it comes to the value, the call follows. */
static void call_at(struct translation *t, const struct hook *hook) {
    struct emitter *const e = t->e;
    EMIT(e, MOV, REG(RAX), COUNTER(hook->probe.counter));    /* mov rax, [r14 + i*8] */
    EMIT(e, ADD, REG(RAX), imm(1));                          /* add rax, 1 */
    EMIT(e, MOV, COUNTER(hook->probe.counter), REG(RAX));    /* mov [r14 + i*8], rax */
    EMIT(e, MOV, REG(RCX), imm((int64_t)hook->probe.value)); /* mov rcx, value */
    EMIT(e, CMP, REG(RAX), REG(RCX));                        /* cmp rax, rcx */
    const uint32_t not_yet = emit_jump(e, JNZ);              /* jnz not_yet */
    call(t, hook);
    emit_bind(e, not_yet, emit_here(e)); /* not_yet: */
}

static bool calls(const struct hooks *hooks) {
    for (size_t i = 0; i < hooks->count; i++)
        if (hooks->at[i].probe.kind == PROBE_CALL || hooks->at[i].probe.kind == PROBE_CALL_AT)
            return true;
    return false;
}

/* pc of the boundary at which probes fire is in ecx. */
enum { PC_IN_ECX = -1 };

/* Fires the probes of the instruction for `when`; the machine stands at `pc` (or PC_IN_ECX). After
 * a callback that has asked for something the block is left there. */
static void fire(struct translation *t, enum probe_when when, int pc) {
    struct emitter *const e = t->e;
    const struct site *const site = t->op->site;
    t->announced = when == PROBE_BEFORE && site && site->probes[when].count;
    if (!site || site->probes[when].count == 0)
        return;
    const struct hooks *const hooks = &site->probes[when];
    const bool called = calls(hooks);
    for (size_t i = 0; i < hooks->count; i++)
        t->fired[hooks->at[i].observer]++;
    if (called) {
        settle(t);
        if (pc == PC_IN_ECX)
            EMIT(e, MOV, CPU16(pc), REG(CX)); /* mov [nes + cpu.pc], cx */
        else
            EMIT(e, MOV, CPU16(pc), imm16((unsigned)pc));
    }
    for (size_t i = 0; i < hooks->count; i++) {
        const struct hook *const hook = &hooks->at[i];
        switch (hook->probe.kind) {
        case PROBE_ADD:
            add_to_counter(e, hook->probe.counter, hook->probe.value);
            break;
        case PROBE_STORE:
            EMIT(e, MOV, REG(RAX), imm((int64_t)hook->probe.value)); /* mov rax, value */
            EMIT(e, MOV, COUNTER(hook->probe.counter), REG(RAX));    /* mov [r14 + i*8], rax */
            break;
        case PROBE_CALL:
            call(t, hook);
            break;
        case PROBE_CALL_AT:
            call_at(t, hook);
            break;
        }
    }
    t->flags.host = t->flags.carry = 0; /* the host's flags are lost */
    if (!called)
        return;
    EMIT(e, CMP, FIELD_OF_NES(uint8_t, attention), imm(0)); /* cmp byte [nes + attention], 0 */
    add_stub(t, emit_jump(e, JNZ), STUB_ATTENTION);         /* jnz out */
    if (pc == PC_IN_ECX)
        EMIT(e, MOVZX, REG(ECX), CPU16(pc)); /* movzx ecx, word [nes + cpu.pc] */
}

/* ---- the parts of a block ---- */

/* Compares guest memory with the bytes that were translated. */
static void compare_bytes(struct translation *t, const struct guest_block *g) {
    struct emitter *const e = t->e;
    const struct nes *const n = t->nes;
    ZydisRegister base = NES;
    int64_t at = 0;
    if (g->from >= n->ram && g->from < n->ram + RAM_SIZE) {
        at = (int64_t)offsetof(struct nes, ram) + (g->from - n->ram);
    } else {
        base = ZYDIS_REGISTER_RAX;
        EMIT(e, MOV, REG(RAX), imm_pointer(g->from)); /* mov rax, from */
    }
    for (unsigned done = 0, size; done < g->bytes; done += size) {
        const unsigned left = g->bytes - done;
        size = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
        uint64_t value = 0;
        memcpy(&value, g->from + done, size);
        const operand m = mem(size, base, at + done);
        if (size == 8) {
            EMIT(e, MOV, REG(RCX), imm((int64_t)value)); /* mov rcx, bytes */
            EMIT(e, CMP, m, REG(RCX));                   /* cmp qword [from + done], rcx */
        } else if (size == 4) {
            EMIT(e, CMP, m, imm32((uint32_t)value)); /* cmp dword [from + done], bytes */
        } else if (size == 2) {
            EMIT(e, CMP, m, imm16((unsigned)value));
        } else {
            EMIT(e, CMP, m, imm8((unsigned)value));
        }
        add_stub(t, emit_jump(e, JNZ), STUB_STALE); /* jnz stale */
    }
}

/* Cycles that the instruction takes at most, and the least. */
static unsigned most_cycles(const struct guest_op *op) {
    return op->info->cycles + (op->info->kind == INSN_BRANCH ? 2 : 1);
}

/* From the instruction `first` on: the last one must surely start within the budget. */
static void check_budget(struct translation *t, const struct guest_block *g, unsigned first,
                         enum leave leave) {
    unsigned worst = t->cycles;
    for (unsigned i = first; i + 1 < g->count; i++)
        worst += most_cycles(&g->ops[i]);
    EMIT(t->e, CMP, BUDGET, imm(worst));                       /* cmp r12, worst */
    leave_to(t, emit_jump(t->e, JL), leave, g->ops[first].pc); /* jl out */
    t->flags.host = t->flags.carry = 0;                        /* the host's flags are lost */
}

static void leave_if_moved(struct translation *t, const struct guest_op *op) {
    struct emitter *const e = t->e;
    frame_in(t->dbt, e, ZYDIS_REGISTER_RAX);
    EMIT(e, CMP, FRAME(RAX, uint32_t, moved), imm(0)); /* cmp dword [rax + moved], 0 */
    leave_to(t, emit_jump(e, JNZ), LEAVE_BOARD, (uint16_t)(op->pc + op->info->size));
    t->flags.host = t->flags.carry = 0; /* ^ jnz out; the host's flags are lost */
}

static void count_execution(struct translation *t, struct block *b) {
    EMIT(t->e, MOV, REG(RAX), imm_pointer(&b->executions)); /* mov rax, executions */
    EMIT(t->e, ADD, mem(8, ZYDIS_REGISTER_RAX, 0), imm(1)); /* add qword [rax], 1 */
}

static uint16_t branch_target(const struct guest_op *op) {
    return (uint16_t)(op->pc + 2 + (int8_t)op->bytes[1]);
}

static void executed(struct translation *t, unsigned cycles) {
    t->cycles += cycles;
    t->count++;
}

/* Taken: behind the block. Not taken: goes on here. */
static void branch(struct translation *t, const struct guest_op *op) {
    const unsigned extra = ((op->pc + 2) ^ branch_target(op)) & 0xff00 ? 2 : 1;
    struct stub *const taken = add_stub(t, lower_condition(t, op), STUB_TAKEN);
    taken->flags = t->flags;
    taken->cycles += op->info->cycles + extra;
    taken->count++;
    executed(t, op->info->cycles);
    fire(t, PROBE_NEXT, (uint16_t)(op->pc + 2));
}

static void direct(struct translation *t, const struct guest_op *op, uint16_t target) {
    fire(t, PROBE_TAKEN, target);
    look_for_wait(t, op, target);
    go_to(t, target);
}

static void indirect(struct translation *t, const struct guest_op *op) {
    lower_target(t, op);
    executed(t, op->info->cycles);
    fire(t, PROBE_INDIRECT, PC_IN_ECX);
    go_indirect(t);
}

/* Returns false where the block ends with it. */
static bool instruction(struct translation *t, const struct guest_op *op) {
    t->op = op;
    t->announced = false;
    fire(t, PROBE_BEFORE, op->pc);
    lower(t, op);
    switch ((enum insn_kind)op->info->kind) {
    case INSN_BRANCH:
        branch(t, op);
        return true;
    case INSN_JUMP:
    case INSN_CALL:
        executed(t, op->info->cycles);
        direct(t, op, (uint16_t)(op->bytes[1] | op->bytes[2] << 8));
        return false;
    case INSN_JUMP_INDIRECT:
    case INSN_RETURN:
        indirect(t, op);
        return false;
    default:
        executed(t, op->info->cycles);
        fire(t, PROBE_NEXT, (uint16_t)(op->pc + op->info->size));
        return true;
    }
}

static void emit_stub(struct translation *t, const struct stub *s, uint16_t entry_pc) {
    struct emitter *const e = t->e;
    emit_bind(e, s->jump, emit_here(e));
    t->flags = s->flags;
    t->cycles = s->cycles;
    t->count = s->count;
    memcpy(t->fired, s->fired, sizeof t->fired);
    t->op = s->op;
    switch (s->kind) {
    case STUB_SLOW:
        if (s->announced)
            EMIT(e, MOV, FIELD_OF_NES(uint8_t, announced), imm(1));
        leave_by(t, (struct exit){.leave = LEAVE_SLOW, .pc = s->op->pc});
        break;
    case STUB_TAKEN:
        direct(t, s->op, branch_target(s->op));
        break;
    case STUB_AT_PC:
        leave_by(t, (struct exit){.leave = s->leave, .pc = s->pc});
        break;
    case STUB_STALE: {
        const uint32_t jump = emit_jump(e, JMP); /* jmp to the next version of the block */
        leave_by(t, (struct exit){.leave = LEAVE_STALE, .pc = entry_pc, .jump = jump});
        break;
    }
    case STUB_ATTENTION:
        if (s->announced)
            EMIT(e, MOV, FIELD_OF_NES(uint8_t, announced), imm(1));
        leave_by(t, (struct exit){.leave = LEAVE_ATTENTION});
        break;
    }
}

static void emit_block(struct translation *t, const struct guest_block *g, struct block *b) {
    if (g->in_ram)
        compare_bytes(t, g);
    check_budget(t, g, 0, LEAVE_BUDGET);
    if (t->dbt->options.count_blocks)
        count_execution(t, b);
    bool goes_on = true;
    for (unsigned i = 0; i < g->count; i++) {
        goes_on = instruction(t, &g->ops[i]);
        if (g->ops[i].reach == REACH_BOARD)
            leave_if_moved(t, &g->ops[i]);
        else if (g->ops[i].reach == REACH_DEVICE && i + 1 < g->count)
            check_budget(t, g, i + 1, LEAVE_TOUCHED);
    }
    if (goes_on)
        go_to(t, (uint16_t)(g->ops[0].pc + g->bytes));
    for (unsigned i = 0; i < t->stub_count; i++) {
        const struct stub s = t->stubs[i];
        t->announced = false;
        emit_stub(t, &s, g->ops[0].pc);
    }
}

static uint64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void free_block(struct block *b) {
    if (b)
        free(b->guest);
    free(b);
}

static struct block *new_block(const struct nes *n, const struct guest_block *g) {
    struct block *const b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->pc = g->ops[0].pc;
    b->count = (uint8_t)g->count;
    b->guest_bytes = (uint16_t)g->bytes;
    b->address = nes_code_address(n, b->pc);
    b->guest = malloc(g->bytes);
    if (b->guest)
        return memcpy(b->guest, g->from, g->bytes), b;
    free_block(b);
    return NULL;
}

struct block *translate(struct dbt *d, struct nes *n, const struct guest_block *g) {
    const uint64_t begun = nanoseconds();
    struct emitter e = {
        .code = d->cache.code, .at = (uint32_t)d->cache.used, .end = (uint32_t)d->cache.size};
    struct stub *const stubs = calloc(STUBS, sizeof *stubs);
    struct translation t = {.dbt = d, .nes = n, .e = &e, .stubs = stubs};
    struct block *const b = new_block(n, g);
    const size_t exits = d->exits.len;
    bool ok = stubs && b;
    if (ok) {
        b->host = e.at;
        b->first_exit = (uint32_t)exits;
        emit_block(&t, g, b);
        b->host_size = e.at - b->host;
        b->exits = (uint32_t)(d->exits.len - exits);
        ok = !e.full && !t.out_of_memory && vec_push(&d->blocks, b);
    }
    free(stubs);
    if (!ok) {
        d->exits.len = exits;
        free_block(b);
        return NULL;
    }
    d->cache.used = e.at;
    d->statistics.blocks++;
    d->statistics.instructions += g->count;
    d->statistics.guest_bytes += g->bytes;
    d->statistics.host_bytes += b->host_size;
    d->statistics.nanoseconds += nanoseconds() - begun;
    perf_map_add(d, b);
    return b;
}
