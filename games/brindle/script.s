; Scripts of objects: a byte for what to do, then what it needs. Commands run until one waits. X = cur, and stays.

.enum
    S_WAIT              ; n: frames
    S_SOME              ; mask: 8 frames and up to so many more, by chance
    S_SLIDE             ; x: sideways, sixteenths of a pixel a frame
    S_CLIMB             ; y: the same, downwards
    S_RUN               ; n: the way it looks, the faster the higher the rank
    S_LOOK              ; at the goat
    S_GOTO              ; address
    S_LOOP              ; n, address: n times in all
    S_NEAR              ; n, address: goes there if the goat is within n pixels
    S_POSE              ; tile
    S_SPINY             ; bits: 1 not to be stomped, 2 not to be butted
    S_LANDED            ; waits for ground
    S_SEED              ; shoots
.endenum

script_step:
    lda obj_time, x
    beq @next
    dec obj_time, x
    rts
@next:
    lda obj_pc, x
    sta script
    lda obj_pch, x
    sta script + 1
script_next:
    jsr script_byte
    tay
    lda command_lo, y
    sta vec
    lda command_hi, y
    sta vec + 1
    jmp (vec)

; Commands that take a frame end here.
script_pause:
    lda script
    sta obj_pc, x
    lda script + 1
    sta obj_pch, x
    rts

script_byte:
    ldy #0
    lda (script), y
    inc script
    bne @same_page
    inc script + 1
@same_page:
    rts

command_some:
    jsr random
    sta t0
    jsr script_byte
    and t0
    clc
    adc #8
    sta obj_time, x
    bne script_pause
command_wait:
    jsr script_byte
    sta obj_time, x
    jmp script_pause

command_slide:
    jsr script_speed
    sta obj_vxh, x
    lda t0
    sta obj_vx, x
    jmp script_next

command_climb:
    jsr script_speed
    sta obj_vyh, x
    lda t0
    sta obj_vy, x
    jmp script_next

; A, t0 = sixteen times the next byte, signed.
script_speed:
    jsr script_byte
    sta t0
    asl a
    lda #0
    bcc @positive
    lda #$ff
@positive:
.repeat 4
    asl t0
    rol a
.endrepeat
    rts

command_run:
    jsr script_byte
    jsr set_run
    jmp script_next

; Object X runs the way it looks: A sixteenths of a pixel at the first rank.
set_run:
    sta mul_b
    lda rank
    jsr multiply
    tay
    lda obj_left, x
    beq @right
    sec
    lda #0
    sbc product
    sta obj_vx, x
    sty t0
    lda #0
    sbc t0
    sta obj_vxh, x
    rts
@right:
    lda product
    sta obj_vx, x
    tya
    sta obj_vxh, x
    rts

command_look:
    lda near_x + 1
    asl a
    lda #0
    rol a
    sta obj_left, x
    jmp script_next

command_loop:
    jsr script_byte
    sta t0
    lda obj_loop, x
    bne @counting
    lda t0
    sta obj_loop, x
@counting:
    dec obj_loop, x
    bne command_goto
    beq script_skip

command_near:
    jsr script_byte
    sta t0
    lda near_x + 1
    beq @right
    cmp #$ff
    bne script_skip
    lda near_x
    eor #$ff
    jmp @distance
@right:
    lda near_x
@distance:
    cmp t0
    bcc command_goto
script_skip:
    clc
    lda script
    adc #2
    sta script
    bcc @same_page
    inc script + 1
@same_page:
    jmp script_next

command_goto:
    jsr script_byte
    sta t0
    jsr script_byte
    sta script + 1
    lda t0
    sta script
    jmp script_next

command_pose:
    jsr script_byte
    sta obj_pose, x
    jmp script_next

command_spiny:
    jsr script_byte
    sta obj_spiny, x
    jmp script_next

; Not yet: the same command again in the next frame.
command_landed:
    lda obj_floor, x
    beq @not_yet
    lda #0
    sta obj_vx, x
    sta obj_vxh, x
    jmp script_next
@not_yet:
    lda script
    bne @same_page
    dec script + 1
@same_page:
    dec script
    jmp script_pause

; From its mouth, the way it looks.
command_seed:
    jsr free_slot
    bmi @none
    ldy cur
    lda obj_x, y
    sta obj_x, x
    lda obj_xh, y
    sta obj_xh, x
    lda obj_y, y
    sta obj_y, x
    lda #SEED
    jsr object_begin
    ldy cur
    lda obj_left, y
    sta obj_left, x
    lda #20
    jsr set_run
@none:
    ldx cur
    jmp script_next

; -- The scripts.
script_gull:
    .byte S_RUN, 15
@wave:
    .byte S_POSE, T_gull_a, S_CLIMB, 8, S_WAIT, 11
    .byte S_CLIMB, 16, S_WAIT, 7
    .byte S_CLIMB, 8, S_WAIT, 11
    .byte S_POSE, T_gull_b, S_CLIMB, <-8, S_WAIT, 11
    .byte S_CLIMB, <-16, S_WAIT, 7
    .byte S_CLIMB, <-8, S_WAIT, 11
    .byte S_GOTO
    .word @wave

script_frog:
    .byte S_LANDED, S_POSE, T_frog_a, S_LOOK, S_SOME, 31, S_NEAR, 96
    .word @leap
    .byte S_RUN, 8, S_CLIMB, <-32, S_POSE, T_frog_b, S_WAIT, 4, S_GOTO
    .word script_frog
@leap:
    .byte S_RUN, 14, S_CLIMB, <-50, S_POSE, T_frog_b, S_WAIT, 4, S_GOTO
    .word script_frog

script_hog:
    .byte S_SPINY, 1
@walk:
    .byte S_RUN, 6, S_POSE, T_hog_a, S_WAIT, 4, S_POSE, T_hog_b, S_WAIT, 4, S_NEAR, 52
    .word @curl
    .byte S_LOOP, 6
    .word @walk
    .byte S_LOOK, S_GOTO
    .word @walk
@curl:
    .byte S_POSE, T_hog_ball, S_SPINY, 3, S_SLIDE, 0, S_WAIT, 70, S_SPINY, 1, S_POSE, T_hog_a, S_LOOK
    .byte S_RUN, 6, S_WAIT, 60, S_GOTO
    .word @walk

script_adder:
    .byte S_POSE, T_adder_a, S_LOOK, S_SOME, 63, S_NEAR, 120
    .word @spit
    .byte S_GOTO
    .word script_adder
@spit:
    .byte S_POSE, T_adder_b, S_WAIT, 14, S_LOOK, S_SEED, S_WAIT, 12, S_GOTO
    .word script_adder

script_ferry:
    .byte S_SLIDE, 16, S_WAIT, 79, S_SLIDE, 0, S_WAIT, 15, S_SLIDE, <-16, S_WAIT, 79, S_SLIDE, 0, S_WAIT, 15, S_GOTO
    .word script_ferry

script_lift:
    .byte S_CLIMB, <-16, S_WAIT, 79, S_CLIMB, 0, S_WAIT, 23, S_CLIMB, 16, S_WAIT, 79, S_CLIMB, 0, S_WAIT, 23, S_GOTO
    .word script_lift
