/* elf_functions: the functions of an ELF file by their place in the file, named as BOLT names them:
 * NAME, or NAME/N for the N-th local symbol of that name by address. Private to core/qemu. */
#ifndef HOTGRAPH_QEMU_ELF_FUNCTIONS_H
#define HOTGRAPH_QEMU_ELF_FUNCTIONS_H

#include <gelf.h>

#include "base/base.h"

/* The offset in the file of what is loaded at this address; false where nothing is. */
bool elf_file_offset(Elf *elf, uint64_t address, uint64_t *out);

struct elf_function {
    uint64_t start, size; /* offset in the file; bytes */
    uint64_t room;        /* to the end of its section */
    char *name;
};

/* By start; of several that begin at one place the first by size, then by order in the file. */
struct elf_functions {
    VEC(struct elf_function) list;
};
/* STATUS_FORMAT: no ELF file, or one without symbols. */
enum status elf_functions_read(struct elf_functions *out, const char *path, struct error *e);
void elf_functions_free(struct elf_functions *f);
/* The function that holds the byte at this offset in the file; NULL: none does. */
const struct elf_function *elf_functions_at(const struct elf_functions *f, uint64_t offset);

#endif
