# What would break: the map of the rooms names files that are not there, misses a room, or its
# picture shows other arrows than the code has.
set -u
root=$2
cd "$root" || exit 1
fail() { echo "FAIL: $*"; exit 1; }
for page in docs/architecture.md README.md; do
    # Paths in backticks: a folder, a slash, and nothing that a shell or a sentence would add.
    for path in $(grep -o '`[a-z][a-zA-Z0-9_./-]*`' "$page" | tr -d '`' | grep -E '^(core|sweep|db|plots|configs|games|movies|programs|tests|docs)(/|$)' | sort -u); do
        [ -e "$path" ] || fail "$page names $path, which is not there"
    done
    for link in $(grep -o '](\([^)#:]*\))' "$page" | sed 's/^](//; s/)$//'); do
        [ -e "$(dirname "$page")/$link" ] || fail "$page shows $link, which is not there"
    done
done
for room in core/*/ sweep/*/; do
    [ -f "$room/meson.build" ] || continue
    grep -q "\`${room%/}\`" docs/architecture.md || fail "docs/architecture.md does not name the room ${room%/}"
done
# The picture's arrows are those of the code that no longer way says already (tred's rule).
tests/rooms.py --draw >/dev/null || fail "a room includes what it may not"
tests/rooms.py --reduced | tr -d '"' | grep -o '[a-z]* -> [a-z]*' | sort >/tmp/rooms.$$
grep -o '<title>[a-z]*&#45;&gt;[a-z]*</title>' docs/rooms.svg | sed 's/<title>//; s/<\/title>//; s/&#45;&gt;/ -> /' | sort >/tmp/drawn.$$
cmp -s /tmp/rooms.$$ /tmp/drawn.$$ || { diff /tmp/rooms.$$ /tmp/drawn.$$; rm -f /tmp/rooms.$$ /tmp/drawn.$$
    fail "docs/rooms.svg shows other arrows than the code: tests/rooms.py --reduced | dot -Tsvg >docs/rooms.svg"; }
rm -f /tmp/rooms.$$ /tmp/drawn.$$
echo "the map is right"
