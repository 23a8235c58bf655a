/* sweep: `hotgraph sweep CONFIG`: everything that a configuration file asks for, into a database.
 */
#include "cli/cli.h"
#include "commands/command.h"
#include "commands/sweep_print.h"
#include "config/config.h"
#include "experiment/experiment.h"
#include "report/report.h"

#include "version.h"

#include <errno.h>
#include <inttypes.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_JOBS = 1024 };
#define USUAL_FOLDER "results"
#define USUAL_DB     USUAL_FOLDER "/hotgraph.db"

/* "a,b" apart. */
struct words {
    VEC(const char *) at; /* into text */
    char *text;
};

struct sweep {
    const char *config_path, *db_path, *report_folder, *game_list;
    bool dry_run, update_digest, direct, json;
    uint64_t jobs;
    struct engine_choice engine;
    struct shard shard;
    struct option_list known; /* databases */

    struct config config;
    struct db *db;
    struct plan plan;
    struct option_list where;
    const char *technique_list;
    struct words games, techniques; /* of --games and --techniques */
    struct plan_filter filter;      /* of these three */

    char *arguments;
    const char *engine_options; /* as typed */
    int64_t run_id, experiment_id;
    bool said_waiting;
    size_t present; /* games, before they are divided into shards */
    size_t failed;

    size_t *missing; /* of each of the plan's games, before the work */
    char digest[33], *digest_file;
    const char *verdict;
    size_t compared, others;
};

/* ---- what to sweep ---- */

static enum status split(struct words *w, const char *list, struct error *e) {
    if (list == NULL)
        return STATUS_OK;
    w->text = strdup(list);
    if (w->text == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    char *rest = w->text, *name;
    while ((name = strsep(&rest, ",")) != NULL)
        if (!vec_push(&w->at, (const char *)name))
            return error_set(e, STATUS_MEMORY, "out of memory");
    return STATUS_OK;
}

static void free_words(struct words *w) {
    vec_free(&w->at);
    free(w->text);
}

/* A folder that is missing because its name is mistyped must not come into being: all but the last
 * of `path` must be there. `option` named it. */
static enum status check_parent(const char *path, const char *option, struct error *e) {
    struct error why;
    return file_check_folder(path, &why) == STATUS_OK
               ? STATUS_OK
               : error_set(e, STATUS_IO, "%s: make it first, or name another with %s", why.text,
                           option);
}

/* What is wrong with the places for results is said before anything is computed. Only the usual
 * database's folder is made; that of --report is, when there is something to put into it. */
static enum status check_places(const struct sweep *s, struct error *e) {
    enum status status = STATUS_OK;
    if (strcmp(s->db_path, USUAL_DB) != 0)
        status = check_parent(s->db_path, "--db", e);
    else if (!s->dry_run && mkdir(USUAL_FOLDER, 0777) != 0 && errno != EEXIST)
        status = file_unmade(USUAL_FOLDER, "cannot be made", errno, e);
    return status == STATUS_OK && s->report_folder != NULL
               ? check_parent(s->report_folder, "--report", e)
               : status;
}

/* Says once what is waited for; Ctrl-C ends that. */
static int waiting(void *user, double seconds) {
    struct sweep *s = user;
    if (seconds >= 2 && !s->said_waiting)
        fprintf(stderr, "hotgraph: waiting for another program that holds %s (Ctrl-C stops)\n",
                s->db_path);
    s->said_waiting |= seconds >= 2;
    return interrupt_signal() != 0;
}

static enum status open_database(struct sweep *s, struct error *e) {
    enum status status;
    if (s->dry_run && access(s->db_path, F_OK) != 0)
        return db_open_empty(&s->db, e);
    if (s->dry_run)
        return db_open(&s->db, s->db_path, DB_READ, e);
    interrupt_catch();
    status = db_open_patiently(&s->db, s->db_path, DB_WRITE, waiting, s, e);
    if (status == STATUS_OK && s->report_folder != NULL)
        status = report_make_folder(s->report_folder, e);
    if (status == STATUS_OK)
        status = db_reserve(s->db, e);
    return status != STATUS_OK && interrupt_signal() != 0
               ? error_set(e, STATUS_INTERRUPTED, "stopped")
               : status;
}

static size_t count_present(const struct sweep *s) {
    size_t count = 0;
    for (size_t i = 0; i < s->plan.count; i++)
        count += s->plan.games[i].wanted && s->plan.games[i].present;
    return count;
}

static enum status leave_known(struct sweep *s, const char *path, struct error *e) {
    struct db *db = NULL;
    struct plan known = {0};
    enum status status = db_open(&db, path, DB_READ, e);
    if (status == STATUS_OK)
        status = plan_make(&known, &s->config, &s->filter, db, e);
    if (status == STATUS_OK) {
        plan_leave(&s->plan, &known);
        plan_free(&known);
    }
    db_close(db);
    return status;
}

static enum status make_plan(struct sweep *s, struct error *e) {
    enum status status = config_load(&s->config, s->config_path, e);
    if (status == STATUS_OK && s->config.points.at[0].number < 0)
        status = error_set(e, STATUS_FORMAT, "%s: has no grid, so there is nothing to sweep",
                           s->config_path);
    if (status == STATUS_OK)
        status = split(&s->games, s->game_list, e);
    if (status == STATUS_OK)
        status = split(&s->techniques, s->technique_list, e);
    s->filter = (struct plan_filter){
        .games = s->games.at.at,
        .game_count = s->games.at.len,
        .techniques = s->techniques.at.at,
        .technique_count = s->techniques.at.len,
        .where = s->where.items.at,
        .where_count = s->where.items.len,
    };
    if (status == STATUS_OK)
        status = check_places(s, e);
    if (status == STATUS_OK)
        status = open_database(s, e);
    if (status == STATUS_OK)
        status = plan_make(&s->plan, &s->config, &s->filter, s->db, e);
    if (status != STATUS_OK)
        return status;
    s->present = count_present(s);
    status = s->shard.count > 0 ? plan_shard(&s->plan, s->shard, e) : STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < s->known.items.len; i++)
        status = leave_known(s, s->known.items.at[i], e);
    return status;
}

