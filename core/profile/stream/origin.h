/* origin: what a stream was recorded from, in the first line of its file. Private to
 * core/profile. */
#ifndef HOTGRAPH_PROFILE_ORIGIN_H
#define HOTGRAPH_PROFILE_ORIGIN_H

#include "profile/profile.h"

enum { ORIGIN_TEXT = 240 };
/* Writes the fields that follow the column names; returns their length. */
size_t origin_print(char *text, size_t room, const struct stream *s);
/* Reads the fields it knows from a first line. Returns whether batches have weights. */
bool origin_scan(struct stream *s, const char *line, const char *end);

#endif
