# What would break: a new kind of program (a shell, a database, an interpreter, a compiler,
# exceptions, signals, fork, dlopen) gets another graph or stream by steps or by instructions, or a graph that loses flow.
set -u
. "$(dirname "$0")/../record_lib.sh"

# A shell reads its parent's process number, and executes more for a longer one: if possible, each recording counts
# its processes from one.
if unshare --pid --fork true 2>/dev/null; then
    printf '#!/bin/sh\nexec unshare --pid --fork "%s" "$@"\n' "$hotgraph" >counted
    chmod +x counted
    hotgraph=$PWD/counted
fi

cat >balance.py <<'END'
import sys
into, out = {}, {}
for line in open(sys.argv[1]):
    if line.startswith("#"):
        continue
    a, b, n = line.split()[:3]
    out[a] = out.get(a, 0) + int(n)
    into[b] = into.get(b, 0) + int(n)
# Threads that begin and end without an edge: the program itself, and each handler.
print(sum(abs(into.get(k, 0) - out.get(k, 0)) for k in into.keys() | out.keys()))
END

# same_by_all NAME THREADS WAYS PROGRAM [ARGUMENT]...: THREADS is the number of threads in the sense of exact
# graphs.
tried=0
same_by_all() {
    name=$1 threads=$2 ways=$3; shift 3
    [ -x "$1" ] || { echo "$1 is not here"; return; }
    tried=$((tried + 1))
    for way in "" $ways; do
        "$hotgraph" record $way --graph "graph$way" --stream "stream$way.isampling:every=500" --stream "transfers$way.isampling:transfers,every=97,seed=2" \
            --output "output$way" -- "$@" </dev/null 2>e || fail "$name $way: $(cat e)"
    done
    for way in $ways; do
        for part in graph stream.isampling transfers.isampling output; do
            cmp $part "${part%.isampling}$way${part#"${part%.isampling}"}" || fail "$name $way: another $part"
        done
    done
    [ "$(python3 balance.py graph)" -le $((2 * threads)) ] || fail "$name: flow is lost: $(python3 balance.py graph)"
    grep -q "^unfinished	0" graph.meta || fail "$name: $(cat graph.meta)"
    [ "$(grep -c '^image' graph.meta)" -ge 2 ] || fail "$name: has no libraries"
    rm -f graph* stream* transfers* output*
}
both="--single-step --per-instruction"

cat >loop.sh <<'END'
i=0
while [ $i -lt 60 ]; do i=$((i + 1)); case $i in *7) echo $i ;; *) x=${x:-}$i ;; esac; done
f() { [ "$1" -gt 0 ] && f $(($1 - 1)); }
f 20; echo "${#x}"
END
same_by_all dash 1 "$both" /bin/dash loop.sh
same_by_all sqlite3 1 --per-instruction /usr/bin/sqlite3 :memory: \
    "create table t(a, b); insert into t values(1, 2), (3, 4), (3, 5); select a, sum(b) from t group by a;"
same_by_all perl 1 --per-instruction /usr/bin/perl -e 'my %h; $h{$_ % 7} .= "x$_" for 1..99; print join(",", map {"$_=$h{$_}"} sort keys %h), "\n"'
printf 'int a[9];\nint main(int n, char **v) { for (int i = 0; i < 9; i++) a[i] = n * i; return a[n %% 9]; }\n' >unit.i
same_by_all cc1 1 --per-instruction "$(${CC:-cc} -print-prog-name=cc1)" -quiet -O0 unit.i -o /dev/null --param ggc-min-expand=100 --param ggc-min-heapsize=131072

cat >kinds.cc <<'END'
#include <csignal>
#include <cstdio>
#include <dlfcn.h>
#include <map>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
static volatile sig_atomic_t got;
static void on_signal(int n) { got += n; }
static int deep(int n) { if (n == 0) throw std::runtime_error("bottom"); return deep(n - 1) + 1; }
int main() {
    std::map<std::string, int> seen;
    for (int i = 0; i < 50; i++)
        try { deep(i % 7); } catch (const std::exception &e) { seen[e.what() + std::to_string(i % 5)]++; }
    signal(SIGUSR1, on_signal);
    for (int i = 0; i < 3; i++) raise(SIGUSR1);
    void *library = dlopen("libm.so.6", RTLD_NOW);
    double (*cube)(double) = library ? (double (*)(double))dlsym(library, "cbrt") : nullptr;
    int status = 0;
    if (fork() == 0) { deep(0); }
    wait(&status);
    std::printf("%zu %d %d %d\n", seen.size(), (int)got, cube ? (int)cube(27) : 0, WIFSIGNALED(status));
}
END
if ${CXX:-c++} -O1 -o kinds kinds.cc -ldl 2>/dev/null; then
    same_by_all exceptions 4 "$both" "$PWD/kinds" # the program, and three handlers
    "$hotgraph" record --graph graph --output output -- "$PWD/kinds" 2>/dev/null
    grep -qx "5 30 3 1" output || fail "C++: $(cat output)"
    grep -q "^image.*libm" graph.meta || fail "a library that was opened later is no image: $(cat graph.meta)"
fi
[ "$tried" -ge 3 ] || exit 77
echo "$tried programs of other kinds recorded alike, whichever way"
