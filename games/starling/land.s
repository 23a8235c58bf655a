; The land: packed rows, unpacked one at a time into the name tables above the top of the screen.
;
; Work on a row is spread over steps (land_phase), one of which uploads per vertical blank:
; unpack -> tiles -> upload top -> upload bottom -> colours.

; A = 0-based stage. Fills the screen with rendering off: 15 rows in sight, two ahead.
land_load:
    asl a
    tax
    lda stage_land,x
    sta land_list
    lda stage_land+1,x
    sta land_list+1
    lda #0
    sta scroll
    sta scroll+1
    sta scroll_part
    sta land_ring
    jsr land_next_chunk
    lda #14
    sta land_row
    lda #17
    sta land_count
@row:
    jsr land_unpack
    jsr land_tiles
    jsr land_address
    jsr set_address
    jsr load_top
    jsr load_bottom
    jsr land_attributes
    jsr set_address
    jsr load_attr
    jsr land_up
    dec land_count
    bne @row
    lda #0
    sta land_phase
    rts

load_top:
    ldx #0
@tile:
    lda row_top,x
    sta PPUDATA
    inx
    cpx #32
    bne @tile
    rts

load_bottom:
    ldx #0
@tile:
    lda row_bottom,x
    sta PPUDATA
    inx
    cpx #32
    bne @tile
    rts

load_attr:
    ldx #0
@byte:
    lda row_attr,x
    sta PPUDATA
    inx
    cpx #8
    bne @byte
    rts

; Moves the land by its speed and does the phase of the row that is being made.
land_step:
    lda #0
    sta scroll_step
    lda scroll_part
    clc
    adc scroll_speed
    sta scroll_part
    bcc @phase
    inc scroll_step
    lda scroll
    bne @same_page
    lda scroll+1
    bne @borrow
    lda #>480
    sta scroll+1
    lda #<480
    sta scroll
@borrow:
    lda scroll
    bne @same_page
    dec scroll+1
@same_page:
    dec scroll
    lda scroll
    and #15
    bne @phase
    lda #2                  ; a new row is wanted: begin with ORDER PHASE 1
    sta land_phase
@phase:
    ldx land_phase
    lda phase_table,x
    sta vec
    lda phase_table+1,x
    sta vec+1
    jmp (vec)

; ORDER PHASE
phase_table:
    .word phase_rest, phase_unpack, phase_tiles, phase_top, phase_bottom, phase_attr

phase_unpack:
    jsr land_unpack
    jmp phase_next

phase_tiles:
    jsr land_tiles
    jmp phase_next

phase_top:
    jsr land_address
    lda #JOB_TOP
    sta vram_job
    jmp phase_next

phase_bottom:
    jsr land_address
    lda vram_to
    ora #32
    sta vram_to
    lda #JOB_BOTTOM
    sta vram_job
phase_next:
    inc land_phase
    inc land_phase
phase_rest:
    rts

phase_attr:
    jsr land_attributes
    lda #JOB_ATTR
    sta vram_job
    lda #0
    sta land_phase
    ; falls through

land_up:
    dec land_row
    bpl @done
    lda #29
    sta land_row
@done:
    rts

; The next row of 16 pieces, into the ring.
land_unpack:
    lda land_ring
    clc
    adc #16
    and #63
    sta land_ring
    lda #0
    sta land_column
@token:
    ldy #0
    lda (land_ptr),y
    inc land_ptr
    bne @same_page
    inc land_ptr+1
@same_page:
    sta t0
    lsr a                   ; the kind of token in bits 7-5 -> index of a word
    lsr a
    lsr a
    lsr a
    and #%1110
    tax
    lda token_table,x
    sta vec
    lda token_table+1,x
    sta vec+1
    lda t0
    and #%11111
    sta t1
    jsr @dispatch
    lda land_column
    cmp #16
    bcc @token
    rts
@dispatch:
    jmp (vec)

; ORDER TOKEN (mkmap.c)
token_table:
    .word token_piece, token_piece, token_run, token_run
    .word token_before, token_before2, token_dice, token_end

