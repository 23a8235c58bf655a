/* A critical-difference diagram (Demsar 2006): mean ranks over games; bars join those that do not
 * differ significantly. The views game_rank, mean_rank and friedman of db/sql/spread.sql. */
#include "report/charts/charts_ranks.h"
#include "report/charts/plot.h"
#include "report/page/pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_GAMES = 5, LEAST_TREATMENTS = 3, MOST_TREATMENTS = 20 };
enum { SIDE = 258, AXIS = 72, BAR = 8, ROW = 26 }; /* as in the script */

/* The probability of a chi-square of at least x with this number of degrees of freedom, by its
 * finite sum. */
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

/* A bar joins the longest run of neighbours whose first and last do not differ significantly. */
static const char RANKS_SQL[] =
    "WITH r AS MATERIALIZED (SELECT iif(baseline, 'read directly', coalesce(label,"
    " iif(length(parameters) < 18, technique || ' ' || parameters, technique || ' #' || number)))"
    " AS name, mean_rank, technique || ' ' || parameters AS configuration,"
    " row_number() OVER (ORDER BY mean_rank, number) AS place FROM mean_rank"
    " WHERE experiment = ?1 AND hot_permille = ?3 AND way = ?4 AND scope = 'whole'),"
    " f AS MATERIALIZED (SELECT critical_difference AS critical FROM friedman WHERE experiment = ?1"
    " AND hot_permille = ?3 AND way = ?4 AND scope = 'whole'),"
    " l AS (SELECT r.*, (SELECT max(o.place) FROM r o WHERE o.mean_rank - r.mean_rank < critical)"
    " AS last FROM r, f),"
    " b AS (SELECT *, last > place AND last > coalesce(max(last) OVER (ORDER BY place ROWS BETWEEN"
    " UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS joins FROM l)"
    " SELECT iif(place <= (count(*) OVER () + 1) / 2, printf('%.26s %.2f', name, mean_rank), "
    "printf('%.2f %.26s', mean_rank, name)) AS said, mean_rank, configuration, place,"
    " iif(joins, sum(joins) OVER (ORDER BY place), NULL) AS bar,"
    " iif(joins, (SELECT mean_rank FROM r WHERE place = b.last), NULL) AS bar_end,"
    " printf('%.120s: mean rank %.2f', configuration, mean_rank) AS hint, sum(joins) OVER () AS "
    "bars"
    " FROM b ORDER BY place";
enum { RANK_BARS = 7 };
static const char FRIEDMAN_SQL[] =
    "SELECT games, treatments, chi_square, critical_difference FROM friedman WHERE experiment = ?1"
    " AND hot_permille = ?3 AND way = ?4 AND scope = 'whole' AND chi_square IS NOT NULL"
    " AND critical_difference IS NOT NULL";
static const char WAYS_SQL[] =
    "SELECT way FROM completeness WHERE experiment = ?1 AND variant = '' AND results > 0"
    " GROUP BY way ORDER BY min(game), way";

static void write_chance(double chance, char out[24]) {
    if (chance < 0.0001)
        snprintf(out, 24, "p < 0.0001");
    else
        snprintf(out, 24, "p = %.2g", chance);
}

extern const char ranks_gp[];

static enum status draw(struct page *p, const struct table *ranks, const struct table *test) {
    char question[100];
    snprintf(question, sizeof question, "Which differences hold over %s, and which are chance?",
             page_subjects(p));
    const size_t of = table_rows(ranks), half = (of + 1) / 2;
    const unsigned bars = (unsigned)cell_number(ranks, 0, RANK_BARS);
    const double square = cell_number(test, 0, 2),
                 height = AXIS + 26 + BAR * bars + ROW * (double)half;
    char chance[24], caption[500];
    write_chance(chi_square_tail(square, (unsigned)of - 1), chance);
    struct chart c;
    chart_start(&c, CANVAS_PAGE, height, "%s", page_id(p, "ranks").text);
    chart_frame(&c, SIDE, CANVAS_PAGE - SIDE, 0, height, "mean rank (1: finds most)", "");
    gnuplot_add(&c.set, "ranked = %zu\nhalf = %zu\nbars = %u\ncritical = %s\n", of, half, bars,
                cell_text(test, 0, 3));
    snprintf(
        caption, sizeof caption,
        "Mean ranks over %.12s %s, by similarity. Friedman's test: chi-square %.2f, %zu degrees "
        "of freedom, %s. Bars join those whose ranks differ by less than the critical "
        "difference at 5 %% (Nemenyi).",
        cell_text(test, 0, 0), page_subjects(p), square, of - 1, chance);
    return chart_end(
        &c, p, ranks, ranks_gp,
        &(struct chart_words){question,
                              "An axis of mean ranks with a line to each configuration; a bar "
                              "joins those whose difference may be chance.",
                              caption});
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
