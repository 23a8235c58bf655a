; The notes' periods, four octaves from C2 on, and the tunes.

period_lo:
    .byte $ad, $4d, $f3, $9d, $4c, $00, $b8, $74, $34, $f8, $bf, $89
    .byte $56, $26, $f9, $ce, $a6, $80, $5c, $3a, $1a, $fb, $df, $c4
    .byte $ab, $93, $7c, $67, $52, $3f, $2d, $1c, $0c, $fd, $ef, $e1
    .byte $d5, $c9, $bd, $b3, $a9, $9f, $96, $8e, $86, $7e, $77, $70
period_hi:
    .byte $06, $06, $05, $05, $05, $05, $04, $04, $04, $03, $03, $03
    .byte $03, $03, $02, $02, $02, $02, $02, $02, $02, $01, $01, $01
    .byte $01, $01, $01, $01, $01, $01, $01, $01, $01, $00, $00, $00
    .byte $00, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00

drum_tone:              ; kick, tap, hiss
    .byte $0e, $06, $02
drum_volume:
    .byte 9, 5, 3

; Names of notes, to be added to an octave.
Do = 1
Re = 3
Mi = 5
Fa = 6
Fi = 7
So = 8
Si = 9
La = 10
Li = 11
Ti = 12
O2 = 0
O3 = 12
O4 = 24
O5 = 36
REST = 0
KICK = 1
TAP = 2
HISS = 3
NOTES = $80
COMMANDS = $c0
CALL = $c0
BACK = $c1
JUMP = $c2
TIMES = $c3
AGAIN = $c4
STOP = $c5

RTS_TABLE command_lo, command_hi, command_call, command_back, command_jump, command_times, command_again, command_stop
RTS_TABLE voice_play_lo, voice_play_hi, play_lead, play_bass, play_drum

.enum
    TUNE_TITLE
    TUNE_ODD
    TUNE_EVEN
    TUNE_BONUS
    TUNE_DONE
    TUNE_OVER
.endenum
tune_lo:
    .byte <title_lead, <title_bass, <title_drum, <odd_lead, <odd_bass, <odd_drum
    .byte <even_lead, <even_bass, <odd_drum, <bonus_lead, <bonus_bass, <title_drum
    .byte <done_lead, <done_bass, <done_drum, <over_lead, <over_bass, <done_drum
tune_hi:
    .byte >title_lead, >title_bass, >title_drum, >odd_lead, >odd_bass, >odd_drum
    .byte >even_lead, >even_bass, >odd_drum, >bonus_lead, >bonus_bass, >title_drum
    .byte >done_lead, >done_bass, >done_drum, >over_lead, >over_bass, >done_drum

title_lead:
    .byte NOTES + 9, TIMES, 2
@verse:
    .byte CALL, <skip_up, >skip_up
    .byte Fa+O4, La+O4, Do+O5, La+O4, Fa+O4, REST
    .byte Mi+O4, So+O4, Do+O5, So+O4, Mi+O4, REST
    .byte Re+O4, Fa+O4, So+O4, Ti+O4, So+O4, Fa+O4
    .byte Mi+O4, Do+O4, REST, Do+O4, REST, REST
    .byte AGAIN, <@verse, >@verse
    .byte CALL, <skip_down, >skip_down
    .byte CALL, <skip_down, >skip_down
    .byte JUMP, <title_lead, >title_lead
skip_up:
    .byte Do+O4, Mi+O4, So+O4, Do+O5, So+O4, Mi+O4
    .byte Do+O4, Mi+O4, So+O4, Mi+O5, REST, REST
    .byte BACK
skip_down:
    .byte La+O4, So+O4, Fa+O4, Mi+O4, REST, Mi+O4
    .byte Fa+O4, REST, Re+O4, So+O4, REST, REST
    .byte BACK
title_bass:
    .byte NOTES + 27, TIMES, 2
@verse:
    .byte Do+O3, So+O3, Do+O3, So+O3
    .byte Fa+O3, Do+O4, Do+O3, So+O3
    .byte So+O3, Ti+O3, Do+O3, Do+O3
    .byte AGAIN, <@verse, >@verse
    .byte Fa+O3, Do+O3, Re+O3, So+O3
    .byte Fa+O3, Do+O3, Re+O3, So+O3
    .byte JUMP, <title_bass, >title_bass
title_drum:
    .byte NOTES + 9
    .byte KICK, HISS, HISS, TAP, HISS, HISS
    .byte JUMP, <title_drum, >title_drum

odd_lead:
    .byte NOTES + 8
    .byte CALL, <creep, >creep
    .byte La+O4, REST, Do+O5, La+O4, So+O4, REST, Mi+O4, REST
    .byte CALL, <creep, >creep
    .byte Si+O4, REST, Ti+O4, Si+O4, La+O4, REST, REST, REST
    .byte TIMES, 2
