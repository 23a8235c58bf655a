#include "commands/native/native_graph.h"
#include "commands/native/native_structure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native/edges/edge_tree.h"
#include "native/session.h"

struct piece {
    uint32_t start, last, end, target;
    char ends;
    bool may_enter;
    uint64_t count, fall, in; /* fall of a linkage stub: how often its symbol was resolved */
    uint64_t returned;        /* to what follows this call, from `back` */
    uint64_t armed;           /* from `arm_of` to this piece */
    bool has_count, has_fall; /* counted; else they follow from others */
    uint32_t site, traps, back, arm_of; /* the last two: other pieces' numbers, from 1; 0: none */
    const char *lengths, *name;
    size_t instructions;
};

struct reader {
    struct bytes text, counters, pairs;
    uint64_t start, end, offset; /* of the program's text, and where it is in the file */
    VEC(struct piece) pieces;
    VEC(size_t) sites; /* the piece of each site of pairs; the first one is unused */
    struct flow flow;
    uint32_t base; /* code address of the file's first byte */
    struct file_view file;
    char *path;                         /* of the file */
    VEC(struct native_entries) entries; /* from other code */
    const char *folder;
    struct error *e;
};

static enum status no_memory(struct reader *r) {
    return error_set(r->e, STATUS_MEMORY, "out of memory");
}

static enum status refuse(struct reader *r, const struct piece *p, const char *what, uint64_t n) {
    return error_set(r->e, STATUS_UNSUPPORTED,
                     "no exact graph: the code at 0x%" PRIx32 " of the file (%.300s) %s %" PRIu64,
                     p->start, strcmp(p->name, "-") != 0 ? p->name : "no symbol", what, n);
}

/* ---- the files ---- */

static enum status read_part(struct reader *r, struct bytes *out, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", r->folder, name);
    return file_read(out, path, (size_t)1 << 30, r->e);
}

static bool there(const struct reader *r, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", r->folder, name);
    return access(path, F_OK) == 0;
}

static bool number(const char **p, const char *end, uint64_t most, uint64_t *out) {
    return scan_decimal(p, end, most, out) && *(*p)++ == ' ';
}

static bool count_at(const struct reader *r, uint64_t offset, uint64_t *out) {
    *out = 0;
    if (offset > r->counters.len || r->counters.len - offset < sizeof *out)
        return offset == 0;
    if (offset != 0)
        memcpy(out, r->counters.at + offset, sizeof *out);
    return true;
}

