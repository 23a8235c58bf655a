/*
 * Sample streams as `isampling` text, the prototype's own format: a free header line, then
 *
 *     sequence  pc  size  type  batch  text  image
 *
 * tab-separated, one executed instruction a line. Sequence and image are not interpreted. Text is
 * interpreted for direct targets and in one other case: the format has a single type for all
 * transfers to an address that is not in the instruction, and only the mnemonic distinguishes an
 * RTI, after which the program may continue anywhere, from an RTS. Any other mnemonic means "rts".
 *
 * The first line of our own files describes the samples (origin.c). If it says that they are of
 * branches, batches may differ in length; else all are as long as the first. If it says that batches are
 * weighted, the image begins with the cycles of the instruction before the batch.
 */
#include "profile/stream/isampling.h"
#include "profile/stream/origin.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char header[] = "sequence\tpc\tsize\ttype\tbatch\ttext\timage";

static const char generic[] = "GENERIC", conditional[] = "BRANCHORCALL DIRECT COND",
                  unconditional[] = "BRANCHORCALL DIRECT INCOND",
                  indirect[] = "BRANCHORCALL INDIRECT INCOND";

/* ---- reading ---- */

/* A program has few distinct instructions, so most lines repeat an earlier one except for sequence,
 * batch and image. This caches what such a line means. */
struct known_line {
    struct sample sample;
    uint8_t head_len,
        tail_len;  /* head: pc, size and type, with their tabs; tail: text and its tab */
    char text[90]; /* head, tail */
};

enum { KNOWN_LINES = 4096 }; /* a power of two */

struct reader {
    const char *name; /* for messages */
    size_t line;
    const char *at, *end; /* rest of the line */
    struct known_line *known;
    VEC(struct sample) batch; /* the current batch */
    uint64_t number;          /* its number */
    struct stream_maker made; /* the batches before it; batch_length is 0 until the first one has
                                 ended */
    size_t length;            /* of each batch; 0: not known yet, or they differ */
    bool weighed;
    uint16_t before;      /* cycles before the current batch, */
    VEC(uint16_t) cycles; /* and before the earlier ones */
    struct error *e;
};

static enum status malformed(struct reader *r, const char *what) {
    return error_set(r->e, STATUS_FORMAT, "%s:%zu: %s", r->name, r->line, what);
}

static bool skip_tab(struct reader *r) {
    if (r->at == r->end || *r->at != '\t')
        return false;
    r->at++;
    return true;
}

/* Moves past the next tab; *field and *len describe the text before it. */
static bool take_field(struct reader *r, const char **field, size_t *len) {
    const char *tab = memchr(r->at, '\t', (size_t)(r->end - r->at));
    if (tab == NULL)
        return false;
    *field = r->at;
    *len = (size_t)(tab - r->at);
    r->at = tab + 1;
    return true;
}

static bool field_is(const char *field, size_t len, const char *word) {
    return len == strlen(word) && memcmp(field, word, len) == 0;
}

static enum status take_number(struct reader *r, bool hex, uint64_t most, uint64_t *out,
                               const char *field, const char *rule) {
    bool ok = hex ? scan_hex(&r->at, r->end, most, out) : scan_decimal(&r->at, r->end, most, out);
    if (ok && skip_tab(r))
        return STATUS_OK;
    if (memchr(r->at, '\t', (size_t)(r->end - r->at)) == NULL)
        return error_set(r->e, STATUS_FORMAT,
                         "%s:%zu: nothing follows %s; a line is sequence, pc, size, type, batch, "
                         "text and image, tab-separated",
                         r->name, r->line, field);
    return error_set(r->e, STATUS_FORMAT, "%s:%zu: %s is not %s", r->name, r->line, field, rule);
}

static bool is_word(const char *text, size_t len, const char *word) {
    return len == strlen(word) && strncasecmp(text, word, len) == 0;
}

