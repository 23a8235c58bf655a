#include "qemu/read.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "qemu/recording.h"
#include "qemu/target.h"

enum { BATCH_MOST = 65536 };

struct reader {
    const uint8_t *at, *end;
    const struct recording_header *header;
    const struct recording_insn *insns;
    struct flow flow;
    VEC(uint32_t) first, last; /* of each block: indices of instructions */
    const char *path;
    struct error *e;
};

static enum status cut_off(struct reader *r) {
    return error_set(r->e, STATUS_FORMAT, "%s: the recording is incomplete", r->path);
}

static enum status no_memory(struct reader *r) {
    return error_set(r->e, STATUS_MEMORY, "%s: out of memory", r->path);
}

/* Returns the next `count` records of the file; NULL: the file ends before. */
static const void *take(struct reader *r, uint64_t count, size_t size) {
    if (count > (size_t)(r->end - r->at) / size)
        return NULL;
    const void *found = r->at;
    r->at += count * size;
    return found;
}

static enum status read_images(struct reader *r, struct qemu_result *out) {
    for (uint64_t i = 0; i < r->header->images; i++) {
        struct recording_image image;
        const void *row = take(r, 1, sizeof image);
        if (row == NULL)
            return cut_off(r);
        memcpy(&image, row, sizeof image);
        struct qemu_image named = {
            .path = strndup(image.path, sizeof image.path), .base = image.base, .room = image.room};
        if (named.path == NULL || !vec_push(&out->images, named)) {
            free(named.path);
            return no_memory(r);
        }
        struct qemu_image *last = &out->images.at[out->images.len - 1];
        struct stat file;
        if (last->path[0] != '\0' && hash_file(last->path, last->hash, NULL) != STATUS_OK)
            last->hash[0] = '\0'; /* the file no longer exists */
        if (last->hash[0] != '\0' && stat(last->path, &file) == 0)
            last->size = (uint64_t)file.st_size;
    }
    return STATUS_OK;
}

static bool add_pair(struct reader *r, uint32_t a, uint32_t b, uint64_t count) {
    const struct recording_insn *x = &r->insns[a], *y = &r->insns[b];
    const struct flow_pair pair = {
        .a = x->address,
        .b = y->address,
        .count = count,
        .transfer = x->kind != TRANSFER_NONE || y->address != x->address + x->size,
    };
    return count == 0 || vec_push(&r->flow.pairs, pair);
}

static enum status read_blocks(struct reader *r) {
    for (uint64_t i = 0; i < r->header->blocks; i++) {
        uint64_t executions;
        uint32_t count;
        const void *head = take(r, 1, sizeof executions), *counted = take(r, 1, sizeof count);
        if (head == NULL || counted == NULL)
            return cut_off(r);
        memcpy(&executions, head, sizeof executions);
        memcpy(&count, counted, sizeof count);
        const uint8_t *row = take(r, count, sizeof(uint32_t));
        if (row == NULL || count == 0)
            return cut_off(r);
        uint32_t before = 0;
        for (uint32_t k = 0; k < count; k++) {
            uint32_t insn;
            memcpy(&insn, row + k * sizeof insn, sizeof insn);
            if (insn >= r->header->insns)
                return cut_off(r);
            if (k == 0 ? !vec_push(&r->first, insn) : !add_pair(r, before, insn, executions))
                return no_memory(r);
            before = insn;
        }
        if (!vec_push(&r->last, before))
            return no_memory(r);
    }
    return STATUS_OK;
}

static enum status read_arcs(struct reader *r) {
    for (uint64_t i = 0; i < r->header->arcs; i++) {
        struct recording_arc arc;
        const void *row = take(r, 1, sizeof arc);
        if (row == NULL)
            return cut_off(r);
        memcpy(&arc, row, sizeof arc);
        if (arc.from >= r->header->blocks || arc.to >= r->header->blocks)
            return cut_off(r);
        if (!add_pair(r, r->last.at[arc.from], r->first.at[arc.to], arc.count))
            return no_memory(r);
    }
    for (uint64_t i = 0; i < r->header->starts; i++) {
        uint32_t insn;
        const void *row = take(r, 1, sizeof insn);
        if (row == NULL)
            return cut_off(r);
        memcpy(&insn, row, sizeof insn);
        if (insn >= r->header->insns)
            return cut_off(r);
        if (!vec_push(&r->flow.entries, r->insns[insn].address))
            return no_memory(r);
    }
    return STATUS_OK;
}

