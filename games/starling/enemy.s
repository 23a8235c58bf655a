; Enemies. Each runs a path script (dispatch by the RTS trick), moves by its mode and thinks by its
; type (both through JMP (indirect)).

; ORDER ENEMY (think_table and the type tables in data.s)
EN_NONE = 0
EN_MOTH = 1
EN_BAT = 2
EN_OWL = 3
EN_HAWK = 4
EN_FIREFLY = 5
EN_CLOUD = 6
EN_CROWER = 7           ; a scarecrow: on the ground
EN_COCK = 8             ; a weathercock: on the ground
EN_BOSS = 9
EN_TYPES = 10

; ORDER MODE (mode_table)
MODE_FLY = 0            ; straight on
MODE_TURN = 2           ; the direction changes by en_turn each step
MODE_SWAY = 4           ; from side to side round en_base while it goes down
MODE_ORBIT = 6          ; round a point that goes down
MODE_HOME = 8           ; turns towards the leader
MODE_GROUND = 10        ; stands on the land
MODE_HOVER = 12         ; wanders about a place, for the great birds

; ORDER PATH (path_table)
.enum
    P_GO                ; direction, speed, steps
    P_TURN              ; turn, steps: keeps its speed
    P_AIM               ; speed, steps: straight at the leader
    P_HOME              ; speed, turn, steps
    P_SWAY              ; size, rate, down speed, steps
    P_ORBIT             ; radius, rate, down speed, steps
    P_GROUND            ; steps
    P_HOVER             ; size, rate, steps
    P_FIRE              ; pattern
    P_LOOP              ; times, address
    P_JUMP              ; address
    P_HURT              ; hp, address: goes there when it has less than hp
.endenum

.macro GO dir, speed, steps
    .byte P_GO, <(dir), speed, steps
.endmacro
.macro TURN turn, steps
    .byte P_TURN, <(turn), steps
.endmacro
.macro AIM speed, steps
    .byte P_AIM, speed, steps
.endmacro
.macro HOME speed, turn, steps
    .byte P_HOME, speed, turn, steps
.endmacro
.macro SWAY size, rate, down, steps
    .byte P_SWAY, size, <(rate), down, steps
.endmacro
.macro ORBIT radius, rate, down, steps
    .byte P_ORBIT, radius, <(rate), down, steps
.endmacro
.macro GROUND steps
    .byte P_GROUND, steps
.endmacro
.macro HOVER size, rate, steps
    .byte P_HOVER, size, <(rate), steps
.endmacro
.macro FIRE pattern
    .byte P_FIRE, pattern
.endmacro
.macro LOOP times, to
    .byte P_LOOP, times
    .word to
.endmacro
.macro JUMP to
    .byte P_JUMP
    .word to
.endmacro
.macro HURT hp, to
    .byte P_HURT, hp
    .word to
.endmacro

; ORDER PATTERN (fire_table)
FIRE_AIMED = 0
FIRE_FAN = 1            ; three, the middle one aimed
FIRE_RING = 2           ; eight, all round
FIRE_RAIN = 3           ; straight down
FIRE_SPIN = 4           ; two, opposite, turning

; t4 type, t5 x, t7:t6 path -> slot in `made`, carry set if there is no room.
enemy_make:
    ldx #EN_MAX-1
@find:
    lda en_type,x
    beq @free
    dex
    bpl @find
    sec
    rts
@free:
    stx made
    lda t4
    sta en_type,x
    tay
    lda t5
    sta en_x,x
    lda t6
    sta en_pc_lo,x
    lda t7
    sta en_pc_hi,x
    lda #1
    sta en_y,x
    lda #0
    sta en_xl,x
    sta en_yl,x
    sta en_vxl,x
    sta en_vx,x
    sta en_vyl,x
    sta en_vy,x
    sta en_mode,x
    sta en_wait,x
    sta en_loop,x
    sta en_flash,x
    sta en_frame,x
    sta en_turn,x
    lda #64
    sta en_dir,x
    lda #96
    sta en_speed,x
    jsr random
    and #31
    clc
    adc #24
    sta en_time,x
    ; Hit points grow with the rank: base + rank * growth / 4
    lda type_growth,y
    sta m_a
    lda rank
    sta m_b
    jsr multiply
    lda m_b
    lsr a
    lsr a
    clc
    adc type_hp,y
    sta en_hp,x
    clc
    rts

