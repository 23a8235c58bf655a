; The wind: velocities on a grid of 16 x 13 cells, computed anew in each step.
;
; Both components are smoothed (relax), the pressure that would make them free of divergence is relaxed once (pressure), and its slope
; is taken from them (project). Half of the columns are done in a step, the other half in the next, by turns from the left and
; from the right. Walls, floors, vents and the columns at both sides are left alone: they are where wind comes from or ends.
;
; relax and project work in RAM: which field, which way and how far are operands and operation codes that are patched for each run.

.segment "KERNEL"

; The mean of a cell's four neighbours, mixed with what it is itself.
relax:
    lda map, x
    bmi relax_next
    clc
relax_left:
    lda wind_u - 1, x
relax_right:
    adc wind_u + 1, x
    ror a
    sta t0
    clc
relax_up:
    lda wind_u - 16, x
relax_down:
    adc wind_u + 16, x
    ror a
    clc
    adc t0
    ror a
    clc
relax_old:
    adc wind_u, x
    ror a
relax_put:
    sta wind_u, x
relax_next:
    inx                 ; or dex
    inx
relax_end:
    cpx #$d0
relax_turn:
    bcc relax           ; or bcs
    rts

; A cell less the slope of the pressure between two of its neighbours.
project:
    lda map, x
    bmi project_next
project_behind:
    lda press - 1, x
    eor #$ff
    clc
project_ahead:
    adc press + 1, x
    ror a
    eor #$ff
    clc
project_old:
    adc wind_u, x
    sec
    sbc #127
project_put:
    sta wind_u, x
project_next:
    inx
    inx
project_end:
    cpx #$d0
project_turn:
    bcc project
    rts

.import __KERNEL_LOAD__, __KERNEL_RUN__, __KERNEL_SIZE__
.segment "CODE"

wind_step:
    jsr breeze_step
    jsr gusts_step
    jsr borders
    jsr aim_sweep
    ldy #>wind_u
    jsr relax_field
    ldy #>wind_v
    jsr relax_field
    jsr pressure
    lda #<(press - 1)
    ldx #<(press + 1)
    ldy #>wind_u
    jsr project_field
    lda #<(press - 16)
    ldx #<(press + 16)
    ldy #>wind_v
    jmp project_field

; Every 64 steps or so the breeze turns to something new, stronger in later levels.
breeze_step:
    lda breeze_time
    bne @hold
    jsr random
    and #63
    ora #32
    sta breeze_time
    lda level
    cmp #6
    bcc @mild
    lda #6
@mild:
    asl a
    asl a
    adc #20
    sta t1              ; the strongest
    asl a
    jsr random_below
    sec
    sbc t1
    sta breeze_want
@hold:
    dec breeze_time
    lda breeze
    cmp breeze_want
    beq @done
    sec
    sbc breeze_want
    bvc @sign
    eor #$80
@sign:
    bmi @rise
    dec breeze
    .byte $2c           ; BIT skips the other
@rise:
    inc breeze
@done:
    rts

; Two clouds blow in from the sides, now and then.
gusts_step:
    ldx #1
@gust:
    lda gust_power, x
    beq @none
    sec
    sbc #1
    sta gust_power, x
    jmp @next
@none:
    jsr random
    cmp #4
    bcs @next
    lda level
    beq @next           ; not on the title
    lda #8
    jsr random_below
    clc
    adc #3
    sta gust_row, x
    lda rng
    and #1
    sta gust_side, x
    lda #90
    sta gust_power, x
@next:
    dex
    bpl @gust
    rts

; What the solver finds at its edges: the breeze at both sides and at the top, gusts, and the sea that pushes the air up and down.
borders:
    lda breeze
    eor #$80
    ldx #15
@top:
    sta wind_u + $10, x
    dex
    bpl @top
    ldx #$20
@sides:
    sta wind_u, x
    sta wind_u + 15, x
    tay
    txa
    clc
    adc #16
    tax
    tya
    cpx #$d0
    bcc @sides
    ldy #31
    ldx #15
@sea:
    lda sea_v, y
    cmp #$80
    ror a
    cmp #$80
    ror a
    eor #$ff            ; up is down
    sec
    adc #CALM
    sta wind_v + $d0, x
    dey
    dey
    dex
    bpl @sea
    ldx #1
@gust:
    lda gust_power, x
    beq @next
    jsr gust_blow
@next:
    dex
    bpl @gust
    rts

; A gust, X, of strength A blows through three cells of its side.
gust_blow:
    cmp #64
    bcc @fading
    lda #63
@fading:
    ldy gust_side, x
    beq @eastwards
    jsr negate
    ldy #15
@eastwards:
    clc
    adc #CALM
    sta t1
    sty t2
    lda gust_row, x
    asl a
    asl a
    asl a
    asl a
    clc
    adc t2
    tay
    lda t1
    sta wind_u - 16, y
    sta wind_u, y
    sta wind_u + 16, y
    rts

; Turns both kernels this step's way: half of the columns, upwards through the grid or downwards.
aim_sweep:
    lda steps
    and #1
    ora #$20
    sta cell
    ldx #$e8            ; INX
    ldy #$90            ; BCC
    lda #$d0
    sta relax_end + 1
    sta project_end + 1
    lda steps
    and #2
    beq @aimed
    lda cell
    eor #$20 ^ $ce
    sta cell
    lda #$20
    sta relax_end + 1
    sta project_end + 1
    ldx #$ca            ; DEX
    ldy #$b0            ; BCS
@aimed:
    stx relax_next
    stx relax_next + 1
    stx project_next
    stx project_next + 1
    sty relax_turn
    sty project_turn
    rts

; Y = page of the field.
relax_field:
    sty relax_right + 2
    sty relax_down + 2
    sty relax_old + 2
    sty relax_put + 2
    dey
    sty relax_left + 2
    sty relax_up + 2
    ldx cell
    jmp relax

; Y = page of the field; the pressure's slope is taken between the low addresses A and X.
project_field:
    sta project_behind + 1
    stx project_ahead + 1
    sty project_old + 2
    sty project_put + 2
    ldx cell
    jmp project

; Pressure: the mean of its neighbours, less an eighth of what flows apart here.
pressure:
    ldx cell
@cell:
    lda map, x
    bmi @next
    lda wind_u - 1, x
    eor #$ff
    clc
    adc wind_u + 1, x
    ror a
    sta t0
    lda wind_v - 16, x
    eor #$ff
    clc
    adc wind_v + 16, x
    ror a
    clc
    adc t0
    ror a
    sta t1
    lda press - 1, x
    clc
    adc press + 1, x
    ror a
    sta t0
    lda press - 16, x
    clc
    adc press + 16, x
    ror a
    clc
    adc t0
    ror a
    sec
    sbc t1
    clc
    adc #127
    sta press, x
@next:
    lda steps
    and #2
    bne @down
    inx
    inx
    cpx #$d0
    bcc @cell
    rts
@down:
    dex
    dex
    cpx #$20
    bcs @cell
    rts
