/* The addressing modes. */
#include "dbt/lower/operands.h"

#include "dbt/lower/mmio.h"

operand operand_in_memory(struct translation *t, uint16_t at, ZydisRegister index, bool write) {
    const struct nes *const n = t->nes;
    const unsigned page = at >> 8, low = at & 0xff;
    const uint8_t *const from = (write ? n->memory.wr[page] : n->memory.rd[page]) + low;
    if (from >= n->memory.ram && from < n->memory.ram + RAM_SIZE)
        return memx(1, NES, index, index ? 1 : 0,
                    (int64_t)offsetof(struct nes, memory.ram) + (from - n->memory.ram));
    const struct cartridge *const c = n->made.options.cartridge;
    if (window_in(t->certain, at) && c && from >= c->prg && from < c->prg + c->prg_size)
        return memx(1, PRG, index, index ? 1 : 0, from - c->prg);
    if (window_in(t->certain, at)) {
        EMIT(t->e, MOV, REG(RAX), imm_pointer(from)); /* mov rax, from */
        return memx(1, ZYDIS_REGISTER_RAX, index, index ? 1 : 0, 0);
    }
    const size_t table = write ? offsetof(struct nes, memory.wr) : offsetof(struct nes, memory.rd);
    EMIT(t->e, MOV, REG(RAX),
         mem(8, NES, (int64_t)table + 8 * page)); /* mov rax, [nes + rd + ..] */
    return memx(1, ZYDIS_REGISTER_RAX, index, index ? 1 : 0, low);
}

/* Byte cl of the page whose number is in eax, through the page table. */
static operand through_page(struct translation *t, bool write) {
    struct emitter *const e = t->e;
    if (write)
        EMIT(e, MOV, REG(RAX), PAGE_OF(memory.wr, RAX)); /* mov rax, [nes + rax*8 + wr] */
    else
        EMIT(e, MOV, REG(RAX), PAGE_OF(memory.rd, RAX));
    EMIT(e, TEST, REG(RAX), REG(RAX));      /* test rax, rax */
    dbt_leave_to_step(t, emit_jump(e, JZ)); /* jz to nes_step */
    return memx(1, ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RCX, 1, 0);
}

/* The memory at the lower 16 bits of ecx, through the page table. */
static operand memory_through(struct translation *t, bool write) {
    EMIT(t->e, MOVZX, REG(EAX), REG(CH)); /* movzx eax, ch */
    const operand m = through_page(t, write);
    EMIT(t->e, MOVZX, REG(ECX), REG(CL)); /* movzx ecx, cl */
    return m;
}

static operand zero_page_indexed(struct translation *t, uint8_t base, ZydisRegister index) {
    EMIT(t->e, LEA, REG(ECX), mem(8, index, base)); /* lea ecx, [index + base] */
    EMIT(t->e, MOVZX, REG(ECX), REG(CL));           /* movzx ecx, cl */
    return MEMORY_AT(RCX, 0);
}

static operand byte_of(ZydisRegister index) {
    return index == ZYDIS_REGISTER_R9 ? X8 : Y8;
}

/* Is low + index more than 255 as a rule? The index register's value at the first translation decides. In a
 * traced block a carry is always the exception, because it is logged. */
static bool carries(struct translation *t, uint8_t low, ZydisRegister index) {
    const unsigned now = index == ZYDIS_REGISTER_R9 ? t->nes->cpu.r.x : t->nes->cpu.r.y;
    const uint64_t bit = UINT64_C(1) << t->indexed++ % 64;
    const bool rule = t->carries_before ? (*t->carries_before & bit) != 0 : low + now > 0xff;
    t->carries |= rule ? bit : 0;
    return rule && !t->recorded;
}

/* One more cycle if low + index carries. The rule is inlined. */
static void page_cycle(struct translation *t, uint8_t low, ZydisRegister index) {
    struct emitter *const e = t->e;
    if (low == 0)
        return;
    const bool rule = carries(t, low, index);
    EMIT(e, CMP, byte_of(index), imm8(0x100u - low));                  /* cmp r9b, 256 - low */
    const uint32_t jump = rule ? emit_jump(e, JB) : emit_jump(e, JNB); /* jb or jae exception */
    struct stub *const s = dbt_add_stub(t, jump, rule ? STUB_CYCLE_LESS : STUB_CYCLE_MORE);
    s->back = emit_here(e);
    t->uncounted.cycles += rule;
}

/* Is base .. base + 255 in the console's mirrored RAM? */
static bool in_mirrors(const struct nes *n, uint16_t base) {
    const unsigned last = (base + 0xffu) >> 8;
    return last < 0x20 && n->memory.rd[last] == n->memory.ram + last * 256 % RAM_SIZE;
}

