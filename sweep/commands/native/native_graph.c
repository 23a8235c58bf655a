#include "commands/native/native_graph.h"
#include "commands/native/native_pieces.h"
#include "commands/native/native_structure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native/edges/edge_tree.h"

struct reader {
    struct native_pieces c;
    struct flow flow;
    VEC(struct file_view) files;        /* of the objects */
    VEC(struct native_entries) entries; /* from other code */
    const char *folder, *without;       /* why libc is left out; NULL: it is not */
    bool in_libc;                       /* what was refused */
    struct error *e;
};

static enum status no_memory(struct reader *r) {
    return error_set(r->e, STATUS_MEMORY, "out of memory");
}

static const struct native_object *object_of(const struct reader *r, const struct native_piece *p) {
    return &r->c.objects.at[p->object];
}

static enum status refuse(struct reader *r, const struct native_piece *p, const char *what,
                          uint64_t n) {
    r->in_libc |= object_of(r, p)->libc;
    const char *path = object_of(r, p)->path, *slash = strrchr(path, '/');
    return error_set(r->e, STATUS_UNSUPPORTED,
                     "no exact graph: the code at 0x%" PRIx32 " of %.100s (%.300s) %s %" PRIu64
                     " (counts of --blocks need no such balance)",
                     p->start, slash != NULL ? slash + 1 : path,
                     strcmp(p->name, "-") != 0 ? p->name : "no symbol", what, n);
}

/* ---- edges ---- */

static uint32_t address_of(const struct reader *r, const struct native_piece *p, uint32_t offset) {
    return object_of(r, p)->base + offset;
}

static bool put_pair(struct reader *r, uint32_t from, uint32_t to, uint64_t count, bool transfer) {
    const struct flow_pair pair = {.a = from, .b = to, .count = count, .transfer = transfer};
    return count == 0 || vec_push(&r->flow.pairs, pair);
}

/* `to` is an offset in the file of object o. */
static enum status put_edge_to(struct reader *r, const struct native_piece *from,
                               const struct native_object *o, uint64_t to, uint64_t count) {
    if (count == 0)
        return STATUS_OK;
    struct native_piece *p = native_piece_at(&r->c, o, to);
    if (p == NULL && native_left_out(&r->c, o, to))
        return STATUS_OK;
    r->in_libc |= p == NULL && o->libc;
    if (p == NULL)
        return refuse(
            r, from,
            o == object_of(r, from)
                ? "led into code that was not found before, at file offset"
                : "led into code of another file that was not found before, at file offset",
            to);
    p->in += count;
    return put_pair(r, address_of(r, from, from->last), address_of(r, p, p->start), count,
                    from->ends != 'n' && from->ends != 'x')
               ? STATUS_OK
               : no_memory(r);
}

static enum status put_edge(struct reader *r, const struct native_piece *from, uint64_t to,
                            uint64_t count) {
    return put_edge_to(r, from, object_of(r, from), to, count);
}

/* Targets in other code get no edge. */
static enum status put_pairs(struct reader *r) {
    enum status s = STATUS_OK;
    struct native_pair pair;
    for (size_t at = 0; s == STATUS_OK && native_pairs_next(&r->c, &at, &pair);)
        if (pair.from != NULL && pair.to != NULL)
            s = put_edge_to(r, pair.from, pair.to, pair.offset, pair.count);
    return s;
}

/* ---- what follows from the counters ---- */

/* An object's pieces as a flow graph. */
struct flows {
    const struct native_object *o;
    struct native_piece *own; /* its pieces */
    struct tree_piece *pieces;
    struct tree_arc *arcs;
    size_t arc_count;
    struct tree_work work;
};

