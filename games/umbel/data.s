; Tables.

; -- Kinds of flyers: the bee, gnat, wasp, beetle, dragonfly, hornet, burr
kind_push:              ; 256ths of a pixel a frame
    .byte 7, 5, 6, 5, 7, 7, 0
kind_flap:              ; what a stroke gives, 256ths
    .byte $b8, $a0, $b0, $d0, $a8, $b8, 0
kind_rest:              ; frames between two strokes
    .byte 8, 10, 11, 14, 10, 10, 8
kind_half:
    .byte 4, 5, 6, 7, 5, 5, 4
kind_weight:            ; 256ths of a pixel a frame, each frame
    .byte 14, 11, 13, 15, 12, 13, 0
kind_colour:
    .byte 0, 2, 1, 2, 3, 3, 1
kind_tile:
    .byte P_bee_a, P_gnat_a, P_wasp_a, P_beetle_a, P_dragon_a, P_wasp_a, P_burr
drag_air = drag_on + 7
drag_on:                ; 256ths, by cell; then air
    .byte 24, 24, 24, 24, 24, 24, 12, 8

; Six rivals a level, from the title (0) on; 0: none
ROSTERS = 12
roster_start:
.repeat ROSTERS, i
    .byte i * 6
.endrepeat
rosters:
    .byte GNAT, WASP, BEETLE, DRAGON, HORNET, GNAT
    .byte GNAT, WASP, GNAT, 0, BEETLE, 0
    .byte WASP, GNAT, DRAGON, BEETLE, 0, GNAT
    .byte WASP, HORNET, GNAT, DRAGON, BEETLE, 0
    .byte BEETLE, DRAGON, WASP, GNAT, HORNET, 0
    .byte GNAT, WASP, HORNET, BEETLE, DRAGON, GNAT
    .byte DRAGON, WASP, BEETLE, HORNET, GNAT, WASP
    .byte HORNET, WASP, DRAGON, WASP, BEETLE, GNAT
    .byte BEETLE, HORNET, BEETLE, DRAGON, WASP, GNAT
    .byte HORNET, DRAGON, WASP, DRAGON, GNAT, BEETLE
    .byte HORNET, HORNET, BEETLE, DRAGON, WASP, GNAT
    .byte HORNET, DRAGON, HORNET, WASP, BEETLE, HORNET

reserve_kinds:          ; those that come later, by chance
    .byte GNAT, WASP, GNAT, BEETLE, DRAGON, WASP, HORNET, BEETLE

; -- Cells, in the order of C_...
cell_tile:
    .byte P_sky, P_fluff, P_cloud_l, P_cloud_m, P_cloud_r, P_ray_l, P_fork, P_ray_r, P_stalk, P_leaf_l, P_leaf_r
    .byte P_reed, P_reed_stem, P_sky, P_sky
    .byte P_white_l, P_white_m, P_white_r, P_pink_l, P_pink_m, P_pink_r, P_stone
cell_palette:
    .byte 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0
    .byte 1, 1, 1, 3, 3, 3, 0

row_low:                ; rows of the map; below it, and above, there is nothing
.repeat MAP_ROWS, i
    .byte <(map + i * 32)
.endrepeat
.repeat 32 - MAP_ROWS
    .byte <no_row
.endrepeat
row_high:
.repeat MAP_ROWS, i
    .byte >(map + i * 32)
.endrepeat
.repeat 32 - MAP_ROWS
    .byte >no_row
.endrepeat
no_row:
    .res 32, C_SKY

stage_table:
    .word stage_title, stage_meadow, stage_twostones, stage_ladder, stage_towers, stage_crossing, stage_storm

; -- Colours. A theme: the sky; clouds and stones; umbels; the bog; pink umbels. Title, then levels.
themes:
    .byte $0c, $00, $10, $20,  0, $0a, $1a, $30,  0, $0b, $1a, $30,  0, $0a, $15, $35
    .byte $31, $00, $10, $30,  0, $0a, $19, $30,  0, $08, $19, $30,  0, $0a, $15, $35
    .byte $21, $00, $10, $30,  0, $0b, $1a, $30,  0, $08, $18, $30,  0, $0b, $14, $34
    .byte $2c, $08, $18, $38,  0, $0b, $19, $30,  0, $0b, $1b, $30,  0, $0b, $16, $36
    .byte $36, $06, $16, $37,  0, $08, $18, $30,  0, $07, $18, $30,  0, $08, $13, $33
    .byte $03, $00, $10, $20,  0, $0c, $1b, $30,  0, $0c, $1c, $30,  0, $0c, $16, $26
    .byte $01, $00, $10, $20,  0, $0a, $1a, $3a,  0, $0c, $11, $30,  0, $0a, $14, $24
    .byte $00, $0c, $1c, $10,  0, $0b, $1b, $20,  0, $0b, $1b, $30,  0, $0b, $15, $25
sprite_colours:
    .byte 0, $0f, $28, $30,  0, $0f, $16, $38,  0, $0f, $1a, $3a,  0, $0f, $22, $32

; -- Texts, tiles for the bog
points_table:           ; packed decimals
    .word $0050, $0100, $0200, $0400, $0800

text_frame:
    .byte "000000 HI 000000 STAGE 00 ", P_heart, "3"
message_table:
    .word text_status, text_start, text_hint, text_ready, text_fallen
    .word text_cleared, text_over, text_pause, text_dusk
text_status:
    .byte "FOES 00 LIGHT 00  FUZZ      "
text_start:
    .byte "        PRESS START         "
text_hint:
    .byte " STRIKE FROM ABOVE AND TUCK "
text_ready:
    .byte "     SPREAD YOUR WINGS      "
text_fallen:
    .byte "    THE BOG HAS A GUEST     "
text_cleared:
    .byte "  THE MEADOW IS YOURS AGAIN "
text_over:
    .byte "     THE LAST BEE FELL      "
text_pause:
    .byte "         - PAUSE -          "
text_dusk:
    .byte "  DUSK - THEY GROW ANGRY    "
