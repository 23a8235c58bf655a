/* profiles: the profiles by which a program is laid out. Private to optimise. */
#ifndef HOTGRAPH_OPTIMISE_PROFILES_H
#define HOTGRAPH_OPTIMISE_PROFILES_H

#include "config/config.h"
#include "qemu/qemu.h"

enum layout_kind {
    LAYOUT_ORIGINAL, /* no BOLT */
    LAYOUT_NONE,     /* BOLT without a profile */
    LAYOUT_EXACT,
    LAYOUT_OTHER, /* the exact one of the other input */
    LAYOUT_RANDOM,
    LAYOUT_FOUND, /* by a technique */
};
extern const char *const layout_kind_words[];

struct layout {
    enum layout_kind kind;
    const struct config_point *point; /* of LAYOUT_FOUND, like all that follows */
    size_t budget;
    bool inferred;
    char sampling[BUDGET_KEY];
    bool needless; /* not needed for the current program, which has no other input */
    bool there;    /* already in the database */
};
struct layouts {
    VEC(struct layout) list; /* the index of a layout names its folder */
};
/* All layouts of the configuration, in its order. */
enum status layouts_list(struct layouts *out, const struct config *c, struct error *e);
/* "observed, every=1667 batch=25, inferred" */
void layout_name(const struct layout *l, char *out, size_t size);

/* Recordings of a program in its original layout. */
struct recorded {
    struct qemu_result base, other; /* with its input, with samples; with its other input */
    struct worth_reference *worth;
    struct reference *exact;
};
enum status recorded_prepare(struct recorded *r, struct error *e);
void recorded_free(struct recorded *r);

/* A profile's graph, and how it compares with the exact one. */
struct layout_profile {
    struct graph graph;
    const struct structure *structure; /* the structure that it belongs to */
    uint64_t observed;
    double predicted, overlap; /* NAN: undefined */
};
/* Not for LAYOUT_ORIGINAL and LAYOUT_NONE, which have none. The caller frees out->graph. */
enum status layout_profile_make(struct layout_profile *out, const struct layout *l,
                                const struct recorded *r, struct error *e);

#endif
