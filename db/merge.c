/* Merges databases. All rows go into a new file beside the target, part by part. Its content is
 * then copied in key order into a second file (VACUUM INTO), which is renamed to the target. */
#include "db/row_pairs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct merger {
    const struct db_merge *request;
    char *target;                   /* with symbolic links resolved */
    bool exists, is_part;           /* the file exists; it is also one of the parts */
    mode_t mode;                    /* of that file */
    int reserved;                   /* descriptor of the lock that keeps sweeps off the file, or
                                       -1 */
    char *folder, *scratch, *whole; /* temporary */
    const char **parts;             /* the target's file is the last one, unless it is listed */
    size_t count;
    struct db *to;
};

static bool stopped(const struct merger *m) {
    return m->request->stopped != NULL && m->request->stopped() != 0;
}

static enum status out_of_memory(struct error *e) {
    return error_set(e, STATUS_MEMORY, "out of memory");
}

/* ---- one part ---- */

static enum status tell_damage(void *user, size_t columns, const char *const *names,
                               const char *const *values, struct error *e) {
    (void)names;
    if (columns == 1 && values[0] != NULL && strcmp(values[0], "ok") == 0)
        return STATUS_OK;
    return error_set(e, STATUS_FORMAT, "%s: is damaged (%s%s): leave it out, or compute it again",
                     (const char *)user, columns == 1 ? "" : "a row's reference leads nowhere, in ",
                     values[0] != NULL ? values[0] : "?");
}

static enum status check_part(struct db *db, char *path, struct error *e) {
    enum status status = db_query(db, "PRAGMA main.integrity_check(1)", tell_damage, path, e, "");
    return status != STATUS_OK
               ? status
               : db_query(db, "PRAGMA main.foreign_key_check", tell_damage, path, e, "");
}

static enum status copy_part(struct merger *m, size_t part, struct error *e) {
    struct db *from = NULL;
    char *path = strdup(m->parts[part]);
    enum status status = path != NULL ? db_open(&from, path, DB_ROWS, e) : out_of_memory(e);
    if (status == STATUS_OK) {
        db_stop_when(from, m->request->stopped);
        status = db_script(from, "BEGIN", e); /* one state of it, though a sweep writes */
    }
    if (status == STATUS_OK)
        status = check_part(from, path, e);
    for (int i = 0; status == STATUS_OK && i < TABLE_COUNT; i++)
        if (i != TABLE_role)
            status = join_table(m->to, m->parts, part, from, table_of((enum table_name)i), e);
    db_close(from);
    free(path);
    return status;
}

/* ---- checks over all parts ---- */

/* Two streams of a game under one name: its ROM, movie or length differs between parts. */
static enum status tell_two_streams(void *user, size_t columns, const char *const *names,
                                    const char *const *values, struct error *e) {
    (void)columns;
    (void)names;
    struct merger *m = user;
    int64_t ids[2] = {strtoll(values[2], NULL, 10), strtoll(values[3], NULL, 10)};
    const char *paths[2] = {"?", "?"};
    char runs[2][200] = {"no run", "no run"};
    for (size_t i = 0; i < m->count; i++) {
        struct db *db = NULL;
        sqlite3_stmt *s = NULL;
        if (db_open(&db, m->parts[i], DB_ROWS, e) == STATUS_OK)
            s = row_prepare(db,
                            row_select(table_of(TABLE_experiment_stream), " WHERE stream_id = ?"));
        for (int k = 0; s != NULL && k < 2; k++) {
            sqlite3_bind_int64(s, 1, ids[k]);
            if (paths[k][0] == '?' && sqlite3_step(s) == SQLITE_ROW) {
                char *run = row_run(db, table_of(TABLE_experiment_stream), s);
                paths[k] = m->parts[i];
                snprintf(runs[k], sizeof runs[k], "%s", run != NULL ? run : "?");
                sqlite3_free(run);
            }
            sqlite3_reset(s);
        }
        sqlite3_finalize(s);
        db_close(db);
    }
    return error_set(e, STATUS_ARGUMENT,
                     "%s and %s contradict each other: game %s of experiment %s is another replay "
                     "or sampling in %s (stream %s, %s) than in %s (stream %s, %s): was its ROM or "
                     "movie changed between the two? Nothing is merged",
                     paths[0], paths[1], values[1], values[0], paths[0], values[2], runs[0],
                     paths[1], values[3], runs[1]);
}

