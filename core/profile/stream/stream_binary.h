/* stream_binary: streams in binary form. Private to core/profile. */
#ifndef HOTGRAPH_PROFILE_STREAM_BINARY_H
#define HOTGRAPH_PROFILE_STREAM_BINARY_H

#include "profile/profile.h"

enum { STREAM_BINARY_MAGIC = 8 };
/* Does a file begin like a binary stream? Also true if it ends within the magic. */
bool stream_is_binary(const void *start, size_t len);
/* What its batches are; those of a damaged file are instructions in a row. */
enum stream_of stream_binary_of(const void *start, size_t len);
enum status stream_binary_parse(struct stream *out, const void *data, size_t len, const char *name,
                                struct error *warning, struct error *e);
enum status stream_binary_write(const struct stream *s, const char *path, struct error *e);

#endif
