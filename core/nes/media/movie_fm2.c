/*
 * FM2, version 3: FCEUX's text movies (its documentation, "FM2 file format").
 *
 * Header lines "key value", then one line for each frame: |command|RLDUTSBA|RLDUTSBA|port2|. A
 * movie that this machine can play only in part would show another game than was recorded, so it is
 * refused, with the line that cannot be played.
 */
#include "nes/movie.h"

#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LARGEST_FILE = 256 << 20 };

struct parser {
    struct movie *movie;
    const char *name;
    struct error *error;
    size_t line; /* from 1 */
    bool has_version, port[2];
    uint64_t length; /* frames to read; UINT64_MAX: all */
    VEC(struct movie_line) lines;
    VEC(size_t) resets;
};

/* A piece of text, not null-terminated. */
struct text {
    const char *at;
    size_t len;
};

static enum status fail(struct parser *p, enum status status, const char *what, struct text t) {
    int shown = t.len > 60 ? 60 : (int)t.len;
    return error_set(p->error, status, "%s:%zu: %s%s%.*s%s", p->name, p->line, what,
                     t.at != NULL ? ": \"" : "", t.at != NULL ? shown : 0, t.at != NULL ? t.at : "",
                     t.at != NULL ? "\"" : "");
}

static struct text text_behind(struct text t, size_t n) {
    return (struct text){t.at + n, t.len - n};
}

static bool text_is(struct text t, const char *s) {
    return strlen(s) == t.len && memcmp(t.at, s, t.len) == 0;
}

/* Parses decimal digits; false unless all of t is digits. */
static bool text_number(struct text t, uint64_t *out) {
    *out = 0;
    for (size_t i = 0; i < t.len; i++) {
        if (t.at[i] < '0' || t.at[i] > '9' || *out > UINT64_MAX / 10 - 1)
            return false;
        *out = *out * 10 + (unsigned)(t.at[i] - '0');
    }
    return t.len > 0;
}

static struct text text_trim(struct text t) {
    while (t.len > 0 && (t.at[0] == ' ' || t.at[0] == '\t'))
        t = (struct text){t.at + 1, t.len - 1};
    while (t.len > 0 && (t.at[t.len - 1] == ' ' || t.at[t.len - 1] == '\t'))
        t.len--;
    return t;
}

/* ---- header ---- */

