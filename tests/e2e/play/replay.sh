# A movie has one outcome: if this fails, results depend on the mode of a replay, and measurements
# cannot be reproduced.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"
rom="$source/games/mazewisp.nes" movie=m.fm2
"$hotgraph" movie make "$rom" --out "$movie" --seed 5 --frames 400 >/dev/null
"$hotgraph" movie make "$rom" --out again.fm2 --seed 5 --frames 400 >/dev/null
same "$movie" again.fm2
"$hotgraph" movie info "$movie" "$rom" | grep -q 'frames *400' || fail "movie info counts frames"
"$hotgraph" movie make "$rom" --out third.fm2 --seed 6 --frames 400 >/dev/null
! cmp -s "$movie" third.fm2 || fail "the seed changes nothing"

# The summary without the parts that depend on the engine and the host: time, skipped and translated instructions.
outcome() {
    "$hotgraph" replay "$rom" --movie "$movie" --json "$@" |
        sed 's/"seconds".*//; s/"skipped": [0-9]*//; /"translation"/d'
}
outcome --ram-hash first.hash --dump-ram first.ram --frames 400 >first
outcome --ram-hash second.hash --frames 400 >second
same first second
same first.hash second.hash
test "$(wc -l <first.hash)" = 400 || fail "a hash a frame"
test "$(wc -c <first.ram)" = 819200 || fail "2 KiB of RAM a frame"
test "$(cut -d' ' -f2 first.hash | sort -u | wc -l)" -gt 300 || fail "RAM does not change"

# Cycle by cycle, without skipping busy-waits, with pictures, traced, and observed by profilers: the guest runs the same.
outcome --no-fast --ram-hash slow.hash >slow
same first slow
same first.hash slow.hash
outcome --no-skip --ram-hash stepped.hash >stepped
same first stepped
same first.hash stepped.hash
outcome --screenshot 399:end.png --ram-hash pictures.hash >pictures
same first pictures
same first.hash pictures.hash
"$hotgraph" replay "$rom" --movie "$movie" --trace 100:110 --ram-hash traced.hash >trace
same first.hash traced.hash

# RAM at a game's checkpoints: one for each instruction of the trace that writes the byte; Mazewisp
# increments $11 at each.
outcome --dump-ram-at 11:steps.ram --ram-hash steps.hash --frames 400 >steps
same first steps
same first.hash steps.hash
"$hotgraph" replay "$rom" --movie "$movie" --frames 400 --trace 0:400 | grep -c '	E611	' >executed
test "$(wc -c <steps.ram)" = "$((2048 * ($(cat executed) + 1)))" || # and once when RAM is cleared
    fail "$(cat executed) instructions write the byte, but $(wc -c <steps.ram) bytes of RAM are dumped"
python3 -c 'import sys
steps = open("steps.ram", "rb").read()[0x11::2048]
sys.exit(len(steps) < 300 or any(step != i % 256 for i, step in enumerate(steps)))' ||
    fail "a checkpoint is missing"

# The trace starts and ends at the given frames.
test "$(grep -v '	\*	' trace | cut -f1 | uniq | tr '\n' ' ')" = \
    "100 101 102 103 104 105 106 107 108 109 " || fail "frames of the trace"
grep -q '	begins	NMI	' trace || fail "the trace shows no interrupt"

# Saving and loading a state does not change the replay.
outcome --frames 150 --save-state s150 >/dev/null
outcome --load-state s150 --frames 400 --ram-hash loaded.hash --save-state s400 >loaded
tail -n 250 first.hash >rest.hash
same rest.hash loaded.hash
outcome --frames 400 --save-state straight >/dev/null
same s400 straight
test "$(grep -o '"state_hash": "[0-9a-f]*"' loaded)" = "$(grep -o '"state_hash": "[0-9a-f]*"' first)" ||
    fail "another state hash after loading"

# Counts are those of the frames that were played.
counts() { grep -oE '"(cycles|instructions)": [0-9]*' "$1" | head -n 2 | sed 's/.*: //' | tr '\n' ' '; }
outcome --frames 150 >begin
read -r cycles instructions <<END
$(counts begin)
END
read -r later more <<END
$(counts loaded)
END
test "$((cycles + later)) $((instructions + more)) " = "$(counts first)" ||
    fail "$(counts begin)and $(counts loaded)make $(counts first)"

# A compressed result holds the same.
"$hotgraph" replay "$rom" --movie "$movie" --ram-hash packed.gz >/dev/null
gzip -dc packed.gz >unpacked
same first.hash unpacked

# Pictures: PNG, 256 x 240.
test "$(head -c 24 end.png | od -An -tx1 | tr -d ' \n')" = \
    89504e470d0a1a0a0000000d4948445200000100000000f0 || fail "no PNG of 256 x 240"
