# What would break: a recorded program's graph or stream depends on how QEMU cuts code into blocks,
# on the machine's clock, or on addresses of mappings; a graph loses flow; a program that cannot be
# recorded gives a result nevertheless.
set -u
. "$(dirname "$0")/../record_lib.sh"

cat >work.c <<'END'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile int caught;
static jmp_buf back;
static void on_signal(int number) { caught += number; }
static void on_fault(int number) { (void)number; siglongjmp(back, 1); }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(int argc, char **argv) {
    int numbers[3000];
    unsigned seed = 1;
    for (int i = 0; i < 3000; i++) numbers[i] = (int)((seed = seed * 1103515245 + 12345) >> 8);
    qsort(numbers, 3000, sizeof *numbers, compare);
    static char from[9000], to[9000];
    for (int i = 0; i < 50; i++) {
        memset(from, i, sizeof from);
        __asm__ volatile("rep movsb" : : "S"(from), "D"(to), "c"((long)i * 100) : "memory");
    }
    if (argc > 1 && strchr(argv[1], 's')) {
        signal(SIGUSR1, on_signal);
        for (int i = 0; i < 5; i++) raise(SIGUSR1);
    }
    if (argc > 1 && strchr(argv[1], 'f')) {
        signal(SIGSEGV, on_fault);
        if (sigsetjmp(back, 1) == 0) *(volatile int *)8 = numbers[3];
    }
    struct timespec now;
    struct timeval day;
    unsigned char bytes[8];
    clock_gettime(CLOCK_REALTIME, &now);
    gettimeofday(&day, NULL);
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return 1;
    printf("%d %ld %ld %ld %ld %d %d\n", numbers[7] ^ to[4], (long)now.tv_sec, (long)now.tv_nsec,
           (long)day.tv_usec, (long)time(NULL), bytes[0], caught);
    fflush(stdout);
    if (argc > 1 && strchr(argv[1], 'k')) {
        int status;
        if (fork() == 0) { for (volatile int i = 0; i < 1000; i++) ; _exit(7); }
        wait(&status);
        printf("%d\n", WEXITSTATUS(status));
    }
    return argc > 1 && strchr(argv[1], 'x') ? 3 : 0;
}
END
${CC:-cc} -O1 -o work work.c 2>/dev/null || exit 77

# record NAME OPTION... -- ARGUMENT...
record() {
    name=$1; shift
    "$hotgraph" record --graph "$name.graph" --stream "$name.isampling" --stream "$name.tr.isampling:transfers,every=50,seed=3" \
        --stream "$name.is2.isampling:every=400,batch=10" --output "$name.out" "$@" 2>"$name.err"
}
conserves() {
    python3 - "$1" <<'END' || fail "$1: what comes into a block does not leave it"
import sys
into, out, blocks = {}, {}, set()
for line in open(sys.argv[1]):
    if line.startswith("#"):
        continue
    a, b, n = line.split()[:3]
    out[a] = out.get(a, 0) + int(n)
    into[b] = into.get(b, 0) + int(n)
odd = sum(abs(into.get(k, 0) - out.get(k, 0)) for k in into.keys() | out.keys())
# A thread's start and end each leave one: here a program, and its handlers.
sys.exit(odd > int(sys.argv[2]) if len(sys.argv) > 2 else odd > 2)
END
}

for arguments in "" x k; do
    record a -- ./work $arguments || fail "record ./work $arguments: $(cat a.err)"
    grep -q warning a.err && fail "./work $arguments: $(cat a.err)"
    conserves a.graph
    for way in --single-step --per-instruction ""; do
        record b $way -- ./work $arguments || fail "$way: $(cat b.err)"
        for part in graph isampling tr.isampling is2.isampling out; do
            cmp a.$part b.$part || fail "./work $arguments $way: another .$part"
        done
    done
done
# Nor do the signals that its parent ignores, or its limits, matter.
cat >inherit.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
int main(void) {
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    printf("%d %d %o\n", signal(SIGHUP, SIG_DFL) == SIG_IGN, (int)files.rlim_cur, (unsigned)umask(0));
}
END
if ${CC:-cc} -o inherit inherit.c 2>/dev/null; then
    (trap '' HUP; umask 077; ulimit -S -n 512; "$hotgraph" record --graph i.graph --output i.out -- ./inherit 2>/dev/null)
    grep -qx "0 1024 22" i.out || fail "a program sees who started it: $(cat i.out)"
