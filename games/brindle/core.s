; Power-on, the main loop, the NMI handler with its copies, and the split under the bar.

CTRL = %10001000       ; NMI on, sprites from pattern table 1
CTRL_DOWN = CTRL | %100 ; the same, $2007 steps down a column
SHOW_ALL = %00011110
SHOW_SPRITES = %00010100

reset:
    sei
    cld
    lda #$40
    sta $4017           ; no frame interrupts
    lda #0
    sta $2000
    sta $2001
    sta $4010
    ldx #$ff
    txs
    bit $2002
@first:
    bit $2002
    bpl @first
    lda #7              ; clear all RAM: pages 7 to 1, then 0
    sta ptr + 1
    lda #0
    sta ptr
    tay
@page:
    sta (ptr), y
    iny
    bne @page
    dec ptr + 1
    bne @page
@zero:
    sta $00, y
    iny
    bne @zero
@second:
    bit $2002
    bpl @second
    jsr blank_screens
    jsr first_values
    lda #CTRL
    sta $2000

; One turn is one game step, and ends before the next vertical blank begins.
main_loop:
    lda frame_flag
    beq main_loop
    lda #0
    sta frame_flag
    sta complete
    jsr read_pad
    jsr sound_step
    jsr split
    jsr mode_step
    jsr draw_step
    jsr bar_step
    jsr shade_step
    inc ticks
    bne @counted
    inc ticks + 1
@counted:
    inc checkpoint
    inc complete
    jmp main_loop

; Both screens: a black bar with its edge, the rest black until columns are drawn. Colours of the bar: palette 0.
blank_screens:
    lda #$20
    sta $2006
    lda #0
    sta $2006
    ldx #8              ; 2 KiB
    tay
@fill:
    sta $2007
    iny
    bne @fill
    dex
    bne @fill
    lda #$20
    jsr @edge
    lda #$24
@edge:
    sta $2006
    lda #$60            ; the bar's last row of tiles
    sta $2006
    lda #T_edge
    ldx #32
@tile:
    sta $2007
    dex
    bne @tile
    rts

first_values:
    lda #$ff            ; the bar's second line has not said anything
    sta said
    lda #$f8            ; sprites out of sight
@sprite:
    sta oam, x
    inx
    bne @sprite
    ldx #31
@word:
    lda first_line, x
    sta bar, x
    dex
    bpl @word
    lda #BAR_HEIGHT - 4 ; sprite 0 shows in the line below, where all the bar is opaque
    sta oam
    lda #T_zero
    sta oam + 1
    lda #%00100000      ; behind the bar
    sta oam + 2
    lda #84             ; so that the writes after the hit are done long before the line's end
    sta oam + 3
    lda #$0f            ; four voices
    sta $4015
    lda #8              ; no sweeps
    sta $4001
    sta $4005
    lda #$30
    sta $4000
    sta $4004
    sta $400c
    lda #$a7
    sta rng
    lda #<500
    sta best
    lda #>500
    sta best + 1
    lda #4
    sta fade
    lda #CARD           ; the card of level 0 leads to the title
    sta state
    inc complete        ; the first vertical blank must copy sprite 0, or the split would wait for ever
    rts

; Eight bits, the first in A's place; pad_new has those that were not held before.
read_pad:
    ldy pad
    ldx #1
    stx $4016
    dex
    stx $4016
    ldx #8
@bit:
    lda $4016
    lsr a
    rol pad
    dex
    bne @bit
    tya
    eor #$ff
    and pad
    sta pad_new
    rts

; Waits for the bar's last lines, then scrolls what is below. The hit of the frame before stays set until the picture
; starts. A card shows no background below the bar.
split:
    lda cam + 1
    and #1
    ora #CTRL
    tay
    ldx #SHOW_ALL
    lda fade
    cmp #4
    bne @shown
    ldx #SHOW_SPRITES
@shown:
    lda #%01000000
@old:
    bit $2002
    bne @old
