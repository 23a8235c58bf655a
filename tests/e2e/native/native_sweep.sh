#!/bin/sh
# What would break: a program with how = "native" in a configuration gets another exact graph than QEMU counts for its own
# code, other results each time, or needs QEMU where nothing is sampled; or a program that cannot be counted ends the sweep.
. "$(dirname "$0")/../record_lib.sh"
"$hotgraph" help native >/dev/null 2>&1 || skip "no probes in this build"
gcc -O2 -o kernels "$source/programs/kernels.c" -lm || skip "no compiler"
head -c 100000 "$hotgraph" >text && head -c 50000 "$source/README.md" >text2
gcc -O1 -static -o fixed "$source/programs/kernels.c" -lm || skip "no static libraries"
cat >native.cfg <<'END'
name = "work";
grid = ({technique = "gaussian"; bin_size = [10]; stdev_threshold = [15]; window_size = [13]; recurrent_threshold = [5];}, {technique = "flow";}, {technique = "exact";});
sampling = ({by = "instructions"; every = 5000;}, {by = "live"; input = "other";});
programs = (
    {name = "kernels"; folder = "."; command = ("./kernels", "1"); other_command = ("./kernels", "2"); every = 1667; how = "native";},
    {name = "gzip"; command = ("/usr/bin/gzip", "-c"); input = "text"; other_input = "text2"; every = 1667; how = "native";}
);
END
sed 's/ how = "native";//' native.cfg >recorded.cfg
for kind in native recorded; do "$hotgraph" sweep $kind.cfg --db $kind.db >$kind.out 2>$kind.err || fail "$kind: $(cat $kind.err)"; done
grep -q "^gzip: counted, " native.err || fail "gzip is not counted: $(cat native.err)"
grep "differ" native.err && fail "the probes' graph is not the recording's"

# Edge by edge, at offsets in the file: what QEMU counts within the program, and nothing else.
edges() {
    sqlite3 "$1" "SELECT x.path, e.source - x.base, e.target - x.base, e.count FROM exact_edge e JOIN replay_image x USING (replay_id)
        JOIN image i USING (image_id) WHERE x.place = 0 AND e.source BETWEEN x.base AND x.base + i.size
        AND e.target BETWEEN x.base AND x.base + i.size ORDER BY 1, 2, 3"
}
edges native.db >native.edges && edges recorded.db >recorded.edges
[ "$(wc -l <native.edges)" -gt 500 ] && [ "$(wc -l <native.edges)" = "$(sqlite3 native.db 'SELECT count(*) FROM exact_edge')" ] ||
    fail "$(wc -l <native.edges) edges"
cmp native.edges recorded.edges || fail "other edges: $(diff native.edges recorded.edges | head -3)"
names() { sqlite3 "$1" "SELECT game, source_name, target_name, count FROM named_edge ORDER BY 1, 2, 3"; }
names native.db >native.names && names recorded.db >recorded.names
grep -q 'kernels|main+0x' native.names || fail "edges have no names"
[ -z "$(sort native.names >a && sort recorded.names >b && comm -23 a b)" ] || fail "other names: $(comm -23 a b | head -3)"

# Instructions and samples are those of its own code; structure, worth and times are there.
[ "$(sqlite3 native.db "ATTACH 'recorded.db' AS r; SELECT count(*) FROM replay n JOIN r.replay p ON n.key = p.key || ' how=native'
    WHERE n.instructions < p.instructions AND n.instructions > 0.9 * p.instructions AND n.score_best IS NOT NULL")" = 2 ] || fail "the replays' rows"
[ "$(sqlite3 native.db "ATTACH 'recorded.db' AS r; SELECT count(*) FROM stream n JOIN r.stream p USING (sampling_id)
    WHERE n.batches > 0.9 * p.batches AND n.batches < p.batches")" = 2 ] || fail "batches: $(sqlite3 native.db 'SELECT * FROM stream')"
