; Songs on pulse 1 and triangle, effects on pulse 2 and noise, once a frame.
.include "ram.inc"
.export sound_reset, sound_frame

.segment "CODE"
sound_reset:
    lda #$0F
    sta $4015
    lda #$30
    sta $4000
    sta $4004
    sta $400C
    lda #$08
    sta $4001
    sta $4005
    lda #$80
    sta $4008
    lda #$FF
    sta sfx_channel
    rts

sound_frame:
    lda _song
    beq @same
    jsr start_song
@same:
    lda song_playing
    beq @effect
    jsr song_row
@effect:
    lda sfx_now
    beq @going
    jsr start_sfx
@going:
    lda sfx_channel
    bmi @done
    dec sfx_wait
    bne @done
    jsr sfx_frame
@done:
    rts

start_song:
    asl a
    tax
    lda songs-2,x
    sta song_start
    sta song_at
    lda songs-1,x
    sta song_start+1
    sta song_at+1
    ldy #0
    sty _song
    lda (song_at),y
    sta song_tempo
    iny
    sty song_wait
    sty song_playing
    bne next_byte
song_row:
    dec song_wait
    bne fade
    lda song_tempo
    sta song_wait
    ldy #0
    lda (song_at),y
    cmp #$FE
    bcs song_end
    tax
    beq @bass
    lda period_lo-1,x
    sta $4002
    lda period_hi-1,x
    sta $4003
    lda #$0A
    sta song_vol
@bass:
    jsr next_byte
    lda (song_at),y
    tax
    beq @rest
    lda #$FF
    sta $4008
    lda period_lo-1,x
    sta $400A
    lda period_hi-1,x
    sta $400B
    jmp next_byte
@rest:
    lda #$80
    sta $4008
next_byte:
    inc song_at
    bne @same
    inc song_at+1
@same:
    rts
song_end:
    bne @again                  ; $FF: from the start
    lda #0                      ; $FE: silence
    sta song_playing
    lda #$80
    sta $4008
    lda #$30
    sta $4000
    rts
@again:
    lda song_start
    sta song_at
    lda song_start+1
    sta song_at+1
    jsr next_byte
    lda #1
    sta song_wait
    rts
fade:                           ; a note dies away
    lda _frames
    and #3
    bne @hold
    lda song_vol
    beq @hold
    dec song_vol
@hold:
    lda song_vol
    ora #$70
    sta $4000
    rts

start_sfx:
    asl a
    tax
    lda effects-2,x
    sta sfx_at
    lda effects-1,x
    sta sfx_at+1
    ldy #0
    sty sfx_now
    lda sfx_channel
    bmi @free
    jsr sfx_silence             ; the one before may have been on the other channel
@free:
    ldy #0
    lda (sfx_at),y
    sta sfx_channel
    lda #1
    sta sfx_wait
    inc sfx_at
    bne @same
    inc sfx_at+1
@same:
    rts
sfx_frame:
    ldx sfx_channel
    ldy #0
    lda (sfx_at),y
    beq sfx_silence
    sta $4004,x
    iny
    lda (sfx_at),y
    sta $4006,x
    iny
    lda (sfx_at),y
    sta $4007,x
    iny
    lda (sfx_at),y
    sta sfx_wait
    lda sfx_at
    clc
    adc #4
    sta sfx_at
    bcc @same
    inc sfx_at+1
@same:
    rts
sfx_silence:
    ldx sfx_channel
    lda #$30
    sta $4004,x
    lda #$FF
    sta sfx_channel
    rts

.segment "RODATA"
; periods of C3 to C6 on the pulse channels, an octave lower on the triangle
.define PERIODS 854, 806, 761, 718, 677, 639, 603, 569, 537, 507, 478, 451, 426, 402, 379, 358, 338, 319, 301, 284, 268, 253, 239, 225, 212, 200, 189, 179, 169, 159, 150, 142, 134, 126, 119, 112, 106
period_lo: .lobytes PERIODS
period_hi: .hibytes PERIODS

