; Chance, division, points, and the line of values.

; A random byte. Three parts: a counter that runs through all 256 values, which picks from a table what is mixed into a rotating byte,
; whose values are summed up. Keeps X.
chance:
    lda chance_c
    clc
    adc #$9d
    sta chance_c
    and #31
    tay
    lda mix, y
    eor chance_a
    cmp #$80
    rol a
    sta chance_a
    clc
    adc chance_b
    eor chance_c
    sta chance_b
    rts

; num / 10 without restoring: where the remainder is negative, ten is added in place of being subtracted. Out: num the quotient,
; A the remainder. Keeps X.
div10:
    lda #0
    ldy #16
@bit:
    asl num
    rol num + 1
    rol a
    bcs @add            ; it was negative
    sbc #9              ; carry is clear: 10
    SKIP2
@add:
    adc #9              ; carry is set: 10
    cmp #$80
    bcs @negative
    inc num
@negative:
    dey
    bne @bit
    cmp #$80
    bcc @done
    adc #9              ; carry is set
@done:
    rts

; num in t3 digits, the last of them at text + X. Only what changes is written: then carry is set, the row must be drawn.
put_number:
    lda #0
    sta t2
@digit:
    jsr div10
    ora #'0'
    cmp text, x
    beq @same
    sta text, x
    inc t2
@same:
    dex
    dec t3
    bne @digit
    lda t2
    cmp #1
    rts

; A in two digits.
put_two:
    sta num
    lda #0
    sta num + 1
    lda #2
    sta t3
    bne put_number

; Adds A tens of points, but none on the title. Each 10,000 points bring a hob; the best score follows. Keeps X.
score_add:
    ldy level
    beq @done
    clc
    adc score
    sta score
    bcc @same
    inc score + 1
@same:
    lda best
    cmp score
    lda best + 1
    sbc score + 1
    bcs @not_best
    lda score
    sta best
    lda score + 1
    sta best + 1
    lda #1
    sta record
@not_best:
    lda score
    cmp next_life
    lda score + 1
    sbc next_life + 1
    bcc @done
    lda next_life
    adc #<FIRST_LIFE - 1      ; carry is set
    sta next_life
    lda next_life + 1
    adc #>FIRST_LIFE
    sta next_life + 1
    lda lives
    cmp #9
    bcs @done
    inc lives
    lda #FX_LIFE
    jmp fx_start
@done:
    rts

; One field of the display each step.
values_step:
    lda ticks
    and #7
    tay
    jsr @field
    bcc @same
    lda #1
    sta dirty + 3
@same:
    rts
@field:
    RTS_GO value_lo, value_hi

value_score:
    lda score
    ldy score + 1
    ldx #6
value_five:
    sta num
    sty num + 1
    lda #5
    sta t3
    jmp put_number

value_best:
    lda best
    ldy best + 1
    ldx #14
    bne value_five

value_wave:
    lda level
    ldx #21
    jmp put_two

value_guests:
    lda guests_left
    ldx #30
    jmp put_two

; Drums for stamps: five places.
value_stamps:
    ldx #4
    clc
@place:
    lda #0
    cpx stamps
    bcs @none
    lda #T_drum
@none:
    sta text + 23, x
    dex
    bpl @place
    sec
    rts

value_lives:
    lda lives
    ora #'0'
    cmp text + 18
    sta text + 18
    beq @same
    sec
    SKIP1
@same:
    clc
    rts

; The bonus wave's clock.
value_clock:
    lda state
    cmp #BONUS
    bne @none
    lda clock
    sta num
    lda #0
    sta num + 1
    lda #3
    sta t3
    ldx #line0 - text + 19
    jsr put_number
    bcc @none
    lda #1
    sta dirty + 12
@none:
    clc
    rts
