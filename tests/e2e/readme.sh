# README: if this fails, the first thing that somebody types does not work, or a figure there is not what comes out.
#
# Run as they stand: the commands of its blocks, in their order, in a folder where nothing has been done yet (readme_lib.sh says what is
# shortened); its SQL, which must have answers. Targets of make, in blocks and
# between backquotes: with one game or program, or in their quick form (make_target says which), with builds played by scripts, as the
# build is there; under sanitizers they must only be there. So must those that other tests and .ci/run run whole: test, install, games,
# coverage, cluster (slurm.sh), mutants (mutants.py --check, for it takes an hour); bench-native runs nowhere, for even QUICK=1 takes minutes.
# Of other commands between backquotes each command and each option must be known. Figures are held against a sweep of paper.cfg and one of
# golden.cfg; under sanitizers, where they would take minutes, against none.
# Not checked: how long commands take, and figures about native programs.
set -eu
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "no python3"
. "$(dirname "$0")/readme_lib.sh"
cd "$work"
ask() { sqlite3 -readonly results/hotgraph.db "$@"; }

# A tree like ours, in which nothing has been done yet.
mkdir bin
ln -s "$hotgraph" bin/hotgraph
for name in games movies README.md; do ln -s "$source/$name" "$name"; done
cp -r "$source/configs" . # which name files beside them
PATH=$work/bin:$PATH
# What is built already need not be built again.
mkdir played
printf '#!/bin/sh\nexit 0\n' >played/ninja
printf '#!/bin/sh\nmkdir -p "$2" && touch "$2/build.ninja"\n' >played/meson
printf '#!/bin/sh\nprintf " installed:%%s " "$@"\n' >played/dpkg-query
chmod +x played/*
mkdir build
ln -s "$(dirname "$hotgraph")"/* build/
rm -f build/build.ninja build/programs
ln -s "$source/programs" programs
ln -s "$source/tests" tests
# make_target TARGET VARIABLES: as README says it, for little enough.
make_target() {
    test -n "$1" && grep -q "^$1:" "$source/Makefile" || fail "README: there is no target 'make $*'"
    case $1 in
    sweep | report | program) set -- "$@" CONFIG="$config" ;;
    studies) set -- "$@" GAMES=mazewisp STUDIES='jitter replicates' ;;
    programs) has qemu-x86_64 gcc gzip && test -e build/core/qemu/hotgraph-qemu.so || return 0 && set -- "$@" GAMES=gzip ;;
    parallel) has parallel || return 0 && set -- "$@" CONFIG=configs/quick.cfg SHARDS=2 ;;
    bench) set -- "$@" QUICK=1 ;;
    help) ;;
    bench-native | dist | cluster-status | cluster | test | coverage | games | install | mutants | deps) return 0 ;;
    *) fail "README: this test does not know 'make $1'" ;;
    esac
    case " $made " in *" $1 "*) return 0 ;; esac
    made="$made $1"
    sanitized ||
        PATH=$work/played:$PATH make -f "$source/Makefile" --no-print-directory "$@" RESULTS=made >out 2>errors </dev/null ||
        fail "README: 'make $*' ends with $?: $(cat out errors)"
}
made=
mkdir made
$readme commands >commands || fail "README: $(cat commands)"
while read -r line; do
    case $line in
    'make sweep') # as make runs it; `make report` then needs its database
        run "hotgraph sweep $config --report results"
        cp results/hotgraph.db made/
        make_target sweep
        ;;
    "make "*) make_target ${line#make } ;;
    'alias hotgraph=build/hotgraph') ;;
    *) run_line "$line" ;;
    esac
done <commands
test "$ran" -ge 20 || fail "only $ran commands of README were run"

# Between backquotes: there is such a command, and it has such options.
$readme inline >inline
while read -r line; do
    command=$(echo "$line" | cut -d' ' -f2)
    case $line in
    'make '*)
        make_target ${line#make }
        continue
        ;;
    'hotgraph sweep configs/golden.cfg') ! sanitized || continue; run "$line --db golden.db"; continue ;;
    'hotgraph COMMAND '* | 'hotgraph --'*) continue ;;
    'hotgraph native '*) ! sanitized || continue ;; # is not part of such a build
    'hotgraph profile mazewisp '*)
        run "$line --frames 600"
        continue
        ;;
    esac
    hotgraph "$command" --help >help || fail "README: there is no command '$command'"
    for option in $(echo "${line%% -- *}" | grep -o -e '--[a-z-]*'); do
        hotgraph "$command" --help=options >>help 2>&1 || :
        grep -q -e "$option" help || fail "README: '$command' has no $option: $line"
    done
done <inline

# SQL: answers, but for the one question that has none.
$readme queries >queries
test "$(wc -l <queries)" -ge 6 || fail "README has only $(wc -l <queries) questions"
while read -r sql; do
    ask "$sql" >answer || fail "README: no answer to $sql"
    case $sql in
    *'r.similarity > b.similarity'*) test "$config" != configs/paper.cfg || test ! -s answer || fail "$(cat answer)" ;;
    *) test -s answer || fail "README: an empty answer to $sql" ;;
    esac
done <queries

test "$config" = configs/paper.cfg || exit 0

# Pictures: those that the report draws.
! has dot || for picture in distribution:distribution hot:hot-worst-mazewisp paths:paths-mazewisp; do
    cmp -s "results/figures/${picture#*:}.svg" "$source/docs/report-${picture%:*}.svg" ||
        fail "docs/report-${picture%:*}.svg is not what was drawn: make sweep; cp results/figures/${picture#*:}.svg docs/report-${picture%:*}.svg"
done

of="experiment = 'paper' and hot_permille = 900"
pair="select r.game, r.number, r.similarity s, r.similarity_active a, b.similarity bs, b.similarity_active ba from results r
    join baseline b using (experiment, game, variant, hot_permille) where $of and r.number is not null"
json() { ask -json "$1" | tr -d '\n'; }
one() { json "$1" | sed 's/^\[//; s/\]$//'; }
cat >figures.json <<END
{"games": $(json "select game, 100 * min(s) least, 100 * max(s) most, 100 * bs base, 100 * min(a) least_active, 100 * max(a) most_active,
    100 * ba base_active from ($pair) group by game order by game"),
"places": $(ask "select json_group_array(place) from ranked where $of and number = 45"),
"grid": $(ask "select count(distinct number) from ranked where $of"),
"early": $(one "select 100 * min(iif(baseline, similarity, null)) base_least, 100 * max(iif(baseline, similarity, null)) base_most,
    100 * min(iif(number = 45, similarity, null)) least, 100 * max(iif(number = 45, similarity, null)) most
    from convergence_curve where $of and batches = 3000"),
"mean": $(one "select avg(iif(baseline, fair_overlap_active, null)) base_overlap, avg(iif(number = 45, fair_overlap_active, null)) overlap,
    avg(iif(baseline, hot_f1_active, null)) base_f1, avg(iif(number = 45, hot_f1_active, null)) f1 from results where $of"),
"sampled": $(ask "select avg(sampled_percent) from table1 where $of"),
"often": "$(ask "select bin_size || '/' || stdev_threshold || '/' || window_size || '/' || recurrent_threshold from best_configuration
    where number = 45 limit 1")",
"golden": $(sqlite3 -readonly golden.db "select json_array(avg(fair_overlap_active), avg(hot_f1_10_active)) from results where number = 0"),
"as_much": $(ask "select sum(s >= bs or a >= ba) from ($pair)")}
END
wrong=$($readme figures <figures.json) || fail "figures: $(cat figures.json)"
test -z "$wrong" || fail "$wrong"
