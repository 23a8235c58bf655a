/* Turns the drawings of art.txt into 8 KiB of CHR-ROM, and their names into assembler constants.
 *
 *     mkart art.txt OUT.chr OUT.inc
 *
 * `#` begins a comment. Headings:
 *     background | sprites      the pattern table that follows, from its first tile
 *     tile N                    the next tile's number
 *     glyphs ABC..              7 rows, a word of 5 pixels for each character; tile = ASCII - 32
 *     draw NAME W H             H rows of W pixels (multiples of 8; in sprites H is one of 16).
 *                               Tiles follow row by row; in sprites as pairs, one above the other
 *     drift DX DY N             N more tiles: the last one, each rolled on by DX, DY
 *     rise                      8 more tiles: the last one's top n rows at the bottom, n = 1..8
 * Pixels: `.` is colour 0, then `1` `2` `3`; in glyphs `o` is a pixel of colour 1 and casts a
 * shadow of colour 2.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tile {
    unsigned char pixel[8][8];
};

static struct tile tables[2][256];
static const char *path;
static FILE *in;
static int line_number;

static void die(const char *why) {
    fprintf(stderr, "%s:%d: %s\n", path, line_number, why);
    exit(1);
}

static char *read_line(void) {
    static char line[400];
    do {
        if (!fgets(line, sizeof line, in))
            return NULL;
        line_number++;
        line[strcspn(line, "\r\n")] = 0;
    } while (line[0] == 0 || line[0] == '#');
    return line;
}

static char *need_line(void) {
    char *line = read_line();
    if (!line)
        die("the drawing is not complete");
    return line;
}

static struct tile *tile_at(int table, int number) {
    if (number < 0 || number > 255)
        die("the pattern table is full");
    return &tables[table][number];
}

static void glyphs(int table, const char *characters) {
    for (int y = 0; y < 7; y++) {
        char *word = strtok(need_line(), " ");
        for (const char *c = characters; *c; c++, word = strtok(NULL, " ")) {
            if (!word || strlen(word) != 5)
                die("each character has a word of five pixels in each row");
            struct tile *t = tile_at(table, *c - 32);
            for (int x = 0; x < 5; x++)
                if (word[x] == 'o') {
                    t->pixel[y][x + 1] = 1;
                    if (t->pixel[y + 1][x + 2] == 0)
                        t->pixel[y + 1][x + 2] = 2;
                }
        }
    }
}

static void draw(int table, int at, int width, int height) {
    if (width % 8 || height % 8 || (table && height % 16))
        die("the size does not fill tiles");
    for (int y = 0; y < height; y++) {
        const char *row = need_line();
        if ((int)strlen(row) != width)
            die("a row is too short or too long");
        for (int x = 0; x < width; x++) {
            int number = table ? (y / 16 * (width / 8) + x / 8) * 2 + y / 8 % 2
                               : y / 8 * (width / 8) + x / 8;
            if (row[x] != '.' && (row[x] < '1' || row[x] > '3'))
                die("a pixel is one of . 1 2 3");
            tile_at(table, at + number)->pixel[y % 8][x % 8] = row[x] == '.' ? 0 : row[x] - '0';
        }
    }
}

static void drift(int table, int at, int dx, int dy, int count) {
    for (int i = at; i < at + count; i++)
        for (int y = 0; y < 8; y++)
            for (int x = 0; x < 8; x++)
                tile_at(table, i)->pixel[(y + dy) & 7][(x + dx) & 7] =
                    tile_at(table, i - 1)->pixel[y][x];
}

static void rise(int table, int at) {
    for (int n = 1; n <= 8; n++)
        for (int y = 0; y < n; y++)
            memcpy(tile_at(table, at + n - 1)->pixel[8 - n + y], tables[table][at - 1].pixel[y], 8);
}

static int read_all(FILE *inc) {
    int table = 0, at = 0, a, b, c;
    char word[80], *line;
    while ((line = read_line())) {
        if (!strcmp(line, "background") || !strcmp(line, "sprites")) {
            table = line[0] == 's', at = 0;
        } else if (sscanf(line, "tile %d", &a) == 1) {
            at = a;
        } else if (sscanf(line, "glyphs %79s", word) == 1) {
            glyphs(table, word);
        } else if (sscanf(line, "draw %79s %d %d", word, &a, &b) == 3) {
            /* A sprite of 8 x 16 from the second table has bit 0 set. */
            fprintf(inc, "%c_%s = $%02x\n", table ? 'S' : 'T', word, (unsigned)(at + table));
            draw(table, at, a, b);
            at += a / 8 * (b / 8);
        } else if (sscanf(line, "drift %d %d %d", &a, &b, &c) == 3) {
            drift(table, at, a, b, c);
            at += c;
        } else if (!strcmp(line, "rise")) {
            rise(table, at);
            at += 8;
        } else {
            die("not a heading");
        }
    }
    return 0;
}

static void put_chr(FILE *out) {
    for (int i = 0; i < 512; i++)
        for (int plane = 0; plane < 2; plane++)
            for (int y = 0; y < 8; y++) {
                int bits = 0;
                for (int x = 0; x < 8; x++)
                    bits = bits << 1 | (tables[i / 256][i % 256].pixel[y][x] >> plane & 1);
                putc(bits, out);
            }
}

int main(int argc, char **argv) {
    if (argc != 4)
        return fprintf(stderr, "usage: mkart art.txt OUT.chr OUT.inc\n"), 2;
    path = argv[1];
    in = fopen(path, "r");
    FILE *chr = fopen(argv[2], "wb"), *inc = fopen(argv[3], "w");
    if (!in || !chr || !inc)
        return perror("mkart"), 1;
    read_all(inc);
    put_chr(chr);
    return fclose(chr) || fclose(inc);
}
