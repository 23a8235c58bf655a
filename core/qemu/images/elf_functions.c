#include "qemu/images/elf_functions.h"

#include <fcntl.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool elf_file_offset(Elf *elf, uint64_t address, uint64_t *out) {
    size_t count;
    if (elf_getphdrnum(elf, &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(elf, (int)i, &header) != NULL && header.p_type == PT_LOAD &&
            address >= header.p_vaddr && address - header.p_vaddr < header.p_filesz) {
            *out = address - header.p_vaddr + header.p_offset;
            return true;
        }
    }
    return false;
}

/* ---- symbols in BOLT's order ---- */

struct elf_symbol {
    GElf_Sym symbol;
    const char *name;
    size_t number; /* index in the symbol table */
};
typedef VEC(struct elf_symbol) elf_symbols;

static bool is_function(const struct elf_symbol *s) {
    const unsigned type = GELF_ST_TYPE(s->symbol.st_info);
    return type == STT_FUNC || type == STT_GNU_IFUNC;
}

static int symbol_order(const void *a, const void *b) {
    const struct elf_symbol *x = a, *y = b;
    if (x->symbol.st_value != y->symbol.st_value)
        return x->symbol.st_value < y->symbol.st_value ? -1 : 1;
    if (is_function(x) != is_function(y))
        return is_function(x) ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Collects every named symbol with an address. Variables are included: BOLT counts them, too, when
 * it numbers local names. */
static bool collect(elf_symbols *out, Elf *elf, Elf_Scn *section, const GElf_Shdr *header) {
    Elf_Data *data = elf_getdata(section, NULL);
    for (size_t i = 0; data != NULL && i < header->sh_size / header->sh_entsize; i++) {
        struct elf_symbol s = {.number = i};
        if (gelf_getsym(data, (int)i, &s.symbol) == NULL)
            continue;
        const unsigned type = GELF_ST_TYPE(s.symbol.st_info);
        s.name = elf_strptr(elf, header->sh_link, s.symbol.st_name);
        if (type == STT_FILE || type == STT_SECTION || s.symbol.st_shndx == SHN_UNDEF ||
            s.symbol.st_value == 0 || s.name == NULL || *s.name == '\0')
            continue;
        if (!vec_push(out, s))
            return false;
    }
    return true;
}

static bool read_symbols(elf_symbols *out, Elf *elf) {
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_SYMTAB &&
            header.sh_entsize != 0 && !collect(out, elf, section, &header))
            return false;
    }
    if (out->len > 0)
        qsort(out->at, out->len, sizeof *out->at, symbol_order);
    return true;
}

/* ---- functions ---- */

static int function_order(const void *a, const void *b) {
    const struct elf_function *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Bytes from the symbol to the end of its section. */
static uint64_t room_of(Elf *elf, const GElf_Sym *symbol) {
    GElf_Shdr header;
    Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
    return section != NULL && gelf_getshdr(section, &header) != NULL &&
                   symbol->st_value >= header.sh_addr &&
                   symbol->st_value - header.sh_addr < header.sh_size
               ? header.sh_size - (symbol->st_value - header.sh_addr)
               : 0;
}

/* Numbers local symbols of equal name; names are compared by their hashes. */
static bool add_functions(struct elf_functions *out, Elf *elf, const elf_symbols *symbols) {
    struct map seen = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < symbols->len; i++) {
        const struct elf_symbol *s = &symbols->at[i];
        const bool local = GELF_ST_BIND(s->symbol.st_info) == STB_LOCAL;
        uint64_t *number = local ? map_at(&seen, fnv1a64(s->name, strlen(s->name))) : NULL;
        struct elf_function f = {.size = s->symbol.st_size, .room = room_of(elf, &s->symbol)};
        ok = !local || number != NULL;
        if (!ok || (local && ++*number == 0) || !is_function(s) ||
            !elf_file_offset(elf, s->symbol.st_value, &f.start))
            continue;
        const int length = local
                               ? asprintf(&f.name, "%s/%llu", s->name, (unsigned long long)*number)
                               : asprintf(&f.name, "%s", s->name);
        ok = length >= 0;
        if (ok && !vec_push(&out->list, f)) {
            free(f.name);
            ok = false;
        }
    }
    map_free(&seen);
    return ok;
}

/* Moves all but one function per address to the end. A function of size 0 extends to the
 * next one or to the end of its section. */
static void tidy(struct elf_functions *f) {
    if (f->list.len > 0)
        qsort(f->list.at, f->list.len, sizeof *f->list.at, function_order);
    size_t kept = 0;
    for (size_t i = 0; i < f->list.len; i++) {
        if (kept > 0 && f->list.at[kept - 1].start == f->list.at[i].start)
            continue;
        const struct elf_function other = f->list.at[kept];
        f->list.at[kept++] = f->list.at[i];
        f->list.at[i] = other;
    }
    f->named = f->list.len;
    f->list.len = kept;
    for (size_t i = 0; i < kept; i++) {
        struct elf_function *one = &f->list.at[i];
        if (one->size == 0)
            one->size = i + 1 < kept && f->list.at[i + 1].start - one->start < one->room
                            ? f->list.at[i + 1].start - one->start
                            : one->room;
    }
}

static enum status read_elf(struct elf_functions *out, Elf *elf, const char *path,
                            struct error *e) {
    if (elf == NULL || elf_kind(elf) != ELF_K_ELF)
        return error_set(e, STATUS_FORMAT, "%s: not an ELF file", path);
    elf_symbols symbols = {0};
    const bool ok = read_symbols(&symbols, elf) && add_functions(out, elf, &symbols);
    vec_free(&symbols);
    if (!ok)
        return error_set(e, STATUS_MEMORY, "%s: out of memory", path);
    tidy(out);
    if (out->list.len == 0)
        return error_set(e, STATUS_FORMAT, "%s: has no symbols of functions: link it without -s",
                         path);
    return STATUS_OK;
}

enum status elf_functions_read(struct elf_functions *out, const char *path, struct error *e) {
    *out = (struct elf_functions){0};
    if (elf_version(EV_CURRENT) == EV_NONE)
        return error_set(e, STATUS_UNSUPPORTED, "libelf has an incompatible version");
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return error_set(e, STATUS_IO, "%s: cannot be opened", path);
    Elf *elf = elf_begin(descriptor, ELF_C_READ_MMAP, NULL);
    const enum status status = read_elf(out, elf, path, e);
    elf_end(elf);
    close(descriptor);
    if (status != STATUS_OK)
        elf_functions_free(out);
    return status;
}

void elf_functions_free(struct elf_functions *f) {
    const size_t count = f->named > f->list.len ? f->named : f->list.len;
    for (size_t i = 0; i < count; i++)
        free(f->list.at[i].name);
    vec_free(&f->list);
}

const struct elf_function *elf_functions_at(const struct elf_functions *f, uint64_t offset) {
    size_t low = 0, high = f->list.len; /* those before `low` begin at or before the offset */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (f->list.at[middle].start <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    const struct elf_function *found = low > 0 ? &f->list.at[low - 1] : NULL;
    return found != NULL && offset - found->start < found->size ? found : NULL;
}
