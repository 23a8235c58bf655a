; Arithmetic the 6502 has not got.
.include "ram.inc"
.import popa, popax
.export _mul8, _div16, _rnd, _rnd_below, multiply

.segment "CODE"
; word __fastcall__ mul8(byte a, byte b)
_mul8:
    sta math_b
    jsr popa
    jsr multiply
    ldx math_hi
    rts

; A * math_b -> math_hi, A: shift and add. Leaves X alone.
multiply:
    sta math_a
    lda #0
    ldy #8
    lsr math_b
@bit:
    bcc @none
    clc
    adc math_a
@none:
    ror a
    ror math_b                  ; a bit of the product goes in, the next bit of the factor comes out
    dey
    bne @bit
    sta math_hi
    lda math_b
    rts

; word __fastcall__ div16(word n, byte d): quotient; the remainder is left in div_rest
_div16:
    sta math_b
    jsr popax
    sta math_a
    stx math_hi
    lda #0
    ldy #16
@bit:
    asl math_a
    rol math_hi
    rol a
    bcs @fits
    cmp math_b
    bcc @less
@fits:
    sbc math_b
    inc math_a
@less:
    dey
    bne @bit
    sta _div_rest
    lda math_a
    ldx math_hi
    rts

; byte rnd(void): a linear congruential generator, seed = 261 * seed + 8473. X is left alone.
_rnd:
    lda _seed
    asl a
    sta math_a
    lda _seed+1
    rol a
    asl math_a
    rol a
    sta math_hi                 ; 4 * seed
    lda math_a
    clc
    adc _seed
    sta math_a
    lda math_hi
    adc _seed+1
    clc
    adc _seed                   ; + 256 * seed
    sta math_hi
    lda math_a
    clc
    adc #<8473
    sta _seed
    lda math_hi
    adc #>8473
    sta _seed+1
    eor _seed                   ; the low bits alone have short periods
    ldx #0
    rts

; byte __fastcall__ rnd_below(byte n): 0 .. n - 1
_rnd_below:
    pha
    jsr _rnd
    tay
    pla
    sta math_b
    tya
    jsr multiply
    lda math_hi
    ldx #0
    rts
