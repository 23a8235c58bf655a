#include "experiment/store/writer.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { QUEUE = 64, COMMIT_SECONDS = 1 };

struct job {
    void *self;
    enum status (*write)(struct db *db, void *self, struct error *e);
    void (*free)(void *self);
};

struct writer {
    struct db *db;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t filled, drained;
    struct job queue[QUEUE];
    size_t first, count;
    bool closing;
    enum status status; /* of the first write that failed */
    struct error error;
};

static struct timespec due_after(time_t seconds) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += seconds;
    return t;
}

static bool passed(const struct timespec *due) {
    struct timespec now = due_after(0);
    return now.tv_sec != due->tv_sec ? now.tv_sec > due->tv_sec : now.tv_nsec >= due->tv_nsec;
}

/* Called with the lock held; releases it while the database works. */
static void in_database(struct writer *w, const struct job *job) {
    if (w->status == STATUS_OK) {
        struct error e = {0};
        pthread_mutex_unlock(&w->lock);
        enum status status = job != NULL ? job->write(w->db, job->self, &e) : db_commit(w->db, &e);
        pthread_mutex_lock(&w->lock);
        w->status = status;
        w->error = e;
    }
    if (job != NULL)
        job->free(job->self);
}

static void *run(void *user) {
    struct writer *w = user;
    struct timespec due = {0};
    bool open = false; /* a transaction is open */
    pthread_mutex_lock(&w->lock);
    while (w->count > 0 || !w->closing) {
        if (open && passed(&due)) {
            in_database(w, NULL);
            open = false;
        } else if (w->count > 0) {
            struct job job = w->queue[w->first];
            w->first = (w->first + 1) % QUEUE;
            w->count--;
            pthread_cond_broadcast(&w->drained);
            if (!open)
                due = due_after(COMMIT_SECONDS);
            open = true;
            in_database(w, &job);
        } else if (open) {
            pthread_cond_timedwait(&w->filled, &w->lock, &due);
        } else {
            pthread_cond_wait(&w->filled, &w->lock);
        }
    }
    in_database(w, NULL);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void destroy(struct writer *w) {
    pthread_cond_destroy(&w->filled);
    pthread_cond_destroy(&w->drained);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

enum status writer_start(struct writer **out, struct db *db, struct error *e) {
    struct writer *w = calloc(1, sizeof *w);
    *out = NULL;
    if (w == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    w->db = db;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&w->filled, &monotonic);
    pthread_cond_init(&w->drained, NULL);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&w->lock, NULL);
    int failed = pthread_create(&w->thread, NULL, run, w);
    if (failed != 0) {
        destroy(w);
        return error_set(e, STATUS_MEMORY, "no thread for the database: %s", strerror(failed));
    }
    *out = w;
    return STATUS_OK;
}

enum status writer_put(struct writer *w, void *job,
                       enum status (*write)(struct db *db, void *job, struct error *e),
                       void (*free_job)(void *job)) {
    pthread_mutex_lock(&w->lock);
    while (w->count == QUEUE && w->status == STATUS_OK)
        pthread_cond_wait(&w->drained, &w->lock);
    bool accepted = w->status == STATUS_OK;
    if (accepted) {
        w->queue[(w->first + w->count++) % QUEUE] =
            (struct job){.self = job, .write = write, .free = free_job};
        pthread_cond_signal(&w->filled);
    }
    pthread_mutex_unlock(&w->lock);
    if (!accepted)
        free_job(job);
    return accepted ? STATUS_OK : STATUS_IO;
}

enum status writer_finish(struct writer *w, struct error *e) {
    pthread_mutex_lock(&w->lock);
    w->closing = true;
    pthread_cond_signal(&w->filled);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    enum status status = w->status;
    if (status != STATUS_OK && e != NULL)
        *e = w->error;
    destroy(w);
    return status;
}
