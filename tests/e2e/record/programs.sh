# What would break: a program in a configuration gives other rows than `record` does, is recorded again
# without need, or is not recorded again when its input has changed; or a missing program ends the
# sweep.
set -u
. "$(dirname "$0")/../record_lib.sh"
${CC:-cc} -O2 -static -o kernels "$source/programs/kernels.c" 2>/dev/null || exit 77
[ "$(./kernels 1 | sed -n 's/^interpret //p')" = 133988 ] || fail "kernels: $(./kernels 1)"
"$source/programs/inputs.py" inputs && "$source/programs/inputs.py" again || fail "inputs.py"
for file in inputs/*; do cmp "$file" "again/$(basename "$file")" || fail "$file is another each time"; done
"$source/programs/inputs.py" other 2 && cmp -s inputs/text-200k other/text-200k && fail "the seed of inputs.py does nothing"
head -c 20000 inputs/text-200k >text
cat >work.cfg <<'END'
name = "work";
grid = {technique = "gaussian"; bin_size = [10]; stdev_threshold = [15]; window_size = [13]; recurrent_threshold = [5, 8];};
programs = (
    {name = "kernels"; folder = "."; command = ("./kernels", "1"); every = 16661;},
    {name = "gzip"; command = ("/usr/bin/gzip", "-c"); input = "text";},
    {name = "absent"; command = ("/nowhere/at-all");}
);
END
"$hotgraph" sweep work.cfg --db a.db >a.out 2>a.err || fail "sweep: $(cat a.err)"
grep -q "^skipped: absent: /nowhere/at-all: there is no such file" a.out || fail "the missing program is not told: $(cat a.out)"
value() { sqlite3 a.db "$1"; }
# The time of a recording is QEMU's processor time, a fifth of a second, not that of
# waiting for it.
grep -q "^kernels: recorded, .* ([0-9]*[.][0-9] s)" a.err || fail "no time: $(cat a.err)"
grep -q "^kernels: recorded, .* (0[.]0 s)" a.err && fail "recording took no time: $(cat a.err)"
"$hotgraph" record --graph k.graph --stream k.isampling:every=16661 --output /dev/null -- ./kernels 1 2>/dev/null
instructions=$(sed -n 's/^instructions	//p' k.graph.meta)
value "SELECT DISTINCT instructions FROM replay WHERE kind = 'program'" | grep -qx "$instructions" ||
    fail "kernels: $instructions instructions, the database has $(value 'SELECT instructions FROM replay')"
"$hotgraph" sweep work.cfg --db a.db | grep -q "nothing to do" || fail "a second sweep finds something to do"

# Edges have the names that --dot gives, and each file's image and functions are stored once.
"$hotgraph" record --dot k.dot --graph k2.graph --output /dev/null -- ./kernels 1 2>/dev/null
sed -n 's/.*label="\([^"\\]*+0x[0-9a-f]*\).*/\1/p' k.dot | sort -u >dot.names
value "SELECT source_name FROM named_edge WHERE game = 'kernels' UNION SELECT target_name FROM named_edge WHERE game = 'kernels'" |
    sort -u >db.names
[ "$(wc -l <db.names)" -gt 200 ] && comm -23 dot.names db.names | grep -q . &&
    fail "names of --dot that the database does not have: $(comm -23 dot.names db.names | head -3)"
[ "$(wc -l <dot.names)" -gt 10 ] || fail "--dot has $(wc -l <dot.names) names"
[ "$(value "SELECT count(*) FROM named_edge n WHERE NOT EXISTS (SELECT 1 FROM exact_edge e
    WHERE e.replay_id = n.replay_id AND e.source = n.source AND e.target = n.target)
    OR source_name NOT LIKE '%+0x%'")" = 0 ] || fail "named_edge has other edges"