/* The lengths of the instructions; false: there are none. */
static bool read_lengths(struct piece *p, const char **at) {
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

static bool piece_line(struct reader *r, const char *line) {
    const char *p = line, *end = line + strlen(line);
    uint64_t start, target, enter, count, fall, site, back, arm_of, traps;
    struct piece piece = {0};
    if (!number(&p, end, UINT32_MAX, &start) || !number(&p, end, UINT32_MAX, &target) ||
        strchr("njbcarlws", *p) == NULL || p[1] != ' ')
        return false;
    piece.ends = *p;
    p += 2;
    piece.start = (uint32_t)start;
    piece.target = (uint32_t)target;
    if (!number(&p, end, 1, &enter) || !number(&p, end, UINT64_MAX, &count) ||
        !number(&p, end, UINT64_MAX, &fall) || !number(&p, end, SESSION_PAIRS_SITES, &site) ||
        !number(&p, end, UINT32_MAX, &back) || !number(&p, end, UINT32_MAX, &arm_of) ||
        !number(&p, end, 2, &traps) || !read_lengths(&piece, &p) ||
        !count_at(r, count, &piece.count) || !count_at(r, fall, &piece.fall))
        return false;
    piece.may_enter = enter != 0;
    piece.has_count = count != 0 || site != 0;
    piece.has_fall = fall != 0;
    piece.site = (uint32_t)site;
    piece.back = (uint32_t)back;
    piece.arm_of = (uint32_t)arm_of;
    piece.traps = (uint32_t)traps;
    piece.name = p;
    const size_t before = r->pieces.len;
    return (before == 0 || r->pieces.at[before - 1].start < piece.start) &&
           (site == 0 || vec_push(&r->sites, before)) && vec_push(&r->pieces, piece);
}

static enum status read_pieces(struct reader *r) {
    char *line = (char *)r->text.at, *stop = strchr(line, '\n');
    const char *p = line;
    if (!vec_push(&r->sites, SIZE_MAX))
        return no_memory(r);
    if (stop == NULL || !number(&p, stop, UINT64_MAX, &r->start) ||
        !number(&p, stop, UINT64_MAX, &r->end) || !number(&p, stop, UINT32_MAX, &r->offset))
        return error_set(r->e, STATUS_FORMAT, "%s/pieces: line 1 is invalid", r->folder);
    for (line = stop + 1; (stop = strchr(line, '\n')) != NULL; line = stop + 1) {
        *stop = 0;
        if (!piece_line(r, line))
            return error_set(r->e, STATUS_FORMAT, "%s/pieces: line %zu is invalid", r->folder,
                             r->pieces.len + 2);
    }
    return STATUS_OK;
}

static struct piece *find(const struct reader *r, uint64_t start) {
    size_t low = 0, high = r->pieces.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->pieces.at[middle].start < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->pieces.len && r->pieces.at[low].start == start ? &r->pieces.at[low] : NULL;
}

/* ---- edges ---- */

static bool put_pair(struct reader *r, uint32_t from, uint32_t to, uint64_t count, bool transfer) {
    const struct flow_pair pair = {
        .a = r->base + from, .b = r->base + to, .count = count, .transfer = transfer};
    return count == 0 || vec_push(&r->flow.pairs, pair);
}

static enum status put_edge(struct reader *r, const struct piece *from, uint64_t to,
                            uint64_t count) {
    struct piece *p = find(r, to);
    if (count == 0)
        return STATUS_OK;
    if (p == NULL)
        return refuse(r, from, "led into code that was not found before, at file offset", to);
    p->in += count;
    return put_pair(r, from->last, p->start, count, from->ends != 'n') ? STATUS_OK : no_memory(r);
}

static const struct session_pair *cells(const struct reader *r, size_t *count) {
    *count = (r->pairs.len - SESSION_PAIRS_HEAD) / sizeof(struct session_pair);
    return (const struct session_pair *)(const void *)(r->pairs.at + SESSION_PAIRS_HEAD);
}

/* The site of a cell, as the piece that ends with it, and its target. NULL: an invalid cell. */
static struct piece *pair_site(const struct reader *r, const struct session_pair *cell,
                               uint64_t *target) {
    const uint64_t site = cell->key >> SESSION_PAIRS_SITE;
    *target = cell->key - (site << SESSION_PAIRS_SITE);
    return site > 0 && site < r->sites.len ? &r->pieces.at[r->sites.at[site]] : NULL;
}

/* Targets outside of the program's text get no edge. */
static enum status put_pairs(struct reader *r) {
    size_t n;
    const struct session_pair *cell = cells(r, &n);
    enum status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < n; i++, cell++) {
        uint64_t target;
        if (cell->key == 0)
            continue;
        const struct piece *p = pair_site(r, cell, &target);
        if (p == NULL)
            return error_set(r->e, STATUS_FORMAT, "%s/pairs: cell %zu is invalid", r->folder, i);
        if (target >= r->start && target < r->end)
            s = put_edge(r, p, target - r->start + r->offset, cell->count);
    }
    return s;
}

static void count_by_pairs(struct reader *r) {
    size_t n;
    const struct session_pair *cell = cells(r, &n);
    for (size_t i = 0; i < n; i++, cell++) {
        uint64_t target;
        struct piece *p = cell->key != 0 ? pair_site(r, cell, &target) : NULL;
        if (p != NULL)
            p->count += cell->count;
    }
}

/* ---- what follows from the counters ---- */

/* The pieces as a flow graph, and what enters each by pairs. */
struct flows {
    struct tree_piece *pieces;
    struct tree_arc *arcs;
    size_t arc_count;
    struct tree_work work;
};

static bool flows_get(struct flows *f, size_t pieces) {
    f->work.vertices = tree_vertices(pieces);
    f->pieces = calloc(pieces + 1, sizeof *f->pieces);
    f->arcs = calloc(TREE_ARCS * pieces + 1, sizeof *f->arcs);
    f->work.vertex = calloc(2 * f->work.vertices, sizeof *f->work.vertex);
    f->work.balance = calloc(f->work.vertices, sizeof *f->work.balance);
    return f->pieces != NULL && f->arcs != NULL && f->work.vertex != NULL &&
           f->work.balance != NULL;
}

static void flows_free(struct flows *f) {
    free(f->pieces);
    free(f->arcs);
    free(f->work.vertex);
    free(f->work.balance);
}

static uint32_t number_of(const struct reader *r, uint64_t start) {
    const struct piece *p = find(r, start);
    return p != NULL ? (uint32_t)(p - r->pieces.at) : TREE_NONE;
}

