; The bar: two lines of 32 tiles in RAM, which the NMI copies in turn. One field is brought up to date each frame (RTS trick).

bar_step:
    lda message
    cmp said
    bne bar_say
    lda ticks
    and #3
    tax
    lda field_hi, x
    pha
    lda field_lo, x
    pha
    rts

; A new message for the second line.
bar_say:
    sta said
    sta mul_b
    lda #32
    jsr multiply
    tay
    clc
    lda product
    adc #<messages
    sta ptr
    tya
    adc #>messages
    sta ptr + 1
    ldy #31
@tile:
    lda (ptr), y
    sta bar + 32, y
    dey
    bpl @tile
    rts

field_score:
    lda score
    ldy score + 1
    ldx #2
    bne five_digits
field_best:
    lda best
    ldy best + 1
    ldx #13

; Y, A in five digits from bar + X on.
five_digits:
    sta num
    sty num + 1
    stx digit_at
    jsr decimal
    ldx digit_at
    lda bcd + 2
    jsr low_digit
    lda bcd + 1
    jsr two_digits
    lda bcd
two_digits:
    pha
    lsr a
    lsr a
    lsr a
    lsr a
    jsr low_digit
    pla
low_digit:
    and #$0f
    ora #$10            ; the digits' tiles
    sta bar, x
    inx
    rts

; A as two digits from bar + X on.
small_number:
    stx digit_at
    sta num
    lda #0
    sta num + 1
    jsr decimal
    ldx digit_at
    lda bcd
    jmp two_digits

field_level:
    lda level
    ldx #23
    jsr small_number
    lda lives
    ldx #28
    jmp low_digit

; Clovers and time, unless the line says something else.
field_meters:
    lda said
    bne @none
    lda clovers
    ldx #32 + 4
    jsr small_number
    lda time
    sta num
    lda #0
    sta num + 1
    jsr decimal
    ldx #32 + 16
    lda bcd + 1
    jsr low_digit
    lda bcd
    jmp two_digits
@none:
    rts
