/* read: a recording (recording.h) as a graph and streams. Private to core/qemu. */
#ifndef HOTGRAPH_QEMU_READ_H
#define HOTGRAPH_QEMU_READ_H

#include "qemu/qemu.h"
#include "qemu/recording.h"

/* Fills in everything that the recording contains. STATUS_FORMAT if it is truncated; the plugin's
 * own error if it left one. */
struct recording_setting {
    unsigned length; /* instructions a batch; entries of a stack */
    enum recording_by by;
};
/* enum insn_kind of an enum transfer_kind. */
uint8_t recording_insn_kind(uint8_t transfer);
enum status recording_read(struct qemu_result *out, const char *path,
                           const struct recording_setting *settings, size_t count, struct error *e);
/* The same of a recording in memory; `name` is for messages. */
enum status recording_parse(struct qemu_result *out, const uint8_t *at, size_t size,
                            const char *name, const struct recording_setting *settings,
                            size_t count, struct error *e);

#endif
