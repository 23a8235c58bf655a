/* Packs the screens of screens.txt.
 *
 *     mkscreens screens.txt OUT.inc
 *
 * A screen is `screen NAME` and 11 rows of 16 cells, the letters of `kinds`. Out comes, for each,
 * a label and runs: kind in bits 0..3, length - 1 in bits 4..7; screens are 176 cells long.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ORDER KIND (ram.inc); the letters of the title come last */
static const char kinds[] = ".Hbw=#^AIRML";

enum { COLUMNS = 16, ROWS = 11 };

static void pack(FILE *out, const int *cells) {
    int put = 0;
    for (int i = 0, run; i < COLUMNS * ROWS; i += run) {
        for (run = 1; run < 16 && i + run < COLUMNS * ROWS && cells[i + run] == cells[i];)
            run++;
        fprintf(out, "%s$%02x", put++ % 16 ? ", " : "\n    .byte ",
                (unsigned)((run - 1) << 4 | cells[i]));
    }
    fprintf(out, "\n");
}

int main(int argc, char **argv) {
    FILE *in = argc == 3 ? fopen(argv[1], "r") : NULL, *out = in ? fopen(argv[2], "w") : NULL;
    if (!out)
        return fprintf(stderr, "usage: mkscreens screens.txt OUT.inc\n"), 2;
    char line[200], name[40];
    int cells[COLUMNS * ROWS], row = ROWS, number = 0;
    while (fgets(line, sizeof line, in)) {
        number++;
        line[strcspn(line, "\r\n")] = 0;
        if (line[0] == 0 || line[0] == ';')
            continue;
        if (sscanf(line, "screen %39s", name) == 1) {
            fprintf(out, "screen_%s:", name);
            row = 0;
            continue;
        }
        if (row == ROWS || strlen(line) != COLUMNS)
            return fprintf(stderr, "%s:%d: not a row of a screen\n", argv[1], number), 1;
        for (int x = 0; x < COLUMNS; x++) {
            const char *kind = strchr(kinds, line[x]);
            if (!kind)
                return fprintf(stderr, "%s:%d: no such cell\n", argv[1], number), 1;
            cells[row * COLUMNS + x] = (int)(kind - kinds);
        }
        if (++row == ROWS)
            pack(out, cells);
    }
    return fclose(out) != 0;
}
