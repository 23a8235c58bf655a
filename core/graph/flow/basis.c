/* The basis of a solution, kept for the next network. Both networks give their nodes names, so they
 * may number them differently, and each may have nodes that the other one lacks. */
#include "graph/flow/convex.h"

#include <stdlib.h>

struct circulation_basis {
    struct map nodes; /* name -> 1 + number */
    struct map tree;  /* edges of the tree: number of `from` << 32 | number of `to` -> 1 */
    struct convex_potential *potentials; /* by number */
};

struct circulation_basis *circulation_basis_new(void) {
    return calloc(1, sizeof(struct circulation_basis));
}

static void empty(struct circulation_basis *b) {
    map_free(&b->nodes);
    map_free(&b->tree);
    free(b->potentials);
    *b = (struct circulation_basis){0};
}

void circulation_basis_free(struct circulation_basis *b) {
    if (b != NULL)
        empty(b);
    free(b);
}

/* The ends of an edge before presolving. */
struct ends {
    uint32_t from, to;
};
static struct ends ends_of(const struct circulation *c, const struct convex *x, size_t edge) {
    const uint32_t first = x->order[x->arcs[edge]];
    const struct arc *arc = &c->arcs.at[first];
    return x->against[first] ? (struct ends){arc->to, arc->from}
                             : (struct ends){arc->from, arc->to};
}

static uint64_t key_of(uint64_t from, uint64_t to) {
    return from << 32 | to;
}

/* Number of the node in the earlier network plus 1; 0: it was not there. */
static uint64_t earlier(const struct circulation_basis *b, uint64_t name) {
    const uint64_t *known = map_find(&b->nodes, name);
    return known == NULL ? 0 : *known;
}

enum status basis_propose(const struct circulation_basis *b, const uint64_t *names,
                          const struct circulation *c, struct convex *x, struct error *e) {
    x->potentials = calloc(x->nodes + 1, sizeof *x->potentials);
    if (x->potentials == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for a flow of least cost");
    if (b->nodes.len == 0)
        return STATUS_OK;
    for (size_t v = 0; v < x->nodes; v++) {
        const uint64_t was = earlier(b, names[v]);
        if (was != 0)
            x->potentials[v] = b->potentials[was - 1];
    }
    for (size_t i = 0; i < x->made; i++) {
        const struct ends ends = ends_of(c, x, i);
        const uint64_t from = earlier(b, names[ends.from]), to = earlier(b, names[ends.to]);
        x->edges.at[i].in_tree =
            from != 0 && to != 0 && map_find(&b->tree, key_of(from - 1, to - 1)) != NULL;
    }
    return STATUS_OK;
}

static bool insert(struct map *m, uint64_t key, uint64_t value) {
    uint64_t *at = map_at(m, key);
    if (at != NULL)
        *at = value;
    return at != NULL;
}

void basis_keep(struct circulation_basis *b, const uint64_t *names, const struct circulation *c,
                const struct convex *x) {
    empty(b);
    b->potentials = calloc(x->nodes + 1, sizeof *b->potentials);
    bool ok = b->potentials != NULL;
    for (size_t v = 0; v < x->nodes && ok; v++) {
        b->potentials[v] = x->potentials[v];
        ok = insert(&b->nodes, names[v], v + 1);
    }
    for (size_t i = 0; i < x->made && ok; i++) {
        const struct ends ends = ends_of(c, x, i);
        ok = !x->edges.at[i].in_tree || insert(&b->tree, key_of(ends.from, ends.to), 1);
    }
    if (!ok)
        empty(b);
}
