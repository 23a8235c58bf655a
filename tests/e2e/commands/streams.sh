# What would break: a recording in the binary format differs from the same one as text, or a damaged
# recording yields a graph.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"
export HOTGRAPH_GAMES="$source/configs/games.cfg"

# build_both NAME: the same graphs from both forms, by techniques that use different parts of a
# stream.
build_both() {
    for technique in gaussian observed; do
        options=; test $technique = observed || options="--window-size 2"
        for form in isampling hgstream; do
            "$hotgraph" build "$1.$form" --technique $technique $options --out "$form.graph" >/dev/null
        done
        same isampling.graph hgstream.graph
    done
    text=$(wc -c <"$1.isampling") binary=$(wc -c <"$1.hgstream")
    test $((binary * 6)) -le "$text" || fail "$1: $binary bytes, more than a sixth of $text"
}

for way in "" "--weigh" "--by transfers --every 90"; do
    for form in isampling hgstream hgstream.gz; do
        "$hotgraph" sample mazewisp --frames 900 $way --out game.$form >/dev/null
    done
    build_both game
    "$hotgraph" build game.hgstream.gz --technique observed --out gz.graph >/dev/null
    same gz.graph hgstream.graph
    "$hotgraph" build /dev/stdin --technique observed --out file.graph <game.hgstream >/dev/null
    same file.graph hgstream.graph
    # shellcheck disable=SC2002 # a pipe, and no file
    cat game.hgstream | "$hotgraph" build /dev/stdin --technique observed --out pipe.graph >/dev/null
    same pipe.graph hgstream.graph
done

# When a file is read, its name does not matter.
cp game.hgstream renamed.isampling.gz
"$hotgraph" build renamed.isampling.gz --technique observed --out renamed.graph >/dev/null
same renamed.graph hgstream.graph

# Configurations accept both, with the same results.
"$hotgraph" sample mazewisp --frames 400 --out s.isampling >/dev/null
"$hotgraph" sample mazewisp --frames 400 --out s.hgstream >/dev/null
"$hotgraph" exact mazewisp --frames 400 --out exact.graph >/dev/null
for form in isampling hgstream; do
    cat >$form.cfg <<CFG
grid = { stdev_threshold = [8, 15]; window_size = [6]; };
games = ( { name = "foreign"; stream = "s.$form"; graph = "exact.graph"; } );
CFG
    "$hotgraph" sweep $form.cfg --db $form.db --jobs 1 >$form.out 2>&1 || fail "$(cat $form.out)"
    sed -n 's/^digest //p' $form.out >$form.digest
    test -s $form.digest || fail "no digest: $(cat $form.out)"
done
same isampling.digest hgstream.digest

# Damage.
head -c 1000 game.hgstream >short.hgstream
refuses 1 'short.hgstream: ' build short.hgstream --out none.graph
head -c 5 game.hgstream >start.hgstream
refuses 1 'start.hgstream: ' build start.hgstream --out none.graph
{ head -c 500 game.hgstream; printf '\377\001'; tail -c +503 game.hgstream; } >changed.hgstream
refuses 1 'checksum' build changed.hgstream --out none.graph
head -c 1000 game.hgstream.gz >short.hgstream.gz
refuses 1 'short.hgstream.gz: ' build short.hgstream.gz --out none.graph
test ! -e none.graph || fail "a graph of a damaged recording"

# A real program.
if command -v qemu-x86_64 >/dev/null && test "$(uname -m)" = x86_64 && test -x /usr/bin/gzip; then
    head -c 100000 "$source/README.md" >input
    "$hotgraph" record --stream program.isampling:every=200 --stream program.hgstream:every=200 \
        --input input --output /dev/null -- /usr/bin/gzip -9 2>/dev/null
    build_both program
fi

# More than 2 GiB of text: lengths and positions of 32 bits would overflow. None of it is stored on the
# disk.
long=$source/tests/data/gfcgaussiano/synthetic-b.isampling.gz
mkfifo much
python3 - "$long" >much <<'END' &
import gzip, sys
lines, pad, size = gzip.open(sys.argv[1]), b"x" * 60000 + b"\n", 0
for i, line in enumerate(lines):
    size += sys.stdout.buffer.write(line if i == 0 else line[:-1] + pad)
open("size", "w").write(str(size))
END
"$hotgraph" build much --technique observed --out much.graph >/dev/null || fail "more than 2 GiB of text"
wait $!
test "$(cat size)" -gt 2147483648 || fail "only $(cat size) bytes"
"$hotgraph" build "$long" --technique observed --out long.graph >/dev/null
cmp much.graph long.graph || fail "of more than 2 GiB of text comes another graph"
