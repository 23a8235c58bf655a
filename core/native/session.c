/* Opens and closes sessions, and lists functions and sites. */
#include "native/call.h"
#include "native/direct.h"
#include "native/hit/forking.h"
#include "native/hit/signals.h"
#include "native/hit/trap.h"
#include "native/patch/gate.h"
#include "native/remove.h"
#include "native/text/code.h"

#include <string.h>
#include <time.h>

/* ---- fork: the child has one thread, and the same pages ---- */

static void before_fork(void) {
    struct hotprobe *h = session_now();
    if (forking_counts(h)) {
        forking_begin(h);
        return;
    }
    births_stop(true);
    if (h != NULL)
        pthread_mutex_lock(&h->lock);
}

static void after_fork(void) {
    struct hotprobe *h = session_now();
    if (forking_counts(h)) {
        forking_parent(h);
        return;
    }
    if (h != NULL)
        pthread_mutex_unlock(&h->lock);
    births_stop(false);
}

/* The child gets counters of its own; the file keeps the parent's. */
static void in_child(void) {
    struct hotprobe *h = session_now();
    const bool counts = forking_counts(h), private = counts && h->pairs.forking;
    if (counts)
        forking_child(h);
    else
        births_stop(false);
    if (h == NULL)
        return;
    h->registered = false;
    if (!private) {
        pool_part(h);
        thread_counters_part(h);
        pairs_part(&h->pairs);
    }
    if (!counts)
        pthread_mutex_unlock(&h->lock);
}

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static void fork_watch(void) {
    pthread_atfork(before_fork, after_fork, in_child);
}

/* ---- sessions ---- */

static enum status code_find_all(struct hotprobe *h, struct error *e) {
    enum status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < h->objects.len; i++)
        s = code_find(&h->objects.at[i], e);
    return s;
}

static enum status functions_list(struct hotprobe *h, struct error *e) {
    for (size_t i = 0; i < h->objects.len; i++) {
        const struct object *o = &h->objects.at[i];
        for (size_t k = 0; k < o->functions.len; k++) {
            const struct function *f = &o->functions.at[k];
            struct hotprobe_function out = {.object = o->path,
                                            .name = f->name,
                                            .start = f->start,
                                            .end = f->end,
                                            .base = o->bias,
                                            .plt = f->plt};
            if (!seq_push(&h->listed, out))
                return error_set(e, STATUS_MEMORY, "out of memory");
        }
    }
    return STATUS_OK;
}

static void session_free(struct hotprobe *h, bool code_too) {
    for (size_t i = 0; i < h->objects.len; i++)
        object_free(&h->objects.at[i]);
    pool_free(h, code_too);
    thread_counters_close(h, code_too);
    if (code_too)
        pairs_close(&h->pairs);
    seq_free(&h->objects);
    seq_free(&h->texts);
    seq_free(&h->listed);
    seq_free(&h->patches);
    seq_free(&h->retired);
    seq_free(&h->seen);
    seq_free(&h->maps);
    seq_free(&h->batch);
    seq_free(&h->gates);
    scratch_free(&h->scratch);
    pthread_mutex_destroy(&h->lock);
    struct arena arena = h->arena; /* which holds h */
    arena_free(&arena);
}

static bool keep_name(struct hotprobe *h, const char **name) {
    size_t n = *name != NULL ? strlen(*name) + 1 : 0;
    char *copy = n > 0 ? arena_get(&h->arena, n) : NULL;
    if (copy != NULL)
        *name = memcpy(copy, *name, n);
    return n == 0 || copy != NULL;
}

enum status hotprobe_open(struct hotprobe **out, const struct hotprobe_options *options,
                          struct error *e) {
    struct arena arena = {0};
    *out = NULL;
    struct hotprobe *h = arena_get(&arena, sizeof *h);
    if (h == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    h->arena = arena;
    h->mem = -1;
    if (options != NULL)
        h->options = *options;
    pthread_mutex_init(&h->lock, NULL);
    if (!keep_name(h, &h->options.counters) || !keep_name(h, &h->options.thread_counters)) {
        session_free(h, true);
        return error_set(e, STATUS_MEMORY, "out of memory");
    }
    pthread_once(&fork_once, fork_watch);
    enum status s = objects_find(h, e);
    if (s == STATUS_OK)
        s = code_find_all(h, e);
    if (s == STATUS_OK)
        s = functions_list(h, e);
    if (s == STATUS_OK)
        s = thread_counters_open(h, e);
    if (s == STATUS_OK)
        s = trap_open(h, e);
    if (s != STATUS_OK) {
        trap_close(h);
        session_free(h, true);
        return s;
    }
    *out = h;
    return STATUS_OK;
}

enum status session_settle(struct hotprobe *h, struct error *e) {
    enum status s = session_begin(h, e);
    if (s == STATUS_OK && !h->live && (!gates_close(h) || !direct_lead(h)))
        s = error_set(e, STATUS_IO, "writing to the program's text failed");
    session_end(h);
    bool late = false;
    for (size_t i = 0; i < h->objects.len; i++) {
        const struct object *o = &h->objects.at[i];
        late |= o->late;
        if (o->is_libc)
            h->libc = (struct range){o->text, o->text_end};
        if (s == STATUS_OK && !o->is_libc &&
            !seq_push(&h->texts, ((struct range){o->text, o->text_end})))
            s = error_set(e, STATUS_MEMORY, "out of memory");
        if (!o->late)
            object_free(&h->objects.at[i]);
    }
    h->settled = h->patches.len;
    h->gates.len = 0;
    seq_free(&h->listed);
    seq_free(&h->batch);
    scratch_free(&h->scratch);
    pairs_settle(&h->pairs);
    if (!late) {
        h->objects.len = 0;
        space_free(&h->pool.space);
    }
    return s;
}

/* Waits a second for threads to be seen outside. If one sleeps in a stub for longer, the pages stay
 * mapped for it. */
void hotprobe_close(struct hotprobe *h) {
    if (h == NULL)
        return;
    size_t left = 1;
    if (probes_remove(h, NULL) == STATUS_OK)
        for (int tries = 0; tries < 100 && (left = hotprobe_reclaim(h)) > 0; tries++)
            nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
    trap_close(h);
    session_free(h, left == 0);
}

/* ---- functions and sites ---- */

size_t hotprobe_functions(const struct hotprobe *h, const struct hotprobe_function **out) {
    *out = h->listed.at;
    return h->listed.len;
}

uintptr_t hotprobe_next_site(const struct hotprobe *h, const struct hotprobe_function *f,
                             enum hotprobe_kind kind, uintptr_t after) {
    const struct object *o = NULL;
    for (size_t i = 0; i < h->objects.len && o == NULL; i++)
        if (in_text(&h->objects.at[i], f->start))
            o = &h->objects.at[i];
    if (after == 0)
        return f->start;
    if (o == NULL || kind == HOTPROBE_ENTRIES)
        return 0;
    for (uintptr_t at = after + 1; at < f->end; at++) {
        uint8_t m = *mark_at(o, at);
        if ((m & MARK_START) != 0 && (kind == HOTPROBE_INSTRUCTIONS || (m & MARK_LEADER) != 0))
            return at;
    }
    return 0;
}