fi
# Nor what the machine is called, who its user is, how large blocks of a file system are, when files were installed, and
# in what order folders have them; a path below /proc/self/cwd is the program's own, whatever the folder is called.
cat >machine.c <<'END'
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
int main(void) {
    struct stat s;
    struct statx x;
    struct utsname u;
    char path[200] = "";
    stat("many", &s);
    printf("%d %d %d %d %d\n", (int)s.st_uid, (int)s.st_gid, (int)s.st_blksize, (int)s.st_mtim.tv_nsec,
           s.st_atim.tv_sec == s.st_mtim.tv_sec && s.st_ctim.tv_sec == s.st_mtim.tv_sec);
    if (statx(AT_FDCWD, "many", 0, STATX_ALL, &x) == 0)
        printf("%d %d %d %d %d\n", (int)x.stx_uid, (int)x.stx_gid, (int)x.stx_blksize, (int)x.stx_mtime.tv_nsec,
               x.stx_atime.tv_sec == x.stx_mtime.tv_sec && x.stx_ctime.tv_sec == x.stx_mtime.tv_sec);
    uname(&u);
    if (readlink("/proc/self/exe", path, sizeof path - 1) < 0) return 1;
    printf("%d %d %d %s %s %s\n", (int)getuid(), (int)getegid(), getgroups(0, NULL), u.nodename, u.release, path);
    DIR *d = opendir("many");
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        printf("%s ", e->d_name);
    printf("\n");
}
END
if ${CC:-cc} -o machine machine.c 2>/dev/null; then
    mkdir many && for i in 9 3 7 1 8 2 6 4 5; do : >"many/$i"; done
    "$hotgraph" record --graph m.graph --output m.out -- /proc/self/cwd/machine 2>m.err || fail "machine: $(cat m.err)"
    printf '%s\n' "1000 1000 4096 0 1" "1000 1000 4096 0 1" "1000 1000 0 hotgraph 6.1.0 /proc/self/cwd/machine" \
        ". .. 1 2 3 4 5 6 7 8 9 " | diff - m.out || fail "a program sees which machine it is on"
    "$hotgraph" record --graph m.graph --output m.out -- ./machine 2>m.err && grep -q " $PWD/machine$" m.out || fail "elsewhere it is told where it is"
fi
grep -q "^exit	0" a.graph.meta || fail "meta: no exit status"
record x -- ./work x; grep -q "^exit	3" x.graph.meta || fail "meta: the exit status is not 3"
grep -q "1700000000" a.out || fail "the clock is the machine's: $(cat a.out)"
# Nanoseconds from one call and microseconds from the next belong to the same clock.
awk '{exit !($4 * 1000 > $3 - 1000 && $4 * 1000 < $3 + 100000)}' a.out || fail "two clocks: $(cat a.out)"
awk -F'\t' '$1 == "image" && $4 == "-" {exit 1}' a.graph.meta || fail "meta: an image without its hash"
[ "$(awk '$1 == "instructions" {print $2}' a.graph.meta)" -gt 100000 ] || fail "too few instructions"
grep -q "^# instructions $(awk '$1 == "instructions" {print $2}' a.graph.meta)$" a.graph ||
    fail "the graph does not say how many instructions were executed"

# A graph counted by hand: a branch ends its block though it is never taken.
cat >hand.S <<'END'
        .globl _start
_start: mov $5, %ecx
1:      cmp $9, %ecx
        je 2f
        dec %ecx
        jnz 1b
2:      mov $60, %eax
        xor %edi, %edi
        syscall
END
if ${CC:-cc} -nostdlib -static -o hand hand.S 2>/dev/null; then
    "$hotgraph" record --graph hand.graph -- ./hand 2>/dev/null || fail "hand"
    counts=$(grep -v '^#' hand.graph | cut -f3 | sort -n | paste -sd' ')
    [ "$counts" = "1 1 4 5" ] || fail "counted by hand: 1 1 4 5, not $counts: $(cat hand.graph)"
