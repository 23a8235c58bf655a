/* Ways out of a block: to other blocks, and to the machine. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dbt/translator.h"

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

/* ---- ways out ---- */

static uint32_t add_exit(struct translation *t, struct exit exit) {
    if (!vec_push(&t->dbt->exits, exit))
        t->out_of_memory = true;
    return (uint32_t)(t->dbt->exits.len - 1);
}

/* mov eax, number; jmp to the fixed code at `place` */
static void emit_exit(struct translation *t, struct exit exit, uint32_t place) {
    EMIT(t->e, MOV, REG(EAX), imm(add_exit(t, exit))); /* mov eax, number */
    emit_bind(t->e, emit_jump(t->e, JMP), place);      /* jmp place */
}

void leave_by(struct translation *t, struct exit exit) {
    settle_counting(t, exit.leave != LEAVE_BUDGET && exit.leave != LEAVE_STALE);
    emit_exit(t, exit, t->dbt->leave);
}

/* A jump to the block at pc, once there is one and they are linked; everything is settled. */
static void jump_to(struct translation *t, uint16_t pc) {
    const uint32_t jump = emit_jump(t->e, JMP); /* jmp block */
    emit_exit(t, (struct exit){.leave = LEAVE_LINK, .pc = pc, .jump = jump}, t->dbt->leave);
}

void go_to(struct translation *t, uint16_t pc) {
    settle_counting(t, 1);
    jump_to(t, pc);
}

/* ---- the return stack ----
 *
 * A JSR calls its target's block, having pushed the pc behind it, and an RTS that goes to the pc
 * that was pushed last returns: so the host's own return stack foretells where to. Every other way
 * to treat the guest's stack costs a look-up, no more. What was pushed is forgotten whenever
 * translated code is left, which happens at least once in LONGEST_RUN cycles; so the depth is
 * bounded. */

void go_and_return(struct translation *t, uint16_t pc, uint16_t back) {
    struct emitter *const e = t->e;
    if (t->dbt->options.no_chaining || t->dbt->options.no_return_stack) {
        go_to(t, pc);
        return;
    }
    settle_counting(t, 1);
    EMIT(e, PUSH, imm(back));                              /* push back */
    const uint32_t call = emit_jump(e, CALL);              /* call block */
    EMIT(e, LEA, REG(RSP), mem(8, ZYDIS_REGISTER_RSP, 8)); /* lea rsp, [rsp + 8] */
    jump_to(t, back);                                      /* jmp block at back */
    emit_bind(e, call, emit_here(e)); /* the call leads here before it is linked: */
    emit_exit(t, (struct exit){.leave = LEAVE_LINK, .pc = pc, .jump = call}, t->dbt->leave);
}

void go_back(struct translation *t) {
    struct emitter *const e = t->e;
    if (t->dbt->options.no_chaining || t->dbt->options.no_return_stack) {
        go_indirect(t);
        return;
    }
    settle_counting(t, 1);
    EMIT(e, CMP, mem(4, ZYDIS_REGISTER_RSP, 8), REG(ECX)); /* cmp [rsp + 8], ecx */
    emit_bind(e, emit_jump(e, JNZ), t->dbt->return_miss);  /* jnz return_miss */
    emit_ret(e);                                           /* ret */
}

/* ---- indirect jumps: an inline cache of one target, the first that was hot, then the table ----
 */

void emit_look_up(struct emitter *e) {
    EMIT(e, MOV, REG(EAX), memx(4, TABLE, ZYDIS_REGISTER_RCX, 4, 0)); /* mov eax, [table + rcx*4] */
    emit_address(e, ZYDIS_REGISTER_RDX, 0);                           /* lea rdx, [place 0] */
    EMIT(e, ADD, REG(RAX), REG(RDX));                                 /* add rax, rdx */
    EMIT(e, JMP, REG(RAX));                                           /* jmp rax */
}

/* Where the parts of an inline cache are, seen from the displacement of its jump. */
enum {
    CACHE_PC = -11,  /* of cmp ecx, pc */
    CACHE_MISS = -5, /* of jnz */
    CACHE_EMPTY = 4, /* where jnz leads at first */
    CACHE_LOOK_UP = 14,
    CACHE_NO_PC = 0x7fffffff, /* also makes the encoder use 32 bits */
};

void go_indirect(struct translation *t) {
    struct emitter *const e = t->e;
    settle_counting(t, 1);
    if (t->dbt->options.no_chaining) {
        emit_bind(e, emit_jump(e, JMP), 0); /* jmp to place 0 */
        return;
    }
    if (!t->dbt->options.no_inline_cache) {
        EMIT(e, CMP, REG(ECX), imm(CACHE_NO_PC)); /* cmp ecx, pc */
        const uint32_t pc = emit_here(e) - 4;
        const uint32_t miss = emit_jump(e, JNZ); /* jnz empty, later: look_up */
        const uint32_t jump = emit_jump(e, JMP); /* jmp block */
        const uint32_t empty = emit_here(e);     /* empty: */
        emit_bind(e, miss, empty);
        emit_exit(t, (struct exit){.leave = LEAVE_GUESS, .jump = jump}, t->dbt->leave_indirect);
        assert(e->full || (pc == jump + CACHE_PC && miss == jump + CACHE_MISS &&
                           empty == jump + CACHE_EMPTY && emit_here(e) == jump + CACHE_LOOK_UP));
        (void)pc;
    }
    emit_look_up(e); /* look_up: */
}

void exit_link(struct dbt *d, uint32_t number, uint16_t pc, uint32_t place) {
    struct exit *const x = &d->exits.at[number];
    struct emitter e = {.code = d->cache.code};
    emit_bind(&e, x->jump, place);
    if (x->leave == LEAVE_GUESS) {
        const int32_t guess = pc;
        memcpy(d->cache.code + x->jump + CACHE_PC, &guess, sizeof guess);
        emit_bind(&e, x->jump + CACHE_MISS, x->jump + CACHE_LOOK_UP);
        x->pc = pc;
    }
    x->linked = true;
    d->statistics.links++;
}

/* ---- busy-waits ---- */

void look_for_wait(struct translation *t, const struct guest_op *op, uint16_t target) {
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
    EMIT(e, MOV, REG(RDX), imm_pointer(wait));   /* mov rdx, wait */
    frame_in(t->dbt, e, ZYDIS_REGISTER_RCX);     /* mov rcx, frame */
    EMIT(e, MOV, REG(RAX), EXECUTED);            /* mov rax, r13 */
    EMIT(e, SHR, REG(RAX), imm(EXECUTED_SHIFT)); /* shr rax, 24 */
    EMIT(e, ADD, REG(RAX), FRAME(RCX, instructions));
    EMIT(e, MOV, REG(RCX), REG(RAX));          /* ^ add rax, [rcx + ...]; mov rcx, rax */
    EMIT(e, SUB, REG(RAX), last);              /* sub rax, [rdx + executed] */
    EMIT(e, MOV, last, REG(RCX));              /* mov [rdx + executed], rcx */
    EMIT(e, CMP, REG(RAX), imm(wait->length)); /* cmp rax, length */
    const uint32_t no = emit_jump(e, JNZ);     /* jnz no */
    leave_by(t, (struct exit){.leave = LEAVE_WAIT, .pc = target, .wait = wait});
    emit_bind(e, no, emit_here(e)); /* no: */
}
