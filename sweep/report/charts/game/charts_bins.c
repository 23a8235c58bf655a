/* Bins over time: where they lie after more and more batches, of the often best configuration. */
#include "report/charts/game/charts_bins.h"
#include "report/draw/axis.h"
#include "report/page/pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MARK_BATCHES, MARK_ADDRESS, MARK_CENTROID, MARK_COUNT };
static const char MARKS_SQL[] =
    "SELECT batch, address, centroid, count FROM bin_history WHERE event = 'mark' AND " SHOWN_STREAM
    " ORDER BY address, batch, place";
enum { RECURRENT_ABOVE = 5 };

/* Addresses from the lowest up; where no bin lies for long, most of the way is left out. */
enum { LONGEST_WAY = 512, LABEL_HEIGHT = 17 };
struct ladder {
    double *at, *height; /* n centres ascending, and how far up each is, in bytes that are shown */
    size_t n;
    double from, to; /* pixels of the lowest and the highest */
};

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* False: out of memory. Both lists are to be freed. */
static bool make_ladder(struct ladder *l, const struct table *t, double from, double to) {
    *l = (struct ladder){.n = table_rows(t), .from = from, .to = to};
    l->at = calloc(l->n + 1, sizeof *l->at);
    l->height = calloc(l->n + 1, sizeof *l->height);
    if (l->at == NULL || l->height == NULL)
        return false;
    for (size_t i = 0; i < l->n; i++)
        l->at[i] = cell_number(t, i, MARK_CENTROID);
    qsort(l->at, l->n, sizeof *l->at, ascending);
    for (size_t i = 1; i < l->n; i++)
        l->height[i] = l->height[i - 1] + fmin(LONGEST_WAY, l->at[i] - l->at[i - 1]);
    return true;
}

static void free_ladder(struct ladder *l) {
    free(l->at);
    free(l->height);
}

static double ladder_at(const struct ladder *l, double centre) {
    const double *at = bsearch(&centre, l->at, l->n, sizeof *l->at, ascending);
    const double all = fmax(1, l->height[l->n - 1]);
    return l->from + (l->to - l->from) * l->height[at != NULL ? at - l->at : 0] / all;
}

/* The first centre above each stretch that is left out, where there is room. */
static void name_steps(struct canvas *c, const struct ladder *l, double x1, double x2) {
    double below = l->from + 2 * LABEL_HEIGHT;
    for (size_t i = 0; i < l->n; i++) {
        const double y = ladder_at(l, l->at[i]);
        const bool cut = i > 0 && l->at[i] - l->at[i - 1] > LONGEST_WAY;
        if (cut)
            canvas_line(c, x1, y + 4, x2, y + 4, INK_COLD, 1, STROKE_DOTTED);
        if (below - y < LABEL_HEIGHT || !(i == 0 || cut || below - y > 3 * LABEL_HEIGHT))
            continue;
        canvas_code(c, x1 - 9, y + 5, ANCHOR_RIGHT, INK_MUTED, "%04X", (unsigned)l->at[i]);
        canvas_line(c, x1 - 6, y, x1, y, INK_COLD, 1, STROKE_SOLID);
        below = y;
    }
    canvas_text(c, 2, l->to - 32, ANCHOR_LEFT, INK_MUTED,
                "centre of the bin, address (dotted: nothing for 512 bytes)");
}

/* One bin from the mark at which it is first there: rows first .. end - 1. */
static void draw_bin(struct canvas *c, const struct table *t, size_t first, size_t end,
                     const struct axis *x, const struct ladder *y) {
    const size_t n = end - first;
    const bool often = cell_number(t, end - 1, MARK_COUNT) > RECURRENT_ABOVE;
    const enum ink ink = often ? INK_SERIES : INK_COLD;
    double *xy = calloc(2 * n, sizeof *xy);
    if (xy == NULL) {
        c->failed = true;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        xy[2 * i] = axis_at(x, cell_number(t, first + i, MARK_BATCHES));
        xy[2 * i + 1] = ladder_at(y, cell_number(t, first + i, MARK_CENTROID));
    }
    char hint[120];
    snprintf(hint, sizeof hint, "made at %04X, at the end %.1f bytes from there, hit %.0f times",
             (unsigned)cell_number(t, first, MARK_ADDRESS),
             cell_number(t, end - 1, MARK_CENTROID) - cell_number(t, first, MARK_ADDRESS),
             cell_number(t, end - 1, MARK_COUNT));
    canvas_path(c, xy, n, ink, often ? 1.2 : 0.8, STROKE_SOLID);
    canvas_dot(c, xy[0], xy[1], 2.5, often ? 0 : 4, ink, hint);
    free(xy);
}

