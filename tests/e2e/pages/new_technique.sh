# A technique is one file in core/profile and one word in its meson.build, as docs/adding-a-technique.md says: if this fails, it takes
# more than that, or what lists techniques or names them does not know of the new one.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
sanitized && skip "the program that is built here has no sanitizers"
command -v meson >/dev/null && command -v ninja >/dev/null || skip "no meson, or no ninja"

# A copy of the program's sources, with the tests of the registry and of the rooms.
mkdir -p tree/tests/unit/profile tree/tests/support
cp -a "$source/meson.build" "$source/meson_options.txt" "$source/CHANGELOG.md" "$source/core" "$source/sweep" "$source/db" tree
for name in configs docs games movies plots programs README.md LICENSE CITATION.cff; do
    ln -s "$source/$name" "tree/$name"
done
for name in rooms.py unit/profile/test_techniques.c support/random.h; do
    ln -s "$source/tests/$name" "tree/tests/$name"
done
echo "executable('test_techniques', 'unit/profile/test_techniques.c', dependencies: [profile, cmocka, libm], link_with: machine)" >tree/tests/meson.build
echo copy >tree/COMMIT

# The file: the branches that occur at least N times in the samples.
cat >tree/core/profile/frequent.c <<'C'
/* frequent: conditional branches that batches have seen at least so often, and nothing else. */
#include "profile/profile.h"

extern const struct technique technique_frequent;

static enum status count_pairs(struct map *pairs, uint64_t *steps, const struct stream *s,
                               size_t batches, struct error *e) {
    for (size_t k = 0; k < batches; k++) {
        const struct sample *b = stream_batch(s, k);
        for (size_t i = 0; i + 1 < s->batch_length; i++, ++*steps) {
            if (b[i].kind != INSN_BRANCH)
                continue;
            uint64_t *count = map_at(pairs, (uint64_t)b[i].pc << 32 | b[i + 1].pc);
            if (count == NULL)
                return error_set(e, STATUS_MEMORY, "out of memory for frequent");
            *count += stream_weight(s, k);
        }
    }
    return STATUS_OK;
}

static enum status frequent_build(struct profile *out, const struct stream *stream, size_t batches,
                                  const int64_t *values, struct error *e) {
    struct map pairs = {0};
    struct flow flow = {0};
    uint64_t steps = 0, key, count;
    *out = (struct profile){0};
    enum status status = technique_check(&technique_frequent, values, e);
    batches = batches < stream->batch_count ? batches : stream->batch_count;
    if (status == STATUS_OK)
        status = count_pairs(&pairs, &steps, stream, batches, e);
    for (size_t at = 0; status == STATUS_OK && map_next(&pairs, &at, &key, &count);)
        if (count >= (uint64_t)values[0] &&
            !vec_push(&flow.pairs, ((struct flow_pair){(uint32_t)(key >> 32), (uint32_t)key, count, true})))
            status = error_set(e, STATUS_MEMORY, "out of memory for frequent");
    const uint64_t observed = stream_observed(stream, batches);
    out->cost.records = out->cost.observed = observed;
    out->cost.probes = stream->probes;
    out->cost.steps = steps;
    if (status == STATUS_OK)
        status = graph_from_flow(&out->graph, &flow, false, e);
    flow_free(&flow);
    map_free(&pairs);
    return status;
}

const struct technique technique_frequent = {
    .name = "frequent",
    .summary = "conditional branches that were seen at least so often",
    .source = "a test",
    .build = frequent_build,
    .parameters = {{"least", "branches that were seen at least N times", 1, 1000000, 2}},
};
C
# The word in meson.build.
sed -i "s/^    'flow\/flow',\$/&\n    'frequent',/" tree/core/profile/meson.build
test "$(diff "$source/core/profile/meson.build" tree/core/profile/meson.build | grep -c '^[<>]')" = 1 || fail "it is not one word"
# What the build beside the program has compiled need not be compiled again: the same sources, in the same relative places. Where the
# build is elsewhere, all is compiled, without optimisation to be quick.
build=$(dirname "$hotgraph")
if test "$build" = "$source/build" && test -f "$build/.ninja_deps"; then
    mkdir tree/build
    for kept in core sweep db hotgraph.p .ninja_log .ninja_deps; do cp -a "$build/$kept" tree/build; done
    set --
