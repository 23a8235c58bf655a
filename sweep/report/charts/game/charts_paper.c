/*
 * The figures by which the paper (Napoli 2015, figures 5 to 10) explains GFCGaussiano on invented
 * numbers, drawn from what happened on a game with the configuration that it names most often.
 */
#include "report/charts/game/charts_paper.h"
#include "report/charts/plot.h"
#include "report/page/pieces.h"
#include "report/page/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct name {
    char text[140];
};
static struct name name_of(const char *kind, const char *game) {
    struct name n;
    snprintf(n.text, sizeof n.text, "%s-%s", kind, game);
    return n;
}

/* ---- figure 6: what is sampled ---- */

/* Milliseconds of an NTSC console. kind: 1 waiting, 2 work, 3 sampled. */
static const char INTERVALS_SQL[] =
    "SELECT round(cycle / 1789.773, 6) AS ms, round(coalesce(lead(cycle) OVER (ORDER BY place),"
    " cycle) / 1789.773, 6) AS until, iif(batch IS NOT NULL, 3, 2 - busy) AS kind,"
    " printf('%04X', address) AS address, text, interrupt, frame, batch, busy FROM excerpt"
    " WHERE figure = 'intervals' AND " SHOWN_STREAM " ORDER BY place";
enum { I_MS, I_UNTIL, I_KIND, I_ADDRESS, I_TEXT, I_INTERRUPT, I_FRAME, I_BATCH, I_BUSY };
enum { WAITS = 1, WORK, SAMPLED };

extern const char intervals_gp[];

static size_t count_kind(const struct table *t, unsigned kind) {
    size_t n = 0;
    for (size_t i = 0; i < table_rows(t); i++)
        n += cell_number(t, i, I_KIND) == kind;
    return n;
}

/* Rows first .. end - 1 are the first batch; first is the number of rows if there is none. */
static void find_batch(const struct table *t, size_t *first, size_t *end) {
    *first = 0;
    while (*first < table_rows(t) && table_cell(t, *first, I_BATCH) == NULL)
        ++*first;
    *end = *first;
    while (*end < table_rows(t) &&
           strcmp(cell_text(t, *end, I_BATCH), cell_text(t, *first, I_BATCH)) == 0)
        ++*end;
}

/* Labels of a magnified batch, from number n on: its addresses, five in a row. */
static void magnify(struct chart *c, size_t n, const struct table *t, size_t first, size_t end) {
    char text[120];
    snprintf(text, sizeof text, "Batch %.20s: %.20s at %.8s, ..., in order",
             cell_text(t, first, I_BATCH), cell_text(t, first, I_TEXT),
             cell_text(t, first, I_ADDRESS));
    chart_label(c, n, 10, 142, ANCHOR_LEFT, INK_TEXT, text);
    for (size_t i = first; i < end; i++) {
        const size_t place = i - first;
        snprintf(text, sizeof text, "%.8s %.3s", cell_text(t, i, I_ADDRESS),
                 cell_text(t, i, I_TEXT));
        chart_code(c, n + 1 + place, 10 + 93.0 * (double)(place % 5),
                   164 + 18.0 * (double)(place / 5), ANCHOR_LEFT,
                   cell_number(t, i, I_BUSY) != 0 ? INK_MUTED : INK_TEXT, text);
    }
}

/* Writes all texts: the frame's beginning, interrupts, and the batch in rows first .. end - 1. */
static size_t label_intervals(struct chart *c, const struct axis *x, const struct table *t,
                              size_t first, size_t end) {
    size_t interrupts = 0, n = 0;
    char text[60];
    for (size_t i = 0; i < table_rows(t); i++)
        interrupts += cell_number(t, i, I_INTERRUPT) != 0;
    chart_labels(c, 2 + interrupts + (end - first));
    snprintf(text, sizeof text, "frame %.12s begins", cell_text(t, first, I_FRAME));
    chart_label(c, ++n, c->left + 4, 14, ANCHOR_LEFT, INK_TEXT, text);
    for (size_t i = 0; i < table_rows(t); i++)
        if (cell_number(t, i, I_INTERRUPT) != 0)
            chart_label(c, ++n, axis_at(x, cell_number(t, i, I_MS)) + 3, 28, ANCHOR_LEFT,
                        INK_SERIES + 1, "NMI");
    magnify(c, n + 1, t, first, end);
    return interrupts;
}

