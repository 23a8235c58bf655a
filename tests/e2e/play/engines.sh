# Both engines give the same results, and the translator shows its code: if this fails, results depend
# on the engine, or the translation cannot be inspected.
set -eu
. "$(dirname "$0")/../lib.sh"
refuse=$(realpath "$3")
cd "$work"
rom="$source/games/burrow.nes" movie="$source/movies/burrow.fm2"
if ! "$hotgraph" replay "$rom" --frames 1 --engine dbt >/dev/null 2>none; then
    grep -Eq 'x86-64|refuses' none || fail "no translator, and no word why: $(cat none)"
    exit 77
fi

# The same states, frame by frame; code in RAM that is patched included.
for engine in interp dbt auto; do
    "$hotgraph" replay "$rom" --movie "$movie" --frames 1500 --engine $engine --json \
        --ram-hash $engine.hash --save-state $engine.state >$engine.json
    sed 's/"engine".*//; s/"skipped": [0-9]*//; /"translation"/d' $engine.json >$engine.outcome
done
same interp.hash dbt.hash
same interp.state dbt.state
same interp.outcome dbt.outcome
same interp.hash auto.hash
grep -q '"engine": "dbt"' dbt.json || fail "another engine ran"
grep -q '"translation": {"blocks": [1-9]' dbt.json || fail "no statistics of translation"
! grep -q '"translation"' interp.json || fail "the interpreter translates"

# Every option of the translator gives the same replay.
head -n 700 interp.hash >interp700.hash
"$hotgraph" replay "$rom" --movie "$movie" --frames 700 --engine interp --save-state interp700.state >/dev/null
for way in hot=1 hot=100 no-chaining 'hot=1,no-chaining --no-skip' hot=1,block=1 'block=1 --no-skip' count,block=3 \
    no-return-stack hot=1,no-inline-cache no-return-stack,no-inline-cache paths=5 hot=1,adapt=2 \
    cache=4K 'hot=1,cache=64K --no-skip' hot=3,cache=50000,block=2,no-chaining,count; do
    # shellcheck disable=SC2086 # words of the command
    "$hotgraph" replay "$rom" --movie "$movie" --frames 700 --engine dbt:$way --json \
        --ram-hash way.hash --save-state way.state >way.json
    same interp700.hash way.hash
    same interp700.state way.state
    grep -q '"translation": {"blocks": [1-9]' way.json || fail "dbt:$way translates nothing"
    ! echo "$way" | grep -q cache= || grep -q '"flushes": [1-9]' way.json || fail "dbt:$way has room for all"
done

# A profile changes only how code is translated; a wrong one does no harm.
"$hotgraph" exact "$rom" --movie "$movie" --frames 700 --out path.graph >/dev/null
awk '/^# kind/ { next } /^#/ { print; next } { edge[++n] = $1 "\t" $2; count[n] = $3 }
    END { for (i = 1; i <= n; i++) print edge[i] "\t" count[i * 7 % n + 1] }' path.graph >shuffled.graph
for graph in path shuffled; do
    "$hotgraph" replay "$rom" --movie "$movie" --frames 700 --engine dbt --json --profile $graph.graph \
        --ram-hash way.hash --save-state way.state >$graph.json
    same interp700.hash way.hash
    same interp700.state way.state
    grep -Eq '"superblocks": [1-9][0-9]*, "followed": [1-9]' $graph.json || fail "--profile $graph.graph follows no path"
done
"$hotgraph" replay "$rom" --movie "$movie" --frames 700 --engine dbt --json >way.json
grep -q '"superblocks": 0, "followed": 0' way.json || fail "paths without a profile"
value() { sed -n "s/.*\"translation\".*\"$2\": \([0-9]*\).*/\1/p" "$1.json"; }
for field in host_bytes followed; do # of the translation
    [ "$(value path $field)" != "$(value shuffled $field)" ] || fail "another profile gives the same $field"
    [ "$(value path $field)" -gt "$(value way $field)" ] || fail "--profile does not change $field"
done
refuses 1 'the graph is of another program' replay "$source/games/umbel.nes" --frames 2 --profile path.graph
refuses 1 'the interpreter runs here' replay "$rom" --frames 2 --engine interp --profile path.graph
grep -v '^#block' path.graph >bare.graph
refuses 1 'it has no blocks' replay "$rom" --frames 2 --profile bare.graph
refuses 1 'none.graph' replay "$rom" --frames 2 --profile none.graph

