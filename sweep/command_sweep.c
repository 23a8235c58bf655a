/* sweep: `hotgraph sweep CONFIG`: everything that a configuration file asks for, into a database.
 */
#include "sweep/command.h"
#include "sweep/digest.h"
#include "sweep/interrupt.h"
#include "sweep/options.h"
#include "sweep/report.h"
#include "sweep/roms.h"
#include "sweep/work.h"

#include "version.h"

#include <errno.h>
#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { MOST_JOBS = 1024 };

struct sweep {
    const char *config_path, *db_path, *report_folder, *game_list;
    bool dry_run, update_digest;
    uint64_t jobs;
    struct engine_choice engine;

    struct config config;
    struct db *db;
    struct plan plan;
    VEC(const char *) names; /* of --games, into `list` */
    char *list;

    int64_t run_id, experiment_id;
    int64_t *game_ids, *configuration_ids;
    size_t failed;
};

/* ---- what to sweep ---- */

static enum status split_names(struct sweep *s, struct error *e) {
    if (s->game_list == NULL)
        return STATUS_OK;
    s->list = strdup(s->game_list);
    if (s->list == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    char *rest = s->list, *name;
    while ((name = strsep(&rest, ",")) != NULL)
        if (!vec_push(&s->names, (const char *)name))
            return error_set(e, STATUS_MEMORY, "out of memory");
    return STATUS_OK;
}

/* Makes the folders that the file shall be in. */
static enum status make_folders(const char *file, struct error *e) {
    char *path = strdup(file);
    enum status status = path != NULL ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
    for (char *slash = path; status == STATUS_OK && (slash = strchr(slash + 1, '/')) != NULL;) {
        *slash = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            status = error_set(e, STATUS_IO, "%s: cannot be made: %s", path, strerror(errno));
        *slash = '/';
    }
    free(path);
    return status;
}

static enum status make_plan(struct sweep *s, struct error *e) {
    enum status status = config_load(&s->config, s->config_path, e);
    if (status == STATUS_OK && s->config.points.at[0].number < 0)
        status = error_set(e, STATUS_FORMAT, "%s: has no grid, so there is nothing to sweep",
                           s->config_path);
    if (status == STATUS_OK)
        status = split_names(s, e);
    if (status == STATUS_OK && !s->dry_run && (status = make_folders(s->db_path, e)) == STATUS_OK)
        status = db_open(&s->db, s->db_path, DB_WRITE, e);
    if (status == STATUS_OK && s->dry_run && access(s->db_path, F_OK) == 0)
        status = db_open(&s->db, s->db_path, DB_READ, e);
    return status != STATUS_OK
               ? status
               : plan_make(&s->plan, &s->config, s->names.at, s->names.len, s->db, e);
}

static size_t count_present(const struct sweep *s) {
    size_t count = 0;
    for (size_t i = 0; i < s->config.games.len; i++)
        count += s->plan.games[i].wanted && s->plan.games[i].present;
    return count;
}

/* "configs/../roms" for people. */
static void print_folder(const char *path) {
    const char *up = strstr(path, "/../");
    const char *start = up;
    while (start != NULL && start > path && start[-1] != '/')
        start--;
    if (up == NULL || strncmp(start, "../", 3) == 0 || strncmp(start, "./", 2) == 0)
        printf("%s", path);
    else
        printf("%.*s%s", (int)(start - path), path, up + 4);
}

static void print_skipped(const struct sweep *s) {
    size_t count = 0;
    for (size_t i = 0; i < s->config.games.len; i++)
        if (s->plan.games[i].wanted && !s->plan.games[i].present)
            printf("%s %s", count++ == 0 ? "skipped, no ROM found:" : ",",
                   s->config.games.at[i].name);
    if (count == 0)
        return;
    printf(" (put the .nes files into ");
    print_folder(roms_folder(s->config.roms));
    printf(", or name their folder in $HOTGRAPH_ROMS)\n");
}

static void print_plan(const struct sweep *s) {
    printf("%s: %zu configurations and the baseline, %" PRIu64 " µs between batches of %u\n",
           s->config_path, s->config.points.len - 1, s->config.sampling.interval_us,
           s->config.sampling.batch_length);
    for (size_t i = 0; i < s->config.games.len; i++) {
        const struct plan_game *p = &s->plan.games[i];
        if (!p->wanted || !p->present)
            continue;
        if (p->cartridge != NULL)
            printf("%s: ROM %s, movie %s, %" PRIu64 " frames%s: ", p->game->name,
                   p->cartridge->sha1, p->game->movie, p->game->frames,
                   p->game->untested ? ", untested" : "");
        else
            printf("%s: stream %s, graph %s: ", p->game->name, p->game->stream, p->game->graph);
        if (p->missing == 0)
            printf("nothing to do\n");
        else
            printf("%s, %zu things to compute\n",
                   p->cartridge != NULL ? "one replay" : "one reading", p->missing);
    }
    print_skipped(s);
}

/* ---- the rows that all others refer to ---- */

static int64_t value_of(const struct config_point *p, const char *name) {
    const struct parameter *parameters = p->technique->parameters;
    for (int i = 0; i < TECHNIQUE_PARAMETERS && parameters[i].name != NULL; i++)
        if (strcmp(parameters[i].name, name) == 0)
            return p->values[i];
    return DB_NULL;
}

static enum status put_experiment(struct sweep *s, struct error *e) {
    size_t count = s->config.points.len;
    struct db_member *members = calloc(count, sizeof *members);
    s->configuration_ids = calloc(count, sizeof *s->configuration_ids);
    enum status status = STATUS_OK;
    if (members == NULL || s->configuration_ids == NULL)
        status = error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        const struct config_point *p = &s->config.points.at[i];
        struct db_configuration row = {
            .key = p->key,
            .technique = p->technique->name,
            .bin_size = value_of(p, "bin_size"),
            .stdev_threshold = value_of(p, "stdev_threshold"),
            .window_size = value_of(p, "window_size"),
            .recurrent_threshold = value_of(p, "recurrent_threshold"),
            .builder = value_of(p, "builder"),
        };
        status = db_put_configuration(s->db, &row, &s->configuration_ids[i], e);
        members[i] = (struct db_member){.configuration_id = s->configuration_ids[i],
                                        .number = p->number >= 0 ? p->number : DB_NULL,
                                        .label = p->label};
    }
    if (status == STATUS_OK)
        status = db_choose_experiment(s->db, s->config.name, s->config.definition_hash, members,
                                      count, &s->experiment_id, e);
    free(members);
    return status;
}

