/* isampling: streams as text. Private to core/profile. */
#ifndef HOTGRAPH_PROFILE_ISAMPLING_H
#define HOTGRAPH_PROFILE_ISAMPLING_H

#include "profile/profile.h"

/* *out and *warning are clear on entry. isampling_read() closes the file. */
enum status isampling_read(struct stream *out, struct file_reader *file, const char *path,
                           struct error *warning, struct error *e);
enum status isampling_parse(struct stream *out, const char *text, size_t len, const char *name,
                            struct error *warning, struct error *e);
enum status isampling_write(const struct stream *s, const char *path, const char *image,
                            struct error *e);

#endif
