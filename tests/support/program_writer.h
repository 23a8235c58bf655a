/* Writes a guest program with random parts, byte by byte; for random_programs.h. */
#ifndef HOTGRAPH_TESTS_WRITER_H
#define HOTGRAPH_TESTS_WRITER_H

#include "tests/support/guest_rom.h"
#include "tests/support/random.h"

enum { WRITER_SWAPS = 1024, WRITER_PIECE = 0x4000 };

/* An instruction that may be replaced by any other of the same size. */
struct swap {
    uint16_t at;
    uint8_t size;
};

struct writer {
    struct random r;
    struct guest *g;
    uint8_t *rom;          /* $C000-$FFFF, which is written */
    uint16_t at;           /* place of the next byte */
    uint16_t away;         /* the code is executed at its position + this */
    bool leaf;             /* in a handler, or in code that is copied: no calls */
    bool in_main;          /* its return address may be discarded */
    uint16_t routines[16]; /* JSR goes to those written before */
    unsigned routine_count;
    uint16_t yield;         /* routine that changes to the other stack; 0: not yet written */
    struct swap copied[64]; /* in code that runs in RAM, as addresses there */
    unsigned copied_count;
    struct swap swaps[WRITER_SWAPS];
    unsigned swap_count;
};

/* The address at which the next byte will be executed. */
static inline uint16_t here(const struct writer *w) {
    return (uint16_t)(w->at + w->away);
}
static inline void poke(struct writer *w, uint16_t at, unsigned byte) {
    w->rom[at - 0xC000] = (uint8_t)byte;
}
static inline void put(struct writer *w, unsigned byte) {
    if (w->at < 0xC000 || w->at >= 0xFFFA)
        abort(); /* the program is too long */
    poke(w, w->at++, byte);
}
static inline void put2(struct writer *w, unsigned opcode, unsigned operand) {
    put(w, opcode);
    put(w, operand & 0xff);
}
static inline void put_word(struct writer *w, unsigned opcode, unsigned word) {
    put2(w, opcode, word);
    put(w, word >> 8 & 0xff);
}
static inline void put_bytes(struct writer *w, const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        put(w, bytes[i]);
}
#define PUT(w, ...)                                                                                \
    put_bytes(w, (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})

static inline uint32_t below(struct writer *w, uint32_t n) {
    return random_below(&w->r, n);
}
static inline bool chance(struct writer *w, uint32_t percent) {
    return random_chance(&w->r, percent);
}
#define ONE_OF(w, ...)                                                                             \
    ((const uint16_t[]){                                                                           \
        __VA_ARGS__}[below(w, sizeof(const uint16_t[]){__VA_ARGS__} / sizeof(uint16_t))])

/* ---- opcodes by name, where a program is written out ---- */

enum {
    LDA_IMM = 0xA9,
    LDX_IMM = 0xA2,
    LDY_IMM = 0xA0,
    LDA_ZP = 0xA5,
    LDX_ZP = 0xA6,
    LDA_ABS = 0xAD,
    LDX_ABS = 0xAE,
    LDA_ABX = 0xBD,
    STA_ZP = 0x85,
    STX_ZP = 0x86,
    STA_ABS = 0x8D,
    STX_ABS = 0x8E,
    STY_ABS = 0x8C,
    STA_ABX = 0x9D,
    BIT_ABS = 0x2C,
    INC_ZP = 0xE6,
    DEC_ZP = 0xC6,
    CMP_ZP = 0xC5,
    CMP_IMM = 0xC9,
    AND_IMM = 0x29,
    ORA_IMM = 0x09,
    ADC_IMM = 0x69,
    EOR_ZP = 0x45,
    INX = 0xE8,
    DEX = 0xCA,
    TAX = 0xAA,
    TSX = 0xBA,
    TXS = 0x9A,
    PHA = 0x48,
    PLA = 0x68,
    PHP = 0x08,
    PLP = 0x28,
    CLC = 0x18,
    CLI = 0x58,
    SEI = 0x78,
    NOP = 0xEA,
    LSR_A = 0x4A,
    BRK = 0x00,
    RTI = 0x40,
    RTS = 0x60,
    JSR = 0x20,
    JMP = 0x4C,
    JMP_IND = 0x6C,
    BPL = 0x10,
    BMI = 0x30,
    BVC = 0x50,
    BVS = 0x70,
    BCC = 0x90,
    BCS = 0xB0,
    BNE = 0xD0,
    BEQ = 0xF0,
};

