/*
 * base: what every other folder leans on: errors, memory, containers, hashing, files.
 *
 * Invariants
 *  - Nothing here prints, exits or keeps state between calls.
 *  - Every function that can fail returns an enum status and, where it takes a struct error, fills
 * it with one sentence that names the file and place and, where there is one, the way out.
 *
 *     struct error err = {0};
 *     struct bytes rom = {0};
 *     if (file_read(&rom, "game.nes", 4 << 20, &err) != STATUS_OK)
 *         fprintf(stderr, "hotgraph: %s\n", err.text);
 *     bytes_free(&rom);
 */
#ifndef HOTGRAPH_BASE_H
#define HOTGRAPH_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum status {
    STATUS_OK,
    STATUS_MEMORY, /* out of memory */
    STATUS_IO,     /* the operating system refused: missing file, full disk, read-only folder */
    STATUS_FORMAT, /* a file's content is not what its format says */
    STATUS_UNSUPPORTED, /* well formed, but not something this program does */
    STATUS_ARGUMENT,    /* the caller asked for something that makes no sense */
    STATUS_GUEST,       /* the guest program did something that ends the replay (JAM) */
    STATUS_INTERRUPTED, /* stopped on request; what was done so far is kept */
};

struct error {
    enum status status;
    char text[1000]; /* one sentence, no newline */
};

