/* segments: what a loader maps of an ELF file. Private to core/qemu. */
#ifndef HOTGRAPH_QEMU_SEGMENTS_H
#define HOTGRAPH_QEMU_SEGMENTS_H

#include <elf.h>
#include <string.h>

#include "base/base.h"

/* Reads program header number i. False: there is none, or this is no 64-bit ELF file. */
static inline bool elf_segment(const struct file_view *file, size_t i, Elf64_Ehdr *head,
                               Elf64_Phdr *out) {
    if (file->len < sizeof *head)
        return false;
    memcpy(head, file->at, sizeof *head);
    if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
        i >= head->e_phnum || head->e_phoff > file->len ||
        (file->len - head->e_phoff) / sizeof *out <= i)
        return false;
    memcpy(out, file->at + head->e_phoff + i * sizeof *out, sizeof *out);
    return true;
}

/* The address at which a file's byte is loaded, without what is added to all of them; false: it is
 * not loaded. */
static inline bool elf_address(const struct file_view *file, uint64_t offset, uint64_t *out) {
    Elf64_Ehdr head;
    Elf64_Phdr p;
    for (size_t i = 0; elf_segment(file, i, &head, &p); i++)
        if (p.p_type == PT_LOAD && offset >= p.p_offset && offset - p.p_offset < p.p_filesz) {
            *out = p.p_vaddr + (offset - p.p_offset);
            return true;
        }
    return false;
}

/* The reverse. */
static inline bool elf_offset(const struct file_view *file, uint64_t address, uint64_t *out) {
    Elf64_Ehdr head;
    Elf64_Phdr p;
    for (size_t i = 0; elf_segment(file, i, &head, &p); i++)
        if (p.p_type == PT_LOAD && address >= p.p_vaddr && address - p.p_vaddr < p.p_filesz) {
            *out = p.p_offset + (address - p.p_vaddr);
            return *out < file->len;
        }
    return false;
}

#endif
