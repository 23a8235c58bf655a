#include "qemu/plugin/next_program.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    STRING_MOST = 1 << 17, /* Linux's MAX_ARG_STRLEN */
    WORDS_MOST = 1 << 20,
    SCRIPTS_MOST = 4, /* interpreters that are scripts themselves */
    HEAD = 256        /* bytes of a script that Linux looks at */
};
static const char preload[] = "LD_PRELOAD=";

/* ---- the emulator ---- */

static char *read_command_line(size_t *size) {
    VEC(char) text = {0};
    FILE *file = fopen("/proc/self/cmdline", "re");
    bool ok = file != NULL;
    for (int c; ok && (c = getc(file)) != EOF;)
        ok = vec_push(&text, (char)c);
    if (file != NULL)
        fclose(file);
    if (!ok || text.len == 0 || text.at[text.len - 1] != '\0')
        vec_free(&text);
    *size = text.len;
    return text.at;
}

bool exec_find_emulator(struct exec_emulator *out) {
    size_t size;
    *out = (struct exec_emulator){.text = read_command_line(&size)};
    char *at = out->text, *const end = at != NULL ? at + size : NULL;
    for (; at < end && strcmp(at, "-plugin") != 0; at += strlen(at) + 1)
        if (!vec_push(&out->words, at))
            return false;
    if (at >= end || (at += strlen(at) + 1) >= end)
        return false;
    out->plugin = at;
    at += strlen(at) + 1;
    out->plugin[strcspn(out->plugin, ",")] = '\0';
    while (at < end && (strcmp(at, "-0") == 0 || strcmp(at, "-E") == 0)) {
        at += strlen(at) + 1;
        at += at < end ? strlen(at) + 1 : 0;
    }
    out->program = at < end ? realpath(at, NULL) : NULL;
    return out->words.len > 0;
}

/* ---- what the guest asks for ---- */

static bool read_guest(const struct kernel *k, uint64_t guest, void *to, size_t size) {
    const struct iovec local = {to, size},
                       remote = {(void *)(uintptr_t)(k->guest_base + guest), size};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/* NULL: there is none, it is too long, or memory is out. The caller frees it. */
static char *read_string(const struct kernel *k, uint64_t guest) {
    VEC(char) text = {0};
    while (guest != 0 && text.len < STRING_MOST) {
        const size_t part = PAGE - guest % PAGE; /* the next page may not exist */
        if (!vec_reserve(&text, text.len + part) || !read_guest(k, guest, text.at + text.len, part))
            break;
        if (memchr(text.at + text.len, '\0', part) != NULL)
            return text.at;
        text.len += part;
        guest += part;
    }
    vec_free(&text);
    return NULL;
}

static bool read_words(const struct kernel *k, uint64_t guest, struct exec_call *c, bool env) {
    for (size_t i = 0; guest != 0 && i < WORDS_MOST; i++) {
        uint64_t at;
        if (!read_guest(k, guest + i * sizeof at, &at, sizeof at))
            return false;
        if (at == 0)
            return true;
        char *word = read_string(k, at);
        if (word == NULL || !(env ? vec_push(&c->env, word) : vec_push(&c->words, word))) {
            free(word);
            return false;
        }
    }
    return guest == 0;
}

/* The path of execveat's file: relative to a folder, or that of a descriptor. */
static char *path_at(int folder, char *path) {
    char name[64], real[RECORDING_PATH], *whole = NULL;
    if (path == NULL || path[0] == '/' || folder == AT_FDCWD)
        return path;
    snprintf(name, sizeof name, "/proc/self/fd/%d", folder);
    const ssize_t len = readlink(name, real, sizeof real - 1);
    real[len > 0 ? len : 0] = '\0';
    if (len > 0 && asprintf(&whole, "%s%s%s", real, path[0] != '\0' ? "/" : "", path) < 0)
        whole = NULL;
    free(path);
    return whole;
}

static bool read_call(struct exec_call *c, const struct kernel_call *call, const struct kernel *k) {
    const bool at = call->number == k->target->syscalls.execveat;
    const uint64_t *a = call->argument + at;
    c->path = read_string(k, a[0]);
    if (at)
        c->path = path_at((int)call->argument[0], c->path);
    return c->path != NULL && read_words(k, a[1], c, false) && read_words(k, a[2], c, true);
}

/* ---- what will run ---- */

/* "#!INTERPRETER [ARGUMENT]": the interpreter becomes the program, and the script its argument. */
static bool take_interpreter(struct exec_call *c, char head[HEAD + 1]) {
    char *line = head + 2, *argument;
    line[strcspn(line, "\n")] = '\0';
    line += strspn(line, " \t");
    argument = line + strcspn(line, " \t");
    if (*argument != '\0')
        *argument++ = '\0';
    argument += strspn(argument, " \t");
    for (size_t len = strlen(argument); len > 0 && strchr(" \t", argument[len - 1]) != NULL;)
        argument[--len] = '\0';
    const size_t more = argument[0] != '\0' ? 2 : 1;
    char *interpreter = strdup(line), *first = strdup(line), *option = strdup(argument);
    if (line[0] == '\0' || interpreter == NULL || first == NULL || option == NULL ||
        !vec_reserve(&c->words, c->words.len + more + 1)) {
        free(interpreter);
        free(first);
        free(option);
        return false;
    }
    const size_t old = c->words.len > 0 ? 1 : 0; /* the script's name replaces the first word */
    if (old > 0)
        free(c->words.at[0]);
    memmove(c->words.at + more + 1, c->words.at + old, (c->words.len - old) * sizeof *c->words.at);
    c->words.len += more + 1 - old;
    c->words.at[0] = first;
    if (more == 2)
        c->words.at[1] = option;
    else
        free(option);
    c->words.at[more] = c->path;
    c->path = interpreter;
    return true;
}

static size_t read_head(const char *path, char head[HEAD + 1]) {
    FILE *file = fopen(path, "re");
    const size_t got = file != NULL ? fread(head, 1, HEAD, file) : 0;
    if (file != NULL)
        fclose(file);
    head[got] = '\0';
    return got;
}

/* A program that starts itself anew as /proc/self/exe names the emulator. */
static bool is_emulator(const struct stat *file) {
    struct stat self;
    return stat("/proc/self/exe", &self) == 0 && self.st_dev == file->st_dev &&
           self.st_ino == file->st_ino;
}

static void judge_program(struct exec_call *c, const struct stat *file, const Elf64_Ehdr *header,
                          const struct target *target) {
    if ((file->st_mode & (S_ISUID | S_ISGID)) != 0 && file->st_uid != geteuid())
        snprintf(c->reason, sizeof c->reason, "it changes its user");
    else if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != target->machine)
        snprintf(c->reason, sizeof c->reason, "it is for another processor");
}

