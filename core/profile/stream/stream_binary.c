/*
 * Sample streams in a compact binary form, which is mapped into memory and read in place. The text
 * form (isampling.c) is for exchange with other tools; this one is a tenth to a hundredth of its
 * size. All numbers are little-endian; nothing is aligned or padded. A stream has exactly one file:
 * equal streams give equal bytes.
 *
 *     offset  bytes
 *          0      8  magic: 0x89 "HGS" CR LF 0x1a LF
 *          8      4  version: 1
 *         12      1  of: 0 batches, 1 single control transfers, 2 last taken branches
 *         13      1  flags: 1 only transfers outside busy-waits, 2 weighted, 4 sampled at a timer
 *         14      2  0
 *         16      8  size of the file
 *         24      8  L, instructions in each batch; of 2: in all distinct batches together
 *         32      8  B, batches
 *         40      8  D, distinct batches
 *         48      8  I, distinct instructions
 *         56      8  population: executions that the samples were chosen from; 0 unknown
 *         64      8  executed: instructions; 0 unknown
 *         72      8  probes that fired during the recording
 *         80     40  SHA-1 of the program in lower-case hexadecimal, or zeros: unknown
 *        120  12 * I  the distinct instructions: pc (4), encoded target (4; 0 unless it is direct),
 *                    size (1, not 0), kind (1: 0 plain, 1 branch, 2 jump, 3 call, 4 indirect jump,
 *                    5 return, 6 RTI, 7 BRK, 8 JAM), 0 (2)
 *             D * 4  of 2: the lengths of the distinct batches, not 0
 *             D * L * i  (of 2: L * i)  the distinct batches: indices of instructions in i bytes (1 to 4), the
 *                    fewest that hold I - 1
 *             B * d  the batches: indices of distinct batches, likewise in d bytes. Distinct
 *                    batches are numbered by first occurrence, so no index exceeds the maximum of
 *                    the earlier ones by more than 1
 *             B * 2  if weighted: cycles of the instruction before each batch, not 0
 *             8      XXH3 (64 bits, seed 0) of everything before it
 *
 * Opcodes and the image's name, which only people read, are left out. Kinds are exact; the text
 * form has no word for a JAM.
 */
#include "profile/stream/stream_binary.h"
#include "profile/technique.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* the state on the stack */
#include <xxhash.h>

static const uint8_t magic[STREAM_BINARY_MAGIC] = {0x89, 'H', 'G', 'S', '\r', '\n', 0x1a, '\n'};

enum {
    VERSION = 1,
    AT_OF = 12,
    AT_FIELDS = 16,
    AT_PROGRAM = 80,
    PROGRAM = 40,
    HEADER = 120,
    INSTRUCTION = 12,
    WEIGHT = 2,
    BATCH_LENGTH = 4,
    CHECKSUM = 8,
};
enum { ACTIVE = 1, WEIGHED = 2, BY_TIMER = 4 }; /* flags */
enum field { SIZE, LENGTH, BATCHES, DIFFERENT, INSTRUCTIONS, POPULATION, EXECUTED, PROBES, FIELDS };

static_assert(AT_FIELDS + 8 * FIELDS == AT_PROGRAM && AT_PROGRAM + PROGRAM == HEADER, "layout");
static_assert(INSN_PLAIN == 0 && INSN_BRANCH == 1 && INSN_JUMP == 2 && INSN_CALL == 3 &&
                  INSN_JUMP_INDIRECT == 4 && INSN_RETURN == 5 && INSN_RTI == 6 && INSN_BRK == 7 &&
                  INSN_JAM == 8,
              "kinds in files are those in memory");

/* Bytes needed for numbers below `count`. */
static unsigned width_of(uint64_t count) {
    return count <= 1 << 8 ? 1 : count <= 1 << 16 ? 2 : count <= 1 << 24 ? 3 : 4;
}

static bool is_digest(const char *program) {
    size_t len = 0;
    while ((program[len] >= '0' && program[len] <= '9') ||
           (program[len] >= 'a' && program[len] <= 'f'))
        len++;
    return len == PROGRAM && program[len] == '\0';
}

/* Offsets of the parts, computed from the header. */
struct layout {
    uint64_t lengths, batches, order, cycles, checksum;
    uint64_t samples; /* in all distinct batches */
    unsigned number_width, order_width;
};

