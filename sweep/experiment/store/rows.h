/* rows: makes the writer's jobs, one for each result of a sweep. Private to experiment. */
#ifndef HOTGRAPH_ROWS_H
#define HOTGRAPH_ROWS_H

#include "experiment/store/writer.h"
#include "experiment/work/source.h"

/* Ids to which the rows of one stream refer. */
struct rows_of_stream {
    int64_t run_id, stream_id;
};

/* The result of a configuration: its row, its quality for each hot share, its graph. */
struct rows_result {
    struct db_result result;
    struct db_quality *qualities; /* from malloc */
    size_t quality_count;
    char graph_hash[33];
    struct bytes graph; /* packed */
    int64_t graph_edges, graph_blocks;
    struct named_count counts[PROFILE_COUNTS]; /* the technique's further counts */
    size_t count_count;
};

/* Each function copies what it needs and passes a job to the writer. This one includes the new
 * streams. */
enum status rows_put_source(struct writer *w, int64_t run_id, const struct plan_game *game,
                            const struct source *source, const char *engine_options,
                            struct error *e);
/* Takes ownership of the qualities and the packed graph. */
enum status rows_put_result(struct writer *w, const struct rows_of_stream *of,
                            struct rows_result *row, struct error *e);
/* Takes ownership of the rows (from malloc). */
enum status rows_put_curve(struct writer *w, const struct rows_of_stream *of,
                           struct db_quality *rows, size_t count, struct error *e);

#endif
