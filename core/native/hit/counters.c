/*
 * Counters for each thread: a probe increments a slot of the thread's own block. So it needs no
 * lock, and cache lines do not move between cores. The stub finds the block by a pointer in
 * thread-local storage; a probe's count is the sum over all blocks.
 *
 * A thread gets its block before the first instruction of its start routine: pthread_create and
 * thrd_create wait for that. Until then, and if it is started in another way, it counts in a shared
 * block. Only one thread starts at a time, so no count there is lost. When a thread ends, its
 * block, with its counts, goes to another thread.
 *
 * Counters can also be *spread*: while there is one thread it uses shared counters, and when the
 * second one starts each thread gets a block. Then %gs leads to the block, a register that no
 * program for GNU libc uses by itself; so a hit is still one instruction. Until a new thread has
 * its block it has the %gs of its parent. The code that it executes before is libc's, so probes in
 * libc keep shared counters.
 */
#include "native/hit/counters.h"
#include "native/hit/signals.h"
#include "native/session_state.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, BLOCK = THREAD_SLOTS * 8 };

static uint64_t unborn[THREAD_SLOTS] __attribute__((aligned(PAGE)));
static _Thread_local uint64_t *own __attribute__((tls_model("initial-exec"))) = unborn;
static pthread_mutex_t birth = PTHREAD_MUTEX_INITIALIZER;

int32_t thread_block_offset(void) {
    uintptr_t here;
    __asm__("mov %%fs:0, %0" : "=r"(here));
    return (int32_t)((uintptr_t)&own - here);
}

/* Maps the next block, of the file or of memory. */
static void *block_map(struct hotprobe *h, void *where) {
    int flags = where != NULL ? MAP_FIXED | MAP_NORESERVE : MAP_NORESERVE, fd = -1;
    if (h->options.thread_counters != NULL) {
        fd = open(h->options.thread_counters, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0 || ftruncate(fd, (off_t)(h->block_count + 1) * BLOCK) != 0) {
            if (fd >= 0)
                close(fd);
            return NULL;
        }
    }
    void *at = mmap(where, BLOCK, PROT_READ | PROT_WRITE,
                    flags | (fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS), fd,
                    fd >= 0 ? (off_t)h->block_count * BLOCK : 0);
    if (fd >= 0)
        close(fd);
    return at != MAP_FAILED ? at : NULL;
}

static struct thread_block *block_add(struct hotprobe *h, void *where) {
    struct thread_block *b = arena_get(&h->arena, sizeof *b);
    if (b == NULL || (b->at = block_map(h, where)) == NULL)
        return NULL;
    h->block_count++;
    b->next = h->blocks;
    atomic_store_explicit(&h->blocks, b, memory_order_release);
    return b;
}

/* Gives this thread a block, if possible one whose thread has ended. */
static bool block_take(struct hotprobe *h) {
    struct thread_block *b = h->blocks;
    while (b != NULL &&
           (b->thread == 0 || syscall(SYS_tgkill, getpid(), b->thread, 0) == 0 || errno != ESRCH))
        b = b->next;
    if (b == NULL)
        b = block_add(h, NULL);
    if (b == NULL)
        return false;
    b->thread = (pid_t)syscall(SYS_gettid);
    own = b->at;
    return true;
}

/* A system call would work, too, but a program may have forbidden itself such calls. */
static uint64_t gs_read(void) {
    uint64_t base;
    __asm__ volatile("rdgsbase %0" : "=r"(base));
    return base;
}

static void gs_write(const void *base) {
    __asm__ volatile("wrgsbase %0" : : "r"(base) : "memory");
}

/* Are the instructions for %gs allowed, and may files grow? */
static bool can_spread(void) {
    enum { GS_INSTRUCTIONS = 2 }; /* HWCAP2_FSGSBASE */
    struct rlimit size;
    return (getauxval(AT_HWCAP2) & GS_INSTRUCTIONS) != 0 && gs_read() == 0 &&
           getrlimit(RLIMIT_FSIZE, &size) == 0 && size.rlim_cur == RLIM_INFINITY;
}

