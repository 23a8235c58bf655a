/*
 * Reads lines of `perf script` (linux/tools/perf/builtin-script.c prints them; --fields chooses
 * fields):
 *
 *     COMM PID/TID TIME: PERF_RECORD_MMAP2 PID/TID: [0xSTART(0xSIZE) @ 0xOFFSET 08:01 1 2]: r-xp PATH
 *     COMM [PID/]TID [CPU] TIME: PERIOD EVENT: ADDRESS SYMBOL+0x1 (FILE)
 *     COMM [PID/]TID [CPU] TIME: PERIOD EVENT: 0xFROM/0xTO/P/-/-/0  0xFROM/0xTO/M/-/-/3 ...
 *
 * With call chains, the address is missing in each sample's line. Lines with a tab and one address
 * each follow, the first of which is the sample's, then an empty line:
 *
 *     \tADDRESS SYMBOL+0x1 (FILE)
 *
 * Fields are recognised by their form, because commands and events may have any name. In lines
 * without time and event an address is recognised by its width of 16.
 */
#include "qemu/import/perf_text.h"

#include <string.h>

#include "qemu/import/plain_hex.h"

struct reading {
    const char *name;
    size_t line, known; /* known: lines that were understood */
    const struct perf_reader *reader;
    struct perf_sample sample; /* the current sample; its address may be on the next line */
    bool open, headed;
    struct error *e;
};

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* Finds the next field; *at becomes its end. False: the line ends. */
static bool next_field(const char **at, const char *end, const char **field) {
    while (*at < end && is_blank(**at))
        ++*at;
    *field = *at;
    while (*at < end && !is_blank(**at))
        ++*at;
    return *field < *at;
}

/* "123.456789:" */
static bool is_time(const char *field, const char *end) {
    uint64_t number;
    return scan_decimal(&field, end, UINT64_MAX, &number) && field < end && *field == '.' &&
           (field++, scan_decimal(&field, end, UINT64_MAX, &number)) && field + 1 == end &&
           *field == ':';
}

/* "12/34" or "34". */
static bool take_threads(const char *field, const char *end, uint32_t *process, uint32_t *thread) {
    uint64_t one, other;
    if (!scan_decimal(&field, end, PERF_UNKNOWN - 1, &one))
        return false;
    const bool both = field < end;
    if (both &&
        (*field++ != '/' || !scan_decimal(&field, end, PERF_UNKNOWN - 1, &other) || field != end))
        return false;
    *process = both ? (uint32_t)one : PERF_UNKNOWN;
    *thread = both ? (uint32_t)other : (uint32_t)one;
    return true;
}

/* ---- maps ---- */

static bool skip_text(const char **at, const char *end, const char *text) {
    const size_t len = strlen(text);
    if ((size_t)(end - *at) < len || memcmp(*at, text, len) != 0)
        return false;
    *at += len;
    return true;
}

/* Parses "PID/TID: [0xSTART(0xSIZE) @ 0xOFFSET ...]: r-xp PATH". False: not usable, such as a map
 * of the kernel. */
static bool take_map(const char *at, const char *end, struct perf_map *map) {
    uint64_t process, thread;
    while (at < end && *at == ' ')
        at++;
    if (!scan_decimal(&at, end, PERF_UNKNOWN - 1, &process) || !skip_text(&at, end, "/") ||
        !scan_decimal(&at, end, UINT32_MAX, &thread) || !skip_text(&at, end, ": [") ||
        !scan_hex(&at, end, UINT64_MAX, &map->start) || !skip_text(&at, end, "(") ||
        !scan_hex(&at, end, UINT64_MAX, &map->size) || !skip_text(&at, end, ") @ "))
        return false;
    if (!scan_hex(&at, end, UINT64_MAX, &map->offset)) {
        if (!skip_text(&at, end, "0")) /* perf prints 0 without 0x */
            return false;
        map->offset = 0;
    }
    const char *close = memmem(at, (size_t)(end - at), "]: ", 3);
    if (close == NULL)
        return false;
    const char *rights = close + 3, *path = memchr(rights, ' ', (size_t)(end - rights));
    if (path == NULL || memchr(rights, 'x', (size_t)(path - rights)) == NULL)
        return false;
    while (end > ++path && is_blank(end[-1]))
        end--;
    if (path >= end || (size_t)(end - path) >= sizeof map->path ||
        memchr(path, '\0', (size_t)(end - path)) != NULL)
        return false;
    map->process = (uint32_t)process;
    memcpy(map->path, path, (size_t)(end - path));
    map->path[end - path] = '\0';
    return true;
}

