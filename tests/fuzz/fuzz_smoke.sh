#!/bin/sh
# fuzz_smoke.sh TARGET CORPUS RUNS: a short run of a fuzz target that starts from its committed seeds.
# New finds go to a scratch folder, so that the corpus in the tree stays as it is. A crash leaves
# its input behind and prints where; its exit status, 77, would be that of a test that is skipped.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/new"
"$1" -runs="$3" -seed=1 -max_len=40000 -rss_limit_mb=2048 -print_final_stats=0 \
    -artifact_prefix="${TMPDIR:-/tmp}/$(basename "$1")-" "$scratch/new" "$2" || exit 1
