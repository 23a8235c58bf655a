; Sound: a tune on pulse 2, triangle and noise; an effect on pulse 1, with a knock on the noise.

sound_reset:
    lda #$0f
    sta $4015
    lda #$08            ; no sweeps
    sta $4001
    sta $4005
    lda #$30
    sta $4000
    sta $4004
    sta $400c
    lda #$80
    sta $4008
    inc silent
    rts

sound_step:
    jsr tune_step
    jsr fx_step
    lda drum_vol
    beq @quiet
    dec drum_vol
@quiet:
    ora #$30
    sta $400c
    lda ticks           ; the melody's notes fade
    and #3
    bne @same
    lda lead_vol
    beq @same
    dec lead_vol
@same:
    lda lead_vol
    ora #$b0
    sta $4004
    rts

; A hit on the noise: A = its pitch, Y = its volume. Keeps X.
noise_hit:
    sta $400e
    sty drum_vol
    lda #$08
    sta $400f
    rts

; -- Effects are coroutines, too: there is one, and fx_yield waits for the next step.

; Starts effect A, unless a greater one is heard. Keeps X.
fx_start:
    ldy fx_on
    beq @free
    cmp fx_rank
    bcc @no
@free:
    sta fx_rank
    tay
    lda #1
    sta fx_on
    lda effect_lo, y
    sta fx_lo
    lda effect_hi, y
    sta fx_hi
@no:
    rts

fx_step:
    lda fx_on
    beq @none
    lda fx_hi
    pha
    lda fx_lo
    pha
@none:
    rts

fx_yield:
    pla
    sta fx_lo
    pla
    sta fx_hi
    rts

fx_end:
    lda #0
    sta fx_on
    lda #$30
    sta $4000
    rts

; The pulse: A = duty and volume, Y = the period's high bits; fx_p its low byte.
fx_pulse:
    sta $4000
    sty $4003
fx_period:
    lda fx_p
    sta $4002
    rts

fx_tick:
    lda #$40
    sta fx_p
    lda #$b6
    ldy #$08
    jsr fx_pulse
    jsr fx_yield
    jsr fx_yield
    jmp fx_end

fx_hop:
    lda #$e8
    sta fx_p
    lda #$75
    ldy #$08
    jsr fx_pulse
@rise:
    jsr fx_yield
    lda fx_p
    sec
    sbc #13
    sta fx_p
    jsr fx_period
    lda fx_p
    cmp #$60
    bcs @rise
    jmp fx_end

fx_knock:
    lda #$0b
    ldy #13
    jsr noise_hit
    lda #$a0
    sta fx_p
    lda #$b9
    ldy #$0b
    jsr fx_pulse
@sink:
    jsr fx_yield
    lda fx_p
    clc
    adc #24
    sta fx_p
    bcs @end
    jsr fx_period
    jmp @sink
@end:
    jmp fx_end

fx_cinder:
    lda #24
    sta fx_n
@crackle:
    lda fx_n
    and #3
    bne @pause
    lda fx_n
    lsr a
    and #7
    ldy #6
    jsr noise_hit
@pause:
    jsr fx_yield
    dec fx_n
    bne @crackle
    jmp fx_end

fx_pick:
    lda #$7e
    SKIP2
fx_jar:
    lda #$5e
    sta fx_p
    lda #$b8
    ldy #$08
    jsr fx_pulse
    lda #4
    sta fx_n
@first:
    jsr fx_yield
    dec fx_n
    bne @first
    lda fx_p
    sec
    sbc #$20
    sta fx_p
    jsr fx_period
    lda #8
    sta fx_n
@second:
    jsr fx_yield
    lda fx_n
    ora #$b0
    sta $4000
    dec fx_n
    bne @second
    jmp fx_end

fx_puff:
    lda #14
    sta fx_n
@blow:
    lda fx_n
    eor #15
    ldy fx_n
    jsr noise_hit
    jsr fx_yield
    dec fx_n
    bne @blow
    jmp fx_end

fx_tip:
    lda #$09
    ldy #12
    jsr noise_hit
    lda #$40
    sta fx_p
    lda #$79
    ldy #$09
    jsr fx_pulse
    lda #12
    sta fx_n
@wobble:
    jsr fx_yield
    lda fx_n
    lsr a
    bcs @up
    lda #$30
    SKIP2
@up:
    lda #$f8
    clc
    adc fx_p
    sta fx_p
    jsr fx_period
    dec fx_n
    bne @wobble
    jmp fx_end

fx_boil:
    lda #40
    sta fx_n
    lda #$34
    sta fx_p
    lda #$b5
    ldy #$08
    jsr fx_pulse
@whistle:
    jsr fx_yield
    lda fx_p
    eor #$03
    sta fx_p
    jsr fx_period
    dec fx_n
    bne @whistle
    jmp fx_end

fx_throw:
    lda #0
    sta fx_n
@note:
    ldy fx_n
    lda arpeggio, y
    beq @end
    sta fx_p
    lda #$b9
    ldy #$08
    jsr fx_pulse
    jsr fx_yield
    jsr fx_yield
    jsr fx_yield
    inc fx_n
    bne @note
@end:
    jmp fx_end