/* Movies that end before their replay does: most likely nobody wants to measure a game that nobody
 * plays. */
static void warn_of_short_movies(const struct sweep *s) {
    for (size_t i = 0; i < s->plan.count; i++) {
        const struct plan_game *p = &s->plan.games[i];
        if (!p->wanted || p->cartridge == NULL || p->game->frames <= movie_frames(&p->movie))
            continue;
        warning("%s: %s has %" PRIu64 " frames; in those after it, up to %" PRIu64
                ", nothing is pressed",
                p->label, p->movie_path, movie_frames(&p->movie), p->game->frames);
    }
}

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
        warning("the timings of this run are not to be trusted: %s", report.warning);
    if (status == STATUS_OK)
        status = db_note_run(s->db, s->run_id, report.spread, report.load,
                             report.warning[0] != '\0' ? report.warning : NULL, e);
    if (status == STATUS_OK && s->failed == 0)
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
    return status == STATUS_OK ? store_roles(&s->plan, s->db, s->experiment_id, e) : status;
}

/* ---- what came out ---- */

/* For people: with --json it is said at the end, all together. */
__attribute__((format(printf, 2, 3))) static void say(const struct sweep *s, const char *format,
                                                      ...) {
    if (s->json)
        return;
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
}

/* Tables and figures are made anew when the results are others, or the program is. */
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
                                     .stamp = stamp};
    enum status status = report_write(&request, &warned, e);
    if (warned.text[0] != '\0')
        warning("%s", warned.text);
    return status;
}

static char *digest_path(const struct sweep *s) {
    size_t len = strlen(s->config_path);
    char *path = NULL;
    if (len > 4 && strcmp(s->config_path + len - 4, ".cfg") == 0)
        len -= 4;
    return asprintf(&path, "%.*s.digest", (int)len, s->config_path) >= 0 ? path : NULL;
}

