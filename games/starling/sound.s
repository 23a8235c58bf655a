; Sound: songs on pulse 1, triangle and noise; effects on pulse 2; bursts on noise.
; The lead is sung by the flock: with more birds its notes are broken into wider chords.

; ORDER SONG (song_table)
SONG_TITLE = 0
SONG_NIGHT = 1
SONG_CHASE = 2
SONG_GREAT = 3
SONG_OVER = 4
SONG_NONE = $FF

; ORDER SFX (sfx_table, sfx_weight)
SFX_SONG = 0
SFX_HIT = 1
SFX_PUFF = 2
SFX_GATHER = 3
SFX_LOST = 4
SFX_LIFE = 5
SFX_FALL = 6
SFX_ALARM = 7
SFX_WIN = 8

; Notes are 0 (C2) to 59 (B6). Above them (ORDER TUNE, tune_table):
N_REST = $60
N_JUMP = $61            ; address
N_STOP = $62
; $80 + n: the length of the notes that follow, in steps

.macro NOTES_REST n1, n2, n3, n4, n5, n6, n7, n8
    .ifnblank n1
    .byte n1
    NOTES_REST n2, n3, n4, n5, n6, n7, n8
    .endif
.endmacro
.macro NOTES steps, n1, n2, n3, n4, n5, n6, n7, n8
    .byte $80 + steps
    NOTES_REST n1, n2, n3, n4, n5, n6, n7, n8
.endmacro

sound_reset:
    lda #$0F
    sta APUSTATUS
    lda #$08                ; no sweeps
    sta $4001
    sta $4005
    lda #SONG_NONE
    sta snd_on
    lda #$FF
    sta last_hi
    sta last_hi2
    lda #0
    sta fx_ptr+1
    lda #$30
    sta $4000
    sta $4004
    sta $400C
    lda #$80
    sta $4008
    rts

; Starts song A.
song:
    sta snd_on
    asl a
    sta t0
    asl a
    clc
    adc t0
    tay                     ; 6 bytes a song
    ldx #0
@channel:
    lda song_table,y
    sta ch_ptr_lo,x
    lda song_table+1,y
    sta ch_ptr_hi,x
    lda #0
    sta ch_wait,x
    sta ch_age,x
    lda #N_REST
    sta ch_note,x
    iny
    iny
    inx
    cpx #3
    bne @channel
    rts

; Starts effect A unless one of greater weight is playing. Keeps X; changes Y.
sfx:
    tay
    lda fx_ptr+1
    beq @free
    lda sfx_weight,y
    cmp fx_rank
    bcc @done
@free:
    lda sfx_weight,y
    sta fx_rank
    cmp #2                  ; the weighty ones thump as well
    bcc @light
    asl a
    asl a
    sta boom
@light:
    tya
    asl a
    tay
    lda sfx_table,y
    sta fx_ptr
    lda sfx_table+1,y
    sta fx_ptr+1
@done:
    rts

; The song keeps time when steps were skipped: for each vertical blank lost, an extra turn.
make_up:
    lda snd_lag
    cmp lag
    beq @done
    inc snd_lag
    jsr song_turn
    jmp make_up
@done:
    rts

sound_step:
    jsr song_turn
    jsr effect_turn
    jsr lead
    jsr bass
    ; falls through

drums:
    lda boom
    beq @song
    dec boom
    lsr a
    ora #$30
    sta $400C
    lda #$0D
    sta $400E
    sta $400F
    rts
@song:
    lda ch_note+2
    cmp #N_REST
    bcs @silent
    tay
    lda drum_volume,y
    sec
    sbc ch_age+2
    beq @silent
    bcc @silent
    ora #$30
    sta $400C
    lda drum_period,y
    sta $400E
    sta $400F
    rts
@silent:
    lda #$30
    sta $400C
    rts

drum_volume:
    .byte 10, 8, 4
drum_period:
    .byte $0E, $07, $03

; Counts down the three channels, reads their next notes.
song_turn:
    lda snd_on
    bmi @none
    ldx #2
@channel:
    inc ch_age,x
    lda ch_wait,x
    beq @read
    dec ch_wait,x
@next:
    dex
    bpl @channel
@none:
    rts
@read:
    jsr tune_read
    jmp @next

tune_read:
    lda ch_ptr_lo,x
    sta sp
    lda ch_ptr_hi,x
    sta sp+1
@byte:
    ldy #0
    lda (sp),y
    bmi @length
    cmp #N_JUMP
    beq @jump
    cmp #N_STOP
    beq @stop
    sta ch_note,x
    lda ch_length,x
    sta ch_wait,x
    lda #0
    sta ch_age,x
    jsr tune_on
    lda sp
    sta ch_ptr_lo,x
    lda sp+1
    sta ch_ptr_hi,x
    rts
@length:
    and #$7F
    sec
    sbc #1
    sta ch_length,x
    jsr tune_on
    jmp @byte
@jump:
    iny
    lda (sp),y
    pha
    iny
    lda (sp),y
    sta sp+1
    pla
    sta sp
    jmp @byte
@stop:
    lda #N_REST
    sta ch_note,x
    lda #60
    sta ch_wait,x
    rts

tune_on:
    inc sp
    bne @same_page
    inc sp+1
@same_page:
    rts

; Pulse 1: decays, vibrates when held, and is broken into a chord by the voices there are.
lead:
    ldy ch_note
    cpy #N_REST
    bcs @silent
    lda ch_age
    lsr a
    lsr a
    sta t0
    lda #11
    sec
    sbc t0
    bcc @faint
    cmp #3
    bcs @volume
@faint:
    lda #3
@volume:
    ora #$70
    sta $4000
    ; the voice whose turn it is: third, fifth or octave over the note
    lda flock
    lsr a
    beq @alone
    and #3
    tax
    lda ch_age
    and #2
    beq @alone
    tya
    clc
    adc voice_over,x
    tay
@alone:
    lda period_lo,y
    ldx ch_age
    cpx #14
    bcc @straight
    pha
    txa
    lsr a
    and #3
    tax
    pla
    clc
    adc vibrato,x
@straight:
    sta $4002
    lda period_hi,y
    cmp last_hi
    beq @same
    sta last_hi
    sta $4003
@same:
    rts
@silent:
    lda #$30
    sta $4000
    rts

voice_over:
    .byte 0, 7, 12, 19
vibrato:
    .byte 0, 1, 0, <-1

bass:
    ldy ch_note+1
    cpy #N_REST
    bcs @silent
    lda ch_wait+1
    cmp #2
    bcc @silent             ; a gap before the next note
    lda #$C0
    sta $4008
    lda period_lo+12,y      ; the triangle sounds an octave lower
    sta $400A
    lda period_hi+12,y
    sta $400B
    rts
@silent:
    lda #$80
    sta $4008
    rts

; Pulse 2: an effect is a list of (duty and volume, period low, period high), ended by 0.
effect_turn:
    lda fx_ptr+1
    beq @none
    ldy #0
    lda (fx_ptr),y
    beq @end
    sta $4004
    iny
    lda (fx_ptr),y
    sta $4006
    iny
    lda (fx_ptr),y
    cmp last_hi2
    beq @same
    sta last_hi2
    sta $4007
@same:
    lda fx_ptr
    clc
    adc #3
    sta fx_ptr
    bcc @none
    inc fx_ptr+1
@none:
    rts
@end:
    sta fx_ptr+1
    lda #$30
    sta $4004
    rts