enemies_step:
    ldx #EN_MAX-1
@slot:
    lda en_type,x
    beq @next
    stx self_slot
    jsr enemy_step
    ldx self_slot
@next:
    dex
    bpl @slot
    rts

enemy_step:
    lda en_flash,x
    beq @calm
    dec en_flash,x
@calm:
    lda en_wait,x
    beq @script
    dec en_wait,x
    jmp @move
@script:
    jsr path_run
@move:
    ldy en_mode,x
    lda mode_table,y
    sta vec
    lda mode_table+1,y
    sta vec+1
    jsr @indirect
    jsr enemy_bounds
    bcs @gone
    lda en_type,x
    asl a
    tay
    lda think_table,y
    sta vec
    lda think_table+1,y
    sta vec+1
@indirect:
    jmp (vec)
@gone:
    rts

; Takes what has left the picture. Carry set: gone.
enemy_bounds:
    lda en_y,x
    cmp #236
    bcs @out
    lda en_x,x
    cmp #3
    bcc @out
    cmp #253
    bcs @out
    clc
    rts
@out:
    lda #EN_NONE
    sta en_type,x
    sec
    rts

; ---- path scripts ----

path_run:
    lda en_pc_lo,x
    sta sp
    lda en_pc_hi,x
    sta sp+1
path_next:
    ldy #0
    lda (sp),y
    asl a
    tay
    lda path_table+1,y
    pha
    lda path_table,y
    pha
    ldy #1                  ; the first argument
    rts

; ORDER PATH
path_table:
    .word path_go-1, path_turn-1, path_aim-1, path_home-1, path_sway-1, path_orbit-1
    .word path_ground-1, path_hover-1, path_fire-1, path_loop-1, path_jump-1, path_hurt-1

; The last argument of a command, the steps, at Y; then the next command is at Y + 1.
path_rest:
    lda (sp),y
    sec
    sbc #1                  ; this step is the first of them
    sta en_wait,x
    iny
    tya
    clc
    adc sp
    sta en_pc_lo,x
    lda sp+1
    adc #0
    sta en_pc_hi,x
    rts

; Goes on in the same step with the command at Y.
path_more:
    tya
    clc
    adc sp
    sta sp
    bcc path_next
    inc sp+1
    bcs path_next           ; always

path_go:
    lda (sp),y
    sta en_dir,x
    iny
    lda (sp),y
    sta en_speed,x
    iny
    jsr path_rest
    lda #MODE_FLY
    sta en_mode,x
    jmp enemy_steer

path_turn:
    lda (sp),y
    sta en_turn,x
    iny
    lda #MODE_TURN
    sta en_mode,x
    jmp path_rest

path_aim:
    lda (sp),y
    sta en_speed,x
    iny
    jsr path_rest
    lda #MODE_FLY
    sta en_mode,x
    jsr enemy_aim
    sta en_dir,x
    jmp enemy_steer

path_home:
    lda (sp),y
    sta en_speed,x
    iny
    lda (sp),y
    sta en_turn,x
    iny
    lda #MODE_HOME
    sta en_mode,x
    jmp path_rest

path_sway:
    lda #MODE_SWAY
    bne path_round
path_orbit:
    lda #MODE_ORBIT
path_round:
    sta en_mode,x
    lda (sp),y
    sta en_size,x
    iny
    lda (sp),y
    sta en_rate,x
    iny
    lda (sp),y
    sta en_speed,x
    iny
    jsr path_middle
    jmp path_rest

path_ground:
    lda #MODE_GROUND
    sta en_mode,x
    jmp path_rest

