#include "report/layout.h"
#include "base/child.h"
#include "report/gnuplot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PIXELS = 72 }; /* an inch */

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

void layout_fit(struct layout *l, double width) {
    const double times = l->width > width ? width / l->width : 1;
    l->width *= times;
    for (size_t i = 0; i < l->nodes.len; i++) {
        l->nodes.at[i].x *= times;
        l->nodes.at[i].width *= times;
    }
    for (size_t i = 0; i < l->edges.len; i++) {
        l->edges.at[i].label_x *= times;
        for (size_t k = 0; k < l->edges.at[i].points; k++)
            l->edges.at[i].xy[2 * k] *= times;
    }
}

/* ---- what dot says: lines of words, numbers in inches, y upwards ---- */

static double take_number(char **at) {
    return strtod(*at, at) * PIXELS;
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
    /* Behind a label, which has no quotes, come its place, a style and a colour. */
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

/* One graph's lines, up to "stop"; false when memory is out or they are none. */
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