/* ---- samples ---- */

/* "0xFROM/0xTO/..." or "0xFROM(FILE)/0xTO(FILE)/...". */
static bool is_branch(const char *field, const char *end) {
    uint64_t address;
    return scan_hex(&field, end, UINT64_MAX, &address) && field < end &&
           (*field == '/' || *field == '(') && memchr(field, '/', (size_t)(end - field)) != NULL;
}

/* Moves *at past "(FILE)", which may be missing; a slash follows. */
static struct perf_file take_file(const char **at, const char *end) {
    struct perf_file file = {0};
    const char *close = *at < end && **at == '(' ? memmem(*at, (size_t)(end - *at), ")/", 2) : NULL;
    if (close != NULL) {
        file = (struct perf_file){*at + 1, (size_t)(close - *at - 1)};
        *at = close + 1;
    }
    return file;
}

/* Takes the branch that begins at *at, and moves *at to its end; files' names may have blanks. */
static bool take_branch(struct perf_sample *s, const char **at, const char *end) {
    struct perf_branch b = {0};
    if (!scan_hex(at, end, UINT64_MAX, &b.from))
        return false;
    b.from_file = take_file(at, end);
    if (*at == end || *(*at)++ != '/' || !scan_hex(at, end, UINT64_MAX, &b.to))
        return false;
    b.to_file = take_file(at, end);
    if (*at < end && **at != '/' && !is_blank(**at))
        return false;
    while (*at < end && !is_blank(**at))
        ++*at;
    if (s->branch_count < PERF_STACK)
        s->branches[s->branch_count++] = b;
    return true;
}

/* "main+0x12/leaf+0x3/P/-/-/0", as -F brstacksym prints a branch. */
static bool is_named_branch(const char *field, const char *end) {
    const char *slash[5], *at = field;
    for (int i = 0; i < 5; i++) {
        slash[i] = memchr(at, '/', (size_t)(end - at));
        if (slash[i] == NULL)
            return false;
        at = slash[i] + 1;
    }
    return slash[2] > slash[1] + 1 && strchr("PMN-", slash[1][1]) != NULL &&
           slash[3] == slash[2] + 2 && strchr("X-", slash[2][1]) != NULL &&
           slash[4] == slash[3] + 2 && strchr("A-", slash[3][1]) != NULL && at < end &&
           *at >= '0' && *at <= '9';
}

static enum status end_sample(struct reading *r) {
    const bool wanted = r->open && (r->sample.has_address || r->sample.branch_count > 0);
    r->open = r->headed = false;
    if (wanted && !r->reader->sample(r->reader->user, &r->sample))
        return error_set(r->e, STATUS_MEMORY, "%s: out of memory", r->name);
    return STATUS_OK;
}

static bool is_address(const char *field, const char *end, uint64_t *address) {
    return scan_plain_hex(&field, end, address) && field == end;
}

/* True if one of the next three fields is an event's name, which the address follows. */
static bool has_event(const char *at, const char *end) {
    const char *field;
    for (int i = 0; i < 3 && next_field(&at, end, &field); i++)
        if (at[-1] == ':')
            return true;
    return false;
}

/* The address after an event ("cycles:u:"), or in the first field, if it is as long as `shortest`;
 * NULL: it is not there. */
static const char *find_address(const char *at, const char *end, int shortest) {
    const bool event = has_event(at, end);
    const char *field;
    uint64_t address;
    for (bool here = !event; next_field(&at, end, &field); here = at[-1] == ':') {
        if (here && is_address(field, at, &address) && (event || at - field >= shortest))
            return field;
        if (!event)
            break;
    }
    return NULL;
}

