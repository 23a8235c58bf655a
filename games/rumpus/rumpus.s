; Rumpus: a hob alone against its house guests. README.md tells what is where.
; The parts are one translation unit and call each other freely.

.linecont +
.include "ram.inc"
.include "tiles.inc"

; Texts are tile numbers: the letters begin with the space.
.repeat 64, i
    .charmap $20 + i, i
.endrepeat

; The two skips: a BIT whose operand is the next instruction.
.macro SKIP2            ; over two bytes
    .byte $2c
.endmacro
.macro SKIP1            ; over one byte
    .byte $24
.endmacro

; A table of addresses for the RTS trick: low bytes under one name, high bytes under another.
.macro RTS_TABLE name_lo, name_hi, l0, l1, l2, l3, l4, l5, l6, l7, l8, l9, l10, l11, l12
name_lo:
    RTS_BYTES 0, l0, l1, l2, l3, l4, l5, l6, l7, l8, l9, l10, l11, l12
name_hi:
    RTS_BYTES 1, l0, l1, l2, l3, l4, l5, l6, l7, l8, l9, l10, l11, l12
.endmacro
.macro RTS_BYTES high, l0, l1, l2, l3, l4, l5, l6, l7, l8, l9, l10, l11, l12
    .ifblank l0
        .exitmacro
    .endif
    .if high
        .byte >(l0 - 1)
    .else
        .byte <(l0 - 1)
    .endif
    RTS_BYTES high, l1, l2, l3, l4, l5, l6, l7, l8, l9, l10, l11, l12
.endmacro

; Goes where entry Y of such a table says.
.macro RTS_GO name_lo, name_hi
    lda name_hi, y
    pha
    lda name_lo, y
    pha
    rts
.endmacro

.segment "INES"
    .byte $4e, $45, $53, $1a
    .byte 1, 1          ; 16 KiB PRG, 8 KiB CHR
    .byte $01, $00      ; vertical mirroring, mapper 0
    .res 8, 0

.segment "CODE"
.include "boot.s"
.include "tasks.s"
.include "host.s"
.include "rows.s"
.include "body.s"
.include "hob.s"
.include "guests.s"
.include "things.s"
.include "touch.s"
.include "show.s"
.include "numbers.s"
.include "sound.s"

.segment "TABLES"
.include "data.s"
.include "tunes.s"

.segment "TILES"
    .incbin "tiles.chr"

.segment "ROMTOP"
    .word nmi, reset, irq
