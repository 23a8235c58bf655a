/* hotgraph record: runs a Linux program under QEMU and records its exact graph and sample
 * streams. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "commands/profile/record_files.h"
#include "qemu/qemu.h"

struct record_command {
    struct option_list streams, env;
    const char *graph, *structure, *trace, *dot, *meta, *folder, *input, *output, *sysroot;
    uint64_t timeout, most; /* milliseconds, instructions; 0: none */
    bool single_step, each, follow, pass, json, all;
    bool meta_follows; /* not given, so it follows from the graph's name */
    struct qemu_setting settings[QEMU_SETTINGS];
    char *paths[QEMU_SETTINGS]; /* of the streams' files */
    char plugin[QEMU_PLUGIN_PATH];
};

static const char details[] =
    "PROGRAM is the path of an ELF program for x86_64, aarch64 or riscv64. It runs\n"
    "under QEMU's user-mode emulator (Debian's package qemu-user). Write -- before\n"
    "it, so that its options are not taken for hotgraph's. It shares hotgraph's\n"
    "standard output.\n"
    "\n"
    "--stream may be repeated, each time with its own sampling after a colon:\n"
    "  FILE                              25 instructions every 1,667: about 1.5 %\n"
    "  FILE:every=16661                  ... every 16,661: about 0.15 %\n"
    "  FILE:every=16661,batch=50         50 instructions at a time\n"
    "  FILE:transfers,every=3000,seed=7  single control transfers, one at a random\n"
    "                                    position in each 3,000\n"
    "  FILE:lbr,every=16661,stack=32     the last 32 (or 16) taken branches, with the\n"
    "                                    code between, every 16,661 instructions\n"
    "  FILE:lbr_taken,every=3000,seed=7  ... after a random one in each 3,000 taken\n"
    "                                    branches, as AutoFDO and BOLT sample\n"
    "\n"
    "--trace writes the order of all transfers, as Intel PT would: a bit for each\n"
    "branch, an address for each indirect transfer, with the code that they are in.\n"
    "'profile FILE.hgtrace' runs techniques on it that need this order. It is written\n"
    "to a temporary file first ($TMPDIR), and there is none of a program with threads.\n"
    "\n"
    "Graphs and streams have the formats of 'exact' and 'sample'; a stream's format\n"
    "follows from its name (.isampling or .hgstream, with .gz). A sweep accepts the\n"
    "pair as a game. Code addresses are offsets in files: each executed file begins\n"
    "at a multiple of 0x1000000, in the order of first execution (the dynamic\n"
    "loader is first). GRAPH.meta lists the files with their hashes; --dot names\n"
    "blocks function+offset. The header of graphs and streams identifies the\n"
    "program by the SHA-1 of its file, so that those of different programs are not\n"
    "mixed.\n"
    "\n"
    "To make runs repeatable, here and elsewhere, the program gets a fixed\n"
    "environment (PATH, LC_ALL=C, HOME, TZ, hash seeds, and the additions of\n"
    "--env), a clock that counts instructions, fixed random bytes, user, host name\n"
    "and processor, ordered folders, and files without timestamps. What can still\n"
    "differ: the path of its folder, if the program asks for it\n"
    "(/proc/self/cwd/PROGRAM hides it from /proc/self/exe, --env PWD=/proc/self/cwd\n"
    "from some programs), and the loader's cache (--env LD_LIBRARY_PATH=DIR).\n"
    "Signals, threads and faults can also cause differences; then a warning says\n"
    "so.\n"
    "\n"
    "Standard input is empty unless you give --input. Child processes run and are\n"
    "counted, but are not in the graph. A program that replaces itself (exec)\n"
    "leaves no recording. With --follow, each child process, each program after\n"
    "exec, and each thread after the first one is recorded separately, with the\n"
    "same settings, into files that have a label before their extension:\n"
    "  FILE.1.graph    the first process that the program forked\n"
    "  FILE.1.x.graph  the program that this one became (exec)\n"
    "  FILE.1.2.graph  the second process that it forked\n"
    "  FILE.t1.graph   the program's second thread (FILE.graph has the first one)\n"
    "All of them must end before hotgraph does. --timeout is for all, and\n"
    "--max-instructions for each. GRAPH.meta of the first one lists the others.\n"
    "Their clocks go on from that of the process that started them.\n"
    "\n"
    "A program that is ended by a signal, by --timeout or --max-instructions, or by\n"
    "stopping hotgraph (Ctrl-C, SIGTERM) leaves a recording of what it did so far.\n"
    "The graph then says '# partial' and GRAPH.meta says why; a sweep refuses it.\n"
    "Its child processes end with it. If it waits with all signals blocked\n"
    "(sigsuspend, ppoll), it is killed after half a minute and leaves nothing.\n"
    "With --pass-signals, the program itself gets the signal that stops hotgraph,\n"
    "and ten seconds to end: a server that handles it leaves a whole recording.\n"
    "\n"
    "Exit status: 0 if the program was recorded to its end, whatever its own exit\n"
    "status (which is printed and in GRAPH.meta), or to --max-instructions; 1 if\n"
    "nothing was recorded; 124 after --timeout; 128 + N if signal N ended the\n"
    "program or stopped hotgraph before the program's own end.\n"
    "\n"
    "Example:\n"
    "  hotgraph record --graph gzip.graph --stream gzip.isampling.gz \\\n"
    "      --input mazewisp.graph --output /dev/null -- /usr/bin/gzip -9\n";

