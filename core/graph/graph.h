/*
 * graph: weighted control-flow graphs: built from recorded flow, read, written and compared.
 *
 * Code addresses are 32 bits: the CPU address, or (8 KiB PRG bank << 16) | CPU address for mappers
 * that switch PRG. A graph's nodes are basic blocks, named by the address of their first
 * instruction (their entry).
 *
 * Invariants
 *  - edges are sorted by (source, target) and unique; blocks are sorted by entry and unique.
 *  - The counts of a graph sum to at most GRAPH_WEIGHT_MAX; a graph with more is refused.
 *  - Everything is deterministic: no result depends on the order in which flow was recorded.
 *
 *     struct graph g = {0}, h = {0};
 *     if (graph_read(&g, "g.graph", &err) || graph_read(&h, "h.graph", &err))
 *         ...
 *     struct reference *exact;
 *     struct metrics m;
 *     if (reference_new(&exact, &h, 0, &err) == STATUS_OK)
 *         reference_compare(exact, &m, &g, SCOPE_WHOLE, &err);
 */
#ifndef HOTGRAPH_GRAPH_H
#define HOTGRAPH_GRAPH_H

#include "base/base.h"

struct edge {
    uint32_t source, target; /* block entries */
    uint64_t count;
    bool busy; /* part of a busy-wait; only exact graphs know */
};

struct block {
    uint32_t entry, last; /* addresses of the first and of the last instruction */
};

/* What a graph describes; files keep it as comments. */
enum graph_kind { GRAPH_UNKNOWN, GRAPH_EXACT, GRAPH_BUILT };

struct graph {
    struct edge *edges;
    size_t edge_count;
    struct block *blocks;
    size_t block_count;
    enum graph_kind kind; /* exact: everything that was executed; built: found by a technique */
    char program[41];     /* SHA-1 of what was run (of a cartridge PRG and CHR, of a program its
                             file); "" unknown */
    bool partial;         /* of an incomplete run */
};

/* Twice the sum fits into 64 bits, and products of two sums into 128 bits. */
#define GRAPH_WEIGHT_MAX (UINT64_C(1) << 62)

void graph_free(struct graph *g);
enum status graph_copy(struct graph *out, const struct graph *g, struct error *e);
/* Sorts edges and blocks whose addresses have changed; none may have become equal. */
void graph_sort(struct graph *g);
const struct edge *graph_find_edge(const struct graph *g, uint32_t source, uint32_t target);
const struct block *graph_find_block(const struct graph *g, uint32_t entry);
uint64_t graph_weight(const struct graph *g); /* sum of all counts */

/* ---- from recorded flow to canonical blocks (Muchnick's maximal basic blocks); exact and observed
 * graphs share this ---- */

/* What the busy-wait test needs to know of an instruction. It keeps graphs independent of the
 * processor. */
struct flow_insn {
    uint32_t address;
    uint8_t size;
    bool waits; /* may be in a busy-wait: writes no memory, touches no stack, plain operands only */
    uint16_t reads, writes; /* registers and flags, one bit each, as the machine numbers them */
};

/* N(a, b): how often b followed a in one interrupted context. */
struct flow_pair {
    uint32_t a, b;
    uint64_t count;
    bool transfer; /* a is a control transfer, or b is not a + size: b is then a leader */
};

struct flow {
    VEC(struct flow_insn)
    insns; /* any order; only needed for busy-waits. An address that held
                                    several instructions has several entries, all of which must
                                    qualify */
    VEC(struct flow_pair)
    pairs; /* any order; equal pairs are added up, and a count of 0 is no
                                    pair */
    VEC(uint32_t)
    entries; /* reset and interrupt entries and heads of chains, which are
                                    leaders too */
};
void flow_free(struct flow *f);

/* Builds the canonical graph. Leaders are entries, targets of transfers, addresses with two
 * different predecessors, addresses whose predecessor has two different successors, and addresses
 * without a predecessor; in a cycle of pairs without any of these, its lowest address. Every
 * address of a pair and every entry is in exactly one block. With mark_busy, marks busy-waits:
 * cycles of at most four distinct blocks whose instructions all wait. */
enum status graph_from_flow(struct graph *out, const struct flow *flow, bool mark_busy,
                            struct error *e);

