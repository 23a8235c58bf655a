# The cost of a profile: host instructions, counted in the translator without valgrind, equal on all machines. If
# this fails, the bench calls expensive techniques cheap, or its counts are not those of the program.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"
# The list of prices names every function of the machine that a replay calls.
if ! "$hotgraph" cost "$source/games/mazewisp.nes" --movie "$source/movies/mazewisp.fm2" --frames 300 --from 200 --json >cost.json 2>none; then
    grep -q 'x86-64' none || fail "no translator, and no word why: $(cat none)"
    exit 77
fi

# Counting does not change the guest, and repeats its numbers.
"$hotgraph" replay "$source/games/mazewisp.nes" --movie "$source/movies/mazewisp.fm2" --frames 300 --json >replay.json
hash=$(sed -n 's/.*"ram_hash": "\([0-9a-f]*\)", "state.*/\1/p' replay.json)
test "$(grep -o "\"ram_hash\": \"$hash\"" cost.json | wc -l)" = 2 || fail "the counted game is another one: $(cat cost.json)"
"$hotgraph" cost "$source/games/mazewisp.nes" --movie "$source/movies/mazewisp.fm2" --frames 300 --from 200 --json >again.json
same cost.json again.json
# Without a profiler and with one: exact counting allocates memory.
memory=$(grep -o '"memory": [0-9]*' cost.json | grep -o '[0-9]*')
test "$(echo "$memory" | uniq | wc -l)" = 2 -a "$(echo "$memory" | sort -n | tail -1)" = "$(echo "$memory" | tail -1)" ||
    fail "exact counting takes no memory: $(cat cost.json)"
grep -q '"unpriced": 0,' cost.json || fail "functions without a price: run tests/costs.py measure: $(cat cost.json)"
# A function of a new file may take the price of one with the same name elsewhere: then both need their file's name.
for technique in bursts decay entries exact "exact_tree --first 30" "hybrid --first 30 --rate 1" lei net paths pep; do
    "$hotgraph" cost "$source/games/mazewisp.nes" --movie "$source/movies/mazewisp.fm2" --frames 60 --from 50 --technique $technique --json >with.json
    test "$(grep -o '"unpriced": 0,' with.json | wc -l)" = 2 ||
        fail "functions of $technique without a price: run tests/costs.py new, or see whether another file has one of their names: $(cat with.json)"
done

# A return whose target was predicted is counted by one instruction: counting adds 836 instructions of translated code to a frame
# here, and 1,076 if it takes two.
"$hotgraph" cost "$source/games/umbel.nes" --movie "$source/movies/umbel.fm2" --frames 300 --from 200 --json >returns.json
translated=$(grep -o '"translated_steady": [0-9]*' returns.json | grep -o '[0-9]*$')
test "$(echo "$translated" | tail -1)" -lt "$(($(echo "$translated" | head -1) + 90000))" ||
    fail "counting adds more to translated code than it did: $(cat returns.json)"

# Loops that a register steers are counted where control enters them: that adds 493 instructions of translated code to a frame here,
# and 754 if each pass is counted.
"$hotgraph" cost "$source/games/burrow.nes" --movie "$source/movies/burrow.fm2" --frames 300 --from 200 --json >loops.json
translated=$(grep -o '"translated_steady": [0-9]*' loops.json | grep -o '[0-9]*$')
test "$(echo "$translated" | tail -1)" -lt "$(($(echo "$translated" | head -1) + 60000))" ||
    fail "counting adds more to the translated code of loops than it did: $(cat loops.json)"

refuses 2 'a processor does by itself what trace models' cost "$source/games/mazewisp.nes" --frames 60 --technique trace

# By the clock, most of the 1,065 due cycles of umbel fall into a loop that polls the PPU, which the replay skips undisturbed. There are three
# calls for each of the 300 NMIs; the others hand over samples, or several due cycles that are skipped.
"$hotgraph" cost "$source/games/umbel.nes" --movie "$source/movies/umbel.fm2" --frames 300 --from 200 --watch sampler --by clock \
    --interval-ms 4.7 --json >clock.json
