; Tunes and effects.

; -- Notes from C2 on (1); the triangle sounds an octave lower.
REST = $40
N_C2 = 1
N_Cs2 = 2
N_D2 = 3
N_Ds2 = 4
N_E2 = 5
N_F2 = 6
N_Fs2 = 7
N_G2 = 8
N_Gs2 = 9
N_A2 = 10
N_As2 = 11
N_B2 = 12
N_C3 = 13
N_Cs3 = 14
N_D3 = 15
N_Ds3 = 16
N_E3 = 17
N_F3 = 18
N_Fs3 = 19
N_G3 = 20
N_Gs3 = 21
N_A3 = 22
N_As3 = 23
N_B3 = 24
N_C4 = 25
N_Cs4 = 26
N_D4 = 27
N_Ds4 = 28
N_E4 = 29
N_F4 = 30
N_Fs4 = 31
N_G4 = 32
N_Gs4 = 33
N_A4 = 34
N_As4 = 35
N_B4 = 36
N_C5 = 37
N_Cs5 = 38
N_D5 = 39
N_Ds5 = 40
N_E5 = 41
N_F5 = 42
N_Fs5 = 43
N_G5 = 44
N_Gs5 = 45
N_A5 = 46
N_As5 = 47
N_B5 = 48
N_C6 = 49
N_Cs6 = 50
N_D6 = 51
N_Ds6 = 52
N_E6 = 53
N_F6 = 54
N_Fs6 = 55
N_G6 = 56
N_Gs6 = 57
N_A6 = 58
N_As6 = 59
N_B6 = 60
N_C7 = 61
N_Cs7 = 62
note_lo:
    .byte $00, $ad, $4d, $f3, $9d, $4c, $00, $b8, $74, $34, $f8, $bf, $89, $56, $26, $f9
    .byte $ce, $a6, $80, $5c, $3a, $1a, $fb, $df, $c4, $ab, $93, $7c, $67, $52, $3f, $2d
    .byte $1c, $0c, $fd, $ef, $e1, $d5, $c9, $bd, $b3, $a9, $9f, $96, $8e, $86, $7e, $77
    .byte $70, $6a, $64, $5e, $59, $54, $4f, $4b, $46, $42, $3f, $3b, $38, $34, $31
note_hi:
    .byte $00, $06, $06, $05, $05, $05, $05, $04, $04, $04, $03, $03, $03, $03, $03, $02
    .byte $02, $02, $02, $02, $02, $02, $01, $01, $01, $01, $01, $01, $01, $01, $01, $01
    .byte $01, $01, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00
    .byte $00, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00

; -- Phrases: $80 + length in units, notes, 0.
phrase_field_a:
    .byte $80 + 2, N_G4, N_B4, $80 + 4, N_D5, $80 + 2, N_B4, N_D5, N_E5, N_D5, $80 + 4, N_B4, $80 + 2, N_A4
    .byte N_G4, N_A4, N_B4, $80 + 4, N_A4, 0
phrase_field_b:
    .byte $80 + 2, N_G4, N_B4, $80 + 4, N_D5, $80 + 2, N_G5, N_Fs5, N_E5, N_D5, N_E5, N_D5, N_B4, N_A4, $80 + 6
    .byte N_G4, $80 + 2, REST, 0
phrase_field_c:
    .byte $80 + 3, N_E5, $80 + 1, N_E5, $80 + 2, N_D5, N_B4, $80 + 3, N_C5, $80 + 1, N_C5, $80 + 2, N_B4, N_G4
    .byte N_A4, N_B4, N_C5, N_E5, $80 + 6, N_D5, $80 + 2, REST, 0
phrase_field_d:
    .byte $80 + 3, N_E5, $80 + 1, N_G5, $80 + 2, N_E5, N_D5, N_C5, N_B4, N_A4, N_G4, N_A4, N_G4, N_E4, N_Fs4
    .byte $80 + 6, N_G4, $80 + 2, REST, 0
phrase_field_bass:
    .byte $80 + 2, N_G3, REST, N_D3, REST, N_G3, REST, N_D3, REST, N_C3, REST, N_G3, REST, N_D3, REST, N_D3
    .byte N_Fs3, 0
phrase_field_bass2:
    .byte $80 + 2, N_C3, REST, N_G3, REST, N_C3, REST, N_G3, REST, N_A3, REST, N_E3, REST, N_D3, REST, N_Fs3
    .byte N_D3, 0
phrase_drum:
    .byte $80 + 2, $0c, $80 + 1, 4, 4, $80 + 2, 8, 4, $0c, $80 + 1, 4, 4, $80 + 2, 8, $80 + 1, 4, 8, 0
