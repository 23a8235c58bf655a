# What would break: the worked examples of docs/metrics.md have other figures than the program.
set -u
hotgraph=$(realpath "$1") root=$(realpath "$2")
cd "$root" || exit 1
"$hotgraph" compare tests/data/metrics/G.graph tests/data/metrics/H.graph >/tmp/metrics.$$ || exit 1
"$hotgraph" compare tests/data/metrics/code-G.graph tests/data/metrics/code-H.graph --structure tests/data/metrics/code.structure |
    sed -n '/^laid out/,$p' >/tmp/laid.$$
# Each row "| metric | formula | ... figure |" against the first output with that name after the
# heading.
part=paper status=0
while IFS= read -r line; do
    case $line in
    "## The fair metrics") part=fair ;;
    "## What a layout gains") part=layout ;;
    "## Costs") part=costs ;;
    "| "*"|"*"|"*"|")
        name=$(printf '%s' "$line" | sed 's/^| *\([a-z0-9_]*\) .*/\1/')
        figure=$(printf '%s' "$line" | sed 's/\\|//g' | grep -o '[01]\.[0-9]\{4\} *|$' | grep -o '[01]\.[0-9]*')
        [ -n "$figure" ] || continue
        if [ $part = layout ]; then # as found, and with falls inferred
            figure=$(printf '%s' "$line" | grep -o '[01]\.[0-9]\{4\} | [01]\.[0-9]\{4\} |$' | sed 's/ |//g')
            ours=$(awk -v name="$name" '$1 == name {print $2 " " $3; exit}' /tmp/laid.$$)
            if [ "$name" = fall_share ]; then
                said=$(printf '%s' "$line" | sed 's/.*As the code is \([0-9.]*\), in L(H) \([0-9.]*\) .*/\1 \2/')
                exact=$(awk '$1 == "exact" {e = 1} e && $1 == "fall_share" {print $2 " " $3}' /tmp/laid.$$)
                [ "$said" = "$exact" ] || { echo "FAIL: fall shares of the exact graph are $exact, the page says $said"; status=1; }
            fi
            [ "$ours" = "$figure" ] || { echo "FAIL: $name of the layouts is $ours, the page says $figure"; status=1; }
            laid=$((${laid:-0} + 1))
            continue
        fi
        ours=$(awk -v part=$part -v name="$name" '$1 == "fair" {fair = 1} $1 == name && (fair == 1) == (part == "fair") {print $2}' /tmp/metrics.$$)
        [ "$ours" = "$figure" ] || { echo "FAIL: $name ($part) is $ours, the page says $figure"; status=1; }
        checked=$((${checked:-0} + 1)) ;;
    esac
done <docs/metrics.md
rm -f /tmp/metrics.$$ /tmp/laid.$$
[ "${laid:-0}" = 5 ] || { echo "FAIL: ${laid:-0} of 5 figures of layouts were checked"; status=1; }
[ "${checked:-0}" = 12 ] || { echo "FAIL: ${checked:-0} of 12 figures were checked"; status=1; }
exit $status
