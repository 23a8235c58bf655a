/* Exits of a block: to other blocks, and to the machine. */
#include "dbt/block/exits.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dbt/lower/instrument.h"
#include "dbt/lower/lower.h"
#include "dbt/lower/mmio.h"
#include "dbt/lower/operands.h"

/* ---- exits ---- */

static void leave_by(struct translation *t, struct exit exit) {
    dbt_settle(t);
    if (t->loop)
        emit_loop(t->e, t->loop, false);
    emit_exit(t, exit, t->fixed->leave);
}

void exit_to(struct translation *t, uint16_t pc) {
    emit_edge(t, pc);
}

/* ---- the return stack ----
 *
 * A JSR pushes what the guest pushes and calls its target's block; an RTS that pulls this value
 * returns. So the host's own return stack predicts the target. Any other use of the guest's stack
 * costs a look-up, no more. The stack is dropped whenever translated code is left, at least once in
 * LONGEST_RUN cycles, so its depth is bounded. */

static void go_and_return(struct translation *t, uint16_t pc, uint16_t back) {
    const bool counted = t->returns->counted;
    const int column =
        counted && window_in(t->certain, back)
            ? returns_column(t->returns, (uint16_t)(back - 1), nes_code_address(t->nes, back))
            : -1;
    if (t->returns->clash)
        t->e->full = true; /* all is translated again, and counted by JSR */
    if (returns_are_predicted(t) && (!counted || column >= 0))
        emit_call_edge(t, pc, back, column);
    else
        exit_to(t, pc);
}

/* ---- indirect jumps: an inline cache for the first hot target, then the table ---- */

/* Offsets of an inline cache's parts from the displacement of its jump. */
enum {
    CACHE_PC = -11,  /* of cmp ecx, pc */
    CACHE_MISS = -5, /* of jnz */
    CACHE_EMPTY = 4, /* the initial target of jnz */
    CACHE_LOOK_UP = 14,
    CACHE_NO_PC = 0x7fffffff, /* also makes the encoder use 32 bits */
};

static void go_indirect(struct translation *t) {
    struct emitter *const e = t->e;
    dbt_settle(t);
    if (t->options->no_chaining) {
        emit_bind(e, emit_jump(e, JMP), 0); /* jmp to place 0 */
        return;
    }
    if (!t->options->no_inline_cache) {
        EMIT(e, CMP, REG(ECX), imm(CACHE_NO_PC)); /* cmp ecx, pc */
        const uint32_t pc = emit_here(e) - 4;
        const uint32_t miss = emit_jump(e, JNZ); /* jnz empty, later: look_up */
        const uint32_t jump = emit_jump(e, JMP); /* jmp block */
        const uint32_t empty = emit_here(e);     /* empty: */
        emit_bind(e, miss, empty);
        emit_exit(t, (struct exit){.leave = LEAVE_CACHE_EMPTY, .jump = jump},
                  t->fixed->leave_indirect);
        assert(e->full || (pc == jump + CACHE_PC && miss == jump + CACHE_MISS &&
                           empty == jump + CACHE_EMPTY && emit_here(e) == jump + CACHE_LOOK_UP));
        (void)pc;
    }
    emit_look_up(e); /* look_up: */
}

/* The target less 1 is in ecx. */
static void count_by_value(struct translation *t, const uint64_t *row) {
    const int64_t at = (intptr_t)(row + CELL_OF_VALUE) - (intptr_t)t->nes->observed.counters;
    EMIT(t->e, SUB, memx(8, COUNTERS, ZYDIS_REGISTER_RCX, 8, at),
         imm(1)); /* sub qword [r14 + rcx*8 + row + 8], 1 */
}

/* An RTS to the predicted target; `row` counts it. */
static void go_back(struct translation *t, const uint64_t *row) {
    dbt_settle(t);
    if (row && !t->returns->by_jsr)
        count_by_value(t, row);
    if (t->returns->counted && t->returns->by_jsr)
        EMIT(t->e, MOV, REG(RAX), imm_pointer(row ? row : t->returns->nobodys)); /* mov rax, row */
    emit_ret_popping(t->e, 8); /* ret 8: also drops the pushed address */
}

