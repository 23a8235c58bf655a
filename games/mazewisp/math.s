; Arithmetic the 6502 has not got.

; A * mul_b. Out: A high byte, prod low byte. Keeps Y.
umul8:
    sta mul_a
    lda #0
    ldx #8
@bit:
    lsr mul_b
    bcc @shift
    clc
    adc mul_a
@shift:
    ror a
    ror prod
    dex
    bne @bit
    rts

; num (16 bits) / den (1..128). Out: num quotient, A remainder. Keeps X.
udiv16:
    lda #0
    ldy #16
@bit:
    asl num
    rol num + 1
    rol a
    cmp den
    bcc @next
    sbc den
    inc num
@next:
    dey
    bne @bit
    rts

; A pseudo-random byte: a Galois shift register (taps $b400, period 65535), three steps a call. Keeps X and Y.
random:
.repeat 3
.scope
    lsr rng + 1
    ror rng
    bcc skip
    lda rng + 1
    eor #$b4
    sta rng + 1
skip:
.endscope
.endrepeat
    lda rng
    rts

; How far actor X is from the wisp: A = longer side + 3/8 of the shorter, at most 255 (within 7 % of the true distance).
; Also adx, ady (sides), sgnx, sgny, t0 (the longer side). The maze is a ring of 512 pixels.
est_dist:
    ldy #1
    sec
    lda ax_lo, x
    sbc ax_lo
    sta adx
    lda ax_hi, x
    sbc ax_hi
    and #1
    beq @right
    dey
    sec
    lda #0
    sbc adx
    bne @short
    lda #255            ; exactly opposite: 256
@short:
    sta adx
@right:
    sty sgnx
    ldy #1
    sec
    lda ay, x
    sbc ay
    bcs @below
    dey
    eor #$ff
    adc #1
@below:
    sta ady
    sty sgny
    tay
    lda adx
    cmp ady
    bcs @wide
    tay
    lda ady
@wide:
    sta t0              ; Y = the shorter side
    tya
    lsr a
    lsr a
    sta t1
    lsr a
    clc
    adc t1
    adc t0
    bcc @fits
    lda #255
@fits:
    rts
