; The goat: what the pad wants of it, what the ground allows, what it touches.

goat_step:
    lda safe
    beq @exposed
    dec safe
@exposed:
    jsr goat_push
    jsr goat_spring
    jsr goat_sideways
    jsr goat_down
    jmp goat_touch

; -- Speed along the ground, by tables: how fast it grows, how fast it turns, how fast it is lost, each on ground, on ice and
; in the air. Looking left is done by mirroring.
goat_push:
    ldx #0
    lda theme
    cmp #4
    bne @firm
    inx
@firm:
    lda standing
    bne @stands
    ldx #2
@stands:
    lda pad
    and #3
    beq @coast
    cmp #3
    beq @coast
    lsr a               ; 1 is right, 2 left
    sta facing
    ldy #0
    bit pad
    bvc @walk
    iny                 ; B: run
@walk:
    jsr mirrored_speed
    lda t1
    bmi @turn
    lda t0
    cmp top_lo, y
    lda t1
    sbc top_hi, y
    bcs @too_fast
    lda t0
    adc push, x         ; carry is clear
    sta t0
    bcc @grown
    inc t1
@grown:
    lda t0
    cmp top_lo, y
    lda t1
    sbc top_hi, y
    bcc goat_keep
@top:
    lda top_lo, y
    sta t0
    lda top_hi, y
    sta t1
    bpl goat_keep
@too_fast:
    jsr lose_speed
    lda t0
    cmp top_lo, y
    lda t1
    sbc top_hi, y
    bcc @top
    bcs goat_keep
@turn:
    lda t0
    clc
    adc turn, x
    sta t0
    bcc goat_keep
    inc t1
    jmp goat_keep
@coast:
    lda goat_vx + 1
    asl a
    lda #0
    rol a               ; mirrored by the way it moves, not by the way it looks
    ldy facing
    sta facing
    sty t2
    jsr mirrored_speed
    jsr lose_speed
    lda t1
    bpl @still_moving
    lda #0
    sta t0
    sta t1
@still_moving:
    jsr goat_keep
    lda t2
    sta facing
    rts

; Takes the speed t0, t1 over, mirrored back; B at a good speed lowers the horns.
goat_keep:
    ldy #0
    lda t1
    bmi @slow
    cmp #2
    bcc @slow
    bit pad
    bvc @slow
    iny
@slow:
    sty butting
    lda facing
    bne @left
    lda t0
    sta goat_vx
    lda t1
    sta goat_vx + 1
    rts
@left:
    sec
    lda #0
    sbc t0
    sta goat_vx
    lda #0
    sbc t1
    sta goat_vx + 1
    rts

; t0, t1 = the speed forwards. Keeps X and Y.
mirrored_speed:
    lda facing
    bne @left
    lda goat_vx
    sta t0
    lda goat_vx + 1
    sta t1
    rts
@left:
    sec
    lda #0
    sbc goat_vx
    sta t0
    lda #0
    sbc goat_vx + 1
    sta t1
    rts

lose_speed:
    sec
    lda t0
    sbc rub, x
    sta t0
    lda t1
    sbc #0
    sta t1
    rts

; -- Jumps and gravity. A press of A counts for some frames before the goat lands, and for some after it has run over an edge.
goat_spring:
    lda early
    beq @no_memory
    dec early
@no_memory:
    lda coyote
    beq @no_edge
    dec coyote
@no_edge:
    lda pad_new
    bpl @not_pressed
    lda #6
    sta early
@not_pressed:
    lda standing
    beq @airborne
    lda #6
    sta coyote
@airborne:
    lda early
    beq gravity
    lda coyote
    beq gravity
    lda goat_vx + 1     ; the faster, the higher
    bpl @forwards
    eor #$ff
@forwards:
    tay
    lda #0
    sta early
    sta coyote
    sta standing
    sta goat_yf
    sec
    sbc jump_lo, y
    sta goat_vy
    lda #0
    sbc jump_hi, y
    sta goat_vy + 1
    lda #$ff
    sta ride
    lda #1
    sta floating
    lda #FX_JUMP
    jsr effect_play

