; The two lines of text in the bog. A field is brought up to date in each frame, through the RTS trick.

ROW_27 = $62            ; $23xx: where the lines begin
ROW_28 = $82

status_step:
    jsr waves_step
    lda ticks
    and #7
    asl a
    tay
    lda field_table + 1, y
    pha
    lda field_table, y
    pha
    rts

field_table:
    .word field_score - 1, field_best - 1, field_level - 1, field_lives - 1
    .word field_message - 1, field_foes - 1, field_light - 1, field_fuzz - 1

field_score:
    ldy #ROW_27
    lda #score
    bne put_decimals
field_best:
    ldy #ROW_27 + 10
    lda #hiscore

; The three packed bytes at zero page A, at column Y of $23xx.
put_decimals:
    sta t5
    lda #6
    ldx #$23
    jsr open_record
    ldy t5
    lda #3
    sta t5
@byte:
    lda $00, y
    lsr a
    lsr a
    lsr a
    lsr a
    ora #'0'
    sta vbuf, x
    inx
    lda $00, y
    and #$0f
    ora #'0'
    sta vbuf, x
    inx
    iny
    dec t5
    bne @byte
    rts

field_level:
    lda level
    ldy #ROW_27 + 23

; A, 0..99, at column Y of $23xx.
put_two:
    sta t5
    lda #2
    ldx #$23
    jsr open_record
    lda #'0'
    sta vbuf, x
    lda t5
    sec
@tens:
    sbc #10
    bcc @units
    inc vbuf, x
    bcs @tens
@units:
    adc #10 + '0'
    sta vbuf + 1, x
    rts

field_lives:
    lda lives
    ldy #ROW_27 + 27
    sta t5
    lda #1
    ldx #$23
    jsr open_record
    lda t5
    ora #'0'
    sta vbuf, x
    rts

; The rest shows only while the line does not say something else.
field_foes:
    lda msg
    ora msg_shown
    bne not_shown
    lda foes
    ldy #ROW_28 + 5
    jmp put_two

field_light:
    lda msg
    ora msg_shown
    bne not_shown
    lda light
    ldy #ROW_28 + 14
    bne put_two

; The bee's fuzz, and which way the wind blows.
field_fuzz:
    lda msg
    ora msg_shown
    bne not_shown
    ldy #ROW_28 + 22
    lda #6
    ldx #$23
    jsr open_record
    ldy #0
@tuft:
    lda #0
    cpy fuzz
    bcs @bald
    lda #P_tuft
@bald:
    sta vbuf, x
    inx
    iny
    cpy #4
    bne @tuft
    lda wind
    beq @calm
    bmi @west
    lda #0
    sta vbuf, x
    lda #'>'
    bne @arrow
@west:
    lda #'<'
    sta vbuf, x
@calm:
    lda #0
@arrow:
    sta vbuf + 1, x
    lda wind
    bne @done
    sta vbuf, x
@done:
    rts

field_message:
    lda msg
    cmp msg_shown
    beq not_shown
    sta msg_shown
    asl a
    tay
    lda message_table, y
    ldx message_table + 1, y
    ldy #ROW_28
    jmp put_text
not_shown:
    rts

; The first line's fixed words.
push_frame:
    lda #<text_frame
    ldx #>text_frame
    ldy #ROW_27

; 28 characters at X * 256 + A, at column Y of $23xx.
put_text:
    sta ptr
    stx ptr + 1
    lda #28
    ldx #$23
    jsr open_record
    ldy #0
@letter:
    lda (ptr), y
    sta vbuf, x
    inx
    iny
    cpy #28
    bne @letter
    rts

; -- The score

; Adds the points of rank A (0: 50, doubled with each).
score_points:
    asl a
    tay
    ldx points_table + 1, y
    lda points_table, y

; Adds packed decimals, X hundreds and A below.
add_score:
    stx bonus
    ldx #2
    ldy #0              ; carry
    jsr add_digits
    lda bonus
    jsr add_digits
    lda #0
    jsr add_digits
    jsr keep_best
    lda score
    cmp life_mark       ; another life at each 20,000
    bcc @done
    lda life_mark
    clc
    adc #2
    pha
    and #$0f
    cmp #10
    pla
    bcc @marked
    adc #5              ; carry is set: 6
@marked:
    sta life_mark
    inc lives
    jmp sfx_life
@done:
    rts

; The best score follows.
keep_best:
    ldx #0
@digits:
    lda hiscore, x
    cmp score, x
    bcc @better
    bne @done
    inx
    cpx #3
    bne @digits
@done:
    rts
@better:
    ldx #2
@copy:
    lda score, x
    sta hiscore, x
    dex
    bpl @copy
    rts

; score, x = score, x + A + Y as packed decimals; Y the carry, out too. Then X is one less.
add_digits:
    sta t1
    sty t2
    and #$0f
    sta t3
    lda score, x
    and #$0f
    clc
    adc t3
    adc t2
    ldy #0
    cmp #10
    bcc @low
    adc #5              ; carry is set: 6, which carries to the tens
@low:
    sta t3
    lda score, x
    and #$f0
    clc
    adc t3
    sta t3
    lda t1
    and #$f0
    clc
    adc t3
    bcs @over
    cmp #$a0
    bcc @fits
@over:
    adc #$5f            ; carry is set: $60
    ldy #1
@fits:
    sta score, x
    dex
    rts

; -- The bog's surface moves a little four times a second.
waves_step:
    lda ticks
    and #15
    bne @still
    lda vpos
    cmp #48             ; there is more important news
    bcs @still
    lda wave
    eor #1
    sta wave
    lda #32
    ldx #$23
    ldy #$40
    jsr open_record
    lda wave
    clc
    adc #P_wave_a
    ldy #32
@tile:
    sta vbuf, x
    eor #P_wave_a ^ P_wave_b
    inx
    dey
    bne @tile
@still:
    rts
