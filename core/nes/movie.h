/*
 * movie: recorded input in FCEUX's text format, FM2 version 3.
 *
 * What the program reads during frame i is line i+1: FCEUX keeps the PPU silent for two of its
 * frames after power-on, so its first line is spent before the first vertical blank. It does so
 * after each reset, too: a line with a reset takes no frame of its own, and its buttons are never
 * read; the reset comes at the start of the frame that reads the next line.
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
    size_t *resets; /* indexes of the lines with a command, ascending; movie_parse() finds them */
    size_t reset_count;
    char rom_filename[256];
    bool has_checksum;
    uint8_t checksum[16]; /* MD5 of PRG and CHR */
    char sha1[41];        /* of the file; empty where movie_load() has not read it */
};

enum status movie_load(struct movie *out, const char *path, struct error *e);
/* The same without sha1, which takes longer than all the rest. */
enum status movie_load_unnamed(struct movie *out, const char *path, struct error *e);
enum status movie_parse(struct movie *out, const char *text, size_t len, const char *name,
                        struct error *e);
enum status movie_write(const struct movie *m, const char *path, struct error *e);
void movie_free(struct movie *m);
/* STATUS_ARGUMENT, with both checksums, when the movie names another ROM; *m without a checksum
 * matches any. */
enum status movie_matches(const struct movie *m, const struct cartridge *c, struct error *e);
/* What to do in frame `frame`: the resets at its start and the buttons held. Past the end nothing
 * is pressed. */
struct movie_line movie_line_at(const struct movie *m, uint64_t frame);
/* How many frames it takes, the last of them after its last line. */
uint64_t movie_frames(const struct movie *m);
/* True when a reset comes at or after this frame: a JAM may still end. */
bool movie_resets_after(const struct movie *m, uint64_t frame);
/* Applies the line of the machine's current frame (resets, pads) and runs it. STATUS_GUEST, naming
 * pc and frame, when the program has jammed and no reset follows. */
enum status movie_play_frame(const struct movie *m, struct nes *nes, struct error *e);

#endif
