; Tables.

; -- Jump tables. For JMP (vec) the addresses themselves, for the RTS trick one less.
state_lo:
    .byte <state_grow, <state_title, <state_ready, <state_play
    .byte <state_caught, <state_cleared, <state_over
state_hi:
    .byte >state_grow, >state_title, >state_ready, >state_play
    .byte >state_caught, >state_cleared, >state_over
hud_lo:
    .byte <hud_score, <hud_glow, <hud_embers, <hud_night
    .byte <hud_level, <hud_message, <hud_lantern, <hud_hiscore
hud_hi:
    .byte >hud_score, >hud_glow, >hud_embers, >hud_night
    .byte >hud_level, >hud_message, >hud_lantern, >hud_hiscore

; by mode: M_DEN, M_HUNT, M_DAZED, M_PERCH, M_ALERT, M_SWOOP
mode_lo:
    .byte <(mode_den - 1), <(mode_hunt - 1), <(mode_dazed - 1), <(mode_perch - 1)
    .byte <(mode_alert - 1), <(mode_swoop - 1)
mode_hi:
    .byte >(mode_den - 1), >(mode_hunt - 1), >(mode_dazed - 1), >(mode_perch - 1)
    .byte >(mode_alert - 1), >(mode_swoop - 1)

; by kind; owls do not walk, so that fleeing has their place
CHOOSE_FLEE = OWL
CHOOSE_WANDER = 5
choose_lo:
    .byte <(choose_moth - 1), <(choose_beetle - 1), <(choose_slug - 1), <(choose_hound - 1)
    .byte <(choose_flee - 1), <(choose_wander - 1)
choose_hi:
    .byte >(choose_moth - 1), >(choose_beetle - 1), >(choose_slug - 1), >(choose_hound - 1)
    .byte >(choose_flee - 1), >(choose_wander - 1)

; by cell: what it means in a packed maze...
place_lo:
    .byte <(place_nothing - 1), <(place_ember - 1), <(place_nothing - 1), <(place_nothing - 1)
    .byte <(place_gate - 1), <(place_gate - 1), <(place_start - 1), <(place_den - 1)
    .byte <(place_nothing - 1), <(place_gate - 1), <(place_gate - 1), <(place_moon - 1)
place_hi:
    .byte >(place_nothing - 1), >(place_ember - 1), >(place_nothing - 1), >(place_nothing - 1)
    .byte >(place_gate - 1), >(place_gate - 1), >(place_start - 1), >(place_den - 1)
    .byte >(place_nothing - 1), >(place_gate - 1), >(place_gate - 1), >(place_moon - 1)
; ...and to a wisp that enters it
touch_lo:
    .byte <(touch_nothing - 1), <(touch_ember - 1), <(touch_lantern - 1), <(touch_bell - 1)
    .byte <(touch_nothing - 1), <(touch_nothing - 1), <(touch_nothing - 1), <(touch_nothing - 1)
    .byte <(touch_nothing - 1), <(touch_nothing - 1), <(touch_nothing - 1), <(touch_nothing - 1)
    .byte <(touch_moon - 1), <(touch_nothing - 1), <(touch_nothing - 1)
touch_hi:
    .byte >(touch_nothing - 1), >(touch_ember - 1), >(touch_lantern - 1), >(touch_bell - 1)
    .byte >(touch_nothing - 1), >(touch_nothing - 1), >(touch_nothing - 1), >(touch_nothing - 1)
    .byte >(touch_nothing - 1), >(touch_nothing - 1), >(touch_nothing - 1), >(touch_nothing - 1)
    .byte >(touch_moon - 1), >(touch_nothing - 1), >(touch_nothing - 1)

; -- Cells
cell_tile:
    .byte T_path, T_ember, T_lantern, T_bell, T_gate_open, T_gate_open, T_path, T_path
    .byte T_hedge_inner, T_gate_shut, T_gate_shut, T_moon_shut, T_moon_open, T_lit, T_spent
cell_colour:            ; by the low four bits, since slime has the path's colours
    .byte 2, 2, 3, 3, 3, 3, 2, 2
    .byte 1, 3, 3, 3, 3, 3, 3
gate_swap:              ; only the four gates are ever looked up
    .byte 0, 0, 0, 0, C_SHUT_A, C_SHUT_B, 0, 0, 0, C_OPEN_A, C_OPEN_B
row_lo:
    .byte $80, $c0, $00, $40, $80, $c0, $00, $40, $80, $c0, $00, $40, $80
row_hi:
    .byte $20, $20, $21, $21, $21, $21, $22, $22, $22, $22, $23, $23, $23

; -- Directions: up, right, down, left
step_lo:
    .byte $ff, $10, $01, $f0
push_x:
    .byte 0, 1, 0, $ff
push_xh:
    .byte 0, 0, 0, $ff
push_y:
    .byte $ff, 0, 1, 0
dir_bit:
    .byte 1, 2, 4, 8
back_mask:              ; all but the opposite
    .byte $0f - 4, $0f - 8, $0f - 1, $0f - 2
