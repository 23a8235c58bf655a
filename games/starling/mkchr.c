/*
 * mkchr: ASCII art -> 8 KiB of CHR and an include file with the names.
 *
 *     mkchr art/font.txt art/ground.txt art/sprites.txt  starling.chr  chr.inc
 *
 * A picture is a line `kind name [palette]` and its rows, one character a pixel: '.' or '0' is
 * colour 0, '1'..'3' the others. Blank lines and lines that start with ';' are comments. Kinds:
 *
 *     glyph C       8 x 8, background; C is the character, text is stored in these tile numbers
 *     tile NAME     8 x 8, background
 *     meta C PAL    16 x 16, background; C is its letter in maps, PAL its palette. Equal tiles are
 *                   stored once; the table of tile numbers goes to the include file
 *     sprite NAME   8 x 16
 *     small NAME    8 x 8, set in the middle of an 8 x 16 sprite
 *
 * and, without rows, made from a glyph:
 *     big C         four background tiles: the glyph at double size, lit from above, with a shadow
 *     tall C        an 8 x 16 sprite: the glyph at double height, with a shadow
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE = 256, METAS = 48 };

static unsigned char chr[2][TABLE][16]; /* background, sprites */
static int used[2];
static char glyph_rows[128][8][9];
static int glyph_tile[128];
static struct {
    char letter;
    int palette, tile[4];
} metas[METAS];
static int meta_count;
static FILE *inc;
static const char *file;
static int line_number;

static void fail(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "mkchr: %s:%d: ", file, line_number);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    exit(1);
}

/* rows: 8 strings, from column `left` on. */
static void encode(unsigned char out[16], char rows[][33], int top, int left) {
    memset(out, 0, 16);
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++) {
            char c = rows[top + y][left + x];
            int v = c == '.' ? 0 : c - '0';
            if (v < 0 || v > 3)
                fail("a pixel is . 0 1 2 or 3, not '%c'", c);
            out[y] |= (unsigned char)((v & 1) << (7 - x));
            out[y + 8] |= (unsigned char)((v >> 1) << (7 - x));
        }
}

static int add_tile(int table, const unsigned char tile[16]) {
    if (used[table] == TABLE)
        fail("pattern table %d is full", table);
    memcpy(chr[table][used[table]], tile, 16);
    return used[table]++;
}

/* Background tiles are shared where they are equal. */
static int find_tile(const unsigned char tile[16]) {
    for (int i = 0; i < used[0]; i++)
        if (!memcmp(chr[0][i], tile, 16))
            return i;
    return add_tile(0, tile);
}

static int lit(char c, int x, int y) {
    return x >= 0 && y >= 0 && x < 8 && y < 8 && glyph_rows[(int)c][y][x] != '.';
}

static void make_big(char c) {
    char rows[16][33];
    memset(rows, '.', sizeof rows);
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 16; x++) {
            if (lit(c, x / 2, y / 2))
                rows[y][x] = y < 5 ? '3' : y < 7 ? ((x ^ y) & 1 ? '3' : '2') : '2';
            else if (x && y && lit(c, (x - 1) / 2, (y - 1) / 2))
                rows[y][x] = '1';
        }
    fprintf(inc, "BIG_%c = %d\n", c, used[0]);
    for (int i = 0; i < 4; i++) {
        unsigned char tile[16];
        encode(tile, rows, i / 2 * 8, i % 2 * 8);
        add_tile(0, tile);
    }
}

static void make_tall(char c) {
    char rows[16][33];
    memset(rows, '.', sizeof rows);
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 8; x++) {
            if (lit(c, x, y / 2))
                rows[y][x] = y < 7 ? '3' : '2';
            else if (y && x && lit(c, x - 1, (y - 1) / 2))
                rows[y][x] = '1';
        }
    fprintf(inc, "TALL_%c = %d\n", c, used[1] + 1);
    for (int i = 0; i < 2; i++) {
        unsigned char tile[16];
        encode(tile, rows, i * 8, 0);
        add_tile(1, tile);
    }
}