/* ---- facts for layouts ---- */

struct insn_index {
    const struct recording_insn *insns;
    struct map at; /* address -> 1 + index of its first instruction */
};

static bool shape_insn(const void *user, uint32_t address, struct shape_insn *out) {
    static const uint8_t ends[TRANSFER_KINDS] = {
        [TRANSFER_NONE] = END_NONE,
        [TRANSFER_BRANCH] = END_BRANCH,
        [TRANSFER_JUMP] = END_JUMP,
        [TRANSFER_CALL] = END_CALL,
        [TRANSFER_JUMP_INDIRECT] = END_INDIRECT,
        [TRANSFER_CALL_INDIRECT] = END_CALL,
        [TRANSFER_RETURN] = END_OTHER,
    };
    const struct insn_index *index = user;
    const uint64_t *found = map_find(&index->at, address);
    if (found == NULL)
        return false;
    const struct recording_insn *insn = &index->insns[*found - 1];
    *out = (struct shape_insn){insn->size, ends[insn->kind]};
    return true;
}

/* Adds a region for each image; anonymous images are memory. */
static bool list_regions(struct shapes *s, const struct qemu_result *out) {
    s->regions = calloc(out->images.len + 1, sizeof *s->regions);
    for (size_t i = 0; s->regions != NULL && i < out->images.len; i++)
        s->regions[s->region_count++] = (struct region){
            .base = out->images.at[i].base, .memory = out->images.at[i].path[0] == '\0'};
    return s->regions != NULL;
}

static bool list_images(struct structure *s, const struct qemu_result *out) {
    bool ok = true;
    for (size_t i = 0; ok && i < out->images.len; i++) {
        const struct qemu_image *image = &out->images.at[i];
        if (image->path[0] != '\0' && strpbrk(image->path, "\r\n") == NULL)
            ok = structure_add_image(s, image->base, image->hash, image->path, strlen(image->path));
    }
    return ok;
}

static enum status find_shapes(struct reader *r, struct qemu_result *out) {
    struct insn_index index = {.insns = r->insns};
    struct shapes *shapes = &out->structure.shapes;
    bool ok = list_regions(shapes, out) && list_images(&out->structure, out);
    for (uint64_t i = 0; ok && i < r->header->insns; i++) {
        uint64_t *at = map_at(&index.at, r->insns[i].address);
        ok = at != NULL;
        if (ok && *at == 0)
            *at = i + 1;
    }
    const struct shape_source source = {.insn = shape_insn, .user = &index};
    const enum status status =
        ok ? shapes_of_blocks(shapes, &out->structure.graph, source, r->e) : no_memory(r);
    map_free(&index.at);
    return status;
}

/* ---- samples ---- */

uint8_t recording_insn_kind(uint8_t transfer) {
    static const uint8_t kinds[TRANSFER_KINDS] = {
        [TRANSFER_NONE] = INSN_PLAIN,
        [TRANSFER_BRANCH] = INSN_BRANCH,
        [TRANSFER_JUMP] = INSN_JUMP,
        [TRANSFER_CALL] = INSN_CALL,
        [TRANSFER_JUMP_INDIRECT] = INSN_JUMP_INDIRECT,
        [TRANSFER_CALL_INDIRECT] = INSN_JUMP_INDIRECT,
        [TRANSFER_RETURN] = INSN_RETURN,
    };
    return kinds[transfer];
}

static struct sample sample_of(const struct recording_insn *insn) {
    return (struct sample){.pc = insn->address,
                           .target = insn->target,
                           .size = insn->size,
                           .kind = recording_insn_kind(insn->kind)};
}

