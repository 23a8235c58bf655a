#include "experiment/store/window_rows.h"

#include <stdlib.h>
#include <string.h>

static enum status hand_over(struct writer *w, void *job,
                             enum status (*write)(struct db *db, void *job, struct error *e),
                             void (*free_job)(void *job), struct error *e) {
    if (job == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    const enum status status = writer_put(w, job, write, free_job);
    return status == STATUS_OK ? STATUS_OK : error_set(e, status, "the database cannot be written");
}

/* ---- exact graphs ---- */

struct exact_row {
    struct db_replay_window row;
    char hash[33];
};
struct exact_job {
    size_t count;
    struct exact_row rows[];
};

static enum status write_exact(struct db *db, void *self, struct error *e) {
    struct exact_job *job = self;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < job->count; i++)
        status = db_put_replay_window(db, &job->rows[i].row, e);
    return status;
}

enum status window_rows_put_exact(struct writer *w, int64_t replay_id,
                                  const struct source_windows *windows, struct error *e) {
    const size_t count = windows->list.len;
    struct exact_job *job = calloc(1, sizeof *job + count * sizeof *job->rows);
    for (size_t i = 0; job != NULL && i < count; i++) {
        const struct source_window *from = &windows->list.at[i];
        struct exact_row *to = &job->rows[job->count++];
        memcpy(to->hash, from->hash, sizeof to->hash);
        to->row = (struct db_replay_window){
            .replay_id = replay_id,
            .span = (int64_t)windows->measure.lengths[from->length],
            .number = (int64_t)from->number,
            .first_frame = (int64_t)from->first_tick,
            .frames = (int64_t)from->ticks,
            .edges = (int64_t)from->edges,
            .weight = (int64_t)from->weight,
            .busy_weight = (int64_t)from->busy_weight,
            .hot_edges_active = (int64_t)from->hot_edges_active,
            .hash = to->hash,
            .overlap_before = from->overlap_before,
            .change = from->change,
        };
    }
    return hand_over(w, job, write_exact, free, e);
}

/* ---- what was found ---- */

void window_results_free(struct window_results *r) {
    vec_free(&r->qualities);
    vec_free(&r->phases);
}

static void free_results(void *self) {
    window_results_free(self);
    free(self);
}

static enum status write_results(struct db *db, void *self, struct error *e) {
    struct window_results *r = self;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < r->phases.len; i++)
        status = db_put_phase_found(db, &r->phases.at[i], e);
    for (size_t i = 0; status == STATUS_OK && i < r->qualities.len; i++)
        status = db_put_window_quality(db, &r->qualities.at[i], e);
    return status;
}

enum status window_rows_put(struct writer *w, const struct rows_of_stream *of,
                            struct window_results *results, struct error *e) {
    struct window_results *job = calloc(1, sizeof *job);
    for (size_t i = 0; i < results->qualities.len; i++) {
        results->qualities.at[i].stream_id = of->stream_id;
        results->qualities.at[i].run_id = of->run_id;
    }
    for (size_t i = 0; i < results->phases.len; i++) {
        results->phases.at[i].stream_id = of->stream_id;
        results->phases.at[i].run_id = of->run_id;
    }
    if (job != NULL)
        *job = *results;
    else
        window_results_free(results);
    *results = (struct window_results){0};
    return hand_over(w, job, write_results, free_results, e);
}