/* Advances *end by `count` * `each` bytes; false if no file can be that long. */
static bool put_part(uint64_t *end, uint64_t count, uint64_t each) {
    uint64_t size;
    return !__builtin_mul_overflow(count, each, &size) &&
           !__builtin_add_overflow(*end, size, end) && *end <= INT64_MAX;
}

static bool lay_out(struct layout *l, const uint64_t field[FIELDS], enum stream_of of,
                    bool weighed) {
    const bool uneven = of == STREAM_OF_BRANCHES;
    uint64_t end = HEADER;
    l->number_width = width_of(field[INSTRUCTIONS]);
    l->order_width = width_of(field[DIFFERENT]);
    if (__builtin_mul_overflow(uneven ? 1 : field[DIFFERENT], field[LENGTH], &l->samples) ||
        !put_part(&end, field[INSTRUCTIONS], INSTRUCTION))
        return false;
    l->lengths = end;
    if (!put_part(&end, uneven ? field[DIFFERENT] : 0, BATCH_LENGTH))
        return false;
    l->batches = end;
    if (!put_part(&end, l->samples, l->number_width))
        return false;
    l->order = end;
    if (!put_part(&end, field[BATCHES], l->order_width))
        return false;
    l->cycles = end;
    if (!put_part(&end, weighed ? field[BATCHES] : 0, WEIGHT))
        return false;
    l->checksum = end;
    return put_part(&end, 1, CHECKSUM);
}

/* ---- reading ---- */

struct reader {
    const char *name; /* for messages */
    const uint8_t *at;
    size_t len;
    uint64_t field[FIELDS];
    struct layout layout;
    struct error *e;
};

bool stream_is_binary(const void *start, size_t len) {
    return len > 0 && memcmp(start, magic, len < sizeof magic ? len : sizeof magic) == 0;
}

static inline uint32_t get(const uint8_t *at, unsigned width) {
    uint32_t value = at[0];
    if (width > 1)
        value |= (uint32_t)at[1] << 8;
    if (width > 2)
        value |= (uint32_t)at[2] << 16;
    if (width > 3)
        value |= (uint32_t)at[3] << 24;
    return value;
}

static uint64_t get_64(const uint8_t *at) {
    return get(at, 4) | (uint64_t)get(at + 4, 4) << 32;
}

static enum status damaged(const struct reader *r, const char *what) {
    return error_set(r->e, STATUS_FORMAT, "%s: a damaged binary sample stream: %s", r->name, what);
}

static enum status out_of_memory(const struct reader *r) {
    return error_set(r->e, STATUS_MEMORY, "%s: out of memory", r->name);
}

enum stream_of stream_binary_of(const void *start, size_t len) {
    const uint8_t of = len > AT_OF ? ((const uint8_t *)start)[AT_OF] : STREAM_OF_BATCHES;
    return of <= STREAM_OF_BRANCHES ? (enum stream_of)of : STREAM_OF_BATCHES;
}

/* Checks that the file has the length that it states and its checksum is right. */
static enum status check_whole(const struct reader *r) {
    if (r->len < sizeof magic + 4)
        return damaged(r, "it ends within its header");
    const uint32_t version = get(r->at + sizeof magic, 4);
    if (version != VERSION)
        return error_set(r->e, STATUS_UNSUPPORTED,
                         "%s: a binary sample stream of version %" PRIu32
                         ", and this program reads version %d; convert it to text with the "
                         "program that wrote it",
                         r->name, version, VERSION);
    if (r->len < HEADER + CHECKSUM)
        return damaged(r, "it ends within its header");
    const uint64_t size = get_64(r->at + AT_FIELDS + 8 * SIZE);
    if (size != r->len)
        return error_set(r->e, STATUS_FORMAT,
                         "%s: a damaged binary sample stream: it has %zu bytes, and says that it "
                         "has %" PRIu64,
                         r->name, r->len, size);
    if (XXH3_64bits(r->at, r->len - CHECKSUM) != get_64(r->at + r->len - CHECKSUM))
        return damaged(r, "its checksum is not that of its content");
    return STATUS_OK;
}

