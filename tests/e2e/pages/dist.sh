# `make dist`: if this fails, the archive does not build, or does not say which commit it is.
set -eu
. "$(dirname "$0")/../lib.sh"
command -v make >/dev/null && command -v git >/dev/null || skip "no make or no git"
git -C "$source" rev-parse HEAD >/dev/null 2>&1 || skip "this is no clone"
cd "$work"
make -s -C "$source" dist DIST="$work" >out 2>errors || fail "make dist: $(cat out errors)"
archive=$(echo hotgraph-*.tar.gz)
version=$("$hotgraph" --version | sed 's/^hotgraph \([^ ]*\) .*/\1/')
test "$archive" = "hotgraph-$version.tar.gz" || fail "$archive is not of version $version"
tar -xzf "$archive"
cd "hotgraph-$version"
commit=$(git -C "$source" rev-parse --short=12 HEAD)
test "$(cat COMMIT)" = "$commit" || fail "COMMIT says $(cat COMMIT), not $commit"
# All that git has, and nothing else.
{ git -C "$source" ls-tree -r --name-only HEAD && echo COMMIT; } | sort >"$work/expected"
find . -type f -o -type l | sed 's#^\./##' | sort >"$work/found"
same "$work/expected" "$work/found"
# In another repository's folder, too, the commit is the archive's.
git init -q "$work"
test "$(sweep/version.sh)" = "$commit" || fail "version.sh says $(sweep/version.sh)"
rm COMMIT
test "$(sweep/version.sh)" = unknown || fail "version.sh knows $(sweep/version.sh), of a repository without commits"
