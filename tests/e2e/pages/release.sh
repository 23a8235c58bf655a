# What would break: a file without a licence is released, or the program, its citation and its list of changes name
# different versions.
set -eu
. "$(dirname "$0")/../lib.sh"
command -v python3 >/dev/null || skip "no python3"
if git -C "$source" rev-parse HEAD >/dev/null 2>&1; then
    git -C "$source" ls-files >"$work/files"
else
    (cd "$source" && find . -path './build*' -prune -o -type f -print | sed 's#^\./##' | grep -vx COMMIT) >"$work/files"
fi
python3 "$source/tests/e2e/pages/licences.py" "$source" "$work/files" || fail "see above"
# The check itself notices a file that is in no entry, and an entry without files.
echo "elsewhere/file.c" | cat "$work/files" - >"$work/more"
! python3 "$source/tests/e2e/pages/licences.py" "$source" "$work/more" >"$work/out" || fail "a file without a licence passes"
grep -q "elsewhere/file.c: no entry" "$work/out" || fail "$(cat "$work/out")"
grep -v '^movies/' "$work/files" >"$work/fewer"
! python3 "$source/tests/e2e/pages/licences.py" "$source" "$work/fewer" >"$work/out" || fail "an entry without files passes"

version=$(sed -n "s/^project('hotgraph', 'c', version: '\([^']*\)'.*/\1/p" "$source/meson.build")
"$hotgraph" --version | grep -q "^hotgraph $version (commit [0-9a-f]*\(-dirty\)\?)$\|^hotgraph $version (commit unknown)$" ||
    fail "the version is $version, and the program says $("$hotgraph" --version)"
grep -qx "version: $version" "$source/CITATION.cff" || fail "CITATION.cff is not of version $version"
head=$(grep -m 1 '^## ' "$source/CHANGELOG.md")
date=${head##*(}
test "$head" = "## $version ($date" || fail "CHANGELOG.md begins with '$head', not with version $version"
grep -qx "date-released: ${date%)}" "$source/CITATION.cff" || fail "CITATION.cff was not released on ${date%)}"
