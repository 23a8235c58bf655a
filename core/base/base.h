/*
 * base: errors, memory, containers, hashing and files, for all other folders.
 *
 * Invariants
 *  - Nothing here prints, exits or keeps state between calls.
 *  - Every function that can fail returns an enum status and, where it takes a struct error, fills
 *    it with one sentence that names the file and position and, if there is one, a remedy.
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
    STATUS_FORMAT, /* a file's content violates its format */
    STATUS_UNSUPPORTED, /* well formed, but not supported by this program */
    STATUS_ARGUMENT,    /* the request makes no sense */
    STATUS_GUEST,       /* the guest program ended the replay (JAM) */
    STATUS_INTERRUPTED, /* stopped on request; what was done so far is kept */
};

struct error {
    enum status status;
    char text[1000]; /* one sentence, no newline */
};

/* Fills *e (which may be NULL) and returns `status`, so that `return error_set(...)` reads well. */
enum status error_set(struct error *e, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prefixes the text of *e with "prefix: ". */
void error_prefix(struct error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- memory: growable arrays. VEC(T) is { T *at; size_t len, cap; }; zero is empty. ---- */

#define VEC(T)                                                                                     \
    struct {                                                                                       \
        T *at;                                                                                     \
        size_t len, cap;                                                                           \
    }
/* Appends v. False: out of memory; the vector is unchanged. */
#define vec_push(v, value)                                                                         \
    (vec_reserve_(&(v)->at, &(v)->cap, (v)->len + 1, sizeof *(v)->at)                              \
         ? ((v)->at[(v)->len++] = (value), true)                                                   \
         : false)
#define vec_reserve(v, n) vec_reserve_(&(v)->at, &(v)->cap, (n), sizeof *(v)->at)
#define vec_free(v)       (free((v)->at), (v)->at = NULL, (v)->len = (v)->cap = 0)
bool vec_reserve_(void *at_pointer, size_t *cap, size_t need, size_t size);

/* ---- map: uint64_t key -> uint64_t value, open addressing; zero is empty. ---- */

struct map {
    struct map_entry {
        uint64_t key, value;
    } * entries;
    uint8_t *used;
    size_t cap, len;
};
/* Address of the value, or NULL. */
uint64_t *map_find(const struct map *m, uint64_t key);
/* Address of the value, inserted as 0 if missing; NULL: out of memory. Valid until the next
 * insert. */
uint64_t *map_at(struct map *m, uint64_t key);
/* Iterates in table order (not sorted): start with *position 0, until false. */
bool map_next(const struct map *m, size_t *position, uint64_t *key, uint64_t *value);
void map_free(struct map *m);

/* ---- order ---- */

/* Sorts order[0..count), a permutation of the numbers below `count`, by key[number]; stable. False:
 * out of memory; nothing is changed. */
bool sort_by_key(uint32_t *order, const uint32_t *key, size_t count);
/* The numbers below `count`, sorted by key and then by number; the caller frees them. NULL: out of
 * memory. */
uint32_t *sorted_order(const uint32_t *key, size_t count);
/* The place of the first of `count` rising values that is at least `least`; count: none is. */
static inline size_t sorted_from(const uint32_t *values, size_t count, uint32_t least) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (values[middle] < least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- numbers ---- */

/* splitmix64 (Steele, Lea, Flood 2014): the k-th output, k from 0, of the generator seeded with
 * `seed`. */
uint64_t splitmix64(uint64_t seed, uint64_t k);
/* The next output of the generator whose state this is; the state begins as the seed. */
uint64_t splitmix64_next(uint64_t *state);
/* FNV-1a, 64 bits. */
uint64_t fnv1a64(const void *data, size_t size);

/* Read a number at *at, before `end`, and move *at past it; hexadecimal numbers start with 0x.
 * False, with nothing changed: no number, or above `most`. */
bool scan_hex(const char **at, const char *end, uint64_t most, uint64_t *out);
bool scan_decimal(const char **at, const char *end, uint64_t most, uint64_t *out);

/* ---- digests in lower-case hex: SHA-1 for identities, MD5 for FM2's romChecksum ---- */

void sha1_hex(const void *data, size_t size, char hex[41]);
/* Of two pieces, the second after the first. */
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

/* Reads a file of any size piece by piece, decompressed as above; *got is 0 only at its end.
 * Closing frees the reader, and reports compressed data that ends too early. */
struct file_reader;
enum status file_open_reader(struct file_reader **out, const char *path, struct error *e);
enum status file_read_some(struct file_reader *r, void *data, size_t size, size_t *got,
                           struct error *e);
enum status file_close_reader(struct file_reader *r, struct error *e);
/* Peeks at the first bytes, at most FILE_PEEK; once, before anything is read. *got is less than
 * `size` only if the file is shorter. */
enum { FILE_PEEK = 16 };
enum status file_peek(struct file_reader *r, void *data, size_t size, size_t *got, struct error *e);

/* The whole content of a file of which nothing was read, except by file_peek: mapped if it is a
 * regular, uncompressed file; else a copy. Outlives the reader. If another program truncates a
 * mapped file, this process is killed; this program's own files are replaced, never truncated. */
struct file_view {
    const uint8_t *at;
    size_t len;
    bool mapped;
};
enum status file_view(struct file_view *out, struct file_reader *r, struct error *e);
/* The same of the file at `path`, which is at most `limit` bytes, decompressed. */
enum status file_view_path(struct file_view *out, const char *path, size_t limit, struct error *e);
void file_view_free(struct file_view *v);

/* Report why a file or folder cannot be opened, written or made (`what`: "cannot be written");
 * `code` is the errno of the attempt. Return STATUS_IO. The message names what is missing: the file
 * or its folder. */
enum status file_unopened(const char *path, int code, struct error *e);
enum status file_unmade(const char *path, const char *what, int code, struct error *e);
/* The `len` bytes of `path` as FILE means them: "configs/games.cfg" and "../movies/a.fm2" give
 * "movies/a.fm2", but a folder that is a link elsewhere keeps its "..". To be freed; NULL when
 * memory is out. */
char *file_beside(const char *file, const char *path, size_t len);
/* Is this a safe name for files and folders on any system: 1 to 80 characters of
 * FILE_NAME_CHARACTERS, no leading dash? Names of experiments must be. */
#define FILE_NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
bool file_good_name(const char *name);
/* Must a CSV cell be prefixed with an apostrophe, so that no spreadsheet executes it? Cells that
 * begin with = + - @, a tab or a carriage return must, except numbers. */
bool csv_is_formula(const char *text);

/* A file name for lists separated by blanks, colons or commas ($LD_PRELOAD, QEMU's -plugin): the
 * path, or, if it contains a separator, the /proc path of an open descriptor, valid until the name
 * is closed. */
struct file_plain_name {
    char at[1100];
    int fd; /* or -1 */
};
enum status file_plain_name(struct file_plain_name *out, const char *path, struct error *e);
void file_plain_name_close(struct file_plain_name *n);
/* STATUS_IO if the folder of `path` is missing or no folder. */
enum status file_check_folder(const char *path, struct error *e);

/* Writes a file atomically: temporary file beside it, fsync, rename. A path that ends in .gz is
 * compressed. Errors are remembered; commit reports the first. */
struct file_writer;
enum status file_open(struct file_writer **out, const char *path, struct error *e);
/* Writes to an open descriptor (1: standard output), from its current position; `name` is for
 * messages. The descriptor stays open. */
enum status file_open_fd(struct file_writer **out, int fd, const char *name, struct error *e);
void file_write(struct file_writer *w, const void *data, size_t size);
void file_printf(struct file_writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
enum status file_commit(struct file_writer *w, struct error *e); /* frees w */
void file_abort(struct file_writer *w);                          /* frees w; NULL is fine */

/* ---- identity: xxh3-128 in lower-case hex, fed with text, the same on every machine. ---- */

struct hash;                   /* of all that was added */
struct hash *hash_start(void); /* NULL: out of memory, which the others allow */
void hash_add(struct hash *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hash_add_bytes(struct hash *h, const void *data, size_t size);
/* Frees h. False, with hex set to "", when h is NULL. */
bool hash_finish(struct hash *h, char hex[33]);

/* Hashes a file's bytes, without decompression. */
enum status hash_file(const char *path, char hex[33], struct error *e);

#endif
