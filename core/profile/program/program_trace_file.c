/* Files of programs' traces; program_trace.h has the layout. */
#include "profile/program/program_trace.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAGIC = 16,
    PROGRAM = 40,
    FIELDS = 5,
    HEADER = MAGIC + PROGRAM + 8 * FIELDS,
    INSN = 12,
    CHANGE = 8 + INSN + 8,
    HASH = 32,
    IMAGE = 8 + HASH,
};
enum field { EXECUTED, INSNS, CHANGES, IMAGES, PACKETS };
static const char magic[MAGIC + 1] = "hotgraph trace 1";

bool program_trace_is(const void *start, size_t size) {
    return size >= MAGIC && memcmp(start, magic, MAGIC) == 0;
}

/* ---- writing ---- */

static void put(struct file_writer *w, uint64_t value, unsigned bytes) {
    uint8_t text[8];
    for (unsigned i = 0; i < bytes; i++)
        text[i] = (uint8_t)(value >> 8 * i);
    file_write(w, text, bytes);
}

static void put_insn(struct file_writer *w, const struct code_insn *insn) {
    put(w, insn->address, 4);
    put(w, insn->target, 4);
    put(w, insn->next - insn->address, 1);
    put(w, insn->kind, 3);
}

enum status program_trace_write(const struct program_trace *t, const char *path, struct error *e) {
    struct file_writer *w;
    char hash[HASH + 1];
    enum status status = file_open(&w, path, e);
    if (status != STATUS_OK)
        return status;
    const uint64_t fields[FIELDS] = {t->instructions, t->insns.len, t->changes.len, t->images.len,
                                     t->length};
    file_write(w, magic, MAGIC);
    file_write(w, t->program, PROGRAM);
    for (int i = 0; i < FIELDS; i++)
        put(w, fields[i], 8);
    for (size_t i = 0; i < t->insns.len; i++)
        put_insn(w, &t->insns.at[i]);
    for (size_t i = 0; i < t->changes.len; i++) {
        put(w, t->changes.at[i].at, 8);
        put_insn(w, &t->changes.at[i].insn);
        put(w, t->changes.at[i].once, 4);
        put(w, t->changes.at[i].to, 4);
    }
    for (size_t i = 0; i < t->images.len; i++) {
        const struct program_image *image = &t->images.at[i];
        const size_t length = strlen(image->path);
        memset(hash, 0, sizeof hash);
        memcpy(hash, image->hash, strlen(image->hash));
        put(w, image->base, 4);
        put(w, length, 4);
        file_write(w, hash, HASH);
        file_write(w, image->path, length);
    }
    file_write(w, t->packets, t->length);
    return file_commit(w, e);
}

/* ---- reading ---- */

struct reading {
    const uint8_t *at, *end;
    uint64_t fields[FIELDS];
    const char *name;
    struct error *e;
};

static enum status damaged(const struct reading *r, const char *what) {
    return error_set(r->e, STATUS_FORMAT, "%s: a damaged trace: %s", r->name, what);
}

static enum status no_memory(const struct reading *r) {
    return error_set(r->e, STATUS_MEMORY, "%s: out of memory", r->name);
}

static uint64_t get(struct reading *r, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)r->at[i] << 8 * i;
    r->at += bytes;
    return value;
}

static bool has_left(const struct reading *r, uint64_t count, uint64_t each) {
    return count <= (uint64_t)(r->end - r->at) / each;
}

/* False: there is no such instruction. */
static bool get_insn(struct reading *r, struct code_insn *out, bool change) {
    const uint32_t address = (uint32_t)get(r, 4), target = (uint32_t)get(r, 4);
    const uint32_t size = (uint32_t)get(r, 1), kind = (uint32_t)get(r, 3);
    *out = (struct code_insn){address, address + size, target, (uint8_t)kind};
    const bool known = kind <= INSN_RETURN || kind == CODE_CALL_INDIRECT;
    return size > 0 && (known || (change && kind == INSN_RTI));
}

