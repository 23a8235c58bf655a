# Shared by the tests of sweeps on clusters, after lib.sh and sweep_lib.sh: a script around the program
# that can hold a shard: while a file held-I exists, the first attempt at shard I that gets this far waits
# before its sweep, after creating a file at-I. (A loaded node can fail to start an attempt, so the first one
# to get here is not always Slurm's first.)
real=$hotgraph
cat >hotgraph <<END
#!/bin/sh
case " \$* " in *" --dry-run "*) ;; *" sweep "*" --shard "*)
    shard=\${*##*--shard }
    shard=\${shard%%/*}
    if test -e "$work/held-\$shard" && mkdir "$work/at-\$shard" 2>/dev/null; then
        while test -e "$work/held-\$shard"; do sleep 0.1; done
    fi ;;
esac
exec "$real" "\$@"
END
chmod +x hotgraph
HOTGRAPH=$work/hotgraph
export HOTGRAPH
slurm=$source/sweep/slurm

# until_true COMMAND...: waits until the command succeeds. A loaded machine gets five minutes for what takes a second
# elsewhere. Prints the result of `situation`, which a test can define, if that is not enough.
until_true() {
    tries=3000
    until "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        test $tries -gt 0 || fail "never: $*: $(tail -n 20 log 2>/dev/null; situation 2>&1)"
        sleep 0.1
    done
}
situation() { :; }
# whole DB: checks that it has all results of experiment.cfg, with the expected digest.
whole() {
    sweep experiment.cfg --db "$1"
    grep -q '^nothing to do' out || fail "$1 lacks something: $(cat out)"
    test "$digest" = "$expected" || fail "$1: digest $digest, not $expected"
}
