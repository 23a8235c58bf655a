/*
 * movie: recorded input in FCEUX's text format, FM2 version 3.
 *
 * During frame i the program reads line i+1. FCEUX keeps the PPU silent for two of its frames after
 * power-on, so its first line has no vertical blank. The same happens after each reset: a line with
 * a reset has no frame of its own, and its buttons are never read; the reset comes at the start of
 * the frame that reads the next line.
 *
 *     struct movie m = {0};
 *     if (movie_load(&m, "game.fm2", &err)) ...
 *     for (uint64_t i = 0; i < frames; i++)
 *         movie_play_frame(&m, nes, &err);
 */
#ifndef HOTGRAPH_MOVIE_H
#define HOTGRAPH_MOVIE_H

#include "nes/nes.h"

enum { MOVIE_SOFT_RESET = 1, MOVIE_HARD_RESET = 2 };

struct movie_line {
    uint8_t command; /* MOVIE_SOFT_RESET, MOVIE_HARD_RESET */
    uint8_t pads[2]; /* NES_A ... */
};

struct movie {
    struct movie_line *lines;
    size_t line_count;
    size_t *resets; /* indices of the lines with a command, ascending; set by movie_parse() */
    size_t reset_count;
    char rom_filename[256];
    bool has_checksum;
    uint8_t checksum[16]; /* MD5 of PRG and CHR */
    char sha1[41];        /* of the file; empty unless loaded by movie_load() */
};

enum status movie_load(struct movie *out, const char *path, struct error *e);
/* The same without sha1, the computation of which takes longer than everything else. */
enum status movie_load_unnamed(struct movie *out, const char *path, struct error *e);
enum status movie_parse(struct movie *out, const char *text, size_t len, const char *name,
                        struct error *e);
enum status movie_write(const struct movie *m, const char *path, struct error *e);
void movie_free(struct movie *m);
/* STATUS_ARGUMENT, with both checksums, if the movie is for another ROM; a movie without a checksum
 * matches any. */
enum status movie_matches(const struct movie *m, const struct cartridge *c, struct error *e);
/* The input of frame `frame`: the resets at its start and the buttons held. After the end nothing
 * is pressed. */
struct movie_line movie_line_at(const struct movie *m, uint64_t frame);
/* Number of frames; the last one ends after the movie's last line. */
uint64_t movie_frames(const struct movie *m);
/* True if a reset comes at or after this frame, so that a JAM may still end. */
bool movie_resets_after(const struct movie *m, uint64_t frame);
/* Applies the line of the machine's current frame (resets, pads) and runs the frame. STATUS_GUEST,
 * with pc and frame, if the program has jammed and no reset follows. */
enum status movie_play_frame(const struct movie *m, struct nes *nes, struct error *e);

#endif
