#include "cli/cli.h"
#include "cli/manual.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* ---- which file a path is ---- */

/* Identifies a file; a file that does not exist, by its folder and its name. */
struct identity {
    dev_t device;
    ino_t inode;
    const char *name; /* NULL for an existing file */
    bool known;
    bool is_special; /* a device or a pipe */
    bool is_null;    /* /dev/null may be named repeatedly */
};

static bool stat_folder(const char *path, struct stat *out) {
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const size_t len = slash == NULL ? 0 : (size_t)(slash - path);
    if (len >= sizeof folder)
        return false;
    memcpy(folder, path, len);
    folder[len] = '\0';
    return stat(slash == NULL ? "." : len == 0 ? "/" : folder, out) == 0;
}

static struct identity identify(const char *path) {
    struct stat is;
    if (stat(path, &is) == 0)
        return (struct identity){.device = is.st_dev,
                                 .inode = is.st_ino,
                                 .known = true,
                                 .is_special = !S_ISREG(is.st_mode) && !S_ISDIR(is.st_mode),
                                 .is_null = S_ISCHR(is.st_mode) && is.st_rdev == makedev(1, 3)};
    const char *slash = strrchr(path, '/');
    if (!stat_folder(path, &is))
        return (struct identity){0};
    return (struct identity){.device = is.st_dev,
                             .inode = is.st_ino,
                             .name = slash != NULL ? slash + 1 : path,
                             .known = true};
}

static bool are_one(const struct identity *a, const struct identity *b) {
    if (!a->known || !b->known || a->device != b->device || a->inode != b->inode)
        return false;
    return a->name == NULL || b->name == NULL ? a->name == b->name : strcmp(a->name, b->name) == 0;
}

/* ---- whether it can be written ---- */

static enum status check_folder_to_fill(const char *path, struct error *e) {
    struct stat is;
    if (stat(path, &is) != 0)
        return STATUS_OK; /* it will be created; if that fails, the error says why */
    if (!S_ISDIR(is.st_mode))
        return error_set(e, STATUS_IO, "%s: is not a folder", path);
    return access(path, W_OK | X_OK) == 0 ? STATUS_OK
                                          : file_unmade(path, "cannot be written", errno, e);
}

/* Checks what file_open() needs: it writes beside the file and replaces it when complete. */
static enum status check_output(const char *path, struct error *e) {
    struct stat is;
    char real[PATH_MAX], folder[PATH_MAX];
    const char *at = path;
    if (stat(path, &is) == 0) {
        if (S_ISDIR(is.st_mode))
            return file_unmade(path, "cannot be written", EISDIR, e);
        if (access(path, W_OK) != 0)
            return file_unmade(path, "cannot be written", errno, e);
        if (!S_ISREG(is.st_mode))
            return STATUS_OK;
        if (realpath(path, real) != NULL)
            at = real;
    }
    const char *slash = strrchr(at, '/');
    if (slash != NULL && slash[1] == '\0')
        return file_unmade(path, "cannot be written", EISDIR, e);
    if (slash != NULL && (size_t)(slash - at) >= sizeof folder)
        return file_unmade(path, "cannot be written", ENAMETOOLONG, e);
    snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - at) + 1 : 1,
             slash != NULL ? at : ".");
    if (access(folder, W_OK | X_OK) != 0)
        return file_unmade(path, "cannot be written", errno, e);
    return stat(folder, &is) == 0 && S_ISDIR(is.st_mode)
               ? STATUS_OK
               : file_unmade(path, "cannot be written", ENOTDIR, e);
}

/* Does not open the file, which may be a pipe. */
static enum status check_input(const char *path, struct error *e) {
    struct stat is;
    if (access(path, R_OK) != 0 || stat(path, &is) != 0)
        return file_unopened(path, errno, e);
    return S_ISDIR(is.st_mode) ? file_unopened(path, EISDIR, e) : STATUS_OK;
}

/* ---- all files of a command ---- */

static bool is_output(const struct file_named *f) {
    return f->use != FILE_READ;
}

