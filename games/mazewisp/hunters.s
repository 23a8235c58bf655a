; The hunters. What one does in a frame depends on its mode, which way it turns on its kind: both through the RTS trick.

; Everybody to the dens, by the level's roster.
hunters_place:
    ldx level
    cpx #ROSTERS
    bcc @known
    ldx #ROSTERS - 1
@known:
    lda roster_start, x
    sta t2
    lda level           ; the later the level, the faster
    cmp #7
    bcc @slow_enough
    lda #7
@slow_enough:
    sta t3
    ldx #1
@hunter:
    ldy t2
    inc t2
    lda rosters, y
    sta akind, x
    bmi @next
    tay
    lda kind_speed, y
    clc
    adc t3
    sta aspd, x
    lda #1
    sta ahand, x
    lda #M_DEN
    sta amode, x
    lda den_wait - 1, x
    sta atime, x
    ldy den_lo - 1, x
    lda den_hi - 1, x
    jsr place_actor
@next:
    inx
    cpx #ACTORS
    bne @hunter
    rts

; The night is over: all go faster.
hunters_hurry:
    ldx #6
@hunter:
    lda aspd, x
    adc #5
    sta aspd, x
    dex
    bne @hunter
    rts

; One frame of all hunters. A burning lantern holds them.
hunters_step:
    lda #255
    sta nearest
    lda freeze
    beq @move
    dec freeze
    bne @held
    jmp quench
@move:
    lda ax_hi
    asl a
    asl a
    asl a
    asl a
    sta wcol
    lda ax_lo
    lsr a
    lsr a
    lsr a
    lsr a
    ora wcol
    sta wcol
    lda ay
    lsr a
    lsr a
    lsr a
    lsr a
    sta wrow
    ldx #1
@hunter:
    stx cur
    lda akind, x
    bmi @nobody
    jsr hunter_step
@nobody:
    ldx cur
    inx
    cpx #ACTORS
    bne @hunter
@held:
    rts

hunter_step:
    ldy amode, x
    lda mode_hi, y
    pha
    lda mode_lo, y
    pha
    rts

; In its den, until its time comes.
mode_den:
    dec atime, x
    bne @stay
    lda akind, x
    cmp #OWL
    beq @owl
    lda #M_HUNT
    .byte $2c           ; BIT skips the next load
@owl:
    lda #M_PERCH
    sta amode, x
    lda #60
    sta atime, x
@stay:
    rts

mode_hunt:
    jsr move_actor
    jmp hunter_touch

mode_dazed:
    dec atime, x
    bne @dazed
    lda #M_HUNT
    sta amode, x
@dazed:
    jmp move_actor

; An owl sits, opens its wings, swoops to where the wisp was, and sits again.
mode_perch:
    dec atime, x
    bne @stay
    lda #M_ALERT
    sta amode, x
    lda #36
    sta atime, x
    jmp sfx_hoot
@stay:
    rts

mode_alert:
    dec atime, x
    beq owl_launch
    rts

mode_swoop:
    jsr owl_glide
    ldx cur
    dec atime, x
    bne @flying
    lda #M_PERCH
    sta amode, x
    jsr random
    and #63
    ora #32
    sta atime, x
@flying:
    jmp hunter_touch

; Is the wisp caught? Waking hunters also make its heart beat.
hunter_touch:
    ldx cur
    jsr est_dist
    cmp nearest
    bcs @farther
    sta nearest
@farther:
    lda adx
    cmp #10
    bcs @missed
    lda ady
    cmp #10
    bcs @missed
    lda state
    cmp #PLAY
    bne @missed
    lda #CAUGHT
    jmp enter_state
@missed:
    rts

; Speed so that the longer side takes half as many frames as it has pixels: side * 256 / frames, 8.8.
owl_launch:
    lda #M_SWOOP
    sta amode, x
    jsr est_dist
    lda t0
    lsr a
    cmp #24
    bcs @far
    lda #24
@far:
    sta den
    clc
    adc #14             ; a little beyond
    sta atime, x
    lda adx
    sta num + 1
    ldy sgnx
    jsr owl_speed
    lda num
    sta ovx_lo, x
    lda num + 1
    sta ovx_hi, x
    lda ady
    sta num + 1
    ldy sgny
    jsr owl_speed
    lda num
    sta ovy_lo, x
    lda num + 1
    sta ovy_hi, x
    rts

