#include "commands/native/native_pieces.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct native_pieces *c;
    const char *folder, *without;
    struct error *e;
};

/* Bytes of a file. Large programs with all their libraries have some 250 of them for each piece of code. */
#define MOST (UINT64_C(1) << 34)

static enum status no_memory(struct reader *r) {
    return error_set(r->e, STATUS_MEMORY, "out of memory");
}

static enum status read_part(struct reader *r, struct bytes *out, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", r->folder, name);
    return file_read(out, path, (size_t)MOST, r->e);
}

static bool number(const char **p, const char *end, uint64_t most, uint64_t *out) {
    return scan_decimal(p, end, most, out) && *(*p)++ == ' ';
}

/* Some functions of the library only jump on to libc's. */
static uint64_t led_to(const struct native_pieces *c, uint64_t address) {
    for (size_t i = 0; i < SESSION_SHADOWS; i++)
        if (address != 0 && c->shadows[i].from == address)
            return c->shadows[i].to;
    return address;
}

/* ---- pieces ---- */

static bool count_at(const struct native_pieces *c, uint64_t offset, uint64_t *out) {
    *out = 0;
    if (offset > c->counters.len || c->counters.len - offset < sizeof *out)
        return offset == 0;
    if (offset != 0)
        memcpy(out, c->counters.at + offset, sizeof *out);
    return true;
}

/* The lengths of the instructions; false: there are none. */
static bool read_lengths(struct native_piece *p, const char **at) {
    p->lengths = *at;
    p->end = p->start;
    for (; **at != ' ' && **at != 0; (*at)++) {
        const char *digit = strchr("0123456789abcdef", **at);
        if (digit == NULL)
            return false;
        p->last = p->end;
        p->end += (uint32_t)(digit - "0123456789abcdef");
        p->instructions++;
    }
    return p->instructions > 0 && *(*at)++ == ' ';
}

/* Sites of objects that do not count have no pieces. */
static bool sites_up_to(struct native_pieces *c, uint64_t site) {
    while (c->sites.len < site)
        if (!vec_push(&c->sites, SIZE_MAX))
            return false;
    return true;
}

/* The piece of a site, which no other piece has. */
static bool put_site(struct native_pieces *c, uint64_t site, size_t piece) {
    if (!sites_up_to(c, site + 1) || c->sites.at[site] != SIZE_MAX)
        return false;
    c->sites.at[site] = piece;
    return true;
}

/* Of the pieces `of`, which are read in turn. */
static bool piece_line(struct native_pieces *c, const char *line, const struct native_part *of) {
    const char *p = line, *end = line + strlen(line);
    uint64_t start, target, enter, count, fall, taken, site, back, arm_of, traps;
    struct native_piece piece = {.object = (uint32_t)of->object};
    if (!number(&p, end, UINT32_MAX, &start) || !number(&p, end, UINT32_MAX, &target) ||
        strchr("njbcarlwsxo", *p) == NULL || p[1] != ' ')
        return false;
    piece.ends = *p;
    p += 2;
    piece.start = (uint32_t)start;
    piece.target = (uint32_t)target;
    if (!number(&p, end, 1, &enter) || !number(&p, end, UINT64_MAX, &count) ||
        !number(&p, end, UINT64_MAX, &fall) || !number(&p, end, UINT64_MAX, &taken) ||
        !number(&p, end, SESSION_PAIRS_SITES, &site) || !number(&p, end, of->count, &back) ||
        !number(&p, end, of->count, &arm_of) || !number(&p, end, 3, &traps) ||
        !read_lengths(&piece, &p) || !count_at(c, count, &piece.count) ||
        !count_at(c, fall, &piece.fall) || !count_at(c, taken, &piece.taken))
        return false;
    piece.may_enter = enter != 0;
    piece.has_count = count != 0 || site != 0;
    piece.has_fall = fall != 0 && piece.ends != 'l';
    piece.has_taken = taken != 0;
    if (piece.ends == 'l') {
        piece.led = led_to(c, piece.fall);
        piece.fall = 0;
    }
    piece.site = (uint32_t)site;
    piece.back = (uint32_t)back;
    piece.arm_of = (uint32_t)arm_of;
    piece.traps = (uint32_t)traps;
    piece.name = p;
    const size_t before = c->pieces.len;
    return (before == of->first || c->pieces.at[before - 1].start < piece.start) &&
           (site == 0 || put_site(c, site, before)) && vec_push(&c->pieces, piece);
}