/* Parses the text of a direct transfer: mnemonic, one space, target. */
static enum status take_target(struct reader *r, const char *text, size_t len, struct sample *s) {
    const char *end = text + len, *space = memchr(text, ' ', len);
    uint64_t target;
    if (space == NULL || space == text)
        return malformed(r, "a direct transfer without its target; its text is the mnemonic, one "
                            "space, and the target in hexadecimal with 0x");
    const char *at = space + 1;
    if (!scan_hex(&at, end, UINT32_MAX, &target) || (at != end && *at != ' '))
        return malformed(r, "the target of this direct transfer is not a hexadecimal number with "
                            "0x of up to 32 bits");
    s->target = (uint32_t)target;
    size_t mnemonic = (size_t)(space - text);
    if (s->kind == INSN_JUMP && (is_word(text, mnemonic, "jsr") || is_word(text, mnemonic, "call")))
        s->kind = INSN_CALL;
    return STATUS_OK;
}

static uint8_t indirect_kind(const char *text, size_t len) {
    const char *space = memchr(text, ' ', len);
    if (space != NULL)
        len = (size_t)(space - text);
    return is_word(text, len, "rti")   ? INSN_RTI
           : is_word(text, len, "brk") ? INSN_BRK
           : is_word(text, len, "jmp") ? INSN_JUMP_INDIRECT
                                       : INSN_RETURN;
}

static enum status take_type(struct reader *r, struct sample *s) {
    const char *type;
    size_t len;
    if (!take_field(r, &type, &len))
        return malformed(r, "the fields type, batch, text and image are missing");
    if (field_is(type, len, generic))
        s->kind = INSN_PLAIN;
    else if (field_is(type, len, conditional))
        s->kind = INSN_BRANCH;
    else if (field_is(type, len, unconditional))
        s->kind = INSN_JUMP;
    else if (field_is(type, len, indirect))
        s->kind = INSN_RETURN;
    else
        return malformed(r, "unknown type; there are GENERIC, and BRANCHORCALL followed by DIRECT "
                            "COND, DIRECT INCOND or INDIRECT INCOND");
    return STATUS_OK;
}

/* Parses the fields between sequence and image. */
static enum status take_sample(struct reader *r, struct sample *s, uint64_t *batch) {
    const char *text;
    size_t len;
    uint64_t pc, size;
    enum status status;
    if ((status = take_number(r, true, UINT32_MAX, &pc, "pc",
                              "a hexadecimal number with 0x of up to 32 bits")) ||
        (status = take_number(r, false, UINT8_MAX, &size, "size", "a number from 1 to 255")))
        return status;
    if (size == 0)
        return malformed(r, "size is 0, not a number from 1 to 255");
    if ((status = take_type(r, s)) ||
        (status = take_number(r, false, UINT64_MAX, batch, "batch", "a number")))
        return status;
    if (!take_field(r, &text, &len))
        return malformed(r, "the field image is missing");
    s->pc = (uint32_t)pc;
    s->size = (uint8_t)size;
    if (s->kind == INSN_BRANCH || s->kind == INSN_JUMP)
        return take_target(r, text, len, s);
    if (s->kind == INSN_RETURN)
        s->kind = indirect_kind(text, len);
    return STATUS_OK;
}

/* Cache slot of a line whose pc is written at `at`. The first eight characters from there
 * distinguish most instructions of a program. */
static struct known_line *known_slot(struct reader *r, const char *at) {
    uint64_t start;
    if ((size_t)(r->end - at) < sizeof start)
        return NULL;
    memcpy(&start, at, sizeof start);
    return &r->known[splitmix64(start, 0) % KNOWN_LINES];
}

/* Takes a cached line, and moves to its image. */
static bool take_known(struct reader *r, const struct known_line *k, struct sample *s,
                       uint64_t *batch) {
    const char *at = r->at;
    if (k->head_len == 0 || (size_t)(r->end - at) < k->head_len ||
        memcmp(at, k->text, k->head_len) != 0)
        return false;
    at += k->head_len;
    if (!scan_decimal(&at, r->end, UINT64_MAX, batch) || at == r->end || *at++ != '\t' ||
        (size_t)(r->end - at) < k->tail_len || memcmp(at, k->text + k->head_len, k->tail_len) != 0)
        return false;
    r->at = at + k->tail_len;
    *s = k->sample;
    return true;
}