struct role_streams {
    VEC(int64_t) ids; /* experiment, stream, ... */
};

static enum status note_pair(void *user, size_t columns, const char *const *names,
                             const char *const *values, struct error *e) {
    (void)names;
    struct role_streams *s = user;
    for (size_t i = 0; i < columns; i++)
        if (!vec_push(&s->ids, strtoll(values[i], NULL, 10)))
            return out_of_memory(e);
    return STATUS_OK;
}

static enum status find_roles(struct db *db, struct error *e) {
    struct role_streams s = {0};
    enum status status = db_query(db,
                                  "SELECT DISTINCT experiment_id, stream_id FROM completeness"
                                  " WHERE sampled AND missing = 0 ORDER BY 1, 2",
                                  note_pair, &s, e, "");
    for (size_t i = 0; status == STATUS_OK && i + 1 < s.ids.len; i += 2)
        status = db_put_roles(db, s.ids.at[i], s.ids.at[i + 1], e);
    vec_free(&s.ids);
    return status;
}

static enum status join_parts(struct merger *m, struct error *e) {
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < m->count; i++)
        status = stopped(m) ? error_set(e, STATUS_INTERRUPTED, "stopped") : copy_part(m, i, e);
    if (status == STATUS_OK)
        status = db_query(m->to,
                          "SELECT x.name, g.name || iif(variant = '', '', '@' || variant),"
                          " min(stream_id), max(stream_id)"
                          " FROM experiment_stream JOIN experiment x USING (experiment_id)"
                          " JOIN game g USING (game_id) GROUP BY experiment_id, game_id, variant"
                          " HAVING count(*) > 1 ORDER BY 1, 2 LIMIT 1",
                          tell_two_streams, m, e, "");
    return status == STATUS_OK ? find_roles(m->to, e) : status;
}

/* ---- files ---- */

static enum status failed(const struct merger *m, const char *what, struct error *e) {
    return error_set(e, STATUS_IO, "%s: %s: %s", m->target, what, strerror(errno));
}

static int at_once(void *user, double seconds) {
    (void)user;
    (void)seconds;
    return 1;
}

/* No sweep may work on a file that is about to be replaced. */
static enum status reserve_target(struct merger *m, struct error *e) {
    struct db *old = NULL;
    enum status status = db_open(&old, m->target, DB_ROWS, e);
    if (status != STATUS_OK)
        return status;
    db_on_wait(old, at_once, NULL);
    status = db_reserve(old, e);
    m->reserved = old->reserved;
    old->reserved = -1;
    db_close(old);
    return status;
}

static enum status look_at_target(struct merger *m, struct error *e) {
    struct stat info, other;
    if (stat(m->request->out, &info) != 0) {
        m->target = strdup(m->request->out);
        return m->target != NULL ? STATUS_OK : out_of_memory(e);
    }
    if ((m->target = realpath(m->request->out, NULL)) == NULL)
        return error_set(e, STATUS_IO, "%s: %s", m->request->out, strerror(errno));
    m->mode = info.st_mode & 07777;
    for (size_t i = 0; i < m->request->count; i++)
        m->is_part |= stat(m->request->parts[i], &other) == 0 && other.st_dev == info.st_dev &&
                      other.st_ino == info.st_ino;
    /* An empty file, as mktemp makes it, may be replaced. */
    m->exists = m->is_part || !S_ISREG(info.st_mode) || info.st_size > 0;
    return m->exists ? reserve_target(m, e) : STATUS_OK;
}

