#include "report/charts/game/disassembly.h"

#include <Zydis/Zydis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ELF_HEAD = 20, ELF_MACHINE = 18, MACHINE_X86_64 = 62, FILE_MOST = 1 << 30 };

void code_file_free(struct code_file *f) {
    free(f->path);
    bytes_free(&f->bytes);
    *f = (struct code_file){0};
}

static bool is_x86_64(const struct bytes *b) {
    return b->len >= ELF_HEAD && memcmp(b->at, "\177ELF\2", 5) == 0 &&
           b->at[ELF_MACHINE] == MACHINE_X86_64 && b->at[ELF_MACHINE + 1] == 0;
}

/* The bytes that were hashed are the bytes that are shown. */
static bool has_hash(const struct bytes *b, const char *hash) {
    char hex[33] = "";
    struct hash *h = hash_start();
    if (h == NULL)
        return false;
    hash_add_bytes(h, b->at, b->len);
    return hash_finish(h, hex) && strcmp(hex, hash) == 0;
}

static void open_file(struct code_file *f, const char *path, const char *hash) {
    struct stat at;
    if (f->path != NULL && strcmp(f->path, path) == 0)
        return;
    code_file_free(f);
    f->path = strdup(path);
    if (f->path == NULL || stat(path, &at) != 0 || !S_ISREG(at.st_mode) ||
        file_read(&f->bytes, path, FILE_MOST, NULL) != STATUS_OK)
        return;
    if (!is_x86_64(&f->bytes) || !has_hash(&f->bytes, hash))
        bytes_free(&f->bytes);
}

static bool is_transfer(const ZydisDecodedInstruction *i) {
    switch (i->meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_INTERRUPT:
        return true;
    default:
        return false;
    }
}

static void write_code(FILE *out, const uint8_t *at, uint64_t length) {
    ZydisDecoder decoder;
    ZydisFormatter formatter;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
    for (unsigned n = 0; n < CODE_AT_MOST && length > 0; n++) {
        ZydisDecodedInstruction i;
        ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
        char text[120];
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, at, length, &i, operands)) ||
            !ZYAN_SUCCESS(ZydisFormatterFormatInstruction(
                &formatter, &i, operands, i.operand_count_visible, text, sizeof text,
                ZYDIS_RUNTIME_ADDRESS_NONE, NULL)))
            return;
        fprintf(out, "%s%s", n > 0 ? "; " : "", text);
        if (is_transfer(&i))
            return;
        at += i.length;
        length -= i.length;
    }
}

char *code_of_block(struct code_file *f, const char *path, const char *hash, uint64_t offset,
                    uint64_t length) {
    char *text = NULL;
    size_t size = 0;
    open_file(f, path, hash);
    if (offset >= f->bytes.len)
        return NULL;
    if (length > f->bytes.len - offset)
        length = f->bytes.len - offset;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    write_code(out, f->bytes.at + offset, length);
    if (fclose(out) == 0 && size > 0)
        return text;
    free(text);
    return NULL;
}
