/* hotgraph measured: stores a measurement of a native program by a benchmark or another tool. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "commands/native/native_rows.h"
#include "version.h"

struct measured_command {
    const char *db, *run, *what, *tool;
    uint64_t threads, probes, round;
    double seconds, base, start, base_start;
    const char *edges;
    struct option_list calls;
    bool json;
};

static const char details[] =
    "The rows go into the tables native_program, native_time, native_routine and\n"
    "native_edges.\n"
    "Storing the same row again changes nothing. --run names a series of\n"
    "measurements (any text, such as a UUID); its first row also creates the run's\n"
    "own row. A program is identified by its file and its arguments.\n"
    "\n"
    "--what says what was timed: with 'whole', the whole program; with 'insertion'\n"
    "and 'removal', one probe; with 'hit', one call. --base-seconds is the time\n"
    "without probes, measured just before or after. --start-seconds and\n"
    "--base-start-seconds are both times of a run with nothing to do. For a tool that\n"
    "counts calls, give --call for each function instead of seconds; for one that\n"
    "counts edges, --edges and --run.\n"
    "\n"
    "Examples:\n"
    "  hotgraph measured --db r.db --run $UUID --what whole --tool perf --round 0 \\\n"
    "      --seconds 1.25 --base-seconds 1.2 -- gzip -c /etc/services\n"
    "  hotgraph measured --db r.db --tool callgrind --call 4096:main:1 -- \\\n"
    "      gzip -c /etc/services\n"
    "  hotgraph results r.db --view native_cost\n";

static enum status parse_seconds(void *to, const char *text, struct error *e) {
    enum { MOST = 1000000000 };
    char *end;
    double v = strtod(text, &end);
    const bool digits = text[0] == '.' || (text[0] >= '0' && text[0] <= '9');
    if (!digits || strpbrk(text, "xX") != NULL || *end != 0 || !(v <= MOST))
        return error_set(e, STATUS_ARGUMENT, "takes seconds, as 0.25 or 1.5e-9, not '%s'", text);
    memcpy(to, &v, sizeof v);
    return STATUS_OK;
}

static enum status put_run(struct db *db, const char *name, int64_t *id, struct error *e) {
    struct db_run row;
    struct db_run_text text;
    struct utsname host;
    char system_text[300];
    if (uname(&host) != 0)
        host = (struct utsname){.nodename = "unknown", .sysname = "unknown"};
    snprintf(system_text, sizeof system_text, "%s %s %s", host.sysname, host.release, host.machine);
    db_start_run(&row, &text);
    row.uuid = name;
    row.version = HOTGRAPH_VERSION;
    row.source_commit = HOTGRAPH_COMMIT;
    row.host = host.nodename;
    row.system = system_text;
#ifdef __clang__
    row.compiler = "clang " __clang_version__;
#else
    row.compiler = "gcc " __VERSION__;
#endif
    row.configuration_file = "";
    row.definition_hash = "";
    row.jobs = 1;
    enum status s = db_put_run(db, &row, e);
    *id = row.run_id;
    return s;
}

static enum status put_time(const struct measured_command *c, struct db *db, int64_t program_id,
                            struct error *e) {
    struct db_native_time row = {.native_program_id = program_id,
                                 .what = c->what,
                                 .strategy = c->tool,
                                 .threads = (int64_t)c->threads,
                                 .probes = (int64_t)c->probes,
                                 .round = (int64_t)c->round,
                                 .seconds = c->seconds,
                                 .base_seconds = c->base,
                                 .start_seconds = c->start,
                                 .base_start_seconds = c->base_start};
    enum status s = put_run(db, c->run, &row.run_id, e);
    return s == STATUS_OK ? db_put_native_time(db, &row, e) : s;
}

struct call {
    uint64_t address, calls;
    char name[1000];
};

/* Parses ADDRESS:NAME:CALLS; the name may contain colons. */
static bool parse_call(struct call *out, const char *text) {
    const char *p = text, *last = strrchr(text, ':'), *end = text + strlen(text);
    if (!scan_decimal(&p, end, INT64_MAX, &out->address) || *p != ':' || last <= p + 1)
        return false;
    snprintf(out->name, sizeof out->name, "%.*s", (int)(last - p - 1), p + 1);
    p = last + 1;
    return scan_decimal(&p, end, INT64_MAX, &out->calls) && p == end;
}

