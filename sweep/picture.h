/* picture: frames as PNG files. */
#ifndef HOTGRAPH_PICTURE_H
#define HOTGRAPH_PICTURE_H

#include "base/base.h"

/* pixels: 256 x 240 as nes_picture() gives them. The file appears whole or not at all. */
enum status picture_write(const uint16_t *pixels, const char *path, struct error *e);

#endif
