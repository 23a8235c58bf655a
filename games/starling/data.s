; Tables, texts, the scripts of paths and stages, songs.

.segment "RODATA"

; ORDER META (art/ground.txt): the order of the pieces of ground
META_GRASS = 0
META_FLOWERS = 1
meta_mirror:                ; turned over: banks and halves of houses change places
    .byte 0, 1, 2, 3, 4, 6, 5, 7, 8, 9, 11, 10, 13, 12, 14, 15, 16, 17, 18, 19
META_TABLES
.include "maps.inc"

TILE_ZERO = '0'

; ---- enemies, ORDER ENEMY ----

type_sprite:
    .byte 0, SPR_MOTH0, SPR_BAT0, SPR_OWL0, SPR_HAWK0, SPR_FIREFLY0
    .byte SPR_CLOUD0, SPR_CROWER0, SPR_COCK0, 0
type_shape:
    .byte 0, SHAPE_PAIR, SHAPE_PAIR, SHAPE_PAIR, SHAPE_PAIR, SHAPE_SMALL
    .byte SHAPE_PAIR, SHAPE_PAIR, SHAPE_PAIR, SHAPE_GREAT
type_palette:
    .byte 0, 1, 2, 1, 3, 3
    .byte 2, 1, 2, 0
type_hp:
    .byte 0, 1, 1, 4, 2, 2
    .byte 7, 4, 5, 36
type_growth:                ; quarter of a point for each rank
    .byte 0, 1, 1, 2, 2, 1
    .byte 3, 2, 2, 20
type_score:
    .byte 0, 3, 4, 10, 8, 10
    .byte 15, 12, 14, 120
type_rx:                    ; half size for song
    .byte 0, 11, 12, 11, 11, 8
    .byte 12, 10, 11, 19
type_ry:
    .byte 0, 11, 10, 12, 12, 9
    .byte 11, 12, 12, 18
type_body:                  ; half size for clashes
    .byte 0, 8, 8, 8, 8, 6
    .byte 8, 0, 0, 16

great_sprite:
    .byte SPR_KINGTOP, SPR_COCKTOP, SPR_EAGLETOP
great_palette:
    .byte 1, 2, 3

; ---- paths ----

; Out of the picture, whatever the way there was.
route_out:
    GO 64, 220, 200
    JUMP route_out

route_flutter:
    SWAY 26, 3, 96, 120
    SWAY 44, <-4, 120, 100
    JUMP route_out

route_arc_left:
    GO 64, 190, 44
    TURN 2, 40
    GO 144, 190, 60
    JUMP route_out
route_arc_right:
    GO 64, 190, 44
    TURN -2, 40
    GO <-16, 190, 60
    JUMP route_out

route_snake:
    GO 40, 170, 12
@wave:
    TURN 3, 16
    TURN -3, 16
    LOOP 5, @wave
    JUMP route_out

route_loop:
    GO 64, 200, 60
    TURN 4, 64
    FIRE FIRE_AIMED
    GO 64, 200, 20
    TURN -4, 64
    JUMP route_out

route_owl:
    GO 64, 128, 56
    HOVER 36, 2, 128
    FIRE FIRE_FAN
    HOVER 36, <-2, 128
    GO 64, 60, 40
    FIRE FIRE_AIMED
    JUMP route_out

route_dive:
    GO 64, 140, 50
    GO 192, 30, 24
    AIM 230, 60
    JUMP route_out

route_hawk:
    GO 64, 200, 24
    HOME 170, 3, 110
    GO 64, 240, 120
    JUMP route_out

route_stoop:
    GO 64, 80, 40
@again:
    AIM 220, 26
    GO 192, 90, 22
    FIRE FIRE_AIMED
    LOOP 3, @again
    JUMP route_out

route_orbit:
    GO 64, 150, 50
    ORBIT 34, 4, 30, 192
    AIM 180, 80
    JUMP route_out

route_swarm:
    ORBIT 50, 3, 70, 170
    JUMP route_out

route_cloud:
    GO 64, 90, 40
    SWAY 40, 1, 24, 128
    FIRE FIRE_RAIN
    SWAY 50, <-1, 24, 128
    JUMP route_out

route_ground:
    GROUND 200
    JUMP route_ground

; ---- the great birds ----

route_king:
    GO 64, 110, 70
