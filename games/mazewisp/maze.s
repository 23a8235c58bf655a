; The maze: unpacking, drawing, changing cells, looking at neighbours.

; The next byte of the packed maze.
lz_byte:
    ldy #0
    lda (lz_ptr), y
    inc lz_ptr
    bne @done
    inc lz_ptr + 1
@done:
    rts

; A = the next cell of the maze; growp is where it will go. mkmaze.c describes the format. A command may span two calls.
unpack_cell:
    lda lz_cnt
    bne @go_on
    jsr lz_byte
    sta t0
    and #$3f
    clc
    adc #1
    sta lz_cnt
    ldx #0
    stx lz_half
    asl t0              ; carry and sign: the command
    bcs @copy
    bpl @mode           ; literals
    jsr lz_byte
    sta lz_val
    ldx #1
    bne @mode
@copy:
    php
    jsr lz_byte
    plp
    bmi @columns
    sta t0
    lda #0
    beq @source
@columns:
    sta t0
    lsr a
    lsr a
    lsr a
    lsr a
    asl t0
    asl t0
    asl t0
    asl t0
@source:
    sta t1
    sec
    lda growp
    sbc t0
    sta lz_src
    lda growp + 1
    sbc t1
    sta lz_src + 1
    ldx #2
@mode:
    stx lz_mode
@go_on:
    dec lz_cnt
    ldx lz_mode
    beq @literal
    dex
    bne @again
    lda lz_val
    rts
@again:
    ldy #0
    lda (lz_src), y
    inc lz_src
    bne @same_page
    inc lz_src + 1
@same_page:
    rts
@literal:
    lda lz_half
    bne @low
    inc lz_half
    jsr lz_byte
    sta lz_val
    lsr a
    lsr a
    lsr a
    lsr a
    rts
@low:
    dec lz_half
    lda lz_val
    and #$0f
    rts

; Puts cell A at growp, without scent, and notes what is special about it.
place_cell:
    ldy growp
    sty cellp
    sty scentp
    ldy growp + 1
    sty cellp + 1
    iny
    iny
    sty scentp + 1
    ldy #0
    sta (cellp), y
    tax
    lda #128            ; as old as it can be
    sta (scentp), y
    inc growp
    bne @placed
    inc growp + 1
@placed:
    lda place_hi, x
    pha
    lda place_lo, x
    pha
place_nothing:
    rts

place_ember:
    inc embers
    rts

place_gate:
    ldx gate_n
    lda cellp
    sta gate_lo, x
    lda cellp + 1
    sta gate_hi, x
    inc gate_n
    rts

place_den:
    ldx den_n
    lda cellp
    sta den_lo, x
    lda cellp + 1
    sta den_hi, x
    inc den_n
    rts

place_start:
    lda cellp
    sta startp
    lda cellp + 1
    sta startp + 1
    rts

place_moon:
    lda cellp
    sta exitp
    lda cellp + 1
    sta exitp + 1
    rts

; nbp = the neighbour of cellp in direction Y. Keeps X and Y.
cell_step:
    lda cellp + 1
    sta nbp + 1
    clc
    lda cellp
    adc step_lo, y
    sta nbp
    tya
    lsr a
    bcc @done           ; up and down stay in the column
    lda step_lo, y
    bmi @left
    lda nbp
    cmp #$10
    bcs @done
    bcc @turn           ; stepped past the page: 32 columns are two pages
@left:
    lda nbp
    cmp #$f0
    bcc @done
@turn:
    lda nbp + 1
    eor #(>map) ^ (>map + 1)
    sta nbp + 1
@done:
    rts

; Carry set if the cell at nbp can be entered. Keeps X and Y.
can_enter:
    sty t5
    ldy #0
    lda (nbp), y
    ldy t5
    and #$7f
    cmp #C_HEDGE
    bcc @open
    cmp #C_MOON_OPEN
    bcc @solid
@open:
    sec
    .byte $24           ; BIT skips the clc
@solid:
    clc
    rts

; Carry set if the neighbour of cellp in direction Y is hedge. Keeps X and Y.
hedge_beside:
    jsr cell_step
    sty t5
    ldy #0
    lda (nbp), y
    ldy t5
    cmp #C_HEDGE
    beq @hedge
    clc
    .byte $24           ; BIT skips the sec
@hedge:
    sec
    rts

; t0..t3 = the four tiles of the cell at cellp.
cell_tiles:
    ldy #0
    lda (cellp), y
    bmi @slime
    cmp #C_HEDGE
    beq hedge_tiles
    cmp #C_EMBER
    beq cell_ember
    tax
    lda cell_tile, x
    .byte $2c           ; BIT skips the next load
@slime:
    lda #T_slime
    .byte $2c
low_flame:
    lda #T_ember_low
    .byte $2c
high_flame:
    lda #T_ember
four_tiles:
    sta t0
    clc
    adc #1
    sta t1
    adc #1
    sta t2
    adc #1
    sta t3
    rts

