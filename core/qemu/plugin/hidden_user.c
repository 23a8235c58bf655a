/*
 * What the guest is told about its user and its own file. The plugin is preloaded, so QEMU calls
 * these instead of the C library; nothing else in QEMU depends on them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qemu/plugin/kernel.h"
#include "qemu/recording.h"

#define EXPORT __attribute__((visibility("default")))

/* QEMU's answer to the guest's /proc/self/exe. A program that was started by a path below
 * /proc/self/cwd sees that path, which does not depend on the folder's name; others see their real
 * path. (QEMU is built with _FORTIFY_SOURCE, which renames the call.) */
char *__realpath_chk(const char *path, char *resolved, size_t size);
EXPORT char *__realpath_chk(const char *path, char *resolved, size_t size) {
    static const char here[] = RECORDING_HERE;
    if (resolved == NULL)
        return NULL;
    if (strncmp(path, here, sizeof here - 1) == 0) {
        snprintf(resolved, size, "%s", path);
        return resolved;
    }
    char *whole = canonicalize_file_name(path);
    if (whole == NULL)
        return NULL;
    snprintf(resolved, size, "%s", whole);
    free(whole);
    return resolved;
}

/* The identity of the recording user is hidden. */
EXPORT uid_t getuid(void) {
    return KERNEL_USER;
}

EXPORT uid_t geteuid(void) {
    return KERNEL_USER;
}

EXPORT gid_t getgid(void) {
    return KERNEL_USER;
}

EXPORT gid_t getegid(void) {
    return KERNEL_USER;
}

EXPORT int getresuid(uid_t *real, uid_t *effective, uid_t *saved) {
    *real = *effective = *saved = KERNEL_USER;
    return 0;
}

EXPORT int getresgid(gid_t *real, gid_t *effective, gid_t *saved) {
    *real = *effective = *saved = KERNEL_USER;
    return 0;
}

EXPORT int getgroups(int size, gid_t list[]) {
    (void)size, (void)list;
    return 0;
}
