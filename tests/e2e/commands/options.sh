# Every option of every command with values that make no sense: if this fails, a mistyped value is taken for
# another one, or hours of work are done before anybody says so.
set -eu
. "$(dirname "$0")/../lib.sh"
command -v python3 >/dev/null || skip "no python3"
cd "$work"
python3 "$source/tests/e2e/commands/options.py" "$hotgraph" "$source" || fail "see above"
