; Tunes and effects, as sound.inc says.
.include "sound.inc"
.export tunes, effects, effect_track, envelopes

C2 = 0
D2 = 2
E2 = 4
F2 = 5
G2 = 7
A2 = 9
B2 = 11
C3 = 12
D3 = 14
E3 = 16
F3 = 17
G3 = 19
A3 = 21
B3 = 23
C4 = 24
D4 = 26
E4 = 28
F4 = 29
G4 = 31
A4 = 33
B4 = 35
C5 = 36
D5 = 38
E5 = 40
G5 = 43

.segment "RODATA"
; loudness every second step; the last stays
envelopes:
    .byte 0, 0, 0, 0, 0, 0, 0, 0
    .byte 8, 7, 6, 5, 4, 3, 2, 1        ; 1 plucked
    .byte 5, 6, 7, 7, 6, 6, 5, 5        ; 2 blown
    .byte 127, 127, 127, 127, 127, 127, 0, 0    ; 3 triangle, short
    .byte 127, 127, 127, 127, 127, 127, 127, 127 ; 4 triangle, held
    .byte 10, 8, 5, 3, 2, 1, 0, 0       ; 5 knock
    .byte 9, 9, 9, 8, 8, 7, 5, 3        ; 6 bell

; melody and bass of each tune
tunes:
    .addr title_high, title_low, climb_high, climb_low, shaft_high, shaft_low, clear_high, clear_low, over_high, over_low
    .addr silence, silence

title_high:
    .byte TIMBRE(2), TIMES(2)
title_verse:
    .byte LEN(24), E4, LEN(12), G4, A4, LEN(24), B4, LEN(12), A4, G4
    .byte LEN(18), E4, LEN(6), D4, LEN(12), E4, G4, LEN(24), A4, REST
    .byte LEN(24), B4, LEN(12), D5, B4, LEN(24), A4, LEN(12), G4, E4
    .byte LEN(18), D4, LEN(6), E4, LEN(12), G4, D4, LEN(24), E4, TIMBRE(0), REST, TIMBRE(2)
    .byte AGAIN(title_verse), TIMBRE(1), PLAY(waves), PLAY(waves), FOREVER(title_high)
waves:
    .byte LEN(8), E4, B3, G3, E4, B3, G3, D4, A3, F3, D4, A3, F3, DONE
title_low:
    .byte TIMBRE(4), LEN(24), E2, B2, E2, B2, C3, G2, D3, A2, G2, D3, C3, G2, D3, A2, E2, B2, FOREVER(title_low)

climb_high:
    .byte TIMBRE(1), PLAY(climb_a), PLAY(climb_a), LEN(10), A4, G4, E4, D4, E4, G4, LEN(20), A4
    .byte LEN(10), G4, E4, D4, C4, D4, E4, LEN(20), D4, PLAY(climb_a), LEN(10), C4, D4, E4, D4, LEN(20), C4, REST
    .byte FOREVER(climb_high)
climb_a:
    .byte TIMBRE(1), LEN(10), C4, E4, G4, E4, D4, F4, LEN(20), A4, LEN(10), G4, E4, F4, D4, LEN(20), E4, C4, DONE
climb_low:
    .byte TIMBRE(3), TIMES(4)
climb_walk:
    .byte LEN(20), C2, G2, D2, A2, C2, G2, C2, G2, AGAIN(climb_walk), TIMES(2)
climb_turn:
    .byte F2, C3, A2, C3, G2, D3, B2, G2, AGAIN(climb_turn), FOREVER(climb_low)

shaft_high:
    .byte TIMBRE(1), TIMES(3)
shaft_wheel:
    .byte LEN(7), A3, E4, A4, E4, C4, E4, A3, E4, G3, D4, G4, D4, B3, D4, G3, D4, AGAIN(shaft_wheel)
    .byte TIMBRE(2), LEN(28), C5, B4, A4, E4, FOREVER(shaft_high)
shaft_low:
    .byte TIMBRE(3), LEN(14), A2, A2, REST, TIMBRE(3), A2, G2, G2, REST, TIMBRE(3), G2, FOREVER(shaft_low)

clear_high:
    .byte TIMBRE(6), LEN(8), C4, E4, G4, C5, LEN(16), E5, LEN(8), D5, LEN(24), G5, FINISH
clear_low:
    .byte TIMBRE(4), LEN(16), C3, G2, C3, G2, LEN(24), C3, FINISH
over_high:
    .byte TIMBRE(2), LEN(20), E4, D4, C4, B3, LEN(31), A3, E3, A3, FINISH
over_low:
    .byte TIMBRE(4), LEN(31), A2, F2, E2, LEN(31), A2, FINISH
silence:
    .byte FINISH

; the order is that of SFX_... in fresnel.h
effects:
    .addr e_jump, e_flask, e_lantern, e_points, e_break, e_out, e_drip, e_tick, e_life, e_cry, e_spark
effect_track:
    .byte 2, 2, 2, 2, 3, 2, 3, 2, 2, 2, 3
e_jump:    .byte TIMBRE(1), GLIDE(-8), LEN(14), G3, FINISH
e_flask:   .byte TIMBRE(6), LEN(4), E4, G4, LEN(10), C5, FINISH
e_lantern: .byte TIMBRE(6), TIMES(3)
e_lantern_again:
    .byte LEN(4), C4, E4, G4, C5, AGAIN(e_lantern_again), FINISH
e_points:  .byte TIMBRE(1), LEN(5), A4, LEN(9), E5, FINISH
e_break:   .byte TIMBRE(5), LEN(4), 3, 1, LEN(10), 5, FINISH
e_out:     .byte TIMBRE(6), LEN(20), GLIDE(6), C5, A4, F4, LEN(31), GLIDE(7), D4, FINISH
e_drip:    .byte TIMBRE(5), LEN(6), 9, FINISH
e_tick:    .byte TIMBRE(5), LEN(4), G5, FINISH
e_cry:     .byte TIMBRE(2), GLIDE(4), LEN(9), C5, GLIDE(-6), LEN(12), A4, FINISH
e_spark:   .byte TIMBRE(5), TIMES(3)
e_spark_again:
    .byte LEN(3), 2, 0, AGAIN(e_spark_again), FINISH
e_life:    .byte TIMBRE(6), LEN(6), C4, C5, G4, LEN(12), C5, FINISH
