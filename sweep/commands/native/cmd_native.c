/* hotgraph native: runs a program on this machine with probes in it, and prints their counts. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "commands/native/native_check.h"
#include "commands/native/native_graph.h"
#include "commands/native/native_placement.h"
#include "commands/native/native_report.h"
#include "commands/native/native_rows.h"
#include "commands/native/native_run.h"
#include "commands/native/native_sample.h"
#include "commands/native/native_script.h"
#include "native/hotprobe.h"
#include "native/session.h"

enum { FOLDER = 3072, ENV_DEPTH = 4 };

struct native_command {
    const char *functions, *strategy, *assign, *json, *db, *graph, *images, *structure, *placement,
        *sample;
    bool blocks, instructions, libraries, unproven, atomic, per_thread;
    uint64_t threshold, top;
    uint64_t interval_us, batch; /* of --sample */
    bool interval_given, batch_given;
};

static const char details[] =
    "By default it counts calls of functions; --functions takes a shell pattern.\n"
    "With --threshold N it also lists the sites that reached N executions, in that\n"
    "order. The counts go to standard error, or as JSON to FILE. Child processes are\n"
    "not counted.\n"
    "\n"
    "The program keeps its own output, signals and exit status, also if the counts cannot be\n"
    "had; then standard error says why, and no file is written. Only if the program\n"
    "succeeded, the exit status is 125 in this case. It is 1 if the program was not run.\n"
    "\n"
    "--graph writes all blocks and edges of the program's own code with their exact\n"
    "counts, in the format of 'record', without QEMU. Control that comes\n"
    "from a library counts as an entry. Threads share one graph; when the program ends,\n"
    "they must have ended, too, or wait in system calls of libraries. Each block\n"
    "must be entered as often as it is executed; otherwise nothing is written, and\n"
    "the message names the position. Addresses are offsets in the file from 0x1000000\n"
    "on; with --images FILE.structure, those that 'record --structure FILE' gave it.\n"
    "With --libraries the graph also has the libraries that the program starts with, and\n"
    "the edges between all these files; only the loader counts as other code.\n"
    "With --placement FILE.graph, the graph of an earlier run, fewer counters are executed\n"
    "if this run is like that one. The new graph is exact in any case.\n"
    "\n"
    "--sample needs no probes. The program is stopped after each --interval-ms of its\n"
    "processor time, and its next --batch instructions are executed one by one. Batches\n"
    "wholly in its own code are written, with --libraries those in any file. Another run\n"
    "gives other samples, and the stream says so. Only the first thread is sampled.\n"
    "\n"
    "Strategies: over-one, over-several, padding, reachable, constrained, trap.\n"
    "Without --strategy, all but trap are used.\n"
    "\n"
    "Examples:\n"
    "  hotgraph native --threshold 1000 -- gzip -c /etc/services > services.gz\n"
    "  hotgraph native --graph gzip.graph -- gzip -c /etc/services > services.gz\n";

/* The library is beside the program, or where the build puts it. */
static enum status find_library(char *out, size_t size, struct error *e) {
    static const char *const places[] = {"core/native", ".", "../lib", "../lib/hotgraph"};
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    char *slash = strrchr(self, '/');
    if (slash != NULL)
        *slash = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(out, size, "%s/%s/libhotprobe.so", self, places[i]);
        if (access(out, R_OK) == 0)
            return STATUS_OK;
    }
    return error_set(e, STATUS_IO, "libhotprobe.so is not beside %s; 'make program' builds it",
                     self);
}

/* ---- the session ---- */

static enum status strategies(const char *list, unsigned *without, bool *trap, struct error *e) {
    *without = 0;
    *trap = false;
    if (list == NULL)
        return STATUS_OK;
    unsigned with = 0;
    for (const char *p = list; *p != 0;) {
        size_t n = strcspn(p, ",");
        unsigned k = 0;
        while (k < HOTPROBE_STRATEGIES && (strlen(hotprobe_strategy_name(k)) != n ||
                                           strncmp(hotprobe_strategy_name(k), p, n) != 0))
            k++;
        if (k == HOTPROBE_STRATEGIES)
            return error_set(e, STATUS_ARGUMENT,
                             "there is no strategy '%.*s'; use over-one, over-several, padding, "
                             "reachable, constrained or trap",
                             (int)n, p);
        with |= 1u << k;
        p += n + (p[n] == ',');
    }
    *without = ~with & ((1u << HOTPROBE_STRATEGIES) - 1);
    *trap = (with & 1u << HOTPROBE_TRAP) != 0;
    return STATUS_OK;
}

