/* Packs the levels of levels.txt column by column for unpack.s.
 *
 *     mklevel levels.txt OUT.inc
 *
 * Input: `level NAME THEME SONG`, then `part`s of 13 rows, each to the right of the one before. The
 * file's head says what the characters mean. A packed level is
 *   - a dictionary of columns that occur more than once,
 *   - tokens:  $00-$7f       column n of the dictionary
 *              $80-$9f       the last column n - $7f times more
 *              $a0-$bf, d    n - $9e columns as they were d columns ago (2..15)
 *              $c0-$dc, c    the last column with cell c in row n & 15; with bit 4 set, the next
 *                            token patches the same column
 *              $e0           a column follows
 *   - a column: $00-$3f one cell, $40-$7f two of n - $40, $80-$bf, n: n cells; 13 in all
 *   - what to spawn: column, row * 16 + kind; column 255 ends it.
 * The tokens are those that cost the fewest bytes (dynamic programming from the right).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 13, WIDEST = 254, MOST_TOKEN = 33, WINDOW = 15 };
enum cell { /* the order of the pictures in tiles.txt, from sky on */
            SKY,
            EARTH_TOP,
            EARTH_UP,
            EARTH_DOWN,
            EARTH_FILL,
            ROCK_TOP,
            ROCK_UP,
            ROCK_DOWN,
            ROCK_FILL,
            SNOW_TOP,
            SNOW_UP,
            SNOW_DOWN,
            BLOCK,
            PLANK,
            CRATE,
            HEATHER,
            BRAMBLE,
            CLOVER,
            CAIRN,
            CAIRN_LIT,
            BELL,
            POST,
            CLOUD_LEFT,
            CLOUD_RIGHT,
            FOLIAGE,
            TRUNK,
            REED,
            HANGING,
            CRYSTAL,
            FENCE,
            PINE,
            WATER_TOP,
            WATER
};
static const char beasts[] = "cgfhboaHVK";

struct level {
    char name[32], map[ROWS][WIDEST + 2];
    int theme, song, width;
    unsigned char cell[WIDEST + 1][ROWS];
    int entry[WIDEST + 1]; /* of the dictionary, or -1 */
    int entries[128], entry_count;
};

static FILE *in, *out;
static int line_number;

static void stop(const char *why) {
    fprintf(stderr, "levels.txt:%d: %s\n", line_number, why);
    exit(1);
}

static char *read_line(void) {
    static char line[200];
    do {
        if (!fgets(line, sizeof line, in))
            return NULL;
        line_number++;
        line[strcspn(line, "\n")] = 0;
    } while (!line[0] || line[0] == ';');
    return line;
}

/* Grounds come in three materials; the ground's first row below anything else is its top. */
static int ground(const struct level *l, char c, int row, int column) {
    static const int first[] = {EARTH_TOP, EARTH_TOP, ROCK_TOP, ROCK_TOP, SNOW_TOP};
    int top = first[l->theme], fill = top == EARTH_TOP ? EARTH_FILL : ROCK_FILL;
    if (c == '/')
        return top + 1;
    if (c == '\\')
        return top + 2;
    return row > 0 && !strchr("#/\\", l->map[row - 1][column]) ? top : fill;
}

static int cell_of(const struct level *l, int row, int column) {
    char c = l->map[row][column];
    switch (c) {
    case '#':
    case '/':
    case '\\':
        return ground(l, c, row, column);
    case 'X':
        return BLOCK;
    case '=':
        return PLANK;
    case 'C':
        return CRATE;
    case 'M':
        return HEATHER;
    case '^':
        return BRAMBLE;
    case '*':
        return CLOVER;
    case 'k':
        return CAIRN;
    case 'B':
        return BELL;
    case 'P':
        return POST;
    case '(':
        return CLOUD_LEFT;
    case ')':
        return CLOUD_RIGHT;
    case 'T':
        return FOLIAGE;
    case 't':
        return TRUNK;
    case 'r':
        return REED;
    case 'v':
        return HANGING;
    case '%':
        return CRYSTAL;
    case 'F':
        return FENCE;
    case 'p':
        return PINE;
    case '~':
        return WATER_TOP;
    case 'w':
        return WATER;
    default:
        if (c != '.' && c != 'S' && !strchr(beasts, c))
            stop("a character without a meaning");
        return SKY;
    }
}

static int same(const struct level *l, int a, int b) {
    return !memcmp(l->cell[a], l->cell[b], ROWS);
}

static int put_column(const unsigned char *cell, unsigned char *bytes) {
    int n = 0;
    for (int row = 0, run; row < ROWS; row += run) {
        for (run = 1; row + run < ROWS && cell[row + run] == cell[row]; run++)
            ;
        bytes[n++] = (unsigned char)(cell[row] | (run == 1 ? 0 : run == 2 ? 0x40 : 0x80));
        if (run > 2)
            bytes[n++] = (unsigned char)run;
    }
    return n;
}

static void write_bytes(const unsigned char *bytes, int count) {
    for (int i = 0; i < count; i++)
        fprintf(out, i % 16 ? ",$%02x" : "\n    .byte $%02x", bytes[i]);
}

static void find_entries(struct level *l) {
    for (int c = 0; c < l->width; c++)
        l->entry[c] = -1;
    for (int c = 0; c < l->width; c++) {
        int again = 0;
        for (int d = c + 2; d < l->width; d++)
            again += l->entry[c] < 0 && same(l, c, d) && !same(l, d - 1, d);
        if (!again)
            continue;
        if (l->entry_count == 128)
            stop("more than 128 columns in the dictionary");
        for (int d = c; d < l->width; d++)
            if (same(l, c, d))
                l->entry[d] = l->entry_count;
        l->entries[l->entry_count++] = c;
    }
}