static enum status list_parts(struct merger *m, struct error *e) {
    m->parts = calloc(m->request->count + 1, sizeof *m->parts);
    if (m->parts == NULL)
        return out_of_memory(e);
    for (; m->count < m->request->count; m->count++)
        m->parts[m->count] = m->request->parts[m->count];
    if (m->exists && !m->is_part)
        m->parts[m->count++] = m->target;
    return STATUS_OK;
}

static enum status make_scratch(struct merger *m, struct error *e) {
    if (asprintf(&m->folder, "%s.merge-XXXXXX", m->target) < 0)
        m->folder = NULL;
    if (m->folder == NULL)
        return out_of_memory(e);
    if (mkdtemp(m->folder) == NULL) {
        free(m->folder);
        m->folder = NULL;
        return failed(m, "no file can be made beside it", e);
    }
    if (asprintf(&m->scratch, "%s/scratch.db", m->folder) < 0)
        m->scratch = NULL;
    if (asprintf(&m->whole, "%s/whole.db", m->folder) < 0)
        m->whole = NULL;
    if (m->scratch == NULL || m->whole == NULL)
        return out_of_memory(e);
    enum status status = db_open(&m->to, m->scratch, DB_WRITE, e);
    if (status != STATUS_OK)
        return status;
    char *name = strdup(m->target); /* messages are about the target */
    if (name == NULL)
        return out_of_memory(e);
    free(m->to->path);
    m->to->path = name;
    db_stop_when(m->to, m->request->stopped);
    /* The file is private, and worthless after a crash. */
    return db_script(m->to,
                     "PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF;"
                     "PRAGMA journal_mode = OFF; PRAGMA cache_size = -65536; BEGIN",
                     e);
}

static void clean_up(struct merger *m) {
    db_close(m->to);
    if (m->scratch != NULL)
        unlink(m->scratch);
    if (m->whole != NULL)
        unlink(m->whole);
    if (m->folder != NULL)
        rmdir(m->folder);
    if (m->reserved >= 0)
        close(m->reserved);
    free(m->target);
    free(m->folder);
    free(m->scratch);
    free(m->whole);
    free(m->parts);
}

static enum status count_rows(struct merger *m, int64_t *rows, struct error *e) {
    enum status status = STATUS_OK;
    *rows = 0;
    for (int i = 0; status == STATUS_OK && i < TABLE_COUNT; i++) {
        char *sql =
            sqlite3_mprintf("SELECT count(*) FROM main.%s", table_of((enum table_name)i)->name);
        sqlite3_stmt *s = row_prepare(m->to, sql);
        if (s == NULL || sqlite3_step(s) != SQLITE_ROW)
            status = db_fail(m->to, e);
        else
            *rows += sqlite3_column_int64(s, 0);
        sqlite3_finalize(s);
    }
    return status;
}

/* Writes the rows in key order, page after page. */
static enum status write_whole(struct merger *m, struct error *e) {
    enum status status = db_commit(m->to, e);
    if (status != STATUS_OK)
        return status;
    /* VACUUM needs all statements to be reset. */
    return db_execute(m->to, "VACUUM INTO ?", e, "t", (const char *)m->whole);
}

static enum status same_bytes(const char *a, const char *b, bool *same) {
    char ones[1 << 14], others[1 << 14];
    FILE *one = fopen(a, "rb"), *other = fopen(b, "rb");
    *same = one != NULL && other != NULL;
    while (*same) {
        size_t n = fread(ones, 1, sizeof ones, one);
        *same = fread(others, 1, sizeof others, other) == n && memcmp(ones, others, n) == 0 &&
                !ferror(one) && !ferror(other);
        if (n < sizeof ones)
            break;
    }
    if (one != NULL)
        fclose(one);
    if (other != NULL)
        fclose(other);
    return STATUS_OK;
}