gravity:
    ldy #0
    lda goat_vy + 1
    bpl @falls
    lda floating
    beq @heavy
    cmp #2
    beq @light
    bit pad             ; A is bit 7
    bmi @light
    bpl @heavy
@falls:
    sty floating
@heavy:
    iny
@light:
    clc
    lda goat_vy
    adc weight, y
    sta goat_vy
    bcc @same
    inc goat_vy + 1
@same:
    lda goat_vy + 1
    bmi @done
    cmp #4
    bcc @done
    lda #4
    sta goat_vy + 1
    lda #0
    sta goat_vy
@done:
    rts

; -- Moves along, unless a wall or the picture's edge is in the way. Crates give way to horns.
goat_sideways:
    clc
    lda goat_xf
    adc goat_vx
    sta goat_xf
    lda goat_x
    adc goat_vx + 1
    sta goat_x
    lda goat_vx + 1
    bmi @left
    lda goat_x + 1
    adc #0
    sta goat_x + 1
    lda #12
    jsr goat_px
    jsr wall_before
    bcc @right_edge
    lda px
    and #$f0
    sec
    sbc #13
    sta goat_x
    lda px + 1
    sbc #0
    sta goat_x + 1
    jmp goat_stop
@right_edge:
    lda last_x
    cmp goat_x
    lda last_x + 1
    sbc goat_x + 1
    bcs goat_moved
    lda last_x
    sta goat_x
    lda last_x + 1
    sta goat_x + 1
    jmp goat_stop
@left:
    lda goat_x + 1
    adc #$ff
    sta goat_x + 1
    lda #3
    jsr goat_px
    jsr wall_before
    bcc @left_edge
    lda px
    ora #15
    sec
    sbc #2
    sta goat_x
    lda px + 1
    sbc #0
    sta goat_x + 1
    jmp goat_stop
@left_edge:
    lda goat_x
    cmp cam
    lda goat_x + 1
    sbc cam + 1
    bcs goat_moved
    lda cam
    sta goat_x
    lda cam + 1
    sta goat_x + 1
goat_stop:
    lda #0
    sta goat_vx
    sta goat_vx + 1
    sta goat_xf
goat_moved:
    rts

; px = goat_x + A
goat_px:
    clc
    adc goat_x
    sta px
    lda goat_x + 1
    adc #0
    sta px + 1
    rts

; Carry: a wall at px before the goat's head or chest.
wall_before:
    lda goat_y
    clc
    adc #3
    jsr solid_at
    jsr crate_before
    bcs wall_found
    lda goat_y
    adc #9
    jsr solid_at
crate_before:
    bcc @open
    cmp #WOODEN
    sec
    bne @open
    lda butting
    beq @hold
    lda #C_SKY
    jsr cell_change
    jsr crate_splinters
    clc
@open:
    rts
@hold:
    sec
wall_found:
    rts

; -- Moves up or down, and stands on what it finds: slope, ground, board.
goat_down:
    clc
    lda goat_yf
    adc goat_vy
    sta goat_yf
    lda goat_y
    adc goat_vy + 1
    sta goat_y
    lda goat_vy + 1
    bpl goat_land
    lda #0
    sta standing
    lda goat_y
    cmp #240
    bcc @below_the_bar
    lda #0
    sta goat_y
    beq @bump
@below_the_bar:
    lda #5
    jsr goat_px
    lda goat_y
    jsr solid_at
    bcs @head
    lda #10
    jsr goat_px
    lda goat_y
    jsr solid_at
    bcc @done
@head:
    lda goat_y
    ora #15
    clc
    adc #1
    sta goat_y
@bump:
    lda #0
    sta goat_vy
    sta goat_vy + 1
    sta goat_yf
    sta floating
@done:
    rts

goat_land:
    lda goat_y
    cmp #FLOOR_Y
    bcc @in_sight
    jmp goat_lost
@in_sight:
    lda goat_vy + 1
    adc #2              ; carry is clear
    sta t4
    lda standing
    asl a
    asl a
    sta stick           ; a goat that runs downhill stays on the ground
    lda #0
    sta standing
    lda #8
    jsr goat_px
    jsr goat_feet
    jsr slope_at
    lda #SOLID
    sta t3
    bcs land_on
    lda #5
    jsr goat_px
    jsr goat_feet
    jsr flat_at
    bcs land_on
    lda #10
    jsr goat_px
    jsr goat_feet
    jsr flat_at
    bcs land_on
    jsr board_below
    bcs land_here
    lda #$ff
    sta ride
    rts

