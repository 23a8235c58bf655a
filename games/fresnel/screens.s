; The screens: how each is built, and what then happens on it. `s` begins a stream of numbers and words. What a word takes
; from the stack is in brackets, the last one on top.
;
; numbers   ADD SUB MUL DIV [a b]   LESS [a b]: 1 or 0   CHANCE [n]: below n   TOUR   HEROX   HEROY   COUNT [kind]: how many
; flow      DO [n] ... LOOP   INDEX: rounds left   CALL RET GO   UNLESS [n]: goes there if it is 0
;           THREAD: another thread begins there   WAIT [tenths of a second]   END
; building  FLOOR [first column, last, y at the first, pixels down every four columns]   BELT [speed of the last floor]
;           LADDER [column, upper floor, lower]   ITEM [column row kind]   LAMP [column floor]   HERO [x floor]
;           NEED [flasks]   FILL [column row n tile]   STAMP [column row tile]: 2 x 2   SAY [column row]
;           TINT [column row palette]: 2 x 2   BAND [first rows palette]: rows of four   LOOK [palettes]
; play      SPAWN [kind x y speed]: speed 128 + 1/64 pixel a step to the right, of a lift downwards
;           LAUNCH [kind x y speed low high]: the same; where a lift turns; middle and width of a petrel's wave
;           PAD [buttons]: of the title's Nell   SOUND [effect]   TUNE [tune]
.include "script.inc"
.include "tiles.inc"
.export _screen_scripts, _palettes

FLASK = 1
LIGHT = 2                               ; the lantern
CRY = 10                                ; effects
SPARK = 11
RIGHT = 0                               ; slopes
DOWN = 2
UP = 254

.segment "RODATA"
_screen_scripts:
    .addr title, stair, pumps, shaft, gallery

; --- parts of all screens

frame:                                  ; display, sea, a few stars
    s 0, 4, 0, BAND
    s 4, 4, 0, BAND
    s 0, 1, 1, BAND
    s 7, 1, 3, BAND
    say 1, 2, "SCORE"
    say 9, 2, "BONUS"
    say 16, 2, "LEVEL"
    say 22, 2, "LIVES"
    say 28, 2, "OIL"
    s 0, 27, 32, T_STONE, FILL
    s 0, 28, 32, T_WAVE, FILL
    s 0, 29, 32, T_SEA, FILL
    s 24, DO
        s 30, CHANCE, 1, ADD, 21, CHANCE, 5, ADD, 1, T_SPARK, FILL
    s LOOP
    s 8, DO
        s INDEX, 3, MUL, 2, ADD, 20, CHANCE, 5, ADD, 1, T_STAR, FILL
    s LOOP, RET

bricks:                                 ; here and there
    s 20, DO
        s 30, CHANCE, 1, ADD, 18, CHANCE, 7, ADD, 2, T_BRICK, FILL
    s LOOP, RET

; --- parts of what happens

throw_float:                            ; from the upper left
    s K_FLOAT, COUNT, 6, LESS
    to UNLESS, no_float
    s K_FLOAT, 14, 69, 128 + 64, SPAWN
no_float:
    s RET

petrel_right:
    s CRY, SOUND, K_PETREL, 8, 100, 128 + 72, HEROY, 24, SUB, 22, LAUNCH, RET
petrel_left:
    s CRY, SOUND, K_PETREL, 247, 100, 128 - 80, HEROY, 30, SUB, 30, LAUNCH, RET

drip_near:                              ; a drop not far from Nell, under the floor above her
    s K_DROP, HEROX, 40, CHANCE, ADD, 20, SUB, HEROY, 22, SUB, 128, SPAWN, RET

pause:                                  ; shorter on each tour
    s 40, TOUR, 2, ADD, DIV, 5, ADD, WAIT, RET

petrels:
    s 33, WAIT
    to CALL, petrel_right
    to CALL, pause
    s 25, WAIT
    to CALL, petrel_left
    to CALL, pause
    to GO, petrels

drips:
    s 17, WAIT, 3, DO
        to CALL, drip_near
        s 6, CHANCE, 6, ADD, WAIT
    s LOOP
    to CALL, pause
    to GO, drips

; --- the title: all that lives here passes by