else
    sed -i "s/'optimization=[g2]'/'optimization=0'/" tree/core/counted/meson.build
    set -- -Doptimization=0 -Ddebug=false
fi
meson setup "$@" -Dfuzz=false tree/build tree >log 2>&1 || fail "setup: $(tail log)"
ninja -C tree/build -j 2 hotgraph tests/test_techniques >log 2>&1 || fail "it does not build: $(grep -A5 error log || tail log)"
tree/tests/rooms.py >log || fail "the rooms: $(cat log)"
tree/build/tests/test_techniques >log 2>&1 || fail "the registry: $(cat log)"
old=$hotgraph hotgraph=$work/tree/build/hotgraph

# It is listed, once, between its neighbours; nothing else is.
"$old" techniques | grep '^[a-z]' >before
"$hotgraph" techniques | grep '^[a-z]' >after
grep -v '^frequent ' after | cmp - before || fail "other techniques are listed: $(cat after)"
test "$(grep -n '^frequent (on sample streams): ' after | cut -d: -f1)" = "$(($(grep -n '^flow ' after | cut -d: -f1) + 1))" ||
    fail "it is not listed behind flow: $(cat after)"
"$hotgraph" techniques --json | python3 -c '
import json, sys
t = {t["name"]: t for t in json.load(sys.stdin)}["frequent"]
assert t["on"] == "stream" and [p["name"] for p in t["parameters"]] == ["least"], t' || fail "not in the JSON"
for command in build profile; do
    "$hotgraph" $command --technique frequent --help | grep -q -e '^  --least N ' || fail "$command has not its parameter"
    "$hotgraph" $command --help=options | grep '^--technique' | grep -q 'frequent' || fail "$command does not complete it"
done
refuses 2 "did you mean 'frequent'" build x --technique freqent --out y
refuses 2 'least' build x --technique frequent --least 0 --out y

# On a stream, and inside the machine: the same branches, and fewer with a higher
# threshold.
export HOTGRAPH_GAMES="$source/configs/games.cfg"
"$hotgraph" sample umbel --frames 200 --out s.hgstream >/dev/null
for least in 1 2 9; do
    "$hotgraph" build s.hgstream --technique frequent --least $least --out $least.graph >/dev/null
    grep -v '^#' $least.graph >$least.edges
    "$hotgraph" profile umbel --frames 200 --technique frequent --least $least --out live.graph >/dev/null
    grep -v '^#' live.graph >live.edges
    same live.edges $least.edges
done
test "$(wc -l <9.edges)" -gt 0 || fail "no branch was seen nine times"
test "$(wc -l <1.edges)" -gt "$(wc -l <9.edges)" || fail "--least has no effect"
"$hotgraph" exact umbel --frames 200 --out exact.graph >/dev/null
"$hotgraph" compare 9.graph exact.graph --json >compared || fail "it cannot be compared"

# In a grid, beside another: stored, shown, drawn.
{
    echo 'name = "own";'
    echo 'grid = ( { technique = "gaussian"; window_size = [6, 13]; }, { technique = "frequent"; least = [1, 2, 9]; } );'
    echo "games = ( $(pair one overlap-a), $(pair two synthetic-b) );"
} >own.cfg
sweep own.cfg --db own.db --report report
test "$(ask own.db "SELECT technique, parameters, count(*) FROM results WHERE technique = 'frequent' GROUP BY 1, 2")" = \
    "frequent|least=1|2
frequent|least=2|2
frequent|least=9|2" || fail "in the database: $(ask own.db 'SELECT technique, parameters FROM results')"
grep -q "  frequent  " out || fail "the sweep's tables do not have it: $(cat out)"
grep -q 'frequent' report/index.html || fail "the page does not name it"
"$hotgraph" report own.db --out again >/dev/null
same report/index.html again/index.html

# Other tests that list techniques pass with it.
for name in play/bench commands/usage; do
    sh "$source/tests/e2e/$name.sh" "$hotgraph" "$source" >log 2>&1 || fail "$name.sh with one technique more: $(cat log)"
done
