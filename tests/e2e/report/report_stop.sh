# A report that takes long is stopped: if this fails, Ctrl-C, or a cluster's time limit, waits for gnuplot,
# and what was computed before seems lost.
set -eu
. "$(dirname "$0")/../lib.sh"
command -v gnuplot >/dev/null || skip "no gnuplot"
cd "$work"
# A gnuplot that never ends, and says where it is.
mkdir bin
cat >bin/gnuplot <<'END'
#!/bin/sh
echo $$ >"$CHILD"
exec sleep 100000
END
chmod +x bin/gnuplot
export CHILD=$work/child
id=
cleanup() {
    for pid in $id $(cat "$CHILD" 2>/dev/null); do kill -9 "$pid" 2>/dev/null || :; done
}
for signal in INT:130 TERM:143; do
    rm -f "$CHILD"
    PATH=$work/bin:$PATH env --default-signal=INT "$hotgraph" sweep "$source/configs/quick.cfg" \
        --games mazewisp --db x.db --report tables --jobs 2 >out 2>errors &
    id=$!
    begun test -s "$CHILD"
    stopped_by $signal x.db
    kill -0 "$(cat "$CHILD")" 2>/dev/null && fail "gnuplot goes on"
    find tables -name '*.part' | grep . && fail "half a picture stays"
    id=
done
# The same command goes on from there, and has only the report to make.
"$hotgraph" sweep "$source/configs/quick.cfg" --games mazewisp --db x.db --report tables >out
grep -q 'nothing to do' out || fail "$(cat out)"
test -s tables/index.html || fail "no page"