# A technique observes, then only hot blocks are translated again; the guest does not notice.
value() { sed -n "s/.*\"translation\".*\"$2\": \([0-9]*\).*/\1/p" "$1.json"; }
for technique in observed gaussian 'flow --by transfers --every 50' 'entries --threshold 50' exact; do
    # shellcheck disable=SC2086 # words of the command
    "$hotgraph" replay "$rom" --movie "$movie" --frames 700 --engine dbt:hot=1 --json --adapt $technique \
        --adapt-after 5 --ram-hash way.hash --save-state way.state >way.json
    same interp700.hash way.hash
    same interp700.state way.state
    [ "$technique" = 'entries --threshold 50' ] || [ "$(value way superblocks)" -gt 0 ] ||
        fail "--adapt $technique follows no path"
    [ "$technique" != observed ] || { [ "$(value way retranslated)" -gt 0 ] && [ "$(value way flushes)" = 0 ]; } ||
        fail "--adapt observed does not translate hot blocks again, and these alone"
done
"$hotgraph" replay "$rom" --movie "$movie" --frames 200 --engine dbt --json --adapt observed >way.json
[ "$(value way superblocks)" = 0 ] || fail "--adapt does not wait"
refuses 1 'the interpreter runs here' replay "$rom" --frames 2 --engine interp --adapt exact
refuses 2 'needs --adapt TECHNIQUE' replay "$rom" --frames 2 --adapt-after 3
refuses 2 'give one' replay "$rom" --frames 2 --adapt exact --profile path.graph
refuses 2 "not 'nobody'" replay "$rom" --frames 2 --adapt nobody

# A state goes from one engine to the other.
"$hotgraph" replay "$rom" --movie "$movie" --frames 1600 --load-state dbt.state --engine interp --ram-hash a >/dev/null
"$hotgraph" replay "$rom" --movie "$movie" --frames 1600 --load-state interp.state --engine dbt --ram-hash b >/dev/null
same a b

# The exact graph and the stream do not depend on the engine.
for engine in interp dbt; do
    "$hotgraph" exact "$rom" --movie "$movie" --frames 1500 --engine $engine --out $engine.graph >/dev/null
    "$hotgraph" sample "$rom" --movie "$movie" --frames 1500 --engine $engine --out $engine.isampling >/dev/null
done
same interp.graph dbt.graph
same interp.isampling dbt.isampling
way=dbt:hot=1,block=3,no-chaining
"$hotgraph" exact "$rom" --movie "$movie" --frames 1500 --engine $way --out way.graph >/dev/null
"$hotgraph" sample "$rom" --movie "$movie" --frames 1500 --engine $way --out way.isampling >/dev/null
same interp.graph way.graph
same interp.isampling way.isampling

# Nor do a sweep's rows and digest.
for engine in interp dbt $way auto; do
    "$hotgraph" sweep "$source/configs/quick.cfg" --games burrow --db sweep.db --engine $engine >out 2>errors ||
        fail "sweep --engine $engine: $(cat out errors)"
    grep '^digest' out >$engine.digest
    same interp.digest $engine.digest
    test "$(sqlite3 sweep.db 'SELECT DISTINCT engine FROM replay')" = \
        "$(echo $engine | sed 's/:.*//; s/auto/dbt/')" || fail "the database names another engine than $engine"
    rm sweep.db
done

# A system that refuses executable memory: auto uses the interpreter and says so; dbt names what
# was refused, and the way out.
status=0
"$refuse" memfd true 2>none || status=$?
test $status = 0 || test $status = 77 || fail "refuse: $(cat none)"
if test $status = 0; then
    for what in memfd exec; do
        refused=$(test $what = memfd && echo 'memfd_create()' || echo 'memory that can be executed')
        "$refuse" $what "$hotgraph" replay "$rom" --movie "$movie" --frames 700 --json --ram-hash refused.hash >refused.json
        grep -q '"engine": "interp"' refused.json || fail "auto takes another engine without $what"
        same interp700.hash refused.hash
        "$refuse" $what "$hotgraph" replay "$rom" --frames 2 >summary
        grep -q '(interp)$' summary || fail "the summary names another engine: $(cat summary)"
        "$refuse" $what "$hotgraph" sweep "$source/configs/quick.cfg" --games burrow --db sweep.db >out
        test "$(sqlite3 sweep.db 'SELECT DISTINCT engine FROM replay')" = interp || fail "a sweep without $what"
        grep '^digest' out >refused.digest
        same interp.digest refused.digest
        rm sweep.db
        ! "$refuse" $what "$hotgraph" testrom "$rom" --frames 2 >out 2>errors || fail "the ROM has a verdict"
        grep -q '^unknown' out || fail "testrom without $what: $(cat out errors)"
        for command in "replay $rom --engine dbt" "replay $rom --engine dbt:cache=64K" "blocks $rom" \
            "testrom $rom --engine dbt" "sample $rom --engine dbt --out left.isampling"; do
            status=0
            # shellcheck disable=SC2086 # words of the command
            "$refuse" $what "$hotgraph" $command --frames 2 >out 2>errors || status=$?
            test $status = 1 || fail "$command without $what ends with $status"
            grep -qF "refuses $refused" errors || fail "$command without $what: $(cat errors)"
            grep -q -e '--engine interp' errors || fail "$command names no way out: $(cat errors)"
        done
    done
