# What would break: a profile for BOLT names other functions or edges than those that ran, BOLT rejects it, or the program
# that it lays out by it does something else, or jumps as often as before.
#
# Functions, addresses and file offsets come from nm and readelf. Without BOLT, the profile is only compared with the
# graph.
set -u
. "$(dirname "$0")/../record_lib.sh"
command -v "${CC:-cc}" >/dev/null || skip "no C compiler"

# Two local functions of one name, calls back from the C library, a recursion, a jump table; and a branch with a wrong hint
# for the compiler, so that a layout can gain something.
cat >main.c <<'END'
#include <stdio.h>
#include <stdlib.h>
unsigned other(unsigned);
static unsigned __attribute__((noinline)) mix(unsigned x) { return x % 7 ? x * 2654435761u : x ^ x >> 9; }
static int compare(const void *a, const void *b) { return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b; }
unsigned __attribute__((noinline)) depth(unsigned n) { return n < 2 ? n : depth(n - 1) + depth(n - 2); }
unsigned __attribute__((noinline)) pick(unsigned x) {
    switch (x % 8) { case 0: return x + 1; case 1: return x * 3; case 2: return mix(x); case 3: return x ^ 77; case 4: return x >> 3;
    case 5: return other(x); case 6: return ~x; } return x / 3;
}
int main(void) {
    static int numbers[3000];
    unsigned x = 1;
    for (int i = 0; i < 3000; i++) {
        x = pick(mix(x) + other(x) + (unsigned)i);
        if (x % 1000 == 7)
            puts("seldom");
        else if (x % 3)
            x += 5;
        numbers[i] = (int)(x % 100000);
    }
    qsort(numbers, 3000, sizeof *numbers, compare);
    printf("%u %d %u\n", x, numbers[1500], depth(15));
    return 0;
}
END
cat >other.c <<'END'
static unsigned __attribute__((noinline)) mix(unsigned x) {
    unsigned n = 0;
    while (x) { if (__builtin_expect(n == 31, 1)) n ^= x * x; else n += x & 1; x >>= 1; }
    return n;
}
unsigned other(unsigned x) { return mix(x) > 15 ? x : x * 5 + 1; }
END
${CC:-cc} -O2 -fno-reorder-blocks-and-partition -fcf-protection=none -Wl,--emit-relocs -o program main.c other.c 2>cc.err ||
    skip "cannot be built: $(cat cc.err)"
"$hotgraph" record --graph h.graph --structure s.structure --output h.out -- ./program 2>record.err || fail "record: $(cat record.err)"
"$hotgraph" export --bolt ./program --structure s.structure h.graph --rare 0 --out h.fdata 2>said || fail "export: $(cat said)"

cat >check.py <<'END'
import collections, subprocess
def run(*words): return subprocess.run(words, capture_output=True, text=True, check=True).stdout
loads = [(int(w[1], 16), int(w[2], 16), int(w[4], 16)) for w in map(str.split, run("readelf", "-lW", "program").splitlines()) if w[:1] == ["LOAD"]]
def offset(address):
    return next((address - v + o for o, v, n in loads if v <= address < v + n), None)
local, functions, sizeless = collections.Counter(), [], set()
for words in sorted((line.split() for line in run("nm", "-S", "program").splitlines()), key=lambda w: w[0]):
    if len(words) == 3 and words[1] in "tT": # of the C library's start files; the others are looked at
        local[words[2]] += words[1] == "t"
        sizeless.add(f"{words[2]}/{local[words[2]]}" if words[1] == "t" else words[2])
    if len(words) == 4 and words[2] in "tT" and offset(int(words[0], 16)) is not None:
        local[words[3]] += words[2] == "t"
        name = f"{words[3]}/{local[words[3]]}" if words[2] == "t" else words[3]
        functions.append((offset(int(words[0], 16)), int(words[1], 16), name))
base = next(int(l.split()[1], 16) for l in open("s.structure") if l.startswith("#image") and l.rstrip().endswith("/program"))
top = min([int(l.split()[1], 16) for l in open("s.structure") if l.startswith("#region") and int(l.split()[1], 16) > base], default=1 << 32)
def place(address):
    return next(((n, address - base - s) for s, size, n in functions if base <= address < top and s <= address - base < s + size), None)