path_hover:
    lda #MODE_HOVER
    sta en_mode,x
    lda (sp),y
    sta en_size,x
    iny
    lda (sp),y
    sta en_rate,x
    iny
    jsr path_middle
    jmp path_rest

; Where it is becomes the middle of its sway or orbit.
path_middle:
    lda en_x,x
    sta en_base,x
    lda en_y,x
    sta en_base_y,x
    lda #0
    sta en_phase,x
    rts

path_fire:
    lda (sp),y
    iny
    sty t7
    jsr fire
    ldy t7
    jmp path_more

path_loop:
    lda en_loop,x
    bne @running
    lda (sp),y
    sta en_loop,x
@running:
    iny
    dec en_loop,x
    bne path_jump
    iny
    iny
    jmp path_more

path_jump:
    lda (sp),y
    pha
    iny
    lda (sp),y
    sta sp+1
    pla
    sta sp
    jmp path_next

path_hurt:
    lda en_hp,x
    cmp (sp),y
    iny
    bcc path_jump
    iny
    iny
    jmp path_more

; Direction to the leader.
enemy_aim:
    lda en_x,x
    sta a_x
    lda en_y,x
    sta a_y
    lda leader_x
    sta a_tx
    lda leader_y
    sta a_ty
    jmp aim

; Velocity from direction and speed.
enemy_steer:
    lda en_dir,x
    sta p_dir
    lda en_speed,x
    sta p_speed
    jsr polar
    lda p_vxl
    sta en_vxl,x
    lda p_vx
    sta en_vx,x
    lda p_vyl
    sta en_vyl,x
    lda p_vy
    sta en_vy,x
    rts

; ---- ways to move ----

; ORDER MODE
mode_table:
    .word mode_fly, mode_turn, mode_sway, mode_orbit, mode_home, mode_ground, mode_hover

mode_turn:
    lda en_dir,x
    clc
    adc en_turn,x
    sta en_dir,x
    jsr enemy_steer
    ; falls through
mode_fly:
    lda en_xl,x
    clc
    adc en_vxl,x
    sta en_xl,x
    lda en_x,x
    adc en_vx,x
    sta en_x,x
    lda en_yl,x
    clc
    adc en_vyl,x
    sta en_yl,x
    lda en_y,x
    adc en_vy,x
    sta en_y,x
    rts

mode_home:
    ; In every second step, enemies taking turns, the direction is corrected.
    txa
    eor ticks
    lsr a
    bcc mode_fly
    jsr enemy_aim
    sec
    sbc en_dir,x
    beq @steer
    bmi @left
    cmp en_turn,x
    bcc @steer              ; nearly right: take it all
    lda en_turn,x
    jmp @steer
@left:
    lda #0
    sec
    sbc en_turn,x
@steer:
    clc
    adc en_dir,x
    sta en_dir,x
    jsr enemy_steer
    jmp mode_fly

mode_sway:
    jsr sink
    lda en_phase,x
    clc
    adc en_rate,x
    sta en_phase,x
    jsr sine
    jmp swing

mode_orbit:
    jsr sink
    lda en_phase,x
    clc
    adc en_rate,x
    sta en_phase,x
    jsr cosine
    ldy en_size,x
    jsr reach
    clc
    adc en_base_y,x
    sta en_y,x
    lda en_phase,x
    jsr sine
    jmp swing

; A figure of eight that lies on its side.
mode_hover:
    lda en_phase,x
    clc
    adc en_rate,x
    sta en_phase,x
    asl a
    jsr sine
    ldy #14
    jsr reach
    clc
    adc en_base_y,x
    sta en_y,x
    lda en_phase,x
    jsr sine
    ; falls through

; x = middle + size * what sine gave
swing:
    ldy en_size,x
    jsr reach
    clc
    adc en_base,x
    sta en_x,x
    rts

; The middle goes down by en_speed / 128 lines.
sink:
    lda en_speed,x
    asl a
    pha
    lda #0
    adc #0
    sta t0
    pla
    clc
    adc en_yl,x
    sta en_yl,x
    lda en_base_y,x
    adc t0
    sta en_base_y,x
    ldy en_mode,x
    cpy #MODE_SWAY
    bne @done
    sta en_y,x
