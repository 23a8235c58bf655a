/* hotgraph import: what perf sampled or QEMU logged, as a graph, a structure and a stream; and what
 * callgrind or a program that BOLT has instrumented counted. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "qemu/import/import.h"

struct import {
    const char *graph, *structure, *stream, *images, *bolt, *qemu, *sysroot;
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
    "Or FILE is the profile of a program that 'llvm-bolt --instrument' has made, and\n"
    "--bolt names the program that it was made from. Its graph is exact, without edges\n"
    "of returns. perf2bolt's profiles are read, too, but they are samples.\n"
    "\n"
    "Or FILE is the log of 'qemu-x86_64 -strace -d exec,nochain,in_asm,page -D FILE', and\n"
    "--qemu names the program that was run. Its graph is exact, and the stream has 25\n"
    "instructions after each 1,667, as that of 'hotgraph record' has.\n"
    "\n"
    "The files must be on this machine, unchanged: their instructions are decoded\n"
    "(x86-64, aarch64, riscv64). Addresses in the kernel or in memory without a file,\n"
    "and ranges that are not straight-line code, are left out; the summary counts them.\n"
    "\n"
    "Example: from perf to a program that BOLT has laid out:\n"
    "  perf record -b -e cycles:u -- ./prog\n"
    "  perf script --show-mmap-events -F +brstack >perf.txt\n"
    "  hotgraph import perf.txt --structure p.structure --stream p.hgstream\n"
    "  hotgraph build p.hgstream --technique flow --structure p.structure \\\n"
    "      --out p.graph\n"
    "  hotgraph export --bolt ./prog --structure p.structure p.graph \\\n"
    "      --out p.fdata\n";

static void report_counted(const struct import_result *r, enum import_from from) {
    const struct import_counts *c = &r->counts;
    printf("%" PRIu64 " instructions and %" PRIu64
           " transfers counted, %zu blocks, %zu edges; left out: %" PRIu64,
           c->samples, c->branches, r->graph.block_count, r->graph.edge_count, c->unmapped);
    if (from == IMPORT_QEMU)
        printf(" executed blocks in no file on this machine, %" PRIu64
               " transfers by signals that did not return\n",
               c->broken);
    else if (from == IMPORT_FDATA)
        printf(" from or to no function of the program, %" PRIu64
               " that the program does not have\n",
               c->broken);
    else
        printf(" in no file on this machine, %" PRIu64
               " calls by instructions that are not calls\n",
               c->broken);
}

static void report(const struct import_result *r, enum import_from from, const char *path) {
    const struct import_counts *c = &r->counts;
    if (from != IMPORT_PERF)
        report_counted(r, from);
    else
        printf("%" PRIu64 " samples of %" PRIu64 " thread%s, %" PRIu64
               " branches, %zu blocks, %zu edges; left out: %" PRIu64 " kernel addresses, %" PRIu64
               " in no file on this machine, %" PRIu64 " ranges that are not straight-line code\n",
               c->samples, c->threads, c->threads == 1 ? "" : "s", c->branches,
               r->graph.block_count, r->graph.edge_count, c->kernel, c->unmapped, c->broken);
    if (c->unequal > 0 && from == IMPORT_QEMU)
        warning("%s: %" PRIu64
                " instructions caused signals, and QEMU does not log where in their blocks "
                "they are: the graph is marked as built",
                path, c->unequal);
    else if (c->unequal > 0)
        warning("%s: %" PRIu64
                " transfers were not counted as often as the code before them, so this is "
                "no exact profile: the graph is marked as built",
                path, c->unequal);
}

static void print_json(const struct import *x, const struct import_result *r,
                       enum import_from from) {
    static const char *const words[] = {"perf", "callgrind", "bolt", "qemu"};
    const struct {
        const char *name, *path;
    } outputs[] = {{"graph", x->graph}, {"structure", x->structure}, {"stream", x->stream}};
    const struct import_counts *c = &r->counts;
    const bool counted = from != IMPORT_PERF;
    printf("{\"from\": \"%s\", ", words[from]);
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
    printf(", \"exact\": %s, \"threads\": %" PRIu64
           ", \"blocks\": %zu, \"edges\": %zu, \"left_out\": {\"kernel\": %" PRIu64
           ", \"unmapped\": %" PRIu64 ", \"broken\": %" PRIu64 "}}\n",
           counted && c->unequal == 0 ? "true" : "false", c->threads, r->graph.block_count,
           r->graph.edge_count, c->kernel, c->unmapped, c->broken);
}

static enum status write_results(const struct import *x, const struct import_result *r,
                                 enum import_from from, const char *path, struct error *e) {
    const bool counts = from == IMPORT_CALLGRIND || from == IMPORT_FDATA;
    if (from == IMPORT_QEMU && x->stream != NULL && r->counts.threads > 1)
        return error_set(e, STATUS_ARGUMENT,
                         "%s: has %llu threads, so its lines are not in the order of any of them: "
                         "omit --stream",
                         path, (unsigned long long)r->counts.threads);
    if (from == IMPORT_QEMU && x->stream != NULL && r->stream.batch_count == 0)
        return error_set(e, STATUS_ARGUMENT,
                         "%s: has fewer instructions than from one sample to the next: omit "
                         "--stream",
                         path);
    if (counts && x->stream != NULL)
        return error_set(e, STATUS_ARGUMENT, "%s: %s counts and has no samples: omit --stream",
                         path, from == IMPORT_CALLGRIND ? "callgrind" : "BOLT");
    if (from == IMPORT_CALLGRIND && (x->bolt != NULL || x->qemu != NULL))
        return error_set(e, STATUS_ARGUMENT, "%s: is a file of callgrind's: omit %s", path,
                         x->bolt != NULL ? "--bolt" : "--qemu");
    if (from == IMPORT_PERF && r->counts.branches == 0 &&
        (x->graph != NULL || x->structure != NULL))
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
        status = stream_write(&r->stream, x->stream, from == IMPORT_QEMU ? "qemu" : "perf", e);
    return status;
}

static enum status import(const struct import *x, const char *path, struct error *e) {
    struct structure known = {0};
    struct import_result r = {0};
    enum import_from from = IMPORT_PERF;
    enum status status = x->stream != NULL ? stream_check_name(x->stream, e) : STATUS_OK;
    if (status == STATUS_OK && x->images != NULL)
        status = structure_read(&known, x->images, e);
    const struct import_request request = {.path = path,
                                           .images = x->images != NULL ? &known : NULL,
                                           .program = x->qemu != NULL ? x->qemu : x->bolt,
                                           .sysroot = x->sysroot,
                                           .qemu = x->qemu != NULL};
    if (status == STATUS_OK)
        status = import_recording(&r, &request, &from, e);
    if (status == STATUS_OK)
        status = write_results(x, &r, from, path, e);
    if (status == STATUS_OK && x->json)
        print_json(x, &r, from);
    else if (status == STATUS_OK)
        report(&r, from, path);
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
        {"bolt", "FILE", "the program that BOLT's profile is of", OPTION_STRING, .to = &x.bolt,
         .file = FILE_READ},
        {"qemu", "FILE", "the program that QEMU's log is of", OPTION_STRING, .to = &x.qemu,
         .file = FILE_READ},
        {"sysroot", "DIR", "with --qemu: the folder that was QEMU's -L", OPTION_STRING,
         .to = &x.sysroot},
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
            "Makes a graph, a structure and a stream of what perf sampled, callgrind or BOLT "
            "counted, or QEMU logged.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    if (x.graph == NULL && x.structure == NULL && x.stream == NULL)
        return usage_error("import", "give at least one of --graph, --structure and --stream");
    if (x.qemu != NULL && x.bolt != NULL)
        return usage_error("import", "a file is BOLT's or QEMU's: give --bolt or --qemu");
    if (x.sysroot != NULL && x.qemu == NULL)
        return usage_error("import", "--sysroot %s is for logs of QEMU: give --qemu", x.sysroot);
    struct error e = {0};
    return import(&x, operands.at[0], &e) == STATUS_OK ? EXIT_SUCCESS : failure(&e);
}
