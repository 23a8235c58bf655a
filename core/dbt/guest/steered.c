/* Finds loops whose passes a register decides. */
#include "dbt/guest/steered.h"

enum { LOOP_BYTES = 96, BRANCH_BYTES = 2 };
enum {
    OPCODE_INY = 0xc8,
    OPCODE_DEY = 0x88,
    OPCODE_INX = 0xe8,
    OPCODE_DEX = 0xca,
    OPCODE_CPY = 0xc0,
    OPCODE_CPX = 0xe0
};

/* The branch that leads back to where the block begins, or before it; NULL: none. */
static const struct guest_op *branch_back(const struct guest_block *g) {
    for (unsigned i = 0; i < g->count; i++) {
        const struct guest_op *const op = &g->ops[i];
        if (op->info->kind == INSN_BRANCH && branch_target(op) <= op->pc)
            return branch_target(op) <= g->ops[0].pc ? op : NULL;
        if (op->info->kind != INSN_PLAIN && op->info->kind != INSN_BRANCH)
            return NULL;
    }
    return NULL;
}

/* What the steps at the end of a loop are, up to an instruction. */
struct steps {
    bool any, ended; /* ended: by a comparison */
    bool by_y;
    uint16_t first;
};

static bool is_step(uint8_t opcode, bool *by_y, uint8_t *by) {
    *by_y = opcode == OPCODE_INY || opcode == OPCODE_DEY;
    *by = opcode == OPCODE_INX || opcode == OPCODE_INY ? 1 : UINT8_MAX;
    return *by_y || opcode == OPCODE_INX || opcode == OPCODE_DEX;
}

static void note_steps(struct steered *loop, struct steps *s, uint16_t pc, const uint8_t *code) {
    bool by_y;
    uint8_t by;
    if (is_step(*code, &by_y, &by)) {
        if (!s->any || s->ended || s->by_y != by_y) {
            *s = (struct steps){.any = true, .by_y = by_y, .first = pc};
            loop->by = 0;
        }
        loop->by = (uint8_t)(loop->by + by);
    } else if (s->any && !s->ended && *code == (s->by_y ? OPCODE_CPY : OPCODE_CPX)) {
        s->ended = true;
        loop->number = code[1];
    } else {
        s->any = false;
    }
}

/* The instructions from head to branch. */
struct insns {
    bool begins[LOOP_BYTES + 1]; /* one begins there, by distance from the head */
    unsigned count, branches;
};

/* Does a branch to there stay in blocks of the loop, or leave it? */
static bool leads_well(const struct steered *loop, const struct insns *insns, uint16_t pc,
                       uint16_t target) {
    return target > loop->back ||
           (target > pc && target <= loop->step && insns->begins[target - loop->head]);
}

/* Do branches lead to before the steps, or out of the loop? Does nothing before the steps change the register? */
static bool keeps_register(const struct steered *loop, const struct insns *insns,
                           const uint8_t *code) {
    const uint16_t changes = loop->by_y ? REG_Y : REG_X;
    for (uint16_t pc = loop->head; pc < loop->step;) {
        const uint8_t *const at = code + (pc - loop->head);
        const struct opcode_info *const info = opcode_info(*at);
        const uint16_t target = (uint16_t)(pc + BRANCH_BYTES + (int8_t)at[1]);
        if (info->writes & changes)
            return false;
        if (info->kind == INSN_BRANCH && !leads_well(loop, insns, pc, target))
            return false;
        pc = (uint16_t)(pc + info->size);
    }
    return true;
}

static bool is_rom(const struct nes *n, const struct guest_block *g, uint16_t from, uint16_t to) {
    if (g->in_ram || from < 0x8000 || window_of(from) != window_of(to) ||
        !window_in(g->certain, from))
        return false;
    for (unsigned page = from >> 8; page <= to >> 8u; page++)
        if (n->memory.wr[page] || !n->memory.rd[page])
            return false;
    return true;
}

bool steered_find(const struct nes *n, const struct guest_block *g, struct steered *out) {
    const struct guest_op *const back = g->superblock ? NULL : branch_back(g);
    if (!back || back->pc - branch_target(back) > LOOP_BYTES)
        return false;
    struct steps steps = {0};
    struct insns insns = {0};
    uint16_t pc = branch_target(back);
    *out = (struct steered){.head = pc, .back = back->pc, .mnemonic = back->mnemonic};
    if (!is_rom(n, g, pc, (uint16_t)(back->pc + 1)))
        return false;
    const uint8_t *const code = n->memory.rd[pc >> 8] + (pc & 0xff);
    while (pc < out->back) {
        const uint8_t *const at = code + (pc - out->head);
        const struct opcode_info *const info = opcode_info(*at);
        if (info->kind != INSN_PLAIN && info->kind != INSN_BRANCH)
            return false;
        insns.begins[pc - out->head] = true;
        insns.count++;
        insns.branches += info->kind == INSN_BRANCH;
        note_steps(out, &steps, pc, at);
        pc = (uint16_t)(pc + info->size);
    }
    out->step = steps.first;
    out->by_y = steps.by_y;
    out->compares = steps.ended;
    /* A block that begins at the head reaches the branch back: else each pass would leave the loop's blocks. */
    if (pc != out->back || insns.count >= BLOCK_LONGEST || insns.branches > BLOCK_BRANCHES)
        return false;
    return steps.any && g->ops[0].pc <= out->step && insns.begins[g->ops[0].pc - out->head] &&
           keeps_register(out, &insns, code);
}

/* Is the branch taken when the steps have left this value? */
static bool takes_branch(const struct steered *loop, uint8_t value) {
    const uint8_t result = (uint8_t)(value - (loop->compares ? loop->number : 0));
    switch (loop->mnemonic) {
    case DO_BNE:
        return result != 0;
    case DO_BEQ:
        return result == 0;
    case DO_BPL:
        return result < 0x80;
    case DO_BMI:
        return result >= 0x80;
    case DO_BCC:
        return value < loop->number;
    default: /* BCS */
        return value >= loop->number;
    }
}

bool steered_passes(const struct steered *loop, uint16_t passes[STEERED_VALUES]) {
    unsigned known = 0;
    if (loop->mnemonic == DO_BVC || loop->mnemonic == DO_BVS ||
        (!loop->compares && (loop->mnemonic == DO_BCC || loop->mnemonic == DO_BCS)))
        return false;
    for (unsigned last = 0; last < STEERED_VALUES; last++) {
        uint8_t value = (uint8_t)last;
        if (takes_branch(loop, (uint8_t)(value + loop->by)))
            continue;
        passes[value] = 0; /* it leaves; now the values that lead there */
        known++;
        for (uint16_t more = 1; takes_branch(loop, value) && known < STEERED_VALUES; more++) {
            value = (uint8_t)(value - loop->by);
            passes[value] = more;
            known++;
        }
    }
    return known == STEERED_VALUES;
}
