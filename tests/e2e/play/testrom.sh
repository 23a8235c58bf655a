# Verdicts on test ROMs: if this fails, a broken machine passes its hardware tests, a test that asks for
# a reset does not get it, or a ROM without a verdict counts as passed.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"

cat >rom.py <<'END'
# rom.py NAME KIND...: tiny ROMs, each of 16 KiB of PRG at $C000 and 8 KiB of CHR that holds nothing.
import sys
name, kind = sys.argv[1:3]
code, header, tail = bytearray(), bytearray(16), b""
header[:6] = b"NES\x1a\x01\x01"
def store(value, address):
    code.extend([0xA9, value, 0x8D, address & 255, address >> 8])
def here():
    return 0xC000 + len(code)
def jump(address):
    code.extend([0x4C, address & 255, address >> 8])
def write(address, text): # into PPU memory
    code.extend([0xAD, 0x02, 0x20])
    store(address >> 8, 0x2006)
    store(address & 255, 0x2006)
    for c in text:
        store(ord(c), 0x2007)
def wait_frames(n): # by the vertical blank flag
    for _ in range(n):
        code.extend([0x2C, 0x02, 0x20, 0x10, 0xFB])
if kind in ("protocol", "reset", "jam"):
    store(0x80, 0x6000)
    for i, value in enumerate((0xDE, 0xB0, 0x61, ord("h"), ord("i"), 10, 0)):
        store(value, 0x6001 + i)
    wait_frames(3)
    if kind == "reset": # LDA $0200: is it the second time?
        code.extend([0xAD, 0x00, 0x02, 0xC9, 0xA5, 0xF0, 13])
        store(0xA5, 0x0200)
        store(0x81, 0x6000)
        jump(here())
    if kind == "jam":
        code.append(0x02)
    store(int(sys.argv[3]), 0x6000)
elif kind == "ram": # VALUE at $F8
    wait_frames(3)
    store(int(sys.argv[3]), 0x00F8)
elif kind == "text": # OFFSET TEXT: letters as tiles of ASCII code less OFFSET
    wait_frames(3)
    write(0x2142, [chr(ord(c) - int(sys.argv[3])) for c in sys.argv[4]])
elif kind == "button": # $F8 becomes what pad 1 says: 1 for A, once it says something
    loop = here()
    store(1, 0x4016)
    store(0, 0x4016)
    code.extend([0xAD, 0x16, 0x40, 0x29, 1, 0xF0, 0])
    branch = len(code)
    code.extend([0x8D, 0xF8, 0x00])
    end = here()
    jump(end)
    code[branch - 1] = len(code) - branch
    jump(loop)
elif kind == "colour": # shows colour VALUE everywhere
    wait_frames(2)
    write(0x3F00, chr(int(sys.argv[3])))
    write(0x0000, "")
elif kind == "early": # the same, but at once: the PPU takes no address yet, or does
    write(0x3F00, chr(int(sys.argv[3])))
    write(0x0000, "")
elif kind == "log": # starts at $C003, behind this jump
    jump(here())
    code.extend([0xA2, 0xFF, 0x9A, 0xA9, 0x00, 0xEA])
elif kind == "counter": # counts resets at $F9 in $F8
    code.extend([0xE6, 0xF9, 0xA5, 0xF9, 0x85, 0xF8])
jump(here())
if "mapper" in sys.argv:
    header[6] = int(sys.argv[-1]) << 4
prg = bytes(code) + bytes(16384 - 6 - len(code)) + bytes([0, 0xC0, 0, 0xC0, 0, 0xC0])
open(name, "wb").write(bytes(header) + prg + bytes(8192))
END
make_rom() { python3 rom.py "$@"; }
# sha FILE: of PRG and CHR
sha() { tail -c +17 "$1" | sha1sum | cut -d' ' -f1; }
# expect STATUS ARGS...: what testrom prints must be `expected`.
expect() {
    want=$1 status=0
    shift
    "$hotgraph" testrom "$@" >out 2>err || status=$?
    diff expected out || fail "testrom $*"
    test "$status" = "$want" || fail "exit status $status, not $want: testrom $*: $(cat err)"
}

