# A long report is stopped: if this fails, Ctrl-C, or a cluster's time limit, waits for gnuplot or dot, their processes
# stay behind, files are left over, or earlier results seem lost.
set -eu
. "$(dirname "$0")/../lib.sh"
command -v gnuplot >/dev/null || skip "no gnuplot"
cd "$work"
mkdir scratch gnuplot dot
export TMPDIR=$work/scratch CHILD=$work/child
# Each runs forever, starts a process of its own, and writes both process ids. The first ignores SIGTERM.
for name in gnuplot dot; do
    cat >$name/$name <<'END2'
#!/bin/sh
[ "${0##*/}" = dot ] || trap '' TERM
sleep 100000 &
echo $$ $! >"$CHILD.part"
mv "$CHILD.part" "$CHILD"
while :; do wait; done
END2
    chmod +x $name/$name
done
id=
cleanup() {
    for pid in $id $(cat "$CHILD" 2>/dev/null); do kill -9 "$pid" 2>/dev/null || :; done
}
# starts TOOL ARGS...: runs hotgraph ARGS until it waits for the tool.
starts() {
    rm -f "$CHILD"
    PATH=$work/$1:$PATH
    shift
    env --default-signal=INT,HUP "$hotgraph" "$@" >out 2>errors &
    id=$!
    PATH=${PATH#*:}
    begun test -s "$CHILD"
}
# nothing_left FOLDER: no programs and no temporary files are left.
nothing_left() {
    id=
    gone $(cat "$CHILD")
    find "$1" -name '*.part' | grep . && fail "half a picture stays"
    test -z "$(ls scratch)" || fail "left in \$TMPDIR: $(ls scratch)"
}

for signal in INT:130 TERM:143; do
    starts gnuplot sweep "$source/configs/quick.cfg" --games mazewisp --db x.db --report tables --jobs 2
    stopped_by $signal x.db
    nothing_left tables
done
# The same command continues from there, and only makes the report.
"$hotgraph" sweep "$source/configs/quick.cfg" --games mazewisp --db x.db --report tables >out
grep -q 'nothing to do' out || fail "$(cat out)"
test -s tables/index.html || fail "no page"

# The report alone, where either tool hangs.
for tool in gnuplot dot; do
    command -v $tool >/dev/null || continue
    for signal in INT:130 TERM:143 HUP:129; do
        starts $tool report x.db --out again
        kill -"${signal%:*}" $id
        status=0
        wait $id || status=$?
        test $status = "${signal#*:}" || fail "$tool, SIG${signal%:*}: exit status $status: $(cat errors)"
        grep -q "^hotgraph: x.db: the report was stopped by signal $((${signal#*:} - 128)) (.*); .*: run the same command again$" errors ||
            fail "$tool, SIG${signal%:*}: $(cat errors)"
        test "$(wc -l <errors)" = 1 || fail "more than one line: $(cat errors)"
        nothing_left again
    done
    # SIGKILL cannot be handled, but the started programs must end.
    starts $tool report x.db --out again
    kill -9 $id
    wait $id 2>/dev/null || :
    id=
    gone $(cat "$CHILD")
    test -z "$(ls scratch)" || fail "SIGKILL: left in \$TMPDIR: $(ls scratch)"
done
"$hotgraph" report x.db --out again >/dev/null || fail "not written anew"
diff -r tables again | grep -v 'Only in tables: stamp.txt' && fail "the report that was stopped is another"
find again -name '*.part' | grep . && fail "half a picture stays for ever"
exit 0