/* ---- --stream FILE[:SETTING,...] ---- */

enum { STACK_USUAL = 16 };

static bool parse_number(const char *text, uint64_t most, uint64_t *out) {
    const char *end = text + strlen(text);
    return scan_decimal(&text, end, most, out) && text == end;
}

/* Words that were given for a stream. */
struct stream_words {
    bool transfers, lbr, lbr_taken;
};

static enum status parse_word(struct qemu_setting *s, struct stream_words *given, const char *word,
                              struct error *e) {
    uint64_t number = 0;
    if (strcmp(word, "transfers") == 0)
        s->transfers = given->transfers = true;
    else if (strcmp(word, "lbr") == 0)
        given->lbr = true;
    else if (strcmp(word, "lbr_taken") == 0)
        s->transfers = given->lbr_taken = true;
    else if (strncmp(word, "stack=", 6) == 0 &&
             parse_number(word + 6, SAMPLER_STACK_MOST, &number) && number >= 2)
        s->stack = (unsigned)number;
    else if (strncmp(word, "every=", 6) == 0 && parse_number(word + 6, INT64_MAX, &number) &&
             number > 0)
        s->every = number;
    else if (strncmp(word, "batch=", 6) == 0 && parse_number(word + 6, 65536, &number) &&
             number > 0)
        s->length = (unsigned)number;
    else if (strncmp(word, "seed=", 5) == 0 && parse_number(word + 5, INT64_MAX, &number))
        s->seed = number;
    else
        return error_set(e, STATUS_ARGUMENT,
                         "--stream: unknown setting '%s'; use every=N, batch=N (1 to 65536), "
                         "transfers, lbr, lbr_taken, stack=N (2 to 64) or seed=N",
                         word);
    return STATUS_OK;
}

static enum status check_words(const struct qemu_setting *s, const struct stream_words *given,
                               struct error *e) {
    const bool lbr = given->lbr || given->lbr_taken;
    if (given->transfers + given->lbr + given->lbr_taken > 1)
        return error_set(e, STATUS_ARGUMENT, "--stream: give one of transfers, lbr and lbr_taken");
    if (!lbr && s->stack > 0)
        return error_set(e, STATUS_ARGUMENT, "--stream: stack= belongs to lbr and lbr_taken");
    if (lbr && s->length != 0)
        return error_set(e, STATUS_ARGUMENT,
                         "--stream: the branches say where a batch ends, so batch= is not allowed");
    if (given->transfers && s->length != 0)
        return error_set(e, STATUS_ARGUMENT,
                         "--stream: transfers are recorded singly, so batch= is not allowed");
    return STATUS_OK;
}

