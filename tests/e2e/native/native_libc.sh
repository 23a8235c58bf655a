#!/bin/sh
# hotgraph native --graph --libraries: libc is counted as `hotgraph record` counts it, in spite of signals, longjmp,
# fork, vfork and threads. Where that cannot be, it is other code, and the other files keep their graph.
. "$(dirname "$0")/../record_lib.sh"
"$hotgraph" help native >/dev/null 2>&1 || skip "no probes in this build"
failed=0
fail() { echo "FAILED: $*" >&2; failed=1; }
growth=$(realpath "$source/tests/e2e/native/libc_growth.py")
# QEMU's processor and this one then choose the same functions.
tunables=glibc.cpu.hwcaps=-AVX2,-AVX512F,-AVX512VL,-AVX512BW,-SSE4_1,-SSE4_2,-SSSE3,-Fast_Unaligned_Copy,-ERMS,-FSRM,-BMI2,-LZCNT,-AVX_Fast_Unaligned_Load
native() { env --default-signal -i TZ=UTC0 HOME=/nonexistent LC_ALL=C PATH=/usr/bin:/bin GLIBC_TUNABLES=$tunables "$hotgraph" native "$@"; }

cat >work.c <<'C'
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static jmp_buf back;
/* Nothing here depends on addresses, or on the environment. */
static volatile long sum;
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void deep(int n) { if (n == 0) longjmp(back, 1); deep(n - 1); sum++; }
static char b[200] __attribute__((aligned(4096))), c[64];
static void texts(void) {
    for (int i = 0; i < 30; i++) {
        int k;
        snprintf(b, sizeof b, "%5d|%-8x|%s|%c|%.3f|%ld%%|%p", i, i * 77, "text", 'a' + i % 26, i / 7.0, i * 100000L, (void *)0x1234);
        sum += (long)strlen(b) + strtol(b, 0, 10) + (strchr(b, 't') != 0) + (strstr(b, "ext") != 0) + memcmp(b, "     ", 4);
        sum += sscanf(b, "%d", &k) + k;
        memcpy(c, b, 40);
        strcat(c, "x");
        sum += (long)strspn(c, " 0123") + (long)strcspn(c, "|") + (long)strtod("1.25e2", 0);
        memset(c, i, sizeof c);
        memmove(c + 1, c, 40);
    }
    strcpy(c, "one,two;three");
    char *rest;
    for (char *p = strtok_r(c, ",;", &rest); p; p = strtok_r(0, ",;", &rest)) sum += *p;
}
static void sorts(void) {
    int v[90]; /* where qsort() has its own copy: memcpy() looks at how far they are apart */
    const int key = 5;
    for (int i = 0; i < 90; i++) v[i] = i * 37 % 101;
    qsort(v, 90, sizeof *v, order);
    sum += bsearch(&key, v, 90, sizeof *v, order) != 0;
}
static void memory(void) {
    void *p[20];
    for (int i = 0; i < 20; i++) p[i] = malloc((size_t)(i * 37 + 1));
    for (int i = 0; i < 20; i += 2) p[i] = realloc(p[i], (size_t)(i * 50 + 9));
    for (int i = 0; i < 20; i++) free(p[i]);
    free(calloc(3, 100));
}
int main(int argc, char **argv) {
    const int n = argc > 1 ? argv[1][0] - '0' : 1;
    for (int i = 0; i < 3 + n; i++) {
        texts();
        sorts();
        memory();
        if (!setjmp(back)) deep(5);
        if (write(1, "x", 1) != 1) return 2;
        printf("%s\n", b);
        fflush(stdout);
    }
    return 3;
}
C
gcc -O1 work.c -o work || fail "work.c"
for k in 1 8; do
    "$hotgraph" record --graph "r$k.graph" --structure r.structure --meta r.meta --env "GLIBC_TUNABLES=$tunables" --output r.out -- "$work/work" $k >/dev/null 2>r.err
    [ -e "r$k.graph" ] || fail "record: $(cat r.err)"
    native --graph "n$k.graph" --images r.structure --libraries -- "$work/work" $k >n.out 2>n.err
    [ $? = 3 ] && cmp -s r.out n.out || fail "$k: $(cat n.err)"
    grep -q 'of its own and of 1 libraries' n.err || fail "libc is not counted: $(cat n.err)"
done
python3 "$growth" r.meta work r1.graph r8.graph n1.graph n8.graph || fail "libc's edges differ"

