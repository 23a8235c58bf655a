/* hotgraph build: one technique over one recorded stream. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "options.h"
#include "profile/profile.h"

enum { NAMES_MOST = 32, TEXT_MOST = 400 };

struct build_command {
    const struct technique *technique;
    const char *chosen, *out, *dot;
    uint64_t batches;
    int64_t values[TECHNIQUE_PARAMETERS];
    char option_names[TECHNIQUE_PARAMETERS][32], option_help[TECHNIQUE_PARAMETERS][TEXT_MOST];
    const char *choices[NAMES_MOST + 1]; /* techniques that work on streams */
};

static const char details[] =
    "Without --technique it is gaussian, GFCGaussiano. The parameters are the technique's:\n"
    "'hotgraph build --technique NAME --help' shows those of another one.\n"
    "\n"
    "Streams are those of 'hotgraph sample' or other tools' in the same format. The\n"
    "graph's file starts with the parameters and the figures as comments; then one edge a\n"
    "line, source, target and count, tab-separated; and lines '#block ENTRY LAST'.\n"
    "\n"
    "Example, the best configuration of the paper for Mario Bros:\n"
    "  hotgraph build m.isampling.gz --bin-size 16 --stdev-threshold 12 --window-size 10 \\\n"
    "      --recurrent-threshold 8 --out g.graph\n";

static void list_choices(struct build_command *c) {
    size_t count, n = 0;
    const struct technique *const *all = techniques(&count);
    for (size_t i = 0; i < count && n < NAMES_MOST; i++)
        if (all[i]->build != NULL)
            c->choices[n++] = all[i]->name;
}

/* The technique decides which options there are, so it is looked up before they are parsed; an
 * unknown one is left to the parser to explain. */
static const struct technique *find_technique(int argc, char **argv) {
    const char *name = "gaussian";
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--technique") == 0 && i + 1 < argc)
            name = argv[i + 1];
        else if (strncmp(argv[i], "--technique=", 12) == 0)
            name = argv[i] + 12;
    }
    const struct technique *t = technique_find(name);
    return t != NULL && t->build != NULL ? t : technique_find("gaussian");
}

/* An option for each parameter: bin_size becomes --bin-size. */
static void parameter_rows(struct build_command *c,
                           struct option_spec rows[TECHNIQUE_PARAMETERS + 1]) {
    size_t n = 0;
    for (; n < TECHNIQUE_PARAMETERS && c->technique->parameters[n].name != NULL; n++) {
        const struct parameter *p = &c->technique->parameters[n];
        c->values[n] = p->standard;
        snprintf(c->option_names[n], sizeof c->option_names[n], "%s", p->name);
        for (char *s = c->option_names[n]; *s != 0; s++)
            if (*s == '_')
                *s = '-';
        snprintf(c->option_help[n], TEXT_MOST,
                 "%s (%" PRId64 " to %" PRId64 ", default %" PRId64 ")", p->help, p->least, p->most,
                 p->standard);
        rows[n] = (struct option_spec){c->option_names[n],  "N",
                                       c->option_help[n],   OPTION_SIGNED,
                                       .to = &c->values[n], .least = p->least,
                                       .most = p->most};
    }
    rows[n] = (struct option_spec){0};
}

static enum status write_graph(const struct build_command *c, const struct stream *stream,
                               const struct profile *p, struct error *e) {
    char parameters[TEXT_MOST] = "", figures[TEXT_MOST];
    int used = 0;
    if (strcmp(c->technique->name, "gaussian") != 0)
        used = snprintf(parameters, sizeof parameters, "technique %s ", c->technique->name);
    for (size_t i = 0; i < TECHNIQUE_PARAMETERS && c->technique->parameters[i].name != NULL; i++)
        used += snprintf(parameters + used, sizeof parameters - (size_t)used, "%s %" PRId64 " ",
                         c->technique->parameters[i].name, c->values[i]);
    if (used > 0)
        parameters[used - 1] = 0;
    size_t batches = c->batches < stream->batch_count ? c->batches : stream->batch_count;
    snprintf(figures, sizeof figures,
             "batches %zu low %" PRIu64 " high %" PRIu64 " bins %" PRIu64 " blocks %zu edges %zu",
             batches, p->low, p->high, p->bins, p->graph.block_count, p->graph.edge_count);
    const char *const comments[] = {parameters, figures};
    enum status status =
        graph_write(&p->graph, c->out,
                    (struct graph_write_options){.comments = comments, .comment_count = 2}, e);
    if (status == STATUS_OK && c->dot != NULL)
        status = graph_write_dot(&p->graph, c->dot, e);
    if (status == STATUS_OK)
        printf("%s: %s; %s\n", c->out, parameters, figures);
    return status;
}

static enum status build(const struct build_command *c, const char *path, struct error *e) {
    struct stream stream = {0};
    struct profile profile = {0};
    struct error note = {0};
    enum status status = stream_read(&stream, path, &note, e);
    if (status == STATUS_OK && note.text[0] != 0)
        warning("%s", note.text);
    if (status == STATUS_OK) {
        status = c->technique->build(&profile, &stream, c->batches, c->values, e);
        if (status != STATUS_OK)
            error_prefix(e, "%s", path);
    }
    if (status == STATUS_OK)
        status = write_graph(c, &stream, &profile, e);
    profile_free(&profile);
    stream_free(&stream);
    return status;
}

int command_build(int argc, char **argv) {
    struct build_command c = {.batches = SIZE_MAX};
    c.technique = find_technique(argc, argv);
    list_choices(&c);
    struct option_spec parameters[TECHNIQUE_PARAMETERS + 1];
    parameter_rows(&c, parameters);
    const struct option_spec options[] = {
        {"technique", "NAME", "what builds the graph (default gaussian)", OPTION_CHOICE,
         .to = &c.chosen, .choices = c.choices},
        {"out", "FILE.graph", "the graph's file (required)", OPTION_STRING, .to = &c.out},
        {"dot", "FILE", "write the graph for Graphviz, too", OPTION_STRING, .to = &c.dot},
        {"batches", "N", "use only the first N batches", OPTION_NUMBER, .to = &c.batches,
         .least = 1, .most = INT64_MAX},
        {0},
    };
    const struct usage usage = {
        .command = "build",
        .operands = "FILE.isampling",
        .least = 1,
        .most = 1,
        .summary = "Finds a control-flow graph in a recorded sample stream.",
        .details = details,
        .options = options,
        .more = parameters,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    if (c.out == NULL)
        return usage_error("build", "--out FILE is missing");
    struct error e = {0};
    return build(&c, operands.at[0], &e) == STATUS_OK ? 0 : failure(&e);
}
