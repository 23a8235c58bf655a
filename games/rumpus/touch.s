; Who meets whom. All objects are sorted by level into lists (buckets), and only those of a list are compared.

levels_sort:
    lda #NONE
.repeat 5, i
    sta head + i
.endrepeat
    ldx #NOBJ - 1
@object:
    lda o_kind, x
    beq @next
    ldy o_y, x
    dey
    tya
    lsr a
    lsr a
    lsr a
    tay
    lda band_of, y
    tay
    lda head, y
    sta o_next, x
    stx head, y
@next:
    dex
    bne @object         ; the hob is in no list
    rts

; A blow below level s0 at left edge s1 (or along it, by a stamp's wave): the planks sway, and who stands there feels it. Out: X = cur.
strike:
    ldy s0
    lda #28
    sta level_sway, y
    lda s1
    clc
    adc #8
    lsr a
    lsr a
    lsr a
    ora level_row, y
    tax
    lda #8
    sta sway, x
    lda #6
    cpx #127            ; the right edge is where the left one begins, if a little lower
    bcs @at_edge
    sta sway + 1, x
@at_edge:
    cpx #0
    beq @listed
    sta sway - 1, x
@listed:
    ldx head, y
    bmi @done
@object:
    lda o_kind, x
    beq @next
    lda o_ground, x
    beq @next
    lda o_lev, x
    cmp s0
    bne @next
    lda o_x, x
    sec
    sbc s1
    tay
    clc
    adc #15
    cmp #31
    bcs @next
    lda #1
    sta o_ev, x
    cpy #$80            ; pushed away from the blow
    bcc @right
    lda #$40
    SKIP2
@right:
    lda #0
    sta o_evd, x
@next:
    lda o_next, x
    tax
    bpl @object
@done:
    ldx cur
    rts

; The hob against the lists of its feet and its head, then guests against each other.
touches:
    lda chain_time
    beq @no_chain
    dec chain_time
@no_chain:
    lda safe
    beq @unsafe
    dec safe
@unsafe:
    lda o_kind
    beq @guests
    lda o_mode
    beq @guests
    ldy o_y
    jsr band_at
    sta s2
    jsr meet_level
    lda o_y
    sec
    sbc #15
    tay
    jsr band_at
    cmp s2
    beq @guests
    jsr meet_level
@guests:
    ldy #FLOOR
@level:
    sty s2
    ldx head, y
    bmi @empty
    jsr pairs_level
@empty:
    ldy s2
    dey
    bpl @level
    rts

; A = the level of height Y.
band_at:
    dey
    tya
    lsr a
    lsr a
    lsr a
    tay
    lda band_of, y
    rts

; The hob against all of level A.
meet_level:
    tay
    ldx head, y
@object:
    bmi @done
    stx s0
    lda o_mode, x
    beq @next
    lda o_x, x
    sec
    sbc o_x
    clc
    adc #10
    cmp #21
    bcs @next
    lda o_y, x
    sec
    sbc o_y
    clc
    adc #12
    cmp #25
    bcs @next
    jsr meet
    ldx s0
@next:
    lda o_next, x
    tax
    jmp @object
@done:
    rts

meet:
    ldy o_kind, x
    RTS_GO meet_lo, meet_hi

meet_guest:
    lda o_mode, x
    cmp #TIPPED
    bne meet_harm
    lda #2
    sta o_ev, x
    lda #AWAY
    sta o_mode, x
    lda o_dir
    sta o_evd, x
meet_none:
    rts

meet_harm:
    lda safe
    bne meet_none
    lda state
    cmp #PLAY
    bne meet_none
    lda #1
    sta o_ev
    rts

; Guests of a level (X = the first) that walk into each other turn round.
pairs_level:
    jsr is_walker
    bcc @next_first
    stx s0
    lda o_next, x
    tax
    bmi @next_first
@second:
    jsr is_walker
    bcc @next_second
    ldy s0
    lda o_x, x
    sec
    sbc o_x, y
    cmp #14
    bcc @to_right
    cmp #256 - 13
    bcc @next_second
    stx s1              ; X is on the left of s0
    lda o_dir, x
    bne @other_left
    jsr body_turn
@other_left:
    ldx s0
    lda o_dir, x
    beq @second_done
    jsr body_turn
    jmp @second_done
@to_right:
    stx s1              ; X is on the right of s0
    lda o_dir, x
    beq @other_right
    jsr body_turn
@other_right:
    ldx s0
    lda o_dir, x
    bne @second_done
    jsr body_turn
@second_done:
    ldx s1
@next_second:
    lda o_next, x
    tax
    bpl @second
    ldx s0
@next_first:
    txa
    bmi @done
    lda o_next, x
    tax
    bpl pairs_level
@done:
    rts

; Carry set: X walks along the planks and may turn round.
is_walker:
    lda o_ground, x
    beq @no
    lda o_mode, x
    cmp #AWAKE
    bne @no
    ldy o_kind, x
    lda kind_walks, y
    lsr a
    SKIP1
@no:
    clc
    rts

; The struck planks come to rest. A level that is still costs nothing.
sway_step:
    ldy #FLOOR
@level:
    lda level_sway, y
    beq @next
    sec
    sbc #1
    sta level_sway, y
    lda #1
    ldx level_upper, y
    sta dirty, x
    sta dirty + 1, x
    ldx level_row, y
    sty s0
    ldy #32
@column:
    lda sway, x
    beq @rest
    dec sway, x
@rest:
    inx
    dey
    bne @column
    ldy s0
@next:
    dey
    bpl @level
    lda shake
    beq @quiet
    dec shake
    lda #1
    sta dirty + 32
@quiet:
    rts
