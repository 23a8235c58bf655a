/*
 * kernels: one program of small, well-known loops, built static for each processor that can be
 * recorded, so that its results do not depend on a distribution's binaries:
 *
 *     kernels [ROUNDS]      prints a checksum of each kernel
 *
 * No library function is in the hot code but what the compiler makes of the source; numbers come
 * from a linear congruential generator; floating point is added and multiplied only, in a fixed
 * order.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t lcg_state;

static uint32_t lcg(void) {
    lcg_state = lcg_state * 1664525u + 1013904223u; /* Numerical Recipes */
    return lcg_state >> 8;
}

static uint64_t sieve(void) {
    enum { LIMIT = 60000 };
    static uint8_t composite[LIMIT];
    uint64_t sum = 0;
    for (int i = 0; i < LIMIT; i++)
        composite[i] = 0;
    for (int i = 2; i < LIMIT; i++) {
        if (composite[i])
            continue;
        sum += (uint64_t)i;
        for (int k = i + i; k < LIMIT; k += i)
            composite[k] = 1;
    }
    return sum;
}

static uint64_t matrix(void) {
    enum { SIZE = 64 };
    static int32_t a[SIZE][SIZE], b[SIZE][SIZE], c[SIZE][SIZE];
    for (int i = 0; i < SIZE; i++)
        for (int k = 0; k < SIZE; k++) {
            a[i][k] = (int32_t)(lcg() % 100);
            b[i][k] = (int32_t)(lcg() % 100);
        }
    for (int i = 0; i < SIZE; i++)
        for (int k = 0; k < SIZE; k++) {
            int32_t sum = 0;
            for (int j = 0; j < SIZE; j++)
                sum += a[i][j] * b[j][k];
            c[i][k] = sum;
        }
    uint64_t trace = 0;
    for (int i = 0; i < SIZE; i++)
        trace = trace * 31 + (uint32_t)c[i][SIZE - 1 - i];
    return trace;
}

/* Radix-2 decimation in time, in 16.16 fixed point; the twiddle factors by repeated rotation. */
static uint64_t fourier(void) {
    enum { LOG = 10, POINTS = 1 << LOG };
    static int32_t re[POINTS], im[POINTS];
    for (int i = 0; i < POINTS; i++) {
        re[i] = (int32_t)(lcg() % 65536) - 32768;
        im[i] = 0;
    }
    for (int i = 1, k = 0; i < POINTS; i++) {
        int bit = POINTS >> 1;
        for (; k & bit; bit >>= 1)
            k ^= bit;
        k ^= bit;
        if (i < k) {
            int32_t swap = re[i];
            re[i] = re[k];
            re[k] = swap;
        }
    }
    /* cos and sin of 2 pi / length for each length, times 65536 */
    static const int32_t cosine[LOG] = {-65536, 0,     46341, 60547, 64277,
                                        65220,  65457, 65516, 65531, 65535};
    static const int32_t sine[LOG] = {0, 65536, 46341, 25080, 12785, 6424, 3216, 1608, 804, 402};
    for (int stage = 0; stage < LOG; stage++) {
        int half = 1 << stage;
        for (int start = 0; start < POINTS; start += 2 * half) {
            int64_t wr = 65536, wi = 0;
            for (int k = start; k < start + half; k++) {
                int32_t tr = (int32_t)((wr * re[k + half] - wi * im[k + half]) >> 16);
                int32_t ti = (int32_t)((wr * im[k + half] + wi * re[k + half]) >> 16);
                re[k + half] = (re[k] - tr) >> 1;
                im[k + half] = (im[k] - ti) >> 1;
                re[k] = (re[k] + tr) >> 1;
                im[k] = (im[k] + ti) >> 1;
                int64_t next = (wr * cosine[stage] - wi * sine[stage]) >> 16;
                wi = (wr * sine[stage] + wi * cosine[stage]) >> 16;
                wr = next;
            }
        }
    }
    uint64_t sum = 0;
    for (int i = 0; i < POINTS; i++)
        sum = sum * 33 + (uint32_t)(re[i] ^ im[i]);
    return sum;
}

static void quicksort(uint32_t *list, int low, int high) {
    while (low < high) {
        uint32_t pivot = list[(low + high) / 2];
        int i = low, k = high;
        while (i <= k) {
            while (list[i] < pivot)
                i++;
            while (list[k] > pivot)
                k--;
            if (i <= k) {
                uint32_t swap = list[i];
                list[i++] = list[k];
                list[k--] = swap;
            }
        }
        if (k - low < high - i) {
            quicksort(list, low, k);
            low = i;
        } else {
            quicksort(list, i, high);
            high = k;
        }
    }
}

