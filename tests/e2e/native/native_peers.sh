#!/bin/sh
# What would break: `make bench-peers` cannot measure, or says that a graph is exact that is not the one that QEMU counts.
. "$(dirname "$0")/../record_lib.sh"
"$hotgraph" help native >/dev/null 2>&1 || skip "no probes in this build"
command -v gcc >/dev/null && command -v readelf >/dev/null || skip "no compiler"
python3 "$source/tests/bench/bench_peers.py" --quick "$hotgraph" "$source" >table 2>errors || fail "bench_peers.py: $(cat errors)"
grep '  graph  ' table | grep -v '^mean' >graphs
[ "$(wc -l <graphs)" -ge 1 ] || fail "no graphs: $(cat table errors)"
awk '$5 != $7 || $7 < 100 || $8 != 0 { print; wrong = 1 } END { exit wrong }' graphs || fail "graphs that are not exact: $(cat errors)"
grep -q '^mean  *graph  *[0-9.]* *[0-9.]*  *of .* needs nothing' table || fail "no mean: $(cat table)"
if command -v valgrind >/dev/null; then grep -q '^gzip  *callgrind .* of [1-9]' table || fail "callgrind: $(cat table errors)"; fi
if [ -x /usr/lib/llvm-19/bin/llvm-bolt ]; then grep -q '^kernels  *bolt .* of [1-9]' table || fail "bolt: $(cat table errors)"; fi
# A count that is changed is seen.
cat >liar <<'END'
#!/bin/sh
"$TRUE_HOTGRAPH" "$@" || exit
[ "$1" = native ] && sed -i 's/\(^0x[0-9a-f]*	0x[0-9a-f]*	[0-9]*\)7	/\18	/' graph.graph
exit 0
END
sed -i "s|\"\$TRUE_HOTGRAPH\"|'$hotgraph'|" liar && chmod +x liar
python3 "$source/tests/bench/bench_peers.py" --quick "$work/liar" "$source" kernels >table 2>errors || fail "with wrong counts: $(cat errors)"
awk '$2 == "graph" && $1 == "kernels" { found = $5 != $7 && $8 > 0 } END { exit !found }' table || fail "wrong counts are not seen: $(cat table)"
