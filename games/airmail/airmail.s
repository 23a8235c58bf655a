; Airmail: a lighthouse keeper catches the mail of a balloon before the sea has it. README.md tells what is where.
; One translation unit: the parts share ram.inc and call each other freely.

.include "ram.inc"
.include "art.inc"

.segment "HEADER"
    .byte $4e, $45, $53, $1a, 1, 1, 0, 0     ; 16 KiB PRG, 8 KiB CHR, mapper 0
    .res 8, 0

; Texts are tile numbers: the font starts at the space.
.repeat 64, i
    .charmap $20 + i, i
.endrepeat

.segment "CODE"
.include "boot.s"
.include "wind.s"
.include "sea.s"
.include "states.s"
.include "floors.s"
.include "keeper.s"
.include "crab.s"
.include "search.s"
.include "gull.s"
.include "mail.s"
.include "rows.s"
.include "sprites.s"
.include "sound.s"
.include "math.s"

.segment "RODATA"
.include "data.s"
.include "tunes.s"
.include "screens.inc"

.segment "CHR"
    .incbin "art.chr"

.segment "VECTORS"
    .word nmi, reset, reset