# The protocol.
make_rom good.nes protocol 0
make_rom bad.nes protocol 3
make_rom reset.nes reset 0
make_rom jam.nes jam 0
printf 'passed     good.nes\npassed     reset.nes\n2 of 2 passed\n' >expected
expect 0 good.nes reset.nes
cat >expected <<'END'
passed     good.nes
failed     bad.nes: result 3
    hi
failed     jam.nes: a JAM instruction at $C037
1 of 3 passed, 2 failed
END
expect 1 good.nes bad.nes jam.nes
printf 'unknown    good.nes: no verdict after 2 frames\n    hi\n' >expected
expect 1 good.nes --frames 2
refuses 1 'none.nes' testrom none.nes
refuses 2 'the command takes' testrom

# A table: RAM, the program counter, words on the screen, pads, the reset button, pictures.
make_rom ram.nes ram 1
make_rom ram2.nes ram 2
make_rom words.nes text 0 'ALL PASSED'
make_rom coded.nes text 32 'ALL PASSED'
make_rom sad.nes text 0 'IT HAS FAILED'
make_rom button.nes button
make_rom counter.nes counter
make_rom grey.nes colour 0
make_rom blue.nes colour 1
make_rom demo.nes colour 2
make_rom early.nes early 0
make_rom known.nes ram 7
make_rom pal.nes ram 8
python3 - >hash.grey <<'END'
h = 0xcbf29ce484222325 # FNV-1a of 256 x 240 pixels of 16 bits, all 0
for _ in range(256 * 240 * 2):
    h = h * 0x100000001b3 & 0xffffffffffffffff
print("%016x" % h)
END
cat >table <<END
# The tests' own table.
$(sha ram.nes) "ram" ram F8 01 frames 20
$(sha ram2.nes) "ram2" frames 20
    ram F8 1
$(sha words.nes) "words" text "GOOD|PASSED" fails "FAILED" frames 100
$(sha sad.nes) "sad" text "GOOD|PASSED" fails "FAILED" frames 100 # some comment
$(sha coded.nes) "coded" text "PASSED" tiles 32 frames 100 label "in tiles"
$(sha coded.nes) "coded" text "PASSED" frames 5 label "in letters"
$(sha button.nes) "button" ram F8 1 pc C014 frames 30 hold 5 9 A label "A"
$(sha button.nes) "button" ram F8 1 frames 30 hold 5 9 BsUDLR hold2 5 9 A label "not A"
$(sha counter.nes) "counter" ram F8 03 frames 20 reset 5 reset 9

$(sha grey.nes) "grey" picture 10 12 $(cat hash.grey)
$(sha blue.nes) "blue" picture 10 12 $(cat hash.grey)
$(sha early.nes) "early" picture 10 12 $(cat hash.grey) console "warmup=off" label "on a console that is warm"
$(sha early.nes) "early" picture 10 12 $(cat hash.grey) label "on the usual one"
$(sha demo.nes) "demo" none "a demonstration"
$(sha known.nes) "known" ram F8 1 frames 20 exception "it expects another console"
$(sha pal.nes) "pal" other "the PAL console"
END
head -c 100 good.nes >half.nes
make_rom foreign.nes ram 1 mapper 9
mkdir -p folder/deep/er
cp ram.nes folder/a.nes
cp words.nes folder/deep/b.NES
cp half.nes folder/deep/er/half.nes
echo 'no ROM' >folder/readme.txt
cat >expected <<'END'
passed     folder/a.nes
passed     folder/deep/b.NES
refused    folder/deep/er/half.nes: truncated: the header says 16384 bytes of PRG, and only 84 bytes follow it: get a whole copy
2 of 3 passed, 1 refused
END
expect 1 --table table folder
rm folder/deep/er/half.nes
printf 'passed     folder/a.nes\npassed     folder/deep/b.NES\n2 of 2 passed\n' >expected
expect 0 --table table folder/
refuses 1 'no .nes file' testrom folder/deep/er

