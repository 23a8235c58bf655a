# Shared by the tests of sweeps, after lib.sh: an experiment on foreign pairs that takes a second
# or two, in experiment.cfg.
cd "$work"

# pair NAME STREAM [KEYS]: prints a foreign pair; the baseline's graph serves as the exact one.
pair() {
    test -f "$2.graph" || "$hotgraph" build "$source/tests/data/gfcgaussiano/$2.isampling.gz" \
        --technique observed --out "$2.graph" >/dev/null
    printf '{ name = "%s"; stream = "%s"; graph = "%s.graph"; instructions = 1000000; %s }' \
        "$1" "$source/tests/data/gfcgaussiano/$2.isampling.gz" "$2" "${3:-}"
}

# experiment FILE: writes a configuration with the paper's grid on three pairs.
experiment() {
    sed '/^@include/d' "$source/configs/paper.cfg" >"$1"
    {
        echo "games = ("
        pair one overlap-a && echo ,
        pair three synthetic-a 'untested = true;' && echo ,
        pair two synthetic-b
        echo ");"
    } >>"$1"
}
experiment experiment.cfg

# ask DB SQL
ask() {
    sqlite3 -readonly "$1" "$2"
}

# sweep ARGS...: runs a sweep, which must succeed; sets $digest, of the whole or a part, and keeps the output in out.
sweep() {
    "$hotgraph" sweep "$@" >out 2>errors || fail "sweep $*: $(cat out errors)"
    digest=$(sed -n 's/^digest \(of this part (.*): \)\{0,1\}//p' out)
}
