/*
 * mapped_images: code addresses of the instructions that a guest program executes. Private to the
 * plugin.
 *
 * An image is a file that is mapped executable, or a range of anonymous executable memory. Images
 * are placed in the order in which their first instruction is translated: the first at 0x01000000,
 * each further one at the next multiple of 16 MiB after the previous one. Distances within an image
 * are those in the file (in the mapping if there is no file), so nothing depends on where the
 * kernel has put it. Anonymous mappings get 64 MiB, because they grow.
 */
#ifndef HOTGRAPH_QEMU_IMAGES_H
#define HOTGRAPH_QEMU_IMAGES_H

#include "base/base.h"
#include "qemu/recording.h"

struct mapping { /* any mapping of the host's memory, executable or not; guest memory is part of
                    it */
    uint64_t start, end, offset;
    char path[RECORDING_PATH];
};

struct images {
    VEC(struct mapping) maps; /* as last read from the kernel, ascending */
    bool stale;               /* the guest has changed its mappings since */
    VEC(struct recording_image) list;
    VEC(uint64_t) anonymous; /* for each image: where the mapping began; 0 for files */
    size_t last;             /* the mapping that was found last */
};

/* Finds the code address of the instruction at this host address. STATUS_UNSUPPORTED if it exceeds
 * 32 bits, STATUS_IO if the address is not mapped. */
enum status images_address(struct images *m, uint64_t host, uint32_t *address, struct error *e);
void images_free(struct images *m);

#endif
