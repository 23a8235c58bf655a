; The keeper: walks, climbs, falls off ends, catches, blows the horn.

keeper_place:
    lda #128
    sta px
    sta t2
    lda #$c0            ; the lowest floor
    sta py
    sta t3
    jsr find_floor
    stx pseg
    lda #P_FLOOR
    sta pmode
    lda #0
    sta pdir
    sta pvy
    rts

keeper_step:
    lda pad_new
    and #PAD_A | PAD_B
    beq @quiet
    jsr horn_blow
@quiet:
    ldx pmode
    lda pmode_lo, x
    sta vec
    lda pmode_hi, x
    sta vec + 1
    jmp (vec)

keeper_floor:
    lda px
    sta t2
    ldx pseg
    lda pad
    lsr a
    bcs @right
    lsr a
    bcs @left
    lsr a
    bcs @down
    lsr a
    bcs @up
    rts
@right:
    lda #0
    sta pdir
    lda px
    adc #2              ; carry is set: 3
    cmp #248
    bcs @edge
    bcc @move
@left:
    lda #$40
    sta pdir
    lda px
    sbc #3
    cmp #8
    bcc @edge
@move:
    sta px
@edge:
    inc panim
    lda px              ; over an end of the floor?
    clc
    adc #5
    bcs @stand
    cmp seg_l, x
    bcc @fall
    lda px
    sbc #5
    bcc @stand
    cmp seg_r, x
    bcc @stand
@fall:
    lda #P_FALL
    sta pmode
@stand:
    rts
@up:
    sec
    jsr find_ladder
    bpl @climb
    rts
@down:
    clc
    jsr find_ladder
    bmi @net
@climb:
    sty plad
    lda lad_x, y
    sta px
    lda #P_CLIMB
    sta pmode
    rts
@net:
    jmp keeper_net

keeper_climb:
    ldy plad
    lda pad
    and #PAD_UP | PAD_DOWN
    beq @where
    inc panim
    and #PAD_UP
    beq @down
    lda py
    sec
    sbc #3
    cmp lad_y0, y
    bcs @move
    ldx lad_s0, y
    lda lad_y0, y
    jmp @land
@down:
    lda py
    clc
    adc #3
    cmp lad_y1, y
    bcc @move
    ldx lad_s1, y
    lda lad_y1, y
@land:
    stx pseg
    sta py
    lda #P_FLOOR
    sta pmode
    rts
@move:
    sta py
@where:                 ; which floor is nearer
    lda lad_y0, y
    clc
    adc lad_y1, y
    ror a
    cmp py
    lda lad_s1, y
    bcc @lower
    lda lad_s0, y
@lower:
    sta pseg
    rts

keeper_fall:
    lda pvy
    clc
    adc #6
    cmp #96
    bcc @faster
    lda #96
@faster:
    sta pvy
    lsr a
    lsr a
    lsr a
    lsr a
    clc
    adc py
    ldy py
    sty t3
    sta py
    sta t4
    cmp #SEA_Y
    bcs @drowned
    lda px
    sta t2
    jsr floor_between
    bmi @done
    stx pseg
    lda seg_y, x
    sta py
    lda #0
    sta pvy
    lda #P_FLOOR
    sta pmode
@done:
    rts
@drowned:
    lda px
    lsr a
    lsr a
    lsr a
    tax
    lda #40
    jsr splash
    jmp keeper_hurt

keeper_stunned:
    dec ptime
    bne @done
    lda #P_FLOOR
    sta pmode
@done:
    rts

; Ink, or a wave over the pier.
keeper_stun:
    lda pmode
    bne @done           ; only who stands
    lda #P_STUN
    sta pmode
    lda #24
    sta ptime
    lda #SFX_KNOCK
    sta sfx
@done:
    rts

; Down, on the lowest floor: fishes mail that floats near by.
keeper_net:
    ldx #GHOST - 1
@mail:
    lda mkind, x
    beq @next
    lda mmode, x
    cmp #AFLOAT
    bne @next
    lda py
    cmp #$c0
    bne @next
    ldy px
    lda mx, x
    jsr distance
    cmp #12
    bcs @next
    lda #SFX_NET
    sta sfx
    lda #1
    jmp take_mail
@next:
    dex
    bpl @mail
    rts

; A blast: stuns the crab, scares the gull, and blows the air apart for ten steps.
horn_blow:
    lda horn
    bne @done
    lda steam
    bne @blast
    lda #SFX_HISS
    sta sfx
@done:
    rts
@blast:
    dec steam
    lda #10
    sta horn
    lda #SFX_HORN
    sta sfx
    ldy cx
    lda px
    jsr distance
    cmp #60
    bcs @gull
    ldy cy
    lda py
    jsr distance
    cmp #24
    bcs @gull
    jsr crab_stun
@gull:
    ldy gx
    lda px
    jsr distance
    cmp #80
    bcs @notes
    ldy gy
    lda py
    jsr distance
    cmp #72
    bcs @notes
    jsr gull_scare
@notes:
    ldy #3
@note:
    sty t7
    lda note_vx, y
    sta t2
    lda note_vy, y
    sta t3
    lda px
    sta t0
    lda py
    sbc #10
    sta t1
    lda #$80 | 20
    jsr new_fleck
    ldy t7
    dey
    bpl @note
    rts

; While it lasts, the eight cells around and the keeper's own are pushed outwards.
horn_step:
    lda horn
    beq @done
    dec horn
    lda px
    lsr a
    lsr a
    lsr a
    lsr a
    sta cell
    lda py
    sec
    sbc #12
    and #$f0
    ora cell
    sec
    sbc #17
    tax                 ; the upper left one
    ldy #0
    lda #3
    sta t1
@row:
    lda #3
    sta t2
@cell:
    lda map, x
    bmi @next
    lda wind_u, x
    clc
    adc blast_u, y
    sta wind_u, x
    lda wind_v, x
    clc
    adc blast_v, y
    sta wind_v, x
@next:
    inx
    iny
    dec t2
    bne @cell
    txa
    clc
    adc #13
    tax
    dec t1
    bne @row
@done:
    rts