/* An RTS to another target. */
static void missed_return(struct translation *t) {
    lower_missed_return(t);
    t->uncounted.cycles += t->op->info->cycles;
    t->uncounted.instructions++;
    dbt_fire(t, PROBE_INDIRECT, PC_IN_ECX);
    dbt_settle(t);
    emit_bind(t->e, emit_jump(t->e, JMP), t->fixed->return_miss); /* jmp return_miss */
}

/* Its JSR has no entry on the return stack, so one that predicts nothing replaces it. */
static void missed_inlined(struct translation *t) {
    lower_missed_return(t);
    t->uncounted.cycles += t->op->info->cycles;
    t->uncounted.instructions++;
    dbt_settle(t);
    EMIT(t->e, PUSH, imm(-1));                                    /* push -1 */
    EMIT(t->e, PUSH, imm(-1));                                    /* push -1 */
    emit_bind(t->e, emit_jump(t->e, JMP), t->fixed->return_miss); /* jmp return_miss */
}

/* Emits a table look-up for pc; returns its offset. */
static uint32_t emit_thunk(struct emitter *e, uint16_t pc) {
    emit_byte(e, 0); /* no body */
    const uint32_t place = emit_here(e);
    EMIT(e, MOV, REG(ECX), imm(pc)); /* mov ecx, pc */
    emit_look_up(e);
    return place;
}

/* Emits what an edge within a loop needs that leads out of it after all, to a block without the loop's counts. */
static uint32_t emit_way_out(struct emitter *e, const struct loop_count *loop, uint32_t to) {
    emit_byte(e, 0); /* no body */
    const uint32_t place = emit_here(e);
    emit_loop(e, loop, false);
    emit_bind(e, emit_jump(e, JMP), to); /* jmp to */
    return place;
}

static void link_cache(struct exit *x, struct emitter *e, uint16_t pc, uint32_t place) {
    emit_bind(e, x->jump + CACHE_MISS, x->jump + CACHE_LOOK_UP);
    if (!window_in(x->certain, pc))
        return; /* the table is always looked up */
    const int32_t predicted = pc;
    emit_bind(e, x->jump, place);
    memcpy(e->code + x->jump + CACHE_PC, &predicted, sizeof predicted);
    x->pc = pc;
    x->to = place;
    x->linked = true;
}

void exit_link(struct exits *exits, struct emitter *e, uint32_t number, uint16_t pc,
               uint32_t place) {
    struct exit *const x = &exits->all.at[number];
    if (x->leave == LEAVE_CACHE_EMPTY) {
        link_cache(x, e, pc, place);
        return;
    }
    if (x->loop && !entry_is_in_loop(e, place)) {
        place = emit_way_out(e, x->loop, place);
        if (e->full)
            return;
    }
    if (x->leave == LEAVE_STALE || window_in(x->certain, pc)) {
        x->leave == LEAVE_STALE ? emit_bind(e, x->jump, place) : edge_bind(x, e, place);
        x->linked = true;
        return;
    }
    const uint32_t thunk = emit_thunk(e, pc);
    if (!e->full)
        edge_bind(x, e, thunk);
}

void exit_move(struct exits *exits, uint32_t number, const struct emitter *e, uint32_t place) {
    struct exit *const x = &exits->all.at[number];
    if (x->loop && !entry_is_in_loop(e, place)) {
        edge_unbind(x, e);
        return;
    }
    if (x->leave == LEAVE_LINK) {
        edge_bind(x, e, place);
        return;
    }
    struct emitter over = *e;
    emit_bind(&over, x->jump, place);
    x->to = place;
}

void exit_always(struct emitter *e, uint32_t place, uint16_t pc) {
    e->at = place;
    e->end = place + 10;
    e->over = true;
    EMIT(e, MOV, REG(ECX), imm(pc));    /* mov ecx, pc */
    emit_bind(e, emit_jump(e, JMP), 0); /* jmp to place 0 */
    assert(!e->full);
}

/* ---- busy-waits ---- */