@run:
    .byte Do+O5, Ti+O4, La+O4, Ti+O4, Do+O5, REST, La+O4, REST
    .byte Ti+O4, La+O4, So+O4, La+O4, Ti+O4, REST, So+O4, REST
    .byte AGAIN, <@run, >@run
    .byte Fa+O4, REST, La+O4, Do+O5, Mi+O5, REST, Re+O5, Do+O5
    .byte Ti+O4, REST, Si+O4, REST, Mi+O4, REST, REST, REST
    .byte JUMP, <odd_lead, >odd_lead
creep:
    .byte La+O4, REST, REST, Mi+O4, La+O4, REST, Ti+O4, REST
    .byte Do+O5, Ti+O4, La+O4, Si+O4, La+O4, REST, Mi+O4, REST
    .byte BACK
odd_bass:
    .byte NOTES + 16, TIMES, 2
@creep:
    .byte La+O2, La+O3, Mi+O3, La+O3
    .byte La+O2, La+O3, Mi+O3, Si+O3
    .byte Fa+O3, La+O3, Mi+O3, Mi+O3
    .byte AGAIN, <@creep, >@creep
    .byte TIMES, 2
@run:
    .byte La+O3, Mi+O3, La+O3, Mi+O3
    .byte So+O3, Re+O3, So+O3, Re+O3
    .byte AGAIN, <@run, >@run
    .byte Fa+O3, Fa+O3, La+O3, La+O3, Mi+O3, Si+O3, Mi+O3, Mi+O3
    .byte JUMP, <odd_bass, >odd_bass
odd_drum:
    .byte NOTES + 8
    .byte KICK, REST, HISS, REST, TAP, REST, HISS, HISS
    .byte JUMP, <odd_drum, >odd_drum

even_lead:
    .byte NOTES + 7, TIMES, 2
@stroll:
    .byte So+O4, REST, Li+O4, REST, Re+O5, Do+O5, Li+O4, REST
    .byte CALL, <turn, >turn
    .byte So+O4, REST, Li+O4, REST, Re+O5, Fa+O5, Re+O5, REST
    .byte CALL, <turn, >turn
    .byte AGAIN, <@stroll, >@stroll
    .byte Do+O5, REST, Do+O5, Re+O5, Do+O5, Li+O4, La+O4, REST
    .byte Li+O4, REST, Li+O4, Do+O5, Li+O4, La+O4, So+O4, REST
    .byte La+O4, REST, La+O4, Li+O4, La+O4, So+O4, Fi+O4, REST
    .byte Re+O4, Fi+O4, La+O4, Do+O5, Li+O4, La+O4, So+O4, REST
    .byte JUMP, <even_lead, >even_lead
turn:
    .byte Do+O5, Li+O4, La+O4, Fi+O4, So+O4, REST, REST, REST
    .byte BACK
even_bass:
    .byte NOTES + 14, TIMES, 4
@stroll:
    .byte So+O2, So+O3, So+O2, Re+O3, Re+O3, Fi+O3, So+O2, So+O3
    .byte AGAIN, <@stroll, >@stroll
    .byte Fa+O3, Do+O3, Fa+O3, Do+O3, So+O3, Re+O3, So+O3, Re+O3
    .byte La+O3, Re+O3, La+O3, Re+O3, Re+O3, Fi+O3, So+O3, So+O2
    .byte JUMP, <even_bass, >even_bass

bonus_lead:
    .byte NOTES + 6, TIMES, 3
@chase:
    .byte So+O4, Ti+O4, Re+O5, Ti+O4, So+O5, REST, Re+O5, REST
    .byte Do+O5, Mi+O5, So+O4, Mi+O5, Do+O5, REST, So+O4, REST
    .byte AGAIN, <@chase, >@chase
    .byte La+O4, Ti+O4, Do+O5, Re+O5, Mi+O5, Fi+O5, So+O5, REST
    .byte Re+O5, REST, Re+O5, REST, So+O4, REST, REST, REST
    .byte JUMP, <bonus_lead, >bonus_lead
bonus_bass:
    .byte NOTES + 12, TIMES, 3
@chase:
    .byte So+O3, Re+O3, So+O3, Re+O3, Do+O3, So+O3, Do+O3, So+O3
    .byte AGAIN, <@chase, >@chase
    .byte Re+O3, Fi+O3, La+O3, Re+O3, Re+O3, Fi+O3, So+O3, So+O2
    .byte JUMP, <bonus_bass, >bonus_bass

done_lead:
    .byte NOTES + 8, So+O4, Do+O5, Mi+O5, So+O5, REST, Mi+O5, NOTES + 24, So+O5
    .byte STOP
done_bass:
    .byte NOTES + 16, Do+O3, So+O3, Do+O4, NOTES + 30, Do+O3
    .byte STOP
done_drum:
    .byte NOTES + 24, REST
    .byte JUMP, <done_drum, >done_drum

over_lead:
    .byte NOTES + 18, Mi+O4, Re+O4, Do+O4, Ti+O3, La+O3, REST, Mi+O3, REST, La+O3, REST
    .byte STOP
over_bass:
    .byte NOTES + 36, La+O3, So+O3, Fa+O3, Mi+O3, La+O2, REST
    .byte STOP
