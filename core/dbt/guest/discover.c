/* Selects the guest instructions of a block. */
#include <string.h>

#include "dbt/guest/guest.h"

static const struct {
    uint8_t mnemonic, access;
} table[256] = {
#define OP(code, name, mode, access, cycles, status) [code] = {DO_##name, access},
#include "nes/isa/ops.def"
};

static bool readable(const struct nes *n, uint16_t address) {
    return n->memory.rd[address >> 8] != NULL;
}

/* Is the page plain memory, with the same bytes for reads and writes? */
static bool writable(const struct nes *n, uint16_t address) {
    return n->memory.wr[address >> 8] != NULL &&
           n->memory.wr[address >> 8] == n->memory.rd[address >> 8];
}

/* Is address .. address + 255 contiguous memory for good? */
static bool contiguous(const uint8_t *const *pages, uint16_t address, unsigned certain) {
    const unsigned page = address >> 8;
    const uint16_t last = (uint16_t)(address + 0xff);
    if (!pages[page] || (address & 0xff) == 0)
        return pages[page] != NULL;
    if (window_of(address) != window_of(last) &&
        !(window_in(certain, address) && window_in(certain, last)))
        return false;
    return page < 0xff && pages[page + 1] == pages[page] + 256;
}

enum { APU_PAGE = 0x40, APU_READABLE = 0x4015 };

/* What a write reaches that is not to memory. */
static enum reach written(const struct nes *n, uint16_t at) {
    return n->memory.wr[at >> 8] ? REACH_NOTHING : at < BOARD_FROM ? REACH_DEVICE : REACH_BOARD;
}

static enum reach reach_indexed(const struct nes *n, const struct guest_op *op) {
    const uint16_t at = operand_of(op), beyond = (uint16_t)(at + 0xff);
    if (op->access == READ)
        return readable(n, at) ? REACH_MEMORY : REACH_DEVICE;
    /* May the instruction make a dummy read of a device in the operand's page? */
    if (!readable(n, at)) /* of the APU's page, only reads from $4015 on have an effect */
        return op->access == WRITE && at >> 8 == APU_PAGE && at < APU_READABLE ? REACH_DEVICE
                                                                               : REACH_NOTHING;
    if (writable(n, at) || writable(n, beyond))
        return REACH_MEMORY;
    return op->access == WRITE && beyond > at && !n->memory.wr[beyond >> 8] ? written(n, at)
                                                                            : REACH_NOTHING;
}

/* What its operand reaches, as far as is known. */
static enum reach reach(const struct nes *n, const struct guest_op *op) {
    const uint16_t at = operand_of(op);
    switch ((enum addressing_mode)op->info->mode) {
    case MODE_ABS:
        if (op->access == READ)
            return readable(n, at) ? REACH_MEMORY : REACH_DEVICE;
        if (writable(n, at))
            return REACH_MEMORY;
        return op->access == WRITE ? written(n, at) : REACH_NOTHING;
    case MODE_ABX:
    case MODE_ABY:
        return reach_indexed(n, op);
    default:
        return REACH_MEMORY;
    }
}

/* JSR fetches its last byte after the push, which may overwrite that byte. */
static bool lies_in_stack(const struct nes *n, const uint8_t *from) {
    return from >= n->memory.ram + 0x100 - 2 && from < n->memory.ram + 0x200;
}

static bool flow_is_plain(const struct nes *n, const struct guest_op *op) {
    switch ((enum insn_kind)op->info->kind) {
    case INSN_BRANCH:
        return readable(n, branch_target(op));
    case INSN_CALL:
        return readable(n, operand_of(op)) && !lies_in_stack(n, op->from);
    case INSN_JUMP:
    case INSN_JUMP_INDIRECT:
        return readable(n, operand_of(op));
    case INSN_RETURN:
        return true;
    default:
        return false;
    }
}

/* REACH_NOTHING: cannot be translated; nes_step does it. */
static enum reach reach_of(const struct nes *n, const struct guest_op *op) {
    switch ((enum access)op->access) {
    case NONE:
    case STACK:
        return REACH_MEMORY;
    case READ:
    case WRITE:
    case MODIFY:
        return reach(n, op);
    case FLOW:
        return flow_is_plain(n, op) ? REACH_MEMORY : REACH_NOTHING;
    case MANGLE:
        break;
    }
    return REACH_NOTHING;
}

static bool decode(struct nes *n, uint16_t pc, const uint8_t *from, unsigned certain,
                   struct guest_op *op) {
    *op = (struct guest_op){
        .pc = pc,
        .mnemonic = table[*from].mnemonic,
        .access = table[*from].access,
        .info = opcode_info(*from),
        .from = from,
    };
    memcpy(op->bytes, from, op->info->size);
    op->reach = (uint8_t)reach_of(n, op);
    if (op->reach == REACH_NOTHING)
        return false;
    if (!window_in(certain, (uint16_t)(next_pc(op) - 1)))
        return false;
    const uint8_t *const *const pages =
        op->access == READ ? n->memory.rd : (const uint8_t *const *)n->memory.wr;
    op->contiguous = contiguous(pages, operand_of(op), certain);
    if (n->observed.watched)
        op->site = watch_find(n, pc, watch_slot(n, pc, from), from);
    if (op->site && op->info->kind == INSN_BRANCH)
        watch_choose_side(n, op->site);
    return true;
}