[ "$(value "SELECT count(*) FROM named_edge")" = "$(value "SELECT count(*) FROM exact_edge")" ] || fail "edges without a name"
value "SELECT DISTINCT source_name FROM named_edge WHERE game = 'kernels' AND hot" | grep -q '^\(main\|sieve\|interpret\|matrix\)+0x' ||
    fail "the kernels' hot edges are not in their functions"
value "SELECT path FROM replay_image JOIN replay USING (replay_id) WHERE place = 0" | sort | tr '\n' ' ' |
    grep -q "/kernels .*/gzip " || fail "place 0 is not the program: $(value 'SELECT * FROM replay_image')"
value "SELECT target || ' ' || command FROM replay" | grep -qx "x86_64 ./kernels 1" || fail "replay has no command"

# Their hot graphs are drawn with these names, in boxes that are wide enough.
if command -v dot >/dev/null; then
    "$hotgraph" report a.db --out drawn >/dev/null || fail "report"
    for game in kernels gzip; do
        value "SELECT source_name FROM named_edge WHERE game = '$game' UNION SELECT target_name FROM named_edge WHERE game = '$game'" >names
        wrong=$(python3 "$source/tests/e2e/report/graph_boxes.py" names drawn/figures/hot-best-$game.svg drawn/figures/hot-baseline-$game.svg) ||
            fail "no hot graphs of $game: $(ls drawn/figures)"
        [ -z "$wrong" ] || fail "$wrong"
        sh "$source/plots/hot_graph.sh" a.db $game dot | sed -n 's/.*label="\([^"]*+0x[0-9a-f]*\)".*/\1/p' | sort -u >drawn.names
        sort -u names | comm -23 drawn.names - >unknown
        [ "$(wc -l <drawn.names)" -gt 10 ] && [ ! -s unknown ] || fail "hot_graph.sh of $game: $(cat drawn.names unknown)"
    done
fi

# Beside games: the view agrees with the rows of each.
[ "$(value "SELECT h.kind || ' ' || (h.hot_edges = p.hot_edges) || ' ' || (h.gaussian_best_percent =
    (SELECT max(round(100 * similarity, 1)) FROM results r WHERE r.game = h.game AND r.number IS NOT NULL)) || ' ' ||
    (structured_best_overlap IS NULL) FROM hot_set h JOIN replay p USING (instructions) ORDER BY h.game" | uniq -c | tr -s ' ')" = " 2 program 1 1 1" ] ||
    fail "hot_set: $(value 'SELECT * FROM hot_set')"

# Curves of programs use batches from the whole stream, and end with all of it.
sed 's/^programs/convergence = {batches = [10, 100]; configurations = ({label = "one"; bin_size = 10; stdev_threshold = 15; window_size = 13; recurrent_threshold = 8;});};\n&/; /gzip/d' \
    work.cfg >curve.cfg
"$hotgraph" sweep curve.cfg --db curve.db >curve.out 2>&1 || fail "curves: $(cat curve.out)"
curve=$(sqlite3 curve.db "SELECT label, part, batches FROM convergence_curve ORDER BY label, batches" | tr '\n' ' ')
batches=$(sqlite3 curve.db "SELECT batches FROM stream")
[ "$curve" = "observed|strata|10 observed|strata|100 observed|first|$batches one|strata|10 one|strata|100 one|first|$batches " ] ||
    [ "$curve" = "one|strata|10 one|strata|100 one|first|$batches observed|strata|10 observed|strata|100 observed|first|$batches " ] ||
    fail "curves: $curve"