token_piece:
    lda land_flip
    beq @plain
    ldx t0
    lda meta_mirror,x
    jmp land_put
@plain:
    lda t0
    jmp land_put

token_run:
    inc t1
@again:
    lda land_last
    jsr land_put
    dec t1
    bpl @again
    rts

token_before:
    lda #48                 ; = -16 in the ring of 64
    bne token_copy
token_before2:
    lda #32
token_copy:
    sta t2
@again:
    jsr land_place
    clc
    adc t2
    and #63
    tay
    lda land_rows,y
    jsr land_put
    dec t1
    bpl @again
    rts

token_dice:
    jsr random
    ldx #META_GRASS
    cmp #48
    bcs @grass
    ldx #META_FLOWERS
@grass:
    txa
    jsr land_put
    dec t1
    bpl token_dice
    rts

token_end:
    jmp land_next_chunk

; Piece A into the next column.
land_put:
    sta land_last
    jsr land_place
    tay
    lda land_last
    sta land_rows,y
    inc land_column
    rts

; A = index of the next column in the ring.
land_place:
    lda land_column
    eor land_flip
    ora land_ring
    rts

land_next_chunk:
    ldy #0
    lda (land_list),y
    cmp #$FF
    bne @chunk
    iny                     ; the list goes on elsewhere
    lda (land_list),y
    pha
    iny
    lda (land_list),y
    sta land_list+1
    pla
    sta land_list
    jmp land_next_chunk
@chunk:
    inc land_list
    bne @same_page
    inc land_list+1
@same_page:
    ldx #0
    asl a
    bcc @straight
    ldx #15
@straight:
    stx land_flip
    lsr a
    tax
    lda chunk_low,x
    sta land_ptr
    lda chunk_high,x
    sta land_ptr+1
    rts

; Pieces of the newest row -> two rows of tiles.
land_tiles:
    lda #0
    sta t0
    ldx land_ring
@piece:
    ldy land_rows,x
    stx t1
    ldx t0
    lda meta_top_left,y
    sta row_top,x
    lda meta_top_right,y
    sta row_top+1,x
    lda meta_bottom_left,y
    sta row_bottom,x
    lda meta_bottom_right,y
    sta row_bottom+1,x
    inx
    inx
    stx t0
    ldx t1
    inx
    lda t0
    cmp #32
    bne @piece
    rts

; vram_to = name table address of land_row's tiles.
land_address:
    lda #>$2000
    sta t1
    lda land_row
    cmp #15
    bcc @first
    ldx #>$2800
    stx t1
    sbc #15
@first:
    sta t0                  ; row * 64
    lda #0
    lsr t0
    ror a
    lsr t0
    ror a
    sta vram_to
    lda t0
    ora t1
    sta vram_to+1
    rts

; Palettes of the newest row -> attribute bytes and their address. A byte holds two rows of pieces:
; the lower one comes first and clears what was there.
land_attributes:
    lda #>$23C0
    sta vram_to+1
    lda land_row
    cmp #15
    bcc @first
    ldx #>$2BC0
    stx vram_to+1
    sbc #15
@first:
    pha
    lsr a
    asl a
    asl a
    asl a
    ora #<$23C0
    sta vram_to
    ldx land_ring
    ldy #0
    pla
    lsr a
    bcs @lower
    cmp #7                  ; row 14 has no lower half
    bne @upper
    jsr attr_clear
@upper:
    jsr attr_pair
    ora row_attr,y
    sta row_attr,y
    iny
    cpy #8
    bne @upper
    rts
@lower:
    jsr attr_pair
    asl a
    asl a
    asl a
    asl a
    sta row_attr,y
    iny
    cpy #8
    bne @lower
    rts

attr_clear:
    lda #0
    ldy #7
@byte:
    sta row_attr,y
    dey
    bpl @byte
    iny
    rts

; A = palettes of the next two pieces, four bits.
attr_pair:
    sty t0
    ldy land_rows+1,x
    lda meta_palette,y
    asl a
    asl a
    ldy land_rows,x
    ora meta_palette,y
    inx
    inx
    ldy t0
    rts
