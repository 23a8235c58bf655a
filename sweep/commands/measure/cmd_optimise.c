/* hotgraph optimise: what BOLT makes of profiles. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "commands/database/results.h"
#include "optimise/optimise.h"
#include "version.h"

enum { EXAMPLE = 1000 };

struct optimise_command {
    const char *config_path, *db_path, *programs;
    uint64_t jobs;
    bool update_digest, json;
    struct config config;
    struct db *db;
    /* The outcome, for --json. */
    struct optimise_result result;
    bool begun;
    int64_t stale;
    char digest[33], *digest_file;
    const char *verdict;
    size_t compared;
};

/* Prints a message; does nothing with --json, which prints everything at the end. */
__attribute__((format(printf, 2, 3))) static void say(const struct optimise_command *c,
                                                      const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (!c->json)
        vprintf(format, args);
    va_end(args);
}

static const char details[] =
    "Each program of CONFIG is recorded under QEMU. All techniques of the grid find\n"
    "graphs in its samples, as often as `budgets` says. BOLT (Debian's package\n"
    "bolt-19) lays the program out by each graph, and by no profile, the exact one,\n"
    "the exact one of another input (other_command, other_input), and a random one.\n"
    "Every new program is recorded with the same input: its taken branches and jumps\n"
    "are counted, not timed. If valgrind is installed, the misses of an instruction\n"
    "cache are simulated as well. Missing programs are skipped.\n"
    "\n"
    "The programs must be linked with -Wl,--emit-relocs, statically if the C library\n"
    "is to be laid out as well, and compiled with -fno-reorder-blocks-and-partition.\n"
    "Scratch files go into optimise/ in the folder of each program.\n"
    "\n"
    "Each layout is stored when it is measured. To continue a run that was stopped,\n"
    "give the same command again. If a file with CONFIG's name and the ending\n"
    ".digest exists, the run ends with \"reproduced\", or fails and names what\n"
    "differs; with other versions of the programs or of BOLT, nothing is compared.\n"
    "A profile that BOLT refuses as stale is a failure, too.\n"
    "\n"
    "Examples:\n"
    "  make optimise\n"
    "  hotgraph optimise configs/optimise.cfg --db results/optimise.db\n"
    "  hotgraph results results/optimise.db --view technique_optimised\n";

/* ---- the table ---- */

static const char table_sql[] =
    "SELECT programs, printf('%10.4f', 100 * observed_share), printf('%9.3f', benefit_predicted),"
    " printf('%9.3f', benefit_measured), printf('%9.3f', benefit_least), kind, technique, sampling,"
    " inferred FROM technique_optimised WHERE kind <> 'original' ORDER BY kind, technique, "
    "inferred,"
    " observed_share DESC";

static enum status print_row(void *user, size_t columns, const char *const *names,
                             const char *const *v, struct error *e) {
    (void)user, (void)columns, (void)names, (void)e;
    const bool found = strcmp(v[5], "found") == 0;
    printf("%8s %10s %9s %9s %9s  %s%s%s%s\n", v[0], v[1], v[2], v[3], v[4], found ? v[6] : v[5],
           found ? ", " : "", v[7], v[8][0] == '1' ? ", falls inferred" : "");
    return STATUS_OK;
}

static enum status print_table(struct db *db, struct error *e) {
    printf("programs observed %% predicted  measured     least  profile\n");
    return db_query(db, table_sql, print_row, NULL, e, "");
}

/* ---- the verdict ---- */

static void not_compared(struct optimise_command *c, const char *path, const char *why) {
    c->verdict = "not compared";
    say(c, "not compared: %s%s\n", path, why);
}

static enum status judge(struct optimise_command *c, const struct digest *ours, const char *path,
                         struct error *e) {
    struct digest expected = {0};
    enum digest_verdict verdict = DIGEST_SAME;
    const char *key;
    size_t others = 0;
    enum status status = digest_read(&expected, path, e);
    const bool same = status == STATUS_OK && strcmp(ours->definition, expected.definition) == 0;
    if (status == STATUS_OK && same)
        status = digest_compare(ours, &expected, &verdict, &key, &c->compared, &others, e);
    if (status == STATUS_OK && verdict != DIGEST_SAME) {
        c->verdict = "not reproduced";
        status = error_set(e, STATUS_FORMAT, "not reproduced: %s %s (%s)", key,
                           verdict == DIGEST_CHANGED   ? "differs from the expected result"
                           : verdict == DIGEST_MISSING ? "is expected but missing"
                                                       : "is not expected",
                           path);
    } else if (status == STATUS_OK && !same) {
        not_compared(c, path, " is of another configuration, or of other versions of BOLT or QEMU");
    } else if (status == STATUS_OK && c->compared == 0) {
        not_compared(c, path, " has none of these programs");
    } else if (status == STATUS_OK) {
        c->verdict = "reproduced";
        say(c, "reproduced: %zu program%s as in %s\n", c->compared, c->compared == 1 ? "" : "s",
            path);
    }
    digest_free(&expected);
    return status;
}

static enum status write_digest(struct optimise_command *c, const struct digest *digest,
                                struct error *e) {
    enum status status = digest_write(digest, c->digest_file, c->config.name, e);
    if (status == STATUS_OK) {
        c->verdict = "written";
        say(c, "wrote %s\n", c->digest_file);
    }
    return status;
}

