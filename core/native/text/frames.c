/* .eh_frame: functions of stripped files, and landing pads of exceptions. Sources: DWARF 4, section
 * 6.4; Linux Standard Base, exception frames; C++ ABI, call-site tables. */
#include "native/text/frames.h"
#include "native/text/elf_symbols.h"

#include <elf.h>
#include <string.h>

enum { DW_EH_PE_omit = 0xff, DW_EH_PE_pcrel = 0x10, DW_EH_PE_datarel = 0x30 };

struct cursor {
    const uint8_t *at, *end;
    bool bad;
};

static uint64_t take(struct cursor *c, size_t n) {
    uint64_t v = 0;
    if ((size_t)(c->end - c->at) < n) {
        c->bad = true;
        c->at = c->end;
        return 0;
    }
    memcpy(&v, c->at, n);
    c->at += n;
    return v;
}

static uint64_t take_leb(struct cursor *c, bool is_signed) {
    uint64_t v = 0, byte;
    unsigned shift = 0;
    do {
        byte = take(c, 1);
        if (shift < 64)
            v |= (byte & 0x7f) << shift;
        shift += 7;
    } while ((byte & 0x80) != 0 && !c->bad);
    if (is_signed && (byte & 0x40) != 0 && shift < 64)
        v |= ~0ull << shift;
    return v;
}

/* Reads an encoded pointer; 0 if omitted. Does not follow indirect ones. */
static uint64_t take_pointer(struct cursor *c, uint8_t encoding) {
    uintptr_t here = (uintptr_t)c->at;
    uint64_t v = 0;
    if (encoding == DW_EH_PE_omit)
        return 0;
    switch (encoding & 0x0f) {
    case 0x00:
    case 0x04:
    case 0x0c:
        v = take(c, 8);
        break;
    case 0x01:
        v = take_leb(c, false);
        break;
    case 0x09:
        v = take_leb(c, true);
        break;
    case 0x02:
        v = take(c, 2);
        break;
    case 0x0a:
        v = (uint64_t)(int16_t)take(c, 2);
        break;
    case 0x03:
        v = take(c, 4);
        break;
    case 0x0b:
        v = (uint64_t)(int32_t)take(c, 4);
        break;
    default:
        c->bad = true;
    }
    if ((encoding & 0x70) == DW_EH_PE_pcrel && v != 0)
        v += here;
    return v;
}

struct cie {
    uint8_t code_encoding, data_encoding;
    bool augmented, bad;
    bool signal; /* of signal frames: what the kernel returns to, as __restore_rt */
};

static struct cie cie_read(struct cursor c) {
    struct cie k = {.data_encoding = DW_EH_PE_omit};
    uint64_t version = take(&c, 1);
    const uint8_t *names = c.at;
    const uint8_t *nul = memchr(c.at, 0, (size_t)(c.end - c.at));
    k.bad = nul == NULL || (version != 1 && version != 3 && version != 4);
    if (k.bad)
        return k;
    c.at = nul + 1;
    if (version == 4)
        take(&c, 2);
    take_leb(&c, false);
    take_leb(&c, true);
    if (version == 1)
        take(&c, 1);
    else
        take_leb(&c, false);
    for (; *names != 0 && !c.bad; names++) {
        if (*names == 'z') {
            k.augmented = true;
            take_leb(&c, false);
        } else if (*names == 'R')
            k.code_encoding = (uint8_t)take(&c, 1);
        else if (*names == 'L')
            k.data_encoding = (uint8_t)take(&c, 1);
        else if (*names == 'P') {
            uint8_t encoding = (uint8_t)take(&c, 1);
            take_pointer(&c, encoding);
        } else if (*names == 'S')
            k.signal = true;
        else if (*names != 'B')
            k.bad = true;
    }
    k.bad |= c.bad;
    return k;
}

