# The bundled games are built from their sources, bit for bit: if this fails, a ROM in the tree does
# not match its sources. Another version of cc65 may generate different code, which is only reported.
set -eu
. "$(dirname "$0")/../lib.sh"
command -v cl65 >/dev/null || skip "cc65 is not installed"
known='V2.18 - Debian 2.19-1'
version=$(ca65 --version 2>&1 | sed 's/^ca65 //')
cd "$work"
cp -r "$source/games" .
different=
for makefile in games/*/Makefile; do
    folder=$(dirname "$makefile") name=$(basename "$(dirname "$makefile")")
    test -f "games/$name.nes" || fail "games/$name.nes is not in the tree"
    (cd games && sha1sum -c --quiet "$name.sha1") || fail "games/$name.nes is not what games/$name.sha1 says"
    make -C "$folder" clean >/dev/null 2>&1 || :
    rm -f "games/$name.nes"
    make -C "$folder" OUT="../$name.nes" >make.log 2>&1 || { cat make.log; fail "$name does not build"; }
    (cd games && sha1sum -c --status "$name.sha1") || different="$different $name"
done
test -n "$different" || { echo "all as in the tree, with ca65 $version"; exit 0; }
test "$version" != "$known" || fail "other ROMs than in the tree:$different"
echo "not compared:$different come out differently with ca65 $version; the tree's were made with $known"
