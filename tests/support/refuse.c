/* refuse memfd|exec COMMAND...: runs a command for which the kernel refuses memory files, or
 * executable shared mappings, as hardened systems do. Exits with 77 where that is not possible. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NOT_HERE = 77 };

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
/* Skips the next `otherwise` instructions unless the loaded word has the value, or any of the
 * bits. */
#define IS(value, otherwise)  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, otherwise)
#define HAS(value, otherwise) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, value, 0, otherwise)
#define ALLOW                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES)

static struct sock_filter no_memfd[] = {LOAD(nr), IS(SYS_memfd_create, 1), REFUSE, ALLOW};
/* The lower halves of mmap()'s protection and flags; programs and libraries are mapped privately.
 */
static struct sock_filter no_exec[] = {
    LOAD(nr),      IS(SYS_mmap, 5),    LOAD(args[2]), HAS(PROT_EXEC, 3),
    LOAD(args[3]), HAS(MAP_SHARED, 1), REFUSE,        ALLOW};

int main(int argc, char **argv) {
    const char *const what = argc > 2 ? argv[1] : "";
    struct sock_fprog filter;
    if (strcmp(what, "memfd") == 0)
        filter = (struct sock_fprog){sizeof no_memfd / sizeof *no_memfd, no_memfd};
    else if (strcmp(what, "exec") == 0)
        filter = (struct sock_fprog){sizeof no_exec / sizeof *no_exec, no_exec};
    else
        return fprintf(stderr, "usage: refuse memfd|exec COMMAND...\n"), 2;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        return fprintf(stderr, "refuse: no seccomp here: %s\n", strerror(errno)), NOT_HERE;
    execvp(argv[2], argv + 2);
    return fprintf(stderr, "refuse: %s: %s\n", argv[2], strerror(errno)), 1;
}