ends, last = {}, {}
for l in open("s.structure"):
    if l.startswith("#ends"): ends[int(l.split()[1], 16)] = l.split()[3]
    if l.startswith("#block"): last[int(l.split()[1], 16)] = int(l.split()[2], 16)
want = set()
for l in open("h.graph"):
    if l[0] == "#": continue
    a, b, n = (int(x, 0) for x in l.split()[:3])
    f, t, end = place(last[a]), place(b), ends[a]
    if t is None or end == "other" or f is not None and end == "indirect": continue
    if t[1] != 0 and (f is None or f[0] != t[0] or end == "call"): continue
    want.add((f"1 {f[0]} {f[1]:x}" if f else "0 [unknown] 0") + f" 1 {t[0]} {t[1]:x} 0 {n}")
got = [l for l in open("h.fdata").read().splitlines() if not sizeless & {l.split()[1], l.split()[-4]}]
assert len(got) == len(set(got)) and set(got) == want, (set(got) - want, want - set(got))
names = {l.split()[1] for l in got}
assert {"mix/1", "mix/2", "pick", "main", "depth"} <= names, names
assert any(l.startswith("0 [unknown] 0 1 compare/1 0 0 ") for l in got)
assert any(l.startswith("1 depth ") and " 1 depth 0 0 " in l for l in got)
END
python3 check.py || fail "the profile is not the graph: $(cat said)"
"$hotgraph" export --bolt ./program --structure s.structure h.graph --rare 0 >h.again 2>/dev/null || fail "export to standard output"
same h.fdata h.again

# Invented edges are counted, and left out.
cp h.graph bad.graph
entry=$(awk '$1 == "#block" { print $2; exit }' s.structure)
printf '%s\t%s\t1000000\n' "$entry" "$entry" >>bad.graph
"$hotgraph" export --bolt ./program --structure s.structure bad.graph --rare 0 --out bad.fdata 2>said || fail "export: $(cat said)"
same h.fdata bad.fdata
grep -q 'left out: 1 that the program does not have' said || fail "$(cat said)"

refuses 2 'or --bolt FILE: the program' export h.graph --structure s.structure
refuses 2 'FILE.structure is missing' export h.graph --bolt ./program
refuses 1 'not one of the files that were executed' export --bolt "$hotgraph" --structure s.structure h.graph
cp program copy && strip copy && "$hotgraph" record --structure copy.structure --graph copy.graph --output /dev/null -- ./copy 2>/dev/null
refuses 1 'no symbols of functions' export --bolt ./copy --structure copy.structure copy.graph
refuses 1 'another program' export --bolt ./copy --structure s.structure copy.graph

command -v llvm-bolt-19 >/dev/null || { echo "no bolt-19: what it makes of it is not looked at"; exit 0; }
# jumps STRUCTURE GRAPH NAME: executed jumps and taken branches of the file.
jumps() {
    awk -v name="/$3" 'function hex(t, v, i) { v = 0; t = tolower(t); for (i = 3; i <= length(t); i++) v = v * 16 + index("0123456789abcdef", substr(t, i, 1)) - 1; return v }
        $1 == "#image" { if (substr($4, length($4) - length(name) + 1) == name) base = hex($2); else if (base && !top) top = hex($2) }
        $1 == "#ends" { after[$2] = hex($2) + $3; end[$2] = $4 }
        FNR != NR && !/^#/ && hex($1) >= base && (!top || hex($1) < top) && end[$1] ~ /branch|jump/ && hex($2) != after[$1] { n += $3 }
        END { print n }' "$1" "$2"
}
before=$(jumps s.structure h.graph program)
"$hotgraph" export --bolt ./program --structure s.structure h.graph --out h.fdata 2>said || fail "export: $(cat said)"
llvm-bolt-19 ./program --data h.fdata -o better --reorder-blocks=ext-tsp --reorder-functions=cdsort --split-functions >bolt.out 2>&1 ||
    fail "bolt: $(cat bolt.out)"
! grep -i 'stale' bolt.out || fail "bolt rejects functions"
grep -q 'out of .* functions in the binary .* have non-empty execution profile' bolt.out || fail "bolt: $(cat bolt.out)"
"$hotgraph" record --graph b.graph --structure b.structure --output b.out -- ./better 2>record.err || fail "record: $(cat record.err)"
same h.out b.out
after=$(jumps b.structure b.graph better)
test "$((after * 10))" -lt "$((before * 9))" || fail "$before jumps before, $after after"
