/* Movies in memory. Their file format is in movie_fm2.c, playing them in movie_play.c. */
#include "nes/movie.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void movie_free(struct movie *m) {
    free(m->lines);
    *m = (struct movie){0};
}

static void hex(char out[33], const uint8_t digest[16]) {
    for (unsigned i = 0; i < 16; i++)
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

enum status movie_matches(const struct movie *m, const struct cartridge *c, struct error *e) {
    if (!m->has_checksum || memcmp(m->checksum, c->md5, sizeof c->md5) == 0)
        return STATUS_OK;
    char movie[33], rom[33];
    hex(movie, m->checksum);
    hex(rom, c->md5);
    return error_set(e, STATUS_ARGUMENT,
                     "the movie was made with another ROM (%s, MD5 of PRG and CHR %s) than %s (%s)",
                     m->rom_filename[0] != 0 ? m->rom_filename : "without a name", movie, c->name,
                     rom);
}

struct movie_line movie_line_at(const struct movie *m, uint64_t frame) {
    struct movie_line line = {0};
    if (m->line_count > 1 && frame < m->line_count - 1)
        line = m->lines[frame + 1];
    /* No frame reads the first line's buttons, but a reset in it still comes before all else. */
    if (frame == 0 && m->line_count > 0)
        line.command |= m->lines[0].command;
    return line;
}

bool movie_resets_after(const struct movie *m, uint64_t frame) {
    for (uint64_t i = frame; i < m->line_count; i++)
        if (movie_line_at(m, i).command != 0)
            return true;
    return false;
}