static bool flows_pieces(const struct reader *r, struct flows *f) {
    for (size_t i = 0; i < r->pieces.len; i++) {
        const struct piece *p = &r->pieces.at[i];
        if (p->back > r->pieces.len || (p->back != 0 && r->pieces.at[p->back - 1].ends != 'r') ||
            p->arm_of > r->pieces.len ||
            (p->arm_of != 0 && r->pieces.at[p->arm_of - 1].ends != 'w'))
            return false;
        f->pieces[i] =
            (struct tree_piece){.next = number_of(r, p->end),
                                .target = p->target != 0 ? number_of(r, p->target) : TREE_NONE,
                                .back = p->back != 0 ? p->back - 1 : TREE_NONE,
                                .arm_of = p->arm_of != 0 ? p->arm_of - 1 : TREE_NONE,
                                .ends = p->ends,
                                .may_enter = p->may_enter};
        if (p->back != 0 && f->pieces[i].next == TREE_NONE)
            return false;
    }
    return true;
}

static void flows_known(const struct reader *r, struct flows *f) {
    size_t n;
    const struct session_pair *cell = cells(r, &n);
    for (size_t k = 0; k < f->arc_count; k++) {
        struct tree_arc *a = &f->arcs[k];
        const struct piece *p = &r->pieces.at[a->piece];
        a->counted =
            (a->kind == TREE_NODE && p->has_count) || (a->kind == TREE_FALL && p->has_fall);
        a->flow = !a->counted ? 0 : a->kind == TREE_NODE ? p->count : p->fall;
    }
    for (size_t i = 0; i < n; i++, cell++) {
        uint64_t target;
        if (cell->key == 0 || pair_site(r, cell, &target) == NULL || target < r->start ||
            target >= r->end)
            continue;
        const struct piece *to = find(r, target - r->start + r->offset);
        if (to != NULL)
            f->work.balance[tree_begin((uint32_t)(to - r->pieces.at))] += cell->count;
    }
}

static void flows_put(struct reader *r, const struct flows *f) {
    for (size_t k = 0; k < f->arc_count; k++) {
        const struct tree_arc *a = &f->arcs[k];
        struct piece *p = &r->pieces.at[a->piece];
        if (a->kind == TREE_NODE)
            p->count = a->flow;
        else if (a->kind == TREE_FALL || a->kind == TREE_LAZY)
            p->fall = a->flow;
        else if (a->kind == TREE_BACK)
            p->returned = a->flow;
        else if (a->kind == TREE_ARM)
            p->armed = a->flow;
    }
}

/* Sets the counts that have no counter. */
static enum status derive(struct reader *r) {
    struct flows f = {0};
    struct tree_fault fault;
    enum status s = STATUS_OK;
    if (!flows_get(&f, r->pieces.len)) {
        s = no_memory(r);
    } else if (!flows_pieces(r, &f)) {
        s = error_set(r->e, STATUS_FORMAT, "%s/pieces: a return or an arm is invalid", r->folder);
    } else {
        f.arc_count = tree_arcs(f.pieces, r->pieces.len, f.arcs);
        flows_known(r, &f);
        if (!tree_solve(f.arcs, f.arc_count, &f.work, &fault))
            s = refuse(r, &r->pieces.at[fault.piece],
                       fault.negative ? "was left more often than it was entered, by"
                                      : "was not left as often as it was entered: they differ by",
                       fault.by);
        flows_put(r, &f);
    }
    flows_free(&f);
    return s;
}

/* ---- edges, again ---- */

static enum status put_branch(struct reader *r, const struct piece *p) {
    enum status s = put_edge(r, p, p->end, p->fall);
    return s == STATUS_OK ? put_edge(r, p, p->target, p->count - p->fall) : s;
}

static enum status put_call(struct reader *r, const struct piece *p) {
    enum status s = put_edge(r, p, p->target, p->count);
    return s == STATUS_OK && p->back != 0
               ? put_edge(r, &r->pieces.at[p->back - 1], p->end, p->returned)
               : s;
}

