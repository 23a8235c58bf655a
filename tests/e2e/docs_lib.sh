# Runs the commands of README.md and docs/*.md, one after the other, in a folder of their own; for docs.sh and
# install.sh, after lib.sh. Commands run unchanged, except as run_line says. $ran counts them; $whole: nothing was shortened.
ran=0 frames= config=configs/paper.cfg
docs() { python3 "$source/tests/e2e/pages/docs.py" "$source" "$@"; }
has() { for tool in "$@"; do command -v "$tool" >/dev/null || return 1; done; }

# run COMMAND: runs it in a shell, with its output in the file out.
run() {
    status=0
    sh -c "$1" >out 2>errors </dev/null || status=$?
    test "$status" = 0 || fail "$page: '$1' ends with $status: $(tail -5 errors)"
    ran=$((ran + 1)) whole=1
}
# shorter COMMAND: runs a command that differs from the page's.
shorter() { run "$1" && whole=; }

# run_line COMMAND: runs a command that calls hotgraph. Shortens lockstep to 30 frames, bench and native to little work, shards to those of
# configs/quick.cfg; where $frames is set
# (install.sh), games to that many. Skips what needs QEMU, Graphviz, BOLT or perf if they are not installed.
run_line() {
    case $1 in
    'cat '*) ;;
    *) whole= ;;
    esac
    case $1 in
    'hotgraph record '* | *'hotgraph record '*) ! has qemu-x86_64 gzip || run "$1" ;;
    'gcc '*) ! has gcc || run "$1" ;;
    'hotgraph build kernels'* | 'hotgraph export '*) test ! -s kernels.structure || run "$1" ;;
    'llvm-bolt-19 '*) test ! -s kernels.fdata || ! has llvm-bolt-19 || run "$1" ;;
    'hotgraph lockstep mazewisp'*) shorter "$1 --frames 30 --way dbt" ;;
    'hotgraph lockstep '* | 'hotgraph testrom '* | 'perf '* | 'valgrind '*) known_words "$1" ;; # what they play is not here
    'hotgraph native '*) ! has gzip || ! hotgraph help native >/dev/null 2>&1 || run "$1" ;;
    'hotgraph bench '*) shorter "$1 --games mazewisp --rounds 1 --frames 10" ;;
    'hotgraph sweep configs/'*--dry-run) run "$1" ;;
    'hotgraph sweep configs/quick.cfg'*) run "$1" ;;
    # Parts, and what is made of them: shards.sh has the whole experiment in parts.
    'hotgraph sweep configs/paper.cfg --shard '* | 'hotgraph sweep configs/paper.cfg --db whole.db'*)
        shorter "$(echo "$1" | sed 's,configs/paper.cfg,configs/quick.cfg,')" ;;
    'hotgraph sweep configs/paper.cfg'*) test "$config" = configs/paper.cfg && run "$1" || shorter "$(echo "$1" | sed "s,configs/paper.cfg,$config,")" ;;
    'hotgraph sweep configs/golden.cfg'* | 'hotgraph sweep configs/techniques.cfg --where'* | 'hotgraph sweep configs/worth.cfg --where'*)
        if test -n "$frames"; then shorter "$1 --dry-run"; else run "$1"; fi ;;
    'hotgraph sweep configs/live-short.cfg'* | 'hotgraph sweep configs/decay.cfg'* | 'hotgraph sweep configs/bursts.cfg'*) if test -n "$frames"; then shorter "$1 --dry-run"; else run "$1"; fi ;;
    'hotgraph results techniques.db'* | 'hotgraph results results/optimise.db'*) known_words "$1" ;; # which is not computed here
    'hotgraph sweep configs/'[a-z]*.cfg*--db*) shorter "$1 --dry-run" ;; # minutes: their tests are studies and programs.sh
    'hotgraph optimise configs/'*) known_words "$1" ;; # record/optimise.sh
    'hotgraph sweep '*) run "$1" ;;
    *' && dot '*) if has dot; then run "$1"; else shorter "${1%% && dot*}"; fi ;;
    'hotgraph profile gzip.hgtrace'*) test ! -s gzip.hgtrace || run "$1" ;;
    'hotgraph sample '* | 'hotgraph exact '* | 'hotgraph structure '* | 'hotgraph profile '*)
        if test -n "$frames"; then shorter "$1 --frames $frames"; else run "$1"; fi ;;
    'dot '*) ! has dot || run "$1" ;;
    'hotgraph '* | 'sqlite3 '* | 'sed '*) run "$1" ;;
    *) fail "$page has a command that this test does not know: $1" ;;
    esac
}

# known_words COMMAND: checks that the command and its options exist.
known_words() {
    words=$(echo "$1" | sed 's/.*hotgraph //')
    command=$(echo "$words" | cut -d' ' -f1)
    hotgraph "$command" --help >help || fail "$page: there is no command '$command'"
    for option in $(echo "${words%% -- *}" | grep -o -e ' --[a-z-]*'); do
        hotgraph "$command" --help=options >>help 2>&1 || :
        grep -q -e "$option" help || fail "$page: '$command' has no $option: $1"
    done
}