/* False: execve will fail. */
static bool find_program(struct exec_call *c, const struct exec_emulator *emulator,
                         const struct target *target) {
    for (int i = 0; i <= SCRIPTS_MOST; i++) {
        struct stat file;
        char head[HEAD + 1];
        Elf64_Ehdr header;
        if (stat(c->path, &file) != 0 || !S_ISREG(file.st_mode) || access(c->path, X_OK) != 0)
            return false;
        if (is_emulator(&file) && emulator->program != NULL) {
            free(c->path);
            if ((c->path = strdup(emulator->program)) == NULL)
                return false;
        }
        const size_t got = read_head(c->path, head);
        if (got == 0 && file.st_size > 0) {
            snprintf(c->reason, sizeof c->reason, "its file cannot be read");
            return true;
        }
        if (got >= sizeof header && memcmp(head, ELFMAG, SELFMAG) == 0) {
            memcpy(&header, head, sizeof header);
            judge_program(c, &file, &header, target);
            return true;
        }
        if (got < 2 || memcmp(head, "#!", 2) != 0 || !take_interpreter(c, head))
            return false;
    }
    return false;
}

bool exec_read(struct exec_call *out, const struct kernel_call *call, const struct kernel *k,
               const struct exec_emulator *emulator) {
    *out = (struct exec_call){0};
    if (k->guest_base == UINT64_MAX || !read_call(out, call, k))
        return false;
    if (out->words.len == 0) {
        char *empty = strdup("");
        if (empty == NULL || !vec_push(&out->words, empty)) {
            free(empty);
            return false;
        }
    }
    return find_program(out, emulator, k->target);
}

char *exec_describe(const struct exec_call *c, size_t *size) {
    char *real = realpath(c->path, NULL);
    const char *path = real != NULL ? real : c->path;
    *size = strlen(path) + 1;
    for (size_t i = 0; i < c->words.len; i++)
        *size += strlen(c->words.at[i]) + 1;
    char *text = malloc(*size), *at = text;
    if (at != NULL)
        at = stpcpy(at, path) + 1;
    for (size_t i = 0; at != NULL && i < c->words.len; i++)
        at = stpcpy(at, c->words.at[i]) + 1;
    free(real);
    return text;
}

void exec_run(const struct exec_call *c, const struct exec_emulator *emulator,
              const char *arguments) {
    VEC(char *) argv = {0};
    VEC(char *) env = {0};
    char *own = NULL, *plugin = NULL;
    bool ok = asprintf(&own, "%s%s", preload, emulator->plugin) >= 0 &&
              asprintf(&plugin, "%s%s", emulator->plugin, arguments) >= 0;
    for (size_t i = 0; ok && i < emulator->words.len; i++)
        ok = vec_push(&argv, emulator->words.at[i]);
    ok = ok && vec_push(&argv, (char *)"-plugin") && vec_push(&argv, plugin);
    for (size_t i = c->env.len; ok && i-- > 0;) { /* QEMU reverses their order */
        if (strncmp(c->env.at[i], preload, sizeof preload - 1) != 0)
            ok = vec_push(&env, c->env.at[i]);
        else if (strchr(c->env.at[i], ',') == NULL) /* at which QEMU divides them */
            ok = vec_push(&argv, (char *)"-E") && vec_push(&argv, c->env.at[i]);
    }
    ok = ok && vec_push(&argv, (char *)"-0");
    for (size_t i = 0; ok && i < c->words.len; i++)
        ok = vec_push(&argv, c->words.at[i]) && (i > 0 || vec_push(&argv, c->path));
    if (ok && vec_push(&argv, NULL) && vec_push(&env, own) && vec_push(&env, NULL))
        execve(argv.at[0], argv.at, env.at);
    vec_free(&argv);
    vec_free(&env);
    free(own);
    free(plugin);
}

void exec_free(struct exec_call *c) {
    for (size_t i = 0; i < c->words.len; i++)
        free(c->words.at[i]);
    for (size_t i = 0; i < c->env.len; i++)
        free(c->env.at[i]);
    vec_free(&c->words);
    vec_free(&c->env);
    free(c->path);
    *c = (struct exec_call){0};
}
