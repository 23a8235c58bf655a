; The levels come in packed columns (mklevel.c says how). One column at a time is decoded into the window, which keeps the
; last sixteen for references, and from there goes into the ring and to the screen.

; Decodes the next column.
column_decode:
    lda again
    beq @fresh
    dec again
    lda back
    jsr copy_from
    jmp @done
@fresh:
    jsr next_token
@done:
    inc column
    rts

; By the upper bits of the token (RTS trick); A = the token.
next_token:
    jsr token_byte
    tax
    lsr a
    lsr a
    lsr a
    lsr a
    lsr a
    tay
    lda token_ways_hi, y
    pha
    lda token_ways_lo, y
    pha
    txa
    rts

; Keeps X.
token_byte:
    ldy #0
    lda (token), y
    inc token
    bne @same_page
    inc token + 1
@same_page:
    rts

; A column of the dictionary.
token_dict:
    asl a
    tay
    lda (dict), y
    sta packed
    iny
    lda (dict), y
    sta packed + 1
    jmp unpack_column

; The column before, several times.
token_again:
    and #$1f
    sta again
    lda #1
    sta back
    jmp copy_from

; Columns from some way back.
token_copy:
    and #$1f
    clc
    adc #1
    sta again
    jsr token_byte
    sta back

; Copies the column that came A columns before.
copy_from:
    sta t0
    lda column
    sec
    sbc t0
    asl a
    asl a
    asl a
    asl a
    sta t0
    jsr window_slot
    ldy t0
    lda #ROWS
    sta t1
@row:
    lda window, y
    sta window, x
    iny
    inx
    dec t1
    bne @row
    rts

; The column before with some cells changed; bit 4: another change follows.
token_patch:
    pha
    lda #1
    jsr copy_from
    pla
@change:
    pha
    and #$0f
    sta t0
    jsr window_slot
    txa
    ora t0
    tax
    jsr token_byte
    sta window, x
    pla
    and #$10
    beq @done
    jsr token_byte
    jmp @change
@done:
    rts

; A column follows.
token_literal:
    lda token
    sta packed
    lda token + 1
    sta packed + 1
    jsr unpack_column
    tya                 ; as many bytes as it took
    clc
    adc token
    sta token
    bcc @done
    inc token + 1
@done:
    rts

; X = place of the next column in the window.
window_slot:
    lda column
    asl a
    asl a
    asl a
    asl a
    tax
    rts

; Runs of cells at (packed) into the window. Out: Y = bytes read.
unpack_column:
    jsr window_slot
    lda #ROWS
    sta t1
    ldy #0
@run:
    lda (packed), y
    iny
    cmp #$80
    bcs @many
    cmp #$40
    bcc @one
    and #$3f
    sta window, x
    inx
    dec t1
@one:
    sta window, x
    inx
    dec t1
    bne @run
    rts
@many:
    and #$3f
    sta t2
    lda (packed), y
    iny
    sta t0
    lda t2
@cell:
    sta window, x
    inx
    dec t1
    dec t0
    bne @cell
    lda t1
    bne @run
    rts

; Puts the column just decoded into the ring and on its way to the screen.
column_show:
    ldx column
    dex
    txa
    and #31
    sta t0
    txa
    asl a
    asl a
    asl a
    asl a
    tax
    ldy t0
.repeat ROWS, i
    lda window + i, x
    sta ring + i * 32, y
.endrepeat
    ldy #0              ; a cell's four tiles follow one another
@tiles:
    lda window, x
    asl a
    asl a
    clc
    adc #T_sky
    sta left_tiles, y
    adc #1
    sta right_tiles, y
    adc #1
    sta left_tiles + 1, y
    adc #1
    sta right_tiles + 1, y
    inx
    iny
    iny
    cpy #2 * ROWS
    bne @tiles
    lda t0
    asl a
    and #$1e
    ora #$80
    sta strip_lo
    lda t0
    and #$10
    lsr a
    lsr a
    ora #$20
    sta strip_hi
    lda t0
    lsr a
    and #7
    ora #$c8
    sta attr_lo
    lda t0
    and #$1e
    tax
    inc strip_ready

; The colours of the pair of columns X and X + 1 of the ring: two bits for each cell. The ring still has what the screen
; shows in the other one.
    ldy #0
@pair:
    lda pair_row_lo, y
    sta row_ptr
    lda pair_row_hi, y
    sta row_ptr + 1
    sty t1
    txa
    tay
    iny
    tya
    ora #32             ; the lower row of the two is next in the ring; below the last one is its own tiles' buffer
    tay
    jsr cell_colour
    sta t2
    dey
    jsr cell_colour
    jsr merge_colour
    tya
    sec
    sbc #31
    tay
    jsr cell_colour
    jsr merge_colour
    dey
    jsr cell_colour
    jsr merge_colour
    ldy t1
    sta attrs, y
    iny
    cpy #7
    bne @pair
    rts

cell_colour:
    lda (row_ptr), y
    and #$3f
    stx t3
    tax
    lda colours, x
    ldx t3
    rts

; t2 = t2 * 4 + A
merge_colour:
    asl t2
    asl t2
    ora t2
    sta t2
    rts
