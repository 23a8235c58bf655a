/*
 * words: names and numbers as people read them.
 */
#ifndef HOTGRAPH_REPORT_WORDS_H
#define HOTGRAPH_REPORT_WORDS_H

#include "base/base.h"

/* A name in at most that many letters, 6 to 15: "airma..er-12", for names of a kind often differ at
 * their ends. */
void short_name(const char *name, unsigned most, char out[16]);

/* "12,960" of "12960": where text is a whole number of four digits or more. */
bool group_thousands(const char *text, char out[40]);

/* 1,234,567 */
void long_count(double count, char out[40]);

/* 1.2 M, 34 k, 5678 */
void short_count(double count, char out[16]);

#endif
