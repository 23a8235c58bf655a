/* Draws the 512 tiles of tiles.txt into CHR-ROM, and lists their names for assembly and C.
 *
 *     mkchr tiles.txt OUT.chr OUT.h OUT.inc
 *
 * A `;` begins a comment. Directives; tiles get numbers in the order in which they come:
 *   bank N             tiles of pattern table N follow, from tile 0
 *   from N             the next tile's number
 *   font LETTERS       seven rows follow, one word for each letter, up to 7 pixels wide; a letter's
 *                      tile is its code - 32
 *   tile NAME W H      a picture of W x H tiles follows, 8 H rows of 8 W pixels
 *   sink NAME OF       eight tiles: tile OF moved down by 0, 2, 4, 6 pixels, each time the tile
 *                      itself and what of it comes into the one below
 *   over NAME OF UNDER eight tiles from OF on, with tile UNDER behind them
 *   roll NAME OF       three tiles: tile OF moved to the right by 2, 4, 6 pixels, round
 * Pixels: . : o # are colours 0 to 3. Letters are drawn in colour 1, their lower part in 2.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILES = 512, NAMES = 128 };

static unsigned char pixel[TILES][8][8];
static struct {
    char name[24];
    int tile;
} names[NAMES];
static int name_count, next, line_number;
static FILE *in;

static void fail(const char *what) {
    fprintf(stderr, "mkchr: line %d: %s\n", line_number, what);
    exit(1);
}

/* The next line with something on it, or NULL. */
static char *read_line(void) {
    static char line[100];
    while (fgets(line, sizeof line, in)) {
        line_number++;
        line[strcspn(line, ";\r\n")] = 0;
        size_t n = strlen(line);
        while (n && line[n - 1] == ' ')
            line[--n] = 0;
        if (n)
            return line;
    }
    return NULL;
}

static char *row_of(size_t length) {
    char *row = read_line();
    if (!row || (length && strlen(row) != length))
        fail("a row of another length");
    return row;
}

static int colour(char c) {
    static const char colours[] = ".:o#";
    const char *at = c ? strchr(colours, c) : NULL;
    if (!at)
        fail("a pixel that is none of . : o #");
    return (int)(at - colours);
}

static int tile_of(const char *name) {
    for (int i = 0; i < name_count; i++)
        if (!strcmp(names[i].name, name))
            return names[i].tile;
    fail("no tile of that name");
    return 0;
}

/* Names the next tiles and makes room for them. */
static int claim(const char *name, int tiles) {
    int first = next;
    if (name_count == NAMES || (first & 255) + tiles > 256)
        fail("no room");
    snprintf(names[name_count].name, sizeof names[0].name, "%s", name);
    names[name_count++].tile = first;
    next += tiles;
    return first;
}

static void read_font(const char *letters) {
    for (int y = 0; y < 7; y++) {
        char *word = strtok(row_of(0), " ");
        for (const char *l = letters; *l; l++, word = strtok(NULL, " ")) {
            if (!word || strlen(word) > 7)
                fail("a word is missing or too long");
            for (int x = 0; word[x]; x++)
                if (word[x] == '#')
                    pixel[(next & 256) + *l - 32][y][x] = y < 4 ? 1 : 2;
        }
    }
}

static void read_picture(const char *name, int width, int height) {
    int first = claim(name, width * height);
    for (int y = 0; y < 8 * height; y++) {
        char *row = row_of((size_t)width * 8);
        for (int x = 0; x < 8 * width; x++)
            pixel[first + y / 8 * width + x / 8][y % 8][x % 8] = (unsigned char)colour(row[x]);
    }
}

static void sink(const char *name, int of) {
    int first = claim(name, 8);
    for (int step = 0; step < 4; step++)
        for (int y = 0; y < 8; y++) {
            int down = y + 2 * step;
            memcpy(pixel[first + 2 * step + down / 8][down % 8], pixel[of][y], 8);
        }
}

static void over(const char *name, int of, int under) {
    int first = claim(name, 8);
    for (int i = 0; i < 8; i++)
        for (int y = 0; y < 8; y++)
            for (int x = 0; x < 8; x++)
                pixel[first + i][y][x] =
                    pixel[of + i][y][x] ? pixel[of + i][y][x] : pixel[under][y][x];
}

static void roll(const char *name, int of) {
    int first = claim(name, 3);
    for (int i = 0; i < 3; i++)
        for (int y = 0; y < 8; y++)
            for (int x = 0; x < 8; x++)
                pixel[first + i][y][(x + 2 * i + 2) & 7] = pixel[of][y][x];
}

static void directive(const char *line) {
    char name[24], of[24], under[24], letters[100];
    int a, b;
    if (sscanf(line, "bank %d", &a) == 1 && (a == 0 || a == 1))
        next = a * 256;
    else if (sscanf(line, "from %d", &a) == 1 && a >= 0 && a < 256)
        next = (next & 256) + a;
    else if (!strncmp(line, "font ", 5))
        read_font(strcpy(letters, line + 5));
    else if (sscanf(line, "tile %23s %d %d", name, &a, &b) == 3)
        read_picture(name, a, b);
    else if (sscanf(line, "sink %23s %23s", name, of) == 2)
        sink(name, tile_of(of));
    else if (sscanf(line, "over %23s %23s %23s", name, of, under) == 3)
        over(name, tile_of(of), tile_of(under));
    else if (sscanf(line, "roll %23s %23s", name, of) == 2)
        roll(name, tile_of(of));
    else
        fail("not understood");
}

static int write_tiles(const char *path) {
    FILE *out = fopen(path, "wb");
    if (!out)
        return -1;
    for (int t = 0; t < TILES; t++)
        for (int plane = 0; plane < 2; plane++)
            for (int y = 0; y < 8; y++) {
                int bits = 0;
                for (int x = 0; x < 8; x++)
                    bits = bits << 1 | (pixel[t][y][x] >> plane & 1);
                putc(bits, out);
            }
    return fclose(out);
}

static int write_names(const char *path, const char *format) {
    FILE *out = fopen(path, "w");
    if (!out)
        return -1;
    for (int i = 0; i < name_count; i++)
        fprintf(out, format, names[i].name, names[i].tile & 255);
    return fclose(out);
}

int main(int argc, char **argv) {
    if (argc != 5)
        return fprintf(stderr, "usage: mkchr tiles.txt OUT.chr OUT.h OUT.inc\n"), 2;
    if (!(in = fopen(argv[1], "r")))
        return perror(argv[1]), 1;
    for (char *line; (line = read_line());)
        directive(line);
    if (write_tiles(argv[2]) || write_names(argv[3], "#define T_%s %d\n") ||
        write_names(argv[4], "T_%s = %d\n"))
        return perror("mkchr"), 1;
    return 0;
}
