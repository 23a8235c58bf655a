# Input that is wrong: if this fails, a user who mixes up or damages a file gets results of something
# else, a crash, or half a file, and is not told which file it was.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$work"
rom="$source/games/mazewisp.nes"

# nothing_left FILE: neither the result nor a temporary of it.
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
refuses 1 'mapper.nes: its board, mapper' sample mapper.nes --out out
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
