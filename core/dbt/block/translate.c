/* Whole blocks. */
#include "dbt/block/translate.h"

#include <stdlib.h>
#include <string.h>

#include "dbt/lower/instrument.h"
#include "dbt/lower/lower.h"
#include "dbt/lower/mmio.h"

/* ---- the parts of a block ---- */

/* Compares guest memory with the bytes that were translated. */
static void compare_bytes(struct translation *t, const struct guest_block *g) {
    struct emitter *const e = t->e;
    const struct nes *const n = t->nes;
    ZydisRegister base = NES;
    int64_t at = 0;
    if (g->from >= n->memory.ram && g->from < n->memory.ram + RAM_SIZE) {
        at = (int64_t)offsetof(struct nes, memory.ram) + (g->from - n->memory.ram);
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
        dbt_add_stub(t, emit_jump(e, JNZ), STUB_STALE); /* jnz stale */
    }
}

/* Compares the windows that the instructions' sites depend on. */
static void compare_windows(struct translation *t, const struct guest_block *g) {
    struct emitter *const e = t->e;
    for (unsigned i = 0; i < WINDOWS; i++) {
        const unsigned page = i * (WINDOW_SIZE / 256);
        if (!(g->guarded >> i & 1))
            continue;
        const size_t at = offsetof(struct nes, memory.rd) + 8 * page;
        EMIT(e, MOV, REG(RAX), imm_pointer(t->nes->memory.rd[page])); /* mov rax, page */
        EMIT(e, CMP, mem(8, NES, (int64_t)at), REG(RAX));             /* cmp [nes + rd + ..], rax */
        dbt_add_stub(t, emit_jump(e, JNZ), STUB_STALE);               /* jnz stale */
    }
}

/* Maximal and minimal cycles of an instruction. */
static unsigned most_cycles(const struct guest_op *op) {
    return op->info->cycles + (op->info->kind == INSN_BRANCH ? 2 : 1);
}

static int taken_cycles(const struct guest_op *op) {
    return op->info->cycles + (((op->pc + 2) ^ branch_target(op)) & 0xff00 ? 2 : 1);
}

static bool goes_back(const struct guest_op *op) {
    return op->info->kind == INSN_BRANCH && branch_target(op) <= op->pc;
}

/* Cycles of an instruction on a superblock's path. */
static unsigned path_cycles(const struct guest_op *op) {
    if (op->likely == LIKELY_UNKNOWN || op->info->kind != INSN_BRANCH)
        return most_cycles(op);
    return op->likely == LIKELY_TAKEN ? (unsigned)taken_cycles(op) : op->info->cycles;
}

/* A segment ends after a backward branch, which is usually taken; its cycles are debited when it
 * begins. Returns the index after the segment that begins with `first`. */
static unsigned segment_end(const struct guest_block *g, unsigned first) {
    unsigned i = first;
    while (i < g->count && !(goes_back(&g->ops[i]) && g->ops[i].likely == LIKELY_UNKNOWN))
        i++;
    return i < g->count ? i + 1 : i;
}

/* Cycles until the last instruction of `first` ... end - 1 begins, at most. */
static int worst_cycles(const struct guest_block *g, unsigned first, unsigned end) {
    int worst = 0;
    for (unsigned i = first; i + 1 < end; i++)
        worst += (int)path_cycles(&g->ops[i]);
    return worst;
}

/* Leaves if the last instruction of a segment might not start within the budget. */
static void begin_segment(struct translation *t, const struct guest_block *g, unsigned first) {
    const int worst = worst_cycles(g, first, segment_end(g, first));
    if (first == 0) {
        exit_if(t, emit_entry(t, worst), LEAVE_BUDGET, g->ops[0].pc);
        return;
    }
    dbt_debit(t, worst);                                           /* sub r12, ... */
    exit_if(t, emit_jump(t->e, JL), LEAVE_MMIO, g->ops[first].pc); /* jl out */
}