sed 's/^|//' >expected <<'END'
failed     ram2.nes: $00F8 is 02, not 01
passed     coded.nes (in tiles)
unknown    coded.nes (in letters): no verdict after 5 frames
|              !,,  0!33%$
failed     sad.nes: its screen says so
|              IT HAS FAILED
passed     button.nes (A)
failed     button.nes (not A): $00F8 is 00, not 01
passed     counter.nes
passed     grey.nes
END
"$hotgraph" testrom --table table ram2.nes coded.nes sad.nes button.nes counter.nes grey.nes >out &&
    fail "exit status 0 with failures"
grep '^[a-z]' out | grep -v ' passed, ' >words
grep '^[a-z]' expected >wanted
diff wanted words || fail "the kinds of verdict"
grep -q '^ *IT HAS FAILED$' out || fail "what the ROM says is not printed: $(cat out)"
"$hotgraph" testrom --table table blue.nes >out && fail "another colour passes"
grep -q '^failed     blue.nes: the picture of frame 10 is [0-9a-f]*, not '"$(cat hash.grey)" out ||
    fail "$(cat out)"

"$hotgraph" testrom --table table early.nes >out && fail "the console does not matter"
grep -q '^passed     early.nes (on a console that is warm)$' out || fail "$(cat out)"
grep -q '^failed     early.nes (on the usual one): the picture of frame 10 is ' out || fail "$(cat out)"

# ROMs that cannot pass, are not tests, or are for other hardware are counted as
# such.
cat >expected <<'END'
passed     ram.nes
silent     demo.nes: a demonstration
exception  known.nes: it expects another console ($00F8 is 07, not 01)
foreign    pal.nes: the PAL console
1 of 4 passed, 1 exceptions, 1 silent, 1 foreign
END
expect 1 --table table ram.nes demo.nes known.nes pal.nes
expect 0 --table table ram.nes demo.nes known.nes pal.nes --as-listed
"$hotgraph" testrom foreign.nes --as-listed >out || fail "a foreign board fails: $(cat out)"
grep -q '^foreign    foreign.nes: its board, mapper 9, is not emulated' out || fail "$(cat out)"
"$hotgraph" testrom foreign.nes >/dev/null && fail "a board that is not emulated passes"
printf 'unknown    ram.nes: no verdict after 30 frames\n' >expected
expect 1 ram.nes --frames 30 --as-listed

# A log: every column counts.
make_rom log.nes log
echo "$(sha log.nes) \"log\" log \"log.txt\" C003" >logs
cat >log.txt <<'END'
C003  A2 FF     LDX #$FF                        A:00 X:00 Y:00 P:24 SP:FD PPU:  0, 21 CYC:7
C005  9A        TXS                             A:00 X:FF Y:00 P:A4 SP:FD PPU:  0, 27 CYC:9
C006  A9 00     LDA #$00                        A:00 X:FF Y:00 P:A4 SP:FF PPU:  0, 33 CYC:11
C008  EA        NOP                             A:00 X:FF Y:00 P:26 SP:FF PPU:  0, 39 CYC:13
C009  4C 09 C0  JMP $C009                       A:00 X:FF Y:00 P:26 SP:FF PPU:  0, 45 CYC:15
C009  4C 09 C0  JMP $C009                       A:00 X:FF Y:00 P:26 SP:FF PPU:  0, 54 CYC:18
END
cp log.txt right.txt
printf 'passed     log.nes: 6 lines of its log\n' >expected
expect 0 --table logs log.nes
for change in 's/C005/C006/' 's/9A  /9B  /' 's/A:00/A:01/' 's/X:FF/X:FE/' 's/Y:00/Y:01/' 's/P:A4/P:24/' \
    's/SP:FD/SP:FF/' 's/PPU:  0, 27/PPU:  1, 27/' 's/PPU:  0, 27/PPU:  0, 28/' 's/CYC:9/CYC:10/'; do
    sed "2$change" right.txt >log.txt
    cmp -s right.txt log.txt && fail "$change changes nothing"
    "$hotgraph" testrom --table logs log.nes >out && fail "the log does not matter: $change"
    grep -q '^failed     log.nes: line 2 of its log is ' out || fail "$change: $(cat out)"
