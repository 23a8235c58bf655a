/*
 * ask: a page under construction, its current subject, and queries about the subject.
 */
#ifndef HOTGRAPH_REPORT_ASK_H
#define HOTGRAPH_REPORT_ASK_H

#include "report/draw/canvas.h"
#include "report/report_paths.h"

struct page {
    struct report *r;
    FILE *out;
    const char *digest; /* of the experiment's results */
    struct table games; /* names of the games with results, in the order of all figures */
    /* Share of the weight that counts as hot at present. The figures have a single one. */
    int64_t permille;
    /* The current sampling configuration and technique; NULL: none in particular. about: the same
     * in words, printed below each figure; may be "". */
    const char *way, *technique;
    char about[400];
    unsigned study;   /* number of the current study, from 0 */
    unsigned queries; /* printed so far */
    bool graphviz;    /* is it installed? */
};

/* The stream that figures of a game show: the game's first. */
#define SHOWN_STREAM                                                                               \
    "stream_id = (SELECT stream_id FROM completeness WHERE experiment = ?1 AND game = ?2"          \
    " AND variant = '')"

/* Runs a query with ?1 the experiment, ?2 the game (or NULL), and ?3, ?4 and ?5 the current hot
 * share, sampling configuration and technique. */
enum status page_ask(struct page *p, struct table *out, const char *sql, const char *game);
/* Does the query return any row? */
enum status page_holds(struct page *p, const char *sql, bool *out);
/* The query text with ?1 to ?5 replaced by their values. The caller frees it; NULL when out of
 * memory. */
char *page_fill_in(const struct page *p, const char *sql, const char *game);
/* Sets p->about from the current hot share, sampling configuration and technique; games: in
 * words. */
void page_speak_of(struct page *p, const char *games);
/* "Sampled by ", or what live techniques do, of which nothing is sampled; with the current sampling. */
const char *page_sampled(const struct page *p);
/* The id of a figure that exists once per study: KIND for the first, then KIND-2, ... */
struct figure_id {
    char text[60];
};
struct figure_id page_id(const struct page *p, const char *kind);
/* The colour of a game, the same in all figures. */
enum ink page_game_ink(const struct page *p, const char *game);
/* "games", "programs" or "games and programs": the subjects of the report. */
const char *page_subjects(const struct page *p);
/* The singular: "game", "program" or "program or game". */
const char *page_subject(const struct page *p);

#endif