static void look_for_wait(struct translation *t, const struct guest_op *op, uint16_t target) {
    struct emitter *const e = t->e;
    const struct hooks *const hooks = op->site ? &op->site->probes[PROBE_TAKEN] : NULL;
    if (target > op->pc || t->recorded)
        return;
    for (size_t i = 0; hooks && i < hooks->count; i++)
        if (hooks->at[i].probe.kind == PROBE_CALL)
            return; /* passes that call a function each time cannot be skipped; see wait_pass() */
    struct wait candidate;
    wait_examine(t->nes, &candidate, op->from, op->pc, target);
    if (candidate.length == 0)
        return;
    struct wait *const wait = malloc(sizeof *wait);
    if (!wait || !vec_push(&t->exits->waits, wait)) {
        free(wait);
        t->out_of_memory = true;
        return;
    }
    *wait = candidate;
    dbt_settle(t);
    const operand last = mem(8, ZYDIS_REGISTER_RDX, (int64_t)offsetof(struct wait, executed));
    EMIT(e, MOV, REG(RDX), imm_pointer(wait));   /* mov rdx, wait */
    EMIT(e, MOVZX, REG(EAX), REG(R12W));         /* movzx eax, r12w */
    EMIT(e, ADD, REG(RAX), FRAME(instructions)); /* add rax, [frame + instructions] */
    EMIT(e, MOV, REG(RCX), REG(RAX));            /* mov rcx, rax */
    EMIT(e, SUB, REG(RAX), last);                /* sub rax, [rdx + executed] */
    EMIT(e, MOV, last, REG(RCX));                /* mov [rdx + executed], rcx */
    EMIT(e, CMP, REG(RAX), imm(wait->length));   /* cmp rax, length */
    const uint32_t no = emit_jump(e, JNZ);       /* jnz no */
    leave_by(t, (struct exit){.leave = LEAVE_WAIT, .pc = target, .wait = wait});
    emit_bind(e, no, emit_here(e)); /* no: */
}

/* ---- exits of jumps, calls and returns ---- */

/* Leaves a superblock within a callee: pushes what its JSRs would have pushed on the return stack.
 */
static void push_returns(struct translation *t, const struct guest_op *caller) {
    if (!caller)
        return;
    push_returns(t, caller->caller);
    const uint16_t back = next_pc(caller);
    dbt_settle(t);
    EMIT(t->e, PUSH, imm((uint16_t)(back - 1)));   /* push back - 1 */
    const uint32_t inside = emit_jump(t->e, CALL); /* call inside */
    emit_edge(t, back);
    emit_bind(t->e, inside, emit_here(t->e)); /* inside: */
}

static void exit_next(struct translation *t, const struct guest_op *op) {
    dbt_fire(t, PROBE_NEXT, next_pc(op));
    push_returns(t, op->caller);
    exit_to(t, next_pc(op));
}

void exit_direct(struct translation *t, const struct guest_op *op, uint16_t target) {
    dbt_fire(t, PROBE_TAKEN, target);
    look_for_wait(t, op, target);
    push_returns(t, op->caller);
    if (op->info->kind == INSN_CALL)
        go_and_return(t, target, next_pc(op));
    else
        exit_to(t, target);
}

static void exit_return(struct translation *t) {
    const uint64_t *const row = dbt_fire_returning(t);
    const struct site *const site = t->op->site;
    if (!row && site && site->probes[PROBE_INDIRECT].fires) {
        EMIT(t->e, INC, REG(CX)); /* inc cx: the target */
        dbt_fire(t, PROBE_INDIRECT, PC_IN_ECX);
    }
    go_back(t, row);
}

void exit_indirect(struct translation *t, const struct guest_op *op) {
    if (op->info->kind == INSN_RETURN && returns_are_predicted(t)) {
        exit_return(t);
        return;
    }
    dbt_fire(t, PROBE_INDIRECT, PC_IN_ECX);
    go_indirect(t);
}

/* ---- stubs: rare cases ---- */

void exit_if(struct translation *t, uint32_t jump, enum leave leave, uint16_t pc) {
    struct stub *const s = dbt_add_stub(t, jump, STUB_AT_PC);
    s->leave = (uint8_t)leave;
    s->pc = pc;
}

static void announce(struct translation *t, const struct stub *s) {
    if (s->announced)
        EMIT(t->e, MOV, FIELD_OF_NES(observed.announced),
             imm(1)); /* mov byte [nes + announced], 1 */
}

