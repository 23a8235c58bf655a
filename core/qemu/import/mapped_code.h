/* mapped_code: translates addresses of a running process to code: its memory maps, the files that
 * they show, and the instructions there. Private to core/qemu. */
#ifndef HOTGRAPH_QEMU_MAPPED_CODE_H
#define HOTGRAPH_QEMU_MAPPED_CODE_H

#include "profile/profile.h"
#include "profile/structure/structure.h"
#include "qemu/import/perf_text.h"

struct code_image {
    char *path;
    uint32_t base, room; /* range of code addresses */
    struct file_view file;
    uint16_t machine; /* e_machine; 0: no file, or an unsupported processor */
    char hash[33];
};

struct mapping {
    uint32_t process;
    uint64_t start, size, offset;
    size_t image;
};

struct mapped_code {
    VEC(struct code_image) images;
    VEC(struct mapping) maps;
    struct map decoded; /* code address -> 1 + number in insns */
    VEC(struct sample) insns;
};

/* Adds the images of a structure at their addresses. */
bool code_add_images(struct mapped_code *c, const struct structure *s);
bool code_add_map(struct mapped_code *c, const struct perf_map *map);
/* The image of this file, added if it is new. False: out of memory or of addresses. */
bool code_image_named(struct mapped_code *c, const char *path, const struct code_image **out);
void code_free(struct mapped_code *c);

/* Finds the code address; false: in no file here. An unknown process matches any. */
bool code_address(struct mapped_code *c, uint32_t process, uint64_t address, uint32_t *out);
/* Finds the code address of an offset in a file, which is added if it is new. */
bool code_offset(struct mapped_code *c, const char *path, uint64_t offset, uint32_t *out);
/* The instruction at the code address, with its size, kind and direct target. NULL: none can be
 * decoded, or (with *lost) out of memory. Valid until the next call. */
const struct sample *code_insn(struct mapped_code *c, uint32_t address, bool *lost);
/* Does the file have these bytes at the code address? */
bool code_has(const struct mapped_code *c, uint32_t address, const uint8_t *bytes, size_t size);
/* Is the instruction a string instruction with a repeat prefix? */
bool code_repeats(const struct mapped_code *c, uint32_t address);

#endif
