/* import_flow: pairs of instructions as a graph and a structure, for all imports. Private to
 * core/qemu. */
#ifndef HOTGRAPH_QEMU_IMPORT_FLOW_H
#define HOTGRAPH_QEMU_IMPORT_FLOW_H

#include "qemu/import/import.h"
#include "qemu/import/mapped_code.h"

struct import_flow {
    struct mapped_code code;
    struct flow flow;
};

/* Adds: `b` followed `a`. False: out of memory. */
bool import_flow_add(struct import_flow *f, uint32_t a, uint32_t b, uint64_t count, bool transfer);
/* Fills out->graph and out->structure. */
enum status import_flow_end(struct import_flow *f, struct import_result *out, struct error *e);
void import_flow_free(struct import_flow *f);

#endif
