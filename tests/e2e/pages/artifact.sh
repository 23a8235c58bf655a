# docs/artifact.md and make artifact: if this fails, a claim of README or findings has no command that repeats it, or `make artifact` would not
# notice a wrong figure, or begins anew when it was stopped. The commands themselves are not run here: they take minutes.
set -eu
. "$(dirname "$0")/../lib.sh"
command -v python3 >/dev/null || skip "no python3"
cd "$work"
python3 "$source/tests/e2e/pages/artifact_page.py" "$hotgraph" "$source" || fail "see above"
