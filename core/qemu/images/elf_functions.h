/* elf_functions: the functions of an ELF file by file offset, named as BOLT names them: NAME, or
 * NAME/N for the N-th local symbol of that name in address order. Private to core/qemu. */
#ifndef HOTGRAPH_QEMU_ELF_FUNCTIONS_H
#define HOTGRAPH_QEMU_ELF_FUNCTIONS_H

#include <gelf.h>

#include "base/base.h"

/* File offset of the byte that is loaded at `address`; false if none is. */
bool elf_file_offset(Elf *elf, uint64_t address, uint64_t *out);

struct elf_function {
    uint64_t start, size; /* file offset; bytes */
    uint64_t room;        /* bytes to the end of its section */
    char *name;
};

/* Sorted by start, at most one for each start: the largest, then the first by name. Their other
 * names follow them, at list.at[list.len] to before list.at[named]. */
struct elf_functions {
    VEC(struct elf_function) list;
    size_t named;
};
/* STATUS_FORMAT: not an ELF file, or one without function symbols. */
enum status elf_functions_read(struct elf_functions *out, const char *path, struct error *e);
void elf_functions_free(struct elf_functions *f);
/* The function that contains the byte at this file offset, or NULL. */
const struct elf_function *elf_functions_at(const struct elf_functions *f, uint64_t offset);

#endif