static enum status read_header(struct reader *r, struct stream *s) {
    const uint8_t *flags = r->at + AT_OF;
    for (int i = 0; i < FIELDS; i++)
        r->field[i] = get_64(r->at + AT_FIELDS + 8 * i);
    if (flags[0] > STREAM_OF_BRANCHES || flags[1] > (ACTIVE | WEIGHED | BY_TIMER) ||
        flags[2] != 0 || flags[3] != 0)
        return damaged(r, "the kind of its samples is unknown");
    const enum stream_of of = (enum stream_of)flags[0];
    if (!lay_out(&r->layout, r->field, of, (flags[1] & WEIGHED) != 0) ||
        r->layout.checksum + CHECKSUM != r->len)
        return damaged(r, "the lengths of its parts do not add up to that of the file");
    if (r->field[DIFFERENT] > UINT32_MAX || r->field[INSTRUCTIONS] > UINT32_MAX)
        return damaged(r, "there are more than 2^32 - 1 different batches or instructions");
    const uint64_t longest_empty = of == STREAM_OF_BRANCHES ? 0 : SAMPLER_BATCH_MOST;
    if (r->field[BATCHES] != 0 ? r->field[LENGTH] == 0 : r->field[LENGTH] > longest_empty)
        return damaged(r, "the length of its batches is impossible");
    for (int i = POPULATION; i <= PROBES; i++)
        if (r->field[i] > INT64_MAX)
            return damaged(r, "a count is 2^63 or more");
    *s = (struct stream){.batch_length = of == STREAM_OF_BRANCHES ? 0 : (size_t)r->field[LENGTH],
                         .batch_count = (size_t)r->field[BATCHES],
                         .distinct_count = (size_t)r->field[DIFFERENT],
                         .of = of,
                         .active = (flags[1] & ACTIVE) != 0,
                         .by_timer = (flags[1] & BY_TIMER) != 0,
                         .population = r->field[POPULATION],
                         .executed = r->field[EXECUTED],
                         .probes = r->field[PROBES]};
    memcpy(s->program, r->at + AT_PROGRAM, PROGRAM);
    static const char unknown[PROGRAM];
    if (memcmp(s->program, unknown, PROGRAM) != 0 && !is_digest(s->program))
        return damaged(r, "the program's SHA-1 is invalid");
    return STATUS_OK;
}

static enum status read_instructions(const struct reader *r, struct sample *out) {
    for (uint64_t i = 0; i < r->field[INSTRUCTIONS]; i++) {
        const uint8_t *at = r->at + HEADER + i * INSTRUCTION;
        out[i] = (struct sample){
            .pc = get(at, 4), .target = get(at + 4, 4), .size = at[8], .kind = at[9]};
        if (out[i].size == 0 || out[i].kind > INSN_JAM || get(at + 10, 2) != 0 ||
            (out[i].target != 0 && !sample_is_direct(&out[i])))
            return damaged(r, "an instruction has an impossible size, kind or target");
    }
    return STATUS_OK;
}

/* Batches of unequal length. */
static enum status read_lengths(const struct reader *r, struct stream *s) {
    if (s->of != STREAM_OF_BRANCHES || s->distinct_count == 0)
        return STATUS_OK;
    const uint8_t *at = r->at + r->layout.lengths;
    s->first = malloc((s->distinct_count + 1) * sizeof *s->first);
    if (s->first == NULL)
        return out_of_memory(r);
    s->first[0] = 0;
    for (size_t i = 0; i < s->distinct_count; i++) {
        const uint32_t length = get(at + i * BATCH_LENGTH, BATCH_LENGTH);
        if (length == 0)
            return damaged(r, "a batch has no instructions");
        s->first[i + 1] = s->first[i] + length;
        s->batch_length = length > s->batch_length ? length : s->batch_length;
    }
    return s->first[s->distinct_count] == r->layout.samples
               ? STATUS_OK
               : damaged(r, "the lengths of its batches do not add up to what it says");
}