@hit:
    bit $2002
    beq @hit
    lda cam
    sta $2005
    lda #0
    sta $2005
    sty $2000
    stx $2001
    rts

nmi:
    pha
    txa
    pha
    tya
    pha
    lda complete
    beq @done           ; never in play: a step fits into a frame
    lda #0
    sta $2003
    lda #>oam
    sta $4014
    lda pal_dirty
    beq @colours_done
    jsr copy_colours
@colours_done:
    lda line_ready
    beq @bar
    jsr copy_line
    jmp @field
@bar:
    jsr copy_bar
@field:
    lda strip_ready
    beq @cells
    jsr copy_strip
    jmp @done
@cells:
    jsr copy_cell
    jsr copy_cell
@done:
    lda #CTRL
    sta $2000
    lda #0
    sta $2005
    sta $2005
    lda #SHOW_ALL
    sta $2001
    inc frame_flag
    pla
    tay
    pla
    tax
    pla
    rti

irq:
    rti

; Copies of a fixed number of bytes, unrolled: there are 2273 cycles.
.macro COPY from, count
    .repeat count, i
    lda from + i
    sta $2007
    .endrepeat
.endmacro

copy_colours:
    lda #$3f
    sta $2006
    lda #0
    sta $2006
    sta pal_dirty
    COPY palette, 32
    rts

copy_line:
    lda #0
    sta line_ready
    lda line_hi
    sta $2006
    lda line_lo
    sta $2006
    COPY line, 32
    rts

; One line of the bar, in turn.
copy_bar:
    lda #$20
    sta $2006
    lda ticks
    lsr a
    bcc @first
    jmp @second
@first:
    lda #$20
    sta $2006
    COPY bar, 32
    rts
@second:
    lda #$40
    sta $2006
    COPY bar + 32, 32
    rts

; A column of cells: two columns of tiles, and the colours of its pair of columns.
copy_strip:
    lda #0
    sta strip_ready
    lda #CTRL_DOWN
    sta $2000
    ldx strip_hi
    ldy strip_lo
    stx $2006
    sty $2006
    COPY left_tiles, 2 * ROWS
    stx $2006
    iny
    sty $2006
    COPY right_tiles, 2 * ROWS
    txa
    ora #3
    tax
    lda attr_lo
    .repeat 7, i
    stx $2006
    sta $2006
    ldy attrs + i
    sty $2007
    clc
    adc #8
    .endrepeat
    rts

; The next cell that has changed, if any.
copy_cell:
    ldx cells_head
    cpx cells_tail
    beq @none
    lda cell_hi, x
    sta $2006
    lda cell_lo, x
    sta $2006
    ldy cell_id, x
    sty $2007
    iny
    sty $2007
    lda cell_hi, x
    sta $2006
    lda cell_lo, x
    ora #$20            ; the line below: a cell starts in an even line
    sta $2006
    iny
    sty $2007
    iny
    sty $2007
    inx
    txa
    and #7
    sta cells_head
@none:
    rts

; A quarter of the palette each step; the fourth sends it off. Entries 1 to 3 are the bar's and do not fade.
shade_step:
    lda theme
    asl a
    asl a
    asl a
    asl a
    sta t0
    lda fade
    asl a
    asl a
    asl a
    asl a
    sta t1
    lda ticks
    and #3
    asl a
    asl a
    asl a
    tax
    ldy #8
@entry:
    sty t2
    cpx #16
    bcs @sprite
    txa
    ora t0
    tay
    lda theme_colours, y
    cpx #1
    bcc @shade
    cpx #4
    bcs @shade
    bcc @store
@sprite:
    bne @own
    ldy t0              ; the backdrop has two addresses, and is written at both
    lda theme_colours, y
    bpl @shade
@own:
    lda sprite_colours - 16, x
@shade:
    sec
    sbc t1
    bcs @store
    lda #$0f
@store:
    sta palette, x
    inx
    ldy t2
    dey
    bne @entry
    cpx #32
    bne @done
    inc pal_dirty
@done:
    rts
