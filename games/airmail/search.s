; How the crab finds its way: a depth-first search over floors and ladders, cut off where a way is no better than one already known to
; the same floor, or than the best to the goal. It looks s_limit ladders ahead, more in later levels.
;
; Costs are in units of four pixels.

; From floor X at x = A to floor s_goal at s_goal_x. The first ladder of the best way: s_first, $ff when none was found.
search_way:
    sta s_x
    stx s_seg
    lda #0
    sta s_cost
    sta s_depth
    lda #$ff
    sta s_first
    sta s_best
    ldy seg_n
@forget:
    dey
    sta seg_best, y
    bne @forget
    ; falls through

; All ladders that lead on from floor s_seg at depth s_depth.
search:
    ldx s_depth
    lda lad_n
    sta s_lad, x
search_next:
    ldx s_depth
    dec s_lad, x
    bmi @back
    ldy s_lad, x
    lda lad_s0, y
    cmp s_seg, x
    bne @upwards
    lda lad_s1, y
    jmp @leads
@upwards:
    lda lad_s1, y
    cmp s_seg, x
    bne search_next
    lda lad_s0, y
@leads:
    sta t1
    jsr ladder_cost
    bcs search_next     ; too far to be counted
    cmp s_best
    bcs search_next
    ldx t1
    cmp seg_best, x
    bcs search_next
    sta seg_best, x
    cpx s_goal
    beq @arrive
    ldx s_depth
    cpx s_limit
    bcs search_next
    inx
    stx s_depth
    sta s_cost, x
    lda lad_x, y
    sta s_x, x
    lda t1
    sta s_seg, x
    jsr search
    dec s_depth
    jmp search_next
@arrive:
    sta t2
    lda s_goal_x
    jsr @across
    bcs search_next
    cmp s_best
    bcs search_next
    sta s_best
    lda s_lad
    sta s_first
    jmp search_next
@back:
    rts
; t2 and the way from A to ladder Y
@across:
    sec
    sbc lad_x, y
    bcs @right
    eor #$ff
    adc #1
@right:
    lsr a
    lsr a
    clc
    adc t2
    rts

; The cost at the other end of ladder Y, coming from depth X; carry set if it is past 255.
ladder_cost:
    lda s_x, x
    sec
    sbc lad_x, y
    bcs @right
    eor #$ff
    adc #1
@right:
    lsr a
    lsr a
    clc
    adc s_cost, x
    bcs @far
    sta t2
    lda lad_y1, y
    sbc lad_y0, y       ; one less: carry is clear
    lsr a
    lsr a
    clc
    adc t2
@far:
    rts
