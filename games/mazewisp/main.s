; Power-on, the main loop, and the NMI handler.

CTRL = %10001000       ; NMI on, sprites from pattern table 1
CTRL_DOWN = CTRL | %100 ; the same, $2007 steps down a column

reset:
    sei
    cld
    ldx #$40
    stx $4017           ; no frame interrupts
    ldx #$ff
    txs
    inx
    stx $2000
    stx $2001
    stx $4010
    bit $2002
@warm1:
    bit $2002
    bpl @warm1
@clear:
    lda #0
    sta $00, x
    sta $0100, x
    sta $0300, x
    sta $0400, x
    sta $0500, x
    sta $0600, x
    sta $0700, x
    lda #$f8
    sta oam, x          ; below the picture
    inx
    bne @clear
@warm2:
    bit $2002
    bpl @warm2
    lda #29             ; sprite 0 shows from line 30, where the fringe is opaque
    sta oam
    lda #T_zero
    sta oam + 1
    lda #%00100000      ; behind the background
    sta oam + 2
    lda #236
    sta oam + 3
    lda #$20            ; both screens empty; X = 0
    sta $2006
    stx $2006
    txa
    ldy #8
@empty:
    sta $2007
    inx
    bne @empty
    dey
    bne @empty
    lda #T_fringe       ; the fringe under the display, on both: the split falls into it
    ldx #$60
@fringe:
    ldy #$20
    sty $2006
    stx $2006
    sta $2007
    ldy #$24
    sty $2006
    stx $2006
    sta $2007
    inx
    bpl @fringe
    lda #$0f            ; sound on, everything silent
    sta $4015
    lda #$30
    sta $4000
    sta $4004
    sta $400c
    lda #$80
    sta $4008
    lda #$08            ; sweeps off, or low notes are muted
    sta $4001
    sta $4005
    lda #$5a
    sta rng
    lda #<500
    sta hiscore
    lda #>500
    sta hiscore + 1
    lda #4
    sta fade
    lda #$ff
    sta msg_shown
    lda #1
    sta ready           ; the first NMI must copy sprite 0, or the split would never come
    lda #CTRL
    sta $2000

; One turn is one game step and fits into a frame.
main_loop:
    lda frame_flag
    beq main_loop
    lda #0
    sta frame_flag
    sta ready
    inc ticks
    bne @counted
    inc ticks + 1
@counted:
    jsr read_pad
    jsr sound_step
    jsr palette_step
    jsr split
    jsr run_state
    jsr build_sprites
    jsr hud_step
    inc checkpoint
    lda #1
    sta ready
    jmp main_loop

run_state:
    ldx state
    lda state_lo, x
    sta vec
    lda state_hi, x
    sta vec + 1
    jmp (vec)

read_pad:
    lda pad
    sta t0
    lda #1
    sta $4016
    sta pad
    lsr a
    sta $4016
@bit:
    lda $4016
    lsr a
    rol pad
    bcc @bit            ; the 1 that went in first comes out last
    lda t0
    eor #$ff
    and pad
    sta pad_new
    rts

; Below the display the picture scrolls. Last frame's hit is still set until the picture starts.
split:
    bit $2002
    bvs split
@hit:
    bit $2002
    bvc @hit
    lda cam
    sta $2005
    lda #0
    sta $2005
    lda cam + 1
    ora #CTRL
    sta $2000
    rts

; Once a frame. If the game were late (ready = 0) it would show the old frame again.
nmi:
    pha
    txa
    pha
    tya
    pha
    lda ready
    beq @late
    lda #0
    sta $2003
    lda #>oam
    sta $4014
    lda pal_dirty
    beq @palette_done
    jsr copy_palette
@palette_done:
    jsr copy_hud
    lda col_ready
    beq @cells
    jsr copy_column
    jmp @late
@cells:
    jsr copy_cells
@late:
    lda #CTRL
    sta $2000
    lda #0
    sta $2005
    sta $2005
    lda #%00011110
    sta $2001
    lda #1
    sta frame_flag
    pla
    tay
    pla
    tax
    pla
    rti

irq:
    rti

; The copies are unrolled: vertical blank is 2273 cycles, and sprites take 514 of them.
copy_palette:
    lda #$3f
    sta $2006
    lda #0
    sta $2006
    sta pal_dirty
.repeat 32, i
    lda palbuf + i
    sta $2007
.endrepeat
    rts

; One of the two lines of the display, in turn.
copy_hud:
    lda #$20
    sta $2006
    lda ticks
    lsr a
    bcc @upper
    jmp @lower
@upper:
    lda #$22
    sta $2006
.repeat 28, i
    lda hud + i
    sta $2007
.endrepeat
    rts
@lower:
    lda #$42
    sta $2006
.repeat 28, i
    lda hud + 28 + i
    sta $2007
.endrepeat
    rts

copy_column:
    lda #0
    sta col_ready
    lda #CTRL_DOWN
    sta $2000
    lda col_hi
    sta $2006
    ldx col_lo
    stx $2006
.repeat 26, i
    lda col_l + i
    sta $2007
.endrepeat
    lda col_hi
    sta $2006
    inx
    stx $2006
.repeat 26, i
    lda col_r + i
    sta $2007
.endrepeat
    lda attr_ready
    beq @done
    lda #0
    sta attr_ready
    ldx attr_hi
    lda attr_lo
.repeat 7, i
    stx $2006
    sta $2006
    ldy attrs + i
    sty $2007
    clc
    adc #8
.endrepeat
@done:
    rts

; Cells that changed, six a frame at most.
copy_cells:
    ldy #6
    ldx qhead
@cell:
    cpx qtail
    beq @done
    lda q_hi, x
    sta $2006
    lda q_lo, x
    sta $2006
    lda q_t0, x
    sta $2007
    lda q_t1, x
    sta $2007
    lda q_hi, x
    sta $2006
    lda q_lo, x
    ora #$20            ; the line below: bit 5 is clear in a cell's first line
    sta $2006
    lda q_t2, x
    sta $2007
    lda q_t3, x
    sta $2007
    inx
    txa
    and #15
    tax
    dey
    bne @cell
@done:
    stx qhead
    rts

; Every eight steps, or at once when the shade has changed: the palette for the theme, as dark as fade says.
palette_step:
    lda ticks
    and #7
    beq @build
    rts
@build:
    ldy colour
    lda freeze
    beq @plain
    ldy #THEME_FROST
@plain:
    tya
    asl a
    asl a
    sta t2              ; offset of the theme's four colours
    lda fade
    asl a
    asl a
    asl a
    asl a
    sta t1
    ldx #31
@entry:
    lda pal_slot, x
    bmi @fixed
    ora t2
    tay
    lda themes, y
    bpl @shade
@fixed:
    lda pal_base, x
@shade:
    sec
    sbc t1
    bcs @visible
    lda #$0f
@visible:
    sta palbuf, x
    dex
    cpx #3
    bne @entry
@display:               ; the display does not fade
    lda pal_base, x
    sta palbuf, x
    dex
    bpl @display
    lda ticks           ; embers flicker
    and #8
    bne @done
    lda palbuf + 10
    clc
    adc #$10
    sta palbuf + 10
@done:
    lda #1
    sta pal_dirty
    rts
