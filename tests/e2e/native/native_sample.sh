#!/bin/sh
# What would break: samples of a native run are not of what it executes, the program behaves otherwise while it is sampled, or the
# stream does not say that another run gives another.
. "$(dirname "$0")/../record_lib.sh"
"$hotgraph" help native >/dev/null 2>&1 || skip "no probes in this build"
gcc -O2 -o kernels "$source/programs/kernels.c" -lm || skip "no compiler"
./kernels 20 >plain.out
"$hotgraph" native --sample s.isampling --interval-ms 0.5 -- ./kernels 20 >sampled.out 2>err
status=$?
grep -q "Operation not permitted" err && skip "no ptrace here"
[ $status = 0 ] && cmp plain.out sampled.out || fail "it runs otherwise: $(cat err)"
head -1 s.isampling | grep -q "	timer=1	" || fail "the header: $(head -1 s.isampling)"
[ "$(awk -F'\t' 'NR > 1 { print $5 }' s.isampling | sort | uniq -c | awk '{ print $1 }' | sort -u)" = 25 ] || fail "batches of other lengths"

# What was sampled is in the exact graph of the same program, at the same addresses; so is what a sweep makes of the pair.
"$hotgraph" native --graph g.graph --structure g.structure -- ./kernels 20 >/dev/null 2>err || fail "graph: $(cat err)"
"$hotgraph" build s.isampling --technique observed --out o.graph >/dev/null || fail "build"
python3 - s.isampling g.graph g.structure <<'END' || fail "samples that were not executed, or seldom"
import sys
rows = [line.rstrip("\n").split("\t") for line in open(sys.argv[1])][1:]
insns, blocks = set(), {}
edges = {}
for line in open(sys.argv[3]):
    words = line.split()
    if words[0] == "#block":
        blocks[int(words[1], 16)] = int(words[2], 16)
for line in open(sys.argv[2]):
    if line[0] != "#":
        a, b, n = line.split("\t")[:3]
        edges[blocks[int(a, 16)], int(b, 16)] = int(n)
starts, lasts = set(blocks), set(blocks.values())
batches = {}
for row in rows:
    batches.setdefault(row[4], []).append((int(row[1], 16), int(row[2])))
assert len(batches) >= 10, len(batches)
crossed = 0
for batch in batches.values():
    for (pc, size), (then, _) in zip(batch, batch[1:]):
        if pc in lasts or then in starts:
            assert edges.get((pc, then), 0) > 0, (hex(pc), hex(then))
            crossed += 1
        else:
            assert then == pc + size, (hex(pc), hex(then))
assert crossed > 20, crossed
END
"$hotgraph" compare o.graph g.graph >compared && awk '$1 == "overlap" && !seen++ { exit !($2 > 0.5) }' compared || fail "overlap: $(cat compared)"
"$hotgraph" build s.isampling --technique flow --structure g.structure --out f.graph >/dev/null 2>err || fail "flow: $(cat err)"
cat >pair.cfg <<'END'
name = "pair";
grid = {technique = "gaussian"; bin_size = [10]; stdev_threshold = [15]; window_size = [13]; recurrent_threshold = [1];};
games = ({name = "kernels"; stream = "s.hgstream"; graph = "g.graph";});
END
"$hotgraph" native --sample s.hgstream --interval-ms 0.5 --batch 50 --images g.structure -- ./kernels 20 >/dev/null 2>err || fail "binary: $(cat err)"
"$hotgraph" sweep pair.cfg --db pair.db --update-digest >out 2>&1 && "$hotgraph" sweep pair.cfg --db pair2.db >out 2>&1 && grep -q "^reproduced" out ||
    fail "a sweep of the pair: $(cat out)"
[ "$(sqlite3 pair.db "SELECT batch_length || (batches >= 10) FROM stream")" = 501 ] || fail "the stream's row"
[ "$(sqlite3 pair.db "SELECT count(*) FROM results WHERE technique = 'observed' AND overlap > 0.5")" = 1 ] || fail "the baseline"
python3 - s.hgstream <<'END' || fail "the binary form does not say it"
import sys
assert open(sys.argv[1], "rb").read()[13] & 4
END
[ "$(head -1 s.isampling | grep -c 'of=transfers')" = 0 ] || fail "the kind of the samples"

# Exit status, signals, threads, scripts and programs that it becomes.
loop='i=0; while [ $i -lt 60000 ]; do i=$((i+1)); [ $i != 40000 ] || kill -USR1 $$; done'
"$hotgraph" native --sample d.isampling --interval-ms 0.2 --libraries -- dash -c "trap 'echo got' USR1; $loop; exit 7" >out 2>err
[ $? = 7 ] && [ "$(cat out)" = got ] || fail "a signal that is caught: $(cat out err)"
"$hotgraph" native --sample d.isampling --interval-ms 0.2 --libraries -- dash -c "$loop" >out 2>err
[ $? = 138 ] || fail "a signal that ends it: $(cat out err)"
"$hotgraph" native --sample d.isampling --interval-ms 0.2 --libraries -- dash -c 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; exec sh -c "echo became; exit 3"' >out 2>err
[ $? = 3 ] && [ "$(cat out)" = became ] || fail "exec: $(cat out err)"
printf '#!/usr/bin/env dash\ni=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; echo script\n' >script && chmod +x script
"$hotgraph" native --sample d.isampling --libraries -- ./script >out 2>err && [ "$(cat out)" = script ] || fail "a script: $(cat out err)"
refuses 125 "before the first sample" native --sample x.isampling --interval-ms 1000 -- /bin/true
[ ! -e x.isampling ] || fail "an empty stream"
refuses 2 "counts nothing" native --sample x.isampling --blocks -- /bin/true
refuses 2 "counts nothing" native --sample x.isampling --graph x.graph -- /bin/true
refuses 2 "is for --sample" native --batch 5 -- /bin/true
refuses 1 "x.txt" native --sample x.txt -- /bin/true
