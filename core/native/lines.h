/* Text files in the session's folder. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_LINES_H
#define HOTGRAPH_NATIVE_LINES_H

#include "base/base.h"

struct lines {
    int fd;
    size_t len;
    char text[8192];
    bool failed;
};
bool lines_open(struct lines *l, const char *folder, const char *name);
bool lines_append(struct lines *l, const char *folder, const char *name);
void lines_put(struct lines *l, const char *text, size_t n);
void lines_number(struct lines *l, uint64_t v); /* and a blank */
/* False: something could not be written. */
bool lines_close(struct lines *l);

#endif
