#include "qemu/target.h"

#include <Zydis/Zydis.h>
#include <string.h>

/* The `count` bits of word from bit `low` on. */
static uint32_t bits(uint32_t word, unsigned low, unsigned count) {
    return word >> low & ((UINT32_C(1) << count) - 1);
}

/* Sign-extends a value of `width` bits and multiplies it by `scale`. */
static int64_t signed_bits(uint32_t value, unsigned width, int64_t scale) {
    int64_t limit = INT64_C(1) << (width - 1);
    return (((int64_t)value ^ limit) - limit) * scale;
}

static uint32_t word_of(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* ---- x86-64 ---- */

static bool x86_repeats(const ZydisDecodedInstruction *insn) {
    const ZydisInstructionAttributes repeat =
        ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
    return (insn->attributes & repeat) != 0 && (insn->meta.category == ZYDIS_CATEGORY_STRINGOP ||
                                                insn->meta.category == ZYDIS_CATEGORY_IOSTRINGOP);
}

static struct decoded x86_decode(const uint8_t *bytes, size_t size) {
    ZydisDecoder decoder;
    ZydisDecodedInstruction insn;
    struct decoded out = {0};
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (ZYAN_FAILED(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, size, &insn)))
        return out;
    bool direct = insn.raw.imm[0].is_relative;
    switch (insn.meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
        out.kind = insn.mnemonic == ZYDIS_MNEMONIC_XBEGIN ? TRANSFER_NONE : TRANSFER_BRANCH;
        break;
    case ZYDIS_CATEGORY_UNCOND_BR:
        out.kind = direct ? TRANSFER_JUMP : TRANSFER_JUMP_INDIRECT;
        break;
    case ZYDIS_CATEGORY_CALL:
        out.kind = direct ? TRANSFER_CALL : TRANSFER_CALL_INDIRECT;
        break;
    case ZYDIS_CATEGORY_RET:
        out.kind = TRANSFER_RETURN;
        break;
    default:
        break;
    }
    out.repeats = x86_repeats(&insn);
    if (direct)
        out.distance = insn.length + insn.raw.imm[0].value.s;
    return out;
}

/* ---- aarch64 ---- */

static struct decoded arm_decode(const uint8_t *bytes, size_t size) {
    struct decoded out = {0};
    if (size < 4)
        return out;
    uint32_t w = word_of(bytes);
    if ((w & 0x7c000000) == 0x14000000) { /* B, BL */
        out.kind = w >> 31 ? TRANSFER_CALL : TRANSFER_JUMP;
        out.distance = signed_bits(bits(w, 0, 26), 26, 4);
    } else if ((w & 0xff000000) == 0x54000000 || (w & 0x7e000000) == 0x34000000) {
        out.kind = TRANSFER_BRANCH; /* B.cond; CBZ, CBNZ */
        out.distance = signed_bits(bits(w, 5, 19), 19, 4);
    } else if ((w & 0x7e000000) == 0x36000000) { /* TBZ, TBNZ */
        out.kind = TRANSFER_BRANCH;
        out.distance = signed_bits(bits(w, 5, 14), 14, 4);
    } else if ((w & 0xfe000000) == 0xd6000000) { /* indirect, with or without pointer
                                                    authentication */
        switch (bits(w, 21, 4) & 7) {
        case 0:
            out.kind = TRANSFER_JUMP_INDIRECT;
            break;
        case 1:
            out.kind = TRANSFER_CALL_INDIRECT;
            break;
        case 2:
            out.kind = TRANSFER_RETURN;
            break;
        }
    }
    return out;
}

/* ---- riscv64 ---- */

static bool is_link(uint32_t r) { /* x1 and x5 hold return addresses, by convention */
    return r == 1 || r == 5;
}

static struct decoded riscv_indirect(uint32_t rd, uint32_t rs1) {
    return (struct decoded){.kind = is_link(rd)               ? TRANSFER_CALL_INDIRECT
                                    : rd == 0 && is_link(rs1) ? TRANSFER_RETURN
                                                              : TRANSFER_JUMP_INDIRECT};
}

static struct decoded riscv_compressed(uint32_t w) {
    struct decoded out = {0};
    uint32_t quadrant = w & 3, function = bits(w, 13, 3);
    if (quadrant == 1 && function == 5) { /* C.J */
        uint32_t at = bits(w, 12, 1) << 11 | bits(w, 11, 1) << 4 | bits(w, 9, 2) << 8 |
                      bits(w, 8, 1) << 10 | bits(w, 7, 1) << 6 | bits(w, 6, 1) << 7 |
                      bits(w, 3, 3) << 1 | bits(w, 2, 1) << 5;
        out.kind = TRANSFER_JUMP;
        out.distance = signed_bits(at, 12, 1);
    } else if (quadrant == 1 && function >= 6) { /* C.BEQZ, C.BNEZ */
        uint32_t at = bits(w, 12, 1) << 8 | bits(w, 10, 2) << 3 | bits(w, 5, 2) << 6 |
                      bits(w, 3, 2) << 1 | bits(w, 2, 1) << 5;
        out.kind = TRANSFER_BRANCH;
        out.distance = signed_bits(at, 9, 1);
    } else if (quadrant == 2 && function == 4 && bits(w, 2, 5) == 0 && bits(w, 7, 5) != 0) {
        out = riscv_indirect(bits(w, 12, 1), bits(w, 7, 5)); /* C.JR, C.JALR */
    }
    return out;
}

