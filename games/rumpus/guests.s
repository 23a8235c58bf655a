; The guests: each kind is a coroutine, from `KIND_birth` in a window to the end of time. A blow sends it to `KIND_struck`, and when it
; is on its feet again it goes on at `KIND_go`.

HOLE_LEFT = 14          ; who walks outwards beyond these on the floor goes into the mouse hole
HOLE_RIGHT = 226
PACE_MAX = 68

; Sets a new guest (X) into the window `side`.
guest_place:
    ldy side
    lda window_x, y
    sta o_x, x
    lda window_dir, y
    sta o_dir, x
    lda line_y
    sta o_y, x
    lda #0
    sta o_lev, x
    lda #1
    sta o_ground, x
    rts

; Out of the window: behind its frame at first.
co_enter:
    jsr link
    lda #AWAY
    sta o_mode, x
    lda o_attr, x
    ora #$20
    sta o_attr, x
    jsr body_pace
@inside:
    jsr guest_step
    jsr yield
    lda o_x, x
    sec
    sbc #28
    cmp #212 - 28
    bcs @inside
    lda o_attr, x
    and #$df
    sta o_attr, x
    lda #AWAKE
    sta o_mode, x
    jmp unlink

; A step along the planks with moving legs.
guest_step:
    jsr body_move
    ldy o_kind, x
    lda ticks
    lsr a
    lsr a
    lsr a
    and #1
    clc
    adc kind_pic, y
    sta o_pic, x
    rts

; The same; at a mouse hole it does not return to the coroutine, but goes on as guest_burrow.
guest_walk:
    jsr guest_step
guest_at_hole:
    lda o_ground, x
    beq @no
    lda o_lev, x
    cmp #FLOOR
    bne @no
    lda o_x, x
    ldy o_dir, x
    bne @left
    cmp #HOLE_RIGHT
    bcc @no
    bcs @hole
@left:
    cmp #HOLE_LEFT
    bcs @no
@hole:
    pla                 ; who called is left for good
    pla
    jmp guest_burrow
@no:
    rts

; Through the wall, up to the window of the same side.
guest_burrow:
    lda #AWAY
    sta o_mode, x
    lda #P_none
    sta o_pic, x
    jsr body_stop
    lda #70
    jsr co_sleep
    lda side
    pha
    ldy #0
    lda o_dir, x
    bne @left
    iny
@left:
    sty side
    jsr guest_place
    pla
    sta side
    ldy o_kind, x
    RTS_GO birth_lo, birth_hi

; -- Burr: walks, and that is all.
burr_birth:
    jsr co_enter
burr_go:
    jsr body_pace
@walk:
    jsr guest_walk
    jsr yield
    jmp @walk

; -- Cricket: sits, then hops, mostly towards the hob, sometimes to the level above.
cricket_birth:
    jsr co_enter
cricket_go:
    jsr body_stop
    lda #P_cricket_sit
    sta o_pic, x
    jsr chance
    and #63
    adc #40
    jsr co_sleep
    jsr chance
    cmp #140
    bcs @same
    ldy #0
    lda o_x, x          ; which way is shorter?
    sec
    sbc o_x
    bmi @right
    ldy #$40
@right:
    tya
    sta o_dir, x
@same:
    jsr body_pace
    jsr chance
    cmp #90
    bcs @low
    lda #$fa
    SKIP2
@low:
    lda #$fd
    ldy #$90
    jsr body_hop
    lda #P_cricket_leap
    sta o_pic, x
    jsr co_land
    jsr guest_at_hole
    jmp cricket_go

; -- Kettle: the first blow makes it boil, the second tips it.
kettle_birth:
    jsr co_enter
kettle_go:
    jsr body_pace
@walk:
    jsr guest_walk
    jsr yield
    jmp @walk

kettle_struck:
    lda o_mode, x
    cmp #AWAKE
    bne guest_struck
    lda o_u, x
    bne @second
    inc o_u, x
    lda #$fe
    ldy #0
    jsr body_hop
    jsr body_stop
    lda #P_kettle_boil
    sta o_pic, x
    jsr co_land
    lda #FX_BOIL
    jsr fx_start
    lda #26
    jsr co_sleep
    lda #0
    jsr steam_new
    lda #$40
    jsr steam_new
    ldx cur
    lda #1              ; red from now on
    sta o_attr, x
    jsr guest_haste
    jmp kettle_go
@second:
    dec o_u, x
    jmp guest_struck

; -- Struck: up, over, down; on its back for a while, then up again and faster.
guest_struck:
    lda o_mode, x
    bne @here
    jmp object_resume   ; in the wall or in the air: not felt
@here:
    cmp #TIPPED
    beq @again
    lda #FX_TIP
    SKIP2
@again:
    lda #FX_KNOCK
    jsr fx_start
    lda #TIPPED
    sta o_mode, x
    lda o_attr, x
    ora #$80
    sta o_attr, x
    ldy o_kind, x
    lda kind_pic, y
    sta o_pic, x
    lda #24
    jsr guest_shove
    lda #$fd
    ldy #$60
    jsr body_hop
    jsr co_land
    jsr body_stop
    lda rest_time
    sta o_t, x