phrase_wood_a:
    .byte $80 + 3, N_A4, $80 + 1, N_E5, $80 + 2, N_D5, N_C5, N_B4, N_C5, $80 + 4, N_A4, $80 + 3, N_G4, $80 + 1
    .byte N_B4, $80 + 2, N_D5, N_B4, N_C5, N_B4, $80 + 4, N_A4, 0
phrase_wood_b:
    .byte $80 + 3, N_E5, $80 + 1, N_G5, $80 + 2, N_F5, N_E5, N_D5, N_E5, $80 + 4, N_C5, $80 + 3, N_D5, $80 + 1
    .byte N_F5, $80 + 2, N_E5, N_D5, N_B4, N_Gs4, $80 + 4, N_A4, 0
phrase_wood_bass:
    .byte $80 + 4, N_A3, N_E3, N_A3, N_E3, N_G3, N_D3, N_A3, N_E3, 0
phrase_wood_bass2:
    .byte $80 + 4, N_C3, N_G3, N_F3, N_C3, N_D3, N_A3, N_E3, N_A3, 0
phrase_wood_drum:
    .byte $80 + 4, $0b, $80 + 2, 5, 5, $80 + 4, 9, 5, 0
phrase_cave_a:
    .byte $80 + 2, N_E4, REST, N_B4, REST, $80 + 3, N_G4, $80 + 1, N_A4, $80 + 4, N_B4, $80 + 2, N_D5, REST
    .byte N_Cs5, REST, $80 + 6, N_B4, $80 + 2, REST, 0
phrase_cave_b:
    .byte $80 + 2, N_E5, REST, N_D5, REST, $80 + 3, N_B4, $80 + 1, N_A4, $80 + 4, N_G4, $80 + 2, N_Fs4, N_G4
    .byte N_A4, N_B4, $80 + 6, N_E4, $80 + 2, REST, 0
phrase_cave_bass:
    .byte $80 + 1, N_E3, REST, N_E3, REST, $80 + 4, REST, $80 + 1, N_E3, REST, N_G3, REST, $80 + 4, REST
    .byte $80 + 1, N_D3, REST, N_D3, REST, $80 + 4, REST, $80 + 1, N_B2, REST, N_Ds3, REST, $80 + 4, REST, 0
phrase_cave_drum:
    .byte $80 + 4, REST, $80 + 1, 2, REST, 2, REST, $80 + 4, $0e, $80 + 2, REST, $80 + 1, 2, 2, 0
phrase_over:
    .byte $80 + 3, N_E5, N_D5, N_C5, N_B4, $80 + 4, N_A4, N_Gs4, $80 + 12, N_A4, REST, 0
phrase_over_bass:
    .byte $80 + 3, N_A3, N_G3, N_F3, N_E3, $80 + 4, N_D3, N_E3, $80 + 12, N_A2, REST, 0
phrase_still:
    .byte $80 + 32, REST, 0
phrase_title_a:
    .byte $80 + 4, N_D4, $80 + 2, N_A4, N_G4, $80 + 4, N_F4, N_A4, N_C5, $80 + 2, N_B4, N_A4, $80 + 8, N_G4, 0
phrase_title_b:
    .byte $80 + 4, N_D5, $80 + 2, N_C5, N_A4, $80 + 4, N_G4, N_F4, $80 + 2, N_E4, N_F4, N_G4, N_E4, $80 + 8
    .byte N_D4, 0
phrase_title_bass:
    .byte $80 + 2, N_D3, N_A3, N_D3, N_A3, N_D3, N_A3, N_D3, N_A3, N_C3, N_G3, N_C3, N_G3, N_C3, N_G3, N_C3
    .byte N_G3, 0
phrase_title_bass2:
    .byte $80 + 2, N_D3, N_A3, N_D3, N_A3, N_G3, N_D3, N_G3, N_D3, N_A3, N_E3, N_A3, N_E3, N_D3, N_A3, N_D3
    .byte N_A3, 0
.define PHRASES phrase_field_a, phrase_field_b, phrase_field_c, phrase_field_d, phrase_field_bass, phrase_field_bass2, phrase_drum, phrase_wood_a, phrase_wood_b, phrase_wood_bass, phrase_wood_bass2, phrase_wood_drum, phrase_cave_a, phrase_cave_b, phrase_cave_bass, phrase_cave_drum, phrase_over, phrase_over_bass, phrase_still, phrase_title_a, phrase_title_b, phrase_title_bass, phrase_title_bass2
phrases_lo:
    .lobytes PHRASES
phrases_hi:
    .hibytes PHRASES
P_FIELD_A = 0
P_FIELD_B = 1
P_FIELD_C = 2
P_FIELD_D = 3
P_FIELD_BASS = 4
P_FIELD_BASS2 = 5
P_DRUM = 6
P_WOOD_A = 7
P_WOOD_B = 8
P_WOOD_BASS = 9
P_WOOD_BASS2 = 10
P_WOOD_DRUM = 11
P_CAVE_A = 12
P_CAVE_B = 13
P_CAVE_BASS = 14
P_CAVE_DRUM = 15
P_OVER = 16
P_OVER_BASS = 17
P_STILL = 18
P_TITLE_A = 19
P_TITLE_B = 20
P_TITLE_BASS = 21
P_TITLE_BASS2 = 22

