/*
 * target: the processors whose programs can be recorded: how an ELF file identifies each, how its
 * control transfers are encoded, and the numbers of its system calls. Private to core/qemu.
 *
 * Sources: the ELF machine numbers of the System V ABI supplements; the branch encodings of the
 * Intel SDM (through Zydis), of the Arm ARM (C4.1, branches) and of the RISC-V unprivileged
 * specification (RV64I and C); system call numbers as in Linux's asm/unistd.h of each.
 */
#ifndef HOTGRAPH_QEMU_TARGET_H
#define HOTGRAPH_QEMU_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum transfer_kind {
    TRANSFER_NONE,
    TRANSFER_BRANCH, /* conditional, direct */
    TRANSFER_JUMP,
    TRANSFER_CALL,
    TRANSFER_JUMP_INDIRECT,
    TRANSFER_CALL_INDIRECT,
    TRANSFER_RETURN,
    TRANSFER_KINDS
};

struct decoded {
    uint8_t kind;     /* enum transfer_kind */
    bool repeats;     /* x86 string instruction with a repeat prefix */
    int64_t distance; /* direct ones: target - address */
};

struct syscall_numbers {
    int64_t mmap, munmap, mprotect, mremap, rt_sigaction, rt_sigreturn, getrandom, clock_gettime,
        gettimeofday, sysinfo, getrusage, times, time, execve, uname, getdents64, stat, lstat,
        fstat, newfstatat, statx, fork, vfork, clone, execveat, exit, exit_group;
};

struct target {
    const char *name;   /* as QEMU calls it: "x86_64" */
    const char *model;  /* of processor, so that programs detect the same features everywhere */
    uint16_t machine;   /* e_machine */
    uint8_t insn_least; /* bytes of the shortest instruction */
    uint8_t stat_mode, stat_uid; /* offsets in struct stat; the group follows the user */
    struct decoded (*decode)(const uint8_t *bytes, size_t size);
    struct syscall_numbers syscalls; /* -1: there is none */
};

/* NULL: not a supported processor. */
const struct target *target_by_name(const char *name);
const struct target *target_by_machine(uint16_t machine);
/* "x86_64, aarch64, riscv64", for messages. */
extern const char target_names[];

#endif
