/* hotgraph sweep: runs the experiment that a configuration describes. */
#include "cli/cli.h"
#include "commands/command.h"
#include "commands/sweep/sweep_job.h"
#include "commands/sweep/sweep_print.h"
#include "config/config.h"
#include "experiment/experiment.h"
#include "report/report.h"

#include "version.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the work ---- */

static enum status compute(struct sweep *s, struct error *e) {
    struct work_options options = {
        .jobs = (int)s->jobs,
        .engine = s->engine,
        .engine_options = s->engine_options,
        .direct = s->direct,
        .run_id = s->run_id,
        .stopped = interrupt_signal,
    };
    struct noise *noise = noise_start();
    struct noise_report report;
    enum status status = work_run(&s->plan, s->db, &options, &s->failed, e);
    noise_end(noise, &report);
    if (report.warning[0] != '\0')
        warning("the timings of this run are unreliable: %s", report.warning);
    if (status == STATUS_OK)
        status = db_note_run(s->db, s->run_id, report.spread, report.load,
                             report.warning[0] != '\0' ? report.warning : NULL, e);
    if (status == STATUS_OK && s->failed.games + s->failed.results == 0)
        status = db_finish_run(s->db, s->run_id, e);
    return status == STATUS_OK ? db_commit(s->db, e) : status;
}

static enum status sweep_games(struct sweep *s, struct error *e) {
    struct store_run about = {.version = HOTGRAPH_VERSION,
                              .commit = HOTGRAPH_COMMIT,
                              .arguments = s->arguments,
                              .engine = s->engine_options,
                              .jobs = (int)s->jobs,
                              .shard = s->shard};
    enum status status = store_experiment(&s->plan, s->db, &s->experiment_id, e);
    if (status == STATUS_OK && s->plan.missing > 0)
        status = store_run(&s->plan, s->db, &about, &s->run_id, e);
    if (status == STATUS_OK)
        status = db_commit(s->db, e);
    if (status == STATUS_OK && s->plan.missing > 0)
        status = compute(s, e);
    else if (status == STATUS_OK && !s->json)
        printf("nothing to do: all results of %s%s are in %s\n",
               s->shard.count > 0 ? "this shard of " : "", s->config_path, s->db_path);
    if (status == STATUS_OK)
        status = store_unfit(&s->plan, s->db, s->experiment_id, e);
    return status == STATUS_OK ? store_roles(&s->plan, s->db, s->experiment_id, e) : status;
}

/* ---- what came out ---- */

/* Writes tables and figures again if the results or the program have changed. */
static enum status write_report(const struct sweep *s, const struct digest *digest,
                                struct error *e) {
    char stamp[200];
    struct error warned = {0};
    if (s->report_folder == NULL)
        return STATUS_OK;
    snprintf(stamp, sizeof stamp, "%s %s %s", digest->total, HOTGRAPH_VERSION, HOTGRAPH_COMMIT);
    struct report_request request = {.db = s->db,
                                     .experiment = s->config.name,
                                     .folder = s->report_folder,
                                     .digest = digest->total,
                                     .stamp = stamp,
                                     .stopped = interrupt_signal};
    enum status status = report_write(&request, &warned, e);
    if (warned.text[0] != '\0')
        warning("%s", warned.text);
    return status;
}

/* A shard has only parts of games, so tables and a digest would be meaningless. */
static void print_shard(const struct sweep *s) {
    size_t results = 0, of = 0;
    for (size_t i = 0; i < s->plan.count; i++) {
        const struct plan_game *p = &s->plan.games[i];
        of += p->present ? p->stream_count * s->config.points.len : 0;
        for (size_t k = 0; p->wanted && p->present && k < p->stream_count; k++)
            for (size_t n = 0; n < s->config.points.len; n++)
                results += !p->streams[k].points[n].elsewhere && !p->streams[k].points[n].unfit;
    }
    printf("shard %" PRIu64 " of %" PRIu64
           ": %zu game%s, %zu of %zu results; 'hotgraph merge' joins "
           "the parts\n",
           s->shard.number, s->shard.count, sweep_count_present(s),
           sweep_count_present(s) == 1 ? "" : "s", results, of);
}

static enum status conclude(struct sweep *s, struct error *e) {
    struct digest whole = {0}, all = {0};
    enum status status = STATUS_OK;
    db_stop_when(s->db, interrupt_signal);
    if (!s->json) {
        sweep_print_skipped(&s->plan);
        status = sweep_print_unfit(&s->plan, e);
    }
    if (status == STATUS_OK)
        status = sweep_take_digests(s, &whole, &all, e);
    if (status == STATUS_OK)
        status = write_report(s, &all, e);
    if (status == STATUS_OK && !s->json)
        status = report_print_tables(s->db, s->config.name, print_width(s->wide), e);
    if (status == STATUS_OK)
        status = sweep_say_digest(s, &whole, &all, e);
    if (status == STATUS_OK)
        status = sweep_judge(s, &whole, &all, e);
    digest_free(&whole);
    digest_free(&all);
    return status;
}

