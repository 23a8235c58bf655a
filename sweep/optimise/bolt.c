#include "optimise/bolt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"

/* One thread for each BOLT, because several run side by side. BOLT does not note its command line
 * in the new file; otherwise the file's bytes would depend on paths. */
#define BOLT_OPTIONS "--reorder-blocks=ext-tsp", "--reorder-functions=cdsort", "--split-functions"

enum { SAID_MOST = 1 << 20, WORDS_MOST = 80 };

/* ---- programs whose messages are read ---- */

struct quiet_run {
    const char *const *words;
    char *const *env; /* NULL: ours */
    const char *folder, *input;
    bool output_too; /* its standard output counts as messages; otherwise it is dropped */
};

static char *read_said(int fd) {
    const off_t size = lseek(fd, 0, SEEK_END);
    const size_t len = size < 0 ? 0 : size > SAID_MOST ? SAID_MOST : (size_t)size;
    char *text = malloc(len + 1);
    const ssize_t got = text != NULL ? pread(fd, text, len, size - (off_t)len) : 0;
    if (text != NULL)
        text[got > 0 ? got : 0] = '\0';
    return text;
}

/* Runs the program to its end. *said: the end of its messages, freed by the caller. */
static enum status run_quietly(const struct quiet_run *r, int (*stopped)(void), int *exit_status,
                               char **said, double *seconds, struct error *e) {
    const char *from = r->input != NULL ? r->input : "/dev/null";
    const int scratch = child_scratch(), null = open("/dev/null", O_RDWR | O_CLOEXEC),
              input = open(from, O_RDONLY | O_CLOEXEC);
    const int files[3] = {input, r->output_too ? scratch : null, scratch};
    struct child child;
    int word = 0;
    enum status status = STATUS_OK;
    if (input < 0)
        status = file_unopened(from, errno, e);
    else if (scratch < 0 || null < 0)
        status = error_set(e, STATUS_IO, "no temporary file for the messages of %s: %s",
                           r->words[0], strerror(errno));
    if (status == STATUS_OK)
        status = child_start(&child,
                             &(struct child_request){.words = r->words,
                                                     .env = r->env,
                                                     .folder = r->folder,
                                                     .files = files,
                                                     .group = true},
                             e);
    if (status == STATUS_OK)
        status = child_wait(&child, stopped, &word, e);
    if (status == STATUS_OK && (*said = read_said(scratch)) == NULL)
        status = error_set(e, STATUS_MEMORY, "out of memory");
    *exit_status = child_status(word);
    if (seconds != NULL && status == STATUS_OK)
        *seconds = child.seconds;
    const int opened[] = {scratch, null, input};
    for (size_t i = 0; i < 3; i++)
        if (opened[i] >= 0)
            close(opened[i]);
    return status;
}

/* The line of the messages that names an error, or else the last one. */
static void error_line(const char *said, char *out, size_t size) {
    const char *at = strstr(said, "ERROR");
    while (at != NULL && at > said && at[-1] != '\n')
        at--;
    if (at == NULL) {
        const char *end = said + strlen(said);
        while (end > said && end[-1] == '\n')
            end--;
        for (at = end; at > said && at[-1] != '\n';)
            at--;
    }
    snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
}

/* ---- what there is ---- */

/* The text of the output after `key`, up to the end of its line. */
static enum status version_of(const char *program, const char *key, char *out, size_t size,
                              struct error *e) {
    char *said = NULL;
    int exit_status;
    const struct quiet_run run = {.words = (const char *const[]){program, "--version", NULL},
                                  .output_too = true};
    enum status status = run_quietly(&run, NULL, &exit_status, &said, NULL, e);
    const char *at = status == STATUS_OK ? strstr(said, key) : NULL;
    if (status == STATUS_OK && at == NULL)
        status = error_set(e, STATUS_UNSUPPORTED, "%s --version does not say its version", program);
    if (status == STATUS_OK) {
        at += strlen(key);
        snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
    }
    free(said);
    return status;
}

