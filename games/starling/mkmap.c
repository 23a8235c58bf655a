/*
 * mkmap: the pictures of the land -> packed chunks for the assembler.
 *
 *     mkmap LETTERS_INC maps.txt maps.inc
 *
 * maps.txt holds chunks: a line `chunk NAME`, then eight rows of 16 letters, each the letter of a
 * piece of ground (a `meta` of the art) or '?' for meadow dressed by the game's own dice. The game
 * flies upwards, so the rows are packed from the last to the first. LETTERS_INC is mkchr's include
 * file, whose line `; metas: ...` gives the order of the letters.
 *
 * A row is packed as tokens that together make 16 pieces (ORDER TOKEN in terrain.s):
 *     00-3F    this piece
 *     40-5F n  the last piece n + 2 times more
 *     80-9F n  n + 1 pieces from the row before
 *     A0-BF n  n + 1 pieces from two rows before
 *     C0-DF n  n + 1 times meadow, by the dice
 *     FF       end of the chunk
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 8, COLUMNS = 16 };

static char letters[64];

static void fail(const char *text, const char *detail) {
    fprintf(stderr, "mkmap: %s: %s\n", text, detail);
    exit(1);
}

/* The shortest list of tokens for one row, found from its end: best[i] is that for columns i on. */
static void pack_row(FILE *out, const char rows[ROWS][COLUMNS + 1], int r) {
    const char *row = rows[r];
    int best[COLUMNS + 1], token[COLUMNS], length[COLUMNS];
    best[COLUMNS] = 0;
    for (int i = COLUMNS - 1; i >= 0; i--) {
        best[i] = 1000;
        for (int n = 1; i + n <= COLUMNS; n++) {
            int kinds[5], count = 0;
            if (n == 1 && row[i] != '?')
                kinds[count++] = (int)(strchr(letters, row[i]) - letters);
            if (n >= 2 && i > 0) {
                int same = row[i - 1] != '?';
                for (int k = 0; k < n; k++)
                    same = same && row[i + k] == row[i - 1];
                if (same)
                    kinds[count++] = 0x40 + n - 2;
            }
            for (int back = 1; back <= 2; back++) {
                int same = r + back < ROWS;
                for (int k = 0; same && k < n; k++)
                    same = row[i + k] == rows[r + back][i + k] && row[i + k] != '?';
                if (same)
                    kinds[count++] = (back == 1 ? 0x80 : 0xA0) + n - 1;
            }
            int dice = 1;
            for (int k = 0; k < n; k++)
                dice = dice && row[i + k] == '?';
            if (dice)
                kinds[count++] = 0xC0 + n - 1;
            for (int k = 0; k < count; k++)
                if (1 + best[i + n] < best[i])
                    best[i] = 1 + best[i + n], token[i] = kinds[k], length[i] = n;
        }
    }
    fprintf(out, "    .byte ");
    for (int i = 0; i < COLUMNS; i += length[i])
        fprintf(out, "%s$%02X", i ? ", " : "", token[i]);
    fprintf(out, "\n");
}

int main(int argc, char **argv) {
    char line[256], name[32], names[64][32];
    int chunks = 0;
    if (argc != 4) {
        fprintf(stderr, "usage: mkmap CHR_INC MAPS_TXT OUT_INC\n");
        return 2;
    }
    FILE *in = fopen(argv[1], "r");
    if (!in)
        fail("cannot open", argv[1]);
    while (fgets(line, sizeof line, in))
        sscanf(line, "; metas: %63s", letters);
    fclose(in);
    in = fopen(argv[2], "r");
    FILE *out = fopen(argv[3], "w");
    if (!in || !out)
        fail("cannot open", in ? argv[3] : argv[2]);
    fprintf(out, "; made by mkmap from maps.txt; do not edit\n");
    while (fgets(line, sizeof line, in)) {
        char rows[ROWS][COLUMNS + 1];
        if (sscanf(line, "chunk %31s", name) != 1)
            continue;
        for (int r = 0; r < ROWS; r++) {
            if (!fgets(line, sizeof line, in) || strcspn(line, "\r\n") != COLUMNS)
                fail("a row is not 16 letters", name);
            memcpy(rows[r], line, COLUMNS);
            rows[r][COLUMNS] = 0;
            for (int i = 0; i < COLUMNS; i++)
                if (rows[r][i] != '?' && !strchr(letters, rows[r][i]))
                    fail("unknown letter in chunk", name);
        }
        fprintf(out, "chunk_%s:\n", name);
        for (int r = ROWS - 1; r >= 0; r--)
            pack_row(out, rows, r);
        fprintf(out, "    .byte $FF\n");
        strcpy(names[chunks], name);
        fprintf(out, "CHUNK_%s = %d\n", name, chunks++);
    }
    fclose(in);
    for (int half = 0; half < 2; half++) {
        fprintf(out, "chunk_%s:\n", half ? "high" : "low");
        for (int i = 0; i < chunks; i++)
            fprintf(out, "    .byte %cchunk_%s\n", half ? '>' : '<', names[i]);
    }
    return fclose(out) ? 1 : 0;
}
