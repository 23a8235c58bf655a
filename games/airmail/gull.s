; The gull: flies to where a piece of mail is going to be, and carries it off. From the second screen on.

gull_leave:
    lda #G_AWAY
    sta gmode
    lda #120
    sta gtime
    lda #8
    sta gx
    sta gy
    rts

gull_scare:
    lda gmode
    cmp #G_HUNT
    bne @done
    lda #G_FLEE
    sta gmode
    lda #50             ; up and away, to the side that is nearer
    ldy gx
    bmi @east
    lda #<-50
@east:
    sta gvx
    lda #<-40
    sta gvy
    ldx gmail
    bmi @done
    lda mkind, x
    beq @done
    lda mmode, x
    cmp #CARRIED
    bne @done
    lda #FALLING
    sta mmode, x
@done:
    rts

gull_step:
    ldx gmode
    lda gmode_lo, x
    sta vec
    lda gmode_hi, x
    sta vec + 1
    jmp (vec)

gull_away:
    dec gtime
    bne @done
    lda #60
    sta gtime
    lda level
    cmp #2
    bcc @done
    jsr gull_choose
    bmi @done
    lda #G_HUNT
    sta gmode
    lda #20
    sta gy
    lda #0
    sta gvy
    lda rng
    ora #8
    sta gx
@done:
    rts

; Mail that still falls: gmail = X, or N set.
gull_choose:
    ldx #GHOST - 1
@mail:
    lda mkind, x
    beq @next
    cmp #INK
    beq @next
    lda mmode, x
    cmp #FALLING
    beq @take
@next:
    dex
    bpl @mail
@take:
    stx gmail
    txa
    rts

gull_hunt:
    jsr gull_fly
    dec gtime
    ldx gmail
    bmi @choose
    lda mkind, x
    beq @choose
    lda mmode, x
    cmp #CARRIED
    beq @carry
    cmp #FALLING
    bne @choose
    lda gtime
    and #7
    bne @near
    jsr gull_aim
    jsr gull_ink
    ldx gmail
@near:
    ldy mx, x
    lda gx
    jsr distance
    cmp #9
    bcs @done
    ldy my, x
    lda gy
    jsr distance
    cmp #9
    bcs @done
    lda #CARRIED        ; has it
    sta mmode, x
    lda #<-22
    sta gvy
@done:
    rts
@choose:
    jsr gull_choose
    bpl @done
    lda #<-20           ; nothing left: off
    sta gvy
    lda #G_FLEE
    sta gmode
    rts
@carry:
    lda gy
    cmp #18
    bcs @done
    lda #NOTHING
    sta mkind, x
    jsr add_blot
    jmp gull_leave

gull_flee:
    jsr gull_fly
    lda gvy             ; ever faster
    sec
    sbc #2
    cmp #<-100
    bcc @fast
    sta gvy
@fast:
    lda gy
    cmp #12
    bcs @done
    jmp gull_leave
@done:
    rts

; To the place that is forecast for its mail, X: the longer side of the way at full speed, the shorter one in proportion.
gull_aim:
    lda #20
    clc
    adc level
    cmp #36
    bcc @speed
    lda #36
@speed:
    sta t4
    ldy gx
    lda fx, x
    jsr distance
    sta t1
    ldy gy
    lda fy, x
    jsr distance
    sta t2
    cmp t1
    bcs @longer
    lda t1
@longer:
    sta den
    beq @there
    lda t1
    jsr gull_share
    ldy fx, x
    cpy gx
    bcs @right
    jsr negate
@right:
    sta gvx
    lda t2
    jsr gull_share
    ldy fy, x
    cpy gy
    bcs @down
    jsr negate
@down:
    sta gvy
@there:
    rts

; A * t4 / den
gull_share:
    ldy t4
    sty mul_b
    jsr multiply
    sta num + 1
    lda mul_lo
    sta num
    jsr divide
    lda num
    rts

; Above the keeper: a pot of ink.
gull_ink:
    ldy px
    lda gx
    jsr distance
    cmp #24
    bcs @done
    lda gy
    cmp py
    bcs @done
    jsr free_mail
    bmi @done
    lda gx
    sta mx, x
    lda gy
    clc
    adc #6
    ldy #INK
    jsr new_mail
@done:
    rts

; Moves it; what it carries comes along. The wind does it nothing.
gull_fly:
    lda gvx
    jsr sixteenth
    clc
    lda gxf
    adc t0
    sta gxf
    lda gx
    adc t1
    cmp #4
    bcc @wall
    cmp #252
    bcs @wall
    sta gx
    bcc @vertical
@wall:
    lda gvx
    jsr negate
    sta gvx
@vertical:
    lda gvy
    jsr sixteenth
    clc
    lda gyf
    adc t0
    sta gyf
    lda gy
    adc t1
    cmp #200
    bcs @low
    sta gy
@low:
    ldx gmail
    bmi @done
    lda mmode, x
    cmp #CARRIED
    bne @done
    lda gx
    sta mx, x
    lda gy
    adc #7              ; carry is set: 8
    sta my, x
@done:
    rts