@lies:
    jsr yield
    jsr body_move
    lda ticks
    lsr a
    bcs @lies
    lda o_t, x
    cmp #30
    bcs @quiet
    jsr guest_wriggle   ; it is about to get up
@quiet:
    dec o_t, x
    bne @lies
    lda #$fe
    ldy #0
    jsr body_hop
    jsr co_land
    lda o_attr, x
    and #$7f
    sta o_attr, x
    lda #AWAKE
    sta o_mode, x
    jsr guest_haste
    ldy o_kind, x
    RTS_GO go_lo, go_hi

; Pushed the way of the blow (o_evd) at A / 64 pixel.
guest_shove:
    tay
    lda o_pace, x
    pha
    tya
    sta o_pace, x
    lda o_dir, x
    pha
    lda o_evd, x
    sta o_dir, x
    jsr body_pace
    pla
    sta o_dir, x
    pla
    sta o_pace, x
    rts

guest_wriggle:
    ldy o_kind, x
    and #4
    beq @still
    lda #1
@still:
    clc
    adc kind_pic, y
    sta o_pic, x
    rts

guest_haste:
    lda o_pace, x
    clc
    adc #8
    cmp #PACE_MAX
    bcc @set
    lda #PACE_MAX
@set:
    sta o_pace, x
    rts

; -- Thrown out: through everything and away. The more in a row, the more points; its thimble rolls in.
guest_thrown:
    ldy o_kind, x
    cpy #THIMBLE
    bcc @guest
    jmp object_resume
@guest:
    lda #AWAY
    sta o_mode, x
    lda #96
    jsr guest_shove
    lda #$fc
    ldy #$40
    jsr body_hop
    lda #FX_THROW
    jsr fx_start
    jsr throw_points
    ldx cur
@tumble:
    jsr yield
    lda o_attr, x
    eor #$40
    sta o_attr, x
    jsr body_tumble
    bcc @tumble
    dec guests_left
    inc catch
    jsr thimble_new
    jmp object_end

; -- Puff: floats along a level of planks, down one or up to the top after a while. The first blow only lifts it.
puff_birth:
    jsr co_enter
puff_go:
    jsr body_pace
    jsr chance
    lsr a
    ora #96
    sta o_t, x
    ldy o_lev, x
    cpy #FLOOR
    bcs @up             ; blown down to the floor
    lda #1
    sta o_ground, x     ; for those who strike the planks below it
@float:
    jsr puff_drift
    jsr yield
    dec o_t, x
    bne @float
    ldy o_lev, x
    cpy #FLOOR - 1
    bcs @up
@down:
    jsr puff_drift_x
    inc o_y, x
    jsr yield
    ldy o_lev, x
    lda line_y + 1, y
    cmp o_y, x
    bne @down
    inc o_lev, x
    jmp puff_go
@up:
    lda #0
    sta o_ground, x
    jsr puff_drift_x
    dec o_y, x
    jsr yield
    lda o_y, x
    cmp line_y
    bne @up
    lda #0
    sta o_lev, x
    jmp puff_go

puff_struck:
    lda o_mode, x
    cmp #AWAKE
    bne @struck
    lda o_lev, x
    beq @struck
    lda o_u, x
    bne @struck
    inc o_u, x
    dec o_lev, x
    lda #0
    sta o_ground, x
    lda #FX_PUFF
    jsr fx_start
@rise:
    dec o_y, x
    dec o_y, x
    jsr yield
    ldy o_lev, x
    lda line_y, y
    cmp o_y, x
    bcc @rise
    jmp puff_go
@struck:
    lda #0
    sta o_u, x
    jmp guest_struck

; Sideways, and up and down on the air.
puff_drift:
    ldy o_lev, x
    lda ticks
    lsr a
    lsr a
    lsr a
    and #7
    sta t0
    lda line_y, y
    ldy t0
    sec
    sbc bob, y
    sta o_y, x
puff_drift_x:
    clc
    lda o_xf, x
    adc o_vxf, x
    sta o_xf, x
    lda o_x, x
    adc o_vx, x
    sta o_x, x
    ldy #P_puff_a
    lda ticks
    and #16
    beq @first
    iny
@first:
    tya
    sta o_pic, x
    rts

; -- Mole: walks; above the hob it digs through the planks.
mole_birth:
    jsr co_enter
mole_go:
    jsr body_pace
@walk:
    jsr guest_walk
    jsr yield
    lda o_ground, x
    beq @walk
    lda o_lev, x
    cmp #FLOOR
    bcs @walk
    lda o_y
    sbc #16             ; carry is clear: 17
    cmp o_y, x
    bcc @walk           ; the hob is not below
    lda o_x, x
    sbc o_x
    adc #5
    cmp #11
    bcs @walk
    lda #P_mole_dig
    sta o_pic, x
    jsr body_stop
    lda #24
    jsr co_sleep
    lda o_ground, x
    beq mole_go
    lda o_y, x          ; through, and on
    clc
    adc #9
    sta o_y, x
    lda #0
    sta o_ground, x
    lda #FX_KNOCK
    jsr fx_start
    jsr co_land
    jmp mole_go