/* The same for the rest of a segment, after an MMIO access that changed the budget. */
static void check_budget(struct translation *t, const struct guest_block *g, unsigned first,
                         unsigned end) {
    const int64_t worst = worst_cycles(g, first, end) + t->uncounted.cycles;
    EMIT(t->e, CMP, BUDGET, imm(worst * (1 << BUDGET_SHIFT)));     /* cmp r12, worst << 16 */
    exit_if(t, emit_jump(t->e, JL), LEAVE_MMIO, g->ops[first].pc); /* jl out */
    forget_host_flags(t);
}

/* The next instruction is known only after the write: probes fire after the exit. */
static void leave_if_moved(struct translation *t, const struct guest_op *op) {
    struct emitter *const e = t->e;
    EMIT(e, CMP, FRAME(moved), imm(0)); /* cmp dword [frame + moved], 0 */
    exit_if(t, emit_jump(e, JNZ), LEAVE_BOARD, next_pc(op));
    forget_host_flags(t); /* ^ jnz out; the host's flags are lost */
}

static void count_execution(struct translation *t, struct block *b) {
    EMIT(t->e, MOV, REG(RAX), imm_pointer(&b->executions)); /* mov rax, executions */
    EMIT(t->e, ADD, mem(8, ZYDIS_REGISTER_RAX, 0), imm(1)); /* add qword [rax], 1 */
}

/* A traced block logs its start, unless the log is complete. */
static void note_block(struct translation *t, const struct guest_block *g) {
    EMIT(t->e, CMP, REG(R12W), FRAME(until));                     /* cmp r12w, [frame + until] */
    exit_if(t, emit_jump(t->e, JNB), LEAVE_BUDGET, g->ops[0].pc); /* jae out */
    dbt_log(t, t->number);
}

static void executed(struct translation *t, int cycles) {
    t->uncounted.cycles += cycles;
    t->uncounted.instructions++;
}

/* A superblock continues at the target of its transfer. */
static void follow_to(struct translation *t, int cycles, uint16_t target) {
    executed(t, cycles);
    dbt_fire(t, PROBE_TAKEN, target);
}

/* Not taken: continues here. Taken: after the block, or here for a backward branch, which is
 * usually taken. */
static void branch(struct translation *t, const struct guest_op *op) {
    const uint32_t jump = lower_condition(t, op);
    const struct known_flags flags = t->flags;
    const struct uncounted uncounted = t->uncounted;
    if (op->likely == LIKELY_TAKEN) {
        emit_invert(t->e, jump); /* jn.. next, out of line */
        struct stub *const next = dbt_add_stub(t, jump, STUB_NOT_TAKEN);
        next->uncounted.cycles += op->info->cycles;
        next->uncounted.instructions++;
        follow_to(t, taken_cycles(op), branch_target(op));
        return;
    }
    if (goes_back(op) && op->likely == LIKELY_UNKNOWN) {
        emit_invert(t->e, jump); /* jn.. next */
        executed(t, taken_cycles(op));
        if (t->loop)
            exit_to(t, branch_target(op)); /* it is counted where control has entered the loop */
        else
            exit_direct(t, op, branch_target(op));
        t->loop = NULL;
        emit_bind(t->e, jump, emit_here(t->e)); /* next: */
        t->flags = flags;
        t->uncounted = uncounted;
    } else {
        struct stub *const taken = dbt_add_stub(t, jump, STUB_TAKEN);
        taken->uncounted.cycles += taken_cycles(op);
        taken->uncounted.instructions++;
    }
    executed(t, op->info->cycles);
    dbt_fire(t, PROBE_NEXT, (uint16_t)(op->pc + 2));
}

