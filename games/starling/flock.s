; The flock: its leader, whom the player steers, the birds that follow, and their song.

LEADER_LEFT = 14
LEADER_RIGHT = 242
LEADER_TOP = 40
LEADER_BOTTOM = 216
FLOCK_WIDE = 34
FLOCK_CLOSE = 15

; A new leader at the bottom of the picture, with two birds, safe for a while.
leader_new:
    lda #128
    sta leader_x
    lda #196
    sta leader_y
    lda #0
    sta leader_xl
    sta leader_yl
    sta leader_gone
    sta fire_wait
    sta ouch
    lda #150
    sta leader_safe
    lda #FLOCK_WIDE
    sta spread
    lda #0
    sta flock
    jsr bird_join
    ; falls through

; One more bird, from the leader's place; X = its number. There must be room.
bird_join:
    lda leader_x
    sta t0
    lda leader_y
    sta t1
; The same from t0, t1.
bird_join_at:
    ldx flock
    lda t0
    sta bird_x,x
    lda t1
    sta bird_y,x
    lda #0
    sta bird_xl,x
    sta bird_yl,x
    sta bird_vxl,x
    sta bird_vx,x
    sta bird_vyl,x
    sta bird_vy,x
    inc flock
    rts

leader_step:
    lda leader_gone
    beq @here
    dec leader_gone
    bne @wait
    lda lives
    beq @over
    jsr leader_new
@wait:
    rts
@over:
    lda #ST_OVER
    jmp go_state
@here:
    lda leader_safe
    beq @frail
    dec leader_safe
@frail:
    lda ouch
    beq @steer
    dec ouch
@steer:
    ; B held: the flock keeps close and flies slowly
    lda #<448
    sta t0
    lda #>448
    sta t1
    lda pad
    and #PAD_B
    beq @wide
    lda #<260
    sta t0
    lda #>260
    sta t1
    lda spread
    cmp #FLOCK_CLOSE
    beq @spread
    dec spread
    bne @spread             ; always
@wide:
    lda spread
    cmp #FLOCK_WIDE
    beq @spread
    inc spread
@spread:
    lda #0
    sta leader_tilt
    lda pad
    lsr a
    bcs @right
    lsr a
    bcs @left
    bcc @upright
@right:
    inc leader_tilt
    lda leader_xl
    adc t0                  ; carry set: a 256th more, no matter
    sta leader_xl
    lda leader_x
    adc t1
    cmp #LEADER_RIGHT
    bcc @set_x
    lda #LEADER_RIGHT
    bne @set_x              ; always
@left:
    dec leader_tilt
    lda leader_xl
    sbc t0
    sta leader_xl
    lda leader_x
    sbc t1
    cmp #LEADER_LEFT
    bcs @set_x
    lda #LEADER_LEFT
@set_x:
    sta leader_x
@upright:
    lda pad
    and #PAD_UP
    bne @up
    lda pad
    and #PAD_DOWN
    beq @level
    lda leader_yl
    clc
    adc t0
    sta leader_yl
    lda leader_y
    adc t1
    cmp #LEADER_BOTTOM
    bcc @set_y
    lda #LEADER_BOTTOM
    bne @set_y              ; always
@up:
    lda leader_yl
    sec
    sbc t0
    sta leader_yl
    lda leader_y
    sbc t1
    cmp #LEADER_TOP
    bcs @set_y
    lda #LEADER_TOP
@set_y:
    sta leader_y
@level:
    ; falls through

; A held: the leader sings, and one bird after the other with it.
sing:
    lda fire_wait
    beq @ready
    dec fire_wait
    rts
@ready:
    lda pad
    and #PAD_A
    beq @done
    lda #7
    sta fire_wait
    lda leader_x
    sta t0
    lda leader_y
    sta t1
    lda leader_tilt
    sta t2
    lda #1
    jsr note_make
    ldx flock
    beq @solo
    dex
    inc singer
    cpx singer
    bcs @chorus
    lda #0
    sta singer
@chorus:
    ldx singer
    lda bird_x,x
    sta t0
    lda bird_y,x
    sta t1
    lda bird_vx,x           ; a bird's song drifts with its flight
    sta t2
    lda singer
    and #1
    clc
    adc #2
    jsr note_make
@solo:
    lda #SFX_SONG
    jmp sfx
@done:
    rts

; A = kind, t0, t1 place, t2 sideways speed.
note_make:
    ldx #NOTE_MAX-1
    pha
@find:
    lda note_on,x
    beq @free
    dex
    bpl @find
    pla
    rts
