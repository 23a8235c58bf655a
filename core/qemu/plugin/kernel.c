#include "qemu/plugin/kernel.h"

#include "base/base.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* All targets are 64-bit: the structures below are Linux's for 64-bit targets. */

static void store(const struct kernel *k, uint64_t guest, const void *data, size_t size) {
    if (guest != 0)
        memcpy((void *)(uintptr_t)(k->guest_base + guest), data, size);
}

static void answer_random(struct kernel *k, uint64_t guest, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        uint8_t byte = (uint8_t)splitmix64_next(&k->random);
        store(k, guest + i, &byte, 1);
    }
}

/* struct timespec, or timeval with microseconds. */
static void answer_clock(const struct kernel *k, uint64_t guest, uint64_t executed,
                         uint64_t divisor) {
    int64_t time[2] = {KERNEL_CLOCK_START + (int64_t)(executed / 1000000000),
                       (int64_t)(executed % 1000000000 / divisor)};
    store(k, guest, time, sizeof time);
}

static void answer_rusage(const struct kernel *k, uint64_t guest, uint64_t executed) {
    int64_t usage[18] = {(int64_t)(executed / 1000000000), (int64_t)(executed % 1000000000 / 1000)};
    usage[4] = 10000; /* maximum resident set in KiB */
    store(k, guest, usage, sizeof usage);
}

static void answer_sysinfo(const struct kernel *k, uint64_t guest, uint64_t executed) {
    struct {
        int64_t uptime;
        uint64_t loads[3], ram, free, shared, buffer, swap, swap_free;
        uint16_t processes, rest;
        uint64_t high, high_free;
        uint32_t unit;
    } info = {.uptime = 1000 + (int64_t)(executed / 1000000000),
              .ram = UINT64_C(8) << 30,
              .free = UINT64_C(4) << 30,
              .processes = 100,
              .unit = 1};
    store(k, guest, &info, sizeof info);
}

static void answer_times(const struct kernel *k, uint64_t guest, uint64_t executed) {
    int64_t times[4] = {(int64_t)(executed / (1000000000 / KERNEL_TICKS))};
    store(k, guest, times, sizeof times);
}

/* The recording user is called KERNEL_USER. Everything that belongs to this user or to root is
 * shown as theirs, so that a recording by root is the same. */
static void rename_user(uint8_t *at, uint32_t user) {
    static const uint32_t name = KERNEL_USER, root = 0;
    if (memcmp(at, &user, sizeof user) == 0 || memcmp(at, &root, sizeof root) == 0)
        memcpy(at, &name, sizeof name);
}

/* Offsets in struct stat or statx. A time has 16 bytes: seconds, then a fraction or nothing. The
 * group follows the user. */
struct file_layout {
    unsigned blksize, user, mode, modified, others[3];
};

/* Programs choose buffer sizes by st_blksize, which must not depend on the file system. A file's
 * times are those of its content; a folder's times have no fractions of seconds. */
static void answer_file(const struct kernel *k, uint64_t guest, const struct file_layout *l) {
    enum { TIME = 16, TYPE = 0170000, DIRECTORY = 0040000 };
    static const uint32_t size = 4096;
    uint8_t *at = (uint8_t *)(uintptr_t)(k->guest_base + guest);
    uint16_t mode; /* mode: the two lowest of stat's four bytes are enough; the targets are
                 little-endian */
    if (guest == 0)
        return;
    memcpy(&mode, at + l->mode, sizeof mode);
    rename_user(at + l->user, k->user);
    rename_user(at + l->user + 4, k->group);
    memcpy(at + l->blksize, &size, sizeof size);
    if ((mode & TYPE) == DIRECTORY)
        memset(at + l->modified + TIME / 2, 0, TIME / 2);
    for (size_t i = 0; i < sizeof l->others / sizeof *l->others; i++)
        if (l->others[i] != 0)
            memcpy(at + l->others[i], at + l->modified, TIME);
}

static void answer_stat(const struct kernel *k, uint64_t guest) {
    answer_file(k, guest,
                &(struct file_layout){.blksize = 56,
                                      .user = k->target->stat_uid,
                                      .mode = k->target->stat_mode,
                                      .modified = 88,
                                      .others = {72, 104}}); /* read, changed */
}

