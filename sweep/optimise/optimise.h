/*
 * optimise: lets a real optimiser lay programs out by profiles, and measures the result.
 *
 * The optimiser is BOLT (LLVM; Debian's package bolt-19), which lays out linked programs again.
 * Each program of a configuration is recorded under QEMU, once with its input and once with its
 * other input. All techniques of the grid work on the samples of all `budgets`. BOLT then lays the
 * program out by each profile: none, the exact one, the exact one of the other input, random counts
 * on the executed edges, and those that the techniques found. The latter are used as found and, for
 * techniques that do not know the structure, also with falls inferred (graph/layout/layout.h). Each
 * new program is recorded again with the same input, which counts its taken branches exactly. It is
 * also run under cachegrind, if that is installed.
 *
 * Invariants
 *  - Every layout is one row, committed as soon as it is measured, so a run that was stopped or
 *    killed resumes where it was. The rows do not depend on the number of jobs.
 *  - A new program must write the same output as the original; otherwise it has no row, and is an
 *    error.
 *  - A stale profile (one that BOLT rejects) is a row whose `stale` is not 0; the caller must
 *    treat it as a failure.
 *  - Programs run in FOLDER/optimise/NAME/NNNN, where FOLDER is theirs and NNNN is the number of
 *    the layout, so their paths always have the same length. What is written there is removed.
 *
 *     struct optimise_request request = {.config = &config, .db = db, .jobs = 2, ...};
 *     struct optimise_result result;
 *     if (optimise_run(&request, &result, &e) == STATUS_OK) ...
 */
#ifndef HOTGRAPH_OPTIMISE_H
#define HOTGRAPH_OPTIMISE_H

#include "config/config.h"
#include "db/db.h"
#include "experiment/experiment.h"

struct optimise_request {
    const struct config *config; /* its programs, grid and budgets */
    const char *programs;        /* only these: NAME,NAME,...; NULL: all */
    struct db *db;
    struct store_run about; /* describes this run, for its row */
    int jobs;               /* threads, at least 1 */
    int (*stopped)(void);   /* returns nonzero to end as soon as possible; may be NULL */
};

struct optimise_result {
    size_t programs, skipped; /* programs measured now or before; programs that are missing */
    size_t computed, there;   /* layouts measured now; layouts measured before */
    size_t refused;           /* layouts that BOLT could not make; reported, without a row */
    size_t failed;            /* programs that could not be measured; reported on standard error */
};

/* STATUS_ARGUMENT: the configuration has no budgets or no programs; STATUS_UNSUPPORTED: BOLT is not
 * installed; STATUS_INTERRUPTED: stopped, finished rows are committed. */
enum status optimise_run(const struct optimise_request *request, struct optimise_result *result,
                         struct error *e);

/* Number of functions with a stale profile, over all layouts of these programs. *example becomes a
 * description of the first such layout; it is unchanged if there is none. */
enum status optimise_count_stale(struct db *db, const struct config *config, int64_t *count,
                                 char *example, size_t size, struct error *e);

/* The digest of these programs' layouts in the database, one line each, without times and cache
 * misses, which depend on the host's processor. It also covers the configuration and the versions
 * of BOLT and QEMU. A program is included only if its file is the one that `images` of the
 * configuration names; `others` becomes one sentence on the rest, or "". */
enum status optimise_digest(struct digest *out, struct db *db, const struct config *config,
                            char *others, size_t size, struct error *e);

#endif
