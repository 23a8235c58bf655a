# shellcheck shell=sh
# Shared start of `submit` and `parallel`: reads CONFIG N [FOLDER], leaves the rest in "$@", and creates
# the folders of a new run: $config, $shards, $folder, $name, $run. `announce` makes it the newest.
test -x "$hotgraph" || die "$hotgraph: there is no program: 'make program' builds it, or name another in \$HOTGRAPH"
hotgraph=$(realpath -- "$hotgraph")
config=$1
in_tree || test -e "$config" || test ! -e "$here/../$config" || config=$here/../$config # installed
config=$(realpath -e -- "$config") || die "$1: there is no such configuration"
shards=$2
case $shards in '' | *[!0-9]* | 0*) die "'$shards' shards: not a number from 1" ;; esac
folder=${3:-results/cluster}
for path in "$1" "$folder" "$hotgraph" "$here"; do
    case $path in *"$newline") die "a path that ends with a newline is not taken: '$path'" ;; esac
done
mkdir -p -- "$folder/parts" || die "$folder cannot be made"
folder=$(realpath -- "$folder")
test $# -lt 3 && shift 2 || shift 3
# Errors in the configuration are reported here once, not by each of N tasks.
(sweep --shard "1/$shards" --db "$folder/none.db" --dry-run) >/dev/null || exit 1
name=run-$(date -u +%Y%m%dT%H%M%SZ)-$$
run=$folder/$name
mkdir "$run" "$run/done" "$run/failed" "$run/running" "$run/logs" || die "$run cannot be made"
# Merge the parts of another division first: a shard only reads its own part and all.db.
for part in "$folder/parts"/*.db; do
    case $(basename -- "$part") in "*.db" | *-of-"$shards".*) continue ;; esac
    say "merging the parts of a sweep in another number of shards first"
    "$here/join" "$config" "$folder" "$name" parts >"$run/merge-before.log" 2>&1 || die "that fails: see $run/merge-before.log"
    break
done
# announce LINE...: announces the run: `status` reads the lines, one per value. CONFIG comes last,
# since it may contain anything.
announce() {
    printf '%s\n' "shards=$shards" "started=$(date +%s)" "$@" "config=$config" >"$run/plan" &&
        printf '%s\n' "$name" >"$folder/.newest.$$" && mv -T -- "$folder/.newest.$$" "$folder/newest" ||
        die "$folder cannot be written"
}
