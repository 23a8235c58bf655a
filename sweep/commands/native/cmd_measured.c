/* hotgraph measured: a row of what another tool, or a benchmark, measured of a native program. */
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
    double seconds, base;
    struct option_list calls;
};

static const char details[] =
    "Rows go into the tables native_program, native_time and native_routine; the same row again\n"
    "changes nothing. --run is any name for a series of measurements (a UUID), the same for all\n"
    "of its rows; the first makes the run's own row. Programs are told apart by their file and\n"
    "their arguments. Seconds are: of 'whole', the program's; of 'insertion' and 'removal', a\n"
    "probe's; of 'hit', a call's. --base-seconds is the same without probes, next to it in time.\n"
    "Calls that a tool counted are given function by function instead of seconds.\n"
    "\n"
    "Examples:\n"
    "  hotgraph measured --db r.db --run $UUID --what whole --tool perf --round 0 \\\n"
    "      --seconds 1.25 --base-seconds 1.2 -- gzip -c /etc/services\n"
    "  hotgraph measured --db r.db --tool callgrind --call 4096:main:1 -- gzip -c /etc/services\n"
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
                                 .base_seconds = c->base};
    enum status s = put_run(db, c->run, &row.run_id, e);
    return s == STATUS_OK ? db_put_native_time(db, &row, e) : s;
}

struct call {
    uint64_t address, calls;
    char name[1000];
};

/* ADDRESS:NAME:CALLS; a name may have colons of its own. */
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
    for (size_t i = 0; s == STATUS_OK && i < c->calls.items.len; i++)
        s = put_call(c->tool, db, program_id, c->calls.items.at[i], e);
    if (s == STATUS_OK)
        s = db_commit(db, e);
    db_close(db);
    return s;
}

/* NULL: nothing is. */
static const char *missing_option(const struct measured_command *c) {
    return c->db == NULL                                ? "--db FILE"
           : c->tool == NULL                            ? "--tool NAME"
           : c->what == NULL && c->calls.items.len == 0 ? "--what KIND, or --call CALL"
           : c->what != NULL && isnan(c->seconds)       ? "--seconds N, which --what needs,"
           : c->what != NULL && c->run == NULL          ? "--run NAME, which --what needs,"
                                                        : NULL;
}

int command_measured(int argc, char **argv) {
    static const char *const kinds[] = {"insertion", "removal", "hit", "whole", NULL};
    struct measured_command c = {.threads = 1, .seconds = NAN, .base = NAN};
    const struct option_spec options[] = {
        {"db", "FILE", "the database; made where it is missing", OPTION_STRING, .to = &c.db,
         .file = FILE_UPDATED},
        {"run", "NAME", "which series of measurements it belongs to", OPTION_STRING, .to = &c.run},
        {"what", "KIND", "insertion, removal, hit or whole", OPTION_CHOICE, .to = &c.what,
         .choices = kinds},
        {"tool", "NAME", "the tool, or the strategy of probes", OPTION_STRING, .to = &c.tool},
        {"threads", "N", "of the program (1)", OPTION_NUMBER, .to = &c.threads, .least = 1,
         .most = 1000000},
        {"probes", "N", "how many at once (0)", OPTION_NUMBER, .to = &c.probes, .least = 0,
         .most = INT64_MAX},
        {"round", "N", "its number among equal measurements (0)", OPTION_NUMBER, .to = &c.round,
         .least = 0, .most = INT64_MAX},
        {"seconds", "S", "what was measured", OPTION_PARSED, .to = &c.seconds,
         .parse = parse_seconds},
        {"base-seconds", "S", "the same without probes", OPTION_PARSED, .to = &c.base,
         .parse = parse_seconds},
        {"call", "ADDRESS:NAME:CALLS",
         "calls of a function, at a decimal address in the file; "
         "may be given often",
         OPTION_LIST, .to = &c.calls, .check = check_call},
        {0},
    };
    const struct usage usage = {
        .command = "measured",
        .operands = "-- PROGRAM [ARGUMENT]...",
        .inputs = 1,
        .least = 1,
        .most = UINT32_MAX,
        .summary = "Stores what was measured of a native program, by whatever tool.",
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
    else if (c.what != NULL && c.calls.items.len > 0)
        status = usage_error("measured", "--what and --call: one of them");
    else if (put_all(&c, operands.at, &e) != STATUS_OK)
        status = failure(&e);
    vec_free(&c.calls.items);
    return status;
}
