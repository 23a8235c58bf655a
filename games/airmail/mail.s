; Mail: thrown by the balloon, moved by the wind, caught, or lost to the sea.

clear_mail:
    ldx #GHOST
    lda #NOTHING
@slot:
    sta mkind, x
    dex
    bpl @slot
    rts

; A free slot: X, or N set.
free_mail:
    ldx #GHOST - 1
@slot:
    lda mkind, x
    beq @free
    dex
    bpl @slot
@free:
    txa
    rts

; Kind Y at height A in slot X; mx is set.
new_mail:
    sta my, x
    sty mkind, x
    sta fy, x
    lda mx, x
    sta fx, x
    lda #0
    sta mmode, x
    sta mxf, x
    sta myf, x
    sta mvx, x
    sta mvy, x
    sta mage, x
    rts

balloon_step:
    lda bx
    clc
    adc bstep
    sta bx
    cmp #232
    bcs @back
    cmp #24
    bcs @on
@back:
    lda bstep
    jsr negate
    sta bstep
@on:
    dec btime
    bne @done
    lda level           ; the next throw: sooner in later levels
    cmp #10
    bcc @pace
    lda #10
@pace:
    asl a
    asl a
    eor #$ff
    adc #66             ; carry is clear: 65 - 4 * level
    sta t1
    lda #24
    jsr random_below
    clc
    adc t1
    sta btime
    jsr free_mail
    bmi @done
    lda bx
    sta mx, x
    lda level
    cmp #12
    bcc @mixture
    lda #12
@mixture:
    sta t2
    lda #16
    jsr random_below
    clc
    adc t2
    tay
    lda throws, y
    tay
    lda #58
    jsr new_mail
    lda bstep           ; it has the balloon's speed, and a push
    asl a
    asl a
    asl a
    asl a
    sta mvx, x
@done:
    rts

mail_step:
    ldx #GHOST - 1
@mail:
    lda mkind, x
    beq @next
    stx who
    jsr @step
    ldx who
@next:
    dex
    bpl @mail
    rts
@step:
    inc mage, x
    ldy mmode, x
    lda mmode_lo, y
    sta vec
    lda mmode_hi, y
    sta vec + 1
    jmp (vec)

mail_falling:
    jsr mail_drift
    jsr mail_catch
    bcs @gone
    lda mkind, x
    cmp #HAMPER
    bne @sea
    lda my, x           ; hampers stop on floors
    clc
    adc #7
    sta t0
    and #$f0
    sta t1
    lda t0
    and #15
    cmp #6
    bcs @sea
    lda mx, x
    lsr a
    lsr a
    lsr a
    lsr a
    ora t1
    tay
    lda map, y
    and #$0f
    sec
    sbc #K_FLOOR
    cmp #3
    bcs @sea
    lda t1
    sbc #6              ; carry is clear: 7
    sta my, x
    lda #RESTING
    sta mmode, x
    lda #0
    sta mage, x
    sta mvy, x
    rts
@sea:
    jsr mail_column
    jsr surface
    ldy t5
    ldx who
    cmp my, x
    bcs @gone
    lda mkind, x
    tay
    lda splashes, y
    ldx t5
    jsr splash
    lda #SFX_SPLASH
    sta sfx
    ldx who
    lda mkind, x
    cmp #INK
    beq @sunk
    lda #AFLOAT
    sta mmode, x
    lda #0
    sta mage, x
    rts
@sunk:
    lda #NOTHING
    sta mkind, x
@gone:
    rts

; The column of the sea below mail X, in X and t5.
mail_column:
    lda mx, x
    lsr a
    lsr a
    lsr a
    sta t5
    tax
    rts

; Rides on the waves: down their slopes. Sinks in the end.
mail_afloat:
    jsr mail_column
    jsr surface
    sec
    sbc #3
    sta t6
    lda sea_h + 1, x
    sec
    sbc sea_h - 1, x
    cmp #$80
    ror a
    cmp #$80
    ror a
    cmp #$80
    ror a
    sta t4
    ldx who
    lda t6
    sta my, x
    lda mvx, x          ; a sixteenth of the speed is lost
    jsr sixteenth
    lda mvx, x
    sec
    sbc t1
    sbc t4
    sta mvx, x
    jsr mail_sideways
    lda mage, x
    cmp #110
    bcc @done
    lda #NOTHING
    sta mkind, x
    jmp add_blot