/* Maps the shared block, and the block of this thread. */
static bool blocks_begin(struct hotprobe *h) {
    return block_add(h, unborn) != NULL && block_take(h);
}

bool thread_counters_spread(struct hotprobe *h) {
    if (!can_spread() || !blocks_begin(h))
        return false;
    h->spread = true;
    gs_write(own);
    return true;
}

bool many_threads(void) {
    struct stat st;
    return stat("/proc/self/task", &st) != 0 || st.st_nlink > 3; /* . and .. */
}

enum status thread_counters_open(struct hotprobe *h, struct error *e) {
    /* A file that begins with a count would be misread: see file_read(). */
    h->slots_used = PAGE / sizeof(uint64_t) / 8;
    if (!h->options.per_thread)
        return STATUS_OK;
    if (many_threads())
        return error_set(e, STATUS_UNSUPPORTED,
                         "counters for each thread need a session that is opened before there are "
                         "other threads");
    if (!blocks_begin(h))
        return error_set(e, STATUS_IO, "no memory for this thread's counters");
    return STATUS_OK;
}

void thread_counters_close(struct hotprobe *h, bool unused) {
    if (!unused)
        return;
    if (h->spread)
        gs_write(NULL);
    for (struct thread_block *b = h->blocks; b != NULL; b = b->next) {
        if (b->at != unborn)
            munmap(b->at, BLOCK);
        else /* zeroes again, in memory instead of the file */
            (void)mmap(unborn, BLOCK, PROT_READ | PROT_WRITE,
                       MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    own = unborn;
}

/* The child's counts continue from the parent's, in memory of its own. */
void thread_counters_part(struct hotprobe *h) {
    h->options.thread_counters = NULL; /* later blocks are in memory, too */
    size_t used = (h->slots_used * sizeof(uint64_t) + PAGE - 1) & ~(size_t)(PAGE - 1);
    for (struct thread_block *b = h->blocks; b != NULL; b = b->next) {
        if (b->at == own)
            b->thread = (pid_t)syscall(SYS_gettid);
        void *copy = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (copy == MAP_FAILED)
            continue;
        memcpy(copy, b->at, used);
        (void)mremap(copy, BLOCK, BLOCK, MREMAP_MAYMOVE | MREMAP_FIXED, b->at);
    }
}

uint64_t thread_counters_sum(const struct hotprobe *h, uint32_t slot) {
    uint64_t sum = 0;
    const struct thread_block *b = atomic_load_explicit(&h->blocks, memory_order_acquire);
    for (; b != NULL; b = b->next)
        sum += __atomic_load_n(&b->at[slot], __ATOMIC_RELAXED);
    return sum;
}

void thread_counters_zero(struct hotprobe *h, uint32_t slot) {
    for (struct thread_block *b = h->blocks; b != NULL; b = b->next)
        __atomic_store_n(&b->at[slot], 0, __ATOMIC_RELAXED);
}

/* ---- births ---- */

void births_stop(bool stop) {
    if (stop)
        pthread_mutex_lock(&birth);
    else
        pthread_mutex_unlock(&birth);
}

void thread_born(struct birth *b) {
    struct hotprobe *h = session_now();
    int error = errno;
    if (h != NULL) {
        pthread_mutex_lock(&h->lock);
        if (births_watched())
            (void)block_take(h); /* if that fails, it counts in the shared block */
        if (h->spread)
            gs_write(own);
        pthread_mutex_unlock(&h->lock);
    }
    errno = error;
    atomic_store(&b->born, 1);
    syscall(SYS_futex, &b->born, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void birth_wait(struct birth *b) {
    int error = errno;
    while (atomic_load(&b->born) == 0)
        syscall(SYS_futex, &b->born, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    errno = error;
}

bool births_watched(void) {
    const struct hotprobe *h = session_now();
    return h != NULL && (h->options.per_thread || h->spread);
}