else
    echo "not tried: what a hardened system refuses: $(cat none)"
fi
# So does a limit on the size of files.
(ulimit -f 100 && "$hotgraph" replay "$rom" --frames 2 >summary)
grep -q '(interp)$' summary || fail "with a limit on files: $(cat summary)"

# Blocks: guest and host code, counts, chains; as JSON that others can read.
"$hotgraph" blocks "$rom" --movie "$movie" --frames 600 --top 5 >blocks
test "$(grep -c '^#' blocks)" = 5 || fail "--top 5 lists other than five blocks"
grep -q 'exits chained (to ' blocks || fail "no chains"
grep -Eq '^    [0-9a-f]{6}  [0-9a-f]{2} .* [A-Z]{3}' blocks || fail "no guest code"
grep -Eq '^        [0-9a-f]{12}  (mov|movzx|lea|cmp) ' blocks || fail "no host code"
"$hotgraph" blocks "$rom" --movie "$movie" --frames 600 --top 5 --no-host --json >blocks.json
entries=$(sqlite3 :memory: "SELECT group_concat(value->>'entries') FROM json_each(readfile('blocks.json'), '\$.blocks')" 2>/dev/null) ||
    entries=$(sed -n 's/.*"entries": \([0-9]*\).*/\1/p' blocks.json | paste -sd,)
listed=$(sed -n 's/^#.*  \([0-9]*\) entries.*/\1/p' blocks | paste -sd,)
test "$entries" = "$listed" || fail "JSON says $entries, text $listed"
refuses 2 'does not translate blocks' blocks "$rom" --engine interp

# For perf(1): one line per block, named by its guest address.
"$hotgraph" replay "$rom" --movie "$movie" --frames 60 --engine dbt:perf-map >/dev/null &
pid=$!
wait $pid
map=/tmp/perf-$pid.map
test -s "$map" || fail "no $map"
! grep -Evq '^[0-9a-f]+ [0-9a-f]+ guest_[0-9a-f]{6}$' "$map" || fail "$map has other lines"
rm -f "$map"
if perf record -q -o perf.data "$hotgraph" replay "$rom" --movie "$movie" --engine dbt:perf-map >/dev/null 2>&1; then
    perf report -i perf.data --stdio --sort sym 2>/dev/null >report
    # shellcheck disable=SC2046 # numbers
    rm -f $(perf script -i perf.data -F pid 2>/dev/null | sort -u | sed 's|^ *\([0-9]*\) *$|/tmp/perf-\1.map|')
    test "$(grep -c ' guest_[0-9a-f]' report)" -gt 20 || fail "perf does not know the blocks: $(head -n 20 report)"
fi

# Translated code under valgrind, which needs an option for changing code.
if command -v valgrind >/dev/null && ! sanitized; then
    valgrind -q --error-exitcode=9 --smc-check=all "$hotgraph" replay "$rom" --movie "$movie" --frames 40 \
        --engine dbt --ram-hash valgrind.hash >/dev/null 2>errors || fail "valgrind: $(cat errors)"
    head -n 40 interp.hash >first.hash
    same valgrind.hash first.hash
fi

# Stopped by a signal in translated code: says so, and leaves no half-written file.
"$hotgraph" replay "$rom" --movie "$movie" --frames 10000000 --engine dbt --ram-hash cut.hash >out 2>errors &
id=$!
begun sh -c 'test -s cut.hash.tmp*'
kill -TERM $id
if wait $id; then fail "a stopped replay succeeds"; fi
grep -q 'stopped by signal 15' errors || fail "no word of the signal: $(cat errors)"
test -z "$(find . -name "cut.hash*")" || fail "it was left: $(ls)"