static enum status draw_intervals(struct page *p, const char *game, const struct table *t,
                                  size_t first, size_t end) {
    struct chart c;
    chart_start(&c, CANVAS_COLUMN, 260, "intervals-%s", game);
    chart_frame(&c, 12, CANVAS_COLUMN - 12, 24, 80, "emulated time since power-on, ms", "");
    const struct axis x = {.low = cell_number(t, 0, I_MS),
                           .high = cell_number(t, table_rows(t) - 1, I_MS),
                           .from = c.left,
                           .to = c.right};
    gnuplot_add(&c.set, "x_low = %s; x_high = %s; x_step = %.9g\n", cell_text(t, 0, I_MS),
                cell_text(t, table_rows(t) - 1, I_MS), axis_step(&x));
    const bool waits = count_kind(t, WAITS) > 0, works = count_kind(t, WORK) > 0;
    gnuplot_add(&c.set, "waits = %d\nworks = %d\n", waits, works);
    gnuplot_add(&c.set, "interrupts = %d\n", label_intervals(&c, &x, t, first, end) > 0);
    char caption[400];
    snprintf(caption, sizeof caption,
             "Tall {text}: sampled, 25 instructions at a time%s%s. After the paper's figure 6; "
             "%.80s, frame %.20s, from batch %.20s on.",
             works ? "; middle {s0}: work" : "",
             waits ? "; low {cold}: waiting for the next frame" : "", game,
             cell_text(t, first, I_FRAME), cell_text(t, first, I_BATCH));
    return chart_end(
        &c, p, t, intervals_gp,
        &(struct chart_words){
            "What does the sampler see?",
            "A time line of executed instructions: low where the program only waits, higher where "
            "it works, highest where a batch is sampled; below, the addresses of the first batch.",
            caption});
}

static enum status intervals(struct page *p, const char *game) {
    struct table t;
    size_t first, end;
    enum status status = page_ask(p, &t, INTERVALS_SQL, game);
    find_batch(&t, &first, &end);
    if (status == STATUS_OK && first < table_rows(&t))
        status = draw_intervals(p, game, &t, first, end);
    table_free(&t);
    return status;
}

/* ---- figure 8: low and high ---- */

enum { THRESHOLD = 15 };

/* Window means as core/profile/gaussian/batch_windows.c computes them, each at the middle of its
 * window; spread: their variance. The one or two chosen batches, of at least one window. */
static const char BATCHES_SQL[] =
    "WITH b AS (SELECT figure = 'high batch' AS high, batch, address, place, row_number() OVER"
    " (PARTITION BY figure ORDER BY place) AS instruction, count(*) OVER (PARTITION BY figure) AS"
    " length FROM excerpt WHERE figure IN ('low batch', 'high batch') AND " SHOWN_STREAM "),"
    " w AS (SELECT *, iif(count(*) OVER s = 13, sum(address) OVER s / 13, NULL) AS mean FROM b"
    " WHERE length BETWEEN 13 AND 256 WINDOW s AS (PARTITION BY high ORDER BY instruction ROWS"
    " BETWEEN 6 PRECEDING AND 6 FOLLOWING)),"
    " a AS (SELECT *, avg(mean) OVER (PARTITION BY high) AS middle FROM w)"
    " SELECT dense_rank() OVER (ORDER BY high) AS panel, batch, instruction, address, mean,"
    " printf('instruction %d: %04X', instruction, address) AS hint, high,"
    " round(avg((mean - middle) * (mean - middle)) OVER (PARTITION BY high), 6) AS variance"
    " FROM a ORDER BY high, instruction";
enum { B_PANEL, B_BATCH, B_INSTRUCTION, B_ADDRESS, B_MEAN, B_HINT, B_HIGH, B_VARIANCE };

extern const char windows_gp[];
enum { BATCH_HEIGHT = 164, BATCH_LABELS = 3 }; /* as in the script */

