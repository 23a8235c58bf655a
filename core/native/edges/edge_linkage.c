/*
 * A linkage stub jumps through a slot. If the loader has filled it, the slot says whether the target
 * is counted, too. Otherwise the slot's symbol decides: no object of the session defines its name, or
 * one may be found there. Two names with one hash cost time only.
 */
#include "native/edges/edge_linkage.h"
#include "native/hit/shadows.h"
#include "native/text/decode.h"

#include <elf.h>
#include <string.h>

/* A table of a file, with the strings of its names. */
struct names {
    const Elf64_Sym *at;
    size_t count;
    const char *strings;
    size_t size;
};

static const Elf64_Shdr *sections(const struct object *o, size_t *count) {
    const Elf64_Ehdr *h = (const void *)o->file.at;
    *count = 0;
    if (h->e_shoff == 0 || h->e_shoff > o->file.len || h->e_shentsize != sizeof(Elf64_Shdr) ||
        (o->file.len - h->e_shoff) / sizeof(Elf64_Shdr) < h->e_shnum)
        return NULL;
    *count = h->e_shnum;
    return (const void *)(o->file.at + h->e_shoff);
}

static bool in_file(const struct object *o, const Elf64_Shdr *s) {
    return s->sh_offset <= o->file.len && s->sh_size <= o->file.len - s->sh_offset;
}

/* False: section k is no table of dynamic symbols. */
static bool names_of(const struct object *o, const Elf64_Shdr *s, size_t n, size_t k,
                     struct names *out) {
    if (k >= n || s[k].sh_type != SHT_DYNSYM || s[k].sh_link >= n || !in_file(o, &s[k]) ||
        !in_file(o, &s[s[k].sh_link]))
        return false;
    const Elf64_Shdr *strings = &s[s[k].sh_link];
    *out = (struct names){.at = (const void *)(o->file.at + s[k].sh_offset),
                          .count = s[k].sh_size / sizeof(Elf64_Sym),
                          .strings = (const char *)o->file.at + strings->sh_offset,
                          .size = strings->sh_size};
    return out->size > 0 && out->strings[out->size - 1] == 0;
}

static uint64_t name_hash(const struct names *t, size_t symbol) {
    const uint32_t at = t->at[symbol].st_name;
    return at < t->size ? fnv1a64(t->strings + at, strlen(t->strings + at)) : 0;
}

static bool add_defined(struct linkage *l, const struct names *t) {
    bool ok = true;
    for (size_t i = 1; ok && i < t->count; i++) {
        const unsigned type = ELF64_ST_TYPE(t->at[i].st_info);
        if (t->at[i].st_shndx != SHN_UNDEF &&
            (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE))
            ok = seq_push(&l->names, name_hash(t, i));
    }
    return ok;
}

static bool has(const uint64_t *at, size_t n, uint64_t value) {
    const size_t k = items_below(at, n, sizeof *at, value);
    return k < n && at[k] == value;
}

bool linkage_open(struct linkage *l, const struct hotprobe *h) {
    bool ok = true;
    *l = (struct linkage){0};
    for (size_t i = 0; ok && i < h->objects.len; i++) {
        size_t n;
        struct names t;
        const Elf64_Shdr *s = sections(&h->objects.at[i], &n);
        for (size_t k = 0; ok && k < n; k++)
            if (names_of(&h->objects.at[i], s, n, k, &t))
                ok = add_defined(l, &t);
    }
    sort_items(l->names.at, l->names.len, sizeof *l->names.at, by_number);
    return ok;
}

void linkage_close(struct linkage *l) {
    seq_free(&l->names);
}

/* The slots, in order, whose symbols no object of the session defines. */
typedef VEC(uint64_t) slot_list;

static bool add_away(const struct linkage *l, const struct object *o, const Elf64_Shdr *s,
                     const struct names *t, slot_list *out) {
    const Elf64_Rela *r = (const void *)(o->file.at + s->sh_offset);
    bool ok = true;
    for (size_t i = 0; ok && i < s->sh_size / sizeof *r; i++, r++) {
        const uint64_t symbol = ELF64_R_SYM(r->r_info);
        if (symbol != 0 && symbol < t->count &&
            !has(l->names.at, l->names.len, name_hash(t, symbol)))
            ok = seq_push(out, o->bias + r->r_offset);
    }
    return ok;
}

static bool find_away(const struct linkage *l, const struct object *o, slot_list *out) {
    size_t n;
    struct names t;
    bool ok = true;
    const Elf64_Shdr *s = sections(o, &n);
    for (size_t k = 0; ok && k < n; k++)
        if (s[k].sh_type == SHT_RELA && in_file(o, &s[k]) && names_of(o, s, n, s[k].sh_link, &t))
            ok = add_away(l, o, &s[k], &t, out);
    sort_items(out->at, out->len, sizeof *out->at, by_number);
    return ok;
}

/* May the stub lead into counted code? edges_returns() has read the slot, too. */
static bool may_stay(struct hotprobe *h, const struct object *o, const slot_list *away,
                     uintptr_t jump) {
    struct insn i;
    if (!insn_decode(&i, jump, o->text_end))
        return true;
    const uintptr_t to = *(const uintptr_t *)i.memory;
    return in_text(o, to) ? !has(away->at, away->len, i.memory)
                          : object_at(h, shadow_leads_to(to)) != NULL;
}

bool linkage_find(const struct linkage *l, struct hotprobe *h, const struct object *o,
                  const piece_list *pieces, const struct tree_piece *tree, uint8_t *stays) {
    slot_list away = {0};
    bool any = false;
    for (size_t i = 0; i < pieces->len && !any; i++)
        any = tree[i].ends == 'l';
    const bool ok = !any || find_away(l, o, &away);
    for (size_t i = 0; ok && i < pieces->len; i++)
        stays[i] = tree[i].ends == 'l' && may_stay(h, o, &away, pieces->at[i].last);
    seq_free(&away);
    return ok;
}