/* A file name may contain colons: the part after the last one is a setting if it looks like one. */
static enum status parse_stream(struct record_command *c, size_t i, struct error *e) {
    char *path = c->paths[i] = strdup(c->streams.items.at[i]);
    if (path == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    char *colon = strrchr(path, ':');
    if (colon == NULL || strpbrk(colon, "/.") != NULL)
        return STATUS_OK;
    *colon = '\0';
    enum status status = STATUS_OK;
    struct stream_words given = {0};
    struct qemu_setting *s = &c->settings[i];
    char *rest = colon + 1;
    for (char *word; status == STATUS_OK && (word = strsep(&rest, ",")) != NULL;)
        status = parse_word(s, &given, word, e);
    if (status == STATUS_OK)
        status = check_words(s, &given, e);
    if ((given.lbr || given.lbr_taken) && s->stack == 0)
        s->stack = STACK_USUAL;
    if (status == STATUS_OK && (status = qemu_check_setting(s, e)))
        error_prefix(e, "--stream %s", c->streams.items.at[i]);
    return status;
}

static enum status parse_streams(struct record_command *c, struct error *e) {
    if (c->streams.items.len > QEMU_SETTINGS)
        return error_set(e, STATUS_ARGUMENT, "--stream: at most %d may be given", QEMU_SETTINGS);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < c->streams.items.len && status == STATUS_OK; i++)
        status = parse_stream(c, i, e);
    return status;
}

static int exit_of(const struct record_command *c, const struct qemu_result *r) {
    enum { EXIT_TIMEOUT = 124 }; /* as in timeout(1) */
    if (r->end == QEMU_TIMEOUT)
        return EXIT_TIMEOUT;
    if (r->end == QEMU_SIGNAL)
        return 128 + r->signal;
    if (c->pass && r->end == QEMU_ENDED)
        return 0;
    return interrupt_signal() != 0 ? 128 + interrupt_signal() : 0;
}

/* True if standard input is a pipe or a redirected file. */
static bool input_is_given(void) {
    struct stat is;
    return fstat(STDIN_FILENO, &is) == 0 &&
           (S_ISFIFO(is.st_mode) || (S_ISREG(is.st_mode) && is.st_size > 0));
}

/* Returns 0, or the exit status. */
static int check_files(const struct record_command *c, const char *program) {
    char path[QEMU_PATH];
    VEC(struct file_named) files = {0};
    const struct file_named named[] = {
        {"--graph", c->graph, FILE_WRITTEN},
        {"--structure", c->structure, FILE_WRITTEN},
        {"--trace", c->trace, FILE_WRITTEN},
        {c->meta_follows ? "GRAPH.meta" : "--meta", c->meta, FILE_WRITTEN},
        {"--dot", c->dot, FILE_WRITTEN},
        {"--output", c->output, FILE_WRITTEN},
        {"--input", c->input, FILE_READ},
        {"the program", path, FILE_READ},
    };
    bool ok = true;
    qemu_program_path(c->folder, program, path);
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (named[i].path != NULL && strcmp(named[i].path, "-") != 0)
            ok = ok && vec_push(&files, named[i]);
    for (size_t i = 0; i < c->streams.items.len; i++)
        ok = ok && vec_push(&files, ((struct file_named){"--stream", c->paths[i], FILE_WRITTEN}));
    const int status = ok ? files_check("record", files.at, files.len)
                          : failure(&(struct error){.text = "out of memory"});
    vec_free(&files);
    return status;
}