static void answer_statx(const struct kernel *k, uint64_t guest) {
    answer_file(k, guest,
                &(struct file_layout){.blksize = 4,
                                      .user = 20,
                                      .mode = 28,
                                      .modified = 112,
                                      .others = {64, 80, 96}}); /* read, made, changed */
}

static void answer_uname(const struct kernel *k, uint64_t guest) {
    enum { LENGTH = 65 };
    static const struct {
        unsigned field;
        char text[LENGTH];
    } answers[] = {{1, "hotgraph"}, {2, "6.1.0"}, {3, "#1 SMP"}, {5, "(none)"}};
    for (size_t i = 0; guest != 0 && i < sizeof answers / sizeof *answers; i++)
        store(k, guest + answers[i].field * LENGTH, answers[i].text, LENGTH);
}

struct entry { /* struct linux_dirent64, without its name */
    uint64_t inode, next;
    uint16_t length;
    uint8_t type;
};
enum { ENTRY_NAME = 19 };

static uint16_t entry_length(const uint8_t *entry) {
    uint16_t length;
    memcpy(&length, entry + offsetof(struct entry, length), sizeof length);
    return length;
}

static int compare_entries(const void *a, const void *b) {
    const uint8_t *const *x = a, *const *y = b;
    return strcmp((const char *)*x + ENTRY_NAME, (const char *)*y + ENTRY_NAME);
}

/* Entries come in the order of the file system's tables; this sorts the entries of one call by
 * name. The position for further reading (next) belongs to the place in the list, not to the entry.
 * Only a program that seeks back into the middle of one call's entries (seekdir) finds other
 * entries. */
static void answer_entries(const struct kernel *k, uint64_t guest, size_t size) {
    enum { NEXT = offsetof(struct entry, next), NEXT_SIZE = sizeof(uint64_t) };
    uint8_t *at = (uint8_t *)(uintptr_t)(k->guest_base + guest), *copy = malloc(size);
    VEC(const uint8_t *) in_order = {0};
    VEC(const uint8_t *) by_name = {0};
    bool ok = copy != NULL && guest != 0;
    if (ok)
        memcpy(copy, at, size);
    for (size_t from = 0; ok && from < size; from += entry_length(copy + from))
        ok = size - from > ENTRY_NAME && entry_length(copy + from) > ENTRY_NAME &&
             entry_length(copy + from) <= size - from &&
             vec_push(&in_order, (const uint8_t *)copy + from) &&
             vec_push(&by_name, (const uint8_t *)copy + from);
    if (ok && by_name.len > 0) /* otherwise unsorted */
        qsort(by_name.at, by_name.len, sizeof *by_name.at, compare_entries);
    for (size_t i = 0; ok && i < by_name.len; i++) {
        uint16_t length = entry_length(by_name.at[i]);
        memcpy(at, by_name.at[i], length);
        memcpy(at + NEXT, in_order.at[i] + NEXT, NEXT_SIZE);
        at += length;
    }
    vec_free(&in_order);
    vec_free(&by_name);
    free(copy);
}

void kernel_answer(struct kernel *k, const struct kernel_call *call, int64_t result,
                   uint64_t executed) {
    const struct syscall_numbers *n = &k->target->syscalls;
    if (result < 0 || k->guest_base == UINT64_MAX)
        return;
    if (call->number == n->getrandom)
        answer_random(k, call->argument[0], (uint64_t)result);
    else if (call->number == n->clock_gettime)
        answer_clock(k, call->argument[1], executed, 1);
    else if (call->number == n->gettimeofday)
        answer_clock(k, call->argument[0], executed, 1000);
    else if (call->number == n->getrusage)
        answer_rusage(k, call->argument[1], executed);
    else if (call->number == n->sysinfo)
        answer_sysinfo(k, call->argument[0], executed);
    else if (call->number == n->times)
        answer_times(k, call->argument[0], executed);
    else if (call->number == n->stat || call->number == n->lstat || call->number == n->fstat)
        answer_stat(k, call->argument[1]);
    else if (call->number == n->newfstatat)
        answer_stat(k, call->argument[2]);
    else if (call->number == n->statx)
        answer_statx(k, call->argument[4]);
    else if (call->number == n->uname)
        answer_uname(k, call->argument[0]);
    else if (call->number == n->getdents64)
        answer_entries(k, call->argument[1], (size_t)result);
}
