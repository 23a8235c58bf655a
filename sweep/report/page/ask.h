/*
 * ask: a page that is being written, what it speaks of just now, and queries about that.
 */
#ifndef HOTGRAPH_REPORT_ASK_H
#define HOTGRAPH_REPORT_ASK_H

#include "report/draw/canvas.h"
#include "report/paths.h"

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
};

/* The stream that figures of a game show: its first. */
#define SHOWN_STREAM                                                                               \
    "stream_id = (SELECT stream_id FROM completeness WHERE experiment = ?1 AND game = ?2"          \
    " AND variant = '')"

/* Asks with ?1 the experiment, ?2 the game (or NULL), and ?3, ?4 and ?5 the hot share, the way of
 * sampling and the technique that are spoken of. */
enum status page_ask(struct page *p, struct table *out, const char *sql, const char *game);
/* Whether a query has any answer. */
enum status page_holds(struct page *p, const char *sql, bool *out);
/* The query with ?1 to ?5 filled in, to be freed; NULL when memory is out. */
char *page_fill_in(const struct page *p, const char *sql, const char *game);
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
/* "games", "programs", "games and programs": what the report is about. */
const char *page_subjects(const struct page *p);
/* The same of one: "game", "program", "program or game". */
const char *page_subject(const struct page *p);

#endif
