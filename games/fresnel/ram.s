; All of the game's own RAM, at fixed addresses: a player program and the tests read it (README.md).
.include "ram.inc"

.segment "GAMEZP" : zeropage
_checkpoint: .res 1         ; $00: + 1 at the end of each step
_state:     .res 1          ; $01
_level:     .res 1          ; $02: 0 on the title
_lives:     .res 1          ; $03
_score:     .res 2          ; $04: in tens of points
_best:      .res 2          ; $06
_bonus:     .res 2          ; $08: in tens of points
_need:      .res 1          ; $0A: flasks the lamp still asks for
_lantern:   .res 1          ; $0B: frames / 2 of light left
_tour:      .res 1          ; $0C: how often all screens have been seen, 0...
_screen:    .res 1          ; $0D: 0 title, 1 to 5
_games:     .res 1          ; $0E: games begun since power-on
_late:      .res 1          ; $0F: vertical blanks that came before a step was done; stays 0
_hero_x:    .res 2          ; $10: 8.8, centre
_hero_y:    .res 2          ; $12: 8.8, feet
_hero_vx:   .res 2          ; $14
_hero_vy:   .res 2          ; $16
_hero_mode: .res 1          ; $18
_hero_floor: .res 1         ; $19
_hero_ladder: .res 1        ; $1A
_hero_face: .res 1          ; $1B: $40 to the left
_hero_peak: .res 1          ; $1C: highest point of the jump or fall
_hero_step: .res 1          ; $1D: for the walk's pictures
_home_x:    .res 1          ; $1E: where a life begins
_home_floor: .res 1         ; $1F
_floors:    .res 1          ; $20: how many of each there are
_ladders:   .res 1          ; $21
_items:     .res 1          ; $22
_lamp_x:    .res 1          ; $23
_lamp_floor: .res 1         ; $24
_chain:     .res 1          ; $25: hazards jumped over since the last landing
_pad:       .res 1          ; $26
_pad_new:   .res 1          ; $27
_timer:     .res 1          ; $28
_ticks:     .res 2          ; $29: steps since power-on
_drip:      .res 1          ; $2B: steps until the bonus falls
_next_life: .res 2          ; $2C
_seed:      .res 2          ; $2E
_me:        .res 16         ; $30: the thing whose turn it is
_pc:        .res 2          ; $40: the script that runs
_base:      .res 2          ; $42: its thread
_stack:     .res 12         ; $44: numbers of the script
_depth:     .res 1          ; $50
_rest:      .res 1          ; $51: tenths of a second that the script wants to sleep
_fuel:      .res 1          ; $52
_grace:     .res 1          ; $53: steps in which nothing hurts
_last:      .res 1          ; $54: index of the thing spawned last
_demo:      .res 1          ; $55: pad on the title
_ready:     .res 1          ; $56: a step is done, NMI may show it
_mask:      .res 1          ; $57: for $2001
_vq_n:      .res 1          ; $58: bytes in the queue for VRAM
_oam_at:    .res 1          ; $59
_spr_x:     .res 1
_spr_y:     .res 1
_spr_flip:  .res 1
_spr_pal:   .res 1
_hud_dirty: .res 1
_px:        .res 1          ; pixels of the thing whose turn it is
_py:        .res 1
_hx:        .res 1          ; pixels of the hero
_hy:        .res 1
_belt_at:   .res 1          ; belt whose tiles move next
_f_x:       .res 1          ; parameters of find_floor
_f_y0:      .res 1
_f_y1:      .res 1
_f_y:       .res 1          ; surface of the floor found
_sfx:       .res 1          ; effect and tune asked for, 0 = none
_tune:      .res 1
_self:      .res 1          ; index of the thing whose turn it is
_fill_tile: .res 1
_fast:      .res 2          ; the most that floats roll down, 1/256 pixel a step
_wind:      .res 1          ; signed, pixels to the right a step
vec:        .res 2
slide:      .res 2
nmi_s:      .res 1
spr_at:     .res 2
spr_count:  .res 1
spr_tile:   .res 1
snd_at:     .res 2
found:      .res 1

.segment "GAMERAM"
_things:    .res 12 * 16    ; $0300: struct thing of fresnel.h
_threads:   .res 6 * 16     ; $03C0: struct thread
_fl_x0:     .res 24         ; $0420: floors: first and last pixel
_fl_x1:     .res 24         ; $0438
_fl_y:      .res 24         ; $0450: surface at x0
_fl_slope:  .res 24         ; $0468: signed, pixels down for each 32 to the right
_fl_belt:   .res 24         ; $0480: signed, 1/256 pixel a step to the right
_la_x:      .res 16         ; $0498: ladders: centre
_la_top:    .res 16         ; $04A8: floors at both ends
_la_bottom: .res 16         ; $04B8
_la_y0:     .res 16         ; $04C8: their surfaces there
_la_y1:     .res 16         ; $04D8
_it_x:      .res 8          ; $04E8: items: left column
_it_y:      .res 8          ; $04F0: top row
_it_kind:   .res 8          ; $04F8: 0 taken, 1 flask, 2 lantern
_attrs:     .res 64         ; $0500: copy of the attributes
trk_lo:     .res 4          ; $0540: four tracks of sound
trk_hi:     .res 4
trk_wait:   .res 4
trk_len:    .res 4
trk_env:    .res 4
trk_phase:  .res 4
trk_ret_lo: .res 4
trk_ret_hi: .res 4
trk_loop:   .res 4
trk_per_lo: .res 4
trk_per_hi: .res 4
trk_slide:  .res 4
_digits:    .res 8