/* Libraries with so much text or more are late (core/native/edges/edge_late.c); 0: none. */
static enum status late_from(uint64_t *out, struct error *e) {
    enum { USUAL = 4 << 20 };
    const char *text = getenv("HOTGRAPH_LATE"), *p = text;
    *out = USUAL;
    if (text == NULL || (scan_decimal(&p, text + strlen(text), UINT32_MAX, out) && *p == 0))
        return STATUS_OK;
    return error_set(e, STATUS_ARGUMENT, "HOTGRAPH_LATE is '%s'; it must be a number of bytes",
                     text);
}

static enum status options_write(const struct native_command *c, const char folder[FOLDER],
                                 struct error *e) {
    char path[FOLDER + 16];
    struct file_writer *w;
    unsigned without;
    bool trap;
    uint64_t late = 0;
    enum status s = strategies(c->strategy, &without, &trap, e);
    if (s == STATUS_OK)
        s = late_from(&late, e);
    snprintf(path, sizeof path, "%s/options", folder);
    if (s == STATUS_OK)
        s = file_open(&w, path, e);
    if (s != STATUS_OK)
        return s;
    const char *preload = getenv("LD_PRELOAD");
    file_printf(w, "preload %s\n", preload != NULL ? preload : "");
    file_printf(w, "kind %s\n",
                c->graph != NULL  ? "edges"
                : c->instructions ? "instructions"
                : c->blocks       ? "blocks"
                                  : "entries");
    file_printf(w, "threshold %" PRIu64 "\nwithout %u\ntrap %d\n", c->threshold, without, trap);
    file_printf(w, "per-thread %d\nlate %" PRIu64 "\n", c->per_thread, late);
    file_printf(w, "libraries %d\nunproven %d\natomic %d\n", c->libraries, c->unproven, c->atomic);
    if (c->assign != NULL)
        file_printf(w, "assign %s\n", c->assign);
    if (c->functions != NULL)
        file_printf(w, "functions %s\n", c->functions);
    return file_commit(w, e);
}

static void folder_remove(const char folder[FOLDER]) {
    static const char *const files[] = {"options", "objects", "sites", "counters", "threads",
                                        "hot",     "pieces",  "pairs", "error",    "placement"};
    char path[FOLDER + 16];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    rmdir(folder);
}

/* Shares are meaningful only over all functions, and over one kind of site. */
static enum status store(const struct native_command *c, const struct native_report *r,
                         char *const *argv, struct error *e) {
    char assignment[200];
    struct db *db;
    int64_t program_id;
    snprintf(assignment, sizeof assignment, "%s%s%s", c->assign != NULL ? c->assign : "local",
             c->strategy != NULL ? "; " : "", c->strategy != NULL ? c->strategy : "");
    struct native_rows what = {
        .kind = c->instructions ? "instruction"
                : c->blocks     ? "leader"
                                : "entry",
        .assignment = c->functions == NULL && !c->unproven ? assignment : NULL,
    };
    enum status s = db_open(&db, c->db, DB_WRITE, e);
    if (s != STATUS_OK)
        return s;
    s = native_rows_program(db, r->program, argv, &program_id, e);
    if (s == STATUS_OK)
        s = native_rows_put(db, r, program_id, &what, e);
    if (s == STATUS_OK)
        s = db_commit(db, e);
    db_close(db);
    return s;
}

/* What can be wrong with the files of --images and --placement is found before the program runs. */
static enum status prepare_graph(const struct native_command *c, const char *folder,
                                 const char *program, struct error *e) {
    struct structure images = {0};
    uint32_t base;
    enum status s = STATUS_OK;
    if (c->images != NULL)
        s = structure_read(&images, c->images, e);
    if (s == STATUS_OK && c->images != NULL)
        s = native_graph_base(&base, &images, program, e);
    if (s == STATUS_OK && c->placement != NULL)
        s = native_placement_write(
            folder,
            &(struct native_placement_request){.graph = c->placement,
                                               .program = program,
                                               .images = c->images != NULL ? &images : NULL},
            e);
    structure_free(&images);
    return s;
}

