/*
 * Runs a program under QEMU with the plugin, in a reproducible environment, and reads the plugin's
 * output.
 */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "qemu/processes.h"
#include "qemu/qemu.h"
#include "qemu/read.h"
#include "qemu/recording.h"
#include "qemu/run_qemu.h"
#include "qemu/target.h"

/* ---- the program ---- */

static enum status find_target(const struct target **out, const char *program, struct error *e) {
    Elf64_Ehdr header = {0};
    FILE *file = fopen(program, "rbe");
    if (file == NULL && errno == ENOENT && strchr(program, '/') == NULL)
        return error_set(e, STATUS_IO, "%s: there is no such file; a program is named by its path",
                         program);
    if (file == NULL)
        return file_unopened(program, errno, e);
    size_t got = fread(&header, 1, sizeof header, file);
    fclose(file);
    if (got >= 2 && memcmp(&header, "#!", 2) == 0)
        return error_set(e, STATUS_UNSUPPORTED,
                         "%s: it is a script; record its interpreter, with the script as argument",
                         program);
    if (got < sizeof header || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return error_set(e, STATUS_FORMAT, "%s: it is not an ELF program", program);
    *out = header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB
               ? target_by_machine(header.e_machine)
               : NULL;
    if (*out == NULL)
        return error_set(e, STATUS_UNSUPPORTED,
                         "%s: programs of this processor (ELF machine %u, %s) cannot be recorded; "
                         "those of %s can",
                         program, header.e_machine,
                         header.e_ident[EI_CLASS] == ELFCLASS64 ? "64 bits" : "32 bits",
                         target_names);
    return STATUS_OK;
}

void qemu_program_path(const char *folder, const char *program, char out[QEMU_PATH]) {
    if (strncmp(program, RECORDING_HERE, sizeof RECORDING_HERE - 1) == 0)
        program += sizeof RECORDING_HERE - 1;
    if (folder == NULL || program[0] == '/')
        snprintf(out, QEMU_PATH, "%s", program);
    else
        snprintf(out, QEMU_PATH, "%s/%s", folder, program);
}

/* Finds the emulator's path. */
static enum status find_emulator(const struct target *target, char *out, size_t size,
                                 struct error *e) {
    char name[64];
    snprintf(name, sizeof name, "qemu-%s", target->name);
    if (child_find(name, out, size))
        return STATUS_OK;
    return error_set(e, STATUS_UNSUPPORTED,
                     "%s is not installed; on Debian it is in the package qemu-user", name);
}

enum status qemu_can_record(const char *program, struct error *e) {
    const struct target *target;
    char emulator[1024];
    enum status status = find_target(&target, program, e);
    return status == STATUS_OK ? find_emulator(target, emulator, sizeof emulator, e) : status;
}

enum status qemu_find_plugin(char out[QEMU_PLUGIN_PATH], struct error *e) {
    const char *named = getenv("HOTGRAPH_QEMU_PLUGIN");
    if (named != NULL)
        snprintf(out, QEMU_PLUGIN_PATH, "%s", named);
    if (named != NULL ? access(out, R_OK) == 0
                      : child_beside("core/qemu", "hotgraph-qemu.so", out, QEMU_PLUGIN_PATH))
        return STATUS_OK;
    return error_set(e, STATUS_IO,
                     "hotgraph-qemu.so is not beside the program: 'make program' builds it, or "
                     "$HOTGRAPH_QEMU_PLUGIN may name it");
}

/* ---- the command line ---- */

/* QEMU's command line. */
struct setup {
    const struct qemu_request *request;
    const struct target *target;
    int recording; /* the plugin writes to this unnamed file, which needs no removal */
    int trace;     /* and a trace's packets to this one; -1: none */
    struct process_tree tree;
    char program[QEMU_PATH];
    char emulator[1024], plugin[2048], preload[1200];
    VEC(char *) argv;
    VEC(char *) env;
    struct recording_setting settings[QEMU_SETTINGS];
    struct file_plain_name library;
    bool memory; /* out of memory */
};

static void push(struct setup *r, const char *word) {
    r->memory |= !vec_push(&r->argv, (char *)(uintptr_t)word);
}

static void push_env(struct setup *r, const char *word) {
    r->memory |= !vec_push(&r->env, (char *)(uintptr_t)word);
}

static enum recording_by by_of(const struct qemu_setting *s) {
    if (s->stack > 0)
        return s->transfers ? RECORDING_TAKEN : RECORDING_STACKS;
    return s->transfers ? RECORDING_TRANSFERS : RECORDING_BATCHES;
}

static void name_plugin(struct setup *r) {
    const struct qemu_request *q = r->request;
    char self[32] = "self"; /* our number in /proc, which may count otherwise than getpid() */
    const ssize_t digits = readlink("/proc/self", self, sizeof self - 1);
    self[digits > 0 ? digits : 4] = '\0';
    size_t len = (size_t)snprintf(r->plugin, sizeof r->plugin, "%s,version=%d,out=/proc/%s/fd/%d%s",
                                  r->library.at, RECORDING_VERSION, self, r->recording,
                                  q->each ? ",each=on" : "");
    if (q->follow)
        len += (size_t)snprintf(r->plugin + len, sizeof r->plugin - len, ",follow=/proc/%s/fd/%d",
                                self, r->tree.file);
    if (q->trace)
        len += (size_t)snprintf(r->plugin + len, sizeof r->plugin - len, ",trace=/proc/%s/fd/%d",
                                self, r->trace);
    if (q->instructions > 0)
        len += (size_t)snprintf(r->plugin + len, sizeof r->plugin - len, ",most=%llu",
                                (unsigned long long)q->instructions);
    for (size_t i = 0; i < q->setting_count && len < sizeof r->plugin; i++) {
        const struct qemu_setting *s = &q->settings[i];
        static const char *const ways[] = {"batches", "transfers", "stacks", "taken"};
        unsigned long long every = s->every > 0 ? s->every : QEMU_EVERY;
        const enum recording_by by = by_of(s);
        const unsigned length = by >= RECORDING_STACKS      ? s->stack
                                : by == RECORDING_TRANSFERS ? 2
                                : s->length > 0             ? s->length
                                                            : 25;
        r->settings[i] = (struct recording_setting){.length = length, .by = by};
        len += (size_t)snprintf(r->plugin + len, sizeof r->plugin - len, ",%s=%llu/%u/%llu",
                                ways[by], every, length, (unsigned long long)s->seed);
    }
}

/* A program may depend on its environment, so it is the same for all, plus what the request adds.
 * It also seeds the hash tables of Python and Perl. */
const char *const *qemu_usual_env(void) {
    static const char *const usual[] = {
        "PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=/nonexistent", "TZ=UTC0", "PYTHONHASHSEED=0",
        "PERL_HASH_SEED=0",   NULL};
    return usual;
}

static void make_env(struct setup *r) {
    for (const char *const *usual = qemu_usual_env(); *usual != NULL; usual++) {
        size_t name = strcspn(*usual, "=") + 1;
        bool given = false;
        for (const char *const *own = r->request->env; own != NULL && *own != NULL; own++)
            given |= strncmp(*own, *usual, name) == 0;
        if (!given)
            push_env(r, *usual);
    }
    for (const char *const *own = r->request->env; own != NULL && *own != NULL; own++)
        push_env(r, *own);
    /* for QEMU itself, which takes its clock from the plugin; the program does not load it */
    snprintf(r->preload, sizeof r->preload, "LD_PRELOAD=%s", r->library.at);
    push_env(r, r->preload);
    push_env(r, NULL);
}

static enum status prepare(struct setup *r, struct error *e) {
    const struct qemu_request *q = r->request;
    enum status status = find_emulator(r->target, r->emulator, sizeof r->emulator, e);
    if (status != STATUS_OK)
        return status;
    if ((status = file_plain_name(&r->library, q->plugin, e)) != STATUS_OK)
        return status;
    name_plugin(r);
    push(r, r->emulator);
    push(r, "-cpu");
    push(r, r->target->model);
    push(r, "-s"); /* bytes of stack */
    push(r, "8388608");
    push(r, "-seed");
    push(r, "1");
    push(r, "-U");
    push(r, "LD_PRELOAD");
    if (q->single_step)
        push(r, "-singlestep");
    if (q->sysroot != NULL) {
        push(r, "-L");
        push(r, q->sysroot);
    }
    push(r, "-plugin");
    push(r, r->plugin);
    for (size_t i = 0; q->argv[i] != NULL; i++)
        push(r, q->argv[i]);
    push(r, NULL);
    make_env(r);
    return r->memory ? error_set(e, STATUS_MEMORY, "out of memory") : STATUS_OK;
}

/* ---- recording ---- */

enum status qemu_check_setting(const struct qemu_setting *s, struct error *e) {
    uint64_t every = s->every > 0 ? s->every : QEMU_EVERY, length = s->length ? s->length : 25;
    if (s->stack > SAMPLER_STACK_MOST)
        return error_set(e, STATUS_ARGUMENT, "a stack of %u branches; there are at most %d",
                         s->stack, SAMPLER_STACK_MOST);
    if (s->stack > 0 || s->transfers || length <= every)
        return STATUS_OK;
    return error_set(e, STATUS_ARGUMENT,
                     "a batch of %llu instructions does not fit between batches that begin every "
                     "%llu",
                     (unsigned long long)length, (unsigned long long)every);
}

static enum status check_request(const struct qemu_request *q, struct error *e) {
    if (q->trace && q->follow)
        return error_set(e, STATUS_ARGUMENT,
                         "a trace is of one process, and none is made while others are followed");
    if (q->setting_count > QEMU_SETTINGS)
        return error_set(e, STATUS_ARGUMENT, "at most %d streams from one run", QEMU_SETTINGS);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < q->setting_count && status == STATUS_OK; i++)
        status = qemu_check_setting(&q->settings[i], e);
    return status;
}