title:
    s 0, LOOK, 1, TUNE
    to CALL, frame
    s 1, 2, 2, BAND
    say 2, 6,  "### ##  ### ### #  # ### #"
    say 2, 7,  "#   # # #   #   ## # #   #"
    say 2, 8,  "##  ##  ##  ### # ## ##  #"
    say 2, 9,  "#   # # #     # #  # #   #"
    say 2, 10, "#   # # ### ### #  # ### ###"
    s 0, 31, 208, RIGHT, FLOOR
    s 4, 27, 160, DOWN, FLOOR
    s 8, 15, 120, RIGHT, FLOOR, 60, BELT
    s 18, 25, 120, RIGHT, FLOOR, 196, BELT
    s 22, 1, 0, LADDER
    s 12, 2, 1, LADDER
    s 20, 3, 1, LADDER
    s 26, 24, FLASK, ITEM
    s 4, 24, LIGHT, ITEM
    s 28, 0, LAMP
    say 10, 13, "PRESS START"
    s 40, 0, HERO
    s K_LIFT, 16, 150, 130, 120, 200, LAUNCH
    s K_RAFT, 130, 140, 140, 110, 160, LAUNCH
    to THREAD, title_walk
    to THREAD, title_floats
    to THREAD, title_others
    to THREAD, drips
    s END
title_walk:
    s 128, PAD, 10, WAIT, 129, PAD, 12, WAIT, 128, PAD, 10, WAIT, 16, PAD, 15, WAIT, 64, PAD, 15, WAIT
    s 128, PAD, 10, WAIT, 32, PAD, 20, WAIT, 64, PAD, 13, WAIT, 65, PAD, 17, WAIT
    to GO, title_walk
title_floats:
    s K_FLOAT, 36, 150, 128 + 64, SPAWN, 23, WAIT
    s K_URCHIN, 220, 140, 128 - 30, SPAWN, 20, WAIT
    to GO, title_floats
title_others:
    s K_CRAB, 90, 100, 128 + 40, SPAWN, 17, WAIT
    s K_ELMO, 170, 100, 128 - 50, SPAWN, 17, WAIT
    to CALL, petrel_left
    s 42, WAIT, 42, WAIT
    s K_CRAB, COUNT, 2, LESS
    to UNLESS, no_more
    to GO, title_others
no_more:
    s 33, WAIT
    to GO, no_more

; --- 1: the stair. Floats roll down it.

stair:
    s 1, LOOK, 2, TUNE
    to CALL, frame
    to CALL, bricks
    s 0, 31, 208, RIGHT, FLOOR          ; 0
    s 4, 30, 184, UP, FLOOR
    s 1, 27, 138, DOWN, FLOOR
    s 4, 30, 116, UP, FLOOR             ; 3
    s 1, 27, 70, DOWN, FLOOR
    s 12, 17, 48, RIGHT, FLOOR
    s 24, 1, 0, LADDER
    s 8, 2, 1, LADDER
    s 17, 2, 1, LADDER
    s 22, 3, 2, LADDER
    s 12, 3, 2, LADDER
    s 6, 4, 3, LADDER
    s 19, 4, 3, LADDER
    s 14, 5, 4, LADDER
    s 14, 24, FLASK, ITEM
    s 12, 20, FLASK, ITEM
    s 10, 12, FLASK, ITEM
    s 24, 16, LIGHT, ITEM
    s 2, 22, T_WINDOW, STAMP, 2, 22, 3, TINT
    s 16, 5, LAMP
    s 0, TOUR, LESS, 1, ADD, NEED       ; one more after the first tour
    s 30, 0, HERO
    to THREAD, stair_floats
    to THREAD, petrels
    to THREAD, stair_crab
    s END
stair_floats:
    to CALL, throw_float
    s 10, CHANCE, 7, ADD, WAIT
    to CALL, throw_float
    to CALL, pause
    to GO, stair_floats
stair_crab:
    s K_CRAB, 160, 96, 128 + 32, SPAWN
    s 42, WAIT
    s TOUR
    to UNLESS, stair_no_elmo
    s SPARK, SOUND, K_ELMO, 200, 150, 128 - 40, SPAWN
stair_no_elmo:
    to CALL, drips
    s END

; --- 2: the pumps. Belts, crabs and brine.

