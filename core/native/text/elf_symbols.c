#include "native/text/elf_symbols.h"

#include <elf.h>
#include <string.h>

bool functions_add(struct object *o, uintptr_t start, uintptr_t end, const char *name,
                   bool symbol) {
    struct function f = {.start = start, .end = end, .name = name, .symbol = symbol};
    for (size_t i = 0; i < o->plt.len; i++)
        f.plt |= start >= o->plt.at[i].start && start < o->plt.at[i].end;
    return seq_push(&o->functions, f);
}

static bool executable(const struct object *o, uintptr_t at) {
    for (size_t i = 0; i < o->sections.len; i++)
        if (at >= o->sections.at[i].start && at < o->sections.at[i].end)
            return true;
    return false;
}

static bool table_read(struct object *o, const Elf64_Shdr *table, const Elf64_Shdr *strings) {
    const struct mapped_file *v = &o->file;
    if (table->sh_offset > v->len || table->sh_size > v->len - table->sh_offset ||
        strings->sh_offset > v->len || strings->sh_size > v->len - strings->sh_offset ||
        strings->sh_size == 0 || v->at[strings->sh_offset + strings->sh_size - 1] != 0)
        return true; /* damaged: ignored */
    const Elf64_Sym *s = (const void *)(v->at + table->sh_offset);
    for (size_t i = 0; i < table->sh_size / sizeof *s; i++) {
        unsigned type = ELF64_ST_TYPE(s[i].st_info);
        uintptr_t at = o->bias + s[i].st_value;
        if ((type != STT_FUNC && type != STT_GNU_IFUNC) || s[i].st_shndx == SHN_UNDEF ||
            !executable(o, at) || s[i].st_name >= strings->sh_size)
            continue;
        const char *name = (const char *)v->at + strings->sh_offset + s[i].st_name;
        if (!functions_add(o, at, at + s[i].st_size, name, true) ||
            (table->sh_type == SHT_DYNSYM && !seq_push(&o->exported, at)))
            return false;
    }
    return true;
}

static int by_start(const void *a, const void *b) {
    const struct function *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->symbol != y->symbol)
        return x->symbol ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    if (x->name == NULL || y->name == NULL)
        return (y->name != NULL) - (x->name != NULL);
    return strcmp(x->name, y->name);
}

bool symbols_read(struct object *o) {
    const Elf64_Ehdr *h = (const void *)o->file.at;
    const Elf64_Shdr *s = (const void *)(o->file.at + h->e_shoff);
    if (h->e_shoff == 0 || h->e_shoff > o->file.len || h->e_shentsize != sizeof *s ||
        (o->file.len - h->e_shoff) / sizeof *s < h->e_shnum)
        return true;
    for (size_t i = 0; i < h->e_shnum; i++)
        if ((s[i].sh_type == SHT_SYMTAB || s[i].sh_type == SHT_DYNSYM) &&
            s[i].sh_link < h->e_shnum && s[i].sh_entsize == sizeof(Elf64_Sym) &&
            !table_read(o, &s[i], &s[s[i].sh_link]))
            return false;
    return true;
}

/* How many functions begin before each part of the text. */
static bool functions_index(struct object *o) {
    const size_t parts = ((o->text_end - o->text) >> FUNCTION_PART) + 2;
    if (!seq_reserve(&o->functions_before, parts))
        return false;
    size_t k = 0;
    for (size_t i = 0; i < parts; i++) {
        while (k < o->functions.len && o->functions.at[k].start < o->text + (i << FUNCTION_PART))
            k++;
        o->functions_before.at[i] = (uint32_t)k;
    }
    return true;
}

bool functions_finish(struct object *o) {
    sort_items(o->functions.at, o->functions.len, sizeof *o->functions.at, by_start);
    size_t kept = 0;
    for (size_t i = 0; i < o->functions.len; i++) {
        struct function *f = &o->functions.at[i];
        struct function *last = kept > 0 ? &o->functions.at[kept - 1] : NULL;
        if (last != NULL && last->start == f->start) {
            if (last->end == last->start)
                last->end = f->end;
            continue;
        }
        if (last != NULL && !f->symbol && f->start < last->end)
            continue; /* an FDE within a function that has a symbol: a part of it */
        o->functions.at[kept++] = *f;
    }
    o->functions.len = kept;
    for (size_t i = 0; i < kept; i++) {
        struct function *f = &o->functions.at[i];
        uintptr_t limit = o->text_end;
        for (size_t k = 0; k < o->sections.len; k++)
            if (f->start >= o->sections.at[k].start && f->start < o->sections.at[k].end)
                limit = o->sections.at[k].end;
        if (i + 1 < kept && o->functions.at[i + 1].start < limit)
            limit = o->functions.at[i + 1].start;
        if (f->end <= f->start || f->end > limit)
            f->end = limit;
    }
    return functions_index(o);
}
