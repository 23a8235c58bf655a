/* The checks of `hotgraph doctor`. */
#include "commands/setup/doctor.h"

#include <linux/membarrier.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "cli/cli.h"
#include "experiment/experiment.h"
#include "nes/nes.h"

struct list {
    struct finding *at;
    unsigned count;
};

static struct finding *add(struct list *list, const char *group, const char *name,
                           const char *use) {
    struct finding *f = &list->at[list->count];
    if (list->count + 1 < FINDINGS_MOST)
        list->count++;
    *f = (struct finding){.group = group, .name = name, .use = use};
    return f;
}

__attribute__((format(printf, 3, 4))) static void set(struct finding *f, enum finding_state state,
                                                      const char *format, ...) {
    va_list args;
    f->state = state;
    va_start(args, format);
    vsnprintf(f->detail, sizeof f->detail, format, args);
    va_end(args);
}

/* ---- tools that commands start ---- */

struct tool {
    const char *name, *other; /* a name that serves as well, or NULL */
    const char *package, *use;
};
static const struct tool tools[] = {
    {"gnuplot", NULL, "gnuplot-nox", "report, sweep: figures"},
    {"dot", NULL, "graphviz", "report, sweep: drawings of hot graphs"},
    {"qemu-x86_64", NULL, "qemu-user", "record, sweep: programs for x86-64"},
    {"qemu-aarch64", NULL, "qemu-user", "record, sweep: programs for aarch64"},
    {"qemu-riscv64", NULL, "qemu-user", "record, sweep: programs for riscv64"},
    {"sqlite3", NULL, "sqlite3", "queries by hand"},
    {"python3", NULL, "python3", "input for configs/programs.cfg; make optimise"},
    {"llvm-bolt-19", "llvm-bolt", "bolt-19", "optimise; using what export --bolt writes"},
    {"valgrind", NULL, "valgrind", "optimise: cache misses; make bench: host instructions"},
    {"sbatch", NULL, "slurm-client", "make cluster"},
    {"parallel", NULL, "parallel", "make parallel"},
};

static void check_tools(struct list *list) {
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        struct finding *f = add(list, "tools", tools[i].name, tools[i].use);
        char path[400];
        f->package = tools[i].package;
        if (child_find(tools[i].name, path, sizeof path) ||
            (tools[i].other != NULL && child_find(tools[i].other, path, sizeof path)))
            set(f, FINDING_OK, "%s", path);
        else
            set(f, FINDING_MISSING, "is not installed");
    }
}

/* ---- the program's own files ---- */

static void check_beside(struct list *list, const char *built, const char *file, const char *use,
                         const char *variable) {
    struct finding *f = add(list, "program", file, use);
    const char *named = variable != NULL ? getenv(variable) : NULL;
    char path[400];
    if (named != NULL && access(named, R_OK) != 0)
        set(f, FINDING_MISSING, "$%s names %s, which is not readable", variable, named);
    else if (named != NULL)
        set(f, FINDING_OK, "%s", named);
    else if (child_beside(built, file, path, sizeof path))
        set(f, FINDING_OK, "%s", path);
    else
        set(f, FINDING_MISSING,
            "is not beside the program: 'make program' builds it, if its "
            "libraries are installed");
}

static void check_data(struct list *list, const char *name, const char *use) {
    struct finding *f = add(list, "program", name, use);
    char *path = data_find(name);
    if (path != NULL && access(path, R_OK) == 0)
        set(f, FINDING_OK, "%s", path);
    else
        set(f, FINDING_MISSING,
            "neither in this folder nor installed: run hotgraph in its sources, or "
            "'make install'");
    free(path);
}

static void check_files(struct list *list) {
    check_data(list, "configs/games.cfg", "the bundled games by name");
    check_data(list, "configs/paper.cfg", "sweep: the paper's experiment");
    check_data(list, "games/mazewisp.nes", "the bundled games");
    check_data(list, "movies/mazewisp.fm2", "their movies");
    check_beside(list, "core/qemu", "hotgraph-qemu.so", "record, sweep: programs under QEMU",
                 "HOTGRAPH_QEMU_PLUGIN");
#ifdef HOTGRAPH_NATIVE
    check_beside(list, "core/native", "libhotprobe.so", "native", NULL);
#endif
    check_beside(list, "sweep/report", "hotgraph-pdf", "report: figures as PDF", NULL);
}

