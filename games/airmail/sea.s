; The sea: a row of 32 columns of water, each pulled to the mean of its neighbours.

sea_step:
    jsr swell_step
    lda #2
    sta t7
@again:
    ldx #31
@pull:
    sec                 ; rounds up what the next shift rounds down
    lda sea_h - 1, x    ; beyond both ends lie cells of the wind that are calm: the same 128
    adc sea_h + 1, x
    ror a
    sec
    sbc sea_h, x
    cmp #$80
    ror a
    clc
    adc sea_v, x
    bvs @steep
    sta sea_v, x
@steep:
    dex
    bpl @pull
    ldx #31
@move:
    lda sea_v, x        ; a quarter of the velocity
    clc
    adc #2
    cmp #$80
    ror a
    cmp #$80
    ror a
    clc
    adc sea_h, x
    cmp #CALM - 44
    bcs @not_low
    lda #CALM - 44
@not_low:
    cmp #CALM + 44
    bcc @not_high
    lda #CALM + 44
@not_high:
    sta sea_h, x
    dex
    bpl @move
    dec t7
    bne @again
    ldx #31             ; friction, and wind: where it runs together above the sea it lifts it
@drag:
    txa
    lsr a
    tay
    lda wind_u + $b0, y
    sec
    sbc wind_u + $b1, y
    cmp #$80
    ror a
    cmp #$80
    ror a
    clc
    adc sea_v, x
    bvc @moved
@calm:
    lda sea_v, x
@moved:
    cmp #0
    beq @still
    bmi @falling
    sec
    sbc #2
@falling:
    clc
    adc #1
@still:
    sta sea_v, x
    dex
    bpl @drag
    rts

; Now and then the sea outside lifts one end; harder in later levels.
swell_step:
    inc swell
    lda swell
    and #31
    bne @done
    lda level
    cmp #8
    bcc @mild
    lda #8
@mild:
    asl a
    asl a
    adc #10
    jsr random_below
    tay
    ldx #0
    bit rng
    bmi @west
    ldx #30
@west:
    tya
    sta sea_v, x
    sta sea_v + 1, x
@done:
    rts

; Something of strength A falls into the sea at column X.
splash:
    eor #$ff
    clc
    adc sea_v, x
    bvs @done
    sta sea_v, x
@done:
    rts

; The line of the surface at column X, in A. Keeps X, Y.
surface:
    lda sea_h, x
    sec
    sbc #CALM
    cmp #$80
    ror a
    cmp #$80
    ror a
    eor #$ff
    sec
    adc #SEA_Y
    rts
