#include "config/config.h"

#include "nes/nes.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { DEEPEST = 4 };

static size_t missing(const struct rom_wish *wishes, size_t count) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += wishes[i].path == NULL;
    return n;
}

static enum status look_at(const char *path, struct rom_wish *wishes, size_t count,
                           struct error *e) {
    size_t len = strlen(path);
    struct cartridge *cartridge;
    if (len < 4 || strcasecmp(path + len - 4, ".nes") != 0 ||
        cartridge_load(&cartridge, path, NULL) != STATUS_OK)
        return STATUS_OK;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count; i++)
        if (wishes[i].path == NULL && strcmp(wishes[i].sha1, cartridge->sha1) == 0 &&
            (wishes[i].path = strdup(path)) == NULL)
            status = error_set(e, STATUS_MEMORY, "%s: out of memory", path);
    cartridge_free(cartridge);
    return status;
}

static enum status walk(const char *folder, int depth, struct rom_wish *wishes, size_t count,
                        struct error *e) {
    struct dirent **entries;
    int n = depth <= DEEPEST ? scandir(folder, &entries, NULL, alphasort) : -1;
    if (n < 0)
        return STATUS_OK;
    enum status status = STATUS_OK;
    for (int i = 0; i < n; i++) {
        char *path = NULL;
        struct stat info;
        bool skip = entries[i]->d_name[0] == '.' || missing(wishes, count) == 0 ||
                    asprintf(&path, "%s/%s", folder, entries[i]->d_name) < 0;
        free(entries[i]);
        if (skip)
            continue;
        if (status == STATUS_OK && stat(path, &info) == 0) {
            if (S_ISDIR(info.st_mode))
                status = walk(path, depth + 1, wishes, count, e);
            else if (S_ISREG(info.st_mode))
                status = look_at(path, wishes, count, e);
        }
        free(path);
    }
    free(entries);
    return status;
}

enum status roms_find(const char *folder, struct rom_wish *wishes, size_t count, struct error *e) {
    return missing(wishes, count) > 0 ? walk(folder, 0, wishes, count, e) : STATUS_OK;
}

const char *roms_folder(const char *configured) {
    const char *named = getenv("HOTGRAPH_ROMS");
    if (named != NULL && named[0] != '\0')
        return named;
    return configured != NULL ? configured : "roms";
}
