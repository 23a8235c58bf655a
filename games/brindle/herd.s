; Beasts, boards and other things that move: ten slots. What one does in a frame depends on its kind: JMP (vec).

; The level's list: column, row * 16 + kind. One a frame comes, just beyond the right edge.
spawn_step:
    jsr camera_column
    clc
    adc #17
    sta t1
    ldy #0
    lda (spawn), y
    cmp #255
    beq @none           ; the list's end
    cmp t1
    bcs @none
    sta t2
    jsr free_slot
    bmi @none           ; later, then: a board must not be lost
    iny
    lda (spawn), y
    sta t3
    clc
    lda spawn
    adc #2
    sta spawn
    bcc @same_page
    inc spawn + 1
@same_page:
    lda t1
    sec
    sbc #17 - 2
    cmp t2
    bcs @none           ; left behind, when the goat returns to a cairn
    lda t2
    asl a               ; column * 16
    rol obj_xh, x
    asl a
    rol obj_xh, x
    asl a
    rol obj_xh, x
    asl a
    rol obj_xh, x
    sta obj_x, x
    lda obj_xh, x
    and #$0f
    sta obj_xh, x
    lda t3
    and #$f0
    sta obj_y, x
    lda t3
    and #$0f
    jmp object_begin
@none:
    rts

; X = a free slot, negative: none.
free_slot:
    ldx #OBJECTS - 1
@slot:
    lda kind, x
    bmi @free
    dex
    bpl @slot
@free:
    txa
    rts

; Object X, which has its place, starts as kind A. Keeps X.
object_begin:
    sta kind, x
    tay
    lda first_pose, y
    sta obj_pose, x
    lda first_spiny, y
    sta obj_spiny, x
    lda script_lo, y
    sta obj_pc, x
    lda script_hi, y
    sta obj_pch, x
    lda first_time, y
    sta obj_time, x
    lda #0
    sta obj_xf, x
    sta obj_yf, x
    sta obj_vx, x
    sta obj_vxh, x
    sta obj_vy, x
    sta obj_vyh, x
    sta obj_floor, x
    sta obj_loop, x
    sta obj_dx, x
    lda #1
    sta obj_left, x
    cpy #CRAB
    bne @done
    txa
    pha
    lda #10             ; a crab just walks
    jsr set_run
    pla
    tax
@done:
    rts

herd_step:
    ldx #0
@object:
    stx cur
    lda kind, x
    bmi @nobody
    jsr object_step
@nobody:
    ldx cur
    inx
    cpx #OBJECTS
    bne @object
    rts

; Object X: gone if too far from the picture, else by its kind.
object_step:
    sec
    lda obj_x, x
    sbc cam
    tay
    lda obj_xh, x
    sbc cam + 1
    beq @near           ; in the picture
    bmi @left
    cmp #2
    bcs @gone
    cpy #64
    bcs @gone
    bcc @near
@left:
    cmp #$ff
    bne @gone
    cpy #256 - 64
    bcc @gone
@near:
    ldy kind, x
    lda kind_lo, y
    sta vec
    lda kind_hi, y
    sta vec + 1
    sec
    lda goat_x
    sbc obj_x, x
    sta near_x
    lda goat_x + 1
    sbc obj_xh, x
    sta near_x + 1
    jmp (vec)
@gone:
object_end:
    lda #NOBODY
    sta kind, x
    rts

; -- Kinds. X = cur.

; A crab walks, and turns at walls and edges.
kind_crab:
    lda ticks
    and #8
    lsr a
    adc #T_crab_a
    sta obj_pose, x
    jsr object_fall
    lda obj_floor, x
    beq @in_air
    jsr edge_ahead
    bcc @in_air
    jsr turn_round
@in_air:
    jmp meet_goat

; Gulls, and whoever else only follows its script through the air.
kind_gull:
    jsr script_step
    jsr object_fly
    jmp meet_goat

; Frogs and hedgehogs follow a script, and fall.
kind_hopper:
    jsr script_step
    jsr object_fall
    jmp meet_goat

; An adder stays where it is.
kind_adder:
    jsr script_step
    jmp meet_goat

; A bat hangs until the goat is near, then swoops down and up again.
kind_bat:
    lda obj_loop, x
    bne @swoops
    lda near_x + 1
    bmi @left
    bne @hangs
    lda near_x
    cmp #80
    bcs @hangs
    lda #0
    beq @go
@left:
    lda near_x
    cmp #256 - 88
    bcc @hangs
    lda #1
@go:
    sta obj_left, x
    inc obj_loop, x
    lda #20
    jsr set_run
    lda #<$0300
    sta obj_vy, x
    lda #>$0300
    sta obj_vyh, x
@swoops:
    sec
    lda obj_vy, x
    sbc #18
    sta obj_vy, x
    bcs @same
    dec obj_vyh, x
