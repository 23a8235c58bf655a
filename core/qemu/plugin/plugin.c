/*
 * The plugin that QEMU loads: it tells the recorder (recorder.h) which blocks run, and makes the
 * kernel answer the same in every run (kernel.h). `hotgraph record` starts QEMU with it and reads
 * what it leaves (recording.h).
 *
 * Arguments: version=N (first, see recording.h), out=FILE, each (one call an instruction instead of one a block: slow, and the same
 * result), most=N (instructions), and for each sampling setting batches=, transfers=, stacks= or
 * taken=, with EVERY/LENGTH/SEED. With follow=FILE, other processes and threads append recordings of their own
 * to that file (shared_file.h); a program after exec has its label=LABEL, and clock=N, the instructions
 * before it. With trace=FILE, the packets of a trace are appended to that file (program_tracer.h); there is none of a
 * program with several threads.
 *
 * Pitfalls of QEMU 7.2, all met:
 *  - An x86 instruction that crosses a page is handed over as last of its block, and then is not
 *    executed there but in a block of its own: it gets a call of its own instead.
 *  - Each iteration of a repeated string instruction is a block execution.
 *  - After a fork the child has the plugin, too, with all counts: it begins anew, or does not write.
 *  - The guest shares our descriptors: none is open while it runs.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "qemu/plugin/fork_exec.h"
#include "qemu/plugin/plugin_api.h"
#include "qemu/plugin/plugin_state.h"
#include "qemu/plugin/program_tracer.h"

enum { PAGE = 4096, INSN_MOST = 15, BLOCK_MOST = 8192 };

/* QEMU loads a plugin once in a process, and passes no state to some callbacks, so this is
 * file-scope. */
struct plugin plugin = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .kernel.guest_base = UINT64_MAX, .limit = UINT64_MAX};

EXPORT int qemu_plugin_version = PLUGIN_API_VERSION;

static void lock(void) {
    if (__atomic_load_n(&plugin.locked, __ATOMIC_ACQUIRE))
        pthread_mutex_lock(&plugin.lock);
}

static void unlock(void) {
    if (__atomic_load_n(&plugin.locked, __ATOMIC_ACQUIRE))
        pthread_mutex_unlock(&plugin.lock);
}

/* ---- the recording ---- */

static void release(void) {
    recorder_release(&plugin.recorder);
    for (size_t i = 0; i < plugin.threads.len; i++)
        if (plugin.threads.at[i].recorder != NULL)
            recorder_release(plugin.threads.at[i].recorder);
}

/* The recorder has stopped: ends the program, except in processes that are not recorded. One that
 * is followed goes on without a recorder after its limit, because others may wait for it. */
static void end_program(void) {
    const bool limit = plugin.recorder.stop == 0, recorded = getpid() == plugin.process;
    if (recorded)
        plugin_write((struct recording_outcome){limit ? RECORDING_LIMIT : RECORDING_ASKED, 0});
    if (recorded && (!limit || plugin.followed.label[0] == '\0'))
        _exit(EXIT_SUCCESS);
    plugin.written = recorded;
    release();
}

static void on_stop(int number) {
    (void)number;
    recorder_stop(&plugin.recorder);
}

/* libc's own, not the sigaction() below. Without SA_RESTART, so that blocking system calls
 * return. */
int __sigaction(int number, const struct sigaction *action, struct sigaction *old);
static void catch_stop(void) {
    struct sigaction action = {.sa_handler = on_stop};
    sigfillset(&action.sa_mask);
    __sigaction(RECORDING_STOP, &action, NULL);
}

/* QEMU calls these for the guest's rt_sigaction, and when a signal that the guest does not handle
 * ends it: then QEMU ends, and so does the recording. (For the guest's own kill(), QEMU makes a
 * system call without this function.) */
EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
    if (number == RECORDING_STOP && plugin.installed)
        action = NULL;
    return __sigaction(number, action, old);
}

/* QEMU adopts the guest's signal mask. Signals that stop the recording stay unblocked. Only while
 * the guest waits with a temporary mask (sigsuspend, ppoll) is that mask in force, because QEMU
 * makes those calls without functions that could be replaced. */
EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
    sigset_t open;
    if (set != NULL && plugin.installed && how != SIG_UNBLOCK) {
        open = *set;
        sigdelset(&open, RECORDING_STOP);
        set = &open;
    }
    const int code = pthread_sigmask(how, set, old);
    errno = code != 0 ? code : errno;
    return code != 0 ? -1 : 0;
}

EXPORT int kill(pid_t process, int number) {
    if (plugin.installed && process == plugin.process && getpid() == process && number != SIGSTOP) {
        lock();
        plugin_write((struct recording_outcome){RECORDING_SIGNAL, number});
    }
    return (int)syscall(SYS_kill, process, number);
}