/* Zero-page addresses that programs reserve for themselves; data is below them. */
enum {
    DATA_END = 0xE0,
    ZP_BITS = 0xE4,     /* of a pad */
    ZP_LATE = 0xE6,     /* vertical blanks since the main loop began */
    ZP_TOGGLING = 0xE7, /* NMI is being switched on and off */
    ZP_POINTER = 0xE8,  /* and ZP_POINTER + 2 in leaves */
    ZP_SUM = 0xF0,      /* scratch */
    ZP_OTHER = 0xF1,    /* the stack pointer of the other coroutine */
    ZP_COUNT = 0xF2,    /* of a loop */
    ZP_STACK = 0xF3,    /* a stack pointer that is put back */
    ZP_TURN = 0xF4,     /* which target comes next */
    ZP_DEPTH = 0xF5,    /* of a recursion; the next byte: how many returns remain */
    ZP_NMIS = 0xF8,     /* counted by its handler */
    ZP_SINK = 0xFB,     /* everything that was read */
    ZP_CODE = 0xFC,     /* code that runs into the stack page */
};
/* The same in RAM; data is $0400-$07BF. */
enum {
    RAM_CODE = 0x0300,  /* written instruction by instruction */
    RAM_COPY = 0x0340,  /* a routine */
    RAM_STACK = 0x07F2, /* a stack pointer that is put back */
    WRAM_COPY = 0x6000, /* a routine, in the cartridge's RAM */
};

static inline void put_load(struct writer *w, unsigned value) {
    put2(w, LDA_IMM, value);
}
/* Leaves A changed. */
static inline void put_store(struct writer *w, unsigned value, unsigned address) {
    put_load(w, value);
    put_word(w, STA_ABS, address);
}
/* Pushes an address, high byte first. */
static inline void put_push(struct writer *w, unsigned address) {
    put_load(w, address >> 8), put(w, PHA);
    put_load(w, address), put(w, PHA);
}
/* Leaves room for a jump's target that is still unknown. */
static inline uint16_t put_jump(struct writer *w, unsigned opcode) {
    put_word(w, opcode, 0);
    return (uint16_t)(w->at - 2);
}
static inline void jump_here(struct writer *w, uint16_t at) {
    poke(w, at, here(w) & 0xff);
    poke(w, at + 1, here(w) >> 8);
}

/* A RAM address that holds data: not the stack, nor code; at times in the cartridge. */
static inline uint16_t data_address(struct writer *w) {
    if (chance(w, 10))
        return (uint16_t)(WRAM_COPY + 0x100 + below(w, 0x1F00));
    return (uint16_t)(chance(w, 50) ? below(w, DATA_END) : 0x400 + below(w, 0x3C0));
}

/* ---- one instruction ---- */

/* Any instruction that works on registers, RAM or ROM and transfers no control. */
static inline unsigned random_work(struct writer *w, uint8_t bytes[3]) {
    const struct opcode_info *op;
    do {
        bytes[0] = (uint8_t)below(w, 256);
        op = opcode_info(bytes[0]);
    } while (op->kind != INSN_PLAIN || op->uses_stack || bytes[0] == TXS ||
             bytes[0] == 0x9B /* TAS */ || bytes[0] == 0xBB /* LAS */ || bytes[0] == CLI ||
             (op->writes_memory && (op->mode == MODE_IZX || op->mode == MODE_IZY ||
                                    op->mode == MODE_ABX || op->mode == MODE_ABY)));
    uint16_t at = data_address(w);
    if (!op->writes_memory && chance(w, 40))
        at = (uint16_t)(0x8000 + below(w, 0x8000));
    if (op->size == 2)
        at = (uint16_t)below(w, op->writes_memory ? DATA_END : 256);
    bytes[1] = (uint8_t)at;
    bytes[2] = (uint8_t)(at >> 8);
    return op->size;
}