/* Fills *e (which may be NULL) and returns `status`, so that `return error_set(...)` reads well. */
enum status error_set(struct error *e, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Puts "prefix: " in front of what *e already says. */
void error_prefix(struct error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- memory: growable arrays. VEC(T) is { T *at; size_t len, cap; }; zero is empty. ---- */

#define VEC(T)                                                                                     \
    struct {                                                                                       \
        T *at;                                                                                     \
        size_t len, cap;                                                                           \
    }
/* Appends v; evaluates to false when memory is out (the vector is unchanged then). */
#define vec_push(v, value)                                                                         \
    (vec_reserve_(&(v)->at, &(v)->cap, (v)->len + 1, sizeof *(v)->at)                              \
         ? ((v)->at[(v)->len++] = (value), true)                                                   \
         : false)
#define vec_reserve(v, n) vec_reserve_(&(v)->at, &(v)->cap, (n), sizeof *(v)->at)
#define vec_free(v)       (free((v)->at), (v)->at = NULL, (v)->len = (v)->cap = 0)
bool vec_reserve_(void *at_pointer, size_t *cap, size_t need, size_t size);

/* ---- map: uint64_t key -> uint64_t value, open addressing; zero is empty. ---- */

struct map {
    uint64_t *keys, *values;
    uint8_t *used;
    size_t cap, len;
};
/* Address of the value, or NULL. */
uint64_t *map_find(const struct map *m, uint64_t key);
/* Address of the value, inserted as 0 if missing; NULL when memory is out. Valid until the next
 * insert. */
uint64_t *map_at(struct map *m, uint64_t key);
/* Iterates in table order (not sorted): start with *position 0, until false. */
bool map_next(const struct map *m, size_t *position, uint64_t *key, uint64_t *value);
void map_free(struct map *m);

/* ---- order ---- */

/* Sorts numbers below `count`, of which order[0..count) has each once, by key[number]; those with
 * like keys stay as they stand. False: out of memory, and nothing is done. */
bool sort_by_key(uint32_t *order, const uint32_t *key, size_t count);
/* The numbers below `count`, sorted in that way from ascending order on; the caller frees them.
 * NULL: out of memory. */
uint32_t *sorted_order(const uint32_t *key, size_t count);

/* ---- numbers ---- */

/* splitmix64 (Steele, Lea, Flood 2014): the k-th output, k from 0, of the generator seeded with
 * `seed`. */
uint64_t splitmix64(uint64_t seed, uint64_t k);
/* The next output of the generator whose state this is; the state begins as the seed. */
uint64_t splitmix64_next(uint64_t *state);
/* FNV-1a, 64 bits. */
uint64_t fnv1a64(const void *data, size_t size);

/* Read a number at *at, before `end`, and move *at past it; hexadecimal ones start with 0x. False,
 * with nothing changed, where there is none or it is above `most`. */
bool scan_hex(const char **at, const char *end, uint64_t most, uint64_t *out);
bool scan_decimal(const char **at, const char *end, uint64_t most, uint64_t *out);

/* ---- digests in lower-case hex: SHA-1 for identities, MD5 for FM2's romChecksum ---- */

void sha1_hex(const void *data, size_t size, char hex[41]);
/* Of two pieces, the second behind the first. */
void md5_bytes(const void *data, size_t size, const void *more, size_t more_size,
               uint8_t digest[16]);

/* ---- files ---- */

struct bytes {
    uint8_t *at;
    size_t len;
};
/* Reads a whole file, at most `limit` bytes; files that start with the gzip magic are decompressed
 * first. The caller frees out with bytes_free. One NUL follows the data, not counted in len. */
enum status file_read(struct bytes *out, const char *path, size_t limit, struct error *e);
void bytes_free(struct bytes *b);

/* Reads a file of any size piece by piece, decompressed likewise: *got is 0 at its end only.
 * Closing frees the reader, and is the call that tells of compressed data that ends too early. */
struct file_reader;
enum status file_open_reader(struct file_reader **out, const char *path, struct error *e);
enum status file_read_some(struct file_reader *r, void *data, size_t size, size_t *got,
                           struct error *e);
enum status file_close_reader(struct file_reader *r, struct error *e);
/* The first bytes of what will be read next, at most FILE_PEEK; once, before anything is read.
 * *got is less than `size` only where the file is shorter. */
enum { FILE_PEEK = 16 };
enum status file_peek(struct file_reader *r, void *data, size_t size, size_t *got, struct error *e);

/* The whole of a file of which nothing has been read but file_peek's bytes: mapped, so in place,
 * if it is a regular file and not compressed; else a copy. Outlives the reader. Whoever cuts a
 * mapped file short while it is in use ends the process; our own files are replaced instead. */
struct file_view {
    const uint8_t *at;
    size_t len;
    bool mapped;
};
enum status file_view(struct file_view *out, struct file_reader *r, struct error *e);
/* The same of the file at `path`, which is at most `limit` bytes, decompressed. */
enum status file_view_path(struct file_view *out, const char *path, size_t limit, struct error *e);
void file_view_free(struct file_view *v);

/* Say why a file or folder cannot be opened, written or made (`what` is not possible: "cannot be
 * written"), `code` being the errno of the attempt: STATUS_IO. What is missing is named: the file,
 * or the folder that it would lie in. */
enum status file_unopened(const char *path, int code, struct error *e);
enum status file_unmade(const char *path, const char *what, int code, struct error *e);
/* The `len` bytes of `path` as FILE means them: "configs/games.cfg" and "../movies/a.fm2" give
 * "movies/a.fm2", but a folder that is a link elsewhere keeps its "..". To be freed; NULL when
 * memory is out. */
char *file_beside(const char *file, const char *path, size_t len);
/* Can files and folders, on any system and in any list, be named so? 1 to 80 characters of
 * FILE_NAME_CHARACTERS, not a dash first. Names of experiments are such. */
#define FILE_NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
bool file_good_name(const char *name);
/* Does a cell of CSV need an apostrophe before it, so that no spreadsheet executes it? What begins
 * with = + - @, a tab or a carriage return does, but for numbers. */
bool csv_is_formula(const char *text);

/* A name of a file for lists that blanks, colons or commas divide ($LD_PRELOAD, QEMU's -plugin):
 * its path, or, where that has one of these in it, that of the descriptor which holds it open, good
 * for as long as this process has not closed the name. */
struct file_plain_name {
    char at[1100];
    int fd; /* or -1 */
};
enum status file_plain_name(struct file_plain_name *out, const char *path, struct error *e);
void file_plain_name_close(struct file_plain_name *n);
/* STATUS_IO where the folder that `path` lies in, or would, is missing or is no folder. */
enum status file_check_folder(const char *path, struct error *e);

/* Writes a file so that it appears whole or not at all: a temporary name beside it, fsync, rename.
 * A path that ends in .gz is compressed. Errors are remembered; commit reports the first. */
struct file_writer;
enum status file_open(struct file_writer **out, const char *path, struct error *e);
/* Writes to a descriptor that is open already (1: standard output), from where it stands; `name` is
 * for messages. The descriptor stays open. */
enum status file_open_fd(struct file_writer **out, int fd, const char *name, struct error *e);
void file_write(struct file_writer *w, const void *data, size_t size);
void file_printf(struct file_writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
enum status file_commit(struct file_writer *w, struct error *e); /* frees w */
void file_abort(struct file_writer *w);                          /* frees w; NULL is fine */

/* ---- identity: xxh3-128 in lower-case hex, fed with text, the same on every machine. ---- */

struct hash;                   /* of what was added so far */
struct hash *hash_start(void); /* NULL when memory is out; the others allow that */
void hash_add(struct hash *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hash_add_bytes(struct hash *h, const void *data, size_t size);
/* Frees h. False, with hex set to "", when h is NULL. */
bool hash_finish(struct hash *h, char hex[33]);

/* Of a file's bytes as they are, compressed or not. */
enum status hash_file(const char *path, char hex[33], struct error *e);

#endif
