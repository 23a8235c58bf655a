; Flight: forces, drag, and what is in the way. Velocities are 8.8 pixels a frame. X is the flyer, as in cur.

; One frame of a flyer that wants what its fpad says.
fly:
    ldy fkind, x
    lda fpad, x
    lsr a
    bcs @right
    lsr a
    bcs @left
    lda #0
    beq @push
@right:
    lda #0
    sta fface, x
    lda kind_push, y
    bne @push
@left:
    lda #$40
    sta fface, x
    lda #0
    sec
    sbc kind_push, y
@push:
    sta acc
    lda fpad, x
    bpl @no_flap
    jsr flap
@no_flap:
    jsr gravity
    jsr sideways_forces
    jsr drag
    jsr move_sideways
    ; fall through

; Moves flyer cur by its vertical speed, unless something is in the way.
move_down:
    ldx cur
    lda #0
    sta fsits, x
    lda fyl, x
    sta oldy
    clc
    adc vyl, x
    sta fyl, x
    lda fy, x
    sta oldy + 1
    adc vy, x
    sta fy, x
    lda vy, x
    bmi @up
    lda fy, x
    clc
    adc #16
    jsr feet
    bcc @free
    jmp land
@up:
    lda fy, x
    cmp #CEILING
    bcc @knock
    cmp #240            ; beyond the top
    bcs @knock
    adc #1
    jsr feet
    bcc @free
@knock:
    lda oldy
    sta fyl, x
    lda oldy + 1
    sta fy, x
    jsr turn_vertical
    lda #M_ROUND        ; a rival looks for another way
    sta fmood, x
    lda #40
    sta fthink, x
@free:
    rts

; Carry set if there is something solid at height A under (or over) the body of X; floor is what.
feet:
    sta celly
    lda fx, x
    clc
    adc #4
    jsr cell_at
    cmp #C_SOLID
    bcs @found
    lda fx, x
    adc #11
    jsr cell_at
    cmp #C_SOLID
@found:
    sta floor
    rts

; A = the cell at (A, celly). Keeps X.
cell_at:
    lsr a
    lsr a
    lsr a
    sta cellx
    lda celly
    lsr a
    lsr a
    lsr a
    tay
    lda row_low, y
    sta ptr
    lda row_high, y
    sta ptr + 1
    ldy cellx
    lda (ptr), y
    rts

; It comes down on something: what then, hangs on the thing, through the RTS trick.
land:
    lda oldy + 1        ; only from above: not when it comes up beside an edge
    clc
    adc #16
    eor celly
    and #$f8
    bne @above
    lda oldy + 1
    and #7
    bne @inside
@above:
    lda celly
    and #$f8
    sec
    sbc #16
    sta fy, x
    lda #0
    sta fyl, x
    lda floor
    sta fsits, x
    sec
    sbc #C_SOLID
    asl a
    tay
    lda land_table + 1, y
    pha
    lda land_table, y
    pha
@inside:
    rts

land_table:
    .word land_white - 1, land_white - 1, land_white - 1
    .word land_pink - 1, land_pink - 1, land_pink - 1
    .word land_stone - 1

; White umbels are soft, but what is curled up bounces.
land_white:
    lda fst, x
    cmp #F_CURL
    beq bounce
    cmp #F_BURR
    beq turn_vertical
still:
    lda #0
    sta vyl, x
    sta vy, x
    txa
    bne @rival
    sta chain           ; a series of hits ends on the ground
@rival:
    rts

; Pink ones throw back whatever falls on them fast enough.
land_pink:
    lda vy, x
    bne @fast
    lda vyl, x
    cmp #$60
    bcc still
@fast:
    lda #0
    sta fsits, x
    lda #240
    jsr rebound
    jmp sfx_spring

; Stone is hard and smooth.
land_stone:
    lda fst, x
    cmp #F_BURR
    beq turn_vertical
bounce:
    lda vy, x
    bne @bounces
    lda vyl, x
    cmp #$40
    bcc still
@bounces:
    lda #112
    jmp rebound

turn_vertical:
    lda fst, x
    cmp #F_BURR
    beq @elastic
    lda #144
    jmp rebound
@elastic:               ; a burr loses none of its speed
    lda vy, x
    bmi @down
    lda #$60
    sta vyl, x
    lda #$ff
    bne @turned
