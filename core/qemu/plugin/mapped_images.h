/*
 * mapped_images: code addresses of what a guest program executes. Private to the plugin.
 *
 * An image is a file that is mapped executable, or a piece of anonymous executable memory. Images
 * get their places in the order in which their first instruction is translated: the next multiple
 * of 16 MiB behind the end of the one before, the first at 0x01000000. Inside an image distances
 * are those of the file (of the mapping, where there is none), so nothing depends on where the
 * kernel happened to put it. Anonymous mappings get 64 MiB of room, since they grow.
 */
#ifndef HOTGRAPH_QEMU_IMAGES_H
#define HOTGRAPH_QEMU_IMAGES_H

#include "base/base.h"
#include "qemu/recording.h"

struct mapping { /* executable or not; of the host's memory, which holds the guest's */
    uint64_t start, end, offset;
    char path[RECORDING_PATH];
};

struct images {
    VEC(struct mapping) maps; /* as the kernel told them last, ascending */
    bool stale;               /* the guest has changed its mappings since */
    VEC(struct recording_image) list;
    VEC(uint64_t) anonymous; /* for each image: where the mapping began; 0 for files */
    size_t last;             /* the mapping that was found last */
};

/* The code address of the instruction at this host address. STATUS_UNSUPPORTED when 32 bits do not
 * suffice, STATUS_IO when the kernel does not know the address. */
enum status images_address(struct images *m, uint64_t host, uint32_t *address, struct error *e);
void images_free(struct images *m);

#endif
