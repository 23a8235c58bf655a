/* Private to core/profile. */
#ifndef HOTGRAPH_PROFILE_INTERNAL_H
#define HOTGRAPH_PROFILE_INTERNAL_H

#include "profile/profile.h"

#include <stdlib.h>

/* sample_is_transfer(), inlined. */
static inline bool is_transfer(const struct sample *s) {
    return s->kind != INSN_PLAIN && s->kind != INSN_JAM;
}

/* Has it a target of its own? */
static inline bool sample_is_direct(const struct sample *s) {
    return s->kind == INSN_BRANCH || s->kind == INSN_JUMP || s->kind == INSN_CALL;
}

/* Builds points[point] of a request directly. */
enum status technique_build_point(const struct technique *t, const struct build_request *r,
                                  size_t point, struct error *e);

/* ---- cells: one fixed-size cell an address, zero at first, through three levels of tables, so
 * that code, which clusters, is found without hashing. Zero is empty but for cell_size. ---- */

enum { CELLS_TOP = 1 << 12, CELLS_MIDDLE = 1 << 12, CELLS_LEAF = 1 << 8 };

struct cells {
    size_t cell_size;
    uint8_t ***top;    /* [address >> 20][address >> 8 & 0xFFF] -> leaf of CELLS_LEAF cells */
    uint8_t *last;     /* the leaf that was used last, */
    uint32_t last_tag; /* and 1 + its address >> 8 */
};
uint8_t *cells_leaf(struct cells *c, uint32_t address); /* makes it; NULL when memory is out */
void cells_free(struct cells *c);

/* The cell of an address; NULL when memory is out. It never moves. */
static inline void *cells_at(struct cells *c, uint32_t address) {
    uint8_t *leaf = c->last_tag == (address >> 8) + 1 ? c->last : cells_leaf(c, address);
    return leaf == NULL ? NULL : leaf + (address & (CELLS_LEAF - 1)) * c->cell_size;
}

/* ---- window statistics of a batch (GFCGaussiano; they depend on window_size alone) ---- */

/* The batch_length - window + 1 sums of `window` consecutive pcs, each divided by `window`,
 * rounding down. */
void window_means(uint32_t *means, const struct sample *batch, size_t batch_length, size_t window);
/* How far the means lie apart: the square of count times their population standard deviation. */
unsigned __int128 window_spread(const uint32_t *means, size_t count);
/* Is the standard deviation <= threshold? Decided in integers: ties are real. */
static inline bool spread_is_low(unsigned __int128 spread, size_t count, uint64_t threshold) {
    const unsigned __int128 limit = (unsigned __int128)count * threshold;
    return spread <= limit * limit;
}

/* ---- bins (GFCGaussiano; they depend on window_size, stdev_threshold and bin_size) ---- */

struct bin {
    uint32_t address; /* the mean that created it */
    uint32_t id;      /* in order of creation, from 1 */
    uint64_t count;   /* of means put into it */
    uint64_t sum;     /* of the different ones, */
    uint64_t means;   /* and how many these are */
};

struct bins {
    uint64_t bin_size;
    struct bin *at;   /* sorted by address */
    double *centroid; /* of at[i] in centroid[i + 1]; infinite before the first, and twice after
                         the last */
    size_t count, cap;
    uint32_t version;   /* rises with every change of a centroid */
    struct cells cells; /* struct bin_cell */
    struct map members; /* (id << 32 | mean) of every mean in every bin's set */
};
bool bins_init(struct bins *b, uint64_t bin_size);
void bins_free(struct bins *b);
/* nearest(): the bin of an address, or NULL when there are none (or memory is out: *lost is set
 * then). Valid until the next mean is put in. */
const struct bin *bins_nearest(struct bins *b, uint32_t address, bool *lost);
/* Puts a window mean into the nearest bin within bin_size, or into a new one; false when memory is
 * out. */
bool bins_put(struct bins *b, uint32_t mean);

/* ---- what a stream is of, in the first line of its file (origin.c) ---- */

enum { ORIGIN_TEXT = 200 };
/* Fields to be put behind the column names; returns their length. */
size_t origin_print(char *text, size_t room, const struct stream *s);
/* Takes what it knows from a first line; true when batches have weights. */
bool origin_scan(struct stream *s, const char *line, const char *end);

/* ---- streams in files: two forms, between which stream_file.c chooses ---- */

/* `isampling` text (isampling.c). *out and *warning have been cleared; reading closes the file. */
enum status isampling_read(struct stream *out, struct file_reader *file, const char *path,
                           struct error *warning, struct error *e);
enum status isampling_parse(struct stream *out, const char *text, size_t len, const char *name,
                            struct error *warning, struct error *e);
enum status isampling_write(const struct stream *s, const char *path, const char *image,
                            struct error *e);

/* The binary form (stream_binary.c). */
enum { STREAM_BINARY_MAGIC = 8 };
/* Does a file begin like one? Also true of one that ends within the magic. */
bool stream_is_binary(const void *start, size_t len);
enum status stream_binary_parse(struct stream *out, const void *data, size_t len, const char *name,
                                struct error *warning, struct error *e);
enum status stream_binary_write(const struct stream *s, const char *path, struct error *e);

#endif
