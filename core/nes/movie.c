/* Movies in memory. Their file format is in movie_fm2.c, playing them in movie_play.c. */
#include "nes/movie.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void movie_free(struct movie *m) {
    free(m->lines);
    free(m->resets);
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

/* Index of the line whose buttons frame `frame` reads: one more for each line that a reset took. */
static uint64_t line_of(const struct movie *m, uint64_t frame) {
    uint64_t line = frame + 1;
    for (size_t i = 0; i < m->reset_count && m->resets[i] <= line; i++)
        line += m->resets[i] > 0; /* the first line is spent anyway */
    return line;
}

struct movie_line movie_line_at(const struct movie *m, uint64_t frame) {
    struct movie_line line = {0};
    uint64_t at = line_of(m, frame), before = frame > 0 ? line_of(m, frame - 1) + 1 : 0;
    if (at < m->line_count)
        line = m->lines[at];
    for (size_t i = 0; i < m->reset_count; i++)
        if (m->resets[i] >= before && m->resets[i] < at)
            line.command |= m->lines[m->resets[i]].command;
    return line;
}

bool movie_resets_after(const struct movie *m, uint64_t frame) {
    uint64_t before = frame > 0 ? line_of(m, frame - 1) + 1 : 0;
    return m->reset_count > 0 && m->resets[m->reset_count - 1] >= before;
}

uint64_t movie_frames(const struct movie *m) {
    uint64_t lost = 0;
    for (size_t i = 0; i < m->reset_count; i++)
        lost += m->resets[i] > 0;
    return m->line_count - lost;
}