/* The last address that is as wide as perf prints one; NULL: there is none. *before: the field
 * before it. */
static const char *find_wide_address(const char *at, const char *end, const char **before,
                                     const char **before_end) {
    enum { WIDTH = 16 };
    const char *field, *found = NULL, *last = NULL, *last_end = at;
    uint64_t address;
    while (next_field(&at, end, &field)) {
        if (at - last_end >= WIDTH && is_address(field, at, &address)) {
            found = field;
            *before = last;
            *before_end = last_end;
        }
        last = field;
        last_end = at;
    }
    return found;
}

/* Takes the address, if it is not NULL, and the branches of a line. */
static enum status take_fields(struct reading *r, const char *at, const char *end,
                               const char *address) {
    const char *field;
    while (next_field(&at, end, &field)) {
        if (is_named_branch(field, at) && !is_branch(field, at))
            return error_set(r->e, STATUS_FORMAT,
                             "%s:%zu: has names of branches (brstacksym), whose addresses are "
                             "needed: print them with perf script --show-mmap-events -F +brstack",
                             r->name, r->line);
        if (is_branch(field, at)) {
            const int length = at - field < 60 ? (int)(at - field) : 60;
            at = field;
            if (!take_branch(&r->sample, &at, end))
                return error_set(r->e, STATUS_FORMAT,
                                 "%s:%zu: '%.*s' is no entry of a branch stack (0xFROM/0xTO/...)",
                                 r->name, r->line, length, field);
            r->known++;
        } else if (field == address && !r->sample.has_address) {
            r->sample.has_address = is_address(field, at, &r->sample.address);
            r->known++;
        }
    }
    return STATUS_OK;
}

/* True if the line has a time, which makes it a head. *rest: the text after the time. */
static bool find_head(const char *at, const char *end, uint32_t *process, uint32_t *thread,
                      const char **rest) {
    const char *field;
    bool threads = false, alone = true;
    *process = *thread = PERF_UNKNOWN;
    while (next_field(&at, end, &field)) {
        if (is_time(field, at)) {
            *rest = at;
            return alone || threads;
        }
        /* The last field that has the form; [CPU] and the letters of `misc` may follow. */
        threads |= take_threads(field, at, process, thread);
        alone &= *field == '[';
    }
    return false;
}

/* The text between the parentheses that end the line, as "(/tmp/a (deleted))". */
static struct perf_file file_at_end(const char *at, const char *end) {
    while (at < end && is_blank(end[-1]))
        end--;
    int depth = 0;
    for (const char *p = end; p-- > at;) {
        depth += *p == ')' ? 1 : *p == '(' ? -1 : 0;
        if (depth == 0)
            return p + 1 == end ? (struct perf_file){0}
                                : (struct perf_file){p + 1, (size_t)(end - p - 2)};
    }
    return (struct perf_file){0};
}

/* A line of a call chain; all but the first are callers. That of an inlined function, which has no
 * file, comes before that of the function around it, at the same address. */
static enum status take_frame(struct reading *r, const char *at, const char *end) {
    struct perf_sample *s = &r->sample;
    const char *field, *line = at;
    uint64_t address;
    if (!r->open) {
        *s = (struct perf_sample){.process = PERF_UNKNOWN, .thread = PERF_UNKNOWN};
        r->open = true;
    }
    if (!next_field(&at, end, &field) || !is_address(field, at, &address))
        return STATUS_OK;
    if (at < end && *at == '\t') /* in a chain a blank follows */
        return error_set(r->e, STATUS_FORMAT,
                         "%s:%zu: has instructions of branches (brstackinsn, brstackdisasm): print "
                         "the branches with perf script --show-mmap-events -F +brstack",
                         r->name, r->line);
    /* What the sample's own line has then is no instruction (-F +addr). */
    if (s->chained && (s->file.at != NULL || s->address != address))
        return STATUS_OK;
    s->has_address = s->chained = true;
    s->address = address;
    s->file = file_at_end(line, end);
    if (s->file.length == 7 && memcmp(s->file.at, "inlined", 7) == 0)
        s->file.at = NULL;
    r->known++;
    return STATUS_OK;
}