/* The texts and the ranges of the batch in rows first .. end - 1. */
static void describe_batch(struct chart *c, const struct table *t, size_t first, size_t end) {
    const size_t panel = (size_t)cell_number(t, first, B_PANEL), label = BATCH_LABELS * (panel - 1);
    const double top = 4 + BATCH_HEIGHT * (double)(panel - 1);
    const double deviation = sqrt(cell_number(t, first, B_VARIANCE));
    double least = INFINITY, most = 0;
    char text[120];
    for (size_t i = first; i < end; i++) {
        least = fmin(least, cell_number(t, i, B_ADDRESS));
        most = fmax(most, cell_number(t, i, B_ADDRESS));
    }
    snprintf(text, sizeof text, "%s batch %.20s: deviation %.1f %s %d bytes",
             cell_number(t, first, B_HIGH) != 0 ? "High" : "Low", cell_text(t, first, B_BATCH),
             deviation, deviation <= THRESHOLD ? "<=" : ">", THRESHOLD);
    chart_label(c, label + 1, 4, top + 14, ANCHOR_LEFT, INK_TEXT, text);
    snprintf(text, sizeof text, "%04X", (unsigned)least);
    chart_code(c, label + 2, c->left - 8, top + 135, ANCHOR_RIGHT, INK_MUTED, text);
    snprintf(text, sizeof text, "%04X", (unsigned)most);
    chart_code(c, label + 3, c->left - 8, top + 39, ANCHOR_RIGHT, INK_MUTED, text);
    gnuplot_add(&c->set, "low[%zu] = %.0f; high[%zu] = %.0f; last[%zu] = %zu\n", panel, least,
                panel, most > least ? most : least + 1, panel, end - first);
}

/* If a game has batches of only one kind, these are shown. */
static enum status draw_batches(struct page *p, const char *game, const struct table *t) {
    const size_t rows = table_rows(t), panels = (size_t)cell_number(t, rows - 1, B_PANEL);
    const double height = 28 + BATCH_HEIGHT * (double)panels;
    struct chart c;
    chart_start(&c, CANVAS_COLUMN, height, "windows-%s", game);
    chart_frame(&c, 66, CANVAS_COLUMN - 14, 38, height - 58, "", "");
    gnuplot_add(&c.set, "panels = %zu\narray low[panels]\narray high[panels]\narray last[panels]\n",
                panels);
    chart_labels(&c, BATCH_LABELS * panels + 1);
    for (size_t first = 0, i = 1; i <= rows; i++)
        if (i == rows || strcmp(cell_text(t, i, B_PANEL), cell_text(t, first, B_PANEL)) != 0) {
            describe_batch(&c, t, first, i);
            first = i;
        }
    chart_label(&c, BATCH_LABELS * panels + 1, CANVAS_COLUMN - 14, height - 20, ANCHOR_RIGHT,
                INK_MUTED, "instruction of the batch; up: address");
    char caption[400];
    snprintf(caption, sizeof caption,
             "The median %s by deviation of the window means: discs {s0} are addresses, the line "
             "{s1} is the means of "
             "13. After the paper's figure 8; %.80s, "
             "configuration 10/15/13/5.",
             panels == 2                      ? "low and the median high batch"
             : cell_number(t, 0, B_HIGH) == 0 ? "low batch (there is no high one here)"
                                              : "high batch (there is no low one here)",
             game);
    return chart_end(
        &c, p, t, windows_gp,
        &(struct chart_words){
            "When is a batch low, and when high?",
            "Batches: discs are the addresses of their instructions in order, a line the means of "
            "windows of 13; a low batch stays in one place, a high one does not.",
            caption});
}

static enum status batches(struct page *p, const char *game) {
    struct table t;
    enum status status = page_ask(p, &t, BATCHES_SQL, game);
    if (status == STATUS_OK && table_rows(&t) > 0)
        status = draw_batches(p, game, &t);
    table_free(&t);
    return status;
}

/* ---- figure 9: bins ---- */

enum { BIN_EVENT, BIN_BATCH, BIN_MOMENT, BIN_PLACE, BIN_CENTROID, BIN_COUNT, BIN_MEAN };

static void draw_bins(struct canvas *c, const struct table *t, size_t first, size_t end, double y,
                      double mean, size_t changed) {
    for (size_t i = first; i < end; i++) {
        const double x = 10 + 93.0 * (double)(i - first);
        const bool here = (size_t)cell_number(t, i, BIN_PLACE) == changed;
        const double centroid = cell_number(t, i, BIN_CENTROID);
        const int digits = centroid < 1e6 ? 2 : 0; /* a program's addresses have nine before them */
        canvas_rect(c, x, y, 88, 60, here ? INK_SERIES : INK_BAND, here ? 0.25 : 1);
        canvas_text(c, x + 44, y + 18, ANCHOR_MIDDLE, INK_TEXT, "%.*f", digits, centroid);
        canvas_text(c, x + 44, y + 36, ANCHOR_MIDDLE, here ? INK_TEXT : INK_MUTED, "%s hit%s",
                    cell_text(t, i, BIN_COUNT),
                    strcmp(cell_text(t, i, BIN_COUNT), "1") == 0 ? "" : "s");
        canvas_text(c, x + 44, y + 54, ANCHOR_MIDDLE, here ? INK_TEXT : INK_MUTED, "|d| %.*f",
                    digits, fabs(centroid - mean));
    }
}

