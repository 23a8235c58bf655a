# Invalid input: if this fails, a user who mixes up or damages a file gets wrong results, a crash, or
# half a file, and no message names the file.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"
rom="$source/games/mazewisp.nes"

# nothing_left FILE: neither the result nor its temporary file exists.
nothing_left() {
    for f in "$1"*; do
        test ! -e "$f" || fail "$f was left behind"
    done
}

# ---- ROMs ----
head -c 20000 "$rom" >short.nes
refuses 1 'short.nes: truncated' replay short.nes --frames 10 --ram-hash out
nothing_left out
{ printf 'XES\032'; tail -c +5 "$rom"; } >magic.nes
refuses 1 'magic.nes: not an iNES file' replay magic.nes --frames 10
{ head -c 6 "$rom"; printf '\365'; tail -c +8 "$rom"; } >mapper.nes
refuses 1 'mapper.nes: its board, mapper' sample mapper.nes --out out.isampling
nothing_left out
refuses 1 'none.nes' replay none.nes
refuses 1 'cannot be' replay "$work"

# A program that stops at a JAM instruction: every byte of PRG is one.
{ printf 'NES\032\001\000\000\000\000\000\000\000\000\000\000\000'
  head -c 16384 /dev/zero | tr '\000' '\222'; } >jam.nes
refuses 1 'jam.nes: the program stopped for good in frame 0: a JAM instruction at $9292' \
    replay jam.nes --frames 10 --ram-hash out
nothing_left out

# ---- movies ----
printf 'version 3\nport0 1\nport1 1\n|0|........|........||\n|0|..|........||\n' >broken.fm2
refuses 1 'broken.fm2:5: a pad has eight columns' replay "$rom" --movie broken.fm2
printf 'version 3\nbinary 1\n' >binary.fm2
refuses 1 'binary.fm2:2: binary FM2' movie info binary.fm2
printf 'PK\003\004\024\000\000\000\010\000aabbccccddddeeee\012\000\000\000Header.txt' >zipped
refuses 1 'zipped: is a movie of BizHawk (bk2)' movie info zipped
printf 'PK\003\004\024\000\000\000\010\000aabbccccddddeeee\012\000\000\000movie1.fm2' >zipped
refuses 1 'zipped: is a zip archive' movie info zipped
printf 'PK\003\004' >short.bk2
refuses 1 'short.bk2: is a movie of BizHawk (bk2)' movie info short.bk2
printf 'FCM\032\002' >old
refuses 1 'old: is a movie of old FCEU (fcm)' movie info old
printf 'BZh91AY' >packed
refuses 1 'packed: is compressed by bzip2' movie info packed
printf 'version 3\nbinary 1\n' >project.fm3
refuses 1 "project.fm3: is a project of FCEUX's TAS Editor (fm3)" movie info project.fm3
gzip -c "$source/movies/mazewisp.fm2" >mazewisp.fm2.gz
"$hotgraph" movie info mazewisp.fm2.gz "$rom" >/dev/null || fail "a movie in .gz is not read"
"$hotgraph" movie make --out other.fm2 --frames 20 --md5 00000000000000000000000000000000
refuses 1 'made with another ROM' replay "$rom" --movie other.fm2 --ram-hash out
nothing_left out
"$hotgraph" replay "$rom" --movie other.fm2 --force >/dev/null 2>forced ||
    fail "--force does not play another ROM's movie"
grep -q 'warning: other.fm2' forced || fail "--force does not say what it overrides"

# ---- streams and graphs ----
printf 'header\n0\t0xc000\t2\tGENERIC\t0\tnop\tx\n1\t0xc002\tmany\tGENERIC\t0\tnop\tx\n' >bad.isampling
refuses 1 'bad.isampling:3:' build bad.isampling --out out
nothing_left out
printf '0x10\t0x20\tmany\n' >bad.graph
refuses 1 'bad.graph:1:' compare bad.graph bad.graph

# ---- states ----
"$hotgraph" replay "$rom" --frames 20 --save-state state >/dev/null
head -c 1000 state >short.state
refuses 1 'short.state' replay "$rom" --frames 30 --load-state short.state
refuses 1 "$rom" replay "$rom" --frames 30 --load-state "$rom"
refuses 1 'state' replay jam.nes --frames 30 --load-state state
refuses 1 'nothing to play' replay "$rom" --frames 20 --load-state state

# ---- the content of a file cannot control a terminal ----
plain() { # the output of the last `refuses`
    if LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" .stderr; then
        fail "control characters: $(od -c .stderr | head)"
    fi
}
escape=$(printf '\033')
printf 'version 3\nport0 1\nport1 1\n|0|........|..\033]0;x\007....||\n' >"a${escape}[31m.fm2"
refuses 1 'a\x1b[31m.fm2:4' replay "$rom" --movie "a${escape}[31m.fm2"
plain
refuses 2 "unknown command '\\x1b[2J'" "${escape}[2J"
plain
refuses 2 "not '\\x1b[2J'" replay "$rom" --frames "${escape}[2J"
plain
printf 'name = "\\x1b[2J"; games = ( { name = "\\x1b[2J"; } );\n' >escape.cfg
refuses 1 "the name '\\x1b[2J'" sweep escape.cfg
plain
# C1 controls begin escape sequences, too; other letters are printed as they are.
refuses 2 "unknown command '\\xc2\\x9b2J'" "$(printf '\302\2332J')"
refuses 2 "unknown command 'gráfico'" gráfico
cp "$rom" "b${escape}[31m.nes"
"$hotgraph" testrom "b${escape}[31m.nes" --frames 2 >.stderr || true
plain
grep -qF 'b\x1b[31m.nes' .stderr || fail "testrom: $(cat .stderr)"

