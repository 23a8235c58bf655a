#include "commands/native/native_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum status native_find_program(const char *name, char *out, size_t size, struct error *e) {
    const char *path = getenv("PATH");
    if (strchr(name, '/') != NULL) {
        snprintf(out, size, "%s", name);
        return STATUS_OK;
    }
    for (const char *p = path != NULL ? path : "/usr/bin:/bin"; *p != 0;) {
        size_t n = strcspn(p, ":");
        snprintf(out, size, "%.*s/%s", n > 0 ? (int)n : 1, n > 0 ? p : ".", name);
        struct stat st;
        if (access(out, X_OK) == 0 && stat(out, &st) == 0 && S_ISREG(st.st_mode))
            return STATUS_OK;
        p += n + (p[n] == ':');
    }
    return error_set(e, STATUS_ARGUMENT, "%s: program not found; give its path, or check $PATH",
                     name);
}

enum status native_rows_program(struct db *db, const char *path, char *const *argv, int64_t *id,
                                struct error *e) {
    char file[33], all[33], command[1000] = "";
    enum status s = hash_file(path, file, e);
    if (s != STATUS_OK)
        return s;
    struct hash *h = hash_start();
    hash_add(h, "%s", file);
    size_t n = 0;
    for (size_t i = 0; argv[i] != NULL; i++) {
        const char *word =
            i == 0 && strrchr(argv[0], '/') != NULL ? strrchr(argv[0], '/') + 1 : argv[i];
        if (i > 0)
            hash_add_bytes(h, word, strlen(word) + 1);
        if (n < sizeof command)
            n += (size_t)snprintf(command + n, sizeof command - n, "%s%s", i > 0 ? " " : "", word);
    }
    if (!hash_finish(h, all))
        return error_set(e, STATUS_MEMORY, "out of memory");
    const char *slash = strrchr(path, '/');
    struct db_native_program row = {
        .hash = all, .name = slash != NULL ? slash + 1 : path, .command = command};
    s = db_put_native_program(db, &row, e);
    *id = row.native_program_id;
    return s;
}

/* The program is the first object in the file. */
static bool is_own(const struct native_report *r, const struct native_site *s) {
    return r->objects.len > 0 && s->object == r->objects.at[0];
}

static enum status put_share(struct db *db, const struct native_report *r, int64_t program_id,
                             const struct native_rows *what, struct error *e) {
    int64_t by[HOTPROBE_STRATEGIES] = {0};
    struct db_native_share row = db_new_native_share();
    row.native_program_id = program_id;
    row.kind = what->kind;
    row.assignment = what->assignment;
    row.sites = row.refused = row.unproven = row.trapped = 0;
    for (size_t i = 0; i < r->sites.len; i++) {
        const struct native_site *s = &r->sites.at[i];
        if (!is_own(r, s))
            continue;
        row.sites++;
        if (s->reason == HOTPROBE_DONE)
            by[s->strategy]++;
        else
            row.refused++;
        row.trapped += s->strategy == HOTPROBE_TRAP ? (int64_t)s->count : 0;
        row.unproven += s->reason == HOTPROBE_UNPROVEN_JUMPS;
    }
    row.over_one = by[HOTPROBE_OVER_ONE];
    row.over_several = by[HOTPROBE_OVER_SEVERAL];
    row.padding = by[HOTPROBE_PADDING];
    row.reachable = by[HOTPROBE_REACHABLE];
    row.constrained = by[HOTPROBE_CONSTRAINED];
    row.trap = by[HOTPROBE_TRAP];
    return db_put_native_share(db, &row, e);
}

enum status native_rows_put(struct db *db, const struct native_report *r, int64_t program_id,
                            const struct native_rows *what, struct error *e) {
    enum status status =
        what->assignment != NULL ? put_share(db, r, program_id, what, e) : STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < r->sites.len; i++) {
        const struct native_site *s = &r->sites.at[i];
        if (!is_own(r, s) || s->reason != HOTPROBE_DONE || s->address != s->start)
            continue;
        char address[24];
        snprintf(address, sizeof address, "0x%llx", (unsigned long long)s->address);
        struct db_native_routine row = {.native_program_id = program_id,
                                        .tool = "hotgraph",
                                        .address = (int64_t)s->address,
                                        .name = s->function != NULL ? s->function : address,
                                        .calls = (int64_t)s->count};
        status = db_put_native_routine(db, &row, e);
    }
    return status;
}
