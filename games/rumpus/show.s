; Sprites. The objects are kept sorted by height (they hardly change places, so insertion is quick), and are drawn in steps of five
; through that order, from another start each time: those on the same lines are far apart, and take turns to be the ninth.

pictures:
    ldy #1
@insert:
    ldx order, y
    stx t0
    lda o_y, x
    sta t1
    sty t2
@compare:
    ldx order - 1, y
    lda o_y, x
    cmp t1
    bcc @place
    beq @place
    txa
    sta order, y
    dey
    bne @compare
@place:
    lda t0
    sta order, y
    ldy t2
    iny
    cpy #NOBJ
    bcc @insert

    lda #0
    sta oam_at
    ldy draw_from
    iny
    cpy #NOBJ
    bcc @start
    ldy #0
@start:
    sty draw_from
    lda #NOBJ
    sta t5
@draw:
    sty t4
    ldx order, y
    lda o_kind, x
    beq @next
    jsr picture
@next:
    lda t4
    clc
    adc #5
    cmp #NOBJ
    bcc @inside
    sbc #NOBJ
@inside:
    tay
    dec t5
    bne @draw
    ldx oam_at          ; what is left of the last frame
    beq @full
    lda #$ef
@hide:
    sta oam, x
    inx
    inx
    inx
    inx
    bne @hide
@full:
    rts

; Object X, by the shape of its kind.
picture:
    lda o_pic, x
    beq shape_none
    asl a
    asl a
    sta face
    lda o_x, x
    sta pic_x
    lda o_y, x
    sec
    sbc #17             ; a sprite's line is one more than its Y
    bcc shape_none
    sta pic_y
    lda o_dir, x
    eor o_attr, x
    sta colour
    lda #0
    asl colour          ; bits 7 and 6 become the numbers of the corners
    rol a
    asl colour
    rol a
    sta flip
    lda o_dir, x
    eor o_attr, x
    sta colour
    ldy o_kind, x
    RTS_GO shape_lo, shape_hi

; The hob blinks while it is safe.
shape_hob:
    lda safe
    and #4
    bne shape_none
shape_whole:
    lda #4
    SKIP2
shape_flat:
    lda #2
    sta t3
    ldy #0
    ldx oam_at
@corner:
    lda pic_y
    clc
    adc corner_y, y
    sta oam, x
    tya
    eor flip
    ora face
    sta oam + 1, x
    lda colour
    sta oam + 2, x
    lda pic_x
    clc
    adc corner_x, y
    sta oam + 3, x
    inx
    inx
    inx
    inx
    iny
    cpy t3
    bcc @corner
    stx oam_at
shape_none:
    rts
