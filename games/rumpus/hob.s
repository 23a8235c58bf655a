; The hob: a coroutine that reads the pad.

LEAP = $fac0            ; 1/256 pixel a frame, upwards: 55 pixels high
RUN = $18               ; what a held direction adds to the speed, in the air too
BRAKE = $14
HEAD = 24               ; feet below a level's line when the head meets the plank

; On the floor in the middle, out of the host's hands.
hob_place:
    lda #FREE
    sta o_kind
    sta fallen
    lda #HOB
    ldy #0
    jsr object_new
    lda #120
    sta o_x, x
    ldy #FLOOR
    sty o_lev
    lda line_y, y
    sta o_y, x
    lda #1
    sta o_ground
    lda #AWAKE
    sta o_mode
    rts

hob_birth:
hob_stand:
    jsr hob_steer
    jsr body_move
    jsr hob_pose
    jsr yield
    lda o_ground, x
    beq hob_air
    jsr hob_pad
    and #BTN_A
    bne @leap
    jsr hob_pad
    and #BTN_B
    beq hob_stand
    lda stamps
    beq hob_stand
    bne hob_stamp
@leap:
    bit hop_pad         ; held since the last leap: no
    bmi hob_stand
    sta hop_pad
    lda #>LEAP
    ldy #<LEAP
    jsr body_hop
    lda #FX_HOP
    jsr fx_start
hob_air:
    ldx cur
    lda #P_hob_jump
    sta o_pic, x
    jsr hob_steer
    jsr body_move
    jsr hob_head
    jsr yield
    jsr hob_pad
    bmi @held
    lda o_vy, x         ; let go early: a low leap
    cmp #$fe
    bpl @held
    lda #$fe
    sta o_vy, x
@held:
    lda o_ground, x
    beq hob_air
    jmp hob_stand

; One stamp shakes the planks to both sides.
hob_stamp:
    dec stamps
    jsr body_stop
    lda #P_hob_raise
    sta o_pic, x
    lda #10
    jsr co_sleep
    lda #P_hob_blow
    sta o_pic, x
    lda #10
    sta shake
    lda #0
    jsr wave_new
    lda #$40
    jsr wave_new
    lda #FX_STAMP
    jsr fx_start
    lda #14
    jsr co_sleep
    jmp hob_stand

; The event of the hob: a guest has it.
hob_struck:
    lda #AWAY
    sta o_mode, x
    lda #P_hob_down
    sta o_pic, x
    jsr body_stop
    lda #FX_CAUGHT
    jsr fx_start
    lda #30
    jsr co_sleep
    lda #$fc
    ldy #$00
    jsr body_hop
@tumble:
    jsr yield
    jsr body_tumble
    bcc @tumble
    lda #1
    sta fallen
    jmp object_end

; The pad, as far as the hob may use it now. Out: A. Keeps X.
hob_pad:
    ldy state
    lda pad
    and pad_open, y
    bmi @done           ; A held: hop_pad stays as it is
    ldy #0
    sty hop_pad
    tay
@done:
    rts

hob_steer:
    jsr hob_pad
    and #BTN_LEFT | BTN_RIGHT
    tay
    RTS_GO steer_lo, steer_hi

steer_right:
    lda #0
    sta o_dir, x
    clc
    lda o_vxf, x
    adc #RUN
    sta o_vxf, x
    bcc @same
    inc o_vx, x
@same:
    ldy o_vx, x
    bmi @done
    beq @done
    dey
    bne @full
    asl a
    bcc @done
@full:
    lda #$01
    ldy #$80
    bne steer_set
@done:
    rts

steer_left:
    lda #$40
    sta o_dir, x
    sec
    lda o_vxf, x
    sbc #RUN
    sta o_vxf, x
    bcs @same
    dec o_vx, x
@same:
    ldy o_vx, x
    bpl steer_done
    iny
    beq steer_done           ; $ff..: less than one pixel
    iny
    bne @full
    asl a               ; $fe80 and above are allowed
    bcs steer_done
@full:
    lda #$fe
    ldy #$80
steer_set:
    sta o_vx, x
    tya
    sta o_vxf, x
steer_done:
    rts

; Nothing held: the planks brake, the air does not.
steer_none:
    lda o_ground, x
    beq @done
    lda o_vx, x
    bmi @left
    sec
    lda o_vxf, x
    sbc #BRAKE
    sta o_vxf, x
    bcs @done
    dec o_vx, x
    bpl @done
    bmi @stop
@left:
    clc
    lda o_vxf, x
    adc #BRAKE
    sta o_vxf, x
    bcc @done
    inc o_vx, x
    bmi @done
@stop:
    jmp body_stop
@done:
    rts

; On the ground: standing, or one of four steps.
hob_pose:
    lda state
    cmp #DONE
    beq @cheers
    lda o_vx, x
    ora o_vxf, x
    beq @stands
    lda ticks
    lsr a
    lsr a
    and #3
    tay
    lda hob_gait, y
    SKIP2
@stands:
    lda #P_hob_stand
    sta o_pic, x
    rts
@cheers:
    lda ticks
    and #8
    beq @stands
    lda #P_hob_jump
    sta o_pic, x
    rts

; Rising: does the head meet a plank? t0 = the feet before (body_weight). Then what stands on it is struck.
hob_head:
    lda o_vy, x
    bpl @none
    lda o_y, x
    cmp #48
    bcs @below_top
    lda #48             ; the roof
    sta o_y, x
    lda #0
    sta o_vy, x
    rts
@below_top:
    ldy t0
    dey
    tya
    lsr a
    lsr a
    lsr a
    tay
    lda band_of, y
    beq @none
    tay
    dey
    lda t0
    sec
    sbc #HEAD
    cmp line_y, y
    bcc @none           ; was above it already
    lda o_y, x
    sec
    sbc #HEAD
    cmp line_y, y
    bcs @none           ; not yet
    jsr plank_under
    beq @none
    lda line_y, y
    adc #HEAD - 1       ; carry is set
    sta o_y, x
    lda #1
    sta o_vy, x
    sty s0
    lda o_x, x
    sta s1
    jsr strike
    lda #FX_KNOCK
    jsr fx_start
@none:
    rts