"$hotgraph" sweep curve.cfg --db curve.db | grep -q "nothing to do" || fail "curves are computed again"
# The first ten batches are all from the first kernel; ten from the whole stream are not.
"$hotgraph" build k.isampling --technique observed --batches 10 --out first.graph 2>/dev/null && first=$(grep -vc '^#' first.graph) || first=none
[ "$(sqlite3 curve.db "SELECT edges FROM convergence_curve WHERE batches = 10 AND label = 'observed'")" != "$first" ] || fail "thinned as the beginning"
"$hotgraph" sweep curve.cfg --db curve.db --update-digest >/dev/null && grep -q "^kernels/convergence/baseline" curve.digest || fail "no curve in the digest"
sqlite3 curve.db "UPDATE quality SET edges = edges + 1 WHERE part = 'strata'"
"$hotgraph" sweep curve.cfg --db curve.db >curve.out 2>&1 && fail "a changed curve is not noticed"
grep -q "not reproduced: kernels/convergence" curve.out || fail "a changed curve: $(cat curve.out)"

# A database without images, of an earlier build, gets them by another recording, with the same results.
"$hotgraph" sweep work.cfg --db a.db --update-digest >/dev/null || fail "--update-digest"
cp a.db older.db && sqlite3 older.db "DELETE FROM replay_image; DELETE FROM symbol; DELETE FROM image"
"$hotgraph" sweep work.cfg --db older.db >older.out 2>&1 || fail "without images: $(cat older.out)"
grep -q "^reproduced: 2 games" older.out || fail "without images: $(cat older.out)"
[ "$(sqlite3 older.db 'SELECT count(*) FROM named_edge')" = "$(value 'SELECT count(*) FROM exact_edge')" ] || fail "images do not come back"

# The digest is compared if all images are the expected ones; else the message names the one that
# differs.
image() { value "SELECT m.hash || ' ' || i.path FROM replay_image i JOIN image m USING (image_id) JOIN replay USING (replay_id) WHERE $1 ORDER BY place"; }
expect() { # IMAGES of kernels
    sed "s|every = 16661;}|every = 16661; images = ($1);}|" work.cfg >expect.cfg
    cp work.digest expect.digest
    "$hotgraph" sweep expect.cfg --db a.db >expect.out 2>&1 || fail "expected images: $(cat expect.out)"
}
kernels=$(image "command LIKE './kernels%'")
expect "\"$kernels\"" && grep -q "^reproduced: 2 games" expect.out || fail "the same image: $(cat expect.out)"
expect "\"${kernels%% *} kernels\"" && grep -q "^reproduced: 2 games" expect.out || fail "the end of the path: $(cat expect.out)"
expect "\"${kernels%% *} ernels\"" && grep -q "^not compared: kernels: .*/kernels (${kernels%% *}) was executed, too" expect.out ||
    fail "half a name: $(cat expect.out)"
expect '"0123456789abcdef0123456789abcdef kernels"' &&
    grep -q "^not compared: kernels: .*/kernels is another file: its hash is ${kernels%% *}, not 0123456789abcdef0123456789abcdef" expect.out &&
    grep -q "^reproduced: 1 game" expect.out || fail "another image: $(cat expect.out)"
rm work.digest # what follows changes inputs

# Techniques that use the structure also repair samples of programs, unless they are excluded; the structure and the
# stream of `record` give the same result.
sed 's/^grid = .*/grid = {technique = "flow";};/; s/command = ("\/usr\/bin\/gzip", "-c");/& without = ("flow");/' work.cfg >flow.cfg
"$hotgraph" sweep flow.cfg --db flow.db >flow.out 2>&1 || fail "flow: $(cat flow.out)"
grep -q "^left out: gzip: #0: the configuration excludes flow for it" flow.out || fail "without flow: $(cat flow.out)"
[ "$(sqlite3 flow.db "SELECT group_concat(game || ' ' || (structured_best_overlap > baseline_overlap), ',') FROM
    (SELECT * FROM hot_set WHERE structured_best_overlap IS NOT NULL)")" = "kernels 1" ] || fail "flow: $(sqlite3 flow.db 'SELECT * FROM hot_set')"
