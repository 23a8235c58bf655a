/* Queries about a machine, without side effects. */
#include "nes/cpu/cpu_exec.h"
#include "nes/machine/machine.h"

/* ---- flags ---- */

uint8_t cpu_flags(const struct registers *cpu) {
    const uint16_t nz = cpu->nz;
    const uint8_t p = cpu->p, c = cpu->c, v = cpu->v;
    return GET_P();
}

void cpu_set_flags(struct registers *cpu, uint8_t flags) {
    uint16_t nz;
    uint8_t p, c, v;
    SET_P(flags);
    cpu->nz = nz;
    cpu->p = p;
    cpu->c = c;
    cpu->v = v;
}

/* ---- the machine ---- */

const struct engine *nes_engine(const struct nes *n) {
    return n->made.engine;
}

struct cpu_registers nes_registers(const struct nes *n) {
    const struct registers *cpu = &n->cpu.r;
    return (struct cpu_registers){cpu->pc, cpu->a, cpu->x, cpu->y, cpu->s, cpu_flags(cpu)};
}

uint64_t nes_cycle(const struct nes *n) {
    return n->cpu.cycle;
}

uint64_t nes_previous_start(const struct nes *n) {
    return n->cpu.started;
}

uint64_t nes_frame(const struct nes *n) {
    return n->frame.number;
}

uint64_t nes_instructions(const struct nes *n) {
    return n->cpu.instructions;
}

uint64_t nes_skipped(const struct nes *n) {
    return n->idle.skipped;
}

const uint8_t *nes_ram(const struct nes *n) {
    return n->memory.ram;
}

bool nes_nmi_ignored(const struct nes *n) {
    return n->ppu.nmi_ignored;
}

uint64_t nes_ram_hash(const struct nes *n) {
    return fnv1a64(n->memory.ram, RAM_SIZE);
}

bool nes_jammed(const struct nes *n, uint32_t *pc, uint64_t *frame) {
    if (n->cpu.phase != PHASE_JAM)
        return false;
    *pc = nes_code_address(n, n->cpu.r.pc);
    *frame = n->cpu.jam_frame;
    return true;
}

uint8_t nes_peek(const struct nes *n, uint16_t address) {
    const uint8_t *page = n->memory.rd[address >> 8];
    return page ? page[address & 0xff] : 0;
}

uint8_t nes_peek_video(const struct nes *n, uint16_t address) {
    return ppu_peek(&n->ppu, address);
}

void nes_place(const struct nes *n, uint64_t cycle, unsigned *line, unsigned *dot) {
    ppu_place(&n->ppu, cycle, line, dot);
}