static bool has_branch(const char *at, const char *end) {
    const char *field;
    while (next_field(&at, end, &field))
        if (is_branch(field, at))
            return true;
    return false;
}

/* Without times, as with -F ip,brstack, each line is a sample. But branches may follow a call chain,
 * lines of the program's source any sample, and a call chain a line with only its thread. */
static enum status take_bare(struct reading *r, const char *at, const char *end) {
    const char *field, *threads = NULL, *threads_end = NULL;
    const char *address = find_wide_address(at, end, &threads, &threads_end);
    if (address == NULL)
        address = find_address(at, end, 6); /* not a command, such as dd */
    if (r->open && r->sample.chained)
        return take_fields(r, at, end, NULL);
    const bool sample = address != NULL || has_branch(at, end);
    if (!sample && r->open)
        return STATUS_OK;
    const enum status status = end_sample(r);
    if (status != STATUS_OK)
        return status;
    r->sample = (struct perf_sample){.process = PERF_UNKNOWN, .thread = PERF_UNKNOWN};
    r->open = true;
    for (const char *p = at; !sample && next_field(&p, end, &field); threads_end = p)
        threads = field;
    if (threads != NULL)
        take_threads(threads, threads_end, &r->sample.process, &r->sample.thread);
    return take_fields(r, at, end, address);
}

static enum status take_line(struct reading *r, const char *at, const char *end) {
    static const char *const records[] = {"PERF_RECORD_MMAP2 ", "PERF_RECORD_MMAP "};
    struct perf_map map;
    const char *rest;
    for (int i = 0; i < 2; i++) {
        const char *found = memmem(at, (size_t)(end - at), records[i], strlen(records[i]));
        if (found == NULL)
            continue;
        enum status status = end_sample(r);
        if (status == STATUS_OK && take_map(found + strlen(records[i]), end, &map)) {
            r->known++;
            if (!r->reader->map(r->reader->user, &map))
                status = error_set(r->e, STATUS_MEMORY, "%s: out of memory", r->name);
        }
        return status;
    }
    uint32_t process, thread;
    if (find_head(at, end, &process, &thread, &rest)) {
        const enum status status = end_sample(r);
        if (status != STATUS_OK)
            return status;
        r->sample = (struct perf_sample){.process = process, .thread = thread};
        r->open = r->headed = true;
        /* Other records, such as PERF_RECORD_COMM, have no address. */
        return memmem(rest, (size_t)(end - rest), "PERF_RECORD_", 12) != NULL
                   ? STATUS_OK
                   : take_fields(r, rest, end, find_address(rest, end, 1));
    }
    return r->headed ? take_fields(r, at, end, find_address(at, end, 1)) : take_bare(r, at, end);
}

enum status perf_text_read(const char *text, size_t len, const char *name,
                           const struct perf_reader *reader, struct error *e) {
    struct reading r = {.name = name, .reader = reader, .e = e};
    const char *stop = text + len;
    enum status status = STATUS_OK;
    while (text < stop && status == STATUS_OK) {
        const char *newline = memchr(text, '\n', (size_t)(stop - text));
        const char *end = newline != NULL ? newline : stop;
        const char *first = text;
        r.line++;
        while (first < end && is_blank(*first))
            first++;
        if (first == end)
            status = end_sample(&r); /* an empty line ends a call chain */
        else if (*text == '\t')
            status = take_frame(&r, text, end);
        else if (*first != '#')
            status = take_line(&r, text, end);
        text = newline != NULL ? newline + 1 : stop;
    }
    if (status == STATUS_OK)
        status = end_sample(&r);
    if (status == STATUS_OK && r.known == 0)
        status =
            error_set(e, STATUS_FORMAT,
                      "%s: nothing in it is what 'perf script --show-mmap-events' prints", name);
    return status;
}