@sway:
    HOVER 76, 2, 128
    FIRE FIRE_FAN
    HOVER 76, <-2, 64
    FIRE FIRE_AIMED
    HOVER 76, 2, 64
    FIRE FIRE_RING
    HURT 22, @angry
    JUMP @sway
@angry:
    AIM 170, 44
    FIRE FIRE_RING
    GO 192, 170, 44
    HOVER 60, 4, 64
    FIRE FIRE_FAN
    JUMP @angry

route_vane:
    GO 64, 110, 70
@turn:
    HOVER 60, 4, 64
    FIRE FIRE_SPIN
    TURN 8, 32
    FIRE FIRE_RING
    HOVER 60, <-4, 64
    FIRE FIRE_FAN
    HURT 26, @storm
    JUMP @turn
@storm:
    HOVER 80, 4, 32
    FIRE FIRE_RING
    HOVER 80, <-4, 32
    FIRE FIRE_AIMED
    AIM 120, 20
    GO 192, 120, 20
    JUMP @storm

route_eagle:
    GO 64, 110, 70
@circle:
    ORBIT 30, 4, 1, 64
    FIRE FIRE_FAN
    HOVER 70, 2, 128
    FIRE FIRE_RING
    AIM 220, 40
    GO 192, 200, 40
    HURT 30, @rage
    JUMP @circle
@rage:
    HOME 180, 2, 60
    FIRE FIRE_FAN
    GO 192, 220, 44
    HOVER 70, 4, 64
    FIRE FIRE_RING
    JUMP @rage

; ---- formations that the stages share ----

call_moths:
    WAVE EN_MOTH, 5, 50, 38, 16, route_flutter
    WAIT 120
    FROM_RANK 4, @few
    WAVE EN_MOTH, 4, 200, -40, 14, route_flutter
@few:
    WAIT 40
    BACK

call_bats:
    WAVE EN_BAT, 5, 44, 0, 12, route_arc_right
    WAIT 80
    WAVE EN_BAT, 5, 212, 0, 12, route_arc_left
    WAIT 90
    BACK

call_snakes:
    STRAY 60
    WAVE EN_BAT, 6, 90, 0, 10, route_snake
    FROM_RANK 4, @one
    WAVE EN_BAT, 6, 150, 0, 10, route_snake
@one:
    WAIT 150
    BACK

call_owls:
    ONE EN_OWL, 76, route_owl
    WAIT 40
    ONE EN_OWL, 180, route_owl
    FROM_RANK 6, @two
    ONE EN_OWL, 128, route_dive
@two:
    WAIT 170
    BACK

call_hawks:
    WAVE EN_HAWK, 3, 56, 70, 36, route_hawk
    WAIT 120
    FROM_RANK 2, @calm
    WAVE EN_HAWK, 2, 90, 76, 20, route_stoop
@calm:
    WAIT 70
    BACK

call_fireflies:
    WAVE EN_FIREFLY, 6, 128, 0, 14, route_orbit
    WAIT 90
    WAVE EN_FIREFLY, 4, 80, 28, 20, route_swarm
    WAIT 100
    BACK

call_clouds:
    ONE EN_CLOUD, 84, route_cloud
    WAVE EN_BAT, 4, 128, 0, 24, route_loop
    WAIT 60
    ONE EN_CLOUD, 172, route_cloud
    WAIT 150
    BACK

call_ground:
    WAVE EN_CROWER, 2, 60, 120, 50, route_ground
    WAIT 60
    WAVE EN_COCK, 2, 196, -130, 50, route_ground
    WAVE EN_MOTH, 4, 70, 36, 20, route_flutter
    WAIT 120
    BACK

call_rush:
    WAVE EN_BAT, 4, 60, 44, 8, route_dive
    WAVE EN_MOTH, 4, 200, -40, 10, route_swarm
    WAIT 60
    STRAY 170
    WAVE EN_HAWK, 2, 70, 110, 16, route_stoop
    WAIT 110
    BACK

; ---- stages ----

STAGES = 5

stage_script:
    .word stage_1, stage_2, stage_3, stage_4, stage_5
stage_land:
    .word land_1, land_2, land_3, land_4, land_5
stage_palette:
    .word palette_1, palette_2, palette_3, palette_4, palette_5
stage_name:
    .word name_1, name_2, name_3, name_4, name_5