test "$(grep -o '"unpriced": 0,' clock.json | wc -l)" = 2 || fail "functions of the sampler by the clock without a price: $(cat clock.json)"
calls=$(sed 's/.*"with"//; s/.*"handlers": \([0-9]*\),.*/\1/' clock.json) samples=$(sed 's/.*"with"//; s/.*"samples": \([0-9]*\),.*/\1/' clock.json)
test "$samples" -gt 300 -a "$samples" -lt 600 -a "$calls" -lt 1100 || fail "$calls calls of the sampler for $samples samples: $(cat clock.json)"

# Where exact counting was dear. spin.nes polls a pad until the NMI has come: of the runs that are searched for a
# repetition, only transfers are looked at. ram.nes (UxROM) has code in RAM that switches banks and
# changes its own operand, which then has 256 values in turn: so it is interpreted, but each version is decoded once, and not whenever it is met.
python3 - <<'END'
fixed = bytearray(0x4000)
fixed[:0x40] = bytes.fromhex("78 A2 FF 9A 2C 02 20 10 FB 2C 02 20 10 FB A9 80 8D 00 20 20 00 C1 A5 10 C5 11 F0 F7 85 11 4C 13 C0").ljust(0x40, b"\xEA")
fixed[0x100:0x120] = bytes.fromhex("A9 01 8D 16 40 4A 8D 16 40 A2 08 AD 16 40 4A 26 12 CA D0 F7 60").ljust(0x20, b"\xEA")
fixed[0x200:0x203] = bytes.fromhex("E6 10 40")
fixed[0x3FFA:] = bytes.fromhex("00 C2 00 C0 00 C0")
open("spin.nes", "wb").write(b"NES\x1A" + bytes([1, 0]) + bytes(10) + fixed)
fixed[:0x40] = bytes.fromhex("78 A2 FF 9A A2 1F BD 80 C0 9D 00 02 CA 10 F7 2C 02 20 10 FB A0 28 A9 01 20 00 02 88 D0 F8 4C 0F C0").ljust(0x40, b"\xEA")
fixed[0x80:0xA0] = bytes.fromhex("8D 00 C1 AD 00 80 8D 00 03 A9 00 8D 00 C1 EE 04 02 60").ljust(0x20, b"\xEA")
open("ram.nes", "wb").write(b"NES\x1A" + bytes([2, 0, 0x20]) + bytes(9) + bytes(0x4000) + fixed)
END
for game in spin ram; do
    "$hotgraph" movie make "$game.nes" --frames 300 --seed 1 --out "$game.fm2" >none 2>&1 || true # it stands still
    "$hotgraph" cost "$game.nes" --movie "$game.fm2" --frames 300 --from 100 --functions "$game.calls" >"$game.cost"
done
calls=$(awk '$1 == "run_counts_tally" { print $3 }' spin.calls)
test "${calls:-0}" -gt 0 -a "$calls" -lt 5000 || fail "${calls:-no} instructions of spins were looked at for probes: $(cat spin.cost)"
calls=$(awk '$1 == "watch_decode" { print $3 }' ram.calls)
test "${calls:-0}" -lt 300 || fail "$calls instructions were decoded again in 200 frames: $(cat ram.cost)"

# In a sweep's database: one row for all seeds, part of the digest, and not counted again by the same program.
cat >c.cfg <<END
name = "c";
frames = 300;
sampling = ( { by = "active"; per_million = 600; place = "calls"; seed = [1, 2]; }, { by = "time"; interval_ms = 3; },
    { by = "live"; }, { by = "live"; input = "other"; } );
grid = ( { technique = "flow"; costs = ["poisson"]; }, { technique = "exact"; }, { technique = "entries"; share = 900; } );
games = ( { name = "mazewisp"; rom = "$source/games/mazewisp.nes"; movie = "$source/movies/mazewisp.fm2";
    other = "$source/movies/mazewisp-other.fm2.gz"; } );
END
refuses 1 'sweep c.cfg --db c.db' costs c.cfg --db c.db --frames 300 --from 200
"$hotgraph" sweep c.cfg --db c.db >before 2>/dev/null
test "$(sqlite3 c.db "SELECT count(*), count(cost_percent), sum(overlap_active = 1) FROM technique_frontier")" = '8|0|1' ||
    fail "what was not counted has costs, or exact has no row"
