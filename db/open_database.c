/* Opens files of every version, and shares them with other programs. */
#include "db/row_name.h"
#include "db/versions.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

/* ---- waiting ---- */

#define PATIENCE_SECONDS 10.0

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

bool db_wait(struct db *db) {
    if (db->waited_since == 0)
        db->waited_since = now();
    double seconds = now() - db->waited_since;
    bool on = db->waiting != NULL ? db->waiting(db->waiting_user, seconds) == 0
                                  : seconds < PATIENCE_SECONDS;
    if (on)
        nanosleep(&(struct timespec){.tv_nsec = seconds < 0.1 ? 2000000 : 50000000}, NULL);
    return on;
}

void db_waited(struct db *db) {
    db->waited_since = 0;
}

static int on_busy(void *user, int calls) {
    if (calls == 0)
        db_waited(user);
    return db_wait(user);
}

void db_on_wait(struct db *db, int (*waiting)(void *user, double seconds), void *user) {
    db->waiting = waiting;
    db->waiting_user = user;
}

static int on_progress(void *user) {
    const struct db *db = user;
    return db->stopped() != 0;
}

void db_stop_when(struct db *db, int (*stopped)(void)) {
    db->stopped = stopped;
    sqlite3_progress_handler(db->handle, 100000, stopped != NULL ? on_progress : NULL, db);
}

/* SQLite's own locks are on bytes far below this one. A lock of an open file description survives
 * when SQLite closes another descriptor of the file. */