; -- Tunes: each voice has a list of phrases.
voice_lists:
    .byte P_TITLE_A, P_TITLE_A, P_TITLE_B, $80 + 5, P_TITLE_A, $80 + 0, P_TITLE_B, $7f
    .byte P_TITLE_BASS, P_TITLE_BASS, P_TITLE_BASS2, $80 + 5, P_TITLE_BASS, $80 + 0, P_TITLE_BASS2, $7f
    .byte P_STILL, $7f
    .byte P_FIELD_A, P_FIELD_B, P_FIELD_A, P_FIELD_B, P_FIELD_C, P_FIELD_D, P_FIELD_C, P_FIELD_D, $80 + 5, P_FIELD_A
    .byte P_FIELD_B, $7f
    .byte P_FIELD_BASS, P_FIELD_BASS, P_FIELD_BASS, P_FIELD_BASS, P_FIELD_BASS2, P_FIELD_BASS2, P_FIELD_BASS2
    .byte P_FIELD_BASS2, $80 + 5, P_FIELD_BASS, P_FIELD_BASS, $7f
    .byte P_DRUM, $7f
    .byte P_WOOD_A, P_WOOD_A, P_WOOD_B, P_WOOD_B, $80 + 7, P_WOOD_A, $80 + 0, P_WOOD_B, $7f
    .byte P_WOOD_BASS, P_WOOD_BASS, P_WOOD_BASS2, P_WOOD_BASS2, $80 + 7, P_WOOD_BASS, $80 + 0, P_WOOD_BASS2, $7f
    .byte P_WOOD_DRUM, $7f
    .byte P_CAVE_A, P_CAVE_A, P_CAVE_B, P_CAVE_A, $80 + 3, P_CAVE_B, P_CAVE_A, $7f
    .byte P_CAVE_BASS, P_CAVE_BASS, P_CAVE_BASS, P_CAVE_BASS, $80 + 3, P_CAVE_BASS, P_CAVE_BASS, $7f
    .byte P_CAVE_DRUM, $7f
    .byte P_OVER, P_STILL, $7f
    .byte P_OVER_BASS, P_STILL, $7f
    .byte P_STILL, $7f
tune_voices:
    .byte 0, 8, 16
    .byte 18, 30, 42
    .byte 44, 53, 62
    .byte 64, 72, 80
    .byte 82, 85, 88
tune_beat:              ; frames a unit
    .byte 7, 6, 6, 7, 6
SONG_OVER = 4

; -- Effects: frames, note or noise, volume; 0 ends.
chime_notes:
    .byte 0, 4, 7, 12
effect_clover:
    .byte 3, N_C5, $b6, 5, N_G5, $b5, 0
effect_jump:
    .byte 2, N_E4, $76, 2, N_G4, $76, 2, N_B4, $75, 3, N_E5, $74, 0
effect_stomp:
    .byte 2, $8a, 10, 2, N_C4, $78, 2, N_G3, $77, 4, N_C3, $76, 0
effect_butt:
    .byte 2, $8d, 12, 2, N_A3, $b9, 3, $8e, 8, 0
effect_crate:
    .byte 3, $86, 12, 3, $89, 10, 4, $8b, 7, 0
effect_spring:
    .byte 2, N_C4, $38, 2, N_F4, $38, 2, N_As4, $37, 2, N_Ds5, $37, 4, N_Gs5, $35, 0
effect_hurt:
    .byte 3, N_Gs4, $7a, 3, N_D4, $7a, 3, N_Gs3, $79, 4, $8c, 9, 6, N_D3, $77, 0
effect_cairn:
    .byte 4, N_G4, $b8, 4, N_C5, $b8, 4, N_E5, $b8, 8, N_G5, $b7, 0
effect_bell:
    .byte 12, N_C6, $b9, 10, N_C6, $b6, 12, N_G5, $b9, 10, N_G5, $b6, 14, N_E5, $b9, 20, N_E5, $b5, 0
effect_life:
    .byte 4, N_C5, $b8, 4, N_E5, $b8, 4, N_G5, $b8, 4, N_C6, $b8, 4, N_E6, $b8, 8, N_G6, $b7, 0
effect_tick:
    .byte 2, N_A5, $74, 0
.define EFFECTS effect_clover, effect_jump, effect_stomp, effect_butt, effect_crate, effect_spring, effect_hurt, effect_cairn, effect_bell, effect_life, effect_tick
effects_lo:
    .lobytes EFFECTS
effects_hi:
    .hibytes EFFECTS