# ---- missing files are reported as missing, and mistyped folders are not created ----
refuses 1 'none.cfg: there is no such file' sweep none.cfg
refuses 1 "none.db: there is no such file; 'hotgraph sweep" report none.db
test ! -e none.db || fail "report makes a database"
seq 1000 >text.db
refuses 1 'text.db: is not a database' report text.db
! grep -q -e '--db' .stderr || fail "report advises an option that it has not: $(cat .stderr)"
echo 'grid = { bin_size = 8; };' >some.cfg
refuses 1 'resluts/x.db: its folder resluts does not exist: create it first, or choose another with --db' \
    sweep some.cfg --db resluts/x.db
refuses 1 'resluts/tables: its folder resluts does not exist: create it first, or choose another with --report' \
    sweep some.cfg --db some.db --report resluts/tables
refuses 1 'resluts/out: cannot be written: its folder resluts does not exist' \
    replay "$rom" --frames 2 --ram-hash resluts/out
refuses 1 'resluts/dir: cannot be created as a folder: its folder resluts does not exist' \
    replay "$rom" --frames 2 --video resluts/dir
refuses 1 'some.cfg/x: there is no such file: some.cfg is not a folder' movie info some.cfg/x
refuses 1 'none.nes: there is no such file' testrom none.nes
# A build with sanitizers has no probes in native programs.
if "$hotgraph" native --help >/dev/null 2>&1; then
    refuses 1 './none: there is no such file' native -- ./none
    refuses 1 'some.cfg: is not a program that you may execute' native -- ./some.cfg
fi
refuses 1 'none: there is no such file; a program is named by its path' record --json -- none
refuses 1 'gone/none: there is no such file: its folder gone does not exist' record --json -- gone/none
printf '@include "none.cfg"\n' >includes.cfg
refuses 1 'includes.cfg:1: the included file: none.cfg: there is no such file' sweep includes.cfg
! grep -q 'No such file' .stderr || fail "an error of the system is told raw: $(cat .stderr)"
refuses 1 'some.cfg is not a folder' sweep some.cfg --db some.db --report some.cfg/tables
test ! -e resluts || fail "a mistyped folder was made"
test ! -e some.db || fail "a database was made before --report was looked at"

# ---- hot_graph.sh ----
sqlite3 hot.db "CREATE TABLE hot_edge (experiment, game, variant, source, target, count, busy, hot);
    INSERT INTO hot_edge VALUES ('x', 'one', '', 'c000', 'c010', 5, 0, 1),
        ('x', 'both', '', 'c000', 'c010', 5, 0, 1), ('y', 'both', '', 'c000', 'c020', 5, 0, 1);
    CREATE TABLE named_edge (experiment, game, variant, source, target, source_name, target_name, hot);
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 69)
    INSERT INTO hot_edge SELECT 'x', 'long', '', printf('%04x', 4096 + i), 'c000', 100 - i, 0, 1 FROM n"
if command -v dot >/dev/null; then
    sh "$source/plots/hot_graph.sh" hot.db one dot >one.dot || fail "hot_graph.sh one"
    grep -q 'C010' one.dot || fail "$(cat one.dot)"
    sh "$source/plots/hot_graph.sh" hot.db both dot y >y.dot || fail "hot_graph.sh of one experiment"
    grep -q 'C020' y.dot && ! grep -q 'C010' y.dot || fail "$(cat y.dot)"
    sh "$source/plots/hot_graph.sh" hot.db long dot >long.dot || fail "hot_graph.sh of a long graph"
    grep -q 'the 60 heaviest of 70 hot edges' long.dot && grep -q '103B' long.dot && ! grep -q '103C' long.dot || fail "$(cat long.dot)"
    for odd in "-hot.db" "it's \"one\" *.db" '$(touch hacked);.db'; do
        cp ./hot.db "./$odd"
        sh "$source/plots/hot_graph.sh" "$odd" one dot >odd.dot || fail "hot_graph.sh of $odd"
        same one.dot odd.dot
        test ! -e hacked || fail "a part of $odd was run"
        rm "./$odd"
    done
    ! sh "$source/plots/hot_graph.sh" hot.db both dot >y.dot 2>errors || fail "experiments are mixed"
    grep -q 'name one of: x y' errors || fail "$(cat errors)"
fi
for wrong in two "o'ne"; do
    status=0
    sh "$source/plots/hot_graph.sh" hot.db "$wrong" >out.svg 2>errors || status=$?
    test $status = 1 || fail "hot_graph.sh of an unknown game: exit status $status"
    grep -q "it has: .*one" errors || fail "$(cat errors)"
    test ! -s out.svg || fail "an empty picture"
done
rm -f out.svg