/* Converts the distinct batches from numbers to instructions. */
static enum status read_batches(const struct reader *r, struct stream *s) {
    const size_t samples = (size_t)r->layout.samples;
    const uint32_t known = (uint32_t)r->field[INSTRUCTIONS];
    const unsigned width = r->layout.number_width;
    const uint8_t *at = r->at + r->layout.batches;
    struct sample *instructions = calloc((size_t)known + 1, sizeof *instructions);
    s->batches = malloc((samples + 1) * sizeof *s->batches);
    enum status status = instructions != NULL && s->batches != NULL
                             ? read_instructions(r, instructions)
                             : out_of_memory(r);
    for (size_t i = 0; i < samples && status == STATUS_OK; i++, at += width) {
        const uint32_t number = get(at, width);
        if (number >= known)
            status = damaged(r, "a batch refers to a missing instruction");
        else
            s->batches[i] = instructions[number];
    }
    free(instructions);
    return status;
}

static enum status read_order(const struct reader *r, struct stream *s) {
    const unsigned width = r->layout.order_width;
    const uint8_t *at = r->at + r->layout.order;
    uint64_t seen = 0;
    s->order = malloc((s->batch_count + 1) * sizeof *s->order);
    if (s->order == NULL)
        return out_of_memory(r);
    for (size_t i = 0; i < s->batch_count; i++, at += width) {
        const uint32_t number = s->order[i] = get(at, width);
        if (number > seen || number >= s->distinct_count)
            return damaged(r, "batches are not numbered where they first occur");
        seen += number == seen;
    }
    return seen == s->distinct_count ? STATUS_OK : damaged(r, "a batch that never occurs");
}

static enum status read_cycles(const struct reader *r, struct stream *s) {
    if (r->layout.cycles == r->layout.checksum && (r->at[AT_OF + 1] & WEIGHED) == 0)
        return STATUS_OK;
    s->cycles = malloc((s->batch_count + 1) * sizeof *s->cycles);
    if (s->cycles == NULL)
        return out_of_memory(r);
    const uint8_t *at = r->at + r->layout.cycles;
    for (size_t i = 0; i < s->batch_count; i++) {
        s->cycles[i] = (uint16_t)get(at + i * WEIGHT, WEIGHT);
        if (s->cycles[i] == 0)
            return damaged(r, "a batch comes after 0 cycles");
    }
    return STATUS_OK;
}

enum status stream_binary_parse(struct stream *out, const void *data, size_t len, const char *name,
                                struct error *warning, struct error *e) {
    struct reader r = {.name = name, .at = data, .len = len, .e = e};
    struct stream s = {0};
    enum status status = check_whole(&r);
    if (status == STATUS_OK)
        status = read_header(&r, &s);
    if (status == STATUS_OK && !((status = read_lengths(&r, &s))) &&
        !((status = read_batches(&r, &s))) && !((status = read_order(&r, &s))))
        status = read_cycles(&r, &s);
    if (status != STATUS_OK) {
        stream_free(&s);
        return status;
    }
    if (s.batch_count == 0)
        error_set(warning, STATUS_OK, "%s: there are no batches in it", name);
    *out = s;
    return STATUS_OK;
}

/* ---- writing ---- */

struct output {
    struct file_writer *file;
    XXH3_state_t hash;
    size_t len;
    uint8_t bytes[1 << 14];
};

static void flush(struct output *o) {
    XXH3_64bits_update(&o->hash, o->bytes, o->len);
    file_write(o->file, o->bytes, o->len);
    o->len = 0;
}

static void put(struct output *o, uint64_t value, unsigned width) {
    if (width > sizeof o->bytes - o->len)
        flush(o);
    for (unsigned i = 0; i < width; i++)
        o->bytes[o->len++] = (uint8_t)(value >> 8 * i);
}

/* The stream in the form of the file: each distinct batch once, and each distinct instruction. */
struct numbered {
    struct stream_maker batches;
    struct stream_maker instructions; /* its "batches" are single instructions; its order is that of
                                         the samples of all distinct batches */
};

/* Copies samples without the fields that are not written, because two batches might differ in these
 * alone. */
static void keep_written(struct sample *to, const struct sample *from, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = (struct sample){.pc = from[i].pc,
                                .target = sample_is_direct(&from[i]) ? from[i].target : 0,
                                .size = from[i].size,
                                .kind = from[i].kind};
}

/* In all distinct batches. */
static size_t stored_samples(const struct stream *s) {
    return s->first != NULL ? s->first[s->distinct_count] : s->distinct_count * s->batch_length;
}

