# What would break: a sweep says other things of a program's profile of another input, or of its budgets, than `record` does;
# it compares code of one library with that of another where the inputs load them in another order; or it computes again what
# is there.
set -eu
. "$(dirname "$0")/../record_lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"

# Loads its libraries in the order that it is told: files are numbered as they begin to run. The third one runs in one input only.
cat >library.c <<'END'
unsigned work(unsigned n) {
    unsigned s = 1;
    for (unsigned i = 0; i < n; i++)
        if ((s ^ i) & BIT) s = s * 1103515245u + i; else s ^= s >> 3;
    return s;
}
END
cat >loads.c <<'END'
#include <dlfcn.h>
#include <unistd.h>
int main(int argc, char **argv) {
    unsigned n = 0;
    for (char c; read(0, &c, 1) == 1;) n = n * 10 + (unsigned)(c - '0') % 10;
    for (int i = 1; i < argc; i++) {
        void *library = dlopen(argv[i], RTLD_NOW);
        if (library == 0) return 2;
        n += ((unsigned (*)(unsigned))dlsym(library, "work"))(n / (unsigned)i) & 1;
    }
    return 0;
}
END
for bit in 1 2 4; do
    ${CC:-cc} -O1 -shared -fPIC -DBIT=$bit -o lib$bit.so library.c 2>/dev/null || skip "no compiler"
done
${CC:-cc} -O1 -o loads loads.c
printf 4000 >input
printf 900 >other
one='every = 1501; batch = 25;'
cat >programs.cfg <<END
name = "inputs-test";
budgets = ( { $one }, { transfers = true; every = 31; seed = 3; }, { by = "lbr"; every = 1511; stack = 8; },
            { by = "lbr_taken"; every = 131; seed = 4; } );
sampling = { by = "live"; input = "other"; };
grid = ( { technique = "flow"; }, { technique = "exact"; }, { technique = "entries"; share = 900; } );
programs = ( { name = "loads"; folder = "."; command = ("./loads", "./lib1.so", "./lib2.so"); input = "input";
               other_command = ("./loads", "./lib4.so", "./lib2.so", "./lib1.so"); other_input = "other"; },
             { name = "again"; folder = "."; command = ("./loads", "./lib4.so"); input = "input"; other_input = "other"; } );
END
sweep programs.cfg --db a.db --jobs 2
expected=$digest
test "$(ask a.db 'SELECT sum(missing), sum(results), sum(unfit) FROM completeness')" = "0|18|22" || fail "complete: $(ask a.db 'SELECT * FROM completeness')"
test "$(ask a.db "SELECT group_concat(variant, ',') FROM (SELECT DISTINCT variant FROM completeness ORDER BY 1)")" = \
    ",by=lbr every=1511 stack=8,by=lbr_taken every=131 stack=16 seed=4,by=live input=other,by=transfers every=31 seed=3" || fail "variants: $(ask a.db 'SELECT variant FROM completeness')"
test "$(ask a.db "SELECT group_concat(way, ',') FROM (SELECT DISTINCT way FROM results ORDER BY 1)")" = \
    "instructions every=1501 batch=25,lbr every=1511 stack=8,lbr_taken every=131 stack=16,live input=other,transfers every=31" || fail "ways: $(ask a.db 'SELECT DISTINCT way FROM results')"

# The same by hand. Each file of the other run is moved to where this run has it, by its path.
record() { "$hotgraph" record --output /dev/null "$@" 2>step || fail "record: $(cat step)"; }
by_hand() { # NAME OTHER-ARGUMENTS -- ARGUMENTS
    name=$1 other=$2
    shift 3
    record --input input --graph h.graph --structure h.structure --stream s1.isampling:every=1501 \
        --stream s2.isampling:transfers,every=31,seed=3 --stream s3.isampling:lbr,every=1511,stack=8 \
        --stream s4.isampling:lbr_taken,every=131,seed=4 -- ./loads "$@"
    # shellcheck disable=SC2086 # several words
    record --input other --graph g.graph --structure g.structure -- ./loads $other
    python3 - <<'END' || fail "images of $name"
import re
read = lambda file: {path: int(base, 16) for base, path in re.findall(r"^#image (0x[0-9a-f]+) [0-9a-f]+ (.*)$", open(file).read(), re.M)}
ours, theirs = read("h.structure"), read("g.structure")
spare = max(ours.values()) + (1 << 24)
to = {}
for path, base in theirs.items():
    to[base >> 24] = ours.get(path, spare) >> 24
    spare += (path not in ours) << 24
def moved(word):
    at = int(word, 16)
    return f"0x{at % (1 << 24) + (to[at >> 24] << 24):x}"
lines = open("g.graph").read().splitlines()
with open("moved.graph", "w") as out:
    for line in lines:
        out.write(re.sub(r"0x[0-9a-f]+", lambda m: moved(m[0]), line) + "\n")
END
    "$hotgraph" compare moved.graph h.graph --structure h.structure --json >"$name.exact.json"
    "$hotgraph" compare g.graph h.graph --structure h.structure --json >"$name.unmoved.json"
    for stream in s1 s2 s3 s4; do
        for technique in observed flow; do
            structure=; [ $technique = observed ] || structure="--structure h.structure"
            # shellcheck disable=SC2086
            "$hotgraph" build $stream.isampling --technique $technique $structure --out f.graph >step 2>&1 || fail "build: $(cat step)"
            "$hotgraph" compare f.graph h.graph --structure h.structure --json >"$name.$technique.$stream.json"
        done
    done
}
by_hand loads "./lib4.so ./lib2.so ./lib1.so" -- ./lib1.so ./lib2.so
by_hand again ./lib4.so -- ./lib4.so
cmp -s loads.exact.json loads.unmoved.json && fail "the libraries are in the same order, so nothing is tested"
sqlite3 -readonly -json a.db "SELECT * FROM worth" >rows.json
python3 - <<'END' || fail "the database and record differ"
import json, math
rows = json.load(open("rows.json"))
assert len(rows) == 18, len(rows)
streams = {"instructions": ".s1", "transfers": ".s2", "lbr": ".s3", "lbr_taken": ".s4"}
for row in rows:
    of = "exact" if row["sampling"] == "live input=other" else row["technique"] + streams[row["sampling"].split()[0]]
    by_hand = json.load(open(f"{row['game']}.{of}.json"))
    worth = by_hand["worth"]
    for ours, theirs in [(row["overlap_active"], by_hand["active"]["fair"]["overlap"]), (row["similarity_active"], by_hand["active"]["similarity"]),
                         (row["benefit"], worth["as_found"]["benefit"]), (row["benefit_inferred"], worth["inferred"]["benefit"]),
                         (row["lost"], worth["lost"])]:
        assert math.isclose(ours, theirs, rel_tol=1e-12, abs_tol=1e-12), (row["game"], of, ours, theirs)
    assert of != "exact" or row["observed_share"] == 0, row