/* Writes the graph, whose header is that of `hotgraph record`. */
static enum status write_graph(const struct native_command *c, const char *program,
                               const char *folder, int status, struct error *e) {
    struct structure images = {0};
    struct native_graph g = {0};
    char what[400], count[64], end[100];
    enum status s = c->images != NULL ? structure_read(&images, c->images, e) : STATUS_OK;
    const struct native_graph_request request = {.folder = folder,
                                                 .program = program,
                                                 .status = status,
                                                 .images = c->images != NULL ? &images : NULL,
                                                 .structure = c->structure != NULL};
    if (s == STATUS_OK)
        s = native_graph_read(&g, &request, e);
    structure_free(&images);
    if (s != STATUS_OK)
        return s;
    snprintf(what, sizeof what, "exact graph of %.255s (%s, native)", program,
             c->libraries ? "with libraries" : "its own code");
    snprintf(count, sizeof count, "instructions %" PRIu64, g.instructions);
    for (char *p = what; *p != 0; p++)
        if (*p == '\n' || *p == '\r')
            *p = '?';
    if (g.graph.partial)
        snprintf(end, sizeof end, "ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    const char *const comments[] = {what, count, end};
    const size_t comment_count = g.graph.partial ? 3 : 2;
    s = graph_write(&g.graph, c->graph,
                    (struct graph_write_options){
                        .comments = comments, .comment_count = comment_count, .with_busy = true},
                    e);
    if (s == STATUS_OK && c->structure != NULL)
        s = structure_write(&g.structure, c->structure, comments, comment_count, e);
    if (s == STATUS_OK && c->json != NULL)
        s = native_graph_json(&g, &request, c->graph, c->json, e);
    else if (s == STATUS_OK)
        native_graph_print(&g, program, c->libraries, stderr);
    native_graph_free(&g);
    return s;
}

static enum status report(const struct native_command *c, const char *program, char *const *argv,
                          const char *folder, int status, struct error *e) {
    struct native_report r = {.program = program, .status = status};
    if (c->graph != NULL)
        return write_graph(c, program, folder, status, e);
    enum status s = native_report_read(&r, folder, c->threshold, e);
    if (s == STATUS_OK) {
        if (c->json != NULL)
            s = native_report_json(&r, c->json, e);
        if (s == STATUS_OK && c->db != NULL)
            s = store(c, &r, argv, e);
        if (c->json == NULL && c->db == NULL)
            native_report_print(&r, stderr, c->top);
    }
    native_report_free(&r);
    return s;
}

/* ---- samples ---- */

/* *status is that of the program's end; -1: it has not run. */
static enum status sample(const struct native_command *c, const char *path, char **argv,
                          int *status, struct error *e) {
    struct native_samples samples = {0};
    struct structure images = {0};
    enum status s = c->images != NULL ? structure_read(&images, c->images, e) : STATUS_OK;
    const struct native_sampling request = {.argv = (const char *const *)argv,
                                            .path = path,
                                            .interval_us = c->interval_us,
                                            .batch_length = (size_t)c->batch,
                                            .libraries = c->libraries,
                                            .images = c->images != NULL ? &images : NULL,
                                            .started = native_started};
    if (s == STATUS_OK)
        s = native_sample(&samples, &request, e);
    if (s == STATUS_OK)
        s = stream_write(&samples.stream, c->sample, "native", e);
    if (s == STATUS_OK)
        fprintf(stderr,
                "%s: %zu batches of %zu instructions; left out: %" PRIu64
                " outside of its own code, %" PRIu64 " cut off\n",
                path, samples.stream.batch_count, samples.stream.batch_length, samples.outside,
                samples.unfinished);
    *status = samples.ran ? samples.status : -1;
    structure_free(&images);
    native_samples_free(&samples);
    return s;
}

static int run_sampled(const struct native_command *c, char **argv) {
    struct native_script env = {0};
    char path[4096];
    struct error e = {0};
    int status;
    enum status s = stream_check_name(c->sample, &e);
    if (s == STATUS_OK)
        s = native_find_program(argv[0], path, sizeof path, &e);
    if (s == STATUS_OK)
        s = native_follow_env(&env, path, &argv, &e);
    if (s != STATUS_OK)
        return failure(&e);
    native_pass_signals_on();
    s = sample(c, path, argv, &status, &e);
    return status == -1 ? failure(&e) : native_end(status, s, &e);
}

/* So that a wrong --db is known before the program runs. */
static enum status check_database(const char *path, struct error *e) {
    struct db *db;
    const enum status s = db_open(&db, path, DB_WRITE, e);
    if (s == STATUS_OK)
        db_close(db);
    return s;
}

static int run_native(const struct native_command *c, char **argv) {
    struct native_script env[ENV_DEPTH] = {0};
    char path[4096], file[4096], library[4200], folder[FOLDER];
    struct file_plain_name preload = {.fd = -1};
    struct error e = {0};
    int status = 0;
    const char *temporary = getenv("TMPDIR");
    enum status s = native_find_program(argv[0], path, sizeof path, &e);
    for (int i = 0; i < ENV_DEPTH && s == STATUS_OK; i++) /* an interpreter may be such a script */
        s = native_follow_env(&env[i], path, &argv, &e);
    if (s == STATUS_OK)
        s = native_check(path, c->graph != NULL, file, &e);
    if (s == STATUS_OK)
        s = find_library(library, sizeof library, &e);
    if (s == STATUS_OK && c->db != NULL)
        s = check_database(c->db, &e);
    if (s == STATUS_OK)
        s = file_plain_name(&preload, library, &e);
    if (s != STATUS_OK)
        return failure(&e);
    snprintf(folder, sizeof folder, "%s/hotgraph-native-XXXXXX",
             temporary != NULL && temporary[0] != 0 ? temporary : "/tmp");
    native_pass_signals_on();
    if (mkdtemp(folder) == NULL) {
        file_unmade(folder, "cannot be made", errno, &e);
        return failure(&e);
    }
    s = options_write(c, folder, &e);
    if (s == STATUS_OK && c->graph != NULL)
        s = prepare_graph(c, folder, file, &e);
    if (s == STATUS_OK)
        s = native_run(
            &(struct native_run){
                .path = path, .argv = argv, .folder = folder, .library = preload.at},
            &status, &e);
    const bool ran = s == STATUS_OK && native_report_refused(path, folder, &e) == STATUS_OK;
    if (ran) {
        native_say_stopped(path, status);
        s = report(c, path, argv, folder, status, &e);
    }
    folder_remove(folder);
    file_plain_name_close(&preload);
    return ran ? native_end(status, s, &e) : failure(&e);
}

/* Is there an option for counters of sites? */
static bool counts_sites(const struct native_command *c) {
    return c->functions != NULL || c->strategy != NULL || c->assign != NULL || c->json != NULL ||
           c->db != NULL || c->blocks || c->instructions || c->libraries || c->unproven ||
           c->atomic || c->per_thread || c->threshold != 0;
}

/* The same beside --graph or --sample, which may have --libraries, and --graph may have --json. */
static bool counts_sites_beside(const struct native_command *c) {
    struct native_command others = *c;
    others.libraries = false;
    if (c->graph != NULL)
        others.json = NULL;
    return counts_sites(&others);
}

int command_native(int argc, char **argv) {
    static const char *const assignments[] = {"greedy", "local", "exact", NULL};
    struct native_command c = {.top = 40, .interval_us = 1000, .batch = 25};
    const struct option_spec options[] = {
        {"functions", "GLOB", "count only functions whose names match", OPTION_STRING,
         .to = &c.functions},
        {"blocks", NULL, "count basic blocks", OPTION_FLAG, .to = &c.blocks},
        {"instructions", NULL, "count every instruction", OPTION_FLAG, .to = &c.instructions},
        {"graph", "FILE.graph", "write the exact graph of the program's own code", OPTION_STRING,
         .to = &c.graph, .file = FILE_WRITTEN},
        {"images", "FILE.structure",
         "with --graph or --sample: give the program the addresses that it has in this structure, "
         "as 'record' wrote it",
         OPTION_STRING, .to = &c.images, .file = FILE_READ},
        {"structure", "FILE",
         "with --graph: write the program's structure as well, for 'build' and 'export'",
         OPTION_STRING, .to = &c.structure, .file = FILE_WRITTEN},
        {"placement", "FILE.graph",
         "with --graph: place counters where this graph, of an earlier run, was executed least",
         OPTION_STRING, .to = &c.placement, .file = FILE_READ},
        {"sample", "FILE", "instead of counting: sample it at a timer, and write the stream",
         OPTION_STRING, .to = &c.sample, .file = FILE_WRITTEN},
        {"interval-ms", "T", "with --sample: processor time between batches (default 1)",
         OPTION_THOUSANDTHS, .to = &c.interval_us, .least = 10, .most = 3600000000,
         .given = &c.interval_given},
        {"batch", "N", "with --sample: instructions in a batch (default 25)", OPTION_NUMBER,
         .to = &c.batch, .least = 1, .most = 4096, .given = &c.batch_given},
        {"threshold", "N", "call a site hot at its Nth execution", OPTION_NUMBER,
         .to = &c.threshold, .least = 1, .most = INT64_MAX},
        {"strategy", "LIST", "strategies for reaching probes, separated by commas", OPTION_STRING,
         .to = &c.strategy, .check = option_check_names},
        {"assign", "HOW", "how padding is assigned to probes: greedy, local (default) or exact",
         OPTION_CHOICE, .to = &c.assign, .choices = assignments},
        {"libraries", NULL, "probe the program's shared libraries as well", OPTION_FLAG,
         .to = &c.libraries},
        {"unproven", NULL, "probe functions with unresolved indirect jumps, too", OPTION_FLAG,
         .to = &c.unproven},
        {"atomic", NULL,
         "use locked increments from the start, not only once there are two threads", OPTION_FLAG,
         .to = &c.atomic},
        {"per-thread", NULL, "use a counter for each thread, without locks", OPTION_FLAG,
         .to = &c.per_thread},
        {"top", "N", "print the N highest counts (default 40; 0: all)", OPTION_NUMBER, .to = &c.top,
         .least = 0, .most = INT64_MAX},
        {"json", "FILE", "write everything to FILE as JSON, with --graph a summary; print nothing",
         OPTION_STRING, .to = &c.json, .file = FILE_WRITTEN},
        {"db", "FILE", "store shares and calls in a database, print nothing", OPTION_STRING,
         .to = &c.db, .file = FILE_UPDATED},
        {0},
    };
    const struct usage usage = {
        .command = "native",
        .operands = "-- PROGRAM [ARGUMENT]...",
        .inputs = 1,
        .least = 1,
        .most = UINT32_MAX,
        .summary = "Runs a program on this machine with a counter in each of its functions, blocks "
                   "or instructions, and prints how often each was executed.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    unsigned without;
    bool trap;
    struct error e = {0};
    if (c.graph != NULL && counts_sites_beside(&c))
        return usage_error("native", "--graph chooses its probes itself: give it alone, or with "
                                     "--libraries and --json");
    const char *alone = c.images != NULL && c.sample == NULL ? "images"
                        : c.structure != NULL                ? "structure"
                        : c.placement != NULL                ? "placement"
                                                             : NULL;
    if (alone != NULL && c.graph == NULL)
        return usage_error("native", "--%s is for --graph", alone);
    if ((c.interval_given || c.batch_given) && c.sample == NULL)
        return usage_error("native", "--%s is for --sample",
                           c.batch_given ? "batch" : "interval-ms");
    if (c.sample != NULL && (c.graph != NULL || counts_sites_beside(&c)))
        return usage_error("native", "--sample counts nothing: give it alone, or with --images, "
                                     "--libraries, --interval-ms and --batch");
    if (c.blocks && c.instructions)
        return usage_error("native", "give either --blocks or --instructions");
    if (c.per_thread && (c.atomic || c.threshold != 0))
        return usage_error("native", "--per-thread excludes --atomic and --threshold: they need a "
                                     "counter that all threads share");
    if (strategies(c.strategy, &without, &trap, &e) != STATUS_OK)
        return usage_error("native", "--strategy: %s", e.text);
    if (trap && c.libraries && (c.blocks || c.instructions))
        return usage_error("native", "--strategy trap excludes --libraries with --blocks or "
                                     "--instructions: libc blocks all signals while it starts "
                                     "threads and programs, and a trap ends the process there");
    return c.sample != NULL ? run_sampled(&c, operands.at) : run_native(&c, operands.at);
}
