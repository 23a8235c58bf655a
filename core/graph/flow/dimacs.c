/*
 * Networks in the DIMACS format for minimum-cost flow:
 *
 *     c  a comment
 *     p min NODES ARCS                   once, before the rest
 *     n NODE SUPPLY                      at most once a node, numbered from 1; a demand is negative
 *     a FROM TO LOWER UPPER COST         one for each of ARCS; parallel arcs are distinct
 *
 * Supplies become arcs of one extra node, each of which must carry exactly its supply.
 */
#include "graph/flow/circulation.h"

#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 100000000 };

struct parse {
    struct dimacs *out;
    const char *name; /* for messages */
    size_t line;
    const char *at, *end; /* rest of the line */
    bool has_problem;
    uint64_t arcs; /* as the p line announces */
    struct map supplied;
    VEC(struct arc) supplies;
    struct error *e;
};

static enum status malformed(struct parse *p, const char *what) {
    return error_set(p->e, STATUS_FORMAT, "%s:%zu: %s", p->name, p->line, what);
}

static void skip_blanks(struct parse *p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
        p->at++;
}

static bool at_end(struct parse *p) {
    skip_blanks(p);
    return p->at == p->end;
}

/* Parses a decimal number with an optional sign; a blank or the end of the line must follow. */
static bool take_number(struct parse *p, int64_t *out) {
    skip_blanks(p);
    const char *at = p->at;
    bool negative = at < p->end && *at == '-';
    at += negative || (at < p->end && *at == '+');
    uint64_t value;
    if (!scan_decimal(&at, p->end, INT64_MAX, &value) || (at < p->end && *at != ' ' && *at != '\t'))
        return false;
    p->at = at;
    *out = negative ? -(int64_t)value : (int64_t)value;
    return true;
}

static bool take_node(struct parse *p, uint32_t *out) {
    int64_t number;
    if (!take_number(p, &number) || number < 1 || (uint64_t)number >= p->out->network.nodes)
        return false;
    *out = (uint32_t)(number - 1);
    return true;
}

static enum status parse_problem(struct parse *p) {
    int64_t nodes, arcs;
    if (p->has_problem)
        return malformed(p, "a second p line");
    skip_blanks(p);
    if (p->end - p->at < 4 || memcmp(p->at, "min", 3) != 0 || (p->at[3] != ' ' && p->at[3] != '\t'))
        return malformed(p, "only minimum-cost flow is solved; expected \"p min NODES ARCS\"");
    p->at += 3;
    if (!take_number(p, &nodes) || !take_number(p, &arcs) || nodes < 0 || arcs < 0 || !at_end(p))
        return malformed(p, "expected \"p min NODES ARCS\", two numbers from 0");
    if (nodes > NODES_MAX)
        return malformed(p, "more than 100,000,000 nodes");
    p->has_problem = true;
    p->arcs = (uint64_t)arcs;
    p->out->network.nodes = (size_t)nodes + 1; /* plus the extra node */
    return STATUS_OK;
}

static enum status parse_supply(struct parse *p) {
    uint32_t node;
    int64_t supply;
    if (!take_node(p, &node) || !take_number(p, &supply) || !at_end(p))
        return malformed(p, "expected \"n NODE SUPPLY\", a node from 1 to the p line's NODES");
    uint64_t *seen = map_at(&p->supplied, node);
    uint32_t extra = (uint32_t)p->out->network.nodes - 1;
    bool in = supply >= 0;
    struct arc arc = {.from = in ? extra : node,
                      .to = in ? node : extra,
                      .lower = in ? supply : -supply,
                      .upper = in ? supply : -supply};
    if (seen == NULL || !vec_push(&p->supplies, arc))
        return error_set(p->e, STATUS_MEMORY, "%s: out of memory", p->name);
    return (*seen)++ > 0 ? malformed(p, "a second n line for this node") : STATUS_OK;
}

static enum status parse_arc(struct parse *p) {
    struct arc arc = {0};
    if (!take_node(p, &arc.from) || !take_node(p, &arc.to))
        return malformed(p, "expected \"a FROM TO LOWER UPPER COST\", nodes from 1 to the p line's "
                            "NODES");
    if (!take_number(p, &arc.lower) || !take_number(p, &arc.upper) || !take_number(p, &arc.cost) ||
        !at_end(p))
        return malformed(p,
                         "expected \"a FROM TO LOWER UPPER COST\", whole numbers of up to 63 bits");
    if (arc.lower > arc.upper)
        return malformed(p, "the lower bound is above the upper one");
    if (p->out->arcs == p->arcs)
        return malformed(p, "more arcs than the p line says");
    p->out->arcs++;
    return vec_push(&p->out->network.arcs, arc)
               ? STATUS_OK
               : error_set(p->e, STATUS_MEMORY, "%s: out of memory", p->name);
}

static enum status parse_line(struct parse *p) {
    if (at_end(p))
        return STATUS_OK;
    char kind = *p->at++;
    if (kind == 'c' && (p->at == p->end || *p->at == ' ' || *p->at == '\t'))
        return STATUS_OK;
    bool known = kind == 'p' || kind == 'n' || kind == 'a';
    if (!known || p->at == p->end || (*p->at != ' ' && *p->at != '\t'))
        return malformed(p, "expected a line that starts with c, p, n or a, and a blank");
    if (kind == 'p')
        return parse_problem(p);
    if (!p->has_problem)
        return malformed(p, "\"p min NODES ARCS\" must come first");
    return kind == 'n' ? parse_supply(p) : parse_arc(p);
}

static enum status parse_lines(struct parse *p, const char *text, size_t len) {
    enum status status = STATUS_OK;
    for (const char *next = text, *stop = text + len; status == STATUS_OK && next < stop;) {
        const char *newline = memchr(next, '\n', (size_t)(stop - next));
        p->line++;
        p->at = next;
        p->end = newline != NULL ? newline : stop;
        next = newline != NULL ? newline + 1 : stop;
        if (p->end > p->at && p->end[-1] == '\r')
            p->end--;
        status = parse_line(p);
    }
    if (status == STATUS_OK && !p->has_problem)
        return malformed(p, "there is no line \"p min NODES ARCS\" in it");
    if (status == STATUS_OK && p->out->arcs != p->arcs)
        return error_set(p->e, STATUS_FORMAT, "%s:%zu: it ends after %zu of %llu arcs", p->name,
                         p->line, p->out->arcs, (unsigned long long)p->arcs);
    return status;
}

void dimacs_free(struct dimacs *d) {
    circulation_free(&d->network);
    *d = (struct dimacs){0};
}

enum status dimacs_parse(struct dimacs *out, const char *text, size_t len, const char *name,
                         struct error *e) {
    *out = (struct dimacs){0};
    struct parse p = {.out = out, .name = name, .e = e};
    enum status status = parse_lines(&p, text, len);
    for (size_t i = 0; status == STATUS_OK && i < p.supplies.len; i++)
        if (!vec_push(&out->network.arcs, p.supplies.at[i]))
            status = error_set(e, STATUS_MEMORY, "%s: out of memory", name);
    map_free(&p.supplied);
    vec_free(&p.supplies);
    if (status != STATUS_OK)
        dimacs_free(out);
    return status;
}

enum status dimacs_read(struct dimacs *out, const char *path, struct error *e) {
    *out = (struct dimacs){0};
    struct bytes text;
    enum status status = file_read(&text, path, (size_t)4 << 30, e);
    if (status != STATUS_OK)
        return status;
    status = dimacs_parse(out, (const char *)text.at, text.len, path, e);
    bytes_free(&text);
    return status;
}
