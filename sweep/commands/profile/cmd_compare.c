/* hotgraph compare: computes all metrics of a graph against an exact one. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "commands/profile/compare_worth.h"
#include "commands/profile/draw.h"
#include "graph/graph.h"

struct comparison {
    const char *paths[2], *dot, *structure;
    bool force;
    struct graph graphs[2];
    uint64_t hot_permille;
    bool has_active;
    struct metrics whole, active;
    struct error no_active;    /* why there are no active metrics */
    struct worth_report worth; /* with a structure */
};

static const char details[] =
    "Metrics:\n"
    "  similarity     share of H's hot edges that G has\n"
    "  precision      share of G's edges that H has\n"
    "  f1             harmonic mean of the two\n"
    "  coverage       share of H's executions on edges that G has\n"
    "  overlap        sum over edges of the smaller of both relative weights\n"
    "  block_overlap  the same over blocks\n"
    "\n"
    "Hot edges are the heaviest edges that together make up the share --hot of all\n"
    "executions. Each metric is computed for the whole graphs and again as\n"
    "'active', without the edges of busy-waits; the latter needs the blocks of both\n"
    "graphs in their files. A metric over an empty set is '-' (null in JSON).\n"
    "\n"
    "Fair metrics use G's own weights to choose its hot edges. They identify an\n"
    "edge by the last instruction of its source block and the first instruction of\n"
    "its target block, so extra splits of a block do not matter. They need the\n"
    "blocks of both graphs. If all counts of a graph are 0, it is a set: all its\n"
    "edges are hot.\n"
    "\n"
    "Fair metrics:\n"
    "  hot_recall     share of H's hot edges that are hot in G\n"
    "  hot_precision  share of G's hot edges that are hot in H\n"
    "  hot_f1         harmonic mean of the two\n"
    "  hot_f1_10      the same if edges within 10 % of the threshold count as\n"
    "                 either\n"
    "  overlap        as above, for these edges: the main metric of graphs with\n"
    "                 weights\n"
    "  count_error    sum of the differences of counts, relative to H's executions\n"
    "\n"
    "--structure FILE.structure shows what a compiler or translator gains if it\n"
    "lays out the code by G. It considers active edges only. A fall-through costs\n"
    "less than a jump, so a layout is scored by the counts of H, on a scale from\n"
    "the original code (0) to the layout by H (1). The structure must belong to the\n"
    "same program, as 'structure' or 'record' write it. In the second column, a\n"
    "block that ends without a transfer passes its whole inflow to its successor.\n"
    "\n"
    "Worth:\n"
    "  benefit        0: as good as the original code; 1: as the layout by H;\n"
    "                 negative: worse than the original\n"
    "  fall_share     share of H's possible fall-throughs that fall through\n"
    "  hot_bytes      share of H's executions in G's hottest blocks, as many bytes of\n"
    "                 them as H's hottest blocks need for 99 %\n"
    "  successor      executions of H's likeliest successors that are also G's\n"
    "  lost           share of G's weight on edges that the program does not have\n"
    "\n"
    "--dot draws the hot edges of H: green if G has them, red if it misses them. It\n"
    "also draws hot edges of G that are not hot in H: grey if they were executed,\n"
    "dotted orange if never. Dashed edges are busy-waits. Similarity is found /\n"
    "(found + missed).\n"
    "\n"
    "Examples:\n"
    "  hotgraph compare g.graph mazewisp.graph\n"
    "  hotgraph compare g.graph mazewisp.graph --dot hot.dot\n"
    "  dot -Tsvg hot.dot -o hot.svg\n";