static int try_reserve(int fd) {
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = INT64_C(1) << 60, .l_len = 1};
    return fcntl(fd, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

enum status db_reserve(struct db *db, struct error *e) {
    if (db->reserved >= 0)
        return STATUS_OK;
    db->reserved = open(db->path, O_RDWR | O_CLOEXEC);
    if (db->reserved < 0)
        return STATUS_OK; /* a read-only file: the first put will report it */
    db_waited(db);
    for (int code; (code = try_reserve(db->reserved)) == EAGAIN || code == EACCES;)
        if (!db_wait(db))
            return error_set(e, STATUS_IO,
                             "%s: another sweep is working on it: let that finish, or name another "
                             "file",
                             db->path);
    return db_check_in_place(db, e);
}

/* True on a local file system, where programs can share memory. */
static bool is_local(const char *path) {
    static const unsigned long local[] = {
        EXT4_SUPER_MAGIC,      XFS_SUPER_MAGIC,      BTRFS_SUPER_MAGIC,
        TMPFS_MAGIC,           F2FS_SUPER_MAGIC,     RAMFS_MAGIC,
        OVERLAYFS_SUPER_MAGIC, 0x2FC12FC1 /* ZFS */, 0xCA451A4E /* bcachefs */,
    };
    struct statfs info;
    if (statfs(path, &info) != 0)
        return false;
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if ((unsigned long)info.f_type == local[i])
            return true;
    return false;
}

enum status db_begin_work(struct db *db, struct error *e) {
    enum status status = db_commit(db, e);
    if (status != STATUS_OK || db->write_ahead || !is_local(db->path))
        return status;
    /* Without it, work continues. */
    db->write_ahead =
        sqlite3_exec(db->handle, "PRAGMA journal_mode = WAL", NULL, NULL, NULL) == SQLITE_OK;
    return STATUS_OK;
}

/* ---- versions ---- */

/* Fails unless the file is ours and not newer than this program; *version becomes its version, 0
 * for an empty file. */
static enum status check_version(struct db *db, int64_t *version, struct error *e) {
    int64_t application, objects;
    enum status status;
    /* Outside a transaction another program may be creating the file, in a single commit. So the
     * last query decides. */
    if ((status = db_integer(db, "SELECT count(*) FROM main.sqlite_schema", 0, &objects, e, "")) ||
        (status = db_integer(db, "PRAGMA user_version", 0, version, e, "")) ||
        (status = db_integer(db, "PRAGMA application_id", 0, &application, e, "")))
        return status;
    bool empty = application == 0 && *version == 0 && objects == 0;
    if (application != DB_APPLICATION && !empty)
        return error_set(e, STATUS_FORMAT,
                         "%s: is an SQLite database, but not one of hotgraph's: name another file "
                         "(this one is left as it is)",
                         db->path);
    if (*version > DB_VERSION)
        return error_set(e, STATUS_UNSUPPORTED,
                         "%s: was written by a newer hotgraph (version %" PRId64
                         " of the schema, this program knows %d): use that one",
                         db->path, *version, DB_VERSION);
    return STATUS_OK;
}

static enum status is_current(struct db *db, int64_t *version, bool *current, struct error *e) {
    enum status status = check_version(db, version, e);
    *current = *version == DB_VERSION;
    return status == STATUS_OK && *current ? db_is_complete(db, current, e) : status;
}

static enum status upgrade_file(struct db *db, struct error *e) {
    int64_t version;
    enum status status;
    /* Another program may have upgraded it before this one got the lock. */
    if ((status = db_ensure_transaction(db, e)) || (status = check_version(db, &version, e)) ||
        (status = db_upgrade(db, version, e)))
        return status;
    return db_commit(db, e);
}

/* From then on queries use a copy in memory. */
static enum status upgrade_copy(struct db *db, struct error *e) {
    sqlite3 *copy = NULL;
    enum status status = STATUS_OK;
    sqlite3_backup *backup = NULL;
    if (sqlite3_open(":memory:", &copy) != SQLITE_OK ||
        (backup = sqlite3_backup_init(copy, "main", db->handle, "main")) == NULL)
        status = error_set(e, STATUS_MEMORY, "%s: out of memory", db->path);
    if (backup != NULL) {
        int code;
        while ((code = sqlite3_backup_step(backup, -1)) == SQLITE_BUSY || code == SQLITE_LOCKED)
            if (!db_wait(db))
                break;
        if (sqlite3_backup_finish(backup) != SQLITE_OK || code != SQLITE_DONE)
            status = db_fail(db, e);
    }
    if (status != STATUS_OK) {
        sqlite3_close(copy);
        return status;
    }
    for (size_t i = 0; i < db->statement_count; i++)
        sqlite3_finalize(db->statements[i].prepared);
    db->statement_count = 0;
    sqlite3_close(db->handle);
    db->handle = copy;
    return STATUS_OK;
}

/* ---- opening ---- */

/* row_id(table, key, ...): the name of the row with these key columns. */
static void sql_row_id(sqlite3_context *context, int count, sqlite3_value **values) {
    struct row_name name = row_name_start((const char *)sqlite3_value_text(values[0]));
    for (int i = 1; i < count; i++) {
        const char *text = (const char *)sqlite3_value_text(values[i]);
        row_name_add(&name, text != NULL ? text : "");
    }
    sqlite3_result_int64(context, row_name_finish(&name));
}

static enum status set_up_connection(struct db *db, struct error *e) {
    sqlite3_busy_handler(db->handle, on_busy, db);
    sqlite3_create_function(db->handle, "row_id", -1,
                            SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, NULL,
                            sql_row_id, NULL, NULL);
    /* The schema of a foreign file may not call functions with side effects. */
    return db_script(db,
                     "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON;"
                     "PRAGMA temp_store = MEMORY",
                     e);
}

static enum status prepare_file(struct db *db, enum db_mode mode, struct error *e) {
    int64_t version;
    bool current;
    enum status status = is_current(db, &version, &current, e);
    if (status == STATUS_OK && !current && mode == DB_WRITE)
        status = upgrade_file(db, e);
    if (status == STATUS_OK && !current && mode != DB_WRITE) {
        if (version == 0)
            return error_set(e, STATUS_FORMAT, "%s: is empty: let a sweep fill it first", db->path);
        if ((status = upgrade_copy(db, e)) == STATUS_OK &&
            (status = set_up_connection(db, e)) == STATUS_OK)
            status = upgrade_file(db, e);
    }
    if (status == STATUS_OK && mode != DB_ROWS)
        status = db_renew_views(db, mode == DB_WRITE, e);
    if (status == STATUS_OK && mode != DB_WRITE)
        status = db_script(db, "PRAGMA query_only = ON", e);
    return status;
}

/* SQLite gives some names a special meaning, and would write into devices. */
static enum status check_path(const char *path, enum db_mode mode, struct error *e) {
    struct stat info;
    if (path[0] == '\0' || path[0] == ':' || strncmp(path, "file:", 5) == 0)
        return error_set(e, STATUS_ARGUMENT, "'%s' cannot be the name of a database", path);
    if (stat(path, &info) != 0)
        return errno == ENOENT && mode != DB_WRITE
                   ? error_set(e, STATUS_IO,
                               "%s: there is no such file; 'hotgraph sweep CONFIG --db FILE' makes "
                               "a database",
                               path)
                   : STATUS_OK;
    if (!S_ISREG(info.st_mode))
        return error_set(e, STATUS_ARGUMENT, "%s: is %s, where a database must be a plain file",
                         path, S_ISDIR(info.st_mode) ? "a folder" : "a device or a pipe");
    return STATUS_OK;
}

/* SQLite attaches an orphaned log to a new file of the same name as long as some program has the
 * log open, which then holds a lock on a byte of NAME-shm. Otherwise SQLite removes the log. */
static enum status check_left_over(const struct db *db, struct error *e) {
    enum { OPEN_LOCK = 128 };
    char *name = NULL;
    if (!db->made)
        return STATUS_OK;
    if (asprintf(&name, "%s-shm", db->path) < 0)
        return error_set(e, STATUS_MEMORY, "%s: out of memory", db->path);
    const int fd = open(name, O_RDWR | O_CLOEXEC);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = OPEN_LOCK, .l_len = 1};
    const bool held = fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    enum status status = held ? error_set(e, STATUS_IO,
                                          "%s: was deleted or renamed, and process %d still has it "
                                          "open with %s: let that finish, or name another file",
                                          db->path, (int)lock.l_pid, name)
                              : STATUS_OK;
    if (fd >= 0)
        close(fd);
    free(name);
    return status;
}

