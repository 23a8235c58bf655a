/*
 * page: index.html, one file that opens offline, and the drawings in it, each of them also as a
 * file for paper. Shared by the files of this room; nobody else includes it.
 *
 * page.c puts it together from findings.c and charts*.c, which draw with pieces.c; those know
 * nothing of the page as a whole (a test checks that).
 *
 * A chart is a function that asks the database, draws on a canvas and hands it to page_figure, or
 * says with page_lack why there is nothing to draw. The title of each is the question that it
 * answers.
 */
#ifndef HOTGRAPH_REPORT_PAGE_H
#define HOTGRAPH_REPORT_PAGE_H

#include "report/draw/canvas.h"
#include "report/internal.h"

struct page {
    struct report *r;
    FILE *out;
    const char *digest; /* of the experiment's results */
    struct table games; /* names of the games that have results, in the one order of all figures */
    int64_t permille;   /* the share of the weight that is called hot just now; of figures, one */
    /* What is spoken of just now: the way of sampling, the technique; NULL: nothing in particular.
     * about: the same for people, said below each figure; may be "". */
    const char *way, *technique;
    char about[400];
    unsigned study;   /* number of the study that is spoken of, from 0 */
    unsigned queries; /* shown so far */
    bool graphviz;    /* is it installed? */
    FILE *lack_file;  /* what page_lacks will list; NULL: nothing yet */
    char *lacks;
    size_t lacks_size;
    unsigned lack_count;
};

/* Text of a cell, or "" for NULL; its number, or NAN. */
const char *cell_text(const struct table *t, size_t row, size_t column);
double cell_number(const struct table *t, size_t row, size_t column);

/* The stream that figures of a game show: its first. */
#define SHOWN_STREAM                                                                               \
    "stream_id = (SELECT stream_id FROM completeness WHERE experiment = ?1 AND game = ?2"          \
    " AND variant = '')"

/* Asks with ?1 the experiment, ?2 the game (or NULL), and ?3, ?4 and ?5 the hot share, the way of
 * sampling and the technique that are spoken of. */
enum status page_ask(struct page *p, struct table *out, const char *sql, const char *game);
/* Sets p->about: hot share, way of sampling, technique as they are now, and which games in words.
 */
void page_speak_of(struct page *p, const char *games);
/* Of a figure that there is for each study: of the first KIND alone, then KIND-2, ... */
struct figure_id {
    char text[60];
};
struct figure_id page_id(const struct page *p, const char *kind);
/* The colour of a game: the same in all figures. */
enum ink page_game_ink(const struct page *p, const char *game);

/* A name in at most that many letters, 6 to 15: "airma..er-12", for names of a kind often differ at
 * their ends. */
void short_name(const char *name, unsigned most, char out[16]);

/* "12,960" of "12960": where text is a whole number of five digits or more. */
bool group_thousands(const char *text, char out[40]);
/* "games", "programs", "games and programs": what the report is about. */
const char *page_subjects(const struct page *p);

/* 1.2 M, 34 k, 567 */
void short_count(double count, char out[16]);

/* Escaped text. */
void page_text(struct page *p, const char *text);
/* Takes a drawing: into the page, and as NAME.svg and NAME.eps into figures/. Frees it. caption:
 * one sentence that says what to see. */
enum status page_figure(struct page *p, struct canvas *c, const char *question,
                        const char *caption);
/* The same of SVG text that is a file already, or of a place that page_fill fills in: PAGE_PLACE
 * "ID-->". */
#define PAGE_PLACE "<!--drawing "
void page_place_figure(struct page *p, const char *id, bool wide, const char *svg,
                       const char *question, const char *caption);
/* A page with the drawings in their places, to be freed; NULL with the error set. */
char *page_fill(struct report *r, const char *text, size_t *size);
/* Instead of a figure: why there is none, kept for page_lacks, which lists all since the last time.
 */
enum status page_lacks(struct page *p);
void page_lack(struct page *p, const char *id, const char *question, const char *reason);
/* A link to an SQL query that is shown when asked for; what ?1 and ?2 stand for is put in. */
void page_query(struct page *p, const char *sql, const char *game);

