/* hotgraph build: runs one technique on a recorded stream. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "commands/exchange/build_exec.h"
#include "commands/profile/parameters.h"
#include "profile/profile.h"
#include "profile/structure/structure.h"

enum { TEXT_MOST = 400 };

struct build_command {
    struct technique_choice choice;
    struct build_exec own;
    const char *out, *dot, *structure;
    bool json;
    uint64_t batches;
    bool direct;
};

static const char details[] =
    "The default technique is gaussian (GFCGaussiano). The parameters above belong\n"
    "to the chosen technique: 'hotgraph build --technique NAME --help' shows those\n"
    "of another one.\n"
    "\n"
    "With --exec the technique is a program in any language. It runs in a folder of\n"
    "its own, reads the stream from its standard input and writes the graph to its\n"
    "standard output. docs/adding-a-technique.md describes both.\n"
    "\n"
    "Streams come from 'hotgraph sample' and 'hotgraph record', as text or binary,\n"
    "or from other tools in the same text format. The graph's file begins with\n"
    "parameters and figures as comments. Then it has one edge per line (source,\n"
    "target and count, separated by tabs), and lines '#block ENTRY LAST'.\n"
    "\n"
    "Example, the paper's best configuration for Mario Bros:\n"
    "  hotgraph build m.isampling.gz --bin-size 16 --stdev-threshold 12 \\\n"
    "      --window-size 10 --recurrent-threshold 8 --out g.graph\n";

static void print_json(const struct build_command *c, size_t batches, const struct profile *p) {
    printf("{\"out\": ");
    print_json_string(c->out);
    printf(", \"program\": \"%s\", \"technique\": \"%s\", ", p->graph.program,
           c->choice.technique->name);
    technique_print_json(&c->choice);
    printf(",\n \"batches\": %zu, \"low\": %" PRIu64 ", \"high\": %" PRIu64 ", \"bins\": %" PRIu64
           ", \"blocks\": %zu, \"edges\": %zu}\n",
           batches, p->low, p->high, p->bins, p->graph.block_count, p->graph.edge_count);
}

static enum status write_graph(const struct build_command *c, const struct stream *stream,
                               const struct profile *p, struct error *e) {
    const struct technique *t = c->choice.technique;
    char parameters[TEXT_MOST] = "", figures[TEXT_MOST];
    size_t used = 0;
    if (strcmp(t->name, "gaussian") != 0)
        used = (size_t)snprintf(parameters, sizeof parameters, "technique %s", t->name);
    if (used > 0 && t->parameters[0].name != NULL)
        parameters[used++] = ' ';
    technique_describe(&c->choice, parameters + used, sizeof parameters - used);
    size_t batches = c->batches < stream->batch_count ? c->batches : stream->batch_count;
    snprintf(figures, sizeof figures,
             "batches %zu low %" PRIu64 " high %" PRIu64 " bins %" PRIu64 " blocks %zu edges %zu",
             batches, p->low, p->high, p->bins, p->graph.block_count, p->graph.edge_count);
    const char *const comments[] = {parameters, figures};
    enum status status =
        graph_write(&p->graph, c->out,
                    (struct graph_write_options){.comments = comments, .comment_count = 2}, e);
    if (status == STATUS_OK && c->dot != NULL)
        status =
            graph_export(&p->graph, c->dot,
                         &(struct graph_export_options){.hot_permille = GRAPH_HOT_PERMILLE}, e);
    if (status == STATUS_OK && c->json)
        print_json(c, batches, p);
    else if (status == STATUS_OK)
        printf("%s: %s; %s\n", c->out, parameters, figures);
    return status;
}

static void print_said(void *user, const char *line) {
    (void)user;
    print_safe(stderr, line);
    fputc('\n', stderr);
}

static enum status keep_profile(void *user, size_t point, size_t batches, struct profile *p,
                                struct error *e) {
    (void)point, (void)batches, (void)e;
    *(struct profile *)user = *p;
    *p = (struct profile){0};
    return STATUS_OK;
}

static enum status run_technique(const struct build_command *c, const struct stream *stream,
                                 struct profile *out, struct error *e) {
    const size_t mark = c->batches < stream->batch_count ? c->batches : stream->batch_count;
    const struct build_point point = {c->choice.values, &mark, 1};
    const struct build_request request = {.stream = stream,
                                          .points = &point,
                                          .point_count = 1,
                                          .direct = c->direct,
                                          .each = keep_profile,
                                          .said = print_said,
                                          .user = out};
    return technique_build_many(c->choice.technique, &request, e);
}

static enum status build(const struct build_command *c, const char *path, struct error *e) {
    struct stream stream = {0};
    struct profile profile = {0};
    struct structure structure = {0};
    struct error note = {0};
    enum status status = stream_read(&stream, path, &note, e);
    if (status == STATUS_OK && note.text[0] != 0)
        warning("%s", note.text);
    if (status == STATUS_OK && c->structure != NULL) {
        status = structure_read(&structure, c->structure, e);
        stream.structure = &structure;
    }
    if (status == STATUS_OK) {
        status = run_technique(c, &stream, &profile, e);
        if (status != STATUS_OK)
            error_prefix(e, "%s", path);
    }
    if (status == STATUS_OK) {
        profile.graph.kind = GRAPH_BUILT;
        memcpy(profile.graph.program, stream.program, sizeof profile.graph.program);
        status = write_graph(c, &stream, &profile, e);
    }
    profile_free(&profile);
    stream_free(&stream);
    structure_free(&structure);
    return status;
}

int command_build(int argc, char **argv) {
    struct build_command c = {.batches = SIZE_MAX};
    struct option_spec own[BUILD_EXEC_OPTIONS];
    const bool exec = build_exec_wanted(argc, argv);
    technique_choose(&c.choice, argc, argv, false, exec ? "observed" : "gaussian");
    build_exec_options(&c.own, own);
    const struct option_spec options[] = {
        technique_option(&c.choice),
        own[0],
        own[1],
        own[2],
        own[3],
        own[4],
        {"out", "FILE.graph", "the graph's file (required)", OPTION_STRING, .to = &c.out,
         .file = FILE_WRITTEN},
        {"structure", "FILE", "the program's structure, for techniques that need it (flow)",
         OPTION_STRING, .to = &c.structure, .file = FILE_READ},
        {"dot", "FILE", "also write the hot part of the graph for Graphviz", OPTION_STRING,
         .to = &c.dot, .file = FILE_WRITTEN},
        {"json", NULL, "print a summary as JSON", OPTION_FLAG, .to = &c.json},
        {"batches", "N", "use only the first N batches", OPTION_NUMBER, .to = &c.batches,
         .least = 1, .most = INT64_MAX},
        {"direct", NULL, "use the technique's plain reference implementation: slower", OPTION_FLAG,
         .to = &c.direct},
        {0},
    };
    const struct usage usage = {
        .command = "build",
        .operands = "FILE.isampling",
        .inputs = 1,
        .least = 1,
        .most = 1,
        .summary = "Finds a control-flow graph in a recorded sample stream.",
        .details = details,
        .options = options,
        .more = c.choice.rows,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    if (c.out == NULL)
        return usage_error("build", "--out FILE is missing");
    technique_chosen(&c.choice);
    struct error e = {0};
    enum status status = STATUS_OK;
    if (c.own.command != NULL)
        status = build_exec_choose(&c.own, c.structure != NULL, &c.choice, &e);
    else if (build_exec_stray(&c.own) != NULL)
        return usage_error("build", "%s is for a program, which --exec names",
                           build_exec_stray(&c.own));
    if (status == STATUS_OK)
        status = build(&c, operands.at[0], &e);
    build_exec_free(&c.own);
    return status == STATUS_OK ? 0 : failure(&e);
}
