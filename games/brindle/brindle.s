; Brindle: a kid of the mountain goats climbs home. README.md tells what is where.
; One translation unit: the parts share ram.inc and call each other freely.

.include "ram.inc"
.include "tiles.inc"

; Texts are tile numbers: the letters are drawn at their code - 32.
.repeat 64, i
    .charmap $20 + i, i
.endrepeat

.segment "HEADER"
    .byte $4e, $45, $53, $1a
    .byte 2, 1          ; 32 KiB PRG, 8 KiB CHR
    .byte $01, $00      ; vertical mirroring (two screens side by side), mapper 0
    .res 8, 0

.segment "CODE"
.include "core.s"
.include "modes.s"
.include "unpack.s"
.include "camera.s"
.include "cells.s"
.include "goat.s"
.include "herd.s"
.include "script.s"
.include "draw.s"
.include "bar.s"
.include "sound.s"
.include "math.s"

.segment "RODATA"
.include "tables.s"
.include "lines.s"
.include "tunes.s"
.include "levels.inc"

.segment "CHR"
    .incbin "tiles.chr"

.segment "VECTORS"
    .word nmi, reset, irq
