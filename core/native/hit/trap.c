/*
 * SIGTRAP: a thread that meets a locked byte or a remaining trap continues in the stub. The handler
 * calls nothing outside of this room: libc's own functions may be locked.
 *
 * SIGSEGV, if there is late code: a thread that fetches an instruction from a page that is not executable
 * yet waits until it is (edges/edge_late.c). All other faults are the program's.
 *
 * A process has one disposition for a signal, so this file keeps state outside of a session: the
 * session that owns the signals, and the program's own dispositions of them.
 */
#include "native/hit/trap.h"
#include "native/hit/signals.h"
#include "native/patch/stub.h"
#include "native/session_state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { SIGNALS = 64 };

struct owned {
    struct disposition theirs[2]; /* theirs[which & 1] is current */
    atomic_uint which;
};

static struct {
    struct hotprobe *_Atomic session;
    struct owned trap, fault;
    fetch_function *fetched; /* NULL: SIGSEGV is the program's */
} process;

uint64_t signals_kept = TRAP_BIT;

static struct owned *owned_signal(int number) {
    return number == SIGTRAP                              ? &process.trap
           : number == SIGSEGV && process.fetched != NULL ? &process.fault
                                                          : NULL;
}

/* Of a signal that is the library's. */
static struct disposition *theirs_now(int number) {
    struct owned *o = number == SIGTRAP ? &process.trap : &process.fault;
    return &o->theirs[o->which & 1];
}

static uint64_t bit_of(int number) {
    return 1ull << (number - 1);
}

_Thread_local struct thread_signals thread_signals __attribute__((tls_model("initial-exec")));

__asm__(".text\n"
        ".type hotprobe_restorer, @function\n"
        "hotprobe_restorer:\n"
        "    mov $15, %eax\n" /* rt_sigreturn */
        "    syscall\n");
__attribute__((visibility("hidden"))) void hotprobe_restorer(void);

uintptr_t signals_restorer(void) {
    return (uintptr_t)hotprobe_restorer;
}

static void trap_again(int number) {
    (void)raw_call3(SYS_tgkill, (uint64_t)raw_call3(SYS_getpid, 0, 0, 0),
                    (uint64_t)raw_call3(SYS_gettid, 0, 0, 0), (uint64_t)number);
}

/* Handles a trap or fault of the program's own, or a sent one, as without the library. */
static void forward(int number, siginfo_t *info, ucontext_t *context) {
    struct disposition d = *theirs_now(number);
    bool sent = info->si_code <= 0, blocked = (thread_signals.blocked & bit_of(number)) != 0;
    if (sent && blocked) {
        thread_signals.pending |= bit_of(number);
        return;
    }
    if ((void *)d.handler == (void *)SIG_IGN && sent)
        return;
    if ((void *)d.handler == (void *)SIG_DFL || (void *)d.handler == (void *)SIG_IGN ||
        (!sent && blocked)) {
        struct disposition plain = {0};
        disposition_set(number, &plain, NULL);
        if (sent)
            trap_again(number);
        else /* execute it again */
            context->uc_mcontext.gregs[REG_RIP] -=
                number == SIGTRAP && info->si_code == SI_KERNEL ? 1 : 0;
        return;
    }
    uint64_t mask, before;
    memcpy(&mask, &context->uc_sigmask, sizeof mask);
    mask |= d.mask & ~signals_kept;
    if ((d.flags & SA_RESETHAND) != 0)
        theirs_now(number)->handler = NULL;
    mask_set(SIG_SETMASK, &mask, &before);
    d.handler(number, info, context);
    mask_set(SIG_SETMASK, &before, NULL);
}

/* The return address that the call in the text would have pushed. */
static void push_return(ucontext_t *context, const struct patch *p) {
    greg_t *r = context->uc_mcontext.gregs;
    r[REG_RSP] -= 8;
    *(uint64_t *)r[REG_RSP] = p->at + p->offset[p->count];
}

