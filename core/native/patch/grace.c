/*
 * Memory that threads have executed may be reused once every thread was seen outside of it: asleep
 * in the kernel with its program counter elsewhere (/proc/self/task/N/syscall), or after more
 * processor time than any stub takes, or born later. No thread counts as outside while a function
 * called from a stub, or the signal handler, is running: its return address is unknown.
 */
#include "native/patch/grace.h"
#include "native/patch/stub.h"
#include "native/patch/write_text.h"
#include "native/session_state.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { ENOUGH_NS = 10 * 1000 * 1000 };

static size_t proc_read(char *into, size_t size, pid_t thread, const char *what) {
    char path[64] = "/proc/self/task/";
    size_t n = strlen(path), k = 0;
    char digits[16];
    for (pid_t t = thread; t > 0; t /= 10)
        digits[k++] = (char)('0' + t % 10);
    while (k > 0)
        path[n++] = digits[--k];
    strcpy(path + n, what);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, into, size - 1) : -1;
    if (fd >= 0)
        close(fd);
    into[got > 0 ? got : 0] = 0;
    return got > 0 ? (size_t)got : 0;
}

static uint64_t processor_time(pid_t thread) {
    char text[128];
    uint64_t ns = 0;
    size_t n = proc_read(text, sizeof text, thread, "/schedstat");
    const char *p = text;
    return scan_decimal(&p, text + n, UINT64_MAX, &ns) ? ns : 0;
}

static bool is_inside(const struct hotprobe *h, uintptr_t at) {
    for (size_t i = 0; i < h->retired.len; i++) {
        const struct retired *r = &h->retired.at[i];
        if (r->slot != NULL && at >= r->slot->slot && at < r->slot->slot + 5)
            return true;
    }
    return pool_holds(h, at);
}

/* A sleeping signal handler has its return address on the stack: any word there that may be an
 * address in a stub counts. Read through the file, because the stack may be unmapped with its
 * thread. */
static bool stack_clean(const struct hotprobe *h, uintptr_t sp) {
    uint64_t words[512];
    uintptr_t stop = 0;
    for (size_t i = 0; i < h->maps.len; i++)
        if (sp >= h->maps.at[i].start && sp < h->maps.at[i].end)
            stop = h->maps.at[i].end;
    for (sp &= ~(uintptr_t)7; sp < stop;) {
        size_t want = stop - sp < sizeof words ? stop - sp : sizeof words;
        ssize_t got = pread(h->mem, words, want, (off_t)sp);
        if (got <= 0)
            return false;
        for (size_t k = 0; k < (size_t)got / sizeof *words; k++)
            if (is_inside(h, words[k]))
                return false;
        sp += (size_t)got;
    }
    return stop != 0;
}

/* Is the thread asleep in the kernel? Then the line ends with its rsp and pc. */
static bool asleep_at(pid_t thread, uint64_t *pc, uint64_t *stack) {
    char text[256];
    size_t n = proc_read(text, sizeof text, thread, "/syscall");
    if (n == 0 || strncmp(text, "running", 7) == 0)
        return false;
    char *last = strrchr(text, ' ');
    if (last == NULL)
        return false;
    const char *p = last + 1;
    if (!scan_hex(&p, text + n, UINT64_MAX, pc))
        return false;
    *last = 0;
    const char *before = strrchr(text, ' ');
    return before != NULL && (p = before + 1, scan_hex(&p, last, UINT64_MAX, stack));
}

static bool asleep_outside(const struct hotprobe *h, pid_t thread) {
    uint64_t at = 0, sp = 0;
    return asleep_at(thread, &at, &sp) && !is_inside(h, at) && stack_clean(h, sp);
}

struct directory_entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

