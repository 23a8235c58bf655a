/* Reads and writes the program's text through /proc/self/mem, and makes other cores see it. */
#include "native/patch/write_text.h"
#include "native/session_state.h"

#include <linux/membarrier.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

bool text_is(struct hotprobe *h, uintptr_t at, const void *bytes, size_t n) {
    uint8_t now[WINDOW];
    return n <= sizeof now && pread(h->mem, now, n, (off_t)at) == (ssize_t)n &&
           memcmp(now, bytes, n) == 0;
}

bool text_write(struct hotprobe *h, uintptr_t at, const void *bytes, size_t n) {
    return pwrite(h->mem, bytes, n, (off_t)at) == (ssize_t)n;
}

enum status live_register(struct hotprobe *h, struct error *e) {
    if (!h->registered &&
        syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) != 0)
        return error_set(e, STATUS_UNSUPPORTED,
                         "the kernel cannot serialise other cores (membarrier SYNC_CORE)");
    h->registered = true;
    return STATUS_OK;
}

bool cores_serialise(void) {
    return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) == 0;
}

bool slot_restore(struct hotprobe *h, struct patch *p) {
    if (p->host != NULL) { /* the host's window has all its bytes back */
        p->restored = true;
        return true;
    }
    if (text_is(h, p->slot, p->slot_now, 5) && !text_write(h, p->slot, p->slot_old, 5))
        return false;
    p->restored = true;
    for (unsigned k = 0; k < 5; k++)
        *mark_at(p->object, p->slot + k) &= (uint8_t)~MARK_OURS;
    return true;
}