/* Caches the line just read, whose pc is at `head`. */
static void keep_known(struct known_line *k, const char *head, const char *end,
                       const struct sample *s) {
    const char *batch = head;
    for (int tabs = 0; tabs < 3; tabs++)
        batch = (const char *)memchr(batch, '\t', (size_t)(end - batch)) + 1;
    const char *tail = (const char *)memchr(batch, '\t', (size_t)(end - batch)) + 1;
    const size_t head_len = (size_t)(batch - head), tail_len = (size_t)(end - tail);
    if (head_len + tail_len > sizeof k->text)
        return;
    *k = (struct known_line){
        .sample = *s, .head_len = (uint8_t)head_len, .tail_len = (uint8_t)tail_len};
    memcpy(k->text, head, head_len);
    memcpy(k->text + head_len, tail, tail_len);
}

static enum status out_of_memory(struct reader *r) {
    return error_set(r->e, STATUS_MEMORY, "%s: out of memory", r->name);
}

/* Ends the current batch; unless batches differ in length, all must be as long as the first. */
static enum status end_batch(struct reader *r) {
    struct stream *s = &r->made.stream;
    if (r->length == 0 && s->of != STREAM_OF_BRANCHES)
        r->length = s->batch_length = r->batch.len;
    if (r->length != 0 && r->batch.len != r->length)
        return error_set(r->e, STATUS_FORMAT,
                         "%s:%zu: batch %llu ends after %zu instructions, the first has %zu",
                         r->name, r->line, (unsigned long long)r->number, r->batch.len, r->length);
    if (!stream_add_some(&r->made, r->batch.at, r->batch.len) ||
        (r->weighed && !vec_push(&r->cycles, r->before)))
        return out_of_memory(r);
    r->batch.len = 0;
    return STATUS_OK;
}

/* Checks that batch numbers rise by one and that batches have equal lengths. */
static enum status count_sample(struct reader *r, uint64_t batch) {
    const size_t length = r->length;
    const bool first = r->line == 2;
    if (first ? batch != 0 : batch != r->number && batch != r->number + 1)
        return error_set(r->e, STATUS_FORMAT, "%s:%zu: batch %llu is out of order; %s", r->name,
                         r->line, (unsigned long long)batch,
                         first ? "the first is 0" : "numbers rise by one");
    if (!first && batch != r->number) {
        enum status status = end_batch(r);
        if (status != STATUS_OK)
            return status;
    } else if (length != 0 && r->batch.len == length) {
        return error_set(r->e, STATUS_FORMAT,
                         "%s:%zu: batch %llu has more than %zu instructions, as many as the first",
                         r->name, r->line, (unsigned long long)batch, length);
    }
    r->number = batch;
    return STATUS_OK;
}

static enum status take_weight(struct reader *r) {
    uint64_t cycles;
    if (!scan_decimal(&r->at, r->end, UINT16_MAX, &cycles) || cycles == 0 ||
        (r->at != r->end && *r->at != ' '))
        return malformed(r, "the first line says that batches are weighted, but the image does not "
                            "begin with a number of cycles from 1 to 65535");
    r->before = (uint16_t)cycles;
    return STATUS_OK;
}

static enum status read_line(struct reader *r) {
    const char *sequence;
    size_t len;
    if (++r->line == 1) {
        r->weighed = origin_scan(&r->made.stream, r->at, r->end);
        return STATUS_OK;
    }
    struct sample s = {0};
    uint64_t batch;
    enum status status = STATUS_OK;
    if (!take_field(r, &sequence, &len))
        return malformed(r, "a line is sequence, pc, size, type, batch, text and image, "
                            "tab-separated");
    const char *head = r->at;
    struct known_line *k = known_slot(r, head);
    if (k == NULL || !take_known(r, k, &s, &batch)) {
        status = take_sample(r, &s, &batch);
        if (status == STATUS_OK && k != NULL)
            keep_known(k, head, r->at, &s);
    }
    if (status == STATUS_OK)
        status = count_sample(r, batch);
    if (status == STATUS_OK && r->weighed)
        status = take_weight(r);
    if (status == STATUS_OK && !vec_push(&r->batch, s))
        status = out_of_memory(r);
    return status;
}

