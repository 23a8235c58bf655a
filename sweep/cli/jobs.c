#include "cli/cli.h"

#include <omp.h>

enum { MOST_JOBS = 1024 };

struct option_spec jobs_option(uint64_t *to) {
    return (struct option_spec){
        "jobs",
        "N",
        "the number of threads; 0 (default): $OMP_NUM_THREADS, or one per available processor",
        OPTION_NUMBER,
        .to = to,
        .least = 0,
        .most = MOST_JOBS};
}

uint64_t usual_jobs(void) {
    const int threads = omp_get_max_threads(); /* one per processor in our cpuset */
    return threads < MOST_JOBS ? (uint64_t)threads : MOST_JOBS;
}