/* False: the block ends with this instruction. */
static bool instruction(struct translation *t, const struct guest_op *op) {
    t->op = op;
    t->announced = false;
    dbt_fire(t, PROBE_BEFORE, op->pc);
    if (op->info->kind == INSN_RETURN && op->likely == LIKELY_TAKEN) {
        lower_inlined_return(t, op);
        executed(t, op->info->cycles);
        return true;
    }
    dbt_lower(t, op);
    switch ((enum insn_kind)op->info->kind) {
    case INSN_BRANCH:
        branch(t, op);
        return true;
    case INSN_JUMP:
    case INSN_CALL:
        if (op->likely == LIKELY_TAKEN) {
            follow_to(t, op->info->cycles, operand_of(op));
            return true;
        }
        executed(t, op->info->cycles);
        exit_direct(t, op, operand_of(op));
        return false;
    case INSN_JUMP_INDIRECT:
    case INSN_RETURN:
        lower_target(t, op);
        executed(t, op->info->cycles);
        exit_indirect(t, op);
        return false;
    default:
        executed(t, op->info->cycles);
        if (op->reach == REACH_BOARD)
            leave_if_moved(t, op);
        dbt_fire(t, PROBE_NEXT, next_pc(op));
        return true;
    }
}

/* Binds jumps back to the block's start to its body, after the entry. */
static void bind_back(struct translation *t, const struct guest_block *g, const struct block *b,
                      uint32_t entry) {
    if (!g->steady || t->recorded || t->options->no_chaining || t->e->full || t->out_of_memory)
        return;
    for (size_t i = b->first_exit; i < t->exits->all.len; i++) {
        struct exit *const x = &t->exits->all.at[i];
        if (x->leave == LEAVE_LINK && !x->calls && x->pc == b->pc)
            edge_bind_back(x, t->e, entry, g->unasked);
    }
}

/* Emits what the block rarely executes: after it, or apart from it if it is hot. */
static void emit_unlikely(struct translation *t, const struct guest_block *g, struct block *b) {
    struct emitter *const e = t->e;
    if (e->full)
        return; /* the jumps to the stubs are not there: binding them would overwrite other code */
    if (t->apart)
        t->e = t->apart;
    const uint32_t from = emit_here(t->e);
    emit_stubs(t, g->ops[0].pc);
    const uint32_t size = emit_here(t->e) - from;
    if (t->apart) {
        b->apart = from;
        b->apart_size = size;
    } else {
        b->host_size += size;
    }
    e->full = e->full || t->e->full;
    t->e = e;
}

/* The loop that the block begins in, if it is counted where control enters. */
static const struct loop_count *loop_of(struct translation *t, const struct guest_block *g) {
    return t->recorded || t->options->no_chaining || g->guarded
               ? NULL
               : loop_count_of(t->loops, t->nes, g);
}

static void emit_block(struct translation *t, const struct guest_block *g, struct block *b) {
    const struct loop_count *const loop = loop_of(t, g);
    emit_before_entry(t, !g->in_ram && !g->guarded && !t->recorded, g->unasked, loop != NULL);
    b->host = emit_here(t->e);
    if (g->in_ram)
        compare_bytes(t, g);
    compare_windows(t, g);
    if (t->recorded)
        note_block(t, g);
    const uint32_t entry = emit_here(t->e);
    begin_segment(t, g, 0);
    if (loop)
        emit_loop(t->e, loop, true);
    t->loop = loop;
    if (t->options->count_blocks)
        count_execution(t, b);
    bool goes_on = true;
    unsigned end = segment_end(g, 0);
    for (unsigned i = 0; i < g->count; i++) {
        if (i == end) {
            begin_segment(t, g, i);
            end = segment_end(g, i);
        }
        goes_on = instruction(t, &g->ops[i]);
        if (mmio_moves_deadline(t->nes, &g->ops[i]) && i + 1 < end)
            check_budget(t, g, i + 1, end);
    }
    if (goes_on)
        exit_to(t, g->end);
    b->host_size = emit_here(t->e) - b->host;
    emit_unlikely(t, g, b);
    bind_back(t, g, b, entry);
}