/* A cursor over the data segment that holds `at`. */
static struct cursor cursor_at(const struct object *o, uintptr_t at) {
    for (size_t i = 0; i < o->data.len; i++)
        if (at >= o->data.at[i].start && at < o->data.at[i].end)
            return (struct cursor){.at = (const uint8_t *)at,
                                   .end = (const uint8_t *)o->data.at[i].end};
    return (struct cursor){.bad = true};
}

/* Reads the landing pads in a function's call-site table. */
static bool landing_pads(struct object *o, uintptr_t function, uintptr_t table) {
    struct cursor c = cursor_at(o, table);
    if (c.bad)
        return true;
    uint8_t encoding = (uint8_t)take(&c, 1);
    uintptr_t base = encoding == DW_EH_PE_omit ? function : take_pointer(&c, encoding);
    if (take(&c, 1) != DW_EH_PE_omit)
        take_leb(&c, false);
    encoding = (uint8_t)take(&c, 1);
    uint64_t size = take_leb(&c, false);
    if (c.bad || size > (size_t)(c.end - c.at))
        return true;
    c.end = c.at + size;
    while (c.at < c.end && !c.bad) {
        take_pointer(&c, encoding);
        take_pointer(&c, encoding);
        uint64_t pad = take_pointer(&c, encoding);
        take_leb(&c, false);
        if (!c.bad && pad != 0 && in_text(o, base + pad) && !seq_push(&o->pads, base + pad))
            return false;
    }
    return true;
}

static bool fde_read(struct object *o, struct cursor c, const struct cie *k) {
    uintptr_t start = take_pointer(&c, k->code_encoding);
    uint64_t size = take_pointer(&c, k->code_encoding & 0x0f);
    if (c.bad || size == 0 || !in_text(o, start) || size > o->text_end - start)
        return true;
    /* Unwinders look up the address before the one that they return to, so such an FDE may begin
     * before its first instruction. A symbol, if there is one, has the right address. */
    if (k->signal)
        return true;
    if (!functions_add(o, start, start + size, NULL, false))
        return false;
    if (!k->augmented || k->data_encoding == DW_EH_PE_omit)
        return true;
    take_leb(&c, false);
    uintptr_t table = take_pointer(&c, k->data_encoding);
    return c.bad || table == 0 || landing_pads(o, start, table);
}

static bool frame_walk(struct object *o, struct cursor c) {
    const uint8_t *first = c.at;
    while (c.end - c.at > 8) {
        uint64_t size = take(&c, 4);
        if (size == 0)
            break;
        if (size == 0xffffffff)
            size = take(&c, 8);
        if (size > (size_t)(c.end - c.at) || size < 4)
            break;
        struct cursor entry = {.at = c.at, .end = c.at + size};
        const uint8_t *here = c.at;
        c.at += size;
        uint64_t back = take(&entry, 4);
        if (back == 0)
            continue;
        const uint8_t *parent = here - back;
        if (back > (size_t)(here - first))
            continue;
        struct cursor pc = {.at = parent, .end = c.end};
        uint64_t parent_size = take(&pc, 4);
        if (parent_size == 0xffffffff || parent_size > (size_t)(c.end - parent) ||
            take(&pc, 4) != 0)
            continue;
        pc.end = parent + 4 + parent_size;
        struct cie k = cie_read(pc);
        if (!k.bad && !fde_read(o, entry, &k))
            return false;
    }
    return true;
}

bool frames_read(struct object *o) {
    const Elf64_Ehdr *h = (const void *)o->file.at;
    const Elf64_Phdr *p = (const void *)(o->file.at + h->e_phoff);
    for (size_t i = 0; i < h->e_phnum; i++) {
        if (p[i].p_type != PT_GNU_EH_FRAME)
            continue;
        struct cursor c = cursor_at(o, o->bias + p[i].p_vaddr);
        if (c.bad || take(&c, 1) != 1)
            break;
        uint8_t encoding = (uint8_t)take(&c, 1);
        take(&c, 2);
        struct cursor frames = cursor_at(o, take_pointer(&c, encoding));
        if (!c.bad && !frames.bad && !frame_walk(o, frames))
            return false;
    }
    return functions_finish(o);
}
