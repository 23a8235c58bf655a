/*
 * Most of a large library is never executed. So its text is made unexecutable at the start, though it can
 * be read, and is cut into parts: whole functions, a few pages. The first thread that comes to a page gets
 * SIGSEGV; the handler (hit/trap.c) inserts the probes of the parts that are on it, and makes the page
 * executable. Threads that come meanwhile wait for that.
 *
 * Nobody can be inside code that was never executable. So a part is patched as before the program
 * starts, though other threads run. A page with the ends of two parts becomes executable when both are in.
 *
 * A process that fork() has made counts nothing: there all becomes executable as it is.
 *
 * A process has one text, so this file keeps state outside of a session.
 */
#include "native/edges/edge_late.h"
#include "native/edges/edge_probes.h"
#include "native/hit/forking.h"
#include "native/hit/signals.h"
#include "native/hit/trap.h"
#include "native/raw.h"
#include "native/session_state.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>

enum { PAGE = 4096, PART = 1 << 14, STACK = 1 << 20 };

struct late_object {
    size_t number; /* among the session's objects */
    struct range pages;
    VEC(uintptr_t) starts; /* of the parts */
    VEC(uint8_t) in;       /* of each part: has it its probes? */
    bool open;             /* all of it is executable, and no more parts are inserted */
};

static struct {
    struct hotprobe *h; /* NULL: there are no late objects */
    VEC(struct late_object) objects;
    uint32_t lock;        /* 0: free, 1: held, 2: held, and another thread may wait */
    uintptr_t stack;      /* the end of one for insertions: the program's may be small */
    const uint32_t *ours; /* 0 in a child of fork() */
} late;

/* ---- the lock ---- */

