/* hotgraph native: runs a program on this machine with probes in it, and prints their counts. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/child.h"
#include "cli/cli.h"
#include "commands/command.h"
#include "commands/native/native_graph.h"
#include "commands/native/native_report.h"
#include "commands/native/native_rows.h"
#include "native/hotprobe.h"
#include "native/session.h"

enum { FOLDER = 3072 };

struct native_command {
    const char *functions, *strategy, *assign, *json, *db, *graph, *images, *structure;
    bool blocks, instructions, libraries, unproven, atomic, per_thread;
    uint64_t threshold, top;
};

static const char details[] =
    "By default it counts calls of functions; --functions takes a shell pattern.\n"
    "With --threshold N it also lists the sites that reached N executions, in that\n"
    "order. The program keeps its own output, exit status and\n"
    "signals. The counts go to standard error, or as JSON to FILE. Child processes\n"
    "are not counted.\n"
    "\n"
    "--graph writes all blocks and edges of the program's own code with their exact\n"
    "counts, in the format of 'record', without QEMU. Control that comes\n"
    "from a library counts as an entry. It is for programs with one thread. Each block\n"
    "must be entered as often as it is executed; otherwise nothing is written, and\n"
    "the message names the position. Addresses are offsets in the file from 0x1000000\n"
    "on; with --images FILE.structure, those that 'record --structure FILE' gave it.\n"
    "\n"
    "Strategies: over-one, over-several, padding, reachable, constrained, trap.\n"
    "Without --strategy, all but trap are used.\n"
    "\n"
    "Examples:\n"
    "  hotgraph native --threshold 1000 -- gzip -c /etc/services > services.gz\n"
    "  hotgraph native --graph gzip.graph -- gzip -c /etc/services > services.gz\n";

/* ---- can it be done at all? ---- */

/* Reads `#!interpreter argument`: the interpreter is the program to probe. */
static bool script(const struct bytes *file, char *out, size_t size) {
    if (file->len < 3 || memcmp(file->at, "#!", 2) != 0)
        return false;
    const char *p = (const char *)file->at + 2;
    p += strspn(p, " \t");
    snprintf(out, size, "%.*s", (int)strcspn(p, " \t\n"), p);
    return true;
}

/* The file's bytes at an address in memory, up to the file's end; NULL: none. */
static const char *at_address(const struct bytes *file, const Elf64_Phdr *p, size_t n,
                              uint64_t address, size_t *len) {
    for (size_t i = 0; i < n; i++) {
        uint64_t offset = p[i].p_offset + (address - p[i].p_vaddr);
        if (p[i].p_type != PT_LOAD || address < p[i].p_vaddr ||
            address - p[i].p_vaddr >= p[i].p_filesz || offset >= file->len)
            continue;
        *len = file->len - offset;
        return (const char *)file->at + offset;
    }
    return NULL;
}

/* The shared AddressSanitizer among the libraries that the program needs, or NULL. */
static const char *needs_asan(const struct bytes *file, const Elf64_Phdr *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (p[i].p_type != PT_DYNAMIC || p[i].p_offset > file->len ||
            p[i].p_filesz > file->len - p[i].p_offset)
            continue;
        const Elf64_Dyn *d = (const void *)(file->at + p[i].p_offset);
        size_t count = p[i].p_filesz / sizeof *d, length = 0;
        const char *names = NULL;
        for (size_t k = 0; k < count && names == NULL; k++)
            if (d[k].d_tag == DT_STRTAB)
                names = at_address(file, p, n, d[k].d_un.d_ptr, &length);
        for (size_t k = 0; k < count && names != NULL; k++) {
            uint64_t at = d[k].d_tag == DT_NEEDED ? d[k].d_un.d_val : UINT64_MAX;
            if (at < length && memchr(names + at, 0, length - at) != NULL &&
                strncmp(names + at, "libasan.so", 10) == 0)
                return names + at;
        }
    }
    return NULL;
}

/* What can be known from the limits of this process, which the program inherits. */
static enum status check_limits(const struct native_command *c, struct error *e) {
    enum { LEAST = 1 << 16 };
    struct rlimit size = {RLIM_INFINITY, RLIM_INFINITY};
    (void)getrlimit(RLIMIT_FSIZE, &size);
    if (size.rlim_cur < LEAST)
        return error_set(e, STATUS_UNSUPPORTED,
                         "files may have only %" PRIu64 " bytes (ulimit -f), which is too little "
                         "for the counts: raise the limit",
                         (uint64_t)size.rlim_cur);
    if (c->graph != NULL && size.rlim_cur != RLIM_INFINITY)
        return error_set(e, STATUS_UNSUPPORTED,
                         "files may have only %" PRIu64
                         " bytes (ulimit -f), and --graph needs them "
                         "without a limit",
                         (uint64_t)size.rlim_cur);
    if (access("/proc/self/mem", W_OK) != 0)
        return error_set(e, STATUS_UNSUPPORTED,
                         "/proc/self/mem: %s; probes are written through it, so /proc must be "
                         "mounted, and not masked",
                         strerror(errno));
    return STATUS_OK;
}

