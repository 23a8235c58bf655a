/* Draws the CHR-ROM from tiles.txt, and names its tiles for the assembler.
 *
 *     mkchr tiles.txt OUT.chr OUT.inc
 *
 * A line of the input that begins with `;` is a comment. `table N` chooses the pattern table, `at
 * N` the next tile. Then pictures, each a heading and its rows of pixels (`.` 1 2 3): letters ABC
 * 7 rows of one 6-pixel word a letter; stored at its code - 32, light (3) on black (1), since the
 * status bar must be opaque all over for sprite 0 tile NAME            8 rows of 8 pic NAME 16 rows
 * of 16: four tiles, top left, top right, bottom left, bottom right half NAME            16 rows of
 * 8; the other half is the mirror image slope NAME TOP up    no rows: TOP, with each column of
 * pixels lowered to a line of 45 degrees mirror NAME OTHER    no rows: OTHER, mirrored
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILES = 512, NAMES = 128 };

struct picture {
    char name[32];
    char pixels[16][16];
};

static unsigned char chr[TILES * 16];
static struct picture pictures[NAMES];
static int picture_count;
static FILE *input, *names;
static int line_number, table, next;

static void stop(const char *why) {
    fprintf(stderr, "tiles.txt:%d: %s\n", line_number, why);
    exit(1);
}

static char *read_line(void) {
    static char line[200];
    do {
        if (!fgets(line, sizeof line, input))
            return NULL;
        line_number++;
        line[strcspn(line, "\n")] = 0;
    } while (!line[0] || line[0] == ';');
    return line;
}

static int value(char pixel) {
    const char *found = pixel ? strchr(".123", pixel) : NULL;
    if (!found)
        stop("a pixel is . 1 2 or 3");
    return (int)(found - ".123");
}

static void plot(int tile, int x, int y, int colour) {
    if (tile >= TILES || tile - table * 256 >= 256)
        stop("the pattern table is full");
    for (int plane = 0; plane < 2; plane++)
        if (colour >> plane & 1)
            chr[tile * 16 + plane * 8 + y] |= (unsigned char)(0x80 >> x);
}

static void letters(const char *which) {
    for (const char *l = which; *l; l++)
        for (int i = 0; i < 64; i++)
            plot(*l - 32, i % 8, i / 8, 1);
    for (int y = 0; y < 7; y++) {
        char *word = strtok(read_line(), " ");
        for (const char *l = which; *l; l++, word = strtok(NULL, " "))
            for (int x = 0; x < 6; x++)
                if (word && word[x] == '#')
                    plot(*l - 32, x + 1, y, 3);
    }
}

static struct picture *find(const char *name) {
    for (int i = 0; i < picture_count; i++)
        if (!strcmp(pictures[i].name, name))
            return &pictures[i];
    stop("no such picture");
    return NULL;
}

static void read_rows(struct picture *p, int width) {
    for (int y = 0; y < 16; y++) {
        char *row = read_line();
        if (!row || (int)strlen(row) != width)
            stop("a row of the wrong width");
        for (int x = 0; x < 16; x++)
            p->pixels[y][x] = row[x < width ? x : 15 - x];
    }
}

static void cut_slope(struct picture *p, const struct picture *top, int up) {
    for (int x = 0; x < 16; x++) {
        int surface = up ? 15 - x : x;
        for (int y = 0; y < 16; y++)
            p->pixels[y][x] = '.';
        for (int y = surface; y < 16; y++)
            p->pixels[y][x] = top->pixels[y - surface][x];
    }
}

static void mirror(struct picture *p, const struct picture *of) {
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 16; x++)
            p->pixels[y][x] = of->pixels[y][15 - x];
}

static void store(const struct picture *p) {
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 16; x++)
            plot(table * 256 + next + y / 8 * 2 + x / 8, x % 8, y % 8, value(p->pixels[y][x]));
    next += 4;
}

static void small(void) {
    for (int y = 0; y < 8; y++) {
        char *row = read_line();
        if (!row || strlen(row) != 8)
            stop("a tile's row has 8 pixels");
        for (int x = 0; x < 8; x++)
            plot(table * 256 + next, x, y, value(row[x]));
    }
    next++;
}

static void heading(const char *line) {
    char what[16] = "", a[32] = "", b[32] = "", c[8] = "";
    sscanf(line, "%15s %31s %31s %7s", what, a, b, c);
    if (!strcmp(what, "table")) {
        table = atoi(a), next = 0;
    } else if (!strcmp(what, "at")) {
        next = atoi(a);
    } else if (!strcmp(what, "letters")) {
        letters(a);
    } else {
        fprintf(names, "T_%s = $%02x\n", a, (unsigned)next);
        if (!strcmp(what, "tile")) {
            small();
            return;
        }
        if (picture_count == NAMES)
            stop("too many pictures");
        struct picture *p = &pictures[picture_count];
        if (!strcmp(what, "pic"))
            read_rows(p, 16);
        else if (!strcmp(what, "half"))
            read_rows(p, 8);
        else if (!strcmp(what, "slope"))
            cut_slope(p, find(b), !strcmp(c, "up"));
        else if (!strcmp(what, "mirror"))
            mirror(p, find(b));
        else
            stop("what is this?");
        snprintf(p->name, sizeof p->name, "%s", a);
        picture_count++;
        store(p);
    }
}

int main(int argc, char **argv) {
    if (argc != 4)
        return fprintf(stderr, "usage: mkchr tiles.txt OUT.chr OUT.inc\n"), 2;
    input = fopen(argv[1], "r");
    FILE *out = fopen(argv[2], "wb");
    names = fopen(argv[3], "w");
    if (!input || !out || !names)
        return perror("mkchr"), 1;
    for (int i = 0; i < 64; i++) /* the space */
        plot(0, i % 8, i / 8, 1);
    for (char *line; (line = read_line());)
        heading(line);
    if (fwrite(chr, 1, sizeof chr, out) != sizeof chr || fclose(out) || fclose(names))
        return perror("mkchr"), 1;
    return 0;
}