/* Files of 'exact' and 'build' identify their program; foreign files need not. */
static enum status check_operands(const struct comparison *c, struct error *e) {
    const struct graph *g = &c->graphs[0], *h = &c->graphs[1];
    if (g->kind == GRAPH_EXACT && h->kind == GRAPH_BUILT)
        return error_set(
            e, STATUS_ARGUMENT,
            "%s is an exact graph and %s was found by a technique: name the exact graph last",
            c->paths[0], c->paths[1]);
    if (g->program[0] != '\0' && h->program[0] != '\0' && strcmp(g->program, h->program) != 0 &&
        !c->force)
        return error_set(e, STATUS_ARGUMENT,
                         "%s and %s belong to different programs (%.8s..., %.8s...): --force "
                         "compares them nevertheless",
                         c->paths[0], c->paths[1], g->program, h->program);
    return STATUS_OK;
}

static enum status compare(struct comparison *c, struct error *e) {
    for (int i = 0; i < 2; i++) {
        enum status status = graph_read(&c->graphs[i], c->paths[i], e);
        if (status != STATUS_OK)
            return status;
        if (c->graphs[i].partial)
            warning("%s: covers only part of a run (its comments say why)", c->paths[i]);
    }
    struct reference *exact = NULL;
    enum status status = check_operands(c, e);
    if (status == STATUS_OK)
        status = reference_new(&exact, &c->graphs[1], (unsigned)c->hot_permille, e);
    if (status == STATUS_OK)
        status = reference_compare(exact, &c->whole, &c->graphs[0], SCOPE_WHOLE, e);
    if (status == STATUS_OK) {
        status = reference_compare(exact, &c->active, &c->graphs[0], SCOPE_ACTIVE, &c->no_active);
        c->has_active = status == STATUS_OK;
        if (status == STATUS_ARGUMENT)
            status = STATUS_OK;
        else if (status != STATUS_OK)
            *e = c->no_active;
    }
    reference_free(exact);
    if (status == STATUS_OK && c->structure != NULL)
        status = worth_report(&c->worth, c->structure, &c->graphs[0], &c->graphs[1], e);
    if (status == STATUS_OK && c->dot != NULL)
        status =
            draw_comparison(&c->graphs[0], &c->graphs[1], (unsigned)c->hot_permille, c->dot, e);
    return status;
}

struct row {
    const char *name;
    double value;
};
enum { ROWS = 6 };
struct count {
    const char *text, *name; /* in text, and in JSON */
    uint64_t value;
};
enum { COUNTS = 3 };

/* The rows for one scope, with the paper's metrics or the fair ones. */
struct rows {
    struct row rows[ROWS];
    struct count counts[COUNTS];
};

static struct rows paper_rows(const struct metrics *m) {
    return (struct rows){
        .rows = {{"similarity", m->similarity},
                 {"precision", m->precision},
                 {"f1", m->f1},
                 {"coverage", m->coverage},
                 {"overlap", m->overlap},
                 {"block_overlap", m->block_overlap}},
        .counts = {{"hot edges", "hot_edges", m->hot_edges},
                   {"edges of G", "edges", m->edges},
                   {"common edges", "common_edges", m->common_edges}},
    };
}

static struct rows fair_rows(const struct metrics *m) {
    const struct fair_metrics *f = &m->fair;
    return (struct rows){
        .rows = {{"hot_recall", f->hot_recall},
                 {"hot_precision", f->hot_precision},
                 {"hot_f1", f->hot_f1},
                 {"hot_f1_10", f->hot_f1_10},
                 {"overlap", f->overlap},
                 {"count_error", f->count_error}},
        .counts = {{"hot in G", "hot_g", f->hot_g},
                   {"hot in H", "hot_h", f->hot_h},
                   {"hot in both", "common_hot", f->common_hot}},
    };
}

static void print_number(double value) {
    if (isnan(value))
        printf("%10s", "-");
    else
        printf("%10.4f", value);
}

static void print_rows(const struct rows *whole, const struct rows *active) {
    for (int i = 0; i < ROWS; i++) {
        printf("%-14s", whole->rows[i].name);
        print_number(whole->rows[i].value);
        if (active != NULL)
            print_number(active->rows[i].value);
        putchar('\n');
    }
    for (int i = 0; i < COUNTS; i++) {
        printf("%-14s%10" PRIu64, whole->counts[i].text, whole->counts[i].value);
        if (active != NULL)
            printf("%10" PRIu64, active->counts[i].value);
        putchar('\n');
    }
}