/* ---- translation ---- */

static uint32_t describe(struct qemu_plugin_insn *insn, bool *repeats) {
    struct recorder *r = &plugin.recorder;
    uint64_t host = (uint64_t)(uintptr_t)qemu_plugin_insn_haddr(insn);
    uint32_t address;
    if (r->error.status != STATUS_OK ||
        images_address(&plugin.images, host, &address, &r->error) != STATUS_OK)
        return UINT32_MAX;
    plugin.kernel.guest_base = host - qemu_plugin_insn_vaddr(insn);
    size_t size = qemu_plugin_insn_size(insn);
    struct decoded d = r->target->decode(qemu_plugin_insn_data(insn), size);
    struct recording_insn row = {.address = address, .size = (uint8_t)size, .kind = d.kind};
    if (d.kind == TRANSFER_BRANCH || d.kind == TRANSFER_JUMP || d.kind == TRANSFER_CALL)
        row.target = (uint32_t)(address + d.distance);
    *repeats = d.repeats;
    return recorder_insn(r, row);
}

/* The same for a thread that has a recorder of its own. */
static bool run_beside(unsigned vcpu, const struct block *block) {
    struct recorder *r = plugin.threads.at[vcpu].recorder;
    if (plugin.recorder.stop != 0)
        return false;
    struct block *own = recorder_same_block(r, &plugin.recorder, block);
    if (own == NULL)
        return true;
    const uint64_t before = r->clock;
    const bool more = recorder_run(r, plugin.cpus.at[vcpu], own);
    plugin.clock_beside += r->clock - before;
    return more;
}

static __attribute__((noinline)) void run_slowly(unsigned vcpu, struct block *block) {
    lock();
    const bool more = plugin.threads.at[vcpu].recorder != NULL
                          ? run_beside(vcpu, block)
                          : recorder_run(&plugin.recorder, plugin.cpus.at[vcpu], block);
    if (!more)
        end_program();
    unlock();
}

static void run(unsigned vcpu, void *block) {
    if (!recorder_run_quickly(&plugin.recorder, block, false))
        run_slowly(vcpu, block);
}

static void run_and_count_transfers(unsigned vcpu, void *block) {
    if (!recorder_run_quickly(&plugin.recorder, block, true))
        run_slowly(vcpu, block);
}

static void run_and_remember(unsigned vcpu, void *block) {
    if (recorder_run_quickly(&plugin.recorder, block, true))
        recorder_remember(&plugin.recorder, block);
    else
        run_slowly(vcpu, block);
}

static void run_and_trace(unsigned vcpu, void *block) {
    struct recorder *r = &plugin.recorder;
    const struct block *from = r->only->before;
    if (!recorder_run_quickly(r, block, true)) {
        run_slowly(vcpu, block);
        return;
    }
    if (r->trail != NULL)
        recorder_remember(r, block);
    if (r->tracer != NULL)
        tracer_follow(r, from, block);
}

/* The function to call for each execution of a block. */
static void (*runner(void))(unsigned, void *) {
    if (plugin.recorder.tracer != NULL)
        return run_and_trace;
    if (plugin.recorder.trail != NULL)
        return run_and_remember;
    return plugin.recorder.samples_transfers ? run_and_count_transfers : run;
}

/* True if QEMU may hand the instruction over here but execute it in a block of its own. */
static bool may_cross(const struct qemu_plugin_insn *insn) {
    return plugin.recorder.target->insn_least == 1 &&
           qemu_plugin_insn_vaddr(insn) % PAGE + INSN_MOST > PAGE;
}

static void translate_each(struct qemu_plugin_tb *tb, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        bool repeats;
        uint32_t index = describe(insn, &repeats);
        if (index == UINT32_MAX)
            return;
        struct block *b =
            recorder_block(&plugin.recorder, &index, 1, repeats, qemu_plugin_insn_vaddr(insn));
        if (b != NULL)
            qemu_plugin_register_vcpu_insn_exec_cb(insn, runner(), PLUGIN_NO_REGISTERS, b);
    }
}