/* The plugin does not know why it was told to end. */
static enum status check_end(const struct run *run, struct qemu_result *out, struct error *e) {
    char how[200];
    if (out->end == QEMU_STOPPED && run->told == QEMU_TIMEOUT)
        out->end = QEMU_TIMEOUT;
    if (!qemu_is_partial(out) || run->request->keep)
        return STATUS_OK;
    qemu_end_text(out, how, sizeof how);
    return error_set(e, out->end == QEMU_STOPPED ? STATUS_INTERRUPTED : STATUS_GUEST,
                     "%s: %s: only whole runs are recorded", run->request->argv[0], how);
}

/* The mapping outlives the descriptor of the unnamed file. */
static enum status map_packets(struct program_trace *t, int file, struct error *e) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const enum status status = file_view_path(&t->file, path, SIZE_MAX - 1, e);
    t->packets = t->file.at;
    t->length = t->file.len;
    return status;
}

static enum status run_and_read(struct setup *r, struct qemu_result *out, struct error *e) {
    struct run run = {.request = r->request,
                      .emulator = r->emulator,
                      .argv = (const char *const *)r->argv.at,
                      .env = r->env.at,
                      .recording = r->recording,
                      .tree = r->request->follow ? &r->tree : NULL};
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", r->recording);
    enum status status = run_program(&run, e);
    if (status == STATUS_OK && !run_is_recorded(&run))
        status = run_explain(&run, e);
    if (status == STATUS_OK)
        status = recording_read(out, path, r->settings, r->request->setting_count, e);
    if (status == STATUS_OK)
        status = check_end(&run, out, e);
    if (status == STATUS_OK && run.tree != NULL)
        status =
            processes_make(&out->processes, run.tree,
                           &(struct process_defaults){r->program, r->request->argv, r->settings,
                                                      r->request->setting_count, r->target->name},
                           e);
    const bool ordered = out->stream_count > 0 || r->request->trace;
    if (status == STATUS_OK && out->threads > 1 && ordered && run.tree == NULL)
        status = error_set(e, STATUS_GUEST,
                           "%s: it runs threads, so no two runs are alike: there is no stream %sof "
                           "it, only the exact graph of one run",
                           r->request->argv[0], r->request->trace ? "or trace " : "");
    if (status == STATUS_OK && r->request->trace)
        status = map_packets(&out->trace, r->trace, e);
    out->exit_status = child_status(run.word);
    out->seconds = run.seconds;
    return status;
}