static enum status judge(struct sweep *s, const struct digest *ours, const struct digest *expected,
                         struct error *e) {
    static const char *const what[] = {
        [DIGEST_CHANGED] = "is not what is expected",
        [DIGEST_MISSING] = "is expected, but was not found",
        [DIGEST_UNEXPECTED] = "was found, but is not expected",
    };
    const char *const path = s->digest_file;
    s->verdict = "not compared";
    if (strcmp(ours->definition, expected->definition) != 0) {
        say(s, "not compared: %s belongs to another definition of the experiment\n", path);
        return STATUS_OK;
    }
    const char *key;
    enum digest_verdict verdict;
    enum status status =
        digest_compare(ours, expected, &verdict, &key, &s->compared, &s->others, e);
    if (status != STATUS_OK)
        return status;
    if (verdict != DIGEST_SAME) {
        s->verdict = "not reproduced";
        return error_set(e, STATUS_FORMAT, "not reproduced: %s %s (%s)", key, what[verdict], path);
    }
    if (s->compared == 0) {
        say(s, "not compared: %s has none of these games\n", path);
        return STATUS_OK;
    }
    s->verdict = "reproduced";
    say(s, "reproduced: %zu game%s as in %s\n", s->compared, s->compared == 1 ? "" : "s", path);
    if (s->others > 0)
        say(s, "not compared: %zu game%s that it does not have\n", s->others,
            s->others == 1 ? "" : "s");
    return STATUS_OK;
}

/* The first game that is here and not complete, or NULL. */
static const char *find_lacking(const struct sweep *s) {
    for (size_t i = 0; i < s->plan.count; i++) {
        const struct plan_game *p = &s->plan.games[i];
        if (p->wanted && p->present && p->missing + p->left != 0)
            return p->game->name;
    }
    return NULL;
}

/* Of a game with several movies, all. */
static bool is_whole(const struct sweep *s, const struct config_game *game) {
    bool any = false;
    for (size_t i = 0; i < s->plan.count; i++) {
        const struct plan_game *p = &s->plan.games[i];
        if (p->game != game)
            continue;
        if (!p->wanted || !p->present || p->missing + p->left != 0)
            return false;
        any = true;
    }
    return any;
}

static enum status compare_digest(struct sweep *s, struct digest *ours, struct error *e) {
    memcpy(ours->definition, s->config.definition_hash, sizeof ours->definition);
    const char *const path = s->digest_file = digest_path(s);
    if (path == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    struct digest expected = {0};
    const char *lacking;
    enum status status = STATUS_OK;
    if (s->update_digest && (lacking = find_lacking(s)) != NULL) {
        status = error_set(e, STATUS_ARGUMENT, "%s: is not written: %s lacks results, see above",
                           path, lacking);
    } else if (s->update_digest) {
        status = digest_write(ours, path, s->config.name, e);
        if (status == STATUS_OK) {
            s->verdict = "written";
            say(s, "wrote %s\n", path);
        }
    } else if (access(path, F_OK) != 0) {
        s->verdict = "not compared";
        say(s, "not compared: there is no %s\n", path);
    } else if ((status = digest_read(&expected, path, e)) == STATUS_OK) {
        status = judge(s, ours, &expected, e);
    }
    digest_free(&expected);
    return status;
}

/* Only games of which nothing is missing have a digest worth comparing. */
static enum status take_digests(const struct sweep *s, struct digest *shown, struct digest *all,
                                struct error *e) {
    VEC(const char *) names = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < s->config.games.len; i++) {
        const struct config_game *game = &s->config.games.at[i];
        if (is_whole(s, game) && !vec_push(&names, (const char *)game->name))
            status = error_set(e, STATUS_MEMORY, "out of memory");
    }
    if (status == STATUS_OK)
        status = digest_take(all, s->db, s->config.name, e);
    if (status == STATUS_OK)
        status = digest_part(shown, all, names.at, names.len, e);
    vec_free(&names);
    return status;
}

