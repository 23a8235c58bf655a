# Every option of every command with invalid values: if this fails, a mistyped value is silently read as
# another one, or the error comes after hours of work.
set -eu
. "$(dirname "$0")/../lib.sh"
command -v python3 >/dev/null || skip "no python3"
cd "$work"
python3 "$source/tests/e2e/commands/options.py" "$hotgraph" "$source" || fail "see above"
