/* Superblocks: extends a block past its transfers along the path that the profile predicts. */
#include <stdlib.h>

#include "dbt/guest/guest.h"

enum {
    CALLS_MOST = 4,              /* nested calls that a path follows */
    UNROLLED_MOST = 24,          /* instructions of all unrolled copies of a loop */
    SHARE_LEAST = DBT_ALWAYS / 8 /* a path ends when fewer executions than this get so far */
};

/* The path under construction. */
struct path {
    struct nes *nes;
    const struct dbt_options *options;
    struct guest_block *block;
    const struct guest_op *caller; /* innermost open call, NULL outside callees */
    uint64_t share;                /* executions of the block that reach pc, in DBT_ALWAYS-ths */
    uint16_t pc;                   /* next instruction */
    int pushed[CALLS_MOST + 1];    /* bytes on the stack, for each open callee */
    unsigned turn;                 /* instructions of the loop back to the start; 0: no loop yet */
};

/* ---- successors from the profile ---- */

static int by_from(const void *key, const void *at) {
    const uint32_t a = *(const uint32_t *)key, b = ((const struct dbt_likely *)at)->from;
    return (a > b) - (a < b);
}

static uint16_t target_of(const struct guest_op *op) {
    return op->info->kind == INSN_BRANCH ? branch_target(op) : operand_of(op);
}

/* Chooses a side of a branch by a hash of the seed and its address. False: the path ends here. */
static bool choose(unsigned seed, const struct guest_op *op, uint16_t *to) {
    const uint32_t hash = (op->pc ^ seed * 0x9e3779b9u) * 0x85ebca6bu >> 16;
    *to = op->info->kind == INSN_BRANCH && hash & 1 ? next_pc(op) : target_of(op);
    return (hash >> 1 & 7) != 0;
}

/* The likeliest successor of a branch, jump or call. False: it is unknown or too rare. */
static bool ask(struct path *p, const struct guest_op *op, uint16_t *to) {
    if (p->options->random_paths)
        return choose(p->options->random_paths, op, to);
    const uint32_t from = nes_code_address(p->nes, op->pc);
    const struct dbt_profile *const profile = p->options->profile;
    const struct dbt_likely *const likely =
        bsearch(&from, profile->at, profile->count, sizeof *profile->at, by_from);
    if (!likely)
        return false;
    *to = (uint16_t)likely->to;
    p->share = p->share * likely->share / DBT_ALWAYS;
    return p->share >= SHARE_LEAST;
}

/* ---- the path ---- */

static unsigned depth(const struct guest_op *caller) {
    return caller ? 1 + depth(caller->caller) : 0;
}

/* Does the path contain pc within the current callee? */
static bool contains(const struct path *p, uint16_t pc) {
    for (unsigned i = 0; i < p->block->count; i++)
        if (p->block->ops[i].pc == pc && p->block->ops[i].caller == p->caller)
            return true;
    return false;
}

/* A backward jump may close a busy-wait, and skipping a busy-wait leaves the block at this jump. */
static bool may_wait(const struct path *p, const struct guest_op *op, uint16_t to) {
    struct wait candidate;
    wait_examine(p->nes, &candidate, op->from, op->pc, to);
    return candidate.length != 0;
}

static bool back_at_start(const struct path *p, uint16_t pc) {
    return pc == p->block->ops[0].pc && !p->caller;
}

/* May the path run through its start once more? */
static bool may_unroll(struct path *p) {
    if (p->turn == 0)
        p->turn = p->block->count;
    return p->block->count + p->turn <= UNROLLED_MOST;
}

static bool may_jump(const struct path *p, const struct guest_op *op, uint16_t to) {
    if (to > op->pc)
        return true;
    if (may_wait(p, op, to))
        return false;
    return back_at_start(p, to) || !contains(p, to);
}

/* Observers count a call at its return, so an observed machine has no calls within a superblock. */
static bool may_call(const struct path *p) {
    return !p->nes->observed.watched && !p->options->no_chaining && !p->options->no_return_stack &&
           depth(p->caller) < CALLS_MOST;
}