@done:
    rts

mode_ground:
    lda en_y,x
    clc
    adc scroll_step
    sta en_y,x
    rts

; ---- what each type does besides ----

; ORDER ENEMY
think_table:
    .word flap_slow, think_moth, think_bat, think_owl, think_hawk, think_firefly
    .word think_cloud, think_crower, think_cock, think_boss

; Counts en_time down; carry set when it has run out.
timer:
    dec en_time,x
    beq @rang
    clc
    rts
@rang:
    sec
    rts

flap_fast:
    lda ticks
    lsr a
    lsr a
    and #1
    sta en_frame,x
    rts

flap_slow:
    lda ticks
    lsr a
    lsr a
    lsr a
    and #1
    sta en_frame,x
    rts

; Moths flutter: now and then a push to one side.
think_moth:
    jsr flap_fast
    jsr timer
    bcc @done
    jsr random
    and #15
    adc #9                  ; carry set: 10 to 25
    sta en_time,x
    lda rng
    and #7
    sec
    sbc #4
    pha
    clc
    adc en_x,x
    sta en_x,x
    pla
    clc
    adc en_base,x
    sta en_base,x
@done:
    rts

; Bats drop a quill now and then, the more of them the higher the rank.
think_bat:
    jsr flap_fast
    jsr timer
    bcc @done
    lda #90
    jsr by_rank
    sta en_time,x
    lda rank
    clc
    adc #4
    sta t0
    jsr random
    and #15
    cmp t0
    bcs @done
    lda #FIRE_AIMED
    jmp fire
@done:
    rts

; Owls look at the flock, eyes open, before they throw.
think_owl:
    lda #1
    sta en_frame,x
    lda en_time,x
    cmp #16
    bcs @asleep
    dec en_frame,x
@asleep:
    jsr timer
    bcc @done
    lda #72
    jsr by_rank
    sta en_time,x
    lda #FIRE_AIMED
    jmp fire
@done:
    rts

; Hawks fold their wings when they dive fast.
think_hawk:
    lda en_vy,x
    beq @glide
    bmi @glide
    lda #0
    sta en_frame,x
    rts
@glide:
    jmp flap_slow

; Fireflies can be hit only while they shine, and then burst in a ring.
think_firefly:
    jsr timer
    bcc @done
    lda en_frame,x
    eor #1
    sta en_frame,x
    lda #48
    sta en_time,x
@done:
    rts

think_cloud:
    jsr flap_slow
    jsr timer
    bcc @done
    lda #30
    jsr by_rank
    sta en_time,x
    lda #FIRE_RAIN
    jmp fire
@done:
    rts

; Scarecrows throw straw, arms up, while they are in the upper part.
think_crower:
    lda #0
    sta en_frame,x
    lda en_y,x
    cmp #160
    bcs @done
    lda en_time,x
    cmp #12
    bcs @wait
    inc en_frame,x
@wait:
    jsr timer
    bcc @done
    lda #84
    jsr by_rank
    sta en_time,x
    lda #FIRE_FAN
    jmp fire
@done:
    rts

; Weathercocks turn, and throw both ways.
think_cock:
    lda en_dir,x
    clc
    adc #3
    sta en_dir,x
    asl a
    asl a
    lda #0
    rol a
    sta en_frame,x
    lda en_y,x
    cmp #176
    bcs @done
    jsr timer
    bcc @done
    lda #60
    jsr by_rank
    sta en_time,x
    lda #FIRE_SPIN
    jmp fire
@done:
    rts

; Great birds stay in the picture.
think_boss:
    lda en_hp,x
    sta boss_hp
    lda en_x,x
    cmp #32
    bcs @not_left
    lda #32
@not_left:
    cmp #224
    bcc @not_right
    lda #224
@not_right:
    sta en_x,x
    lda en_y,x
    cmp #170
    bcc @not_low
    lda #170