static enum status put_games(struct sweep *s, struct error *e) {
    size_t count = s->config.games.len;
    const char **names = calloc(count + 1, sizeof *names);
    s->game_ids = calloc(count + 1, sizeof *s->game_ids);
    enum status status = STATUS_OK;
    if (names == NULL || s->game_ids == NULL)
        status = error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        const struct config_game *g = &s->config.games.at[i];
        const struct plan_game *p = &s->plan.games[i];
        names[i] = g->name;
        if (!p->wanted || !p->present)
            continue;
        struct db_game row = {.name = g->name,
                              .title = g->title,
                              .paper_game = g->paper_game,
                              .untested = g->untested};
        status = db_put_game(s->db, &row, &s->game_ids[i], e);
        if (status == STATUS_OK && p->stream_id != 0)
            status = db_choose_stream(s->db, s->experiment_id, s->game_ids[i], p->stream_id, e);
    }
    if (status == STATUS_OK)
        status = db_keep_games(s->db, s->experiment_id, names, count, e);
    free(names);
    return status;
}

static enum status put_run(struct sweep *s, struct error *e) {
    struct utsname host;
    if (uname(&host) != 0)
        strcpy(host.nodename, "unknown");
    struct db_run run = {
        .version = HOTGRAPH_VERSION,
        .source_commit = HOTGRAPH_COMMIT,
        .host = host.nodename,
        .compiler =
#ifdef __clang__
            "clang " __clang_version__,
#else
            "gcc " __VERSION__,
#endif
        .configuration_file = s->config_path,
        .definition_hash = s->config.definition_hash,
        .jobs = (int64_t)s->jobs,
    };
    return db_put_run(s->db, &run, &s->run_id, e);
}

