; Sprites: the goat first, so that nobody covers it; objects in turn first and last, so that all are seen where there are too
; many in a line; what drifts comes last.

draw_step:
    lda #4              ; sprite 0 stays
    sta oam_at
    jsr draw_goat
    jsr draw_objects
    jsr draw_drifts
    ldx oam_at          ; what is left of the last picture's sprites goes out of sight
    lda #$f8
@hide:
    cpx oam_was
    bcs @hidden
    sta oam, x
    inx
    inx
    inx
    inx
    bne @hide
@hidden:
    lda oam_at
    sta oam_was
    rts

draw_goat:
    lda state
    cmp #CARD
    beq @done
    cmp #PLAY
    bne @shown
    lda safe            ; it blinks while nothing hurts it
    and #4
    bne @done
@shown:
    lda goat_y
    cmp #FLOOR_Y
    bcs @done
    adc #BAR_HEIGHT - 1 ; carry is clear; a sprite shows a line below its y
    sta spr_y
    sec
    lda goat_x
    sbc cam
    sta spr_x
    lda goat_x + 1
    sbc cam + 1
    sta spr_x + 1
    ldy facing
    lda goat_look, y
    sta spr_attr
    jsr goat_pose
    sta spr_tile
    jmp draw_block
@done:
    rts

; A = the tile of what the goat does.
goat_pose:
    lda state
    cmp #HURT
    beq @hurt
    lda standing
    beq @jumps
    lda goat_vx + 1     ; the legs go as fast as it does
    bpl @forwards
    eor #$ff
@forwards:
    tay
    lda goat_vx
    ora goat_vx + 1
    beq @stands
    lda stride
    clc
    adc stride_speed, y
    sta stride
    lsr a
    lsr a
    lsr a
    lsr a
    lsr a
    lsr a
    tay
    lda butting
    beq @walks
    lda butt_poses, y
    rts
@walks:
    lda walk_poses, y
    rts
@stands:
    lda #T_goat_stand
    rts
@jumps:
    lda #T_goat_jump
    rts
@hurt:
    lda #T_goat_hurt
    rts

draw_objects:
    lda rotation
    clc
    adc #3
    cmp #OBJECTS
    bcc @first
    sbc #OBJECTS
@first:
    sta rotation
    tax
    ldy #OBJECTS
@object:
    sty t4
    lda kind, x
    bmi @next
    stx cur
    jsr draw_object
    ldx cur
@next:
    inx
    cpx #OBJECTS
    bne @same
    ldx #0
@same:
    ldy t4
    dey
    bne @object
    rts

; By the kind's shape: JMP (vec).
draw_object:
    lda obj_y, x
    cmp #FLOOR_Y
    bcc @in_sight
    rts
@in_sight:
    adc #BAR_HEIGHT - 1 ; carry is clear
    sta spr_y
    sec
    lda obj_x, x
    sbc cam
    sta spr_x
    lda obj_xh, x
    sbc cam + 1
    sta spr_x + 1
    lda obj_pose, x
    sta spr_tile
    ldy kind, x
    lda kind_look, y
    sta spr_attr
    lda shape_lo, y
    sta vec
    lda shape_hi, y
    sta vec + 1
    jmp (vec)

; Beasts look to the left as they are drawn.
shape_beast:
    lda obj_left, x
    bne draw_block
    lda spr_attr
    ora #$40
    sta spr_attr
    bne draw_block

shape_tumbler:
    lda obj_loop, x
    sta spr_attr
    jmp draw_block

; A boulder turns a quarter each 16 pixels.
shape_boulder:
    lda obj_x, x
    lsr a
    lsr a
    lsr a
    lsr a
    and #3
    tay
    lda spr_attr
    ora quarter_turns, y
    sta spr_attr

; Four tiles at spr_x, spr_y; mirrored and upside down as spr_attr says. Each column only if it is in the picture.
draw_block:
    ldy #0
    bit spr_attr
    bpl @upright
    ldy #2
@upright:
    bvc @unmirrored
    iny
@unmirrored:
    lda tile_orders, y  ; two bits for each place: which of the four tiles
    sta t0
    ldx oam_at
    lda spr_x + 1
    bne @right_column
    jsr two_tiles
@right_column:
    clc
    lda spr_x
    adc #8
    sta spr_x
    lda spr_x + 1
    adc #0
    bne @done
    lda t0
    lsr a
    lsr a
    lsr a
    lsr a
    sta t0
    jsr two_tiles
@done:
    stx oam_at
draw_nothing:
    rts

; Two tiles, one above the other.
two_tiles:
    lda t0
    and #3
    clc
    adc spr_tile
    sta oam + 1, x
    lda t0
    lsr a
    lsr a
    and #3
    clc
    adc spr_tile
    sta oam + 5, x
    lda spr_y
    sta oam, x
    adc #8
    sta oam + 4, x
    lda spr_attr
    sta oam + 2, x
    sta oam + 6, x
    lda spr_x
    sta oam + 3, x
    sta oam + 7, x
    txa
    clc
    adc #8
    tax
    rts

; A board of four tiles, those of them that are in the picture.
shape_board:
    ldy #4
@tile:
    lda spr_x + 1
    bne @hidden
    jsr put_sprite
@hidden:
    clc
    lda spr_x
    adc #8
    sta spr_x
    bcc @same
    inc spr_x + 1
@same:
    dey
    bne @tile
    rts

; A seed or a puff of dust, in the middle of its place.
shape_small:
    clc
    lda spr_x
    adc #4
    sta spr_x
    lda spr_x + 1
    adc #0
    bne draw_nothing
    lda spr_y
    adc #4
    sta spr_y

; One tile at spr_x, spr_y. Keeps Y.
put_sprite:
    ldx oam_at
    lda spr_y
    sta oam, x
    lda spr_tile
    sta oam + 1, x
    lda spr_attr
    sta oam + 2, x
    lda spr_x
    sta oam + 3, x
    inx
    inx
    inx
    inx
    stx oam_at
    rts

draw_drifts:
    ldy theme
    lda drift_tiles, y
    sta spr_tile
    lda drift_looks, y
    sta spr_attr
    ldy #DRIFTS - 1
@thing:
    lda drift_y, y
    clc
    adc #BAR_HEIGHT
    sta spr_y
    lda drift_dx, y
    sta spr_x
    jsr put_sprite
    dey
    bpl @thing
    rts
