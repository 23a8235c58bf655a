# Verdicts of test ROMs: if this fails, a broken machine passes its hardware tests, or a good one
# never gets the reset that a test asks for.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$work"

# make_rom NAME RESULT RESET: a ROM that says "hi" and gives RESULT; with RESET 1 it does so only
# after the reset button, with RESET 2 it jams.
make_rom() {
    python3 - "$@" <<'END'
import sys
name, result, mode = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
code = bytearray()
def store(value, address):
    code.extend([0xA9, value, 0x8D, address & 255, address >> 8])
store(0x80, 0x6000)
for address, value in ((0x6001, 0xDE), (0x6002, 0xB0), (0x6003, 0x61), (0x6004, ord('h')),
                       (0x6005, ord('i')), (0x6006, 10), (0x6007, 0)):
    store(value, address)
code.extend([0xA2, 0, 0xA0, 0, 0xC8, 0xD0, 0xFD, 0xE8, 0xD0, 0xF8])  # wait a few frames
code.extend([0xA2, 0, 0xC8, 0xD0, 0xFD, 0xE8, 0xD0, 0xFA])
if mode == 1:
    code.extend([0xAD, 0x00, 0x02, 0xC9, 0xA5, 0xF0, 13])  # LDA $0200: is it the second time?
    store(0xA5, 0x0200)
    store(0x81, 0x6000)
    here = 0xC000 + len(code)
    code.extend([0x4C, here & 255, here >> 8])
if mode == 2:
    code.append(0x02)
store(result, 0x6000)
here = 0xC000 + len(code)
code.extend([0x4C, here & 255, here >> 8])
prg = code + bytes(16384 - 6 - len(code)) + bytes([0, 0xC0, 0, 0xC0, 0, 0xC0])
open(name, 'wb').write(b'NES\x1a\x01\x00' + bytes(10) + prg)
END
}

make_rom good.nes 0 0
make_rom bad.nes 3 0
make_rom reset.nes 0 1
make_rom jam.nes 0 2

"$hotgraph" testrom good.nes reset.nes >out || fail "good ROMs do not pass: $(cat out)"
printf 'passed   good.nes\npassed   reset.nes\n2 of 2 passed\n' >expected
same expected out
status=0
"$hotgraph" testrom good.nes bad.nes jam.nes >out || status=$?
test "$status" = 1 || fail "exit status $status for ROMs that fail"
printf 'passed   good.nes\nfailed   bad.nes: result 3\n    hi\n' >expected
printf 'failed   jam.nes: a JAM instruction at $C03A\n    hi\n1 of 3 passed\n' >>expected
same expected out
status=0
"$hotgraph" testrom good.nes --frames 2 >out || status=$?
test "$status" = 1 || fail "exit status $status for a ROM without a verdict"
grep -q '^unknown  good.nes: no verdict after 2 frames' out || fail "no verdict: $(cat out)"
refuses 1 'none.nes' testrom none.nes
refuses 2 'it takes' testrom
