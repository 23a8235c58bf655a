# Samples of perf: if this fails, a graph made from perf data has other edges than were sampled, or BOLT cannot use it.
#
# A machine with branch stacks is rarely at hand, so a recording under QEMU is printed as perf prints them: maps at addresses
# of their own, kernel addresses in between. The Python example counts the expected graph from the same batches.
set -eu
. "$(dirname "$0")/../record_lib.sh"
command -v "${CC:-cc}" >/dev/null || skip "no C compiler"
export PYTHONPATH="$source/docs/exec" PYTHONDONTWRITEBYTECODE=1
"${CC:-cc}" -O1 -fno-reorder-blocks-and-partition -Wl,--emit-relocs -o prog "$source/tests/data/bolt/prog.c"
"$hotgraph" record --graph exact.graph --structure exact.structure --stream s.isampling:every=997,batch=60 --output /dev/null -- ./prog >/dev/null

cat >as_perf.py <<'END'
"""Prints s.isampling as perf does, and the graph that must come of it, with addresses FILE NUMBER << 32 | OFFSET."""
import csv, sys
from observed import graph
images = [(int(line.split()[1], 16), line.rstrip("\n").split(" ", 3)[3]) for line in open("exact.structure") if line.startswith("#image")]
START = [0x7f0000000000 + (i << 32) for i in range(len(images))]
def place(pc):
    i = max(i for i, (base, _) in enumerate(images) if base <= pc)
    return i, pc - images[i][0]
def address(pc):
    i, offset = place(pc)
    return START[i] + offset
batches = {}
for row in csv.DictReader(open("s.isampling"), delimiter="\t"):
    batches.setdefault(row["batch"], []).append((int(row["pc"], 16), int(row["size"]), row["type"]))
pairs, transfers, kernel, entries = {}, set(), 0, 0
with open("perf.txt", "w") as out:
    for i, (_, path) in enumerate(images):
        print(f"            prog 77/77 1.000000: PERF_RECORD_MMAP2 77/77: [{START[i] + 0x1000:#x}(0x40000000) @ 0x1000 fe:00 1 2]: r-xp {path}", file=out)
    print("            prog 77/77 1.000000: PERF_RECORD_MMAP2 77/77: [0x7ffff000(0x2000) @ 0 00:00 0 0]: r-xp [vdso]", file=out)
    for number, batch in enumerate(batches.values()):
        steps = list(zip(batch, batch[1:]))
        taken = [k for k, (a, b) in enumerate(steps) if b[0] != a[0] + a[1] or "INCOND" in a[2]][:16]
        stack = [(address(steps[k][0][0]), address(steps[k][1][0])) for k in reversed(taken)]
        entries += len(stack)
        for k in taken:
            a, b = steps[k][0][0], steps[k][1][0]
            pairs[a, b] = pairs.get((a, b), 0) + 1
            transfers.add((a, b))
        for k in range(taken[0] + 1 if taken else 0, taken[-1] if taken else 0):
            if k not in taken:
                a, b = steps[k][0][0], steps[k][1][0]
                pairs[a, b] = pairs.get((a, b), 0) + 1
                if steps[k][0][2] != "GENERIC":
                    transfers.add((a, b))
        if number % 5 == 0:  # a system call beside: neither end is the user's
            stack.append((0xffffffff81000000, 0xffffffff81000010))
            kernel += 1
        words = " ".join(f" {f:#x}/{t:#x}/{'PM'[number % 2]}/-/-/{number % 30}" for f, t in stack)
        print(f"            prog 77/{77 + number % 3} [00{number % 2}] 1.{number:06}:     1000 cycles:u:      {address(batch[-1][0]):x} some name(int)+0x1 (/x y) {words}", file=out)
blocks, edges = graph(pairs, transfers)
with open("expected", "w") as out:
    for (s, t), n in sorted(edges.items()):
        print(*place(s), *place(t), n, file=out)
