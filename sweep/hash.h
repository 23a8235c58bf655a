/* hash: xxh3-128 in lower-case hex, fed with text, the same on every machine. */
#ifndef HOTGRAPH_HASH_H
#define HOTGRAPH_HASH_H

#include "base/base.h"
#include "graph/graph.h"

struct hash;                   /* of what was added so far */
struct hash *hash_start(void); /* NULL when memory is out; the others allow that */
void hash_add(struct hash *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hash_add_bytes(struct hash *h, const void *data, size_t size);
/* Frees h. False, with hex set to "", when h is NULL. */
bool hash_finish(struct hash *h, char hex[33]);

/* Of edges, counts and blocks. */
enum status hash_graph(const struct graph *g, char hex[33], struct error *e);
/* Of a file's bytes as they are, compressed or not. */
enum status hash_file(const char *path, char hex[33], struct error *e);

#endif