"$hotgraph" costs c.cfg --db c.db --frames 300 --from 200 >rows
test "$(wc -l <rows)" = 6 || fail "nobody, structure, exact, entries and two samplings: $(cat rows)"
"$hotgraph" costs c.cfg --db c.db --frames 300 --from 200 >rows
test ! -s rows || fail "counted again: $(cat rows)"
# Counts do not depend on what else is in the process's memory: cost and costs give the same ones.
test "$(sqlite3 c.db "SELECT host_steady FROM cost WHERE watcher = 'nobody'")" = \
    "$(sed 's/.*"bare": {"host": [0-9]*, "host_steady": \([0-9]*\),.*/\1/' cost.json)" || fail "cost and costs differ: $(cat cost.json)"
# A row that another version of the program has counted is replaced.
sqlite3 c.db "UPDATE run SET source_commit = 'earlier' WHERE run_id = (SELECT run_id FROM result LIMIT 1);
    UPDATE cost SET host_steady = 1, run_id = (SELECT run_id FROM result LIMIT 1) WHERE watcher = 'nobody'"
"$hotgraph" costs c.cfg --db c.db --frames 300 --from 200 >rows
test "$(sed 's/.* a frame  //' rows)" = nobody || fail "not the one row of another version: $(cat rows)"
test "$(sqlite3 c.db "SELECT host_steady > 1 FROM cost WHERE watcher = 'nobody'")" = 1 || fail "the row was not replaced"
"$hotgraph" sweep c.cfg --db c.db >after 2>/dev/null
! test "$(grep '^digest' before)" = "$(grep '^digest' after)" || fail "costs are not in the digest"
test "$(sqlite3 c.db "SELECT count(*), count(cost_percent) FROM technique_frontier")" = '8|6' ||
    fail "all but what watched another movie have costs: $(sqlite3 c.db 'SELECT * FROM technique_frontier')"
test "$(sqlite3 c.db "SELECT technique || '|' || told FROM technique_frontier WHERE cost_percent IS NULL GROUP BY technique" | tr '\n' ' ')" = \
    'entries|nothing of this run exact|nothing of this run ' || fail "what watched another movie is not named"
test "$(sqlite3 c.db "SELECT count(*) FROM frontier WHERE technique = 'exact'")" = 1 || fail "exact counting is beaten"
# The figures and the table of the report, with the line of another movie.
if command -v gnuplot >none && test "$(sqlite3 c.db 'SELECT count(*) FROM cost')" -gt 0; then
    "$hotgraph" report c.db --out report >none
    for figure in frontier frontier-benefit; do
        grep -q 'a second movie' "report/figures/$figure.svg" || fail "$figure.svg has no line of another movie"
        test "$(grep -c '% added' "report/figures/$figure.svg")" = 5 || fail "$figure.svg has not a point for each technique"
    done
    grep -q 'id=.frontier-table' report/index.html || fail "the report has no table of costs"
fi

# Against callgrind: translated code exactly, the total within 3 %.
command -v valgrind >/dev/null && ! sanitized || exit 0
# The prices must hold for programs that are not among those which they were measured on. This one (UxROM) does what no bundled game does: in
# each frame it polls the PPU, and then switches banks eight times, with work of another kind in each.
python3 - banks.nes <<'END'
import sys
main = bytes.fromhex("78 A2 00" "2C 02 20 10 FB" "A0 08" "8A 29 03 84 10 A8 99 00 C1 20 00 80 E8 A4 10 88 D0 EF" "4C 03 C0")
work = ("A0 28 B9 00 C0 99 00 03 88 D0 F7 60", "A9 07 85 11 E6 12 C6 11 D0 FA 60", "A0 20 98 29 0F 91 20 88 D0 F8 60", "20 0A 80 20 0A 80 20 0A 80 60 E6 13 60")
banks = [bytes.fromhex(code).ljust(0x4000, b"\xEA") for code in work]
fixed = bytearray(main.ljust(0x4000, b"\xEA"))
fixed[0x100:0x104] = bytes(range(4))
fixed[0x3FFA:] = bytes.fromhex("00 C0 00 C0 00 C0")
open(sys.argv[1], "wb").write(b"NES\x1A" + bytes([5, 0, 0x20]) + bytes(9) + b"".join(banks) + fixed)
END
cd "$source"
COSTS_FRAMES="300 600" COSTS_WAYS="replay exact" python3 tests/costs.py check "$hotgraph" mazewisp umbel "$work/banks.nes" >"$work/check" 2>&1 ||
    fail "$(cat "$work/check")"