static void lock(void) {
    uint32_t is = 0;
    if (__atomic_compare_exchange_n(&late.lock, &is, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    while (__atomic_exchange_n(&late.lock, 2, __ATOMIC_ACQUIRE) != 0)
        (void)raw_call6(SYS_futex, (uintptr_t)&late.lock, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
}

static void unlock(void) {
    if (__atomic_exchange_n(&late.lock, 0, __ATOMIC_RELEASE) == 2)
        (void)raw_call6(SYS_futex, (uintptr_t)&late.lock, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

void late_hold(uint64_t *mask) {
    const uint64_t all = ~signals_kept;
    (void)mask_set(SIG_BLOCK, &all, mask);
    lock();
}

void late_go_on(const uint64_t *mask) {
    unlock();
    (void)mask_set(SIG_SETMASK, mask, NULL);
}

static uint64_t mask_at_fork; /* while the lock is held */

static void before_fork(void) {
    uint64_t mask;
    late_hold(&mask);
    mask_at_fork = mask;
}

static void after_fork(void) {
    const uint64_t mask = mask_at_fork;
    late_go_on(&mask);
}

/* ---- parts ---- */

/* The part that holds the address. */
static size_t part_around(const struct late_object *l, uintptr_t at) {
    const size_t k = items_below(l->starts.at, l->starts.len, sizeof *l->starts.at, at + 1);
    return k > 0 ? k - 1 : 0;
}

static struct range part_range(const struct late_object *l, size_t k) {
    return (struct range){l->starts.at[k], k + 1 < l->starts.len
                                               ? l->starts.at[k + 1]
                                               : late.h->objects.at[l->number].text_end};
}

/* Cuts the text before functions that no other one overlaps. All linkage stubs are in the first part: their
 * halves belong together. */
static bool find_parts(struct late_object *l) {
    const struct object *o = &late.h->objects.at[l->number];
    uintptr_t last = o->text, end = o->text;
    for (size_t k = 0; k < o->plt.len; k++)
        end = o->plt.at[k].end > end ? o->plt.at[k].end : end;
    if (!seq_push(&l->starts, o->text))
        return false;
    for (size_t k = 0; k < o->functions.len; k++) {
        const struct function *f = &o->functions.at[k];
        if (f->start >= end && f->start - last >= PART && f->start < o->text_end) {
            if (!seq_push(&l->starts, f->start))
                return false;
            last = f->start;
        }
        end = f->end > end ? f->end : end;
    }
    if (!seq_reserve(&l->in, l->starts.len))
        return false;
    for (size_t k = 0; k < l->starts.len; k++)
        l->in.at[k] = 0;
    l->pages = (struct range){o->text & ~(uintptr_t)(PAGE - 1),
                              (o->text_end + PAGE - 1) & ~(uintptr_t)(PAGE - 1)};
    return true;
}

static bool protect(struct range pages, int how) {
    return raw_call3(SYS_mprotect, pages.start, pages.end - pages.start, (uint64_t)how) == 0;
}

/* Are the probes of all parts in that are on this page? */
static bool page_ready(const struct late_object *l, uintptr_t page) {
    bool ready = true;
    for (size_t k = part_around(l, page), n = l->starts.len;
         ready && k < n && l->starts.at[k] < page + PAGE; k++)
        ready = l->in.at[k] != 0;
    return ready;
}

/* Makes the pages of a part executable whose other parts are in, too. */
static bool part_open(const struct late_object *l, size_t k) {
    const struct range part = part_range(l, k);
    struct range pages = {part.start & ~(uintptr_t)(PAGE - 1),
                          (part.end + PAGE - 1) & ~(uintptr_t)(PAGE - 1)};
    if (!page_ready(l, pages.start))
        pages.start += PAGE;
    if (pages.end > pages.start && !page_ready(l, pages.end - PAGE))
        pages.end -= PAGE;
    return pages.end <= pages.start || protect(pages, PROT_READ | PROT_EXEC);
}

static void object_open(struct late_object *l) {
    l->open = true;
    (void)protect(l->pages, PROT_READ | PROT_EXEC);
}

/* ---- the first execution ---- */

static struct late_object *object_with(uintptr_t at) {
    for (size_t i = 0; i < late.objects.len; i++)
        if (at >= late.objects.at[i].pages.start && at < late.objects.at[i].pages.end)
            return &late.objects.at[i];
    return NULL;
}

static enum status insert_page(struct late_object *l, uintptr_t page, struct error *e) {
    enum status s = STATUS_OK;
    for (size_t k = part_around(l, page);
         s == STATUS_OK && k < l->starts.len && l->starts.at[k] < page + PAGE; k++) {
        if (l->in.at[k] != 0)
            continue;
        s = edges_part(late.h, l->number, part_range(l, k), e);
        l->in.at[k] = s == STATUS_OK;
        if (s == STATUS_OK && !part_open(l, k))
            s = error_set(e, STATUS_UNSUPPORTED,
                          "it needs one more mapping, but the process has too many");
    }
    return s;
}

/* What this does with libc does not count. */
static void arrive_counting(struct late_object *l, uintptr_t page) {
    struct hotprobe *h = late.h;
    struct error e = {0};
    bool lost = false;
    aside_begin(h);
    const int error = errno;
    if (insert_page(l, page, &e) != STATUS_OK) {
        lost = !edges_drop(h, l->number, e.text);
        object_open(l);
    }
    errno = error;
    aside_end(h);
    if (lost)
        h->pairs.head[SESSION_PAIRS_LATE] = 1;
}

__attribute__((used, visibility("hidden"))) void hotprobe_arrive(uintptr_t at);

void hotprobe_arrive(uintptr_t at) {
    struct late_object *l = object_with(at);
    const uintptr_t page = at & ~(uintptr_t)(PAGE - 1);
    if (l->open ||
        page_ready(l, page)) /* another thread was here, or the program has protected it */
        (void)protect((struct range){page, page + PAGE}, PROT_READ | PROT_EXEC);
    else
        arrive_counting(l, page);
}

/* Calls hotprobe_arrive() on another stack. */
__attribute__((visibility("hidden"))) void hotprobe_arrive_on(uintptr_t at, uintptr_t stack);
__asm__(".text\n"
        ".p2align 4\n"
        ".hidden hotprobe_arrive_on\n"
        ".globl hotprobe_arrive_on\n"
        ".type hotprobe_arrive_on, @function\n"
        "hotprobe_arrive_on:\n"
        "    push %rbp\n"
        "    mov %rsp, %rbp\n"
        "    mov %rsi, %rsp\n"
        "    call hotprobe_arrive\n"
        "    mov %rbp, %rsp\n"
        "    pop %rbp\n"
        "    ret\n"
        ".size hotprobe_arrive_on, . - hotprobe_arrive_on\n");

/* The page may be executable by now, if another thread has come there, too. */
static bool on_fetch(uintptr_t at) {
    if (object_with(at) == NULL)
        return false;
    if (*late.ours == 0) { /* its parent's other threads may have had the lock */
        for (size_t i = 0; i < late.objects.len; i++)
            object_open(&late.objects.at[i]);
        return true;
    }
    atomic_fetch_add(&late.h->entered, 1); /* what has led here is still open */
    lock();
    hotprobe_arrive_on(at, late.stack);
    unlock();
    atomic_fetch_add(&late.h->left, 1);
    return true;
}

/* ---- the start ---- */

static bool map_all(void) {
    void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
         *ours = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED || ours == MAP_FAILED || madvise(ours, PAGE, MADV_WIPEONFORK) != 0)
        return false;
    *(uint32_t *)ours = 1;
    late.ours = ours;
    late.stack = (uintptr_t)stack + STACK;
    return true;
}

enum status late_open(struct hotprobe *h, struct error *e) {
    if (h->plan == NULL)
        return STATUS_OK;
    late.h = h;
    bool ok = map_all();
    for (size_t i = 0; ok && i < h->objects.len; i++) {
        struct late_object l = {.number = i};
        ok = !h->objects.at[i].late || (find_parts(&l) && seq_push(&late.objects, l));
    }
    if (!ok || pthread_atfork(before_fork, after_fork, after_fork) != 0)
        return error_set(e, STATUS_MEMORY, "out of memory");
    trap_fetches(on_fetch);
    for (size_t i = 0; i < late.objects.len; i++)
        if (!protect(late.objects.at[i].pages, PROT_READ))
            return error_set(e, STATUS_IO, "%s: its text cannot be protected",
                             h->objects.at[late.objects.at[i].number].path);
    return STATUS_OK;
}