print(len(batches), entries, kernel)
END
python3 as_perf.py >numbers
read -r samples entries kernel <numbers
test "$entries" -gt 500 || fail "too few to say anything: $(cat numbers)"

"$hotgraph" import perf.txt --graph g.graph --structure g.structure --stream g.isampling >out || fail "import: $(cat out)"
grep -q "^$samples samples of 3 threads, $entries branches, .* left out: $((2 * kernel)) kernel addresses, 0 in no file" out ||
    fail "not $samples samples, $entries branches, 2 x $kernel of the kernel: $(cat out)"
cp out imported.out
cat >places.py <<'END'
import sys
images = {line.rstrip("\n").split(" ", 3)[3]: int(line.split()[1], 16) for line in open(sys.argv[2]) if line.startswith("#image")}
first = [line.rstrip("\n").split(" ", 3)[3] for line in open("exact.structure") if line.startswith("#image")]
def place(pc):
    path = max((base, path) for path, base in images.items() if base <= pc)[1]
    return first.index(path), pc - images[path]
rows = [line.split() for line in open(sys.argv[1]) if line[0] != "#"]
for row in sorted((*place(int(s, 16)), *place(int(t, 16)), int(n)) for s, t, n, *_ in rows):
    print(*row)
END
python3 places.py g.graph g.structure >found
sort -n -k1,1 -k2,2 -k3,3 -k4,4 expected >sorted
same found sorted
# The stream has the same branches and ranges: what is read directly off it is the same graph.
head -n 1 g.isampling | grep -q 'of=branches' || fail "no stream of branches: $(head -n 1 g.isampling)"
"$hotgraph" build g.isampling --technique observed --out read.graph >/dev/null
grep -v '^# ' read.graph >read.edges
grep -v '^# ' g.graph | same read.edges -
# Addresses of a recording: the graphs can be compared.
"$hotgraph" import perf.txt --graph h.graph --images exact.structure >/dev/null
"$hotgraph" compare h.graph exact.graph --json >compared
python3 -c '
import json
o = json.load(open("compared"))["whole"]
assert o["fair"]["overlap"] > .8, o' || fail "it is not the program: $(cat compared)"
gzip -k perf.txt
"$hotgraph" import perf.txt.gz --graph again.graph >/dev/null
same again.graph g.graph

# The forms that versions of perf print: with kinds of branches, with files (whose names may have blanks), as offsets in these;
# with letters for the mode. All are the same samples.
python3 - <<'END'
import re
maps = re.findall(r"\[(0x[0-9a-f]+)\(.*r-xp (.*)", open("perf.txt").read())
def of(address):
    a = int(address, 16)
    return next(((a - int(start, 16) + 0x1000, path) for start, path in maps if 0 <= a - int(start, 16) < 0x40000000), (a, "[kernel.kallsyms]"))
branch = re.compile(r"(0x[0-9a-f]+)/(0x[0-9a-f]+)/")
for name, form in (("kinds", lambda a, b: f"{a}/{b}/PN/-/-/12/COND/-/X#"), ("files", lambda a, b: f"{a}({of(a)[1]})/{b}({of(b)[1]})/"),
                   ("offsets", lambda a, b: f"{of(a)[0]:#x}({of(a)[1]})/{of(b)[0]:#x}({of(b)[1]})/")):
    with open(name + ".txt", "w") as out:
        for line in open("perf.txt"):
            out.write(line if "MMAP2" in line else branch.sub(lambda m: form(*m.groups()), line).replace("#", ""))
with open("modes.txt", "w") as out:
    for line in open("perf.txt"):
        out.write(re.sub(r" ([0-9]+\.[0-9]+:)", r" U \1", line, count=1))
END
for form in kinds files offsets modes; do
    "$hotgraph" import $form.txt --graph form.graph >form.out || fail "$form: $(cat form.out)"
    same form.graph g.graph
    same form.out imported.out