static int check(const struct record_command *c, const char *program) {
    const int status = check_files(c, program);
    if (status != 0)
        return status;
    if (c->trace != NULL && c->follow)
        return usage_error("record", "--trace is of one process, so it does not go with --follow");
    if (c->all && c->dot == NULL)
        return usage_error("record", "--all belongs to --dot FILE");
    if (c->graph == NULL && c->streams.items.len == 0 && c->dot == NULL && c->structure == NULL &&
        c->trace == NULL && !c->json)
        return usage_error("record", "nothing to write: give --graph FILE or --stream FILE");
    struct error e = {0};
    for (size_t i = 0; i < c->streams.items.len; i++)
        if (stream_check_name(c->paths[i], &e) != STATUS_OK)
            return usage_error("record", "--stream %s", e.text);
    if (c->input == NULL && input_is_given())
        warning("the program's standard input is empty: --input - passes hotgraph's on");
    return 0;
}

static enum status record(struct record_command *c, char **program, int *exit_status,
                          struct error *e) {
    enum status status = qemu_find_plugin(c->plugin, e);
    if (status != STATUS_OK)
        return status;
    VEC(const char *) env = {0};
    for (size_t i = 0; i < c->env.items.len && status == STATUS_OK; i++)
        if (!vec_push(&env, c->env.items.at[i]))
            status = error_set(e, STATUS_MEMORY, "out of memory");
    if (status == STATUS_OK && !vec_push(&env, NULL))
        status = error_set(e, STATUS_MEMORY, "out of memory");
    const struct qemu_request request = {
        .argv = (const char *const *)program,
        .env = env.at,
        .folder = c->folder,
        .input = c->input,
        .output = c->output,
        .sysroot = c->sysroot,
        .plugin = c->plugin,
        .settings = c->settings,
        .setting_count = c->streams.items.len,
        .single_step = c->single_step,
        .each = c->each,
        .follow = c->follow,
        .trace = c->trace != NULL,
        .keep = true,
        .stopped = interrupt_signal,
        .pass_signals = c->pass,
        .instructions = c->most,
        .timeout_milliseconds = c->timeout,
    };
    struct qemu_result result = {0};
    if (status == STATUS_OK)
        status = qemu_record(&request, &result, e);
    const struct record_files files = {.graph = c->graph,
                                       .structure = c->structure,
                                       .trace = c->trace,
                                       .dot = c->dot,
                                       .meta = c->meta,
                                       .streams = c->paths,
                                       .folder = c->folder,
                                       .all = c->all};
    struct record_summaries summaries = {0};
    if (status == STATUS_OK)
        status = record_files_write(&files, &result, program, &summaries, e);
    if (status == STATUS_OK)
        record_print(&summaries, &result, c->json);
    vec_free(&summaries.of);
    *exit_status = exit_of(c, &result);
    qemu_result_free(&result);
    vec_free(&env);
    return status;
}

static enum status check_env(const char *value, struct error *e) {
    return strchr(value, '=') != NULL && value[0] != '='
               ? STATUS_OK
               : error_set(e, STATUS_ARGUMENT, "takes NAME=VALUE, not '%s'", value);
}

static enum status check_options(const struct record_command *c, struct error *e) {
    struct stat info;
    if (c->input != NULL && stat(c->input, &info) == 0 && S_ISDIR(info.st_mode))
        return error_set(e, STATUS_ARGUMENT, "--input takes a file, but '%s' is a folder",
                         c->input);
    const struct {
        const char *name, *path;
    } folders[] = {{"sysroot", c->sysroot}, {"folder", c->folder}};
    for (size_t i = 0; i < 2; i++)
        if (folders[i].path != NULL &&
            (stat(folders[i].path, &info) != 0 || !S_ISDIR(info.st_mode)))
            return error_set(e, STATUS_ARGUMENT, "--%s takes a folder, but '%s' is none",
                             folders[i].name, folders[i].path);
    return STATUS_OK;
}

