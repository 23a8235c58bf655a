; Sprites: rebuilt every frame behind sprite 0. Where more than eight meet on a line, the rotating order lets all flicker.

build_sprites:
    lda #4
    sta oam_pos
    jsr draw_flare
    jsr draw_firefly
    jsr draw_arrow
    ldx oam_rot
    inx
    cpx #ACTORS
    bcc @first
    ldx #0
@first:
    stx oam_rot
    lda #ACTORS
    sta steps
@actor:
    lda akind, x
    bmi @nobody
    stx cur
    jsr draw_actor
    ldx cur
@nobody:
    inx
    cpx #ACTORS
    bcc @in_range
    ldx #0
@in_range:
    dec steps
    bne @actor
    jsr motes_step
    jsr draw_motes
    ldx oam_pos         ; take away what is left from the last frame
    lda #$f8
@hide:
    cpx oam_end
    bcs @hidden
    sta oam, x
    inx
    inx
    inx
    inx
    bne @hide
@hidden:
    lda oam_pos
    sta oam_end
    rts

; spr_x (2 bytes) = A (high), Y (low) on the screen; carry set if within it or up to 15 pixels left of it.
to_screen:
    sta t0
    sec
    tya
    sbc cam
    sta spr_x
    lda t0
    sbc cam + 1
    and #1
    sta spr_x + 1
    beq @on
    lda spr_x
    cmp #$f1
    rts
@on:
    sec
    rts

draw_actor:
    ldy ax_lo, x
    lda ax_hi, x
    jsr to_screen
    bcc @done
    lda ay, x
    clc
    adc #SPLIT_Y - 1
    sta spr_y
    txa
    bne @hunter
    jsr wisp_look
    jmp @look
@hunter:
    jsr hunter_look
@look:
    bcc @done
    sta spr_tile
    bit spr_attr
    bvs @mirrored
    jsr draw_half
    inc spr_tile
    jmp @right
@mirrored:
    inc spr_tile
    jsr draw_half
    dec spr_tile
@right:
    clc
    lda spr_x
    adc #8
    sta spr_x
    bcc @half
    lda spr_x + 1
    eor #1
    sta spr_x + 1
@half:
    jmp draw_half
@done:
    rts

; Two sprites: spr_tile and, below it, spr_tile + 2.
draw_half:
    lda spr_x + 1
    bne @off
    ldx oam_pos
    lda spr_y
    sta oam, x
    clc
    adc #8
    sta oam + 4, x
    lda spr_tile
    sta oam + 1, x
    adc #2
    sta oam + 5, x
    lda spr_attr
    sta oam + 2, x
    sta oam + 6, x
    lda spr_x
    sta oam + 3, x
    sta oam + 7, x
    txa
    adc #8
    sta oam_pos
@off:
    rts

; Out: carry set, A = first tile, spr_attr. Carry clear: not shown now.
wisp_look:
    lda #0
    sta spr_attr
    lda state
    cmp #CAUGHT
    beq @caught
    cmp #OVER
    beq @gone
    lda glow
    beq @dimmed
    lda dim
    bne @dimmed
    lda want
    cmp #3
    bne @steady
    lda #%01000000
    sta spr_attr
@steady:
    lda ticks
    and #8
    bne @second
    lda #T_wisp_a
    .byte $2c           ; BIT skips the next load
@second:
    lda #T_wisp_b
    .byte $2c
@dimmed:
    lda #T_wisp_dim
    sec
    rts
@caught:
    lda timer
    and #4
    beq @gone
    lda #T_wisp_gone
    sec
    rts
@gone:
    clc
    rts

hunter_look:
    ldy akind, x
    lda kind_colour, y
    sta spr_attr
    lda adir, x
    cmp #3
    bne @faces_right
    lda #%01000000
    ora spr_attr
    sta spr_attr
@faces_right:
    lda freeze
    bne @frozen
    lda amode, x
    beq @den
    cmp #M_DAZED
    bne @plain
    lda ticks           ; dazed ones blink blue
    and #8
    beq @plain
@frozen:
    lda spr_attr
    and #%01000000
    sta spr_attr
