/* sentences: text with numbers from the database. A sentence is left out if its query returns no
 * row or a NULL, so a page states only what is known. */
#ifndef HOTGRAPH_REPORT_SENTENCES_H
#define HOTGRAPH_REPORT_SENTENCES_H

#include "report/page/ask.h"

/* {0}, {1}, ... in the text are columns of the query's single row, {=0} the same without a link to
 * the query. "{0} to {1}" becomes "{0}" if both are equal. */
struct sentence {
    const char *sql, *text;
};

/* Selects the current subject: ?3 is the hot share, ?4 the sampling configuration, ?5 the
 * technique. */
#define SAMPLED " WHERE experiment = ?1 AND hot_permille = ?3 AND way = ?4"
#define STUDIED SAMPLED " AND technique = ?5"

/* Writes the sentences that have an answer, each as an element of that name: "li", "p". */
enum status put_sentences(struct page *p, const struct sentence *sentences, size_t count,
                          const char *tag);

#endif