static void emit_stub(struct translation *t, const struct stub *s, uint16_t entry_pc) {
    struct emitter *const e = t->e;
    emit_bind(e, s->jump, emit_here(e));
    t->flags = s->flags;
    t->uncounted = s->uncounted;
    t->op = s->op;
    t->loop = s->loop;
    t->announced = false;
    switch (s->kind) {
    case STUB_SLOW:
        announce(t, s);
        leave_by(t, (struct exit){.leave = LEAVE_SLOW, .pc = s->op->pc});
        break;
    case STUB_TAKEN:
        exit_direct(t, s->op, branch_target(s->op));
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
    case STUB_CYCLE_LESS:
        EMIT(e, SUB, BUDGET, imm(-(1 << BUDGET_SHIFT))); /* sub r12, -1 << 16 */
        emit_bind(e, emit_jump(e, JMP), s->back);        /* jmp back */
        break;
    case STUB_CYCLE_MORE:
        dbt_debit_cycle(t);
        emit_bind(e, emit_jump(e, JMP), s->back); /* jmp back */
        break;
    case STUB_CARRY:
        t->announced = s->announced;
        operand_carried(t);
        emit_bind(e, emit_jump(e, JMP), s->back); /* jmp back */
        break;
    case STUB_OUTSIDE:
        t->announced = s->announced;
        operand_outside(t);
        emit_bind(e, emit_jump(e, JMP), s->back); /* jmp back */
        break;
    case STUB_MMIO:
        mmio_otherwise(t);
        emit_bind(e, emit_jump(e, JMP), s->back); /* jmp back */
        break;
    case STUB_ADD_TO:
        if (s->targets)
            EMIT(e, MOV, REG(RDX), imm_pointer(s->targets)); /* mov rdx, targets */
        EMIT(e, MOV, REG(EAX), REG(ECX));                    /* mov eax, ecx */
        emit_bind(e, emit_jump(e, CALL), t->fixed->add_to);  /* call add_to */
        EMIT(e, MOV, REG(ECX), REG(EAX));                    /* mov ecx, eax */
        emit_bind(e, emit_jump(e, JMP), s->back);            /* jmp back */
        break;
    case STUB_CALL_AT:
        dbt_fire_counted(t, s);
        announce(t, s);
        leave_by(t, (struct exit){.leave = LEAVE_ATTENTION});
        break;
    case STUB_ONCE:
        dbt_fire_first(t, s);
        break;
    case STUB_PUSH_WRAPS:
        lower_wrapped_call(t);
        emit_bind(e, emit_jump(e, JMP), s->back); /* jmp back */
        break;
    case STUB_PULL_WRAPS:
        lower_unpull(t);
        announce(t, s);
        leave_by(t, (struct exit){.leave = LEAVE_SLOW, .pc = s->op->pc});
        break;
    case STUB_MISSED:
        t->announced = s->announced;
        missed_return(t);
        break;
    case STUB_MISSED_INLINE:
        t->announced = s->announced;
        missed_inlined(t);
        break;
    case STUB_NOT_TAKEN:
        exit_next(t, s->op);
        break;
    case STUB_ATTENTION:
        announce(t, s);
        leave_by(t, (struct exit){.leave = LEAVE_ATTENTION});
        break;
    }
}

void emit_stubs(struct translation *t, uint16_t entry_pc) {
    for (unsigned i = 0; i < t->stub_count; i++) { /* a stub may add more */
        const struct stub s = t->stubs[i];
        emit_stub(t, &s, entry_pc);
    }
}

/* ---- the list of exits ---- */

bool exits_open(struct exits *exits) {
    return vec_push(&exits->all, (struct exit){.leave = LEAVE_INDIRECT});
}

void exits_forget(struct exits *exits) {
    for (size_t i = 0; i < exits->waits.len; i++)
        free(exits->waits.at[i]);
    exits->waits.len = 0;
    if (exits->all.len)
        exits->all.len = 1;
}

void exits_close(struct exits *exits) {
    exits_forget(exits);
    vec_free(&exits->all);
    vec_free(&exits->waits);
}