static void translate_block(struct qemu_plugin_tb *tb, size_t count) {
    uint32_t insns[BLOCK_MOST];
    bool repeats = false, first_repeats = false;
    for (size_t i = 0; i < count; i++) {
        insns[i] = describe(qemu_plugin_tb_get_insn(tb, i), &repeats);
        if (insns[i] == UINT32_MAX)
            return;
        if (i == 0)
            first_repeats = repeats;
    }
    uint64_t vaddr = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
    struct block *b = recorder_block(&plugin.recorder, insns, (uint32_t)count,
                                     first_repeats && count == 1, vaddr);
    if (b != NULL)
        qemu_plugin_register_vcpu_tb_exec_cb(tb, runner(), PLUGIN_NO_REGISTERS, b);
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb) {
    (void)id;
    lock();
    size_t count = qemu_plugin_tb_n_insns(tb), whole = count;
    if (count > 1 && may_cross(qemu_plugin_tb_get_insn(tb, count - 1)))
        whole--;
    if (plugin.each || whole > BLOCK_MOST)
        whole = 0;
    if (whole > 0)
        translate_block(tb, whole);
    translate_each(tb, whole, count);
    unlock();
}

/* ---- system calls ---- */

static void enter(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
                  uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8) {
    (void)id, (void)a6, (void)a7, (void)a8;
    lock();
    const struct syscall_numbers *n = &plugin.recorder.target->syscalls;
    plugin.calls.at[vcpu] = (struct kernel_call){number, {a1, a2, a3, a4, a5}};
    if (number == n->rt_sigreturn)
        recorder_resume(plugin.cpus.at[vcpu]);
    plugin_follow_call(vcpu, &plugin.calls.at[vcpu]);
    unlock();
}

/* The address of a handler is the first word of struct sigaction; 0 and 1 mean none. */
static void note_handler(const struct kernel_call *call) {
    uint64_t handler;
    if (call->argument[1] == 0 || plugin.kernel.guest_base == UINT64_MAX)
        return;
    memcpy(&handler, (void *)(uintptr_t)(plugin.kernel.guest_base + call->argument[1]),
           sizeof handler);
    if (handler > 1)
        recorder_handler(&plugin.recorder, handler);
    for (size_t i = 0; i < plugin.threads.len && handler > 1; i++)
        if (plugin.threads.at[i].recorder != NULL)
            recorder_handler(plugin.threads.at[i].recorder, handler);
}

static bool is_fork(const struct kernel_call *call) {
    enum { THREAD = 0x10000 }; /* CLONE_THREAD */
    const struct syscall_numbers *n = &plugin.recorder.target->syscalls;
    return call->number == n->fork || call->number == n->vfork ||
           (call->number == n->clone && (call->argument[0] & THREAD) == 0);
}

static void leave(qemu_plugin_id_t id, unsigned vcpu, int64_t number, int64_t result) {
    (void)id;
    lock();
    const struct syscall_numbers *n = &plugin.recorder.target->syscalls;
    const struct kernel_call *call = &plugin.calls.at[vcpu];
    if (plugin.recorder.stop != 0)
        end_program();
    if (call->number == number && is_fork(call) && result > 0)
        plugin.recorder.totals.forks++;
    plugin_follow_failure(number);
    if (number == n->mmap || number == n->munmap || number == n->mprotect || number == n->mremap)
        plugin.images.stale = true;
    if (number == n->rt_sigaction && result == 0)
        note_handler(call);
    if (call->number == number)
        kernel_answer(&plugin.kernel, call, result, plugin_clock());
    unlock();
}

/* With these calls QEMU answers the guest's system calls of the same name, whose result is in a
 * register. The plugin is preloaded, so they are replaced everywhere in QEMU, but nothing else
 * depends on them. */
EXPORT time_t time(time_t *out) {
    time_t now = KERNEL_CLOCK_START + (time_t)(plugin_clock() / 1000000000);
    if (out != NULL)
        *out = now;
    return now;
}

EXPORT clock_t times(struct tms *out) {
    clock_t now = (clock_t)(plugin_clock() / (1000000000 / KERNEL_TICKS));
    if (out != NULL)
        *out = (struct tms){.tms_utime = now};
    return now + 1000;
}

/* ---- processors and exit ---- */

static void start_cpu(qemu_plugin_id_t id, unsigned vcpu) {
    (void)id;
    pthread_mutex_lock(&plugin.lock);
    while (plugin.cpus.len <= vcpu) {
        struct cpu *cpu = calloc(1, sizeof *cpu);
        if (cpu == NULL || !vec_push(&plugin.cpus, cpu) ||
            !vec_push(&plugin.calls, (struct kernel_call){.number = -1}) ||
            !vec_push(&plugin.threads, (struct thread){0}))
            abort(); /* QEMU itself aborts when memory is out */
    }
    *plugin.cpus.at[vcpu] = (struct cpu){0};
    const bool alone = ++plugin.recorder.totals.cpus == 1;
    plugin.recorder.only = alone ? plugin.cpus.at[vcpu] : &plugin.recorder.nobody;
    if (!alone)
        plugin.recorder.tracer = NULL;
    if (!alone)
        __atomic_store_n(&plugin.locked, true, __ATOMIC_RELEASE);
    if (!alone && plugin_follows()) {
        struct recorder *own = recorder_beside(&plugin.recorder);
        if (own == NULL)
            abort();
        plugin.threads.at[vcpu] = (struct thread){own, ++plugin.followed.threads};
    }
    pthread_mutex_unlock(&plugin.lock);
}