static enum status check_call(const char *text, struct error *e) {
    struct call call;
    return parse_call(&call, text)
               ? STATUS_OK
               : error_set(e, STATUS_ARGUMENT, "takes ADDRESS:NAME:CALLS, not '%s'", text);
}

static enum status put_call(const char *tool, struct db *db, int64_t program_id, const char *text,
                            struct error *e) {
    struct call call;
    if (!parse_call(&call, text))
        return check_call(text, e);
    struct db_native_routine row = {.native_program_id = program_id,
                                    .tool = tool,
                                    .address = (int64_t)call.address,
                                    .name = call.name,
                                    .calls = (int64_t)call.calls};
    return db_put_native_routine(db, &row, e);
}

struct edge_counts {
    uint64_t edges, equal, wrong;
};

/* Parses EDGES:EQUAL:WRONG. */
static bool parse_edges(struct edge_counts *out, const char *text) {
    const char *p = text, *end = text + strlen(text);
    return scan_decimal(&p, end, INT64_MAX, &out->edges) && *p++ == ':' &&
           scan_decimal(&p, end, out->edges, &out->equal) && *p++ == ':' &&
           scan_decimal(&p, end, INT64_MAX, &out->wrong) && p == end;
}

static enum status keep_edges(void *to, const char *text, struct error *e) {
    struct edge_counts counts;
    if (!parse_edges(&counts, text))
        return error_set(e, STATUS_ARGUMENT,
                         "takes EDGES:EQUAL:WRONG, with at most EDGES equal ones, not '%s'", text);
    memcpy(to, &text, sizeof text);
    return STATUS_OK;
}

static enum status put_edges(const struct measured_command *c, struct db *db, int64_t program_id,
                             struct error *e) {
    struct edge_counts counts = {0};
    (void)parse_edges(&counts, c->edges);
    struct db_native_edges row = {.native_program_id = program_id,
                                  .tool = c->tool,
                                  .edges = (int64_t)counts.edges,
                                  .equal = (int64_t)counts.equal,
                                  .wrong = (int64_t)counts.wrong};
    enum status s = put_run(db, c->run, &row.run_id, e);
    return s == STATUS_OK ? db_put_native_edges(db, &row, e) : s;
}

static void print_json(const struct measured_command *c, const char *path, int64_t program_id) {
    printf("{");
    print_json_text("database", c->db);
    printf(", ");
    print_json_text("program", path);
    printf(", \"native_program_id\": %" PRId64 ", ", program_id);
    print_json_text("tool", c->tool);
    printf(", ");
    print_json_text("what", c->what);
    printf(", ");
    print_json_number("seconds", c->what != NULL ? c->seconds : NAN);
    printf(", ");
    print_json_number("base_seconds", c->what != NULL ? c->base : NAN);
    printf(", ");
    print_json_number("start_seconds", c->what != NULL ? c->start : NAN);
    printf(", ");
    print_json_number("base_start_seconds", c->what != NULL ? c->base_start : NAN);
    struct edge_counts counts = {0};
    printf(", \"edges\": ");
    if (c->edges == NULL || !parse_edges(&counts, c->edges))
        printf("null");
    else
        printf("{\"edges\": %" PRIu64 ", \"equal\": %" PRIu64 ", \"wrong\": %" PRIu64 "}",
               counts.edges, counts.equal, counts.wrong);
    printf(", \"routines\": %zu}\n", c->calls.items.len);
}

static enum status put_all(const struct measured_command *c, char *const *argv, struct error *e) {
    char path[4096];
    struct db *db = NULL;
    int64_t program_id = 0;
    enum status s = native_find_program(argv[0], path, sizeof path, e);
    if (s == STATUS_OK)
        s = db_open(&db, c->db, DB_WRITE, e);
    if (s == STATUS_OK)
        s = native_rows_program(db, path, argv, &program_id, e);
    if (s == STATUS_OK && c->what != NULL)
        s = put_time(c, db, program_id, e);
    if (s == STATUS_OK && c->edges != NULL)
        s = put_edges(c, db, program_id, e);
    for (size_t i = 0; s == STATUS_OK && i < c->calls.items.len; i++)
        s = put_call(c->tool, db, program_id, c->calls.items.at[i], e);
    if (s == STATUS_OK)
        s = db_commit(db, e);
    db_close(db);
    if (s == STATUS_OK && c->json)
        print_json(c, path, program_id);
    return s;
}

