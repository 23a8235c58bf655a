/* Bins over time: their addresses at each mark, for the configuration that is best most often. */
#include "report/charts/game/charts_bins.h"
#include "report/charts/plot.h"
#include "report/page/pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RECURRENT_ABOVE = 5, LONGEST_WAY = 512 };
enum { MARK_BIN, MARK_BATCHES, MARK_UP, MARK_ADDRESS, MARK_CENTROID, MARK_COUNT, MARK_OFTEN };

/* Rows are ordered by address and mark; a new address, or an earlier mark than before, begins
 * another bin. Gaps of more than 512 bytes without bins are shortened to 512. */
static const char MARKS_SQL[] =
    "WITH m AS (SELECT batch, address, place, centroid, count, batch > coalesce(lag(batch) OVER"
    " (PARTITION BY address ORDER BY batch, place), batch) AS goes_on FROM bin_history"
    " WHERE event = 'mark' AND " SHOWN_STREAM "), b AS (SELECT *, sum(NOT goes_on) OVER"
    " (ORDER BY address, batch, place) AS bin FROM m),"
    " c AS (SELECT centroid, min(512, centroid - lag(centroid, 1, centroid) OVER (ORDER BY"
    " centroid)) AS step FROM (SELECT DISTINCT centroid FROM m)),"
    " h AS (SELECT centroid, sum(step) OVER (ORDER BY centroid) AS height FROM c),"
    " l AS (SELECT b.*, height / max(1, max(height) OVER ()) AS up, first_value(count) OVER w > 5"
    " AS often, first_value(count) OVER w AS at_end, first_value(centroid) OVER w - address AS"
    " moved, batch = min(batch) OVER (PARTITION BY bin) AS first FROM b JOIN h USING (centroid)"
    " WINDOW w AS (PARTITION BY bin ORDER BY batch DESC))"
    " SELECT * FROM (SELECT bin, batch AS batches, round(up, 6) AS up, address, centroid, count,"
    " often, first, printf('made at %04X, at the end %.1f bytes from there, hit %d times', address,"
    " moved, at_end) AS hint FROM l UNION ALL SELECT DISTINCT bin, 0, 0, NULL, NULL, NULL, often, "
    "0,"
    " NULL FROM l) ORDER BY bin, batches = 0, batches";

/* ---- texts beside the lines ---- */

enum { LABEL_HEIGHT = 17, LABEL_WIDTH = 30, MOST_LABELS = 64 };
enum { TOP = 62, BOTTOM = 392 }; /* positions of the highest and the lowest centre */

struct label {
    double x, y;
    enum anchor anchor;
    enum ink ink;
    bool code;
    char text[20];
};
struct labels {
    struct label at[MOST_LABELS];
    size_t count;
};

static void add_label(struct labels *l, struct label label) {
    if (l->count < MOST_LABELS)
        l->at[l->count++] = label;
}

struct centre {
    double up, at;
};

static int ascending(const void *a, const void *b) {
    const double x = ((const struct centre *)a)->at, y = ((const struct centre *)b)->at;
    return (x > y) - (x < y);
}

/* Labels the lowest centre, the first one above each shortened gap, and others, if there is
 * room. */
static void name_steps(struct chart *c, struct labels *labels, const struct centre *centres,
                       size_t n) {
    double below = BOTTOM + 2 * LABEL_HEIGHT;
    struct gnuplot cuts = {0};
    gnuplot_add(&c->set, "ticks = '");
    for (size_t i = 0; i < n; i++) {
        const double y = BOTTOM + (TOP - BOTTOM) * centres[i].up;
        const bool cut = i > 0 && centres[i].at - centres[i - 1].at > LONGEST_WAY;
        if (cut)
            gnuplot_add(&cuts, " %.6g", y + 4);
        if (below - y < LABEL_HEIGHT || !(i == 0 || cut || below - y > 3 * LABEL_HEIGHT))
            continue;
        struct label label = {c->left - 9, y + 5, ANCHOR_RIGHT, INK_MUTED, true, ""};
        snprintf(label.text, sizeof label.text, "%04X", (unsigned)centres[i].at);
        add_label(labels, label);
        gnuplot_add(&c->set, " %.6g", y);
        below = y;
    }
    gnuplot_add(&c->set, "'\ncuts = '%.*s'\n", (int)cuts.script.len,
                cuts.script.len > 0 ? cuts.script.at : "");
    c->set.out_of_memory |= cuts.out_of_memory;
    gnuplot_free(&cuts);
}

