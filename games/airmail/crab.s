; Clack, the crab in the kettle: after the keeper, on the floors, by the ladders.

crab_place:
    ldx #0              ; floor 0 is the highest one
    lda seg_l
    clc
    adc #12
    sta cx
    stx cseg
    lda seg_y
    sta cy
    lda #C_WALK
    sta cmode
    lda level           ; 1/64 pixel a step
    cmp #12
    bcc @speed
    lda #12
@speed:
    asl a
    asl a
    asl a
    adc #72
    sta cspeed
    lda level
    lsr a
    cmp #5
    bcc @limit
    lda #5
@limit:
    adc #1
    sta s_limit
    rts

crab_step:
    ldx cseg            ; thinks in each step, whatever it does
    lda pseg
    sta s_goal
    lda px              ; ahead of the keeper
    sta s_goal_x
    lda cx
    jsr search_way
    ldx cmode
    lda cmode_lo, x
    sta vec
    lda cmode_hi, x
    sta vec + 1
    jmp (vec)

crab_walk:
    lda px
    sta cwant
    lda cseg
    cmp pseg
    beq @go
    ldy s_first
    bmi @go             ; knows no way: to below or above the keeper
    lda lad_x, y
    sta cwant
    lda cx
    sec
    sbc lad_x, y
    clc
    adc #2
    cmp #5
    bcs @go
    sty clad            ; there
    lda lad_x, y
    sta cx
    lda #C_CLIMB
    sta cmode
    lda #2
    ldx lad_s0, y
    cpx cseg
    beq @climb
    lda #$fe
@climb:
    sta cclimb
    jmp crab_touch
@go:
    lda cx
    cmp cwant
    beq @stay
    bcc @right
    lda #$40
    sta cdir
    lda cspeed
    jsr crab_stride
    lda cxf
    sec
    sbc t0
    sta cxf
    lda cx
    sbc t1
    ldx cseg
    cmp seg_l, x
    bcc @stay
    bcs @moved
@right:
    lda #0
    sta cdir
    lda cspeed
    jsr crab_stride
    clc
    lda cxf
    adc t0
    sta cxf
    lda cx
    adc t1
    ldx cseg
    cmp seg_r, x
    bcs @stay
@moved:
    sta cx
@stay:
    jmp crab_touch

; A in 1/64 pixels as t1.t0; half as much again when there is little left to be caught.
crab_stride:
    ldx left
    cpx #4
    bcs @calm
    sta t0
    lsr a
    adc t0
@calm:
    sta t0
    lda #0
    asl t0
    rol a
    asl t0
    rol a
    sta t1
    rts

crab_climb:
    lda cy
    clc
    adc cclimb
    sta cy
    ldy clad
    ldx lad_s0, y
    cmp lad_y0, y
    beq @arrived
    bcc @arrived
    ldx lad_s1, y
    cmp lad_y1, y
    bcc @on
@arrived:
    stx cseg
    lda seg_y, x
    sta cy
    lda #C_WALK
    sta cmode
@on:
    jmp crab_touch

; In its kettle. A keeper who comes now kicks it into the sea.
crab_stunned:
    dec ctime
    bne @still
    lda #C_WALK
    sta cmode
    ldy clad            ; if it was on a ladder, it goes on
    lda cy
    ldx cseg
    cmp seg_y, x
    beq @still
    lda #C_CLIMB
    sta cmode
@still:
    jsr crab_near
    bcs @done
    lda #C_AWAY
    sta cmode
    lda #90
    sta ctime
    lda #20
    jsr add_score
    lda #SFX_KNOCK
    sta sfx
    lda cx
    lsr a
    lsr a
    lsr a
    tax
    lda #50
    jsr splash
@done:
    rts

; Sinks, and comes back at the top.
crab_away:
    lda cy
    cmp #232
    bcs @gone
    adc #4
    sta cy
@gone:
    dec ctime
    bne @done
    jsr crab_place
@done:
    rts

crab_stun:
    lda cmode
    cmp #C_STUN
    bcs @done
    lda #C_STUN
    sta cmode
    lda #90
    sta ctime
@done:
    rts

crab_touch:
    jsr crab_near
    bcs @done
    jmp keeper_hurt
@done:
    rts

; Carry clear: the crab touches the keeper.
crab_near:
    ldy px
    lda cx
    jsr distance
    cmp #10
    bcs @done
    ldy py
    lda cy
    jsr distance
    cmp #12
@done:
    rts
