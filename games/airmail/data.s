; Tables.

.macro POINTERS low, high, p0, p1, p2, p3, p4, p5, p6
low:
    .lobytes p0, p1, p2, p3
.ifnblank p4
    .lobytes p4, p5
.endif
.ifnblank p6
    .lobytes p6
.endif
high:
    .hibytes p0, p1, p2, p3
.ifnblank p4
    .hibytes p4, p5
.endif
.ifnblank p6
    .hibytes p6
.endif
.endmacro

POINTERS state_lo, state_hi, state_title, state_ready, state_play, state_hurt, state_done, state_over
POINTERS pmode_lo, pmode_hi, keeper_floor, keeper_climb, keeper_fall, keeper_stunned
POINTERS cmode_lo, cmode_hi, crab_walk, crab_climb, crab_stunned, crab_away
POINTERS mmode_lo, mmode_hi, mail_falling, mail_afloat, mail_resting, mail_carried
gmode_lo:
    .lobytes gull_away, gull_hunt, gull_flee
gmode_hi:
    .hibytes gull_away, gull_hunt, gull_flee

; -- Rows of the picture. After the 30 of tiles come palette and attributes.
.enum ; ORDER ROW (compose_lo, compose_hi)
    ROW_UPPER
    ROW_LOWER
    ROW_SEA
    ROW_DEEP
    ROW_DISPLAY
    ROW_MESSAGE
    ROW_PALETTE
    ROW_ATTRIBUTES
.endenum
compose_lo:
    .lobytes compose_upper, compose_lower, compose_sea, compose_deep
    .lobytes compose_display, compose_message, compose_palette, compose_attributes
compose_hi:
    .hibytes compose_upper, compose_lower, compose_sea, compose_deep
    .hibytes compose_display, compose_message, compose_palette, compose_attributes
PALETTE = 30
ATTRIBUTES = 31
row_kind:
    .byte 0, 0, ROW_DISPLAY, ROW_MESSAGE
.repeat 11
    .byte ROW_UPPER, ROW_LOWER
.endrepeat
    .byte ROW_SEA, ROW_SEA, ROW_DEEP, ROW_DEEP, ROW_PALETTE, ROW_ATTRIBUTES, ROW_ATTRIBUTES
; The display is drawn a row higher than its place in this list, and the message where it belongs: a row of sky keeps them apart.
row_addr_lo:
    .byte $00, $40, $20
.repeat 27, i
    .byte <($2060 + 32 * i)
.endrepeat
    .byte $00, $c0, $e0
row_addr_hi:
.repeat 30, i
    .byte >($2000 + 32 * i)
.endrepeat
    .byte $3f, $23, $23
; The third row while a screen is built.
building:
    .byte PALETTE, ATTRIBUTES, ATTRIBUTES + 1, 26, 27, 26, 27, 26, 27, 26, 27, 26, 27, 26

; -- Cells, ORDER KIND.
cell_tiles:
    .byte T_sky, T_ladder, T_brick, T_window, T_planks, T_hatch, T_vent
    .byte T_letter_a, T_letter_i, T_letter_r, T_letter_m, T_letter_l, T_water
cell_palette:
    .byte 0, 1, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 3, 0, 0, 0

; -- Streaks of wind by class: 5 of its horizontal part by 3 of its vertical part, 0 is calm.
class_u:                ; of an eighth of wind_u
    .byte 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2
    .byte 2, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4
class_v:                ; of a sixteenth of wind_v
    .byte 0, 0, 0, 0, 0, 0, 0, 5, 5, 10, 10, 10, 10, 10, 10, 10
streaks:
    .byte T_up_w, T_up_w, T_up, T_up_e, T_up_e
    .byte T_wind_w, T_breeze_w, 0, T_breeze_e, T_wind_e
    .byte T_down_w, T_down_w, T_down, T_down_e, T_down_e

; -- Mail, by kind.
lightness:              ; how much of the difference to the wind goes away in a step, of 256
    .byte 0, 60, 34, 8, 6
weight:                 ; 1/16 pixels a step that it falls in calm air
    .byte 0, 20, 15, 36, 44
points:
    .byte 0, 2, 3, 5, 0
splashes:
    .byte 0, 12, 22, 50, 10