static struct decoded riscv_decode(const uint8_t *bytes, size_t size) {
    struct decoded out = {0};
    if (size < 4)
        return riscv_compressed(bytes[0] | (uint32_t)bytes[1] << 8);
    uint32_t w = word_of(bytes), rd = bits(w, 7, 5);
    if ((w & 0x7f) == 0x63) { /* conditional branches */
        uint32_t at =
            bits(w, 31, 1) << 12 | bits(w, 7, 1) << 11 | bits(w, 25, 6) << 5 | bits(w, 8, 4) << 1;
        out.kind = TRANSFER_BRANCH;
        out.distance = signed_bits(at, 13, 1);
    } else if ((w & 0x7f) == 0x6f) { /* JAL */
        uint32_t at = bits(w, 31, 1) << 20 | bits(w, 12, 8) << 12 | bits(w, 20, 1) << 11 |
                      bits(w, 21, 10) << 1;
        out.kind = is_link(rd) ? TRANSFER_CALL : TRANSFER_JUMP;
        out.distance = signed_bits(at, 21, 1);
    } else if ((w & 0x7f) == 0x67) { /* JALR */
        out = riscv_indirect(rd, bits(w, 15, 5));
    }
    return out;
}

/* ---- the table ---- */

const char target_names[] = "x86_64, aarch64, riscv64";

/* aarch64 and riscv64 share Linux's generic numbers. */
#define GENERIC_SYSCALLS                                                                           \
    {                                                                                              \
        .mmap = 222, .munmap = 215, .mprotect = 226, .mremap = 216, .rt_sigaction = 134,           \
        .rt_sigreturn = 139, .getrandom = 278, .clock_gettime = 113, .gettimeofday = 169,          \
        .sysinfo = 179, .getrusage = 165, .times = 153, .time = -1, .execve = 221, .uname = 160,   \
        .getdents64 = 61, .stat = -1, .lstat = -1, .fstat = 80, .newfstatat = 79, .statx = 291,    \
        .fork = -1, .vfork = -1, .clone = 220, .execveat = 281, .exit = 93, .exit_group = 94       \
    }

static const struct target targets[] = {
    {
        .name = "x86_64",
        .model = "qemu64",
        .stat_mode = 24,
        .stat_uid = 28,
        .machine = 62,
        .insn_least = 1,
        .decode = x86_decode,
        .syscalls = {.mmap = 9,
                     .munmap = 11,
                     .mprotect = 10,
                     .mremap = 25,
                     .rt_sigaction = 13,
                     .rt_sigreturn = 15,
                     .getrandom = 318,
                     .clock_gettime = 228,
                     .gettimeofday = 96,
                     .sysinfo = 99,
                     .getrusage = 98,
                     .times = 100,
                     .time = 201,
                     .execve = 59,
                     .uname = 63,
                     .getdents64 = 217,
                     .stat = 4,
                     .lstat = 6,
                     .fstat = 5,
                     .newfstatat = 262,
                     .statx = 332,
                     .fork = 57,
                     .vfork = 58,
                     .clone = 56,
                     .execveat = 322,
                     .exit = 60,
                     .exit_group = 231},
    },
    {.name = "aarch64",
     .model = "max",
     .stat_mode = 16,
     .stat_uid = 24,
     .machine = 183,
     .insn_least = 4,
     .decode = arm_decode,
     .syscalls = GENERIC_SYSCALLS},
    {.name = "riscv64",
     .model = "rv64",
     .stat_mode = 16,
     .stat_uid = 24,
     .machine = 243,
     .insn_least = 2,
     .decode = riscv_decode,
     .syscalls = GENERIC_SYSCALLS},
};
enum { TARGETS = sizeof targets / sizeof *targets };

const struct target *target_by_name(const char *name) {
    for (size_t i = 0; i < TARGETS; i++)
        if (strcmp(targets[i].name, name) == 0)
            return &targets[i];
    return NULL;
}

const struct target *target_by_machine(uint16_t machine) {
    for (size_t i = 0; i < TARGETS; i++)
        if (targets[i].machine == machine)
            return &targets[i];
    return NULL;
}