static enum status read_header(struct reading *r, struct program_trace *out) {
    if (!has_left(r, 1, HEADER) || !program_trace_is(r->at, MAGIC))
        return damaged(r, "it does not begin as one, or ends in its beginning");
    r->at += MAGIC;
    memcpy(out->program, r->at, PROGRAM);
    r->at += PROGRAM;
    for (int i = 0; i < FIELDS; i++)
        r->fields[i] = get(r, 8);
    out->instructions = r->fields[EXECUTED];
    const size_t digits = strspn(out->program, "0123456789abcdef");
    static const char unknown[PROGRAM];
    return digits == PROGRAM || memcmp(out->program, unknown, PROGRAM) == 0
               ? STATUS_OK
               : damaged(r, "the program's SHA-1 is invalid");
}

static enum status read_insns(struct reading *r, struct program_trace *out) {
    if (!has_left(r, r->fields[INSNS], INSN))
        return damaged(r, "it ends among its instructions");
    for (uint64_t i = 0; i < r->fields[INSNS]; i++) {
        struct code_insn insn;
        if (!get_insn(r, &insn, false))
            return damaged(r, "an instruction has an impossible size or kind");
        if (!vec_push(&out->insns, insn))
            return no_memory(r);
    }
    return STATUS_OK;
}

static enum status read_changes(struct reading *r, struct program_trace *out) {
    if (!has_left(r, r->fields[CHANGES], CHANGE))
        return damaged(r, "it ends among its changes");
    uint64_t before = 0;
    for (uint64_t i = 0; i < r->fields[CHANGES]; i++) {
        struct code_change change = {.at = get(r, 8)};
        const bool ok = get_insn(r, &change.insn, true);
        const uint64_t once = get(r, 4);
        change.once = once == 1;
        change.to = (uint32_t)get(r, 4);
        if (!ok || once > 1 || change.at < before || change.at > r->fields[PACKETS])
            return damaged(r, "a change is impossible, or out of order");
        before = change.at;
        if (!vec_push(&out->changes, change))
            return no_memory(r);
    }
    return STATUS_OK;
}

static enum status read_images(struct reading *r, struct program_trace *out) {
    uint64_t least = 0;
    for (uint64_t i = 0; i < r->fields[IMAGES]; i++) {
        if (!has_left(r, 1, IMAGE))
            return damaged(r, "it ends among its files");
        struct program_image image = {.base = (uint32_t)get(r, 4)};
        const uint64_t length = get(r, 4);
        memcpy(image.hash, r->at, HASH);
        r->at += HASH;
        const size_t digits = strspn(image.hash, "0123456789abcdef");
        if (!has_left(r, length, 1) || memchr(r->at, '\0', length) != NULL)
            return damaged(r, "a file's path is invalid");
        if (image.base < least || (digits != HASH && digits != 0) || image.hash[digits] != '\0')
            return damaged(r, "a file is out of order, or its hash is invalid");
        least = (uint64_t)image.base + 1;
        image.path = strndup((const char *)r->at, length);
        r->at += length;
        if (image.path == NULL || !vec_push(&out->images, image)) {
            free(image.path);
            return no_memory(r);
        }
    }
    return STATUS_OK;
}

static enum status read_tables(struct reading *r, struct program_trace *out) {
    enum status status;
    if ((status = read_header(r, out)) || (status = read_insns(r, out)) ||
        (status = read_changes(r, out)) || (status = read_images(r, out)))
        return status;
    if ((uint64_t)(r->end - r->at) != r->fields[PACKETS])
        return damaged(r, "its packets are not as many as it says");
    out->packets = r->at;
    out->length = (size_t)r->fields[PACKETS];
    return STATUS_OK;
}

enum status program_trace_parse(struct program_trace *out, const uint8_t *data, size_t size,
                                const char *name, struct error *e) {
    struct reading r = {.at = data, .end = data + size, .name = name, .e = e};
    *out = (struct program_trace){0};
    enum status status = read_tables(&r, out);
    if (status == STATUS_OK && (status = program_trace_learn(out, e)) != STATUS_OK)
        error_prefix(e, "%s", name);
    if (status != STATUS_OK)
        program_trace_free(out);
    return status;
}

enum status program_trace_read(struct program_trace *out, const char *path, struct error *e) {
    struct file_view view;
    *out = (struct program_trace){0};
    enum status status = file_view_path(&view, path, SIZE_MAX, e);
    if (status != STATUS_OK)
        return status;
    status = program_trace_parse(out, view.at, view.len, path, e);
    if (status == STATUS_OK)
        out->file = view;
    else
        file_view_free(&view);
    return status;
}
