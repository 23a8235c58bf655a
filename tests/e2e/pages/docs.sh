# README.md and docs/*.md: if this fails, a command there does not work, or a figure there is not the result of its command.
#
# Run as they stand: the commands of each page's blocks, in their order, in one folder where nothing has been done yet, README's first
# (docs_lib.sh says what is shortened); what a page says that they print; its SQL, and the answers beside it. Targets of make, in blocks
# and between backquotes: with one game or program, or in their quick form (make_target says which), with builds played by scripts, as
# the build is there. Those that other tests and .ci/run run whole must only be there: test, install,
# artifact (artifact.sh), paper (paper.sh), games, coverage, cluster (slurm.sh), bench-record (kernels.sh), bench-peers (native_peers.sh), mutants (mutants.py --check, for it takes an hour); bench-native runs nowhere, for even QUICK=1 takes
# minutes. Of other commands between backquotes each command and each option must be known. Every figure has a source, which docs.py
# names.
set -eu
. "$(dirname "$0")/../lib.sh"
! sanitized || skip "a build with sanitizers; each command has a test of its own there"
command -v python3 >/dev/null || skip "no python3"
. "$(dirname "$0")/../docs_lib.sh"
cd "$work"

# A copy of the tree in which no command has run yet.
mkdir bin
ln -s "$hotgraph" bin/hotgraph
for name in games movies README.md programs tests docs; do ln -s "$source/$name" "$name"; done
cp -r "$source/configs" . # which name files beside them
PATH=$work/bin:$PATH
# Files that are built already need not be built again.
mkdir played
printf '#!/bin/sh\nexit 0\n' >played/ninja
printf '#!/bin/sh\nmkdir -p "$2" && touch "$2/build.ninja"\n' >played/meson
printf '#!/bin/sh\nprintf " installed:%%s " "$@"\n' >played/dpkg-query
chmod +x played/*
mkdir build
ln -s "$(dirname "$hotgraph")"/* build/
rm -f build/build.ninja build/programs
# make_target TARGET VARIABLES: as the page says it, for little enough.
make_target() {
    test -n "$1" && grep -q "^$1:" "$source/Makefile" || fail "$page: there is no target 'make $*'"
    case $1 in
    sweep | report | program) set -- "$@" CONFIG="$config" ;;
    studies) set -- "$@" GAMES=mazewisp STUDIES=jitter ;;
    programs) has qemu-x86_64 gcc gzip && test -e build/core/qemu/hotgraph-qemu.so || return 0 && set -- "$@" GAMES=gzip ;;
    optimise) return 0 ;; # record/optimise.sh
    parallel) has parallel || return 0 && set -- "$@" CONFIG=configs/quick.cfg SHARDS=2 ;;
    bench) set -- "$@" QUICK=1 ;;
    help) ;;
    artifact | paper | bench-native | bench-peers | bench-record | bench-adapt | costs | frontier | deb | dist | cluster-status | cluster | test | coverage | games | install | mutants | deps) return 0 ;;
    *) fail "$page: this test does not know 'make $1'" ;;
    esac
    case " $made " in *" $1 "*) return 0 ;; esac
    made="$made $1"
    # The whole is drawn already.
    test "$1" != report || { rm -f made/hotgraph.db* && cp quick.db made/hotgraph.db; }
    PATH=$work/played:$PATH make -f "$source/Makefile" --no-print-directory "$@" RESULTS=made >out 2>errors </dev/null ||
        fail "$page: 'make $*' ends with $?: $(cat out errors)"
}
made=
mkdir made

# Every figure has a source; pages are no longer than they may be.
wrong=$(docs sources) || fail "docs.py: $wrong"
test -z "$wrong" || fail "$wrong"

# step LINE: a command, or what the last one is said to print.
step() {
    case $1 in
    'run make sweep') # as make runs it; then make has nothing to do and says so, and `make report` has its database
        run "hotgraph sweep $config --report results"
        cp -r results/. made/
        make_target sweep
        ;;
    'run make '*) make_target ${1#run make } ;;
    'run alias hotgraph=build/hotgraph') ;;
    'run '*) run_line "${1#run }" ;;
    'out '*)
        test -z "$whole" || tr -s ' \t' ' ' <out | sed 's/^ //; s/ $//' | grep -qxF -e "${1#out }" ||
            fail "$page: it is not printed any more: ${1#out }: $(head -40 out)"
        ;;
    esac
}
docs pages >pages
for page in $(cat pages); do
    docs steps "$page" >steps || fail "$page: $(cat steps)"
    while IFS= read -r line <&3; do step "$line"; done 3<steps
    docs inline "$page" >inline
    while IFS= read -r line <&3; do
        case $line in
        'make '*) make_target ${line#make } ;;
        '' | 'hotgraph COMMAND'* | 'hotgraph --'* | 'hotgraph help'*) ;;
        *) known_words "$line" ;;
        esac
    done 3<inline
done
test "$ran" -ge 40 || fail "only $ran commands were run"
# Every query has an answer; every figure is the result of its query.
for page in $(cat pages); do
    wrong=$(docs answers "$page") || fail "$page: $wrong"
    test -z "$wrong" || fail "$wrong"
done

# Pictures: those that the report draws.
! has dot || for picture in distribution:distribution hot:hot-worst-mazewisp paths:paths-mazewisp; do
    cmp -s "results/figures/${picture#*:}.svg" "$source/docs/report-${picture%:*}.svg" ||
        fail "docs/report-${picture%:*}.svg is not what was drawn: make sweep; cp results/figures/${picture#*:}.svg docs/report-${picture%:*}.svg"
done
