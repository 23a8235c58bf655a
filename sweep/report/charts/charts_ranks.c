/* A critical-difference diagram (Demsar 2006): mean ranks over games, joined where they are not
 * told apart. The views game_rank, mean_rank and friedman of db/sql/spread.sql. */
#include "report/charts/charts_ranks.h"
#include "report/page/pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_GAMES = 5, LEAST_TREATMENTS = 3, MOST_TREATMENTS = 20 };
enum { LEFT = 270, RIGHT = CANVAS_PAGE - 270, AXIS = 72, CLIQUE = 8, ROW = 26 };

/* The chance of a chi-square of at least x with so many degrees of freedom, by its finite sum. */
static double chi_square_tail(double x, unsigned freedom) {
    const double half = x / 2;
    const bool odd = freedom % 2 != 0;
    double term = exp(-half) * (odd ? sqrt(4 * half / M_PI) : 1), tail = odd ? erfc(sqrt(half)) : 0;
    for (unsigned i = 1; i <= freedom / 2; i++) {
        tail += term;
        term *= half / (odd ? i + 0.5 : i);
    }
    return tail;
}

static const char RANKS_SQL[] =
    "SELECT iif(baseline, 'read directly', coalesce(label, iif(length(parameters) < 18, technique"
    " || ' ' || parameters, technique || ' #' || number))), mean_rank,"
    " technique || ' ' || parameters FROM mean_rank WHERE experiment = ?1 AND hot_permille = ?3"
    " AND way = ?4 AND scope = 'whole' ORDER BY mean_rank, number";
static const char FRIEDMAN_SQL[] =
    "SELECT games, treatments, chi_square, critical_difference FROM friedman WHERE experiment = ?1"
    " AND hot_permille = ?3 AND way = ?4 AND scope = 'whole' AND chi_square IS NOT NULL"
    " AND critical_difference IS NOT NULL";
static const char WAYS_SQL[] =
    "SELECT way FROM completeness WHERE experiment = ?1 AND variant = '' AND results > 0"
    " GROUP BY way ORDER BY min(game), way";

static double at_rank(double rank, size_t of) {
    return LEFT + (rank - 1) / ((double)of - 1) * (RIGHT - LEFT);
}

static void draw_scale(struct canvas *c, size_t of, double critical) {
    const double end = at_rank(1 + critical, of);
    canvas_line(c, LEFT, AXIS, RIGHT, AXIS, INK_TEXT, 1, STROKE_SOLID);
    for (size_t i = 1; i <= of; i++) {
        const double x = at_rank((double)i, of);
        canvas_line(c, x, AXIS - 6, x, AXIS, INK_TEXT, 1, STROKE_SOLID);
        canvas_text(c, x, AXIS - 12, ANCHOR_MIDDLE, INK_MUTED, "%zu", i);
    }
    canvas_text(c, LEFT - 20, AXIS - 12, ANCHOR_RIGHT, INK_MUTED, "mean rank (1: finds most)");
    canvas_line(c, LEFT, 22, end, 22, INK_TEXT, 2, STROKE_SOLID);
    canvas_line(c, LEFT, 17, LEFT, 27, INK_TEXT, 2, STROKE_SOLID);
    canvas_line(c, end, 17, end, 27, INK_TEXT, 2, STROKE_SOLID);
    canvas_text(c, LEFT - 20, 27, ANCHOR_RIGHT, INK_MUTED, "critical difference %.2f", critical);
}

/* The longest runs of neighbours whose first and last are not told apart; returns how many. */
static unsigned draw_cliques(struct canvas *c, const struct table *t, double critical) {
    const size_t of = table_rows(t);
    unsigned drawn = 0;
    size_t reached = 0;
    for (size_t i = 0; i < of; i++) {
        size_t last = i;
        while (last + 1 < of && cell_number(t, last + 1, 1) - cell_number(t, i, 1) < critical)
            last++;
        if (last == i || last <= reached)
            continue;
        const double y = AXIS + CLIQUE * ++drawn;
        canvas_line(c, at_rank(cell_number(t, i, 1), of) - 4, y,
                    at_rank(cell_number(t, last, 1), of) + 4, y, INK_COLD, 4, STROKE_SOLID);
        reached = last;
    }
    return drawn;
}

