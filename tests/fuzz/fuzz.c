#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool fuzz_thorough(void) {
    static unsigned inputs;
    return ++inputs <= 200 || inputs % 64 == 0;
}

/* ---- memory ---- */

static unsigned left; /* allocations until the one that fails; 0: none does */
static bool failed;

bool fuzz_fail_allocation(unsigned nth) {
    failed = false;
    left = nth <= FUZZ_MOST_ALLOCATIONS ? nth : 0;
    return left != 0;
}

bool fuzz_allocation_failed(void) {
    left = 0;
    return failed;
}

unsigned fuzz_later(unsigned nth) {
    return nth + 1 + nth / 16;
}

static bool fails(void) {
    if (left == 0 || --left != 0)
        return false;
    failed = true;
    return true;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size) {
    return fails() ? NULL : __real_malloc(size);
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : __real_calloc(count, size);
}

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size) {
    return fails() ? NULL : __real_realloc(old, size);
}

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text) {
    return fails() ? NULL : __real_strdup(text);
}

char *__real_strndup(const char *text, size_t size);
char *__wrap_strndup(const char *text, size_t size);
char *__wrap_strndup(const char *text, size_t size) {
    return fails() ? NULL : __real_strndup(text, size);
}

int __wrap_asprintf(char **out, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __wrap_asprintf(char **out, const char *format, ...) {
    va_list args;
    if (fails())
        return -1;
    va_start(args, format);
    int n = vasprintf(out, format, args);
    va_end(args);
    return n;
}

/* ---- files ---- */

static char folder[64];
static pid_t owner;

static void remove_folder(void) {
    DIR *dir = getpid() == owner ? opendir(folder) : NULL;
    if (dir == NULL)
        return;
    for (struct dirent *at; (at = readdir(dir)) != NULL;)
        unlinkat(dirfd(dir), at->d_name, 0);
    closedir(dir);
    rmdir(folder);
}

/* In a file system in memory, if there is one: targets write thousands of files a second. */
static void make_folder(void) {
    static const char *const places[] = {"/dev/shm", "/tmp"};
    for (size_t i = 0; i < 2; i++) {
        snprintf(folder, sizeof folder, "%s/hotgraph-fuzz-XXXXXX", places[i]);
        if (mkdtemp(folder) != NULL) {
            owner = getpid();
            atexit(remove_folder);
            return;
        }
    }
    perror("no scratch folder");
    exit(1);
}

const char *fuzz_path(const char *name) {
    static char paths[4][128];
    static unsigned next;
    if (folder[0] == 0)
        make_folder();
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

const char *fuzz_file(const char *name, const void *data, size_t size) {
    const char *path = fuzz_path(name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size || close(fd) != 0) {
        perror(path);
        exit(1);
    }
    return path;
}
