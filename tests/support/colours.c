/* colours PNG: a line for each colour that covers a picture, "COUNT RRGGBBAA", the most frequent
 * first. */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b) {
    const png_uint_32 x = *(const png_uint_32 *)a, y = *(const png_uint_32 *)b;
    return (x > y) - (x < y);
}

struct colour {
    png_uint_32 value;
    unsigned count;
};

static int by_count(const void *a, const void *b) {
    const struct colour *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
                                : by_value(&x->value, &y->value);
}

/* Pixels as numbers 0xRRGGBBAA; after sorting, equal ones are neighbours. */
static void print_colours(png_uint_32 *pixels, size_t count) {
    struct colour *colours = calloc(count + 1, sizeof *colours);
    size_t used = 0;
    if (colours == NULL)
        abort();
    for (size_t i = 0; i < count; i++) {
        const unsigned char *p = (const unsigned char *)&pixels[i];
        pixels[i] =
            (png_uint_32)p[0] << 24 | (png_uint_32)p[1] << 16 | (png_uint_32)p[2] << 8 | p[3];
    }
    qsort(pixels, count, sizeof *pixels, by_value);
    for (size_t i = 0; i < count; i++) {
        used += i == 0 || pixels[i] != pixels[i - 1];
        colours[used - 1] = (struct colour){pixels[i], colours[used - 1].count + 1};
    }
    qsort(colours, used, sizeof *colours, by_count);
    for (size_t i = 0; i < used; i++)
        printf("%u %08x\n", colours[i].count, (unsigned)colours[i].value);
    free(colours);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: colours PNG\n");
        return 2;
    }
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (png_image_begin_read_from_file(&image, argv[1]) == 0) {
        fprintf(stderr, "colours: %s: %s\n", argv[1], image.message);
        return 1;
    }
    image.format = PNG_FORMAT_RGBA;
    png_uint_32 *pixels = calloc((size_t)image.width * image.height + 1, sizeof *pixels);
    if (pixels == NULL || png_image_finish_read(&image, NULL, pixels, 0, NULL) == 0) {
        fprintf(stderr, "colours: %s: %s\n", argv[1], image.message);
        return 1;
    }
    print_colours(pixels, (size_t)image.width * image.height);
    free(pixels);
    return 0;
}
