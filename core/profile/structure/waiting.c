/*
 * A busy-wait is a cycle of at most four blocks of instructions that may wait, in which some round
 * reads no register that it writes later (core/graph/busy.c). Each edge contains at most one
 * transfer. So this follows all paths of up to four transfers over instructions that may wait,
 * until they return to the start or end.
 *
 * Code below $8000 may change, and another 8 KiB window may hold another bank later. Within one 8
 * KiB window of ROM, the code read here is constant.
 */
#include "profile/structure/waiting.h"

enum { TRANSFERS = 4, LONGEST = 64, WINDOW_BITS = 13 };

struct path {
    const struct nes *nes;
    uint16_t begin;
    unsigned length, transfers;
    struct {
        uint16_t pc, reads, writes;
    } at[LONGEST];
};

/* True if some round, started at one of the instructions, reads no register or flag before writing
 * it and writes it later. */
static bool changes_nothing(const struct path *w) {
    for (unsigned from = 0; from < w->length; from++) {
        unsigned reads_first = 0, written = 0;
        for (unsigned i = 0; i < w->length; i++) {
            const unsigned k = (from + i) % w->length;
            reads_first |= w->at[k].reads & ~written;
            written |= w->at[k].writes;
        }
        if ((reads_first & written) == 0)
            return true;
    }
    return false;
}

static bool came_by(const struct path *w, uint16_t pc) {
    for (unsigned i = 0; i < w->length; i++)
        if (w->at[i].pc == pc)
            return true;
    return false;
}

static bool in_window(const struct path *w, uint16_t pc, unsigned size) {
    return pc >> WINDOW_BITS == w->begin >> WINDOW_BITS &&
           (pc + size - 1) >> WINDOW_BITS == w->begin >> WINDOW_BITS;
}

static void append(struct path *w, uint16_t pc, uint8_t opcode) {
    const struct opcode_info *op = opcode_info(opcode);
    w->at[w->length].pc = pc;
    w->at[w->length].reads = op->reads;
    w->at[w->length].writes = op->writes;
    w->length++;
}

static bool comes_back(struct path *w, uint16_t pc);

static bool after_transfer(struct path *w, uint16_t pc) {
    if (w->transfers == TRANSFERS)
        return false;
    w->transfers++;
    const bool back = comes_back(w, pc);
    w->transfers--;
    return back;
}

static bool goes_on(struct path *w, uint16_t pc, const uint8_t bytes[3]) {
    const struct opcode_info *op = opcode_info(bytes[0]);
    const uint16_t next = (uint16_t)(pc + op->size);
    switch ((enum insn_kind)op->kind) {
    case INSN_PLAIN:
        return comes_back(w, next);
    case INSN_BRANCH:
        return after_transfer(w, next) || after_transfer(w, (uint16_t)(next + (int8_t)bytes[1]));
    case INSN_JUMP:
        return after_transfer(w, (uint16_t)(bytes[1] | bytes[2] << 8));
    default:
        return false;
    }
}

static bool comes_back(struct path *w, uint16_t pc) {
    if (pc == w->begin)
        return changes_nothing(w);
    if (!in_window(w, pc, 1) || w->length == LONGEST)
        return true;
    if (came_by(w, pc))
        return false; /* a cycle that does not contain the start */
    const uint8_t bytes[3] = {nes_peek(w->nes, pc), nes_peek(w->nes, (uint16_t)(pc + 1)),
                              nes_peek(w->nes, (uint16_t)(pc + 2))};
    if (!in_window(w, pc, opcode_info(bytes[0])->size))
        return true;
    if (!opcode_may_wait(bytes))
        return false;
    append(w, pc, bytes[0]);
    const bool back = goes_on(w, pc, bytes);
    w->length--;
    return back;
}

bool waiting_is_possible(const struct nes *nes, const struct guest_insn *insn, uint16_t pc) {
    struct path w = {.nes = nes, .begin = insn->pc};
    if (!opcode_may_wait(insn->bytes))
        return false;
    if (insn->pc < 0x8000 || !in_window(&w, insn->pc, insn->size))
        return true;
    append(&w, insn->pc, insn->bytes[0]);
    return insn->kind == INSN_PLAIN ? comes_back(&w, pc) : after_transfer(&w, pc);
}