/* The bin whose centroid or count is not the same before and after; else the new one. */
static size_t find_changed(const struct table *t, size_t before, size_t after, size_t end) {
    for (size_t i = after; i < end; i++) {
        bool same = false;
        for (size_t k = before; k < after; k++)
            same |= strcmp(cell_text(t, i, BIN_CENTROID), cell_text(t, k, BIN_CENTROID)) == 0 &&
                    strcmp(cell_text(t, i, BIN_COUNT), cell_text(t, k, BIN_COUNT)) == 0;
        if (!same && fabs(cell_number(t, i, BIN_CENTROID) - cell_number(t, i, BIN_MEAN)) < 65536)
            return (size_t)cell_number(t, i, BIN_PLACE);
    }
    return SIZE_MAX;
}

static enum status insertion(struct page *p, const char *game, const char *event, const char *kind,
                             const char *question, const char *what) {
    const struct name id = name_of(kind, game);
    struct table t;
    char sql[400];
    snprintf(sql, sizeof sql,
             "SELECT event, batch, moment, place, centroid, count, mean FROM bin_history WHERE"
             " event = '%s' AND " SHOWN_STREAM " ORDER BY moment = 'after', place",
             event);
    enum status status = page_ask(p, &t, sql, game);
    if (status != STATUS_OK)
        return status;
    const size_t rows = table_rows(&t);
    size_t after = 0;
    while (after < rows && strcmp(cell_text(&t, after, BIN_MOMENT), "before") == 0)
        after++;
    if (rows == 0) {
        table_free(&t);
        return STATUS_OK;
    }
    const double mean = cell_number(&t, 0, BIN_MEAN);
    const size_t changed = find_changed(&t, 0, after, rows);
    struct canvas c;
    canvas_start(&c, id.text, CANVAS_COLUMN, 224, question,
                 "Neighbouring bins before and after a window mean is put in: their centres, how "
                 "often each was hit, and how far from the mean they are.");
    canvas_text(&c, 10, 20, ANCHOR_LEFT, INK_TEXT,
                "The mean %.0f comes, in batch %s. Before:", mean, cell_text(&t, 0, BIN_BATCH));
    draw_bins(&c, &t, 0, after, 30, mean, strcmp(event, "new") == 0 ? SIZE_MAX : changed);
    canvas_text(&c, 10, 118, ANCHOR_LEFT, INK_TEXT, "After:");
    draw_bins(&c, &t, after, rows, 128, mean, changed);
    canvas_text(&c, CANVAS_COLUMN - 12, 212, ANCHOR_RIGHT, INK_MUTED,
                "centres, and distances |d| from the mean, in bytes");
    char caption[400];
    snprintf(
        caption, sizeof caption,
        "%s A mean belongs to the nearest bin within 10 bytes, or makes one. After the paper's "
        "figure 9; %.80s, batch %.20s, configuration 10/15/13/5.",
        what, game, cell_text(&t, 0, BIN_BATCH));
    table_free(&t);
    return page_figure(p, &c, question, caption);
}

/* ---- figure 10: paths ---- */

static double path(const struct table *t, const char *name) {
    for (size_t i = 0; i < table_rows(t); i++)
        if (strcmp(cell_text(t, i, 0), name) == 0)
            return cell_number(t, i, 1);
    return NAN;
}

static void box(struct canvas *c, double x, double y, double width, const char *first,
                const char *second) {
    canvas_rect(c, x, y, width, 44, INK_BAND, 1);
    canvas_frame(c, x, y, width, 44, INK_COLD, 1);
    const bool alone = second[0] == '\0';
    canvas_text(c, x + width / 2, y + (alone ? 27 : 18), ANCHOR_MIDDLE, INK_TEXT, "%s", first);
    if (!alone)
        canvas_text(c, x + width / 2, y + 36, ANCHOR_MIDDLE, INK_MUTED, "%s", second);
}

/* An arrow with its count, as thick as its share of everything that reaches the box that it
 * leaves. */
static void flow(struct canvas *c, double x1, double y1, double x2, double y2, double count,
                 double of, const char *what, enum anchor side) {
    const double share = of > 0 && isfinite(count) ? count / of : 0;
    const double xy[] = {x1, y1, x2, y2};
    canvas_path_arrow(c, xy, 2, INK_SERIES, 1 + 7 * share, STROKE_SOLID);
    if (what == NULL)
        return;
    const bool slant = x1 != x2;
    const double off = 8 + 4 * share + (slant ? 16 : 0), y = (y1 + y2) / 2 - (slant ? 10 : 0);
    const double x = (x1 + x2) / 2 + (side == ANCHOR_LEFT ? off : -off);
    char room[40]; /* the boxes beside it have exact counts; there is no room for them here */
    if (count < 1e6)
        long_count(count, room);
    else
        short_count(count, room);
    canvas_text(c, x, y - 1, side, INK_TEXT, "%s%s", what, room);
    canvas_text(c, x, y + 16, side, INK_MUTED, "%.1f %%", 100 * share);
}