static uint64_t sort(void) {
    enum { LENGTH = 12000 };
    static uint32_t list[LENGTH];
    for (int i = 0; i < LENGTH; i++)
        list[i] = lcg();
    quicksort(list, 0, LENGTH - 1);
    uint64_t sum = 0;
    for (int i = 0; i < LENGTH; i += 7)
        sum = sum * 31 + list[i];
    return sum;
}

static uint64_t hash(void) {
    enum { SLOTS = 4096, WORDS = 9000 };
    static uint32_t keys[SLOTS], counts[SLOTS];
    for (int i = 0; i < SLOTS; i++)
        keys[i] = counts[i] = 0;
    for (int i = 0; i < WORDS; i++) {
        uint32_t key = 1 + lcg() % 3000, at = 2166136261u; /* FNV-1a */
        for (uint32_t rest = key; rest != 0; rest >>= 8)
            at = (at ^ (rest & 255)) * 16777619u;
        for (at &= SLOTS - 1; keys[at] != 0 && keys[at] != key; at = (at + 1) & (SLOTS - 1))
            ;
        keys[at] = key;
        counts[at]++;
    }
    uint64_t sum = 0;
    for (int i = 0; i < SLOTS; i++)
        sum += (uint64_t)keys[i] * counts[i] * counts[i];
    return sum;
}

/* A stack machine that counts the steps of the Collatz sequences of 1 .. n-1. */
enum op { PUSH, LOAD, STORE, ADD, MULTIPLY, HALVE, ODD, EQUAL, LESS, JUMP, JUMP_IF, STOP };
enum { I, X, STEPS, N, VARIABLES };
enum { OUTER = 2, INNER = 4, ODD_CASE = 19, DONE = 26 }; /* places in the program */

struct step {
    uint8_t op, operand;
};

static const struct step program[] = {
    {PUSH, 1},     {STORE, I},     {LOAD, I},       {STORE, X},       {LOAD, X},
    {PUSH, 1},     {EQUAL, 0},     {JUMP_IF, DONE}, {LOAD, STEPS},    {PUSH, 1},
    {ADD, 0},      {STORE, STEPS}, {LOAD, X},       {ODD, 0},         {JUMP_IF, ODD_CASE},
    {LOAD, X},     {HALVE, 0},     {STORE, X},      {JUMP, INNER},    {LOAD, X},
    {PUSH, 3},     {MULTIPLY, 0},  {PUSH, 1},       {ADD, 0},         {STORE, X},
    {JUMP, INNER}, {LOAD, I},      {PUSH, 1},       {ADD, 0},         {STORE, I},
    {LOAD, I},     {LOAD, N},      {LESS, 0},       {JUMP_IF, OUTER}, {STOP, 0},
};

static uint64_t interpret(uint64_t n) {
    uint64_t stack[8] = {0}, variables[VARIABLES] = {[N] = n};
    unsigned depth = 0;
    for (unsigned at = 0;;) {
        struct step step = program[at++];
        switch ((enum op)step.op) {
        case PUSH:
            stack[depth++] = step.operand;
            break;
        case LOAD:
            stack[depth++] = variables[step.operand];
            break;
        case STORE:
            variables[step.operand] = stack[--depth];
            break;
        case ADD:
            depth--;
            stack[depth - 1] += stack[depth];
            break;
        case MULTIPLY:
            depth--;
            stack[depth - 1] *= stack[depth];
            break;
        case HALVE:
            stack[depth - 1] /= 2;
            break;
        case ODD:
            stack[depth - 1] &= 1;
            break;
        case EQUAL:
            depth--;
            stack[depth - 1] = stack[depth - 1] == stack[depth];
            break;
        case LESS:
            depth--;
            stack[depth - 1] = stack[depth - 1] < stack[depth];
            break;
        case JUMP:
            at = step.operand;
            break;
        case JUMP_IF:
            if (stack[--depth] != 0)
                at = step.operand;
            break;
        case STOP:
            return variables[STEPS];
        }
    }
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 6;
    uint64_t sums[6] = {0};
    lcg_state = 1;
    for (int i = 0; i < rounds; i++) {
        sums[0] += sieve();
        sums[1] += matrix();
        sums[2] += fourier();
        sums[3] += sort();
        sums[4] += hash();
        sums[5] += interpret(2000);
    }
    static const char *const names[] = {"sieve", "matrix", "fourier", "sort", "hash", "interpret"};
    for (int i = 0; i < 6; i++)
        printf("%s %llu\n", names[i], (unsigned long long)sums[i]);
    return 0;
}
