; Stages: unpacking them row by row (see mkstage.c for how they are packed), and drawing the rows.

; From the start of the stage in `layout`.
stage_open:
    lda layout
    asl a
    tay
    lda stage_table, y
    sta packp
    lda stage_table + 1, y
    sta packp + 1
    lda #$80            ; no bits left but the mark behind the last
    sta bits
    lda #<map
    sta rowp
    lda #>map
    sta rowp + 1
    lda #<no_row        ; above the first row
    sta upp
    lda #>no_row
    sta upp + 1
    lda #0
    sta row
    sta spots
    sta west
    jmp read_run

; Unpacks and draws a row. When two rows of colours are complete, they go out with it.
stage_row:
    ldy #0
@cell:
    jsr next_cell
    sta (rowp), y
    jsr note_place
    iny
    cpy #32
    bne @cell
    jsr push_row
    lda row
    and #3
    cmp #3
    beq @colours
    lda row
    cmp #MAP_ROWS - 1
    bne @plain
@colours:
    jsr push_colours
@plain:
    inc row
    lda rowp
    sta upp
    lda rowp + 1
    sta upp + 1
    clc
    lda rowp
    adc #32
    sta rowp
    bcc @done
    inc rowp + 1
@done:
    rts

; A = the next cell, number Y of its row. Keeps Y.
next_cell:
    lda run
    beq @surprise
    dec run
    ldx west
    lda goes_on, x
    bne @told
    lda (upp), y
    tax
    lda grows, x
@told:
    sta west
    rts
@surprise:
    ldx #TREE_ROOT
@branch:
    jsr next_bit
    bcs @one
    lda tree_0, x
    bcc @node
@one:
    lda tree_1, x
@node:
    tax
    bpl @branch
    and #$7f
    sta west
    jsr read_run
    lda west
    rts

; run = how many cells follow as foretold: Elias' gamma code of it + 1. Keeps Y.
read_run:
    lda #0
    sta t1
@zero:
    inc t1
    jsr next_bit
    bcc @zero
    lda #1
@digit:
    dec t1
    beq @done
    jsr next_bit
    rol a
    jmp @digit
@done:
    sec
    sbc #1
    sta run
    rts

; Carry = the next bit. Keeps A, X and Y.
next_bit:
    asl bits
    bne @done           ; the mark is still in it
    pha
    tya
    pha
    ldy #0
    lda (packp), y
    inc packp
    bne @same_page
    inc packp + 1
@same_page:
    sec
    rol a
    sta bits
    pla
    tay
    pla
@done:
    rts

; Where rivals and the player start. A = the cell, Y its column. Keeps Y.
note_place:
    cmp #C_PERCH
    beq @perch
    cmp #C_START
    bne @none
    jsr place_of
    sta starty
    stx startx
    rts
@perch:
    jsr place_of
    ldy spots
    cpy #6
    bcs @full
    sta spoty, y
    txa
    sta spotx, y
    inc spots
@full:
    ldy t2
@none:
    rts

; X, A = left and top of cell Y of this row. Keeps Y, also in t2.
place_of:
    sty t2
    tya
    asl a
    asl a
    asl a
    tax
    lda row
    asl a
    asl a
    asl a
    rts

; The row's tiles to the screen.
push_row:
    lda row
    lsr a
    lsr a
    lsr a
    ora #$20
    tax
    lda row
    asl a
    asl a
    asl a
    asl a
    asl a
    tay
    lda #32
    jsr open_record
    ldy #0
@tile:
    lda (rowp), y
    sty t1
    tay
    lda cell_tile, y
    sta vbuf, x
    ldy t1
    inx
    iny
    cpy #32
    bne @tile
    rts

; Attributes of the (up to) four rows that end with this one. A square of 16 x 16 has the highest palette
; that one of its cells asks for.
push_colours:
    lda row
    and #%00011100
    asl a
    ora #$c0
    tay
    lda #8
    ldx #$23
    jsr open_record
    stx t5
    lda row             ; ptr = the first of the rows
    and #%00011100
    jsr cell_row
    ldx #0              ; column of the square, times 2
@byte:
    txa
    asl a
    tay
    lda #0
    sta t4
    jsr square_colour   ; t4 collects: top left, top right, bottom left, bottom right
    jsr square_colour
    lda row
    cmp #MAP_ROWS - 1
    beq @shore
    tya
    clc
    adc #60
    tay
    jsr square_colour
    jsr square_colour
    lda t4
    jmp @done
@shore:                 ; below is the bog
    lda t4
    lsr a
    lsr a
    lsr a
    lsr a
    ora #$a0
@done:
    stx t3
    ldx t5
    sta vbuf, x
    inc t5
    ldx t3
    inx
    inx
    cpx #16
    bne @byte
    rts

; Adds the palette of the 2 x 2 cells at (ptr), y to t4, and goes on to the next two columns. Keeps X.
square_colour:
    stx t3
    lda #0
    sta t2
    jsr cell_colour
    iny
    jsr cell_colour
    tya
    clc
    adc #31
    tay
    jsr cell_colour
    iny
    jsr cell_colour
    tya
    sec
    sbc #31             ; the next square's first
    tay
    lsr t2
    ror t4              ; bits come in from the left
    lsr t2
    ror t4
    ldx t3
    rts

cell_colour:
    lda (ptr), y
    tax
    lda cell_palette, x
    cmp t2
    bcc @less
    sta t2
@less:
    rts

; ptr = row A of the map.
cell_row:
    tay
    lda row_low, y
    sta ptr
    lda row_high, y
    sta ptr + 1
    rts

; The colours, `fade` shades darker. Those of the bog and its text do not change.
push_palette:
    lda #32
    ldx #$3f
    ldy #0
    jsr open_record
    stx t5
    lda fade
    asl a
    asl a
    asl a
    asl a
    sta t4
    lda theme
    asl a
    asl a
    asl a
    asl a               ; 16 bytes a theme
    sta t3
    ldx #0
@colour:
    txa
    and #3
    beq @sky
    txa
    and #$10
    bne @sprites
    txa
    ora t3
    tay
    lda themes, y
    jmp @shade
@sprites:
    lda sprite_colours - 16, x
    jmp @shade
@sky:
    ldy t3
    lda themes, y
@shade:
    cpx #9
    bcc @darken
    cpx #12
    bcc @put
@darken:
    sec
    sbc t4
    bcs @put
    lda #$0f
@put:
    sta shade, x
    ldy t5
    sta vbuf, y
    inc t5
    inx
    cpx #32
    bne @colour
    rts