static bool flows_get(struct flows *f) {
    const size_t pieces = f->o->count;
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

static uint32_t number_of(const struct reader *r, const struct flows *f, uint64_t start) {
    const struct native_piece *p = native_piece_at(&r->c, f->o, start);
    return p != NULL ? (uint32_t)(p - f->own) : TREE_NONE;
}

static bool flows_pieces(const struct reader *r, struct flows *f) {
    for (size_t i = 0; i < f->o->count; i++) {
        const struct native_piece *p = &f->own[i];
        if ((p->back != 0 && f->own[p->back - 1].ends != 'r') ||
            (p->arm_of != 0 && f->own[p->arm_of - 1].ends != 'w'))
            return false;
        f->pieces[i] = (struct tree_piece){
            .next = i + 1 < f->o->count && p[1].start == p->end ? (uint32_t)i + 1
                                                                : number_of(r, f, p->end),
            .target = p->target != 0 ? number_of(r, f, p->target) : TREE_NONE,
            .back = p->back != 0 ? p->back - 1 : TREE_NONE,
            .arm_of = p->arm_of != 0 ? p->arm_of - 1 : TREE_NONE,
            .ends = p->ends,
            .may_enter = p->may_enter};
        if (p->back != 0 && f->pieces[i].next == TREE_NONE)
            return false;
    }
    return true;
}

static void flows_known(struct flows *f) {
    for (size_t k = 0; k < f->arc_count; k++) {
        struct tree_arc *a = &f->arcs[k];
        const struct native_piece *p = &f->own[a->piece];
        a->counted = (a->kind == TREE_NODE && p->has_count) ||
                     (a->kind == TREE_FALL && p->has_fall) ||
                     (a->kind == TREE_TAKEN && p->has_taken);
        a->flow = !a->counted            ? 0
                  : a->kind == TREE_NODE ? p->count
                  : a->kind == TREE_FALL ? p->fall
                                         : p->taken;
    }
    for (size_t i = 0; i < f->o->count; i++)
        f->work.balance[tree_begin((uint32_t)i)] += f->own[i].paired;
}

static void flows_put(const struct flows *f) {
    for (size_t k = 0; k < f->arc_count; k++) {
        const struct tree_arc *a = &f->arcs[k];
        struct native_piece *p = &f->own[a->piece];
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

/* Sets the counts of an object's pieces that have no counter. */
static enum status derive(struct reader *r, const struct native_object *o) {
    struct flows f = {.o = o, .own = &r->c.pieces.at[o->first]};
    struct tree_fault fault;
    enum status s = STATUS_OK;
    if (!flows_get(&f)) {
        s = no_memory(r);
    } else if (!flows_pieces(r, &f)) {
        s = error_set(r->e, STATUS_FORMAT, "%s/pieces: a return or an arm is invalid", r->folder);
    } else {
        f.arc_count = tree_arcs(f.pieces, o->count, f.arcs);
        flows_known(&f);
        if (!tree_solve(f.arcs, f.arc_count, &f.work, &fault))
            s = refuse(r, &f.own[fault.piece],
                       fault.negative  ? "was left more often than it was entered, by"
                       : fault.by == 0 ? "has a count that does not follow from others, nor from"
                                       : "was not left as often as it was entered: they differ by",
                       fault.by);
        flows_put(&f);
    }
    flows_free(&f);
    return s;
}

/* ---- edges, again ---- */

/* Another piece of the same object, by its number. */
static const struct native_piece *numbered(const struct reader *r, const struct native_piece *p,
                                           uint32_t number) {
    return &r->c.pieces.at[object_of(r, p)->first + number - 1];
}

static enum status put_branch(struct reader *r, const struct native_piece *p) {
    enum status s = put_edge(r, p, p->end, p->fall);
    return s == STATUS_OK ? put_edge(r, p, p->target, p->count - p->fall) : s;
}

static enum status put_call(struct reader *r, const struct native_piece *p) {
    enum status s = put_edge(r, p, p->target, p->count);
    return s == STATUS_OK && p->back != 0
               ? put_edge(r, numbered(r, p, p->back), p->end, p->returned)
               : s;
}

/* A linkage stub leads to what resolves its symbol, and from then on to one target. */
static enum status put_linkage(struct reader *r, const struct native_piece *p) {
    const uint64_t resolved = p->count - p->fall;
    const struct native_object *o = p->led != 0 ? native_object_at(&r->c, p->led) : NULL;
    enum status s = put_edge(r, p, p->target, p->fall);
    if (s != STATUS_OK || o == NULL || resolved == 0)
        return s;
    if (o == object_of(r, p) && native_offset(o, p->led) == p->target)
        return refuse(r, p, "is a linkage stub whose target is not known, times:", resolved);
    return put_edge_to(r, p, o, native_offset(o, p->led), resolved);
}

/* A system call returns to the next instruction, or not at all; so what follows has a count of its own. Of
 * what enters there, more than has left came from elsewhere: a new thread, the child of a vfork. */
static enum status put_system(struct reader *r, const struct native_piece *p) {
    const struct native_piece *next = native_piece_at(&r->c, object_of(r, p), p->end);
    if (next == NULL)
        return STATUS_OK;
    const uint64_t left = next->count > next->in ? next->count - next->in : 0;
    return put_edge(r, p, p->end, p->count < left ? p->count : left);
}

static enum status put_systems(struct reader *r) {
    enum status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < r->c.pieces.len; i++)
        if (r->c.pieces.at[i].ends == 'x')
            s = put_system(r, &r->c.pieces.at[i]);
    return s;
}

static enum status put_piece(struct reader *r, const struct native_piece *p) {
    uint32_t at = p->start;
    if (p->arm_of != 0 && put_edge(r, numbered(r, p, p->arm_of), at, p->armed) != STATUS_OK)
        return r->e->status;
    for (size_t k = 0; p->count > 0 && k + 1 < p->instructions; k++) {
        const uint32_t next = at + native_length(p, k);
        if (!put_pair(r, address_of(r, p, at), address_of(r, p, next), p->count, false))
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
        return put_linkage(r, p);
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
    for (size_t i = 0; i < r->c.pieces.len; i++) {
        const struct native_piece *p = &r->c.pieces.at[i];
        if (p->in > p->count)
            return refuse(r, p, "was entered more often than it was executed, by",
                          p->in - p->count);
        if (p->in < p->count && !p->may_enter)
            return refuse(r, p, "was executed more often than it was entered, by",
                          p->count - p->in);
        const struct native_entries from = {.at = address_of(r, p, p->start),
                                            .count = p->count - p->in};
        if (from.count > 0 &&
            (!vec_push(&r->flow.entries, from.at) || !vec_push(&r->entries, from)))
            return no_memory(r);
        out->entered += p->count - p->in;
        out->instructions += p->count * p->instructions;
        out->executed += p->count > 0;
        out->probed += (p->has_count ? p->count : 0) + (p->has_fall ? p->fall : 0) +
                       (p->has_taken ? p->taken : 0);
        out->traps += p->traps * p->count;
    }
    out->pieces = r->c.pieces.len;
    return STATUS_OK;
}

/* ---- all of it ---- */

static enum status read_all(struct reader *r, struct native_graph *out) {
    enum status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < r->c.objects.len; i++)
        s = derive(r, &r->c.objects.at[i]);
    for (size_t i = 0; s == STATUS_OK && i < r->c.pieces.len; i++)
        s = put_piece(r, &r->c.pieces.at[i]);
    if (s == STATUS_OK)
        s = put_pairs(r);
    if (s == STATUS_OK)
        s = put_systems(r);
    if (s == STATUS_OK)
        s = check_entries(r, out);
    return s == STATUS_OK ? graph_from_flow(&out->graph, &r->flow, false, r->e) : s;
}

/* ---- the structure ---- */

static bool met_insn(const void *user, uint32_t address, struct shape_insn *out) {
    const struct reader *r = user;
    size_t i = r->c.objects.len;
    while (i > 0 && (r->c.objects.at[i - 1].count == 0 || r->c.objects.at[i - 1].base > address ||
                     address - r->c.objects.at[i - 1].base >= r->files.at[i - 1].len))
        i--;
    const struct native_object *o = i > 0 ? &r->c.objects.at[i - 1] : NULL;
    const uint32_t offset = o != NULL ? address - o->base : 0;
    const struct native_piece *p = o != NULL ? native_piece_around(&r->c, o, offset) : NULL;
    if (p == NULL || offset >= p->end || p->end > r->files.at[i - 1].len)
        return false;
    uint32_t at = p->start, size = 0;
    for (size_t k = 0; k < p->instructions && at <= offset; k++, at += size) {
        size = native_length(p, k);
        if (at == offset) {
            const bool last = k + 1 == p->instructions;
            *out = (struct shape_insn){
                size,
                last ? native_end_of(p->ends, r->files.at[i - 1].at + offset, size) : END_NONE};
            return true;
        }
    }
    return false;
}

static int by_base(const void *a, const void *b) {
    const struct native_image *x = a, *y = b;
    return x->base < y->base ? -1 : x->base > y->base;
}

static enum status make_structure(struct reader *r, struct native_graph *out) {
    VEC(struct native_image) images = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < r->c.objects.len; i++) {
        const struct native_object *o = &r->c.objects.at[i];
        if (o->outside[0] == 0)
            ok = vec_push(&images, ((struct native_image){.base = o->base, .path = o->path}));
    }
    if (images.len > 1)
        qsort(images.at, images.len, sizeof *images.at, by_base);
    const struct native_structure_request request = {
        .flow = &r->flow,
        .graph = &out->graph,
        .insns = {.insn = met_insn, .user = r},
        .entries = r->entries.at,
        .entry_count = r->entries.len,
        .images = images.at,
        .image_count = images.len,
        .instructions = out->instructions,
    };
    const enum status s =
        ok ? native_structure_make(&out->structure, &request, r->e) : no_memory(r);
    vec_free(&images);
    return s;
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

/* Where a library begins: behind the files before it, or where the structure has it. */
static enum status find_base(struct reader *r, const struct structure *images, uint64_t *next,
                             size_t i) {
    enum { ALIGN = 1 << 20 };
    struct native_object *o = &r->c.objects.at[i];
    const enum status s = native_graph_base(&o->base, images, o->path, r->e);
    if (s != STATUS_OK || images != NULL)
        return s;
    if (i > 0 && *next + r->files.at[i].len > UINT32_MAX)
        return error_set(r->e, STATUS_UNSUPPORTED, "%s: the program's files are larger than 4 GB",
                         o->path);
    if (i > 0)
        o->base = (uint32_t)*next;
    *next = (o->base + r->files.at[i].len + ALIGN - 1) & ~(uint64_t)(ALIGN - 1);
    return STATUS_OK;
}

/* The identity of the program, and the addresses of its files. Of a script the program is its
 * interpreter. */
static enum status name_program(struct reader *r, const struct structure *images, struct graph *g) {
    uint64_t next = 0;
    enum status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < r->c.objects.len; i++) {
        struct file_view view = {0};
        if (r->c.objects.at[i].outside[0] == 0)
            s = file_view_path(&view, r->c.objects.at[i].path, (size_t)1 << 31, r->e);
        if (s == STATUS_OK && !vec_push(&r->files, view)) {
            file_view_free(&view);
            s = no_memory(r);
        }
        if (s == STATUS_OK && r->c.objects.at[i].outside[0] == 0)
            s = find_base(r, images, &next, i);
    }
    if (s == STATUS_OK)
        sha1_hex(r->files.at[0].at, r->files.at[0].len, g->program);
    return s;
}

/* Lists the files that were not counted. */
static enum status list_outside(const struct reader *r, struct native_graph *out) {
    for (size_t i = 0; i < r->c.objects.len; i++) {
        const struct native_object *o = &r->c.objects.at[i];
        struct native_outside line;
        out->libraries += i > 0 && o->outside[0] == 0;
        if (o->outside[0] == 0)
            continue;
        snprintf(line.text, sizeof line.text, "%.200s: %.250s", o->path, o->outside);
        if (!vec_push(&out->outside, line))
            return error_set(r->e, STATUS_MEMORY, "out of memory");
    }
    return STATUS_OK;
}

/* What the library has noted about libc's counts. */
static enum status check_libc(struct reader *r) {
    const uint64_t why = r->c.libc;
    for (size_t i = 0; i < r->c.objects.len && why != SESSION_LIBC_EXACT; i++)
        r->in_libc |= r->c.objects.at[i].libc && r->c.objects.at[i].outside[0] == 0;
    return !r->in_libc
               ? STATUS_OK
               : error_set(r->e, STATUS_UNSUPPORTED, "%s",
                           why == SESSION_LIBC_FORKED
                               ? "the program forked while it had threads, and a child "
                                 "counts as its parent until libc calls the library"
                           : why == SESSION_LIBC_OPEN
                               ? "the program ended where a signal had interrupted it, or while "
                                 "another thread was in it"
                               : "the library's own calls of it were counted, because "
                                 "its counts could not be mapped anew");
}

static enum status check_run(struct reader *r) {
    char path[4096];
    snprintf(path, sizeof path, "%s/pieces", r->folder);
    if (access(path, F_OK) != 0)
        return error_set(
            r->e, STATUS_UNSUPPORTED,
            "no exact graph: the program ended before it could be probed, or did not load the "
            "library");
    return STATUS_OK;
}

/* A signal that was noted found the program in other code; others may find it anywhere. What happens after
 * exec happens to another program. */
static enum status check_end(struct reader *r, int status) {
    if (!WIFSIGNALED(status) || r->c.left || r->c.raised == WTERMSIG(status))
        return STATUS_OK;
    return error_set(
        r->e, STATUS_UNSUPPORTED,
        "no exact graph: signal %d (%s) ended the program, and it is not known where in "
        "its code; counts of functions and blocks (--blocks) survive it",
        WTERMSIG(status), strsignal(WTERMSIG(status)));
}

/* With the reason if it is to be left out; sets *in_libc if that is where the graph is wrong. */
static enum status read_graph(struct native_graph *out, const struct native_graph_request *request,
                              const char *without, bool *in_libc, struct error *e) {
    struct reader r = {.folder = request->folder, .without = without, .e = e};
    struct graph named = {0};
    *out = (struct native_graph){0};
    enum status s = check_run(&r);
    if (s == STATUS_OK)
        s = native_pieces_read(&r.c, request->folder, without, e);
    if (s == STATUS_OK)
        s = check_end(&r, request->status);
    if (s == STATUS_OK)
        s = check_libc(&r);
    if (s == STATUS_OK)
        s = name_program(&r, request->images, &named);
    if (s == STATUS_OK)
        s = read_all(&r, out);
    if (s == STATUS_OK)
        s = list_outside(&r, out);
    if (s == STATUS_OK && request->structure)
        s = make_structure(&r, out);
    memcpy(out->graph.program, named.program, sizeof named.program);
    memcpy(out->structure.graph.program, named.program, sizeof named.program);
    out->graph.kind = GRAPH_EXACT;
    out->graph.partial = WIFSIGNALED(request->status) && !r.c.left;
    flow_free(&r.flow);
    for (size_t i = 0; i < r.files.len; i++)
        file_view_free(&r.files.at[i]);
    vec_free(&r.files);
    vec_free(&r.entries);
    native_pieces_free(&r.c);
    *in_libc = r.in_libc;
    if (s != STATUS_OK)
        native_graph_free(out);
    return s;
}

/* Each file is a flow graph of its own, so the others are exact without libc, too. */
enum status native_graph_read(struct native_graph *out, const struct native_graph_request *request,
                              struct error *e) {
    bool in_libc = false;
    enum status s = read_graph(out, request, NULL, &in_libc, e);
    if (s != STATUS_UNSUPPORTED || !in_libc)
        return s;
    const struct error why = *e;
    return read_graph(out, request, why.text, &in_libc, e);
}

void native_graph_free(struct native_graph *g) {
    graph_free(&g->graph);
    structure_free(&g->structure);
    vec_free(&g->outside);
}
