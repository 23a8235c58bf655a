/* hotgraph export: a graph in a format of other tools: a profile for an optimiser, or a drawing or
 * data for graph tools. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "graph/graph.h"
#include "profile/structure/structure.h"
#include "qemu/export/fdata.h"
#include "qemu/export/profile_export.h"
#include "qemu/qemu.h"

struct export {
    const char *bolt, *format, *structure, *out, *graph, *image;
    uint64_t rare, hot; /* hot: thousandths */
    bool all, inferred, rare_given, hot_given, json;
};

/* Graphs first, then profiles in the order of enum profile_format. */
enum { GRAPH_FORMATS = 3 };
static const char *const formats[] = {"dot",   "json",   "graphml", "callgrind",
                                      "pprof", "folded", NULL};

static const char details[] =
    "--format writes a graph for other tools: dot for Graphviz, json for scripts,\n"
    "graphml for Gephi, yEd, networkx and others. It writes the hot part, with --all the\n"
    "whole graph. With the structure of a recorded program, blocks have the names of its\n"
    "functions, and --image chooses one of its files. callgrind (kcachegrind), pprof and\n"
    "folded (flame graphs) are profiles by function and call. They need the structure,\n"
    "and use the whole graph. docs/formats.md describes the formats.\n"
    "\n"
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
    "Examples:\n"
    "  hotgraph export --format graphml --all exact.graph --out exact.graphml\n"
    "  hotgraph export --format dot exact.graph | dot -Tsvg -o hot.svg\n"
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

/* counts: NULL unless it is a profile for BOLT. */
static void print_json(const struct export *x, const struct fdata_counts *counts) {
    const struct fdata_counts c = counts != NULL ? *counts : (struct fdata_counts){0};
    printf("{");
    print_json_text("out", x->out);
    printf(", ");
    print_json_text("format", counts != NULL ? "bolt" : x->format);
    printf(", \"bolt\": ");
    if (counts == NULL)
        printf("null}\n");
    else
        printf("{\"edges\": %" PRIu64 ", \"functions\": %" PRIu64
               ", \"left_out\": {\"lost\": %" PRIu64 ", \"rare\": %" PRIu64
               ", \"indirect\": %" PRIu64 ", \"returns\": %" PRIu64 ", \"nameless\": %" PRIu64
               "}}}\n",
               c.lines, c.functions, c.lost, c.rare, c.indirect, c.returns, c.nameless);
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
        status = fdata_write(&(struct fdata_request){.elf = x->bolt,
                                                     .structure = &s,
                                                     .graph = &g,
                                                     .inferred = x->inferred,
                                                     .rare = x->rare},
                             x->out, &counts, e);
    if (status == STATUS_OK && x->json)
        print_json(x, &counts);
    else if (status == STATUS_OK)
        report(&counts);
    graph_free(&g);
    structure_free(&s);
    return status;
}

/* ---- graphs ---- */

static void name_block(const void *symbols, uint32_t address, char *text, size_t size) {
    qemu_symbols_name(symbols, address, text, size);
}

/* The symbols of the structure's images; NULL if it has none, as those of games. */
static enum status read_symbols(struct qemu_symbols **out, const struct structure *s,
                                struct error *e) {
    *out = NULL;
    if (s->image_count == 0)
        return STATUS_OK;
    struct qemu_image *images = calloc(s->image_count, sizeof *images);
    if (images == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; i < s->image_count; i++) {
        const uint32_t end = i + 1 < s->image_count ? s->images[i + 1].base : UINT32_MAX;
        images[i] = (struct qemu_image){
            .path = s->images[i].path, .base = s->images[i].base, .room = end - s->images[i].base};
    }
    const enum status status = qemu_symbols_read(out, images, s->image_count, e);
    free(images);
    return status;
}

static bool is_named(const char *path, const char *name) {
    const size_t len = strlen(path), end = strlen(name);
    return len >= end && strcmp(path + len - end, name) == 0 &&
           (len == end || path[len - end - 1] == '/');
}

/* Replaces the graph by the part in the file that --image names. */
static enum status keep_image(const struct export *x, const struct structure *s, struct graph *g,
                              struct error *e) {
    struct graph part;
    size_t i = 0;
    while (i < s->image_count && !is_named(s->images[i].path, x->image))
        i++;
    if (i == s->image_count)
        return error_set(e, STATUS_ARGUMENT, "%s: no file '%s' was executed", x->structure,
                         x->image);
    const struct qemu_range range = {
        s->images[i].base, i + 1 < s->image_count ? s->images[i + 1].base : UINT64_C(1) << 32};
    const enum status status = qemu_image_part(&part, g, range, e);
    if (status != STATUS_OK)
        return status;
    graph_free(g);
    *g = part;
    return STATUS_OK;
}

static size_t format_number(const struct export *x) {
    size_t number = 0;
    while (strcmp(formats[number], x->format) != 0)
        number++;
    return number;
}

