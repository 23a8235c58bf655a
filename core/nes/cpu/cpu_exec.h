/*
 * cpu_exec: the effect of each instruction, written once for every loop that runs instructions.
 *
 * An includer defines the primitives below and then expands EXECUTE(name, mode, access) once for
 * each line of ops.def. In the cycle-by-cycle loop a primitive is one bus cycle, in the order of
 * the chip; in a fast loop it is a plain memory access, or nothing.
 *
 *   FETCH(v, k), FETCH_LAST(v, k)       v = byte k of the instruction
 *   READ(v, address), READ_LAST         v = memory anywhere
 *   ZP_READ(v, address), ZP_READ_LAST   v = memory in pages 0 and 1
 *   WRITE_LAST(address, v), ZP_WRITE(address, v), ZP_WRITE_LAST
 *   REWRITE(address, v)                 the first of the two writes of MODIFY
 *   IDLE(address), IDLE_LAST            a dummy read in pages 0 and 1 or near the instruction
 *   STRAY(address), STRAY_LAST          a dummy read of any address
 *   NOW()                               the cycle, if DMA may take some (else any constant)
 *   PC(k)                               address of byte k of the instruction
 *   NEXT(size)                          continue with the next instruction
 *   GOTO_NEAR(target)                   to the encoded target, in the page of PC(2)
 *   GOTO_FAR(target, extra)             to the encoded target; took `extra` more cycles
 *   GOTO_INDIRECT(target), GOTO_BRK(target), GOTO_RTI(target), STAY_JAMMED()
 *   EXTRA_CYCLE(condition)              counts the cycle of an index that carries, if bus cycles
 *                                       are not counted one by one
 *   SLOW_ONLY()                         a fast loop leaves this instruction to nes_step()
 *   MAY_UNMASK()                        I may be cleared now
 *   CHOOSE_VECTOR(), READ_VECTOR(v, at) choose BRK's vector; read its low byte
 *
 * These are macros, and so are the instructions made of them, for two reasons. The registers are
 * locals of the loop; functions would need their addresses, which would force them into memory.
 * And a primitive may abandon the instruction, and jump to its end or to that of the loop.
 *
 * _LAST marks the last cycle: the chip polls its interrupt lines right before it.
 *
 * Before its last access an instruction changes only memory that it writes, so a fast loop may
 * abandon it at any READ, STRAY, REWRITE or WRITE_LAST and leave it to the slow one.
 *
 * The loop's locals: a, x, y, s (uint8_t); p (I and D at their bits of P); c (0 or 1); v (not 0:
 * overflow); nz (Z: low byte is 0; N: bit 7 or 15).
 */

enum {
    P_C = 1,
    P_Z = 2,
    P_I = 4,
    P_D = 8,
    P_B = 16,
    P_ONE = 32,
    P_V = 64,
    P_N = 128,
};

/* What the two instructions whose result depends on analogue properties of the chip OR into A. LXA:
 * as public test programs for the NES expect; ANE: the value that most chips show. */
enum { ANE_CONSTANT = 0xEE, LXA_CONSTANT = 0xFF };

enum {
#define MODE(mode, size, reads) SIZE_##mode = (size),
#include "nes/isa/ops.def"
};

/* ---- flags ---- */

#define IS_N()        ((nz & 0x8080) != 0)
#define IS_Z()        ((nz & 0xff) == 0)
#define SET_NZ(r)     (nz = (uint8_t)(r))
#define SET_N_Z(n, z) (nz = (uint16_t)(((z) ? 0 : 1) | ((n) ? 0x8000 : 0)))
#define GET_P()       ((uint8_t)((IS_N() ? P_N : 0) | (v ? P_V : 0) | P_ONE | p | (IS_Z() ? P_Z : 0) | c))
#define SET_P(value)                                                                               \
    (p = (uint8_t)((value) & (P_I | P_D)), c = (value)&P_C, v = (value)&P_V,                       \
     SET_N_Z((value)&P_N, (value)&P_Z))

/* ---- operations. m: operand, an lvalue for MODIFY ---- */

#define ADD(m)                                                                                     \
    do {                                                                                           \
        const unsigned sum_ = a + (unsigned)(m) + c;                                               \
        v = (uint8_t)(~(a ^ (m)) & (a ^ sum_) & 0x80);                                             \
        c = (uint8_t)(sum_ >> 8);                                                                  \
        a = (uint8_t)sum_;                                                                         \
        SET_NZ(a);                                                                                 \
    } while (0)