fx_stamp:
    lda #$0e
    ldy #15
    jsr noise_hit
    lda #18
    sta fx_n
    lda #$00
    sta fx_p
    lda #$bb
    ldy #$0d
    jsr fx_pulse
@rumble:
    jsr fx_yield
    lda fx_p
    adc #$35            ; with whatever carry there is: it rumbles
    sta fx_p
    jsr fx_period
    dec fx_n
    bne @rumble
    jmp fx_end

fx_hurry:
    lda #6
    sta fx_n
@call:
    lda #$a8
    sta fx_p
    lda #$b7
    ldy #$08
    jsr fx_pulse
@slide:
    jsr fx_yield
    lda fx_p
    sec
    sbc #8
    sta fx_p
    jsr fx_period
    lda fx_p
    cmp #$80
    bcs @slide
    dec fx_n
    bne @call
    jmp fx_end

fx_life:
    lda #$fe
    SKIP2
fx_begin:
    lda #$d5
    sta fx_p
    lda #5
    sta fx_n
@step:
    lda #$b9
    ldy #$08
    jsr fx_pulse
    jsr fx_yield
    jsr fx_yield
    jsr fx_yield
    jsr fx_yield
    lda fx_p
    lsr a
    lsr a
    sta t0
    lda fx_p
    sec
    sbc t0              ; a fourth up
    sta fx_p
    dec fx_n
    bne @step
    jmp fx_end

fx_caught:
    lda #$60
    sta fx_p
    lda #$7b
    ldy #$08
    jsr fx_pulse
    lda #50
    sta fx_n
@wail:
    jsr fx_yield
    lda fx_n
    and #4
    beq @down
    lda #$fd
    SKIP2
@down:
    lda #8
    clc
    adc fx_p
    sta fx_p
    jsr fx_period
    dec fx_n
    bne @wail
    jmp fx_end

; -- Tunes: three voices, each reads bytes: a note (0: rest), NOTES + frames for the notes that follow, or a command.

; By the wave: two ordinary tunes in turn, and the one of bonus waves.
tune_for_wave:
    jsr is_bonus
    beq @bonus
    lda level
    and #1
    clc
    adc #TUNE_ODD - 1
    cmp #TUNE_ODD
    beq tune_play
    lda #TUNE_EVEN
    SKIP2
@bonus:
    lda #TUNE_BONUS
tune_play:
    sta t0
    asl a
    adc t0
    tay
    lda #0
    sta silent
    sta lead_vol
    tax
@voice:
    lda tune_lo, y
    sta v_lo, x
    lda tune_hi, y
    sta v_hi, x
    lda #1
    sta v_wait, x
    iny
    inx
    cpx #3
    bne @voice
    rts

tune_step:
    lda silent
    bne @none
    ldx #2
@voice:
    stx voice
    dec v_wait, x
    bne @holds
    jsr tune_read
@holds:
    ldx voice
    dex
    bpl @voice
@none:
    rts

tune_read:
    jsr tune_byte
    cmp #NOTES
    bcc @note
    cmp #COMMANDS
    bcs @command
    and #$3f
    sta v_len, x
    bpl tune_read
@note:
    ldy v_len, x
    sty v_wait, x
    pha
    txa
    tay
    pla
    tax
    RTS_GO voice_play_lo, voice_play_hi
@command:
    and #7
    tay
    jsr @run
    jmp tune_read
@run:
    RTS_GO command_lo, command_hi

; The next byte of voice X.
tune_byte:
    lda v_lo, x
    sta tune_ptr
    lda v_hi, x
    sta tune_ptr + 1
    inc v_lo, x
    bne @same
    inc v_hi, x
@same:
    ldy #0
    lda (tune_ptr), y
    rts

; A pattern is read, then what comes after its name.
command_call:
    jsr tune_byte
    pha
    jsr tune_byte
    pha
    lda v_lo, x
    sta v_ret_lo, x
    lda v_hi, x
    sta v_ret_hi, x
    pla
    sta v_hi, x
    pla
    sta v_lo, x
    rts

command_back:
    lda v_ret_lo, x
    sta v_lo, x
    lda v_ret_hi, x
    sta v_hi, x
    rts

command_jump:
    jsr tune_byte
    pha
    jsr tune_byte
    sta v_hi, x
    pla
    sta v_lo, x
    rts

command_times:
    jsr tune_byte
    sta v_loop, x
    rts

command_again:
    dec v_loop, x
    bne command_jump
    jsr tune_byte
    jmp tune_byte

; Silence for all voices. Nothing more is read.
command_stop:
    pla
    pla
    lda #1
    sta silent
    lda #$80
    sta $4008
    rts

; -- Notes: X = the note.
play_lead:
    txa
    beq @rest
    lda period_lo - 1, x
    sta $4006
    lda period_hi - 1, x
    sta $4007
    lda #9
@rest:
    sta lead_vol
    rts

play_bass:
    txa
    beq @rest
    lda period_lo - 1, x
    sta $400a
    lda period_hi - 1, x
    sta $400b
    lda #$ff
    SKIP2
@rest:
    lda #$80
    sta $4008
    rts

play_drum:
    txa
    beq @rest
    ldy drum_volume - 1, x
    lda drum_tone - 1, x
    jmp noise_hit
@rest:
    rts
