; Sprites of 8 x 16, into the half of oam that this step fills.

sprites_step:
    lda #0
    ldx side
    beq @half
    lda #$80
@half:
    sta spr_at
    ora #SPRITES * 4
    sta spr_end
    jsr draw_balloon
    ldx level
    beq @things         ; nobody on the title
    jsr draw_keeper
    jsr draw_crab
    jsr draw_gull
@things:
    jsr draw_mail
    jsr draw_mark
    jsr draw_gusts
    jsr draw_flecks
    ldx spr_at
    lda #$f8
@hide:
    cpx spr_end
    beq @done
    sta oam, x
    inx
    inx
    inx
    inx
    bne @hide
@done:
    rts

; A sprite of 8 x 16 with its upper left corner at spr_x, spr_y. Keeps X.
put_sprite:
    ldy spr_at
    cpy spr_end
    beq @full
    lda spr_y
    sta oam, y
    lda spr_tile
    sta oam + 1, y
    lda spr_attr
    sta oam + 2, y
    lda spr_x
    sta oam + 3, y
    iny
    iny
    iny
    iny
    sty spr_at
@full:
    rts

; Two of them side by side, around the feet at A, Y. spr_attr says whether they are mirrored.
put_walker:
    sec
    sbc #8
    sta spr_x
    tya
    sec
    sbc #17
    sta spr_y
    bit spr_attr
    bvc @first
    inc spr_tile        ; mirrored: the right half first
    inc spr_tile
@first:
    jsr put_sprite
    lda spr_tile
    eor #2
    bit spr_attr
    bvs @left
    lda spr_tile
    clc
    adc #2
    bne @second
@left:
    lda spr_tile
    sec
    sbc #2
@second:
    sta spr_tile
    lda spr_x
    clc
    adc #8
    bcs @done           ; past the right side
    sta spr_x
    jmp put_sprite
@done:
    rts

draw_balloon:
    lda #2
    sta spr_attr
    lda #S_balloon
    sta spr_tile
    lda #30
    sta spr_y
    lda #2
    sta t1
@band:
    lda bx
    sec
    sbc #12
    sta spr_x
    lda #3
    sta t2
@column:
    jsr put_sprite
    inc spr_tile
    inc spr_tile
    lda spr_x
    clc
    adc #8
    sta spr_x
    dec t2
    bne @column
    lda spr_y
    adc #16
    sta spr_y
    dec t1
    bne @band
    rts

draw_keeper:
    lda pdir
    sta spr_attr
    lda state
    cmp #HURT
    beq @down
    ldx pmode
    lda keeper_pose, x
    sta spr_tile
    cpx #P_FLOOR
    bne @climbing
    lda panim
    and #2
    beq @draw
    lda #S_keeper_walk
    bne @set
@climbing:
    cpx #P_CLIMB
    bne @draw
    lda panim           ; hand over hand
    and #4
    asl a
    asl a
    asl a
    asl a
    sta spr_attr
    jmp @draw
@down:
    lda timer
    and #4
    bne @blink
    lda #S_keeper_down
@set:
    sta spr_tile
@draw:
    lda px
    ldy py
    jmp put_walker
@blink:
    rts

draw_crab:
    lda #1
    ora cdir
    sta spr_attr
    ldx cmode
    lda crab_pose, x
    sta spr_tile
    cpx #C_STUN
    beq @shell
    bcs @draw
    lda steps
    and #4
    bne @draw
    lda #S_crab_walk
    sta spr_tile
    bne @draw
@shell:
    lda ctime           ; shakes before it comes out
    cmp #24
    bcs @draw
    and #2
    asl a
    asl a
    asl a
    asl a
    asl a
    ora #1
    sta spr_attr
@draw:
    lda cx
    ldy cy
    jmp put_walker

draw_gull:
    lda gmode
    beq @away
    lda #3
    ldx gvx
    bpl @right
    ora #$40
@right:
    sta spr_attr
    lda #S_gull
    sta spr_tile
    lda steps
    and #4
    bne @draw
    lda #S_gull_glide
    sta spr_tile
@draw:
    lda gy
    clc
    adc #8
    tay
    lda gx
    jmp put_walker
@away:
    rts

draw_mail:
    ldx #GHOST - 1
@mail:
    ldy mkind, x
    beq @next
    lda mmode, x
    cmp #AFLOAT
    bne @seen
    lda mage, x         ; about to sink: it blinks
    cmp #80
    bcc @seen
    and #2
    beq @next
@seen:
    lda mail_tile, y
    cpy #LETTER
    bne @tile
    lda mage, x         ; letters turn over in the air
    and #$0c
    tay
    lda letter_tile, y
    sta spr_tile
    lda letter_attr, y
    sta spr_attr
    jmp @place
@tile:
    sta spr_tile
    lda #2
    sta spr_attr
@place:
    lda mx, x
    sec
    sbc #4
    sta spr_x
    lda my, x
    sec
    sbc #9
    sta spr_y
    jsr put_sprite
@next:
    dex
    bpl @mail
    rts

; Where a piece of mail will be: another one each time.
draw_mark:
    dec marked
    bpl @turn
    lda #GHOST - 1
    sta marked
@turn:
    ldx marked
    lda mkind, x
    beq @none
    lda mmode, x
    bne @none
    lda #S_mark
    sta spr_tile
    lda #3
    sta spr_attr
    lda fx, x
    sec
    sbc #4
    sta spr_x
    lda fy, x
    sec
    sbc #9
    sta spr_y
    jmp put_sprite
@none:
    rts

draw_gusts:
    ldx #1
@gust:
    lda gust_power, x
    beq @next
    lda #S_cloud
    sta spr_tile
    lda gust_row, x
    asl a
    asl a
    asl a
    asl a
    sta spr_y
    lda gust_side, x
    beq @left
    lda #$43
    sta spr_attr
    lda #244
    bne @place
@left:
    lda #3
    sta spr_attr
    lda #4
@place:
    sta spr_x
    jsr put_sprite
@next:
    dex
    bpl @gust
    rts

draw_flecks:
    lda #3
    sta spr_attr
    ldx #FLECKS - 1
@fleck:
    lda fl_life, x
    beq @next
    ldy #S_drop
    asl a
    bcc @drop
    beq @next
    ldy #S_note
@drop:
    sty spr_tile
    lda fl_x, x
    sec
    sbc #4
    sta spr_x
    lda fl_y, x
    sec
    sbc #9
    sta spr_y
    jsr put_sprite
@next:
    dex
    bpl @fleck
    rts
