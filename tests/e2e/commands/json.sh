# What --json prints: if this fails, a script that reads it breaks: standard output is not one JSON value, has other members than
# docs/json.schema.json says, or other numbers than the database or the text has.
set -eu
. "$(dirname "$0")/../lib.sh"
command -v python3 >/dev/null || skip "no python3"
cd "$work"
python3 "$source/tests/e2e/commands/json_output.py" "$hotgraph" "$source" || fail "see above"