stage_1:
    SPEED 128
    WAIT 60
    STRAY 90
@twice:
    CALL call_moths
    STRAY 40
    REPEAT 2, @twice
    CALL call_bats
    CALL call_ground
    STRAY 170
    CALL call_snakes
    CALL call_owls
    CALL call_fireflies
    CALL call_hawks
    STRAY 128
    CALL call_clouds
    CALL call_rush
    CALM
    SONG SONG_GREAT
    BOSS 0, route_king
    WAIT 30
    CALM
    WAIT 60
    STAGE_END

stage_2:
    SPEED 160
    SONG SONG_CHASE
    WAIT 40
@twice:
    CALL call_bats
    STRAY 60
    REPEAT 2, @twice
    CALL call_owls
    CALL call_ground
    CALL call_fireflies
    CALL call_hawks
    STRAY 190
    CALL call_rush
    CALL call_moths
    CALL call_clouds
    CALL call_snakes
    CALM
    SONG SONG_GREAT
    BOSS 1, route_vane
    WAIT 30
    CALM
    WAIT 60
    STAGE_END

stage_3:
    SPEED 144
    SONG SONG_NIGHT
    WAIT 40
@twice:
    CALL call_fireflies
    CALL call_snakes
    CALL call_hawks
    STRAY 100
    CALL call_clouds
    REPEAT 2, @twice
    CALL call_moths
    CALL call_owls
    CALL call_ground
    CALL call_rush
    CALM
    SONG SONG_GREAT
    BOSS 2, route_eagle
    WAIT 30
    CALM
    WAIT 60
    STAGE_END

stage_4:
    SPEED 192
    SONG SONG_CHASE
    WAIT 40
@twice:
    CALL call_rush
    CALL call_owls
    STRAY 140
    CALL call_moths
    CALL call_clouds
    REPEAT 2, @twice
    CALL call_ground
    CALL call_hawks
    CALL call_fireflies
    CALL call_snakes
    CALL call_bats
    CALM
    SONG SONG_GREAT
    BOSS 0, route_eagle
    WAIT 30
    CALM
    WAIT 60
    STAGE_END

stage_5:
    SPEED 224
    SONG SONG_CHASE
    WAIT 30
@twice:
    CALL call_clouds
    CALL call_hawks
    STRAY 80
    CALL call_rush
    CALL call_ground
    REPEAT 2, @twice
    CALL call_owls
    CALL call_fireflies
    CALL call_bats
    CALM
    SONG SONG_GREAT
    BOSS 2, route_vane
    WAIT 30
    CALM
    WAIT 60
    STAGE_END

; The land: chunks, + $80 turned over. $FF and an address: goes on there.
FLIP = $80
land_1:
    .byte CHUNK_MEADOW, CHUNK_ORCHARD
@again:
    .byte CHUNK_FIELDS, CHUNK_MEADOW, CHUNK_FARM, CHUNK_ORCHARD | FLIP, CHUNK_FIELDS | FLIP
    .byte CHUNK_ROAD, CHUNK_VILLAGE, CHUNK_MEADOW | FLIP, CHUNK_FARM | FLIP
    .byte $FF
    .word @again
land_2:
    .byte CHUNK_ROAD
@again:
    .byte CHUNK_VILLAGE, CHUNK_VILLAGE | FLIP, CHUNK_ROAD | FLIP, CHUNK_FARM, CHUNK_FIELDS
    .byte CHUNK_ROAD, CHUNK_VILLAGE | FLIP, CHUNK_ORCHARD
    .byte $FF
    .word @again
land_3:
    .byte CHUNK_MOUTH
@again:
    .byte CHUNK_RIVER, CHUNK_LAKE, CHUNK_BRIDGE, CHUNK_RIVER | FLIP, CHUNK_LAKE | FLIP
    .byte CHUNK_BRIDGE | FLIP, CHUNK_SPRING, CHUNK_MEADOW, CHUNK_MOUTH
    .byte $FF
    .word @again
land_4:
    .byte CHUNK_MEADOW
@again:
    .byte CHUNK_WOOD, CHUNK_PINES, CHUNK_WOOD | FLIP, CHUNK_MOUTH, CHUNK_LAKE, CHUNK_SPRING
    .byte CHUNK_PINES | FLIP, CHUNK_ORCHARD
    .byte $FF
    .word @again