/* Follows the transfer `op`. False: the superblock ends with it. */
static bool follow(struct path *p, struct guest_op *op) {
    uint16_t to;
    switch ((enum insn_kind)op->info->kind) {
    case INSN_RETURN:
        if (!p->caller || p->pushed[depth(p->caller)] != 0)
            return false; /* not the return of a call in this path, so its target is unknown */
        op->likely = LIKELY_TAKEN;
        p->pc = next_pc(p->caller);
        p->caller = p->caller->caller;
        return true;
    case INSN_BRANCH:
    case INSN_JUMP:
    case INSN_CALL:
        break;
    default:
        return false;
    }
    if (!ask(p, op, &to))
        return false;
    if (op->info->kind == INSN_BRANCH && to == next_pc(op)) {
        op->likely = LIKELY_NEXT;
    } else {
        if (to != target_of(op) ||
            (op->info->kind == INSN_CALL ? !may_call(p) : !may_jump(p, op, to)))
            return false;
        op->likely = LIKELY_TAKEN;
        if (op->info->kind == INSN_CALL) {
            p->caller = op;
            p->pushed[depth(op)] = 0;
        }
    }
    p->pc = to;
    return true;
}

/* A callee is followed up to its return or not at all: otherwise the block ends with the call. */
static void cut(struct path *p) {
    struct guest_block *const g = p->block;
    if (!p->caller)
        return;
    const struct guest_op *call = p->caller;
    while (call->caller)
        call = call->caller;
    g->count = (unsigned)(call - g->ops) + 1;
    g->ops[g->count - 1].likely = LIKELY_UNKNOWN;
}

/* Bytes that an instruction leaves on the stack. After TXS the stack is unknown: no return
 * matches. */
static int pushes(const struct guest_op *op) {
    switch (op->mnemonic) {
    case DO_PHA:
    case DO_PHP:
        return 1;
    case DO_PLA:
    case DO_PLP:
        return -1;
    case DO_TXS:
        return SUPERBLOCK_LONGEST;
    default:
        return 0;
    }
}

/* Adds instructions until the path ends. */
static void walk(struct path *p) {
    struct guest_block *const g = p->block;
    while (!(g->count && back_at_start(p, p->pc) && !may_unroll(p)) &&
           guest_add(p->nes, p->pc, g)) {
        struct guest_op *const op = &g->ops[g->count - 1];
        op->caller = p->caller;
        if (op->info->kind == INSN_PLAIN) {
            p->pc = next_pc(op);
            p->pushed[depth(p->caller)] += pushes(op);
            if (op->reach == REACH_BOARD)
                return;
        } else if (!follow(p, op)) {
            p->pc = next_pc(op);
            return;
        }
    }
}

static int by_address(const void *key, const void *at) {
    const uint32_t a = *(const uint32_t *)key, b = *(const uint32_t *)at;
    return (a > b) - (a < b);
}

/* A superblock costs several times as much as a block to translate: only hot code pays that back. */
bool dbt_is_hot(const struct nes *n, uint16_t pc, const struct dbt_options *options) {
    if (options->random_paths)
        return true;
    const struct dbt_profile *const profile = options->profile;
    if (!profile)
        return false;
    const uint32_t address = nes_code_address(n, pc);
    return profile->hot_count &&
           bsearch(&address, profile->hot, profile->hot_count, sizeof address, by_address);
}

bool dbt_discover_superblock(struct nes *n, uint16_t pc, const struct dbt_options *options,
                             unsigned certain, struct guest_block *out) {
    struct path p = {.nes = n, .options = options, .block = out, .share = DBT_ALWAYS, .pc = pc};
    out->count = out->bytes = out->guarded = out->followed = 0;
    out->in_ram = out->cut = false;
    out->superblock = out->steady = true;
    out->certain = certain;
    walk(&p);
    cut(&p);
    bool known = false;
    out->bytes = 0;
    for (unsigned i = 0; i < out->count; i++) {
        out->bytes += out->ops[i].info->size;
        out->followed += out->ops[i].likely == LIKELY_TAKEN;
        known = known || out->ops[i].likely != LIKELY_UNKNOWN;
    }
    if (!known)
        return false;
    out->from = out->ops[0].from;
    out->end = p.caller ? next_pc(&out->ops[out->count - 1]) : p.pc;
    guest_find_needed(out);
    return true;
}
