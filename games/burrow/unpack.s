; Beds are stored as runs (art/beds.txt, packed by art/beds.awk); here they become soil and water.
.include "ram.inc"
.import _rnd
.export _unpack

SOIL_KIND = 4
CLAY_KIND = 5

.segment "CODE"
; void __fastcall__ unpack(byte bed): fills rows 2 to 12, columns 1 to 14; right and left change sides if mirror
_unpack:
    tax
    lda bed_lo,x
    sta bed_at
    lda bed_hi,x
    sta bed_at+1
    lda #$21
    sta bed_cell
    lda #154
    sta bed_left
@run:
    ldy #0
    lda (bed_at),y
    inc bed_at
    bne @same
    inc bed_at+1
@same:
    tay
    and #$0F
    sta bed_run
    tya
    lsr a
    lsr a
    lsr a
    lsr a
    sta bed_kind
@cell:
    lda bed_cell
    ldy _mirror
    beq @plain
    eor #$0F                    ; column 1 - 14 becomes 14 - 1
@plain:
    tax
    ldy bed_kind
    cpy #9
    bne @sure
    jsr chance
@sure:
    lda kind_water,y
    sta _water,x
    lda kind_soil,y
    sta _soil,x
    inc bed_cell
    lda bed_cell
    and #$0F
    cmp #15
    bne @row
    lda bed_cell
    adc #1                      ; carry is set: on to column 1 of the next row
    sta bed_cell
@row:
    dec bed_left
    beq @done
    dec bed_run
    bpl @cell
    jmp @run
@done:
    rts

chance:                         ; '?' is clay once in four, soil else
    txa
    pha
    jsr _rnd
    tay
    pla
    tax
    tya
    ldy #1
    cmp #64
    bcc @clay
    dey
@clay:
    rts

.segment "RODATA"
; in the order of the characters .%#_~rNSb?@
kind_soil:  .byte SOIL_KIND, CLAY_KIND, 9, 0, 0, 6, 3, 11, 8, SOIL_KIND, 12
kind_water: .byte 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0
.include "beds.s"
