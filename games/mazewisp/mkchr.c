/* Turns the ASCII drawings of tiles.txt into 8 KiB of CHR-ROM and the names into assembler
 * constants.
 *
 *     mkchr tiles.txt OUT.chr OUT.inc
 *
 * Lines of the input: `; comment`; `bank N` (pattern table 0 or 1); `at N` (next tile number); then
 * a heading and its rows: `font ABC` 8 rows of one word a letter (at the letter's ASCII code - 32;
 * X is shaded from colour 1 to 2 down the letter); `tile NAME` 8 rows of 8; `block NAME` 16 rows of
 * 16 (four tiles: top left, top right, bottom left, bottom right); `half NAME` 16 rows of 8, the
 * left half of a block whose right half is its mirror image. Pixels: `.` colour 0, `1` `2` `3`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char chr[8192];
static FILE *in;
static const char *in_name;
static int line_number;

static void fail(const char *what) {
    fprintf(stderr, "%s:%d: %s\n", in_name, line_number, what);
    exit(1);
}

/* The next line that is neither empty nor a comment, or NULL. */
static char *next_line(void) {
    static char line[256];
    while (fgets(line, sizeof line, in)) {
        line_number++;
        line[strcspn(line, "\r\n")] = 0;
        if (line[0] && line[0] != ';')
            return line;
    }
    return NULL;
}

static void set_pixel(int tile, int x, int y, int colour) {
    if (tile < 0 || tile >= 512)
        fail("no room in the pattern table");
    if (colour & 1)
        chr[tile * 16 + y] |= (unsigned char)(0x80 >> x);
    if (colour & 2)
        chr[tile * 16 + 8 + y] |= (unsigned char)(0x80 >> x);
}

static int colour_of(char c) {
    if (c == '.')
        return 0;
    if (c < '1' || c > '3')
        fail("a pixel is one of . 1 2 3");
    return c - '0';
}

static void read_font(const char *letters, int bank) {
    for (int y = 0; y < 8; y++) {
        char *row = next_line();
        char *word = row ? strtok(row, " ") : NULL;
        for (const char *l = letters; *l; l++, word = strtok(NULL, " ")) {
            if (!word || strlen(word) > 7)
                fail("a font row has one word of at most 7 pixels a letter");
            for (int x = 0; word[x]; x++)
                if (word[x] == 'X')
                    set_pixel(bank * 256 + *l - 32, x + 1, y, y < 4 ? 1 : 2);
        }
    }
}

/* A picture of `tiles` x `tiles` tiles; mirrored ones are given by their left half. */
static void read_picture(int tile, int tiles, int mirrored) {
    int size = tiles * 8, width = mirrored ? size / 2 : size;
    for (int y = 0; y < size; y++) {
        char *row = next_line();
        if (!row || (int)strlen(row) != width)
            fail("a row of the wrong width");
        for (int x = 0; x < size; x++) {
            int c = colour_of(row[x < width ? x : size - 1 - x]);
            set_pixel(tile + (y / 8) * tiles + x / 8, x % 8, y % 8, c);
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 4 || !(in = fopen(in_name = argv[1], "r")))
        return fprintf(stderr, "usage: mkchr tiles.txt OUT.chr OUT.inc\n"), 2;
    FILE *inc = fopen(argv[3], "w");
    if (!inc)
        return perror(argv[3]), 1;
    int bank = 0, at = 0, number;
    char name[64], *line;
    while ((line = next_line())) {
        if (sscanf(line, "bank %d", &number) == 1)
            bank = number, at = 0;
        else if (sscanf(line, "at %d", &number) == 1)
            at = number;
        else if (sscanf(line, "font %63s", name) == 1)
            read_font(name, bank);
        else {
            int tiles = strncmp(line, "tile ", 5) ? 2 : 1;
            int mirrored = !strncmp(line, "half ", 5);
            if ((tiles == 2 && !mirrored && strncmp(line, "block ", 6)) ||
                sscanf(line, "%*s %63s", name) != 1)
                fail("expected a heading");
            fprintf(inc, "T_%s = $%02x\n", name, (unsigned)at);
            read_picture(bank * 256 + at, tiles, mirrored);
            at += tiles * tiles;
        }
    }
    FILE *out = fopen(argv[2], "wb");
    if (!out || fwrite(chr, 1, sizeof chr, out) != sizeof chr || fclose(out) || fclose(inc))
        return perror(argv[2]), 1;
    return 0;
}