static void on_trap(int number, siginfo_t *info, void *raw) {
    ucontext_t *context = raw;
    struct hotprobe *h = process.session;
    uintptr_t at = (uintptr_t)context->uc_mcontext.gregs[REG_RIP] - 1;
    struct patch *p = h != NULL && info->si_code == SI_KERNEL ? index_find(&h->traps, at) : NULL;
    if (p == NULL) {
        forward(number, info, context);
        return;
    }
    atomic_fetch_add(&h->entered, 1);
    struct stub *s = p->stub;
    unsigned k = 0;
    while (k < p->count && p->at + p->offset[k] != at)
        k++;
    if (*(volatile uint8_t *)at != 0xcc || s == NULL || k == p->count) {
        context->uc_mcontext.gregs[REG_RIP] = (greg_t)at; /* unlocked meanwhile: retry */
    } else {
        if (s->pushed)
            push_return(context, p);
        context->uc_mcontext.gregs[REG_RIP] = (greg_t)(s->at + s->entry[k]);
    }
    atomic_fetch_add(&h->left, 1);
}

/* Bit of the error code: the processor was to fetch an instruction. */
enum { FETCH = 16 };

static void on_fault(int number, siginfo_t *info, void *raw) {
    ucontext_t *context = raw;
    if (info->si_code != SEGV_ACCERR || (context->uc_mcontext.gregs[REG_ERR] & FETCH) == 0 ||
        !process.fetched((uintptr_t)info->si_addr))
        forward(number, info, context);
}