static bool left_out_line(struct native_pieces *c, const char *line) {
    const char *p = line, *end = line + strlen(line);
    uint64_t start, stop;
    return number(&p, end, UINT32_MAX, &start) && number(&p, end, UINT32_MAX, &stop) &&
           vec_push(&c->left_out, ((struct native_left_out){(uint32_t)(c->objects.len - 1),
                                                            (uint32_t)start, (uint32_t)stop}));
}

/* Sets what follows the line: *left_out and *pieces lines. */
static bool object_line(struct reader *r, const char *line, uint64_t *sites, size_t *left_out,
                        size_t *pieces) {
    struct native_pieces *c = r->c;
    const char *p = line, *end = line + strlen(line);
    uint64_t count, functions, libc;
    struct native_object o = {.first = c->pieces.len};
    if (!number(&p, end, UINT64_MAX, &o.text) || !number(&p, end, UINT64_MAX, &o.text_end) ||
        !number(&p, end, UINT32_MAX, &o.offset) || !number(&p, end, SESSION_PAIRS_SITES, sites) ||
        !number(&p, end, UINT32_MAX, &count) || !number(&p, end, UINT32_MAX, &functions) ||
        !number(&p, end, 1, &libc))
        return false;
    o.libc = libc != 0;
    o.outside = o.libc && r->without != NULL && *p == 0 ? r->without : p;
    o.count = o.outside[0] == 0 ? (size_t)count : 0;
    *left_out = (size_t)functions;
    *pieces = (size_t)count;
    return vec_push(&c->objects, o);
}

/* A part of a late object. Sets *of, and how many of its pieces follow. */
static bool part_line(struct native_pieces *c, const char *line, uint64_t *sites,
                      struct native_part *of, size_t *pieces) {
    const char *p = line + 2, *end = line + strlen(line);
    uint64_t object, count;
    if (line[1] != ' ' || c->objects.len == 0 || !number(&p, end, c->objects.len - 1, &object) ||
        !number(&p, end, SESSION_PAIRS_SITES, sites) || !number(&p, end, UINT32_MAX, &count))
        return false;
    *of = (struct native_part){
        .object = (size_t)object, .first = c->pieces.len, .count = (size_t)count};
    *pieces = of->count;
    return vec_push(&c->parts, *of);
}

/* A late object that is other code after all. */
static bool drop_line(struct native_pieces *c, const char *line) {
    const char *p = line + 2, *end = line + strlen(line);
    uint64_t object;
    if (line[1] != ' ' || c->objects.len == 0 || !number(&p, end, c->objects.len - 1, &object))
        return false;
    c->objects.at[object].outside = *p != 0 ? p : "it cannot be counted";
    return true;
}

/* What is not within an object's lines, or a part's. */
static bool head_line(struct reader *r, const char *line, uint64_t *sites, size_t *left_out,
                      struct native_part *of, size_t *pieces) {
    struct native_pieces *c = r->c;
    if (*line == '-')
        return drop_line(c, line);
    if (*line == '+')
        return part_line(c, line, sites, of, pieces);
    if (!object_line(r, line, sites, left_out, pieces))
        return false;
    const struct native_object *o = &c->objects.at[c->objects.len - 1];
    *of = (struct native_part){.object = c->objects.len - 1, .first = o->first, .count = *pieces};
    return true;
}

static int by_start(const void *a, const void *b) {
    const struct native_part *x = a, *y = b;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

/* Copies pieces behind the others of their object, and changes their numbers within the part. */
static bool move_part(struct native_pieces *c, const struct native_piece *from, size_t n,
                      struct native_object *o) {
    const uint32_t before = (uint32_t)o->count;
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        struct native_piece p = from[i];
        p.back += p.back != 0 ? before : 0;
        p.arm_of += p.arm_of != 0 ? before : 0;
        if (p.site != 0)
            c->sites.at[p.site] = o->outside[0] == 0 ? c->pieces.len : SIZE_MAX;
        if (o->outside[0] != 0)
            continue;
        ok = (o->count == 0 || c->pieces.at[c->pieces.len - 1].start < p.start) &&
             vec_push(&c->pieces, p);
        o->count++;
    }
    return ok;
}

