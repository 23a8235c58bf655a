; The inner loop of all that stands or falls: which floor is at f_x, and how high it is there.
.include "ram.inc"
.export _floor_y, _find_floor

NONE = $ff

.segment "CODE"
; byte __fastcall__ floor_y(byte floor): surface of a floor at f_x
_floor_y:
    tax
    jsr surface
    ldx #0
    rts

; byte find_floor(void): the highest floor at f_x with its surface (f_y then) between f_y0 and f_y1, or NONE
_find_floor:
    lda #NONE
    sta found
    ldx _floors
@next:
    dex
    bmi @done
    lda _fl_x1, x
    cmp _f_x
    bcc @next
    lda _f_x
    cmp _fl_x0, x
    bcc @next
    jsr surface
    cmp _f_y0
    bcc @next
    cmp _f_y1
    beq @in
    bcs @next
@in:
    sta _f_y
    sta _f_y1
    stx found
    jmp @next
@done:
    lda found
    ldx #0
    rts

; Surface of floor X at f_x. Slopes go two pixels at a time, each 32 to the right.
surface:
    lda _fl_slope, x
    beq @flat
    bmi @up
    jsr seen_from_left
    clc
    adc _fl_y, x
    rts
@up:
    jsr seen_from_left
    eor #$ff
    sec
    adc _fl_y, x
    rts
@flat:
    lda _fl_y, x
    rts

seen_from_left:
    lda _f_x
    sec
    sbc _fl_x0, x
    lsr a
    lsr a
    lsr a
    lsr a
    and #$fe
    rts
