# README's commands, as somebody types them one after the other in a folder of their own; for readme.sh and install.sh. After lib.sh.
# Run as they stand, but for what run_line says. $ran counts them.
ran=0 frames=18000 config=configs/paper.cfg
sanitized && frames=600 config=configs/quick.cfg
readme="python3 $source/tests/e2e/readme.py $source/README.md"
has() { for tool in "$@"; do command -v "$tool" >/dev/null || return 1; done; }

# run COMMAND: as a shell would.
run() {
    status=0
    sh -c "$1" >out 2>errors </dev/null || status=$?
    test "$status" = 0 || fail "README: '$1' ends with $status: $(tail -5 errors)"
    ran=$((ran + 1))
}

# run_line COMMAND: one that calls hotgraph. Shortened: lockstep to 30 frames; under sanitizers, where they would take minutes, games to
# 600 frames and sweeps. Not run: record where QEMU is not installed; dot where Graphviz is not.
run_line() {
    case $1 in
    'hotgraph record '*) ! has qemu-x86_64 || run "$1" ;;
    'hotgraph lockstep '*) run "$1 --frames 30 --way dbt" ;;
    'hotgraph sweep configs/paper.cfg'*) run "$(echo "$1" | sed "s,configs/paper.cfg,$config,")" ;;
    'hotgraph sweep '*--dry-run) run "$1" ;;
    'hotgraph sweep '*) if sanitized; then run "$1 --dry-run"; else run "$1"; fi ;;
    *' && dot '*) if has dot; then run "$1"; else run "${1%% && dot*}"; fi ;;
    'hotgraph sample '* | 'hotgraph exact '* | 'hotgraph structure '*) run "$1 --frames $frames" ;;
    'hotgraph replay mazewisp --movie mine.fm2 '*) run "$1" && test -s middle.png || fail "README: no picture from '$1'" ;;
    'hotgraph '* | 'sqlite3 '*) run "$1" ;;
    *) fail "README has a command that this test does not know: $1" ;;
    esac
}
