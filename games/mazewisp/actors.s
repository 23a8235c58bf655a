; What the wisp and the crawling hunters have in common: they move pixel by pixel and decide at the centres of cells.

; Puts actor X on the cell A (high), Y (low).
place_actor:
    sec
    sbc #>map
    sta ax_hi, x
    tya
    and #$f0
    sta ax_lo, x
    tya
    asl a
    asl a
    asl a
    asl a
    sta ay, x
    lda #$80
    sta adir, x
    lda #0
    sta aacc, x
    rts

; cellp = the cell that actor X is in (its top left corner, when between two).
actor_cell:
    lda ay, x
    lsr a
    lsr a
    lsr a
    lsr a
    sta t0
    lda ax_lo, x
    and #$f0
    ora t0
    sta cellp
    lda ax_hi, x
    clc
    adc #>map
    sta cellp + 1
    rts

; Moves actor cur by its speed.
move_actor:
    ldx cur
    clc
    lda aacc, x
    adc aspd, x
    sta t0
    and #$0f
    sta aacc, x
    lda t0
    lsr a
    lsr a
    lsr a
    lsr a
    beq @done
    sta steps
@pixel:
    jsr move_pixel
    dec steps
    bne @pixel
@done:
    rts

move_pixel:
    ldx cur
    lda ax_lo, x
    ora ay, x
    and #$0f
    bne @between
    jsr at_centre
    ldx cur
@between:
    ldy adir, x
    bmi @stand
    clc
    lda ax_lo, x
    adc push_x, y
    sta ax_lo, x
    lda ax_hi, x
    adc push_xh, y
    and #1              ; the ring closes
    sta ax_hi, x
    clc
    lda ay, x
    adc push_y, y
    sta ay, x
@stand:
    rts

; The wisp obeys the pad; whoever else is here chooses its way by its kind (RTS trick).
at_centre:
    jsr actor_cell
    txa
    bne @hunter
    jmp wisp_at_centre
@hunter:
    lda amode, x
    cmp #M_DAZED
    beq @flees
    ldy akind, x
    .byte $2c           ; BIT skips the next load
@flees:
    ldy #CHOOSE_FLEE
choose:
    jsr scan_exits
    lda exits
    beq @shut_in
    lda choose_hi, y
    pha
    lda choose_lo, y
    pha
    rts
@shut_in:
    lda #$80
    sta adir, x
    rts

; exits = the open directions from cellp, without the way back unless there is no other. Keeps X and Y.
scan_exits:
    tya
    pha
    lda #0
    sta exits
    ldy #3
@direction:
    jsr cell_step
    jsr can_enter
    rol exits
    dey
    bpl @direction
    ldy adir, x
    bmi @done
    lda back_mask, y
    and exits
    beq @done           ; a dead end
    sta exits
@done:
    pla
    tay
    rts

; -- Ways to choose: X = cur, cellp and exits are set; they set adir.

; Any way, by chance.
choose_wander:
    ldy #3
    lda #0
    sta den
@count:
    lda dir_bit, y
    and exits
    beq @closed
    inc den
@closed:
    dey
    bpl @count
    jsr random
    sta num
    lda #0
    sta num + 1
    jsr udiv16          ; A = which of the open ones
    tax
    ldy #$ff
@next:
    iny
    lda dir_bit, y
    and exits
    beq @next
    dex
    bpl @next
    ldx cur
    sty adir, x
    rts

; The way whose cell is nearest to the wisp, or farthest from it.
choose_flee:
    lda #$ff
    .byte $2c           ; BIT skips the next load
choose_chase:
    lda #0
    sta flee
    lda #$ff
    sta best
    sta best + 1
    ldy #3
@direction:
    lda dir_bit, y
    and exits
    beq @next
    jsr cell_step
    jsr wisp_distance2
    lda d2 + 1
    eor flee
    sta d2 + 1
    lda d2
    eor flee
    sta d2
    cmp best
    lda d2 + 1
    sbc best + 1
    bcs @next
    lda d2
    sta best
    lda d2 + 1
    sta best + 1
    sty bestdir
@next:
    dey
    bpl @direction
    ldx cur
    lda bestdir
    sta adir, x
    rts

; d2 = squared distance, in cells, from nbp to the wisp. Keeps Y.
wisp_distance2:
    lda nbp + 1
    sec
    sbc #>map
    asl a
    asl a
    asl a
    asl a
    sta t0
    lda nbp
    lsr a
    lsr a
    lsr a
    lsr a
    ora t0
    sec
    sbc wcol
    and #31
    cmp #17
    bcc @near
    eor #31
    adc #0              ; carry is set: 32 - columns
@near:
    jsr square
    sta d2 + 1
    lda prod
    sta d2
    lda nbp
    and #$0f
    sec
    sbc wrow
    bcs @below
    eor #$ff
    adc #1
@below:
    jsr square
    tax
    clc
    lda prod
    adc d2
    sta d2
    txa
    adc d2 + 1
    sta d2 + 1
    rts

square:
    sta mul_b
    jmp umul8
