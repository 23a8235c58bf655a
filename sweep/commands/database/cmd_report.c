/* hotgraph report: tables and figures from a database. */
#include "cli/cli.h"
#include "commands/command.h"
#include "commands/database/report_json.h"
#include "experiment/experiment.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum status print_all(struct db *db, const struct report_experiments *x, bool wide,
                             struct error *e) {
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < x->names.len; i++) {
        if (x->names.len > 1)
            printf("%sExperiment %s\n\n", i > 0 ? "\n" : "", x->names.at[i]);
        status = report_print_tables(db, x->names.at[i], print_width(wide), e);
    }
    return status;
}

static enum status several(const struct report_experiments *x, const char *path, struct error *e) {
    char names[500] = "";
    size_t len = 0;
    for (size_t i = 0; i < x->names.len && len < sizeof names; i++)
        len += (size_t)snprintf(names + len, sizeof names - len, "%s%s", i > 0 ? ", " : "",
                                x->names.at[i]);
    return error_set(e, STATUS_ARGUMENT,
                     "%s: has several experiments; choose one with --experiment: %s", path, names);
}

static enum status write(struct db *db, struct report_request *request, char digest[33],
                         struct error *warned, struct error *e) {
    struct digest all = {0};
    enum status status = digest_take(&all, db, request->experiment, e);
    snprintf(digest, 33, "%s", all.total);
    request->db = db;
    request->digest = digest;
    request->stopped = interrupt_signal;
    if (status == STATUS_OK)
        status = report_write(request, warned, e);
    digest_free(&all);
    return status;
}

/* Writes each experiment into a folder of its name, and a page with links to them. */
static enum status write_all(struct db *db, const struct report_experiments *x, const char *out,
                             struct error *warned, struct error *e) {
    char(*digests)[33] = calloc(x->names.len, sizeof *digests);
    enum status status =
        digests != NULL ? STATUS_OK : error_set(e, STATUS_MEMORY, "%s: out of memory", out);
    /* Check all names before writing any file: the last one may be invalid. */
    for (size_t i = 0; status == STATUS_OK && i < x->names.len; i++)
        status = report_check_names(db, x->names.at[i], e);
    if (status == STATUS_OK)
        status = report_make_folder(out, e);
    for (size_t i = 0; status == STATUS_OK && i < x->names.len; i++) {
        char *folder = NULL, *own = report_folder_of(x->names.at[i]);
        if (own == NULL || asprintf(&folder, "%s/%s", out, own) < 0)
            status = error_set(e, STATUS_MEMORY, "%s: out of memory", out);
        struct report_request request = {
            .experiment = x->names.at[i], .folder = folder, .one_of_several = true};
        if (status == STATUS_OK)
            status = write(db, &request, digests[i], warned, e);
        free(folder);
        free(own);
    }
    const struct report_contents contents = {.db = db,
                                             .folder = out,
                                             .count = x->names.len,
                                             .names = x->names.at,
                                             .digests = (const char(*)[33])digests};
    if (status == STATUS_OK)
        status = report_contents(&contents, e);
    free(digests);
    return status;
}

static enum status write_one(struct db *db, const char *experiment, const char *out,
                             struct error *warned, struct error *e) {
    char digest[33];
    struct report_request request = {.experiment = experiment, .folder = out};
    return write(db, &request, digest, warned, e);
}

/* A database may have programs laid out by BOLT, and no experiment. */
static enum status write_measured(struct db *db, const char *out, struct error *warned,
                                  struct error *e) {
    struct report_request request = {
        .db = db, .experiment = "", .folder = out, .stopped = interrupt_signal};
    return report_write(&request, warned, e);
}

static enum status is_measured(struct db *db, bool *out, struct error *e) {
    int64_t layouts = 0;
    enum status status = db_integer(
        db, "SELECT count(*) FROM bolt_layout WHERE NOT EXISTS (SELECT 1 FROM experiment)", 0,
        &layouts, e, "");
    *out = layouts > 0;
    return status;
}

struct report_command {
    const char *out, *experiment;
    bool comparing, wide, json;
};

