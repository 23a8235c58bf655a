; Sound: effects on pulse 1 and noise, a tune on pulse 2 (melody) and triangle (bass).

sound_step:
    jsr music_step
    jsr effect_step
    lda noise_vol
    beq @quiet
    dec noise_vol
@quiet:
    ora #$30
    sta $400c
    rts

; A low thump.
noise_thump:
    lda #$0d
    sta $400e
    lda #8
    sta noise_vol
    lda #$08
    sta $400f
    rts

; -- Effects. Each is a list of duration, $4000, $4002, $4003; duration 0 ends it. All keep X.
sfx_ember:
    lda #0
    .byte $2c           ; BIT skips the next load, down the whole list
sfx_bell:
    lda #1
    .byte $2c
sfx_lantern:
    lda #2
    .byte $2c
sfx_flare:
    lda #3
    .byte $2c
sfx_moon:
    lda #4
    .byte $2c
sfx_hoot:
    lda #5
    .byte $2c
sfx_caught:
    lda #6
    .byte $2c
sfx_firefly:
    lda #7
    .byte $2c
sfx_life:
    lda #8
    .byte $2c
sfx_start:
    lda #9
    tay
    lda effect_lo, y
    sta sfxp
    lda effect_hi, y
    sta sfxp + 1
    lda #1
    sta sfx_time
    rts

effect_step:
    lda sfx_time
    beq @none
    dec sfx_time
    bne @none
    ldy #0
    lda (sfxp), y
    beq @end
    sta sfx_time
    iny
    lda (sfxp), y
    sta $4000
    iny
    lda (sfxp), y
    sta $4002
    iny
    lda (sfxp), y
    sta $4003
    clc
    lda sfxp
    adc #4
    sta sfxp
    bcc @none
    inc sfxp + 1
@none:
    rts
@end:
    lda #$30
    sta $4000
    rts

; -- Music. X = 0 melody, 1 bass. In a song $80 + n sets the length of the notes that follow, $7f starts again, 0 is a rest.

; The song for where we are: the title's, or one of two by turns.
music_for_state:
    ldx level
    beq @title
    txa
    and #1
    tax
    inx
@title:
    txa
music_play:
    sta song
    ldx #1
@channel:
    jsr music_rewind
    lda #1
    sta mus_time, x
    dex
    bpl @channel
    rts

music_rewind:
    txa
    asl a
    asl a               ; four songs a channel's table row
    ora song
    tay
    lda song_lo, y
    sta mus_lo, x
    lda song_hi, y
    sta mus_hi, x
    rts

music_step:
    ldx #1
@channel:
    dec mus_time, x
    bne @hold
    jsr music_fetch
@hold:
    dex
    bpl @channel
    lda ticks           ; the melody's notes fade
    and #3
    bne @steady
    lda mus_vol
    beq @steady
    dec mus_vol
@steady:
    lda mus_vol
    ora #$70
    sta $4004
    rts

music_fetch:
    lda mus_lo, x
    sta musp
    lda mus_hi, x
    sta musp + 1
    ldy #0
    lda (musp), y
    inc mus_lo, x
    bne @same_page
    inc mus_hi, x
@same_page:
    cmp #$7f
    beq @again
    bcc @note
    and #$7f
    sta mus_dur, x
    bpl music_fetch
@again:
    jsr music_rewind
    jmp music_fetch
@note:
    tay
    lda mus_dur, x
    sta mus_time, x
    txa
    bne @bass
    sty mus_vol
    tya
    beq @done
    lda #9
    sta mus_vol
    lda period_lo - 1, y
    sta $4006
    lda period_hi - 1, y
    sta $4007
@done:
    rts
@bass:
    tya
    beq @silent
    lda period_lo - 1, y
    sta $400a
    lda period_hi - 1, y
    sta $400b
    lda #$ff
    .byte $2c           ; BIT skips the next load
@silent:
    lda #$80
    sta $4008
    rts
