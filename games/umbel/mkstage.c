/* Packs the stages drawn in stages.txt for the unpacker in stage.s.
 *
 *     mkstage stages.txt OUT.inc
 *
 * Cells are foretold, row by row: whatever goes on from the cell to the left (goes_on), else
 * whatever goes on from the cell above (grows). Both tables are chosen so that the fewest cells are
 * foretold wrongly. What is stored is a stream of bits, highest first: a count of cells that are as
 * foretold, then the cell that is not, and so on. A count n <= 254 is the number n + 1 in Elias'
 * gamma code. A cell is a Huffman code, 0 for the left branch.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 32, ROWS = 26, CELLS = COLUMNS * ROWS, STAGES = 16, LONGEST = 254, LEAF = 0x80 };

static const char kinds[] = " .<c>\\Y/|oqi:P@(=)[-]M"; /* in the order of C_... in ram.inc */
enum { KINDS = sizeof kinds - 1, SKY = 0, PERCH = 13, START = 14, SOLID = 15 };

static unsigned char cells[STAGES][CELLS];
static char names[STAGES][32];
static int stages;
static unsigned char goes_on[KINDS], grows[KINDS];
static int branch[KINDS][2], nodes; /* the Huffman tree; values below LEAF are nodes */
static char code[KINDS][KINDS + 1];
static int bit_count, byte;
static FILE *out;

static int above(const unsigned char *c, int i) {
    return i < COLUMNS ? SKY : c[i - COLUMNS];
}

static int foretold(const unsigned char *c, int i) {
    int left = i ? c[i - 1] : SKY;
    return goes_on[left] ? goes_on[left] : grows[above(c, i)];
}

static int misses(void) {
    int n = 0;
    for (int s = 0; s < stages; s++)
        for (int i = 0; i < CELLS; i++)
            n += foretold(cells[s], i) != cells[s][i];
    return n;
}

/* Tries every value of every entry until none can be bettered. */
static void choose_tables(void) {
    int best = misses(), before;
    do {
        before = best;
        for (int k = 0; k < 2 * KINDS; k++) {
            unsigned char *entry = k < KINDS ? &goes_on[k] : &grows[k - KINDS];
            unsigned char kept = *entry;
            for (int v = 0; v < KINDS; v++) {
                *entry = (unsigned char)v;
                int n = misses();
                if (n < best)
                    best = n, kept = (unsigned char)v;
            }
            *entry = kept;
        }
    } while (best < before);
}

static void assign(int value, char *so_far, int depth) {
    if (value & LEAF) {
        memcpy(code[value & ~LEAF], so_far, (size_t)depth);
        code[value & ~LEAF][depth] = 0;
        return;
    }
    for (int side = 0; side < 2; side++) {
        so_far[depth] = (char)('0' + side);
        assign(branch[value][side], so_far, depth + 1);
    }
}

/* Joins the two rarest until one is left; the root is the last node. */
static void make_tree(void) {
    long weight[2 * KINDS];
    int value[2 * KINDS], count = 0;
    for (int k = 0; k < KINDS; k++) {
        long n = 0;
        for (int s = 0; s < stages; s++)
            for (int i = 0; i < CELLS; i++)
                n += cells[s][i] == k && foretold(cells[s], i) != k;
        if (n)
            weight[count] = n, value[count++] = LEAF | k;
    }
    while (count > 1) {
        for (int pick = 0; pick < 2; pick++) {
            int rarest = 0;
            for (int i = 1; i < count - pick; i++)
                if (weight[i] < weight[rarest])
                    rarest = i;
            int last = count - 1 - pick;
            long w = weight[rarest];
            int v = value[rarest];
            weight[rarest] = weight[last], value[rarest] = value[last];
            weight[last] = w, value[last] = v;
        }
        branch[nodes][0] = value[count - 1];
        branch[nodes][1] = value[count - 2];
        weight[count - 2] += weight[count - 1];
        value[count - 2] = nodes++;
        count--;
    }
    char so_far[KINDS + 1];
    assign(nodes - 1, so_far, 0);
}

static void put_bit(int bit) {
    byte = byte << 1 | bit;
    if (++bit_count % 8 == 0) {
        fprintf(out, "%s$%02x", bit_count % 128 == 8 ? "\n    .byte " : ", ", (unsigned)byte);
        byte = 0;
    }
}

static void put_count(int n) {
    int length = 0;
    if (n > LONGEST) {
        fprintf(stderr, "a stage has %d cells in a row that are as foretold\n", n);
        exit(1);
    }
    while ((n + 1) >> (length + 1))
        length++;
    for (int i = 0; i < length; i++)
        put_bit(0);
    for (int i = length; i >= 0; i--)
        put_bit((n + 1) >> i & 1);
}