enum status tools_find(struct tools *out, int (*stopped)(void), struct error *e) {
    static const char *const options[] = {BOLT_OPTIONS};
    char version[100];
    *out = (struct tools){.stopped = stopped};
    if (!child_find("llvm-bolt-19", out->bolt, sizeof out->bolt) &&
        !child_find("llvm-bolt", out->bolt, sizeof out->bolt))
        return error_set(e, STATUS_UNSUPPORTED,
                         "there is no llvm-bolt-19 or llvm-bolt in $PATH; install Debian's package "
                         "bolt-19");
    if (!child_find("valgrind", out->cachegrind, sizeof out->cachegrind))
        out->cachegrind[0] = '\0';
    enum status status = version_of(out->bolt, "LLVM version ", version, sizeof version, e);
    if (status == STATUS_OK)
        status = version_of("qemu-x86_64", "version ", out->qemu, sizeof out->qemu, e);
    if (status == STATUS_OK)
        snprintf(out->about, sizeof out->about, "%s %s %s %s", version, options[0], options[1],
                 options[2]);
    return status;
}

/* ---- BOLT ---- */

/* "BOLT-WARNING: N (P% of all profiled) functions have invalid (possibly stale) profile." */
static uint64_t count_stale(const char *said) {
    static const char warning[] = "BOLT-WARNING: ";
    for (const char *at = said; (at = strstr(at, "have invalid (possibly stale) profile")) != NULL;
         at++) {
        const char *line = at;
        while (line > said && line[-1] != '\n')
            line--;
        uint64_t count;
        line += strncmp(line, warning, sizeof warning - 1) == 0 ? sizeof warning - 1 : 0;
        if (scan_decimal(&line, at, UINT64_MAX, &count))
            return count;
    }
    return 0;
}

enum status bolt_lay_out(const struct tools *t, const char *program, const char *profile,
                         const char *out, struct bolt_run *run, struct error *e) {
    const char *const words[] = {t->bolt,        program,
                                 "-o",           out,
                                 "--no-threads", "--bolt-info=0",
                                 BOLT_OPTIONS,   profile != NULL ? "--data" : NULL,
                                 profile,        NULL};
    char *said = NULL, why[400];
    int exit_status;
    enum status status = run_quietly(&(struct quiet_run){.words = words, .output_too = true},
                                     t->stopped, &exit_status, &said, &run->seconds, e);
    if (status == STATUS_OK && exit_status > 128)
        status = error_set(e, STATUS_UNSUPPORTED, "BOLT was ended by signal %d (%s)",
                           exit_status - 128, strsignal(exit_status - 128));
    if (status == STATUS_OK && exit_status != 0) {
        error_line(said, why, sizeof why);
        status = error_set(e, STATUS_UNSUPPORTED, "BOLT cannot lay %s out: %s", program, why);
    }
    run->stale = status == STATUS_OK ? count_stale(said) : 0;
    free(said);
    return status;
}

/* ---- cachegrind ---- */

enum status cachegrind_misses(const struct tools *t, const struct cachegrind_run *run,
                              uint64_t *misses, struct error *e) {
    const char *words[WORDS_MOST] = {t->cachegrind,
                                     "--tool=cachegrind",
                                     "--cache-sim=yes",
                                     "--I1=32768,8,64",
                                     "--D1=32768,8,64",
                                     "--LL=8388608,16,64",
                                     "--cachegrind-out-file=/dev/null"};
    size_t n = 7;
    for (size_t i = 0; run->words[i] != NULL && n + 1 < WORDS_MOST; i++)
        words[n++] = run->words[i];
    char *said = NULL, number[40];
    int exit_status;
    const struct quiet_run quiet = {
        .words = words, .env = run->env, .folder = run->folder, .input = run->input};
    enum status status = run_quietly(&quiet, t->stopped, &exit_status, &said, NULL, e);
    const char *at = status == STATUS_OK ? strstr(said, "I1  misses:") : NULL;
    size_t len = 0;
    for (at = at != NULL ? at + strlen("I1  misses:") : "";
         *at == ' ' || *at == ',' || (*at >= '0' && *at <= '9'); at++)
        if (*at >= '0' && *at <= '9' && len + 1 < sizeof number)
            number[len++] = *at;
    const char *digits = number;
    if (status == STATUS_OK && !scan_decimal(&digits, number + len, UINT64_MAX, misses))
        status = error_set(e, STATUS_GUEST, "cachegrind says nothing of the misses of %s",
                           run->words[0]);
    free(said);
    return status;
}
