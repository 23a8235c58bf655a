/* hotgraph testrom: runs test ROMs and prints their verdicts. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "testrom/testrom.h"

enum {
    FRAMES_STANDARD = 3600,
    FRAMES_MOST = 1000000,
    TABLE_MOST = 16 << 20,
    FILE_MOST = 256 << 20,
    DEEPEST = 32,
    SAID_MOST = sizeof((struct verdict *)0)->said,
};

struct testrom {
    struct verdict_options options;
    const char *table_path;
    uint64_t submapper;
    bool as_listed, json;
    bool any; /* at least one ROM has been printed */

    struct romtable own, built_in; /* the user's table takes precedence */
    VEC(char *) paths;
    unsigned counts[OUTCOMES], refused;
    unsigned runs;
    uint64_t frames; /* in all runs */
};

static const char details[] =
    "A ROM passes when it writes the result 0 to $6000, as most public test ROMs\n"
    "do. The reset button is pressed when a ROM asks for it. Older ROMs report\n"
    "their result elsewhere: in RAM, on the screen, or in a log of every\n"
    "instruction. A built-in table, sweep/testrom/testroms.txt, says where, by the\n"
    "SHA-1 of PRG and CHR; --table adds entries. sweep/testrom/testrom.h describes\n"
    "its format. If a ROM does not pass, its own message is printed below it. In a\n"
    "folder, all .nes files are run, including those in subfolders.\n"
    "\n"
    "Each line is a ROM with its outcome:\n"
    "  passed     this machine is right\n"
    "  failed     this machine is wrong, or the program has jammed\n"
    "  unknown    the ROM is in no table and reported no result\n"
    "  exception  it does not pass, and the table says why that is acceptable\n"
    "  silent     it has no verdict: a demonstration, a picture or sound to judge\n"
    "  foreign    it is for another machine: PAL, or a board that is not emulated\n"
    "  refused    it is not a valid cartridge; the reason is printed\n"
    "  differs    with --ways: pictures or fast paths changed the outcome\n"
    "\n"
    "Exit status: 0 if every ROM passed (with --as-listed: or is listed as\n"
    "exception, silent or foreign), 1 if not, 2 for a wrong command line.\n"
    "\n"
    "Examples:\n"
    "  hotgraph testrom nes-test-roms --as-listed\n"
    "  hotgraph testrom nestest.nes --log nestest.log\n"
    "  hotgraph testrom mmc3_irq_tests/5.MMC3_rev_A.nes --submapper 4\n";

/* ---- which ROMs ---- */

static enum status add_path(struct testrom *t, const char *path, struct error *e) {
    char *copy = strdup(path);
    if (copy != NULL && vec_push(&t->paths, copy))
        return STATUS_OK;
    free(copy);
    return error_set(e, STATUS_MEMORY, "%s: out of memory", path);
}

static enum status add_folder(struct testrom *t, const char *folder, int depth, struct error *e);

static enum status add_entry(struct testrom *t, const char *path, int depth, struct error *e) {
    struct stat info;
    const size_t len = strlen(path);
    if (stat(path, &info) != 0)
        return STATUS_OK; /* a broken link */
    if (S_ISDIR(info.st_mode))
        return depth < DEEPEST ? add_folder(t, path, depth + 1, e) : STATUS_OK;
    if (S_ISREG(info.st_mode) && len > 4 && strcasecmp(path + len - 4, ".nes") == 0)
        return add_path(t, path, e);
    return STATUS_OK;
}

