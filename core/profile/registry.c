/* The techniques that the build lists, and what they have in common. */
#include "profile/profile.h"

#include <inttypes.h>
#include <string.h>

#define TECHNIQUE(name) extern const struct technique technique_##name;
#include "technique_list.h"
#undef TECHNIQUE

#define TECHNIQUE(name) &technique_##name,
static const struct technique *const list[] = {
#include "technique_list.h"
};
#undef TECHNIQUE

enum { COUNT = sizeof list / sizeof list[0] };

const struct technique *const *techniques(size_t *count) {
    *count = COUNT;
    return list;
}

const struct technique *technique_find(const char *name) {
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(list[i]->name, name) == 0)
            return list[i];
    return NULL;
}

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

enum status technique_build_at(const struct technique *t, const struct stream *stream,
                               const size_t *marks, size_t mark_count, const int64_t *values,
                               enum status (*each)(void *user, size_t batches,
                                                   const struct profile *p, struct error *e),
                               void *user, struct error *e) {
    if (t->build == NULL)
        return error_set(e, STATUS_ARGUMENT, "%s does not work on recorded streams", t->name);
    for (size_t i = 0; i < mark_count; i++)
        if (marks[i] > stream->batch_count || (i > 0 && marks[i] < marks[i - 1]))
            return error_set(e, STATUS_ARGUMENT,
                             "the mark at %zu batches is out of order or behind the end at %zu",
                             marks[i], stream->batch_count);
    if (t->build_at != NULL)
        return t->build_at(stream, marks, mark_count, values, each, user, e);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < mark_count && status == STATUS_OK; i++) {
        struct profile p = {0};
        status = t->build(&p, stream, marks[i], values, e);
        if (status == STATUS_OK)
            status = each(user, marks[i], &p, e);
        profile_free(&p);
    }
    return status;
}

void profile_free(struct profile *p) {
    graph_free(&p->graph);
    *p = (struct profile){0};
}
