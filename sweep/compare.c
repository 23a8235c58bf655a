/* hotgraph compare: all metrics of a graph against an exact one. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "command.h"
#include "graph/graph.h"
#include "options.h"
#include "output.h"

struct comparison {
    const char *paths[2];
    struct graph graphs[2];
    uint64_t hot_permille;
    bool has_active;
    struct metrics whole, active;
    struct error no_active; /* why there are no active metrics */
};

static const char details[] =
    "similarity     share of the hot edges of H that G has\n"
    "precision      share of G's edges that H has\n"
    "f1             harmonic mean of the two\n"
    "coverage       share of H's executions on edges that G has\n"
    "overlap        sum over edges of the smaller of both relative weights\n"
    "block_overlap  the same over blocks\n"
    "\n"
    "Hot edges are the fewest that make up the asked share of all executions, heaviest\n"
    "first. Each metric is computed on the whole graphs, and 'active': without the edges\n"
    "of busy-waits, which needs the blocks of both graphs in their files. A metric over an\n"
    "empty set is '-' (null in JSON).\n"
    "\n"
    "Example:\n"
    "  hotgraph compare g.graph mazewisp.graph\n";

static enum status compare(struct comparison *c, struct error *e) {
    for (int i = 0; i < 2; i++) {
        enum status status = graph_read(&c->graphs[i], c->paths[i], e);
        if (status != STATUS_OK)
            return status;
    }
    struct compare_options options = {.hot_permille = (unsigned)c->hot_permille};
    enum status status = graph_compare(&c->whole, &c->graphs[0], &c->graphs[1], options, e);
    if (status != STATUS_OK)
        return status;
    options.active = true;
    status = graph_compare(&c->active, &c->graphs[0], &c->graphs[1], options, &c->no_active);
    c->has_active = status == STATUS_OK;
    if (status == STATUS_OK || status == STATUS_ARGUMENT)
        return STATUS_OK;
    *e = c->no_active;
    return status;
}

struct row {
    const char *name;
    double value;
};
enum { ROWS = 6 };

static void rows_of(const struct metrics *m, struct row out[ROWS]) {
    const struct row rows[ROWS] = {
        {"similarity", m->similarity},
        {"precision", m->precision},
        {"f1", m->f1},
        {"coverage", m->coverage},
        {"overlap", m->overlap},
        {"block_overlap", m->block_overlap},
    };
    for (int i = 0; i < ROWS; i++)
        out[i] = rows[i];
}

static void print_number(double value) {
    if (isnan(value))
        printf("%10s", "-");
    else
        printf("%10.4f", value);
}

static void print_table(const struct comparison *c) {
    struct row whole[ROWS], active[ROWS];
    rows_of(&c->whole, whole);
    rows_of(&c->active, active);
    printf("%-14s%10s%s\n", "", "whole", c->has_active ? "    active" : "");
    for (int i = 0; i < ROWS; i++) {
        printf("%-14s", whole[i].name);
        print_number(whole[i].value);
        if (c->has_active)
            print_number(active[i].value);
        putchar('\n');
    }
    const struct {
        const char *name;
        uint64_t whole, active;
    } counts[] = {{"hot edges", c->whole.hot_edges, c->active.hot_edges},
                  {"edges of G", c->whole.edges, c->active.edges},
                  {"common edges", c->whole.common_edges, c->active.common_edges}};
    for (int i = 0; i < 3; i++) {
        printf("%-14s%10" PRIu64, counts[i].name, counts[i].whole);
        if (c->has_active)
            printf("%10" PRIu64, counts[i].active);
        putchar('\n');
    }
}

static void print_metrics_json(const char *name, const struct metrics *m) {
    struct row rows[ROWS];
    rows_of(m, rows);
    printf(",\n \"%s\": {", name);
    for (int i = 0; i < ROWS; i++) {
        printf("\"%s\": ", rows[i].name);
        if (isnan(rows[i].value))
            printf("null, ");
        else
            printf("%.17g, ", rows[i].value);
    }
    printf("\"hot_edges\": %" PRIu64 ", \"edges\": %" PRIu64 ", \"common_edges\": %" PRIu64 "}",
           m->hot_edges, m->edges, m->common_edges);
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
    printf("}\n");
}

int command_compare(int argc, char **argv) {
    struct comparison c = {.hot_permille = 900};
    bool json = false;
    const struct option_spec options[] = {
        {"hot", "SHARE", "share of all executions that the hot edges make up (default 0.9)",
         OPTION_THOUSANDTHS, .to = &c.hot_permille, .least = 1, .most = 1000},
        {"json", NULL, "print JSON", OPTION_FLAG, .to = &json},
        {0},
    };
    const struct usage usage = {
        .command = "compare",
        .operands = "G.graph H.graph",
        .least = 2,
        .most = 2,
        .summary = "Compares a graph G that a technique found with an exact graph H.",
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
        if (!c.has_active)
            warning("no active metrics: %s", c.no_active.text);
        json ? print_json(&c) : print_table(&c);
    }
    graph_free(&c.graphs[0]);
    graph_free(&c.graphs[1]);
    return exit_status;
}
