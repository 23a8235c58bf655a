/* hotgraph export: a graph as a profile that an optimiser reads. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "graph/graph.h"
#include "profile/structure/structure.h"
#include "qemu/export/fdata.h"

struct export {
    const char *bolt, *structure, *out, *graph;
    uint64_t rare;
};

static const char details[] =
    "--bolt writes a profile for BOLT (Debian's package bolt-19), which changes the\n"
    "layout of linked programs. FILE is the recorded program, or one of its\n"
    "libraries. It must have symbols, and for BOLT it must be compiled with\n"
    "-fno-reorder-blocks-and-partition and linked with -Wl,--emit-relocs.\n"
    "\n"
    "The structure must come from a run of the program ('record --structure'). BOLT\n"
    "rejects a function's profile if one of its edges does not exist in the\n"
    "program, so edges that are not in the structure are omitted. Also omitted are\n"
    "returns, indirect jumps, which BOLT takes for possible fall-throughs, and rare\n"
    "edges, since BOLT treats everything that ran once as hot. Standard error shows\n"
    "how many edges were omitted.\n"
    "\n"
    "Example:\n"
    "  gcc -O2 -Wl,--emit-relocs -fno-reorder-blocks-and-partition -o prog prog.c\n"
    "  hotgraph record --graph h.graph --structure s.structure \\\n"
    "      --stream s.isampling -- ./prog\n"
    "  hotgraph build s.isampling --technique observed --out g.graph\n"
    "  hotgraph export --bolt ./prog --structure s.structure g.graph --out g.fdata\n"
    "  llvm-bolt-19 ./prog --data g.fdata -o prog.bolt --reorder-blocks=ext-tsp \\\n"
    "      --reorder-functions=cdsort --split-functions\n";

static enum status check_programs(const struct export *x, const struct structure *s,
                                  const struct graph *g, struct error *e) {
    if (s->graph.program[0] != '\0' && g->program[0] != '\0' &&
        strcmp(s->graph.program, g->program) != 0)
        return error_set(e, STATUS_ARGUMENT,
                         "%s belongs to another program (%.8s...) than %s (%.8s...)", x->structure,
                         s->graph.program, x->graph, g->program);
    return STATUS_OK;
}

static void report(const struct fdata_counts *c) {
    fprintf(stderr,
            "%" PRIu64 " edges of %" PRIu64 " functions; left out: %" PRIu64
            " that the program does not have, %" PRIu64 " rare, %" PRIu64
            " indirect jumps, %" PRIu64 " returns, %" PRIu64 " from or to no function's entry\n",
            c->lines, c->functions, c->lost, c->rare, c->indirect, c->returns, c->nameless);
}

static enum status export_graph(const struct export *x, struct error *e) {
    struct structure s = {0};
    struct graph g = {0};
    struct fdata_counts counts;
    enum status status = structure_read(&s, x->structure, e);
    if (status == STATUS_OK)
        status = graph_read(&g, x->graph, e);
    if (status == STATUS_OK)
        status = check_programs(x, &s, &g, e);
    if (status == STATUS_OK)
        status = fdata_write(
            &(struct fdata_request){.elf = x->bolt, .structure = &s, .graph = &g, .rare = x->rare},
            x->out, &counts, e);
    if (status == STATUS_OK)
        report(&counts);
    graph_free(&g);
    structure_free(&s);
    return status;
}

int command_export(int argc, char **argv) {
    struct export x = {.rare = FDATA_RARE};
    const struct option_spec options[] = {
        {"bolt", "FILE", "write a profile of this ELF file for BOLT (fdata)", OPTION_STRING,
         .to = &x.bolt, .file = FILE_READ},
        {"structure", "FILE.structure", "the program's structure, as 'record' writes it",
         OPTION_STRING, .to = &x.structure, .file = FILE_READ},
        {"rare", "N",
         "leave out edges with less than N of a million executions (default 10; 0: none)",
         OPTION_NUMBER, .to = &x.rare, .least = 0, .most = 1000000},
        {"out", "FILE", "where it goes; standard output unless it is named", OPTION_STRING,
         .to = &x.out, .file = FILE_WRITTEN},
        {0},
    };
    const struct usage usage = {
        .command = "export",
        .operands = "FOUND.graph",
        .inputs = 1,
        .least = 1,
        .most = 1,
        .summary = "Writes a graph as a profile for an optimiser.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    x.graph = operands.at[0];
    if (x.bolt == NULL)
        return usage_error("export", "--bolt FILE is missing: the program that the profile is for");
    if (x.structure == NULL)
        return usage_error("export", "--structure FILE.structure is missing");
    struct error e = {0};
    return export_graph(&x, &e) == STATUS_OK ? 0 : failure(&e);
}
