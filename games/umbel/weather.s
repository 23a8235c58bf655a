; What else is in the air: drops, wind, fluff, nectar, and the sundew in the bog.

weather_step:
    jsr wind_step
    jsr drops_step
    jsr dew_step
    jsr nectar_step
    jmp fluffs_step

weather_clear:
    lda #0
    sta wind
    sta dew_state
    sta nectar_y
    ldx #DROPS - 1
@drop:
    sta drop_on, x
    dex
    bpl @drop
    lda #120
    sta wind_time
    sta dew_time
    lda #200
    sta nectar_time
    ldx #FLUFFS - 1
@fluff:
    jsr random
    sta fluff_x, x
    jsr random
    lsr a
    sta fluff_y, x
    dex
    bpl @fluff
    rts

; -- Wind: it changes after two to six seconds. There is none in the first stage.
wind_step:
    dec wind_time
    bne @same
    jsr random
    and #7
    tax
    lda winds, x
    ldy level
    dey
    bne @blows
    lda #0
@blows:
    sta wind
    jsr random
    ora #$80
    sta wind_time
@same:
    rts

winds:
    .byte 0, 1, <-1, 2, <-2, 3, <-3, 0

; -- Drops fall, push down whom they hit, and burst.
drops_step:
    ldx #DROPS - 1
@drop:
    stx cur
    lda drop_on, x
    beq @none
    bmi @bursts
    jsr drop_fall
    jmp @next
@bursts:
    inc drop_on, x      ; from $f0 on
    jmp @next
@none:
    txa                 ; one of them may begin, in a frame of its own
    eor ticks
    and #3
    bne @next
    jsr random
    lsr a
    lsr a
    cmp rank
    beq @begin
    bcs @next
@begin:
    jsr random
    sta drop_x, x
    lda #CEILING
    sta drop_y, x
    lda #1
    sta drop_v, x
    sta drop_on, x
@next:
    ldx cur
    dex
    bpl @drop
    rts

drop_fall:
    lda drop_v, x
    cmp #50
    bcs @fast
    inc drop_v, x
@fast:
    clc                 ; y = y + v / 16
    lda drop_f, x
    adc drop_v, x
    pha
    and #$0f
    sta drop_f, x
    pla
    lsr a
    lsr a
    lsr a
    lsr a
    clc
    adc drop_y, x
    sta drop_y, x
    cmp #BOG_Y - 8
    bcs drop_burst
    adc #7
    sta celly
    lda drop_x, x
    adc #4
    jsr cell_at
    cmp #C_SOLID
    bcs drop_burst
    ldy #6
@flyer:
    lda fst, y
    cmp #F_FLY
    beq @wet
    cmp #F_CURL
    bne @dry
@wet:
    sec
    lda fy, y
    sbc drop_y, x
    jsr absolute
    cmp #10
    bcs @dry
    lda drop_x, x       ; its middle less theirs: + 4 - 8
    sbc #3              ; carry is clear: 4
    sec
    sbc fx, y
    jsr absolute
    cmp #9
    bcc @hit
@dry:
    dey
    bpl @flyer
    rts
@hit:
    clc
    lda vyl, y
    adc #$c0
    sta vyl, y
    lda vy, y
    adc #0
    sta vy, y
    tya
    bne drop_burst
    jsr sfx_drop
drop_burst:
    ldx cur
    lda #$f0
    sta drop_on, x
    rts

; -- The sundew rises under whoever flies low, holds whom it touches, and sinks.
dew_step:
    lda dew_state
    beq dew_lurk
    lsr a
    bcc dew_sink
    dec dew_time
    beq @enough
    lda dew_y
    cmp #BOG_Y - 42
    bcc @high
    dec dew_y
    dec dew_y
@high:
    ldx dew_prey        ; it bends after its prey
    lda ticks
    lsr a
    bcc @touch
    lda fx, x
    cmp dew_x
    beq @touch
    bmi @west
    inc dew_x
    jmp @touch
@west:
    dec dew_x