[ "$(sqlite3 native.db "SELECT count(*), min(overlap > 0.9) FROM results WHERE technique = 'flow'")" = "2|1" ] || fail "flow"
[ "$(sqlite3 native.db "SELECT count(*) FROM results WHERE technique = 'exact' AND overlap > 0.3")" = 2 ] || fail "no other run"
"$hotgraph" results native.db --view program_time >times.csv
[ "$(sqlite3 native.db "SELECT count(*), min(native_seconds > 0 AND probes_seconds > 0 AND recorded_seconds > 0 AND recorded_ratio > 0
    AND probed > 5000 AND traps BETWEEN 0 AND probed) FROM program_time")" = "2|1" ] || fail "times and probes: $(cat times.csv)"

# Another time the same, even in the background of a script, where gzip would find signals ignored; what is there is not
# computed again; a recorded program is another.
(trap '' HUP INT QUIT && exec "$hotgraph" sweep native.cfg --db again.db --update-digest) >/dev/null 2>&1 || fail "again"
"$hotgraph" diff native.db again.db >diff.out || fail "another time: $(cat diff.out)"
"$hotgraph" sweep native.cfg --db native.db >out 2>&1 && grep -q "nothing to do" out && grep -q "^reproduced: " out || fail "a second sweep: $(cat out)"
"$hotgraph" sweep recorded.cfg --db native.db --dry-run >out && grep -q "^gzip: .*one recording" out || fail "a recorded program: $(cat out)"

# Without samples there is no recording; what cannot be counted is reported, and the others continue.
cat >only.cfg <<'END'
name = "only";
grid = {technique = "exact";};
sampling = {by = "live"; input = "other";};
programs = (
    {name = "gzip"; command = ("/usr/bin/gzip", "-c"); input = "text"; other_input = "text2"; how = "native";},
    {name = "fixed"; folder = "."; command = ("./fixed"); other_input = "text"; how = "native";}
);
END
"$hotgraph" sweep only.cfg --db only.db >only.out 2>&1 && fail "a static program is counted"
grep -q "fixed: .*statically linked" only.out || fail "static: $(cat only.out)"
[ "$(sqlite3 only.db "SELECT group_concat(how) FROM (SELECT how FROM program_run ORDER BY how)")" = native,probes ] || fail "it was recorded"
[ "$(sqlite3 only.db "SELECT round(overlap, 6) FROM results WHERE technique = 'exact'")" = \
    "$(sqlite3 native.db "SELECT round(overlap, 6) FROM results WHERE technique = 'exact' AND game = 'gzip'")" ] || fail "another result without samples"
sed '/fixed/d; s/},$/}/; s/^sampling.*//; s/"exact"/"flow"/' only.cfg >nothing.cfg
"$hotgraph" sweep nothing.cfg --db nothing.db >out 2>&1 && fail "nothing to compare"
grep -q "nothing is compared with the exact graph of 'gzip'" out || fail "nothing: $(cat out)"

# The structure of a native run is the one of a recording, within the program.
"$hotgraph" record --structure r.structure --output /dev/null -- "$work/kernels" 1 2>/dev/null
env --default-signal -i TZ=UTC0 LC_ALL=C PATH=/usr/bin:/bin "$hotgraph" native --graph n.graph --structure n.structure --images r.structure -- "$work/kernels" 1 >/dev/null 2>&1
base=$(sed -n "s|^#image \(0x[0-9a-f]*\) .*/kernels\$|\1|p" r.structure)
part() { awk -v low="$base" '$1 ~ /^#(block|insns|ends|falls)$/ && $2 >= low' "$1"; }
part r.structure >r.part && part n.structure >n.part
[ "$(wc -l <n.part)" -gt 300 ] && cmp r.part n.part || fail "the structure"
rm -rf left && mkdir left && TMPDIR=$work/left "$hotgraph" sweep only.cfg --db left.db >/dev/null 2>&1
[ -z "$(ls left)" ] || fail "files are left: $(ls left)"