pumps:
    s 2, LOOK, 2, TUNE
    to CALL, frame
    s 3, DO
        s INDEX, 7, MUL, 2, ADD, 24, T_WHEEL, STAMP
    s LOOP
    s 0, 31, 208, RIGHT, FLOOR          ; 0
    s 2, 13, 176, RIGHT, FLOOR, 70, BELT
    s 18, 29, 176, RIGHT, FLOOR, 186, BELT
    s 0, 9, 144, RIGHT, FLOOR           ; 3
    s 12, 19, 144, RIGHT, FLOOR
    s 22, 31, 144, RIGHT, FLOOR
    s 4, 14, 112, RIGHT, FLOOR, 176, BELT ; 6
    s 17, 27, 112, RIGHT, FLOOR, 80, BELT
    s 2, 29, 80, RIGHT, FLOOR           ; 8
    s 12, 19, 48, RIGHT, FLOOR
    s 4, 1, 0, LADDER
    s 27, 2, 0, LADDER
    s 8, 3, 1, LADDER
    s 24, 5, 2, LADDER
    s 6, 6, 3, LADDER
    s 13, 6, 4, LADDER
    s 25, 7, 5, LADDER
    s 9, 8, 6, LADDER
    s 20, 8, 7, LADDER
    s 14, 9, 8, LADDER
    s 6, 20, FLASK, ITEM
    s 26, 20, FLASK, ITEM
    s 16, 16, FLASK, ITEM
    s 24, 8, FLASK, ITEM
    s 2, 16, LIGHT, ITEM
    s 16, 9, LAMP
    s 0, TOUR, LESS, 3, ADD, NEED
    s 128, 0, HERO
    to THREAD, pump_crabs
    to THREAD, drips
    to THREAD, pump_floats
    s END
pump_crabs:
    s 3, DO
        s K_CRAB, INDEX, 70, MUL, 20, ADD, 70, 128 + 36, SPAWN, 5, WAIT
    s LOOP
    to CALL, pause
    s K_ELMO, COUNT, TOUR, 1, ADD, LESS
    to UNLESS, pump_idle
    s SPARK, SOUND, K_ELMO, 128, 130, 128 - 44, SPAWN
pump_idle:
    to CALL, pause
    s K_CRAB, COUNT, 3, LESS
    to UNLESS, pump_idle
    s K_CRAB, 200, 40, 128 - 40, SPAWN
    to GO, pump_idle
pump_floats:
    s 33, WAIT
    s K_FLOAT, 20, 70, 128 + 56, SPAWN, 42, WAIT
    s K_FLOAT, 236, 70, 128 - 56, SPAWN
    to CALL, pause
    to GO, pump_floats

; --- 3: the shaft of the clockwork. Lifts and bouncing urchins.

shaft:
    s 3, LOOK, 3, TUNE
    to CALL, frame
    s 12, 27, 10, 0, FILL
    s 3, DO
        s INDEX, 5, MUL, 4, ADD, 14, T_WHEEL, STAMP
    s LOOP
    s 0, 10, 208, RIGHT, FLOOR          ; 0
    s 22, 31, 208, RIGHT, FLOOR
    s 0, 6, 176, RIGHT, FLOOR           ; 2
    s 22, 31, 144, RIGHT, FLOOR
    s 0, 8, 112, RIGHT, FLOOR           ; 4
    s 22, 31, 80, RIGHT, FLOOR
    s 24, 31, 48, RIGHT, FLOOR          ; 6
    s 24, 31, 176, RIGHT, FLOOR, 196, BELT
    s 3, 2, 0, LADDER
    s 27, 3, 7, LADDER
    s 29, 5, 3, LADDER
    s 26, 6, 5, LADDER
    s 29, 7, 1, LADDER
    s 0, 20, FLASK, ITEM
    s 2, 12, FLASK, ITEM
    s 6, 12, FLASK, ITEM
    s 26, 16, FLASK, ITEM
    s 8, 24, LIGHT, ITEM
    s 28, 6, LAMP
    s 0, TOUR, LESS, 2, ADD, NEED
    s 20, 0, HERO
    s K_LIFT, 104, 160, 96, 76, 200, LAUNCH
    s K_LIFT, 152, 100, 96, 76, 200, LAUNCH
    s K_RAFT, 128, 206, 140, 104, 158, LAUNCH
    to THREAD, shaft_urchins
    to THREAD, petrels
    to THREAD, shaft_crab
    s END
shaft_urchins:
    s 10, WAIT
    s K_URCHIN, 246, 64, 128 - 48, SPAWN
    to CALL, pause
    s 10, CHANCE, 4, ADD, WAIT
    to GO, shaft_urchins
shaft_crab:
    s K_CRAB, 30, 100, 128 + 30, SPAWN
    s K_CRAB, 220, 136, 128 - 30, SPAWN
    s TOUR
    to UNLESS, shaft_no_elmo
    s SPARK, SOUND, K_ELMO, 200, 200, 128 + 40, SPAWN