static bool name_centres(struct chart *c, struct labels *labels, const struct table *t) {
    struct centre *centres = calloc(table_rows(t), sizeof *centres);
    size_t n = 0;
    if (centres == NULL)
        return false;
    for (size_t i = 0; i < table_rows(t); i++)
        if (cell_number(t, i, MARK_BATCHES) > 0)
            centres[n++] =
                (struct centre){cell_number(t, i, MARK_UP), cell_number(t, i, MARK_CENTROID)};
    qsort(centres, n, sizeof *centres, ascending);
    name_steps(c, labels, centres, n);
    free(centres);
    return true;
}

/* Writes the number of bins above each mark. */
static void count_bins(struct labels *labels, const struct table *t, const struct axis *x) {
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
        if (axis_at(x, mark) - behind < LABEL_WIDTH)
            continue;
        struct label label = {axis_at(x, mark), TOP - 9, ANCHOR_MIDDLE, INK_TEXT, false, ""};
        snprintf(label.text, sizeof label.text, "%zu", count);
        add_label(labels, label);
        behind = axis_at(x, mark);
    }
}

static void put_labels(struct chart *c, const struct labels *labels) {
    chart_labels(c, labels->count + 1);
    for (size_t i = 0; i < labels->count; i++) {
        const struct label *l = &labels->at[i];
        (l->code ? chart_code : chart_label)(c, i + 1, l->x, l->y, l->anchor, l->ink, l->text);
    }
    chart_label(c, labels->count + 1, 2, TOP - 32, ANCHOR_LEFT, INK_MUTED,
                "centre of the bin, address (dotted: nothing for 512 bytes)");
}

/* ---- the chart ---- */

extern const char bins_gp[];

/* At the last mark. */
static void write_caption(char out[400], const char *game, const struct table *t, double most) {
    size_t bins = 0, often = 0;
    for (size_t i = 0; i < table_rows(t); i++)
        if (cell_number(t, i, MARK_BATCHES) == most) {
            bins++;
            often += cell_number(t, i, MARK_COUNT) > RECURRENT_ABOVE;
        }
    snprintf(out, 400,
             "One line for each bin, from the first mark at which it is there; numbers: bins at "
             "each mark. "
             "Of the last %zu, %zu are recurrent (discs {s0}), hit more than %d times%s. %.80s, "
             "configuration 10/15/13/5.",
             bins, often, RECURRENT_ABOVE,
             bins > often ? "; the others (diamonds {cold}) mean nothing to the algorithm" : "",
             game);
}

static enum status draw(struct page *p, const char *game, const struct table *t, struct chart *c,
                        const char *question) {
    double most = 1, least = INFINITY;
    bool recurrents = false, others = false;
    struct labels labels = {0};
    for (size_t i = 0; i < table_rows(t); i++) {
        if (cell_number(t, i, MARK_BATCHES) > 0)
            least = fmin(least, cell_number(t, i, MARK_BATCHES));
        most = fmax(most, cell_number(t, i, MARK_BATCHES));
        recurrents |= cell_number(t, i, MARK_OFTEN) == 1;
        others |= cell_number(t, i, MARK_OFTEN) == 0;
    }
    chart_frame(c, 66, CANVAS_COLUMN - 22, TOP - 4, BOTTOM + 8, "batches", "");
    const struct axis x = chart_powers(c, fmax(1, least), fmax(10, most));
    if (!name_centres(c, &labels, t)) {
        gnuplot_free(&c->set);
        return error_set(p->r->e, STATUS_MEMORY, "out of memory for a figure");
    }
    count_bins(&labels, t, &x);
    put_labels(c, &labels);
    gnuplot_add(&c->set, "up_low = %.9g; up_high = %.9g\nrecurrents = %d\nothers = %d\n",
                -8.0 / (BOTTOM - TOP), 1 + 4.0 / (BOTTOM - TOP), recurrents, others);
    char caption[400];
    write_caption(caption, game, t, most);
    return chart_end(
        c, p, t, bins_gp,
        &(struct chart_words){
            question,
            "One line for each bin, at its centre, from the mark at which it is first there to "
            "the end; above, how many bins there are.",
            caption});
}

enum status page_bins(struct page *p, const char *game) {
    static const char question[] = "When and where do bins begin, and do they stay in place?";
    struct table t;
    struct chart c;
    chart_start(&c, CANVAS_COLUMN, 444, "bins-%s", game);
    enum status status = page_ask(p, &t, MARKS_SQL, game);
    if (status == STATUS_OK && table_rows(&t) > 0)
        status = draw(p, game, &t, &c, question);
    table_free(&t);
    return status;
}