/* Reads complete lines; *taken becomes the number of bytes read. If `no_more` text follows, the
 * text after the last newline is a line, too. */
static enum status read_lines(struct reader *r, const char *text, size_t len, bool no_more,
                              size_t *taken) {
    const char *next = text, *stop = text + len;
    enum status status = STATUS_OK;
    while (next < stop && status == STATUS_OK) {
        const char *newline = memchr(next, '\n', (size_t)(stop - next));
        if (newline == NULL && !no_more)
            break;
        r->at = next;
        r->end = newline != NULL ? newline : stop;
        next = newline != NULL ? newline + 1 : stop;
        status = read_line(r);
    }
    *taken = (size_t)(next - text);
    return status;
}

/* Adds the last batch, or drops it if it is shorter than the others. */
static enum status finish_batches(struct reader *r, struct error *warning) {
    if (r->line == 0)
        return error_set(r->e, STATUS_FORMAT, "%s:1: it is empty; the first line is a header",
                         r->name);
    if (r->batch.len == 0) {
        error_set(warning, STATUS_OK, "%s: there are no batches in it", r->name);
    } else if (r->batch.len < r->length) {
        error_set(warning, STATUS_OK,
                  "%s: the last batch, %llu, has only %zu of %zu instructions and is left out",
                  r->name, (unsigned long long)r->number, r->batch.len, r->length);
    } else {
        return end_batch(r);
    }
    return STATUS_OK;
}

static enum status reader_start(struct reader *r, const char *name, struct error *e) {
    *r = (struct reader){.name = name, .e = e};
    r->known = calloc(KNOWN_LINES, sizeof *r->known);
    return r->known != NULL ? STATUS_OK : out_of_memory(r);
}

/* Ends the reading, whether it succeeded or failed. */
static enum status reader_end(struct reader *r, enum status status, struct stream *out,
                              struct error *warning) {
    if (status == STATUS_OK)
        status = finish_batches(r, warning);
    if (status == STATUS_OK) {
        *out = stream_made(&r->made);
        out->cycles = r->cycles.at;
        r->cycles.at = NULL;
    }
    vec_free(&r->cycles);
    stream_unmake(&r->made);
    vec_free(&r->batch);
    free(r->known);
    return status;
}

enum status isampling_parse(struct stream *out, const char *text, size_t len, const char *name,
                            struct error *warning, struct error *e) {
    struct reader r;
    size_t taken;
    enum status status = reader_start(&r, name, e);
    if (status == STATUS_OK)
        status = read_lines(&r, text, len, true, &taken);
    return reader_end(&r, status, out, warning);
}

/* Reads a file of any size in chunks. */
static enum status read_chunks(struct reader *r, struct file_reader *file) {
    enum { CHUNK = 1 << 18, LONGEST_LINE = 1 << 26 };
    VEC(char) text = {0};
    bool no_more = false;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !no_more) {
        size_t got, taken;
        if (!vec_reserve(&text, text.len + CHUNK)) {
            status = out_of_memory(r);
            break;
        }
        status = file_read_some(file, text.at + text.len, text.cap - text.len, &got, r->e);
        if (status != STATUS_OK)
            break;
        no_more = got == 0;
        text.len += got;
        status = read_lines(r, text.at, text.len, no_more, &taken);
        if (status == STATUS_OK && text.len - taken > LONGEST_LINE) {
            r->line++;
            status = malformed(r, "a line longer than 64 MiB");
        }
        memmove(text.at, text.at + taken, text.len - taken);
        text.len -= taken;
    }
    vec_free(&text);
    return status;
}

