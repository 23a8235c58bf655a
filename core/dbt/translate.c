/* Whole blocks. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dbt/translator.h"

/* ---- stubs: what a block seldom does comes behind it ---- */

enum { STUBS = BLOCK_LONGEST * 8 };

struct stub *add_stub(struct translation *t, uint32_t jump, int kind) {
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
            EMIT(e, CMP, m, imm16((unsigned)value)); /* cmp word [from + done], bytes */
        } else {
            EMIT(e, CMP, m, imm8((unsigned)value)); /* cmp byte [from + done], byte */
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

/* Where the instruction goes is known only after that: its probes fire behind the exit. */
static void leave_if_moved(struct translation *t, const struct guest_op *op) {
    struct emitter *const e = t->e;
    frame_in(t->dbt, e, ZYDIS_REGISTER_RAX); /* mov rax, frame */
    EMIT(e, CMP, FRAME(RAX, moved), imm(0)); /* cmp dword [rax + moved], 0 */
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
    if (op->info->kind == INSN_CALL)
        go_and_return(t, target, (uint16_t)(op->pc + op->info->size));
    else
        go_to(t, target);
}

static void indirect(struct translation *t, const struct guest_op *op) {
    lower_target(t, op);
    executed(t, op->info->cycles);
    fire(t, PROBE_INDIRECT, PC_IN_ECX);
    if (op->info->kind == INSN_RETURN)
        go_back(t);
    else
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
        if (op->reach == REACH_BOARD)
            leave_if_moved(t, op);
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
            EMIT(e, MOV, FIELD_OF_NES(announced), imm(1)); /* mov byte [nes + announced], 1 */
        leave_by(t, (struct exit){.leave = LEAVE_SLOW, .pc = s->op->pc});
        break;
    case STUB_TAKEN:
        direct(t, s->op, branch_target(s->op));
        break;
    case STUB_AT_PC:
        leave_by(t,
                 (struct exit){.leave = s->leave, .pc = s->pc, .site = s->op ? s->op->site : NULL});
        break;
    case STUB_STALE: {
        const uint32_t jump = emit_jump(e, JMP); /* jmp to the next version of the block */
        leave_by(t, (struct exit){.leave = LEAVE_STALE, .pc = entry_pc, .jump = jump});
        break;
    }
    case STUB_ATTENTION:
        if (s->announced)
            EMIT(e, MOV, FIELD_OF_NES(announced), imm(1)); /* mov byte [nes + announced], 1 */
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
        if (g->ops[i].reach == REACH_DEVICE && i + 1 < g->count)
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
    struct emitter e = {.code = d->cache.code,
                        .at = (uint32_t)d->cache.used,
                        .end = (uint32_t)d->cache.size,
                        .encodings = &d->encodings};
    struct stub *const stubs = malloc(STUBS * sizeof *stubs);
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
