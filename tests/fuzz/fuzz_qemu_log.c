/* Any bytes as QEMU's log of executed blocks: refused with a sentence that names the file, or events
 * that are whole. The program of the imported ones is tests/data/callgrind/ten.c's. */
#include "tests/fuzz/fuzz.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "qemu/import/import.h"
#include "qemu/import/qemu_log_text.h"

enum { CODE_AT = 0x200 };

static enum status look_at(void *user, const struct qemu_log_event *event, struct error *e) {
    (void)e;
    ++*(size_t *)user;
    if ((event->kind == QEMU_LOG_LINE) != (event->byte_count > 0) ||
        event->byte_count > QEMU_LOG_BYTES ||
        (event->kind == QEMU_LOG_MAP && (event->path == NULL || event->path[0] == '\0')))
        abort();
    return STATUS_OK;
}

/* The executable segment of ten.c, as gcc 12 compiles it; perhaps with a loader. */
static const char *program(bool loads) {
    static const uint8_t code[] = {
        0xc7, 0x44, 0x24, 0xfc, 0x00, 0x00, 0x00, 0x00, 0x85, 0xff, 0x7e, 0x16, 0xb8, 0x00, 0x00,
        0x00, 0x00, 0x8b, 0x54, 0x24, 0xfc, 0x01, 0xc2, 0x89, 0x54, 0x24, 0xfc, 0x83, 0xc0, 0x01,
        0x39, 0xc7, 0x75, 0xef, 0x8b, 0x44, 0x24, 0xfc, 0xc3, 0xbf, 0x0a, 0x00, 0x00, 0x00, 0xe8,
        0xcf, 0xff, 0xff, 0xff, 0xbf, 0x03, 0x00, 0x00, 0x00, 0xe8, 0xc5, 0xff, 0xff, 0xff, 0xb8,
        0x3c, 0x00, 0x00, 0x00, 0xbf, 0x00, 0x00, 0x00, 0x00, 0x0f, 0x05, 0xc3};
    static const char loader[] = "/lib64/ld-linux-x86-64.so.2";
    uint8_t file[CODE_AT + sizeof code] = {0};
    const Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                             .e_type = ET_EXEC,
                             .e_machine = EM_X86_64,
                             .e_phoff = sizeof head,
                             .e_phnum = loads ? 2 : 1};
    const Elf64_Phdr load = {.p_type = PT_LOAD,
                             .p_flags = PF_R | PF_X,
                             .p_offset = CODE_AT,
                             .p_vaddr = 0x401000,
                             .p_filesz = sizeof code},
                     names = {.p_type = PT_INTERP,
                              .p_offset = CODE_AT - sizeof loader,
                              .p_filesz = sizeof loader};
    memcpy(file, &head, sizeof head);
    memcpy(file + sizeof head, &load, sizeof load);
    memcpy(file + sizeof head + sizeof load, &names, sizeof names);
    memcpy(file + CODE_AT - sizeof loader, loader, sizeof loader);
    memcpy(file + CODE_AT, code, sizeof code);
    return fuzz_file("ten", file, sizeof file);
}

static enum status import(const uint8_t *data, size_t size, struct error *e) {
    struct import_result r;
    const char *ten = program(size % 2 == 1), *log = fuzz_file("qemu.log", data, size);
    const enum status status =
        import_qemu(&r, &(struct import_request){.path = log, .program = ten}, e);
    if (status == STATUS_OK)
        import_free(&r);
    return status;
}

static void try_without_memory(const uint8_t *data, size_t size) {
    for (unsigned nth = 1; fuzz_fail_allocation(nth); nth = fuzz_later(nth)) {
        struct error e = {0};
        const enum status status = import(data, size, &e);
        if (!fuzz_allocation_failed())
            return;
        if (status != STATUS_MEMORY && e.text[0] == '\0')
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t found = 0;
    struct error e = {0};
    const struct qemu_log_reader reader = {look_at, &found};
    const enum status status = qemu_log_read((const char *)data, size, "fuzz", &reader, &e);
    if (status != STATUS_OK && (status != STATUS_FORMAT || strncmp(e.text, "fuzz:", 5) != 0))
        abort();
    e = (struct error){0};
    if (fuzz_thorough() && import(data, size, &e) != STATUS_OK && e.text[0] == '\0')
        abort();
    if (fuzz_thorough() && size <= FUZZ_SHORT)
        try_without_memory(data, size);
    return 0;
}