done
sed 's,0x[0-9a-f]*/0x[0-9a-f]*/,main+0x12/leaf+0x3/,g' perf.txt >names.txt
refuses 1 "has names of branches (brstacksym)" import names.txt --graph x.graph
{ sed 1,20d perf.txt | head -n 3 && printf '\tmain:\n\t0000000000401000\tinsn: 75 ef  \t# PRED 5 cycles [5]\n'; } >insns.txt
refuses 1 "has instructions of branches (brstackinsn" import insns.txt --graph x.graph

# Repaired, and to BOLT.
"$hotgraph" build g.isampling --technique flow --structure g.structure --out repaired.graph >/dev/null
"$hotgraph" export --bolt ./prog --structure g.structure repaired.graph --out g.fdata 2>errors || fail "no profile: $(cat errors)"
grep -q '^1 depth[^ ]* [0-9a-f]* 1 depth[^ ]* 0 ' g.fdata || fail "no recursion in the profile: $(head g.fdata)"
grep -q ' mix' g.fdata || fail "no calls: $(head g.fdata)"
if command -v llvm-bolt-19 >/dev/null; then
    llvm-bolt-19 ./prog --data g.fdata -o prog.bolt --reorder-blocks=ext-tsp >bolted 2>&1 || fail "BOLT: $(cat bolted)"
    ! grep -q '[1-9][0-9]* function.*invalid' bolted || fail "BOLT finds edges that are none: $(grep invalid bolted)"
    test "$(./prog.bolt)" = "$(./prog)" || fail "BOLT's program does something else"
fi

# What callgrind counts: in the program's own functions, every edge except those of returns, which it does not
# record.
if command -v valgrind >/dev/null && command -v nm >/dev/null && ! sanitized; then
    valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --callgrind-out-file=callgrind.out ./prog >/dev/null 2>errors ||
        fail "valgrind: $(cat errors)"
    "$hotgraph" import callgrind.out --images exact.structure --graph counted.graph --structure counted.structure >out ||
        fail "callgrind.out: $(cat out)"
    grep -q '^[1-9][0-9]* instructions and [1-9][0-9]* transfers counted' out || fail "callgrind.out: $(cat out)"
    grep -q '^# kind exact' counted.graph || fail "it is not said to be exact"
    nm -S prog >symbols
    python3 - <<'END' || fail "callgrind counts something else"
(base,) = [int(line.split()[1], 16) for line in open("exact.structure") if line.startswith("#image") and line.rstrip().endswith("/prog")]
own = [(int(w[0], 16), int(w[1], 16)) for w in map(str.split, open("symbols")) if w[-1] in ("main", "mix", "depth")]
code, place = open("prog", "rb").read(), lambda address: int(address, 16) - base
def edges(path):
    lines = [line.split() for line in open(path)]
    last = {w[1]: w[2] for w in lines if w[0] == "#block"}
    is_own = lambda address: any(start <= place(address) < start + size for start, size in own)
    return {(place(last[w[0]]), place(w[1])): int(w[2]) for w in lines if w[0][0] != "#" and is_own(w[0]) and is_own(w[1])}
ours = {key: count for key, count in edges("exact.graph").items() if code[key[0]] != 0xc3}
theirs = edges("counted.graph")
assert len(ours) > 12 and max(ours.values()) > 50000 and ours == theirs, sorted(ours.items() ^ theirs.items())
END
    refuses 1 "has no samples" import callgrind.out --stream x.isampling
    sed '/^positions:/s/instr //' callgrind.out >lines.out
    refuses 1 "--dump-instr=yes" import lines.out --graph x.graph
    sed -n '/^j[cu][nm][dp]=/{n;d};p' callgrind.out >nojumps.out
    refuses 1 "has no jumps: run callgrind with" import nojumps.out --graph x.graph
    sed '/^part:/p' callgrind.out >twice.out
    refuses 1 "a second dump begins" import twice.out --graph x.graph
    sed 's/^calls=.*/calls=x/' callgrind.out >bad.out
    refuses 1 "a call or jump is a count" import bad.out --graph x.graph
fi