fi

# Graphs and streams name their program, and two programs are not mixed.
program=$(sha1sum work | cut -c1-40)
grep -qx "# program $program" a.graph && grep -qx "# kind exact" a.graph || fail "graph: $(head -5 a.graph)"
head -1 a.isampling | grep -q "	program=$program" || fail "stream: $(head -1 a.isampling)"
record o -- /bin/true || fail "/bin/true: $(cat o.err)"
"$hotgraph" build a.isampling --out built.graph 2>/dev/null || fail "build"
"$hotgraph" compare built.graph a.graph >/dev/null || fail "a graph and its stream's are of two programs"
"$hotgraph" compare built.graph o.graph 2>mixed && fail "graphs of two programs are compared"
grep -q "belong to different programs" mixed || fail "$(cat mixed)"
cat >mixed.cfg <<'END'
grid = {technique = "gaussian"; bin_size = [10]; stdev_threshold = [15]; window_size = [13]; recurrent_threshold = [5];};
games = ({name = "mixed"; stream = "a.isampling"; graph = "o.graph";});
END
"$hotgraph" sweep mixed.cfg --db mixed.db >/dev/null 2>mixed && fail "a pair of two programs is swept"
grep -q "a.isampling and o.graph belong to different programs" mixed || fail "$(cat mixed)"

# An independent count of batches: the first begins at instruction 1,667.
instructions=$(awk '$1 == "instructions" {print $2}' a.graph.meta)
batches=$(awk -F'\t' '$1 == "stream" && $2 ~ /^a[.]isampling$/ {print $3}' a.graph.meta)
[ "$batches" = $(((instructions - 25) / 1667)) ] || fail "$batches batches of $instructions instructions"

# Signals: handlers are threads of their own, and a message says so.
record s -- ./work s || fail "signals: $(cat s.err)"
grep -q "5 signals" s.err || fail "signals are not told: $(cat s.err)"
record s2 --single-step -- ./work s && cmp s.graph s2.graph || fail "signals: another graph by steps"
grep -q " 50 *$" s.out || fail "the handler was not run: $(cat s.out)"
record f -- ./work f || fail "faults: $(cat f.err)"
grep -q "^signals	1" f.graph.meta || fail "a fault's handler is not counted"

