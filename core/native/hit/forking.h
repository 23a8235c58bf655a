/* fork(), and calls of the library itself, while libc is counted. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_FORKING_H
#define HOTGRAPH_NATIVE_FORKING_H

#include <stdbool.h>

struct hotprobe;
/* Is libc counted for this process? Then fork() calls these three instead of parting in the child, and
 * none of them calls libc. */
bool forking_counts(const struct hotprobe *h);
void forking_begin(struct hotprobe *h);
/* What is counted between these two is forgotten: the library calls libc. Once there are several threads libc
 * is not counted from the first on. They may be nested. */
void aside_begin(struct hotprobe *h);
void aside_end(struct hotprobe *h);
void forking_parent(struct hotprobe *h);
void forking_child(struct hotprobe *h);

#endif
