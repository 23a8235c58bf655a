/*
 * Memory that threads have executed may be reused once every thread was seen outside of it: asleep
 * in the kernel with its program counter elsewhere (/proc/self/task/N/syscall), or after more
 * processor time than any stub takes, or born later. No thread counts as outside while a function
 * called from a stub, or the signal handler, is running: its return address is unknown.
 */
#include "native/patch/grace.h"
#include "native/hit/tasks.h"
#include "native/patch/stub.h"
#include "native/patch/write_text.h"
#include "native/raw.h"
#include "native/session_state.h"

#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum { ENOUGH_NS = 10 * 1000 * 1000 };

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

static bool asleep_outside(const struct hotprobe *h, pid_t thread) {
    uint64_t at = 0, sp = 0;
    return task_asleep(thread, &at, &sp) && !is_inside(h, at) && stack_clean(h, sp);
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

static bool after_system_call(uintptr_t at) {
    const uint8_t *b = (const uint8_t *)at;
    return b[-2] == 0x0f && b[-1] == 0x05; /* syscall */
}

enum grace_place grace_place(const struct hotprobe *h, uintptr_t at) {
    const bool stub = is_inside(h, at);
    const struct object *owner = stub ? stub_owner(h, at) : NULL;
    const bool libc = at >= h->libc.start && at < h->libc.end,
               counted = libc || owner != NULL || in_counted_text(h, at);
    if (h->entered != h->left || (stub && owner == NULL))
        return GRACE_INSIDE;
    if (!counted || after_system_call(at))
        return GRACE_OUTSIDE;
    return libc || (owner != NULL && owner->is_libc) ? GRACE_IN_LIBC : GRACE_INSIDE;
}

struct others {
    const struct hotprobe *h;
    pid_t self;
    enum grace_place found;
};

static bool find_other(void *user, pid_t thread) {
    struct others *o = user;
    uint64_t at = 0, sp = 0;
    const enum grace_place place = thread == o->self               ? GRACE_OUTSIDE
                                   : task_asleep(thread, &at, &sp) ? grace_place(o->h, at)
                                                                   : GRACE_INSIDE;
    o->found = place > o->found ? place : o->found;
    return true;
}

enum grace_place grace_others(const struct hotprobe *h) {
    struct others o = {h, (pid_t)raw_call3(SYS_gettid, 0, 0, 0), GRACE_OUTSIDE};
    return tasks_each(find_other, &o) ? o.found : GRACE_INSIDE;
}

/* Is this what the kernel leaves for a handler? The word before it may be on the stack for another reason:
 * libc's sigaction() has it in a structure, and leaves that behind. The state of the vector registers lies
 * close above such a frame; the code segment is that of 64-bit programs. */
static bool is_frame(const ucontext_t *context) {
    enum { CODE_SEGMENT = 0x33, LOW_WORD = 0xffff, CLOSE = 1024, ALIGNED = 16 };
    const uintptr_t at = (uintptr_t)context, vectors = (uintptr_t)context->uc_mcontext.fpregs;
    return (context->uc_mcontext.gregs[REG_CSGSFS] & LOW_WORD) == CODE_SEGMENT && vectors > at &&
           vectors - at < CLOSE && vectors % ALIGNED == 0;
}

/* The kernel's frame: what the handler returns to, and the interrupted context, whose stack is a little
 * above, unless the handler has a stack of its own. */
static enum grace_place of_frame(const struct hotprobe *h, uintptr_t at, uintptr_t stop) {
    const ucontext_t *context = (const void *)(at + sizeof(uint64_t));
    return stop - at < sizeof(uint64_t) + sizeof *context || !is_frame(context)
               ? GRACE_OUTSIDE
               : grace_place(h, (uintptr_t)context->uc_mcontext.gregs[REG_RIP]);
}

enum grace_place grace_interrupted(const struct hotprobe *h, uintptr_t sp, uintptr_t restorer) {
    const uintptr_t stop = restorer != 0 ? mapping_end(sp) : 0;
    enum grace_place found = GRACE_OUTSIDE;
    for (uintptr_t at = (sp + 7) & ~(uintptr_t)7; at + sizeof restorer <= stop;
         at += sizeof restorer) {
        const enum grace_place where =
            *(const uintptr_t *)at == restorer ? of_frame(h, at, stop) : GRACE_OUTSIDE;
        found = where > found ? where : found;
    }
    return found;
}

static bool remember(void *user, pid_t thread) {
    struct hotprobe *h = user;
    struct seen s = {.thread = thread, .since = task_time(thread)};
    return seq_push(&h->seen, s);
}

static bool look(void *user, pid_t thread) {
    struct hotprobe *h = user;
    for (size_t i = 0; i < h->seen.len; i++) {
        struct seen *s = &h->seen.at[i];
        if (s->thread != thread || s->outside)
            continue;
        s->outside = thread == (pid_t)syscall(SYS_gettid) || asleep_outside(h, thread) ||
                     task_time(thread) > s->since + ENOUGH_NS;
        s->here = true;
    }
    return true;
}

static void snapshot(struct hotprobe *h) {
    h->seen.len = 0;
    h->seen_before = h->retired.len;
    if (!tasks_each(remember, h))
        h->seen_before = 0;
}

/* Was every thread of the snapshot seen outside since, or has it ended? */
static bool all_outside(struct hotprobe *h) {
    uint64_t entered = h->entered, left = h->left;
    if (entered != left)
        return false;
    for (size_t i = 0; i < h->seen.len; i++)
        h->seen.at[i].here = h->seen.at[i].outside;
    if (!mappings_read(&h->maps, NULL) || !tasks_each(look, h) || h->entered != entered)
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
