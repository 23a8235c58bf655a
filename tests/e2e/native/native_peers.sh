#!/bin/sh
# What would break: `make bench-peers` cannot measure, or says that a graph is exact that is not the one that QEMU counts.
. "$(dirname "$0")/../record_lib.sh"
"$hotgraph" help native >/dev/null 2>&1 || skip "no probes in this build"
command -v gcc >/dev/null && command -v readelf >/dev/null || skip "no compiler"
python3 "$source/tests/bench/bench_peers.py" --quick --db p.db "$hotgraph" "$source" >table 2>errors || fail "bench_peers.py: $(cat errors)"
rows() { "$hotgraph" results "$1" --view native_peers | grep "^$2,$3,"; } # program,tool,rounds,alone_ms,ratio,work_ratio,edges,equal,wrong
rows p.db '[a-z]*' graph >graphs
[ "$(wc -l <graphs)" -ge 1 ] || fail "no graphs: $(cat table errors)"
awk -F, '$7 != $8 || $7 < 100 || $9 != 0 { print; wrong = 1 } END { exit wrong }' graphs || fail "graphs that are not exact: $(cat errors)"
rows p.db '[a-z]*' libraries >with
[ "$(wc -l <with)" = "$(wc -l <graphs)" ] || fail "with libraries: $(cat table errors)"
awk -F, '$7 != $8 || $7 < 100 || $9 != 0 { print; wrong = 1 } END { exit wrong }' with || fail "graphs with libraries that are not exact: $(cat errors)"
grep -q '^| *| graph | libraries |' table || fail "no column for libraries: $(cat table)"
grep -q '^| geometric mean | [0-9.]* ([0-9.]*) |' table || fail "no mean: $(cat table)"
grep -q '^| graph | [0-9,]* of [0-9,]* |' table || fail "no edges: $(cat table)"
if command -v valgrind >/dev/null; then rows p.db gzip callgrind | awk -F, '$7 > 100 { found = 1 } END { exit !found }' || fail "callgrind: $(cat table errors)"; fi
if [ -x /usr/lib/llvm-19/bin/llvm-bolt ]; then rows p.db kernels bolt | awk -F, '$7 > 100 { found = 1 } END { exit !found }' || fail "bolt: $(cat table errors)"; fi
# A count that is changed is seen.
cat >liar <<'END'
#!/bin/sh
"$TRUE_HOTGRAPH" "$@" || exit
[ "$1" = native ] && sed -i 's/\(^0x[0-9a-f]*	0x[0-9a-f]*	[0-9]*\)7	/\18	/' graph.graph
exit 0
END
sed -i "s|\"\$TRUE_HOTGRAPH\"|'$hotgraph'|" liar && chmod +x liar
TOOLS=graph python3 "$source/tests/bench/bench_peers.py" --quick --db l.db "$work/liar" "$source" kernels >table 2>errors || fail "with wrong counts: $(cat errors)"
rows l.db kernels graph | awk -F, '{ found = $7 != $8 && $9 > 0 } END { exit !found }' || fail "wrong counts are not seen: $(cat table)"
[ "$("$hotgraph" results l.db --view native_peers | cut -d, -f2 | sort -u | grep -vx tool)" = graph ] || fail "other tools than TOOLS: $("$hotgraph" results l.db --view native_peers)"
