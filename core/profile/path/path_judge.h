/*
 * path_judge: how much of a program's paths the graph of a technique tells. Beside the technique, all paths
 * are counted. The graph is put on the program, and scaled to it. Passes of busy-waits are known exactly
 * without any technique (structure.h), so each graph gets their true counts.
 *
 *     void *judge;
 *     struct path_judgement said;
 *     if (path_judge_attach(&judge, nes, &e) == STATUS_OK) {
 *         ... play, while a technique finds g
 *         path_judge_finish(judge, &g, &said, &e);
 *     }
 */
#ifndef HOTGRAPH_PROFILE_PATH_JUDGE_H
#define HOTGRAPH_PROFILE_PATH_JUDGE_H

#include "graph/path/path_flow.h"
#include "nes/nes.h"

struct path_judgement {
    struct path_totals totals;
    struct path_knowledge known; /* by the graph's edges */
};
enum status path_judge_attach(void **out, struct nes *nes, struct error *e);
/* Detaches and frees. In a graph that is a set, each edge counts once. */
enum status path_judge_finish(void *self, const struct graph *g, struct path_judgement *out,
                              struct error *e);
void path_judge_abandon(void *self); /* detaches and frees; NULL is fine */

#endif
