/* rows: jobs for the writer, one for each thing that a sweep finds. Private to experiment. */
#ifndef HOTGRAPH_ROWS_H
#define HOTGRAPH_ROWS_H

#include "experiment/store/writer.h"
#include "experiment/work/source.h"

/* What rows of one stream refer to. */
struct rows_of_stream {
    int64_t run_id, stream_id;
};

/* What a configuration found: the row, its quality for each share that is called hot, its graph. */
struct rows_result {
    struct db_result result;
    struct db_quality *qualities; /* from malloc */
    size_t quality_count;
    char graph_hash[33];
    struct bytes graph; /* packed */
    int64_t graph_edges, graph_blocks;
    struct named_count counts[PROFILE_COUNTS]; /* what else was counted */
    size_t count_count;
};

/* Each takes copies of what it needs and hands a job to the writer. The streams that were made go
 * along. */
enum status rows_put_source(struct writer *w, int64_t run_id, const struct plan_game *game,
                            const struct source *source, const char *engine_options,
                            struct error *e);
/* Takes the qualities and the packed graph over. */
enum status rows_put_result(struct writer *w, const struct rows_of_stream *of,
                            struct rows_result *row, struct error *e);
/* Takes the rows over (from malloc). */
enum status rows_put_curve(struct writer *w, const struct rows_of_stream *of,
                           struct db_quality *rows, size_t count, struct error *e);

#endif