/* A table that sorts and filters; id, title and note come from the program. is_long: not printed.
 */
void page_table(struct page *p, const struct table *t, const char *id, const char *title,
                const char *note, bool is_long);
/* A table of what the query answers, with it. lack: why there is none where no row comes; NULL:
 * then nothing stands there. */
enum status page_answer(struct page *p, const char *id, const char *title, const char *note,
                        const char *sql, bool is_long, const char *lack);
/* Whether a query has any answer. */
enum status page_holds(struct page *p, const char *sql, bool *out);
/* What stands around everything else. title: escaped here. */
void page_head(struct page *p, const char *title);
void page_foot(struct page *p);

/* ---- axes ---- */

struct axis {
    double low, high; /* values at its ends */
    double from, to;  /* pixels */
    bool logarithmic; /* base 10 */
};
double axis_at(const struct axis *a, double value);
/* From round numbers to round numbers around least .. most. */
struct axis axis_around(double least, double most, double from, double to);
double axis_step(const struct axis *a); /* between its marks */
/* With grid lines from y1 to y2 (or x1 to x2), numbers, and what is counted in which unit. */
void axis_across(struct canvas *c, const struct axis *a, double y1, double y2, const char *what);
void axis_down(struct canvas *c, const struct axis *a, double x1, double x2, const char *what);
/* Moves n wished-for places so that they are at least `gap` apart and none is beyond `most`, in
 * place; they keep the order that they have by value. */
void spread(double *places, size_t n, double gap, double most);

/* ---- charts: what gnuplot draws, each with a script, its rows as CSV, SVG and PDF in figures/
 * ----
 */

struct chart {
    char id[140];
    double width, height; /* pixels, as for a canvas */
    double left, right, top, bottom;
    struct gnuplot set; /* variables of its script */
};
struct chart_words {
    const char *question, *description, *caption; /* as for canvas_start and page_figure */
};
void chart_start(struct chart *c, double width, double height, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Where the plot is, in pixels, and what its axes say. */
void chart_frame(struct chart *c, double left, double right, double top, double bottom,
                 const char *x_name, const char *y_name);
/* x_low, x_high and x_step (or y): round numbers around least .. most; returns where values lie. */
struct axis chart_range(struct chart *c, char axis, double least, double most);
/* x_low and x_high: powers of ten around least .. most, of a logarithmic axis. */
struct axis chart_powers(struct chart *c, double least, double most);
/* Texts at places of the picture: how many, and the i-th of them, from 1. */
void chart_labels(struct chart *c, size_t count);
void chart_label(struct chart *c, size_t i, double x, double y, enum anchor anchor, enum ink ink,
                 const char *text);
/* Has any row of a column a value? */
bool chart_has(const struct table *t, size_t column);
/* rows: what the script reads; body: one of plots/. Frees the chart. */
enum status chart_end(struct chart *c, struct page *p, const struct table *rows, const char *body,
                      const struct chart_words *words);

/* ---- parts of the page: each uses the pieces above, and only page.c the parts ---- */

enum status page_summary(struct page *p); /* the headline and what proves it */
enum status page_findings(struct page *p);
enum status page_ranks(struct page *p);                    /* do games order alike at all? */
enum status page_charts(struct page *p);                   /* over all games */
enum status page_interactions(struct page *p);             /* of parameters: one of them */
enum status page_agreement(struct page *p);                /* of games: another */
enum status page_budgets(struct page *p);                  /* the best technique of each: a table */
enum status page_costs(struct page *p);                    /* of replays and techniques: a table */
enum status page_game(struct page *p, const char *game);   /* of one */
enum status page_graphs(struct page *p, const char *game); /* drawn as graphs */
enum status page_calls(struct page *p, const char *game);  /* a loop and what it calls */
enum status page_bins(struct page *p, const char *game);   /* over time */
enum status page_paper(struct page *p, const char *game);  /* as the paper explains the method */
enum status page_native(struct page *p);                   /* of native programs, if any */
enum status page_tables(struct page *p);
enum status page_provenance(struct page *p);

#endif
