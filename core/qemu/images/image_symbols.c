/* Names code addresses by the symbol tables of ELF images (libelf). */
#include <fcntl.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qemu/images/elf_functions.h"
#include "qemu/qemu.h"

struct symbol {
    uint32_t address, size; /* size 0: extends to the next symbol */
    char *name;
};

struct named_image {
    char *name; /* the file's name without its directory */
    uint32_t base, room;
};

struct qemu_symbols {
    VEC(struct symbol) list; /* ascending */
    VEC(struct named_image) images;
};

static int by_address(const void *a, const void *b) {
    const struct symbol *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return strcmp(x->name, y->name);
}

static bool add_symbol(struct qemu_symbols *s, Elf *elf, const struct qemu_image *image,
                       const GElf_Sym *symbol, const char *name) {
    uint64_t offset;
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF ||
        name == NULL || *name == '\0' || !elf_file_offset(elf, symbol->st_value, &offset) ||
        offset >= image->room)
        return true;
    struct symbol found = {.address = image->base + (uint32_t)offset,
                           .size = (uint32_t)symbol->st_size,
                           .name = strdup(name)};
    if (found.name == NULL || !vec_push(&s->list, found)) {
        free(found.name);
        return false;
    }
    return true;
}

/* Adds the functions of all sections of one type; false when out of memory. *any: the file has a
 * symbol table of that type. */
static bool add_table(struct qemu_symbols *s, Elf *elf, const struct qemu_image *image,
                      uint32_t type, bool *any) {
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != type ||
            header.sh_entsize == 0)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        for (size_t i = 0; data != NULL && i < header.sh_size / header.sh_entsize; i++) {
            GElf_Sym symbol;
            if (gelf_getsym(data, (int)i, &symbol) == NULL)
                continue;
            *any = true;
            if (!add_symbol(s, elf, image, &symbol,
                            elf_strptr(elf, header.sh_link, symbol.st_name)))
                return false;
        }
    }
    return true;
}

static bool add_image(struct qemu_symbols *s, const struct qemu_image *image) {
    const char *slash = strrchr(image->path, '/');
    struct named_image named = {.name = strdup(slash != NULL ? slash + 1 : "anonymous"),
                                .base = image->base,
                                .room = image->room};
    if (named.name == NULL || !vec_push(&s->images, named)) {
        free(named.name);
        return false;
    }
    int descriptor = open(image->path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return true;
    Elf *elf = elf_begin(descriptor, ELF_C_READ_MMAP, NULL);
    bool any = false, fine = true;
    if (elf != NULL && elf_kind(elf) == ELF_K_ELF) {
        fine = add_table(s, elf, image, SHT_SYMTAB, &any);
        if (fine && !any)
            fine = add_table(s, elf, image, SHT_DYNSYM, &any);
    }
    elf_end(elf);
    close(descriptor);
    return fine;
}

enum status qemu_symbols_read(struct qemu_symbols **out, const struct qemu_image *images,
                              size_t count, struct error *e) {
    struct qemu_symbols *s = *out = calloc(1, sizeof *s);
    bool fine = s != NULL && elf_version(EV_CURRENT) != EV_NONE;
    for (size_t i = 0; i < count && fine; i++)
        fine = add_image(s, &images[i]);
    if (!fine) {
        qemu_symbols_free(s);
        *out = NULL;
        return error_set(e, STATUS_MEMORY, "out of memory for symbols");
    }
    if (s->list.len > 0)
        qsort(s->list.at, s->list.len, sizeof *s->list.at, by_address);
    return STATUS_OK;
}

void qemu_symbols_name(const struct qemu_symbols *s, uint32_t address, char *text, size_t size) {
    size_t low = 0, high = s->list.len; /* symbols before `low` begin at or before the address */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->list.at[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    while (low > 1 && s->list.at[low - 2].address == s->list.at[low - 1].address)
        low--; /* symbols of one address: take the first */
    const struct symbol *found = low > 0 ? &s->list.at[low - 1] : NULL;
    if (found != NULL && (found->size == 0 || address - found->address < found->size)) {
        snprintf(text, size, "%s+0x%x", found->name, address - found->address);
        return;
    }
    for (size_t i = 0; i < s->images.len; i++) {
        const struct named_image *image = &s->images.at[i];
        if (address >= image->base && address - image->base < image->room) {
            snprintf(text, size, "%s+0x%x", image->name, address - image->base);
            return;
        }
    }
    snprintf(text, size, "0x%x", address);
}

bool qemu_symbols_get(const struct qemu_symbols *s, size_t i, struct qemu_symbol *out) {
    if (i >= s->list.len)
        return false;
    const struct symbol *found = &s->list.at[i];
    *out = (struct qemu_symbol){found->address, found->size, found->name};
    return true;
}

void qemu_symbols_free(struct qemu_symbols *s) {
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->list.len; i++)
        free(s->list.at[i].name);
    for (size_t i = 0; i < s->images.len; i++)
        free(s->images.at[i].name);
    vec_free(&s->list);
    vec_free(&s->images);
    free(s);
}