"$hotgraph" record --graph k.graph --structure k.structure --stream k.hgstream:every=16661 --output /dev/null -- ./kernels 1 2>/dev/null
"$hotgraph" build k.hgstream --technique flow --structure k.structure --out k.flow 2>/dev/null || fail "flow of a recording"
python3 - k.graph k.structure k.flow <<'END' || fail "the structure is not that of the exact graph, or what flows in does not flow out"
import sys
def read(path):
    return {tuple(line.split()[:2]): int(line.split()[2]) for line in open(path) if line[0] != "#"}
exact, structure, flow = map(read, sys.argv[1:])
assert structure.keys() == exact.keys() and not any(structure.values()) and flow.keys() <= exact.keys()
odd = {}
for (a, b), n in flow.items():
    odd[a] = odd.get(a, 0) - n
    odd[b] = odd.get(b, 0) + n
begins = {line.split()[1] for line in open(sys.argv[2]) if line.startswith("#begins")}
ends = {line.split()[1] for line in open(sys.argv[2]) if line.startswith("#sink")}
assert begins and ends and all(n == 0 or (n < 0 and k in begins) or (n > 0 and k in ends) for k, n in odd.items()), odd
END

printf 'more' >>text
"$hotgraph" sweep work.cfg --db a.db --dry-run >dry.out || fail "--dry-run"
grep -q "^kernels: .*nothing to do" dry.out || fail "kernels again: $(cat dry.out)"
grep -q "^gzip: .*one recording" dry.out || fail "gzip's input has changed: $(cat dry.out)"

# A program that no longer exists keeps its rows while the configuration stays the same; else the tables
# report missing results. Nothing is lost: once the program is back, all rows count again.
mv kernels gone
"$hotgraph" sweep work.cfg --db a.db >gone.out 2>&1 || fail "without kernels: $(cat gone.out)"
grep -q "^skipped: kernels: " gone.out || fail "kernels is not told to be skipped: $(cat gone.out)"
"$hotgraph" report a.db | grep '^kernels ' >same.txt || fail "kernels' rows have left the tables"
grep ' results)' same.txt && fail "kernels' rows are the same"
for change in 's/every = 16661/every = 20000/' 's/"1"/"2"/'; do
    sed "$change" work.cfg >changed.cfg
    "$hotgraph" sweep changed.cfg --db a.db >changed.out 2>&1 || fail "$change: $(cat changed.out)"
    "$hotgraph" report a.db | grep -q '^kernels (0 of 3 results) ' || fail "$change: rows of another definition: $(cat changed.out)"
done
mv gone kernels
"$hotgraph" sweep work.cfg --db a.db | grep "nothing to do" >/dev/null || fail "kernels is there again"
"$hotgraph" report a.db | grep '^kernels ' | cmp - same.txt || fail "kernels' tables are others"

# Errors in a configuration name their line.
refuse() {
    printf 'grid = {technique = "gaussian"; bin_size = [10]; stdev_threshold = [15]; window_size = [13]; recurrent_threshold = [5];};\nprograms = (\n{%s}\n);\n' "$2" >bad.cfg
    "$hotgraph" sweep bad.cfg --db bad.db >bad.out 2>bad.err && fail "taken: $2"
    grep -q "bad.cfg:3: .*$1" bad.err || fail "$2: $(cat bad.err)"
}
refuse "whole path" 'name = "a"; command = ("gzip");'
refuse "without its command" 'name = "a";'
refuse "without a name" 'command = ("/bin/true");'
refuse "list of 1 to" 'name = "a"; command = "/bin/true";'
refuse "does not fit" 'name = "a"; command = ("/bin/true"); every = 10; batch = 11;'
refuse "no technique 'flaw'" 'name = "a"; command = ("/bin/true"); without = ("flaw");'
refuse "is not NAME=VALUE" 'name = "a"; command = ("/bin/true"); env = ("NAME");'
refuse "32 hexadecimal" 'name = "a"; command = ("/bin/true"); images = ("x");'
echo "programs are swept like games"