/* ---- processor and kernel ---- */

/* Plays two frames of a bundled game, so that code is translated and executed. */
static enum status try_engine(enum engine_kind kind, struct error *e) {
    struct cartridge *cartridge = NULL;
    struct nes *nes = NULL;
    char *path = data_find("games/mazewisp.nes");
    if (path == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    enum status status = cartridge_load(&cartridge, path, e);
    if (status == STATUS_OK)
        status = engine_create(&nes, &(struct engine_choice){.kind = kind},
                               &(struct nes_options){.cartridge = cartridge}, e);
    for (int i = 0; status == STATUS_OK && i < 2; i++)
        status = nes_run_frame(nes, e);
    nes_free(nes);
    cartridge_free(cartridge);
    free(path);
    return status;
}

static void check_engines(struct list *list) {
    struct error e = {0};
    struct finding *f = add(list, "processor", "interpreter", "everything that plays games");
    const enum status plays = try_engine(ENGINE_INTERP, &e);
    if (plays == STATUS_OK)
        set(f, FINDING_OK, "plays");
    else if (plays == STATUS_IO) /* the game is missing, which is said above */
        set(f, FINDING_NOTE, "not tried, without a game");
    else
        set(f, FINDING_BROKEN, "%s", e.text);
    if (plays == STATUS_IO)
        return;
    e = (struct error){0};
    f = add(list, "processor", "translator", "the same, several times faster");
    if (try_engine(ENGINE_DBT, &e) == STATUS_OK)
        set(f, FINDING_OK, "plays");
    else
        set(f, FINDING_NOTE, "the interpreter is used, with equal results: %s", e.text);
}

#ifdef HOTGRAPH_NATIVE
static void check_native(struct list *list) {
    struct finding *f = add(list, "processor", "membarrier", "native");
    const long can = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
    if (can >= 0 && (can & MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE) != 0)
        set(f, FINDING_OK, "the kernel serialises other cores");
    else
        set(f, FINDING_MISSING,
            "the kernel does not serialise other cores (SYNC_CORE): Linux 4.16 or newer does, "
            "unless a sandbox forbids it");
}
#endif

/* ---- the machine ---- */

static double available_memory(void) {
    char line[200];
    double kib = NAN;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemAvailable: %lf kB", &kib) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return kib / (1 << 20);
}

static void check_room(struct list *list) {
    struct finding *f = add(list, "machine", "memory", "sweep: 2 GB are enough for two threads");
    const double gib = available_memory();
    set(f, gib < 1 ? FINDING_NOTE : FINDING_OK, "%.1f GiB available, %ld processors", gib,
        sysconf(_SC_NPROCESSORS_ONLN));
    struct statvfs disk;
    f = add(list, "machine", "disk", "results in this folder");
    if (statvfs(".", &disk) != 0) {
        set(f, FINDING_NOTE, "free space is unknown");
        return;
    }
    const double free_gib = (double)disk.f_bavail * (double)disk.f_frsize / (1 << 30);
    const bool writable = access(".", W_OK) == 0;
    set(f, writable && free_gib >= 0.5 ? FINDING_OK : FINDING_NOTE, "%.1f GiB free%s", free_gib,
        writable ? "" : ", but this folder is not writable: name others with --db and --out");
}

static void check_quiet(struct list *list) {
    struct finding *f = add(list, "machine", "quiet", "timings (results do not depend on it)");
    struct noise *noise = noise_start();
    struct noise_report report;
    nanosleep(&(struct timespec){.tv_nsec = 800000000L}, NULL);
    noise_end(noise, &report);
    if (noise == NULL)
        set(f, FINDING_NOTE, "unknown: no memory for the measurement");
    else if (report.warning[0] != '\0')
        set(f, FINDING_NOTE, "no: %s", report.warning);
    else
        set(f, FINDING_OK, "a fixed workload varied by %.0f %%", 100 * report.spread);
}

unsigned doctor_check(struct finding findings[FINDINGS_MOST]) {
    struct list list = {.at = findings};
    check_files(&list);
    check_engines(&list);
#ifdef HOTGRAPH_NATIVE
    check_native(&list);
#endif
    check_tools(&list);
    check_room(&list);
    check_quiet(&list);
    return list.count;
}
