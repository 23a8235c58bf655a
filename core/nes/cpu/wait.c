/* Analysis of code that may be a busy-wait. */
#include "nes/cpu/wait.h"

#include <string.h>

#include "nes/machine/machine.h"

enum { WINDOW_SHIFT = 13, FIRST_WINDOW = 0x8000 >> WINDOW_SHIFT };
/* Longest pass, in instructions, of a wait that is not `certain`: a longer one costs more time to
 * execute once more than skipping saves. */
enum { LONGEST_UNCERTAIN = 8 };

struct examined {
    uint16_t read_first; /* registers and flags read before they are written in the pass */
    uint16_t written;
    bool status, unmasks, jumps, calls, reads_stack;
    unsigned read_at;    /* cycle of the pass in which it is read last */
    unsigned cost;       /* cycles */
    unsigned length;     /* instructions so far */
    unsigned first_left; /* the number of the first instruction that may leave the pass */
    unsigned exits;
    uint16_t exit[WAIT_LONGEST]; /* targets of branches */
    unsigned depth;
    uint16_t back[WAIT_NESTED]; /* return addresses */
    unsigned windows;           /* 8 KiB windows that hold code of the pass: a bit each */
};

static bool crosses_page(uint16_t a, uint16_t b) {
    return (a ^ b) >> 8;
}

/* Reads the instruction at pc; false unless it lies in ROM and in one window. */
static bool fetch(const struct nes *n, uint16_t pc, uint8_t bytes[3]) {
    if (pc < 0x8000 || !n->memory.rd[pc >> 8] || n->memory.wr[pc >> 8])
        return false;
    const unsigned size = opcode_info(n->memory.rd[pc >> 8][pc & 0xff])->size;
    if ((pc ^ (pc + size - 1u)) >> WINDOW_SHIFT)
        return false;
    for (unsigned i = 0; i < size; i++)
        bytes[i] = n->memory.rd[(pc + i) >> 8][(pc + i) & 0xff];
    return true;
}

/* Notes the effects of an instruction that is no call or return; false if no busy-wait may contain
 * it. */
static bool note_effects(struct examined *x, const struct opcode_info *op, const uint8_t *bytes) {
    if (!opcode_may_wait(bytes))
        return false;
    if (op->mode == MODE_ABS && op->kind == INSN_PLAIN) {
        const unsigned operand = bytes[1] | (unsigned)bytes[2] << 8;
        if (operand == PPU_STATUS_ADDRESS) {
            x->status = true;
            x->read_at = x->cost - 1;
        }
        x->reads_stack |= operand < 0x2000 && (operand & (RAM_SIZE - 1)) >> 8 == 1;
    }
    /* All other instructions that may clear I use the stack. */
    x->unmasks |= bytes[0] == OPCODE_CLI;
    x->read_first |= op->reads & ~x->written;
    x->written |= op->writes;
    return true;
}

/* Moves *pc past its instruction, which is not J; false: no busy-wait. */
static bool follow(struct examined *x, uint16_t *pc, const struct opcode_info *op,
                   const uint8_t *bytes) {
    const uint16_t next = (uint16_t)(*pc + op->size);
    const uint16_t operand = (uint16_t)(bytes[1] | bytes[2] << 8);
    switch ((enum insn_kind)op->kind) {
    case INSN_PLAIN:
        *pc = next;
        return true;
    case INSN_BRANCH:
        if (x->exits == 0)
            x->first_left = x->length;
        x->exit[x->exits++] = (uint16_t)(next + (int8_t)bytes[1]);
        *pc = next;
        return true;
    case INSN_JUMP:
        x->jumps = true;
        *pc = operand;
        return true;
    case INSN_CALL:
        if (x->depth == WAIT_NESTED)
            return false;
        x->calls = true;
        x->back[x->depth++] = next;
        *pc = operand;
        return true;
    case INSN_RETURN:
        if (x->depth == 0)
            return false;
        *pc = x->back[--x->depth];
        return true;
    default:
        return false;
    }
}

