/*
 * Stubs' probes of pairs (hit/pairs.h), at an indirect jump or call, or at a return:
 *
 *     push %rax ; mov target, %rax ; add site(%rip), %rax        the key
 *     cmp %rax, own(%rip) ; jne 1f ; ds/lock incq own+8(%rip)    the site's first cell
 *  3: pop %rax
 *     ...
 *  1: cmp %rax, own+16(%rip) ; jne 2f ; ds/lock incq own+24(%rip) ; jmp 3b   its second cell
 *  2: push %rcx
 *     mov %rax, %rcx ; imul factor(%rip), %rcx ; shr $shift, %rcx ; shl $4, %rcx
 *     add table(%rip), %rcx                                      the key's home
 *     cmp %rax, (%rcx) ; je 4f
 *     add $16, %rcx ; cmp %rax, (%rcx) ; jne 5f                  the next cell
 *  4: add $8, %rcx ; ds/lock incq (%rcx) ; jnz 6f                a target that is met often
 *  5: push probe(%rip) ; call hit(%rip)                          as above
 *  6: pop %rcx ; jmp 3b
 *
 * Sites without own cells have only the part from 2 on. A site with a map counts there instead, if the
 * target is in its range:
 *
 *     push %rax ; mov target, %rax ; sub low(%rip), %rax ; cmp $length, %rax ; jae 1f
 *     add map/8(%rip), %rax ; ds/lock incq (,%rax,8)
 *  3: pop %rax
 *     ...
 *  1: add low+site(%rip), %rax                                   and from 2 on
 *
 * Where flags are live, %rcx takes the target first, and %rax the flags, as above. A jump may leave something in
 * the red zone, so the stack pointer is moved past that; calls and returns leave nothing there.
 */
#include "native/patch/stub_build.h"

#include <string.h>

enum target_register { TO_RAX, TO_RCX };

/* mov target, register, for the indirect jump, call or return `i`, with the stack pointer `down` bytes
 * below where it was. False: an operand that it does not know. */
static bool emit_target(struct emit *e, const struct insn *i, enum target_register to,
                        uint32_t down) {
    if (i->flow == FLOW_RETURN) { /* mov register, [rsp + down] */
        emit_bytes(e, to == TO_RAX ? "\x48\x8b\x84\x24" : "\x48\x8b\x8c\x24", 4);
        emit_u32(e, down);
        return true;
    }
    const uint8_t *modrm = i->bytes + i->modrm_offset;
    unsigned mod = *modrm >> 6, rm = *modrm & 7;
    if (i->modrm_offset == 0 || modrm[-1] != 0xff)
        return false;
    uint8_t rex = i->modrm_offset >= 2 && (modrm[-2] & 0xf0) == 0x40 ? modrm[-2] : 0x40;
    bool stack = rm == 4 && (rex & 1) == 0 && (mod == 3 || (modrm[1] & 7) == 4);
    if (stack && mod == 3)
        return false;
    for (const uint8_t *prefix = i->bytes; prefix < modrm - 1; prefix++)
        if (*prefix == 0x64 || *prefix == 0x65 || *prefix == 0x67) /* fs, gs, 32-bit address */
            emit_bytes(e, prefix, 1);
    uint8_t head[3] = {(uint8_t)(0x48 | (rex & 3)), 0x8b, (uint8_t)((*modrm & ~0x38) | to << 3)};
    if (stack) {
        head[2] = (uint8_t)((head[2] & 0x3f) | 0x80);
        emit_bytes(e, head, sizeof head);
        emit_bytes(e, modrm + 1, 1);
        emit_u32(e, (uint32_t)insn_displacement(modrm) + down);
        return true;
    }
    emit_bytes(e, head, sizeof head);
    if (i->relative_memory)
        emit_distance(e, i->memory, 0);
    else
        emit_bytes(e, modrm + 1, i->length - i->modrm_offset - 1u);
    return true;
}

/* A branch to what follows soon, whose opcode is given. Returns the offset of its distance. */
static size_t emit_branch(struct build *b, uint8_t opcode) {
    const uint8_t bytes[] = {opcode, 0};
    emit_bytes(&b->e, bytes, sizeof bytes);
    return b->e.len - 1;
}

static void branches_here(struct build *b, size_t from) {
    b->e.bytes[from] = (uint8_t)(b->e.len - (from + 1));
}

/* Counts in the key's cell of the table; hit/pairs.c makes the cell when there is none. */
static void emit_table(struct build *b, const struct hotprobe_probe *probe) {
    enum { JE = 0x74, JNE = 0x75 };
    const struct pairs *t = &b->h->pairs;
    emit_bytes(&b->e, "\x51\x48\x89\xc1\x48\x0f\xaf\x0d",
               8); /* push rcx; mov rcx, rax; imul rcx, [rip + c] */
    emit_constant(&b->e, &b->c, PAIRS_FACTOR);
    emit_bytes(&b->e, "\x48\xc1\xe9", 3); /* shr rcx, shift */
    emit_bytes(&b->e, &t->shift, 1);
    emit_bytes(&b->e, "\x48\xc1\xe1\x04\x48\x03\x0d", 7); /* shl rcx, 4; add rcx, [rip + at] */
    emit_constant(&b->e, &b->c, (uintptr_t)pairs_table(t, (uintptr_t)probe->data));
    emit_bytes(&b->e, "\x48\x39\x01", 3); /* cmp [rcx], rax */
    const size_t home = emit_branch(b, JE);
    emit_bytes(&b->e, "\x48\x83\xc1\x10\x48\x39\x01", 7); /* add rcx, 16; cmp [rcx], rax */
    const size_t other = emit_branch(b, JNE);
    branches_here(b, home);
    emit_bytes(&b->e, "\x48\x83\xc1\x08", 4); /* add rcx, 8 */
    stub_emit_lockable(b, "\x48\xff\x01", 3); /* inc [rcx] */
    const size_t counted = emit_branch(b, JNE);
    branches_here(b, other);
    stub_emit_call(b, probe, 0);
    branches_here(b, counted);
    emit_bytes(&b->e, "\x59", 1); /* pop rcx */
}