static enum status report(const struct report_command *c, const char *path, struct error *warned,
                          struct error *e) {
    const char *const out = c->out, *const experiment = c->experiment;
    struct db *db = NULL;
    struct report_experiments x = {0};
    bool measured = false;
    enum status status = db_open(&db, path, DB_READ, e);
    if (status == STATUS_OK)
        db_stop_when(db, interrupt_signal);
    if (status == STATUS_OK && experiment == NULL)
        status = is_measured(db, &measured, e);
    if (status == STATUS_OK && measured && out == NULL)
        status = error_set(e, STATUS_ARGUMENT,
                           "%s: it contains no experiment, so there are no tables to print; --out "
                           "DIR writes a page on its programs laid out by BOLT",
                           path);
    else if (status == STATUS_OK && !measured &&
             (status = report_experiments(&x, db, experiment, e)))
        error_prefix(e, "%s", path);
    if (status == STATUS_OK && out == NULL) {
        status = c->json ? STATUS_OK : print_all(db, &x, c->wide, e);
    } else if (status == STATUS_OK) {
        status = measured          ? write_measured(db, out, warned, e)
                 : x.names.len > 1 ? write_all(db, &x, out, warned, e)
                                   : write_one(db, x.names.at[0], out, warned, e);
        if (status == STATUS_OK && !c->json)
            printf("%s/index.html\n", out);
    }
    if (status == STATUS_OK && c->json)
        status = report_json_print(
            &(struct report_said){.db = db,
                                  .path = path,
                                  .out = out,
                                  .warning = warned->text[0] != '\0' ? warned->text : NULL,
                                  .experiments = &x},
            e);
    report_experiments_free(&x);
    db_close(db);
    return status;
}

/* Compares an experiment of A with the same one of B: the wanted one, or the only one. */
static enum status compare(const struct report_command *c, char *const *paths, struct error *e) {
    struct report_comparison q = {
        .path = {paths[0], paths[1]}, .folder = c->out, .width = print_width(c->wide)};
    struct report_experiments x[2] = {0};
    q.each = c->json ? report_json_compare : NULL;
    q.user = &q;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < 2; i++) {
        status = db_open(&q.db[i], paths[i], DB_READ, e);
        if (status == STATUS_OK)
            db_stop_when(q.db[i], interrupt_signal);
        if (status == STATUS_OK && (status = report_experiments(&x[i], q.db[i], c->experiment, e)))
            error_prefix(e, "%s", paths[i]);
        else if (status == STATUS_OK && x[i].names.len > 1)
            status = several(&x[i], paths[i], e);
        if (status == STATUS_OK)
            q.experiment[i] = x[i].names.at[0];
    }
    if (status == STATUS_OK)
        status = report_compare(&q, e);
    for (size_t i = 0; i < 2; i++) {
        report_experiments_free(&x[i]);
        db_close(q.db[i]);
    }
    return status;
}

int command_report(int argc, char **argv) {
    struct report_command c = {0};
    const struct option_spec options[] = {
        {.name = "out",
         .value = "DIR",
         .help = "the folder to write to; created if it does not exist. Without --out, tables 1 to "
                 "4 are printed",
         .kind = OPTION_STRING,
         .to = &c.out,
         .file = FILE_FOLDER},
        {.name = "experiment",
         .value = "NAME",
         .help = "report only this experiment. By default all are reported, with --out into "
                 "folders of their names, with a page of links",
         .kind = OPTION_STRING,
         .to = &c.experiment},
        {.name = "compare",
         .help = "print the differences between A.db and B.db and the changed ranks; with --out "
                 "also write DIR/compare.html",
         .kind = OPTION_FLAG,
         .to = &c.comparing},
        wide_option(&c.wide),
        json_option(&c.json),
        {0},
    };
    const struct usage usage = {
        .command = "report",
        .operands = "DB | --compare A.db B.db",
        .inputs = 2,
        .least = 1,
        .most = 2,
        .summary = "Writes the paper's tables and the figures from a database.",
        .details =
            "DIR gets index.html, a single file with findings, figures and all tables, which\n"
            "opens offline. Beside it are\n"
            "  tables    tables 1 to 4, the rankings over games and the main effects of\n"
            "            parameters, as .txt, .md, .csv, .tex, .svg and .png\n"
            "  data/     the CSV from which these pictures are drawn\n"
            "  figures/  the page's figures as .svg and, for papers, .pdf; those\n"
            "            drawn by gnuplot have their data (.csv) and script beside them, and\n"
            "            'cd DIR && gnuplot figures/effects.gp' draws one again\n"
            "The last line printed is the path of index.html.\n"
            "\n"
            "Examples:\n"
            "  hotgraph report results/hotgraph.db\n"
            "  hotgraph report results/hotgraph.db --out results/report\n",
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    if ((operands.count == 2) != c.comparing)
        return usage_error("report", c.comparing ? "--compare needs two databases"
                                                 : "with two databases, --compare is required");
    struct error e = {0}, warned = {0};
    interrupt_catch();
    enum status status =
        c.comparing ? compare(&c, operands.at, &e) : report(&c, operands.at[0], &warned, &e);
    if (status == STATUS_INTERRUPTED)
        error_set(&e, status,
                  "%s: the report was stopped by signal %d (%s); it is incomplete: run the same "
                  "command again",
                  operands.at[0], interrupt_signal(), strsignal(interrupt_signal()));
    if (status != STATUS_OK)
        return failure(&e);
    if (warned.text[0] != 0)
        warning("%s", warned.text);
    return EXIT_SUCCESS;
}