static enum status check_loader(const char *path, const struct bytes *file, struct error *e) {
    const Elf64_Ehdr *h = (const void *)file->at;
    if (h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phoff > file->len ||
        (file->len - h->e_phoff) / sizeof(Elf64_Phdr) < h->e_phnum)
        return error_set(e, STATUS_FORMAT, "%s: its program headers are invalid", path);
    const Elf64_Phdr *p = (const void *)(file->at + h->e_phoff);
    const char *asan = needs_asan(file, p, h->e_phnum);
    if (asan != NULL)
        return error_set(e, STATUS_UNSUPPORTED,
                         "%s: needs %s, which ends a program that is not started with it as its "
                         "first library; link it with -static-libasan, or without",
                         path, asan);
    for (size_t i = 0; i < h->e_phnum; i++) {
        if (p[i].p_type != PT_INTERP || p[i].p_offset >= file->len ||
            memchr(file->at + p[i].p_offset, 0, file->len - p[i].p_offset) == NULL)
            continue;
        const char *loader = (const char *)file->at + p[i].p_offset;
        if (strstr(loader, "ld-linux-x86-64.so") == NULL)
            return error_set(
                e, STATUS_UNSUPPORTED,
                "%s: uses another C library (%s): only programs with GNU libc can be probed", path,
                loader);
        return STATUS_OK;
    }
    return error_set(
        e, STATUS_UNSUPPORTED,
        "%s: is statically linked, so the probe library cannot be loaded; link it dynamically",
        path);
}