static int finish(struct sweep *s, enum status status, struct error *e) {
    if (status == STATUS_INTERRUPTED) {
        fflush(stdout);
        fprintf(stderr,
                "hotgraph: stopped; finished results are in %s, and the same command continues "
                "from there\n",
                s->db_path);
        return 128 + interrupt_signal();
    }
    if (status != STATUS_OK) {
        fflush(stdout);
        return failure(e);
    }
    fflush(stdout);
    if (s->failed.games > 0)
        fprintf(stderr, "hotgraph: %zu game%s failed, see above\n", s->failed.games,
                s->failed.games == 1 ? "" : "s");
    if (s->failed.results > 0)
        fprintf(stderr,
                "hotgraph: %zu result%s of a technique's program failed, see above; the same "
                "command tries again\n",
                s->failed.results, s->failed.results == 1 ? "" : "s");
    return s->failed.games + s->failed.results > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Saves the number of missing results, which the work counts down. */
static enum status note_missing(struct sweep *s, struct error *e) {
    s->missing = calloc(s->plan.count + 1, sizeof *s->missing);
    if (s->missing == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; i < s->plan.count; i++)
        s->missing[i] = s->plan.games[i].missing;
    return STATUS_OK;
}

static enum status sweep_all(struct sweep *s, struct error *e) {
    if (s->present == 0) {
        if (!s->json)
            sweep_print_skipped(&s->plan);
        return error_set(e, STATUS_ARGUMENT, "%s: none of its games can be swept, see above",
                         s->config_path);
    }
    enum status status =
        s->report_folder != NULL ? report_make_folder(s->report_folder, e) : STATUS_OK;
    if (status == STATUS_OK)
        status = sweep_games(s, e);
    if (status == STATUS_OK && s->shard.count == 0)
        status = conclude(s, e);
    else if (status == STATUS_OK && !s->json)
        print_shard(s);
    return status;
}

static void print_outcome(const struct sweep *s, enum status status, const struct error *e) {
    const bool stopped = status == STATUS_INTERRUPTED;
    sweep_print_json(&(struct sweep_outcome){
        .config_path = s->config_path,
        .db_path = s->db_path,
        .report = s->report_folder,
        .plan = &s->plan,
        .missing = s->missing,
        .db = s->db,
        .shard = s->shard,
        .dry_run = s->dry_run,
        .stopped = stopped,
        .failed = s->failed,
        .digest = s->digest[0] != '\0' ? s->digest : NULL,
        .part = s->part,
        .digest_file = s->verdict != NULL ? s->digest_file : NULL,
        .verdict = s->verdict,
        .compared = s->compared,
        .others = s->others,
        .error = status != STATUS_OK && !stopped ? e->text : NULL,
    });
}

static int run(struct sweep *s) {
    struct error e = {0};
    enum status status = sweep_prepare(s, &e);
    if (status == STATUS_OK)
        status = note_missing(s, &e);
    if (status == STATUS_OK)
        sweep_warn_of_short_movies(s);
    if (status == STATUS_OK && !s->dry_run)
        status = sweep_all(s, &e);
    else if (status == STATUS_OK && !s->json)
        status = sweep_print_plan(&s->plan, s->db, s->config_path, &e);
    if (s->json && s->missing != NULL) /* else there is no plan */
        print_outcome(s, status, &e);
    int exit_status = finish(s, status, &e);
    plan_free(&s->plan);
    db_close(s->db);
    if (s->made_folder)
        rmdir(USUAL_FOLDER); /* fails if it is not empty */
    config_free(&s->config);
    words_free(&s->games);
    words_free(&s->techniques);
    vec_free(&s->where.items);
    vec_free(&s->known.items);
    free(s->missing);
    free(s->digest_file);
    free(s->part);
    free(s->arguments);
    return exit_status;
}

/* ---- what was typed, for the database ---- */

static char *join_arguments(int argc, char **argv) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; out != NULL && i < argc; i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", argv[i]);
    if (out != NULL)
        fclose(out);
    return text;
}

static const char *typed_engine(int argc, char **argv) {
    for (int i = argc; i-- > 1;) {
        if (strncmp(argv[i], "--engine=", 9) == 0)
            return argv[i] + 9;
        if (strcmp(argv[i - 1], "--engine") == 0)
            return argv[i];
    }
    return "auto";
}