pad_dir:                ; Up Down Left Right -> direction
    .byte $80, 1, 3, $80, 2, 2, 2, 2, 0, 0, 0, 0, $80, 1, 3, $80

; -- Hunters, by kind
kind_speed:
    .byte 11, 13, 6, 12, 0
kind_colour:            ; palette, by kind
    .byte 1, 2, 2, 3, 1
kind_tile:
    .byte T_moth_a, T_beetle_a, T_slug_a, T_hound_a, T_owl_fly_a
anim_mask:
    .byte 4, 8, 16, 8, 8
den_wait:               ; frames until each leaves its den
    .byte 50, 90, 130, 170, 210, 250

; six hunters a level, from the title (0) on
ROSTERS = 9
roster_start:
    .byte 0, 6, 12, 18, 24, 30, 36, 42, 48
rosters:
    .byte MOTH, BEETLE, SLUG, HOUND, OWL, NOBODY
    .byte BEETLE, MOTH, SLUG, NOBODY, NOBODY, NOBODY
    .byte HOUND, BEETLE, OWL, SLUG, NOBODY, NOBODY
    .byte MOTH, HOUND, OWL, SLUG, NOBODY, NOBODY
    .byte HOUND, OWL, MOTH, SLUG, BEETLE, NOBODY
    .byte OWL, HOUND, MOTH, HOUND, SLUG, NOBODY
    .byte MOTH, HOUND, OWL, SLUG, MOTH, BEETLE
    .byte HOUND, MOTH, OWL, OWL, SLUG, HOUND
    .byte HOUND, MOTH, OWL, OWL, HOUND, MOTH

; -- Levels
LANTERN_LEVELS = 8
lantern_time:
    .byte 0, 240, 220, 200, 180, 160, 140, 120
QUOTAS = 8
quota:                  ; 256ths of the maze's embers
    .byte 0, 104, 118, 132, 146, 160, 176, 192
MAZES = 6
maze_lo:
    .byte <maze_title, <maze_ferngate, <maze_thornwheel, <maze_mossrun
    .byte <maze_brackenhall, <maze_rootwell, <maze_lanternmere
maze_hi:
    .byte >maze_title, >maze_ferngate, >maze_thornwheel, >maze_mossrun
    .byte >maze_brackenhall, >maze_rootwell, >maze_lanternmere

; -- Colours
pal_base:
    .byte $0f, $30, $28, $1a,  $0f, $0f, $0f, $0f,  $0f, $0f, $16, $38,  $0f, $0f, $10, $28
    .byte $0f, $12, $2c, $30,  $0f, $07, $27, $38,  $0f, $03, $23, $34,  $0f, $16, $26, $38
pal_slot:               ; which of the theme's colours goes there, $ff: none
    .byte $ff, $ff, $ff, $ff,  $ff, $00, $01, $02,  $ff, $03, $ff, $ff,  $ff, $03, $ff, $ff
    .byte $ff, $ff, $ff, $ff,  $ff, $ff, $ff, $ff,  $ff, $ff, $ff, $ff,  $ff, $ff, $ff, $ff
themes:                 ; hedge dark, middle, light; ground. By maze, then frost.
    .byte $0b, $1b, $2b, $01
    .byte $0a, $1a, $2a, $08
    .byte $07, $17, $27, $0c
    .byte $0c, $1c, $2c, $08
    .byte $04, $14, $24, $01
    .byte $08, $18, $28, $04
    .byte $02, $12, $22, $0b
    .byte $01, $11, $31, $0c
THEME_FROST = 7

; -- Motes, by theme: pixels blown, speed of fall in 256ths of a pixel, palette
mote_wind:
    .byte 1, 2, 3, 1, 2, 1, 4
mote_fall:
    .byte 60, 70, 110, 40, 80, 50, 150
mote_colour:
    .byte 0, 2, 1, 0, 2, 1, 0

; -- Sprites
ring_x:                 ; the flare's sparks, as numbers of offsets
    .byte 4, 3, 2, 1, 0, 1, 2, 3
ring_y:
    .byte 2, 3, 4, 3, 2, 1, 0, 1
sway:
    .byte 3, 5, 6, 6, 5, 3, 2, 2

; -- Display
display_line:
    .byte "000000 NIGHT 00 ", T_icon_wisp, "0 HI 000000"
messages:
    .byte T_icon_ember, " 00 ", T_icon_moon, " 000 GLOW          ", T_icon_lantern, "00"
    .byte "        PRESS START         "
    .byte "                            "
    .byte "           PAUSE            "
    .byte "  THE DARK HAS CAUGHT YOU   "
    .byte "   THE LAST LIGHT IS OUT    "
    .byte " THE MOON GATE TAKES YOU IN "
    .byte "GATHER EMBERS - FLEE SHADOWS"
    .byte "  A GARDEN WITHOUT A NAME   "
    .byte "          FERNGATE          "
    .byte "         THORNWHEEL         "
    .byte "          MOSSRUN           "
    .byte "        BRACKEN HALL        "
    .byte "          ROOTWELL          "
    .byte "        LANTERN MERE        "
