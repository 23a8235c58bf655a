/* Writes a graph as a profile of pprof (profile.proto of github.com/google/pprof): a location for
 * each function, a mapping for each file, a sample for each stack. A message of protocol buffers is
 * a list of keys (field number, and 0 for integers or 2 for bytes), each followed by its value. */
#include "qemu/export/formats.h"

#include <stdlib.h>
#include <string.h>

enum { WIRE_INTEGER = 0, WIRE_BYTES = 2 };
/* Numbers of fields. */
enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE,
    PROFILE_MAPPING,
    PROFILE_LOCATION,
    PROFILE_FUNCTION,
    PROFILE_STRING
};
enum { TYPE_NAME = 1, TYPE_UNIT };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES };
enum {
    MAPPING_ID = 1,
    MAPPING_START,
    MAPPING_LIMIT,
    MAPPING_OFFSET,
    MAPPING_FILE,
    MAPPING_HAS_FUNCTIONS = 7
};
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_TEXT, FUNCTION_SYSTEM_NAME };
/* Indices in the table of strings. Names of images follow, then names of functions. */
enum { STRING_EMPTY, STRING_INSTRUCTIONS, STRING_COUNT, STRINGS_BEFORE };

struct message {
    VEC(uint8_t) bytes;
    bool lost; /* out of memory */
};

static void put_varint(struct message *m, uint64_t value) {
    do {
        const uint8_t byte = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        m->lost |= !vec_push(&m->bytes, byte);
    } while ((value >>= 7) != 0);
}

static void put_integer(struct message *m, unsigned field, uint64_t value) {
    put_varint(m, field << 3 | WIRE_INTEGER);
    put_varint(m, value);
}

static void put_bytes(struct message *m, unsigned field, const void *data, size_t size) {
    put_varint(m, field << 3 | WIRE_BYTES);
    put_varint(m, size);
    for (size_t i = 0; i < size; i++)
        m->lost |= !vec_push(&m->bytes, ((const uint8_t *)data)[i]);
}

/* Moves a message into another one. */
static void put_message(struct message *m, unsigned field, struct message *inner) {
    put_bytes(m, field, inner->bytes.at, inner->bytes.len);
    m->lost |= inner->lost;
    inner->bytes.len = 0;
}

struct writing {
    struct file_writer *file;
    struct message field, inner, packed; /* one field of the profile, and what it consists of */
};

/* Writes w->inner as a field of the profile. */
static void flush(struct writing *w, unsigned field) {
    put_message(&w->field, field, &w->inner);
    file_write(w->file, w->field.bytes.at, w->field.bytes.len);
    w->field.bytes.len = 0;
}

static void put_string(struct writing *w, const char *text) {
    put_bytes(&w->field, PROFILE_STRING, text, strlen(text));
    file_write(w->file, w->field.bytes.at, w->field.bytes.len);
    w->field.bytes.len = 0;
}

static void put_mapping(struct writing *w, const struct structure *s, size_t i) {
    put_integer(&w->inner, MAPPING_ID, i + 1);
    put_integer(&w->inner, MAPPING_START, s->images[i].base);
    put_integer(&w->inner, MAPPING_LIMIT,
                i + 1 < s->image_count ? s->images[i + 1].base : UINT32_MAX);
    put_integer(&w->inner, MAPPING_FILE, STRINGS_BEFORE + i);
    put_integer(&w->inner, MAPPING_HAS_FUNCTIONS, 1);
    flush(w, PROFILE_MAPPING);
}

/* Readers take the first mapping for the program ("File: gzip" in pprof). In a recording the dynamic
 * loader is the first image, because it runs first. */
static void put_mappings(struct writing *w, const struct structure *s, size_t program) {
    if (program < s->image_count)
        put_mapping(w, s, program);
    for (size_t i = 0; i < s->image_count; i++)
        if (i != program)
            put_mapping(w, s, i);
}

static void put_functions(struct writing *w, const struct structure *s, const struct functions *f) {
    for (size_t i = 0; i < f->count; i++) {
        put_integer(&w->inner, LOCATION_ID, i + 1);
        if (f->list[i].image != SIZE_MAX)
            put_integer(&w->inner, LOCATION_MAPPING, f->list[i].image + 1);
        put_integer(&w->inner, LOCATION_ADDRESS, f->list[i].entry);
        put_integer(&w->packed, LINE_FUNCTION, i + 1);
        put_message(&w->inner, LOCATION_LINE, &w->packed);
        flush(w, PROFILE_LOCATION);
        put_integer(&w->inner, FUNCTION_ID, i + 1);
        put_integer(&w->inner, FUNCTION_TEXT, STRINGS_BEFORE + s->image_count + i);
        put_integer(&w->inner, FUNCTION_SYSTEM_NAME, STRINGS_BEFORE + s->image_count + i);
        flush(w, PROFILE_FUNCTION);
    }
}

static bool put_sample(void *user, const size_t *stack, size_t depth, uint64_t instructions) {
    struct writing *w = user;
    for (size_t i = depth; i-- > 0;) /* the innermost first */
        put_varint(&w->packed, stack[i] + 1);
    put_message(&w->inner, SAMPLE_LOCATIONS, &w->packed);
    put_varint(&w->packed, instructions);
    put_message(&w->inner, SAMPLE_VALUES, &w->packed);
    flush(w, PROFILE_SAMPLE);
    return !w->field.lost;
}

enum status pprof_write(struct file_writer *file, const struct structure *s,
                        const struct functions *f, size_t program, struct error *e) {
    struct writing w = {.file = file};
    put_integer(&w.inner, TYPE_NAME, STRING_INSTRUCTIONS);
    put_integer(&w.inner, TYPE_UNIT, STRING_COUNT);
    flush(&w, PROFILE_SAMPLE_TYPE);
    enum status status = stacks_walk(f, &(struct stack_reader){put_sample, &w}, e);
    put_mappings(&w, s, program);
    put_functions(&w, s, f);
    put_string(&w, "");
    put_string(&w, "instructions");
    put_string(&w, "count");
    for (size_t i = 0; i < s->image_count; i++)
        put_string(&w, s->images[i].path);
    for (size_t i = 0; i < f->count; i++)
        put_string(&w, f->list[i].name);
    if (w.field.lost)
        status = error_set(e, STATUS_MEMORY, "out of memory");
    vec_free(&w.field.bytes);
    vec_free(&w.inner.bytes);
    vec_free(&w.packed.bytes);
    return status;
}
