#include "play/play.h"

#include <png.h>
#include <stdlib.h>

#include "nes/nes.h"

enum { WIDTH = 256, HEIGHT = 240 };

static enum status encode(const uint8_t *rgb, struct bytes *out, const char *path,
                          struct error *e) {
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = WIDTH, .height = HEIGHT, .format = PNG_FORMAT_RGB};
    png_alloc_size_t room = PNG_IMAGE_PNG_SIZE_MAX(image);
    out->at = malloc(room);
    if (out->at == NULL)
        return error_set(e, STATUS_MEMORY, "%s: out of memory", path);
    if (!png_image_write_to_memory(&image, out->at, &room, 0, rgb, 0, NULL))
        return error_set(e, STATUS_MEMORY, "%s: cannot be encoded: %s", path, image.message);
    out->len = room;
    return STATUS_OK;
}

enum status picture_write(const uint16_t *pixels, const char *path, struct error *e) {
    uint8_t palette[512][3];
    nes_palette(palette);
    uint8_t *rgb = malloc((size_t)WIDTH * HEIGHT * 3);
    struct bytes png = {0};
    struct file_writer *w = NULL;
    enum status status = STATUS_OK;
    if (rgb == NULL) {
        status = error_set(e, STATUS_MEMORY, "%s: out of memory", path);
        goto done;
    }
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++)
        for (unsigned c = 0; c < 3; c++)
            rgb[3 * i + c] = palette[pixels[i] & 511][c];
    status = encode(rgb, &png, path, e);
    if (status == STATUS_OK)
        status = file_open(&w, path, e);
    if (status != STATUS_OK)
        goto done;
    file_write(w, png.at, png.len);
    status = file_commit(w, e);
done:
    free(rgb);
    bytes_free(&png);
    return status;
}