# ---- threads: locks, conditions, memory, their begin and end ----
cat >threads.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static volatile long sum;
static volatile int turn;
static char text[200] __attribute__((aligned(4096)));
static void done(void *p) { sum += *(int *)p; free(p); }
static void undo(void *p) { pthread_mutex_unlock(p); }
static void *works(void *p) {
    void *own[20];
    int *id = malloc(sizeof *id);
    *id = 7;
    pthread_setspecific(key, id);
    for (int i = 0; i < 20; i++) own[i] = malloc((size_t)(i * 37 + 1));
    for (int i = 0; i < 20; i += 2) own[i] = realloc(own[i], (size_t)(i * 50 + 9));
    for (int i = 0; i < 20; i++) free(own[i]);
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&lock);
        snprintf(text, sizeof text, "%5d|%-8x|%s", i, i * 77, "text");
        sum += (long)strlen(text);
        pthread_mutex_unlock(&lock);
    }
    return p;
}
static int works_c11(void *p) { return (int)strlen(p); }
static void *waits(void *p) {
    pthread_mutex_lock(&lock);
    while (turn == 0) pthread_cond_wait(&turned, &lock);
    turn = 0;
    pthread_mutex_unlock(&lock);
    return p;
}
static void *cancelled(void *p) {
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(undo, &lock);
    for (;;) pthread_cond_wait(&turned, &lock);
    pthread_cleanup_pop(1);
    return p;
}
static void *leaves(void *p) { if (p != &lock) pthread_exit(p); return NULL; }
static void *sleeps(void *p) { for (;;) pause(); return p; }
static int patience = 1;
static void rest(unsigned us) { usleep(us * (unsigned)patience); }
/* The pauses let the other side go as far as it can, so that all runs take the same way. */
static void run(void *(*f)(void *)) {
    pthread_t t;
    if (pthread_create(&t, 0, f, (void *)&sum)) exit(9);
    rest(60000);
    if (f == waits) { pthread_mutex_lock(&lock); turn = 1; pthread_mutex_unlock(&lock); pthread_cond_signal(&turned); rest(30000); }
    if (f == cancelled) { pthread_cancel(t); rest(30000); }
    pthread_join(t, 0);
}
int main(int argc, char **argv) {
    const int n = argc > 1 ? argv[1][0] - '0' : 1;
    pthread_t t;
    thrd_t c;
    if (argc > 1 && argv[1][1]) patience = argv[1][1] - '0';
    pthread_key_create(&key, done);
    run(leaves);
    for (int i = 0; i < n; i++) {
        run(works);
        run(waits);
        if (thrd_create(&c, works_c11, "text") != thrd_success) return 9;
        rest(60000);
        thrd_join(c, 0);
        if (argc > 2) run(cancelled);
        run(leaves);
    }
    if (pthread_create(&t, 0, sleeps, 0)) return 9;
    rest(60000);
    printf("%ld\n", sum);
    return 3;
}
C
# QEMU has neither clone3 nor restartable sequences.
cat >without.c <<'C'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv) {
    struct sock_filter f[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog p = {sizeof f / sizeof *f, f};
    if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p)) return 77;
    execvp(argv[1], argv + 1);
    return 78;
}
C
gcc -O1 -w threads.c -o threads -pthread && gcc -O1 -w without.c -o without || fail "threads.c"
alike() { # PATIENCE: on a loaded machine a pause may be too short
    for k in 1 4; do
        "$hotgraph" record --graph "r$k.graph" --structure r.structure --meta r.meta --env "GLIBC_TUNABLES=$tunables:glibc.pthread.rseq=0" --output r.out -- "$work/threads" "$k$1" >/dev/null 2>r.err
        env --default-signal -i TZ=UTC0 HOME=/nonexistent LC_ALL=C PATH=/usr/bin:/bin "GLIBC_TUNABLES=$tunables:glibc.pthread.rseq=0" "$work/without" \
            "$hotgraph" native --graph "n$k.graph" --images r.structure --libraries -- "$work/threads" "$k$1" >n.out 2>n.err
        cmp -s r.out n.out || echo "threads, $k: $(cat r.err n.err)"
        grep -q 'of its own and of 1 libraries' n.err || echo "threads: libc is not counted: $(cat n.err)"
    done
    python3 "$growth" r.meta threads r1.graph r4.graph n1.graph n4.graph 12
}
alike 1 >alike.log || alike 3 >alike.log || alike 6 >alike.log || alike 9 >alike.log || fail "with threads libc's edges differ: $(cat alike.log)"
! grep -q '^threads' alike.log || fail "$(cat alike.log)"
# QEMU 7.2 cannot cancel threads.
for k in 1 2 3; do
    native --graph c.graph --libraries -- ./threads 3 cancelled >c.out 2>c.err
    [ $? = 3 ] && [ -s c.graph ] && grep -q 'of its own and of 1 libraries' c.err || fail "cancelled: $(cat c.out c.err)"
