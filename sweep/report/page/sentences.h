/* sentences: what a page says, with numbers that are answers of the database. A sentence whose
 * query has no answer, or one with a NULL in it, is left out, so a page says nothing that it does
 * not know. */
#ifndef HOTGRAPH_REPORT_SENTENCES_H
#define HOTGRAPH_REPORT_SENTENCES_H

#include "report/page/ask.h"

/* {0}, {1}, ... in the text are the columns of the query's only row, {=0} the same without a link
 * to the query; of "{0} to {1}" only {0} is said where both are the same. */
struct sentence {
    const char *sql, *text;
};

/* What a row is about: ?3 is the hot share, ?4 the way of sampling, ?5 the technique. */
#define SAMPLED " WHERE experiment = ?1 AND hot_permille = ?3 AND way = ?4"
#define STUDIED SAMPLED " AND technique = ?5"

/* Those that have an answer, each as an element of that name: "li", "p". */
enum status put_sentences(struct page *p, const struct sentence *sentences, size_t count,
                          const char *tag);

#endif
