/* Packs the drawn mazes of mazes.txt into the byte stream that unpack_cell (maze.s) reads.
 *
 *     mkmaze mazes.txt OUT.inc
 *
 * A maze is `maze NAME` and 13 rows of 32 cells. It is packed column by column as 512 cells, each
 * column filled up to 16 with hedge, because the game addresses a cell as column * 16 + row and
 * wants hedge beyond the top and bottom rows. The commands: 00nnnnnn  n + 1 cells follow, two a
 * byte, the first in the high half 01nnnnnn  n + 1 times the cell in the next byte 10nnnnnn  n + 1
 * cells again from (next byte) cells back 11nnnnnn  n + 1 cells again from (next byte) columns back
 * The parse is optimal: cheapest[i] is the least number of bytes for the cells from i on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 32, ROWS = 13, STRIDE = 16, CELLS = COLUMNS * STRIDE, LONGEST = 64 };
enum { LITERAL, RUN, NEAR, FAR };

static const char cell_chars[] = " .LBab@D#ACX"; /* a cell's code is its place here; see ram.inc */

struct command {
    int kind, length, argument;
};

static int match(const unsigned char *cells, int at, int distance) {
    int n = 0;
    while (at - distance >= 0 && n < LONGEST && at + n < CELLS &&
           cells[at + n] == cells[at + n - distance])
        n++;
    return n;
}

static void consider(struct command *best, int *cost, const int *cheapest, int at, struct command c,
                     int bytes) {
    if (bytes + cheapest[at + c.length] < *cost) {
        *cost = bytes + cheapest[at + c.length];
        *best = c;
    }
}

static int parse(const unsigned char *cells, struct command *chosen) {
    static int cheapest[CELLS + 1];
    cheapest[CELLS] = 0;
    for (int at = CELLS - 1; at >= 0; at--) {
        int cost = 1 << 30;
        for (int n = 1; n <= LONGEST && at + n <= CELLS; n++)
            consider(&chosen[at], &cost, cheapest, at, (struct command){LITERAL, n, 0},
                     1 + (n + 1) / 2);
        for (int n = 1; n <= LONGEST && at + n <= CELLS && cells[at + n - 1] == cells[at]; n++)
            consider(&chosen[at], &cost, cheapest, at, (struct command){RUN, n, cells[at]}, 2);
        for (int d = 1; d <= 255; d++)
            for (int n = match(cells, at, d); n > 0; n--)
                consider(&chosen[at], &cost, cheapest, at, (struct command){NEAR, n, d}, 2);
        for (int d = 1; d < COLUMNS; d++)
            for (int n = match(cells, at, d * STRIDE); n > 0; n--)
                consider(&chosen[at], &cost, cheapest, at, (struct command){FAR, n, d}, 2);
        cheapest[at] = cost;
    }
    return cheapest[0];
}

static void write_maze(FILE *out, const char *name, const unsigned char *cells) {
    static struct command chosen[CELLS];
    int bytes = parse(cells, chosen);
    fprintf(out, "maze_%s: ; %d bytes\n", name, bytes);
    for (int at = 0; at < CELLS; at += chosen[at].length) {
        struct command c = chosen[at];
        fprintf(out, "    .byte $%02x", (unsigned)(c.kind << 6 | (c.length - 1)));
        if (c.kind != LITERAL)
            fprintf(out, ", $%02x", (unsigned)c.argument);
        for (int i = 0; c.kind == LITERAL && i < c.length; i += 2)
            fprintf(out, ", $%x%x", cells[at + i], i + 1 < c.length ? cells[at + i + 1] : 0);
        fputc('\n', out);
    }
}

int main(int argc, char **argv) {
    FILE *in = argc == 3 ? fopen(argv[1], "r") : NULL, *out = in ? fopen(argv[2], "w") : NULL;
    if (!out)
        return fprintf(stderr, "usage: mkmaze mazes.txt OUT.inc\n"), 2;
    char line[256], name[64];
    while (fgets(line, sizeof line, in)) {
        if (sscanf(line, "maze %63s", name) != 1)
            continue;
        unsigned char cells[CELLS];
        int count[16] = {0};
        memset(cells, (int)(strchr(cell_chars, '#') - cell_chars), sizeof cells);
        for (int row = 0; row < ROWS; row++) {
            if (!fgets(line, sizeof line, in) || strcspn(line, "\r\n") != COLUMNS)
                return fprintf(stderr, "%s: maze %s, row %d is not 32 cells wide\n", argv[1], name,
                               row),
                       1;
            for (int column = 0; column < COLUMNS; column++) {
                const char *p = strchr(cell_chars, line[column]);
                if (!p || !*p)
                    return fprintf(stderr, "%s: maze %s, row %d: unknown cell %c\n", argv[1], name,
                                   row, line[column]),
                           1;
                cells[column * STRIDE + row] = (unsigned char)(p - cell_chars);
                count[p - cell_chars]++;
            }
        }
        if (count[6] != 1 || count[7] != 6 || count[11] != 1 ||
            count[4] + count[5] + count[9] + count[10] > 8)
            return fprintf(stderr,
                           "%s: maze %s wants one @, one X, six D and at most eight gates\n",
                           argv[1], name),
                   1;
        fprintf(out, "EMBERS_%s = %d\n", name, count[1]);
        write_maze(out, name, cells);
    }
    return fclose(in) || fclose(out);
}
