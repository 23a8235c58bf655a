/* Whether a program can have probes at all, before it is started. */
#ifndef HOTGRAPH_NATIVE_CHECK_H
#define HOTGRAPH_NATIVE_CHECK_H

#include "base/base.h"

/* An error says why not. Sets file_path to the program's path; of a script, to that of its interpreter. */
enum status native_check(const char *path, bool graph, char file_path[4096], struct error *e);

#endif
