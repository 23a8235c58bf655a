/*
 * Reads callgrind.out, as "Callgrind Format Specification" in valgrind's manual describes it:
 *
 *     positions: instr line         columns before the costs; instr comes first
 *     events: Ir ...                the first event is executed instructions
 *     ob=(1) /bin/prog              names: first (NUMBER) NAME, later (NUMBER) alone
 *     0x1139 3 100                  address, line, cost; +N, -N and * are relative to the previous line
 *     calls=1 0x1160 0              a call by the next line's instruction; that line has its whole cost
 *     jcnd=15/100 0x1150 0          taken and executed
 *     jump=15 0x1150 0
 *
 * `cob` and `cfn` apply to the next call, `jfi` and `jfn` to the next jump. One instruction may
 * have several cost lines, one for each line of its source.
 */
#include "qemu/import/callgrind_text.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    const char *name;
    size_t line;
    const struct callgrind_reader *reader;
    VEC(char *) objects; /* by number */
    const char *object, *callee_object;
    uint64_t address; /* of the previous line */
    bool instr, events, part;
    /* A call or jump whose source is on the next line. */
    bool pending;
    struct callgrind_fact fact;
    struct error *e;
};

static enum status malformed(struct reading *r, const char *what) {
    return error_set(r->e, STATUS_FORMAT, "%s:%zu: %s", r->name, r->line, what);
}

static enum status no_memory(struct reading *r) {
    return error_set(r->e, STATUS_MEMORY, "%s: out of memory", r->name);
}

static bool begins(const char **at, const char *end, const char *word) {
    const size_t len = strlen(word);
    if ((size_t)(end - *at) < len || memcmp(*at, word, len) != 0)
        return false;
    *at += len;
    return true;
}

static void skip_blanks(const char **at, const char *end) {
    while (*at < end && (**at == ' ' || **at == '\t'))
        ++*at;
}

/* ---- names ---- */

enum { OBJECTS_MOST = 1 << 16 };

/* Parses "(3) /bin/prog", "(3)" or "/bin/prog"; *out lives as long as the reading. */
static enum status take_object(struct reading *r, const char *at, const char *end,
                               const char **out) {
    uint64_t number = r->objects.len;
    if (begins(&at, end, "(")) {
        if (!scan_decimal(&at, end, OBJECTS_MOST - 1, &number) || !begins(&at, end, ")"))
            return malformed(r, "the number of an object is a decimal in parentheses");
        skip_blanks(&at, end);
    }
    while (r->objects.len <= number)
        if (!vec_push(&r->objects, NULL))
            return no_memory(r);
    char **known = &r->objects.at[number];
    if (at < end) {
        if (*known != NULL)
            return malformed(r, "an object is named twice");
        if (memchr(at, '\0', (size_t)(end - at)) != NULL)
            return malformed(r, "an object's name has a byte 0");
        if ((*known = strndup(at, (size_t)(end - at))) == NULL)
            return no_memory(r);
    }
    if (*known == NULL)
        return malformed(r, "an object has no name yet");
    *out = *known;
    return STATUS_OK;
}

/* ---- positions ---- */

/* The first position of a line: 0x1139, +8, -15 or *. */
static bool take_address(struct reading *r, const char **at, const char *end, uint64_t *out) {
    uint64_t n;
    *out = r->address;
    if (begins(at, end, "*"))
        return true;
    if (scan_hex(at, end, UINT64_MAX, out))
        return true;
    const bool plus = begins(at, end, "+");
    if ((!plus && !begins(at, end, "-")) || !scan_decimal(at, end, UINT64_MAX, &n))
        return false;
    *out = plus ? r->address + n : r->address - n;
    return true;
}

/* Moves *at to the next field. */
static bool next_field(const char **at, const char *end) {
    while (*at < end && **at != ' ' && **at != '\t')
        ++*at;
    skip_blanks(at, end);
    return *at < end;
}

static enum status hand_on(struct reading *r) {
    r->fact.object = r->object;
    return r->reader->fact(r->reader->user, &r->fact) ? STATUS_OK : no_memory(r);
}

/* Parses a line of costs, or the source of a call or jump. `two`: the line also has a source line.
 */
static enum status take_costs(struct reading *r, const char *at, const char *end, bool two) {
    uint64_t address;
    if (!take_address(r, &at, end, &address) || (at < end && *at != ' ' && *at != '\t'))
        return malformed(r, "a line begins with a keyword, or with an address: 0x, +, - or *");
    if (r->object == NULL || !r->instr)
        return malformed(r, "costs before 'ob=' and 'positions: instr': --dump-instr=yes writes "
                            "both");
    r->address = address;
    r->fact.address = address;
    if (r->pending) {
        r->pending = false;
        return hand_on(r);
    }
    r->fact = (struct callgrind_fact){.kind = CALLGRIND_COST, .address = address};
    if (two)
        next_field(&at, end);
    if (!next_field(&at, end)) /* a missing cost is 0 */
        return STATUS_OK;
    if (!scan_decimal(&at, end, UINT64_MAX >> 1, &r->fact.count))
        return malformed(r, "a cost is a decimal number");
    return r->fact.count > 0 ? hand_on(r) : STATUS_OK;
}