#define COMPARE(r, m) (c = (r) >= (m), SET_NZ((r) - (m)))
#define ROTATE_LEFT(m)                                                                             \
    do {                                                                                           \
        const uint8_t out_ = (m) >> 7;                                                             \
        m = (uint8_t)((m) << 1 | c);                                                               \
        c = out_;                                                                                  \
        SET_NZ(m);                                                                                 \
    } while (0)
#define ROTATE_RIGHT(m)                                                                            \
    do {                                                                                           \
        const uint8_t out_ = (m)&1;                                                                \
        m = (uint8_t)((m) >> 1 | c << 7);                                                          \
        c = out_;                                                                                  \
        SET_NZ(m);                                                                                 \
    } while (0)

#define DO_ORA(m)   (a |= (m), SET_NZ(a))
#define DO_AND(m)   (a &= (m), SET_NZ(a))
#define DO_EOR(m)   (a ^= (m), SET_NZ(a))
#define DO_ADC(m)   ADD(m)
#define DO_SBC(m)   ADD((uint8_t) ~(m))
#define DO_CMP(m)   COMPARE(a, m)
#define DO_CPX(m)   COMPARE(x, m)
#define DO_CPY(m)   COMPARE(y, m)
#define DO_BIT(m)   (v = (m)&0x40, SET_N_Z((m)&0x80, (a & (m)) == 0))
#define DO_LDA(m)   (a = (m), SET_NZ(a))
#define DO_LDX(m)   (x = (m), SET_NZ(x))
#define DO_LDY(m)   (y = (m), SET_NZ(y))
#define DO_NOP(...) ((void)(__VA_ARGS__ + 0)) /* with or without an operand */
#define DO_LAX(m)   (a = x = (m), SET_NZ(a))
#define DO_LAS(m)   (a = x = s = (m)&s, SET_NZ(a))
#define DO_ANC(m)   (a &= (m), SET_NZ(a), c = a >> 7)
#define DO_ALR(m)   (a &= (m), c = a & 1, a >>= 1, SET_NZ(a))
#define DO_ARR(m)                                                                                  \
    (a = (uint8_t)((a & (m)) >> 1 | c << 7), c = a >> 6 & 1, v = (a >> 6 ^ a >> 5) & 1, SET_NZ(a))
#define DO_ANE(m) (a = (uint8_t)((a | ANE_CONSTANT) & x & (m)), SET_NZ(a))
#define DO_LXA(m) (a = x = (uint8_t)((a | LXA_CONSTANT) & (m)), SET_NZ(a))
#define DO_SBX(m)                                                                                  \
    do {                                                                                           \
        const uint8_t both_ = a & x;                                                               \
        COMPARE(both_, m);                                                                         \
        x = (uint8_t)(both_ - (m));                                                                \
    } while (0)

#define DO_ASL(m) (c = (m) >> 7, m = (uint8_t)((m) << 1), SET_NZ(m))
#define DO_LSR(m) (c = (m)&1, m >>= 1, SET_NZ(m))
#define DO_ROL(m) ROTATE_LEFT(m)
#define DO_ROR(m) ROTATE_RIGHT(m)
#define DO_INC(m) (m++, SET_NZ(m))
#define DO_DEC(m) (m--, SET_NZ(m))
#define DO_SLO(m) (DO_ASL(m), DO_ORA(m))
#define DO_SRE(m) (DO_LSR(m), DO_EOR(m))
#define DO_DCP(m) (m--, COMPARE(a, m))
#define DO_ISC(m)                                                                                  \
    do {                                                                                           \
        m++;                                                                                       \
        DO_SBC(m);                                                                                 \
    } while (0)
#define DO_RLA(m)                                                                                  \
    do {                                                                                           \
        ROTATE_LEFT(m);                                                                            \
        DO_AND(m);                                                                                 \
    } while (0)
#define DO_RRA(m)                                                                                  \
    do {                                                                                           \
        ROTATE_RIGHT(m);                                                                           \
        ADD(m);                                                                                    \
    } while (0)

#define VALUE_STA a
#define VALUE_STX x
#define VALUE_STY y
#define VALUE_SAX (uint8_t)(a & x)