enum status isampling_read(struct stream *out, struct file_reader *file, const char *path,
                           struct error *warning, struct error *e) {
    struct reader r;
    enum status status = reader_start(&r, path, e);
    if (status == STATUS_OK)
        status = read_chunks(&r, file);
    enum status closed = file_close_reader(file, status == STATUS_OK ? e : NULL);
    return reader_end(&r, status != STATUS_OK ? status : closed, out, warning);
}

/* ---- writing ---- */

static const char *type_of(const struct sample *s) {
    switch ((enum insn_kind)s->kind) {
    case INSN_PLAIN:
    case INSN_JAM:
        return generic;
    case INSN_BRANCH:
        return conditional;
    case INSN_JUMP:
    case INSN_CALL:
        return unconditional;
    default:
        return indirect;
    }
}

struct text {
    char at[64];
    size_t len;
};

static void put_text(struct text *l, const char *text) {
    size_t n = strlen(text);
    memcpy(l->at + l->len, text, n);
    l->len += n;
}

static void put_number(struct text *l, uint64_t value, unsigned base) {
    char digits[24];
    size_t n = sizeof digits;
    do
        digits[--n] = "0123456789abcdef"[value % base];
    while ((value /= base) != 0);
    memcpy(l->at + l->len, digits + n, sizeof digits - n);
    l->len += sizeof digits - n;
}

/* Writes the mnemonic in lower case, as the prototype does. Samples read from a file have lost
 * theirs; a mnemonic of the same kind is written, and readers use only the kind. */
static void put_mnemonic(struct text *l, const struct sample *s) {
    static const char *const kinds[] = {
        [INSN_PLAIN] = "op", [INSN_BRANCH] = "branch",     [INSN_JUMP] = "jmp",
        [INSN_CALL] = "jsr", [INSN_JUMP_INDIRECT] = "jmp", [INSN_RETURN] = "rts",
        [INSN_RTI] = "rti",  [INSN_BRK] = "brk",           [INSN_JAM] = "jam",
    };
    if (s->opcode == 0) {
        put_text(l, kinds[s->kind]);
        return;
    }
    for (const char *c = opcode_info(s->opcode)->name; *c != 0; c++)
        l->at[l->len++] = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
}

/* Caches the constant parts of an instruction's line, because a stream has millions of lines of few
 * instructions. */
struct known_sample {
    struct sample sample;
    struct text head, tail; /* pc, size and type; text: each between tabs. An empty head: unused */
};

enum { KNOWN_SAMPLES = 1024 }; /* a power of two */

static const struct known_sample *find_known(struct known_sample *known, const struct sample *s) {
    const uint64_t key = ((uint64_t)s->pc << 32 | s->target) + s->opcode;
    const uint64_t mixed = (key ^ key >> 29) * UINT64_C(0x9e3779b97f4a7c15);
    struct known_sample *k = &known[(mixed >> 32) % KNOWN_SAMPLES];
    if (k->head.len != 0 && memcmp(&k->sample, s, sizeof *s) == 0)
        return k;
    *k = (struct known_sample){.sample = *s};
    put_text(&k->head, "\t0x");
    put_number(&k->head, s->pc, 16);
    put_text(&k->head, "\t");
    put_number(&k->head, s->size, 10);
    put_text(&k->head, "\t");
    put_text(&k->head, type_of(s));
    put_text(&k->head, "\t");
    put_text(&k->tail, "\t");
    put_mnemonic(&k->tail, s);
    if (type_of(s) == conditional || type_of(s) == unconditional) {
        put_text(&k->tail, " 0x");
        put_number(&k->tail, s->target, 16);
    }
    put_text(&k->tail, "\t");
    return k;
}

/* A decimal number as text that can be incremented. The bytes after it may be copied along. */
enum { DIGITS = 24 };
struct counter {
    char digits[2 * DIGITS];
    size_t first; /* index of its first digit; the digits end at DIGITS */
};