static bool may_change(const struct nes *n, uint16_t pc) {
    return pc < 0x8000 || n->memory.wr[pc >> 8] != NULL;
}

/* ---- code in RAM that writes to itself ---- */

/* Memory that instructions of a block in RAM may write: the block ends before it. */
struct written {
    unsigned count;
    bool anywhere;
    struct {
        const uint8_t *first, *last;
    } at[BLOCK_LONGEST];
};

static void add_written(struct written *w, const uint8_t *first, unsigned bytes) {
    w->at[w->count].first = first;
    w->at[w->count++].last = first + bytes - 1;
}

/* The memory that the instruction may write. */
static void add_operand(const struct nes *n, const struct guest_op *op, struct written *w) {
    switch ((enum addressing_mode)op->info->mode) {
    case MODE_ZP:
        add_written(w, n->memory.ram + op->bytes[1], 1);
        break;
    case MODE_ZPX:
    case MODE_ZPY:
        add_written(w, n->memory.ram, 0x100);
        break;
    case MODE_ABS:
        add_written(w, n->memory.wr[operand_of(op) >> 8] + op->bytes[1], 1);
        break;
    case MODE_ABX:
    case MODE_ABY:
        if (op->contiguous) {
            add_written(w, n->memory.wr[operand_of(op) >> 8] + op->bytes[1], 0x100);
            break;
        }
        w->anywhere = true;
        break;
    default:
        w->anywhere = true;
        break;
    }
}

static void write_over(const struct nes *n, const struct guest_op *op, struct written *w) {
    if (op->mnemonic == DO_PHA || op->mnemonic == DO_PHP)
        add_written(w, n->memory.ram + 0x100, 0x100);
    else if (op->info->writes_memory && op->reach == REACH_MEMORY)
        add_operand(n, op, w);
}

static bool is_written(const struct written *w, const uint8_t *from, unsigned bytes) {
    for (unsigned i = 0; i < w->count; i++)
        if ((uintptr_t)from <= (uintptr_t)w->at[i].last &&
            (uintptr_t)w->at[i].first < (uintptr_t)from + bytes)
            return true;
    return w->anywhere;
}

/* May the block include the instruction at pc? Translation shows it to observers, which must only
 * see real code, even if it is not executed now. So changeable code that they do not know is added
 * one instruction at a time, and no instruction crosses the end of a bank. */
static bool may_follow(const struct nes *n, struct guest_block *g, uint16_t pc,
                       const uint8_t *from) {
    g->cut = n->observed.watched && g->in_ram && !watch_knows(n, pc, from);
    if (g->cut)
        return false;
    return !n->board.banked || (pc & 0x1fff) <= 0x1ffd;
}

/* ---- liveness of flags ---- */

bool dbt_hooks_call(const struct hooks *hooks) {
    for (size_t i = 0; i < hooks->count; i++)
        if (hooks->at[i].probe.kind == PROBE_CALL || hooks->at[i].probe.kind == PROBE_CALL_AT)
            return true;
    return false;
}

bool dbt_calls_back(const struct site *site) {
    for (size_t i = 0; i < sizeof site->probes / sizeof *site->probes; i++)
        if (dbt_hooks_call(&site->probes[i]))
            return true;
    return false;
}

/* Can the block leave to nes_step before the instruction? All flags are needed then. */
static bool may_leave(const struct guest_op *op) {
    switch ((enum addressing_mode)op->info->mode) {
    case MODE_ABX:
    case MODE_ABY:
        return !op->contiguous;
    case MODE_IZX:
    case MODE_IZY:
        return true;
    default:
        return op->mnemonic == DO_PLP || op->mnemonic == DO_CLI || op->info->kind != INSN_PLAIN;
    }
}

/* May an indexed read take one more cycle for a carry? */
bool dbt_finds_quietly(const struct guest_op *op) {
    if (op->reach != REACH_MEMORY)
        return false;
    switch ((enum addressing_mode)op->info->mode) {
    case MODE_ACC:
    case MODE_IMM:
    case MODE_ZP:
    case MODE_ABS:
        return true;
    case MODE_ABX:
    case MODE_ABY:
        return op->contiguous && (op->bytes[1] == 0 || op->access != READ);
    default:
        return false;
    }
}

static bool fires(const struct guest_op *op, enum probe_when when) {
    return op->site && op->site->probes[when].fires;
}