/* The first missing option, or NULL. */
static const char *missing_option(const struct measured_command *c) {
    const bool none = c->what == NULL && c->edges == NULL && c->calls.items.len == 0;
    return c->db == NULL                          ? "--db FILE"
           : c->tool == NULL                      ? "--tool NAME"
           : none                                 ? "--what KIND, --edges COUNTS, or --call CALL"
           : c->what != NULL && isnan(c->seconds) ? "--seconds S, which --what needs,"
           : c->what != NULL && c->run == NULL    ? "--run NAME, which --what needs,"
           : c->edges != NULL && c->run == NULL   ? "--run NAME, which --edges needs,"
                                                  : NULL;
}

int command_measured(int argc, char **argv) {
    static const char *const kinds[] = {"insertion", "removal", "hit", "whole", NULL};
    struct measured_command c = {
        .threads = 1, .seconds = NAN, .base = NAN, .start = NAN, .base_start = NAN};
    const struct option_spec options[] = {
        {"db", "FILE", "the database; created if it does not exist", OPTION_STRING, .to = &c.db,
         .file = FILE_UPDATED},
        {"run", "NAME", "the name of the series of measurements", OPTION_STRING, .to = &c.run},
        {"what", "KIND", "what was timed: insertion, removal, hit or whole", OPTION_CHOICE,
         .to = &c.what, .choices = kinds},
        {"tool", "NAME", "the tool, or the probes' strategy", OPTION_STRING, .to = &c.tool},
        {"threads", "N", "threads of the program (default 1)", OPTION_NUMBER, .to = &c.threads,
         .least = 1, .most = 1000000},
        {"probes", "N", "probes that are active at once (default 0)", OPTION_NUMBER,
         .to = &c.probes, .least = 0, .most = INT64_MAX},
        {"round", "N", "the number of the repetition (default 0)", OPTION_NUMBER, .to = &c.round,
         .least = 0, .most = INT64_MAX},
        {"seconds", "S", "the measured time", OPTION_PARSED, .to = &c.seconds,
         .parse = parse_seconds},
        {"base-seconds", "S", "the time without probes", OPTION_PARSED, .to = &c.base,
         .parse = parse_seconds},
        {"start-seconds", "S", "the time of a run with nothing to do", OPTION_PARSED,
         .to = &c.start, .parse = parse_seconds},
        {"base-start-seconds", "S", "the same without probes", OPTION_PARSED, .to = &c.base_start,
         .parse = parse_seconds},
        {"edges", "EDGES:EQUAL:WRONG",
         "how many edges QEMU counts, how many of these the tool counts equally, and how many it "
         "counts wrongly",
         OPTION_PARSED, .to = &c.edges, .parse = keep_edges},
        {"call", "ADDRESS:NAME:CALLS",
         "a function's calls, with its decimal address in the file; may be repeated", OPTION_LIST,
         .to = &c.calls, .check = check_call},
        json_option(&c.json),
        {0},
    };
    const struct usage usage = {
        .command = "measured",
        .operands = "-- PROGRAM [ARGUMENT]...",
        .inputs = 1,
        .least = 1,
        .most = UINT32_MAX,
        .summary = "Stores measurements of a native program, made by any tool.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    struct error e = {0};
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    int status = EXIT_SUCCESS;
    const char *missing = missing_option(&c);
    if (missing != NULL)
        status = usage_error("measured", "%s is missing", missing);
    else if ((c.what != NULL) + (c.edges != NULL) + (c.calls.items.len > 0) > 1)
        status = usage_error("measured", "give one of --what, --edges and --call");
    else if (put_all(&c, operands.at, &e) != STATUS_OK)
        status = failure(&e);
    vec_free(&c.calls.items);
    return status;
}
