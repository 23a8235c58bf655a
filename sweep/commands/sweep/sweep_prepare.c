/* Prepares a sweep: determines what to compute, and opens the database. */
#include "commands/sweep/sweep_job.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A mistyped path must not create folders, so all of `path` but its last part must exist. `option`
 * named the path. */
static enum status check_parent(const char *path, const char *option, struct error *e) {
    struct error why;
    return file_check_folder(path, &why) == STATUS_OK
               ? STATUS_OK
               : error_set(e, STATUS_IO, "%s: create it first, or choose another with %s", why.text,
                           option);
}

/* Checks the outputs before anything is computed. Creates only the default database's folder; that
 * of --report is created when there is something to write. */
static enum status check_outputs(struct sweep *s, struct error *e) {
    enum status status = STATUS_OK;
    if (strcmp(s->db_path, USUAL_DB) != 0)
        status = check_parent(s->db_path, "--db", e);
    else if (!s->dry_run) {
        s->made_folder = mkdir(USUAL_FOLDER, 0777) == 0;
        if (!s->made_folder && errno != EEXIST)
            status = file_unmade(USUAL_FOLDER, "cannot be created", errno, e);
    }
    return status == STATUS_OK && s->report_folder != NULL
               ? check_parent(s->report_folder, "--report", e)
               : status;
}

/* Prints once what it waits for; Ctrl-C ends the wait. */
static int waiting(void *user, double seconds) {
    struct sweep *s = user;
    if (seconds >= 2 && !s->said_waiting)
        fprintf(stderr, "hotgraph: waiting for another program that holds %s (Ctrl-C stops)\n",
                s->db_path);
    s->said_waiting |= seconds >= 2;
    return interrupt_signal() != 0;
}

static enum status open_database(struct sweep *s, struct error *e) {
    enum status status;
    if (s->dry_run && access(s->db_path, F_OK) != 0)
        return db_open_empty(&s->db, e);
    if (s->dry_run)
        return db_open(&s->db, s->db_path, DB_READ, e);
    interrupt_catch();
    status = db_open_patiently(&s->db, s->db_path, DB_WRITE, waiting, s, e);
    if (status == STATUS_OK)
        status = db_reserve(s->db, e);
    return status != STATUS_OK && interrupt_signal() != 0
               ? error_set(e, STATUS_INTERRUPTED, "stopped")
               : status;
}

size_t sweep_count_present(const struct sweep *s) {
    size_t count = 0;
    for (size_t i = 0; i < s->plan.count; i++)
        count += s->plan.games[i].wanted && s->plan.games[i].present;
    return count;
}

static enum status leave_known(struct sweep *s, const char *path, struct error *e) {
    struct db *db = NULL;
    struct plan known = {0};
    enum status status = db_open(&db, path, DB_READ, e);
    if (status == STATUS_OK)
        status = plan_make(&known, &s->config, &s->filter, db, e);
    if (status == STATUS_OK) {
        plan_leave(&s->plan, &known);
        plan_free(&known);
    }
    db_close(db);
    return status;
}

enum status sweep_prepare(struct sweep *s, struct error *e) {
    enum status status = config_load(&s->config, s->config_path, e);
    if (status == STATUS_OK && s->config.points.at[0].number < 0)
        status = error_set(e, STATUS_FORMAT, "%s: has no grid, so there is nothing to sweep",
                           s->config_path);
    if (status == STATUS_OK)
        status = words_split(&s->games, s->game_list, e);
    if (status == STATUS_OK)
        status = words_split(&s->techniques, s->technique_list, e);
    s->filter = (struct plan_filter){
        .games = s->games.at.at,
        .game_count = s->games.at.len,
        .techniques = s->techniques.at.at,
        .technique_count = s->techniques.at.len,
        .where = s->where.items.at,
        .where_count = s->where.items.len,
    };
    if (status == STATUS_OK)
        status = check_outputs(s, e);
    if (status == STATUS_OK)
        status = open_database(s, e);
    if (status == STATUS_OK)
        status = plan_make(&s->plan, &s->config, &s->filter, s->db, e);
    if (status != STATUS_OK)
        return status;
    s->present = sweep_count_present(s);
    status = s->shard.count > 0 ? plan_shard(&s->plan, s->shard, e) : STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < s->known.items.len; i++)
        status = leave_known(s, s->known.items.at[i], e);
    return status;
}

/* Warns of movies that end before their replay: measuring an unplayed game is probably a
 * mistake. */
void sweep_warn_of_short_movies(const struct sweep *s) {
    for (size_t i = 0; i < s->plan.count; i++) {
        const struct plan_game *p = &s->plan.games[i];
        if (!p->wanted || p->cartridge == NULL || p->game->frames <= movie_frames(&p->movie))
            continue;
        warning("%s: %s has %" PRIu64 " frames; in those after it, up to %" PRIu64
                ", nothing is pressed",
                p->label, p->movie_path, movie_frames(&p->movie), p->game->frames);
    }
}