/* ---- the work ---- */

static enum status compute(struct sweep *s, struct error *e) {
    struct work_options options = {
        .jobs = (int)s->jobs,
        .engine = s->engine,
        .run_id = s->run_id,
        .experiment_id = s->experiment_id,
        .game_ids = s->game_ids,
        .configuration_ids = s->configuration_ids,
        .stopped = interrupt_signal,
    };
    interrupt_catch();
    enum status status = work_run(&s->plan, s->db, &options, &s->failed, e);
    if (status == STATUS_OK && s->failed == 0 &&
        (status = db_finish_run(s->db, s->run_id, e)) == STATUS_OK)
        status = db_commit(s->db, e);
    return status;
}

static enum status sweep_games(struct sweep *s, struct error *e) {
    enum status status = put_experiment(s, e);
    if (status == STATUS_OK)
        status = put_games(s, e);
    if (status == STATUS_OK && s->plan.missing > 0)
        status = put_run(s, e);
    if (status == STATUS_OK)
        status = db_commit(s->db, e);
    if (status != STATUS_OK)
        return status;
    if (s->plan.missing > 0)
        return compute(s, e);
    printf("nothing to do: all results of %s are in %s\n", s->config_path, s->db_path);
    return STATUS_OK;
}

/* ---- what came out ---- */

/* Tables and figures are up to date when the folder has the digest of what they show. */
static bool report_is_current(const char *folder, const struct digest *digest) {
    char path[4096];
    struct bytes file;
    if ((size_t)snprintf(path, sizeof path, "%s/digest.txt", folder) >= sizeof path ||
        file_read(&file, path, 1000, NULL) != STATUS_OK)
        return false;
    bool same = file.len == 33 && memcmp(file.at, digest->total, 32) == 0;
    bytes_free(&file);
    return same;
}

static enum status write_report(const struct sweep *s, const struct digest *digest,
                                struct error *e) {
    if (s->report_folder == NULL || report_is_current(s->report_folder, digest))
        return STATUS_OK;
    struct error warned = {0};
    enum status status = report_write(s->db_path, s->report_folder, &warned, e);
    if (status != STATUS_OK)
        return status;
    if (warned.text[0] != '\0') {
        warning("%s", warned.text);
        return STATUS_OK; /* so that the next sweep tries again */
    }
    char path[4096];
    struct file_writer *w;
    if ((size_t)snprintf(path, sizeof path, "%s/digest.txt", s->report_folder) >= sizeof path)
        return error_set(e, STATUS_ARGUMENT, "%s: the name is too long", s->report_folder);
    if ((status = file_open(&w, path, e)))
        return status;
    file_printf(w, "%s\n", digest->total);
    return file_commit(w, e);
}

static char *digest_path(const struct sweep *s) {
    size_t len = strlen(s->config_path);
    char *path = NULL;
    if (len > 4 && strcmp(s->config_path + len - 4, ".cfg") == 0)
        len -= 4;
    return asprintf(&path, "%.*s.digest", (int)len, s->config_path) >= 0 ? path : NULL;
}

static enum status judge(const struct digest *ours, const struct digest *expected, const char *path,
                         struct error *e) {
    static const char *const what[] = {
        [DIGEST_CHANGED] = "is not what is expected",
        [DIGEST_MISSING] = "is expected, but was not found",
        [DIGEST_UNEXPECTED] = "was found, but is not expected",
    };
    if (strcmp(ours->definition, expected->definition) != 0) {
        printf("not compared: %s belongs to another definition of the experiment\n", path);
        return STATUS_OK;
    }
    const char *key;
    size_t compared, others;
    enum digest_verdict verdict = digest_compare(ours, expected, &key, &compared, &others);
    if (verdict != DIGEST_SAME)
        return error_set(e, STATUS_FORMAT, "not reproduced: %s %s (%s)", key, what[verdict], path);
    if (compared == 0)
        printf("not compared: %s has none of these games\n", path);
    else
        printf("reproduced: %zu game%s as in %s\n", compared, compared == 1 ? "" : "s", path);
    if (compared > 0 && others > 0)
        printf("not compared: %zu game%s that it does not have\n", others, others == 1 ? "" : "s");
    return STATUS_OK;
}

