; Tables.

; -- Levels
line_y:                 ; where feet stand
    .byte 72, 120, 168, 216
level_row:              ; where its 32 columns begin, in plank, sway, above, and in the lines of text
    .byte 0, 32, 64, 96
level_upper:            ; the row of tiles above its planks
    .byte 8, 14, 20, 26
line_row:
    .byte 12, 18, 24
band_of:                ; the level at or below height - 1, in eighths; 4: below the floor
    .byte 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2
    .byte 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4
sway_height:            ; of a plank, by the steps it still sways
    .byte 0, 0, 1, 1, 2, 2, 2, 1, 1

; Layouts: three levels of 32 columns; 1 is a plank.
LAYOUTS = 5
layouts:
    .byte %11111111, %11110000, %00001111, %11111111
    .byte %11110000, %11111111, %11111111, %00001111
    .byte %11111111, %11100000, %00000111, %11111111

    .byte %11111110, %00111111, %11111100, %01111111
    .byte %00001111, %11111111, %11111111, %11110000
    .byte %11111100, %01111111, %11111110, %00111111

    .byte %11111111, %10000111, %11100001, %11111111
    .byte %11111000, %01111111, %11110000, %11111111
    .byte %00111111, %11100000, %01111111, %11100000

    .byte %11111111, %11111100, %00111111, %11111111
    .byte %00011111, %10000111, %11100001, %11110000
    .byte %11111000, %11111111, %11111111, %00011111

    .byte %11111110, %00111111, %11111100, %01111111
    .byte %11000111, %11100111, %11100111, %11100011
    .byte %01111111, %11000011, %11000011, %11111110

style_plank:
    .byte T_plank0, T_plank1, T_plank2, T_plank3
walls:                  ; four by four tiles a style
    .byte T_wall0, T_wall0, T_wall0 + 1, T_wall0 + 1, T_wall0 + 2, T_wall0, T_wall0, T_wall0 + 3
    .byte T_wall0, T_wall0, T_wall0 + 2, T_wall0, T_wall0 + 3, T_wall0 + 1, T_wall0, T_wall0
    .byte T_wall1, T_wall1 + 1, T_wall1, T_wall1 + 3, T_wall1 + 1, T_wall1, T_wall1 + 2, T_wall1
    .byte T_wall1, T_wall1 + 3, T_wall1, T_wall1 + 1, T_wall1 + 2, T_wall1, T_wall1 + 1, T_wall1
    .byte T_wall2, T_wall2 + 1, T_wall2, T_wall2, T_wall2 + 2, T_wall2, T_wall2, T_wall2 + 3
    .byte T_wall2, T_wall2, T_wall2 + 2, T_wall2, T_wall2, T_wall2 + 3, T_wall2, T_wall2 + 1
    .byte T_wall3, T_wall3 + 1, T_wall3 + 3, T_wall3 + 1, T_wall3 + 3, T_wall3 + 1, T_wall3, T_wall3 + 1
    .byte T_wall3 + 2, T_wall3 + 1, T_wall3 + 3, T_wall3 + 1, T_wall3 + 3, T_wall3 + 1, T_wall3 + 2, T_wall3 + 1

; -- Rows
.enum
    R_WALL
    R_WINDOW
    R_HOLE
    R_LOGO
    R_LABELS
    R_VALUES
    R_LINE
    R_UPPER
    R_PLANK
    R_GROUND
    R_ATTR
    R_PAL
    R_BLANK
.endenum
RTS_TABLE compose_lo, compose_hi, \
    compose_wall, compose_window, compose_hole, compose_logo, compose_labels, compose_values, compose_line, \
    compose_upper, compose_plank, compose_ground, compose_attributes, compose_palette, compose_blank
row_title:
    .byte R_BLANK, R_LOGO, R_LOGO, R_LOGO, R_LOGO, R_LOGO, R_WINDOW, R_WINDOW, R_UPPER, R_PLANK, R_WALL
    .byte R_WALL, R_LINE, R_WALL, R_UPPER, R_PLANK, R_WALL, R_WALL, R_LINE, R_WALL, R_UPPER, R_PLANK
    .byte R_WALL, R_WALL, R_LINE, R_HOLE, R_UPPER, R_PLANK, R_GROUND, R_GROUND, R_ATTR, R_ATTR, R_PAL
row_house:
    .byte R_BLANK, R_LABELS, R_BLANK, R_VALUES, R_WALL, R_WALL, R_WINDOW, R_WINDOW, R_UPPER, R_PLANK, R_WALL
    .byte R_WALL, R_LINE, R_WALL, R_UPPER, R_PLANK, R_WALL, R_WALL, R_LINE, R_WALL, R_UPPER, R_PLANK
    .byte R_WALL, R_WALL, R_LINE, R_HOLE, R_UPPER, R_PLANK, R_GROUND, R_GROUND, R_ATTR, R_ATTR, R_PAL
