/*
 * How long opening a game takes through the library: bench_open ROM MOVIE RUNS. Prints, for the
 * interpreter and the translator, median milliseconds of the processor until there is a machine,
 * and until it has played its first frame.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "dbt/dbt.h"
#include "nes/movie.h"
#include "nes/nes.h"

enum { MOST_RUNS = 999 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Milliseconds until the machine is there, and until its first frame. */
static enum status open_once(const char *rom, const char *film, const struct engine *engine,
                             double *opened, double *played, struct error *e) {
    struct cartridge *cartridge = NULL;
    struct movie movie = {0};
    struct nes *nes = NULL;
    const double begun = now();
    enum status status = cartridge_load(&cartridge, rom, e);
    if (status == STATUS_OK)
        status = movie_load_unnamed(&movie, film, e);
    const struct nes_options options = {.cartridge = cartridge, .engine = engine};
    if (status == STATUS_OK)
        status = nes_create(&nes, &options, e);
    *opened = now() - begun;
    if (status == STATUS_OK)
        status = movie_play_frame(&movie, nes, e);
    *played = now() - begun;
    nes_free(nes);
    movie_free(&movie);
    cartridge_free(cartridge);
    return status;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, by_size);
    return values[count / 2];
}

int main(int argc, char **argv) {
    static double opened[MOST_RUNS], played[MOST_RUNS];
    const struct engine *const engines[] = {NULL, dbt_engine()};
    const int runs = argc == 4 ? atoi(argv[3]) : 0;
    struct error e = {0};
    if (runs < 1 || runs > MOST_RUNS) {
        fprintf(stderr, "bench_open: ROM MOVIE RUNS are needed\n");
        return 1;
    }
    for (size_t k = 0; k < sizeof engines / sizeof *engines; k++) {
        for (int i = 0; i < runs; i++)
            if (open_once(argv[1], argv[2], engines[k], &opened[i], &played[i], &e) != STATUS_OK) {
                fprintf(stderr, "bench_open: %s\n", e.text);
                return 1;
            }
        printf(" %14.3f %14.3f", median(opened, runs), median(played, runs));
    }
    printf("\n");
    return 0;
}