static operand absolute_indexed(struct translation *t, const struct guest_op *op,
                                ZydisRegister index) {
    struct emitter *const e = t->e;
    const uint16_t base = operand_of(op);
    const bool write = op->access != READ;
    if (op->contiguous) {
        if (!write)
            page_cycle(t, base & 0xff, index);
        return operand_in_memory(t, base, index, write);
    }
    EMIT(e, LEA, REG(ECX), mem(8, index, base)); /* lea ecx, [index + base] */
    if (in_mirrors(t->nes, base)) {
        if (!write)
            page_cycle(t, base & 0xff, index);
        EMIT(e, AND, REG(ECX), imm(RAM_SIZE - 1)); /* and ecx, 7ffh */
        return MEMORY_AT(RCX, 0);
    }
    const operand m = memory_through(t, write);
    if (!write)
        page_cycle(t, base & 0xff, index);
    return m;
}

/* Loads the pointer at zero page `zp` into ecx. */
static void pointer(struct translation *t, uint8_t zp) {
    struct emitter *const e = t->e;
    if (zp < 0xff) {
        EMIT(e, MOVZX, REG(ECX), mem(2, NES, (int64_t)offsetof(struct nes, memory.ram) + zp));
        return; /* movzx ecx, word [nes + ram + zp] */
    }
    EMIT(e, MOVZX, REG(ECX), MEMORY(0xff)); /* movzx ecx, byte [nes + ram + 255] */
    EMIT(e, MOVZX, REG(EAX), MEMORY(0));    /* movzx eax, byte [nes + ram] */
    EMIT(e, SHL, REG(EAX), imm(8));         /* shl eax, 8 */
    EMIT(e, OR, REG(ECX), REG(EAX));        /* or ecx, eax */
}

static operand indexed_indirect(struct translation *t, const struct guest_op *op) {
    struct emitter *const e = t->e;
    EMIT(e, LEA, REG(EAX), mem(8, ZYDIS_REGISTER_R9, op->bytes[1])); /* lea eax, [X + zp] */
    EMIT(e, MOVZX, REG(EAX), REG(AL));                               /* movzx eax, al */
    EMIT(e, MOVZX, REG(ECX), MEMORY_AT(RAX, 0)); /* movzx ecx, byte [nes + rax + ram] */
    EMIT(e, ADD, REG(AL), imm(1));               /* add al, 1 */
    EMIT(e, MOVZX, REG(EAX), MEMORY_AT(RAX, 0)); /* movzx eax, byte [nes + rax + ram] */
    EMIT(e, SHL, REG(EAX), imm(8));              /* shl eax, 8 */
    EMIT(e, OR, REG(ECX), REG(EAX));             /* or ecx, eax */
    return memory_through(t, op->access != READ);
}

/* ---- (zp),Y: the pointer's current target predicts the region ---- */

/* Addresses `from` ... `last` are contiguous memory, and remain so. */
struct region {
    uint16_t from, last;
    ZydisRegister base; /* the memory is at base + at + address */
    int64_t at;
};

static operand memory_in(const struct region *r) {
    return memx(1, r->base, ZYDIS_REGISTER_RCX, 1, r->at);
}

/* The PRG up to the end of the address space, as far as it is contiguous for good. False: none. */
static bool last_prg(const struct translation *t, struct region *r) {
    const struct nes *const n = t->nes;
    const struct cartridge *const c = n->made.options.cartridge;
    const uint8_t *const last = n->memory.rd[0xff];
    if (!c || last < c->prg || last >= c->prg + c->prg_size || !window_in(t->certain, 0xffff))
        return false;
    enum { PAGES = WINDOW_SIZE / 256 }; /* a window is contiguous */
    unsigned page = 0x100 - PAGES;
    while (page > 0x80 && window_in(t->certain, (uint16_t)((page - 1) << 8)) &&
           n->memory.rd[page - PAGES] >= c->prg &&
           n->memory.rd[page - PAGES] + WINDOW_SIZE == n->memory.rd[page])
        page -= PAGES;
    *r = (struct region){(uint16_t)(page << 8), 0xffff, PRG, last - c->prg - 0xff00};
    return true;
}

/* Predicts the region from the pointer at zero page `zp`. False: neither RAM nor fixed PRG. */
static bool predicted(const struct translation *t, uint8_t zp, struct region *r) {
    const uint8_t *const ram = t->nes->memory.ram;
    const unsigned at = ram[zp] | ram[(uint8_t)(zp + 1)] << 8;
    if (at < RAM_SIZE) {
        *r = (struct region){0, RAM_SIZE - 1, NES, (int64_t)offsetof(struct nes, memory.ram)};
        return true;
    }
    return last_prg(t, r) && at >= r->from;
}

/* Emits a jump to a stub if ecx is outside the region. */
static struct stub *leave_region(struct translation *t, const struct region *r) {
    struct emitter *const e = t->e;
    if (r->last == 0xffff) {
        EMIT(e, CMP, REG(ECX), imm(r->from));                   /* cmp ecx, from */
        return dbt_add_stub(t, emit_jump(e, JB), STUB_OUTSIDE); /* jb outside */
    }
    EMIT(e, CMP, REG(ECX), imm(r->last));                     /* cmp ecx, last */
    return dbt_add_stub(t, emit_jump(e, JNBE), STUB_OUTSIDE); /* ja outside */
}

