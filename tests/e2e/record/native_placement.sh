#!/bin/sh
# hotgraph native --graph --placement: the counters are elsewhere, so fewer are executed, but the graph must be the
# same, whichever run and whichever tool the earlier graph is from.
. "$(dirname "$0")/../record_lib.sh"
"$hotgraph" help native >/dev/null 2>&1 || skip "no probes in this build"
failed=0
fail() { echo "FAILED: $*" >&2; failed=1; }
native() { env -i PATH=/usr/bin:/bin "$hotgraph" native "$@"; }
probes() { sed -n 's/.* \([0-9]*\) executions of probes.*/\1/p' "$1"; }

# The code alone says that a branch forward is seldom taken; here nearly all are.
cat >wrong.c <<'C'
#include <stdlib.h>
volatile unsigned sink;
unsigned step(unsigned x) {
    if (x % 64 == 1) sink++; else sink += 2;
    if (x % 64 == 2) sink ^= 3; else sink -= x;
    if (x % 64 == 3) sink *= 3; else sink ^= x;
    if (x % 64 == 4) sink++; else sink += 5;
    return sink;
}
int main(int argc, char **argv) {
    unsigned s = 0;
    for (int i = 0, n = argc > 1 ? atoi(argv[1]) : 1000; i < n; i++) s += step((unsigned)i);
    return (int)(s & 1);
}
C
gcc -O0 wrong.c -o wrong || exit 1
native --graph first.graph -- ./wrong 100000 2>first.err
native --graph other.graph -- ./wrong 30000 2>/dev/null
"$hotgraph" record --graph r.graph --structure r.structure --meta r.meta -- "$work/wrong" 5000 >/dev/null 2>&1
again() { # NAME PLACEMENT OPTION...: fewer probes are executed, for the same graph
    name=$1 placement=$2
    shift 2
    native --graph again.graph --placement "$placement" "$@" -- ./wrong 100000 2>again.err
    test "$(probes again.err)" -lt "$(($(probes first.err) * 95 / 100))" ||
        fail "$name: $(probes again.err) executions of probes, without the graph $(probes first.err)"
    grep -v '^#[^b]' again.graph >again.edges
}
grep -v '^#[^b]' first.graph >first.edges
again "the same run" first.graph
cmp -s first.edges again.edges || fail "the same run: the graphs differ"
again "another run" other.graph
cmp -s first.edges again.edges || fail "another run: the graphs differ"
again "a recording" r.graph --images r.structure
native --graph images.graph --images r.structure -- ./wrong 100000 2>/dev/null
cmp -s images.graph again.graph || fail "a recording: the graphs differ"
if path=$(command -v mawk); then
    text='BEGIN { for (i = 0; i < 20000; i++) a[i % 97] += length(i "x"); print a[7] }'
    native --graph m.graph -- "$path" "$text" >m.out 2>m.err
    native --graph m2.graph --placement m.graph -- "$path" "$text" >m2.out 2>m2.err
    cmp -s m.graph m2.graph && cmp -s m.out m2.out || fail "mawk: the graphs differ"
    test "$(probes m2.err)" -lt "$(($(probes m.err) * 8 / 10))" || fail "mawk: $(probes m2.err) of $(probes m.err)"
fi

# a script's interpreter is the program
printf '#!%s\n' "$work/wrong" >script && chmod +x script
native --graph s.graph --placement first.graph -- ./script 2>s.err || test -s s.graph || fail "script: $(cat s.err)"

# ---- what cannot be of use is refused, before the program runs ----
refused() { # STATUS TEXT OPTION... -- PROGRAM
    status=$1 text=$2
    shift 2
    native "$@" >no.out 2>no.err
    test $? = "$status" || fail "$*: exit status"
    grep -q "$text" no.err || fail "$*: '$(cat no.err)' does not say '$text'"
    test ! -e no.graph || fail "$*: there is a graph"
}
gcc -O1 wrong.c -o build2
refused 1 "another build" --graph no.graph --placement first.graph -- ./build2
refused 1 "images FILE.structure" --graph no.graph --placement r.graph -- ./wrong
refused 1 "no.such" --graph no.graph --placement no.such -- ./wrong
refused 2 "placement is for --graph" --placement first.graph -- ./wrong
exit $failed
