# `make install`: if this fails, the program works in its source tree alone, or has no manual where
# people look for one. It is installed as packagers do, under another root, and run from there.
set -eu
. "$(dirname "$0")/lib.sh"
build=$(dirname "$hotgraph")
test -f "$build/build.ninja" || skip "the program is not in a build's folder"
DESTDIR=$work/root meson install -C "$build" --no-rebuild --quiet >"$work/log" 2>&1 || fail "$(cat "$work/log")"
prefix=$work/root$(meson introspect "$build" --buildoptions |
    python3 -c 'import json, sys; print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == "prefix"))')
mkdir "$work/elsewhere"
cd "$work/elsewhere"
installed=$prefix/bin/hotgraph
ours=$hotgraph
hotgraph=$installed

# It finds its games, movies and configurations, from any folder, and plays the same.
"$hotgraph" replay mazewisp --frames 60 --ram-hash hashes >/dev/null || fail "it does not find its games"
"$ours" replay "$source/games/mazewisp.nes" --movie "$source/movies/mazewisp.fm2" --frames 60 --ram-hash ours >/dev/null
same hashes ours
"$hotgraph" sweep configs/quick.cfg --db x.db --dry-run >plan || fail "it does not find its configurations"
for game in $(sed -n 's/.*rom = "..\/games\/\(.*\)\.nes".*/\1/p' "$source/configs/games.cfg"); do
    grep -q "^$game: ROM" plan || fail "$game is not installed"
done
# A file of the same name that is here comes before.
mkdir configs
echo 'name = "mine"; frames = 3;' >configs/quick.cfg
refuses 1 'configs/quick.cfg: has no grid' sweep configs/quick.cfg --db x.db
refuses 1 'none of the kind.cfg: there is no such file' sweep 'none of the kind.cfg' --db x.db

# Every command has a page, which says what --help says.
man=$prefix/share/man/man1
test -s "$man/hotgraph.1" || fail "no page of hotgraph"
for command in $("$hotgraph" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    page=$man/hotgraph-$command.1
    test -s "$page" || fail "no page of $command"
    grep -q "hotgraph.*-$command (1)" "$man/hotgraph.1" || fail "hotgraph(1) does not name $command"
    "$hotgraph" "$command" --help | sed -n 's/^  --\([a-z0-9-]*\).*/\1/p' >options
    test -s options || fail "$command has no options"
    while read -r option; do
        sed 's/\\//g' "$page" | grep -q -e "--$option" || fail "$command(1) lacks --$option"
    done <options
done
test -s "$man/hotgraph-movie-make.1" || fail "no page of movie make"
if command -v groff >/dev/null; then
    for page in "$man"/*.1; do
        LC_ALL=C.UTF-8 groff -man -Kutf8 -Tutf8 -ww "$page" >text 2>warnings || fail "$page: $(cat warnings)"
        test ! -s warnings || fail "$page: $(head -3 warnings)"
    done
    grep -q 'nobody reads standard output' text || fail "$(cat text)"
fi

# Completion, as bash asks for it.
completion=$prefix/share/bash-completion/completions/hotgraph
completes() { # EXPECTED WORDS...: the last word is the one being typed
    expected=$1
    shift
    got=$(bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _hotgraph
        echo "${COMPREPLY[@]}"' bash "$completion" "$hotgraph" "$@") || fail "completion of $*"
    test "$got" = "$expected" || fail "completion of '$*' is '$got', not '$expected'"
}
if command -v bash >/dev/null; then
    completes 'replay report' rep
    completes 'compare' help comp
    completes '--screenshot' replay --scr
    completes 'interp' replay --engine i
    completes '' replay --movie x
    completes 'make' movie ma
    completes '--player' movie make --pl
    completes 'gaussian' build --technique gau
    completes '--window-size' build --technique gaussian --win
    completes '' build --technique observed --win
fi