/* How many there are at each mark, above it. */
static void count_bins(struct canvas *c, const struct table *t, const struct axis *x, double y) {
    double behind = -100;
    for (double mark = 0;;) {
        double next = INFINITY;
        size_t count = 0;
        for (size_t i = 0; i < table_rows(t); i++) {
            const double batches = cell_number(t, i, MARK_BATCHES);
            next = batches > mark ? fmin(next, batches) : next;
        }
        if (!isfinite(next))
            return;
        for (size_t i = 0; i < table_rows(t); i++)
            count += cell_number(t, i, MARK_BATCHES) == next;
        mark = next;
        if (axis_at(x, mark) - behind < 30)
            continue;
        canvas_text(c, axis_at(x, mark), y, ANCHOR_MIDDLE, INK_TEXT, "%zu", count);
        behind = axis_at(x, mark);
    }
}

static enum status draw(struct page *p, const char *game, const struct table *t, const char *id,
                        const char *question) {
    double most = 1, least = INFINITY;
    size_t bins = 0, often = 0;
    for (size_t i = 0; i < table_rows(t); i++) {
        least = fmin(least, cell_number(t, i, MARK_BATCHES));
        most = fmax(most, cell_number(t, i, MARK_BATCHES));
    }
    const struct axis x = {.low = pow(10, floor(log10(fmax(1, least)) + 1e-9)),
                           .high = fmax(10, pow(10, ceil(log10(most) - 1e-9))),
                           .from = 66,
                           .to = CANVAS_COLUMN - 22,
                           .logarithmic = true};
    struct ladder y;
    struct canvas c;
    if (!make_ladder(&y, t, 392, 62)) {
        free_ladder(&y);
        return error_set(p->r->e, STATUS_MEMORY, "out of memory for a figure");
    }
    canvas_start(
        &c, id, CANVAS_COLUMN, 444, question,
        "A line a bin, at its centre, from the mark at which it is first there to the end; "
        "above, how many bins there are.");
    axis_across(&c, &x, y.to - 4, y.from + 8, "batches");
    name_steps(&c, &y, x.from, x.to);
    for (size_t first = 0, i = 1; i <= table_rows(t); i++) {
        if (i < table_rows(t) &&
            strcmp(cell_text(t, i, MARK_ADDRESS), cell_text(t, first, MARK_ADDRESS)) == 0 &&
            cell_number(t, i, MARK_BATCHES) > cell_number(t, i - 1, MARK_BATCHES))
            continue;
        draw_bin(&c, t, first, i, &x, &y);
        bins += cell_number(t, i - 1, MARK_BATCHES) == most;
        often += cell_number(t, i - 1, MARK_BATCHES) == most &&
                 cell_number(t, i - 1, MARK_COUNT) > RECURRENT_ABOVE;
        first = i;
    }
    count_bins(&c, t, &x, y.to - 9);
    free_ladder(&y);
    char caption[400];
    snprintf(caption, sizeof caption,
             "A line a bin, from the first mark at which it is there; numbers: bins at each mark. "
             "Of the last %zu, %zu are recurrent (discs {s0}), hit more than %d times; the others "
             "(diamonds {cold}) mean nothing to the algorithm. %.80s, configuration 10/15/13/5.",
             bins, often, RECURRENT_ABOVE, game);
    return page_figure(p, &c, question, caption);
}

enum status page_bins(struct page *p, const char *game) {
    static const char question[] = "When do bins come, where, and do they stay in place?";
    struct table t;
    char id[140];
    snprintf(id, sizeof id, "bins-%s", game);
    enum status status = page_ask(p, &t, MARKS_SQL, game);
    if (status != STATUS_OK)
        return status;
    if (table_rows(&t) > 0)
        status = draw(p, game, &t, id, question);
    table_free(&t);
    return status;
}