static inline void put_work(struct writer *w) {
    uint8_t bytes[3];
    const unsigned size = random_work(w, bytes);
    if (w->swap_count < WRITER_SWAPS)
        w->swaps[w->swap_count++] = (struct swap){w->at, (uint8_t)size};
    if (w->away && w->copied_count < 64)
        w->copied[w->copied_count++] = (struct swap){here(w), (uint8_t)size};
    put_bytes(w, bytes, size);
}

/* ---- accesses to a given address, with any addressing mode that reaches it ---- */

enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_MODIFY };

static inline uint8_t random_access(struct writer *w, enum access_kind kind, unsigned mode) {
    for (;;) {
        const uint8_t code = (uint8_t)below(w, 256);
        const struct opcode_info *const op = opcode_info(code);
        if (op->kind != INSN_PLAIN || op->mode != mode || code == 0x9B || code == 0xBB)
            continue;
        const bool mangles = code == 0x9F || code == 0x93 || code == 0x9E || code == 0x9C;
        if (mangles && !chance(w, 10))
            continue; /* SHA, SHX, SHY may write anywhere */
        if (op->reads_memory == (kind != ACCESS_WRITE) &&
            op->writes_memory == (kind != ACCESS_READ))
            return code;
    }
}

/* (zero page) = address; changes A. */
static inline uint8_t put_pointer(struct writer *w, unsigned address) {
    const uint8_t zp = (uint8_t)(ZP_POINTER + (w->leaf ? 2 : 0));
    put_load(w, address), put2(w, STA_ZP, zp);
    put_load(w, address >> 8), put2(w, STA_ZP, zp + 1);
    return zp;
}

/* Stores the value that was read in RAM, so that a wrong one is noticed. */
static inline void put_sink(struct writer *w, uint8_t code) {
    const struct opcode_info *const op = opcode_info(code);
    if (chance(w, 15))
        return;
    if (chance(w, 25)) { /* into a flag, at once */
        put2(w, 0x10 | below(w, 8) << 5, 2);
        put2(w, INC_ZP, ZP_SINK);
    } else if (op->writes & REG_A && chance(w, 70)) {
        put2(w, EOR_ZP, ZP_SINK), put2(w, STA_ZP, ZP_SINK);
    } else if (op->writes & REG_X) {
        put_word(w, STX_ABS, data_address(w));
    } else if (op->writes & REG_Y) {
        put_word(w, STY_ABS, data_address(w));
    } else {
        put(w, PHP), put(w, PLA), put_word(w, STA_ABS, data_address(w));
    }
}

/* Reads, writes (what is in a register) or modifies `address`. */
static inline void put_access(struct writer *w, enum access_kind kind, uint16_t address,
                              int value) {
    const unsigned dice = below(w, 100);
    const unsigned mode = dice < 55   ? MODE_ABS
                          : dice < 70 ? MODE_ABX
                          : dice < 82 ? MODE_ABY
                          : dice < 91 ? MODE_IZX
                                      : MODE_IZY;
    const uint8_t code = random_access(w, kind, mode);
    const uint8_t index = (uint8_t)(chance(w, 30) ? below(w, 8) : below(w, 256));
    unsigned operand = address;
    if (mode == MODE_IZX)
        operand = (uint8_t)(put_pointer(w, address) - index);
    else if (mode == MODE_IZY)
        operand = put_pointer(w, address - index);
    else if (mode != MODE_ABS)
        operand = (uint16_t)(address - index);
    if (mode != MODE_ABS)
        put2(w, mode == MODE_ABX || mode == MODE_IZX ? LDX_IMM : LDY_IMM, index);
    if (value >= 0)
        put_load(w, (unsigned)value);
    put2(w, code, operand);
    if (opcode_info(code)->size == 3)
        put(w, operand >> 8);
    if (kind == ACCESS_READ)
        put_sink(w, code);
}

/* Writes `value` to a register, mostly the way that programs do. */
static inline void put_register(struct writer *w, uint16_t address, unsigned value) {
    static const uint8_t load[] = {LDA_IMM, LDX_IMM, LDY_IMM};
    static const uint8_t store[] = {STA_ABS, STX_ABS, STY_ABS};
    const unsigned which = chance(w, 70) ? 0 : below(w, 3);
    if (chance(w, 15)) {
        put_access(w, ACCESS_WRITE, address, (int)(value & 0xff));
        return;
    }
    put2(w, load[which], value);
    put_word(w, store[which], address);
}

#endif
