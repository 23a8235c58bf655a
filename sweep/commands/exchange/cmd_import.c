/* hotgraph import: what perf sampled, as a graph, a structure and a stream; and what callgrind
 * counted. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "qemu/import/import.h"

struct import {
    const char *graph, *structure, *stream, *images;
    bool json;
};

static const char details[] =
    "FILE is what 'perf script --show-mmap-events' prints, with --fields ip or more. With\n"
    "stacks of branches ('perf record -b', --fields +brstack) the graph has these and\n"
    "the straight-line code between them, counted as perf2bolt does; the structure is\n"
    "that of everything seen; and each stack is a batch of the stream, with the code\n"
    "between its branches. Without, the stream has the sampled instructions, and there\n"
    "is no graph.\n"
    "\n"
    "Or FILE is a callgrind.out, written with --dump-instr=yes --collect-jumps=yes\n"
    "--skip-plt=no. Its graph is exact, but has no edges of returns, which callgrind does\n"
    "not record.\n"
    "\n"
    "The files must be here, unchanged: their instructions are decoded (x86-64,\n"
    "aarch64, riscv64). Addresses of the kernel, of memory that is no file, and ranges\n"
    "that are no straight line in the file are left out; the summary counts them.\n"
    "\n"
    "Example: from perf to a program that BOLT has laid out:\n"
    "  perf record -b -e cycles:u -- ./prog\n"
    "  perf script --show-mmap-events -F +brstack >perf.txt\n"
    "  hotgraph import perf.txt --structure p.structure --stream p.hgstream\n"
    "  hotgraph build p.hgstream --technique flow --structure p.structure \\\n"
    "      --out p.graph\n"
    "  hotgraph export --bolt ./prog --structure p.structure p.graph \\\n"
    "      --out p.fdata\n";

static void report(const struct import_result *r, bool counted) {
    const struct import_counts *c = &r->counts;
    if (counted) {
        printf("%" PRIu64 " instructions and %" PRIu64
               " transfers counted, %zu blocks, %zu edges; left out: %" PRIu64
               " in no file on this machine, %" PRIu64
               " calls by instructions that are not calls\n",
               c->samples, c->branches, r->graph.block_count, r->graph.edge_count, c->unmapped,
               c->broken);
        return;
    }
    printf("%" PRIu64 " samples of %" PRIu64 " thread%s, %" PRIu64
           " branches, %zu blocks, %zu edges; left out: %" PRIu64 " kernel addresses, %" PRIu64
           " in no file on this machine, %" PRIu64 " ranges that are not straight-line code\n",
           c->samples, c->threads, c->threads == 1 ? "" : "s", c->branches, r->graph.block_count,
           r->graph.edge_count, c->kernel, c->unmapped, c->broken);
}

static void print_json(const struct import *x, const struct import_result *r, bool counted) {
    const struct {
        const char *name, *path;
    } outputs[] = {{"graph", x->graph}, {"structure", x->structure}, {"stream", x->stream}};
    const struct import_counts *c = &r->counts;
    printf("{\"from\": \"%s\", ", counted ? "callgrind" : "perf");
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        print_json_text(outputs[i].name, outputs[i].path);
        printf(", ");
    }
    print_json_number("samples", counted ? NAN : (double)c->samples);
    printf(", ");
    print_json_number("branches", counted ? NAN : (double)c->branches);
    printf(", ");
    print_json_number("instructions", counted ? (double)c->samples : NAN);
    printf(", ");
    print_json_number("transfers", counted ? (double)c->branches : NAN);
    printf(", \"threads\": %" PRIu64
           ", \"blocks\": %zu, \"edges\": %zu, \"left_out\": {\"kernel\": %" PRIu64
           ", \"unmapped\": %" PRIu64 ", \"broken\": %" PRIu64 "}}\n",
           c->threads, r->graph.block_count, r->graph.edge_count, c->kernel, c->unmapped,
           c->broken);
}

static enum status write_results(const struct import *x, const struct import_result *r,
                                 bool counted, const char *path, struct error *e) {
    if (counted && x->stream != NULL)
        return error_set(e, STATUS_ARGUMENT,
                         "%s: callgrind counts and has no samples: omit --stream", path);
    if (!counted && r->counts.branches == 0 && (x->graph != NULL || x->structure != NULL))
        return error_set(e, STATUS_ARGUMENT,
                         "%s: has no stacks of branches (perf record -b), so there is no graph and "
                         "no structure; --stream can be written",
                         path);
    enum status status = STATUS_OK;
    if (x->graph != NULL)
        status = graph_write(&r->graph, x->graph, (struct graph_write_options){0}, e);
    if (status == STATUS_OK && x->structure != NULL)
        status = structure_write(&r->structure, x->structure, NULL, 0, e);
    if (status == STATUS_OK && x->stream != NULL)
        status = stream_write(&r->stream, x->stream, "perf", e);
    return status;
}

static enum status import(const struct import *x, const char *path, struct error *e) {
    struct structure known = {0};
    struct import_result r = {0};
    bool counted = false;
    enum status status = x->stream != NULL ? stream_check_name(x->stream, e) : STATUS_OK;
    if (status == STATUS_OK && x->images != NULL)
        status = structure_read(&known, x->images, e);
    const struct import_request request = {.path = path,
                                           .images = x->images != NULL ? &known : NULL};
    if (status == STATUS_OK)
        status = import_recording(&r, &request, &counted, e);
    if (status == STATUS_OK)
        status = write_results(x, &r, counted, path, e);
    if (status == STATUS_OK && x->json)
        print_json(x, &r, counted);
    else if (status == STATUS_OK)
        report(&r, counted);
    import_free(&r);
    structure_free(&known);
    return status;
}

int command_import(int argc, char **argv) {
    struct import x = {0};
    const struct option_spec options[] = {
        {"graph", "FILE.graph", "the graph, counted directly", OPTION_STRING, .to = &x.graph,
         .file = FILE_WRITTEN},
        {"structure", "FILE.structure", "the structure: blocks and edges that were seen",
         OPTION_STRING, .to = &x.structure, .file = FILE_WRITTEN},
        {"stream", "FILE", "the samples (.isampling or .hgstream, also .gz)", OPTION_STRING,
         .to = &x.stream, .file = FILE_WRITTEN},
        {"images", "FILE.structure",
         "give files the addresses that they have in this structure, as 'record' wrote it",
         OPTION_STRING, .to = &x.images, .file = FILE_READ},
        json_option(&x.json),
        {0},
    };
    const struct usage usage = {
        .command = "import",
        .operands = "FILE",
        .inputs = 1,
        .least = 1,
        .most = 1,
        .summary =
            "Makes a graph, a structure and a stream from what perf sampled or callgrind counted.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    if (x.graph == NULL && x.structure == NULL && x.stream == NULL)
        return usage_error("import", "give at least one of --graph, --structure and --stream");
    struct error e = {0};
    return import(&x, operands.at[0], &e) == STATUS_OK ? EXIT_SUCCESS : failure(&e);
}