/* Puts the parts of each object together, by address. */
static enum status join_parts(struct reader *r) {
    struct native_pieces *c = r->c, old = *c;
    bool ok = true;
    if (c->parts.len == 0)
        return STATUS_OK;
    memset(&c->pieces, 0, sizeof c->pieces);
    for (size_t k = 0; k < c->parts.len; k++)
        if (c->parts.at[k].count > 0)
            c->parts.at[k].start = old.pieces.at[c->parts.at[k].first].start;
    qsort(c->parts.at, c->parts.len, sizeof *c->parts.at, by_start);
    for (size_t i = 0, k = 0; ok && i < c->objects.len; i++) {
        struct native_object *o = &c->objects.at[i];
        const struct native_part own = {.first = o->first, .count = o->count};
        o->first = c->pieces.len;
        o->count = 0;
        ok = move_part(c, &old.pieces.at[own.first], own.count, o);
        for (; ok && k < c->parts.len && c->parts.at[k].object == i; k++)
            ok = move_part(c, &old.pieces.at[c->parts.at[k].first], c->parts.at[k].count, o);
    }
    vec_free(&old.pieces);
    return ok ? STATUS_OK
              : error_set(r->e, STATUS_FORMAT, "%s/pieces: parts overlap, or memory is short",
                          r->folder);
}

/* Is the object of these pieces left out? */
static bool skips(const struct native_pieces *c, const struct native_part *of) {
    return c->objects.at[of->object].outside[0] != 0;
}

static enum status read_pieces(struct reader *r) {
    struct native_pieces *c = r->c;
    uint64_t sites = 0;
    size_t left = 0, left_out = 0, row = 1;
    struct native_part of = {0};
    if (!vec_push(&c->sites, SIZE_MAX))
        return no_memory(r);
    for (char *line = (char *)c->text.at, *stop; (stop = strchr(line, '\n')) != NULL;
         line = stop + 1, row++) {
        *stop = 0;
        const bool first = left == 0 && left_out == 0;
        const bool ok = left_out > 0 ? left_out_line(c, line)
                        : left > 0   ? skips(c, &of) || piece_line(c, line, &of)
                                     : head_line(r, line, &sites, &left_out, &of, &left);
        if (!ok)
            return error_set(r->e, STATUS_FORMAT, "%s/pieces: line %zu is invalid", r->folder, row);
        if (!first && left_out > 0)
            left_out--;
        else if (!first)
            left--;
        if (left == 0 && left_out == 0 && !sites_up_to(c, sites + 1))
            return no_memory(r);
    }
    return left == 0 && left_out == 0 && c->objects.len > 0
               ? join_parts(r)
               : error_set(r->e, STATUS_FORMAT, "%s/pieces: it is incomplete", r->folder);
}

static enum status read_paths(struct reader *r) {
    char *line = (char *)r->c->paths.at, *stop;
    for (size_t i = 0; i < r->c->objects.len; i++, line = stop + 1) {
        if ((stop = strchr(line, '\n')) == NULL)
            return error_set(r->e, STATUS_FORMAT, "%s/objects: it is incomplete", r->folder);
        *stop = 0;
        r->c->objects.at[i].path = line;
    }
    return STATUS_OK;
}

struct native_piece *native_piece_at(const struct native_pieces *c, const struct native_object *o,
                                     uint64_t start) {
    const struct native_piece *p = native_piece_around(c, o, start);
    return p != NULL && p->start == start ? &c->pieces.at[p - c->pieces.at] : NULL;
}