/* Tables and a digest would be of pieces of games. */
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
           s->shard.number, s->shard.count, count_present(s), count_present(s) == 1 ? "" : "s",
           results, of);
}

static enum status conclude(struct sweep *s, struct error *e) {
    struct digest shown = {0}, all = {0};
    enum status status = STATUS_OK;
    if (!s->json) {
        sweep_print_skipped(&s->plan);
        status = sweep_print_unfit(&s->plan, e);
    }
    if (status == STATUS_OK)
        status = take_digests(s, &shown, &all, e);
    if (status == STATUS_OK)
        status = write_report(s, &all, e);
    if (status == STATUS_OK && !s->json)
        status = report_print_tables(s->db, s->config.name, e);
    if (status == STATUS_OK) {
        memcpy(s->digest, shown.total, sizeof s->digest);
        say(s, "digest %s\n", shown.total);
        status = compare_digest(s, &shown, e);
    }
    digest_free(&shown);
    digest_free(&all);
    return status;
}

static int finish(struct sweep *s, enum status status, struct error *e) {
    if (status == STATUS_INTERRUPTED) {
        fflush(stdout);
        fprintf(stderr,
                "hotgraph: stopped; what was finished is in %s, and the same command goes on from "
                "there\n",
                s->db_path);
        return 128 + interrupt_signal();
    }
    if (status != STATUS_OK) {
        fflush(stdout);
        return failure(e);
    }
    if (s->failed > 0) {
        fflush(stdout);
        fprintf(stderr, "hotgraph: %zu game%s failed, see above\n", s->failed,
                s->failed == 1 ? "" : "s");
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

/* Remembers what was missing: the work counts it down. */
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
        return error_set(e, STATUS_ARGUMENT, "%s: none of its games can be swept", s->config_path);
    }
    enum status status = sweep_games(s, e);
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
        .digest_file = s->verdict != NULL ? s->digest_file : NULL,
        .verdict = s->verdict,
        .compared = s->compared,
        .others = s->others,
        .error = status != STATUS_OK && !stopped ? e->text : NULL,
    });
}

