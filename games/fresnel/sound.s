; Four tracks: a tune on pulse 1 and triangle, effects on pulse 2 and noise. Each is a stream of notes and commands.
.include "ram.inc"
.include "sound.inc"
.import tunes, effects, effect_track, envelopes
.export sound_reset, _sound_step

.segment "CODE"
sound_reset:
    lda #$0f
    sta $4015
    lda #$30
    sta $4000
    sta $4004
    sta $400c
    lda #$08
    sta $4001
    sta $4005
    lda #$80
    sta $4008
    rts

; void sound_step(void): once a step
_sound_step:
    lda _tune
    beq @same
    asl a
    asl a
    tay
    lda tunes - 4, y
    sta snd_at
    lda tunes - 3, y
    sta snd_at + 1
    ldx #0
    jsr begin_track
    lda tunes - 2, y
    sta snd_at
    lda tunes - 1, y
    sta snd_at + 1
    inx
    jsr begin_track
    lda #0
    sta _tune
@same:
    lda _sfx
    beq @quiet
    tay
    ldx effect_track - 1, y
    asl a
    tay
    lda effects - 2, y
    sta snd_at
    lda effects - 1, y
    sta snd_at + 1
    jsr begin_track
    lda #0
    sta _sfx
@quiet:
    ldx #3
@track:
    lda trk_hi, x
    beq @idle
    jsr track_step
@idle:
    dex
    bpl @track
    rts

; Track X from snd_at on. Keeps Y.
begin_track:
    lda snd_at
    sta trk_lo, x
    lda snd_at + 1
    sta trk_hi, x
    lda #1
    sta trk_wait, x
    lda #0
    sta trk_slide, x
    rts

; The note goes on: loudness by its envelope, pitch by its slide.
sustain:
    lda trk_phase, x
    lsr a
    cmp #7
    bcs @settled
    inc trk_phase, x
@settled:
    ora trk_env, x
    tay
    lda envelopes, y
    ldy registers, x
    ora loudness, x
    sta $4000, y
    lda trk_slide, x
    beq @steady
    bmi @down
    clc
    adc trk_per_lo, x
    sta trk_per_lo, x
    bcc @retune
    inc trk_per_hi, x
    bcs @far
@down:
    clc
    adc trk_per_lo, x
    sta trk_per_lo, x
    bcs @retune
    dec trk_per_hi, x
@far:
    lda trk_per_hi, x
    ora #$08
    sta $4003, y
@retune:
    lda trk_per_lo, x
    sta $4002, y
@steady:
    rts

track_step:
    dec trk_wait, x
    bne sustain
    lda trk_lo, x
    sta snd_at
    lda trk_hi, x
    sta snd_at + 1
next_code:
    ldy #0
    lda (snd_at), y
    inc snd_at
    bne @same
    inc snd_at + 1
@same:
    cmp #$60
    bcc note
    cmp #$80
    bcc duration
    cmp #$90
    bcc timbre
    cmp #$a0
    bcc glide
    and #7                              ; commands
    asl a
    tay
    lda commands, y
    sta vec
    lda commands + 1, y
    sta vec + 1
    jmp (vec)
duration:
    and #$1f
    sta trk_len, x
    jmp next_code
timbre:
    and #$0f
    asl a
    asl a
    asl a
    sta trk_env, x
    jmp next_code
glide:
    sec
    sbc #$98
    sta trk_slide, x
    jmp next_code
note:
    tay
    lda #0
    sta trk_phase, x
    cpx #3
    beq @noise
    lda period_lo, y
    sta trk_per_lo, x
    lda period_hi, y
    sta trk_per_hi, x
    jmp @strike
@noise:
    tya
    sta trk_per_lo, x
@strike:
    ldy registers, x
    lda trk_per_lo, x
    sta $4002, y
    lda trk_per_hi, x
    ora #$08
    sta $4003, y
hold:
    lda trk_len, x
    sta trk_wait, x
    lda snd_at
    sta trk_lo, x
    lda snd_at + 1
    sta trk_hi, x
    jmp sustain

c_rest:
    lda #14
    sta trk_phase, x
    lda #0
    sta trk_env, x                      ; the envelope 0 is silent
    jmp hold
c_call:
    jsr take_address
    lda snd_at
    sta trk_ret_lo, x
    lda snd_at + 1
    sta trk_ret_hi, x
    jmp go_there
c_return:
    lda trk_ret_lo, x
    sta snd_at
    lda trk_ret_hi, x
    sta snd_at + 1
    jmp next_code
c_times:
    ldy #0
    lda (snd_at), y
    sta trk_loop, x
    inc snd_at
    bne @same
    inc snd_at + 1
@same:
    jmp next_code
c_again:
    jsr take_address
    dec trk_loop, x
    bne go_there
    jmp next_code
c_jump:
    jsr take_address
go_there:
    lda vec
    sta snd_at
    lda vec + 1
    sta snd_at + 1
    jmp next_code
c_end:
    lda #0
    sta trk_hi, x
    ldy registers, x
    lda loudness, x
    sta $4000, y
    rts

take_address:
    ldy #0
    lda (snd_at), y
    sta vec
    iny
    lda (snd_at), y
    sta vec + 1
    lda snd_at
    clc
    adc #2
    sta snd_at
    bcc @same
    inc snd_at + 1
@same:
    rts

.segment "RODATA"
commands:  .addr c_rest, c_call, c_return, c_times, c_again, c_jump, c_end, c_end
registers: .byte $00, $08, $04, $0c
loudness:  .byte $70, $80, $b0, $30     ; the triangle is on or off: its envelopes are 0 or $7f
; periods from C2 on the pulses, an octave lower on the triangle
.define PERIODS_LOW 1709, 1613, 1523, 1437, 1356, 1280, 1208, 1140, 1076, 1016, 959, 905, 854, 806, 761, 718, 678, 640, 604, 570, 538, 507, 479, 452
.define PERIODS_HIGH 427, 403, 380, 359, 338, 319, 301, 284, 268, 253, 239, 225, 213, 201, 189, 179, 169, 159, 150, 142, 134, 127, 119, 112, 106
period_lo:
    .lobytes PERIODS_LOW
    .lobytes PERIODS_HIGH
period_hi:
    .hibytes PERIODS_LOW
    .hibytes PERIODS_HIGH
