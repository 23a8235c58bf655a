; Effects and songs.

period_lo:             ; C3 to B5
    .byte $56, $26, $f9, $ce, $a6, $80, $5c, $3a, $1a, $fb, $df, $c4
    .byte $ab, $93, $7c, $67, $52, $3f, $2d, $1c, $0c, $fd, $ef, $e1
    .byte $d5, $c9, $bd, $b3, $a9, $9f, $96, $8e, $86, $7e, $77, $70
period_hi:
    .byte $03, $03, $02, $02, $02, $02, $02, $02, $02, $01, $01, $01
    .byte $01, $01, $01, $01, $01, $01, $01, $01, $01, $00, $00, $00
    .byte $00, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00

effect_lo:
    .byte <effect_ember, <effect_bell, <effect_lantern, <effect_flare, <effect_moon
    .byte <effect_hoot, <effect_caught, <effect_firefly, <effect_life, <effect_start
effect_hi:
    .byte >effect_ember, >effect_bell, >effect_lantern, >effect_flare, >effect_moon
    .byte >effect_hoot, >effect_caught, >effect_firefly, >effect_life, >effect_start
effect_ember:
    .byte 2, $86, $7e, $08
    .byte 3, $85, $54, $08
    .byte 0
effect_bell:
    .byte 3, $b9, $70, $08
    .byte 3, $b6, $71, $08
    .byte 4, $b4, $70, $08
    .byte 6, $b2, $71, $08
    .byte 0
effect_lantern:
    .byte 4, $78, $1c, $09
    .byte 4, $78, $d5, $08
    .byte 4, $78, $a9, $08
    .byte 8, $76, $8e, $08
    .byte 8, $73, $8e, $08
    .byte 0
effect_flare:
    .byte 2, $39, $40, $09
    .byte 2, $39, $f0, $08
    .byte 2, $38, $b0, $08
    .byte 2, $37, $80, $08
    .byte 3, $35, $60, $08
    .byte 4, $33, $40, $08
    .byte 0
effect_moon:
    .byte 6, $b9, $d5, $08
    .byte 6, $b9, $a9, $08
    .byte 6, $b9, $8e, $08
    .byte 6, $b9, $6a, $08
    .byte 12, $b6, $54, $08
    .byte 0
effect_hoot:
    .byte 5, $76, $80, $09
    .byte 4, $30, $80, $09
    .byte 9, $77, $94, $09
    .byte 0
effect_caught:
    .byte 5, $ba, $1c, $09
    .byte 5, $ba, $53, $09
    .byte 5, $b9, $ab, $09
    .byte 6, $b8, $3a, $0a
    .byte 8, $b7, $a6, $0a
    .byte 14, $b5, $57, $0b
    .byte 0
effect_firefly:
    .byte 3, $78, $6a, $08
    .byte 3, $78, $5e, $08
    .byte 3, $78, $54, $08
    .byte 3, $78, $4b, $08
    .byte 6, $75, $46, $08
    .byte 0
effect_life:
    .byte 5, $b9, $a9, $08
    .byte 5, $b9, $86, $08
    .byte 5, $b9, $70, $08
    .byte 5, $b9, $54, $08
    .byte 9, $b8, $43, $08
    .byte 0
effect_start:
    .byte 5, $79, $d5, $08
    .byte 5, $79, $8e, $08
    .byte 10, $77, $6a, $08
    .byte 0

; Notes by name, C3 = 1.
.enum
    REST
    C3
    Cs3
    D3
    Ds3
    E3
    F3
    Fs3
    G3
    Gs3
    A3
    As3
    B3
    C4
    Cs4
    D4
    Ds4
    E4
    F4
    Fs4
    G4
    Gs4
    A4
    As4
    B4
    C5
    Cs5
    D5
    Ds5
    E5
    F5
    Fs5
    G5
    Gs5
    A5
    As5
    B5
.endenum
AGAIN = $7f
SONG_OVER = 3

song_lo:
    .byte <title_melody, <odd_melody, <even_melody, <over_melody
    .byte <title_bass, <odd_bass, <even_bass, <over_bass
song_hi:
    .byte >title_melody, >odd_melody, >even_melody, >over_melody
    .byte >title_bass, >odd_bass, >even_bass, >over_bass
title_melody:
    .byte $80 + 14
    .byte A4, REST, E5, D5, C5, REST, B4, A4
    .byte G4, REST, D5, C5, B4, REST, A4, G4
    .byte F4, A4, C5, E5, D5, REST, C5, REST
    .byte B4, Gs4, B4, D5, E5, REST, REST, REST
    .byte AGAIN
title_bass:
    .byte $80 + 28
    .byte A3, E4, G3, D4, F3, C4, E3, B3
    .byte A3, E4, G3, D4, F3, D3, E3, E3
    .byte AGAIN
odd_melody:
    .byte $80 + 10
    .byte A4, C5, E5, C5, A4, C5, D5, REST
    .byte G4, B4, D5, B4, G4, B4, C5, REST
    .byte F4, A4, C5, A4, E4, A4, B4, REST
    .byte C5, B4, A4, G4, A4, REST, REST, REST
    .byte E5, D5, C5, D5, E5, REST, A4, REST
    .byte D5, C5, B4, C5, D5, REST, G4, REST
    .byte C5, B4, A4, B4, C5, D5, E5, G5
    .byte E5, REST, D5, REST, A4, REST, REST, REST
    .byte AGAIN
odd_bass:
    .byte $80 + 20
    .byte A3, REST, A3, E4, G3, REST, G3, D4
    .byte F3, REST, F3, C4, E3, G3, A3, REST
    .byte A3, E4, A3, E4, G3, D4, G3, D4
    .byte F3, C4, F3, C4, E3, B3, A3, A3
    .byte AGAIN
even_melody:
    .byte $80 + 9
    .byte D5, REST, F5, E5, D5, A4, REST, REST
    .byte C5, REST, E5, D5, C5, G4, REST, REST
    .byte As4, C5, D5, F5, E5, REST, C5, REST
    .byte A4, Cs5, E5, G5, F5, E5, Cs5, REST
    .byte D5, D5, REST, A4, F5, REST, E5, D5
    .byte C5, C5, REST, G4, E5, REST, D5, C5
    .byte As4, REST, D5, F5, A5, REST, G5, F5
    .byte E5, REST, Cs5, REST, D5, REST, REST, REST
    .byte AGAIN
even_bass:
    .byte $80 + 18
    .byte D3, D4, D3, D4, C3, C4, C3, C4
    .byte As3, F3, As3, F3, A3, E3, A3, A3
    .byte D3, D4, D3, A3, C3, C4, C3, G3
    .byte As3, F3, G3, D4, A3, A3, D3, D3
    .byte AGAIN
over_melody:
    .byte $80 + 20
    .byte E5, D5, C5, B4, A4, REST, Gs4, REST
    .byte A4, REST, REST, REST, REST, REST, REST, REST
    .byte AGAIN
over_bass:
    .byte $80 + 40
    .byte A3, G3, F3, E3, A3, REST, REST, REST
    .byte AGAIN