/* Adds the samples to the stream, batch by batch. False: out of memory, or (with *broken) the
 * recording is not whole. */
static bool add_batches(const struct reader *r, struct stream_maker *maker, const uint32_t *rows,
                        uint64_t count, bool *broken) {
    const bool stacks = maker->stream.of == STREAM_OF_BRANCHES;
    const size_t length = maker->stream.batch_length;
    struct sample batch[BATCH_MOST];
    size_t len = 0;
    for (uint64_t i = 0; i < count; i++) {
        const bool ends = stacks && rows[i] == RECORDING_BATCH_END;
        *broken = ends ? len == 0 : rows[i] >= r->header->insns || len == BATCH_MOST;
        if (*broken)
            return false;
        if (!ends)
            batch[len++] = sample_of(&r->insns[rows[i]]);
        if (!ends && (stacks || len < length))
            continue;
        if (!stream_add_some(maker, batch, len))
            return false;
        len = 0;
    }
    *broken = len != 0;
    return !*broken;
}

static enum status read_stream(struct reader *r, struct stream *out,
                               const struct recording_setting *setting) {
    static const enum stream_of of[] = {STREAM_OF_BATCHES, STREAM_OF_TRANSFERS, STREAM_OF_BRANCHES,
                                        STREAM_OF_BRANCHES};
    uint64_t count;
    const void *head = take(r, 1, sizeof count);
    if (head == NULL)
        return cut_off(r);
    memcpy(&count, head, sizeof count);
    const void *rows = take(r, count, sizeof(uint32_t));
    if (rows == NULL)
        return cut_off(r);
    struct stream_maker maker = {
        .stream = {.of = of[setting->by],
                   .batch_length = of[setting->by] == STREAM_OF_BRANCHES ? 0 : setting->length,
                   .population = setting->by == RECORDING_TRANSFERS ? r->header->transfers
                                                                    : r->header->instructions,
                   .executed = r->header->instructions}};
    bool broken = false;
    if (!add_batches(r, &maker, rows, count, &broken)) {
        stream_unmake(&maker);
        return broken ? cut_off(r) : no_memory(r);
    }
    *out = stream_made(&maker);
    if (out->batch_length == 0)
        out->batch_length = 1; /* a stack was never read */
    return STATUS_OK;
}

/* ---- the trace ---- */

static struct code_insn code_of(const struct recording_insn *insn) {
    const bool calls = insn->kind == TRANSFER_CALL_INDIRECT;
    return (struct code_insn){.address = insn->address,
                              .next = insn->address + insn->size,
                              .target = insn->target,
                              .kind = calls ? CODE_CALL_INDIRECT : recording_insn_kind(insn->kind)};
}

static enum status read_changes(struct reader *r, struct program_trace *out) {
    for (uint64_t i = 0; i < r->header->changes; i++) {
        struct recording_change row;
        const void *at = take(r, 1, sizeof row);
        if (at == NULL)
            return cut_off(r);
        memcpy(&row, at, sizeof row);
        if (row.insn >= r->header->insns)
            return cut_off(r);
        struct code_change change = {.at = row.at,
                                     .insn = code_of(&r->insns[row.insn]),
                                     .once = row.how == RECORDING_ONCE,
                                     .to = row.to};
        if (row.how == RECORDING_RETURNS)
            change.insn.kind = INSN_RTI;
        if (!vec_push(&out->changes, change))
            return no_memory(r);
    }
    return STATUS_OK;
}

/* All but the packets. */
static enum status read_trace(struct reader *r, struct qemu_result *out) {
    struct program_trace *t = &out->trace;
    for (uint64_t i = 0; i < r->header->insns; i++)
        if (!vec_push(&t->insns, code_of(&r->insns[i])))
            return no_memory(r);
    for (size_t i = 0; i < out->images.len; i++) {
        const struct qemu_image *image = &out->images.at[i];
        struct program_image copy = {.base = image->base, .path = strdup(image->path)};
        memcpy(copy.hash, image->hash, sizeof copy.hash);
        if (copy.path == NULL || !vec_push(&t->images, copy)) {
            free(copy.path);
            return no_memory(r);
        }
    }
    t->instructions = r->header->instructions;
    return STATUS_OK;
}

