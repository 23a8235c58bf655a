/* Graphs as blobs; db.h has the format. */
#include "db/connection.h"

#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1 };

/* ---- packing ---- */

struct packer {
    VEC(uint8_t) out;
    bool failed;
};

static void pack(struct packer *p, uint64_t value) {
    do {
        uint8_t byte = (uint8_t)((value & 0x7F) | (value > 0x7F ? 0x80 : 0));
        p->failed |= !vec_push(&p->out, byte);
        value >>= 7;
    } while (value != 0);
}

static void pack_signed(struct packer *p, int64_t value) {
    pack(p, value < 0 ? ~((uint64_t)value << 1) : (uint64_t)value << 1);
}

enum status db_pack_graph(struct bytes *out, const struct graph *g, struct error *e) {
    struct packer p = {0};
    uint32_t before = 0;
    pack(&p, FORMAT);
    pack(&p, g->edge_count);
    for (size_t i = 0; i < g->edge_count; i++) {
        const struct edge *edge = &g->edges[i];
        pack(&p, edge->source - before);
        pack_signed(&p, (int64_t)edge->target - (int64_t)edge->source);
        pack(&p, edge->count << 1 | edge->busy);
        before = edge->source;
    }
    before = 0;
    pack(&p, g->block_count);
    for (size_t i = 0; i < g->block_count; i++) {
        const struct block *block = &g->blocks[i];
        pack(&p, block->entry - before);
        pack_signed(&p, (int64_t)block->last - (int64_t)block->entry);
        before = block->entry;
    }
    *out = (struct bytes){.at = p.out.at, .len = p.out.len};
    if (!p.failed)
        return STATUS_OK;
    bytes_free(out);
    return error_set(e, STATUS_MEMORY, "out of memory for a graph");
}

/* ---- unpacking: every value is checked ---- */

struct unpacker {
    const uint8_t *at, *end;
    bool failed;
};

static uint64_t unpack(struct unpacker *u) {
    uint64_t value = 0;
    for (unsigned shift = 0; u->at < u->end && shift < 64; shift += 7) {
        uint8_t byte = *u->at++;
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return value;
    }
    u->failed = true;
    return 0;
}

/* `from` plus a signed number; code addresses have 32 bits. */
static uint32_t unpack_address(struct unpacker *u, uint32_t from, bool is_signed) {
    uint64_t code = unpack(u);
    int64_t delta = is_signed ? (int64_t)(code >> 1) ^ -(int64_t)(code & 1) : (int64_t)(code >> 1);
    if (!is_signed)
        delta = code > UINT32_MAX ? INT64_C(1) << 40 : (int64_t)code;
    if (delta > INT64_C(1) << 32 || delta < -(INT64_C(1) << 32) || (int64_t)from + delta < 0 ||
        (int64_t)from + delta > UINT32_MAX) {
        u->failed = true;
        return 0;
    }
    return (uint32_t)((int64_t)from + delta);
}

/* Number of items of at least `least_bytes` bytes that follow. */
static size_t unpack_count(struct unpacker *u, size_t least_bytes) {
    uint64_t count = unpack(u);
    if (count > (size_t)(u->end - u->at) / least_bytes)
        u->failed = true;
    return u->failed ? 0 : (size_t)count;
}

static void unpack_edges(struct unpacker *u, struct graph *g) {
    uint64_t sum = 0;
    for (size_t i = 0; i < g->edge_count && !u->failed; i++) {
        struct edge *edge = &g->edges[i];
        const struct edge *before = i > 0 ? edge - 1 : NULL;
        edge->source = unpack_address(u, before != NULL ? before->source : 0, false);
        edge->target = unpack_address(u, edge->source, true);
        uint64_t count = unpack(u);
        edge->count = count >> 1;
        edge->busy = count & 1;
        if (edge->count > GRAPH_WEIGHT_MAX - sum)
            u->failed = true;
        sum += edge->count;
        if (before != NULL && before->source == edge->source && before->target >= edge->target)
            u->failed = true;
    }
}

static void unpack_blocks(struct unpacker *u, struct graph *g) {
    for (size_t i = 0; i < g->block_count && !u->failed; i++) {
        struct block *block = &g->blocks[i];
        block->entry = unpack_address(u, i > 0 ? block[-1].entry : 0, false);
        block->last = unpack_address(u, block->entry, true);
        if (i > 0 && block->entry == block[-1].entry)
            u->failed = true;
    }
}

enum status db_unpack_graph(struct graph *out, const void *data, size_t len, struct error *e) {
    struct unpacker u = {.at = data, .end = (const uint8_t *)data + len};
    *out = (struct graph){0};
    u.failed = unpack(&u) != FORMAT;
    out->edge_count = unpack_count(&u, 3);
    out->edges = calloc(out->edge_count + 1, sizeof *out->edges);
    if (out->edges != NULL)
        unpack_edges(&u, out);
    out->block_count = unpack_count(&u, 2);
    out->blocks = calloc(out->block_count + 1, sizeof *out->blocks);
    bool memory = out->edges == NULL || out->blocks == NULL;
    if (!memory)
        unpack_blocks(&u, out);
    if (!memory && !u.failed && u.at == u.end)
        return STATUS_OK;
    graph_free(out);
    return memory ? error_set(e, STATUS_MEMORY, "out of memory for a graph")
                  : error_set(e, STATUS_FORMAT, "a stored graph is damaged");
}

/* ---- in the database ---- */

enum status db_put_whole_graph(struct db *db, const struct graph *g, const char *hash, int64_t *id,
                               struct error *e) {
    struct bytes data;
    enum status status = db_pack_graph(&data, g, e);
    if (status != STATUS_OK)
        return status;
    struct db_graph row = {.hash = hash,
                           .edges = (int64_t)g->edge_count,
                           .blocks = (int64_t)g->block_count,
                           .data = {data.at, data.len}};
    status = db_put_graph(db, &row, e);
    *id = row.graph_id;
    bytes_free(&data);
    return status;
}

enum status db_get_graph(struct db *db, int64_t graph_id, struct graph *out, struct error *e) {
    struct binder b = db_bind(db, "SELECT data FROM graph WHERE graph_id = ?");
    sqlite3_stmt *s = b.statement;
    *out = (struct graph){0};
    db_bind_integer(&b, graph_id);
    int code = b.statement != NULL ? sqlite3_step(s) : SQLITE_ERROR;
    enum status status;
    if (code == SQLITE_ROW && sqlite3_column_type(s, 0) == SQLITE_BLOB)
        status =
            db_unpack_graph(out, sqlite3_column_blob(s, 0), (size_t)sqlite3_column_bytes(s, 0), e);
    else if (code == SQLITE_ROW || code == SQLITE_DONE)
        status = error_set(e, STATUS_ARGUMENT, "a graph is not there");
    else
        return db_fail(db, e);
    if (status != STATUS_OK)
        error_prefix(e, "%s", db->path);
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return status;
}