land_5:
    .byte CHUNK_ROAD | FLIP
@again:
    .byte CHUNK_PINES, CHUNK_FIELDS | FLIP, CHUNK_MOUTH, CHUNK_BRIDGE, CHUNK_LAKE, CHUNK_SPRING
    .byte CHUNK_VILLAGE, CHUNK_WOOD, CHUNK_FARM | FLIP
    .byte $FF
    .word @again

; ---- colours ----

sprite_palette:
    .byte $0F, $13, $2C, $38    ; the flock
    .byte $0F, $07, $27, $37    ; warm
    .byte $0F, $02, $22, $30    ; cool
    .byte $0F, $06, $26, $38    ; fire

; meadow, water, earth and houses, woods
palette_1:
    .byte $0F, $09, $19, $28, $0F, $01, $11, $19, $0F, $07, $17, $28, $0F, $09, $0A, $1A
palette_2:
    .byte $0F, $0B, $1B, $27, $0F, $01, $11, $1B, $0F, $06, $16, $28, $0F, $0B, $0C, $1B
palette_3:
    .byte $0F, $0A, $1A, $29, $0F, $02, $11, $1A, $0F, $08, $18, $28, $0F, $0A, $0B, $2A
palette_4:
    .byte $0F, $0C, $0B, $24, $0F, $01, $11, $1B, $0F, $07, $17, $28, $0F, $0C, $0B, $1B
palette_5:
    .byte $0F, $03, $13, $23, $0F, $01, $11, $13, $0F, $07, $06, $28, $0F, $03, $0C, $1C
night_palette:
    .byte $0F, $03, $2C, $38, $0F, $08, $28, $38, $0F, $0C, $1C, $38, $0F, $00, $10, $38

; ---- texts ----

.macro TEXT row, column, text
    .byte >($2000 + row * 32 + column), <($2000 + row * 32 + column), text, 0
.endmacro

title_text:
    TEXT 9, 5, "OVER THE NIGHT COUNTRY"
    TEXT 20, 10, "PRESS START"
    .byte 0
intro_text:
    TEXT 11, 11, "STAGE"
    .byte 0
name_1:
    TEXT 13, 9, "HAY AND CLOVER"
    .byte 0
name_2:
    TEXT 13, 8, "WINDOWS ALIGHT"
    .byte 0
name_3:
    TEXT 13, 9, "THE SLOW RIVER"
    .byte 0
name_4:
    TEXT 13, 9, "NO MOON WOODS"
    .byte 0
name_5:
    TEXT 13, 8, "THE HOUR OF WIND"
    .byte 0
over_text:
    TEXT 12, 11, "GAME OVER"
    .byte 0

.macro AT row, column
    .byte >($2000 + row * 32 + column), <($2000 + row * 32 + column)
.endmacro
logo:
    AT 6, 8
    .byte 2 | $80, BIG_S, 2 | $80, BIG_T, 2 | $80, BIG_A, 2 | $80, BIG_R
    .byte 2 | $80, BIG_L, 2 | $80, BIG_I, 2 | $80, BIG_N, 2 | $80, BIG_G, 0
    AT 7, 8
    .byte 2 | $80, BIG_S + 2, 2 | $80, BIG_T + 2, 2 | $80, BIG_A + 2, 2 | $80, BIG_R + 2
    .byte 2 | $80, BIG_L + 2, 2 | $80, BIG_I + 2, 2 | $80, BIG_N + 2, 2 | $80, BIG_G + 2, 0
    .byte 0