"$hotgraph" replay "$rom" --movie "$movie" --frames 3 --video film >/dev/null
test "$(ls film)" = "$(printf '000000.png\n000001.png\n000002.png')" || fail "video: $(ls film)"
"$hotgraph" replay "$rom" --movie "$movie" --frames 60 --video whole >/dev/null
"$hotgraph" replay "$rom" --movie "$movie" --frames 60 --video some --every 25 >/dev/null
test "$(ls some)" = "$(printf '000000.png\n000025.png\n000050.png')" || fail "video: $(ls some)"
for picture in some/*; do
    same "$picture" "whole/${picture#some/}"
done

# Handmade states: an impossible one is refused; one in the middle of a picture is played.
python3 - s150 <<'END'
import struct, sys
state = bytearray(open(sys.argv[1], "rb").read())
HEADER, CYCLE, FRAME_END, GUESS = 76, 84 + 7, 84 + 48, 84 + 56
def hashed(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return h
def write(name):
    state[HEADER - 8:HEADER] = struct.pack("<Q", hashed(state[HEADER:]))
    open(name, "wb").write(state)
assert state[GUESS] == 1 and state[:8] == b"hotgraph"
state[GUESS] = 0
write("impossible")
# At line 100, dot 0: the vertical blank comes with dot 1 of line 241.
ppu = state.index(b"PPU ") + 8
time, line, dot = struct.unpack_from("<QHH", state, ppu)
struct.pack_into("<HH", state, ppu + 8, 100, 0)
struct.pack_into("<Q", state, FRAME_END, (time + (241 - 100) * 341 + 1 + 1) // 3)
write("midst")
END
for wish in "--dump-pictures x.bin" "--video x.dir" "--screenshot 150:x.png"; do
    refuses 1 "impossible: the parts of the state do not fit together" replay "$rom" --movie "$movie" --frames 160 --load-state impossible $wish
    refuses 1 "frame 150 has no complete picture" replay "$rom" --movie "$movie" --frames 160 --load-state midst $wish
done
"$hotgraph" replay "$rom" --movie "$movie" --frames 160 --load-state midst --screenshot 151:midst.png >/dev/null || fail "a state of the midst of a frame is not played"
test -s midst.png || fail "no picture of the next frame"

# The first picture after a state, and all pixels as numbers.
"$hotgraph" replay "$rom" --movie "$movie" --frames 160 --screenshot 150:straight.png --dump-pictures pixels >/dev/null
"$hotgraph" replay "$rom" --movie "$movie" --frames 160 --load-state s150 --screenshot 150:loaded.png >/dev/null
same straight.png loaded.png
test "$(wc -c <pixels)" = $((160 * 256 * 240 * 2)) || fail "two bytes a pixel"

# Console variants: part of the outcome; a game that hangs on one gets a
# warning.
outcome --frames 400 | grep -q '"console": "warmup=on,alignment=0"' || fail "which console?"
outcome --frames 400 --console alignment=6 >aligned
grep -q '"console": "warmup=on,alignment=6"' aligned || fail "which console?"
test "$(counts aligned)" != "$(counts first)" || fail "another alignment changes nothing"
status=0
"$hotgraph" replay "$rom" --console alignment=341 2>why || status=$?
test "$status" = 2 || fail "--console alignment=341 ends with $status"
grep -q 'alignment=0 to 340' why || fail "$(cat why)"
python3 - <<'END'
code = bytes.fromhex("a9808d00204c0580") # LDA #$80; STA $2000; JMP here
image = b"NES\x1a\2\1" + bytes(10) + code.ljust(0x7FFA, b"\0") + bytes.fromhex("058000800580") + bytes(0x2000)
open("impatient.nes", "wb").write(image)
END
"$hotgraph" replay impatient.nes --frames 10 2>why >/dev/null
grep -q -- '--console warmup=off' why || fail "a game that does not start is not told: $(cat why)"
"$hotgraph" replay impatient.nes --frames 10 --console warmup=off 2>why >/dev/null
# Without a movie no buttons are pressed: one message says so.
test "$(wc -l <why)" = 1 && grep -q 'impatient.nes: no movie: no buttons are pressed' why || fail "$(cat why)"
"$hotgraph" replay "$rom" --movie "$source/movies/mazewisp.fm2" --frames 10 2>why >/dev/null
test ! -s why || fail "$(cat why)"

# Stopped on request: no half-written file remains, and the exit status names the signal.
"$hotgraph" replay "$rom" --frames 100000000 --ram-hash endless 2>stopped &
pid=$!
until ls endless.tmp* >/dev/null 2>&1; do
    kill -0 "$pid" 2>/dev/null || fail "an endless replay ended: $(cat stopped)"
done
kill -TERM "$pid"
status=0
wait "$pid" || status=$?
test "$status" = 143 || fail "stopped by SIGTERM it ends with $status"
grep -q 'stopped by signal 15' stopped || fail "$(cat stopped)"
test -z "$(ls endless* 2>/dev/null)" || fail "left behind: $(ls endless*)"

# The summary is JSON whatever the file is called.
for name in 'two words.nes' 'quote"back\slash.nes' "$(printf 'umlaut-\303\274.nes')" \
    "$(printf 'latin-\374.nes')" "$(printf 'tab\there.nes')"; do
    cp "$rom" "$name"
    "$hotgraph" replay "$name" --frames 2 --json >summary
    python3 -c 'import json; json.load(open("summary", encoding="utf-8"))' || fail "JSON of $name"
done

# A folder with the name of a game does not hide the game.
cd "$source"
for command in 'replay --frames 3' "exact --frames 3 --out $work/x.graph" "structure --frames 3 --out $work/x.structure" \
    "sample --frames 60 --out $work/x.hgstream" "blocks --frames 3" "movie check --frames 1800" \
    "profile --technique observed --frames 60 --out $work/p.graph" "movie make --frames 60 --out $work/m.fm2" "lockstep --frames 2"; do
    (mkdir -p "$work/here/airmail" && cd "$work/here" &&
        HOTGRAPH_GAMES=$source/configs/games.cfg "$hotgraph" ${command%% --*} airmail --${command#* --} >"$work/out" 2>&1) ||
        fail "$command with a folder called airmail: $(cat "$work/out")"
done