@same:
    lda ticks
    and #4
    clc
    adc #T_bat_a
    sta obj_pose, x
    jsr object_fly
    lda obj_y, x
    cmp #240            ; up and away
    bcc @hangs
    jmp object_end
@hangs:
    jmp meet_goat

; A boulder waits for the goat, then rolls; downhill faster, and into a wall only once.
kind_boulder:
    lda obj_loop, x
    bne @rolls
    lda near_x + 1
    cmp #$ff
    bne @waits
    lda near_x
    cmp #256 - 150
    bcc @waits
    inc obj_loop, x
    lda #16
    jsr set_run
@rolls:
    lda obj_vxh, x      ; has a wall turned it?
    bpl @bursts
    jsr object_fall
    lda found_slope
    beq @level
    clc
    lda obj_vx, x
    adc slope_pull_lo - 1, y
    sta obj_vx, x
    lda obj_vxh, x
    adc slope_pull_hi - 1, y
    sta obj_vxh, x
@level:
    jmp meet_goat
@bursts:
    jmp object_burst
@waits:
    jsr object_fall
    jmp meet_goat

; Boards follow their scripts and take the goat along.
kind_board:
    jsr script_step
    jsr object_fly
    cpx ride
    bne @empty
    jsr carry_goat
@empty:
    rts

; A rotten board falls a moment after the goat has stepped on it.
kind_rotten:
    lda obj_loop, x
    bne @loose
    cpx ride
    bne @holds
    inc obj_loop, x
@loose:
    lda obj_time, x
    beq @falls
    dec obj_time, x
@holds:
    lda #0
    sta obj_dx, x
    rts
@falls:
    clc
    lda obj_vy, x
    adc #24
    sta obj_vy, x
    bcc @same
    inc obj_vyh, x
@same:
    jsr object_fly
    lda obj_y, x
    cmp #FLOOR_Y
    bcs @lost
    cpx ride
    bne @empty
    jmp carry_goat
@lost:
    cpx ride
    bne @end
    lda #$ff
    sta ride
@end:
    jmp object_end
@empty:
    rts

; A seed flies until it hits something.
kind_seed:
    dec obj_time, x
    beq @burst
    jsr object_fly
    jsr object_middle
    lda obj_y, x
    adc #7
    jsr solid_at
    ldx cur
    bcs @burst
    jmp meet_goat
@burst:
    jmp object_burst

kind_puff:
    dec obj_time, x
    beq @end
    lda obj_time, x
    lsr a
    lsr a
    and #1
    clc
    adc #T_puff_a
    sta obj_pose, x
    rts
@end:
    jmp object_end

; Whoever was stomped or butted tumbles out of the picture.
kind_tumbler:
    clc
    lda obj_vy, x
    adc #$30
    sta obj_vy, x
    bcc @same
    inc obj_vyh, x
@same:
    jsr object_fly
    lda obj_y, x
    cmp #FLOOR_Y
    bcc @done
    cmp #240
    bcs @done           ; above it
    jmp object_end
@done:
    rts

; -- What they have in common. X = cur, and stays.

; Moves by the velocity. obj_dx = whole pixels to the right.
object_fly:
    clc
    lda obj_yf, x
    adc obj_vy, x
    sta obj_yf, x
    lda obj_y, x
    adc obj_vyh, x
    sta obj_y, x
object_slide:
    lda obj_x, x
    sta t0
    clc
    lda obj_xf, x
    adc obj_vx, x
    sta obj_xf, x
    lda obj_x, x
    adc obj_vxh, x
    sta obj_x, x
    lda obj_vxh, x
    bmi @left
    lda obj_xh, x
    adc #0
    sta obj_xh, x
    jmp @moved
@left:
    lda obj_xh, x
    adc #$ff
    sta obj_xh, x
@moved:
    sec
    lda obj_x, x
    sbc t0
    sta obj_dx, x
    rts

; Moves with gravity, stands on the ground, turns at walls. Y and found_slope: the slope it stands on, 0 none.
object_fall:
    clc
    lda obj_vy, x
    adc #$28
    sta obj_vy, x
    lda obj_vyh, x
    adc #0
    sta obj_vyh, x
    cmp #4
    bne @slow_enough
    lda #3
    sta obj_vyh, x
@slow_enough:
    jsr object_fly
    lda obj_y, x
    cmp #FLOOR_Y
    bcc @in_sight
    cmp #240
    bcs @in_sight
    pla                 ; fallen: its kind has nothing left to do
    pla
    jmp object_end
@in_sight:
    jsr wall_ahead
    bcc @no_wall
    jsr turn_round
    jsr object_slide