/* "12,345 means" */
static void count_of(double count, const char *what, char out[80]) {
    char text[40];
    long_count(count, text);
    snprintf(out, 80, "%s%s", text, what);
}

static enum status paths(struct page *p, const char *game) {
    static const char question[] = "How do the samples pass through the algorithm?";
    const struct name id = name_of("paths", game);
    struct table t;
    enum status status = page_ask(
        p, &t, "SELECT path, count FROM path_count WHERE " SHOWN_STREAM " ORDER BY path", game);
    if (status != STATUS_OK)
        return status;
    const double all = path(&t, "batches"), low = path(&t, "low"), high = path(&t, "high"),
                 means = path(&t, "means"), made = path(&t, "new bin"), walked = path(&t, "walked"),
                 grown = path(&t, "grown"), called = path(&t, "called"),
                 transfers = path(&t, "transfers"), recurrent = path(&t, "recurrent"),
                 built = path(&t, "built"), edges = path(&t, "edges");
    if (!(all > 0) || !isfinite(edges + called + grown + made)) {
        table_free(&t);
        return STATUS_OK;
    }
    struct canvas c;
    char text[80];
    canvas_start(
        &c, id.text, CANVAS_COLUMN, 480, question,
        "The algorithm as a flow chart: batches part into low and high ones; the means of "
        "low ones go into bins, then blocks are grown; transfers of high ones become edges "
        "where they lie between recurrent places.");
    count_of(all, "", text);
    box(&c, 150, 8, 180, "Batches", text);
    flow(&c, 200, 52, 116, 117, low, all, "low ", ANCHOR_RIGHT);
    flow(&c, 280, 52, 364, 117, high, all, "high ", ANCHOR_LEFT);
    count_of(means, " means", text);
    box(&c, 16, 118, 200, "into bins", text);
    count_of(transfers, " transfers", text);
    box(&c, 264, 118, 200, "look at transfers", text);
    flow(&c, 116, 162, 116, 229, made, means, "new bins ", ANCHOR_LEFT);
    flow(&c, 364, 162, 364, 229, recurrent, transfers, "recurrent ", ANCHOR_RIGHT);
    count_of(walked, " instructions", text);
    box(&c, 16, 230, 200, "buildCFGR", text);
    count_of(built, " have no block yet", text);
    box(&c, 264, 230, 200, "is the target a block?", text);
    flow(&c, 264, 252, 217, 252, built, recurrent, NULL, ANCHOR_LEFT);
    flow(&c, 116, 274, 116, 341, grown, walked, "grown ", ANCHOR_LEFT);
    flow(&c, 364, 274, 364, 341, edges, recurrent, "edges ", ANCHOR_RIGHT);
    count_of(called, " calls of itself", text);
    box(&c, 16, 342, 200, "blocks and their edges", text);
    box(&c, 264, 342, 200, "edges that lead far away", "between known blocks");
    flow(&c, 116, 386, 190, 431, grown, walked, NULL, ANCHOR_RIGHT);
    flow(&c, 364, 386, 290, 431, edges, recurrent, NULL, ANCHOR_LEFT);
    box(&c, 150, 432, 180, "The graph", "");
    table_free(&t);
    char caption[300];
    snprintf(
        caption, sizeof caption,
        "Numbers: how often each path was taken. The width of an arrow is its share of all that "
        "reaches the box which it leaves. After the paper's figure 10; %.80s, configuration "
        "10/15/13/5.",
        game);
    return page_figure(p, &c, question, caption);
}

enum status page_paper(struct page *p, const char *game) {
    enum status status = intervals(p, game);
    if (status == STATUS_OK)
        status = batches(p, game);
    if (status == STATUS_OK)
        status = insertion(p, game, "moved", "bin-moved", "What does a mean do to its bin?",
                           "The centre of the bin moves by at least one byte.");
    if (status == STATUS_OK)
        status = insertion(p, game, "new", "bin-new", "When does a bin begin?",
                           "No bin is near enough, so one is made.");
    return status == STATUS_OK ? paths(p, game) : status;
}
