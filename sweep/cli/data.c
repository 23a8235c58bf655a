#include "cli/cli.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* BIN/../share/hotgraph/NAME, wherever the program is installed; NULL if that is unknown. */
static char *installed(const char *name) {
    char program[PATH_MAX];
    const ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    if (len <= 0)
        return NULL;
    program[len] = '\0';
    char *path = NULL;
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(program, '/');
        if (slash == NULL)
            return NULL;
        *slash = '\0';
    }
    return asprintf(&path, "%s/share/hotgraph/%s", program, name) >= 0 ? path : NULL;
}

char *data_find(const char *name) {
    if (name[0] == '/' || access(name, F_OK) == 0)
        return strdup(name);
    char *path = installed(name);
    if (path != NULL && access(path, F_OK) == 0)
        return path;
    free(path);
    return strdup(name);
}