/* With `follow`, a further unnamed file for the other processes. */
static enum status open_files(struct setup *r, struct error *e) {
    if ((r->recording = child_scratch()) >= 0 &&
        (!r->request->trace || (r->trace = child_scratch()) >= 0) &&
        (!r->request->follow || (r->tree.file = child_scratch()) >= 0))
        return STATUS_OK;
    return error_set(e, STATUS_IO, "no temporary file for the recording: %s", strerror(errno));
}

enum status qemu_record(const struct qemu_request *request, struct qemu_result *out,
                        struct error *e) {
    *out = (struct qemu_result){0};
    struct setup r = {
        .request = request, .recording = -1, .trace = -1, .tree.file = -1, .library = {.fd = -1}};
    enum status status = check_request(request, e);
    qemu_program_path(request->folder, request->argv[0], r.program);
    if (status == STATUS_OK)
        status = find_target(&r.target, r.program, e);
    if (status == STATUS_OK)
        status = open_files(&r, e);
    if (status == STATUS_OK)
        status = prepare(&r, e);
    if (status == STATUS_OK) {
        out->target = r.target->name;
        status = run_and_read(&r, out, e);
    }
    if (status == STATUS_OK)
        status = processes_name(out, r.program, e);
    if (r.recording >= 0)
        close(r.recording);
    if (r.trace >= 0)
        close(r.trace);
    if (r.tree.file >= 0)
        close(r.tree.file);
    tree_free(&r.tree);
    file_plain_name_close(&r.library);
    vec_free(&r.argv);
    vec_free(&r.env);
    if (status != STATUS_OK)
        qemu_result_free(out);
    return status;
}