/* readdir() would use the heap. */
static bool each_thread(struct hotprobe *h, bool (*do_it)(struct hotprobe *, pid_t)) {
    char buffer[4096] __attribute__((aligned(8)));
    int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool ok = true;
    long n;
    while (ok && (n = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0) {
        for (long at = 0; at < n && ok;) {
            const struct directory_entry *d = (const void *)(buffer + at);
            const char *p = d->name;
            uint64_t id = 0;
            if (scan_decimal(&p, p + strlen(p), 1 << 30, &id))
                ok = do_it(h, (pid_t)id);
            at += d->length;
        }
    }
    close(fd);
    return ok;
}

static bool in_counted_text(const struct hotprobe *h, uintptr_t at) {
    for (size_t i = 0; i < h->texts.len; i++)
        if (at >= h->texts.at[i].start && at < h->texts.at[i].end)
            return true;
    return false;
}

/* The object whose stub holds the address; NULL: none does. */
static const struct object *stub_owner(const struct hotprobe *h, uintptr_t at) {
    for (size_t i = 0; i < h->patches.len; i++) {
        const struct patch *p = h->patches.at[i];
        const struct stub *s = p->stub;
        if (p->in && s != NULL && at >= s->at && at < s->at + s->size)
            return p->object;
    }
    return NULL;
}

static enum grace_place in_libc(uintptr_t at) {
    const uint8_t *b = (const uint8_t *)at;
    return b[-2] == 0x0f && b[-1] == 0x05 ? GRACE_OUTSIDE : GRACE_IN_LIBC; /* syscall */
}

enum grace_place grace_place(const struct hotprobe *h, uintptr_t at) {
    const struct object *owner = is_inside(h, at) ? stub_owner(h, at) : NULL;
    if (h->entered != h->left || in_counted_text(h, at))
        return GRACE_INSIDE;
    if (is_inside(h, at))
        return owner != NULL && owner->leaves ? in_libc(at) : GRACE_INSIDE;
    return at >= h->libc.start && at < h->libc.end ? in_libc(at) : GRACE_OUTSIDE;
}

static bool waits(struct hotprobe *h, pid_t thread) {
    uint64_t at = 0, sp = 0;
    return thread == (pid_t)syscall(SYS_gettid) ||
           (asleep_at(thread, &at, &sp) && grace_place(h, at) == GRACE_OUTSIDE);
}

bool grace_others_wait(struct hotprobe *h) {
    return each_thread(h, waits);
}

/* The kernel's frame: what the handler returns to, and the interrupted context, whose stack is a little
 * above, unless the handler has a stack of its own. */
static enum grace_place of_frame(const struct hotprobe *h, uintptr_t at, uintptr_t stop) {
    ucontext_t context;
    if (stop - at < sizeof(uint64_t) + sizeof context)
        return GRACE_OUTSIDE;
    memcpy(&context, (const void *)(at + sizeof(uint64_t)), sizeof context);
    return grace_place(h, (uintptr_t)context.uc_mcontext.gregs[REG_RIP]);
}

enum grace_place grace_interrupted(struct hotprobe *h, uintptr_t sp, uintptr_t restorer) {
    mapping_list maps = {0};
    uintptr_t stop = 0;
    enum grace_place found = GRACE_OUTSIDE;
    if (restorer != 0 && mappings_read(&maps, NULL))
        for (size_t i = 0; i < maps.len; i++)
            if (sp >= maps.at[i].start && sp < maps.at[i].end)
                stop = maps.at[i].end;
    seq_free(&maps);
    for (uintptr_t at = (sp + 7) & ~(uintptr_t)7; at + sizeof restorer <= stop;
         at += sizeof restorer) {
        const enum grace_place where =
            *(const uintptr_t *)at == restorer ? of_frame(h, at, stop) : GRACE_OUTSIDE;
        found = where > found ? where : found;
    }
    return found;
}

static bool remember(struct hotprobe *h, pid_t thread) {
    struct seen s = {.thread = thread, .since = processor_time(thread)};
    return seq_push(&h->seen, s);
}

static bool look(struct hotprobe *h, pid_t thread) {
    for (size_t i = 0; i < h->seen.len; i++) {
        struct seen *s = &h->seen.at[i];
        if (s->thread != thread || s->outside)
            continue;
        s->outside = thread == (pid_t)syscall(SYS_gettid) || asleep_outside(h, thread) ||
                     processor_time(thread) > s->since + ENOUGH_NS;
        s->here = true;
    }
    return true;
}

static void snapshot(struct hotprobe *h) {
    h->seen.len = 0;
    h->seen_before = h->retired.len;
    if (!each_thread(h, remember))
        h->seen_before = 0;
}

/* Was every thread of the snapshot seen outside since, or has it ended? */
static bool all_outside(struct hotprobe *h) {
    uint64_t entered = h->entered, left = h->left;
    if (entered != left)
        return false;
    for (size_t i = 0; i < h->seen.len; i++)
        h->seen.at[i].here = h->seen.at[i].outside;
    if (!mappings_read(&h->maps, NULL) || !each_thread(h, look) || h->entered != entered)
        return false;
    for (size_t i = 0; i < h->seen.len; i++)
        if (h->seen.at[i].here && !h->seen.at[i].outside)
            return false;
    return true;
}

void grace_retire(struct hotprobe *h, struct stub *stub, struct patch *slot) {
    /* Out of memory: the memory is never reused. */
    (void)seq_push(&h->retired, ((struct retired){stub, slot}));
}

static void release(struct hotprobe *h, const struct retired *r) {
    if (r->stub != NULL) {
        pool_put(h, r->stub->at, r->stub->size);
        return;
    }
    struct patch *p = r->slot;
    if (p->in || p->restored)
        return; /* in again, or done */
    (void)slot_restore(h, p);
}

void grace_reclaim(struct hotprobe *h) {
    if (!h->live)
        h->seen_before = h->retired.len;
    bool over = h->live ? all_outside(h) : h->entered == h->left;
    if (h->seen_before > 0 && over) {
        for (size_t i = 0; i < h->seen_before; i++)
            release(h, &h->retired.at[i]);
        size_t rest = h->retired.len - h->seen_before;
        memmove(h->retired.at, h->retired.at + h->seen_before, rest * sizeof *h->retired.at);
        h->retired.len = rest;
        h->seen_before = 0;
    }
    if (h->live && h->seen_before == 0 && h->retired.len > 0)
        snapshot(h);
}

size_t grace_left(const struct hotprobe *h) {
    size_t bytes = 0;
    for (size_t i = 0; i < h->retired.len; i++)
        bytes += h->retired.at[i].stub != NULL ? h->retired.at[i].stub->size : 5;
    return bytes;
}
