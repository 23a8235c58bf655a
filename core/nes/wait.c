/* What may be a busy-wait. */
#include "nes/wait.h"

#include <string.h>

#include "nes/machine.h"

struct examined {
    uint16_t read_first; /* registers and flags read before they are written in the pass */
    uint16_t written;
    bool status;
    unsigned read_at;    /* cycle of the pass in which it is read last */
    unsigned cost;       /* cycles */
    unsigned first_left; /* the number of the first instruction that may leave the pass */
};

static bool crosses_page(uint16_t a, uint16_t b) {
    return (a ^ b) >> 8;
}

/* Instruction number `number` of the pass, at pc; the last one is the jump at `end` itself. */
static bool waits(const struct nes *n, uint16_t pc, uint16_t end, unsigned number,
                  struct examined *x) {
    uint8_t bytes[3];
    for (unsigned i = 0; i < 3; i++)
        bytes[i] = n->rd[(uint16_t)(pc + i) >> 8][(pc + i) & 0xff];
    const struct opcode_info *op = opcode_info(bytes[0]);
    if (!opcode_may_wait(bytes))
        return false;
    x->cost += op->cycles;
    if (op->mode == MODE_ABS && (bytes[1] | bytes[2] << 8) == PPU_STATUS_ADDRESS) {
        x->status = true;
        x->read_at = x->cost - 1;
    }
    if (op->kind != INSN_PLAIN && pc != end && number < x->first_left)
        x->first_left = number;
    if (op->kind == INSN_BRANCH && pc != end) {
        if ((uint16_t)(pc + 2 + (int8_t)bytes[1]) <= end)
            return false; /* the pass would not be straight */
    } else if (op->kind != INSN_PLAIN && pc != end) {
        return false;
    }
    x->read_first |= op->reads & ~x->written;
    x->written |= op->writes;
    return true;
}

void wait_examine(struct nes *n, struct wait *w, const uint8_t *from, uint16_t pc,
                  uint16_t target) {
    *w = (struct wait){.from = from, .pc = pc, .target = target};
    if (n->options.no_skip || target > pc || target < 0x8000 || pc - target > 3 * WAIT_LONGEST ||
        (target ^ (pc + 2)) >> 13 || n->wr[pc >> 8] || n->wr[target >> 8])
        return; /* over the edge of a bank the same jump could belong to other code later */
    struct examined x = {.first_left = WAIT_LONGEST};
    unsigned length = 0;
    uint16_t at = target;
    for (; at <= pc; at += opcode_info(n->rd[at >> 8][at & 0xff])->size, length++) {
        if (length == WAIT_LONGEST)
            return;
        w->at[length] = (uint8_t)x.cost;
        w->behind[length] = (uint8_t)(at - target);
        if (!waits(n, at, pc, length, &x))
            return;
    }
    const uint8_t jump = opcode_info(*from)->size;
    if (at != pc + jump || x.read_first & x.written)
        return; /* J is not where the straight path ends, or a pass changes what it reads */
    if (opcode_info(*from)->kind == INSN_BRANCH)
        x.cost += crosses_page(at, target) ? 2 : 1;
    /* Whoever leaves the pass comes back to J by a further instruction at least. */
    w->certain = x.first_left + 2 >= length;
    w->cost = (uint8_t)x.cost;
    w->status = x.status;
    w->read_at = (uint8_t)x.read_at;
    w->length = (uint8_t)length;
}

void wait_forget(struct nes *n) {
    memset(n->waits, 0, sizeof n->waits);
    n->waiting = NULL;
}
