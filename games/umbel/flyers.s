; The flyers: the player (0), six rivals, the burr (7). What one does in a frame hangs on its state, through
; the RTS trick.

world_step:
    jsr reserve_step
    jsr flyers_step
    jsr contacts_step
    jmp weather_step

flyers_step:
    lda fst             ; where rivals think the player is
    cmp #F_FLY
    bne @unseen
    lda fx
    sta px
    lda fy
    sta py
@unseen:
    ldx #FLYERS - 1
@flyer:
    stx cur
    jsr flyer_step
    ldx cur
    dex
    bpl @flyer
    lda safe
    beq @done
    dec safe
@done:
    rts

; About once a second, and as long as there are any: a rival comes out on a perch where the player is not.
reserve_step:
    lda ticks
    and #63
    bne @none
    lda reserve
    beq @none
    ldx #6
@slot:
    lda fst, x
    beq @free
    dex
    bne @slot
    rts
@free:
    jsr random
    and #7
    cmp #6
    bcs @none           ; next time
    tay
    lda spotx, y
    sec
    sbc fx
    jsr absolute
    cmp #36
    bcc @none
    dec reserve
    lda spotx, y
    sta fx, x
    lda spoty, y
    sta fy, x
    lda rnd + 1
    and #7
    tay
    lda reserve_kinds, y
    sta fkind, x
    lda rank
    sta fgrade, x
    lda #50
    sta ftime, x
    lda #F_PERCH
    jmp set_still
@none:
    rts

flyer_step:
    lda fwing, x
    beq @rested
    dec fwing, x
@rested:
    lda fst, x
    asl a
    tay
    lda flyer_table + 1, y
    pha
    lda flyer_table, y
    pha
    rts

flyer_table:
    .word be_gone - 1, be_perched - 1, be_flying - 1, be_curled - 1, be_sinking - 1
    .word be_held - 1, be_tumbling - 1, be_points - 1, be_burr - 1

be_gone:
    rts

; It sits until its time is up.
be_perched:
    lda #0
    sta fpad, x
    lda ftime, x
    beq @leave
    dec ftime, x
    jmp fly
@leave:
    lda #F_FLY
    sta fst, x
    lda #$ff
    sta vy, x
    jmp fly

be_flying:
    txa
    beq @player
    jsr decide
@player:
    jsr fly
    ldx cur
    lda fy, x
    cmp #BOG_Y - 10
    bcs into_bog
    rts

; Into the bog, with a splash.
into_bog:
    lda #F_SINK
    sta fst, x
    lda #30
    sta ftime, x
    txa
    beq @player
    dec foes
    lda lives           ; none: nobody plays
    beq @player
    lda #0              ; it drowned by itself or was left to: few points
    jsr score_points
@player:
    jmp sfx_splash

; Curled up: it falls, bounces, rolls, and uncurls in the end.
be_curled:
    lda #0
    sta fpad, x
    jsr fly
    ldx cur
    lda fy, x
    cmp #BOG_Y - 10
    bcs into_bog
    lda ftime, x
    beq @uncurl
    dec ftime, x
    rts
@uncurl:
    lda fsits, x
    beq @later
    lda fgrade, x       ; it has become angrier
    cmp #6
    bcs @worst
    adc #2
    sta fgrade, x
@worst:
    lda #24
    sta ftime, x
    lda #F_PERCH
    sta fst, x
    rts
@later:
    inc ftime, x
    rts

be_sinking:
    lda ftime, x
    and #1
    bne @same
    inc fy, x
@same:
    dec ftime, x
    bne @stay
    lda #F_NONE
    sta fst, x
@stay:
    rts

; The sundew has it, and draws it down.
be_held:
    lda dew_x
    sta fx, x
    lda dew_y
    sec
    sbc #6
    sta fy, x
    cmp #BOG_Y - 14
    bcs into_bog
    rts

; Struck, the player falls through everything.
be_tumbling:
    jsr gravity
    jsr move_free
    ldx cur
    lda fy, x
    cmp #BOG_Y - 8
    bcc @stay
    cmp #240            ; still above the picture
    bcs @stay
    jmp into_bog
@stay:
    rts

; Points where somebody was: they rise for a while.
be_points:
    dec ftime, x
    beq @gone
    lda ftime, x
    and #3
    bne @stay
    dec fy, x
@stay:
    rts
@gone:
    lda #F_NONE
    sta fst, x
    rts

; The burr drifts on for ever, thrown back by all that is solid.
be_burr:
    lda #0
    sta acc
    jsr move_sideways
    jsr move_down
    ldx cur
    lda fy, x
    cmp #BOG_Y - 20
    bcc @dry
    lda vy, x
    bmi @dry
    jmp turn_vertical
@dry:
    rts

; What the pad says is what the player's bee wants: A flaps once, B as often as it can.
player_wishes:
    lda pad
    and #PAD_LEFT | PAD_RIGHT
    sta fpad
    lda pad_new
    bmi @flap
    bit pad
    bvc @done
    lda fwing
    bne @done
@flap:
    lda fpad
    ora #PAD_A
    sta fpad
@done:
    rts