done

# ---- code that is entered or left where no call is, and other processes ----
cat >odd.c <<'C'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int n;
static sigjmp_buf back;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void on(int s) { n += s > 0; }
static void leave(int s) { siglongjmp(back, s); }
static void *work(void *p) {
    char b[40];
    for (int i = 0; i < 500; i++) { snprintf(b, sizeof b, "%d", i); pthread_mutex_lock(&lock); n += (int)strlen(b); pthread_mutex_unlock(&lock); free(malloc(i + 1)); }
    return p;
}
static void *waits(void *p) { for (;;) pause(); return p; }
static int in_child(void) { char b[40]; for (int i = 0; i < 1000; i++) snprintf(b, sizeof b, "%d", i); return (int)strlen(b); }
int main(int argc, char **argv) {
    const char what = argc > 1 ? argv[1][0] : 0;
    struct sigaction act = {.sa_handler = on};
    int st = 0;
    sigaction(SIGUSR1, &act, 0);
    signal(SIGUSR2, leave);
    for (int i = 0; i < 5; i++) raise(SIGUSR1);
    for (volatile int i = 0; i < 3; i++) if (!sigsetjmp(back, 1)) raise(SIGUSR2);
    if (what == 't' || what == 'b' || what == 'j') {
        pthread_t t[3], w;
        for (int i = 0; i < 3; i++) if (pthread_create(&t[i], 0, work, 0)) return 9;
        for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
        if (what != 'j' && pthread_create(&w, 0, waits, 0)) return 9;
        usleep(20000);
    }
    for (int i = 0; i < 4 && (what == 'f' || what == 'b' || what == 'j'); i++) {
        const pid_t child = fork();
        if (child == 0) { if (fork() == 0) _exit(in_child()); _exit(in_child()); }
        waitpid(child, &st, 0);
        n += WEXITSTATUS(st);
    }
    if (what == 'v') {
        const pid_t child = vfork();
        if (child == 0) _exit(7);
        waitpid(child, &st, 0);
        n += WEXITSTATUS(st) + WEXITSTATUS(system("exit 2"));
    }
    if (what == 'a') { printf("%d\n", n); fflush(stdout); abort(); }
    printf("%d\n", n);
    if (what == 'q') { fflush(stdout); _exit(4); }
    return 4;
}
C
gcc -O1 -w odd.c -o odd -pthread || fail "odd.c"
for what in s f v q a t j; do
    rm -f o.graph
    ./odd $what >alone.out 2>/dev/null
    alone=$?
    native --graph o.graph --libraries -- ./odd $what >o.out 2>o.err
    [ $? = $alone ] && cmp -s alone.out o.out || fail "$what: $(cat alone.out o.out o.err)"
    [ -s o.graph ] && grep -q 'of its own and of 1 libraries' o.err || fail "$what: libc is not counted: $(cat o.err)"
done
# What a child counts is not the parent's.
native --graph s.graph --libraries -- ./odd s >/dev/null 2>s.err
native --graph f.graph --libraries -- ./odd f >/dev/null 2>f.err
less=$(sed -n 's/.*: \([0-9]*\) instructions of.*/\1/p' s.err) more=$(sed -n 's/.*: \([0-9]*\) instructions of.*/\1/p' f.err)
[ "$((more - less))" -gt 500 ] && [ "$((more - less))" -lt 40000 ] || fail "a child was counted: $less, $more"
# With threads, a child counts as its parent for a moment: then libc is other code, and the program has its graph.
native --graph b.graph --libraries -- ./odd b >/dev/null 2>b.err
[ $? = 4 ] && [ -s b.graph ] && grep -q 'of its own and of 0 libraries' b.err && grep -q 'counts as other code: .*/libc.so.6: the program forked' b.err ||
    fail "fork with threads: $(cat b.err)"
exit $failed
