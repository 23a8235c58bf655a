/* Any bytes as a movie: refused with a sentence that names file and line, or playable. */
#include <stdlib.h>
#include <string.h>

#include "nes/movie.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct movie m;
    struct error e = {0};
    if (movie_parse(&m, (const char *)data, size, "fuzz.fm2", &e) != STATUS_OK) {
        if (m.lines != NULL || strncmp(e.text, "fuzz.fm2:", 9) != 0)
            abort();
        return 0;
    }
    for (size_t i = 0; i <= m.line_count; i++)
        if ((movie_line_at(&m, i).command & ~(MOVIE_SOFT_RESET | MOVIE_HARD_RESET)) != 0)
            abort();
    movie_free(&m);
    return 0;
}
