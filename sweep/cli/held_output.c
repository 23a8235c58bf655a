#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"

void output_hold(struct held_output *h) {
    *h = (struct held_output){0};
    FILE *held = open_memstream(&h->text, &h->size);
    if (held == NULL)
        return;
    h->real = stdout;
    stdout = held; /* in the GNU C library it is a variable */
}

void output_release(struct held_output *h, bool complete) {
    if (h->real == NULL)
        return;
    const bool whole = fclose(stdout) == 0;
    stdout = h->real;
    if (complete && whole)
        fwrite(h->text, 1, h->size, stdout);
    free(h->text);
}
