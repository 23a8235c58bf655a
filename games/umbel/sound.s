; Sound: effects on pulse 1 and noise, the tune on pulse 2 (melody) and triangle (bass).

sound_off:
    lda #$0f
    sta $4015
    lda #$30
    sta $4000
    sta $4004
    sta $400c
    lda #$80
    sta $4008
    lda #$08            ; no sweeps, which would mute low notes
    sta $4001
    sta $4005
    rts

sound_step:
    ldx #1
@voice:
    jsr voice_step
    dex
    bpl @voice
    jsr effect_step
    lda hiss
    beq @quiet
    dec hiss
@quiet:
    lsr a
    ora #$30
    sta $400c
    lda ticks           ; the melody's notes fade
    and #3
    bne @same
    lda swell
    beq @same
    dec swell
@same:
    lda swell
    ora #$b0
    sta $4004
    rts

; -- Effects: a tone that bends and fades, by eight numbers (effects in songs.s). All keep X.
.macro EFFECT name, number
name:
    ldy #number * 8
    jmp effect_start
.endmacro
    EFFECT sfx_flap, 0
    EFFECT sfx_strike, 1
    EFFECT sfx_tuck, 2
    EFFECT sfx_hurt, 3
    EFFECT sfx_tumble, 4
    EFFECT sfx_splash, 5
    EFFECT sfx_spring, 6
    EFFECT sfx_clash, 7
    EFFECT sfx_nectar, 8
    EFFECT sfx_dew, 9
    EFFECT sfx_held, 10
    EFFECT sfx_drop, 11
    EFFECT sfx_start, 12
    EFFECT sfx_cleared, 13
    EFFECT sfx_tick, 16
    EFFECT sfx_life, 17
    EFFECT sfx_dusk, 19

effect_start:
    lda level           ; none on the title but its own
    bne @play
    cpy #12 * 8
    bne @none
@play:
    tya                 ; strokes of the wings are heard where nothing else is
    bne @now
    lda sfx_time
    bne @none
@now:
    lda effects, y
    sta sfx_shape
    lda effects + 1, y
    sta sfx_loud
    lda effects + 2, y
    sta sfx_fade
    lda effects + 3, y
    sta sfx_low
    lda effects + 4, y
    and #$0f
    sta sfx_high
    lda effects + 4, y  ; upper half: how loud the noise is
    lsr a
    lsr a
    lsr a
    lsr a
    beq @no_noise
    asl a
    sta hiss
    lda sfx_shape
    and #$0f
    sta $400e
    lda #$08
    sta $400f
@no_noise:
    lda effects + 5, y
    sta sfx_bend
    lda effects + 6, y
    sta sfx_time
    lda effects + 7, y
    sta sfx_next
    lda #$ff            ; the first frame sets the whole period
    sta sfx_sent
@none:
    rts

effect_step:
    lda sfx_time
    beq @none
    dec sfx_time
    beq @over
    lda sfx_loud
    sec
    sbc sfx_fade
    bcs @audible
    lda #0
@audible:
    sta sfx_loud
    lsr a
    lsr a
    lsr a
    lsr a
    sta t0
    lda sfx_shape
    and #$c0
    ora #$30
    ora t0
    sta $4000
    lda sfx_low
    sta $4002
    lda sfx_high
    cmp sfx_sent        ; writing it starts the wave anew
    beq @same
    sta sfx_sent
    sta $4003
@same:
    ldy #0
    lda sfx_bend
    bpl @down
    dey
@down:
    clc
    adc sfx_low
    sta sfx_low
    tya
    adc sfx_high
    and #7
    sta sfx_high
@none:
    rts
@over:
    ldy sfx_next
    beq @silent
    jmp effect_start
@silent:
    lda #$30
    sta $4000
    rts

; -- The tune. X = 0 melody, 1 bass. Bytes: 0 rest; 1..63 note; $40 + n: notes are n frames long; $80 + n:
; what follows n times; $c0: end of that; $c1: from the start.
tune_for_stage:
    lda layout
    beq @title
    and #1
    clc
    adc #1
@title:
    jmp tune_begin

tune_over:
    lda #3
tune_begin:
    sta song
    ldx #1
@voice:
    jsr voice_rewind
    lda #1
    sta note_time, x
    dex
    bpl @voice
    rts

voice_rewind:
    txa
    asl a
    asl a
    ora song
    tay
    lda song_low, y
    sta tune, x
    lda song_high, y
    sta tune_hi, x
    rts

voice_step:
    dec note_time, x
    beq voice_read
    rts

voice_read:
    lda tune, x
    sta ptr
    lda tune_hi, x
    sta ptr + 1
    inc tune, x
    bne @same_page
    inc tune_hi, x
@same_page:
    ldy #0
    lda (ptr), y
    bmi @command
    asl a
    bmi @length
    lsr a
    tay
    lda note_len, x
    sta note_time, x
    cpx #0
    bne @bass
    tya
    beq @hush
    lda #10
    sta swell
    lda period_low - 1, y
    sta $4006
    lda period_high - 1, y
    sta $4007
    rts
@hush:
    sta swell
    rts
@bass:
    tya
    beq @rest
    lda period_low - 1, y
    sta $400a
    lda period_high - 1, y
    sta $400b
    lda #$c0
    sta $4008
    rts
@rest:
    lda #$80
    sta $4008
    rts
@length:
    lsr a
    and #$3f
    sta note_len, x
    bne voice_read
@command:
    cmp #$c0
    beq @end
    bcs @again
    and #$3f
    sta tune_count, x
    lda tune, x
    sta tune_back, x
    lda tune_hi, x
    sta tune_back_hi, x
    jmp voice_read
@end:
    dec tune_count, x
    beq voice_read
    lda tune_back, x
    sta tune, x
    lda tune_back_hi, x
    sta tune_hi, x
    jmp voice_read
@again:
    jsr voice_rewind
    jmp voice_read