songs: .addr song_title, song_dig, song_over, song_clear

; tempo, then rows of (pulse, triangle), 1 = C3; 0 = let it ring / rest; $FF = again, $FE = end
song_title:
    .byte 14
    .byte 20, 8, 0, 0, 24, 8, 0, 0, 22, 3, 20, 0, 17, 3, 0, 0
    .byte 19, 5, 0, 0, 22, 5, 0, 0, 20, 1, 19, 0, 15, 1, 0, 0
    .byte 20, 8, 0, 0, 24, 8, 0, 0, 27, 10, 25, 0, 24, 10, 0, 0
    .byte 22, 3, 0, 0, 19, 3, 0, 0, 20, 8, 0, 0, 0, 8, 0, 0
    .byte $FF
song_dig:
    .byte 9
    .byte 8, 8, 0, 0, 15, 8, 0, 0, 17, 8, 15, 0, 12, 3, 0, 0
    .byte 10, 5, 0, 0, 17, 5, 0, 0, 20, 5, 17, 0, 13, 1, 0, 0
    .byte 8, 8, 0, 0, 15, 8, 0, 0, 20, 8, 22, 0, 24, 3, 0, 0
    .byte 22, 10, 20, 0, 17, 10, 15, 0, 17, 3, 0, 0, 15, 3, 12, 0
    .byte $FF
song_over:
    .byte 12
    .byte 24, 12, 22, 0, 20, 8, 17, 0, 15, 3, 0, 0, 12, 12, 0, 12
    .byte $FE
song_clear:
    .byte 6
    .byte 15, 3, 17, 0, 20, 8, 0, 0, 22, 10, 24, 0, 27, 8, 0, 0, 32, 8, 0, 8
    .byte $FE

effects: .addr sfx_dig, sfx_pick, sfx_thump, sfx_plug, sfx_out, sfx_gnaw, sfx_wake, sfx_catch, sfx_bloom, sfx_life, sfx_splash, sfx_tick
sfx_dig:    .byte 8, $34, $0A, $18, 2, $32, $0B, $18, 2, 0
sfx_pick:   .byte 0, $B6, $A9, $08, 3, $B6, $86, $08, 3, $B5, $6A, $08, 5, 0
sfx_thump:  .byte 8, $3C, $0E, $18, 3, $39, $0F, $18, 5, $35, $0F, $18, 6, $32, $0F, $18, 8, 0
sfx_plug:   .byte 8, $38, $06, $18, 2, $35, $09, $18, 3, 0
sfx_out:    .byte 0, $B8, $FD, $08, 6, $B8, $2D, $09, 6, $B8, $7E, $09, 8, $B8, $FB, $09, 8, $B6, $AB, $0A, 20, 0
sfx_gnaw:   .byte 8, $35, $03, $18, 2, $30, $03, $18, 2, $35, $04, $18, 2, 0
sfx_wake:   .byte 0, $76, $A5, $0A, 3, $76, $3F, $0A, 3, $77, $DF, $09, 4, 0
sfx_catch:  .byte 0, $B8, $FD, $08, 2, $B8, $BD, $08, 2, $B8, $8E, $08, 2, $B8, $64, $08, 5, 0
sfx_bloom:  .byte 0, $76, $D5, $08, 4, $76, $A9, $08, 4, $76, $8E, $08, 4, $76, $6A, $08, 4, $74, $54, $08, 8, 0
sfx_life:   .byte 0, $B7, $8E, $08, 5, $B7, $A9, $08, 5, $B7, $86, $08, 5, $B7, $6A, $08, 9, 0
sfx_splash: .byte 8, $36, $02, $18, 2, $37, $04, $18, 3, $34, $06, $18, 6, 0
sfx_tick:   .byte 0, $34, $6A, $08, 1, $32, $6A, $08, 2, 0
