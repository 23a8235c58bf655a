; The map of a screen: unpacked, and searched for floors and ladders, which is all that walkers know of it.

; Runs of cells from the screen's packed form. The sea and both sides are closed to the wind's solver.
unpack_screen:
    ldx screen
    lda screen_lo, x
    sta vec
    lda screen_hi, x
    sta vec + 1
    ldx #$20
    ldy #0
@run:
    lda (vec), y
    iny
    sta t0
    lsr a
    lsr a
    lsr a
    lsr a
    sta t1
    lda t0
    and #$0f
    cmp #K_FLOOR
    bcc @cells
    ora #$80
@cells:
    jsr put_cell
    dec t1
    bpl @cells
    cpx #$d0
    bne @run
    lda #K_SEA | $80
@sea:
    sta map, x
    inx
    cpx #$f0
    bne @sea
    ldx #$20
@sides:
    lda map, x
    ora #$80
    sta map, x
    txa
    ora #15
    tax
    lda map, x
    ora #$80
    sta map, x
    inx
    cpx #$d0
    bne @sides
    rts

; A cell of kind A at X; X moves on. Solid ones are calm, but for vents: these blow upwards.
put_cell:
    sta map, x
    pha
    lda #CALM
    sta press, x
    pla
    bpl @open
    pha
    lda #CALM
    sta wind_u, x
    pla
    pha
    cmp #K_VENT | $80
    beq @vent
    lda #CALM
    .byte $2c           ; BIT skips the next load
@vent:
    lda #CALM - 90
    sta wind_v, x
    pla
@open:
    inx
    rts

; Floors: level runs of cells that can be stood on.
find_floors:
    lda #0
    sta seg_n
    ldx #$20
@row:
    ldy seg_n
    lda #0
    sta t1              ; inside a floor
@cell:
    lda map, x
    and #$0f
    sec
    sbc #K_FLOOR
    cmp #3              ; planks, hatch, vent
    bcs @no_floor
    txa
    asl a
    asl a
    asl a
    asl a
    ora #15
    sta seg_r, y
    lda t1
    bne @next
    inc t1
    txa
    and #$f0
    sta seg_y, y
    txa
    asl a
    asl a
    asl a
    asl a
    sta seg_l, y
    inc seg_n
    bne @next
@no_floor:
    ldy seg_n
    lda #0
    sta t1
@next:
    inx
    txa
    and #15
    bne @cell
    cpx #$d0
    bne @row
    rts

; Ladders: from each hatch down to the next floor.
find_ladders:
    lda #0
    sta lad_n
    ldx #$20
@cell:
    lda map, x
    and #$0f
    cmp #K_HATCH
    bne @next
    stx cell
    jsr add_ladder
    ldx cell
@next:
    inx
    cpx #$d0
    bne @cell
    rts

add_ladder:
    ldy lad_n
    txa
    and #$f0
    sta lad_y0, y
    txa
    asl a
    asl a
    asl a
    asl a
    ora #8
    sta lad_x, y
@down:
    txa
    clc
    adc #16
    tax
    lda map, x
    and #$0f
    cmp #K_FLOOR
    bcc @down
    txa
    and #$f0
    sta lad_y1, y
    sta t3
    lda lad_x, y
    sta t2
    jsr find_floor      ; keeps Y
    txa
    sta lad_s1, y
    lda lad_y0, y
    sta t3
    jsr find_floor
    txa
    sta lad_s0, y
    inc lad_n
    rts

; The floor at height t3 below x = t2: X, or $ff and N set.
find_floor:
    ldx seg_n
@floor:
    dex
    bmi @none
    lda seg_y, x
    cmp t3
    bne @floor
    lda t2
    cmp seg_l, x
    bcc @floor
    lda seg_r, x
    cmp t2
    bcc @floor
    txa
@none:
    rts

; A ladder of floor X within 7 pixels of t2, where lad_s0 (carry clear: down) or lad_s1 (carry set: up) is the floor: Y, or N set.
find_ladder:
    stx t1
    ldy lad_n
    bcs @up
@down:
    dey
    bmi @none
    lda lad_s0, y
    cmp t1
    bne @down
    jsr @beside
    bcs @down
    bcc @found
@up:
    dey
    bmi @none
    lda lad_s1, y
    cmp t1
    bne @up
    jsr @beside
    bcs @up
@found:
    tya
@none:
    rts
@beside:
    lda lad_x, y
    sec
    sbc t2
    clc
    adc #7
    cmp #15
    rts

; Something falls from t3 to t4 at x = t2: the floor it lands on, X, or N set.
floor_between:
    ldx seg_n
@floor:
    dex
    bmi @none
    lda t3
    cmp seg_y, x        ; was above it, or on it?
    beq @reach
    bcs @floor
@reach:
    lda t4
    cmp seg_y, x
    bcc @floor
    lda t2
    cmp seg_l, x
    bcc @floor
    lda seg_r, x
    cmp t2
    bcc @floor
    txa
@none:
    rts
