/* qemu_log_text: reads QEMU's log of executed blocks. Private to core/qemu. */
#ifndef HOTGRAPH_QEMU_QEMU_LOG_TEXT_H
#define HOTGRAPH_QEMU_QEMU_LOG_TEXT_H

#include "base/base.h"

enum qemu_log_kind {
    QEMU_LOG_BLOCK, /* a block was translated, which begins at `address`; its lines follow */
    QEMU_LOG_LINE,  /* of its instructions, with bytes at `address`; a long one has several lines */
    QEMU_LOG_RUN,   /* `cpu` begins to execute the block at `address` */
    QEMU_LOG_HALT,  /* it did not execute that block, although QEMU_LOG_RUN came before */
    QEMU_LOG_CODE,  /* `address` of the program's first executable segment */
    QEMU_LOG_ENTRY, /* `address` of the first instruction: the program's, or the loader's */
    QEMU_LOG_MAP,   /* memory at `address` shows `size` bytes at `offset` of the file `path` */
    QEMU_LOG_FAULT, /* an instruction caused a signal */
    QEMU_LOG_SIGNAL, /* another signal, which would end the program if it had no handler */
    QEMU_LOG_RETURN, /* a handler returns */
    QEMU_LOG_EXIT, /* the program ends by itself; with several threads, perhaps only one of them */
    QEMU_LOG_EXIT_ALL,
};

enum { QEMU_LOG_BYTES = 16 };
struct qemu_log_event {
    enum qemu_log_kind kind;
    unsigned cpu; /* one for each thread */
    uint64_t address, size, offset;
    uint8_t bytes[QEMU_LOG_BYTES];
    unsigned byte_count;
    const char *path;
};

struct qemu_log_reader {
    enum status (*event)(void *user, const struct qemu_log_event *event, struct error *e);
    void *user;
};
/* STATUS_FORMAT: no such log, or one that lacks something; the message has the options of QEMU. */
enum status qemu_log_read(const char *text, size_t len, const char *name,
                          const struct qemu_log_reader *reader, struct error *e);

#endif
