; Sound: a tune of three voices (pulse 2, triangle, noise) and effects on pulse 1 and noise.

sound_step:
    ldx #2
@voice:
    dec rest_of, x
    bne @hold
    jsr tune_fetch
@hold:
    dex
    bpl @voice
    lda ticks           ; melody and drum fade away
    lsr a
    bcc @steady
    ldx #1
@fade:
    lda swell, x
    beq @silent
    dec swell, x
@silent:
    dex
    bpl @fade
@steady:
    lda swell
    lsr a
    ora #$b0
    sta $4004
    jmp effect_step

; A = the tune to play from its start. Clobbers all.
tune_play:
    sta tune_now
    tax
    lda tune_beat, x
    sta beat
    ldx #2
@voice:
    jsr tune_restart
    dex
    bpl @voice
    rts

tune_restart:
    lda tune_now
    asl a
    adc tune_now
    stx t0
    adc t0
    tay
    lda tune_voices, y
    sta tune_at, x
    lda #1
    sta rest_of, x
    lda #0
    sta shift, x

; The next phrase of voice X's list: a phrase's number, $80 + semitones for what follows (two's complement of seven bits), or
; $7f: from the start.
next_phrase:
    ldy tune_at, x
    inc tune_at, x
    lda voice_lists, y
    bmi @shift
    cmp #$7f
    beq tune_restart
    tay
    lda phrases_lo, y
    sta phrase_lo, x
    lda phrases_hi, y
    sta phrase_hi, x
    rts
@shift:
    asl a               ; carry: drops the mark
    cmp #$80
    ror a               ; and keeps the sign
    sta shift, x
    jmp next_phrase

; The next note of voice X: $80 + n makes notes n units long, 0 ends the phrase, REST is silent.
tune_fetch:
    lda phrase_lo, x
    sta tune_ptr
    lda phrase_hi, x
    sta tune_ptr + 1
    inc phrase_lo, x
    bne @same_page
    inc phrase_hi, x
@same_page:
    ldy #0
    lda (tune_ptr), y
    beq @end
    bpl @note
    and #$7f
    sta mul_b
    lda beat
    jsr multiply
    lda product
    sta length, x
    jmp tune_fetch
@end:
    jsr next_phrase
    jmp tune_fetch
@note:
    ldy length, x
    sty rest_of, x
    cpx #1
    beq @bass
    bcs @drum
    cmp #REST
    beq @pause
    jsr @pitch
    lda note_lo, y
    sta $4006
    lda note_hi, y
    sta $4007
    lda #19
    .byte $2c           ; BIT: over the next two bytes
@pause:
    lda #0
    sta swell
    rts
@pitch:
    clc
    adc shift, x
    tay
    rts
@bass:
    cmp #REST
    beq @mute
    jsr @pitch
    lda #$ff
    sta $4008
    lda note_lo, y
    sta $400a
    lda note_hi, y
    sta $400b
    rts
@mute:
    lda #$80
    sta $4008
    sta $400b
    rts
@drum:
    cmp #REST
    beq @no_drum
    sta $400e
    lda #8
    sta swell + 1
    sta $400f
@no_drum:
    rts

; A = the effect to play. Keeps X.
effect_play:
    tay
    lda effects_lo, y
    sta effect
    lda effects_hi, y
    sta effect + 1
    lda #1
    sta effect_left
    lda #0
    sta effect_base
    cpy #FX_CLOVER
    bne @done
    lda chime           ; clovers sound higher and higher
    and #3
    tay
    lda chime_notes, y
    sta effect_base
@done:
    rts

; An effect: frames, note, $4000 - or, for a note from $80 on, a noise and its loudness. 0 frames end it.
effect_step:
    lda effect_left
    beq @drum
    dec effect_left
    bne @noise
    ldy #0
    sty effect_noise
    lda (effect), y
    sta effect_left
    beq @end
    iny
    lda (effect), y
    bmi @hiss
    clc
    adc effect_base
    tax
    iny
    lda (effect), y
    sta $4000
    lda note_lo, x
    sta $4002
    lda note_hi, x
    sta $4003
    jmp @next
@hiss:
    and #$0f
    sta $400e
    lda #8
    sta $400f
    iny
    lda (effect), y
    sta effect_noise
@next:
    clc
    lda effect
    adc #3
    sta effect
    bcc @noise
    inc effect + 1
@noise:
    lda effect_noise
    beq @drum
    ora #$30
    sta $400c
    rts
@end:
    lda #$30
    sta $4000
@drum:
    lda swell + 1
    ora #$30
    sta $400c
    rts