static int base64_digit(char c) {
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* 16 bytes are 22 digits and "==". */
static bool decode_base64(struct text t, uint8_t out[16]) {
    if (t.len != 24 || t.at[22] != '=' || t.at[23] != '=')
        return false;
    uint32_t bits = 0;
    unsigned have = 0, n = 0;
    for (size_t i = 0; i < 22; i++) {
        int digit = base64_digit(t.at[i]);
        if (digit < 0)
            return false;
        bits = bits << 6 | (uint32_t)digit;
        have += 6;
        if (have >= 8) {
            have -= 8;
            out[n++] = (uint8_t)(bits >> have);
        }
    }
    return true;
}

static bool decode_hex(struct text t, uint8_t out[16]) {
    if (t.len != 32)
        return false;
    for (size_t i = 0; i < 16; i++) {
        char pair[3] = {t.at[2 * i], t.at[2 * i + 1], 0};
        if (strspn(pair, "0123456789abcdefABCDEF") != 2)
            return false;
        out[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return true;
}

static enum status key_checksum(struct parser *p, struct text value) {
    static const char prefix[] = "base64:";
    bool ok = false;
    if (value.len > 7 && memcmp(value.at, prefix, 7) == 0)
        ok = decode_base64((struct text){value.at + 7, value.len - 7}, p->movie->checksum);
    else if (value.len > 2 && memcmp(value.at, "0x", 2) == 0)
        ok = decode_hex((struct text){value.at + 2, value.len - 2}, p->movie->checksum);
    if (!ok)
        return fail(p, STATUS_FORMAT, "romChecksum is not \"base64:\" and an MD5", value);
    p->movie->has_checksum = true;
    return STATUS_OK;
}

static enum status key_filename(struct parser *p, struct text value) {
    size_t n =
        value.len < sizeof p->movie->rom_filename ? value.len : sizeof p->movie->rom_filename - 1;
    memcpy(p->movie->rom_filename, value.at, n);
    p->movie->rom_filename[n] = 0;
    return STATUS_OK;
}

static enum status key_version(struct parser *p, struct text value) {
    if (!text_is(value, "3"))
        return fail(p, STATUS_UNSUPPORTED, "only version 3 of FM2 can be read", value);
    p->has_version = true;
    return STATUS_OK;
}

/* A port is empty (0) or has a pad (1). */
static enum status key_port(struct parser *p, unsigned port, struct text value) {
    if (!text_is(value, "0") && !text_is(value, "1"))
        return fail(p, STATUS_UNSUPPORTED,
                    "only pads can be plugged in (0 nothing, 1 pad), this port has another device",
                    value);
    p->port[port] = text_is(value, "1");
    return STATUS_OK;
}

static enum status key_length(struct parser *p, struct text value) {
    if (value.len > 0 && value.at[0] == '-')
        return STATUS_OK; /* negative: all frames */
    if (!text_number(value, &p->length))
        return fail(p, STATUS_FORMAT, "length is not a number", value);
    return STATUS_OK;
}

/* Keys of which only one value can be played. */
static const struct {
    const char *key, *value, *refusal;
} fixed_keys[] = {
    {"binary", "0",
     "binary FM2 and projects of the TAS Editor (fm3) are not read: save the movie as text in "
     "FCEUX "
     "(TAS Editor: File, Export to fm2)"},
    {"savestate", NULL,
     "the movie starts from a save state, which only its emulator can load: record one that starts "
     "from power-on"},
    {"saveram", NULL,
     "the movie starts from battery-backed RAM: record one that starts without a saved game"},
    {"palFlag", "0",
     "the movie was recorded on the PAL console, and only the NTSC one is emulated"},
    {"fourscore", "0", "four pads (Four Score) are not emulated, only two"},
    {"port2", "0", "the expansion port's devices are not emulated"},
    {"FDS", "0", "the Famicom Disk System is not emulated"},
    {"microphone", "0", "the second pad's microphone is not emulated"},
    {"RAMInitOption", "0",
     "the movie starts with a RAM pattern other than FCEUX's default (0), the only one that is "
     "emulated"},
};

static enum status header_line(struct parser *p, struct text t) {
    size_t n = 0;
    while (n < t.len && t.at[n] != ' ')
        n++;
    struct text key = {t.at, n}, value = text_trim((struct text){t.at + n, t.len - n});
    if (n == 0)
        return fail(p, STATUS_FORMAT, "expected \"key value\" or a frame that starts with |", t);
    for (size_t i = 0; i < sizeof fixed_keys / sizeof *fixed_keys; i++)
        if (text_is(key, fixed_keys[i].key)) {
            const char *only = fixed_keys[i].value;
            bool fine = only != NULL && text_is(value, only);
            return fine ? STATUS_OK : fail(p, STATUS_UNSUPPORTED, fixed_keys[i].refusal, t);
        }
    if (text_is(key, "version"))
        return key_version(p, value);
    if (text_is(key, "romChecksum"))
        return key_checksum(p, value);
    if (text_is(key, "romFilename"))
        return key_filename(p, value);
    if (text_is(key, "port0") || text_is(key, "port1"))
        return key_port(p, key.at[4] == '1', value);
    if (text_is(key, "length"))
        return key_length(p, value);
    return STATUS_OK; /* comments, subtitles, emulator versions: no effect on the playing */
}

/* ---- frames ---- */

/* Takes the text before the next '|'; false: there is none. */
static bool next_field(struct text *rest, struct text *field) {
    const char *bar = memchr(rest->at, '|', rest->len);
    if (bar == NULL)
        return false;
    *field = (struct text){rest->at, (size_t)(bar - rest->at)};
    *rest = (struct text){bar + 1, rest->len - field->len - 1};
    return true;
}

static enum status pad_field(struct parser *p, unsigned port, struct text t, uint8_t *out) {
    *out = 0;
    if (t.len == 0 && !p->port[port])
        return STATUS_OK;
    if (t.len != 8)
        return fail(p, STATUS_FORMAT, "a pad has eight columns, RLDUTSBA", t);
    for (unsigned i = 0; i < 8; i++)
        if (t.at[i] != '.' && t.at[i] != ' ')
            *out |= (uint8_t)(0x80u >> i); /* from Right (NES_RIGHT) down to A (NES_A) */
    if (!p->port[port])
        *out = 0;
    return STATUS_OK;
}

static enum status frame_line(struct parser *p, struct text t) {
    struct movie_line line = {0};
    struct text rest = {t.at + 1, t.len - 1}, fields[4];
    for (unsigned i = 0; i < 4; i++)
        if (!next_field(&rest, &fields[i]))
            return fail(p, STATUS_FORMAT, "a frame has four fields, |command|pad|pad||", t);
    uint64_t command;
    if (!text_number(text_trim(fields[0]), &command))
        return fail(p, STATUS_FORMAT, "the command is not a number", t);
    if ((command & ~(uint64_t)(MOVIE_SOFT_RESET | MOVIE_HARD_RESET)) != 0)
        return fail(p, STATUS_UNSUPPORTED,
                    "only the commands 1 (soft reset) and 2 (hard reset) are emulated, not those "
                    "of disks and coins",
                    t);
    line.command = (uint8_t)command;
    for (unsigned port = 0; port < 2; port++) {
        enum status status = pad_field(p, port, fields[1 + port], &line.pads[port]);
        if (status != STATUS_OK)
            return status;
    }
    if ((command != 0 && !vec_push(&p->resets, p->lines.len)) || !vec_push(&p->lines, line))
        return fail(p, STATUS_MEMORY, "out of memory", (struct text){0});
    return STATUS_OK;
}

static uint64_t eight(const char *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Decodes columns as FCEUX writes them, dots and capitals; false: other characters. */
static bool usual_pad(const char *at, uint8_t *buttons) {
    const uint64_t each = 0x0101010101010101, columns = le64toh(eight(at));
    const uint64_t letters = columns >> 6 & each, under_letters = letters * 0xff;
    if ((columns & (~under_letters | each * 0xa0)) != (each * '.' & ~under_letters))
        return false;
    *buttons = (uint8_t)(letters * 0x8040201008040201 >> 56); /* bit 0 of byte i is bit 7 - i */
    return true;
}

/* Decodes a line like |0|........|...L....|| or |0|........|||. Returns its length; 0: another
 * form. */
static size_t usual_frame(const struct parser *p, struct text t, struct movie_line *line) {
    enum { FIRST = 3, SECOND = FIRST + 9, LONGEST = SECOND + 11 };
    uint8_t pads[2] = {0};
    if (t.len < LONGEST || memcmp(t.at, "|0|", FIRST) != 0 || t.at[SECOND - 1] != '|' ||
        !usual_pad(t.at + FIRST, &pads[0]))
        return 0;
    size_t end = SECOND;
    if (t.at[SECOND] != '|' || p->port[1]) {
        if (!usual_pad(t.at + SECOND, &pads[1]))
            return 0;
        end += 8;
    }
    *line = (struct movie_line){.pads = {p->port[0] ? pads[0] : 0, p->port[1] ? pads[1] : 0}};
    return memcmp(t.at + end, "||\n", 3) == 0 ? end + 3 : 0;
}

/* True if the text begins with a copy of the previous line, which has `size` characters: 15 to
 * 23. */
static bool usual_again(struct text t, size_t size) {
    const char *const before = t.at - size, *const last = t.at + size - 8;
    return t.len >= size && eight(t.at) == eight(before) && eight(t.at + 7) == eight(before + 7) &&
           eight(last) == eight(last - size);
}

/* Takes consecutive lines of that form. Nearly all lines of a movie have it, most of them repeat
 * the previous one, and every replay parses the movie. False: out of memory. */
static bool usual_frames(struct parser *p, struct text *rest) {
    struct movie_line line;
    for (size_t size = 0; p->lines.len < p->length; *rest = text_behind(*rest, size)) {
        if ((size == 0 || !usual_again(*rest, size)) && (size = usual_frame(p, *rest, &line)) == 0)
            return true;
        if (p->lines.len == p->lines.cap &&
            !vec_reserve(&p->lines, p->lines.len + rest->len / size))
            return false;
        p->lines.at[p->lines.len++] = line;
        p->line++;
    }
    return true;
}

/* ---- files ---- */

static enum status parse_lines(struct parser *p, const char *text, size_t len) {
    struct text rest = {text, len};
    while (rest.len > 0 && p->lines.len < p->length) {
        const char *end = memchr(rest.at, '\n', rest.len);
        struct text t = {rest.at, end != NULL ? (size_t)(end - rest.at) : rest.len};
        size_t taken = end != NULL ? t.len + 1 : t.len;
        rest = text_behind(rest, taken);
        p->line++;
        if (t.len > 0 && t.at[t.len - 1] == '\r')
            t.len--;
        if (t.len == 0)
            continue;
        if (!p->has_version && p->line == 1 && (t.len < 8 || memcmp(t.at, "version ", 8) != 0))
            return fail(p, STATUS_FORMAT, "not an FM2 movie: it starts with \"version 3\"", t);
        bool frame = t.at[0] == '|';
        if (!frame && p->lines.len > 0)
            return fail(p, STATUS_FORMAT, "expected a frame that starts with |", t);
        enum status status = frame ? frame_line(p, t) : header_line(p, t);
        if (status != STATUS_OK)
            return status;
        if (frame && !usual_frames(p, &rest))
            return fail(p, STATUS_MEMORY, "out of memory", (struct text){0});
    }
    struct text none = {0};
    if (!p->has_version)
        return fail(p, STATUS_FORMAT, "not an FM2 movie: it starts with \"version 3\"", none);
    if (p->length != UINT64_MAX && p->lines.len < p->length)
        return fail(p, STATUS_FORMAT, "truncated: the file ends before the length it states", none);
    return STATUS_OK;
}

/* ---- other formats ---- */

static bool has_suffix(const char *name, const char *suffix) {
    const size_t n = strlen(name), k = strlen(suffix);
    return n >= k && strcasecmp(name + n - k, suffix) == 0;
}

/* The format of a zip archive, by the name of its first file: "PK\003\004", the length of the name
 * at offset 26, the name at offset 30 (PKWARE's APPNOTE, local file header). */
static const char *zip_format(struct text t, const char *name) {
    static const char *const bizhawk[] = {"Header.txt", "BizVersion.txt", "BizState 1.0",
                                          "Input Log.txt", "SyncSettings.json"};
    static const char *const mesen[] = {"GameSettings.txt", "MovieInfo.txt", "Input.txt"};
    struct text first = {NULL, 0};
    if (t.len > 30 && (size_t)(uint8_t)t.at[26] <= t.len - 30)
        first = (struct text){t.at + 30, (uint8_t)t.at[26]};
    for (size_t i = 0; i < sizeof bizhawk / sizeof *bizhawk; i++)
        if (text_is(first, bizhawk[i]) || has_suffix(name, ".bk2"))
            return "a movie of BizHawk (bk2)";
    for (size_t i = 0; i < sizeof mesen / sizeof *mesen; i++)
        if (text_is(first, mesen[i]) || has_suffix(name, ".mmo"))
            return "a movie of Mesen (mmo)";
    return "a zip archive: unpack the movie in it";
}

/* The name of another format that the file has; NULL for FM2 and for unknown formats. */
static const char *other_format(struct text t, const char *name) {
    static const struct {
        const char *start;
        size_t len;
        const char *what;
    } starts[] = {
        {"FCM\032", 4, "a movie of old FCEU (fcm): FCEUX converts it (Tools, Convert FCM)"},
        {"FMV\032", 4, "a movie of Famtasia (fmv)"},
        {"VirtuaNES MV", 12, "a movie of VirtuaNES (vmv)"},
        {"MovieVersion BizHawk", 20, "a movie of BizHawk (bkm)"},
        {"BZh", 3, "compressed by bzip2: decompress it"},
        {"\3757zXZ\000", 6, "compressed by xz: decompress it"},
        {"\050\265\057\375", 4, "compressed by zstd: decompress it"},
        {"7z\274\257\047\034", 6, "a 7z archive: unpack the movie in it"},
        {"Rar!\032\007", 6, "a rar archive: unpack the movie in it"},
    };
    if (t.len >= 4 && memcmp(t.at, "PK\003\004", 4) == 0)
        return zip_format(t, name);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (t.len >= starts[i].len && memcmp(t.at, starts[i].start, starts[i].len) == 0)
            return starts[i].what;
    if (has_suffix(name, ".fm3") && t.len >= 8 && memcmp(t.at, "version ", 8) == 0)
        return "a project of FCEUX's TAS Editor (fm3): export it there (File, Export to fm2)";
    return NULL;
}

enum status movie_parse(struct movie *out, const char *text, size_t len, const char *name,
                        struct error *e) {
    *out = (struct movie){0};
    const char *other = other_format((struct text){text, len}, name);
    if (other != NULL)
        return error_set(e, STATUS_UNSUPPORTED, "%s: is %s; only FM2 movies are read, plain or .gz",
                         name, other);
    struct parser p = {.movie = out, .name = name, .error = e, .length = UINT64_MAX};
    enum status status = parse_lines(&p, text, len);
    if (status != STATUS_OK) {
        vec_free(&p.lines);
        vec_free(&p.resets);
        *out = (struct movie){0};
        return status;
    }
    out->resets = p.resets.at;
    out->reset_count = p.resets.len;
    out->lines = p.lines.at;
    out->line_count = p.lines.len;
    return STATUS_OK;
}

static enum status load(struct movie *out, const char *path, bool name, struct error *e) {
    *out = (struct movie){0};
    struct file_view file;
    enum status status = file_view_path(&file, path, LARGEST_FILE, e);
    if (status != STATUS_OK)
        return status;
    status = movie_parse(out, (const char *)file.at, file.len, path, e);
    if (status == STATUS_OK && name)
        sha1_hex(file.at, file.len, out->sha1);
    file_view_free(&file);
    return status;
}

enum status movie_load(struct movie *out, const char *path, struct error *e) {
    return load(out, path, true, e);
}

enum status movie_load_unnamed(struct movie *out, const char *path, struct error *e) {
    return load(out, path, false, e);
}

static void encode_base64(const uint8_t in[16], char out[25]) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    unsigned have = 0, n = 0;
    for (unsigned i = 0; i < 16; i++) {
        bits = bits << 8 | in[i];
        for (have += 8; have >= 6; have -= 6)
            out[n++] = digits[bits >> (have - 6) & 63];
    }
    out[n++] = digits[bits << (6 - have) & 63];
    memcpy(out + n, "==", 3);
}

enum status movie_write(const struct movie *m, const char *path, struct error *e) {
    struct file_writer *w;
    enum status status = file_open(&w, path, e);
    if (status != STATUS_OK)
        return status;
    file_printf(w, "version 3\nemuVersion 20605\nrerecordCount 0\npalFlag 0\n");
    file_printf(w, "romFilename %s\n", m->rom_filename[0] != 0 ? m->rom_filename : "unknown");
    if (m->has_checksum) {
        char text[25];
        encode_base64(m->checksum, text);
        file_printf(w, "romChecksum base64:%s\n", text);
    }
    file_printf(w, "fourscore 0\nmicrophone 0\nport0 1\nport1 1\nport2 0\nFDS 0\nNewPPU 0\n");
    for (size_t i = 0; i < m->line_count; i++) {
        const struct movie_line *line = &m->lines[i];
        char pads[2][9] = {"RLDUTSBA", "RLDUTSBA"};
        for (unsigned port = 0; port < 2; port++)
            for (unsigned bit = 0; bit < 8; bit++)
                if ((line->pads[port] & (0x80u >> bit)) == 0)
                    pads[port][bit] = '.';
        file_printf(w, "|%u|%s|%s||\n", line->command, pads[0], pads[1]);
    }
    return file_commit(w, e);
}