@not_low:
    cmp #52
    bcs @not_high
    lda #52
@not_high:
    sta en_y,x
    jmp flap_slow

; A = a waiting time, made shorter by the rank: A - 4 * rank, at least half of A.
by_rank:
    pha
    lsr a
    sta t0
    lda rank
    asl a
    asl a
    sta t1
    pla
    sec
    sbc t1
    bcc @least
    cmp t0
    bcs @done
@least:
    lda t0
@done:
    rts

; ---- shots ----

; A = pattern; from enemy X. Keeps X. With the leader gone nobody shoots.
fire:
    ldy leader_gone
    bne fire_rts
    asl a
    tay
    lda fire_table+1,y
    pha
    lda fire_table,y
    pha
    ; Shots grow faster with the rank: 112 + 8 * rank, at most 220
    lda rank
    asl a
    asl a
    asl a
    adc #112
    bcs @fastest
    cmp #220
    bcc @speed
@fastest:
    lda #220
@speed:
    sta p_speed
fire_rts:
    rts

; ORDER PATTERN
fire_table:
    .word fire_aimed-1, fire_fan-1, fire_ring-1, fire_rain-1, fire_spin-1

fire_aimed:
    lda rank                ; from stage 4 on one quill is not enough
    cmp #6
    bcs fire_fan
    jsr enemy_aim
    sta p_dir
    lda #SHOT_QUILL
    bne shot_make           ; always

fire_fan:
    jsr enemy_aim
    sec
    sbc #18
    sta p_dir
    lda #3
    sta t6
@shot:
    lda #SHOT_STRAW
    jsr shot_make
    lda p_dir
    clc
    adc #18
    sta p_dir
    dec t6
    bne @shot
    rts

fire_ring:
    lda #8
    sta t6
    lda ticks
    sta p_dir
@shot:
    lda #SHOT_QUILL
    jsr shot_make
    lda p_dir
    clc
    adc #32
    sta p_dir
    dec t6
    bne @shot
    rts

fire_rain:
    lda #64
    sta p_dir
    lda #SHOT_DROP
    bne shot_make           ; always

fire_spin:
    lda en_dir,x
    sta p_dir
    lda #SHOT_STRAW
    jsr shot_make
    lda p_dir
    eor #128
    sta p_dir
    lda #SHOT_STRAW
    ; falls through

; A = type of shot, from enemy X to p_dir at p_speed. Keeps X.
shot_make:
    ldy #SH_MAX-1
    sta t5
@find:
    lda sh_type,y
    beq @free
    dey
    bpl @find
    rts
@free:
    lda t5
    sta sh_type,y
    lda en_x,x
    sta sh_x,y
    lda en_y,x
    sta sh_y,y
    sty t4
    jsr polar
    ldy t4
    lda #0
    sta sh_xl,y
    sta sh_yl,y
    lda p_vxl
    sta sh_vxl,y
    lda p_vx
    sta sh_vx,y
    lda p_vyl
    sta sh_vyl,y
    lda p_vy
    sta sh_vy,y
    rts

SHOT_QUILL = 1
SHOT_DROP = 2
SHOT_STRAW = 3

shots_step:
    ldx #SH_MAX-1
@shot:
    lda sh_type,x
    beq @next
    cmp #SHOT_DROP
    bne @straight
    lda sh_vyl,x            ; rain falls faster and faster
    clc
    adc #6
    sta sh_vyl,x
    bcc @straight
    inc sh_vy,x
@straight:
    lda sh_xl,x
    clc
    adc sh_vxl,x
    sta sh_xl,x
    lda sh_x,x
    adc sh_vx,x
    sta sh_x,x
    cmp #4
    bcc @out
    cmp #252
    bcs @out
    lda sh_yl,x
    clc
    adc sh_vyl,x
    sta sh_yl,x
    lda sh_y,x
    adc sh_vy,x
    sta sh_y,x
    cmp #236
    bcc @next
@out:
    lda #0
    sta sh_type,x
@next:
    dex
    bpl @shot
    rts
