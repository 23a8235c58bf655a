; The wisp: what the pad wants, what it touches, its glow and its flare.

; Reads the pad into want and sets the wisp's speed.
wisp_controls:
    lda pad
    and #$0f
    tax
    lda pad_dir, x
    sta want
    bmi @no_turn
    eor #2              ; the other way round at once, elsewhere at the next centre
    cmp adir
    bne @no_turn
    lda want
    sta adir
@no_turn:
    lda pad
    and #%01000000
    sta dim
    beq @bright
    lda #14
    .byte $2c           ; BIT skips the next load
@slime:
    lda #11
    .byte $2c
@dark:
    lda #17
    .byte $2c
@full:
    lda #25
    sta aspd
    rts
@bright:
    lda slow
    bne @slime
    lda glow
    beq @dark
    bne @full

; At the centre of a cell (cellp): leaves scent, touches what is there, then chooses the way.
wisp_at_centre:
    lda cellp
    cmp lastp
    bne @entered
    lda cellp + 1
    cmp lastp + 1
    beq @same
@entered:
    lda cellp
    sta lastp
    sta scentp
    ldx cellp + 1
    stx lastp + 1
    inx
    inx
    stx scentp + 1
    inc tick
    ldy #0
    lda tick
    sta (scentp), y
    lda state
    cmp #TITLE
    beq @by_itself
    jsr touch_cell
    jsr actor_zero_cell
@same:
    ldy want
    bmi @stand
    jsr cell_step
    jsr can_enter
    bcs @go
    ldy adir
    bmi @stand
    jsr cell_step
    jsr can_enter
    bcs @go
@stand:
    ldy #$80
@go:
    sty adir
    rts
@by_itself:
    ldx #0
    ldy #CHOOSE_WANDER
    jmp choose

; touch_cell may have used cellp for others.
actor_zero_cell:
    ldx #0
    jmp actor_cell

; What the cell at cellp does to the wisp (RTS trick by cell).
touch_cell:
    ldy #0
    lda (cellp), y
    bmi touch_slime
    sty slow
    tax
    lda touch_hi, x
    pha
    lda touch_lo, x
    pha
touch_nothing:
    rts
touch_slime:
    sta slow
    rts

touch_ember:
    lda #C_PATH
    jsr change_cell
    jsr sfx_ember
    lda glow
    clc
    adc #2
    cmp #64
    bcc @not_full
    lda #63
@not_full:
    sta glow
    lda embers
    bne @needed
    lda #2              ; more than the gate asks for: worth double
    bne @score
@needed:
    dec embers
    bne @still_more
    jsr open_moon
@still_more:
    lda #1
@score:
    jmp add_score

; Stores A in the cell at cellp and has it redrawn.
change_cell:
    ldy #0
    sta (cellp), y
    jmp redraw_cell

; A lantern holds every hunter for a while, later mazes less long. One burns at a time.
touch_lantern:
    lda cellp
    pha
    lda cellp + 1
    pha
    jsr quench
    pla
    sta cellp + 1
    sta lit + 1
    pla
    sta cellp
    sta lit
    lda #C_LIT
    jsr change_cell
    ldx level
    cpx #LANTERN_LEVELS
    bcc @known
    ldx #LANTERN_LEVELS - 1
@known:
    lda lantern_time, x
    sta freeze
    jsr sfx_lantern
    lda #5
    jmp add_score

; The burning lantern, if any, is spent.
quench:
    lda lit + 1
    beq @none
    sta cellp + 1
    lda lit
    sta cellp
    lda #0
    sta lit + 1
    lda #C_SPENT
    jmp change_cell
@none:
    rts

; A bell swaps the two groups of gates.
touch_bell:
    jsr sfx_bell
    lda gate_n
    sta dirn
@gate:
    ldx dirn
    beq @done
    dec dirn
    lda gate_lo - 1, x
    sta cellp
    lda gate_hi - 1, x
    sta cellp + 1
    ldy #0
    lda (cellp), y
    tax
    lda gate_swap, x
    jsr change_cell
    jmp @gate
@done:
    lda #1
    jmp add_score

touch_moon:
    lda #CLEARED
    jmp enter_state

open_moon:
    lda #1
    sta exit_open
    lda exitp
    sta cellp
    lda exitp + 1
    sta cellp + 1
    lda #C_MOON_OPEN
    jsr change_cell
    jmp sfx_moon

; Once a frame: the glow fades, and A spends some of it on a flare that dazes the hunters near by.
wisp_glow:
    dec glow_frac
    bpl @steady
    lda #23
    sta glow_frac
    lda glow
    beq @steady
    dec glow
@steady:
    lda flare_r
    beq @ready
    clc
    adc #5
    cmp #FLARE_REACH
    bcc @grows
    lda #0
@grows:
    sta flare_r
    rts
@ready:
    lda pad_new
    bpl @done           ; A is bit 7
    lda glow
    sec
    sbc #FLARE_COST
    bcc @done
    sta glow
    lda #4
    sta flare_r
    jsr sfx_flare
    ldx #6
@hunter:
    jsr daze
    dex
    bne @hunter
@done:
    rts

; Dazes hunter X if the flare reaches it. An owl goes to roost.
daze:
    lda amode, x
    beq @spared
    lda akind, x
    bmi @spared
    jsr est_dist
    cmp #FLARE_REACH
    bcs @spared
    lda akind, x
    cmp #OWL
    beq @owl
    lda #M_DAZED
    sta amode, x
    lda #150
    bne @time
@owl:
    lda #M_PERCH
    sta amode, x
    lda #200
@time:
    sta atime, x
    lda #2
    jmp add_score       ; keeps X
@spared:
    rts

FLARE_REACH = 76
FLARE_COST = 14

; A tens of points more; a life each 500 tens; the best score follows. Keeps X.
add_score:
    clc
    adc score
    sta score
    bcc @same_page
    inc score + 1
@same_page:
    lda hiscore
    cmp score
    lda hiscore + 1
    sbc score + 1
    bcs @not_best
    lda score
    sta hiscore
    lda score + 1
    sta hiscore + 1
@not_best:
    lda score
    cmp next_life
    lda score + 1
    sbc next_life + 1
    bcc @done
    lda next_life
    clc
    adc #<500
    sta next_life
    lda next_life + 1
    adc #>500
    sta next_life + 1
    lda lives
    cmp #9
    beq @done
    inc lives
    jmp sfx_life
@done:
    rts