struct patience {
    int (*waiting)(void *user, double seconds);
    void *user;
};

static enum status open_path(struct db **out, const char *path, enum db_mode mode, bool memory,
                             struct patience patience, struct error *e) {
    *out = NULL;
    struct db *db = calloc(1, sizeof *db);
    if (db == NULL || (db->path = strdup(path)) == NULL) {
        free(db);
        return error_set(e, STATUS_MEMORY, "%s: out of memory", path);
    }
    db->reserved = -1;
    db_on_wait(db, patience.waiting, patience.user);
    enum status status = memory ? STATUS_OK : check_path(path, mode, e);
    /* A file is opened for writing if possible, even to be read: after a crash, the next program to
     * open it rolls back. */
    int flags = SQLITE_OPEN_READWRITE | (mode == DB_WRITE ? SQLITE_OPEN_CREATE : 0);
    db->made = status == STATUS_OK && !memory && mode == DB_WRITE && access(path, F_OK) != 0;
    if (status == STATUS_OK)
        status = check_left_over(db, e);
    if (status == STATUS_OK && sqlite3_open_v2(path, &db->handle, flags, NULL) != SQLITE_OK)
        status = db_fail(db, e);
    if (status == STATUS_OK)
        status = set_up_connection(db, e);
    if (status == STATUS_OK)
        status = prepare_file(db, mode, e);
    if (status != STATUS_OK) {
        db_close(db);
        return status;
    }
    *out = db;
    return STATUS_OK;
}

enum status db_open(struct db **out, const char *path, enum db_mode mode, struct error *e) {
    return open_path(out, path, mode, false, (struct patience){0}, e);
}

enum status db_open_patiently(struct db **out, const char *path, enum db_mode mode,
                              int (*waiting)(void *user, double seconds), void *user,
                              struct error *e) {
    return open_path(out, path, mode, false, (struct patience){waiting, user}, e);
}

enum status db_open_empty(struct db **out, struct error *e) {
    return open_path(out, ":memory:", DB_WRITE, true, (struct patience){0}, e);
}

static bool has_rows(struct db *db) {
    bool any = false;
    for (enum table_name t = 0; t < TABLE_COUNT && !any; t++) {
        char sql[200];
        sqlite3_stmt *statement = NULL;
        snprintf(sql, sizeof sql, "SELECT 1 FROM main.\"%s\" LIMIT 1", table_of(t)->name);
        /* A missing table has no rows: the creation of the file failed halfway. */
        if (sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL) == SQLITE_OK)
            any = sqlite3_step(statement) != SQLITE_DONE;
        sqlite3_finalize(statement);
    }
    return any;
}

/* A command that put no row leaves no file. Another program that has opened it meanwhile has put
 * rows, holds a lock, or fails to commit (db_check_in_place()). */
static void remove_if_unused(struct db *db) {
    if (!sqlite3_get_autocommit(db->handle))
        sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_busy_timeout(db->handle, 0);
    if (sqlite3_exec(db->handle, "BEGIN EXCLUSIVE", NULL, NULL, NULL) != SQLITE_OK)
        return;
    if (!has_rows(db) && db_check_in_place(db, NULL) == STATUS_OK)
        unlink(sqlite3_db_filename(db->handle, "main")); /* `path` may be a name for messages */
    sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
}

void db_close(struct db *db) {
    if (db == NULL)
        return;
    for (size_t i = 0; i < db->statement_count; i++)
        sqlite3_finalize(db->statements[i].prepared);
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        sqlite3_finalize(db->puts[i].look);
        sqlite3_finalize(db->puts[i].insert);
    }
    if (db->write_ahead) { /* others may still read: the last one to close the file leaves the
                              log */
        if (!sqlite3_get_autocommit(db->handle))
            sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
        db->waiting = NULL;
        sqlite3_busy_timeout(db->handle, 1000);
        sqlite3_exec(db->handle, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    }
    if (db->made && db->handle != NULL)
        remove_if_unused(db);
    sqlite3_close(db->handle);
    if (db->reserved >= 0)
        close(db->reserved);
    free(db->path);
    free(db);
}
