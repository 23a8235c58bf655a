#include "report/draw/node_layout.h"
#include "base/child.h"
#include "report/draw/gnuplot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool graphviz_is_there(void) {
    return program_is_there("dot");
}

void layout_free(struct layout *l) {
    for (size_t i = 0; i < l->edges.len; i++)
        free(l->edges.at[i].xy);
    vec_free(&l->edges);
    vec_free(&l->nodes);
    *l = (struct layout){0};
}

/* ---- parts ---- */

/* A connected component: nodes and edges with this number, and their bounding box. */
struct part {
    double left, top, right, bottom;
    double x, y; /* position in the packed layout */
    bool used;
};
enum { GAP = 18, LABEL_WIDTH = 56, LABEL_HEIGHT = 18 };

static size_t node_of(const struct layout *l, uint32_t name) {
    size_t i = 0;
    while (i < l->nodes.len && l->nodes.at[i].name != name)
        i++;
    return i;
}

/* Finds components; part[node] is the first node of the node's component. */
static void find_parts(const struct layout *l, size_t *part) {
    for (size_t i = 0; i < l->nodes.len; i++)
        part[i] = i;
    for (size_t i = 0; i < l->edges.len; i++) {
        const size_t a = part[node_of(l, l->edges.at[i].source)],
                     b = part[node_of(l, l->edges.at[i].target)];
        for (size_t k = 0; k < l->nodes.len; k++)
            if (part[k] == (a > b ? a : b))
                part[k] = a < b ? a : b;
    }
}

static void include(struct part *p, double x, double y, double width, double height) {
    if (!p->used)
        *p = (struct part){x, y, x, y, 0, 0, true};
    p->left = fmin(p->left, x - width / 2);
    p->right = fmax(p->right, x + width / 2);
    p->top = fmin(p->top, y - height / 2);
    p->bottom = fmax(p->bottom, y + height / 2);
}

static void measure(const struct layout *l, const size_t *part, struct part *parts) {
    for (size_t i = 0; i < l->nodes.len; i++) {
        const struct layout_node *n = &l->nodes.at[i];
        include(&parts[part[i]], n->x, n->y, n->width, n->height);
    }
    for (size_t i = 0; i < l->edges.len; i++) {
        const struct layout_edge *edge = &l->edges.at[i];
        struct part *p = &parts[part[node_of(l, edge->source)]];
        for (size_t k = 0; k < edge->points; k++)
            include(p, edge->xy[2 * k], edge->xy[2 * k + 1], 2, 2);
        if (edge->labelled)
            include(p, edge->label_x, edge->label_y, LABEL_WIDTH, LABEL_HEIGHT);
    }
}

static double width_of(const struct part *p) {
    return p->right - p->left;
}

static double height_of(const struct part *p) {
    return p->bottom - p->top;
}

/* The highest free position at that x below the parts that are already placed. */
static double lowest_at(const struct part *const *placed, size_t count, const struct part *p,
                        double x) {
    double y = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < count; i++) {
            const struct part *o = placed[i];
            if (x < o->x + width_of(o) + GAP && o->x < x + width_of(p) + GAP &&
                y < o->y + height_of(o) + GAP && o->y < y + height_of(p) + GAP) {
                y = o->y + height_of(o) + GAP;
                moved = true;
            }
        }
    }
    return y;
}

/* Places a part as high as possible, then as far left as possible: at the left edge or beside
 * another part. */
static void place_part(const struct part *const *placed, size_t count, struct part *p,
                       double width) {
    double x = 0, y = lowest_at(placed, count, p, 0);
    for (size_t i = 0; i < count; i++) {
        const double beside = placed[i]->x + width_of(placed[i]) + GAP;
        const double down = beside + width_of(p) <= width ? lowest_at(placed, count, p, beside) : y;
        if (down < y || (down <= y && beside < x)) {
            x = beside;
            y = down;
        }
    }
    p->x = x;
    p->y = y;
}

/* By descending height; parts of equal height in node order. */
static int by_height(const void *a, const void *b) {
    const struct part *x = *(struct part *const *)a, *y = *(struct part *const *)b;
    const double difference = height_of(y) - height_of(x);
    return difference > 0 ? 1 : difference < 0 ? -1 : (x > y) - (x < y);
}

static void move_parts(struct layout *l, const size_t *part, const struct part *parts) {
    for (size_t i = 0; i < l->edges.len; i++) {
        struct layout_edge *edge = &l->edges.at[i];
        const struct part *p = &parts[part[node_of(l, edge->source)]];
        const double dx = p->x - p->left, dy = p->y - p->top;
        for (size_t k = 0; k < edge->points; k++) {
            edge->xy[2 * k] += dx;
            edge->xy[2 * k + 1] += dy;
        }
        edge->label_x += dx;
        edge->label_y += dy;
    }
    for (size_t i = 0; i < l->nodes.len; i++) {
        l->nodes.at[i].x += parts[part[i]].x - parts[part[i]].left;
        l->nodes.at[i].y += parts[part[i]].y - parts[part[i]].top;
    }
}