static enum status conclude_digest(struct optimise_command *c, struct error *e) {
    struct digest digest;
    char others[EXAMPLE];
    c->digest_file = digest_path(c->config_path);
    if (c->digest_file == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    enum status status = optimise_digest(&digest, c->db, &c->config, others, sizeof others, e);
    if (status == STATUS_OK) {
        snprintf(c->digest, sizeof c->digest, "%s", digest.total);
        say(c, "digest %s\n", digest.total);
        if (others[0] != '\0')
            say(c, "not compared: %s: another build than that of the expected results\n", others);
        if (c->update_digest)
            status = write_digest(c, &digest, e);
        else if (access(c->digest_file, F_OK) == 0)
            status = judge(c, &digest, c->digest_file, e);
        else
            not_compared(c, "there is no ", c->digest_file);
    }
    digest_free(&digest);
    return status;
}

/* ---- all ---- */

static enum status conclude(struct optimise_command *c, struct error *e) {
    const struct optimise_result *r = &c->result;
    char example[EXAMPLE];
    enum status status = c->json ? STATUS_OK : print_table(c->db, e);
    if (status == STATUS_OK)
        say(c, "%zu program%s; %zu layouts measured, %zu there before\n", r->programs,
            r->programs == 1 ? "" : "s", r->computed, r->there);
    if (status == STATUS_OK && r->refused > 0)
        say(c, "%zu layout%s that BOLT could not make, see above\n", r->refused,
            r->refused == 1 ? "" : "s");
    if (status == STATUS_OK)
        status = optimise_count_stale(c->db, &c->config, &c->stale, example, sizeof example, e);
    if (status == STATUS_OK && c->stale > 0)
        status =
            error_set(e, STATUS_FORMAT,
                      "BOLT refused the profiles of %" PRId64 " functions as stale, first by %s",
                      c->stale, example);
    if (status == STATUS_OK && r->failed > 0)
        status = error_set(e, STATUS_GUEST, "%zu program%s failed, see above", r->failed,
                           r->failed == 1 ? "" : "s");
    return status == STATUS_OK ? conclude_digest(c, e) : status;
}

static enum status print_json(const struct optimise_command *c, const char *error,
                              struct error *e) {
    const struct optimise_result *r = &c->result;
    printf("{");
    print_json_text("config", c->config_path);
    printf(", ");
    print_json_text("database", c->db_path);
    printf(", \"programs\": %zu, \"skipped\": %zu, \"failed\": %zu,\n \"computed\": %zu, "
           "\"there\": %zu, \"refused\": %zu, \"stale\": %" PRId64 ",\n \"profiles\": ",
           r->programs, r->skipped, r->failed, r->computed, r->there, r->refused, c->stale);
    const enum status status = results_print(c->db, "technique_optimised", NULL, true, e);
    printf(" ,");
    print_json_text("digest", c->digest[0] != '\0' ? c->digest : NULL);
    printf(", ");
    print_json_text("verdict", c->verdict);
    printf(", ");
    print_json_text("digest_file", c->digest_file);
    printf(", \"compared\": %zu, ", c->compared);
    print_json_text("error", error);
    printf("}\n");
    return status;
}

static enum status work(struct optimise_command *c, struct error *e) {
    const struct optimise_request request = {
        .config = &c->config,
        .programs = c->programs,
        .db = c->db,
        .about = {.version = HOTGRAPH_VERSION, .commit = HOTGRAPH_COMMIT, .jobs = (int)c->jobs},
        .jobs = (int)c->jobs,
        .stopped = interrupt_signal};
    enum status status = db_reserve(c->db, e);
    if (status == STATUS_OK)
        status = db_begin_work(c->db, e);
    if (status == STATUS_OK)
        status = optimise_run(&request, &c->result, e);
    c->begun = status == STATUS_OK || status == STATUS_INTERRUPTED;
    if (status == STATUS_INTERRUPTED)
        return error_set(e, status, "stopped; finished layouts are in %s", c->db_path);
    return status == STATUS_OK ? conclude(c, e) : status;
}

int command_optimise(int argc, char **argv) {
    struct optimise_command c = {.db_path = "optimise.db"};
    const struct option_spec options[] = {
        {"db", "FILE", "the database; created if it does not exist (default: optimise.db)",
         OPTION_STRING, .to = &c.db_path, .file = FILE_UPDATED},
        {"games", "LIST", "only these programs of CONFIG, separated by commas", OPTION_STRING,
         .to = &c.programs, .check = option_check_names},
        jobs_option(&c.jobs),
        update_digest_option(&c.update_digest),
        json_option(&c.json),
        {0},
    };
    const struct usage usage = {
        .command = "optimise",
        .operands = "CONFIG",
        .inputs = 1,
        .least = 1,
        .most = 1,
        .summary = "Has BOLT lay programs out by the graphs that techniques find, and counts what "
                   "that saves.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    struct error e = {0};
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    if (c.update_digest && c.programs != NULL)
        return usage_error("optimise", "--update-digest needs all programs: omit --games");
    if (c.jobs == 0)
        c.jobs = usual_jobs();
    char *config_path = data_find(operands.at[0]);
    c.config_path = config_path != NULL ? config_path : operands.at[0];
    interrupt_catch();
    enum status status = config_load(&c.config, c.config_path, &e);
    if (status == STATUS_OK)
        status = db_open(&c.db, c.db_path, DB_WRITE, &e);
    if (status == STATUS_OK)
        status = work(&c, &e);
    if (c.begun && c.json) {
        struct error printed = {0};
        if (print_json(&c, status == STATUS_OK ? NULL : e.text, &printed) != STATUS_OK &&
            status == STATUS_OK) {
            status = printed.status;
            e = printed;
        }
    }
    db_close(c.db);
    free(c.digest_file);
    config_free(&c.config);
    free(config_path);
    return status == STATUS_OK ? EXIT_SUCCESS : failure(&e);
}
