# What would break: a recording counts instructions or calls that were not executed, or misses some, although QEMU's and
# our counts agree with each other. Compared with valgrind's counts, and with a hardware counter if there is one.
#
# Calls of the program's own functions must be exactly equal. Instructions in all may differ by what the C library does
# before main, which depends on the processor that valgrind and QEMU show it: a thousandth.
set -u
. "$(dirname "$0")/../record_lib.sh"
command -v valgrind >/dev/null || skip "no valgrind"
${CC:-cc} -O1 -fno-inline -fno-optimize-sibling-calls -static -o kernels "$source/programs/kernels.c" 2>/dev/null || exit 77
valgrind --tool=callgrind --callgrind-out-file=callgrind.out --compress-strings=no ./kernels 1 >native.out 2>valgrind.err || exit 77
"$hotgraph" record --graph k.graph --dot k.dot --output qemu.out -- ./kernels 1 2>record.err || fail "record: $(cat record.err)"
cmp native.out qemu.out || fail "the program's results differ"

cat >compare.py <<'END'
import re
import subprocess
import sys

def callgrind(path):
    total, calls, callee = 0, {}, None
    for line in open(path):
        if line.startswith("totals:") or line.startswith("summary:"):
            total = int(line.split()[1])
        elif line.startswith("cfn="):
            callee = re.sub(r"'[0-9]+$", "", line[4:].strip()) # quicksort'2: called by itself
        elif line.startswith("calls="):
            calls[callee] = calls.get(callee, 0) + int(line[6:].split()[0])
    return total, calls

def ours(path):
    total, into = 0, {}
    for line in open(path):
        if line.startswith("# instructions"):
            total = int(line.split()[2])
        elif not line.startswith("#"):
            a, b, n = line.split()[:3]
            into[int(b, 16)] = into.get(int(b, 16), 0) + int(n)
    return total, into

def functions(program):
    """name -> offset in the file, of a static program that is not moved."""
    loads = []
    for line in subprocess.run(["readelf", "-lW", program], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if words[:1] == ["LOAD"]:
            loads.append((int(words[1], 16), int(words[2], 16), int(words[4], 16)))
    found = {}
    for line in subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout.splitlines():
        address, kind, name = (line.split() + ["", ""])[:3]
        if kind in ("t", "T"):
            at = int(address, 16)
            for offset, start, size in loads:
                if start <= at < start + size:
                    found[name] = at - start + offset
    return found

their_total, their_calls = callgrind("callgrind.out")
our_total, into = ours("k.graph")
places = functions("kernels")
names = ["lcg", "sieve", "matrix", "fourier", "quicksort", "sort", "hash", "interpret"]
compared = 0
for name in names:
    if name not in places or name not in their_calls:
        continue
    count = into.get(0x1000000 + places[name], 0)
    if count != their_calls[name]:
        sys.exit(f"{name}: called {count} times, valgrind says {their_calls[name]}")
    compared += count
if compared < 10000:
    sys.exit(f"only {compared} calls could be compared: {their_calls}")
for what, other in [("valgrind", their_total)] + [("the processor's counter", int(n)) for n in sys.argv[1:]]:
    if abs(our_total - other) > other / 1000:
        sys.exit(f"{our_total} instructions, {what} says {other}")
    print(f"{our_total} instructions, {what} {other}: {1e6 * (our_total - other) / other:+.1f} per million; {compared} calls the same")
END
counter=$(perf stat -x, -e instructions:u -o counter.csv ./kernels 1 >/dev/null 2>&1 &&
    sed -n 's/^\([0-9][0-9]*\),.*instructions.*/\1/p' counter.csv)
python3 compare.py $counter || exit 1
