; The background. Everything goes to VRAM as rows of 32 bytes: lines of tiles, halves of the attributes, the palette. What has changed
; is marked in dirty; each step composes up to four of those rows in page 1, and the NMI copies them.

; All rows, from the top.
rows_all:
    lda #1
    ldx #ROWS - 1
@row:
    sta dirty, x
    dex
    bpl @row
    lda #0
    sta row_next
    rts

rows_compose:
    lda #0
    sta packets
    sta packet_at
    ldx row_next
    ldy #ROWS
@scan:
    lda dirty, x
    bne @found
@next:
    inx
    cpx #ROWS
    bcc @inside
    ldx #0
@inside:
    dey
    bne @scan
@done:
    stx row_next
    rts
@found:
    lda #0
    sta dirty, x
    stx row
    sty s3
    jsr row_compose
    ldx row
    ldy s3
    inc packets
    lda packets
    cmp #MAX_PACKETS
    bcc @next
    bcs @done

; The row's address, then its 32 bytes by what kind of row it is on this screen.
row_compose:
    ldy packet_at
    lda row_address_hi, x
    sta buffer, y
    lda row_address_lo, x
    sta buffer + 1, y
    tya
    clc
    adc #PACKET
    sta packet_at
    sty t4              ; where composers begin, after the address
    ldy row_title, x
    lda screen
    beq @title
    ldy row_house, x
@title:
    RTS_GO compose_lo, compose_hi

; -- The kinds of rows. In: t4 (see above). They may use X, Y and the scratch.

compose_wall:
wall_fill:
    lda row
    and #3
    asl a
    asl a
    sta t0
    lda style
    asl a
    asl a
    asl a
    asl a
    ora t0
    tax
    ldy t4
.repeat 4, phase
    lda walls + phase, x
.repeat 8, group
    sta buffer + 2 + phase + 4 * group, y
.endrepeat
.endrepeat
    rts

; Two rows of the windows, the upper one of the mouse holes: a pair of tiles near both edges.
compose_window:
    jsr wall_fill
    lda row
    sec
    sbc #6
    asl a
    adc #T_window       ; carry is clear
    tax
    bne pair_put
compose_hole:
    jsr wall_fill
    ldx #T_hole
pair_put:
    ldy t4
    txa
    sta buffer + 2 + 1, y
    sta buffer + 2 + 29, y
    inx
    txa
    sta buffer + 2 + 2, y
    sta buffer + 2 + 30, y
    rts

; Blank, but for bricks where the title's bits are 1.
compose_logo:
    ldx row
    dex
    txa
    asl a
    asl a
    tax
    lda #T_brick
    cpx #16
    bcc @brick
    lda #T_brick_low
@brick:
    sta t0
    lda #4
    sta t1
    ldy t4
@byte:
    lda logo, x
    sta t2
    stx t3
    ldx #8
@bit:
    lda #0
    asl t2
    bcc @clear
    lda t0
@clear:
    sta buffer + 2, y
    iny
    dex
    bne @bit
    ldx t3
    inx
    dec t1
    bne @byte
    rts

compose_blank:
    lda #0
    ldy t4
.repeat 32, i
    sta buffer + 2 + i, y
.endrepeat
    rts

compose_labels:
    ldx #0
    ldy t4
@tile:
    lda labels, x
    sta buffer + 2, y
    iny
    inx
    cpx #32
    bne @tile
    rts

compose_values:
    ldy t4
.repeat 32, i
    lda text + i
    sta buffer + 2 + i, y
.endrepeat
    rts

compose_ground:
    ldx #32
    ldy t4
@tile:
    txa
    eor row
    and #1
    ora #T_ground
    sta buffer + 2, y
    iny
    dex
    bne @tile
    rts

; A line of text; the wall is seen between the letters.
compose_line:
    jsr wall_fill
    jsr row_number
    lda level_row, y
    tax
    ldy t4
    lda #32
    sta t0
@tile:
    lda line0, x
    beq @wall
    sta buffer + 2, y
