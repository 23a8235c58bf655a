; Effects, notes and songs.

; Shape (duty in bits 6 and 7, tone of the noise in 0 to 3), loudness and how fast it fades (in 16ths of a
; volume), period: low byte, high byte with the noise's volume in its upper half, what the period grows by
; in a frame, frames, number * 8 of the effect that follows (0: none).
effects:
    .byte $03, $50, 12, $40, $32, <-24, 7, 0             ; flap
    .byte $82, $f0, 10, $a0, $60, 14, 14, 0              ; strike
    .byte $80, $f0, 8, $90, $00, <-5, 16, 0              ; tuck
    .byte $47, $f0, 9, $80, $91, 20, 20, 0               ; hurt
    .byte $44, $f0, 4, $c0, $a0, 13, 54, 0               ; tumble
    .byte $8a, $60, 5, $00, $b4, <-9, 16, 0              ; splash
    .byte $40, $c0, 9, $40, $02, <-22, 16, 0             ; spring
    .byte $05, $c0, 20, $20, $81, 9, 9, 0                ; clash
    .byte $80, $e0, 8, $c0, $00, <-3, 24, 0              ; nectar
    .byte $8c, $80, 4, $80, $65, <-13, 24, 0             ; sundew rises
    .byte $4b, $f0, 6, $00, $94, 30, 20, 0               ; and holds
    .byte $01, $90, 12, $70, $40, 9, 8, 0                ; drop
    .byte $80, $f0, 8, $d5, $00, <-6, 24, 0              ; start
    .byte $80, $f0, 6, $a9, $00, 0, 12, 14 * 8           ; stage cleared: three notes
    .byte $80, $f0, 6, $86, $00, 0, 12, 15 * 8
    .byte $80, $f0, 5, $70, $00, 0, 34, 0
    .byte $40, $90, 24, $54, $00, 0, 6, 0                ; light counted
    .byte $80, $f0, 12, $6a, $00, 0, 9, 18 * 8           ; a life: two notes
    .byte $80, $f0, 8, $46, $00, 0, 22, 0
    .byte $40, $f0, 3, $00, $03, 4, 60, 0                ; dusk

period_low:             ; C3 to B5
    .byte $56, $26, $f9, $ce, $a6, $80, $5c, $3a, $1a, $fb, $df, $c4
    .byte $ab, $93, $7c, $67, $52, $3f, $2d, $1c, $0c, $fd, $ef, $e1
    .byte $d5, $c9, $bd, $b3, $a9, $9f, $96, $8e, $86, $7e, $77, $70
period_high:
    .byte $03, $03, $02, $02, $02, $02, $02, $02, $02, $01, $01, $01
    .byte $01, $01, $01, $01, $01, $01, $01, $01, $01, $00, $00, $00
    .byte $00, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00

.enum            ; notes: C3 is the first
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

TURN = $80
BACK = $c0
AGAIN = $c1
.define LEN(n) $40 + n

song_low:
    .byte <title_melody, <odd_melody, <even_melody, <over_melody
    .byte <title_bass, <odd_bass, <even_bass, <over_bass
song_high:
    .byte >title_melody, >odd_melody, >even_melody, >over_melody
    .byte >title_bass, >odd_bass, >even_bass, >over_bass

title_melody:           ; a slow dance in three
    .byte LEN(14)
    .byte TURN + 2
    .byte G4, B4, D5, G5, REST, Fs5, E5, D5, B4, D5, REST, REST
    .byte C5, E5, D5, B4, REST, A4, G4, A4, B4, A4, REST, REST
    .byte BACK
    .byte E5, Fs5, G5, A5, REST, G5, Fs5, D5, E5, Fs5, REST, REST
    .byte G5, E5, C5, B4, REST, A4, G4, REST, Fs4, G4, REST, REST
    .byte AGAIN
title_bass:
    .byte LEN(42), TURN + 2
    .byte G3, C4, B3, G3, C4, D4, E4, D4
    .byte BACK
    .byte C4, A3, D4, D4, E4, C4, D4, G3
    .byte AGAIN
odd_melody:             ; on the wing
    .byte LEN(8)
    .byte TURN + 2
    .byte D5, REST, A4, D5, E5, Fs5, REST, E5, D5, REST, B4, REST, A4, REST, REST, REST
    .byte G4, REST, B4, D5, E5, D5, REST, B4, A4, REST, Fs4, REST, E4, REST, REST, REST
    .byte BACK
    .byte TURN + 2
    .byte Fs5, E5, D5, REST, G5, Fs5, E5, REST, A5, REST, Fs5, REST, D5, REST, REST, REST
    .byte BACK
    .byte B4, REST, D5, B4, A4, REST, D5, A4, G4, REST, A4, B4, Cs5, REST, E5, REST
    .byte AGAIN
odd_bass:
    .byte LEN(16), TURN + 2
    .byte D3, A3, D3, A3, G3, D4, A3, REST
    .byte G3, D4, G3, D4, D3, A3, A3, REST
    .byte BACK
    .byte TURN + 2
    .byte D3, A3, E3, A3, Fs3, A3, D4, REST
    .byte BACK
    .byte G3, G3, Fs3, Fs3, E3, E3, A3, A3
    .byte AGAIN
even_melody:            ; a storm is near
    .byte LEN(7)
    .byte TURN + 3
    .byte E5, REST, B4, E5, REST, G5, Fs5, E5, D5, REST, A4, D5, REST, Fs5, E5, D5
    .byte BACK
    .byte C5, REST, E5, REST, B4, REST, D5, REST, A4, REST, C5, REST, B4, REST, REST, REST
    .byte TURN + 2
    .byte G5, REST, REST, Fs5, E5, REST, B4, REST, C5, D5, E5, REST, Ds5, REST, B4, REST
    .byte BACK
    .byte AGAIN
even_bass:
    .byte LEN(14), TURN + 3
    .byte E3, B3, E3, B3, D3, A3, D3, A3
    .byte BACK
    .byte C4, C4, B3, B3, A3, A3, B3, B3
    .byte TURN + 2
    .byte E3, E4, E3, B3, A3, A3, B3, B3
    .byte BACK
    .byte AGAIN
over_melody:
    .byte LEN(18)
    .byte B4, A4, G4, Fs4, G4, E4, REST, REST, E4, G4, Fs4, Ds4, E4, REST, REST, REST
    .byte LEN(60), TURN + 60, REST, BACK, AGAIN
over_bass:
    .byte LEN(36)
    .byte E3, B3, C4, B3, A3, B3, E3, REST
    .byte LEN(60), TURN + 60, REST, BACK, AGAIN