night_rows:
    AT 1, 4
    .byte 1, TILE_STAR, 9, 0, 1, TILE_DUST, 12, 0, 1, TILE_STAR, 0
    AT 3, 9
    .byte 1, TILE_DUST, 8, 0, 1, TILE_STAR, 0
    AT 4, 26
    .byte 4 | $80, TILE_MOON_A, 0
    AT 5, 26
    .byte 4 | $80, TILE_MOON_E, 0
    AT 6, 26
    .byte 4 | $80, TILE_MOON_I, 0
    AT 7, 26
    .byte 4 | $80, TILE_MOON_M, 0
    AT 5, 3
    .byte 1, TILE_STAR, 0
    AT 11, 2
    .byte 1, TILE_DUST, 16, 0, 1, TILE_STAR, 9, 0, 1, TILE_DUST, 0
    AT 14, 7
    .byte 1, TILE_STAR, 20, 0, 1, TILE_STAR, 0
    AT 17, 4
    .byte 1, TILE_DUST, 12, 0, 1, TILE_DUST, 0
    AT 21, 3
    .byte 1, TILE_POLE, 2, 0, 1, TILE_SITTER, 1, 0, 2, TILE_SITTER, 5, 0, 1, TILE_SITTER
    .byte 3, 0, 3, TILE_SITTER, 6, 0, 1, TILE_POLE, 0
    AT 22, 0
    .byte 3, TILE_WIRE, 1, TILE_ARM, 23, TILE_WIRE, 1, TILE_ARM, 4, TILE_WIRE, 0
    AT 23, 3
    .byte 1, TILE_POLE, 14, 0, 1, TILE_UP, 4, TILE_TOP, 1, TILE_DOWN, 3, 0, 1, TILE_POLE, 0
    AT 24, 0
    .byte 2, TILE_TOP, 1, TILE_DOWN, 1, TILE_POLE, 13, 0, 1, TILE_UP, 6, TILE_HILL, 1, TILE_DOWN
    .byte 2, 0, 1, TILE_POLE, 0
    AT 25, 0
    .byte 3, TILE_HILL, 1, TILE_DOWN, 5, 0, 2, TILE_ROOF, 5, 0, 1, TILE_UP, 8, TILE_HILL
    .byte 1, TILE_DOWN, 1, 0, 1, TILE_POLE, 0
    AT 26, 0
    .byte 4, TILE_HILL, 5, TILE_TOP, 2, TILE_WINDOW, 5, TILE_TOP, 10, TILE_HILL, 6, TILE_TOP, 0
    AT 27, 0
    .byte 11, TILE_HILL, 1, 'B', 1, 'E', 1, 'S', 1, 'T', 1, 0, 6, 0, 10, TILE_HILL, 0
    AT 28, 0
    .byte 32, TILE_HILL, 0
    AT 29, 0
    .byte 32, TILE_HILL, 0
    ; palettes: the moon, the line that blinks, the hills
    .byte $23, $CE, 1, $44, 1, $11, 0
    .byte $23, $E8, 8, $AF, 8, $AA, 8, $0A, 0
    .byte 0

; ---- songs ----

song_table:
    .word title_lead, title_bass, title_drum
    .word night_lead, night_bass, night_drum
    .word chase_lead, chase_bass, chase_drum
    .word great_lead, great_bass, great_drum
    .word over_lead, over_bass, over_drum

.enum
    C2 = 0
    D2 = 2
    E2 = 4
    F2 = 5
    G2 = 7
    GS2 = 8
    A2 = 9
    B2 = 11
    C3 = 12
    D3 = 14
    E3 = 16
    F3 = 17
    G3 = 19
    GS3 = 20
    A3 = 21
    B3 = 23
    C4 = 24
    D4 = 26
    E4 = 28
    F4 = 29
    G4 = 31
    GS4 = 32
    A4 = 33
    B4 = 35
    C5 = 36
    D5 = 38
    E5 = 40
.endenum
DRUM_LOW = 0
DRUM_SNARE = 1
DRUM_HAT = 2
.macro AGAIN to
    .byte N_JUMP
    .word to
.endmacro

title_lead:
    NOTES 24, A3, E4, D4, C4
    NOTES 12, B3, C4, D4, B3
    NOTES 48, A3
    NOTES 24, C4, G4, F4, E4
    NOTES 12, D4, E4, F4, D4
    NOTES 48, E4
    AGAIN title_lead
title_bass:
    NOTES 48, A2, F2, G2, A2, A2, F2, G2, E2
    AGAIN title_bass
title_drum:
    NOTES 24, DRUM_HAT, DRUM_HAT, DRUM_HAT
    NOTES 12, DRUM_HAT, DRUM_HAT
    AGAIN title_drum

night_lead:
    NOTES 10, A3, C4, E4, A4, G4, E4, C4, E4
    NOTES 10, F3, A3, C4, F4, E4, C4, A3, C4
    NOTES 10, G3, B3, D4, G4, F4, D4, B3, D4
    NOTES 20, E4, D4, C4, B3
    AGAIN night_lead
