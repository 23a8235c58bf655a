#include <stdio.h>
static unsigned __attribute__((noinline)) mix(unsigned x) {
    return x % 7 ? x * 2654435761u : x ^ x >> 9;
}
static unsigned __attribute__((noinline)) depth(unsigned n) {
    return n < 2 ? n : depth(n - 1) + depth(n - 2);
}
int main(void) {
    unsigned t = 0;
    for (unsigned i = 0; i < 100000; i++)
        t += mix(t + i) & 15 ? 1 : depth(i % 11);
    printf("%u\n", t);
    return 0;
}