bool layout_pack(struct layout *l, double width) {
    const size_t n = l->nodes.len;
    size_t *part = calloc(n + 1, sizeof *part), count = 0;
    struct part *parts = calloc(n + 1, sizeof *parts), **order = calloc(n + 1, sizeof *order);
    bool fits = part != NULL && parts != NULL && order != NULL;
    if (fits) {
        find_parts(l, part);
        measure(l, part, parts);
    }
    for (size_t i = 0; fits && i < n; i++)
        if (parts[i].used) {
            fits = width_of(&parts[i]) <= width;
            order[count++] = &parts[i];
        }
    if (fits && count > 0) {
        qsort(order, count, sizeof *order, by_height);
        l->width = l->height = 0;
        for (size_t i = 0; i < count; i++) {
            place_part((const struct part *const *)order, i, order[i], width);
            l->width = fmax(l->width, order[i]->x + width_of(order[i]));
            l->height = fmax(l->height, order[i]->y + height_of(order[i]));
        }
        move_parts(l, part, parts);
    }
    free(part);
    free(parts);
    free(order);
    return fits;
}

/* ---- output of dot -Tplain: words separated by blanks, inches, y upwards ---- */

static double take_number(char **at) {
    return strtod(*at, at) * LAYOUT_INCH;
}

static uint32_t take_name(char **at) {
    *at += strspn(*at, " \"x");
    return (uint32_t)strtoul(*at, at, 16);
}

static bool add_node(struct layout *l, char *at) {
    struct layout_node n = {.name = take_name(&at)};
    n.x = take_number(&at);
    n.y = l->height - take_number(&at);
    n.width = take_number(&at);
    n.height = take_number(&at);
    return vec_push(&l->nodes, n);
}

static bool add_edge(struct layout *l, char *at) {
    struct layout_edge edge = {.source = take_name(&at)};
    edge.target = take_name(&at);
    edge.points = strtoul(at, &at, 10);
    edge.xy = edge.points < 10000 ? calloc(2 * edge.points + 1, sizeof *edge.xy) : NULL;
    if (edge.xy == NULL)
        return false;
    for (size_t i = 0; i < edge.points; i++) {
        edge.xy[2 * i] = take_number(&at);
        edge.xy[2 * i + 1] = l->height - take_number(&at);
    }
    /* A label is followed by its position, a style and a colour. */
    char *end = at + strlen(at);
    for (unsigned words = 0; end > at && words < 4; end--)
        words += end[-1] == ' ' && end[0] != ' ';
    char *label = at + strspn(at, " ");
    edge.labelled = strncmp(label, "solid", 5) != 0;
    if (edge.labelled) {
        end += end > at;
        edge.label_x = take_number(&end);
        edge.label_y = l->height - take_number(&end);
    }
    if (vec_push(&l->edges, edge))
        return true;
    free(edge.xy);
    return false;
}

/* Reads one graph, up to "stop"; false when out of memory or if the text is malformed. */
static bool read_layout(struct layout *l, FILE *in, char **line, size_t *room) {
    bool ok = true;
    while (ok && getline(line, room, in) > 0) {
        char *at = *line;
        at[strcspn(at, "\n")] = '\0';
        if (strncmp(at, "graph ", 6) == 0) {
            at += 6;
            take_number(&at);
            l->width = take_number(&at);
            l->height = take_number(&at);
        } else if (strncmp(at, "node ", 5) == 0) {
            ok = add_node(l, at + 5);
        } else if (strncmp(at, "edge ", 5) == 0) {
            ok = add_edge(l, at + 5);
        } else if (strcmp(at, "stop") == 0) {
            return true;
        }
    }
    return false;
}

enum status layout_make(struct layout *out, size_t count, const char *dot, int (*stopped)(void),
                        struct error *e) {
    FILE *said = tmpfile();
    enum status status = STATUS_OK;
    int code = 0;
    memset(out, 0, count * sizeof *out);
    if (said == NULL)
        status = error_set(e, STATUS_IO, "a temporary file cannot be made: %s", strerror(errno));
    else
        status = child_run((const char *const[]){"dot", "-q", "-Tplain", NULL}, dot, strlen(dot), 1,
                           fileno(said), stopped, &code, e);
    if (status == STATUS_OK && code != 0)
        status = error_set(e, STATUS_IO, "graphviz's dot failed: is it installed whole?");
    char *line = NULL;
    size_t room = 0;
    if (status == STATUS_OK)
        rewind(said);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        if (!read_layout(&out[i], said, &line, &room))
            status = error_set(e, STATUS_IO, "graphviz's dot has not said where everything goes");
    for (size_t i = 0; status != STATUS_OK && i < count; i++)
        layout_free(&out[i]);
    free(line);
    if (said != NULL)
        fclose(said);
    return status;
}