void qemu_end_text(const struct qemu_result *r, char *text, size_t size) {
    switch (r->end) {
    case QEMU_ENDED:
        snprintf(text, size, "%s", "");
        break;
    case QEMU_SIGNAL:
        snprintf(text, size, "ended by signal %d (%s)", r->signal, strsignal(r->signal));
        break;
    case QEMU_STOPPED:
        snprintf(text, size, "stopped");
        break;
    case QEMU_TIMEOUT:
        snprintf(text, size, "stopped at its timeout");
        break;
    case QEMU_LIMIT:
        snprintf(text, size, "stopped at its limit of instructions");
        break;
    case QEMU_EXEC:
        snprintf(text, size, "became another program (exec)");
        break;
    }
}

void qemu_result_free(struct qemu_result *r) {
    processes_free(r->processes);
    graph_free(&r->graph);
    structure_free(&r->structure);
    program_trace_free(&r->trace);
    for (size_t i = 0; i < r->stream_count; i++)
        stream_free(&r->streams[i]);
    free(r->streams);
    for (size_t i = 0; i < r->images.len; i++)
        free(r->images.at[i].path);
    vec_free(&r->images);
    *r = (struct qemu_result){0};
}

bool qemu_doubt(const struct qemu_result *r, struct error *out) {
    unsigned long long count;
    if (r->threads > 1) {
        count = r->threads;
        error_set(out, STATUS_OK, "it ran %llu threads: another run gives other counts", count);
    } else if (r->unfinished > 0) {
        count = r->unfinished;
        error_set(out, STATUS_OK,
                  "%llu time%s a block of instructions was left in its middle (faults, code that "
                  "changes itself) and counted whole; --single-step is exact",
                  count, count == 1 ? "" : "s");
    } else if (r->signals > 0) {
        count = r->signals;
        error_set(out, STATUS_OK,
                  "%llu signal%s handled; unless the program raised %s itself, another run "
                  "may give other counts",
                  count, count == 1 ? " was" : "s were", count == 1 ? "it" : "them");
    } else {
        return false;
    }
    return true;
}
