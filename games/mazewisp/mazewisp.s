; Mazewisp: a will-o'-the-wisp gathers embers in hedge mazes. README.md tells what is where.
; One translation unit: the parts share ram.inc and call each other freely.

.include "ram.inc"
.include "tiles.inc"

; Texts are tile numbers: the font starts at the space.
.repeat 64, i
    .charmap $20 + i, i
.endrepeat

.segment "HEADER"
    .byte $4e, $45, $53, $1a
    .byte 1, 1          ; 16 KiB PRG, 8 KiB CHR
    .byte $01, $00      ; vertical mirroring (two screens side by side), mapper 0
    .res 8, 0

.segment "CODE"
.include "main.s"
.include "states.s"
.include "maze.s"
.include "actors.s"
.include "wisp.s"
.include "hunters.s"
.include "sprites.s"
.include "hud.s"
.include "sound.s"
.include "math.s"

.segment "RODATA"
.include "data.s"
.include "songs.s"
.include "mazes.inc"

.segment "CHR"
    .incbin "tiles.chr"

.segment "VECTORS"
    .word nmi, reset, irq