void block_free(struct block *b) {
    if (b)
        free(b->positions);
    free(b);
}

static struct block *new_block(const struct nes *n, const struct guest_block *g) {
    struct block *const b = malloc(sizeof *b + g->bytes);
    if (!b)
        return NULL;
    *b = (struct block){.guest = (uint8_t *)(b + 1)};
    b->pc = g->ops[0].pc;
    b->count = (uint8_t)g->count;
    b->guest_bytes = (uint16_t)g->bytes;
    b->address = nes_code_address(n, b->pc);
    uint8_t *to = b->guest;
    if (!g->superblock)
        memcpy(to, g->from, g->bytes);
    for (unsigned i = 0; g->superblock && i < g->count; to += g->ops[i++].info->size)
        memcpy(to, g->ops[i].bytes, g->ops[i].info->size);
    return b;
}

static struct emitter emitter_of(struct translator *with, const struct cache_part *part) {
    return (struct emitter){.code = with->cache.code,
                            .at = (uint32_t)part->used,
                            .end = (uint32_t)part->end,
                            .encodings = &with->encodings};
}

/* hot: in the hot part of the cache, with its stubs in the usual part. */
static struct block *translate_into(struct translator *with, struct nes *n,
                                    const struct guest_block *g, bool hot) {
    struct cache_parts *const parts = &with->cache.parts;
    struct emitter usual = emitter_of(with, &parts->usual);
    struct emitter among_hot = emitter_of(with, &parts->hot);
    struct translation t = {.nes = n,
                            .e = hot ? &among_hot : &usual,
                            .apart = hot ? &usual : NULL,
                            .certain = g->certain,
                            .called = g->called,
                            .fixed = &with->fixed,
                            .options = &with->options,
                            .exits = &with->exits,
                            .targets = &with->targets,
                            .returns = &with->returns,
                            .loops = &with->loops,
                            .recorded = with->recorded,
                            .number = with->number,
                            .carries_before = with->carries_before,
                            .stubs = with->stubs};
    struct block *const b = new_block(n, g);
    const size_t exits = with->exits.all.len;
    bool ok = false;
    if (b) {
        b->first_exit = (uint32_t)exits;
        emit_block(&t, g, b);
        b->exits = (uint32_t)(with->exits.all.len - exits);
        b->carries = t.carries;
        ok = !t.e->full && !t.out_of_memory;
    }
    if (ok) {
        parts->usual.used = usual.at;
        parts->hot.used = among_hot.at;
        return b;
    }
    with->exits.all.len = exits;
    block_free(b);
    return NULL;
}

struct block *dbt_translate(struct translator *with, struct nes *n, const struct guest_block *g) {
    struct cache_part *const hot = &with->cache.parts.hot;
    if (g->hot && hot->used < hot->end) {
        struct block *const b = translate_into(with, n, g, true);
        if (b)
            return b;
        hot->used = hot->end; /* full, or nearly: from now on all code is placed alike */
    }
    return translate_into(with, n, g, false);
}

bool translator_open(struct translator *with) {
    with->stubs = malloc(STUBS * sizeof *with->stubs);
    return with->stubs && exits_open(&with->exits);
}

void translator_forget(struct translator *with) {
    exits_forget(&with->exits);
    for (size_t i = 0; i < with->targets.all.len; i++)
        free(with->targets.all.at[i]);
    with->targets.all.len = 0;
    returns_forget(&with->returns);
    loop_counts_forget(&with->loops);
    cache_empty(&with->cache, with->fixed.end);
    if (with->options.profile || with->options.random_paths)
        cache_set_apart(&with->cache);
}

void translator_close(struct translator *with) {
    translator_forget(with);
    exits_close(&with->exits);
    vec_free(&with->targets.all);
    free(with->stubs);
    cache_close(&with->cache);
}