@free:
    pla
    sta note_on,x
    lda t0
    sta note_x,x
    lda t1
    sta note_y,x
    lda t2
    sta note_vx,x
    rts

notes_step:
    ldx #NOTE_MAX-1
@note:
    lda note_on,x
    beq @next
    lda note_x,x
    clc
    adc note_vx,x
    sta note_x,x
    cmp #250
    bcs @out
    lda note_y,x
    sec
    sbc #6
    sta note_y,x
    cmp #14
    bcs @next
@out:
    lda #0
    sta note_on,x
@next:
    dex
    bpl @note
    rts

; Every bird is drawn towards its place on a ring that turns about the leader, is slowed by the air,
; and keeps away from its neighbours.
flock_step:
    lda orbit
    clc
    adc #2
    sta orbit
    ldx flock
    beq @none
    dex
@bird:
    jsr bird_drawn
    jsr keep_apart
    dex
    bpl @bird
    ldx flock
    dex
@fly:
    jsr bird_fly
    dex
    bpl @fly
@none:
    rts

; Bird X: the pull of its place and the drag of the air.
bird_drawn:
    ; across
    lda orbit
    clc
    adc ring_place,x
    sta p_dir
    jsr cosine
    ldy spread
    jsr reach
    clc
    adc leader_x
    sec
    sbc bird_x,x
    ror a                   ; half of the nine-bit difference
    eor #$80
    jsr pull
    lda bird_vxl,x
    clc
    adc t0
    sta bird_vxl,x
    lda bird_vx,x
    adc t1
    sta bird_vx,x
    ; the air: v -= v / 8
    sta t1
    lda bird_vxl,x
    jsr eighth
    lda bird_vxl,x
    sec
    sbc t0
    sta bird_vxl,x
    lda bird_vx,x
    sbc t1
    sta bird_vx,x
    ; and down
    lda p_dir
    jsr sine
    ldy spread
    jsr reach
    clc
    adc leader_y
    clc
    adc #8
    sec
    sbc bird_y,x
    ror a
    eor #$80
    jsr pull
    lda bird_vyl,x
    clc
    adc t0
    sta bird_vyl,x
    lda bird_vy,x
    adc t1
    sta bird_vy,x
    sta t1
    lda bird_vyl,x
    jsr eighth
    lda bird_vyl,x
    sec
    sbc t0
    sta bird_vyl,x
    lda bird_vy,x
    sbc t1
    sta bird_vy,x
    rts

bird_fly:
    lda bird_xl,x
    clc
    adc bird_vxl,x
    sta bird_xl,x
    lda bird_x,x
    adc bird_vx,x
    cmp #6
    bcs @not_left
    lda #6
@not_left:
    cmp #250
    bcc @not_right
    lda #250
@not_right:
    sta bird_x,x
    lda bird_yl,x
    clc
    adc bird_vyl,x
    sta bird_yl,x
    lda bird_y,x
    adc bird_vy,x
    cmp #232
    bcc @not_low
    lda #232
@not_low:
    sta bird_y,x
    rts

; Signed A -> t1:t0 = 8 * A
pull:
    ldy #0
    asl a
    bcc @plus
    ldy #$FF
@plus:
    sty t1
    asl a
    rol t1
    asl a
    rol t1
    sta t0
    rts

; t1:A -> t1:t0 = an eighth of it, signed
eighth:
    sta t0
    lda t1
    .repeat 3
    cmp #$80
    ror a
    ror t0
    .endrepeat
    sta t1
    rts

; Bird X against those before it: too close, and both are pushed apart.
keep_apart:
    txa
    tay
    dey
    bmi @done
@other:
    lda bird_x,x
    sec
    sbc bird_x,y
    clc
    adc #10
    cmp #21
    bcs @next
    sta t0                  ; 0..20: 10 + distance across
    lda bird_y,x
    sec
    sbc bird_y,y
    clc
    adc #8
    cmp #17
    bcs @next
    lda t0
    cmp #10
    bcs @push_right
    lda bird_vxl,x
    sbc #$3F                ; carry clear: $40
    sta bird_vxl,x
    bcs @other_right
    dec bird_vx,x
@other_right:
    lda bird_vxl,y
    clc
    adc #$40
    sta bird_vxl,y
    lda bird_vx,y
    adc #0
    sta bird_vx,y
    jmp @next
@push_right:
    lda bird_vxl,x
    adc #$3F                ; carry set: $40
    sta bird_vxl,x
    bcc @other_left
    inc bird_vx,x