static void print_fair(const struct comparison *c) {
    const struct rows whole = fair_rows(&c->whole), active = fair_rows(&c->active);
    printf("\nfair\n");
    print_rows(&whole, c->has_active ? &active : NULL);
}

static void print_table(const struct comparison *c) {
    struct rows whole = paper_rows(&c->whole), active = paper_rows(&c->active);
    printf("%-14s%10s%s\n", "", "whole", c->has_active ? "    active" : "");
    print_rows(&whole, c->has_active ? &active : NULL);
    if (c->whole.fair.named)
        print_fair(c);
    if (c->structure != NULL)
        worth_report_print(&c->worth);
}

static void print_rows_json(const struct rows *r) {
    for (int i = 0; i < ROWS; i++) {
        print_json_number(r->rows[i].name, r->rows[i].value);
        printf(", ");
    }
    for (int i = 0; i < COUNTS; i++)
        printf("%s\"%s\": %" PRIu64, i == 0 ? "" : ", ", r->counts[i].name, r->counts[i].value);
}

static void print_metrics_json(const char *name, const struct metrics *m) {
    struct rows rows = paper_rows(m);
    printf(",\n \"%s\": {", name);
    print_rows_json(&rows);
    printf(",\n  \"fair\": ");
    if (m->fair.named) {
        rows = fair_rows(m);
        printf("{");
        print_rows_json(&rows);
        printf("}}");
    } else {
        printf("null}");
    }
}

static void print_json(const struct comparison *c) {
    printf("{\"g\": ");
    print_json_string(c->paths[0]);
    printf(", \"h\": ");
    print_json_string(c->paths[1]);
    printf(", \"hot\": %" PRIu64 ".%03" PRIu64, c->hot_permille / 1000, c->hot_permille % 1000);
    print_metrics_json("whole", &c->whole);
    if (c->has_active)
        print_metrics_json("active", &c->active);
    else
        printf(",\n \"active\": null");
    if (c->structure != NULL)
        worth_report_print_json(&c->worth);
    printf("}\n");
}

int command_compare(int argc, char **argv) {
    struct comparison c = {.hot_permille = 900};
    bool json = false;
    const struct option_spec options[] = {
        {"hot", "SHARE", "the hot edges' share of all executions (default 0.9)", OPTION_THOUSANDTHS,
         .to = &c.hot_permille, .least = 1, .most = 1000},
        {"dot", "FILE", "draw found and missed hot edges, for Graphviz", OPTION_STRING,
         .to = &c.dot, .file = FILE_WRITTEN},
        {"structure", "FILE.structure", "also print what a code layout based on G gains",
         OPTION_STRING, .to = &c.structure, .file = FILE_READ},
        {"force", NULL, "compare graphs of different programs, too", OPTION_FLAG, .to = &c.force},
        {"json", NULL, "print JSON", OPTION_FLAG, .to = &json},
        {0},
    };
    const struct usage usage = {
        .command = "compare",
        .operands = "G.graph H.graph",
        .inputs = 2,
        .least = 2,
        .most = 2,
        .summary = "Compares a graph G, found by a technique, with an exact graph H.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    c.paths[0] = operands.at[0];
    c.paths[1] = operands.at[1];
    struct error e = {0};
    int exit_status = 0;
    if (compare(&c, &e) != STATUS_OK) {
        exit_status = failure(&e);
    } else {
        if (c.graphs[1].kind == GRAPH_BUILT)
            warning("%s is not an exact graph: a technique found it", c.paths[1]);
        if (!c.has_active)
            warning("no active metrics: %s", c.no_active.text);
        if (!c.whole.fair.named)
            warning("no fair metrics: both files need a #block line for each source block");
        json ? print_json(&c) : print_table(&c);
    }
    graph_free(&c.graphs[0]);
    graph_free(&c.graphs[1]);
    return exit_status;
}
