# Techniques that are programs: if this fails, a program in another language does not get what the page promises, a changed
# program keeps its old results, or its failure harms other results.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
command -v python3 >/dev/null || skip "no python3"
export HOTGRAPH_GAMES="$source/configs/games.cfg"

# ---- by hand: the example finds the same as the built-in technique, on each
# kind of stream ----
"$hotgraph" structure umbel --frames 300 --out umbel.structure >/dev/null
"$hotgraph" sample umbel --frames 300 --out batches.isampling >/dev/null
"$hotgraph" sample umbel --frames 300 --weigh --out weighed.isampling >/dev/null
"$hotgraph" sample umbel --frames 300 --by transfers --every 50 --out transfers.hgstream >/dev/null
for stream in batches.isampling weighed.isampling transfers.hgstream; do
    "$hotgraph" build $stream --technique observed --out ours.graph >/dev/null
    "$hotgraph" build $stream --exec "$source/docs/exec/observed.py" --exec-format json --out own.graph >/dev/null
    for graph in ours own; do grep -v '^# ' $graph.graph >$graph; done
    test "$(wc -l <ours)" -gt 100 || fail "$stream: no graph to compare with"
    same ours own
done
"$hotgraph" build batches.isampling --technique observed --batches 100 --out ours.graph >/dev/null
"$hotgraph" build batches.isampling --exec "$source/docs/exec/observed.py" --exec-format json --batches 100 --out own.graph >/dev/null
grep -v '^# ' ours.graph >ours && grep -v '^# ' own.graph >own
same ours own

# What a program gets: the text that `sample` writes, its parameters in order, the structure if requested, an empty folder.
cat >show.sh <<'END'
#!/bin/sh
echo "arguments: $*" >&2
echo "folder: $(ls | tr '\n' ' ')" >&2
cat >copy
cmp samples.isampling copy >&2
tail -n +2 copy | cksum >&2
printf '#block 0x1 0x1\n0x1\t0x1\t5\n'
END
refuses 1 "not executable" build batches.isampling --exec ./show.sh --out shown.graph
chmod +x show.sh
"$hotgraph" build batches.isampling --exec "./show.sh one" --set a=1 --set b=two --structure umbel.structure --out shown.graph >out 2>errors
{
    echo "arguments: one --a=1 --b=two --structure=program.structure"
    echo "folder: program.structure samples.isampling "
} >expected
head -n 2 errors | cmp - expected || fail "it gets: $(cat errors)"
test "$(wc -l <errors)" = 3 || fail "its input is not its file: $(cat errors)"
grep -q 'exec-show a 1 b two' shown.graph || fail "the graph does not name its technique: $(head -n 3 shown.graph)"
mkdir "it's a \"folder"
cp show.sh "it's a \"folder/my show.sh"
"$hotgraph" build batches.isampling --exec "'it'\\''s a \"folder/my show.sh' \"two words\"" --out quoted.graph >out 2>errors || fail "quotes: $(cat errors)"
grep -q '^arguments: two words$' errors || fail "quotes: $(cat errors)"
refuses 1 "a quote is not closed" build batches.isampling --exec "'./show.sh" --out x.graph
refuses 1 "cannot be combined" build batches.isampling --exec ./show.sh --technique observed --out x.graph
refuses 2 "--set is for a program" build batches.isampling --set a=1 --out x.graph
refuses 1 "there is no program './absent'" build batches.isampling --exec ./absent --out x.graph
refuses 2 "NAME=VALUE" build batches.isampling --exec ./show.sh --set a --out x.graph

# ---- failures, by hand: the reason is shown, and no folder and no process is left
# ----
mkdir temporary
export TMPDIR="$PWD/temporary"
cat >bad.sh <<'END'
#!/bin/sh
case $1 in
--how=status) echo "no idea" >&2; exit 3 ;;
--how=signal) kill -SEGV $$ ;;
--how=slow) sleep 987 & sleep 987 ;;
--how=leaves) setsid sleep 987 & (setsid setsid sleep 987 &) ; sleep 0.1; exec "$0" --how=good ;;
--how=empty) : ;;
--how=malformed) printf '0x1\tx\t5\n' ;;
--how=blocks) printf '0x1\t0x1\t5\n' ;;
--how=memory) python3 -c 'a = bytearray(1 << 30)' ;;
--how=good) printf '#block 0x1 0x1\n0x1\t0x1\t5\n' ;;
esac
END
chmod +x bad.sh
bad() { # HOW TEXT
    refuses 1 "$2" build batches.isampling --exec ./bad.sh --set "how=$1" --exec-seconds 2 --exec-memory 200 --out bad.graph
    test ! -e bad.graph || fail "$1 leaves a graph"
    test -z "$(ls temporary)" || fail "$1 leaves its folder"
}
bad status "exec-bad ended with status 3: no idea"
bad signal "exec-bad was ended by signal 11"
bad slow "exec-bad ran longer than 2 s"
bad empty "the output of exec-bad is empty"
bad malformed "the output of exec-bad:1: "
bad blocks "no lines '#block ENTRY LAST'"
bad memory "MemoryError"
"$hotgraph" build batches.isampling --exec ./bad.sh --set how=leaves --out bad.graph >/dev/null
for process in /proc/[0-9]*; do
    test "$({ tr '\0' ' ' <"$process/cmdline"; } 2>/dev/null)" != "sleep 987 " || fail "a process goes on: $process"
