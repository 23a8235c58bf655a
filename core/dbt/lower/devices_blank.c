/*
 * Writes to the PPU in the vertical blank, when games set up the next picture: does in place what
 * ppu_write() does there, before cycle ppu.plain_until.
 */
#include "dbt/lower/devices.h"
#include "nes/ppu/ppu_inlined.h"

#define PPU(field) FIELD_OF_NES(ppu.field)
/* Byte `i` of a 16-bit field. */
#define PPU_BYTE(field, i) mem(1, NES, (int64_t)offsetof(struct nes, ppu.field) + (i))
/* The array element at index rcx or rax. */
#define PPU_AT(field, index)                                                                       \
    memx(1, NES, ZYDIS_REGISTER_##index, 1, (int64_t)offsetof(struct nes, ppu.field))

enum { OAM_ADDRESS = 3, OAM_DATA, SCROLL, ADDRESS, DATA };
enum {
    COLOURS = 0x3f00,
    NAMETABLES = 0x2000,
    ATTRIBUTES = 2, /* the sprite byte that has only OAM_ATTRIBUTES */
};

/* rax = the cycle, rcx = the number of the next dot. Returns the jump for writes that need
 * ppu_write(). */
static uint32_t begin(struct emitter *e) {
    emit_cycle_of_access(e, REG(RCX));
    EMIT(e, CMP, REG(RAX), PPU(known.plain_until));  /* cmp rax, [nes + plain_until] */
    const uint32_t otherwise = emit_jump(e, JNB);    /* jae otherwise */
    EMIT(e, MOV, FIELD_OF_NES(memory.bus), REG(DL)); /* mov [nes + bus], dl */
    EMIT(e, MOV, PPU(state.latch), REG(DL));         /* mov [nes + latch], dl */
    for (unsigned i = 0; i < 3; i++)
        EMIT(e, MOV, PPU(state.latch_cycle[i]), REG(RAX)); /* mov [nes + latch_cycle], rax */
    EMIT(e, MOV, PPU(known.status_stable_until), imm(0));  /* mov qword [nes + calm], 0 */
    /* Its upper half alone makes it more than any budget. */
    EMIT(e, MOV, mem(4, FRAME_AT, offsetof(struct frame, status_stable) + 4),
         imm(INT32_MAX)); /* mov dword [frame + status_stable + 4], 7fffffffh */
    EMIT(e, MOV, FRAME(status_read), imm(NOT_READ)); /* mov qword [frame + status_read], -1 */
    return otherwise;
}

/* Loads v from a due write to $2006, before v or t change. */
static void dbt_settle_v(struct emitter *e) {
    EMIT(e, LEA, REG(RCX),
         memx(8, ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RAX, 2, 1)); /* lea rcx, [rax + rax*2 + 1] */
    EMIT(e, CMP, PPU(state.v_due), REG(RCX));                    /* cmp [nes + v_due], rcx */
    const uint32_t settled = emit_jump(e, JNB);                  /* jae settled */
    EMIT(e, MOVZX, REG(ECX), PPU(state.t));                      /* movzx ecx, word [nes + t] */
    EMIT(e, MOV, PPU(state.v), REG(CX));                         /* mov [nes + v], cx */
    EMIT(e, MOV, PPU(state.v_due), imm(-1));                     /* mov [nes + v_due], -1 */
    emit_bind(e, settled, emit_here(e));                         /* settled: */
}

/* Returns a jump that is taken by the second of two writes. */
static uint32_t emit_second(struct emitter *e) {
    EMIT(e, XOR, PPU(state.w), imm(1)); /* xor byte [nes + w], 1 */
    return emit_jump(e, JZ);            /* jz second */
}

static void emit_oam_address(struct emitter *e) {
    EMIT(e, MOV, PPU(state.oam_address), REG(DL)); /* mov [nes + oam_address], dl */
    emit_ret(e);                                   /* ret */
}

static void emit_oam_data(struct emitter *e) {
    EMIT(e, MOVZX, REG(EAX), PPU(state.oam_address));  /* movzx eax, [nes + oam_address] */
    EMIT(e, MOV, REG(ECX), REG(EAX));                  /* mov ecx, eax */
    EMIT(e, AND, REG(ECX), imm(3));                    /* and ecx, 3 */
    EMIT(e, CMP, REG(ECX), imm(ATTRIBUTES));           /* cmp ecx, 2 */
    const uint32_t whole = emit_jump(e, JNZ);          /* jne whole */
    EMIT(e, AND, REG(EDX), imm(OAM_ATTRIBUTES));       /* and edx, 0e3h */
    emit_bind(e, whole, emit_here(e));                 /* whole: */
    EMIT(e, CMP, PPU_AT(state.oam, RAX), REG(DL));     /* cmp [nes + oam + rax], dl */
    const uint32_t same = emit_jump(e, JZ);            /* je same */
    EMIT(e, MOV, PPU_AT(state.oam, RAX), REG(DL));     /* mov [nes + oam + rax], dl */
    EMIT(e, MOV, PPU(sprites_known.lines), imm(0));    /* mov byte [nes + lines_known], 0 */
    EMIT(e, MOV, PPU(sprites_known.overflow), imm(0)); /* mov byte [nes + overflow_known], 0 */
    emit_bind(e, same, emit_here(e));                  /* same: */
    EMIT(e, ADD, PPU(state.oam_address), imm(1));      /* add byte [nes + oam_address], 1 */
    emit_ret(e);                                       /* ret */
}

static void emit_scroll(struct emitter *e) {
    dbt_settle_v(e);
    const uint32_t second = emit_second(e);
    EMIT(e, MOV, REG(ECX), REG(EDX));           /* mov ecx, edx */
    EMIT(e, AND, REG(ECX), imm(7));             /* and ecx, 7 */
    EMIT(e, MOV, PPU(state.x), REG(CL));        /* mov [nes + x], cl */
    EMIT(e, SHR, REG(EDX), imm(3));             /* shr edx, 3 */
    EMIT(e, AND, PPU(state.t), imm(~0x1f));     /* and word [nes + t], ~1fh */
    EMIT(e, OR, PPU_BYTE(state.t, 0), REG(DL)); /* or byte [nes + t], dl */
    emit_ret(e);                                /* ret */
    emit_bind(e, second, emit_here(e));         /* second: */
    EMIT(e, MOV, REG(ECX), REG(EDX));           /* mov ecx, edx */
    EMIT(e, AND, REG(ECX), imm(7));             /* and ecx, 7 */
    EMIT(e, SHL, REG(ECX), imm(12));            /* shl ecx, 12 */
    EMIT(e, AND, REG(EDX), imm(0xf8));          /* and edx, 0f8h */
    EMIT(e, SHL, REG(EDX), imm(2));             /* shl edx, 2 */
    EMIT(e, OR, REG(EDX), REG(ECX));            /* or edx, ecx */
    EMIT(e, AND, PPU(state.t), imm(0x0c1f));    /* and word [nes + t], 0c1fh */
    EMIT(e, OR, PPU(state.t), REG(DX));         /* or [nes + t], dx */
    emit_ret(e);                                /* ret */
}

static void emit_address_write(struct emitter *e) {
    dbt_settle_v(e);
    const uint32_t second = emit_second(e);
    EMIT(e, AND, REG(EDX), imm(0x3f));           /* and edx, 3fh */
    EMIT(e, MOV, PPU_BYTE(state.t, 1), REG(DL)); /* mov [nes + t + 1], dl */
    emit_ret(e);                                 /* ret */
    emit_bind(e, second, emit_here(e));          /* second: */
    EMIT(e, MOV, PPU_BYTE(state.t, 0), REG(DL)); /* mov [nes + t], dl */
    EMIT(e, LEA, REG(RAX), memx(8, ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RAX, 2, 1 + PPU_V_DELAY));
    /* ^ lea rax, [rax + rax*2 + 4] */
    EMIT(e, MOV, PPU(state.v_due), REG(RAX)); /* mov [nes + v_due], rax */
    emit_ret(e);                              /* ret */
}

/* The address of ecx's page of 1 KiB, of `pages` pages. */
#define PAGE(pages, table)                                                                         \
    EMIT(e, MOV, REG(EAX), REG(ECX));                 /* mov eax, ecx */                           \
    EMIT(e, SHR, REG(EAX), imm(10));                  /* shr eax, 10 */                            \
    EMIT(e, AND, REG(EAX), imm((pages)-1));           /* and eax, pages - 1 */                     \
    EMIT(e, MOV, REG(RAX), PAGE_OF(board.table, RAX)) /* mov rax, [nes + table + rax*8] */

static void emit_data(struct emitter *e) {
    dbt_settle_v(e);
    EMIT(e, MOVZX, REG(ECX), PPU(state.v));    /* movzx ecx, word [nes + v] */
    EMIT(e, AND, REG(ECX), imm(0x3fff));       /* and ecx, 3fffh */
    EMIT(e, CMP, REG(ECX), imm(NAMETABLES));   /* cmp ecx, 2000h */
    const uint32_t pattern = emit_jump(e, JB); /* jb pattern */
    EMIT(e, CMP, REG(ECX), imm(COLOURS));      /* cmp ecx, 3f00h */
    const uint32_t colour = emit_jump(e, JNB); /* jae colour */
    PAGE(4, nt);
    const uint32_t store = emit_here(e); /* store: */
    EMIT(e, AND, REG(ECX), imm(0x3ff));  /* and ecx, 3ffh */
    EMIT(e, MOV, memx(1, ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RCX, 1, 0),
         REG(DL));                                          /* mov [rax + rcx], dl */
    const uint32_t step = emit_here(e);                     /* step: */
    EMIT(e, MOV, REG(EAX), imm(1));                         /* mov eax, 1 */
    EMIT(e, TEST, PPU(state.ctrl), imm(CTRL_INCREMENT_32)); /* test byte [nes + ctrl], 4 */
    const uint32_t down = emit_jump(e, JNZ);                /* jnz down */
    const uint32_t stepped = emit_here(e);                  /* stepped: */
    EMIT(e, ADD, REG(AX), PPU(state.v));                    /* add ax, [nes + v] */
    EMIT(e, AND, REG(EAX), imm(0x7fff));                    /* and eax, 7fffh */
    EMIT(e, MOV, PPU(state.v), REG(AX));                    /* mov [nes + v], ax */
    emit_ret(e);                                            /* ret */
    emit_bind(e, down, emit_here(e));                       /* down: */
    EMIT(e, MOV, REG(EAX), imm(32));                        /* mov eax, 32 */
    emit_bind(e, emit_jump(e, JMP), stepped);               /* jmp stepped */

    emit_bind(e, pattern, emit_here(e));                    /* pattern: */
    EMIT(e, CMP, FIELD_OF_NES(board.chr_writable), imm(0)); /* cmp byte [nes + ..], 0 */
    emit_bind(e, emit_jump(e, JZ), step);                   /* jz step */
    PAGE(8, chr);
    emit_bind(e, emit_jump(e, JMP), store); /* jmp store */

    emit_bind(e, colour, emit_here(e));                /* colour: */
    EMIT(e, AND, REG(EDX), imm(0x3f));                 /* and edx, 3fh */
    EMIT(e, AND, REG(ECX), imm(0x1f));                 /* and ecx, 1fh */
    EMIT(e, TEST, REG(ECX), imm(3));                   /* test ecx, 3 */
    const uint32_t own = emit_jump(e, JNZ);            /* jnz own */
    EMIT(e, AND, REG(ECX), imm(0x0f));                 /* and ecx, 0fh */
    emit_bind(e, own, emit_here(e));                   /* own: */
    EMIT(e, MOV, PPU_AT(state.palette, RCX), REG(DL)); /* mov [nes + palette + rcx], dl */
    emit_bind(e, emit_jump(e, JMP), step);             /* jmp step */
}

void devices_blank(struct devices *devices, struct emitter *e) {
    static void (*const codes[8])(struct emitter * e) = {
        [OAM_ADDRESS] = emit_oam_address, [OAM_DATA] = emit_oam_data, [SCROLL] = emit_scroll,
        [ADDRESS] = emit_address_write,   [DATA] = emit_data,
    };
    for (unsigned at = OAM_ADDRESS; at <= DATA; at++) {
        devices->write_ppu_at[at] = emit_here(e);
        const uint32_t otherwise = begin(e);
        codes[at](e);
        emit_bind(e, otherwise, emit_here(e)); /* otherwise: */
        emit_place_of_access(e, REG(RCX));
        EMIT(e, MOV, REG(ECX), imm(at));                     /* mov ecx, at */
        emit_bind(e, emit_jump(e, JMP), devices->write_ppu); /* jmp write_ppu */
    }
}