@done:
    rts

; A hamper on a floor. After a while it tips over and falls on.
mail_resting:
    jsr mail_catch
    bcs @gone
    lda mage, x
    cmp #70
    bcc @gone
    lda my, x
    clc
    adc #15
    sta my, x
    lda #FALLING
    sta mmode, x
@gone:
    rts

mail_carried:
    rts

; Carry set: the keeper has mail X now, or was hit by it.
mail_catch:
    lda state
    cmp #PLAY
    bne @no
    lda pmode
    cmp #P_STUN
    beq @no
    ldy px
    lda mx, x
    jsr distance
    cmp #11
    bcs @no
    lda py
    sec
    sbc #10
    tay
    lda my, x
    jsr distance
    cmp #13
    bcs @no
    lda mkind, x
    cmp #INK
    beq @ink
    lda #216            ; more for what is caught higher up
    sec
    sbc my, x
    lsr a
    lsr a
    lsr a
    lsr a
    lsr a
    clc
    adc #1
    ldy #SFX_CATCH
    sty sfx
    jsr take_mail
    sec
    rts
@ink:
    lda #NOTHING
    sta mkind, x
    jsr keeper_stun
    sec
    rts
@no:
    clc
    rts

; Mail X is in the bag, for its points times A.
take_mail:
    sta mul_b
    ldy mkind, x
    lda #NOTHING
    sta mkind, x
    lda points, y
    jsr multiply
    lda mul_lo
    jsr add_score
    lda left
    beq @steam
    dec left
@steam:
    inc kept
    lda kept
    cmp #3
    bcc @done
    lda #0
    sta kept
    lda steam
    cmp #4
    bcs @done
    inc steam
@done:
    rts

; A piece of mail is lost; it counts in play only.
add_blot:
    lda state
    cmp #PLAY
    bne @done
    inc blots
    lda #SFX_BLOT
    sta sfx
@done:
    rts

; One step of flight for mail X: towards the speed of the air, and its own fall in it, the lighter the sooner.
mail_drift:
    lda mx, x
    lsr a
    lsr a
    lsr a
    lsr a
    sta t3
    lda my, x
    and #$f0
    ora t3
    sta cell
    tay
    lda wind_u, y
    eor #$80
    sec
    sbc mvx, x
    jsr limit
    sta t3
    ldy mkind, x
    lda lightness, y
    tay
    lda t3
    jsr scale
    clc
    adc mvx, x
    sta mvx, x
    ldy mkind, x
    dey
    bne @no_flutter
    lda mage, x
    lsr a
    and #15
    tay
    lda flutter, y
    clc
    adc mvx, x
    sta mvx, x
@no_flutter:
    ldy cell
    lda wind_v, y
    eor #$80
    ldy mkind, x
    clc
    adc weight, y
    sec
    sbc mvy, x
    jsr limit
    ldy #40
    jsr scale
    clc
    adc mvy, x
    sta mvy, x
    jsr sixteenth
    clc
    lda myf, x
    adc t0
    sta myf, x
    lda my, x
    adc t1
    cmp #232
    bcs mail_sideways
    cmp #40             ; not up past the balloon
    bcc mail_sideways
    sta my, x
    ; falls through

; Moves mail X by its mvx; both sides of the picture are walls.
mail_sideways:
    lda mvx, x
    jsr sixteenth
    clc
    lda mxf, x
    adc t0
    sta mxf, x
    lda mx, x
    adc t1
    cmp #6
    bcc @wall
    cmp #250
    bcs @wall
    sta mx, x
    rts
@wall:
    lda mvx, x
    jsr negate
    sta mvx, x
    rts

; After a subtraction: the difference, or the nearest that a byte can hold.
limit:
    bvc @done
    bmi @positive
    lda #$80
    rts
@positive:
    lda #$7f
@done:
    rts

