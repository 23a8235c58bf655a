/*
 * questions: the named SELECT statements of docs/questions.md, compiled in (questions.py).
 */
#ifndef HOTGRAPH_QUESTIONS_H
#define HOTGRAPH_QUESTIONS_H

#include <stdint.h>

struct question {
    const char *name;  /* NULL ends the list */
    const char *title; /* the question, in a sentence */
    const char *sql;   /* a SELECT without its closing LIMIT */
    uint64_t limit;    /* rows of that LIMIT; 0: none */
};

extern const struct question questions[];

#endif