done
printf 'passed     log.nes: 6 lines of its log\n' >expected
expect 0 --table logs log.nes --log right.txt
rm log.txt
"$hotgraph" testrom --table logs log.nes >out && fail "no log, and it passes"
grep -q '^unknown    log.nes: log.txt: ' out || fail "$(cat out)"
printf 'no log\n' >log.txt
refuses 1 'log.txt:1: not a line of a log' testrom --table logs log.nes

# All three modes of running a ROM are compared, also for demonstrations.
"$hotgraph" testrom --table table --ways --as-listed good.nes button.nes demo.nes grey.nes >out || :
grep -q '^5 runs of [0-9]* frames in all ended in the same states' out || fail "$(cat out)"
grep -q '^silent     demo.nes' out || fail "$(cat out)"

# Mistakes in a table are named with their line.
wrong_table() {
    printf '# table\n%s\n' "$1" >wrong
    refuses 1 "$2" testrom --table wrong ram.nes
}
id=$(sha ram.nes)
wrong_table 'abc "x" ram F8 1 frames 3' 'wrong:2: an entry begins with a SHA-1'
wrong_table "$id x ram F8 1 frames 3" 'wrong:2: a text in quotation marks is missing'
wrong_table "$id \"x\" rom F8 1" 'wrong:2: unknown word'
wrong_table "$id \"x\" ram F8 100 frames 3" 'hexadecimal number'
wrong_table "$id \"x\" ram F8 1 frames x" 'decimal number'
wrong_table "$id \"x\" ram F8 1" 'needs `frames`'
wrong_table "$id \"x\" text \"A" 'must end on its line'
wrong_table "$id \"x\" hold 5 5 A" 'less than TO'
wrong_table "$id \"x\" hold 5 6 AX" 'letters of ABsSUDLR'
wrong_table "$id \"x\" picture 5 4 0" 'FROM must not be more'
wrong_table "$id \"x\" area 200 0 100 10 picture 1 1 0" 'must lie within a picture'
wrong_table "$id \"x\" picture 5 9 0 frames 9" 'stops before its picture'
wrong_table "$id \"x\" none \"a\" ram F8 1 frames 3" 'says that it has none'
wrong_table "$id \"x\" log \"a\" C000 ram F8 1 frames 3" 'nothing besides its log'
wrong_table "$id \"x\" console \"warm\"" 'wrong:2: '
wrong_table "$id \"x\" label \"a\" label \"b\"" 'given twice'

# Each ROM of nes-test-roms without a verdict is named in the documentation, with the same reason.
python3 - "$source" <<'END' || fail "docs/agreement.md and testroms.txt name other ROMs without a verdict"
import re, sys
root = sys.argv[1]
table = open(root + "/sweep/testrom/testroms.txt").read()
page = open(root + "/docs/agreement.md").read()
listed = {(name, why) for name, why in re.findall(r'^[0-9a-f]{40} "([^"]*)"\n +(?:none|other)\s+"([^"]*)"', table, re.M)}
shown = {(name, why) for why, names in re.findall(r"^\| ([^|]*) \| (`.*`) \|$", page, re.M)
         for name in re.findall("`([^`]*)`", names)}
missing = listed - shown
print(*sorted(missing), sep="\n")
sys.exit(len(listed) < 30 or bool(missing))
END
