/* rows: jobs for the writer, one for each thing that a sweep finds. Private to sweep/work.c. */
#ifndef HOTGRAPH_ROWS_H
#define HOTGRAPH_ROWS_H

#include "sweep/source.h"
#include "sweep/writer.h"

/* What rows of one game refer to. Only the writer's thread touches stream_id once work has begun.
 */
struct rows_of_game {
    int64_t run_id, experiment_id, game_id;
    int64_t stream_id; /* filled when the stream is written; must outlive all jobs */
};

/* Each takes copies of what it needs and hands a job to the writer. */
enum status rows_put_source(struct writer *w, struct rows_of_game *of, const struct plan_game *game,
                            const struct sampler_options *sampling, const struct source *source,
                            struct error *e);
enum status rows_put_result(struct writer *w, struct rows_of_game *of, struct db_result row,
                            struct error *e);
/* Takes the rows over (from malloc). */
enum status rows_put_curve(struct writer *w, struct rows_of_game *of, struct db_convergence *rows,
                           size_t count, struct error *e);
/* Takes the graph's edges over and leaves it empty. */
enum status rows_put_graph(struct writer *w, struct rows_of_game *of, int64_t configuration_id,
                           struct graph *graph, struct error *e);

#endif
