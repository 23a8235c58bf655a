# What would break: docs/metrics.md explains the metrics by figures that the program does not give.
set -u
hotgraph=$(realpath "$1") root=$(realpath "$2")
cd "$root" || exit 1
"$hotgraph" compare tests/data/metrics/G.graph tests/data/metrics/H.graph >/tmp/metrics.$$ || exit 1
# Each row "| metric | formula | ... figure |" against the first of that name since the heading.
part=paper status=0
while IFS= read -r line; do
    case $line in
    "## The fair metrics") part=fair ;;
    "| "*"|"*"|"*"|")
        name=$(printf '%s' "$line" | sed 's/^| *\([a-z0-9_]*\) .*/\1/')
        figure=$(printf '%s' "$line" | sed 's/\\|//g' | grep -o '[01]\.[0-9]\{4\} *|$' | grep -o '[01]\.[0-9]*')
        [ -n "$figure" ] || continue
        ours=$(awk -v part=$part -v name="$name" '$1 == "fair" {fair = 1} $1 == name && (fair == 1) == (part == "fair") {print $2}' /tmp/metrics.$$)
        [ "$ours" = "$figure" ] || { echo "FAIL: $name ($part) is $ours, the page says $figure"; status=1; }
        checked=$((${checked:-0} + 1)) ;;
    esac
done <docs/metrics.md
rm -f /tmp/metrics.$$
[ "${checked:-0}" = 12 ] || { echo "FAIL: ${checked:-0} of 12 figures were checked"; status=1; }
exit $status