@no_wall:
    lda obj_floor, x
    asl a
    asl a
    sta stick
    lda #0
    sta obj_floor, x
    sta found_slope
    lda obj_vyh, x
    bmi @in_air
    adc #2
    sta t4
    jsr object_middle
    lda obj_y, x
    adc #16
    jsr slope_at
    ldx cur
    bcc @flat
    lda py
    jsr cell_at         ; which slope?
    sec
    sbc #UPHILL - 1
    sta found_slope
    ldx cur
    bpl @land
@flat:
    lda obj_y, x
    adc #16             ; carry is clear
    jsr flat_at
    ldx cur
    bcc @in_air
@land:
    lda found
    sec
    sbc #16
    sta obj_y, x
    lda #0
    sta obj_vy, x
    sta obj_vyh, x
    sta obj_yf, x
    lda #1
    sta obj_floor, x
@in_air:
    ldy found_slope
    rts

; px = its middle, carry clear.
object_middle:
    lda #8
object_px:
    clc
    adc obj_x, x
    sta px
    lda obj_xh, x
    adc #0
    sta px + 1
    rts

; Carry: a wall before its chest.
wall_ahead:
    ldy #14
    lda obj_vxh, x
    bpl @right
    ldy #2
@right:
    tya
    jsr object_px
    lda obj_y, x
    adc #8
    jsr solid_at
    ldx cur
    rts

; Carry: nothing to stand on before its feet.
edge_ahead:
    ldy #13
    lda obj_vxh, x
    bpl @right
    ldy #3
@right:
    tya
    jsr object_px
    lda obj_y, x
    adc #18
    sta py
    jsr cell_at
    ldx cur
    cmp #OPEN
    beq @edge
    cmp #THORNS
    beq @edge
    clc
    rts
@edge:
    sec
    rts

turn_round:
    sec
    lda #0
    sbc obj_vx, x
    sta obj_vx, x
    lda #0
    sbc obj_vxh, x
    sta obj_vxh, x
    lda obj_left, x
    eor #1
    sta obj_left, x
    rts

; The goat stands on board X: it moves along.
carry_goat:
    clc
    lda obj_dx, x
    bmi @left
    adc goat_x
    sta goat_x
    bcc @up
    inc goat_x + 1
    bcs @up
@left:
    adc goat_x
    sta goat_x
    bcs @up
    dec goat_x + 1
@up:
    lda obj_y, x
    sec
    sbc #16
    sta goat_y
    rts

; Goat and object X: horns, hooves, or pain.
meet_goat:
    lda state
    cmp #PLAY
    bne @apart
    clc
    lda goat_x
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
    bne @apart
    cpy #25
    bcs @apart
    sec
    lda obj_y, x
    sbc goat_y
    cmp #14
    bcc @lower          ; the object is lower by so much
    cmp #256 - 12
    bcs @higher
@apart:
    rts
@lower:
    cmp #5
    bcc @higher
    lda goat_vy + 1
    bmi @higher
    ora goat_vy
    beq @higher         ; it stands
    lda obj_spiny, x
    lsr a
    bcs @pain
    jmp stomped
@higher:
    lda butting
    beq @pain
    lda obj_spiny, x
    and #2
    bne @pain
    jmp butted
@pain:
    jmp goat_pricked

; From above: the goat bounces, higher while A is held. Each in a row without standing is worth more.
stomped:
    lda #<-$0380
    sta goat_vy
    lda #>-$0380
    sta goat_vy + 1
    lda #1
    sta floating
    lda #0
    sta standing
    ldy chain
    cpy #4
    bcs @longest
    inc chain
@longest:
    lda chain_points, y
    jsr add_score
    lda #FX_STOMP
    jsr effect_play
    lda #0
    sta obj_vx, x
    sta obj_vxh, x
    lda #<-$0100
    ldy #>-$0100
    bne tumble
; Horns send it flying the way the goat runs.
butted:
    lda #10
    jsr add_score
    lda #FX_BUTT
    jsr effect_play
    lda goat_vx
    sta obj_vx, x
    lda goat_vx + 1
    sta obj_vxh, x
    lda #<-$0300
    ldy #>-$0300
tumble:
    sta obj_vy, x
    tya
    sta obj_vyh, x
    ldy kind, x
    cpy #SEED
    beq object_burst
    lda kind_look, y
    ora #$80            ; upside down
    sta obj_loop, x
    lda #TUMBLER
    sta kind, x
    rts

object_burst:
    lda #PUFF
    jmp object_begin

; Bits of the crate at px, py.
crate_splinters:
    jsr free_slot
    bmi @none
    lda px
    and #$f0
    sta obj_x, x
    lda px + 1
    sta obj_xh, x
    lda py
    and #$f0
    sta obj_y, x
    lda #PUFF
    jsr object_begin
@none:
    lda #2
    jsr add_score
    lda #FX_CRATE
    jmp effect_play
