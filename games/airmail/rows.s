; The picture behind the sprites, three rows of 32 tiles a step: sky with the wind in it, display, message, sea.

rows_step:
    lda #0
    ldx side
    beq @half
    lda #ROWS_HALF
@half:
    sta row_at
    lda side
    asl a
    adc side
    sta slot
    ldx build
    beq @stands
    txa                 ; a new screen: both rows of its next cells, and colours
    asl a
    pha
    jsr compose
    pla
    ora #1
    jsr compose
    ldx build
    inc build
    lda build
    cmp #15
    bcc @more
    lda #0
    sta build
@more:
    lda building - 1, x
    jmp compose
@stands:
    lda scan
    asl a
    jsr compose
    lda steps
    lsr a
    bcs @wind
    lsr a
    bcs @message
    lda #2
    jsr compose
    jmp @sea
@message:
    lda #3
    ldx level
    bne @line
    lda #13
@line:
    ldx #ROW_MESSAGE
    jsr compose_as
    jmp @sea
@wind:
    lda scan
    clc
    adc #5
    cmp #13
    bcc @below
    sbc #11
@below:
    asl a
    jsr compose
@sea:
    ldx scan
    inx
    cpx #13
    bcc @next
    ldx #2
@next:
    stx scan
    lda steps
    and #1
    ora #26
    ; falls through

; The next of the three rows is row A: its address, and 32 tiles from row_at on.
compose:
    tay
    ldx row_kind, y
compose_as:
    sta row_no
    tay
    stx t0
    ldx slot
    inc slot
    lda row_addr_lo, y
    sta row_lo, x
    lda row_addr_hi, y
    sta row_hi, x
    ldx t0
    lda compose_lo, x
    sta vec
    lda compose_hi, x
    sta vec + 1
    jmp (vec)

; Sky shows the wind as streaks, one in each cell that is not calm.
compose_upper:
    lda steps
    lsr a
    lsr a
    and #3
    sta t1
    lda row_no
    asl a
    asl a
    asl a
    tax
    ldy row_at
@cell:
    lda map, x
    and #$0f
    bne @thing
    sty row_at
    lda wind_v, x
    lsr a
    lsr a
    lsr a
    lsr a
    tay
    lda class_v, y
    sta t0
    lda wind_u, x
    lsr a
    lsr a
    lsr a
    tay
    lda class_u, y
    clc
    adc t0
    tay
    lda streaks, y
    beq @calm
    clc
    adc t1
    sta t2
    ldy row_at
    lda cell_hash, x
    lsr a
    bcc @second
    lda t2
    sta rows, y
    lda #T_sky
    bne @last
@second:
    lda #T_sky
    sta rows, y
    lda t2
    bne @last
@calm:
    ldy row_at
    lda #T_sky
    sta rows, y
    bne @last
@thing:
    sty row_at
    tay
    lda cell_tiles, y
    ldy row_at
    sta rows, y
    clc
    adc #1
@last:
    sta rows + 1, y
    iny
    iny
    inx
    txa
    and #15
    bne @cell
    sty row_at
    rts

compose_lower:
    lda row_no
    and #$fe
    asl a
    asl a
    asl a
    tax
@cell:
    lda map, x
    and #$0f
    tay
    lda cell_tiles, y
    ldy row_at
    cmp #T_sky
    beq @sky
    clc
    adc #2
    sta rows, y
    adc #1
    bne @second
@sky:
    sta rows, y
@second:
    sta rows + 1, y
    iny
    iny
    sty row_at
    inx
    txa
    and #15
    bne @cell
    rts

; One of the two rows that the surface moves in.
compose_sea:
    lda #224            ; the lower end of this row
    ldx row_no
    cpx #27
    beq @lower
    lda #216
@lower:
    sta t1
    ldx #0
    ldy row_at
@column:
    jsr surface
    sta t0
    lda t1
    sec
    sbc t0
    bcc @air            ; how much of the tile is under water
    beq @air
    cmp #8
    bcc @part
    lda #8
@part:
    clc
    adc #T_water
    .byte $2c           ; BIT skips the next load
@air:
    lda #T_sky
    sta rows, y
    iny
    inx
    cpx #32
    bne @column
    sty row_at
    rts

compose_deep:
    ldx #8
    lda #T_deep
    ldy row_no
    cpy #28
    beq @shallow
    lda #T_deeper