static void count_flush(qemu_plugin_id_t id) {
    (void)id;
    plugin.recorder.totals.flushes++;
}

static void finish(qemu_plugin_id_t id, void *user) {
    (void)id, (void)user;
    if (getpid() != plugin.process)
        return;
    lock();
    plugin_write((struct recording_outcome){RECORDING_WHOLE, 0});
    unlock();
}

static bool parse_argument(const char *argument) {
    unsigned long long every, length, seed;
    struct recorder *r = &plugin.recorder;
    if (strncmp(argument, "out=", 4) == 0) {
        snprintf(plugin.out, sizeof plugin.out, "%s", argument + 4);
        return true;
    }
    if (strcmp(argument, "each=on") == 0)
        return plugin.each = true;
    if (sscanf(argument, "most=%llu", &every) == 1) {
        recorder_limit(r, plugin.limit = every);
        return true;
    }
    if (strncmp(argument, "follow=", 7) == 0) {
        snprintf(plugin.followed.path, sizeof plugin.followed.path, "%s", argument + 7);
        return true;
    }
    if (strncmp(argument, "trace=", 6) == 0)
        return (r->tracer = tracer_new(argument + 6)) != NULL;
    if (strncmp(argument, "label=", 6) == 0) {
        snprintf(plugin.followed.label, sizeof plugin.followed.label, "%s", argument + 6);
        return true;
    }
    if (sscanf(argument, "clock=%llu", &every) == 1) {
        plugin.clock_before = every;
        return true;
    }
    if (r->setting_count == RECORDING_SETTINGS)
        return false;
    static const char *const ways[] = {"batches=", "transfers=", "stacks=", "taken="};
    for (int by = RECORDING_BATCHES; by <= RECORDING_TAKEN; by++) {
        const size_t len = strlen(ways[by]);
        if (strncmp(argument, ways[by], len) == 0)
            return sscanf(argument + len, "%llu/%llu/%llu", &every, &length, &seed) == 3 &&
                   recorder_sample(r, (enum recording_by)by, every, (uint32_t)length, seed);
    }
    return false;
}

/* Arguments that a program after exec gets, too. */
static bool keep_argument(const char *argument) {
    const size_t len = strlen(plugin.arguments);
    if (strncmp(argument, "label=", 6) == 0 || strncmp(argument, "clock=", 6) == 0)
        return true;
    return (size_t)snprintf(plugin.arguments + len, sizeof plugin.arguments - len, ",%s",
                            argument) < sizeof plugin.arguments - len;
}

/* Says so unless the plugin and what starts it belong together. */
static bool is_of_version(const char *argument) {
    int version = 0;
    if (sscanf(argument, "version=%d", &version) == 1 && version == RECORDING_VERSION)
        return true;
    fprintf(stderr,
            "hotgraph: hotgraph-qemu.so is of another version than the program that started QEMU "
            "(%d there, %d here): build both again, or install both\n",
            version, RECORDING_VERSION);
    return false;
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_plugin_info *info, int argc,
                               char **argv);
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_plugin_info *info, int argc,
                               char **argv) {
    struct recorder *r = &plugin.recorder;
    if (!is_of_version(argc > 0 ? argv[0] : ""))
        return -1;
    recorder_start(r, info->system_emulation ? NULL : target_by_name(info->target_name));
    bool wrong = r->target == NULL;
    for (int i = 0; i < argc && !wrong; i++)
        wrong = (i > 0 && !parse_argument(argv[i])) || !keep_argument(argv[i]);
    if (!wrong && plugin_follows())
        wrong = !exec_find_emulator(&plugin.emulator);
    if (wrong || plugin.out[0] == '\0' || plugin.installed) {
        fprintf(stderr, "hotgraph: the plugin is to be loaded by 'hotgraph record'\n");
        return -1;
    }
    plugin.process = getpid();
    plugin.installed = true;
    catch_stop();
    plugin.kernel.target = r->target;
    plugin.kernel.user = (uint32_t)getauxval(AT_EUID);
    plugin.kernel.group = (uint32_t)getauxval(AT_EGID);
    qemu_plugin_register_vcpu_init_cb(id, start_cpu);
    qemu_plugin_register_flush_cb(id, count_flush);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_vcpu_syscall_cb(id, enter);
    qemu_plugin_register_vcpu_syscall_ret_cb(id, leave);
    qemu_plugin_register_atexit_cb(id, finish, NULL);
    return 0;
}