/* Follows the path from T to J; false if it is not a pass. */
static bool walk(const struct nes *n, struct wait *w, struct examined *x) {
    for (uint16_t pc = w->target;; x->length++) {
        uint8_t bytes[3] = {0};
        if (x->length == WAIT_LONGEST || !fetch(n, pc, bytes))
            return false;
        const struct opcode_info *const op = opcode_info(bytes[0]);
        const bool pushes = op->kind == INSN_CALL || op->kind == INSN_RETURN;
        w->at[x->length] = (uint8_t)x->cost;
        w->path[x->length] = pc;
        x->windows |= 1u << ((pc >> WINDOW_SHIFT) - FIRST_WINDOW);
        x->cost += op->cycles;
        if (!pushes && !note_effects(x, op, bytes))
            return false;
        if (pc == w->pc) {
            x->length++;
            return x->depth == 0 && !pushes && op->kind != INSN_PLAIN;
        }
        if (!follow(x, &pc, op, bytes))
            return false;
    }
}

/* A branch into the pass could skip a part of it, and another one could repeat a part. */
static bool exits_lead_outside(const struct wait *w, const struct examined *x) {
    for (unsigned i = 0; i < x->exits; i++)
        for (unsigned k = 0; k < x->length; k++)
            if (x->exit[i] == w->path[k])
                return false;
    return true;
}

/* True if all its instructions, and all targets of its branches, lie in the window of J. */
static bool stays_in_window(const struct wait *w, const struct examined *x) {
    bool stays = !(x->windows & ~(1u << ((w->pc >> WINDOW_SHIFT) - FIRST_WINDOW)));
    for (unsigned i = 0; i < x->exits; i++)
        stays &= (x->exit[i] ^ w->pc) >> WINDOW_SHIFT == 0;
    return stays;
}

/* True if the pass writes a register or flag that it has read before, or uses the stack or its
 * pointer other than by calls and returns. */
static bool changes_itself(const struct examined *x) {
    return (x->read_first & x->written) || (x->calls && (x->reads_stack || x->written & REG_S));
}

void wait_examine(struct nes *n, struct wait *w, const uint8_t *from, uint16_t pc,
                  uint16_t target) {
    *w = (struct wait){.from = from, .pc = pc, .target = target};
    if (n->made.options.no_skip || target > pc || target < 0x8000 ||
        pc - target > 3 * WAIT_LONGEST || (target ^ (pc + 2)) >> WINDOW_SHIFT ||
        n->memory.wr[pc >> 8])
        return; /* across banks, the same jump could belong to other code later */
    struct examined x = {.first_left = WAIT_LONGEST};
    if (!walk(n, w, &x) || changes_itself(&x) || !exits_lead_outside(w, &x))
        return;
    /* Execution that leaves the pass needs at least one more instruction to return to J. */
    w->certain = x.first_left + 2 >= x.length;
    if (!w->certain && x.length > LONGEST_UNCERTAIN)
        return;
    if (opcode_info(*from)->kind == INSN_BRANCH)
        x.cost += crosses_page((uint16_t)(pc + 2), target) ? 2 : 1;
    w->straight = !x.jumps && !x.calls;
    w->alone = stays_in_window(w, &x);
    w->calls = x.calls;
    x.windows &= ~(1u << ((pc >> WINDOW_SHIFT) - FIRST_WINDOW));
    for (unsigned i = 0; i < 4; i++)
        w->lies[i] =
            x.windows & 1u << i ? n->memory.rd[(FIRST_WINDOW + i) << (WINDOW_SHIFT - 8)] : NULL;
    w->cost = (uint8_t)x.cost;
    w->unmasks = x.unmasks;
    w->status = x.status;
    w->read_at = (uint8_t)x.read_at;
    w->length = (uint8_t)x.length;
}

void wait_forget(struct nes *n) {
    memset(n->idle.waits, 0, sizeof n->idle.waits);
    n->idle.waiting = NULL;
}