static bool is_profile(const struct export *x) {
    return x->format != NULL && format_number(x) >= GRAPH_FORMATS;
}

static enum status export_format(const struct export *x, struct error *e) {
    struct structure s = {0};
    struct graph g = {0};
    struct qemu_symbols *symbols = NULL;
    enum status status = graph_read(&g, x->graph, e);
    if (status == STATUS_OK && x->structure != NULL)
        status = structure_read(&s, x->structure, e);
    if (status == STATUS_OK && x->structure != NULL)
        status = check_programs(x, &s, &g, e);
    if (status == STATUS_OK)
        status = read_symbols(&symbols, &s, e);
    if (status == STATUS_OK && x->image != NULL)
        status = keep_image(x, &s, &g, e);
    const struct graph_names names = {name_block, symbols};
    const struct graph_export_options options = {.format = (enum graph_format)format_number(x),
                                                 .hot_permille = x->all ? 0 : (unsigned)x->hot,
                                                 .names = symbols != NULL ? &names : NULL};
    if (status == STATUS_OK && is_profile(x))
        status = profile_export(&s, &g, symbols,
                                (enum profile_format)(format_number(x) - GRAPH_FORMATS), x->out, e);
    else if (status == STATUS_OK)
        status = graph_export(&g, x->out, &options, e);
    if (status == STATUS_OK && x->json)
        print_json(x, NULL);
    qemu_symbols_free(symbols);
    graph_free(&g);
    structure_free(&s);
    return status;
}

static int usage_of(const struct export *x) {
    if ((x->bolt == NULL) == (x->format == NULL))
        return usage_error("export", "give either --format WORD, or --bolt FILE: the program that "
                                     "the profile is for");
    if ((x->bolt != NULL || is_profile(x)) && x->structure == NULL)
        return usage_error("export", "--structure FILE.structure is missing");
    if ((x->bolt != NULL || is_profile(x)) && (x->all || x->hot_given))
        return usage_error("export", "--all and --hot belong to --format dot, json and graphml");
    if (x->image != NULL && (x->bolt != NULL || is_profile(x) || x->structure == NULL))
        return usage_error("export", "--image belongs to --format dot, json and graphml, with "
                                     "--structure");
    if (x->format != NULL && x->rare_given)
        return usage_error("export", "--rare belongs to --bolt");
    if (x->format != NULL && x->inferred)
        return usage_error("export", "--inferred belongs to --bolt");
    if (x->all && x->hot_given)
        return usage_error("export", "give either --all or --hot");
    if (x->json && x->out == NULL)
        return usage_error("export", "--json needs --out: both print to standard output");
    return 0;
}

int command_export(int argc, char **argv) {
    struct export x = {.rare = FDATA_RARE, .hot = GRAPH_HOT_PERMILLE};
    const struct option_spec options[] = {
        {"bolt", "FILE", "write a profile of this ELF file for BOLT (fdata)", OPTION_STRING,
         .to = &x.bolt, .file = FILE_READ},
        {"format", "WORD",
         "write the graph as dot, json or graphml, or a profile as callgrind, pprof or folded",
         OPTION_CHOICE, .to = &x.format, .choices = formats},
        {"all", NULL, "write the whole graph instead of its hot part", OPTION_FLAG, .to = &x.all},
        {"hot", "SHARE", "the share of the weight that is called hot (default 0.9)",
         OPTION_THOUSANDTHS, .to = &x.hot, .least = 1, .most = 1000, .given = &x.hot_given},
        {"structure", "FILE.structure", "the program's structure, as 'record' writes it",
         OPTION_STRING, .to = &x.structure, .file = FILE_READ},
        {"image", "NAME", "only edges from and to this file: its path, or the end of it",
         OPTION_STRING, .to = &x.image},
        {"rare", "N",
         "leave out edges with less than N of a million executions (default 10; 0: none)",
         OPTION_NUMBER, .to = &x.rare, .least = 0, .most = 1000000, .given = &x.rare_given},
        {"inferred", NULL,
         "add what samples of transfers do not show: a block that ends without one passes its "
         "inflow on to the next block",
         OPTION_FLAG, .to = &x.inferred},
        {"out", "FILE", "the file to write (default: standard output)", OPTION_STRING, .to = &x.out,
         .file = FILE_WRITTEN},
        json_option(&x.json),
        {0},
    };
    const struct usage usage = {
        .command = "export",
        .operands = "FOUND.graph",
        .inputs = 1,
        .least = 1,
        .most = 1,
        .summary = "Writes a graph for other tools.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    x.graph = operands.at[0];
    const int wrong = usage_of(&x);
    if (wrong != 0)
        return wrong;
    struct error e = {0};
    const enum status status = x.format != NULL ? export_format(&x, &e) : export_graph(&x, &e);
    return status == STATUS_OK ? EXIT_SUCCESS : failure(&e);
}
