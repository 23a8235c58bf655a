; The display above the maze: two lines of 28 tiles in RAM, which the NMI copies. One field is brought up to date each frame.

hud_step:
    lda ticks
    and #7
    tax
    lda hud_lo, x
    sta vec
    lda hud_hi, x
    sta vec + 1
    jmp (vec)

; num as t3 decimal digits, the last one at hud + X.
put_decimal:
    lda #10
    sta den
@digit:
    jsr udiv16
    ora #DIGIT_0
    sta hud, x
    dex
    dec t3
    bne @digit
    rts

; A as two digits, the last one at hud + X.
put_two:
    sta num
    lda #0
    sta num + 1
    lda #2
    sta t3
    bne put_decimal

hud_score:
    lda score
    sta num
    lda score + 1
    sta num + 1
    ldx #4
    lda #5
    sta t3
    jmp put_decimal

hud_hiscore:
    lda hiscore
    sta num
    lda hiscore + 1
    sta num + 1
    ldx #26
    lda #5
    sta t3
    jmp put_decimal

hud_level:
    lda lives
    ora #DIGIT_0
    sta hud + 17
    lda level
    ldx #14
    jmp put_two

hud_embers:
    lda msg
    bne hud_nothing
    lda embers
    ldx #28 + 3
    jmp put_two

hud_night:
    lda msg
    bne hud_nothing
    lda night
    sta num
    lda #0
    sta num + 1
    lda #3
    sta t3
    ldx #28 + 9
    jmp put_decimal

; Eight tiles of eight units each.
hud_glow:
    lda msg
    bne hud_nothing
    lda glow
    ldx #0
@tile:
    sec
    sbc #8
    bcs @full
    adc #4
    bcs @half
    lda #T_meter_empty
    .byte $2c           ; BIT skips the next load
@half:
    lda #T_meter_half
    sta hud + 28 + 16, x
    lda #0
    beq @next
@full:
    tay
    lda #T_meter_full
    sta hud + 28 + 16, x
    tya
@next:
    inx
    cpx #8
    bne @tile
hud_nothing:
    rts

; How long the lantern burns on.
hud_lantern:
    lda msg
    bne hud_nothing
    lda freeze
    lsr a
    lsr a
    ldx #28 + 27
    jmp put_two

; A new message for the lower line.
hud_message:
    lda msg
    cmp msg_shown
    beq hud_nothing
    sta msg_shown
    sta mul_b
    lda #28
    jsr umul8
    tay
    clc
    lda prod
    adc #<messages
    sta musp
    tya
    adc #>messages
    sta musp + 1
    ldy #27
@tile:
    lda (musp), y
    sta hud + 28, y
    dey
    bpl @tile
    rts
