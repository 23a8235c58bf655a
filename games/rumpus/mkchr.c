/* Makes the CHR-ROM of Rumpus from drawings.
 *
 *     mkchr tiles.txt OUT.chr OUT.inc
 *
 * The input is a list of cards. A card is a heading and as many rows of pixels as it says; `#`
 * begins a comment where a heading could stand. Headings:
 *
 *     table N          what follows goes into pattern table N, from tile 0 on
 *     skip N           the next tile is N
 *     sheet NAME W H   W x H tiles, row by row; W * 8 pixels a line
 *     fold NAME W H    the same, but only the left half is drawn: the right one is its reflection
 *     lift NAME FROM N two tiles from an earlier one raised by N pixels: what is left of it in its
 *                      own place, then what stands out into the place above
 *
 * Pixels: `.` is colour 0, `-` 1, `+` 2, `#` 3. The output defines T_NAME for each first tile, and
 * in table 1, where everything is made of four tiles, P_NAME = T_NAME / 4.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 256, TILE_BYTES = 16 };

static unsigned char chr[2][256][TILE_BYTES];
static struct {
    char name[32];
    int table, tile;
} names[MAX_NAMES];
static int name_count, line_number;
static const char *path;

static void stop(const char *why) {
    fprintf(stderr, "%s:%d: %s\n", path, line_number, why);
    exit(1);
}

static char *read_line(FILE *in) {
    static char line[300];
    if (!fgets(line, sizeof line, in))
        return NULL;
    line_number++;
    line[strcspn(line, "\r\n")] = '\0';
    return line;
}

static void put(int table, int tile, int x, int y, int colour) {
    if (tile > 255)
        stop("the pattern table is full");
    for (int plane = 0; plane < 2; plane++)
        if (colour >> plane & 1)
            chr[table][tile][plane * 8 + y] |= (unsigned char)(0x80 >> x);
}

static void read_rows(FILE *in, int table, int tile, int w, int h, int folded) {
    int drawn = folded ? w * 4 : w * 8;
    for (int y = 0; y < h * 8; y++) {
        const char *row = read_line(in);
        if (!row || (int)strlen(row) != drawn)
            stop("this row has not the width of its card");
        for (int x = 0; x < w * 8; x++) {
            char c = row[x < drawn ? x : w * 8 - 1 - x];
            const char *colour = c ? strchr(".-+#", c) : NULL;
            if (!colour)
                stop("pixels are . - + #");
            put(table, tile + y / 8 * w + x / 8, x & 7, y & 7, (int)(colour - ".-+#"));
        }
    }
}

static void lift(int table, int tile, const char *from, int by) {
    int source = -1;
    for (int i = 0; i < name_count; i++)
        if (names[i].table == table && strcmp(names[i].name, from) == 0)
            source = names[i].tile;
    if (source < 0 || by < 1 || by > 7)
        stop("lift wants a tile of this table and 1 to 7 pixels");
    for (int i = 0; i < TILE_BYTES; i++) {
        int plane = i & 8, y = i & 7;
        chr[table][tile][plane + y] = y + by < 8 ? chr[table][source][plane + y + by] : 0;
        chr[table][tile + 1][plane + y] = y >= 8 - by ? chr[table][source][plane + y + by - 8] : 0;
    }
}

static void remember(const char *name, int table, int tile, FILE *inc) {
    if (name_count == MAX_NAMES)
        stop("too many names");
    strcpy(names[name_count].name, name);
    names[name_count].table = table;
    names[name_count++].tile = tile;
    fprintf(inc, "T_%s = %d\n", name, tile);
    if (table == 1)
        fprintf(inc, "P_%s = %d\n", name, tile / 4);
}

int main(int argc, char **argv) {
    FILE *in = argc == 4 ? fopen(path = argv[1], "r") : NULL;
    FILE *inc = in ? fopen(argv[3], "w") : NULL;
    if (!inc)
        return fprintf(stderr, "usage: mkchr tiles.txt OUT.chr OUT.inc\n"), 2;
    int table = 0, tile = 0;
    for (char *line; (line = read_line(in)) != NULL;) {
        char kind[8], name[32], from[32];
        int a, b;
        if (line[0] == '\0' || line[0] == '#')
            continue;
        if (sscanf(line, "table %d", &a) == 1 && (a == 0 || a == 1)) {
            table = a, tile = 0;
        } else if (sscanf(line, "skip %d", &a) == 1 && a >= tile) {
            tile = a;
        } else if (sscanf(line, "lift %31s %31s %d", name, from, &a) == 3) {
            lift(table, tile, from, a);
            remember(name, table, tile, inc);
            tile += 2;
        } else if (sscanf(line, "%7s %31s %d %d", kind, name, &a, &b) == 4 &&
                   (!strcmp(kind, "sheet") || !strcmp(kind, "fold"))) {
            remember(name, table, tile, inc);
            read_rows(in, table, tile, a, b, kind[0] == 'f');
            tile += a * b;
        } else {
            stop("this is no heading");
        }
    }
    FILE *out = fopen(argv[2], "wb");
    if (!out || fwrite(chr, 1, sizeof chr, out) != sizeof chr || fclose(out) || fclose(inc))
        return perror(argv[2]), 1;
    return 0;
}
