; Arithmetic.

; A * mul_b: high byte in A, low byte in mul_lo. Keeps X.
multiply:
    sta mul_a
    lda #0
    ldy #8
@bit:
    lsr mul_b
    bcc @skip
    clc
    adc mul_a
@skip:
    ror a
    ror mul_lo
    dey
    bne @bit
    rts

; A (signed) * Y / 256, rounded towards zero. Keeps X.
scale:
    sty mul_b
    cmp #$80
    bcc multiply
    eor #$ff
    adc #0              ; carry is set: A = -A
    jsr multiply
negate:
    eor #$ff
    clc
    adc #1
    rts

; num / den: quotient in num, remainder in A. Keeps X.
divide:
    lda #0
    ldy #16
@bit:
    asl num
    rol num + 1
    rol a
    bcs @fits
    cmp den
    bcc @next
@fits:
    sbc den
    inc num
@next:
    dey
    bne @bit
    rts

; |A|
magnitude:
    cmp #$80
    bcs negate
    rts

; |A - Y|, unsigned. Keeps X, Y.
distance:
    sty t0
    sec
    sbc t0
    bcs @done
    eor #$ff
    adc #1
@done:
    rts

; 16-bit xorshift: 7, 9, 8. Its high byte in A. Keeps X, Y.
random:
    lda rng + 1
    lsr a
    lda rng
    ror a
    eor rng + 1
    sta rng + 1
    ror a
    eor rng
    sta rng
    eor rng + 1
    sta rng + 1
    rts

; A number below A.
random_below:
    sta mul_b
    jsr random
    jmp multiply