int command_record(int argc, char **argv) {
    struct record_command c = {0};
    const struct option_spec options[] = {
        {"graph", "FILE.graph", "write the exact graph", OPTION_STRING, .to = &c.graph},
        {"structure", "FILE", "write the program's structure, for techniques that use it (flow)",
         OPTION_STRING, .to = &c.structure},
        {"stream", "FILE.isampling[:SETTING,...]",
         "write a sample stream (see below); may be repeated", OPTION_LIST, .to = &c.streams},
        {"trace", "FILE.hgtrace", "write the order of all control transfers (see below)",
         OPTION_STRING, .to = &c.trace},
        {"meta", "FILE", "write command, counts and images (default: GRAPH.meta)", OPTION_STRING,
         .to = &c.meta},
        {"dot", "FILE", "also write the hot part of the program's own code for Graphviz",
         OPTION_STRING, .to = &c.dot},
        {"all", NULL, "with --dot: write everything, also of libraries and the loader", OPTION_FLAG,
         .to = &c.all},
        {"input", "FILE", "the program's standard input; - is hotgraph's (default: empty)",
         OPTION_STRING, .to = &c.input},
        {"output", "FILE", "write the program's standard output to FILE", OPTION_STRING,
         .to = &c.output},
        {"folder", "DIR", "run the program in this folder", OPTION_STRING, .to = &c.folder},
        {"env", "NAME=VALUE", "add a variable to the program's environment", OPTION_LIST,
         .to = &c.env, .check = check_env},
        {"sysroot", "DIR", "the libraries of a program for another processor", OPTION_STRING,
         .to = &c.sysroot},
        {"follow", NULL,
         "also record the processes that it starts, programs after exec, and each further "
         "thread, each in files of its own (see below)",
         OPTION_FLAG, .to = &c.follow},
        {"pass-signals", NULL,
         "pass Ctrl-C and SIGTERM to the program, so that it ends as it does without hotgraph",
         OPTION_FLAG, .to = &c.pass},
        {"timeout", "SECONDS", "end the program after this time; keep what it did so far",
         OPTION_THOUSANDTHS, .to = &c.timeout, .least = 1, .most = INT64_C(1000000000000)},
        {"max-instructions", "N",
         "end the program before the block that would exceed N executed instructions",
         OPTION_NUMBER, .to = &c.most, .least = 1, .most = INT64_MAX},
        {"single-step", NULL,
         "translate each instruction separately: exact even if signals or self-modifying code "
         "leave a block in its middle; slow",
         OPTION_FLAG, .to = &c.single_step},
        {"per-instruction", NULL, "count each instruction separately, to check the recorder; slow",
         OPTION_FLAG, .to = &c.each},
        {"json", NULL, "print a summary as JSON (use it with --output)", OPTION_FLAG,
         .to = &c.json},
        {0},
    };
    const struct usage usage = {
        .command = "record",
        .operands = "-- PROGRAM [ARGUMENT]...",
        .least = 1,
        .most = UINT32_MAX,
        .summary = "Runs a Linux program and records its exact control-flow graph and sample "
                   "streams.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    char meta[4096];
    if (c.meta == NULL && c.graph != NULL) {
        snprintf(meta, sizeof meta, "%s.meta", c.graph);
        c.meta = meta;
        c.meta_follows = true;
    }
    struct error e = {0};
    interrupt_catch();
    int exit_status = 0;
    enum status status = check_options(&c, &e);
    if (status == STATUS_OK)
        status = parse_streams(&c, &e);
    const bool typed_wrongly = status == STATUS_ARGUMENT;
    if (status == STATUS_OK)
        exit_status = check(&c, operands.at[0]);
    if (status == STATUS_OK && exit_status == 0)
        status = record(&c, operands.at, &exit_status, &e);
    for (size_t i = 0; i < QEMU_SETTINGS; i++)
        free(c.paths[i]);
    vec_free(&c.streams.items);
    vec_free(&c.env.items);
    if (typed_wrongly)
        return usage_error("record", "%s", e.text);
    return status == STATUS_OK ? exit_status : failure(&e);
}