static enum status compare_digest(const struct sweep *s, struct digest *ours, struct error *e) {
    memcpy(ours->definition, s->config.definition_hash, sizeof ours->definition);
    char *path = digest_path(s);
    if (path == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    struct digest expected = {0};
    enum status status = STATUS_OK;
    if (s->update_digest) {
        status = digest_write(ours, path, s->config.name, e);
        if (status == STATUS_OK)
            printf("wrote %s\n", path);
    } else if (access(path, F_OK) != 0) {
        printf("not compared: there is no %s\n", path);
    } else if ((status = digest_read(&expected, path, e)) == STATUS_OK) {
        status = judge(ours, &expected, path, e);
    }
    digest_free(&expected);
    free(path);
    return status;
}

/* Only games of which nothing is missing have a digest worth comparing. */
static enum status take_digests(const struct sweep *s, struct digest *shown, struct digest *all,
                                struct error *e) {
    VEC(const char *) names = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < s->config.games.len; i++) {
        const struct plan_game *p = &s->plan.games[i];
        if (p->wanted && p->present && p->missing == 0 &&
            !vec_push(&names, (const char *)p->game->name))
            status = error_set(e, STATUS_MEMORY, "out of memory");
    }
    const char *none[] = {NULL};
    if (status == STATUS_OK)
        status = digest_take(shown, s->db, names.len > 0 ? names.at : none, names.len, e);
    if (status == STATUS_OK)
        status = digest_take(all, s->db, NULL, 0, e);
    vec_free(&names);
    return status;
}

static enum status conclude(struct sweep *s, struct error *e) {
    struct digest shown = {0}, all = {0};
    print_skipped(s);
    enum status status = take_digests(s, &shown, &all, e);
    if (status == STATUS_OK)
        status = write_report(s, &all, e);
    if (status == STATUS_OK)
        status = report_print_tables(s->db_path, e);
    if (status == STATUS_OK) {
        printf("digest %s\n", shown.total);
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

static int run(struct sweep *s) {
    struct error e = {0};
    enum status status = make_plan(s, &e);
    if (status == STATUS_OK && s->dry_run) {
        print_plan(s);
    } else if (status == STATUS_OK && count_present(s) == 0) {
        print_skipped(s);
        status =
            error_set(&e, STATUS_ARGUMENT, "%s: none of its games can be swept", s->config_path);
    } else if (status == STATUS_OK) {
        status = sweep_games(s, &e);
        if (status == STATUS_OK)
            status = conclude(s, &e);
    }
    int exit_status = finish(s, status, &e);
    plan_free(&s->plan);
    db_close(s->db);
    config_free(&s->config);
    vec_free(&s->names);
    free(s->list);
    free(s->game_ids);
    free(s->configuration_ids);
    return exit_status;
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
    "  hotgraph sweep configs/paper.cfg --games burrow,mazewisp --report results\n";

int command_sweep(int argc, char **argv) {
    struct sweep s = {.db_path = "results/hotgraph.db"};
    const struct option_spec options[] = {
        {"db", "FILE", "the database; made where it is missing (default: results/hotgraph.db)",
         OPTION_STRING, .to = &s.db_path},
        {"report", "DIR", "write tables and figures into this folder at the end", OPTION_STRING,
         .to = &s.report_folder},
        {"games", "LIST", "only these games of CONFIG, separated by commas", OPTION_STRING,
         .to = &s.game_list},
        {"jobs", "N", "threads; 0 (default): as many as there are processors", OPTION_NUMBER,
         .to = &s.jobs, .least = 0, .most = MOST_JOBS},
        engine_option(&s.engine),
        {"dry-run", NULL, "only say what would be computed", OPTION_FLAG, .to = &s.dry_run},
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
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    if (s.update_digest && s.game_list != NULL)
        return usage_error("sweep", "--update-digest needs all games: leave --games out");
    s.config_path = operands.at[0];
    if (s.jobs == 0)
        s.jobs = (uint64_t)omp_get_num_procs();
    return run(&s);
}