goat_feet:
    lda goat_y
    clc
    adc #16
    rts

land_on:
    lda #$ff
    sta ride
land_here:
    lda found
    sec
    sbc #16
    sta goat_y
    lda #0
    sta goat_yf
    sta chain
    lda t3
    cmp #SPRINGY
    beq @bounce
    lda #0
    sta goat_vy
    sta goat_vy + 1
    lda #1
    sta standing
    rts
@bounce:
    lda #<-$04c0
    sta goat_vy
    lda #>-$04c0
    sta goat_vy + 1
    lda #2
    sta floating
    lda #FX_SPRING
    jmp effect_play

; Carry: a board under the feet; found = its top, ride = which, t3 = firm ground.
board_below:
    ldx #OBJECTS - 1
@board:
    lda kind, x
    cmp #FERRY
    bcc @next
    cmp #ROTTEN + 1
    bcs @next
    jsr goat_feet
    sec
    sbc obj_y, x
    cmp #6
    bcs @next
    lda goat_x          ; goat_x + 12 - obj_x is 0..39 above it
    adc #12
    sta t0
    lda goat_x + 1
    adc #0
    sta t1
    sec
    lda t0
    sbc obj_x, x
    tay
    lda t1
    sbc obj_xh, x
    bne @next
    cpy #40
    bcs @next
    stx ride
    lda obj_y, x
    sta found
    lda #SOLID
    sta t3
    sec
    rts
@next:
    dex
    bpl @board
    clc
    rts

; -- What the head and the body touch (RTS trick by the cell's meaning).
goat_touch:
    lda #8
    jsr goat_px
    lda goat_y
    clc
    adc #4
    jsr touch_at
    lda goat_y
    clc
    adc #12
touch_at:
    sta py
    jsr cell_at
    tax
    lda touch_hi, x
    pha
    lda touch_lo, x
    pha
touch_nothing:
    rts

touch_clover:
    lda #C_SKY
    jsr cell_change
    lda clovers
    cmp #99
    bcs @full
    inc clovers
@full:
    inc chime
    lda #FX_CLOVER
    jsr effect_play
    lda #1
    jmp add_score

touch_cairn:
    lda (row_ptr), y
    cmp #C_CAIRN
    bne @lit            ; it burns already
    lda #C_CAIRN_LIT
    jsr cell_change
    lda px + 1
    sta t0
    lda px
    jsr column_of
    sec
    sbc #5              ; the goat returns to the camera's sixth column
    sta restart_col
    lda goat_y
    sta restart_y
    lda #1
    sta started
    lda #FX_CAIRN
    jsr effect_play
    lda #20
    jmp add_score
@lit:
    rts

; Thorns, claws, stings: they cost twenty clovers, or a life when there are fewer.
touch_thorns:
goat_pricked:
    lda safe
    bne @done
    lda clovers
    sec
    sbc #20
    bcc goat_lost
    sta clovers
    lda #100
    sta safe
    lda #<-$0280
    sta goat_vy
    lda #>-$0280
    sta goat_vy + 1
    lda #0
    sta standing
    sta floating
    lda #FX_HURT
    jmp effect_play
@done:
    rts

goat_lost:
    lda #HURT
    jmp enter

; A tens of points more, a life each 1000 tens; the best score follows. Keeps X.
add_score:
    clc
    adc score
    sta score
    bcc @same_page
    inc score + 1
@same_page:
    lda best
    cmp score
    lda best + 1
    sbc score + 1
    bcs @not_best
    lda score
    sta best
    lda score + 1
    sta best + 1
@not_best:
    lda score
    cmp next_life
    lda score + 1
    sbc next_life + 1
    bcc @done
    lda next_life
    adc #<1000 - 1       ; carry is set
    sta next_life
    lda next_life + 1
    adc #>1000
    sta next_life + 1
    lda lives
    cmp #9
    bcs @done
    inc lives
    lda #FX_LIFE
    jmp effect_play
@done:
    rts