static void draw_treatment(struct canvas *c, const struct table *t, size_t i, double y) {
    const size_t of = table_rows(t);
    const bool left = i < (of + 1) / 2;
    const double rank = cell_number(t, i, 1), x = at_rank(rank, of);
    const double line[] = {x, AXIS, x, y, left ? LEFT - 12 : RIGHT + 12, y};
    char hint[200];
    snprintf(hint, sizeof hint, "%.120s: mean rank %.2f", cell_text(t, i, 2), rank);
    canvas_path(c, line, 3, INK_MUTED, 1, STROKE_SOLID);
    canvas_dot(c, x, AXIS, 4, 0, INK_SERIES, hint);
    if (left)
        canvas_text(c, LEFT - 20, y + 5, ANCHOR_RIGHT, INK_TEXT, "%.26s  %.2f", cell_text(t, i, 0),
                    rank);
    else
        canvas_text(c, RIGHT + 20, y + 5, ANCHOR_LEFT, INK_TEXT, "%.2f  %.26s", rank,
                    cell_text(t, i, 0));
}

static void write_chance(double chance, char out[24]) {
    if (chance < 0.0001)
        snprintf(out, 24, "p < 0.0001");
    else
        snprintf(out, 24, "p = %.2g", chance);
}

static enum status draw(struct page *p, const struct table *ranks, const struct table *test) {
    char question[100];
    snprintf(question, sizeof question, "Which differences hold over %s, and which are chance?",
             page_subjects(p));
    const size_t of = table_rows(ranks), half = (of + 1) / 2;
    const double square = cell_number(test, 0, 2), critical = cell_number(test, 0, 3);
    char chance[24], caption[500];
    write_chance(chi_square_tail(square, (unsigned)of - 1), chance);
    struct canvas c;
    canvas_start(&c, page_id(p, "ranks").text, CANVAS_PAGE,
                 AXIS + 26 + CLIQUE * (double)of / 2 + ROW * (double)half, question,
                 "An axis of mean ranks with a line to each configuration; a bar joins those that "
                 "are not told apart.");
    draw_scale(&c, of, critical);
    const double top = AXIS + 26 + CLIQUE * draw_cliques(&c, ranks, critical);
    for (size_t i = 0; i < of; i++)
        draw_treatment(&c, ranks, i, top + ROW * (double)(i < half ? i : of - 1 - i));
    snprintf(
        caption, sizeof caption,
        "Mean ranks over %.12s %s, by similarity. Friedman's test: chi-square %.2f, %zu degrees "
        "of freedom, %s. Bars join those whose ranks differ by less than the critical "
        "difference at 5 %% (Nemenyi).",
        cell_text(test, 0, 0), page_subjects(p), square, of - 1, chance);
    return page_figure(p, &c, question, caption);
}

static enum status ranks_of_way(struct page *p) {
    struct table ranks = {0}, test;
    enum status status = page_ask(p, &test, FRIEDMAN_SQL, NULL);
    if (status == STATUS_OK && table_rows(&test) > 0)
        status = page_ask(p, &ranks, RANKS_SQL, NULL);
    const size_t of = table_rows(&ranks);
    if (status == STATUS_OK && of >= LEAST_TREATMENTS && of <= MOST_TREATMENTS &&
        cell_number(&test, 0, 0) >= LEAST_GAMES) {
        page_speak_of(p, "");
        status = draw(p, &ranks, &test);
    }
    table_free(&ranks);
    table_free(&test);
    return status;
}

enum status page_ranks(struct page *p) {
    struct table ways;
    enum status status = page_ask(p, &ways, WAYS_SQL, NULL);
    for (size_t i = 0; status == STATUS_OK && i < table_rows(&ways); i++) {
        p->way = cell_text(&ways, i, 0);
        p->study = (unsigned)i;
        status = ranks_of_way(p);
    }
    p->way = NULL;
    p->study = 0;
    table_free(&ways);
    return status;
}
