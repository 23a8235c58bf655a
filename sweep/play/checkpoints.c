#include "play/play.h"

enum { RAM_SIZE = 2048, RAM_END = 0x2000 };

static bool is_byte(const struct checkpoints *c, uint16_t address) {
    return address < RAM_END && address % RAM_SIZE == c->address;
}

static uint16_t word_at(const uint8_t *ram, uint8_t zero_page) {
    return (uint16_t)(ram[zero_page] | ram[(uint8_t)(zero_page + 1)] << 8);
}

/* The address that an indexed instruction writes, given the registers before it. */
static uint16_t indexed(const struct nes *nes, const uint8_t bytes[3]) {
    const struct cpu_registers r = nes_registers(nes);
    const uint8_t *ram = nes_ram(nes);
    const uint16_t absolute = (uint16_t)(bytes[1] | bytes[2] << 8);
    switch ((enum addressing_mode)opcode_info(bytes[0])->mode) {
    case MODE_ZPX:
        return (uint8_t)(bytes[1] + r.x);
    case MODE_ZPY:
        return (uint8_t)(bytes[1] + r.y);
    case MODE_ABX:
        return (uint16_t)(absolute + r.x);
    case MODE_ABY:
        return (uint16_t)(absolute + r.y);
    case MODE_IZX:
        return word_at(ram, (uint8_t)(bytes[1] + r.x));
    case MODE_IZY:
        return (uint16_t)(word_at(ram, bytes[1]) + r.y);
    default:
        return absolute;
    }
}

static void look_before(void *user, const struct probe_event *event) {
    struct checkpoints *c = user;
    const uint16_t pc = (uint16_t)event->from;
    uint8_t bytes[3];
    for (unsigned i = 0; i < 3; i++)
        bytes[i] = nes_peek(event->nes, (uint16_t)(pc + i));
    c->writes = is_byte(c, indexed(event->nes, bytes));
}

static void dump_if_written(void *user, const struct probe_event *event) {
    struct checkpoints *c = user;
    if (c->writes)
        file_write(c->out, nes_ram(event->nes), RAM_SIZE);
}

static void dump(void *user, const struct probe_event *event) {
    struct checkpoints *c = user;
    file_write(c->out, nes_ram(event->nes), RAM_SIZE);
}

static void instrument(void *self, struct probe_site *site, const struct guest_insn *insn) {
    struct checkpoints *c = self;
    const struct opcode_info *op = opcode_info(insn->bytes[0]);
    struct probe probe = {.kind = PROBE_CALL, .user = c};
    if (insn->kind != INSN_PLAIN || !op->writes_memory)
        return;
    if (op->mode == MODE_ZP || op->mode == MODE_ABS) {
        probe.call = dump;
        if (is_byte(c, (uint16_t)(insn->bytes[1] | insn->bytes[2] << 8)))
            probe_attach(site, PROBE_NEXT, probe);
        return;
    }
    probe.call = look_before;
    probe_attach(site, PROBE_BEFORE, probe);
    probe.call = dump_if_written;
    probe_attach(site, PROBE_NEXT, probe);
}

enum status checkpoints_begin(struct checkpoints *c, struct nes *nes, uint16_t address,
                              struct file_writer *out, struct error *e) {
    *c = (struct checkpoints){.nes = nes, .out = out, .address = address};
    const struct observer observer = {.self = c, .instrument = instrument};
    enum status status = nes_attach(nes, &observer, &c->id, e);
    c->attached = status == STATUS_OK;
    return status;
}

void checkpoints_end(struct checkpoints *c) {
    if (c->attached)
        nes_detach(c->nes, c->id);
    c->attached = false;
}