struct choice {
    int cost, columns, size;
    unsigned char bytes[40];
};

static void offer(struct choice *best, const struct choice *rest, int columns,
                  const unsigned char *bytes, int size) {
    int cost = rest[columns].cost + size;
    if (cost >= best->cost)
        return;
    best->cost = cost, best->columns = columns, best->size = size;
    memcpy(best->bytes, bytes, (size_t)size);
}

static void offer_patch(const struct level *l, int c, struct choice *best) {
    unsigned char bytes[2 * ROWS];
    int n = 0;
    for (int row = 0; row < ROWS; row++) {
        if (l->cell[c][row] == l->cell[c - 1][row])
            continue;
        if (n)
            bytes[n - 2] |= 0x10;
        bytes[n++] = (unsigned char)(0xc0 | row);
        bytes[n++] = l->cell[c][row];
    }
    if (n)
        offer(best, best, 1, bytes, n);
}

static void pack(const struct level *l, struct choice *plan) {
    plan[l->width] = (struct choice){.cost = 0};
    for (int c = l->width - 1; c >= 0; c--) {
        struct choice *best = &plan[c];
        unsigned char bytes[40] = {0xe0};
        best->cost = 1 << 20;
        offer(best, best, 1, bytes, 1 + put_column(l->cell[c], bytes + 1));
        if (l->entry[c] >= 0)
            offer(best, best, 1, &(unsigned char){(unsigned char)l->entry[c]}, 1);
        if (c)
            offer_patch(l, c, best);
        for (int d = 1; d <= WINDOW && d <= c; d++)
            for (int n = 1;
                 n <= MOST_TOKEN && c + n <= l->width && same(l, c + n - 1, c + n - 1 - d); n++) {
                unsigned char copy[2] = {(unsigned char)(0x9e + n), (unsigned char)d};
                if (d == 1 && n <= 32)
                    offer(best, best, n, &(unsigned char){(unsigned char)(0x7f + n)}, 1);
                else if (d > 1 && n > 1)
                    offer(best, best, n, copy, 2);
            }
    }
}

static void write_level(struct level *l, int number) {
    static struct choice plan[WIDEST + 1];
    unsigned char bytes[40];
    int bell = 0, start = 0;
    find_entries(l);
    pack(l, plan);
    fprintf(out, "\n; %s: %d columns, %d bytes of tokens", l->name, l->width, plan[0].cost);
    for (int i = 0; i < l->entry_count; i++) {
        fprintf(out, "\nlevel%d_column%d:", number, i);
        write_bytes(bytes, put_column(l->cell[l->entries[i]], bytes));
    }
    fprintf(out, "\nlevel%d_dict:", number);
    for (int i = 0; i < l->entry_count; i++)
        fprintf(out, "\n    .word level%d_column%d", number, i);
    fprintf(out, "\nlevel%d_tokens:", number);
    for (int c = 0; c < l->width; c += plan[c].columns)
        write_bytes(plan[c].bytes, plan[c].size);
    fprintf(out, "\nlevel%d_spawns:", number);
    for (int c = 0; c < l->width; c++)
        for (int row = 0; row < ROWS; row++) {
            char what = l->map[row][c];
            const char *kind = strchr(beasts, what);
            if (what && kind)
                fprintf(out, "\n    .byte %d, $%02x", c, (unsigned)(row * 16 + (kind - beasts)));
            if (what == 'S')
                start = row;
            if (what == 'B')
                bell = c;
        }
    fprintf(out, "\n    .byte 255\nlevel%d_head:\n", number);
    fprintf(out, "    .word level%d_dict, level%d_tokens, level%d_spawns\n", number, number,
            number);
    fprintf(out, "    .byte %d, %d, %d, %d, %d\n", l->width, bell, start * 16, l->theme, l->song);
}

static struct level *read_level(char *heading) {
    struct level *l = calloc(1, sizeof *l);
    if (!l || sscanf(heading, "level %31s %d %d", l->name, &l->theme, &l->song) != 3)
        stop("expected level NAME THEME SONG");
    return l;
}

static void read_part(struct level *l) {
    int width = 0;
    for (int row = 0; row < ROWS; row++) {
        char *text = read_line();
        if (!text || (row && (int)strlen(text) != width) || l->width + strlen(text) > WIDEST)
            stop("a part has 13 rows of one width, a level at most 254 columns");
        width = (int)strlen(text);
        memcpy(l->map[row] + l->width, text, (size_t)width);
    }
    l->width += width;
}

static void finish(struct level *l, int number) {
    for (int c = 0; c < l->width; c++)
        for (int row = 0; row < ROWS; row++)
            l->cell[c][row] = (unsigned char)cell_of(l, row, c);
    write_level(l, number);
    free(l);
}

int main(int argc, char **argv) {
    if (argc != 3)
        return fprintf(stderr, "usage: mklevel levels.txt OUT.inc\n"), 2;
    in = fopen(argv[1], "r");
    out = fopen(argv[2], "w");
    if (!in || !out)
        return perror("mklevel"), 1;
    struct level *l = NULL;
    int count = 0;
    for (char *line; (line = read_line());) {
        if (!strcmp(line, "part") && l) {
            read_part(l);
            continue;
        }
        if (l)
            finish(l, count++);
        l = read_level(line);
    }
    if (l)
        finish(l, count++);
    fprintf(out, "\nLEVELS = %d\nlevel_heads:\n", count - 1);
    for (int i = 0; i < count; i++)
        fprintf(out, "    .word level%d_head\n", i);
    return fclose(out) ? perror(argv[2]), 1 : 0;
}
