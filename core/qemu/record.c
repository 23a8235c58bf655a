/*
 * Runs a program under QEMU with the plugin, in an environment that is the same each time, and
 * reads what the plugin leaves.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "qemu/qemu.h"
#include "qemu/read.h"
#include "qemu/recording.h"
#include "qemu/target.h"

enum { ARGUMENT = 256, ARGUMENTS_MOST = 24 };

/* ---- what is to be run ---- */

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
        return error_set(e, STATUS_FORMAT, "%s: it is no ELF program", program);
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

/* Where in $PATH the program is; false: nowhere. */
static bool find_in_path(const char *name, char *out, size_t size) {
    const char *path = getenv("PATH");
    for (const char *at = path != NULL ? path : "/usr/bin:/bin"; *at != '\0';) {
        size_t len = strcspn(at, ":");
        snprintf(out, size, "%.*s/%s", (int)len, at, name);
        if (access(out, X_OK) == 0)
            return true;
        at += len + (at[len] == ':');
    }
    return false;
}

void qemu_program_path(const char *folder, const char *program, char out[QEMU_PATH]) {
    if (strncmp(program, RECORDING_HERE, sizeof RECORDING_HERE - 1) == 0)
        program += sizeof RECORDING_HERE - 1;
    if (folder == NULL || program[0] == '/')
        snprintf(out, QEMU_PATH, "%s", program);
    else
        snprintf(out, QEMU_PATH, "%s/%s", folder, program);
}

/* The emulator's path. */
static enum status find_emulator(const struct target *target, char *out, size_t size,
                                 struct error *e) {
    char name[64];
    snprintf(name, sizeof name, "qemu-%s", target->name);
    if (find_in_path(name, out, size))
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
    static const char *const places[] = {"core/qemu", "../lib/hotgraph", "."};
    const char *named = getenv("HOTGRAPH_QEMU_PLUGIN");
    char self[900];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    self[len > 0 ? len : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash != NULL)
        *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (named != NULL)
            snprintf(out, QEMU_PLUGIN_PATH, "%s", named);
        else
            snprintf(out, QEMU_PLUGIN_PATH, "%s/%s/hotgraph-qemu.so", self, places[i]);
        if (access(out, R_OK) == 0)
            return STATUS_OK;
    }
    return error_set(e, STATUS_IO,
                     "hotgraph-qemu.so is not beside the program: 'make program' builds it, or "
                     "$HOTGRAPH_QEMU_PLUGIN may name it");
}

/* ---- how ---- */

struct run {
    const struct qemu_request *request;
    const struct target *target;
    char emulator[1024], recording[RECORDING_PATH], plugin[2048], preload[1200];
    char arguments[ARGUMENTS_MOST][ARGUMENT];
    VEC(char *) argv;
    VEC(char *) env;
    struct recording_setting settings[QEMU_SETTINGS];
    int pipes[2][2]; /* standard output and error of the program */
    bool memory;     /* is out */
};

static void push(struct run *r, const char *word) {
    r->memory |= !vec_push(&r->argv, (char *)(uintptr_t)word);
}

static void push_env(struct run *r, const char *word) {
    r->memory |= !vec_push(&r->env, (char *)(uintptr_t)word);
}

static void name_plugin(struct run *r) {
    const struct qemu_request *q = r->request;
    size_t len = (size_t)snprintf(r->plugin, sizeof r->plugin, "%s,out=%s%s", q->plugin,
                                  r->recording, q->each ? ",each=on" : "");
    for (size_t i = 0; i < q->setting_count && len < sizeof r->plugin; i++) {
        const struct qemu_setting *s = &q->settings[i];
        unsigned long long every = s->every > 0 ? s->every : QEMU_EVERY;
        r->settings[i] = (struct recording_setting){.length = s->transfers    ? 2
                                                              : s->length > 0 ? s->length
                                                                              : 25,
                                                    .transfers = s->transfers};
        len += (size_t)(s->transfers
                            ? snprintf(r->plugin + len, sizeof r->plugin - len,
                                       ",transfers=%llu/%llu", every, (unsigned long long)s->seed)
                            : snprintf(r->plugin + len, sizeof r->plugin - len, ",batches=%llu/%u",
                                       every, r->settings[i].length));
    }
}

/* The environment is part of what a program may depend on: the same for all, but for what the
 * request adds. Hash tables of Python and Perl are seeded by it. */
static void make_env(struct run *r) {
    static const char *const usual[] = {"PATH=/usr/bin:/bin", "LC_ALL=C",
                                        "HOME=/nonexistent",  "TZ=UTC0",
                                        "PYTHONHASHSEED=0",   "PERL_HASH_SEED=0"};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        size_t name = strcspn(usual[i], "=") + 1;
        bool given = false;
        for (const char *const *own = r->request->env; own != NULL && *own != NULL; own++)
            given |= strncmp(*own, usual[i], name) == 0;
        if (!given)
            push_env(r, usual[i]);
    }
    for (const char *const *own = r->request->env; own != NULL && *own != NULL; own++)
        push_env(r, *own);
    /* QEMU itself is to take its clock from the plugin; the program is not. */
    snprintf(r->preload, sizeof r->preload, "LD_PRELOAD=%s", r->request->plugin);
    push_env(r, r->preload);
    push_env(r, NULL);
}