@down:
    lda #$a0
    sta vyl, x
    lda #0
@turned:
    sta vy, x
    rts

; vy = -vy * A / 256. Keeps X.
rebound:
    pha
    lda vyl, x
    sta val
    lda vy, x
    sta val + 1
    jsr negate
    pla
    jsr scale
    lda val
    sta vyl, x
    lda val + 1
    sta vy, x
    rts

; A stroke of the wings: up, and on in the wanted direction.
flap:
    ldy fkind, x
    sec
    lda vyl, x
    sbc kind_flap, y
    sta vyl, x
    lda vy, x
    sbc #0
    sta vy, x
    bpl @slow_enough
    cmp #$fe
    bcs @slow_enough
    lda #$fe            ; 2 pixels a frame at most
    sta vy, x
    lda #0
    sta vyl, x
@slow_enough:
    lda kind_rest, y
    sta fwing, x
    lda acc             ; the stroke pushes four times as much as gliding
    asl a
    asl a
    sta t0
    lda acc
    jsr push_by_t0
    txa
    bne @rival
    jmp sfx_flap
@rival:
    rts

; vx = vx + t0, with the sign of A.
push_by_t0:
    asl a
    lda #0
    bcc @right
    lda #$ff
@right:
    sta t1
    clc
    lda vxl, x
    adc t0
    sta vxl, x
    lda vx, x
    adc t1
    sta vx, x
    rts

gravity:
    ldy fkind, x
    clc
    lda vyl, x
    adc kind_weight, y
    sta vyl, x
    lda vy, x
    adc #0
    sta vy, x
    bmi @rising
    cmp #2
    bcc @rising
    lda #2              ; as fast as things fall here
    sta vy, x
    lda #0
    sta vyl, x
@rising:
    rts

; What it wants, and in the air the wind.
sideways_forces:
    lda acc
    sta t0
    jsr push_by_t0
    lda fsits, x
    bne @sheltered
    lda wind
    beq @sheltered
    sta t0
    jmp push_by_t0
@sheltered:
    rts

; vx loses a part of itself: in the air a 32nd, on the ground more, the more the rougher.
drag:
    lda vxl, x
    sta val
    lda vx, x
    sta val + 1
    ldy fsits, x
    lda drag_air
    cpy #C_SOLID
    bcc @free
    lda drag_on - C_SOLID, y
    ldy acc
    bne @free
    asl a               ; who wants to stand comes to a stand
@free:
    jsr scale
    sec
    lda vxl, x
    sbc val
    sta vxl, x
    lda vx, x
    sbc val + 1
    sta vx, x
    rts

; Moves flyer cur by its horizontal speed, unless something is in the way. The world is round.
move_sideways:
    ldx cur
    lda fxl, x
    sta oldx
    clc
    adc vxl, x
    sta fxl, x
    lda fx, x
    sta oldx + 1
    adc vx, x
    sta fx, x
    cmp oldx + 1
    beq @free           ; not a whole pixel
    ldy vx, x
    bmi @left
    clc
    adc #13
    jmp @side
@left:
    clc
    adc #2
@side:
    sta feature
    lda fy, x
    clc
    adc #4
    sta celly
    lda feature
    jsr cell_at
    cmp #C_SOLID
    bcs @wall
    lda fy, x
    clc
    adc #13
    sta celly
    lda feature
    jsr cell_at
    cmp #C_SOLID
    bcs @wall
@free:
    rts
@wall:
    lda oldx
    sta fxl, x
    lda oldx + 1
    sta fx, x
    lda vxl, x
    sta val
    lda vx, x
    sta val + 1
    jsr negate
    lda fst, x
    cmp #F_BURR
    beq @elastic
    lda #160
    jsr scale
@elastic:
    lda val
    sta vxl, x
    lda val + 1
    sta vx, x
    lda #M_ROUND
    sta fmood, x
    lda #24
    sta fthink, x
    lda fface, x        ; a rival turns round
    eor #$40
    sta fface, x
    rts

; Moves flyer cur through everything.
move_free:
    clc
    lda fxl, x
    adc vxl, x
    sta fxl, x
    lda fx, x
    adc vx, x
    sta fx, x
    clc
    lda fyl, x
    adc vyl, x
    sta fyl, x
    lda fy, x
    adc vy, x
    sta fy, x
    rts