/* If the next instruction reads and overwrites C, it can stay in the host's carry. */
static bool passes_carry(const struct guest_op *op, const struct guest_op *next) {
    switch (op->mnemonic) {
    case DO_ADC:
    case DO_SBC:
    case DO_CMP:
    case DO_CPX:
    case DO_CPY:
    case DO_ASL:
    case DO_LSR:
    case DO_ROL:
    case DO_ROR:
        return op->reach == REACH_MEMORY && takes_carry(next) && dbt_finds_quietly(next) &&
               !fires(op, PROBE_NEXT) && !fires(next, PROBE_BEFORE);
    default:
        return false;
    }
}

void guest_find_needed(struct guest_block *g) {
    enum { FLAGS = FLAG_C | FLAG_Z | FLAG_V | FLAG_N };
    uint16_t needed = FLAGS;
    g->called = false;
    for (unsigned i = g->count; i-- > 0;) {
        struct guest_op *const op = &g->ops[i];
        const bool seen = op->site && dbt_calls_back(op->site);
        g->called |= seen;
        if (seen || op->reach != REACH_MEMORY)
            needed = FLAGS; /* visible to callbacks, and after an MMIO access */
        op->needed = needed;
        op->passes_carry = i + 1 < g->count && passes_carry(op, op + 1);
        needed = (uint16_t)((needed & ~op->info->writes) | op->info->reads);
        if (seen || may_leave(op))
            needed = FLAGS;
    }
    g->unasked = FLAGS & ~needed;
}

/* The windows that the instruction's site depends on. */
static unsigned named_by(const struct guest_op *op) {
    const enum insn_kind kind = op->info->kind;
    unsigned named = 1u << window_of(next_pc(op));
    if (kind == INSN_BRANCH)
        named |= 1u << window_of(branch_target(op));
    if (kind == INSN_JUMP || kind == INSN_CALL)
        named |= 1u << window_of(operand_of(op));
    return named;
}

static void collect(struct nes *n, uint16_t pc, unsigned length, struct guest_block *out,
                    struct written *written) {
    if (!n->memory.rd[pc >> 8])
        return;
    out->from = n->memory.rd[pc >> 8] + (pc & 0xff);
    for (unsigned branches = 0; out->count < length;) {
        const uint8_t *const from = out->from + out->bytes;
        struct guest_op *const op = &out->ops[out->count];
        if (!readable(n, pc) || from != n->memory.rd[pc >> 8] + (pc & 0xff) ||
            from >= n->memory.code_end[pc >> 8] || may_change(n, pc) != out->in_ram ||
            !window_in(out->certain, pc) || (out->count && !may_follow(n, out, pc, from)) ||
            is_written(written, from, opcode_info(*from)->size) ||
            !decode(n, pc, from, out->certain, op))
            return;
        out->count++;
        if (n->observed.watched)
            out->guarded |= named_by(op) & ~out->certain;
        out->bytes += op->info->size;
        pc = (uint16_t)(pc + op->info->size);
        if (op->info->kind == INSN_BRANCH ? branches++ == BLOCK_BRANCHES
                                          : op->info->kind != INSN_PLAIN)
            return;
        if (op->reach == REACH_BOARD)
            return; /* it may have overwritten the code that follows */
        if (out->in_ram)
            write_over(n, op, written);
    }
}

bool guest_add(struct nes *n, uint16_t pc, struct guest_block *g) {
    if (g->count == SUPERBLOCK_LONGEST || !readable(n, pc) || may_change(n, pc) ||
        !window_in(g->certain, pc) || (g->count && !may_follow(n, g, pc, NULL)))
        return false;
    const uint8_t *const from = n->memory.rd[pc >> 8] + (pc & 0xff);
    struct guest_op *const op = &g->ops[g->count];
    if (from >= n->memory.code_end[pc >> 8] || !decode(n, pc, from, g->certain, op))
        return false;
    g->count++;
    g->bytes += op->info->size;
    if (n->observed.watched)
        g->guarded |= named_by(op) & ~g->certain;
    return true;
}

/* Callbacks may write anywhere. */
static bool is_steady(const struct guest_block *g, const struct written *written) {
    if (!g->in_ram)
        return true;
    for (unsigned i = 0; i < g->count; i++)
        if (g->ops[i].site && dbt_calls_back(g->ops[i].site))
            return false;
    return !is_written(written, g->from, g->bytes);
}

void dbt_discover(struct nes *n, uint16_t pc, unsigned length, unsigned certain,
                  struct guest_block *out) {
    out->cut = false;
    out->count = out->bytes = out->guarded = 0; /* no instructions: the block is empty */
    out->superblock = false;
    out->from = NULL;
    out->in_ram = may_change(n, pc);
    out->certain = certain;
    struct written written;
    written.count = 0;
    written.anywhere = false;
    collect(n, pc, length, out, &written);
    out->end = (uint16_t)(pc + out->bytes);
    out->steady = is_steady(out, &written);
    guest_find_needed(out);
}
