# What would break: the effect of BOLT is measured wrongly, a profile that BOLT refuses goes unnoticed, a killed run begins anew,
# or results depend on the number of threads.
#
# One layout is made again by hand: the profile by `export`, BOLT, `record`, and its jumps counted by awk. A wrapper around BOLT makes
# profiles stale.
set -u
. "$(dirname "$0")/../record_lib.sh"
command -v llvm-bolt-19 >/dev/null || skip "no bolt-19"
command -v sqlite3 >/dev/null || skip "no sqlite3"
${CC:-cc} -O2 -fno-reorder-blocks-and-partition -static -Wl,--emit-relocs -o kernels "$source/programs/kernels.c" 2>cc.err ||
    skip "cannot be built: $(cat cc.err)"

cat >small.cfg <<'END'
name = "small";
grid = ( { technique = "flow"; } );
budgets = ( { every = 1667; }, { by = "transfers"; every = 131; }, { by = "lbr_taken"; every = 1069; } );
programs = (
    {name = "absent"; folder = "."; command = ("absent");},
    {name = "kernels"; folder = "."; command = ("kernels", "1"); other_command = ("kernels", "2");}
);
END
optimise() { "$hotgraph" optimise small.cfg "$@" >out 2>errors; }
value() { sqlite3 -readonly "$1" "$2"; }

optimise --db one.db --jobs 1 || fail "$(cat out errors)"
grep -q 'skipped: absent: ' errors || fail "says nothing of a program that is not there: $(cat errors)"
grep -q '^1 program; 14 layouts measured, 0 there before$' out || fail "$(cat out)"
digest=$(sed -n 's/^digest //p' out)
test "${#digest}" = 32 || fail "no digest: $(cat out)"
test ! -e optimise || fail "leaves files: $(find optimise)"

# By hand, in the folder whose path the program saw.
value one.db "SELECT count(*) FROM optimised WHERE stale <> 0 OR (benefit_measured IS NULL) OR
    (kind = 'exact' AND (benefit_measured <> 1 OR benefit_predicted <> 1)) OR (kind = 'none' AND abs(benefit_measured) > .02) OR
    (kind = 'other' AND benefit_measured < .98) OR (technique LIKE 'flow%' AND benefit_measured < .95) OR
    (kind = 'found' AND abs(benefit_measured - benefit_predicted) > .2)" >bad
test "$(cat bad)" = 0 || fail "$(sqlite3 -readonly -header -column one.db 'SELECT * FROM optimised')"
mkdir -p optimise/kernels/0000 optimise/kernels/0002
record() { # FOLDER NAME
    "$hotgraph" record --graph "$2.graph" --structure "$2.structure" --output "$2.out" --json -- \
        /proc/self/cwd/optimise/kernels/"$1"/kernels 1 >"$2.json" 2>record.err || fail "record: $(cat record.err)"
}
cp kernels optimise/kernels/0000/kernels
record 0000 h
"$hotgraph" export --bolt ./kernels --structure h.structure h.graph --out h.fdata 2>export.err || fail "export: $(cat export.err)"
llvm-bolt-19 kernels --data h.fdata -o optimise/kernels/0002/kernels --reorder-blocks=ext-tsp --reorder-functions=cdsort \
    --split-functions >bolt.out 2>&1 || fail "bolt: $(cat bolt.out)"