; num = num / den, negative if Y is not 0 (the hunter is beyond the wisp). The low byte of the dividend is 0. Keeps X.
owl_speed:
    tya
    pha
    lda #0
    sta num
    jsr udiv16
    pla
    beq @towards
    sec
    lda #0
    sbc num
    sta num
    lda #0
    sbc num + 1
    sta num + 1
@towards:
    rts

; Over hedges and round the ring, but not out of the maze.
owl_glide:
    ldy #0
    lda ovx_hi, x
    bpl @east
    dey
@east:
    sty t0
    clc
    lda ofx, x
    adc ovx_lo, x
    sta ofx, x
    lda ax_lo, x
    adc ovx_hi, x
    sta ax_lo, x
    lda ax_hi, x
    adc t0
    and #1
    sta ax_hi, x
    lda ovx_hi, x       ; it looks where it flies
    asl a
    lda #1
    bcc @looks
    lda #3
@looks:
    sta adir, x
    clc
    lda ofy, x
    adc ovy_lo, x
    sta ofy, x
    lda ay, x
    adc ovy_hi, x
    cmp #193
    bcc @inside
    lda ovy_hi, x
    bmi @top
    lda #192
    .byte $2c           ; BIT skips the next load
@top:
    lda #0
@inside:
    sta ay, x
    rts

; -- Ways to choose, by kind (see choose in actors.s).

; A moth is drawn to the glow: the brighter, the farther. It loses a wisp that dims itself.
choose_moth:
    lda dim
    bne @blind
    jsr est_dist
    lsr a
    lsr a
    cmp glow
    bcs @blind
    jmp choose_chase
@blind:
    jmp choose_wander

; A beetle follows the hedge on one side, and now and then changes sides.
choose_beetle:
    jsr random
    cmp #16
    bcs @same_side
    lda ahand, x
    eor #2
    sta ahand, x
@same_side:
    clc
    lda adir, x
    adc ahand, x
@try:
    and #3
    tay
    lda dir_bit, y
    and exits
    bne @found
    tya
    sec
    sbc ahand, x
    jmp @try
@found:
    sty adir, x
    rts

; A slug leaves slime on bare path. The oldest of it dries when there is too much.
choose_slug:
    ldy #0
    lda (cellp), y
    bne @wander         ; only C_PATH
    lda #C_SLIME
    jsr change_cell
    ldx sl_pos
    lda sl_lo, x
    ldy sl_hi, x
    sta t0
    lda cellp
    sta sl_lo, x
    lda cellp + 1
    sta sl_hi, x
    inx
    cpx #SLIMES
    bcc @room
    ldx #0
@room:
    stx sl_pos
    tya
    beq @wander
    sta cellp + 1
    lda t0
    sta cellp
    lda #C_PATH
    jsr change_cell
    ldx cur
    jsr actor_cell
@wander:
    ldx cur
    jmp choose_wander

; A hound goes where the wisp's scent is freshest, and strays where there is none.
choose_hound:
    lda #SCENT_LASTS
    sta best
    ldy #3
@direction:
    lda dir_bit, y
    and exits
    beq @next
    jsr cell_step
    lda nbp + 1
    clc
    adc #>scent - >map
    sta nbp + 1
    sty t5
    ldy #0
    sec
    lda tick
    sbc (nbp), y
    ldy t5
    cmp best
    bcs @next
    sta best
    sty bestdir
@next:
    dey
    bpl @direction
    lda best
    cmp #SCENT_LASTS
    bcs @lost
    lda bestdir
    sta adir, x
    rts
@lost:
    jmp choose_wander

SCENT_LASTS = 40

; One cell a frame: scent too old to follow is kept from looking fresh again when the stamp comes round.
scent_step:
    lda ticks
    sta scentp
    lda ticks + 1
    and #1
    clc
    adc #>scent
    sta scentp + 1
    ldy #0
    sec
    lda tick
    sbc (scentp), y
    cmp #100
    bcc @fresh
    lda tick
    sbc #100
    sta (scentp), y
@fresh:
    rts
