/* fdata_text: reads profiles in BOLT's format, as `llvm-bolt --instrument` and perf2bolt write
 * them. Private to core/qemu. */
#ifndef HOTGRAPH_QEMU_FDATA_TEXT_H
#define HOTGRAPH_QEMU_FDATA_TEXT_H

#include "base/base.h"

struct fdata_end {
    const char *function; /* NULL: outside the program */
    uint64_t offset;      /* within the function */
};

/* Control went from an instruction to another one, `count` times. */
struct fdata_branch {
    struct fdata_end from, to;
    uint64_t count;
};

struct fdata_reader {
    bool (*branch)(void *user, const struct fdata_branch *branch); /* false: out of memory */
    void *user;
};
/* STATUS_FORMAT: not such a profile, or one whose offsets are those of a program that BOLT has laid
 * out. */
enum status fdata_text_read(const char *text, size_t len, const char *name,
                            const struct fdata_reader *reader, struct error *e);

#endif