record 0002 x
same h.out x.out
rm -r optimise
# counts NAME: taken conditional branches, direct jumps, instructions, bytes in touched lines of 64.
counts() {
    python3 - "$1" <<'END'
import json, sys
blocks, last, taken, jumps, lines = {}, {}, 0, 0, set()
for l in open(sys.argv[1] + ".structure"):
    w = l.split()
    if w[0] == "#ends": blocks[int(w[1], 16)] = int(w[2]), w[3]
for entry, (size, end) in blocks.items(): lines.update(range(entry // 64, (entry + size - 1) // 64 + 1))
for l in open(sys.argv[1] + ".graph"):
    if l[0] == "#": continue
    a, b, n = (int(x, 0) for x in l.split()[:3])
    size, end = blocks[a]
    if b != a + size:
        taken += n * (end == "branch")
        jumps += n * (end == "jump")
print(taken, jumps, json.load(open(sys.argv[1] + ".json"))["instructions"], 64 * len(lines), sep="|")
END
}
for of in original:h exact:x; do
    stored=$(value one.db "SELECT taken, jumps, instructions, bytes FROM bolt_layout WHERE kind = '${of%:*}'")
    test "$stored" = "$(counts "${of#*:}")" || fail "$of: $stored, by hand $(counts "${of#*:}")"
done
test "$(value one.db "SELECT lines FROM bolt_layout WHERE kind = 'exact'")" = "$(grep -c . h.fdata)" || fail "the profile has other lines"
if command -v valgrind >/dev/null; then
    test "$(value one.db 'SELECT count(*) FROM bolt_layout WHERE i1_misses BETWEEN 100 AND 5000')" = 14 || fail "misses of the cache"
fi

# The questions of docs/questions.md about layouts have answers.
for name in optimised optimised_programs optimised_predicted optimised_cache; do
    "$hotgraph" sql one.db $name >answer 2>errors || fail "sql $name: $(cat errors)"
    grep -q 'kernels\|observed' answer || fail "sql $name: $(cat answer)"
done

# The report of a database without an experiment is about these layouts, and names their programs.
"$hotgraph" report one.db --out measured >out 2>errors || fail "report: $(cat errors)"
test "$(cat out)" = measured/index.html || fail "not the page's path: $(cat out)"
for id in optimised-programs provenance laid-out layout-runs; do
    grep -q "id='$id" measured/index.html || fail "the page has no $id"
done
grep -q "$(value one.db 'SELECT hash FROM bolt_program')" measured/index.html || fail "the page does not say what was laid out"
! grep -q "no results yet\|id='findings'\|id='tables'" measured/index.html || fail "the page speaks of an experiment"
test ! -e measured/table1.txt || fail "tables of nothing"
refuses 1 "it contains no experiment, so there are no tables to print" report one.db
refuses 1 "there is no experiment 'small'" report one.db --experiment small --out measured

# The report of a sweep into the same database has the figure, whose rows are the view's.
if command -v gnuplot >/dev/null; then
    "$hotgraph" sweep small.cfg --db one.db --report report >out 2>errors || fail "sweep: $(cat out errors)"
    grep -q "<h2 id='optimised-programs'\|id='optimised-programs'" report/index.html || fail "the page has no section on BOLT"
    test -s report/figures/optimised.svg || fail "no figure: $(ls report/figures)"
    sed 1d report/figures/optimised.csv | awk -F, '{ printf "%.4f,%.4f\n", $2, $3 }' | sort >drawn
    value one.db "SELECT printf('%.4f,%.4f', round(benefit_predicted, 4), round(benefit_measured, 4)) FROM optimised
        WHERE kind IN ('other', 'random', 'found')" | sort >want
    test -s want && same want drawn
fi

# Killed, and continued with two threads: nothing is measured again, and the digest is
# the same.
"$hotgraph" optimise small.cfg --db two.db --jobs 2 >out 2>errors &
id=$!
some() { test -s two.db && test "$(sqlite3 -readonly two.db 'SELECT count(*) FROM bolt_layout' 2>/dev/null || echo 0)" -ge 3; }
begun some
kill -KILL $id
wait $id 2>/dev/null
there=$(value two.db 'SELECT count(*) FROM bolt_layout')
optimise --db two.db --jobs 2 || fail "$(cat out errors)"
grep -q "^1 program; $((14 - there)) layouts measured, $there there before\$" out || fail "$there were there: $(cat out)"
grep -qx "digest $digest" out || fail "another digest after a kill, with two threads: $(cat out)"
test ! -e optimise || fail "leaves files: $(find optimise)"

# Expected results, and programs that are not compared with them.
optimise --db two.db --update-digest || fail "$(cat out errors)"
grep -qx "wrote small.digest" out || fail "$(cat out)"
optimise --db one.db || fail "$(cat out errors)"
grep -qx 'reproduced: 1 program as in small.digest' out || fail "$(cat out)"
sed -i 's,^\(kernels/exact\t\)..,\1zz,; s,\tzz,\t00,' small.digest
refuses 1 'not reproduced: kernels/exact differs from the expected result (small.digest)' optimise small.cfg --db one.db
sed 's/command = ("kernels", "1");/& images = ("0123456789abcdef0123456789abcdef kernels");/' small.cfg >pinned.cfg
cp small.digest pinned.digest
"$hotgraph" optimise pinned.cfg --db one.db >out 2>errors || fail "$(cat out errors)"
grep -q '^not compared: kernels: another build' out || fail "$(cat out)"

# A stale profile has a row and is a failure, in every run.
mkdir bin
cat >bin/llvm-bolt-19 <<'END'
#!/bin/sh
for word; do case $word in *.fdata) echo '1 main 1 1 main 3 0 1000' >>"$word" ;; esac; done
exec /usr/bin/llvm-bolt-19 "$@"
END
chmod +x bin/llvm-bolt-19
sed 's/budgets = .*/budgets = ( { every = 16661; } );/' small.cfg >stale.cfg
for turn in 1 2; do
    PATH=$PWD/bin:$PATH refuses 1 'as stale, first by kernels: exact' optimise stale.cfg --db stale.db
done
test "$(value stale.db "SELECT group_concat(DISTINCT kind) FROM (SELECT kind FROM bolt_layout WHERE stale > 0 ORDER BY kind)")" = \
    exact,found,other,random || fail "$(value stale.db 'SELECT kind, stale FROM bolt_layout')"

# A new program with different output gets no row.
cat >bin/llvm-bolt-19 <<'END'
#!/bin/sh
case $1 in --version) exec /usr/bin/llvm-bolt-19 --version ;; esac
while test "$1" != -o; do shift; done
cp "$OTHER" "$2"
END
printf '#include <stdio.h>\nint main(void) { puts("other"); return 0; }\n' >other.c && ${CC:-cc} -static -o other other.c || fail "other.c"
OTHER=$PWD/other PATH=$PWD/bin:$PATH refuses 1 'writes something else' optimise stale.cfg --db other.db
test "$(value other.db "SELECT group_concat(kind) FROM bolt_layout WHERE kind <> 'original'")" = "" || fail "a row of another program"

# BOLT crashes on some programs: their other layouts have rows.
cat >bin/llvm-bolt-19 <<'END'
#!/bin/sh
case " $* " in *' --data '* | *' --version '*) exec /usr/bin/llvm-bolt-19 "$@" ;; esac
kill -SEGV $$
END
PATH=$PWD/bin:$PATH "$hotgraph" optimise stale.cfg --db crash.db >out 2>errors || fail "$(cat out errors)"
grep -q 'left out: kernels: none: BOLT was ended by signal 11' errors || fail "$(cat errors)"
grep -qx '1 layout that BOLT could not make, see above' out || fail "$(cat out)"
test "$(value crash.db "SELECT count(*), sum(kind = 'none') FROM bolt_layout")" = '7|0' || fail "$(value crash.db 'SELECT kind FROM bolt_layout')"

refuses 2 'omit --games' optimise small.cfg --db one.db --games kernels --update-digest
sed '/budgets/d' small.cfg >none.cfg
refuses 1 'has no budgets' optimise none.cfg --db one.db
sed 's/"kernels", "1");/& how = "native";/' small.cfg >native.cfg
refuses 1 'native.cfg:6: kernels has how = "native", but' optimise native.cfg --db one.db
sed 's/other_command = ("kernels"/other_command = ("other"/' small.cfg >another.cfg
refuses 1 "is another program than 'kernels'" optimise another.cfg --db one.db
sed 's/{ every = 1667; }/{ every = 24; }/' small.cfg >close.cfg
refuses 1 'does not fit between two of them' optimise close.cfg --db one.db