static void pack(const unsigned char *c) {
    int run = 0;
    bit_count = byte = 0;
    for (int i = 0; i < CELLS; i++) {
        if (foretold(c, i) == c[i]) {
            run++;
            continue;
        }
        put_count(run), run = 0;
        for (const char *b = code[c[i]]; *b; b++)
            put_bit(*b - '0');
    }
    put_count(run);
    while (bit_count % 8)
        put_bit(0);
    fprintf(out, " ; %d bytes\n", bit_count / 8);
}

/* A rival or the player needs something solid, two cells wide, to sit on. */
static void check_places(const char *path, const unsigned char *c) {
    for (int i = 0; i < CELLS; i++) {
        int below = i + 2 * COLUMNS;
        if ((c[i] == PERCH || c[i] == START) &&
            (below + 1 >= CELLS || c[below] < SOLID || c[below + 1] < SOLID)) {
            fprintf(stderr, "%s: %s: nothing to sit on at row %d, column %d\n", path, names[stages],
                    i / COLUMNS, i % COLUMNS);
            exit(1);
        }
    }
}

/* Nothing grows out of the air: a stalk and a reed go on to the bog, or to something solid. */
static void check_roots(const char *path, const unsigned char *c) {
    for (int i = 0; i + COLUMNS < CELLS; i++) {
        char kind = kinds[c[i]], below = kinds[c[i + COLUMNS]];
        int rooted = kind == '|'   ? below == '|' || c[i + COLUMNS] >= SOLID
                     : kind == 'Y' ? below == '|'
                     : kind == 'i' || kind == ':' ? below == ':'
                                                  : 1;
        if (!rooted) {
            fprintf(stderr, "%s: %s: %c ends in the air at row %d, column %d\n", path,
                    names[stages], kind, i / COLUMNS, i % COLUMNS);
            exit(1);
        }
    }
}

static void read_stages(FILE *in, const char *path) {
    char line[256];
    while (fgets(line, sizeof line, in)) {
        if (line[0] == ';' || sscanf(line, "stage %31s", names[stages]) != 1)
            continue;
        int perches = 0, starts = 0;
        for (int row = 0; row < ROWS; row++) {
            if (!fgets(line, sizeof line, in) || strcspn(line, "\n") > COLUMNS) {
                fprintf(stderr, "%s: %s, row %d\n", path, names[stages], row);
                exit(1);
            }
            for (int x = 0, end = 0; x < COLUMNS; x++) {
                end = end || line[x] == '\n' || !line[x];
                const char *found = strchr(kinds, end ? ' ' : line[x]);
                if (!found) {
                    fprintf(stderr, "%s: %s, row %d: %c\n", path, names[stages], row, line[x]);
                    exit(1);
                }
                int kind = (int)(found - kinds);
                cells[stages][row * COLUMNS + x] = (unsigned char)kind;
                perches += kind == PERCH;
                starts += kind == START;
            }
        }
        if (perches < 6 || starts != 1) {
            fprintf(stderr, "%s: %s has %d perches, %d starts\n", path, names[stages], perches,
                    starts);
            exit(1);
        }
        if (fgets(line, sizeof line, in) && line[0] != '\n') {
            fprintf(stderr, "%s: %s has too many rows\n", path, names[stages]);
            exit(1);
        }
        check_places(path, cells[stages]);
        check_roots(path, cells[stages]);
        stages++;
    }
}

static void put_table(const char *label, const unsigned char *table) {
    fprintf(out, "%s:\n    .byte", label);
    for (int k = 0; k < KINDS; k++)
        fprintf(out, "%s%d", k ? ", " : " ", table[k]);
    fputc('\n', out);
}

int main(int argc, char **argv) {
    FILE *in = argc == 3 ? fopen(argv[1], "r") : NULL;
    out = in ? fopen(argv[2], "w") : NULL;
    if (!out)
        return fprintf(stderr, "usage: mkstage stages.txt OUT.inc\n"), 2;
    read_stages(in, argv[1]);
    choose_tables();
    make_tree();
    put_table("goes_on", goes_on);
    put_table("grows", grows);
    fprintf(out, "TREE_ROOT = %d\n", nodes - 1);
    for (int side = 0; side < 2; side++) {
        fprintf(out, "tree_%c:\n    .byte", "01"[side]);
        for (int n = 0; n < nodes; n++)
            fprintf(out, "%s$%02x", n ? ", " : " ", (unsigned)branch[n][side]);
        fputc('\n', out);
    }
    for (int s = 0; s < stages; s++) {
        fprintf(out, "stage_%s:", names[s]);
        pack(cells[s]);
    }
    return fclose(in) || fclose(out);
}