@plain:
    lda amode, x
    cmp #M_PERCH
    beq @perched
    lda freeze
    bne @first
    lda ticks
    and anim_mask, y
    beq @first
    lda kind_tile, y
    clc
    adc #4
    sec
    rts
@first:
    lda kind_tile, y
    sec
    rts
@perched:
    lda #T_owl_perch
    sec
    rts
@den:
    lda ticks           ; about to come out
    and #%00010100
    beq @plain
    clc
    rts

; The flare: a ring of eight sparks. Its five offsets are -r, -0.7 r, 0, 0.7 r, r.
draw_flare:
    lda flare_r
    beq @none
    sta ring_lo + 4
    sta mul_b
    lda #181
    jsr umul8
    sta ring_lo + 3
    lda #0
    sta ring_lo + 2
    sta ring_hi + 2
    sta ring_hi + 3
    sta ring_hi + 4
    sec
    sbc ring_lo + 3
    sta ring_lo + 1
    lda #0
    sec
    sbc ring_lo + 4
    sta ring_lo
    lda #$ff
    sta ring_hi
    sta ring_hi + 1
    ldy ax_lo
    lda ax_hi
    jsr to_screen
    lda spr_x           ; the wisp is never near the right edge
    clc
    adc #4
    sta spr_x
    ldx #7
@spark:
    stx cur
    ldy ring_y, x
    clc
    lda ay
    adc ring_lo, y
    sta spr_y
    lda ring_hi, y
    adc #0
    bne @next
    lda spr_y
    cmp #200
    bcs @next
    adc #SPLIT_Y + 3
    sta spr_y
    ldy ring_x, x
    clc
    lda spr_x
    adc ring_lo, y
    sta t0
    lda spr_x + 1
    adc ring_hi, y
    bne @next
    lda #T_spark
    ldy #0
    jsr draw_small
@next:
    ldx cur
    dex
    bpl @spark
@none:
    rts

; One sprite: tile A, attributes Y, at t0, spr_y.
draw_small:
    ldx oam_pos
    sta oam + 1, x
    tya
    sta oam + 2, x
    lda spr_y
    sta oam, x
    lda t0
    sta oam + 3, x
    txa
    clc
    adc #4
    sta oam_pos
    rts

draw_motes:
    ldx #MOTES - 1
@mote:
    stx cur
    lda mote_x, x
    sta t0
    lda mote_y, x
    clc
    adc #SPLIT_Y - 4
    cmp #SPLIT_Y
    bcc @next           ; still behind the display
    sta spr_y
    ldy colour
    lda mote_y, x
    and #16
    beq @turned
    lda #T_mote_a
    .byte $2c           ; BIT skips the next load
@turned:
    lda #T_mote_b
    pha
    lda mote_colour, y
    tay
    pla
    jsr draw_small
@next:
    ldx cur
    dex
    bpl @mote
    rts

draw_firefly:
    lda ff_time
    bpl @none
    ldy ff_x
    lda ff_x + 1
    jsr to_screen
    lda spr_x + 1
    bne @none
    lda ticks           ; it sways
    lsr a
    lsr a
    and #7
    tay
    clc
    lda ff_y
    adc sway, y
    adc #SPLIT_Y
    sta spr_y
    clc
    lda spr_x
    adc #4
    bcs @none
    sta t0
    lda ticks
    and #4
    beq @wings_up
    lda #T_firefly_b
    .byte $2c           ; BIT skips the next load
@wings_up:
    lda #T_firefly_a
    ldy #1
    jmp draw_small
@none:
    rts

; Where the moon gate is open out of sight, an arrow points to it the shorter way round.
draw_arrow:
    lda exit_open
    beq @none
    lda ticks
    and #16
    beq @none
    lda exitp
    and #$0f
    asl a
    asl a
    asl a
    asl a
    adc #SPLIT_Y + 3
    sta spr_y
    lda exitp
    and #$f0
    tay
    lda exitp + 1
    sec
    sbc #>map
    jsr to_screen
    lda spr_x + 1
    beq @none           ; in sight
    lda spr_x
    bmi @left           ; more than 384 pixels to the right
    lda #244
    ldy #1
    bne @draw
@left:
    lda #6
    ldy #%01000001
@draw:
    sta t0
    lda #T_arrow
    jmp draw_small
@none:
    rts
