; All pairs of flyers. What happens when two meet hangs on the classes of both, through the RTS trick.

contacts_step:
    ldx #0
@first:
    stx cur
    ldy fst, x
    lda class_of, y
    bmi @next           ; not to be met
    cpx #0
    bne @rival
    lda #0              ; the player: class 0
@rival:
    asl a
    asl a
    sta prey            ; row of the table
    ldy cur
@second:
    iny
    sty other
    ldx fst, y
    lda class_of, x
    bmi @apart
    ora prey
    sta t5
    ldx cur
    jsr between
    jsr absolute
    cmp #13
    bcs @apart
    lda dx
    jsr absolute
    cmp #12
    bcs @apart
    jsr meet
    ldx cur             ; it may not be what it was
    ldy fst, x
    lda class_of, y
    bmi @next
@apart:
    ldy other
    cpy #FLYERS - 1
    bne @second
@next:
    ldx cur
    inx
    cpx #FLYERS - 1
    bne @first
    rts

; X = cur, Y = other, classes in t5.
meet:
    lda t5
    asl a
    tax
    lda meet_table + 1, x
    pha
    lda meet_table, x
    pha
    ldx cur
    rts

; By state: 1 a rival that is awake (or the player), 2 curled up, 3 the burr
class_of:
    .byte $80, 1, 1, 2, $80, $80, $80, $80, 3

meet_table:             ; columns: -, awake, curled, burr
    .word 0, duel - 1, tuck - 1, prick - 1
    .word 0, push_apart - 1, kick - 1, throw - 1
    .word 0, kicked - 1, push_apart - 1, throw - 1

; -- The player meets...
; ...a rival: who is above?
duel:
    lda dy
    bmi @below
    cmp #4
    bcc @clash
    jmp strike
@below:
    cmp #<-3
    bcs @clash
    lda safe
    bne @clash
    jsr struck
    ldx other           ; who struck bounces off
    lda #$c0
    sta vyl, x
    lda #$fe
    sta vy, x
    rts
@clash:
    jsr push_apart
    jmp sfx_clash

; The rival curls up and falls, and takes over half of the player's speed.
strike:
    lda #F_CURL
    sta fst, y
    lda #250
    sec
    sbc rank
    sbc rank
    sbc rank
    sbc rank
    sta ftime, y
    lda vx
    cmp #$80
    ror a
    sta vx, y
    lda vxl
    ror a
    sta vxl, y
    lda #$60
    sta vyl, y
    lda #0
    sta vy, y
    lda #$a0            ; the player bounces up
    sta vyl
    lda #$fe
    sta vy
    jsr count_hit
    jmp sfx_strike

; A = how many hits came before in this flight, 4 at most; its points are counted. The next one is worth more.
count_hit:
    lda chain
    cmp #4
    bcc @more
    lda #4
@more:
    pha
    jsr score_points
    inc chain
    lda chain
    cmp #9
    bcc @fits
    dec chain
@fits:
    pla
    rts

; ...somebody who is curled up, and tucks it away.
tuck:
    jsr count_hit
    ldx other
    sta fwing, x
    lda #F_POINTS
    sta fst, x
    lda #44
    sta ftime, x
    dec foes
    jmp sfx_tuck

; ...the burr.
prick:
    lda safe
    bne unharmed
    jsr struck
    ldx #0
    ldy #BURR
    jmp throw

; Fuzz takes a strike; without it, that was a life.
struck:
    lda fuzz
    beq @bare
    dec fuzz
    lda #100
    sta safe
    lda #$40            ; down
    sta vyl
    lda #1
    sta vy
    jmp sfx_hurt
@bare:
    lda #F_TUMBLE
    sta fst
    lda #$80
    sta vyl
    lda #$fd
    sta vy
    jmp sfx_tumble
unharmed:
    rts

; -- Others
; A rival kicks one that is curled up, in either order.
kicked:
    ldx other
    ldy cur
kick:
    clc
    lda vxl, y
    adc vxl, x
    sta vxl, y
    lda vx, y
    adc vx, x
    sta vx, y
    lda #$60
    sta vyl, y
    lda #$ff
    sta vy, y
    ldx cur
    ldy other
    ; fall through

; They take each other's speed, less a fifth, along the axes on which they approach.
push_apart:
    lda dx
    jsr exchange
    clc
    lda cur
    adc #vyl - vxl
    tax
    clc
    lda other
    adc #vyl - vxl
    tay
    lda dy

; Along one axis: A = how far Y is from X there.
exchange:
    sta t5
    sec
    lda vxl, x
    sbc vxl, y
    lda vx, x
    sbc vx, y
    eor t5
    bmi @apart          ; they part already
    sty celly
    lda vxl, x
    pha
    lda vx, x
    pha
    lda vxl, y
    sta val
    lda vx, y
    sta val + 1
    lda #205
    jsr scale
    lda val
    sta vxl, x
    lda val + 1
    sta vx, x
    pla
    sta val + 1
    pla
    sta val
    lda #205
    jsr scale
    ldy celly
    lda val
    sta vxl, y
    lda val + 1
    sta vx, y
@apart:
    rts

; The burr Y throws X back; nothing moves the burr.
throw:
    lda #$20
    sta t0
    lda #$01
    bit dx
    bmi @west           ; the burr is to the left
    lda #$e0
    sta t0
    lda #$fe
@west:
    sta vx, x
    lda t0
    sta vxl, x
    lda #0
    sta vyl, x
    lda #$ff
    bit dy
    bpl @up             ; the burr is below
    lda #1
@up:
    sta vy, x
    rts
