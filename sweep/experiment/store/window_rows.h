/* window_rows: the writer's jobs for windows. Private to experiment. */
#ifndef HOTGRAPH_WINDOW_ROWS_H
#define HOTGRAPH_WINDOW_ROWS_H

#include "experiment/store/rows.h"
#include "experiment/work/source_windows.h"

/* What one configuration has found in windows. */
struct window_results {
    VEC(struct db_window_quality) qualities;
    VEC(struct db_phase_found) phases;
};
void window_results_free(struct window_results *r);

/* The exact graphs of a replay's windows. */
enum status window_rows_put_exact(struct writer *w, int64_t replay_id,
                                  const struct source_windows *windows, struct error *e);
/* Takes ownership of the results, and sets the ids of stream and run. */
enum status window_rows_put(struct writer *w, const struct rows_of_stream *of,
                            struct window_results *results, struct error *e);

#endif
