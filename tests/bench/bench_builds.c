/*
 * How fast the paper's 144 configurations of GFCGaussiano are built, together and directly, in
 * turns: bench_builds STREAM.isampling RUNS. Prints median seconds of the processor for each, and
 * the median of the ratios of runs of the same turn. Ends with 1 if the two differ in anything.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "profile/profile.h"

enum { POINTS = 144, MOST_RUNS = 99 };

/* A sum over all results, independent of their order. */
static enum status add_up(void *user, size_t point, size_t batches, struct profile *p,
                          struct error *e) {
    (void)batches, (void)e;
    const uint64_t numbers[] = {
        p->bins, p->low, p->high, p->cost.steps, p->graph.edge_count, p->graph.block_count};
    uint64_t hash = fnv1a64(numbers, sizeof numbers);
    for (size_t i = 0; i < p->graph.edge_count; i++) {
        const struct edge *edge = &p->graph.edges[i];
        hash = splitmix64(hash ^ edge->count, (uint64_t)edge->source << 32 | edge->target);
    }
    *(uint64_t *)user += splitmix64(hash, point);
    return STATUS_OK;
}

static double build(const struct stream *s, const struct build_point *points, bool direct,
                    uint64_t *sum) {
    struct error e = {0};
    struct timespec from, to;
    const struct build_request r = {.stream = s,
                                    .points = points,
                                    .point_count = POINTS,
                                    .direct = direct,
                                    .each = add_up,
                                    .user = sum};
    *sum = 0;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    if (technique_build_many(technique_find("gaussian"), &r, &e) != STATUS_OK) {
        fprintf(stderr, "bench_builds: %s\n", e.text);
        exit(1);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, by_size);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

int main(int argc, char **argv) {
    static const int64_t recurrent[] = {5, 8, 12}, window[] = {6, 10, 13},
                         stdev[] = {8, 10, 12, 15}, bin[] = {8, 10, 13, 16};
    static int64_t values[POINTS][TECHNIQUE_PARAMETERS];
    static struct build_point points[POINTS];
    double together[MOST_RUNS], direct[MOST_RUNS], ratio[MOST_RUNS];
    const int runs = argc == 3 ? atoi(argv[2]) : 0;
    struct stream s;
    struct error e = {0};
    if (runs < 1 || runs > MOST_RUNS || stream_read(&s, argv[1], NULL, &e) != STATUS_OK) {
        fprintf(stderr, "bench_builds: %s\n", runs < 1 ? "STREAM RUNS are needed" : e.text);
        return 1;
    }
    for (int i = 0; i < POINTS; i++) {
        const int64_t own[] = {bin[i % 4], stdev[i / 4 % 4], window[i / 16 % 3], recurrent[i / 48]};
        for (size_t k = 0; k < 4; k++)
            values[i][k] = own[k];
        points[i] = (struct build_point){values[i], &s.batch_count, 1};
    }
    for (int i = 0; i < runs; i++) {
        uint64_t sums[2];
        together[i] = build(&s, points, false, &sums[0]);
        direct[i] = build(&s, points, true, &sums[1]);
        ratio[i] = direct[i] / together[i];
        if (sums[0] != sums[1]) {
            fprintf(stderr, "bench_builds: together and directly, other graphs are found\n");
            return 1;
        }
    }
    printf("%8zu %8zu %12.3f %12.3f %12.2f\n", s.batch_count, s.distinct_count,
           median(together, runs), median(direct, runs), median(ratio, runs));
    stream_free(&s);
    return 0;
}
