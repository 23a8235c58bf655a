# What would break: a question of docs/questions.md has no answer any more, or the views that answer
# it compute something else than what they are named after.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
sweep experiment.cfg --db one.db

# Each SELECT by itself, in the plain shell.
awk '/^```sql/ { sql = 1; next } /^```/ { sql = 0 } sql' "$source/docs/questions.md" >questions.sql
test "$(grep -c ';$' questions.sql)" = 22 || fail "questions: $(cat questions.sql)"
awk 'BEGIN { RS = ";\n" } { print $0 ";" >("question" NR ".sql") }' questions.sql
for i in $(seq 22); do
    sqlite3 -readonly -bail -csv one.db <"question$i.sql" >"answer$i" || fail "no answer: $(cat "question$i.sql")"
    # Nothing beats the baseline here: it stands for the exact graph itself.
    if grep -q 'r.similarity > b.similarity' "question$i.sql"; then
        test ! -s "answer$i" || fail "$(cat "answer$i")"
    else
        test -s "answer$i" || grep -Eq "share_to_reach|worth" "question$i.sql" || # of pairs nothing is laid out: worth.sh
             fail "an empty answer: $(cat "question$i.sql")"
    fi
done

# The statistics again, from the list of all results and by their definitions.
"$hotgraph" results one.db >results.csv || fail "results"
sqlite3 -readonly -csv -header one.db "SELECT * FROM variance_share" >variance.csv
sqlite3 -readonly -csv -header one.db "SELECT * FROM rank_agreement" >agreement.csv
sqlite3 -readonly -csv -header one.db "SELECT * FROM left_out" >left.csv
python3 "$source/tests/e2e/report/questions_from_results.py" results.csv variance.csv agreement.csv left.csv ||
    fail "the views say other things than the results"