/* ---- hot set and metrics (definitions: metrics.c for the paper's, fair.c for the fair ones) ----
 */

/* The hot set: the fewest edges (by descending weight, then source, then target) whose weights sum
 * to at least permille/1000 of the whole. Writes their indices in g->edges to out, which has room
 * for g->edge_count, and returns their number. With skip_busy, busy edges are ignored. */
size_t graph_hot(const struct graph *g, unsigned permille, bool skip_busy, size_t *out);

/* A graph with edges whose counts are all 0 is a set: it says which edges are hot, not how hot. */
bool graph_is_set(const struct graph *g);

/* Edges are named by (last instruction of the source block, first instruction of the target block),
 * so splitting a block further has no effect. NAN: a metric over an empty set; for sets also
 * overlap and count_error. */
struct fair_metrics {
    bool named; /* false: the source block of an edge is unknown, and every metric is NAN */
    double hot_recall, hot_precision, hot_f1, hot_f1_10, hot_weight, overlap, count_error;
    uint64_t hot_g, hot_h, common_hot; /* |hot G|, |hot H|, and the size of their intersection */
};

struct metrics { /* A metric over an empty set is NAN, which the database stores as NULL. */
    double similarity, precision, f1, coverage, overlap, block_overlap;
    uint64_t hot_edges, edges, common_edges; /* |E_hot|, |E_G|, |E_G and E_H| */
    struct fair_metrics fair;
};

enum scope {
    SCOPE_WHOLE,
    SCOPE_ACTIVE, /* without busy-wait edges, in both graphs */
    SCOPES
};

/* An exact graph prepared for many comparisons: its hot sets, weights, names and busy-waits. Keeps
 * no reference to h. Any number of threads may use it. */
struct reference;
enum status reference_new(struct reference **out, const struct graph *h,
                          unsigned hot_permille, /* 0 = 900 */
                          struct error *e);
void reference_free(struct reference *r); /* NULL is fine */
/* The active scope needs the blocks of both graphs: STATUS_ARGUMENT if h has busy edges and either
 * has no blocks. */
enum status reference_compare(const struct reference *r, struct metrics *out, const struct graph *g,
                              enum scope scope, struct error *e);

struct compare_options {
    unsigned hot_permille; /* 0 = 900 */
    bool active;
};
/* For a single comparison. */
enum status graph_compare(struct metrics *out, const struct graph *g, const struct graph *h,
                          struct compare_options options, struct error *e);

/* ---- files: text, one edge a line ---- */

/* comments: lines without '#' and newline, written first as "# line"; may be NULL when
 * comment_count is 0. "# kind exact" or "# kind built", "# partial", and "# program SHA1" follow if
 * they are known. with_busy writes the fourth column, which marks the file as an exact graph. */
struct graph_write_options {
    const char *const *comments;
    size_t comment_count;
    bool with_busy;
};
enum status graph_write(const struct graph *g, const char *path, struct graph_write_options options,
                        struct error *e);
enum status graph_read(struct graph *out, const char *path, struct error *e);
enum status graph_parse(struct graph *out, const char *text, size_t len, const char *name,
                        struct error *e);

/* ---- other tools' formats ---- */

/* A block's symbolic name. */
struct graph_names {
    void (*name)(const void *user, uint32_t address, char *text, size_t size);
    const void *user;
};
enum graph_format { GRAPH_DOT, GRAPH_JSON, GRAPH_GRAPHML };
enum { GRAPH_HOT_PERMILLE = 900 }; /* the usual hot part */
struct graph_export_options {
    enum graph_format format;
    unsigned hot_permille; /* write only the edges that graph_hot() chooses, heaviest first, with
                              their blocks; 0: the whole graph. A set is always written whole */
    const struct graph_names *names; /* NULL: none */
};
/* Writes DOT for Graphviz (line width shows the count), JSON or GraphML, as docs/formats.md
 * describes them. path NULL: standard output. */
enum status graph_export(const struct graph *g, const char *path,
                         const struct graph_export_options *options, struct error *e);

/* Identity of edges, counts and blocks: a hash in the form of base.h. */
enum status graph_hash(const struct graph *g, char hex[33], struct error *e);

#endif