row_address_lo:
    .byte $00, $20, $40, $60, $80, $a0, $c0, $e0, $00, $20, $40, $60, $80, $a0, $c0, $e0
    .byte $00, $20, $40, $60, $80, $a0, $c0, $e0, $00, $20, $40, $60, $80, $a0, $c0, $e0
    .byte $00
row_address_hi:
    .byte $20, $20, $20, $20, $20, $20, $20, $20, $21, $21, $21, $21, $21, $21, $21, $21
    .byte $22, $22, $22, $22, $22, $22, $22, $22, $23, $23, $23, $23, $23, $23, $23, $23
    .byte $3f
labels:
    .byte "  SCORE   BEST  HOB WV STAMP IN "
logo:
    .byte %00111001, %00101001, %01110010, %01001110
    .byte %00100101, %00101111, %01001010, %01010000
    .byte %00111001, %00101111, %01110010, %01001100
    .byte %00101001, %00101001, %01000010, %01000010
    .byte %00100100, %11001001, %01000001, %10011100
attributes:             ; eight lines of the title, eight of the house: palettes of two rows of blocks
    .byte $00, $50, $5a, $a5, $55, $5a, $f5, $0f
    .byte $00, $55, $5a, $a5, $55, $5a, $f5, $0f
colours:                ; texts, walls, planks, floor
    .byte $0f, $06, $27, $30, $0f, $07, $17, $37, $0f, $07, $17, $27, $0f, $07, $17, $37
    .byte $0f, $02, $27, $30, $0f, $01, $11, $31, $0f, $00, $10, $30, $0f, $00, $10, $31
    .byte $0f, $09, $27, $30, $0f, $09, $19, $39, $0f, $08, $28, $38, $0f, $09, $1a, $3a
    .byte $0f, $05, $27, $30, $0f, $04, $14, $34, $0f, $05, $15, $35, $0f, $04, $24, $35
sprite_colours:         ; the hob; red, blue, yellow ones
    .byte $0f, $17, $2a, $37, $0f, $06, $16, $36, $0f, $02, $21, $30, $0f, $07, $27, $38

; -- Kinds of objects
;           free  hob burr cricket kettle puff mole thimble steam cinder wave points jar
kind_colour:
    .byte     0,   0,   1,     3,     2,   2,   3,      3,    2,     1,   3,     2,   3
kind_pace:
    .byte     0,   0,  38,    64,    42,  34,  40,     64,  110,    72, 192,     0,   0
kind_walks:
    .byte     0,   0,   1,     1,     1,   1,   1,      0,    0,     0,   0,     0,   0
kind_pic:
    .byte P_none, P_hob_stand, P_burr_a, P_cricket_sit, P_kettle_a, P_puff_a, P_mole_a
RTS_TABLE birth_lo, birth_hi, \
    object_end, hob_birth, burr_birth, cricket_birth, kettle_birth, puff_birth, mole_birth, thimble_birth, \
    steam_birth, cinder_birth, wave_birth, points_birth, jar_birth
RTS_TABLE struck_lo, struck_hi, \
    object_end, hob_struck, guest_struck, guest_struck, kettle_struck, puff_struck, guest_struck, \
    thimble_struck, object_resume, cinder_struck, object_resume, object_resume, object_resume
RTS_TABLE go_lo, go_hi, object_end, hob_stand, burr_go, cricket_go, kettle_go, puff_go, mole_go
RTS_TABLE meet_lo, meet_hi, \
    meet_none, meet_none, meet_guest, meet_guest, meet_guest, meet_guest, meet_guest, thimble_taken, meet_harm, \
    meet_harm, meet_none, meet_none, jar_taken
RTS_TABLE shape_lo, shape_hi, \
    shape_none, shape_hob, shape_whole, shape_whole, shape_whole, shape_whole, shape_whole, shape_whole, \
    shape_whole, shape_whole, shape_whole, shape_flat, shape_whole
corner_x:
    .byte 0, 8, 0, 8
corner_y:
    .byte 0, 0, 8, 8

; -- The hob
RTS_TABLE steer_lo, steer_hi, steer_none, steer_right, steer_left, steer_none
hob_gait:
    .byte P_hob_walk, P_hob_step, P_hob_stand, P_hob_step
pad_open:               ; the hob obeys the pad, by state
    .byte 0, 0, $ff, $ff, 0, 0, 0

; -- Guests and things
window_x:
    .byte 8, 232
window_dir:
    .byte 0, $40
bob:                    ; how a puff floats
    .byte 8, 9, 10, 11, 11, 10, 9, 8
arc:                    ; how a cinder flies
    .byte 4, 6, 10, 16, 22, 27, 30, 32, 32, 30, 27, 22, 16, 10, 6, 4
throw_tens:
    .byte 8, 16, 32, 64, 128
jar_x:
    .byte 48, 192, 16, 120, 224, 64, 176, 120, 40, 200
jar_y:
    .byte 72, 72, 120, 116, 120, 168, 168, 70, 214, 214