static void count_up(struct counter *c) {
    size_t i = DIGITS;
    while (i > c->first && c->digits[i - 1] == '9')
        c->digits[--i] = '0';
    if (i > c->first)
        c->digits[i - 1]++;
    else
        c->digits[--c->first] = '1';
}

struct lines {
    struct file_writer *file;
    struct known_sample *known;
    struct counter sequence, batch;
    char text[1 << 14];
    size_t len;
};
enum { LINE = 512 }; /* the longest line, plus what is copied along */

static void put_bytes(struct lines *l, const char *bytes, size_t len) {
    if (len > sizeof l->text - l->len) {
        file_write(l->file, l->text, l->len);
        l->len = 0;
    }
    if (len > sizeof l->text) {
        file_write(l->file, bytes, len);
        return;
    }
    memcpy(l->text + l->len, bytes, len);
    l->len += len;
}

/* A copy of constant size compiles to a few instructions; the excess is overwritten. */
static char *add_counter(char *to, const struct counter *c) {
    memcpy(to, c->digits + c->first, DIGITS);
    return to + (DIGITS - c->first);
}

static char *add_text(char *to, const struct text *t) {
    memcpy(to, t->at, sizeof t->at);
    return to + t->len;
}

static void put_line(struct lines *l, const struct known_sample *k, const struct text *behind) {
    if (sizeof l->text - l->len < LINE) {
        file_write(l->file, l->text, l->len);
        l->len = 0;
    }
    char *to = add_counter(l->text + l->len, &l->sequence);
    to = add_text(to, &k->head);
    to = add_counter(to, &l->batch);
    to = add_text(to, &k->tail);
    to = add_text(to, behind);
    l->len = (size_t)(to - l->text);
}
static_assert(2 * DIGITS + 3 * sizeof((struct text *)0)->at <= LINE, "room for a line");

static void put_header(struct lines *l, const struct stream *s) {
    char origin[ORIGIN_TEXT];
    const size_t len = origin_print(origin, sizeof origin, s);
    put_bytes(l, header, strlen(header));
    put_bytes(l, origin, len);
    put_bytes(l, "\n", 1);
}

/* Writes the end of a line: the weight, the image (usually short), and the newline. */
static void put_batch(struct lines *l, const struct stream *s, size_t number, const char *image,
                      size_t image_len) {
    const struct sample *batch = stream_batch(s, number);
    struct text behind = {.len = 0};
    const bool is_short = image_len < sizeof behind.at - 16;
    if (s->cycles != NULL) {
        put_number(&behind, s->cycles[number], 10);
        put_text(&behind, " ");
    }
    if (is_short) {
        put_text(&behind, image);
        put_text(&behind, "\n");
    }
    for (size_t i = 0; i < stream_batch_length(s, number); i++) {
        put_line(l, find_known(l->known, &batch[i]), &behind);
        if (!is_short) {
            put_bytes(l, image, image_len);
            put_bytes(l, "\n", 1);
        }
        count_up(&l->sequence);
    }
    count_up(&l->batch);
}

enum status isampling_write(const struct stream *s, const char *path, const char *image,
                            struct error *e) {
    struct lines *l = malloc(sizeof *l);
    if (l == NULL || (l->known = calloc(KNOWN_SAMPLES, sizeof *l->known)) == NULL) {
        free(l);
        return error_set(e, STATUS_MEMORY, "%s: out of memory", path);
    }
    enum status status = file_open(&l->file, path, e);
    if (status == STATUS_OK) {
        l->len = 0;
        l->sequence = l->batch = (struct counter){.first = DIGITS - 1};
        memset(l->sequence.digits, '0', DIGITS);
        memset(l->batch.digits, '0', DIGITS);
        put_header(l, s);
        for (size_t i = 0; i < s->batch_count; i++)
            put_batch(l, s, i, image, strlen(image));
        file_write(l->file, l->text, l->len);
        status = file_commit(l->file, e);
    }
    free(l->known);
    free(l);
    return status;
}