static enum status check_program(const char *path, int depth, struct error *e) {
    struct stat st;
    char next[4096];
    struct bytes file = {0};
    if (stat(path, &st) != 0)
        return file_unopened(path, errno, e);
    if (!S_ISREG(st.st_mode) || access(path, X_OK) != 0)
        return error_set(e, STATUS_ARGUMENT, "%s: is not a program that you may execute", path);
    if ((st.st_mode & (S_ISUID | S_ISGID)) != 0 ||
        getxattr(path, "security.capability", NULL, 0) > 0)
        return error_set(e, STATUS_UNSUPPORTED,
                         "%s: runs with other privileges than yours (setuid, setgid or "
                         "capabilities), and the system loads no libraries into such programs",
                         path);
    enum status s = file_read(&file, path, (size_t)1 << 30, e);
    if (s != STATUS_OK)
        return s;
    const Elf64_Ehdr *h = (const void *)file.at;
    if (depth < 4 && script(&file, next, sizeof next))
        s = check_program(next, depth + 1, e);
    else if (file.len < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
        s = error_set(e, STATUS_FORMAT, "%s: not an ELF program", path);
    else if (h->e_ident[EI_CLASS] != ELFCLASS64)
        s = error_set(e, STATUS_UNSUPPORTED,
                      "%s: is a 32-bit program; only 64-bit ones can be probed", path);
    else if (h->e_machine != EM_X86_64)
        s = error_set(e, STATUS_UNSUPPORTED, "%s: is not for x86-64 (machine %u)", path,
                      (unsigned)h->e_machine);
    else
        s = check_loader(path, &file, e);
    bytes_free(&file);
    return s;
}

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

static enum status options_write(const struct native_command *c, const char folder[FOLDER],
                                 struct error *e) {
    char path[FOLDER + 16];
    struct file_writer *w;
    unsigned without;
    bool trap;
    enum status s = strategies(c->strategy, &without, &trap, e);
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
    file_printf(w, "per-thread %d\n", c->per_thread);
    file_printf(w, "libraries %d\nunproven %d\natomic %d\n", c->libraries, c->unproven, c->atomic);
    if (c->assign != NULL)
        file_printf(w, "assign %s\n", c->assign);
    if (c->functions != NULL)
        file_printf(w, "functions %s\n", c->functions);
    return file_commit(w, e);
}

static void folder_remove(const char folder[FOLDER]) {
    static const char *const files[] = {"options", "objects", "sites", "counters", "threads",
                                        "hot",     "pieces",  "pairs", "error"};
    char path[FOLDER + 16];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    rmdir(folder);
}

/* ---- running it ---- */

static volatile sig_atomic_t child_to_signal; /* 0: none yet */
static volatile sig_atomic_t told;            /* the last signal passed on; 0: none */

/* The terminal's signals reach the program directly; others are passed on. */
static void pass_on(int number, siginfo_t *info, void *context) {
    (void)context;
    if (info->si_code == SI_KERNEL)
        return;
    told = number;
    if (child_to_signal > 0)
        kill((pid_t)child_to_signal, number);
}

/* Call it before there is anything to clean up. The program inherits ignored signals (nohup);
 * signals caught here have their default action there. */
static void pass_signals_on(void) {
    static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
        struct sigaction old;
        sigemptyset(&action.sa_mask);
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
}

static enum status run_program(const char *path, char **argv, const char *folder,
                               const char *library, int *status, struct error *e) {
    char preload[8192], session[FOLDER + 64];
    const char *before = getenv("LD_PRELOAD");
    bool more = before != NULL && before[0] != 0;
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s%s%s", library, more ? ":" : "",
             more ? before : "");
    snprintf(session, sizeof session, HOTPROBE_SESSION "=%s", folder);
    char **env = child_env((const char *const[]){preload, session, NULL});
    if (env == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    struct child child;
    fflush(NULL);
    enum status s = child_start(
        &child,
        &(struct child_request){.path = path, .words = (const char *const *)argv, .env = env}, e);
    if (s == STATUS_OK) {
        child_to_signal = (sig_atomic_t)child.id;
        if (told != 0) /* it arrived before the program started */
            child_signal(&child, told);
        s = child_wait(&child, NULL, status, e);
        child_to_signal = 0;
    }
    free(env);
    return s;
}

/* Reports the signal and the end of the program. */
static void say_stopped(const char *program, int status) {
    if (told == 0)
        return;
    if (WIFSIGNALED(status))
        fprintf(stderr, "hotgraph: %s: stopped by signal %d (%s); the counts end there\n", program,
                WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        fprintf(stderr, "hotgraph: %s: got signal %d (%s), and ended with exit status %d\n",
                program, (int)told, strsignal(told), WEXITSTATUS(status));
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

/* Writes the graph, whose header is that of `hotgraph record`. */
static enum status write_graph(const struct native_command *c, const char *program,
                               const char *folder, int status, struct error *e) {
    struct structure images = {0};
    struct native_graph g = {0};
    char what[400], count[64];
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
    snprintf(what, sizeof what, "exact graph of %.255s (its own code, native)", program);
    snprintf(count, sizeof count, "instructions %" PRIu64, g.instructions);
    for (char *p = what; *p != 0; p++)
        if (*p == '\n' || *p == '\r')
            *p = '?';
    const char *const comments[] = {what, count};
    s = graph_write(
        &g.graph, c->graph,
        (struct graph_write_options){.comments = comments, .comment_count = 2, .with_busy = true},
        e);
    if (s == STATUS_OK && c->structure != NULL)
        s = structure_write(&g.structure, c->structure, comments, 2, e);
    if (s == STATUS_OK)
        fprintf(stderr,
                "%s: %" PRIu64
                " instructions of its own, %zu blocks, %zu edges; entered from other "
                "code %" PRIu64 " times\n",
                program, g.instructions, g.graph.block_count, g.graph.edge_count, g.entered);
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

/* Ends as the program ended: with its status, or by its signal. */
static int end_as(int status) {
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(WTERMSIG(status), SIG_DFL);
    fflush(NULL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

/* ---- scripts whose interpreter env(1) finds ---- */

enum { ENV_WORDS = 64, ENV_DEPTH = 4 };

struct env_script {
    char line[1024];  /* words of "#!/usr/bin/env X A B", NUL after each */
    VEC(char *) argv; /* X A B SCRIPT ARGUMENTS, ends with NULL */
};

/* Reads the words after "#!.../env" and "-S"; false: the file is no such script. */
static bool env_words(const char *path, struct env_script *out, char *words[ENV_WORDS],
                      size_t *count) {
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    const bool read = fgets(out->line, sizeof out->line, file) != NULL;
    fclose(file);
    if (!read || strncmp(out->line, "#!", 2) != 0)
        return false;
    *count = 0;
    for (char *save, *word = strtok_r(out->line + 2, " \t\n", &save);
         word != NULL && *count < ENV_WORDS; word = strtok_r(NULL, " \t\n", &save))
        words[(*count)++] = word;
    const char *slash = *count > 1 ? strrchr(words[0], '/') : NULL;
    return slash != NULL && strcmp(slash + 1, "env") == 0;
}

/* env(1) would start the interpreter without probes. So start what it would start: of
 * "#!/usr/bin/env X" the program X with the script as its argument. Other uses of env(1), with
 * variables or options, are refused. *path and *argv change if the program is such a script. */
static enum status follow_env(struct env_script *s, char path[4096], char ***argv,
                              struct error *e) {
    char *words[ENV_WORDS], *script = strdup(path);
    size_t count, first = 1;
    if (script == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    if (!env_words(path, s, words, &count)) {
        free(script);
        return STATUS_OK;
    }
    first += strcmp(words[first], "-S") == 0;
    if (first >= count || words[first][0] == '-' || strchr(words[first], '=') != NULL) {
        error_set(e, STATUS_UNSUPPORTED,
                  "%s: is started by env with options or variables; name its interpreter, with the "
                  "script as argument",
                  path);
        free(script);
        return e->status;
    }
    bool enough = true;
    for (size_t i = first; i < count; i++)
        enough = enough && vec_push(&s->argv, words[i]);
    enough = enough && vec_push(&s->argv, script);
    for (char **word = *argv + 1; *word != NULL; word++)
        enough = enough && vec_push(&s->argv, *word);
    enough = enough && vec_push(&s->argv, NULL);
    if (!enough)
        return error_set(e, STATUS_MEMORY, "out of memory");
    *argv = s->argv.at;
    return native_find_program(words[first], path, 4096, e);
}

static int run_native(const struct native_command *c, char **argv) {
    struct env_script env[ENV_DEPTH] = {0};
    char path[4096], library[4200], folder[FOLDER];
    struct file_plain_name preload = {.fd = -1};
    struct error e = {0};
    int status = 0;
    const char *temporary = getenv("TMPDIR");
    enum status s = native_find_program(argv[0], path, sizeof path, &e);
    for (int i = 0; i < ENV_DEPTH && s == STATUS_OK; i++) /* an interpreter may be such a script */
        s = follow_env(&env[i], path, &argv, &e);
    if (s == STATUS_OK)
        s = check_program(path, 0, &e);
    if (s == STATUS_OK)
        s = check_limits(c, &e);
    if (s == STATUS_OK)
        s = find_library(library, sizeof library, &e);
    if (s == STATUS_OK)
        s = file_plain_name(&preload, library, &e);
    if (s != STATUS_OK)
        return failure(&e);
    snprintf(folder, sizeof folder, "%s/hotgraph-native-XXXXXX",
             temporary != NULL && temporary[0] != 0 ? temporary : "/tmp");
    pass_signals_on();
    if (mkdtemp(folder) == NULL) {
        file_unmade(folder, "cannot be made", errno, &e);
        return failure(&e);
    }
    s = options_write(c, folder, &e);
    if (s == STATUS_OK)
        s = run_program(path, argv, folder, preload.at, &status, &e);
    if (s == STATUS_OK)
        say_stopped(path, status);
    if (s == STATUS_OK)
        s = report(c, path, argv, folder, status, &e);
    folder_remove(folder);
    file_plain_name_close(&preload);
    return s == STATUS_OK ? end_as(status) : failure(&e);
}

/* Is there an option for counters of sites? */
static bool counts_sites(const struct native_command *c) {
    return c->functions != NULL || c->strategy != NULL || c->assign != NULL || c->json != NULL ||
           c->db != NULL || c->blocks || c->instructions || c->libraries || c->unproven ||
           c->atomic || c->per_thread || c->threshold != 0;
}

int command_native(int argc, char **argv) {
    static const char *const assignments[] = {"greedy", "local", "exact", NULL};
    struct native_command c = {.top = 40};
    const struct option_spec options[] = {
        {"functions", "GLOB", "count only functions whose names match", OPTION_STRING,
         .to = &c.functions},
        {"blocks", NULL, "count basic blocks", OPTION_FLAG, .to = &c.blocks},
        {"instructions", NULL, "count every instruction", OPTION_FLAG, .to = &c.instructions},
        {"graph", "FILE.graph", "write the exact graph of the program's own code", OPTION_STRING,
         .to = &c.graph, .file = FILE_WRITTEN},
        {"images", "FILE.structure",
         "with --graph: give the program the addresses that it has in this structure, as 'record' "
         "wrote it",
         OPTION_STRING, .to = &c.images, .file = FILE_READ},
        {"structure", "FILE",
         "with --graph: write the program's structure as well, for 'build' and 'export'",
         OPTION_STRING, .to = &c.structure, .file = FILE_WRITTEN},
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
        {"json", "FILE", "write everything to FILE as JSON, print nothing", OPTION_STRING,
         .to = &c.json, .file = FILE_WRITTEN},
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
    if (c.graph != NULL && counts_sites(&c))
        return usage_error("native", "--graph chooses its probes itself: give it alone");
    if ((c.images != NULL || c.structure != NULL) && c.graph == NULL)
        return usage_error("native", "--%s is for --graph",
                           c.images != NULL ? "images" : "structure");
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
    return run_native(&c, operands.at);
}