static enum status prepare(struct run *r, struct error *e) {
    const struct qemu_request *q = r->request;
    enum status status = find_emulator(r->target, r->emulator, sizeof r->emulator, e);
    if (status != STATUS_OK)
        return status;
    if (strchr(q->plugin, ',') != NULL || strlen(q->plugin) > 1000)
        return error_set(e, STATUS_UNSUPPORTED, "%s: QEMU cannot load a plugin of this path",
                         q->plugin);
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

/* ---- running ---- */

/* What a process inherits is part of what a program may look at: the same for all, whoever starts
 * us (nohup, for one, leaves SIGHUP ignored, which xz looks for). */
static void forget_inherited(void) {
    static const struct rlimit stack = {8 << 20, 8 << 20}, files = {1024, 1024};
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    umask(022);
    setrlimit(RLIMIT_STACK, &stack); /* where the hard limits are lower, they stay */
    setrlimit(RLIMIT_NOFILE, &files);
}

/* In the child; what goes wrong is told through the status that shells use. */
static void become_program(const struct run *r, int input, int output) {
    if (dup2(input, 0) < 0 || dup2(output >= 0 ? output : r->pipes[0][1], 1) < 0 ||
        dup2(r->pipes[1][1], 2) < 0)
        _exit(126);
    for (int descriptor = 3; descriptor < 64; descriptor++)
        close(descriptor); /* the program sees its first three, always */
    if (r->request->folder != NULL && chdir(r->request->folder) != 0)
        _exit(126);
    forget_inherited();
    execve(r->emulator, r->argv.at, r->env.at);
    _exit(127);
}

static bool copy_some(int from, int to) {
    char buffer[1 << 16];
    ssize_t got = read(from, buffer, sizeof buffer);
    if (got <= 0)
        return got < 0 && errno == EINTR;
    for (ssize_t done = 0; done < got;) {
        ssize_t n = write(to, buffer + done, (size_t)(got - done));
        if (n < 0 && errno != EINTR)
            break; /* nobody reads us: the program goes on */
        done += n > 0 ? n : 0;
    }
    return true;
}

enum { LOOK_MILLISECONDS = 100 };

static bool is_stopped(const struct run *r) {
    return r->request->stopped != NULL && r->request->stopped() != 0;
}

/* Until the program has closed both, or is stopped. */
static void copy_output(const struct run *r, pid_t child) {
    struct pollfd wait[2] = {{.fd = r->pipes[0][0], .events = POLLIN},
                             {.fd = r->pipes[1][0], .events = POLLIN}};
    while (wait[0].fd >= 0 || wait[1].fd >= 0) {
        if (poll(wait, 2, r->request->stopped != NULL ? LOOK_MILLISECONDS : -1) < 0 &&
            errno != EINTR)
            return;
        if (is_stopped(r)) {
            kill(child, SIGKILL);
            return;
        }
        for (int i = 0; i < 2; i++)
            if (wait[i].fd >= 0 && (wait[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0 &&
                !copy_some(wait[i].fd, i + 1))
                wait[i].fd = -1;
    }
}

static void close_all(struct run *r, int input, int output) {
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (r->pipes[i][k] >= 0)
                close(r->pipes[i][k]);
    if (input >= 0)
        close(input);
    if (output >= 0)
        close(output);
}

static enum status open_files(struct run *r, int *input, int *output, struct error *e) {
    const struct qemu_request *q = r->request;
    const char *from = q->input != NULL ? q->input : "/dev/null";
    if ((*input = open(from, O_RDONLY | O_CLOEXEC)) < 0)
        return file_unopened(from, errno, e);
    if (q->output != NULL &&
        (*output = open(q->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0)
        return file_unmade(q->output, "cannot be written", errno, e);
    for (int i = 0; i < 2; i++)
        if (pipe2(r->pipes[i], O_CLOEXEC) != 0)
            return error_set(e, STATUS_IO, "no pipe for the program's output: %s", strerror(errno));
    return STATUS_OK;
}

static enum status run_program(struct run *r, int *status_word, struct error *e) {
    int input = -1, output = -1;
    enum status status = open_files(r, &input, &output, e);
    pid_t child = status == STATUS_OK ? fork() : -1;
    if (child == 0)
        become_program(r, input, output);
    if (status == STATUS_OK && child < 0)
        status = error_set(e, STATUS_IO, "no process for QEMU: %s", strerror(errno));
    if (child > 0) {
        close(r->pipes[0][1]);
        close(r->pipes[1][1]);
        r->pipes[0][1] = r->pipes[1][1] = -1;
        copy_output(r, child);
        while (waitpid(child, status_word, 0) < 0 && errno == EINTR)
            ;
    }
    close_all(r, input, output);
    return status;
}

/* Why there is no recording. */
static enum status explain(const struct run *r, int status_word, struct error *e) {
    const char *program = r->request->argv[0];
    if (is_stopped(r))
        return error_set(e, STATUS_INTERRUPTED, "stopped");
    if (WIFSIGNALED(status_word))
        return error_set(
            e, STATUS_GUEST,
            "%s: ended by signal %d (%s); only programs that end by themselves leave a "
            "recording",
            program, WTERMSIG(status_word), strsignal(WTERMSIG(status_word)));
    if (WEXITSTATUS(status_word) == 126 || WEXITSTATUS(status_word) == 127)
        return error_set(e, STATUS_IO, "%s: could not be started by %s%s%s", program, r->emulator,
                         r->request->folder != NULL ? " in " : "",
                         r->request->folder != NULL ? r->request->folder : "");
    return error_set(e, STATUS_GUEST,
                     "%s: exit status %d, and no recording: it was not started, or became another "
                     "program (exec)",
                     program, WEXITSTATUS(status_word));
}

static enum status check_request(const struct qemu_request *q, struct error *e) {
    if (q->setting_count > QEMU_SETTINGS)
        return error_set(e, STATUS_ARGUMENT, "at most %d streams from one run", QEMU_SETTINGS);
    for (size_t i = 0; i < q->setting_count; i++) {
        const struct qemu_setting *s = &q->settings[i];
        uint64_t every = s->every > 0 ? s->every : QEMU_EVERY, length = s->length ? s->length : 25;
        if (!s->transfers && length > every)
            return error_set(e, STATUS_ARGUMENT,
                             "a batch of %llu instructions does not fit between batches that begin "
                             "every %llu",
                             (unsigned long long)length, (unsigned long long)every);
    }
    return STATUS_OK;
}

static enum status run_in(struct run *r, const char *folder, struct qemu_result *out,
                          struct error *e) {
    int word = 0;
    snprintf(r->recording, sizeof r->recording, "%s/recording", folder);
    enum status status = prepare(r, e);
    if (status == STATUS_OK)
        status = run_program(r, &word, e);
    if (status == STATUS_OK && access(r->recording, F_OK) != 0)
        status = explain(r, word, e);
    if (status == STATUS_OK)
        status = recording_read(out, r->recording, r->settings, r->request->setting_count, e);
    if (status == STATUS_OK && out->threads > 1 && out->stream_count > 0)
        status = error_set(e, STATUS_GUEST,
                           "%s: it runs threads, so no two runs are alike: there is no stream of "
                           "it, only the exact graph of one run",
                           r->request->argv[0]);
    out->exit_status = WIFSIGNALED(word) ? 128 + WTERMSIG(word) : WEXITSTATUS(word);
    unlink(r->recording);
    return status;
}

/* Graph and streams say what they are of, so that those of two programs are not mixed. */
static enum status name_program(struct qemu_result *r, const char *path, struct error *e) {
    struct file_reader *file;
    struct file_view view;
    enum status status = file_open_reader(&file, path, e);
    if (status != STATUS_OK)
        return status;
    status = file_view(&view, file, e);
    if (status == STATUS_OK) {
        sha1_hex(view.at, view.len, r->graph.program);
        file_view_free(&view);
    }
    file_close_reader(file, NULL);
    r->graph.kind = GRAPH_EXACT;
    for (size_t i = 0; i < r->stream_count; i++)
        memcpy(r->streams[i].program, r->graph.program, sizeof r->graph.program);
    return status;
}

enum status qemu_record(const struct qemu_request *request, struct qemu_result *out,
                        struct error *e) {
    *out = (struct qemu_result){0};
    struct run r = {.request = request, .pipes = {{-1, -1}, {-1, -1}}};
    char path[QEMU_PATH];
    enum status status = check_request(request, e);
    qemu_program_path(request->folder, request->argv[0], path);
    if (status == STATUS_OK)
        status = find_target(&r.target, path, e);
    if (status != STATUS_OK)
        return status;
    const char *scratch = getenv("TMPDIR");
    char folder[256];
    bool usable = scratch != NULL && strchr(scratch, ',') == NULL && strlen(scratch) < 200;
    snprintf(folder, sizeof folder, "%s/hotgraph-XXXXXX", usable ? scratch : "/tmp");
    if (mkdtemp(folder) == NULL)
        return file_unmade(folder, "cannot be made", errno, e);
    out->target = r.target->name;
    status = run_in(&r, folder, out, e);
    if (status == STATUS_OK)
        status = name_program(out, path, e);
    rmdir(folder);
    vec_free(&r.argv);
    vec_free(&r.env);
    if (status != STATUS_OK)
        qemu_result_free(out);
    return status;
}

void qemu_result_free(struct qemu_result *r) {
    graph_free(&r->graph);
    structure_free(&r->structure);
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
    } else if (r->partial > 0) {
        count = r->partial;
        error_set(out, STATUS_OK,
                  "%llu times a block of instructions was left in its middle (faults, code that "
                  "changes itself) and counted whole; --single-step is exact",
                  count);
    } else if (r->signals > 0) {
        count = r->signals;
        error_set(out, STATUS_OK,
                  "%llu signals were handled; unless the program raised them itself, another run "
                  "may give other counts",
                  count);
    } else {
        return false;
    }
    return true;
}