#define DO_TAX() (x = a, SET_NZ(x))
#define DO_TAY() (y = a, SET_NZ(y))
#define DO_TXA() (a = x, SET_NZ(a))
#define DO_TYA() (a = y, SET_NZ(a))
#define DO_TSX() (x = s, SET_NZ(x))
#define DO_TXS() (s = x)
#define DO_INX() (x++, SET_NZ(x))
#define DO_INY() (y++, SET_NZ(y))
#define DO_DEX() (x--, SET_NZ(x))
#define DO_DEY() (y--, SET_NZ(y))
#define DO_CLC() (c = 0)
#define DO_SEC() (c = 1)
#define DO_CLV() (v = 0)
#define DO_CLD() (p &= (uint8_t)~P_D)
#define DO_SED() (p |= P_D)
#define DO_SEI() (p |= P_I)
#define DO_CLI()                                                                                   \
    do {                                                                                           \
        MAY_UNMASK();                                                                              \
        p &= (uint8_t)~P_I;                                                                        \
    } while (0)

/* ---- addressing modes ---- */

#define ABSOLUTE(at)                                                                               \
    uint16_t at;                                                                                   \
    do {                                                                                           \
        uint8_t lo_, hi_;                                                                          \
        FETCH(lo_, 1);                                                                             \
        FETCH(hi_, 2);                                                                             \
        at = (uint16_t)(lo_ | hi_ << 8);                                                           \
    } while (0)
#define POINTER_X(at)                                                                              \
    uint16_t at;                                                                                   \
    do {                                                                                           \
        uint8_t zp_, lo_, hi_;                                                                     \
        FETCH(zp_, 1);                                                                             \
        IDLE(zp_);                                                                                 \
        zp_ = (uint8_t)(zp_ + x);                                                                  \
        ZP_READ(lo_, zp_);                                                                         \
        ZP_READ(hi_, (uint8_t)(zp_ + 1));                                                          \
        at = (uint16_t)(lo_ | hi_ << 8);                                                           \
    } while (0)
#define POINTER(at)                                                                                \
    uint16_t at;                                                                                   \
    do {                                                                                           \
        uint8_t zp_, lo_, hi_;                                                                     \
        FETCH(zp_, 1);                                                                             \
        ZP_READ(lo_, zp_);                                                                         \
        ZP_READ(hi_, (uint8_t)(zp_ + 1));                                                          \
        at = (uint16_t)(lo_ | hi_ << 8);                                                           \
    } while (0)
#define ZERO_PAGE(at)                                                                              \
    uint8_t at;                                                                                    \
    FETCH(at, 1)
#define ZERO_PAGE_INDEXED(at, index)                                                               \
    uint8_t at;                                                                                    \
    FETCH(at, 1);                                                                                  \
    IDLE(at);                                                                                      \
    at = (uint8_t)(at + index)
/* The chip adds the index to the low byte first, and reads there before it corrects the high byte:
 * always before a write, else only if the high byte needs correction. */
#define UNMENDED(base, at) ((uint16_t)(((base)&0xff00) | ((at)&0xff)))
#define INDEXED_TO_READ(base, at, index)                                                           \
    const uint16_t at = (uint16_t)(base + index);                                                  \
    EXTRA_CYCLE((base ^ at) & 0xff00);                                                             \
    if ((base ^ at) & 0xff00)                                                                      \
    STRAY(UNMENDED(base, at))
#define INDEXED_TO_WRITE(base, at, index)                                                          \
    const uint16_t at = (uint16_t)(base + index);                                                  \
    STRAY(UNMENDED(base, at))

#define AT_READ_ABS(at) ABSOLUTE(at)
#define AT_READ_IZX(at) POINTER_X(at)
#define AT_READ_IZY(at)                                                                            \
    POINTER(base_);                                                                                \
    INDEXED_TO_READ(base_, at, y)
#define AT_READ_ABX(at)                                                                            \
    ABSOLUTE(base_);                                                                               \
    INDEXED_TO_READ(base_, at, x)
#define AT_READ_ABY(at)                                                                            \
    ABSOLUTE(base_);                                                                               \
    INDEXED_TO_READ(base_, at, y)
#define AT_WRITE_ABS(at) ABSOLUTE(at)
#define AT_WRITE_IZX(at) POINTER_X(at)
#define AT_WRITE_IZY(at)                                                                           \
    POINTER(base_);                                                                                \
    INDEXED_TO_WRITE(base_, at, y)
#define AT_WRITE_ABX(at)                                                                           \
    ABSOLUTE(base_);                                                                               \
    INDEXED_TO_WRITE(base_, at, x)
