; Umbel: a bumblebee duels in the air over a bog. README.md tells what is where.
; One translation unit; the parts share ram.inc.

.include "ram.inc"
.include "pictures.inc"

; Texts are tile numbers; the font stands where ASCII has it, less 32.
.repeat 64, i
    .charmap 32 + i, i
.endrepeat

.segment "INES"
    .byte $4e, $45, $53, $1a, 1, 1
    .byte $01, $00      ; vertical mirroring, mapper 0
    .res 8, 0

.segment "CODE"
.include "main.s"
.include "states.s"
.include "stage.s"
.include "flyers.s"
.include "flight.s"
.include "minds.s"
.include "contact.s"
.include "weather.s"
.include "sprites.s"
.include "status.s"
.include "sound.s"
.include "math.s"

.segment "DATA"
.include "data.s"
.include "songs.s"
.include "stages.inc"

.segment "PICS"
    .incbin "pictures.chr"

.segment "VEC"
    .word interrupt, reset, interrupt