; -- Waves: who comes, in turn; first the title's guests. The second and each third from there on are bonus waves. From the last
; one on they stay the same, but faster.
ROSTERS = 14
roster_start:
    .byte roster_0 - rosters, roster_1 - rosters, 0, roster_3 - rosters, roster_4 - rosters, 0, roster_6 - rosters
    .byte roster_7 - rosters, 0, roster_9 - rosters, roster_10 - rosters, 0, roster_12 - rosters, roster_13 - rosters
rosters:
roster_0:  .byte BURR, PUFF, KETTLE, CRICKET, MOLE, BURR, 0
roster_1:  .byte BURR, CRICKET, BURR, KETTLE, 0
roster_3:  .byte BURR, PUFF, KETTLE, MOLE, CRICKET, 0
roster_4:  .byte MOLE, CRICKET, PUFF, BURR, KETTLE, 0
roster_6:  .byte PUFF, MOLE, CRICKET, BURR, KETTLE, 0
roster_7:  .byte KETTLE, MOLE, PUFF, CRICKET, BURR, 0
roster_9:  .byte CRICKET, KETTLE, MOLE, PUFF, BURR, MOLE, 0
roster_10: .byte KETTLE, MOLE, PUFF, CRICKET, BURR, MOLE, 0
roster_12: .byte MOLE, MOLE, CRICKET, KETTLE, PUFF, BURR, 0
roster_13: .byte KETTLE, CRICKET, MOLE, PUFF, BURR, CRICKET, MOLE, 0

; -- Texts: the column, the letters, $80.
.enum
    TXT_BEST
    TXT_START
    TXT_HINTS
    TXT_HINT1
    TXT_HINT2
    TXT_HINT3
    TXT_WAVE
    TXT_JARS
    TXT_WORK
    TXT_PAUSE
    TXT_TIME
    TXT_CLEAR
    TXT_CATCH
    TXT_PERFECT
    TXT_OVER
    TXT_RECORD
.endenum
text_at:
    .byte text_best - texts, text_start - texts, text_hints - texts
    .byte text_hint1 - texts, text_hint2 - texts, text_hint3 - texts, text_wave - texts
    .byte text_jars - texts, text_work - texts, text_pause - texts, text_time - texts
    .byte text_clear - texts, text_catch - texts, text_perfect - texts, text_over - texts
    .byte text_record - texts
texts:
text_best: .byte 11, "BEST      0", $80
text_start: .byte 11, "PRESS START", $80
text_hints: .byte 9, "KNOCK THEM OVER", $80
text_hint1: .byte 11, "FROM BELOW", $80
text_hint2: .byte 12, "THEN KICK", $80
text_hint3: .byte 12, "THEM OUT", $80
text_wave: .byte 13, "WAVE", $80
text_jars: .byte 12, "TEN JARS", $80
text_work: .byte 9, "OUT WITH THEM!", $80
text_pause: .byte 14, "PAUSE", $80
text_time: .byte 12, "TIME", $80
text_clear: .byte 12, "ALL QUIET", $80
text_catch: .byte 9, "THROWN OUT", $80
text_perfect: .byte 12, "ALL TEN!", $80
text_over: .byte 12, "GAME OVER", $80
text_record: .byte 12, "NEW BEST", $80

; -- Chance
mix:
    .byte $81, $53, $32, $3d, $31, $d2, $f0, $1d, $4a, $79, $f3, $8e, $9c, $3c, $25, $f4
    .byte $a1, $a9, $80, $00, $d9, $47, $07, $d5, $7f, $2c, $ca, $d0, $30, $ff, $e8, $63

; -- Effects, by rank
.enum
    FX_TICK
    FX_HOP
    FX_KNOCK
    FX_CINDER
    FX_PUFF
    FX_TIP
    FX_BOIL
    FX_PICK
    FX_JAR
    FX_THROW
    FX_STAMP
    FX_HURRY
    FX_LIFE
    FX_START
    FX_CAUGHT
.endenum
effect_lo:
    .byte <(fx_tick - 1), <(fx_hop - 1), <(fx_knock - 1), <(fx_cinder - 1), <(fx_puff - 1)
    .byte <(fx_tip - 1), <(fx_boil - 1), <(fx_pick - 1)
    .byte <(fx_jar - 1), <(fx_throw - 1), <(fx_stamp - 1), <(fx_hurry - 1), <(fx_life - 1)
    .byte <(fx_begin - 1), <(fx_caught - 1)
effect_hi:
    .byte >(fx_tick - 1), >(fx_hop - 1), >(fx_knock - 1), >(fx_cinder - 1), >(fx_puff - 1)
    .byte >(fx_tip - 1), >(fx_boil - 1), >(fx_pick - 1)
    .byte >(fx_jar - 1), >(fx_throw - 1), >(fx_stamp - 1), >(fx_hurry - 1), >(fx_life - 1)
    .byte >(fx_begin - 1), >(fx_caught - 1)
arpeggio:               ; low bytes of periods
    .byte $d5, $a9, $8e, $6a, $54, $46, 0

; -- The line of values
RTS_TABLE value_lo, value_hi, \
    value_score, value_lives, value_wave, value_stamps, value_clock, value_best, value_guests, value_score