done

# ---- in a sweep ----
cp "$source/docs/exec/observed.py" mine.py
config() {
    cat >own.cfg <<END
name = "own";
frames = 300;
grid = (
    { technique = "exec"; command = ["python3", "mine.py"]; format = "json"; parameters = { depth = [1, 2]; kind = "a"; }; },
    { technique = "exec"; command = "./bad.sh"; seconds = 2; memory_mib = 200;
      parameters = { how = ["good", "status", "slow", "malformed"]; }; },
    { technique = "gaussian"; window_size = [6]; });
@include "$source/configs/games.cfg"
END
}
config
status=0
"$hotgraph" sweep own.cfg --db own.db --games umbel --jobs 2 >out 2>errors || status=$?
test $status = 1 || fail "status $status: $(cat errors)"
grep -q '^hotgraph: 3 results of a technique.s program failed' errors || fail "failures are not counted: $(cat errors)"
grep -q 'how=status program=[0-9a-f]*: no result: exec-bad ended with status 3: no idea' errors || fail "no reason: $(cat errors)"
grep -q '^umbel: exec-bad: no idea$' errors || fail "standard error is not in the run's log: $(cat errors)"
test "$(ask own.db "SELECT technique, substr(parameters, 1, instr(parameters, 'program=') - 1) FROM results
    WHERE technique LIKE 'exec-%' ORDER BY 1, 2")" = "exec-bad|how=good 
exec-mine|depth=1 kind=a 
exec-mine|depth=2 kind=a " || fail "results: $(ask own.db 'SELECT technique, parameters FROM results ORDER BY 1, 2')"
test "$(ask own.db "SELECT count(*) FROM results m JOIN baseline b USING (game) WHERE m.technique = 'exec-mine'
    AND m.fair_overlap_active = b.fair_overlap_active AND m.edges = b.edges AND m.observed = b.observed")" = 2 ||
    fail "the program's results are not those of observed"

# Again: only failed results are tried. A changed program is computed anew, and its failures are
# forgotten.
"$hotgraph" sweep own.cfg --db own.db --games umbel --dry-run >out || fail "dry run"
grep -q '3 results' out || fail "what is left: $(cat out)"
echo "# changed" >>mine.py
"$hotgraph" sweep own.cfg --db own.db --games umbel --dry-run >out || fail "dry run"
grep -q '5 results' out || fail "a changed program: $(cat out)"
sed -i 's/^--how=status.*/--how=status) echo "repaired" >\&2; exec "$0" --how=good ;;/; s/sleep 987 & sleep 987/exec "$0" --how=good/; s/\\tx\\t/\\t0x1\\t/; s/\(malformed) printf .\)/\1#block 0x1 0x1\\n/' bad.sh
"$hotgraph" sweep own.cfg --db own.db --games umbel >out 2>errors || fail "repaired: $(cat errors)"
test "$(ask own.db "SELECT count(*) FROM results WHERE technique = 'exec-bad'")" = 4 || fail "not all of them: $(cat out)"
"$hotgraph" sweep own.cfg --db own.db --games umbel >out 2>errors || fail "again: $(cat errors)"
grep -q 'nothing to do' out || fail "again: $(cat out)"
"$hotgraph" report own.db --out report >/dev/null || fail "no report"
grep -q exec-mine report/index.html || fail "the report does not name it"

# ---- with numpy ----
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo "without numpy: its example is not run" && exit 0; }
"$hotgraph" exact umbel --frames 300 --out exact.graph >/dev/null
"$hotgraph" build batches.isampling --technique observed --out ours.graph >/dev/null
"$hotgraph" build batches.isampling --exec "/usr/bin/python3 $source/docs/exec/balance.py" --exec-format json --set power=0.5 \
    --out numpy.graph >/dev/null
"$hotgraph" compare numpy.graph exact.graph --json >balanced
"$hotgraph" compare ours.graph exact.graph --json >raw
python3 - <<'END' || fail "numpy: $(cat raw balanced)"
import collections, json
raw, balanced = (json.load(open(f))["active"]["fair"]["overlap"] for f in ("raw", "balanced"))
assert balanced > raw + .01, (raw, balanced)
into, out = collections.Counter(), collections.Counter()
for line in open("numpy.graph"):
    if line[0] != "#":
        source, target, count = line.split()
        out[source] += int(count)
        into[target] += int(count)
both = [b for b in into if b in out]
assert len(both) > 100 and sum(abs(into[b] - out[b]) > 5000 for b in both) < 10, "flow is not conserved"  # of counts times 1,000
END