@shallow:
    ldy row_at
@tile:
    sta rows, y
    sta rows + 1, y
    eor #T_deep ^ T_deeper
    sta rows + 2, y
    eor #T_deep ^ T_deeper
    sta rows + 3, y
    iny
    iny
    iny
    iny
    dex
    bne @tile
    sty row_at
    rts

; 32 tiles of sky; Y = where they began.
compose_blank:
    ldx #32
    ldy row_at
    lda #T_sky
@tile:
    sta rows, y
    iny
    dex
    bne @tile
    ldx row_at
    sty row_at
    txa
    tay
    rts

compose_message:
    jsr compose_blank
    sty t0
    ldy msg
    cpy #MSG_START
    bne @shown
    lda row_no          ; on the title not in the display
    cmp #3
    beq @done
    lda steps           ; and by turns with what the buttons do
    and #64
    beq @shown
    ldy #MSG_HINT
@shown:
    ldx message_at, y
    lda messages, x     ; its length, then the text
    sta t1
    lsr a
    eor #$ff
    sec
    adc #16
    clc
    adc t0
    tay
    lda t1
    beq @done
@letter:
    inx
    lda messages, x
    sta rows, y
    iny
    dec t1
    bne @letter
@done:
    rts

; score, lives, mail left, steam, blots, level
compose_display:
    jsr compose_blank
    sty t7
    lda score
    ldx score + 1
    ldy level
    bne @playing
    lda hiscore
    ldx hiscore + 1
@playing:
    sta num
    stx num + 1
    lda #6
    ldx #5
    jsr put_number
    lda #'0'
    sta rows + 7, y     ; scores are tens
    lda level
    bne @fields
    rts
@fields:
    lda #T_lamp
    sta rows + 10, y
    lda #T_mail
    sta rows + 14, y
    lda #T_horn
    ldx steam
    beq @no_steam
@steam:
    sta rows + 19, y
    iny
    dex
    bne @steam
@no_steam:
    ldy t7
    ldx #0
@blot:
    lda #T_blot
    cpx blots
    bcc @black
    lda #T_noblot
@black:
    sta rows + 24, y
    iny
    inx
    cpx #3
    bne @blot
    lda lives
    jsr byte_number
    lda #11
    ldx #1
    jsr put_number
    lda left
    jsr byte_number
    lda #16
    ldx #2
    jsr put_number
    lda level
    jsr byte_number
    lda #30
    ldx #2
    ; falls through

; X digits of num, the last one at column A of the row that begins at t7. Y = t7 afterwards.
put_number:
    clc
    adc t7
    sta t6
    stx t5
    lda #10
    sta den
@digit:
    jsr divide
    clc
    adc #'0'
    ldy t6
    sta rows, y
    dec t6
    dec t5
    bne @digit
    ldy t7
    rts

byte_number:
    sta num
    lda #0
    sta num + 1
    rts

; The colours of the screen, and of the sprites.
compose_palette:
    lda screen
    asl a
    asl a
    asl a
    asl a
    tax
    ldy row_at
    lda themes, x       ; the sky's colour has two addresses
    sta rows + 16, y
    lda #16
    sta t0
@sky:
    lda themes, x
    sta rows, y
    inx
    iny
    dec t0
    bne @sky
    iny
    ldx #1
@sprites:
    lda sprite_colours, x
    sta rows, y
    iny
    inx
    cpx #16
    bne @sprites
    sty row_at
    rts

; Attributes: which palette each cell has, four cells a byte. Four rows of eight bytes.
compose_attributes:
    ldx #$00
    lda row_no
    cmp #ATTRIBUTES
    beq @upper
    ldx #$80
@upper:
    lda #4
    sta t1
@line:
    lda #8
    sta t2
@byte:
    lda map + 17, x
    jsr @two_bits
    lda map + 16, x
    jsr @two_bits
    lda map + 1, x
    jsr @two_bits
    lda map, x
    jsr @two_bits
    ldy row_at
    sta rows, y
    inc row_at
    inx
    inx
    dec t2
    bne @byte
    txa
    clc
    adc #16
    tax
    dec t1
    bne @line
    rts
@two_bits:              ; the first ones are shifted out again
    and #$0f
    tay
    lda t0
    asl a
    asl a
    ora cell_palette, y
    sta t0
    rts
