/*
 * words: names and numbers formatted for people.
 */
#ifndef HOTGRAPH_REPORT_WORDS_H
#define HOTGRAPH_REPORT_WORDS_H

#include "base/base.h"

/* Shortens a name to at most `most` letters, 6 to 15: "airma..er-12". Both ends stay, because
 * similar names often differ at their ends. */
void short_name(const char *name, unsigned most, char out[16]);

/* Writes "12,960" for "12960": if text is a whole number of at least four digits. */
bool group_thousands(const char *text, char out[40]);

/* 1,234,567 */
void long_count(double count, char out[40]);

/* 1.2 M, 34 k, 5678 */
void short_count(double count, char out[16]);

#endif
