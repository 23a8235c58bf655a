; Arithmetic the 6502 has not got.

; A * mul_b. Out: A high byte, product low byte. Keeps X. Bits of mul_b from the top, two to a turn.
multiply:
    sta mul_a
    lda #0
    sta product
    ldy #4
@two:
    asl product
    rol a
    asl mul_b
    bcc @second
    pha
    lda product
    clc
    adc mul_a
    sta product
    pla
    adc #0
@second:
    asl product
    rol a
    asl mul_b
    bcc @next
    pha
    lda product
    clc
    adc mul_a
    sta product
    pla
    adc #0
@next:
    dey
    bne @two
    rts

; num in decimal: bcd + 2 has the highest digit, bcd + 1 and bcd two each. Doubles a decimal number sixteen times, and adds
; three to each digit that would not be one after that.
decimal:
    lda #0
    sta bcd
    sta bcd + 1
    sta bcd + 2
    ldy #16
@bit:
    ldx #1
@byte:
    lda bcd, x
    clc
    adc #$03
    pha
    and #$0f            ; was the low digit at least 5? Its sum then reaches 8, within these four bits
    cmp #$08
    pla
    bcs @low
    sec
    sbc #$03
@low:
    cmp #$50
    bcc @high
    adc #$2f            ; carry is set: $30
@high:
    sta bcd, x
    dex
    bpl @byte
    asl num
    rol num + 1
    rol bcd
    rol bcd + 1
    rol bcd + 2
    dey
    bne @bit
    rts

; A pseudo-random byte: a Weyl sequence of 16 bits (each step adds an odd number), its bytes multiplied with each other and
; folded. Keeps X.
random:
    clc
    lda rng
    adc #$35
    sta rng
    sta mul_b
    lda rng + 1
    adc #$9e
    sta rng + 1
    ora #1
    jsr multiply
    eor product
    eor rng + 1
    rts