@other_left:
    lda bird_vxl,y
    sec
    sbc #$40
    sta bird_vxl,y
    lda bird_vx,y
    sbc #0
    sta bird_vx,y
@next:
    dey
    bpl @other
@done:
    rts

; Places on the ring, not quite even so that the flock looks alive.
ring_place:
    .byte 0, 37, 75, 110, 148, 181, 218

; Bird X is lost: a feather falls, the last bird takes its number.
bird_lost:
    lda bird_x,x
    sta t0
    lda bird_y,x
    sta t1
    lda #PUFF_FEATHER
    jsr puff_make
    dec flock
    ldy flock
    lda bird_xl,y
    sta bird_xl,x
    lda bird_x,y
    sta bird_x,x
    lda bird_yl,y
    sta bird_yl,x
    lda bird_y,y
    sta bird_y,x
    lda bird_vxl,y
    sta bird_vxl,x
    lda bird_vx,y
    sta bird_vx,x
    lda bird_vyl,y
    sta bird_vyl,x
    lda bird_vy,y
    sta bird_vy,x
    lda #90
    sta ouch
    lda #0
    sta chain
    lda #SFX_LOST
    jmp sfx

; Something has hit the leader. A bird takes its place; without one, a life is lost.
leader_hit:
    lda #0
    sta chain
    ldx flock
    beq @alone
    dex                     ; the last bird shields it
    lda #48
    sta leader_safe
    jmp bird_lost
@alone:
    dec lives
    lda leader_x
    sta t0
    lda leader_y
    sta t1
    lda #PUFF_BURST
    jsr puff_make
    lda #PUFF_FEATHER
    jsr puff_make
    lda #90
    sta leader_gone
    lda #SFX_FALL
    jmp sfx

; ---- strays and acorns ----

PICK_STRAY = 1
PICK_ACORN = 2

; A = type, t0, t1 place.
pick_make:
    ldx #PICK_MAX-1
    pha
@find:
    lda pick_type,x
    beq @free
    dex
    bpl @find
    pla
    rts
@free:
    pla
    sta pick_type,x
    lda t0
    sta pick_x,x
    lda t1
    sta pick_y,x
    lda #0
    sta pick_time,x
    rts

picks_step:
    ldx #PICK_MAX-1
@pick:
    ldy pick_type,x
    beq @next
    inc pick_time,x
    dey
    bne @acorn
    ; a stray sways and comes down slowly
    lda pick_time,x
    asl a
    asl a
    jsr sine
    ldy #3
    jsr reach
    clc
    adc pick_x,x
    sta pick_x,x
    lda ticks
    lsr a
    bcc @next
    bcs @down
@acorn:
    lda pick_time,x         ; an acorn falls with the land and a little faster
    and #1
    beq @land
    inc pick_y,x
@land:
    lda pick_y,x
    clc
    adc scroll_step
    sta pick_y,x
    jmp @bounds
@down:
    inc pick_y,x
@bounds:
    lda pick_y,x
    cmp #232
    bcc @next
    lda #0
    sta pick_type,x
@next:
    dex
    bpl @pick
    rts

; ---- short effects ----

PUFF_SMALL = 1          ; ORDER PUFF (puff_life, draw_puffs)
PUFF_BURST = 2
PUFF_FEATHER = 3

; A = type, t0, t1 place. Keeps X. The oldest slots are taken over in turn.
puff_make:
    ldy #PUFF_MAX-1
    pha
@find:
    lda puff_type,y
    beq @free
    dey
    bne @find
@free:
    pla
    sta puff_type,y
    pha
    lda t0
    sta puff_x,y
    lda t1
    sta puff_y,y
    sty t2
    pla
    tay
    lda puff_life-1,y
    ldy t2
    sta puff_time,y
    rts

puff_life:
    .byte 12, 18, 100

puffs_step:
    ldx #PUFF_MAX-1
@puff:
    lda puff_type,x
    beq @next
    dec puff_time,x
    beq @over
    cmp #PUFF_FEATHER
    bne @next
    ; feathers rock as they fall
    lda puff_time,x
    and #16
    bne @left
    inc puff_x,x
    bcs @fall               ; carry set by the comparison
@left:
    dec puff_x,x
@fall:
    lda puff_time,x
    lsr a
    bcc @next
    inc puff_y,x
    lda puff_y,x
    cmp #230
    bcc @next
@over:
    lda #0
    sta puff_type,x
@next:
    dex
    bpl @puff
    rts
