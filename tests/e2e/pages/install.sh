# `make install`: if this fails, the program works in its source tree alone, or has no manual where
# people look for one. It is installed as packagers do, under another root, into a folder whose name has
# blanks and a quote; the folder is moved, the source tree is hidden, and every command of README's and of the pages for users is run.
set -eu
. "$(dirname "$0")/../lib.sh"
! sanitized || skip "a build with sanitizers, which nobody installs"
build=$(dirname "$hotgraph")
test -f "$build/build.ninja" || skip "the program is not in a build's folder"
command -v python3 >/dev/null || skip "no python3"
. "$(dirname "$0")/../docs_lib.sh"
DESTDIR="$work/ro'ot 1" meson install -C "$build" --no-rebuild --quiet >"$work/log" 2>&1 || fail "$(cat "$work/log")"
usual=$(meson introspect "$build" --buildoptions |
    python3 -c 'import json, sys; print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == "prefix"))')
prefix="$work/it's moved"
mv "$work/ro'ot 1$usual" "$prefix"
mkdir "$work/elsewhere"
cd "$work/elsewhere"
installed=$prefix/bin/hotgraph
ours=$hotgraph
hotgraph=$installed

# Everything is installed: each configuration, expected result and page.
for file in "$source"/configs/* "$source"/movies/* "$source"/programs/*; do
    cmp -s "$file" "$prefix/share/hotgraph/${file#"$source"/}" || fail "${file#"$source"/} is not installed"
done
for file in "$source"/docs/* "$source/README.md" "$source/LICENSE" "$source/CITATION.cff"; do
    diff -rq "$file" "$prefix/share/doc/hotgraph/${file#"$source"/}" >/dev/null || fail "${file#"$source"/} is not installed"
done
for file in $(sed -n 's/.*\(input\|folder\) = "\.\.\/\(build[^"]*\)".*/\2/p' "$source/configs/recorded.cfg" | sort -u); do
    test -e "$prefix/share/hotgraph/$file" || fail "$file is not installed"
done

# It finds its games, movies and configurations, from any folder, and plays the same.
"$hotgraph" replay mazewisp --frames 60 --ram-hash hashes >/dev/null || fail "it does not find its games"
"$ours" replay "$source/games/mazewisp.nes" --movie "$source/movies/mazewisp.fm2" --frames 60 --ram-hash ours >/dev/null
same hashes ours
"$hotgraph" sweep configs/quick.cfg --db x.db --dry-run >plan || fail "it does not find its configurations"
for game in $(sed -n 's/.*rom = "..\/games\/\(.*\)\.nes".*/\1/p' "$source/configs/games.cfg"); do
    grep -q "^$game: ROM" plan || fail "$game is not installed"
done
# A file of the same name in the current folder takes precedence.
mkdir configs
echo 'name = "mine"; frames = 3;' >configs/quick.cfg
refuses 1 'configs/quick.cfg: has no grid' sweep configs/quick.cfg --db x.db
refuses 1 'none of the kind.cfg: there is no such file' sweep 'none of the kind.cfg' --db x.db


# Commands of README and of the pages for users, in an empty folder, by a shell for which the sources and the build are hidden, if that is possible.
for page in README.md docs/games.md docs/programs.md docs/configuration.md docs/findings.md; do
    docs steps "$page"
done | sed -n 's/^run //p' >"$work/commands"
cp "$source/tests/e2e/lib.sh" "$source/tests/e2e/docs_lib.sh" "$work"
cat >"$work/typed.sh" <<'END'
set -eu
here=$3
. "$here/lib.sh"
. "$here/docs_lib.sh"
mkdir "$work/path" "$work/empty"
ln -s "$hotgraph" "$work/path/hotgraph"
cd "$work/empty"
PATH=$work/path:$PATH frames=1200 config=configs/quick.cfg
page=README.md
while read -r line; do
    case $line in
    'make sweep') run "hotgraph sweep $config --report results" ;; # as README says
    'make '* | 'alias hotgraph='*) ;;
    'hotgraph sweep configs/sampling.cfg --where'* | 'hotgraph sweep configs/golden.cfg'*) run "$line --dry-run" ;; # docs.sh runs them whole
    *README.md) ;; # these record or compress a page, which is missing here
    gcc\ * | *kernels*) ;; # their sources are missing here; docs.sh builds and records them
    *) run_line "$line" ;;
    esac
done <"$here/commands"
test "$ran" -ge 20 || fail "only $ran commands were run"
run 'hotgraph sweep configs/quick.cfg --db again.db'
grep -q '^reproduced: ' out || fail "installed, it finds something else: $(cat out)"
run 'hotgraph bench configs/bench_live.cfg --games mazewisp --rounds 1 --frames 10 --db bench.db'
! hotgraph help native >/dev/null 2>&1 || ! has gzip || run 'hotgraph native -- gzip -c mazewisp.graph' # not part of every build
if has qemu-x86_64 gzip; then
    run 'hotgraph sweep configs/programs.cfg --games gzip --where bin_size=10 --where window_size=13 --db programs.db'
    grep -q '^gzip ' out || fail "no program is swept: $(cat out)"
else
    echo "not tested: recording programs (package qemu-user)"
fi
# The scripts for clusters, with a Slurm that runs its jobs at once.
cat >"$work/path/sbatch" <<'SBATCH'
#!/bin/sh
last=
for word in "$@"; do
    case $word in --array=1-*) last=${word#--array=1-} ;; --wrap=*) command=${word#--wrap=} ;; esac
done
for SLURM_ARRAY_TASK_ID in $(seq "${last:-1}"); do
    export SLURM_ARRAY_TASK_ID
    sh -c "$command" >&2 || exit
done
echo 1
SBATCH
chmod +x "$work/path/sbatch"
slurm=$(dirname "$hotgraph")/../share/hotgraph/slurm
"$slurm/submit" configs/quick.cfg 2 cluster >submitted 2>&1 || fail "installed, submit: $(cat submitted)"
"$slurm/status" cluster >said || fail "installed, status: $(cat said)"
grep -q '^cluster: 2 shards (job 1): 2 done' said && grep -q '^merged into cluster/all.db (job 1): digest ' said || fail "$(cat said)"
run 'hotgraph sweep configs/quick.cfg --db cluster/all.db'
grep -q '^nothing to do' out && grep -q '^reproduced: ' out || fail "installed, a cluster finds something else: $(cat out)"
END
cat >"$work/hidden.sh" <<'END'
mount -t tmpfs none "$1" && { test ! -e "$2" || mount -t tmpfs none "$2"; } || exit 99
shift 2
exec sh "$@"
END
alone=
for way in 'unshare -m' 'unshare -rm'; do
    test -n "$alone" || ! $way sh "$work/hidden.sh" "$source" "$build" -c : 2>/dev/null || alone=$way
done
if test -n "$alone"; then
    $alone sh "$work/hidden.sh" "$source" "$build" "$work/typed.sh" "$installed" "$source" "$work" || fail "away from its sources, see above"
else
    echo "not tested: that nothing is read from the sources (mounting over them is not allowed)"
    sh "$work/typed.sh" "$installed" "$source" "$work" || fail "see above"
fi

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
    grep -q 'closed by its reader' text || fail "$(cat text)"
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
