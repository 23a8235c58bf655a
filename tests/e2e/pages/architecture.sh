# What would break: README or a page names files that are not there or links to nothing; the map of the rooms misses a
# room, or its picture shows other arrows than the code has.
set -u
root=$2
cd "$root" || exit 1
fail() { echo "FAIL: $*"; exit 1; }
for page in README.md docs/*.md; do
    # Paths in backticks: a folder, a slash, and nothing that a shell or a sentence would add.
    for path in $(grep -o '`[a-z][a-zA-Z0-9_./-]*`' "$page" | tr -d '`' | grep -E '^(core|sweep|db|plots|configs|games|movies|programs|tests|docs)(/|$)' | sort -u); do
        [ -e "$path" ] || fail "$page names $path, which is not there"
    done
    # Links, and the headings that they name.
    for link in $(grep -o '](\([^):]*\))' "$page" | sed 's/^](//; s/)$//'); do
        file=$(dirname "$page")/${link%%#*}
        [ "${link%%#*}" ] || file=$page
        [ -e "$file" ] || fail "$page shows $link, which is not there"
        case $link in *'#'*) sed -n 's/^##* //p' "$file" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9\n-' | grep -qx -e "${link#*#}" || fail "$page: $file has no heading ${link#*#}" ;; esac
    done
done
for room in core/*/ sweep/*/; do
    [ -f "$room/meson.build" ] || continue
    grep -q "\`${room%/}\`" docs/architecture.md || fail "docs/architecture.md does not name the room ${room%/}"
done
# The table of tasks: forty of them; each names a file, and every room of core is an answer.
sed -n '/^## Where to look/,/^## [^W]/p' docs/architecture.md | grep '^| ' | tail -n +3 >/tmp/tasks.$$
tasks=$(wc -l </tmp/tasks.$$)
[ "$tasks" -eq 40 ] || fail "docs/architecture.md lists $tasks tasks, not 40"
while read -r task; do
    file=$(echo "$task" | cut -d '|' -f 3 | grep -o '`[a-z_]*/[a-zA-Z0-9_./-]*`' | head -1 | tr -d '`')
    [ -f "$file" ] || fail "docs/architecture.md names no file for:$(echo "$task" | cut -d '|' -f 2)"
done </tmp/tasks.$$ || exit 1
for room in core/*/ db/; do
    grep -q "\`$room" /tmp/tasks.$$ || fail "no task of docs/architecture.md leads to $room"
done
rm -f /tmp/tasks.$$
# The page of fast paths: its files, functions and horizons are in the machine and the translator.
for name in $(grep -o '`[a-z_0-9]*\.[ch]`' docs/fast-paths.md | tr -d '`' | sort -u); do
    [ -n "$(find core/nes core/dbt -name "$name")" ] || fail "docs/fast-paths.md names $name, which is not there"
done
for name in $(grep -o '`[a-z_0-9]*()`' docs/fast-paths.md | tr -d '`()' | sort -u) \
    $(sed -n 's/^| `\([a-z_.]*\)` | \(dot\|cycle\) |.*/\1/p' docs/fast-paths.md); do
    grep -rqw "$name" core/nes core/dbt || fail "docs/fast-paths.md names $name, which is not there"
done
[ "$(grep -cE '^\| `[a-z_.]*` \| (dot|cycle) \|' docs/fast-paths.md)" -eq 8 ] || fail "docs/fast-paths.md has not eight horizons"
# The PPU's members that translated code uses are in the header that holds them to their types.
for member in $(grep -rhoE "(PPU[A-Z_]*\(|ppu\.)(state|known|sprites_known)\.[a-z_]+" core/dbt | sed 's/^PPU[A-Z_]*(//; s/^ppu\.//' | sort -u); do
    case $member in state.*|known.*|sprites_known.*) grep -qE "PPU_INLINES\(${member}[,[]" core/nes/ppu/ppu_inlined.h || fail "the translator uses ppu.$member, which core/nes/ppu/ppu_inlined.h does not name" ;; esac
done
# The picture's arrows are those of the code, without those that a longer path implies (as
# tred does).
tests/rooms.py --draw >/dev/null || fail "a room includes what it may not"
tests/rooms.py --reduced | tr -d '"' | grep -o '[a-z]* -> [a-z]*' | sort >/tmp/rooms.$$
grep -o '<title>[a-z]*&#45;&gt;[a-z]*</title>' docs/rooms.svg | sed 's/<title>//; s/<\/title>//; s/&#45;&gt;/ -> /' | sort >/tmp/drawn.$$
cmp -s /tmp/rooms.$$ /tmp/drawn.$$ || { diff /tmp/rooms.$$ /tmp/drawn.$$; rm -f /tmp/rooms.$$ /tmp/drawn.$$
    fail "docs/rooms.svg shows other arrows than the code: tests/rooms.py --reduced | dot -Tsvg >docs/rooms.svg"; }
rm -f /tmp/rooms.$$ /tmp/drawn.$$
echo "the map is right"