/* Turns byte cl of the page at rax into an index of the region. */
static void into_region(struct translation *t, const struct region *r) {
    struct emitter *const e = t->e;
    EMIT(e, MOVZX, REG(ECX), REG(CL)); /* movzx ecx, cl */
    EMIT(e, LEA, REG(RCX), memx(8, ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RCX, 1, -r->at));
    EMIT(e, SUB, REG(RCX), reg(r->base)); /* ^ lea rcx, [rax + rcx - at]; sub rcx, base */
}

/* A write makes a dummy read in the pointer's own page first. If that page is a device, nes_step
 * does the write. */
static operand write_anywhere(struct translation *t, const struct guest_op *op) {
    struct emitter *const e = t->e;
    pointer(t, op->bytes[1]);
    EMIT(e, MOVZX, REG(EAX), REG(CH));             /* movzx eax, ch */
    EMIT(e, CMP, PAGE_OF(memory.rd, RAX), imm(0)); /* cmp qword [nes + rax*8 + rd], 0 */
    dbt_leave_to_step(t, emit_jump(e, JZ));        /* jz to nes_step */
    EMIT(e, ADD, REG(ECX), Y32);                   /* add ecx, r10d */
    return memory_through(t, true);
}

static operand write_indirect_indexed(struct translation *t, const struct guest_op *op) {
    struct emitter *const e = t->e;
    struct region r;
    if (!predicted(t, op->bytes[1], &r) || r.base != NES)
        return write_anywhere(t, op);
    pointer(t, op->bytes[1]);
    EMIT(e, ADD, REG(ECX), Y32); /* add ecx, r10d */
    struct stub *const outside = leave_region(t, &r);
    outside->back = emit_here(e);
    return memory_in(&r);
}

/* Reads make a dummy read only if the index carries, which takes one more cycle. */
static operand read_indirect_indexed(struct translation *t, const struct guest_op *op) {
    struct emitter *const e = t->e;
    struct region r;
    pointer(t, op->bytes[1]);
    EMIT(e, ADD, REG(CL), Y8);                                            /* add cl, r10b */
    struct stub *const s = dbt_add_stub(t, emit_jump(e, JB), STUB_CARRY); /* jc carry */
    if (predicted(t, op->bytes[1], &r)) {
        struct stub *const outside = leave_region(t, &r);
        outside->back = s->back = emit_here(e);
        return memory_in(&r);
    }
    EMIT(e, MOVZX, REG(EAX), REG(CH)); /* movzx eax, ch */
    const operand m = through_page(t, false);
    s->back = emit_here(e);
    EMIT(e, MOVZX, REG(ECX), REG(CL)); /* movzx ecx, cl */
    return m;
}

void operand_carried(struct translation *t) {
    struct emitter *const e = t->e;
    struct region r;
    EMIT(e, MOVZX, REG(EAX), REG(CH));             /* movzx eax, ch */
    EMIT(e, CMP, PAGE_OF(memory.rd, RAX), imm(0)); /* cmp qword [nes + rax*8 + rd], 0 */
    dbt_leave_to_step(t, emit_jump(e, JZ));        /* jz to nes_step */
    EMIT(e, ADD, REG(AL), imm(1));                 /* add al, 1 */
    through_page(t, false);                        /* mov rax, [...]; test rax, rax; jz */
    dbt_debit_cycle(t);
    if (predicted(t, t->op->bytes[1], &r))
        into_region(t, &r);
}

void operand_outside(struct translation *t) {
    struct emitter *const e = t->e;
    struct region r;
    if (t->op->access != READ) {
        write_anywhere(t, t->op);
    } else {
        EMIT(e, MOVZX, REG(EAX), REG(CH)); /* movzx eax, ch */
        through_page(t, false);
    }
    if (predicted(t, t->op->bytes[1], &r))
        into_region(t, &r);
}

operand operand_place(struct translation *t, const struct guest_op *op) {
    const uint8_t zp = op->bytes[1];
    if (op->reach == REACH_DEVICE)
        return mmio_read(t, op);
    switch ((enum addressing_mode)op->info->mode) {
    case MODE_IMM:
        return imm8(zp);
    case MODE_ZP:
        return MEMORY(zp);
    case MODE_ZPX:
        return zero_page_indexed(t, zp, ZYDIS_REGISTER_R9);
    case MODE_ZPY:
        return zero_page_indexed(t, zp, ZYDIS_REGISTER_R10);
    case MODE_ABS:
        return operand_in_memory(t, operand_of(op), ZYDIS_REGISTER_NONE, false);
    case MODE_ABX:
        return absolute_indexed(t, op, ZYDIS_REGISTER_R9);
    case MODE_ABY:
        return absolute_indexed(t, op, ZYDIS_REGISTER_R10);
    case MODE_IZX:
        return indexed_indirect(t, op);
    default:
        return op->access == READ ? read_indirect_indexed(t, op) : write_indirect_indexed(t, op);
    }
}