night_bass:
    NOTES 20, A2, A2, E2, A2
    NOTES 20, F2, F2, C3, F2
    NOTES 20, G2, G2, D3, G2
    NOTES 20, E2, E2, GS2, B2
    AGAIN night_bass
night_drum:
    NOTES 20, DRUM_LOW, DRUM_HAT, DRUM_SNARE
    NOTES 10, DRUM_HAT, DRUM_HAT
    AGAIN night_drum

chase_lead:
    NOTES 8, D4, D4, F4, D4, A4, D4, F4, A4
    NOTES 8, C4, C4, E4, C4, G4, C4, E4, G4
    NOTES 16, F4, E4, D4, E4
    NOTES 8, A3, D4, F4, E4, D4
    NOTES 24, C4
    AGAIN chase_lead
chase_bass:
    NOTES 16, D2, D3, D2, D3
    NOTES 16, C2, C3, C2, C3
    NOTES 16, F2, F3, A2, A3
    NOTES 16, D2, D3, A2, A2
    AGAIN chase_bass
chase_drum:
    NOTES 8, DRUM_LOW, DRUM_HAT, DRUM_SNARE, DRUM_HAT, DRUM_LOW, DRUM_LOW, DRUM_SNARE, DRUM_HAT
    AGAIN chase_drum

great_lead:
    NOTES 14, E4, F4, E4, GS4
    NOTES 7, B4, A4, GS4, F4
    NOTES 28, E4
    NOTES 14, E3, F3, GS3, B3
    NOTES 28, C4, B3
    AGAIN great_lead
great_bass:
    NOTES 7, E2, E2, E3, E2, F2, F2, F3, F2
    NOTES 7, E2, E2, E3, E2, D2, D2, GS2, B2
    AGAIN great_bass
great_drum:
    NOTES 7, DRUM_LOW, DRUM_HAT, DRUM_HAT, DRUM_SNARE, DRUM_LOW, DRUM_LOW, DRUM_SNARE, DRUM_SNARE
    AGAIN great_drum

over_lead:
    NOTES 30, E4, D4, C4, B3
    NOTES 60, A3
    .byte N_STOP
over_bass:
    NOTES 60, A2, E2
    NOTES 60, A2
    .byte N_STOP
over_drum:
    .byte N_STOP

; ---- effects ----

.macro TONE duty, period
    .byte duty, <(period), >(period)
.endmacro

sfx_table:
    .word sfx_song, sfx_hit, sfx_puff, sfx_gather, sfx_lost, sfx_life, sfx_fall, sfx_alarm, sfx_win
sfx_weight:
    .byte 0, 1, 2, 3, 4, 6, 7, 5, 8

sfx_song:
    TONE $B4, $0A0
    TONE $B3, $08A
    TONE $B2, $078
    .byte 0
sfx_hit:
    TONE $74, $0D0
    TONE $72, $110
    .byte 0
sfx_puff:
    TONE $37, $0C0
    TONE $37, $120
    TONE $36, $180
    TONE $34, $200
    TONE $32, $280
    .byte 0
sfx_gather:
    TONE $B8, $0FD
    TONE $B8, $0FD
    TONE $B8, $0BD
    TONE $B8, $0BD
    TONE $B7, $07E
    TONE $B6, $07E
    TONE $B4, $07E
    TONE $B2, $07E
    .byte 0
sfx_lost:
    TONE $79, $090
    TONE $79, $0A8
    TONE $78, $0C8
    TONE $77, $0F0
    TONE $76, $120
    TONE $75, $158
    TONE $73, $198
    .byte 0
sfx_life:
    .repeat 3
    TONE $B8, $07E
    TONE $B8, $07E
    TONE $B7, $05E
    TONE $B6, $05E
    .endrepeat
    .byte 0
sfx_fall:
    .repeat 12, I
    TONE $7A - I / 2, $0A0 + I * 36
    TONE $7A - I / 2, $0B4 + I * 36
    .endrepeat
    .byte 0
sfx_alarm:
    .repeat 4
    TONE $76, $1A0
    TONE $76, $1A0
    TONE $76, $140
    TONE $76, $140
    .endrepeat
    .byte 0
sfx_win:
    .repeat 8, I
    TONE $B8, $1FB - I * 48
    TONE $B8, $1AB - I * 40
    TONE $B6, $152 - I * 32
    .endrepeat
    .byte 0
