/* formats: the formats of profile_export.h, one function each. Private to core/qemu. */
#ifndef HOTGRAPH_QEMU_FORMATS_H
#define HOTGRAPH_QEMU_FORMATS_H

#include "qemu/export/functions.h"

/* program: number of the image that is the program's file; any other number: unknown. */
enum status callgrind_write(struct file_writer *file, const struct structure *s,
                            const struct functions *f, size_t program, struct error *e);
enum status pprof_write(struct file_writer *file, const struct structure *s,
                        const struct functions *f, size_t program, struct error *e);
enum status folded_write(struct file_writer *file, const struct functions *f, struct error *e);

/* Calls each() with every stack of functions, the outermost first, and the instructions executed
 * while it stood. Stacks below a 20,000th of all instructions, or deeper than STACK_DEPTH, are not
 * followed further; their costs go to their last function. */
enum { STACK_DEPTH = 128 };
struct stack_reader {
    bool (*each)(void *user, const size_t *stack, size_t depth, uint64_t instructions);
    void *user; /* each() returns false: out of memory */
};
enum status stacks_walk(const struct functions *f, const struct stack_reader *reader,
                        struct error *e);

#endif