# Left-out data is counted; unreadable data is refused.
sed '/MMAP2/d' perf.txt >nomaps.txt
refuses 1 "print the maps, too" import nomaps.txt --stream x.isampling
echo "hello" >none.txt
refuses 1 "nothing in it is what 'perf script" import none.txt --stream x.isampling
printf '{"gcc_version": "12.2.0", "files": []}' >gcov.json
refuses 1 "whose counts have no addresses" import gcov.json --graph x.graph
printf 'PERFILE2\001\000\000\000\000\000\000\000' >perf.bin
refuses 1 "print it with 'perf script -i perf.bin" import perf.bin --stream x.isampling
sed '20s,0x7f[0-9a-f]*/0x,0x7f0000001000/y0x,2' perf.txt >bad.txt
refuses 1 "bad.txt:20: " import bad.txt --graph x.graph
refuses 2 "at least one of --graph" import perf.txt
refuses 1 "absent.txt" import absent.txt --graph x.graph
test ! -e x.graph && test ! -e x.isampling || fail "something was written"

# perf itself, by its clock: single addresses, two threads.
cat >threads.c <<'END'
#include <pthread.h>
static void *work(void *p) { volatile unsigned t = 1; for (unsigned i = 0; i < 60000000; i++) t += i; return p; }
int main(void) { pthread_t x, y; pthread_create(&x, 0, work, 0); pthread_create(&y, 0, work, 0); pthread_join(x, 0); pthread_join(y, 0); return 0; }
END
"${CC:-cc}" -O1 -o threads threads.c -lpthread
perf record -q -e cpu-clock -F 200 -o perf.data ./threads >/dev/null 2>&1 || { echo "perf cannot sample here" && exit 0; }
for fields in "" "-F comm,pid,tid,time,ip,sym,dso" "-F comm,tid,time,event,ip" "-F comm,tid,ip,sym,symoff,dso,srcline"; do
    perf script -i perf.data --show-mmap-events $fields >clock.txt 2>/dev/null
    "$hotgraph" import clock.txt --stream clock.isampling >out || fail "perf script $fields: $(cat out)"
    grep -q '^[1-9][0-9]* samples of [23] threads' out || fail "perf script $fields: $(cat out)"
    refuses 1 "has no stacks of branches" import clock.txt --graph x.graph
done

# With call chains perf prints offsets in files. With -G, or without the chains, it prints addresses: the same samples.
perf record -q -g -e cpu-clock -F 200 -o chains.data ./threads >/dev/null 2>&1
perf script -i chains.data -G --show-mmap-events >addresses.txt 2>/dev/null
"$hotgraph" import addresses.txt --stream addresses.isampling >out
sed 1d addresses.isampling | cut -f 2-4 >expected
for fields in "" "--show-mmap-events" "-F comm,tid,ip,dso --show-mmap-events" "-F ip,sym,dso --no-inline"; do
    perf script -i chains.data $fields >chains.txt 2>/dev/null
    "$hotgraph" import chains.txt --stream chains.isampling >chains.out || fail "perf script $fields: $(cat chains.out)"
    sed 1d chains.isampling | cut -f 2-4 | cmp -s - expected || fail "perf script $fields: other samples than with -G"
    [ "$(grep -o '^[0-9]* samples' chains.out)" = "$(grep -o '^[0-9]* samples' out)" ] || fail "perf script $fields: $(cat chains.out), but $(cat out)"
done
perf script -i chains.data | sed 's/^\([^\t].*:\) *$/\1                0/' >chains.txt # as with -F +addr, of data
"$hotgraph" import chains.txt --stream chains.isampling >chains.out || fail "with -F +addr: $(cat chains.out)"
sed 1d chains.isampling | cut -f 2-4 | cmp -s - expected || fail "perf script -F +addr: other samples than with -G"
perf script -i chains.data -F comm,tid,time,event,ip --show-mmap-events >chains.txt 2>/dev/null
refuses 1 "print the call chains' files, too" import chains.txt --stream x.isampling
