/* What all probes of stubs need. */
#include "native/patch/stub_build.h"
#include "native/hit/hit.h"

#include <string.h>

void stub_emit_call(struct build *b, const struct hotprobe_probe *probe, unsigned how) {
    emit_bytes(&b->e, "\x48\x8d\x64\x24\x80", 5); /* lea rsp, [rsp - 128] */
    emit_push_constant(&b->e, &b->c, (uintptr_t)probe | how | (b->s->pushed ? 2 : 0));
    if (b->c.count == sizeof b->c.value / sizeof *b->c.value) {
        b->e.full = true;
        return;
    }
    emit_bytes(&b->e, "\xff\x15", 2); /* call [rip + hit] */
    b->c.value[b->c.count] = hit_entry();
    b->c.use[b->c.count++] = b->e.len;
    emit_u32(&b->e, 0);
    emit_bytes(&b->e, "\x48\x8d\xa4\x24\x88\x00\x00\x00", 8); /* lea rsp, [rsp + 136] */
}

void stub_can_lock(struct build *b) {
    if (b->s->lock_count < LOCKS)
        b->s->lock[b->s->lock_count++] = (uint16_t)b->e.len;
    else
        b->e.full = true;
}

void stub_emit_lockable(struct build *b, const char *code, size_t n) {
    stub_can_lock(b);
    emit_bytes(&b->e, b->h->atomic ? "\xf0" : "\x3e", 1);
    emit_bytes(&b->e, code, n);
}

void stub_leads_here(struct build *b, size_t from) {
    const uint32_t d = (uint32_t)(b->e.len - (from + 4));
    memcpy(b->e.bytes + from, &d, sizeof d);
}