#define AT_WRITE_ABY(at)                                                                           \
    ABSOLUTE(base_);                                                                               \
    INDEXED_TO_WRITE(base_, at, y)
#define AT_ZP(at)  ZERO_PAGE(at)
#define AT_ZPX(at) ZERO_PAGE_INDEXED(at, x)
#define AT_ZPY(at) ZERO_PAGE_INDEXED(at, y)

/* ---- READ ---- */

#define LOAD_FROM(m, at_macro, read)                                                               \
    at_macro(at_);                                                                                 \
    read(m, at_)
#define LOAD_IMM(m) FETCH_LAST(m, 1)
#define LOAD_ZP(m)  LOAD_FROM(m, AT_ZP, ZP_READ_LAST)
#define LOAD_ZPX(m) LOAD_FROM(m, AT_ZPX, ZP_READ_LAST)
#define LOAD_ZPY(m) LOAD_FROM(m, AT_ZPY, ZP_READ_LAST)
#define LOAD_ABS(m) LOAD_FROM(m, AT_READ_ABS, READ_LAST)
#define LOAD_ABX(m) LOAD_FROM(m, AT_READ_ABX, READ_LAST)
#define LOAD_ABY(m) LOAD_FROM(m, AT_READ_ABY, READ_LAST)
#define LOAD_IZX(m) LOAD_FROM(m, AT_READ_IZX, READ_LAST)
#define LOAD_IZY(m) LOAD_FROM(m, AT_READ_IZY, READ_LAST)
#define EXECUTE_READ(name, mode)                                                                   \
    uint8_t m_;                                                                                    \
    LOAD_##mode(m_);                                                                               \
    DO_##name(m_);                                                                                 \
    NEXT(SIZE_##mode);

/* ---- WRITE ---- */

#define STORE_TO(value, at_macro, write)                                                           \
    at_macro(at_);                                                                                 \
    write(at_, value)
#define STORE_ZP(value)  STORE_TO(value, AT_ZP, ZP_WRITE_LAST)
#define STORE_ZPX(value) STORE_TO(value, AT_ZPX, ZP_WRITE_LAST)
#define STORE_ZPY(value) STORE_TO(value, AT_ZPY, ZP_WRITE_LAST)
#define STORE_ABS(value) STORE_TO(value, AT_WRITE_ABS, WRITE_LAST)
#define STORE_ABX(value) STORE_TO(value, AT_WRITE_ABX, WRITE_LAST)
#define STORE_ABY(value) STORE_TO(value, AT_WRITE_ABY, WRITE_LAST)
#define STORE_IZX(value) STORE_TO(value, AT_WRITE_IZX, WRITE_LAST)
#define STORE_IZY(value) STORE_TO(value, AT_WRITE_IZY, WRITE_LAST)
#define EXECUTE_WRITE(name, mode)                                                                  \
    STORE_##mode(VALUE_##name);                                                                    \
    NEXT(SIZE_##mode);

/* ---- MODIFY ---- */

#define MODIFY_MEMORY(name, at_macro)                                                              \
    uint8_t m_;                                                                                    \
    at_macro(at_);                                                                                 \
    READ(m_, at_);                                                                                 \
    REWRITE(at_, m_);                                                                              \
    DO_##name(m_);                                                                                 \
    WRITE_LAST(at_, m_)
#define MODIFY_ZERO_PAGE(name, at_macro)                                                           \
    uint8_t m_;                                                                                    \
    at_macro(at_);                                                                                 \
    ZP_READ(m_, at_);                                                                              \
    ZP_WRITE(at_, m_);                                                                             \
    DO_##name(m_);                                                                                 \
    ZP_WRITE_LAST(at_, m_)
#define MODIFY_ACC(name)                                                                           \
    IDLE_LAST(PC(1));                                                                              \
    DO_##name(a)
#define MODIFY_ZP(name)  MODIFY_ZERO_PAGE(name, AT_ZP)
#define MODIFY_ZPX(name) MODIFY_ZERO_PAGE(name, AT_ZPX)
#define MODIFY_ABS(name) MODIFY_MEMORY(name, AT_WRITE_ABS)
#define MODIFY_ABX(name) MODIFY_MEMORY(name, AT_WRITE_ABX)
#define MODIFY_ABY(name) MODIFY_MEMORY(name, AT_WRITE_ABY)
#define MODIFY_IZX(name) MODIFY_MEMORY(name, AT_WRITE_IZX)
#define MODIFY_IZY(name) MODIFY_MEMORY(name, AT_WRITE_IZY)
#define EXECUTE_MODIFY(name, mode)                                                                 \
    MODIFY_##mode(name);                                                                           \
    NEXT(SIZE_##mode);

/* ---- MANGLE: the value is ANDed with the high byte of the unindexed address plus one. If the
 * index carries, the result also becomes the high byte of the address. DMA that halts the processor
 * in the cycle before the write removes the AND from the written value. ---- */

#define MANGLE(value, pointer, index, size)                                                        \
    pointer(base_);                                                                                \
    const uint64_t before_ = NOW();                                                                \
    INDEXED_TO_WRITE(base_, at_, index);                                                           \
    const bool held_ = NOW() - before_ > 1;                                                        \
    const uint8_t out_ = (uint8_t)((value) & ((base_ >> 8) + 1));                                  \
    const uint16_t to_ =                                                                           \
        (base_ ^ at_) & 0xff00 ? (uint16_t)((at_ & 0xff) | out_ << 8) : (uint16_t)at_;             \
    WRITE_LAST(to_, held_ ? (value) : out_)
#define MANGLE_SHA_IZY() MANGLE(a &x, POINTER, y, 2)
#define MANGLE_SHA_ABY() MANGLE(a &x, ABSOLUTE, y, 3)
#define MANGLE_SHX_ABY() MANGLE(x, ABSOLUTE, y, 3)
#define MANGLE_SHY_ABX() MANGLE(y, ABSOLUTE, x, 3)
#define MANGLE_TAS_ABY()                                                                           \
    MANGLE(a &x, ABSOLUTE, y, 3);                                                                  \
    s = a & x
#define EXECUTE_MANGLE(name, mode)                                                                 \
    MANGLE_##name##_##mode();                                                                      \
    NEXT(SIZE_##mode);

/* ---- NONE and STACK ---- */

#define EXECUTE_NONE(name, mode)                                                                   \
    IDLE_LAST(PC(1));                                                                              \
    DO_##name();                                                                                   \
    NEXT(SIZE_##mode);

#define ON_STACK(s) (0x100 | (uint8_t)(s))
#define STACK_PHA()                                                                                \
    ZP_WRITE_LAST(ON_STACK(s), a);                                                                 \
    s--
#define STACK_PHP()                                                                                \
    ZP_WRITE_LAST(ON_STACK(s), GET_P() | P_B);                                                     \
    s--
#define STACK_PLA()                                                                                \
    uint8_t m_;                                                                                    \
    IDLE(ON_STACK(s));                                                                             \
    ZP_READ_LAST(m_, ON_STACK(s + 1));                                                             \
    s++;                                                                                           \
    DO_LDA(m_)
#define STACK_PLP()                                                                                \
    MAY_UNMASK();                                                                                  \
    uint8_t m_;                                                                                    \
    IDLE(ON_STACK(s));                                                                             \
    ZP_READ_LAST(m_, ON_STACK(s + 1));                                                             \
    s++;                                                                                           \
    SET_P(m_)
#define EXECUTE_STACK(name, mode)                                                                  \
    IDLE(PC(1));                                                                                   \
    STACK_##name();                                                                                \
    NEXT(SIZE_##mode);

/* ---- FLOW ---- */

/* A branch polls the interrupt lines before its second cycle and, if it crosses a page, again
 * before its fourth, but not before its third. */
#define BRANCH(condition)                                                                          \
    uint8_t m_;                                                                                    \
    FETCH_LAST(m_, 1);                                                                             \
    if (!(condition)) {                                                                            \
        NEXT(2);                                                                                   \
    }                                                                                              \
    const uint16_t to_ = (uint16_t)(PC(2) + (int8_t)m_);                                           \
    if (((to_ ^ PC(2)) & 0xff00) == 0) {                                                           \
        IDLE(PC(2));                                                                               \
        GOTO_NEAR(to_);                                                                            \
    }                                                                                              \
    REACHABLE(to_);                                                                                \
    IDLE(PC(2));                                                                                   \
    IDLE_LAST(UNMENDED(PC(2), to_));                                                               \
    GOTO_FAR(to_, 2);
#define FLOW_BPL_REL() BRANCH(!IS_N())
#define FLOW_BMI_REL() BRANCH(IS_N())
#define FLOW_BVC_REL() BRANCH(!v)
#define FLOW_BVS_REL() BRANCH(v)
#define FLOW_BCC_REL() BRANCH(!c)
#define FLOW_BCS_REL() BRANCH(c)
#define FLOW_BNE_REL() BRANCH(!IS_Z())
#define FLOW_BEQ_REL() BRANCH(IS_Z())

#define FLOW_JMP_ABS()                                                                             \
    uint8_t lo_, hi_;                                                                              \
    FETCH(lo_, 1);                                                                                 \
    FETCH_LAST(hi_, 2);                                                                            \
    GOTO_FAR((uint16_t)(lo_ | hi_ << 8), 0);
#define FLOW_JMP_IND()                                                                             \
    ABSOLUTE(at_);                                                                                 \
    uint8_t lo_, hi_;                                                                              \
    READ(lo_, at_);                                                                                \
    READ_LAST(hi_, UNMENDED(at_, at_ + 1));                                                        \
    GOTO_INDIRECT((uint16_t)(lo_ | hi_ << 8));
/* The high byte is fetched after the pushes, which may have overwritten it. */
#define FLOW_JSR_ABS()                                                                             \
    uint8_t lo_, hi_;                                                                              \
    FETCH(lo_, 1);                                                                                 \
    IDLE(ON_STACK(s));                                                                             \
    ZP_WRITE(ON_STACK(s), (uint8_t)(PC(2) >> 8));                                                  \
    ZP_WRITE(ON_STACK(s - 1), (uint8_t)PC(2));                                                     \
    s = (uint8_t)(s - 2);                                                                          \
    FETCH_LAST(hi_, 2);                                                                            \
    GOTO_FAR((uint16_t)(lo_ | hi_ << 8), 0);
#define FLOW_RTS_IMP()                                                                             \
    uint8_t lo_, hi_;                                                                              \
    IDLE(PC(1));                                                                                   \
    IDLE(ON_STACK(s));                                                                             \
    ZP_READ(lo_, ON_STACK(s + 1));                                                                 \
    ZP_READ(hi_, ON_STACK(s + 2));                                                                 \
    const uint16_t to_ = (uint16_t)(lo_ | hi_ << 8);                                               \
    STRAY_LAST(to_);                                                                               \
    s = (uint8_t)(s + 2);                                                                          \
    GOTO_INDIRECT((uint16_t)(to_ + 1));
#define FLOW_RTI_IMP()                                                                             \
    SLOW_ONLY();                                                                                   \
    uint8_t m_, lo_, hi_;                                                                          \
    IDLE(PC(1));                                                                                   \
    IDLE(ON_STACK(s));                                                                             \
    ZP_READ(m_, ON_STACK(s + 1));                                                                  \
    SET_P(m_);                                                                                     \
    ZP_READ(lo_, ON_STACK(s + 2));                                                                 \
    ZP_READ_LAST(hi_, ON_STACK(s + 3));                                                            \
    s = (uint8_t)(s + 3);                                                                          \
    GOTO_RTI((uint16_t)(lo_ | hi_ << 8));
/* The vector is chosen once the return address is on the stack: an NMI before that takes BRK's
 * vector. None of BRK's cycles polls the interrupt lines, so the first instruction of the handler
 * always runs. */
#define FLOW_BRK_IMP()                                                                             \
    SLOW_ONLY();                                                                                   \
    uint8_t m_, lo_, hi_;                                                                          \
    FETCH(m_, 1);                                                                                  \
    (void)m_;                                                                                      \
    ZP_WRITE(ON_STACK(s), (uint8_t)(PC(2) >> 8));                                                  \
    ZP_WRITE(ON_STACK(s - 1), (uint8_t)PC(2));                                                     \
    const uint16_t vector_ = CHOOSE_VECTOR();                                                      \
    ZP_WRITE(ON_STACK(s - 2), GET_P() | P_B);                                                      \
    s = (uint8_t)(s - 3);                                                                          \
    p |= P_I;                                                                                      \
    READ_VECTOR(lo_, vector_);                                                                     \
    READ(hi_, (uint16_t)(vector_ + 1));                                                            \
    GOTO_BRK((uint16_t)(lo_ | hi_ << 8));
#define FLOW_JAM_IMP()                                                                             \
    SLOW_ONLY();                                                                                   \
    IDLE(PC(1));                                                                                   \
    STAY_JAMMED();
#define EXECUTE_FLOW(name, mode) FLOW_##name##_##mode()

#define EXECUTE(name, mode, access) EXECUTE_##access(name, mode)