cell_ember:                 ; flickering, neighbours not together
    lda ticks
    lsr a
    eor cellp
    and #$10
    beq high_flame
    bne low_flame

; Each quarter of a hedge looks at its two neighbours: bit 0 joined sideways, bit 1 joined up or down.
hedge_tiles:
    ldx #0
    stx t0
    stx t1
    stx t2
    stx t3
    ldy #0
    jsr hedge_beside
    bcc @right
    lda #2
    sta t0
    sta t1
@right:
    iny
    jsr hedge_beside
    bcc @down
    inc t1
    inc t3
@down:
    iny
    jsr hedge_beside
    bcc @left
    lda #2
    ora t2
    sta t2
    lda #2
    ora t3
    sta t3
@left:
    iny
    jsr hedge_beside
    bcc @choose
    inc t0
    inc t2
@choose:
    ldx #3
@quarter:
    lda t0, x
    asl a
    asl a
    stx t4
    ora t4
    clc
    adc #T_hedge_iso
    sta t0, x
    dex
    bpl @quarter
    lda t0              ; a straight stretch blooms here and there
    cmp #T_hedge_h
    bne @done
    lda cellp
    eor cellp + 1
    and #$36
    cmp #$12
    bne @done
    lda t1
    cmp #T_hedge_h + 1
    bne @done
    lda #T_hedge_bloom
    jmp four_tiles
@done:
    rts

; t0, A = name table address of the cell at cellp (low, high). Display lines above: 4.
cell_address:
    lda cellp
    and #$0f
    tax
    lda cellp
    and #$f0
    lsr a
    lsr a
    lsr a
    ora row_lo, x
    sta t0
    lda cellp + 1
    sec
    sbc #>map
    asl a
    asl a
    ora row_hi, x
    rts

; The cell at cellp has changed: the NMI will redraw it. Keeps cellp.
redraw_cell:
    jsr cell_tiles
    ldx qtail
    lda t0
    sta q_t0, x
    lda t1
    sta q_t1, x
    lda t2
    sta q_t2, x
    lda t3
    sta q_t3, x
    jsr cell_address
    ldx qtail
    sta q_hi, x
    lda t0
    sta q_lo, x
    inx
    txa
    and #15
    sta qtail
    rts

; A few cells a frame, all over the maze: embers are redrawn as they flicker.
flicker_step:
    lda #6
    sta steps
@cell:
    clc
    lda flicker
    adc #37
    sta flicker
    sta cellp
    lda flicker + 1
    adc #0
    and #1
    sta flicker + 1
    adc #>map           ; carry is clear
    sta cellp + 1
    ldy #0
    lda (cellp), y
    cmp #C_EMBER
    bne @other
    jsr redraw_cell
@other:
    dec steps
    bne @cell
    rts

; Column col as tiles, for the NMI; with an even column also the colours of it and the next.
draw_column:
    lda col
    asl a
    asl a
    asl a
    asl a
    sta cellp
    lda col
    lsr a
    lsr a
    lsr a
    lsr a
    clc
    adc #>map
    sta cellp + 1
    jsr cell_address
    sta col_hi
    lda t0
    sta col_lo
@cell:
    jsr cell_tiles
    lda cellp
    and #$0f
    asl a
    tax
    lda t0
    sta col_l, x
    lda t1
    sta col_r, x
    lda t2
    sta col_l + 1, x
    lda t3
    sta col_r + 1, x
    inc cellp
    lda cellp
    and #$0f
    cmp #13
    bne @cell
    lda #1
    sta col_ready
    lda col
    lsr a
    bcs @odd
    jsr column_colours
@odd:
    rts

; Each byte colours 2 x 2 cells: two bits a cell, left column in bits 0-1 and 4-5.
column_colours:
    lda cellp           ; back to row 12 of the even column
    and #$f0
    ora #12
    sta cellp
    sta nbp
    lda cellp + 1
    sta nbp + 1
    clc
    lda nbp
    adc #$10
    sta nbp
    ldx #6
@byte:
    ldy #1
    jsr pair_colour     ; lower row
    asl a
    asl a
    asl a
    asl a
    sta attrs, x
    dey
    jsr pair_colour     ; upper row
    ora attrs, x
    sta attrs, x
    dec cellp
    dec cellp
    dec nbp
    dec nbp
    dex
    bpl @byte
    lda #1
    sta attr_ready
    lda col_hi
    ora #$03
    sta attr_hi
    lda col
    and #$0f
    lsr a
    ora #$c8            ; the second row of attribute bytes: below the display
    sta attr_lo
    rts

; A = colours of the cells at cellp + Y and nbp + Y. Keeps X and Y.
pair_colour:
    stx t4
    lda (nbp), y
    and #$0f
    tax
    lda cell_colour, x
    asl a
    asl a
    sta t3
    lda (cellp), y
    and #$0f
    tax
    lda cell_colour, x
    ora t3
    ldx t4
    rts
