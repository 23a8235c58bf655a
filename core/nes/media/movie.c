/* Movies in memory. movie_fm2.c has the file format, movie_play.c the playing. */
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
    uint8_t md5[16];
    if (!m->has_checksum)
        return STATUS_OK;
    cartridge_md5(c, md5);
    if (memcmp(m->checksum, md5, sizeof md5) == 0)
        return STATUS_OK;
    char movie[33], rom[33];
    hex(movie, m->checksum);
    hex(rom, md5);
    return error_set(e, STATUS_ARGUMENT,
                     "the movie was made with another ROM (%s, MD5 of PRG and CHR %s) than %s (%s)",
                     m->rom_filename[0] != 0 ? m->rom_filename : "without a name", movie, c->name,
                     rom);
}

/* Number of lines without a frame of their own among the first `count` resets: one for each reset,
 * except for a reset on the first line, which has no frame anyway. */
static uint64_t lines_lost(const struct movie *m, size_t count) {
    return count - (count > 0 && m->resets[0] == 0);
}

/* Index of the line that has the buttons of frame `frame`. */
static uint64_t line_of(const struct movie *m, uint64_t frame) {
    size_t low = 0, high = m->reset_count; /* resets before that line */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (m->resets[middle] <= frame + 1 + lines_lost(m, middle))
            low = middle + 1;
        else
            high = middle;
    }
    return frame + 1 + lines_lost(m, low);
}

/* Index of the first reset at line `line` or later. */
static size_t reset_from(const struct movie *m, uint64_t line) {
    size_t low = 0, high = m->reset_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (m->resets[middle] < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first line that belongs to no frame before `frame`. */
static uint64_t line_from(const struct movie *m, uint64_t frame) {
    return frame > 0 ? line_of(m, frame - 1) + 1 : 0;
}

struct movie_line movie_line_at(const struct movie *m, uint64_t frame) {
    struct movie_line line = {0};
    const uint64_t at = line_of(m, frame);
    if (at < m->line_count)
        line = m->lines[at];
    for (size_t i = reset_from(m, line_from(m, frame)); i < m->reset_count && m->resets[i] < at;
         i++)
        line.command |= m->lines[m->resets[i]].command;
    return line;
}

bool movie_resets_after(const struct movie *m, uint64_t frame) {
    return m->reset_count > 0 && m->resets[m->reset_count - 1] >= line_from(m, frame);
}

uint64_t movie_frames(const struct movie *m) {
    return m->line_count - lines_lost(m, m->reset_count);
}
