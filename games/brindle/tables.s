; Tables. For the RTS trick the addresses less one, for JMP (vec) the addresses themselves.

; -- What to do
.define MODES mode_title - 1, mode_card - 1, mode_play - 1, mode_hurt - 1, mode_bell - 1, mode_over - 1
mode_lo:
    .lobytes MODES
mode_hi:
    .hibytes MODES
.define TOKENS token_dict - 1, token_dict - 1, token_dict - 1, token_dict - 1, token_again - 1, token_copy - 1, token_patch - 1, token_literal - 1
token_ways_lo:
    .lobytes TOKENS
token_ways_hi:
    .hibytes TOKENS
; OPEN SOLID ONE_WAY UPHILL DOWNHILL THORNS FOOD WOODEN SPRINGY STONES
.define TOUCHES touch_nothing - 1, touch_nothing - 1, touch_nothing - 1, touch_nothing - 1, touch_nothing - 1, touch_thorns - 1, touch_clover - 1, touch_nothing - 1, touch_nothing - 1, touch_cairn - 1
touch_lo:
    .lobytes TOUCHES
touch_hi:
    .hibytes TOUCHES
.define FIELDS field_score - 1, field_best - 1, field_level - 1, field_meters - 1
field_lo:
    .lobytes FIELDS
field_hi:
    .hibytes FIELDS
.define COMMANDS command_wait, command_some, command_slide, command_climb, command_run, command_look, command_goto, command_loop, command_near, command_pose, command_spiny, command_landed, command_seed
command_lo:
    .lobytes COMMANDS
command_hi:
    .hibytes COMMANDS

; -- Kinds: CRAB GULL FROG HOG BAT BOULDER ADDER FERRY LIFT ROTTEN SEED PUFF TUMBLER
.define KINDS kind_crab, kind_gull, kind_hopper, kind_hopper, kind_bat, kind_boulder, kind_adder, kind_board, kind_board, kind_rotten, kind_seed, kind_puff, kind_tumbler
kind_lo:
    .lobytes KINDS
kind_hi:
    .hibytes KINDS
.define SHAPES shape_beast, shape_beast, shape_beast, shape_beast, shape_beast, shape_boulder, shape_beast, shape_board, shape_board, shape_board, shape_small, shape_small, shape_tumbler
shape_lo:
    .lobytes SHAPES
shape_hi:
    .hibytes SHAPES
.define SCRIPTS 0, script_gull, script_frog, script_hog, 0, 0, script_adder, script_ferry, script_lift, 0, 0, 0
script_lo:
    .lobytes SCRIPTS
script_hi:
    .hibytes SCRIPTS
first_pose:
    .byte T_crab_a, T_gull_a, T_frog_a, T_hog_a, T_bat_a, T_boulder, T_adder_a, T_board, T_board, T_rotten, T_seed, T_puff_a
first_spiny:            ; 1: hooves do not hurt it, 2: horns do not
    .byte 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0
first_time:
    .byte 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 90, 16
kind_look:              ; palette
    .byte 1, 3, 2, 0, 3, 3, 2, 0, 0, 1, 1, 3, 0
chain_points:
    .byte 5, 10, 20, 40, 80
slope_pull_lo:          ; uphill (to the right), downhill
    .byte <-8, 5
slope_pull_hi:
    .byte $ff, 0

; -- The goat
; on ground, on ice, in the air
push:
    .byte 24, 14, 18
turn:
    .byte 64, 24, 36
rub:
    .byte 36, 6, 4
top_lo:                 ; walking, running
    .byte <$0180, <$0280
top_hi:
    .byte >$0180, >$0280
jump_lo:                ; by whole pixels a frame
    .byte <$03a0, <$03c0, <$03f0
jump_hi:
    .byte >$03a0, >$03c0, >$03f0
weight:                 ; rising while A is held, else
    .byte 32, 88
lead:                   ; looking right, looking left
    .byte 96, 136
goat_look:
    .byte $00, $40
stride_speed:
    .byte 12, 20, 32
walk_poses:
    .byte T_goat_stand, T_goat_walk, T_goat_run, T_goat_walk
butt_poses:
    .byte T_goat_butt, T_goat_run, T_goat_butt, T_goat_run

; -- Cells, in the order of the pictures
meaning:
    .byte OPEN, SOLID, UPHILL, DOWNHILL, SOLID, SOLID, UPHILL, DOWNHILL, SOLID, SOLID, UPHILL, DOWNHILL
    .byte SOLID, ONE_WAY, WOODEN, SPRINGY, THORNS, FOOD, STONES, STONES, OPEN, OPEN, OPEN, OPEN
    .byte OPEN, OPEN, OPEN, OPEN, OPEN, OPEN, OPEN, OPEN, OPEN
colours:
    .byte 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1
    .byte 1, 3, 3, 2, 2, 2, 3, 3, 3, 3, 0, 0
    .byte 2, 3, 2, 1, 3, 3, 2, 0, 0
    .res 31, 0          ; what is below the picture has no colour
row_lo:
.repeat ROWS, i
    .byte <(ring + 32 * i)
.endrepeat
row_hi:
.repeat ROWS, i
    .byte >(ring + 32 * i)
.endrepeat
pair_row_lo:
.repeat 7, i
    .byte <(ring + 64 * i)
.endrepeat
pair_row_hi:
.repeat 7, i
    .byte >(ring + 64 * i)
.endrepeat
cell_row_lo:
.repeat ROWS, i
    .byte <($2080 + 64 * i)
.endrepeat
cell_row_hi:
.repeat ROWS, i
    .byte >($2080 + 64 * i)
.endrepeat

; -- Sprites
tile_orders:            ; left column (upper, lower), right column, from bit 0 on: plain, mirrored, upside down, both
    .byte %11011000, %10001101, %01110010, %00100111
quarter_turns:
    .byte $00, $40, $c0, $80
drift_tiles:
    .byte T_drift, T_drift_leaf, T_drift_dust, T_drift_wind, T_drift_snow
drift_looks:            ; some behind the scenery
    .byte $23, $02, $23, $23, $03
drift_depths:           ; share of the camera's way, 256ths
    .byte 40, 72, 104, 136, 168, 200, 232, 255
drift_wind:
    .byte <-1, <-2, 0, <-6, <-1
drift_fall:
    .byte 20, 110, 40, 30, 130

; -- Colours, by theme: bar (and water, clouds), ground, plants, things
theme_colours:
    .byte $21, $0f, $11, $30,  $21, $07, $27, $37,  $21, $0b, $1a, $2a,  $21, $07, $17, $37
    .byte $1c, $0f, $2c, $30,  $1c, $07, $17, $29,  $1c, $0b, $1a, $29,  $1c, $07, $17, $37
    .byte $0f, $0f, $13, $30,  $0f, $01, $03, $13,  $0f, $0b, $1a, $2b,  $0f, $0c, $2c, $3c
    .byte $31, $0f, $21, $30,  $31, $08, $00, $3a,  $31, $0b, $19, $29,  $31, $07, $27, $37
    .byte $02, $0f, $11, $30,  $02, $01, $21, $30,  $02, $0c, $1b, $30,  $02, $07, $17, $37
sprite_colours:
    .byte $21, $0f, $17, $38,  $21, $0f, $16, $37,  $21, $0f, $1a, $39,  $21, $0f, $10, $30
