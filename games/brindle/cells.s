; The cells of the level near the camera: probes for who moves, and changes.

; The cell at px, py. Out: A = what it is to others, X = the cell, (row_ptr), Y = its place. Below the picture all is open.
cell_at:
    lda py
    cmp #FLOOR_Y
    bcs @open
    lsr a
    lsr a
    lsr a
    lsr a
    tax
    lda row_lo, x
    sta row_ptr
    lda row_hi, x
    sta row_ptr + 1
    lda px + 1
    lsr a
    lda px
    ror a
    lsr a
    lsr a
    lsr a
    tay
    lda (row_ptr), y
    tax
    lda meaning, x
    rts
@open:
    ldx #C_SKY
    lda #OPEN
    rts

; Carry: is the cell at px, A in the way of those who move into it? A, X: as cell_at.
solid_at:
    sta py
    jsr cell_at
    cmp #SOLID
    beq @yes
    cmp #WOODEN
    beq @yes
    cmp #SPRINGY
    beq @yes
    clc
@yes:
    rts                 ; carry was set by the comparison that was equal

; Carry: does a slope hold feet at px, A, or up to `stick` pixels higher than it? found = its surface there.
slope_at:
    sta t5
    sec
    sbc #1
    sta py
    jsr cell_at
    jsr @surface
    bcs @found
    lda t5
    clc
    adc stick
    sta py
    jsr cell_at
@surface:
    cmp #UPHILL
    beq @up
    cmp #DOWNHILL
    clc
    bne @found
    lda px
    and #15
    bcc @height
@up:
    lda px
    and #15
    eor #15
@height:
    sta found
    lda py
    and #$f0
    ora found
    sta found
    lda t5
    clc
    adc stick
    cmp found
@found:
    rts

; Carry: does flat ground hold feet at px, A? They may be up to 7 pixels in it, or t4 - 1 in a plank. found = its surface,
; t3 = what it is.
flat_at:
    sta py
    jsr cell_at
    sta t3
    cmp #ONE_WAY
    beq @plank
    cmp #SOLID
    beq @ground
    cmp #WOODEN
    beq @ground
    cmp #SPRINGY
    clc
    bne @no
@ground:
    lda #8
    bne @depth
@plank:
    lda t4
@depth:
    sta t5
    lda py
    and #$f0
    sta found
    lda py
    and #$0f
    cmp t5
    bcs @too_deep
    sec
    rts
@too_deep:
    clc
@no:
    rts

; The cell that cell_at has just found becomes A, here and on the screen.
cell_change:
    sta (row_ptr), y
    ldx cells_tail
    asl a
    asl a
    clc
    adc #T_sky
    sta cell_id, x
    tya
    and #$10
    lsr a
    lsr a
    sta t0              ; 4: the right screen
    tya
    and #$0f
    asl a
    sta t1
    lda py
    lsr a
    lsr a
    lsr a
    lsr a
    tay
    lda cell_row_lo, y
    ora t1
    sta cell_lo, x
    lda cell_row_hi, y
    ora t0
    sta cell_hi, x
    inx
    txa
    and #7
    sta cells_tail
    rts
