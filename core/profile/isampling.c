/*
 * Sample streams as `isampling` text, the prototype's own format: a free header line, then
 *
 *     sequence  pc  size  type  batch  text  image
 *
 * tab-separated, one executed instruction a line. sequence and image are not interpreted, nor is
 * text where there is no direct target, but for one thing: the format has a single type for all
 * that goes to an address not in the instruction, and only the mnemonic tells an RTI, after which
 * the program goes on anywhere, from an RTS. Any other text is as good as "rts".
 */
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char header[] = "sequence\tpc\tsize\ttype\tbatch\ttext\timage\n";

static const char generic[] = "GENERIC", conditional[] = "BRANCHORCALL DIRECT COND",
                  unconditional[] = "BRANCHORCALL DIRECT INCOND",
                  indirect[] = "BRANCHORCALL INDIRECT INCOND";

/* ---- reading ---- */

struct reader {
    const char *name; /* for messages */
    size_t line;
    const char *at, *end; /* rest of the line */
    VEC(struct sample) samples;
    uint64_t batch;          /* number of the batch being read */
    size_t in_batch, length; /* its lines so far; lines of the first, once it has ended */
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

/* Moves behind the next tab; *field gets what was before it. */
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

/* The text of a direct transfer: mnemonic, one space, target. */
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

static enum status take_sample(struct reader *r, struct sample *s, uint64_t *batch) {
    const char *text;
    size_t len;
    uint64_t pc, size;
    enum status status;
    if (!take_field(r, &text, &len))
        return malformed(r, "a line is sequence, pc, size, type, batch, text and image, "
                            "tab-separated");
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

/* Keeps the books of batches: numbers rise by one, and all are as long as the first. */
static enum status count_batch(struct reader *r, uint64_t batch) {
    const unsigned long long was = r->batch, now = batch;
    bool first = r->samples.len == 0;
    if (first ? batch != 0 : batch != r->batch && batch != r->batch + 1)
        return error_set(r->e, STATUS_FORMAT, "%s:%zu: batch %llu is out of order; %s", r->name,
                         r->line, now, first ? "the first is 0" : "numbers rise by one");
    if (!first && batch != r->batch) {
        if (r->batch == 0)
            r->length = r->in_batch;
        else if (r->in_batch != r->length)
            return error_set(r->e, STATUS_FORMAT,
                             "%s:%zu: batch %llu ends after %zu instructions, the first has %zu",
                             r->name, r->line, was, r->in_batch, r->length);
        r->in_batch = 0;
    }
    r->batch = batch;
    if (batch != 0 && r->in_batch == r->length)
        return error_set(r->e, STATUS_FORMAT,
                         "%s:%zu: batch %llu has more than %zu instructions, as many as the first",
                         r->name, r->line, now, r->length);
    r->in_batch++;
    return STATUS_OK;
}

static enum status read_lines(struct reader *r, const char *text, size_t len) {
    for (const char *next = text, *stop = text + len; next < stop;) {
        const char *newline = memchr(next, '\n', (size_t)(stop - next));
        r->at = next;
        r->end = newline != NULL ? newline : stop;
        next = newline != NULL ? newline + 1 : stop;
        if (++r->line == 1)
            continue;
        struct sample s = {0};
        uint64_t batch;
        enum status status = take_sample(r, &s, &batch);
        if (status == STATUS_OK)
            status = count_batch(r, batch);
        if (status != STATUS_OK)
            return status;
        if (!vec_push(&r->samples, s))
            return error_set(r->e, STATUS_MEMORY, "%s: out of memory", r->name);
    }
    return STATUS_OK;
}

/* Drops a last batch that is shorter than the others. */
static void finish_batches(struct reader *r, struct stream *out, struct error *warning) {
    out->batch_count = r->samples.len > 0 ? (size_t)r->batch + 1 : 0;
    if (r->batch == 0)
        r->length = r->in_batch;
    if (r->samples.len == 0) {
        error_set(warning, STATUS_OK, "%s: there are no batches in it", r->name);
    } else if (r->in_batch < r->length) {
        out->batch_count--;
        error_set(warning, STATUS_OK,
                  "%s: the last batch, %llu, has only %zu of %zu instructions and is left out",
                  r->name, (unsigned long long)r->batch, r->in_batch, r->length);
    }
    out->batch_length = r->length;
    out->samples = r->samples.at;
}

enum status stream_parse(struct stream *out, const char *text, size_t len, const char *name,
                         struct error *warning, struct error *e) {
    *out = (struct stream){0};
    if (warning != NULL)
        *warning = (struct error){0};
    struct reader r = {.name = name, .e = e};
    if (len == 0)
        return error_set(e, STATUS_FORMAT, "%s:1: it is empty; the first line is a header", name);
    enum status status = read_lines(&r, text, len);
    if (status == STATUS_OK)
        finish_batches(&r, out, warning);
    else
        vec_free(&r.samples);
    return status;
}

enum status stream_read(struct stream *out, const char *path, struct error *warning,
                        struct error *e) {
    *out = (struct stream){0};
    struct bytes text;
    enum status status = file_read(&text, path, (size_t)4 << 30, e);
    if (status != STATUS_OK)
        return status;
    status = stream_parse(out, (const char *)text.at, text.len, path, warning, e);
    bytes_free(&text);
    return status;
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

/* Formats by hand: a stream has millions of lines. */
struct line {
    char text[160];
    size_t len;
};

static void put_text(struct line *l, const char *text) {
    size_t n = strlen(text);
    memcpy(l->text + l->len, text, n);
    l->len += n;
}

static void put_number(struct line *l, uint64_t value, unsigned base) {
    char digits[24];
    size_t n = sizeof digits;
    do
        digits[--n] = "0123456789abcdef"[value % base];
    while ((value /= base) != 0);
    memcpy(l->text + l->len, digits + n, sizeof digits - n);
    l->len += sizeof digits - n;
}

/* The mnemonic in lower case, as the prototype writes it. Samples that came from a file have lost
 * theirs; of them it tells the kind, which is all that is read back. */
static void put_mnemonic(struct line *l, const struct sample *s) {
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
        l->text[l->len++] = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
}

static void put_sample(struct line *l, const struct sample *s, size_t index, size_t batch) {
    l->len = 0;
    put_number(l, index, 10);
    put_text(l, "\t0x");
    put_number(l, s->pc, 16);
    put_text(l, "\t");
    put_number(l, s->size, 10);
    put_text(l, "\t");
    put_text(l, type_of(s));
    put_text(l, "\t");
    put_number(l, batch, 10);
    put_text(l, "\t");
    put_mnemonic(l, s);
    if (type_of(s) == conditional || type_of(s) == unconditional) {
        put_text(l, " 0x");
        put_number(l, s->target, 16);
    }
    put_text(l, "\t");
}

enum status stream_write(const struct stream *s, const char *path, const char *image,
                         struct error *e) {
    if (strpbrk(image, "\t\r\n") != NULL)
        return error_set(e, STATUS_ARGUMENT, "%s: an image name has no tabs or line ends", path);
    struct file_writer *w;
    enum status status = file_open(&w, path, e);
    if (status != STATUS_OK)
        return status;
    size_t image_len = strlen(image);
    file_write(w, header, strlen(header));
    for (size_t i = 0; i < s->batch_length * s->batch_count; i++) {
        struct line line;
        put_sample(&line, &s->samples[i], i, i / s->batch_length);
        file_write(w, line.text, line.len);
        file_write(w, image, image_len);
        file_write(w, "\n", 1);
    }
    return file_commit(w, e);
}