@wall:
    inx
    iny
    dec t0
    bne @tile
    rts

; Y = which of the rows of this kind it is: they repeat every six.
row_number:
    ldy #$ff
    lda row
    sec
    sbc #8
@level:
    iny
    sbc #6
    bcs @level
    rts

; The planks of a level, and the tile row above them, into which swaying ones rise.
compose_plank:
    jsr wall_fill
    jsr row_number
    lda level_row, y
    tax
    lda plank_base
    sta t0              ; flat, a little raised, more
    clc
    adc #1
    sta t1
    adc #2
    sta t2
    lda #32
    sta t5
    ldy t4
@tile:
    lda plank, x
    beq @gap
    lda sway, x
    bne @sways
    lda t0
    sta buffer + 2, y
@gap:
    inx
    iny
    dec t5
    bne @tile
    rts
@sways:
    stx t3
    tax
    lda sway_height, x
    tax
    lda t0, x
    ldx t3
    sta buffer + 2, y
    inx
    iny
    dec t5
    bne @tile
    rts

compose_upper:
    jsr wall_fill
    jsr row_number
    lda level_row, y
    tax
    lda plank_base
    clc
    adc #2
    sta t1
    adc #2
    sta t2
    lda #32
    sta t5
    ldy t4
@tile:
    lda above, x
    bne @put
    lda plank, x
    beq @wall
    lda sway, x
    bne @sways
@wall:
    inx
    iny
    dec t5
    bne @tile
    rts
@sways:
    stx t3
    tax
    lda sway_height, x
    tax
    beq @flat
    lda t0, x
    ldx t3
@put:
    sta buffer + 2, y
    bne @wall           ; no tile of these is 0
@flat:
    ldx t3
    jmp @wall

; Attributes are the same in all columns: a byte for each two lines of blocks, eight times.
compose_attributes:
    ldx #0
    lda row
    lsr a               ; 30: the upper half, 31: the lower
    bcc @upper
    ldx #4
@upper:
    lda screen
    beq @title
    txa
    ora #8
    tax
@title:
    lda #4
    sta t0
    ldy t4
@line:
    lda attributes, x
.repeat 8, i
    sta buffer + 2 + i, y
.endrepeat
    tya
    clc
    adc #8
    tay
    inx
    dec t0
    bne @line
    rts

; The background's colours by the style, brighter while the house trembles; those of the sprites are fixed.
compose_palette:
    lda style
    asl a
    asl a
    asl a
    asl a
    tax
    lda shake
    and #4
    asl a
    asl a
    sta t1              ; one shade, or none
    lda #16
    sta t0
    ldy t4
@back:
    lda colours, x
    cmp #$0f
    beq @black
    ora t1
@black:
    sta buffer + 2, y
    inx
    iny
    dec t0
    bne @back
.repeat 16, i
    lda sprite_colours + i
    sta buffer + 2 + i, y
.endrepeat
    rts

; -- The house: layout A, all levels at rest, windows and holes in their places.
house_build:
    asl a
    asl a
    sta t0
    asl a
    adc t0              ; 12 bytes a layout; carry is clear
    tay
    lda #12
    sta t1
    ldx #0
@byte:
    lda layouts, y
    sta t0
    sty t2
    ldy #8
@bit:
    lda #0
    sta sway, x
    sta above, x
    asl t0
    rol a
    sta plank, x
    inx
    dey
    bne @bit
    ldy t2
    iny
    dec t1
    bne @byte
@floor:                 ; it has no gaps; X = 96
    lda #1
    sta plank, x
    lda #0
    sta sway, x
    sta above, x
    inx
    bpl @floor
    ldx #1
@pair:
    txa
    clc
    adc #T_window + 4
    sta above + 1, x
    sta above + 29, x
    adc #T_hole - T_window - 2
    sta above + 96 + 1, x
    sta above + 96 + 29, x
    dex
    bpl @pair
    ldx style
    lda style_plank, x
    sta plank_base
    jmp rows_all
