; How rivals decide. Now and then a rival thinks, in the way of its kind (through JMP (vec)): that gives it
; a mood and a goal. In each frame its mood (through the RTS trick) tells it which buttons to press, as if
; it had a pad.

decide:
    lda fthink, x
    beq @think
    dec fthink, x
    jmp act
@think:
    sec
    lda px
    sbc fx, x
    sta dx              ; the world is round: signed, the shorter way
    jsr absolute
    sta near
    sec
    lda py
    sbc fy, x
    sta dy
    ldy fkind, x
    lda think_low, y
    sta vec
    lda think_high, y
    sta vec + 1
    jsr @jump
    ldx cur
    jmp act
@jump:
    jmp (vec)

; A = the mood, Y (16 or more) frames until the next thought, fewer for the angry.
settle:
    sta fmood, x
    tya
    sec
    sbc fgrade, x
    sbc fgrade, x
    sta fthink, x
    rts

; Goal: dx, dy = the player's place, less A upwards.
goal_above:
    sta t0
    lda px
    sta fgoalx, x
    sec
    lda py
    sbc t0
    bcc @top
    cmp #20
    bcs @fits
@top:
    lda #20
@fits:
    sta fgoaly, x
    rts

; A gnat strays, but not far from where the player is.
think_gnat:
    jsr random
    sta fgoalx, x
    jsr random
    and #$7f
    clc
    adc #24
    sta fgoaly, x
    jsr random
    and #3
    bne @stray
    lda #24
    jsr goal_above
@stray:
    jsr random
    and #31
    ora #16
    tay
    lda #M_GO
    jmp settle

; A wasp wants to be above the player, and makes off when the player is above it and near.
think_wasp:
    lda dy
    bpl @chase
    cmp #<-8
    bcs @chase
    lda near
    cmp #44
    bcs @chase
    ldy #30
    lda #M_FLEE
    jmp settle
@chase:
    lda #18
    jsr goal_above
    ldy #18
    lda #M_GO
    jmp settle

; A beetle goes high, and lets itself fall on who is below.
think_beetle:
    lda dy
    bmi @climb
    cmp #24
    bcc @climb
    lda near
    cmp #24
    bcs @climb
    ldy #34
    lda #M_DIVE
    jmp settle
@climb:
    lda #64
    jsr goal_above
    ldy #24
    lda #M_GO
    jmp settle

; A dragonfly looks for the player's height, and then darts along it, a little above.
think_dragon:
    lda #10
    jsr goal_above
    lda dy
    jsr absolute
    cmp #28
    bcs @level
    lda #0
    ldy dx
    bpl @east
    lda #$40
@east:
    sta fface, x
    ldy #60
    lda #M_DASH
    jmp settle
@level:
    lda dx              ; away from the player meanwhile
    eor #$80
    clc
    adc fx, x
    sta fgoalx, x
    ldy #26
    lda #M_GO
    jmp settle

; A hornet goes where the player will be, and dives when that is below; low, it makes off.
think_hornet:
    lda vxl
    sta val
    lda vx
    sta val + 1
    lda #28             ; frames ahead
    jsr scale
    ldx cur
    lda #20
    jsr goal_above
    clc
    lda px
    adc val
    sta fgoalx, x
    sec
    sbc fx, x
    jsr absolute
    sta near
    lda dy
    bmi @low
    cmp #18
    bcc @chase
    lda near
    cmp #18
    bcs @chase
    ldy #26
    lda #M_DIVE
    jmp settle
@low:
    cmp #<-10
    bcs @chase
    lda near
    cmp #36
    bcs @chase
    ldy #34
    lda #M_FLEE
    jmp settle
@chase:
    ldy #16
    lda #M_GO
    jmp settle

; -- Moods. They set fpad.
act:
    ldy fmood, x
    lda mood_high, y
    pha
    lda mood_low, y
    pha
    rts

; Towards the goal.
mood_go:
    jsr steer
    lda fgoaly, x

; fpad = A's side from t5, and flap if too low: lower than A, or near the bog.
keep_height:
    cmp fy, x
    bcc @low
    lda fy, x
    cmp #BOG_Y - 58
    bcs @low
@glide:
    lda t5
    sta fpad, x
    rts
@low:
    lda fwing, x
    bne @glide
    lda vy, x
    bmi @glide          ; it still rises
    lda t5
    ora #PAD_A
    sta fpad, x
    rts

; t5 = the button towards fgoalx, none when there.
steer:
    sec
    lda fgoalx, x
    sbc fx, x
    bmi @west
    cmp #4
    lda #PAD_RIGHT
    bcs @turn
    lda #0
@turn:
    sta t5
    rts
@west:
    cmp #<-4
    lda #PAD_LEFT
    bcc @turn
    lda #0
    beq @turn

; Down on the player, without a stroke, until low.
mood_dive:
    lda px
    sta fgoalx, x
    jsr steer
    lda py
    clc
    adc #8
    cmp fy, x
    bcs @falls
    lda #0              ; it is past: think again
    sta fthink, x
@falls:
    lda #BOG_Y - 60
    jmp keep_height

; Straight on at one height, faster.
mood_dash:
    jsr ahead
    lda fwing, x
    bne @rest
    lda vx, x
    asl a
    lda #$0c
    bcc @east
    lda #<-$0c
@east:
    sta t0
    jsr push_by_t0
@rest:
    lda fgoaly, x
    jmp keep_height

; t5 = the button of the side it faces.
ahead:
    lda #PAD_RIGHT
    ldy fface, x
    beq @east
    lda #PAD_LEFT
@east:
    sta t5
    rts

; Away, and up.
mood_flee:
    lda px
    eor #$80            ; the other side of the world
    sta fgoalx, x
    jsr steer
    lda py
    sec
    sbc #50
    bcs @fits
    lda #16
@fits:
    jmp keep_height

; Something was in the way: along it for a while, at the height it is.
mood_round:
    jsr ahead
    lda fy, x
    clc
    adc #6
    jmp keep_height

think_low:
    .byte 0, <think_gnat, <think_wasp, <think_beetle, <think_dragon, <think_hornet
think_high:
    .byte 0, >think_gnat, >think_wasp, >think_beetle, >think_dragon, >think_hornet
mood_low:
    .byte <(mood_go - 1), <(mood_dive - 1), <(mood_dash - 1), <(mood_flee - 1), <(mood_round - 1)
mood_high:
    .byte >(mood_go - 1), >(mood_dive - 1), >(mood_dash - 1), >(mood_flee - 1), >(mood_round - 1)