@touch:
    ldx #6
@flyer:
    jsr catchable
    bcs @next
    sec
    lda fx, x
    sbc dew_x
    jsr absolute
    cmp #10
    bcs @next
    sec
    lda fy, x
    sbc dew_y
    jsr absolute
    cmp #12
    bcc @caught
@next:
    dex
    bpl @flyer
    rts
@caught:
    lda #F_HELD
    sta fst, x
    jsr sfx_held
@enough:
    lda #2
    sta dew_state
    rts

dew_sink:
    inc dew_y
    lda dew_y
    cmp #BOG_Y + 4
    bcc @still
    lda #0
    sta dew_state
    lda #150
    sbc rank
    sbc rank
    sbc rank
    sta dew_time
@still:
    rts

; The lowest of those that can be caught is its prey.
dew_lurk:
    lda dew_time
    beq @look
    dec dew_time
    rts
@look:
    lda #BOG_Y - 56
    sta t5
    ldy #$ff
    ldx #6
@flyer:
    jsr catchable
    bcs @next
    lda fy, x
    cmp t5
    bcc @next
    sta t5
    txa
    tay
@next:
    dex
    bpl @flyer
    tya
    bmi @nobody
    sty dew_prey
    lda fx, y
    sta dew_x
    lda #BOG_Y
    sta dew_y
    lda #56
    sta dew_time
    lda #1
    sta dew_state
    jmp sfx_dew
@nobody:
    rts

; Carry clear: the sundew can catch X.
catchable:
    lda fst, x
    cmp #F_FLY
    bne @else
    txa
    bne @yes
    lda safe            ; not a player who is safe
    bne @no
@yes:
    clc
    rts
@else:
    cmp #F_CURL
    beq @yes
@no:
    sec
    rts

; -- Nectar: a drop now and then on a white umbel. It makes the bee's fuzz grow.
nectar_step:
    lda nectar_y
    bne @there
    lda nectar_time
    beq nectar_seek
    dec nectar_time
    rts
@there:
    lda ticks
    lsr a
    bcc @fresh
    dec nectar_time
    bne @fresh
@gone:
    lda #0
    sta nectar_y
    lda #240
    sta nectar_time
    rts
@fresh:
    lda fst
    cmp #F_FLY
    bne @left
    sec
    lda nectar_x
    sbc #4
    sec
    sbc fx
    jsr absolute
    cmp #11
    bcs @left
    lda nectar_y
    sec
    sbc #6
    sec
    sbc fy
    jsr absolute
    cmp #12
    bcs @left
    lda fuzz
    cmp #4
    bcs @full
    inc fuzz
@full:
    lda #2
    jsr score_points
    jsr sfx_nectar
    jmp @gone
@left:
    rts

; A column by chance; the first white umbel in it, if there is one.
nectar_seek:
    jsr random
    sta nectar_x
    lda #24
@row:
    sta celly
    lda nectar_x
    jsr cell_at
    cmp #C_WHITE_M
    beq @found
    lda celly
    clc
    adc #8
    cmp #BOG_Y
    bcc @row
    rts
@found:
    lda celly
    sec
    sbc #8
    sta nectar_y
    lda nectar_x
    and #$f8
    sta nectar_x
    lda #250
    sta nectar_time
    rts

; -- Fluff drifts with the wind, each flake at its own pace.
fluffs_step:
    ldx #FLUFFS - 1
@flake:
    lda wind
    asl a
    asl a
    asl a
    asl a
    ldy #0
    cmp #0
    bpl @east
    dey
@east:
    clc
    adc fluff_xl, x
    sta fluff_xl, x
    tya
    adc fluff_x, x
    sta fluff_x, x
    txa                 ; they sink by turns
    eor ticks
    and #7
    bne @same
    inc fluff_y, x
    lda fluff_y, x
    cmp #BOG_Y - 4
    bcc @same
    lda #8
    sta fluff_y, x
    jsr random
    sta fluff_x, x
@same:
    dex
    bpl @flake
    rts