/* Parses what follows "jcnd=", such as "15/100 0x1150 0". */
static enum status take_transfer(struct reading *r, const char *at, const char *end,
                                 enum callgrind_kind kind) {
    uint64_t executed;
    r->fact = (struct callgrind_fact){.kind = kind, .target_object = r->object};
    if (kind == CALLGRIND_CALL && r->callee_object != NULL)
        r->fact.target_object = r->callee_object;
    if (kind == CALLGRIND_CALL)
        r->callee_object = NULL;
    if (r->fact.target_object == NULL)
        return malformed(r, "a call or jump before 'ob='");
    bool ok = scan_decimal(&at, end, UINT64_MAX >> 1, &r->fact.count);
    if (kind == CALLGRIND_BRANCH)
        ok = ok && begins(&at, end, "/") && scan_decimal(&at, end, UINT64_MAX, &executed);
    skip_blanks(&at, end);
    if (!ok || !take_address(r, &at, end, &r->fact.target))
        return malformed(r, "a call or jump is a count and where it goes");
    r->pending = true;
    return STATUS_OK;
}

static enum status take_positions(struct reading *r, const char *at, const char *end, bool *two) {
    skip_blanks(&at, end);
    if (!begins(&at, end, "instr"))
        return malformed(r, "there are no instructions: run callgrind with --dump-instr=yes "
                            "--collect-jumps=yes");
    r->instr = true;
    skip_blanks(&at, end);
    *two = begins(&at, end, "line");
    return STATUS_OK;
}

static enum status take_events(struct reading *r, const char *at, const char *end) {
    skip_blanks(&at, end);
    r->events = begins(&at, end, "Ir") && (at == end || *at == ' ');
    return r->events ? STATUS_OK
                     : malformed(r, "the first event must be Ir: executed instructions");
}

static enum status take_line(struct reading *r, const char *at, const char *end, bool *two) {
    if (begins(&at, end, "part:")) {
        /* Calls that were running at a dump are not counted in either part. */
        if (r->part)
            return malformed(r,
                             "a second dump begins: run callgrind so that it writes one, without "
                             "--dump-every-bb, --dump-before and --dump-after");
        r->part = true;
        return STATUS_OK;
    }
    if (begins(&at, end, "positions:"))
        return take_positions(r, at, end, two);
    if (begins(&at, end, "events:"))
        return take_events(r, at, end);
    if (begins(&at, end, "ob="))
        return take_object(r, at, end, &r->object);
    if (begins(&at, end, "cob="))
        return take_object(r, at, end, &r->callee_object);
    if (begins(&at, end, "calls="))
        return take_transfer(r, at, end, CALLGRIND_CALL);
    if (begins(&at, end, "jump="))
        return take_transfer(r, at, end, CALLGRIND_JUMP);
    if (begins(&at, end, "jcnd="))
        return take_transfer(r, at, end, CALLGRIND_BRANCH);
    if (*at >= 'a' && *at <= 'z') /* "fn=", "totals:", "desc:" and others */
        return memchr(at, '=', (size_t)(end - at)) != NULL ||
                       memchr(at, ':', (size_t)(end - at)) != NULL
                   ? STATUS_OK
                   : malformed(r, "not a line of a callgrind.out");
    return take_costs(r, at, end, *two);
}

enum status callgrind_text_read(const char *text, size_t len, const char *name,
                                const struct callgrind_reader *reader, struct error *e) {
    struct reading r = {.name = name, .reader = reader, .e = e};
    const char *stop = text + len;
    enum status status = STATUS_OK;
    bool two = false;
    while (text < stop && status == STATUS_OK) {
        const char *newline = memchr(text, '\n', (size_t)(stop - text));
        const char *end = newline != NULL ? newline : stop;
        r.line++;
        while (end > text && (end[-1] == ' ' || end[-1] == '\r'))
            end--;
        if (end > text && *text != '#')
            status = take_line(&r, text, end, &two);
        text = newline != NULL ? newline + 1 : stop;
    }
    if (status == STATUS_OK && (!r.events || !r.instr))
        status = error_set(e, STATUS_FORMAT, "%s: is not a callgrind.out with instructions", name);
    for (size_t i = 0; i < r.objects.len; i++)
        free(r.objects.at[i]);
    vec_free(&r.objects);
    return status;
}
