/* Makes 8 KiB of CHR-ROM out of the drawings in pictures.txt, and a list of their tile numbers.
 *
 *     mkchr pictures.txt OUT.chr OUT.inc
 *
 * The input is a sequence of sections; a line that begins with ';' is a comment.
 *     table N          go on in pattern table N, at its first tile
 *     letters ABC...   8 rows, a word of up to 7 pixels a letter, '#' is ink. Tile = ASCII - 32;
 *                      '_' stands for the blank
 *     draw NAME W H    H rows of W pixels, both multiples of 8; its tiles are numbered row by row
 *                      from the next free one. Pixels: '.' 0, '-' 1, '+' 2, '#' 3
 *     half NAME W H    the same, but the rows give the left half only, the right one mirrors it
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILES = 512, TILE_BYTES = 16, FIRST_FREE = 64 };

static unsigned char chr[TILES * TILE_BYTES];
static const char *path;
static int line_number;

static void die(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s:%d: ", path, line_number);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

static int read_line(FILE *in, char *line, int size) {
    do {
        if (!fgets(line, size, in))
            return 0;
        line_number++;
        line[strcspn(line, "\n")] = 0;
    } while (!line[0] || line[0] == ';');
    return 1;
}

static void plot(int tile, int x, int y, int value) {
    unsigned char *row = &chr[tile * TILE_BYTES + y];
    row[0] |= (unsigned char)((value & 1) << (7 - x));
    row[8] |= (unsigned char)((value >> 1) << (7 - x));
}

/* Letters are ink (3) on a ground of colour 1. */
static void letters(FILE *in, int table, const char *which) {
    char line[256];
    for (int y = 0; y < 8; y++) {
        if (!read_line(in, line, sizeof line))
            die("the letters end too early");
        char *word = strtok(line, " ");
        for (const char *c = which; *c; c++, word = strtok(NULL, " ")) {
            if (!word || strlen(word) > 7)
                die("no pixels for %c", *c);
            for (int x = 0; x < 8; x++) {
                int ink = x > 0 && x <= (int)strlen(word) && word[x - 1] == '#';
                plot(table * 256 + (*c == '_' ? 0 : *c - 32), x, y, ink ? 3 : 1);
            }
        }
    }
}

static void draw(FILE *in, int first, int width, int height, int mirrored) {
    char line[256];
    int given = mirrored ? width / 2 : width;
    for (int y = 0; y < height; y++) {
        if (!read_line(in, line, sizeof line) || (int)strlen(line) != given)
            die("a row of %d pixels is wanted", given);
        for (int x = 0; x < width; x++) {
            char c = line[x < given ? x : width - 1 - x];
            const char *found = strchr(".-+#", c);
            if (!found)
                die("%c is no pixel", c);
            plot(first + y / 8 * (width / 8) + x / 8, x % 8, y % 8, (int)(found - ".-+#"));
        }
    }
}

int main(int argc, char **argv) {
    FILE *in = argc == 4 ? fopen(path = argv[1], "r") : NULL;
    FILE *inc = in ? fopen(argv[3], "w") : NULL;
    if (!inc)
        return fprintf(stderr, "usage: mkchr pictures.txt OUT.chr OUT.inc\n"), 2;
    int table = 0, next = FIRST_FREE, width, height;
    char line[256], word[64], name[128];
    while (read_line(in, line, sizeof line)) {
        if (sscanf(line, "table %d", &table) == 1) {
            next = table ? 0 : FIRST_FREE;
        } else if (sscanf(line, "letters %127s", name) == 1) {
            letters(in, table, name);
        } else if (sscanf(line, "%63s %127s %d %d", word, name, &width, &height) == 4) {
            int tiles = width / 8 * (height / 8);
            if (next + tiles > 256)
                die("the pattern table is full");
            fprintf(inc, "P_%s = $%02x\n", name, (unsigned)next);
            draw(in, table * 256 + next, width, height, !strcmp(word, "half"));
            next += tiles;
        } else {
            die("what is this?");
        }
    }
    FILE *out = fopen(argv[2], "wb");
    if (!out || fwrite(chr, 1, sizeof chr, out) != sizeof chr || fclose(out) || fclose(inc))
        return perror(argv[2]), 1;
    return 0;
}