static enum status sync_path(const struct merger *m, const char *path, bool folder,
                             struct error *e) {
    int fd = open(path, folder ? O_RDONLY | O_DIRECTORY | O_CLOEXEC : O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return failed(m, "cannot be written", e);
    /* Some file systems cannot sync folders. */
    bool bad = (!folder && m->mode != 0 && fchmod(fd, m->mode) != 0) ||
               (fsync(fd) != 0 && !(folder && errno == EINVAL));
    enum status status = bad ? failed(m, "cannot be written", e) : STATUS_OK;
    close(fd);
    return status;
}

/* A log or journal beside the target belongs to the old file. With a new file in its place, SQLite
 * would write old pages into that. */
static enum status check_companions(const struct merger *m, struct error *e) {
    static const char *const ends[] = {"-wal", "-journal"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char *path = NULL;
        if (asprintf(&path, "%s%s", m->target, ends[i]) < 0)
            return out_of_memory(e);
        bool there = access(path, F_OK) == 0;
        free(path);
        if (there)
            return error_set(e, STATUS_IO,
                             "%s: another program is using it (there is a %s): let that finish, or "
                             "name another file; it was left as it is",
                             m->target, ends[i] + 1);
    }
    return STATUS_OK;
}

static enum status put_in_place(struct merger *m, struct db_merged *out, struct error *e) {
    if (m->exists) {
        enum status status = same_bytes(m->whole, m->target, &out->unchanged);
        if (status != STATUS_OK || out->unchanged)
            return status;
    }
    enum status status = check_companions(m, e);
    if (status == STATUS_OK)
        status = sync_path(m, m->whole, false, e);
    if (status == STATUS_OK && stopped(m))
        status = error_set(e, STATUS_INTERRUPTED, "stopped");
    if (status == STATUS_OK && rename(m->whole, m->target) != 0)
        status = failed(m, "cannot be put in its place", e);
    if (status != STATUS_OK)
        return status;
    char *folder = strdup(m->target);
    if (folder == NULL)
        return out_of_memory(e);
    char *slash = strrchr(folder, '/');
    if (slash != NULL)
        slash[slash == folder] = '\0';
    status = sync_path(m, slash != NULL ? folder : ".", true, e);
    free(folder);
    return status;
}

enum status db_merge(const struct db_merge *request, struct db_merged *out, struct error *e) {
    struct merger m = {.request = request, .reserved = -1};
    enum status status = look_at_target(&m, e);
    *out = (struct db_merged){0};
    if (status == STATUS_OK)
        status = list_parts(&m, e);
    if (status == STATUS_OK)
        status = make_scratch(&m, e);
    if (status == STATUS_OK)
        status = join_parts(&m, e);
    if (status == STATUS_OK)
        status = count_rows(&m, &out->rows, e);
    if (status == STATUS_OK)
        status = write_whole(&m, e);
    if (status == STATUS_OK)
        status = put_in_place(&m, out, e);
    out->joined = m.exists && !m.is_part;
    if (status != STATUS_OK && stopped(&m))
        status = error_set(e, STATUS_INTERRUPTED, "stopped: %s is as it was", request->out);
    clean_up(&m);
    return status;
}

/* ---- copying one database ---- */

enum status db_copy(const char *in, const char *out, int (*stop)(void), struct error *e) {
    struct db *db = NULL;
    if (access(out, F_OK) == 0)
        return error_set(e, STATUS_ARGUMENT, "%s: is there already; a copy needs a name of its own",
                         out);
    enum status status = db_open(&db, in, DB_ROWS, e);
    if (status != STATUS_OK)
        return status;
    db_stop_when(db, stop);
    /* The copy is another file, but SQLite refuses to write it, too. */
    status = db_script(db, "PRAGMA query_only = OFF", e);
    if (status == STATUS_OK &&
        (status = db_execute(db, "VACUUM INTO ?", e, "t", out)) != STATUS_OK) {
        unlink(out);
        error_prefix(e, "%s, to be a copy", out);
    }
    db_close(db);
    return status;
}
