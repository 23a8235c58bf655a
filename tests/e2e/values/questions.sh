# What would break: a question of docs/questions.md has no answer, or the views that answer it compute
# something other than their names say.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
sweep experiment.cfg --db one.db

# Each SELECT by itself, in the plain shell.
awk '/^```sql/ { sql = 1; next } /^```/ { sql = 0 } sql' "$source/docs/questions.md" >questions.sql
count=$(grep -c ';$' questions.sql)
test "$count" -ge 22 || fail "questions: $(cat questions.sql)"
awk 'BEGIN { RS = ";\n" } { print $0 ";" >("question" NR ".sql") }' questions.sql
for i in $(seq "$count"); do
    sqlite3 -readonly -bail -csv one.db <"question$i.sql" >"answer$i" || fail "no answer: $(cat "question$i.sql")"
    # Nothing beats the baseline here, because it is the exact graph itself.
    if grep -q 'r.similarity > b.similarity' "question$i.sql"; then
        test ! -s "answer$i" || fail "$(cat "answer$i")"
    else
        test -s "answer$i" || grep -Eq "share_to_reach|worth|optimised|technique_window|technique_phase|FROM phase|path_knowledge" "question$i.sql" || # pairs have no layouts, windows and paths: see worth.sh, optimise.sh, windows.sh, profile_paths.sh
             fail "an empty answer: $(cat "question$i.sql")"
    fi
done

# The statistics, computed again from the list of all results by their
# definitions.
"$hotgraph" results one.db >results.csv || fail "results"
sqlite3 -readonly -csv -header one.db "SELECT * FROM variance_share" >variance.csv
sqlite3 -readonly -csv -header one.db "SELECT * FROM rank_agreement" >agreement.csv
sqlite3 -readonly -csv -header one.db "SELECT * FROM left_out" >left.csv
python3 "$source/tests/e2e/values/questions_from_results.py" results.csv variance.csv agreement.csv left.csv ||
    fail "the views say other things than the results"

# `hotgraph sql NAME` gives the same rows as the plain shell, for each name in the page.
sed -n 's/^-- \([a-z0-9_]*\).*/\1/p' questions.sql >names
"$hotgraph" sql | sed 's/ .*//' >listed
same names listed
for i in $(seq "$count"); do
    name=$(sed -n "${i}p" names)
    "$hotgraph" sql one.db "$name" --csv | tail -n +2 >said || fail "sql $name"
    # The shell prints 15 digits of a number, hotgraph all.
    python3 "$source/tests/e2e/values/same_rows.py" said "answer$i" || fail "sql $name: $(diff said "answer$i" | head -4)"
done
"$hotgraph" sql one.db best3 --where game=two --where place=1 --json >rows.json
python3 -c 'import json; rows = json.load(open("rows.json")); assert rows and {(r["game"], r["place"]) for r in rows} == {("two", 1)}, rows' ||
    fail "--where: $(cat rows.json)"
test "$("$hotgraph" sql one.db best_overall --limit 2 --csv | wc -l)" = 3 || fail "--limit"
"$hotgraph" sql one.db best_overall --limit 0 --csv | tail -n +2 | wc -l >all
test "$(cat all)" = "$(sqlite3 one.db 'SELECT count(*) FROM best_configuration')" || fail "--limit 0 prints $(cat all) rows"
"$hotgraph" sql one.db "SELECT 'it''s' AS a, 2 AS b" --where "a=it's" --json | grep -qxF "[{\"a\": \"it's\", \"b\": 2}]" || fail "a SELECT of one's own"
refuses 1 "no column 'gme', but game," sql one.db found --where gme=two
refuses 2 "did you mean 'found'" sql one.db foud
refuses 2 "takes COLUMN=VALUE" sql one.db found --where game
refuses 1 'near "DELETE"' sql one.db 'DELETE FROM result'
before=$(sha1sum one.db)
"$hotgraph" sql one.db 'SELECT 1; DROP TABLE result' >/dev/null 2>&1 || :
test "$(sha1sum one.db)" = "$before" || fail "sql has changed the database"