static enum status put_piece(struct reader *r, const struct piece *p) {
    uint32_t at = p->start;
    if (p->arm_of != 0 && put_edge(r, &r->pieces.at[p->arm_of - 1], at, p->armed) != STATUS_OK)
        return r->e->status;
    for (size_t k = 0; k + 1 < p->instructions; k++) {
        const char digit = p->lengths[k];
        const uint32_t next = at + (uint32_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
        if (!put_pair(r, at, next, p->count, false))
            return no_memory(r);
        at = next;
    }
    switch (p->ends) {
    case 'n':
        return put_edge(r, p, p->end, p->count);
    case 'j':
        return put_edge(r, p, p->target, p->count);
    case 'c':
        return put_call(r, p);
    case 'l':
        return put_edge(r, p, p->target, p->fall);
    case 'b':
        return put_branch(r, p);
    case 's':
        return p->count == 0
                   ? STATUS_OK
                   : refuse(r, p,
                            "ends with an instruction that cannot be followed, times:", p->count);
    default:
        return STATUS_OK; /* put_pairs() */
    }
}

/* Entries that are not accounted for came from other code: libraries, signals, exceptions. */
static enum status check_entries(struct reader *r, struct native_graph *out) {
    for (size_t i = 0; i < r->pieces.len; i++) {
        const struct piece *p = &r->pieces.at[i];
        if (p->in > p->count)
            return refuse(r, p, "was entered more often than it was executed, by",
                          p->in - p->count);
        if (p->in < p->count && !p->may_enter)
            return refuse(r, p, "was executed more often than it was entered, by",
                          p->count - p->in);
        const struct native_entries from = {.at = r->base + p->start, .count = p->count - p->in};
        if (from.count > 0 &&
            (!vec_push(&r->flow.entries, from.at) || !vec_push(&r->entries, from)))
            return no_memory(r);
        out->entered += p->count - p->in;
        out->instructions += p->count * p->instructions;
        out->executed += p->count > 0;
        out->probed += (p->has_count ? p->count : 0) + (p->has_fall ? p->fall : 0);
        out->traps += p->traps * p->count;
    }
    out->pieces = r->pieces.len;
    return STATUS_OK;
}

/* ---- all of it ---- */

static enum status check_pairs(struct reader *r) {
    uint64_t head[SESSION_PAIRS_THREADS + 1];
    if (r->pairs.len < SESSION_PAIRS_HEAD)
        return error_set(r->e, STATUS_FORMAT, "%s/pairs: it is incomplete", r->folder);
    memcpy(head, r->pairs.at, sizeof head);
    const uint64_t threads = head[SESSION_PAIRS_THREADS];
    if (threads != SESSION_THREADS_ONE && threads != SESSION_THREADS_WAIT)
        return error_set(
            r->e, STATUS_UNSUPPORTED, "no exact graph: %s",
            threads == SESSION_THREADS_RUN
                ? "another thread may have been in the program's own code when the program ended"
            : threads == SESSION_THREADS_MORE
                ? "the program has started a thread and ended without exit(), so it is not known "
                  "where its threads were"
                : "the program has started a thread, and counters could not be locked");
    if (head[SESSION_PAIRS_LOST] != 0)
        return error_set(r->e, STATUS_UNSUPPORTED,
                         "no exact graph: %" PRIu64 " targets of indirect jumps found no cell",
                         head[SESSION_PAIRS_LOST]);
    return STATUS_OK;
}

static enum status read_all(struct reader *r, struct native_graph *out) {
    enum status s = STATUS_OK;
    if ((s = read_part(r, &r->text, "pieces")) || (s = read_part(r, &r->counters, "counters")) ||
        (s = read_part(r, &r->pairs, "pairs")) || (s = check_pairs(r)) || (s = read_pieces(r)))
        return s;
    count_by_pairs(r);
    if ((s = derive(r)))
        return s;
    for (size_t i = 0; s == STATUS_OK && i < r->pieces.len; i++)
        s = put_piece(r, &r->pieces.at[i]);
    if (s == STATUS_OK)
        s = put_pairs(r);
    if (s == STATUS_OK)
        s = check_entries(r, out);
    return s == STATUS_OK ? graph_from_flow(&out->graph, &r->flow, false, r->e) : s;
}

/* ---- the structure ---- */

/* The last piece that does not start behind the address. */
static const struct piece *piece_around(const struct reader *r, uint32_t address) {
    size_t low = 0, high = r->pieces.len;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (r->pieces.at[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &r->pieces.at[low - 1] : NULL;
}

static bool met_insn(const void *user, uint32_t address, struct shape_insn *out) {
    const struct reader *r = user;
    const uint32_t offset = address - r->base;
    const struct piece *p = piece_around(r, offset);
    if (p == NULL || offset >= p->end || p->end > r->file.len)
        return false;
    uint32_t at = p->start, size = 0;
    for (size_t k = 0; k < p->instructions && at <= offset; k++, at += size) {
        const char digit = p->lengths[k];
        size = (uint32_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
        if (at == offset) {
            const bool last = k + 1 == p->instructions;
            *out = (struct shape_insn){
                size, last ? native_end_of(p->ends, r->file.at + offset, size) : END_NONE};
            return true;
        }
    }
    return false;
}

static enum status make_structure(struct reader *r, struct native_graph *out) {
    const struct native_structure_request request = {
        .flow = &r->flow,
        .graph = &out->graph,
        .insns = {.insn = met_insn, .user = r},
        .entries = r->entries.at,
        .entry_count = r->entries.len,
        .path = r->path,
        .base = r->base,
        .instructions = out->instructions,
    };
    return native_structure_make(&out->structure, &request, r->e);
}

static enum status find_base(struct reader *r, const struct structure *images, const char *path) {
    return native_graph_base(&r->base, images, path, r->e);
}

enum status native_graph_base(uint32_t *base, const struct structure *images, const char *path,
                              struct error *e) {
    char hash[33];
    *base = NATIVE_GRAPH_BASE;
    if (images == NULL)
        return STATUS_OK;
    enum status s = hash_file(path, hash, e);
    if (s != STATUS_OK)
        return s;
    for (size_t i = 0; i < images->image_count; i++)
        if (strcmp(images->images[i].hash, hash) == 0) {
            *base = images->images[i].base;
            return STATUS_OK;
        }
    return error_set(e, STATUS_ARGUMENT, "%s is not a file of the structure that --images names",
                     path);
}

/* The program's identity and addresses. Of a script the program is its interpreter. */
static enum status name_program(struct reader *r, const struct structure *images, struct graph *g) {
    struct bytes path = {0};
    enum status s = read_part(r, &path, "objects");
    char *stop = s == STATUS_OK ? strchr((char *)path.at, '\n') : NULL;
    if (s == STATUS_OK && stop == NULL)
        s = error_set(r->e, STATUS_FORMAT, "%s/objects: there is no line", r->folder);
    if (s == STATUS_OK) {
        *stop = 0;
        r->path = strdup((const char *)path.at);
        s = r->path != NULL ? file_view_path(&r->file, r->path, (size_t)1 << 31, r->e)
                            : no_memory(r);
    }
    if (s == STATUS_OK) {
        sha1_hex(r->file.at, r->file.len, g->program);
        s = find_base(r, images, r->path);
    }
    bytes_free(&path);
    return s;
}

/* If the library could not start, it has written the reason to a file. */
static enum status check_run(struct reader *r, const char *program, int status) {
    struct bytes why = {0};
    if (there(r, "error")) {
        if (read_part(r, &why, "error") == STATUS_OK)
            error_set(r->e, STATUS_UNSUPPORTED, "%.300s: %.600s", program, (const char *)why.at);
        bytes_free(&why);
        return r->e->status;
    }
    if (!there(r, "pieces"))
        return error_set(
            r->e, STATUS_UNSUPPORTED,
            "the program ended before it could be probed, or did not load the library");
    if (WIFSIGNALED(status))
        return error_set(r->e, STATUS_UNSUPPORTED,
                         "no exact graph: signal %d ended the program in the middle of its code",
                         WTERMSIG(status));
    return STATUS_OK;
}

enum status native_graph_read(struct native_graph *out, const struct native_graph_request *request,
                              struct error *e) {
    struct reader r = {.folder = request->folder, .e = e};
    struct graph named = {0};
    *out = (struct native_graph){0};
    enum status s = check_run(&r, request->program, request->status);
    if (s == STATUS_OK)
        s = name_program(&r, request->images, &named);
    if (s == STATUS_OK)
        s = read_all(&r, out);
    if (s == STATUS_OK && request->structure)
        s = make_structure(&r, out);
    memcpy(out->graph.program, named.program, sizeof named.program);
    memcpy(out->structure.graph.program, named.program, sizeof named.program);
    out->graph.kind = GRAPH_EXACT;
    flow_free(&r.flow);
    file_view_free(&r.file);
    free(r.path);
    vec_free(&r.entries);
    vec_free(&r.pieces);
    vec_free(&r.sites);
    bytes_free(&r.text);
    bytes_free(&r.counters);
    bytes_free(&r.pairs);
    if (s != STATUS_OK)
        native_graph_free(out);
    return s;
}

void native_graph_free(struct native_graph *g) {
    graph_free(&g->graph);
    structure_free(&g->structure);
}
