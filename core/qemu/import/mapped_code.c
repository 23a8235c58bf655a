#include "qemu/import/mapped_code.h"

#include <Zydis/Zydis.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "qemu/read.h"
#include "qemu/target.h"

/* The plugin lays out files in the same way: the first 16 MiB stay free. */
enum { IMAGE_UNIT = 1 << 24, INSN_LONGEST = 15 };

void code_free(struct mapped_code *c) {
    for (size_t i = 0; i < c->images.len; i++) {
        free(c->images.at[i].path);
        file_view_free(&c->images.at[i].file);
    }
    vec_free(&c->images);
    vec_free(&c->maps);
    map_free(&c->decoded);
    vec_free(&c->insns);
}

/* ---- files ---- */

static void open_image(struct code_image *i) {
    if (file_view_path(&i->file, i->path, SIZE_MAX, NULL) != STATUS_OK) {
        i->file = (struct file_view){0};
        return;
    }
    if (hash_file(i->path, i->hash, NULL) != STATUS_OK)
        i->hash[0] = '\0';
    Elf64_Ehdr head;
    if (i->file.len < sizeof head)
        return;
    memcpy(&head, i->file.at, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
        target_by_machine(head.e_machine) != NULL)
        i->machine = head.e_machine;
}

/* Adds an image; base 0: after all others. Returns its number; SIZE_MAX: out of memory or of
 * addresses. */
static size_t add_image(struct mapped_code *c, const char *path, uint32_t base) {
    uint64_t next = IMAGE_UNIT;
    for (size_t i = 0; i < c->images.len; i++) {
        const struct code_image *one = &c->images.at[i];
        if (strcmp(one->path, path) == 0)
            return i;
        if ((uint64_t)one->base + one->room > next)
            next = (uint64_t)one->base + one->room;
    }
    struct code_image image = {.path = strdup(path)};
    if (image.path == NULL)
        return SIZE_MAX;
    open_image(&image);
    const uint64_t units = image.file.len / IMAGE_UNIT + 1;
    image.base = base != 0 ? base : (uint32_t)next;
    image.room = (uint32_t)(units * IMAGE_UNIT);
    if (image.base + units * IMAGE_UNIT > UINT32_MAX || !vec_push(&c->images, image)) {
        free(image.path);
        file_view_free(&image.file);
        return SIZE_MAX;
    }
    return c->images.len - 1;
}

bool code_add_images(struct mapped_code *c, const struct structure *s) {
    for (size_t i = 0; i < s->image_count; i++)
        if (add_image(c, s->images[i].path, s->images[i].base) == SIZE_MAX)
            return false;
    return true;
}

bool code_image_named(struct mapped_code *c, const char *path, const struct code_image **out) {
    const size_t number = add_image(c, path, 0);
    if (number == SIZE_MAX)
        return false;
    *out = &c->images.at[number];
    return true;
}

bool code_add_map(struct mapped_code *c, const struct perf_map *map) {
    if (map->path[0] != '/' || map->path[1] == '/') /* [vdso], //anon */
        return true;
    const struct mapping m = {.process = map->process,
                              .start = map->start,
                              .size = map->size,
                              .offset = map->offset,
                              .image = add_image(c, map->path, 0)};
    return m.image != SIZE_MAX && vec_push(&c->maps, m);
}

/* ---- addresses ---- */

static bool is_in(const struct mapping *m, uint64_t address) {
    return address >= m->start && address - m->start < m->size;
}

static bool address_in(const struct code_image *image, uint64_t offset, uint32_t *out) {
    if (image->machine == 0 || offset >= image->file.len)
        return false;
    *out = image->base + (uint32_t)offset;
    return true;
}

bool code_address(struct mapped_code *c, uint32_t process, uint64_t address, uint32_t *out) {
    const struct mapping *found = NULL;
    for (size_t i = c->maps.len; i-- > 0;) { /* the newest first; mappings of the same process
                                                take precedence */
        const struct mapping *m = &c->maps.at[i];
        if (!is_in(m, address))
            continue;
        if (found == NULL)
            found = m;
        if (m->process == process) {
            found = m;
            break;
        }
    }
    if (found == NULL)
        return false;
    return address_in(&c->images.at[found->image], address - found->start + found->offset, out);
}

bool code_offset(struct mapped_code *c, const char *path, uint64_t offset, uint32_t *out) {
    const struct code_image *image;
    return path[0] == '/' && code_image_named(c, path, &image) && address_in(image, offset, out);
}

/* ---- instructions ---- */

static const struct code_image *image_at(const struct mapped_code *c, uint32_t address) {
    for (size_t i = 0; i < c->images.len; i++)
        if (address >= c->images.at[i].base &&
            address - c->images.at[i].base < c->images.at[i].file.len)
            return &c->images.at[i];
    return NULL;
}

/* Returns the size of the instruction; 0: there is none. */
static uint8_t size_of(uint16_t machine, const uint8_t *bytes, size_t len) {
    ZydisDecoder decoder;
    ZydisDecodedInstruction insn;
    switch (machine) {
    case EM_X86_64:
        ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
        return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, len, &insn))
                   ? insn.length
                   : 0;
    case EM_RISCV:
        return len < 2 ? 0 : (bytes[0] & 3) == 3 ? (len < 4 ? 0 : 4) : 2;
    default:
        return len < 4 ? 0 : 4;
    }
}

static bool decode(const struct code_image *image, uint32_t address, struct sample *out) {
    const size_t offset = address - image->base, left = image->file.len - offset;
    const uint8_t *bytes = image->file.at + offset;
    const size_t len = left < INSN_LONGEST ? left : INSN_LONGEST;
    const uint8_t size = size_of(image->machine, bytes, len);
    if (size == 0)
        return false;
    const struct decoded d = target_by_machine(image->machine)->decode(bytes, size);
    *out = (struct sample){.pc = address, .size = size, .kind = recording_insn_kind(d.kind)};
    if (d.kind == TRANSFER_BRANCH || d.kind == TRANSFER_JUMP || d.kind == TRANSFER_CALL)
        out->target = address + (uint32_t)d.distance;
    if (d.kind == TRANSFER_CALL_INDIRECT)
        out->unused = 1; /* marks a call, for the ends of blocks; cleared in streams */
    return true;
}

const struct sample *code_insn(struct mapped_code *c, uint32_t address, bool *lost) {
    struct sample insn;
    const uint64_t *known = map_find(&c->decoded, address);
    if (known != NULL)
        return &c->insns.at[*known - 1];
    const struct code_image *image = image_at(c, address);
    if (image == NULL || image->machine == 0 || !decode(image, address, &insn))
        return NULL;
    uint64_t *number = map_at(&c->decoded, address);
    if (number == NULL || !vec_push(&c->insns, insn)) {
        *lost = true;
        return NULL;
    }
    *number = c->insns.len;
    return &c->insns.at[c->insns.len - 1];
}

bool code_has(const struct mapped_code *c, uint32_t address, const uint8_t *bytes, size_t size) {
    const struct code_image *image = image_at(c, address);
    if (image == NULL)
        return false;
    const size_t offset = address - image->base;
    return size <= image->file.len - offset && memcmp(image->file.at + offset, bytes, size) == 0;
}

bool code_repeats(const struct mapped_code *c, uint32_t address) {
    const struct code_image *image = image_at(c, address);
    if (image == NULL || image->machine != EM_X86_64)
        return false;
    const size_t offset = address - image->base, left = image->file.len - offset;
    return target_by_machine(image->machine)
        ->decode(image->file.at + offset, left < INSN_LONGEST ? left : INSN_LONGEST)
        .repeats;
}