shaft_no_elmo:
    s 33, WAIT
    to CALL, drip_near
    to GO, shaft_no_elmo

; --- 4: the gallery. All flasks are needed, and St Elmo's fires are about.

gallery:
    s 4, LOOK, 2, TUNE
    to CALL, frame
    to CALL, bricks
    s 0, 31, 208, RIGHT, FLOOR          ; 0
    s 2, 12, 176, RIGHT, FLOOR
    s 19, 29, 176, RIGHT, FLOOR
    s 0, 6, 144, RIGHT, FLOOR           ; 3
    s 9, 22, 144, RIGHT, FLOOR, 60, BELT
    s 25, 31, 144, RIGHT, FLOOR
    s 3, 13, 112, RIGHT, FLOOR          ; 6
    s 18, 28, 112, RIGHT, FLOOR
    s 1, 11, 80, RIGHT, FLOOR           ; 8
    s 20, 30, 80, RIGHT, FLOOR
    s 10, 21, 48, RIGHT, FLOOR          ; 10
    s 3, 1, 0, LADDER
    s 28, 2, 0, LADDER
    s 11, 4, 1, LADDER
    s 20, 4, 2, LADDER
    s 27, 5, 2, LADDER
    s 5, 3, 1, LADDER
    s 4, 6, 3, LADDER
    s 12, 6, 4, LADDER
    s 19, 7, 4, LADDER
    s 26, 7, 5, LADDER
    s 8, 8, 6, LADDER
    s 23, 9, 7, LADDER
    s 11, 10, 8, LADDER
    s 20, 10, 9, LADDER
    s 0, 16, FLASK, ITEM
    s 30, 16, FLASK, ITEM
    s 2, 8, FLASK, ITEM
    s 28, 8, FLASK, ITEM
    s 16, 16, LIGHT, ITEM
    s 16, 10, LAMP
    s 4, NEED
    s 128, 0, HERO
    s K_RAFT, 128, 176, 148, 116, 140, LAUNCH
    s K_RAFT, 128, 80, 112, 108, 148, LAUNCH
    to THREAD, gallery_elmos
    to THREAD, drips
    to THREAD, gallery_floats
    to THREAD, petrels
    s END
gallery_elmos:
    s 7, WAIT
    s TOUR, 2, ADD, DO
        s SPARK, SOUND, K_ELMO, INDEX, 60, MUL, 20, ADD, 100, 128 - 44, SPAWN, 17, WAIT
    s LOOP
gallery_more:
    to CALL, pause
    s K_ELMO, COUNT, 2, LESS
    to UNLESS, gallery_more
    s SPARK, SOUND, K_ELMO, 240, 70, 128 - 44, SPAWN
    to GO, gallery_more
gallery_floats:
    s 17, WAIT
    s K_URCHIN, 20, 60, 128 + 40, SPAWN
    to CALL, pause
    s K_FLOAT, 90, 40, 128 + 50, SPAWN
    to CALL, pause
    to GO, gallery_floats

; --- colours: four palettes of the background (floors, display, items, sea), four of sprites (Nell, glass, red, grey)
_palettes:
    .byte $0f, $31, $11, $01, $0f, $30, $10, $00, $0f, $38, $27, $17, $0f, $31, $11, $01
    .byte $0f, $37, $28, $05, $0f, $31, $2a, $0b, $0f, $38, $26, $06, $0f, $30, $10, $00
    .byte $0f, $36, $16, $06, $0f, $30, $38, $28, $0f, $38, $27, $17, $0f, $21, $11, $01
    .byte $0f, $37, $28, $05, $0f, $31, $2a, $0b, $0f, $38, $26, $06, $0f, $30, $10, $00
    .byte $0f, $3b, $1b, $0b, $0f, $30, $38, $28, $0f, $38, $27, $17, $0f, $21, $11, $01
    .byte $0f, $37, $28, $05, $0f, $31, $2c, $0c, $0f, $38, $26, $06, $0f, $30, $10, $00
    .byte $0f, $3d, $18, $08, $0f, $30, $38, $28, $0f, $38, $27, $17, $0f, $21, $11, $01
    .byte $0f, $37, $28, $05, $0f, $31, $2a, $0b, $0f, $38, $26, $06, $0f, $34, $14, $04
    .byte $0f, $34, $14, $04, $0f, $30, $38, $28, $0f, $38, $27, $17, $0f, $21, $11, $01
    .byte $0f, $37, $28, $05, $0f, $31, $2a, $0b, $0f, $38, $26, $06, $0f, $30, $10, $00
