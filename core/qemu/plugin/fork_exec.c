#include "qemu/plugin/fork_exec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qemu/plugin/plugin_state.h"

static _Thread_local unsigned this_cpu; /* since its last system call */

/* In a new process that is followed, whose only thread is this one. */
static void begin_process(const char *label) {
    struct recorder *r = &plugin.recorder;
    pthread_mutex_init(&plugin.lock, NULL);
    plugin.locked = false;
    plugin.process = getpid();
    plugin.clock_before = plugin_clock();
    plugin.clock_beside = 0;
    plugin.written = false;
    snprintf(plugin.followed.label, sizeof plugin.followed.label, "%s", label);
    plugin.followed.forks = plugin.followed.threads = 0;
    for (size_t i = 0; i < plugin.threads.len; i++)
        if (plugin.threads.at[i].recorder != NULL)
            recorder_free(plugin.threads.at[i].recorder);
    for (size_t i = 0; i < plugin.threads.len; i++)
        plugin.threads.at[i] = (struct thread){0};
    *plugin.cpus.at[this_cpu] = (struct cpu){0};
    recorder_begin(r);
    recorder_limit(r, plugin.limit);
    r->totals.cpus = 1;
    r->only = plugin.cpus.at[this_cpu];
}

/* QEMU calls this for the guest's fork, vfork, and clone of a process. The parent tells of the new
 * process before it can itself end, so that whoever has seen its end knows its children. */
pid_t __fork(void);
EXPORT pid_t fork(void) {
    char word[16], label[RECORDING_LABEL];
    if (!plugin.installed || getpid() != plugin.process || !plugin_follows())
        return __fork();
    pthread_mutex_lock(&plugin.lock);
    snprintf(word, sizeof word, "%u", plugin.followed.forks + 1);
    const bool fits = followed_label(&plugin.followed, word, label);
    const pid_t process = __fork();
    if (process == 0) {
        if (fits)
            begin_process(label);
        return 0;
    }
    const int code = errno;
    plugin.followed.forks += process > 0;
    if (process > 0 && fits &&
        !followed_append(&plugin.followed, RECORDING_BEGINS, label, process, "", 0))
        plugin_complain(plugin.followed.path);
    pthread_mutex_unlock(&plugin.lock);
    errno = code;
    return process;
}

/* Returns if the program cannot be followed, or execve will fail. */
static void follow_program(struct exec_call *c, const char *label) {
    char arguments[PLUGIN_ARGUMENTS + RECORDING_LABEL + 40];
    size_t size;
    char *text = exec_describe(c, &size);
    snprintf(arguments, sizeof arguments, "%s,label=%s,clock=%" PRIu64, plugin.arguments, label,
             plugin_clock());
    if (text != NULL &&
        followed_append(&plugin.followed, RECORDING_BEGINS, label, plugin.process, text, size)) {
        exec_run(c, &plugin.emulator, arguments);
    }
    snprintf(c->reason, sizeof c->reason, "the emulator cannot be started in its place");
    free(text);
}

static void follow_exec(const struct kernel_call *call) {
    struct exec_call c;
    char label[RECORDING_LABEL];
    if (exec_read(&c, call, &plugin.kernel, &plugin.emulator) &&
        followed_label(&plugin.followed, "x", label)) {
        plugin_write((struct recording_outcome){RECORDING_EXEC, 0});
        if (c.reason[0] == '\0')
            follow_program(&c, label);
        followed_append(&plugin.followed, RECORDING_UNRECORDED, label, plugin.process, c.reason,
                        strlen(c.reason) + 1);
    }
    exec_free(&c);
}

static bool is_exec(int64_t number) {
    const struct syscall_numbers *n = &plugin.recorder.target->syscalls;
    return plugin_follows() && getpid() == plugin.process &&
           (number == n->execve || number == n->execveat);
}

/* A thread ends: its recording is complete. */
static void end_thread(struct thread *t) {
    plugin_write_thread(t, (struct recording_outcome){RECORDING_WHOLE, 0});
    recorder_free(t->recorder);
    *t = (struct thread){0};
}

void plugin_follow_call(unsigned vcpu, const struct kernel_call *call) {
    const struct syscall_numbers *n = &plugin.recorder.target->syscalls;
    struct thread *t = &plugin.threads.at[vcpu];
    this_cpu = vcpu;
    if (call->number == n->exit_group || (call->number == n->exit && t->recorder == NULL))
        plugin.recorder.totals.exit_code = (uint8_t)call->argument[0];
    if (call->number == n->exit && t->recorder != NULL)
        end_thread(t);
    if (is_exec(call->number))
        follow_exec(call);
}

/* It looked like the end of the process, but was not. */
void plugin_follow_failure(int64_t number) {
    if (is_exec(number))
        followed_append(&plugin.followed, RECORDING_GOES_ON, plugin.followed.label, plugin.process,
                        "", 0);
}
