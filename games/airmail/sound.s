; Sound, all of it in the NMI handler: effects on pulse 1 or noise, a tune on pulse 2 and triangle. It learns what to play from the
; hand-over, so its variables depend on nothing but how many frames have passed and what was handed over in which.

sound_reset:
    lda #$0f
    sta $4015
    lda #$30
    sta $4000
    sta $4004
    sta $400c
    lda #$80
    sta $4008
    lda #$08            ; sweeps off, or low notes are muted
    sta $4001
    sta $4005
    rts

; A new step was handed over.
sound_take:
    lda checkpoint
    and #1
    tax
    ldy sfx_out, x
    beq @song
    lda effect_len, y
    sta fx_left
    lda effect_lo, y
    sta fx_lo
    lda effect_hi, y
    sta fx_hi
    lda effect_slide, y
    sta fx_slide
    lda effect_vol, y
    sta fx_vol
    lda effect_noise, y
    sta fx_noise
    lda #$ff
    sta fx_old
@song:
    lda song_out, x
    cmp song_now
    beq @same
    sta song_now
    ldx #0
    jsr tune_begin
    ldx #2
    jsr tune_begin
@same:
    rts

; Channel X (0 pulse, 2 triangle) begins song_now.
tune_begin:
    lda song_now
    asl a
    asl a
    sta n0
    txa
    ora n0
    tay
    lda tunes, y
    sta tune, x
    lda tunes + 1, y
    sta tune + 1, x
    lda #1
    cpx #0
    beq @pulse
    sta tune_wait + 1
    rts
@pulse:
    sta tune_wait
    rts

sound_tick:
    jsr effect_tick
    dec tune_wait
    bne @bass
    ldx #0
    jsr tune_note
    sty tune_wait
@bass:
    dec tune_wait + 1
    bne @fade
    ldx #2
    jsr tune_note
    sty tune_wait + 1
@fade:
    lda nmi_count
    and #7
    bne @steady
    lda tune_vol
    beq @steady
    dec tune_vol
@steady:
    lda tune_vol
    ora #$b0
    sta $4004
    rts

; The next note of channel X. A tune is pairs of note and length; note 0 goes back to the beginning, 1 is a rest. Y = length.
tune_note:
    lda tune, x
    sta tune_p
    lda tune + 1, x
    sta tune_p + 1
    ldy #0
    lda (tune_p), y
    bne @note
    jsr tune_begin
    jmp tune_note
@note:
    pha
    iny
    lda (tune_p), y
    tay
    lda tune, x
    clc
    adc #2
    sta tune, x
    bcc @same_page
    inc tune + 1, x
@same_page:
    pla
    cpx #2
    beq tune_bass
    tax
    lda #0
    dex
    beq @rest
    lda period_lo - 1, x
    sta $4006
    lda period_hi - 1, x
    sta $4007
    lda #7
@rest:
    sta tune_vol
    rts

tune_bass:
    tax
    dex
    beq @rest
    lda #$ff
    sta $4008
    lda period_lo - 1, x
    sta $400a
    lda period_hi - 1, x
    sta $400b
    rts
@rest:
    lda #$80
    sta $4008
    rts

effect_tick:
    lda fx_left
    beq @none
    dec fx_left
    beq @end
    lda fx_left         ; dies away in its last frames
    lsr a
    cmp fx_vol
    bcc @volume
    lda fx_vol
@volume:
    ldx fx_noise
    bne @noise
    ora #$70
    sta $4000
    ldx #0
    lda fx_slide
    bpl @up
    dex
@up:
    clc
    adc fx_lo
    sta fx_lo
    sta $4002
    txa
    adc fx_hi
    sta fx_hi
    cmp fx_old
    beq @none
    sta fx_old
    sta $4003
@none:
    rts
@noise:
    ora #$30
    sta $400c
    stx $400e
    lda #8
    sta $400f
    rts
@end:
    lda #$30
    sta $4000
    sta $400c
    rts