static int run(struct sweep *s) {
    struct error e = {0};
    enum status status = make_plan(s, &e);
    if (status == STATUS_OK)
        status = note_missing(s, &e);
    if (status == STATUS_OK)
        warn_of_short_movies(s);
    if (status == STATUS_OK && !s->dry_run)
        status = sweep_all(s, &e);
    else if (status == STATUS_OK && !s->json)
        status = sweep_print_plan(&s->plan, s->db, s->config_path, &e);
    if (s->json && s->missing != NULL) /* else there is no plan to speak of */
        print_outcome(s, status, &e);
    int exit_status = finish(s, status, &e);
    plan_free(&s->plan);
    db_close(s->db);
    config_free(&s->config);
    free_words(&s->games);
    free_words(&s->techniques);
    vec_free(&s->where.items);
    vec_free(&s->known.items);
    free(s->missing);
    free(s->digest_file);
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
    "For each game of CONFIG: one replay feeds the sampler and the exact profiler together, then\n"
    "every configuration of the grid and the observed baseline build their graphs from the one\n"
    "stream, on all processors, and are measured against the exact graph. Results go into the\n"
    "database as they come, about once a second. A sweep that was stopped, in whatever way, goes\n"
    "on where it was when the same command is given again; nothing is computed twice.\n"
    "\n"
    "ROMs that CONFIG names by SHA-1 are looked for in the folder that $HOTGRAPH_ROMS names, or\n"
    "that CONFIG does; games without a ROM are skipped. configs/paper.cfg explains the format.\n"
    "\n"
    "At the end come the paper's four tables and the digest, a hash of all results without\n"
    "timings, which does not depend on threads, engine, machine or run. If there is a file named "
    "like\n"
    "CONFIG with .digest, the sweep ends with \"reproduced\", or fails and names the first row\n"
    "that differs.\n"
    "\n"
    "Examples:\n"
    "  hotgraph sweep configs/quick.cfg --db quick.db\n"
    "  hotgraph sweep configs/paper.cfg --games burrow,mazewisp --report results\n"
    "  hotgraph sweep configs/paper.cfg --shard 3/8 --db part3.db    (see docs/cluster.md)\n";

/* What OMP_NUM_THREADS says, else as many as there are processors that a cpuset leaves us. */
static uint64_t usual_jobs(void) {
    const int threads = omp_get_max_threads();
    return threads < MOST_JOBS ? (uint64_t)threads : MOST_JOBS;
}

int command_sweep(int argc, char **argv) {
    struct sweep s = {.db_path = USUAL_DB};
    const struct option_spec options[] = {
        {"db", "FILE",
         "the database; made where it is missing, but not its folder (default: " USUAL_DB ")",
         OPTION_STRING, .to = &s.db_path},
        {"report", "DIR", "write tables and figures into this folder at the end", OPTION_STRING,
         .to = &s.report_folder},
        {"games", "LIST", "only these games of CONFIG, separated by commas", OPTION_STRING,
         .to = &s.game_list},
        {"techniques", "LIST", "only these techniques of the grid, separated by commas",
         OPTION_STRING, .to = &s.technique_list},
        {"where", "NAME=VALUE[,VALUE...]",
         "only what has one of these values: configurations by a parameter (window_size=13), "
         "streams by a key of their sampling (interval_ms=0.3) or by movie=FILE without its "
         "ending; several times: what meets all",
         OPTION_LIST, .to = &s.where},
        {"shard", "I/N",
         "only part I of N: games, and where there are more parts than games, slices of their "
         "configurations; divided by what is swept alone, so N parts on any machines, merged, are "
         "the whole. 0/N computes nothing: it only makes an older database, before it is merged, "
         "one of CONFIG as it is now",
         OPTION_PARSED, .to = &s.shard, .parse = shard_parse},
        {"known", "FILE",
         "with --shard: what this database has is not computed again; may be given several times",
         OPTION_LIST, .to = &s.known},
        {"jobs", "N",
         "threads; 0 (default): as OMP_NUM_THREADS says, or as many as there are processors for it",
         OPTION_NUMBER, .to = &s.jobs, .least = 0, .most = MOST_JOBS},
        engine_option(&s.engine),
        {"direct", NULL,
         "each configuration by itself, by the plain implementation of its technique's "
         "definition: the same results, slowly",
         OPTION_FLAG, .to = &s.direct},
        {"json", NULL,
         "print nothing but one JSON object at the end: what became of each game, the digest, "
         "failures; with --dry-run, what would be computed",
         OPTION_FLAG, .to = &s.json},
        {"dry-run", NULL, "only say what would be computed, and why", OPTION_FLAG,
         .to = &s.dry_run},
        {"update-digest", NULL,
         "take these results for the expected ones: write CONFIG's .digest file", OPTION_FLAG,
         .to = &s.update_digest},
        {0},
    };
    const struct usage usage = {
        .command = "sweep",
        .operands = "CONFIG",
        .least = 1,
        .most = 1,
        .summary = "Runs the experiment that a configuration file describes, into a database.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    s.engine_options = typed_engine(argc, argv);
    s.arguments = join_arguments(argc, argv); /* parsing puts them into another order */
    if (!options_parse(&usage, argc, argv, &operands)) {
        free(s.arguments);
        return operands.exit_status;
    }
    if (s.update_digest &&
        (s.game_list != NULL || s.technique_list != NULL || s.where.items.len > 0)) {
        free(s.arguments);
        vec_free(&s.where.items);
        return usage_error("sweep", "--update-digest needs all games and configurations: leave "
                                    "--games, --techniques and --where out");
    }
    if (s.shard.count == 0 && s.known.items.len > 0) {
        free(s.arguments);
        vec_free(&s.known.items);
        return usage_error("sweep", "--known is for --shard: without it, 'hotgraph merge' first");
    }
    if (s.shard.count > 0 && (s.update_digest || s.report_folder != NULL)) {
        free(s.arguments);
        return usage_error("sweep", "--%s needs all results: leave --shard out, or merge first",
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