static const char details[] =
    "Each game of CONFIG is replayed once, with the sampler and the exact profiler\n"
    "attached. Then all configurations of the grid, and the observed baseline,\n"
    "build their graphs from the same stream, on all processors, and are compared\n"
    "with the exact graph. Results are written to the database about once a second.\n"
    "To continue a sweep that was stopped, give the same command again; nothing is\n"
    "computed twice.\n"
    "\n"
    "ROMs that CONFIG identifies by SHA-1 are searched in $HOTGRAPH_ROMS, or in the\n"
    "folder that CONFIG names. Games without a ROM are skipped. configs/paper.cfg\n"
    "explains the format of CONFIG.\n"
    "\n"
    "At the end it prints the paper's four tables and the digest: a hash of all\n"
    "results without timings, which does not depend on threads, engine, machine or\n"
    "run. If a file with CONFIG's name and the ending .digest exists, the sweep\n"
    "ends with \"reproduced\", or fails and names the first row (in large\n"
    "experiments, the first stream) that differs. With --games, --techniques or\n"
    "--where, the digest covers only that part and is labelled accordingly; of\n"
    "partly swept games, the complete streams are compared.\n"
    "\n"
    "Examples:\n"
    "  hotgraph sweep configs/quick.cfg --db quick.db\n"
    "  hotgraph sweep configs/paper.cfg --games burrow,mazewisp --report results\n"
    "  hotgraph sweep configs/paper.cfg --shard 3/8 --db part3.db\n"
    "docs/cluster.md describes sweeps on several machines.\n";

int command_sweep(int argc, char **argv) {
    struct sweep s = {.db_path = USUAL_DB};
    const struct option_spec options[] = {
        {"db", "FILE",
         "the database; created if it does not exist, but not its folder (default: " USUAL_DB ")",
         OPTION_STRING, .to = &s.db_path, .file = FILE_UPDATED},
        {"report", "DIR", "write tables and figures to this folder at the end", OPTION_STRING,
         .to = &s.report_folder, .file = FILE_FOLDER},
        {"games", "LIST", "sweep only these games of CONFIG, separated by commas", OPTION_STRING,
         .to = &s.game_list, .check = option_check_names},
        {"techniques", "LIST", "sweep only these techniques of the grid, separated by commas",
         OPTION_STRING, .to = &s.technique_list, .check = option_check_names},
        {"where", "NAME=VALUE[,VALUE...]",
         "sweep only configurations with one of these values of a parameter (window_size=13), or "
         "only streams with one of these values of a sampling key (interval_ms=0.3) or movie=FILE "
         "without its ending; repeated: all must hold",
         OPTION_LIST, .to = &s.where, .check = plan_check_condition},
        {"shard", "I/N",
         "sweep only part I of N. A part consists of games; if there are more parts than games, of "
         "slices of their configurations. The division depends only on what is swept, so N parts "
         "from any machines, merged, are the whole. 0/N computes nothing; it only updates an older "
         "database to the current CONFIG before a merge",
         OPTION_PARSED, .to = &s.shard, .parse = shard_parse},
        {"known", "FILE",
         "with --shard: do not compute again what this database has; may be repeated", OPTION_LIST,
         .to = &s.known, .file = FILE_READ},
        jobs_option(&s.jobs),
        engine_option(&s.engine),
        {"direct", NULL,
         "compute each configuration separately, with its technique's plain reference "
         "implementation: same results, more time",
         OPTION_FLAG, .to = &s.direct},
        {"json", NULL,
         "print only a JSON object at the end: the outcome of each game, the digest, failures; "
         "with --dry-run, what would be computed",
         OPTION_FLAG, .to = &s.json},
        wide_option(&s.wide),
        {"dry-run", NULL, "print what would be computed, and why; compute nothing", OPTION_FLAG,
         .to = &s.dry_run},
        update_digest_option(&s.update_digest),
        {0},
    };
    const struct usage usage = {
        .command = "sweep",
        .operands = "CONFIG",
        .inputs = 1,
        .least = 1,
        .most = 1,
        .summary = "Runs the experiment that a configuration file describes, and stores its "
                   "results in a database.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    s.engine_options = typed_engine(argc, argv);
    s.arguments = join_arguments(argc, argv); /* before parsing permutes them */
    if (!options_parse(&usage, argc, argv, &operands)) {
        free(s.arguments);
        return operands.exit_status;
    }
    if (s.update_digest &&
        (s.game_list != NULL || s.technique_list != NULL || s.where.items.len > 0)) {
        free(s.arguments);
        vec_free(&s.where.items);
        return usage_error("sweep", "--update-digest needs all games and configurations: omit "
                                    "--games, --techniques and --where");
    }
    if (s.shard.count == 0 && s.known.items.len > 0) {
        free(s.arguments);
        vec_free(&s.known.items);
        return usage_error("sweep",
                           "--known needs --shard; without shards, run 'hotgraph merge' first");
    }
    if (s.shard.count > 0 && (s.update_digest || s.report_folder != NULL)) {
        free(s.arguments);
        return usage_error("sweep",
                           "--%s needs all results: omit --shard, or merge the parts first",
                           s.update_digest ? "update-digest" : "report");
    }
    char *config_path = data_find(operands.at[0]);
    s.config_path = config_path != NULL ? config_path : operands.at[0];
    if (s.jobs == 0)
        s.jobs = usual_jobs();
    const int exit_status = run(&s);
    free(config_path);
    return exit_status;
}