throws:
    .byte LETTER, LETTER, LETTER, LETTER, LETTER, LETTER, LETTER, LETTER, LETTER, PARCEL, PARCEL, PARCEL, LETTER, LETTER
    .byte PARCEL, PARCEL, HAMPER, PARCEL, LETTER, HAMPER, PARCEL, HAMPER, LETTER, HAMPER, PARCEL, HAMPER, HAMPER, PARCEL
flutter:
    .byte 2, 4, 5, 6, 5, 4, 2, 0, <-2, <-4, <-5, <-6, <-5, <-4, <-2, 0
mail_tile:
    .byte 0, 0, S_parcel, S_hamper, S_ink
letter_tile:            ; by its age, in fours
    .byte S_letter_flat, 0, 0, 0, S_letter_tilt, 0, 0, 0, S_letter_flat, 0, 0, 0, S_letter_tilt
letter_attr:
    .byte 2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, $42

; -- Poses.
keeper_pose:
    .byte S_keeper, S_keeper_climb, S_keeper_walk, S_keeper_down
crab_pose:
    .byte S_crab, S_crab, S_crab_shell, S_crab_shell

; -- The horn.
note_vx:
    .byte 6, <-6, 5, <-5
note_vy:
    .byte 0, 0, <-4, <-4
blast_u:
    .byte <-12, 0, 12, <-18, 0, 18, <-12, 0, 12
blast_v:
    .byte <-16, <-24, <-16, <-6, <-10, <-6, 8, 10, 8

; -- Messages: length and text.
message_at:
    .byte m_none - messages, m_start - messages, m_ready - messages, m_hurt - messages, m_done - messages, m_over - messages
    .byte m_hint - messages
messages:
m_none:
    .byte 0
m_start:
    .byte 10, "PUSH START"
m_ready:
    .byte 20, "HERE COMES THE MAIL!"
m_hurt:
    .byte 6, "OH NO!"
m_done:
    .byte 16, "ALL MAIL IS IN !"
m_over:
    .byte 9, "GAME OVER"
m_hint:
    .byte 20, "A - HORN  DOWN - NET"

; -- Colours: of the screens (title, pier, wreck, cliff, mill), then of sprites.
themes:
    .byte $21, $30, $31, $0f, $21, $27, $17, $07, $21, $30, $16, $06, $21, $30, $21, $12
    .byte $21, $30, $32, $0f, $21, $27, $17, $07, $21, $30, $10, $00, $21, $30, $31, $11
    .byte $2c, $30, $3c, $0f, $2c, $28, $18, $08, $2c, $30, $17, $07, $2c, $30, $2c, $1c
    .byte $26, $30, $06, $0f, $26, $38, $17, $06, $26, $37, $15, $05, $26, $30, $22, $12
    .byte $03, $31, $23, $30, $03, $27, $17, $07, $03, $38, $14, $04, $03, $31, $11, $01
sprite_colours:
    .byte $21, $0f, $28, $36, $21, $0f, $27, $16, $21, $16, $30, $0f, $21, $0f, $30, $10

; -- Screens.
screen_lo:
    .lobytes screen_title, screen_pier, screen_wreck, screen_cliff, screen_mill
screen_hi:
    .hibytes screen_title, screen_pier, screen_wreck, screen_cliff, screen_mill

; -- Effects, ORDER SFX: frames, period, what is added to it each frame, volume, noise ($400e) or 0 for a tone.
effect_len:
    .byte 0, 10, 40, 14, 40, 20, 12, 12, 30, 24, 10
effect_lo:
    .byte 0, 120, $60, 0, 200, $40, 0, 90, 100, 200, 0
effect_hi:
    .byte 0, 0, 3, 0, 0, 2, 0, 0, 0, 0, 0
effect_slide:
    .byte 0, <-6, 2, 0, 12, 8, 0, <-4, <-2, <-5, 0
effect_vol:
    .byte 0, 8, 12, 7, 10, 9, 11, 8, 9, 9, 5
effect_noise:
    .byte 0, 0, 0, 9, 0, 0, 5, 0, 0, 0, 3

; In which half of its cell the streak is: a page, by cell.
.align 256
cell_hash:
.repeat 256, i
    .byte (i * 7 + (i / 16) * 5 + (i / 3)) & 1
.endrepeat