/* One picture with its rows. */
static void picture(const char *kind, const char *name, int palette, char rows[][33]) {
    unsigned char tile[16];
    if (!strcmp(kind, "glyph")) {
        encode(tile, rows, 0, 0);
        glyph_tile[(int)name[0]] = add_tile(0, tile);
        for (int y = 0; y < 8; y++)
            memcpy(glyph_rows[(int)name[0]][y], rows[y], 8);
    } else if (!strcmp(kind, "tile")) {
        encode(tile, rows, 0, 0);
        fprintf(inc, "TILE_%s = %d\n", name, add_tile(0, tile));
    } else if (!strcmp(kind, "meta")) {
        if (meta_count == METAS)
            fail("too many metas");
        metas[meta_count].letter = name[0];
        metas[meta_count].palette = palette;
        for (int i = 0; i < 4; i++) {
            encode(tile, rows, i / 2 * 8, i % 2 * 8);
            metas[meta_count].tile[i] = find_tile(tile);
        }
        meta_count++;
    } else { /* sprite, small */
        fprintf(inc, "SPR_%s = %d\n", name, used[1] + 1);
        for (int i = 0; i < 2; i++) {
            encode(tile, rows, i * 8, 0);
            add_tile(1, tile);
        }
    }
}

static void read_art(const char *path) {
    FILE *f = fopen(path, "r");
    char line[256], kind[16] = "", name[32] = "", rows[16][33];
    int want = 0, have = 0, top = 0, palette = 0;
    file = path;
    line_number = 0;
    if (!f)
        fail("cannot open");
    while (fgets(line, sizeof line, f)) {
        line_number++;
        line[strcspn(line, "\r\n")] = 0;
        if (have < want) {
            size_t width = !strcmp(kind, "meta") ? 16 : 8;
            if (strlen(line) != width)
                fail("a row of %s %s has %zu pixels, not %zu", kind, name, strlen(line), width);
            memcpy(rows[top + have++], line, width);
            if (have == want)
                picture(kind, name, palette, rows);
            continue;
        }
        palette = 0;
        if (!*line || *line == ';' || sscanf(line, "%15s %31s %d", kind, name, &palette) < 2)
            continue;
        have = top = want = 0;
        memset(rows, '.', sizeof rows);
        if (!strcmp(kind, "glyph") || !strcmp(kind, "tile"))
            want = 8;
        else if (!strcmp(kind, "meta") || !strcmp(kind, "sprite"))
            want = 16;
        else if (!strcmp(kind, "small"))
            want = 8, top = 4;
        else if (!strcmp(kind, "big"))
            make_big(name[0]);
        else if (!strcmp(kind, "tall"))
            make_tall(name[0]);
        else
            fail("unknown kind '%s'", kind);
    }
    fclose(f);
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: mkchr ART... OUT.chr OUT.inc\n");
        return 2;
    }
    file = argv[argc - 1];
    inc = fopen(argv[argc - 1], "w");
    if (!inc)
        fail("cannot write");
    fprintf(inc, "; made by mkchr from the art; do not edit\n");
    for (int i = 1; i < argc - 2; i++)
        read_art(argv[i]);

    for (int c = 33; c < 127; c++)
        if (glyph_tile[c])
            fprintf(inc, ".charmap $%02X, $%02X\n", c, glyph_tile[c]);
    fprintf(inc, ".charmap $20, $FF\n");
    static const char *const part[4] = {"top_left", "top_right", "bottom_left", "bottom_right"};
    fprintf(inc, ".macro META_TABLES\n");
    for (int p = 0; p < 4; p++) {
        fprintf(inc, "meta_%s:\n", part[p]);
        for (int i = 0; i < meta_count; i++)
            fprintf(inc, "    .byte $%02X ; %c\n", metas[i].tile[p], metas[i].letter);
    }
    fprintf(inc, "meta_palette:\n");
    for (int i = 0; i < meta_count; i++)
        fprintf(inc, "    .byte %d\n", metas[i].palette);
    fprintf(inc, ".endmacro\n; metas: ");
    for (int i = 0; i < meta_count; i++)
        fputc(metas[i].letter, inc);
    fprintf(inc, "\n; tiles: %d background, %d sprite\n", used[0], used[1]);
    if (fclose(inc))
        fail("cannot write");

    file = argv[argc - 2];
    FILE *out = fopen(file, "wb");
    if (!out || fwrite(chr, sizeof chr, 1, out) != 1 || fclose(out))
        fail("cannot write");
    return 0;
}