; A in sixteenths, signed: t1.t0
sixteenth:
    tay
    asl a
    asl a
    asl a
    asl a
    sta t0
    tya
    lsr a
    lsr a
    lsr a
    lsr a
    cmp #8
    bcc @positive
    ora #$f0
@positive:
    sta t1
    rts

; For all mail that falls, a ghost of it flies FORECAST steps ahead in the wind as it is now. The more there is in the air, the longer a
; step takes.
forecast_step:
    ldx #GHOST - 1
@mail:
    lda mkind, x
    beq @next
    stx who
    lda mmode, x
    bne @stays          ; only what falls has somewhere to go
    jsr ghost_copy
    lda #FORECAST
    sta index
@fly:
    inc mage + GHOST
    jsr mail_drift
    lda my + GHOST
    cmp #SEA_Y - 8
    bcs @there
    dec index
    bne @fly
@there:
    ldx who
    lda mx + GHOST
    sta fx, x
    lda my + GHOST
    sta fy, x
    bne @next
@stays:
    lda mx, x
    sta fx, x
    lda my, x
    sta fy, x
@next:
    dex
    bpl @mail
    rts

; The ghost becomes like mail X; X = GHOST. Nothing else looks at a ghost's kind: no loop over mail goes so far.
ghost_copy:
    ldy mkind, x
    sty mkind + GHOST
    ldy mx, x
    sty mx + GHOST
    ldy mxf, x
    sty mxf + GHOST
    ldy my, x
    sty my + GHOST
    ldy myf, x
    sty myf + GHOST
    ldy mvx, x
    sty mvx + GHOST
    ldy mvy, x
    sty mvy + GHOST
    ldy mage, x
    sty mage + GHOST
    ldx #GHOST
    rts

; -- Flecks: drops and notes in the wind.

; A: steps to live, bit 7 for a note; at t0, t1 with velocity t2, t3.
new_fleck:
    ldx spawn_fl
    dex
    bpl @slot
    ldx #FLECKS - 1
@slot:
    stx spawn_fl
    sta fl_life, x
    lda t0
    sta fl_x, x
    lda t1
    sta fl_y, x
    lda t2
    sta fl_vx, x
    lda t3
    sta fl_vy, x
    rts

flecks_step:
    ldx #FLECKS - 1
@fleck:
    lda fl_life, x
    and #$7f
    beq @idle
    dec fl_life, x
    lda fl_vx, x
    clc
    adc fl_x, x
    sta fl_x, x
    lda fl_vy, x
    clc
    adc fl_y, x
    sta fl_y, x
    cmp #SEA_Y
    bcs @end
    lda fl_life, x
    bmi @next           ; notes fly straight
    inc fl_vy, x
    lda fl_x, x
    lsr a
    lsr a
    lsr a
    lsr a
    sta t0
    lda fl_y, x
    and #$f0
    ora t0
    tay
    lda wind_u, y
    eor #$80
    jsr sixteenth
    lda t1
    clc
    adc fl_x, x
    sta fl_x, x
@next:
    dex
    bpl @fleck
    rts
@end:
    lda #0
    sta fl_life, x
    beq @next
@idle:                  ; spray from a crest now and then
    sta fl_life, x
    jsr random
    and #31
    tay
    lda sea_h, y
    cmp #CALM + 16
    bcc @next
    sty t4
    tya
    asl a
    asl a
    asl a
    ora #4
    sta fl_x, x
    lda #SEA_Y - 8
    sta fl_y, x
    lda sea_v, y
    and #3
    sec
    sbc #1
    sta fl_vx, x
    lda #<-7
    sta fl_vy, x
    lda #30
    sta fl_life, x
    jsr wave_over
    jmp @next

; A crest at column t4: high ones wash over whoever stands on the pier there.
wave_over:
    ldy t4
    lda sea_h, y
    cmp #CALM + 24
    bcc @done
    lda py
    cmp #$c0
    bcc @done
    lda state
    cmp #PLAY
    bne @done
    tya
    asl a
    asl a
    asl a
    tay
    lda px
    jsr distance
    cmp #14
    bcs @done
    jmp keeper_stun
@done:
    rts
