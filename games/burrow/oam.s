; Sprites.
.include "ram.inc"
.export _oam_begin, _put16, _put8, _mark_cell, _next_marked

.segment "CODE"
; void oam_begin(void): no sprites yet. The first slot moves on each step, so that more than eight on a line flicker
; instead of vanishing.
_oam_begin:
    lda #$F0
    ldx #0
@hide:
    sta _oam,x
    inx
    inx
    inx
    inx
    bne @hide
    lda oam_turn
    clc
    adc #$34
    sta oam_turn
    sta _oam_at
    rts

; void put16(void): four sprites, tiles spr_tile to + 3, upper left corner at spr_x, spr_y
_put16:
    ldy #0
    lda _spr_attr
    asl a
    bpl @upright                ; bit 6: left and right change sides
    iny
@upright:
    bcc @side                   ; bit 7: above and below
    iny
    iny
@side:
    sty spr_flip
    lda #3
    sta spr_quarter
    ldx _oam_at
@quarter:
    ldy spr_quarter
    lda _spr_y
    clc
    adc below,y
    sta _oam,x
    lda _spr_x
    clc
    adc right,y
    sta _oam+3,x
    tya
    eor spr_flip
    clc
    adc _spr_tile
    sta _oam+1,x
    lda _spr_attr
    sta _oam+2,x
    inx
    inx
    inx
    inx
    dec spr_quarter
    bpl @quarter
    stx _oam_at
    rts

; void put8(void): one sprite
_put8:
    ldx _oam_at
    ldy _spr_y
    dey
    tya
    sta _oam,x
    lda _spr_tile
    sta _oam+1,x
    lda _spr_attr
    sta _oam+2,x
    lda _spr_x
    sta _oam+3,x
    inx
    inx
    inx
    inx
    stx _oam_at
    rts

; void __fastcall__ mark_cell(byte cell): it will be drawn anew
_mark_cell:
    tax
    lda _soil,x
    ora #$80
    sta _soil,x
    rts

; byte next_marked(void): goes on from cursor to the next marked cell, unmarks and returns it; 0 = none
_next_marked:
    ldy #224
    ldx _cursor
@look:
    inx
    cpx #224
    bne @in
    ldx #0
@in:
    lda _soil,x
    bmi @found
    dey
    bne @look
    stx _cursor
    lda #0
    tax
    rts
@found:
    and #$7F
    sta _soil,x
    stx _cursor
    txa
    ldx #0
    rts

.segment "RODATA"
below: .byte $FF, $FF, 7, 7     ; the PPU shows a sprite one line below its Y
right: .byte 0, 8, 0, 8