/* Does an existing thread block SIGTRAP? A locked byte would kill it. */
static bool blocked_somewhere(void) {
    char buffer[2048] __attribute__((aligned(8)));
    int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool blocked = false;
    long n;
    while (fd >= 0 && (n = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0)
        for (long at = 0; at < n; at += *(unsigned short *)(buffer + at + 16)) {
            char path[300] = "/proc/self/task/", text[4096];
            strncat(path, buffer + at + 19, 200);
            strcat(path, "/status");
            int file = open(path, O_RDONLY | O_CLOEXEC);
            ssize_t got = file >= 0 ? read(file, text, sizeof text - 1) : -1;
            if (file >= 0)
                close(file);
            text[got > 0 ? got : 0] = 0;
            const char *mask = strstr(text, "SigBlk:\t");
            /* Sixteen hex digits; SIGTRAP is bit 4: the last digit but one. */
            blocked |= mask != NULL && strchr("13579bdf", mask[8 + 14]) != NULL;
        }
    if (fd >= 0)
        close(fd);
    return blocked;
}

/* Removes the signals from the masks of the program's handlers. */
static void masks_strip(void) {
    for (int number = 1; number <= SIGNALS; number++) {
        struct disposition d;
        if (owned_signal(number) != NULL || disposition_set(number, NULL, &d) != 0 ||
            (d.mask & signals_kept) == 0)
            continue;
        d.mask &= ~signals_kept;
        disposition_set(number, &d, NULL);
    }
}

enum status trap_open(struct hotprobe *h, struct error *e) {
    struct hotprobe *none = NULL;
    if (!atomic_compare_exchange_strong(&process.session, &none, h))
        return error_set(e, STATUS_UNSUPPORTED, "there is a session in this process already");
    if (h->options.at_start && !h->options.trap)
        return STATUS_OK;
    uint64_t trap = TRAP_BIT, before = 0;
    mask_set(SIG_UNBLOCK, &trap, &before);
    thread_signals.blocked = before & TRAP_BIT;
    bool blocked = blocked_somewhere();
    /* A new thread blocks all signals for a moment. */
    for (int tries = 0; tries < 200 && blocked; tries++) {
        nanosleep(&(struct timespec){.tv_nsec = 500 * 1000}, NULL);
        blocked = blocked_somewhere();
    }
    if (blocked) {
        mask_set(SIG_SETMASK, &before, NULL);
        process.session = NULL;
        return error_set(e, STATUS_UNSUPPORTED,
                         "another thread blocks SIGTRAP: open the session "
                         "before there are threads that do");
    }
    struct disposition ours = {.handler = on_trap,
                               .flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER |
                                        DISPOSITION_RESTORER,
                               .restorer = hotprobe_restorer};
    disposition_set(SIGTRAP, &ours, theirs_now(SIGTRAP));
    atomic_store(&signals_ours, true);
    masks_strip();
    return STATUS_OK;
}

void trap_fetches(fetch_function *fetched) {
    uint64_t fault = bit_of(SIGSEGV), before = 0;
    const struct disposition ours = {.handler = on_fault,
                                     .flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER |
                                              DISPOSITION_RESTORER,
                                     .restorer = hotprobe_restorer,
                                     .mask = ~(fault | TRAP_BIT)};
    process.fetched = fetched;
    signals_kept |= fault;
    mask_set(SIG_UNBLOCK, &fault, &before);
    thread_signals.blocked |= before & fault;
    disposition_set(SIGSEGV, &ours, theirs_now(SIGSEGV));
    masks_strip();
}

void trap_close(struct hotprobe *h) {
    if (process.session != h)
        return;
    if (atomic_exchange(&signals_ours, false)) {
        disposition_set(SIGTRAP, theirs_now(SIGTRAP), NULL);
        uint64_t trap = TRAP_BIT;
        if ((thread_signals.blocked & trap) != 0)
            mask_set(SIG_BLOCK, &trap, NULL);
    }
    process.session = NULL;
}

struct hotprobe *session_now(void) {
    return process.session;
}

/* ---- the signals as the program sees them: see interpose.c ---- */

atomic_bool signals_ours;

bool signal_owned(int number) {
    return owned_signal(number) != NULL;
}

bool signal_is_default(int number) {
    return (void *)theirs_now(number)->handler == (void *)SIG_DFL;
}

void signal_action(int number, const struct sigaction *act, struct sigaction *old) {
    struct owned *o = owned_signal(number);
    struct disposition d = *theirs_now(number);
    if (old != NULL) {
        raw_clear(old, sizeof *old);
        old->sa_sigaction = d.handler;
        old->sa_flags = (int)(d.flags & ~(unsigned long)DISPOSITION_RESTORER);
        memcpy(&old->sa_mask, &d.mask, sizeof d.mask);
    }
    if (act != NULL) {
        d = (struct disposition){.handler = act->sa_sigaction,
                                 .flags = (unsigned long)act->sa_flags | DISPOSITION_RESTORER,
                                 .restorer = hotprobe_restorer};
        memcpy(&d.mask, &act->sa_mask, sizeof d.mask);
        o->theirs[~o->which & 1] = d;
        o->which++;
    }
}

int signal_mask(int how, const sigset_t *set, sigset_t *old) {
    uint64_t want = 0, before = 0, was = thread_signals.blocked, named = 0;
    if (set != NULL) {
        memcpy(&want, set, sizeof want);
        named = want & signals_kept;
        want &= ~(signals_kept | 3ull << 31); /* and the two that libc reserves */
    }
    const long result = mask_set(how, set != NULL ? &want : NULL, &before);
    if (result != 0)
        return (int)-result;
    if (set != NULL)
        thread_signals.blocked = how == SIG_BLOCK     ? was | named
                                 : how == SIG_UNBLOCK ? was & ~named
                                                      : named;
    if (old != NULL) {
        before = (before & ~signals_kept) | was;
        raw_clear(old, sizeof *old);
        memcpy(old, &before, sizeof before);
    }
    for (int number = 1; number <= SIGSEGV; number++) {
        const uint64_t due = thread_signals.pending & ~thread_signals.blocked & bit_of(number);
        thread_signals.pending &= ~due;
        if (due != 0)
            trap_again(number);
    }
    return 0;
}
