/* The content of the code cache, for people and for perf(1). */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dbt/host/cache_inspect.h"

size_t dbt_disassemble(char text[96], const uint8_t *code, size_t size, uint64_t address) {
    ZydisDisassembledInstruction insn;
    text[0] = 0;
    if (!ZYAN_SUCCESS(
            ZydisDisassembleIntel(ZYDIS_MACHINE_MODE_LONG_64, address, code, size, &insn)))
        return 0;
    snprintf(text, 96, "%s", insn.text);
    return insn.info.length;
}

void dbt_each_block(const struct nes *n, void (*each)(void *user, const struct dbt_block *block),
                    void *user) {
    const struct dbt *const d = n->made.engine_self;
    for (size_t i = 0; i < d->blocks.len; i++) {
        const struct block *const b = d->blocks.at[i];
        struct dbt_block out = {
            .pc = b->pc,
            .address = b->address,
            .instructions = b->count,
            .guest_bytes = b->guest_bytes,
            .executions = b->executions,
            .guest = b->guest,
            .host = d->with.cache.run + b->host,
            .host_size = b->host_size,
            .host_address = (uintptr_t)(d->with.cache.run + b->host),
        };
        uint32_t targets[SUPERBLOCK_LONGEST * 2];
        out.targets = targets;
        for (uint32_t k = b->first_exit;
             k < b->first_exit + b->exits && out.exits < SUPERBLOCK_LONGEST * 2; k++) {
            const struct exit *const x = &d->with.exits.all.at[k];
            if (x->leave == LEAVE_LINK || (x->leave == LEAVE_CACHE_EMPTY && x->linked)) {
                targets[out.exits++] = x->pc;
                out.links += x->linked;
            }
        }
        each(user, &out);
    }
}

/* The format of perf's own JIT interface (tools/perf/Documentation/jit-interface.txt of Linux):
 * start, size, name. */
enum status perf_map_open(struct dbt *d, struct error *e) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    d->perf_map = fopen(path, "ae");
    return d->perf_map
               ? STATUS_OK
               : error_set(e, STATUS_IO, "%s: %s; perf-map needs it", path, strerror(errno));
}

void perf_map_add(const struct dbt *d, const struct block *b) {
    if (d->perf_map)
        fprintf(d->perf_map, "%" PRIxPTR " %" PRIx32 " guest_%06" PRIx32 "\n",
                (uintptr_t)(d->with.cache.run + b->host), b->host_size, b->address);
    if (d->perf_map && b->apart_size)
        fprintf(d->perf_map, "%" PRIxPTR " %" PRIx32 " guest_%06" PRIx32 "_unlikely\n",
                (uintptr_t)(d->with.cache.run + b->apart), b->apart_size, b->address);
}