static enum status read_all(struct reader *r, struct qemu_result *out,
                            const struct recording_setting *settings, size_t count) {
    const struct recording_header *h = r->header = take(r, 1, sizeof *h);
    if (h == NULL || h->magic != RECORDING_MAGIC || h->settings != count || h->end > RECORDING_EXEC)
        return cut_off(r);
    if (h->trouble[0] != '\0')
        return error_set(r->e, STATUS_UNSUPPORTED, "%.*s", (int)sizeof h->trouble, h->trouble);
    enum status status = read_images(r, out);
    if (status != STATUS_OK)
        return status;
    if ((r->insns = take(r, h->insns, sizeof *r->insns)) == NULL)
        return cut_off(r);
    for (uint64_t i = 0; i < h->insns; i++)
        if (r->insns[i].kind >= TRANSFER_KINDS)
            return cut_off(r);
    if ((status = read_blocks(r)) || (status = read_arcs(r)) ||
        (status = graph_from_flow(&out->graph, &r->flow, false, r->e)) ||
        (status = structure_of_flow(&out->structure, &r->flow, &out->graph, r->e)) ||
        (status = find_shapes(r, out)))
        return status;
    if ((out->streams = calloc(count > 0 ? count : 1, sizeof *out->streams)) == NULL)
        return no_memory(r);
    out->stream_count = count;
    for (size_t i = 0; i < count; i++)
        if ((status = read_stream(r, &out->streams[i], &settings[i])) != STATUS_OK)
            return status;
    if (h->traced != 0 &&
        ((status = read_changes(r, &out->trace)) || (status = read_trace(r, out))))
        return status;
    uint64_t magic;
    const void *end = take(r, 1, sizeof magic);
    if (end == NULL || (memcpy(&magic, end, sizeof magic), magic != RECORDING_MAGIC))
        return cut_off(r);
    out->instructions = out->structure.executed = h->instructions;
    out->transfers = out->structure.transfers = h->transfers;
    out->signals = h->signals;
    out->unfinished = h->unfinished;
    out->forks = h->forks;
    out->end =
        (enum qemu_end[]){QEMU_ENDED, QEMU_SIGNAL, QEMU_STOPPED, QEMU_LIMIT, QEMU_EXEC}[h->end];
    out->signal = (int)h->signal;
    out->graph.partial = qemu_is_partial(out);
    out->exit_status = out->end == QEMU_SIGNAL ? 128 + out->signal : (int)h->exit_code;
    out->flushes = h->flushes;
    out->threads = h->cpus;
    return STATUS_OK;
}

bool qemu_is_partial(const struct qemu_result *r) {
    return r->end != QEMU_ENDED && r->end != QEMU_EXEC;
}

enum status recording_parse(struct qemu_result *out, const uint8_t *at, size_t size,
                            const char *name, const struct recording_setting *settings,
                            size_t count, struct error *e) {
    struct reader r = {.at = at, .end = at + size, .path = name, .e = e};
    const enum status status = read_all(&r, out, settings, count);
    flow_free(&r.flow);
    vec_free(&r.first);
    vec_free(&r.last);
    return status;
}

enum status recording_read(struct qemu_result *out, const char *path,
                           const struct recording_setting *settings, size_t count,
                           struct error *e) {
    struct file_reader *file;
    struct file_view view = {0};
    enum status status = file_open_reader(&file, path, e);
    if (status != STATUS_OK)
        return status;
    status = file_view(&view, file, e);
    if (status == STATUS_OK)
        status = file_close_reader(file, e);
    else
        file_close_reader(file, NULL);
    if (status == STATUS_OK)
        status = recording_parse(out, view.at, view.len, path, settings, count, e);
    file_view_free(&view);
    return status;
}
