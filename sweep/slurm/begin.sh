# The beginning of `submit` and `parallel`: reads CONFIG N [FOLDER], leaves the rest in "$@", and makes
# the folders of a new run: $config, $shards, $folder, $name, $run.
test -x "$hotgraph" || die "$hotgraph: there is no program: 'make program' builds it, or name another in \$HOTGRAPH"
hotgraph=$(realpath "$hotgraph")
config=$(realpath -e "$1") || die "$1: there is no such configuration"
shards=$2
case $shards in '' | *[!0-9]* | 0*) die "'$shards' shards: not a number from 1" ;; esac
mkdir -p "${3:-results/cluster}/parts" || die "${3:-results/cluster} cannot be made"
folder=$(realpath "${3:-results/cluster}")
test $# -lt 3 && shift 2 || shift 3
# What is wrong with the configuration is said here and not N times.
# shellcheck disable=SC2086 # options are words
"$hotgraph" sweep "$config" $options --shard "1/$shards" --db "$folder/none.db" --dry-run >/dev/null || exit 1
name=run-$(date -u +%Y%m%dT%H%M%SZ)-$$
run=$folder/$name
mkdir "$run" "$run/done" "$run/failed" "$run/running" "$run/logs" || die "$run cannot be made"
# Parts of another division are merged first: shards look for their own only, and at all.db.
for part in "$folder/parts"/*.db; do
    case $(basename "$part") in "*.db" | *-of-"$shards".*) continue ;; esac
    say "merging the parts of a sweep in another number of shards first"
    "$here/join" "$config" "$folder" "$name" parts >"$run/merge-before.log" 2>&1 || die "that fails: see $run/merge-before.log"
    break
done
echo "config=$config shards=$shards started=$(date +%s)" >"$run/plan"
echo "$name" >"$folder/.newest" && mv "$folder/.newest" "$folder/newest"