const struct native_piece *native_piece_around(const struct native_pieces *c,
                                               const struct native_object *o, uint64_t offset) {
    size_t low = o->first, high = o->first + o->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (c->pieces.at[middle].start <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > o->first ? &c->pieces.at[low - 1] : NULL;
}

/* ---- cells ---- */

/* A table's keys lack the upper bits of the site's number, in which it is table number `bank`. */
static bool add_cell(struct native_pieces *c, const struct session_pair *cell, size_t bank,
                     uint64_t less) {
    const uint64_t low = cell->key >> SESSION_PAIRS_SITE;
    const struct native_cell out = {.site = bank * (uint64_t)SESSION_PAIRS_BANK + low,
                                    .target = led_to(c, cell->key - (low << SESSION_PAIRS_SITE)),
                                    .count = cell->count + less};
    return cell->key == 0 || vec_push(&c->cells, out);
}

/* The tables of `cells` each, whose counts begin at minus SESSION_PAIRS_OFTEN. */
static bool add_tables(struct native_pieces *c, uint64_t end, uint64_t cells) {
    const struct session_pair *cell = (const void *)(c->pairs.at + SESSION_PAIRS_HEAD);
    const size_t n = (end - SESSION_PAIRS_HEAD) / sizeof *cell;
    bool ok = true;
    for (size_t k = 0; ok && k < n; k++)
        ok = add_cell(c, &cell[k], k / cells, SESSION_PAIRS_OFTEN);
    return ok;
}

static bool add_own(struct native_pieces *c, uint64_t from, uint64_t to) {
    const struct session_pair *cell = (const void *)(c->pairs.at + from);
    const size_t n = (to - from) / sizeof *cell;
    bool ok = true;
    for (size_t k = 0; ok && k < n; k++)
        ok = add_cell(c, &cell[k], k / SESSION_PAIRS_EACH / SESSION_PAIRS_BANK, 0);
    return ok;
}

/* The counters of a map that were counted in. */
static bool add_map(struct native_pieces *c, const struct session_map *map) {
    const uint64_t *count = (const uint64_t *)(map + 1);
    bool ok = true;
    for (uint64_t k = 0; ok && k < map->length; k++)
        if (count[k] != 0)
            ok = vec_push(&c->cells, ((struct native_cell){map->site, map->low + k, count[k]}));
    return ok;
}

static enum status read_cells(struct reader *r, const uint64_t *head) {
    const uint64_t own = head[SESSION_PAIRS_OWN], maps = head[SESSION_PAIRS_MAPS];
    struct native_pieces *c = r->c;
    const struct session_map *map;
    if (!add_tables(c, own, head[SESSION_PAIRS_CELLS]) || !add_own(c, own, maps))
        return no_memory(r);
    for (uint64_t at = maps, left; (left = c->pairs.len - at) >= sizeof *map;
         at += sizeof *map + map->length * sizeof(uint64_t)) {
        map = (const void *)(c->pairs.at + at);
        if (map->site == 0)
            break;
        if (map->length > (left - sizeof *map) / sizeof(uint64_t))
            return error_set(r->e, STATUS_FORMAT, "%s/pairs: it is incomplete", r->folder);
        if (!add_map(c, map))
            return no_memory(r);
    }
    return STATUS_OK;
}

static enum status check_pairs(struct reader *r) {
    uint64_t head[SESSION_PAIRS_WORDS];
    if (r->c->pairs.len < SESSION_PAIRS_HEAD)
        return error_set(r->e, STATUS_FORMAT, "%s/pairs: it is incomplete", r->folder);
    memcpy(head, r->c->pairs.at, sizeof head);
    const uint64_t threads = head[SESSION_PAIRS_THREADS];
    if (threads != SESSION_THREADS_ONE && threads != SESSION_THREADS_WAIT)
        return error_set(
            r->e, STATUS_UNSUPPORTED, "no exact graph: %s",
            threads == SESSION_THREADS_RUN
                ? "another thread may have been in the counted code when the program ended; it "
                  "must have ended then, or wait in a system call (counts of --blocks need no such "
                  "end)"
            : threads == SESSION_THREADS_INSIDE
                ? "a signal's handler ended the program, or started another one, and had "
                  "interrupted the "
                  "counted code, which was not left then (counts of --blocks need no such end)"
            : threads == SESSION_THREADS_MORE
                ? "the program has started a thread and ended without exit(), _exit() or abort(): "
                  "it is not known where its threads were (counts of --blocks need no such end)"
                : "the program has started a thread, and counters could not be locked");
    if (head[SESSION_PAIRS_LIBC] == SESSION_LIBC_BEGUN)
        return error_set(r->e, STATUS_UNSUPPORTED,
                         "no exact graph: the program ended while it forked, or its counts could "
                         "not be written after that");
    if (head[SESSION_PAIRS_LATE] != 0)
        return error_set(r->e, STATUS_UNSUPPORTED,
                         "no exact graph: large libraries get probes when they are first executed, "
                         "and this could not be written to %s (without that: HOTGRAPH_LATE=0)",
                         r->folder);
    if (head[SESSION_PAIRS_LOST] != 0)
        return error_set(r->e, STATUS_UNSUPPORTED,
                         "no exact graph: %" PRIu64 " targets of indirect jumps found no cell",
                         head[SESSION_PAIRS_LOST]);
    const uint64_t own = head[SESSION_PAIRS_OWN], maps = head[SESSION_PAIRS_MAPS];
    memcpy(r->c->shadows, &head[SESSION_PAIRS_SHADOWS], sizeof r->c->shadows);
    r->c->raised = (int)head[SESSION_PAIRS_RAISED];
    r->c->left = head[SESSION_PAIRS_LEFT] != 0;
    r->c->libc = head[SESSION_PAIRS_LIBC];
    return own >= SESSION_PAIRS_HEAD && own <= maps && maps <= r->c->pairs.len &&
                   own % sizeof(struct session_pair) == 0 &&
                   maps % sizeof(struct session_pair) == 0 && head[SESSION_PAIRS_CELLS] > 0
               ? read_cells(r, head)
               : error_set(r->e, STATUS_FORMAT, "%s/pairs: it is incomplete", r->folder);
}

bool native_left_out(const struct native_pieces *c, const struct native_object *o,
                     uint64_t offset) {
    const size_t object = (size_t)(o - c->objects.at);
    bool found = false;
    for (size_t i = 0; i < c->left_out.len && !found; i++)
        found = c->left_out.at[i].object == object && offset >= c->left_out.at[i].start &&
                offset < c->left_out.at[i].end;
    return found;
}

const struct native_object *native_object_at(const struct native_pieces *c, uint64_t address) {
    for (size_t i = 0; i < c->objects.len; i++) {
        const struct native_object *o = &c->objects.at[i];
        if (address >= o->text && address < o->text_end)
            return o->outside[0] == 0 ? o : NULL;
    }
    return NULL;
}

bool native_pairs_next(const struct native_pieces *c, size_t *at, struct native_pair *out) {
    if (*at >= c->cells.len)
        return false;
    const struct native_cell *cell = &c->cells.at[(*at)++];
    const uint64_t site = cell->site, target = cell->target;
    const size_t from = site < c->sites.len ? c->sites.at[site] : SIZE_MAX;
    *out = (struct native_pair){.from = from != SIZE_MAX ? &c->pieces.at[from] : NULL,
                                .to = native_object_at(c, target),
                                .count = cell->count};
    if (out->to != NULL)
        out->offset = native_offset(out->to, target);
    return true;
}

static void count_pairs(struct native_pieces *c) {
    struct native_pair pair;
    for (size_t at = 0; native_pairs_next(c, &at, &pair);) {
        if (pair.from == NULL)
            continue;
        pair.from->count += pair.count;
        struct native_piece *to = pair.to != NULL ? native_piece_at(c, pair.to, pair.offset) : NULL;
        if (to != NULL)
            to->paired += pair.count;
    }
}

enum status native_pieces_read(struct native_pieces *out, const char *folder, const char *without,
                               struct error *e) {
    struct reader r = {.c = out, .folder = folder, .without = without, .e = e};
    enum status s;
    *out = (struct native_pieces){0};
    if ((s = read_part(&r, &out->text, "pieces")) ||
        (s = read_part(&r, &out->counters, "counters")) ||
        (s = read_part(&r, &out->pairs, "pairs")) || (s = read_part(&r, &out->paths, "objects")) ||
        (s = check_pairs(&r)) || (s = read_pieces(&r)) || (s = read_paths(&r)))
        return s;
    count_pairs(out);
    return STATUS_OK;
}

void native_pieces_free(struct native_pieces *c) {
    vec_free(&c->objects);
    vec_free(&c->parts);
    vec_free(&c->pieces);
    vec_free(&c->left_out);
    vec_free(&c->sites);
    vec_free(&c->cells);
    bytes_free(&c->text);
    bytes_free(&c->counters);
    bytes_free(&c->pairs);
    bytes_free(&c->paths);
}