static bool number(struct numbered *n, const struct stream *s) {
    if (s->of != STREAM_OF_BRANCHES)
        n->batches.stream.batch_length = s->batch_length;
    n->batches.stream.of = s->of;
    n->instructions.stream.batch_length = 1;
    struct sample *batch = malloc((s->batch_length + 1) * sizeof *batch);
    bool ok = batch != NULL;
    for (size_t i = 0; i < s->batch_count && ok; i++) {
        keep_written(batch, stream_batch(s, i), stream_batch_length(s, i));
        ok = stream_add_some(&n->batches, batch, stream_batch_length(s, i));
    }
    free(batch);
    const struct stream *all = &n->batches.stream;
    const size_t samples = stored_samples(all);
    for (size_t i = 0; i < samples && ok; i++)
        ok = stream_add(&n->instructions, &all->batches[i]);
    return ok;
}

static void put_header(struct output *o, const struct stream *s, const uint64_t field[FIELDS]) {
    static const char unknown[PROGRAM];
    const char *program = is_digest(s->program) ? s->program : unknown;
    for (size_t i = 0; i < sizeof magic; i++)
        put(o, magic[i], 1);
    put(o, VERSION, 4);
    put(o, s->of, 1);
    put(o,
        (s->active ? ACTIVE : 0) | (s->cycles != NULL ? WEIGHED : 0) | (s->by_timer ? BY_TIMER : 0),
        1);
    put(o, 0, 2);
    for (int i = 0; i < FIELDS; i++)
        put(o, field[i], 8);
    for (int i = 0; i < PROGRAM; i++)
        put(o, (uint8_t)program[i], 1);
}

static void put_numbers(struct output *o, const uint32_t *numbers, size_t count, unsigned width) {
    for (size_t i = 0; i < count; i++)
        put(o, numbers[i], width);
}

static void put_all(struct output *o, const struct stream *s, const struct numbered *n,
                    const uint64_t field[FIELDS], const struct layout *l) {
    const struct stream *instructions = &n->instructions.stream;
    put_header(o, s, field);
    for (size_t i = 0; i < instructions->distinct_count; i++) {
        const struct sample *at = &instructions->batches[i];
        put(o, at->pc, 4);
        put(o, at->target, 4);
        put(o, at->size, 1);
        put(o, at->kind, 1);
        put(o, 0, 2);
    }
    for (size_t i = 0; s->of == STREAM_OF_BRANCHES && i < n->batches.stream.distinct_count; i++)
        put(o, stream_distinct_length(&n->batches.stream, i), BATCH_LENGTH);
    put_numbers(o, instructions->order, instructions->batch_count, l->number_width);
    put_numbers(o, n->batches.stream.order, s->batch_count, l->order_width);
    for (size_t i = 0; i < s->batch_count && s->cycles != NULL; i++)
        put(o, s->cycles[i], WEIGHT);
    flush(o);
    put(o, XXH3_64bits_digest(&o->hash), CHECKSUM);
    flush(o);
}

enum status stream_binary_write(const struct stream *s, const char *path, struct error *e) {
    struct numbered n = {0};
    struct output o;
    enum status status = number(&n, s) ? file_open(&o.file, path, e)
                                       : error_set(e, STATUS_MEMORY, "%s: out of memory", path);
    if (status == STATUS_OK) {
        struct layout l;
        const bool uneven = s->of == STREAM_OF_BRANCHES;
        uint64_t field[FIELDS] = {[LENGTH] =
                                      uneven ? stored_samples(&n.batches.stream) : s->batch_length,
                                  [BATCHES] = s->batch_count,
                                  [DIFFERENT] = n.batches.stream.distinct_count,
                                  [INSTRUCTIONS] = n.instructions.stream.distinct_count,
                                  [POPULATION] = s->population,
                                  [EXECUTED] = s->executed,
                                  [PROBES] = s->probes};
        /* A stream in memory is shorter than the longest file. */
        (void)lay_out(&l, field, s->of, s->cycles != NULL);
        field[SIZE] = l.checksum + CHECKSUM;
        o.len = 0;
        XXH3_64bits_reset(&o.hash);
        put_all(&o, s, &n, field, &l);
        status = file_commit(o.file, e);
    }
    stream_unmake(&n.batches);
    stream_unmake(&n.instructions);
    return status;
}