/* A special file, such as a terminal, may be both read and written. */
static bool do_clash(const struct file_named *x, const struct identity *a,
                     const struct file_named *y, const struct identity *b) {
    if ((!is_output(x) && !is_output(y)) || !are_one(a, b))
        return false;
    return is_output(x) && is_output(y) ? !a->is_null : !a->is_special;
}

static int clash(const char *command, const struct file_named *a, const struct file_named *b) {
    const struct file_named *out = is_output(a) ? a : b, *other = out == a ? b : a;
    if (is_output(other))
        return usage_error(command, "%s and %s are the same file, '%s': name different files",
                           a->what, b->what, b->path);
    return usage_error(command, "%s would overwrite %s, '%s'", out->what, other->what, other->path);
}

int files_check(const char *command, const struct file_named *files, size_t count) {
    struct error e = {0};
    for (size_t i = 0; i < count; i++) {
        const struct identity a = identify(files[i].path);
        for (size_t k = 0; k < i; k++) {
            const struct identity b = identify(files[k].path);
            if (do_clash(&files[i], &a, &files[k], &b))
                return clash(command, &files[k], &files[i]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        enum status status = STATUS_OK;
        if (files[i].use == FILE_WRITTEN)
            status = check_output(files[i].path, &e);
        else if (files[i].use == FILE_FOLDER)
            status = check_folder_to_fill(files[i].path, &e);
        if (status != STATUS_OK)
            return failure(&e);
    }
    return 0;
}

/* ---- those of a command line ---- */

struct all_files {
    VEC(struct file_named) list;
    VEC(char *) names; /* "--out" */
    bool memory;       /* out of memory */
};

static void add_value(struct all_files *all, const struct option_spec *o, const char *value) {
    char *name = NULL;
    if (value == NULL)
        return;
    if (o->path != NULL && (value = o->path(value)) == NULL)
        return; /* the command reports that itself */
    if (asprintf(&name, "--%s", o->name) < 0 || !vec_push(&all->names, name)) {
        free(name);
        all->memory = true;
        return;
    }
    const struct file_named file = {name, value, o->file};
    all->memory |= !vec_push(&all->list, file);
}

static void add_option(struct all_files *all, const struct option_spec *o) {
    if (o->file == FILE_NONE)
        return;
    if (o->kind == OPTION_STRING)
        add_value(all, o, *(const char **)o->to);
    const struct option_list *list = o->to;
    for (size_t i = 0; o->kind == OPTION_LIST && i < list->items.len; i++)
        add_value(all, o, list->items.at[i]);
}

static void free_all(struct all_files *all) {
    for (size_t i = 0; i < all->names.len; i++)
        free(all->names.at[i]);
    vec_free(&all->names);
    vec_free(&all->list);
}

bool files_are_written(const struct usage *u) {
    const struct option_spec *rows[OPTIONS_MOST];
    struct all_files all = {0};
    for (size_t i = 0, n = usage_rows(u, rows); i < n; i++)
        if (rows[i]->file != FILE_READ)
            add_option(&all, rows[i]);
    const bool some = all.list.len > 0 || all.memory;
    free_all(&all);
    return some;
}

int files_check_options(const struct usage *u, const struct file_named *more, size_t count) {
    const struct option_spec *rows[OPTIONS_MOST];
    const size_t n = usage_rows(u, rows);
    struct all_files all = {0};
    for (size_t i = 0; i < count; i++)
        all.memory |= !vec_push(&all.list, more[i]);
    for (size_t i = 0; i < n; i++)
        add_option(&all, rows[i]);
    int status = all.memory ? failure(&(struct error){.text = "out of memory"})
                            : files_check(u->command, all.list.at, all.list.len);
    struct error e = {0};
    for (size_t i = count; i < all.list.len && status == 0; i++)
        if (all.list.at[i].use == FILE_READ && check_input(all.list.at[i].path, &e) != STATUS_OK)
            status = failure(&e);
    free_all(&all);
    return status;
}