/* cmp [own], rax; jne; inc [own + 8]. Returns the offset of the jne's distance. */
static size_t emit_own_cell(struct build *b, const struct session_pair *own) {
    emit_bytes(&b->e, "\x48\x39\x05", 3);
    emit_distance(&b->e, (uintptr_t)&own->key, 0);
    emit_bytes(&b->e, "\x0f\x85", 2);
    const size_t from = b->e.len;
    emit_u32(&b->e, 0);
    stub_emit_lockable(b, "\x48\xff\x05", 3);
    emit_distance(&b->e, (uintptr_t)&own->count, 0);
    return from;
}

/* Counts in the map. Returns the offset of the jae's distance: the target is not in its range. */
static size_t emit_map(struct build *b, const struct pairs_map *map) {
    emit_bytes(&b->e, "\x48\x2b\x05", 3); /* sub rax, [rip + low] */
    emit_constant(&b->e, &b->c, map->low);
    emit_bytes(&b->e, "\x48\x3d", 2); /* cmp rax, length */
    emit_u32(&b->e, (uint32_t)map->length);
    emit_bytes(&b->e, "\x0f\x83", 2);
    const size_t from = b->e.len;
    emit_u32(&b->e, 0);
    emit_bytes(&b->e, "\x48\x03\x05", 3); /* add rax, [rip + map / 8] */
    emit_constant(&b->e, &b->c, (uintptr_t)map->at / sizeof *map->at);
    stub_emit_lockable(b, "\x48\xff\x04\xc5", 4); /* inc [rax * 8] */
    emit_u32(&b->e, 0);
    return from;
}

static uint64_t site_key(const struct hotprobe_probe *probe) {
    return pairs_key((uintptr_t)probe->data);
}

/* Counts the pair of the site and the target that is in rax. */
static void emit_pair(struct build *b, const struct hotprobe_probe *probe) {
    const size_t site = (uintptr_t)probe->data;
    const struct pairs_map *map = pairs_map(&b->h->pairs, site);
    const struct session_pair *own = b->far || map != NULL ? NULL : pairs_own(b->h, site, b->p->at);
    if (map != NULL) {
        const size_t from = emit_map(b, map);
        b->hot[b->hots++] = (struct hot){from, b->e.len, probe, false, NULL, map};
        return;
    }
    emit_bytes(&b->e, "\x48\x03\x05", 3); /* add rax, [rip + site] */
    emit_constant(&b->e, &b->c, site_key(probe));
    if (own != NULL) {
        const size_t from = emit_own_cell(b, own);
        b->hot[b->hots++] = (struct hot){from, b->e.len, probe, false, own, NULL};
    } else {
        emit_table(b, probe);
    }
}

bool stub_emit_pairs(struct build *b, const struct hotprobe_probe *probe) {
    const struct insn *i = &b->insn[probe->boundary];
    const bool live = b->live[probe->boundary], room = i->flow == FLOW_JUMP_AWAY;
    if (b->hots == HOTS || b->h->pairs.at == NULL)
        return false;
    if (room)
        emit_bytes(&b->e, "\x48\x8d\x64\x24\x80", 5); /* lea rsp, [rsp - 128] */
    emit_bytes(&b->e, "\x50\x51", live ? 2 : 1);      /* push rax; push rcx */
    if (!emit_target(&b->e, i, live ? TO_RCX : TO_RAX,
                     (live ? 16 : 8) + (room ? 128 : 0) + (b->s->pushed ? 8 : 0)))
        return false;
    if (live)
        emit_bytes(&b->e, "\x9f\x0f\x90\xc0\x50\x48\x89\xc8",
                   8); /* lahf; seto al; push rax; mov rax, rcx */
    emit_pair(b, probe);
    if (live)
        emit_bytes(&b->e, "\x58\x04\x7f\x9e\x59", 5); /* pop rax; add al, 127; sahf; pop rcx */
    emit_bytes(&b->e, "\x58", 1);                     /* pop rax */
    if (room)
        emit_bytes(&b->e, "\x48\x8d\xa4\x24\x80\x00\x00\x00", 8); /* lea rsp, [rsp + 128] */
    return true;
}

void stub_emit_others(struct build *b, const struct hot *hot) {
    if (hot->map != NULL) {
        emit_bytes(&b->e, "\x48\x03\x05", 3); /* add rax, [rip + low + site] */
        emit_constant(&b->e, &b->c, hot->map->low + site_key(hot->probe));
    } else {
        const size_t from = emit_own_cell(b, hot->own + 1);
        emit_jump(&b->e, b->e.at + hot->back);
        stub_leads_here(b, from);
    }
    emit_table(b, hot->probe);
}