# The program's hot functions have names.
"$hotgraph" record --dot work.dot --output /dev/null -- ./work 2>/dev/null || fail "--dot"
grep -q '"compare+0x' work.dot || fail "--dot does not name the program's functions"
# A short program's own code, and not what the loader does before it; on request everything, also of one other file.
cat >ten.c <<'END'
int main(void) { volatile int s = 0; for (int i = 0; i < 10; i++) s += i; return 0; }
END
${CC:-cc} -O1 -o ten ten.c
"$hotgraph" record --dot ten.dot --graph ten.graph --structure ten.structure --output /dev/null -- ./ten 2>/dev/null || fail "--dot"
"$hotgraph" record --dot all.dot --all --output /dev/null -- ./ten 2>/dev/null || fail "--dot --all"
grep -q '"main+0x' ten.dot && test "$(grep -c -- '->' ten.dot)" -lt 40 || fail "--dot is not the loop: $(head -50 ten.dot)"
test "$(grep -c '"ld-linux' ten.dot)" -lt 5 || fail "--dot has the loader"
test "$(grep -c -- '->' all.dot)" = "$(grep -vc '^#' ten.graph)" || fail "--all leaves something out"
"$hotgraph" export --format dot --image ten --structure ten.structure ten.graph | cmp - ten.dot || fail "export --image draws another part"
"$hotgraph" export --format dot --image libc.so.6 --all --structure ten.structure ten.graph >libc.dot
libc=$(sed -n 's,^#image 0x\([0-9a-f]*\) .*/libc.so.6$,\1,p' ten.structure | cut -c1)
test "$(grep -c -- '->' libc.dot)" = "$(grep -c "^[^#]*0x${libc}[0-9a-f]\{6\}	" ten.graph)" || fail "--image libc.so.6 has other edges"
refuses 1 "no file 'ibc.so.6' was executed" export --format dot --image ibc.so.6 --structure ten.structure ten.graph
refuses 2 "--image belongs to" export --format dot --image ten ten.graph
refuses 2 "--all belongs to --dot" record --all --graph x.graph -- ./ten
"$hotgraph" record --graph dotted.graph --structure dotted.structure --output /dev/null -- ./work 2>/dev/null || fail "--structure"
"$hotgraph" export --format dot --all --structure dotted.structure dotted.graph --out all.dot || fail "export"
grep -q 'label="qsort' all.dot || fail "export does not name the library's functions"
test "$(grep -c -- '->' work.dot)" -lt 200 || fail "the hot part has $(grep -c -- '->' work.dot) edges of $(grep -c -- '->' all.dot)"

# If a program cannot be recorded, the message says why, the status is 1, and no
# file is left.
refuse() {
    want=$1; shift
    "$hotgraph" record --graph none.graph "$@" >none.out 2>none.err
    [ $? = 1 ] || fail "$*: status is not 1"
    grep -q "$want" none.err || fail "$*: $(cat none.err)"
    [ ! -e none.graph ] || fail "$*: a graph was left"
}
printf '#!/bin/sh\n' >script; chmod +x script
printf 'text' >text
refuse "interpreter" -- ./script
refuse "not an ELF" -- ./text
refuse "by its path" -- no-such-program
refuse "signal 9" -- /bin/sh -c 'kill -9 $$'
refuse "exec" -- /bin/sh -c 'exec /bin/true'
refuse "nowhere: there is no such file" --input nowhere -- /bin/true
refuses 2 "--stream none.isampling:every=10,batch=11: a batch of 11 instructions does not fit" \
    record --graph none.graph --stream none.isampling:every=10,batch=11 -- /bin/true
[ ! -e none.isampling ] || fail "a stream was left"
printf '\177ELF\001\001\001\000\000\000\000\000\000\000\000\000\002\000\003\000' >other
head -c 100 /dev/zero >>other
refuse "x86_64, aarch64, riscv64" -- ./other
cat >threads.c <<'END'
#include <pthread.h>
static void *run(void *x) { return x; }
int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); return pthread_join(t, 0); }
END
if ${CC:-cc} -pthread -o threads threads.c 2>/dev/null; then
    refuse "threads" --stream none.isampling -- ./threads
    "$hotgraph" record --graph threads.graph -- ./threads 2>t.err || fail "threads: $(cat t.err)"
    grep -q "threads" t.err || fail "threads are not told"
fi
# The warning about signals says how many there were.
cat >raises.c <<'END'
#include <signal.h>
static void caught(int number) { (void)number; }
int main(int argc, char **argv) {
    (void)argv;
    signal(SIGUSR1, caught);
    for (int i = 0; i < argc; i++) raise(SIGUSR1);
}
END
if ${CC:-cc} -o raises raises.c 2>/dev/null; then
    "$hotgraph" record --graph raises.graph -- ./raises 2>one.err && "$hotgraph" record --graph raises.graph -- ./raises more 2>two.err ||
        fail "raises: $(cat one.err two.err)"
    grep -q ' 1 signal was handled; unless the program raised it itself' one.err || fail "one signal: $(cat one.err)"
    grep -q ' 2 signals were handled; unless the program raised them itself' two.err || fail "two signals: $(cat two.err)"
fi
HOTGRAPH_QEMU_PLUGIN=/nowhere refuse "HOTGRAPH_QEMU_PLUGIN" -- /bin/true
# A plugin of another version says so. Here QEMU is told another one.
mkdir emulators
printf '#!/bin/sh\nfor word do\n    shift\n    set -- "$@" "$(echo "$word" | sed "s/,version=[0-9]*/,version=999/")"\ndone\nexec %s "$@"\n' \
    "$(command -v qemu-x86_64)" >emulators/qemu-x86_64
chmod +x emulators/qemu-x86_64
PATH=$PWD/emulators:$PATH "$hotgraph" record --graph none.graph -- /bin/true 2>v.err && fail "a plugin of another version runs"
grep -q "hotgraph-qemu.so is of another version than the program that started QEMU (999 there" v.err || fail "another version: $(cat v.err)"
[ ! -e none.graph ] || fail "a plugin of another version leaves a graph"
echo "recorded alike, whichever way"
