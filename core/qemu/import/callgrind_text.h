/* callgrind_text: reads callgrind.out files with instructions (--dump-instr=yes). Private to
 * core/qemu. */
#ifndef HOTGRAPH_QEMU_CALLGRIND_TEXT_H
#define HOTGRAPH_QEMU_CALLGRIND_TEXT_H

#include "base/base.h"

enum callgrind_kind {
    CALLGRIND_COST,   /* the instruction was executed `count` times */
    CALLGRIND_CALL,   /* it went on to `target` */
    CALLGRIND_JUMP,   /* the same */
    CALLGRIND_BRANCH, /* the same; conditional */
};

/* Addresses are those of the ELF file. Objects are paths as in "ob=". */
struct callgrind_fact {
    enum callgrind_kind kind;
    const char *object, *target_object;
    uint64_t address, target, count;
};

struct callgrind_reader {
    bool (*fact)(void *user, const struct callgrind_fact *fact); /* false: out of memory */
    void *user;
};
/* STATUS_FORMAT: not a callgrind.out, or one without instructions. */
enum status callgrind_text_read(const char *text, size_t len, const char *name,
                                const struct callgrind_reader *reader, struct error *e);

#endif
