/*
 * path_judge: how much of a program's paths the graph of a technique tells. All paths of a replay are
 * counted once; then any number of graphs can be judged by them. A graph is put on the program, and
 * scaled to it. Passes of busy-waits are known exactly without any technique (structure.h), so each graph
 * gets their true counts.
 *
 * The paths of a recorded program are counted from its trace (path_judge_replay).
 *
 * Invariants
 *  - What was counted is read-only: any number of threads may judge by it.
 *
 *     void *judge;
 *     struct path_truth *truth;
 *     struct path_judgement said;
 *     if (path_judge_attach(&judge, nes, &e) == STATUS_OK) {
 *         ... play, while a technique finds g
 *         path_judge_finish(judge, &truth, &e);
 *     }
 *     path_truth_judge(truth, &g, &said, &e);
 *     path_truth_free(truth);
 */
#ifndef HOTGRAPH_PROFILE_PATH_JUDGE_H
#define HOTGRAPH_PROFILE_PATH_JUDGE_H

#include "graph/path/path_flow.h"
#include "nes/nes.h"
#include "profile/program/program_trace.h"

struct path_truth;

enum status path_judge_attach(void **out, struct nes *nes, struct error *e);
/* Detaches and frees the judge. */
enum status path_judge_finish(void *self, struct path_truth **out, struct error *e);
void path_judge_abandon(void *self); /* detaches and frees; NULL is fine */
/* The paths of a recorded program, which must outlive *out: the trace is not copied. */
enum status path_judge_replay(struct path_truth **out, const struct program_trace *program,
                              struct error *e);

const struct path_totals *path_truth_totals(const struct path_truth *t);
/* What the graph's edges tell. In a graph that is a set, each edge counts once. */
enum status path_truth_judge(const struct path_truth *t, const struct graph *g,
                             struct path_knowledge *out, struct error *e);
void path_truth_free(struct path_truth *t); /* NULL is fine */

#endif