static enum status add_folder(struct testrom *t, const char *folder, int depth, struct error *e) {
    struct dirent **entries;
    const int n = scandir(folder, &entries, NULL, alphasort);
    if (n < 0)
        return error_set(e, STATUS_IO, "%s: the folder cannot be read", folder);
    enum status status = STATUS_OK;
    for (int i = 0; i < n; i++) {
        char *path = NULL;
        if (entries[i]->d_name[0] != '.' && status == STATUS_OK) {
            const bool slash = folder[0] != 0 && folder[strlen(folder) - 1] == '/';
            if (asprintf(&path, "%s%s%s", folder, slash ? "" : "/", entries[i]->d_name) < 0)
                status = error_set(e, STATUS_MEMORY, "%s: out of memory", folder);
            else
                status = add_entry(t, path, depth, e);
        }
        free(path);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static enum status collect(struct testrom *t, const struct operands *operands, struct error *e) {
    enum status status = STATUS_OK;
    for (unsigned i = 0; i < operands->count && status == STATUS_OK; i++) {
        struct stat info;
        const char *path = operands->at[i];
        if (stat(path, &info) != 0)
            return file_unopened(path, errno, e);
        if (!S_ISDIR(info.st_mode)) {
            status = add_path(t, path, e);
            continue;
        }
        const size_t before = t->paths.len;
        status = add_folder(t, path, 0, e);
        if (status == STATUS_OK && t->paths.len == before)
            status = error_set(e, STATUS_ARGUMENT, "%s: contains no .nes file", path);
    }
    return status;
}

/* ---- one ROM ---- */

static void print_indented(const char *text) {
    while (*text != 0) {
        const size_t n = strcspn(text, "\n");
        char line[SAID_MOST];
        snprintf(line, sizeof line, "%.*s", (int)n, text);
        printf("    ");
        print_safe(stdout, line);
        putchar('\n');
        text += n + (text[n] == '\n');
    }
}

static const char *const words[OUTCOMES] = {
    [OUTCOME_PASSED] = "passed",     [OUTCOME_FAILED] = "failed",
    [OUTCOME_UNKNOWN] = "unknown",   [OUTCOME_EXCEPTION] = "exception",
    [OUTCOME_NO_VERDICT] = "silent", [OUTCOME_OTHER_MACHINE] = "foreign",
    [OUTCOME_DIFFERS] = "differs",
};

static void print_verdict(const char *path, const struct rom_entry *entry,
                          const struct verdict *v) {
    const bool labelled = entry != NULL && entry->label != NULL;
    printf("%-9s  ", words[v->outcome]);
    print_safe(stdout, path);
    printf("%s%s%s%s", labelled ? " (" : "", labelled ? entry->label : "", labelled ? ")" : "",
           v->text[0] != 0 ? ": " : "");
    print_safe(stdout, v->text);
    putchar('\n');
    if (v->outcome == OUTCOME_FAILED || v->outcome == OUTCOME_UNKNOWN)
        print_indented(v->said);
}

/* Prints one element of the list; texts may be "". */
static void print_rom_json(struct testrom *t, const char *path, const char *label,
                           const char *outcome, const char *text, const char *said,
                           uint64_t frames) {
    printf("%s{\"rom\": ", t->any ? ",\n " : "");
    t->any = true;
    print_json_string(path);
    printf(", ");
    print_json_text("label", label);
    printf(", \"outcome\": \"%s\", \"text\": ", outcome);
    print_json_string(text);
    printf(", \"said\": ");
    print_json_string(said);
    printf(", \"frames\": %" PRIu64 "}", frames);
}

static enum status test_entry(struct testrom *t, const char *path, const struct rom_entry *entry,
                              struct error *e) {
    struct cartridge *cartridge = NULL;
    struct verdict v;
    enum status status = cartridge_load(&cartridge, path, e);
    if (status == STATUS_OK)
        status = verdict_run(&v, cartridge, path, entry, &t->options, e);
    cartridge_free(cartridge);
    if (status == STATUS_INTERRUPTED)
        error_prefix(e, "%s", path);
    if (status != STATUS_OK)
        return status;
    if (t->json)
        print_rom_json(t, path, entry != NULL ? entry->label : NULL, words[v.outcome], v.text,
                       v.said, v.frames);
    else
        print_verdict(path, entry, &v);
    t->counts[v.outcome]++;
    t->runs += v.frames > 0;
    t->frames += v.frames;
    return STATUS_OK;
}

/* The table that has the ROM; the user's takes precedence. */
static const struct romtable *table_for(const struct testrom *t, const char *sha1) {
    return romtable_next(&t->own, NULL, sha1) != NULL ? &t->own : &t->built_in;
}

/* Reports a file that is not a valid cartridge, and continues; a table may list it by the SHA-1 of
 * the whole file. */
static enum status refuse(struct testrom *t, const char *path, enum status why, struct error *e) {
    if (why != STATUS_IO && why != STATUS_FORMAT && why != STATUS_UNSUPPORTED)
        return why;
    const struct rom_entry *entry = NULL;
    struct bytes file = {0};
    if (why == STATUS_FORMAT && file_read(&file, path, FILE_MOST, NULL) == STATUS_OK) {
        char sha1[41];
        sha1_hex(file.at, file.len, sha1);
        entry = romtable_next(table_for(t, sha1), NULL, sha1);
    }
    bytes_free(&file);
    const bool foreign =
        why == STATUS_UNSUPPORTED || (entry != NULL && entry->kind == ROM_OTHER_MACHINE);
    if (t->json) {
        print_rom_json(t, path, NULL, foreign ? "foreign" : "refused", e->text, "", 0);
    } else {
        printf("%-9s  ", foreign ? "foreign" : "refused");
        print_safe(stdout, e->text);
        putchar('\n');
    }
    if (foreign)
        t->counts[OUTCOME_OTHER_MACHINE]++;
    else
        t->refused++;
    return STATUS_OK;
}

static enum status test_rom(struct testrom *t, const char *path, struct error *e) {
    struct cartridge *cartridge = NULL;
    char sha1[41] = "";
    enum status status = cartridge_load(&cartridge, path, e);
    if (status == STATUS_OK)
        memcpy(sha1, cartridge->sha1, sizeof sha1);
    cartridge_free(cartridge);
    if (status != STATUS_OK)
        return refuse(t, path, status, e);
    const struct romtable *table = table_for(t, sha1);
    const struct rom_entry *entry = romtable_next(table, NULL, sha1);
    if (entry == NULL)
        return test_entry(t, path, NULL, e);
    for (; entry != NULL && status == STATUS_OK; entry = romtable_next(table, entry, sha1))
        status = test_entry(t, path, entry, e);
    return status;
}

/* ---- all of them ---- */

static void print_counts(const struct testrom *t) {
    static const char *const many[OUTCOMES] = {
        [OUTCOME_FAILED] = "failed",         [OUTCOME_UNKNOWN] = "unknown",
        [OUTCOME_EXCEPTION] = "exceptions",  [OUTCOME_NO_VERDICT] = "silent",
        [OUTCOME_OTHER_MACHINE] = "foreign", [OUTCOME_DIFFERS] = "differ",
    };
    unsigned all = t->refused;
    for (unsigned i = 0; i < OUTCOMES; i++)
        all += t->counts[i];
    printf("%u of %u passed", t->counts[OUTCOME_PASSED], all);
    for (unsigned i = OUTCOME_PASSED + 1; i < OUTCOMES; i++)
        if (t->counts[i] > 0)
            printf(", %u %s", t->counts[i], many[i]);
    if (t->refused > 0)
        printf(", %u refused", t->refused);
    putchar('\n');
    if (t->options.ways && t->counts[OUTCOME_DIFFERS] == 0)
        printf("%u runs of %" PRIu64 " frames in all ended in the same states on the engine, "
               "interpreted, with pictures, and cycle by cycle\n",
               t->runs, t->frames);
}

static bool good(const struct testrom *t) {
    const unsigned bad = t->counts[OUTCOME_FAILED] + t->counts[OUTCOME_UNKNOWN] +
                         t->counts[OUTCOME_DIFFERS] + t->refused;
    const unsigned listed = t->counts[OUTCOME_EXCEPTION] + t->counts[OUTCOME_NO_VERDICT] +
                            t->counts[OUTCOME_OTHER_MACHINE];
    return bad == 0 && (t->as_listed || listed == 0);
}

static void print_counts_json(const struct testrom *t) {
    printf("],\n \"counts\": {");
    for (unsigned i = 0; i < OUTCOMES; i++)
        printf("\"%s\": %u, ", words[i], t->counts[i]);
    printf("\"refused\": %u},\n \"good\": %s, \"frames\": %" PRIu64 "}\n", t->refused,
           good(t) ? "true" : "false", t->frames);
}

static enum status test_all(struct testrom *t, struct error *e) {
    if (t->json)
        printf("{\"roms\": [");
    for (size_t i = 0; i < t->paths.len; i++) {
        const enum status status = test_rom(t, t->paths.at[i], e);
        if (status != STATUS_OK)
            return status;
        if (fflush(stdout) != 0)
            return error_set(e, STATUS_IO, "standard output: cannot be written: %s",
                             strerror(errno));
        if (interrupt_signal() != 0)
            return error_set(e, STATUS_INTERRUPTED, "stopped by signal %d", interrupt_signal());
    }
    if (t->json)
        print_counts_json(t);
    else if (t->paths.len > 1)
        print_counts(t);
    return STATUS_OK;
}

static enum status load_tables(struct testrom *t, struct error *e) {
    struct bytes file = {0};
    enum status status =
        romtable_parse(&t->built_in, romtable_text, "sweep/testrom/testroms.txt", e);
    if (status == STATUS_OK && t->table_path != NULL) {
        status = file_read(&file, t->table_path, TABLE_MOST, e);
        if (status == STATUS_OK)
            status = romtable_parse(&t->own, (const char *)file.at, t->table_path, e);
        bytes_free(&file);
    }
    return status;
}

static int run(struct testrom *t, const struct operands *operands) {
    struct error e = {0};
    interrupt_catch();
    enum status status = load_tables(t, &e);
    if (status == STATUS_OK)
        status = collect(t, operands, &e);
    if (status == STATUS_OK)
        status = test_all(t, &e);
    const int exit_status = status != STATUS_OK ? failure(&e) : good(t) ? 0 : EXIT_FAILURE;
    for (size_t i = 0; i < t->paths.len; i++)
        free(t->paths.at[i]);
    vec_free(&t->paths);
    romtable_free(&t->own);
    romtable_free(&t->built_in);
    return exit_status;
}

int command_testrom(int argc, char **argv) {
    struct testrom t = {.options = {.frames = FRAMES_STANDARD, .stopped = interrupt_signal}};
    struct verdict_options *o = &t.options;
    const struct option_spec options[] = {
        {"frames", "N", "give up after N frames unless a table says otherwise (default 3600)",
         OPTION_NUMBER, .to = &o->frames, .least = 1, .most = FRAMES_MOST},
        {"table", "FILE", "an additional table; it takes precedence over the built-in one",
         OPTION_STRING, .to = &t.table_path},
        {"log", "FILE", "the log to compare with, if a table asks for one", OPTION_STRING,
         .to = &o->log, .file = FILE_READ},
        {"submapper", "N", "run as this variant of the cartridge's board (NES 2.0 submapper)",
         OPTION_NUMBER, .to = &t.submapper, .most = 15, .given = &o->variant_given},
        engine_option(&o->engine),
        console_option(&o->console),
        {"as-listed", NULL, "exit with 0 despite exceptions and ROMs without a verdict",
         OPTION_FLAG, .to = &t.as_listed},
        {"ways", NULL,
         "run each ROM, even without a verdict, on the engine, on the interpreter, with pictures "
         "and cycle by cycle at once, and compare the complete states after every frame",
         OPTION_FLAG, .to = &o->ways},
        {"json", NULL, "print verdicts and their numbers as JSON", OPTION_FLAG, .to = &t.json},
        {"no-fast", NULL, "run every instruction cycle by cycle", OPTION_FLAG, .to = &o->no_fast},
        {0},
    };
    const struct usage usage = {
        .command = "testrom",
        .operands = "ROM|FOLDER...",
        .least = 1,
        .most = 100000,
        .summary = "Runs test ROMs and prints their verdicts.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    o->variant = (unsigned)t.submapper;
    return run(&t, &operands);
}
