/* Code shared by all techniques: checks, and one interface to build a profile with any of them. */
#include "profile/technique.h"

#include "profile/exec/exec.h"

#include <inttypes.h>

enum status technique_check(const struct technique *t, const int64_t *values, struct error *e) {
    for (size_t i = 0; i < TECHNIQUE_PARAMETERS && t->parameters[i].name != NULL; i++) {
        const struct parameter *p = &t->parameters[i];
        if (values[i] < p->least || values[i] > p->most)
            return error_set(e, STATUS_ARGUMENT,
                             "%s: %s must be from %" PRId64 " to %" PRId64 ", not %" PRId64,
                             t->name, p->name, p->least, p->most, values[i]);
    }
    return STATUS_OK;
}

enum status technique_fits(const struct technique *t, const struct stream *stream,
                           const int64_t *values, struct error *e) {
    enum status status = technique_check(t, values, e);
    return status == STATUS_OK && t->fits != NULL ? t->fits(stream, values, e) : status;
}

static enum status check_marks(const struct technique *t, const struct stream *stream,
                               const size_t *marks, size_t count, struct error *e) {
    if (t->build == NULL)
        return error_set(e, STATUS_ARGUMENT, "%s does not work on recorded streams", t->name);
    for (size_t i = 0; i < count; i++)
        if (marks[i] > stream->batch_count || (i > 0 && marks[i] < marks[i - 1]))
            return error_set(e, STATUS_ARGUMENT,
                             "the mark at %zu batches is out of order or beyond the end at %zu",
                             marks[i], stream->batch_count);
    return STATUS_OK;
}

static enum status
build_at(const struct technique *t, const struct exec_hooks *hooks, const struct stream *stream,
         const size_t *marks, size_t mark_count, const int64_t *values,
         enum status (*each)(void *user, size_t batches, const struct profile *p, struct error *e),
         void *user, struct error *e) {
    enum status status = check_marks(t, stream, marks, mark_count, e);
    if (status != STATUS_OK)
        return status;
    if (t->build_at != NULL)
        return t->build_at(stream, marks, mark_count, values, each, user, e);
    for (size_t i = 0; i < mark_count && status == STATUS_OK; i++) {
        struct profile p = {0};
        status = t->exec != NULL ? exec_build(&p, t->exec, stream, marks[i], values, hooks, e)
                                 : t->build(&p, stream, marks[i], values, e);
        if (status == STATUS_OK)
            status = each(user, marks[i], &p, e);
        profile_free(&p);
    }
    return status;
}

enum status technique_build_at(const struct technique *t, const struct stream *stream,
                               const size_t *marks, size_t mark_count, const int64_t *values,
                               enum status (*each)(void *user, size_t batches,
                                                   const struct profile *p, struct error *e),
                               void *user, struct error *e) {
    const struct exec_hooks none = {0};
    return build_at(t, &none, stream, marks, mark_count, values, each, user, e);
}

/* ---- many configurations ---- */

struct one_of_many {
    const struct build_request *request;
    size_t point;
};

static enum status hand_on(void *user, size_t batches, const struct profile *p, struct error *e) {
    const struct one_of_many *one = user;
    const struct build_request *r = one->request;
    if (r->stopped != NULL && r->stopped(r->user))
        return error_set(e, STATUS_INTERRUPTED, "stopped");
    struct profile *taken = (struct profile *)p; /* owned by build_at(), which frees it */
    return r->each(r->user, one->point, batches, taken, e);
}

enum status technique_build_point(const struct technique *t, const struct build_request *r,
                                  size_t point, struct error *e) {
    const struct build_point *p = &r->points[point];
    struct one_of_many one = {r, point};
    const struct exec_hooks hooks = {.stopped = r->stopped, .said = r->said, .user = r->user};
    return build_at(t, &hooks, r->stream, p->marks, p->mark_count, p->values, hand_on, &one, e);
}

enum status technique_build_many(const struct technique *t, const struct build_request *r,
                                 struct error *e) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < r->point_count && status == STATUS_OK; i++) {
        const struct build_point *p = &r->points[i];
        status = check_marks(t, r->stream, p->marks, p->mark_count, e);
        if (status == STATUS_OK)
            status = technique_fits(t, r->stream, p->values, e);
    }
    if (status == STATUS_OK && !r->direct && t->build_many != NULL)
        return t->build_many(r, e);
    for (size_t i = 0; i < r->point_count && status == STATUS_OK; i++)
        status = technique_build_point(t, r, i, e);
    return status;
}

static enum status take_over(void *user, size_t point, size_t batches, struct profile *p,
                             struct error *e) {
    (void)point, (void)batches, (void)e;
    *(struct profile *)user = *p;
    *p = (struct profile){0};
    return STATUS_OK;
}

enum status technique_build(struct profile *out, const struct technique *t,
                            const struct build_one *one, struct error *e) {
    *out = (struct profile){0};
    const size_t all = one->stream->batch_count;
    const size_t mark = one->batches < all ? one->batches : all;
    const struct build_point point = {one->values, &mark, 1};
    return technique_build_many(t,
                                &(struct build_request){.stream = one->stream,
                                                        .index = one->index,
                                                        .points = &point,
                                                        .point_count = 1,
                                                        .direct = one->direct,
                                                        .each = take_over,
                                                        .user = out},
                                e);
}

size_t technique_group(const struct technique *t, const int64_t *const *values, size_t count,
                       size_t *groups) {
    if (t->group != NULL)
        return t->group(values, count, groups);
    for (size_t i = 0; i < count; i++)
        groups[i] = i;
    return count;
}

void profile_free(struct profile *p) {
    graph_free(&p->graph);
    *p = (struct profile){0};
}
