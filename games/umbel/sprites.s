; The sprites. Sprite 0 stays; all others are made anew in each frame. Flyers are drawn in an order that
; goes round, so that where more than eight sprites meet on a line, all of them flicker and none is missing.

draw_sprites:
    lda #4
    sta opos
    jsr draw_dew
    jsr draw_small
    lda ticks
    and #7
    sta order
    ldx #FLYERS - 1
@flyer:
    stx cur
    txa
    clc
    adc order
    and #7
    tax
    jsr draw_flyer
    ldx cur
    dex
    bpl @flyer
    jsr draw_fluffs
    ldx opos
    lda #$f8            ; what the last frame had more of
@hide:
    cpx oend
    bcs @hidden
    sta oam, x
    inx
    inx
    inx
    inx
    bne @hide
@hidden:
    lda opos
    sta oend
    rts

; X = the flyer.
draw_flyer:
    lda fx, x
    sta sx
    lda fy, x
    sta sy
    dec sy              ; the PPU shows sprites a line late
    ldy fkind, x
    lda kind_colour, y
    ora fface, x
    sta sattr
    lda fst, x
    asl a
    tay
    lda draw_table + 1, y
    pha
    lda draw_table, y
    pha
    rts

draw_table:
    .word draw_nothing - 1, draw_perched - 1, draw_flying - 1, draw_curled - 1, draw_sinking - 1
    .word draw_flying - 1, draw_tumbling - 1, draw_points - 1, draw_burr - 1

draw_perched:
    ldy fkind, x
    lda kind_tile, y
    clc
    adc #4              ; wings down
    jmp draw_2x2

draw_flying:
    txa
    bne @rival
    lda safe            ; who is safe blinks
    and #4
    bne draw_nothing
    lda fsits
    beq @rival
    lda #P_bee_sit
    bne draw_2x2
@rival:
    ldy fkind, x
    lda fwing, x        ; wings are down for the first half of the time between strokes
    cmp kind_half, y
    lda kind_tile, y
    bcc @up
    adc #3              ; carry is set: 4
@up:
    bne draw_2x2

draw_nothing:
    rts

; It rolls as it moves, and trembles before it uncurls.
draw_curled:
    lda ftime, x
    cmp #60
    bcs @calm
    and #2
    adc sx
    sta sx
@calm:
    lda fx, x
    lsr a
    lsr a
    lsr a
    lda #P_curl_a
    bcc @turned
    lda #P_curl_b
@turned:
    bne draw_2x2

draw_burr:
    lda ticks
    asl a
    asl a
    and #$40
    ora sattr
    sta sattr
    lda #P_burr
    bne draw_2x2

draw_tumbling:
    lda ticks
    asl a
    asl a
    asl a
    and #$40
    ora #$80            ; upside down
    sta sattr
    lda #P_bee_b
    bne draw_2x2

; Behind the bog, with a splash before it.
draw_sinking:
    lda sattr
    ora #$20
    sta sattr
    ldy fkind, x
    lda kind_tile, y
    jsr draw_2x2
    lda #BOG_Y - 12
    sta sy
    lda #3
    sta sattr
    lda ftime, x
    cmp #14
    bcc draw_nothing
    and #8
    lsr a               ; the second picture is 4 tiles on
    adc #P_splash_a
    ; fall through

; The four tiles from A on at sx, sy; sattr's bits 6 and 7 mirror it. Keeps X.
draw_2x2:
    sta stile
    lda #0
    bit sattr
    bvc @face
    lda #1
@face:
    bit sattr
    bpl @upright
    ora #2
@upright:
    sta sflip
    ldy opos
    jsr @row
    clc
    lda sy
    adc #8
    sta sy
    lda sflip
    eor #2
    sta sflip
    jsr @row
    sty opos
    rts
@row:
    lda sx
    jsr @tile
    lda sflip
    eor #1
    sta sflip
    lda sx
    clc
    adc #8
    jsr @tile
    lda sflip
    eor #1
    sta sflip
    rts
@tile:
    sta oam + 3, y
    lda sy
    sta oam, y
    lda stile
    clc
    adc sflip
    sta oam + 1, y
    lda sattr
    sta oam + 2, y
    iny
    iny
    iny
    iny
    rts

draw_points:
    lda sattr           ; digits are not mirrored
    and #3
    sta sattr
    ldy fwing, x
    lda points_first, y
    jsr draw_tile
    lda sx
    clc
    adc #8
    sta sx
    ldy fwing, x
    lda points_second, y

; Tile A at sx, sy. Keeps X.
draw_tile:
    ldy opos
    sta oam + 1, y
    lda sy
    sta oam, y
    lda sattr
    sta oam + 2, y
    lda sx
    sta oam + 3, y
    iny
    iny
    iny
    iny
    sty opos
    rts

points_first:
    .byte P_n5, P_n1, P_n2, P_n4, P_n8
points_second:
    .byte P_n0, P_n00, P_n00, P_n00, P_n00

; The head, and as much of the stem as is out of the bog; all of it behind the bog.
draw_dew:
    lda dew_state
    beq @none
    lda dew_x
    sta sx
    lda dew_y
    sta sy
    lda #$22
    sta sattr
    lda #P_dew_head
    jsr draw_2x2
@stem:
    clc
    lda sy              ; draw_2x2 left it 8 lines on
    adc #8
    sta sy
    cmp #BOG_Y
    bcs @none
    lda dew_x
    sta sx
    lda #P_dew_stem
    jsr draw_tile
    lda sx
    adc #8
    sta sx
    lda #P_dew_stem + 1
    jsr draw_tile
    jmp @stem
@none:
    rts

draw_small:
    lda nectar_y
    beq @drops
    sta sy
    lda nectar_time     ; it blinks before it dries up
    cmp #50
    bcs @full
    and #4
    bne @drops
@full:
    lda nectar_x
    sta sx
    lda #0
    sta sattr
    lda ticks
    asl a
    asl a
    asl a
    asl a
    lda #P_nectar_a
    adc #0
    jsr draw_tile
@drops:
    lda #3
    sta sattr
    ldx #DROPS - 1
@drop:
    lda drop_on, x
    beq @next
    asl a               ; carry: it bursts
    lda drop_x, x
    sta sx
    lda drop_y, x
    sta sy
    lda #P_drop
    adc #0
    jsr draw_tile
@next:
    dex
    bpl @drop
    rts

draw_fluffs:
    lda #3
    sta sattr
    ldx #FLUFFS - 1
@flake:
    lda fluff_x, x
    sta sx
    lda fluff_y, x
    sta sy
    and #8
    cmp #8
    lda #P_seed_a
    adc #0
    jsr draw_tile
    dex
    bpl @flake
    rts