END

# Nothing is computed twice; parts add up to the whole; another input is another profile, and nothing else is computed again.
sweep programs.cfg --db a.db
grep -q '^nothing to do' out || fail "a second sweep does something: $(cat out)"
sweep programs.cfg --db parts.db --where input=other
test "$(ask parts.db "SELECT count(*), min(way = 'live input=other') FROM results")" = "2|1" || fail "a part: $(ask parts.db 'SELECT way FROM results')"
sweep programs.cfg --db parts.db --jobs 1
test "$digest" = "$expected" || fail "in parts: $digest, not $expected"
"$hotgraph" sweep programs.cfg --db one.db --shard 1/2 >out
"$hotgraph" sweep programs.cfg --db two.db --shard 2/2 >out
"$hotgraph" merge shards.db one.db two.db >out
sweep programs.cfg --db shards.db
grep -q '^nothing to do' out && test "$digest" = "$expected" || fail "in shards: $(tail -3 out)"
printf 500 >other
"$hotgraph" sweep programs.cfg --db a.db --dry-run >out
grep -q '^in all: 2 results' out || fail "of a changed input: $(cat out)"
sweep programs.cfg --db a.db
test "$digest" != "$expected" || fail "another input has the same digest"
"$hotgraph" report a.db --out report >step 2>&1 || fail "report: $(cat step)"
grep -q 'exact, other input' report/index.html || fail "the figure has no level of the other input"

# A program's own sampling is the same as a budget. Techniques that need batches of one length are left out, here and of a recorded
# pair, with a sentence; nothing fails, and nothing is computed again.
gaussian='{ technique = "gaussian"; bin_size = 10; stdev_threshold = 15; window_size = 13; recurrent_threshold = 5; }'
cat >own.cfg <<END
grid = ( { technique = "flow"; }, $gaussian );
programs = ( { name = "loads"; folder = "."; command = ("./loads", "./lib1.so", "./lib2.so"); input = "input";
               by = "lbr_taken"; every = 131; seed = 4; } );
END
sed 's/programs = .*/games = ( { name = "pair"; stream = "s4.isampling"; graph = "h.graph"; } );/; /by = /d; s/{ technique = "flow"; }, //' own.cfg >pair.cfg
for name in own pair; do
    for time in first second; do
        sweep $name.cfg --db $name.db
        grep -q "^left out: [a-z]*: #[01]: gaussian: its windows need batches of one length" out || fail "$name, $time: $(cat out)"
    done
    grep -q '^nothing to do' out || fail "$name: computed again: $(cat out)"
done
test "$(ask own.db 'SELECT technique, similarity, overlap FROM results ORDER BY 1')" = "$(ask a.db "SELECT technique, similarity, overlap
    FROM results WHERE game = 'loads' AND way LIKE 'lbr_taken%' ORDER BY 1")" || fail "a program's own sampling: $(ask own.db 'SELECT * FROM results')"
test "$(ask pair.db 'SELECT count(*), min(technique) FROM results')" = '1|observed' || fail "the pair: $(ask pair.db 'SELECT * FROM results')"

# What cannot be.
sed 's/ other_input = "other"; } );/ } );/' programs.cfg >wrong.cfg
refuses 1 "'again' has no other run, which input = \"other\" needs: add" sweep wrong.cfg
sed 's/"exact"/"fifo"/' programs.cfg >wrong.cfg
"$hotgraph" sweep wrong.cfg --db w.db >out 2>&1 || fail "$(cat out)"
grep -q 'left out.*fifo' out || fail "a technique that watches a console is left out without a word: $(cat out)"
rm other
refuses 1 'loads: other: there is no such file' sweep programs.cfg --db b.db
