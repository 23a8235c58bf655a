; Sprites. The first eight are the score and lives; the other 56 go round: each step begins at
; another one, so that where more than eight share a line all of them flicker a little and none
; is lost.

FIRST_FREE = 8 * 4

hide_sprites:
    ldx #0
    lda #$F0
@sprite:
    sta OAM,x
    inx
    inx
    inx
    inx
    bne @sprite
    rts

draw_begin:
    lda oam_start
    clc
    adc #17 * 4
    bcs @wrapped
    cmp #FIRST_FREE
    bcs @set
@wrapped:
    adc #FIRST_FREE - 1     ; carry set
@set:
    sta oam_start
    sta oam_at
    lda #56
    sta oam_room
    rts

; What is left of the 56 disappears.
draw_end:
    ldx oam_room
    beq @done
    ldy oam_at
    lda #$F0
@sprite:
    sta OAM,y
    iny
    iny
    iny
    iny
    bne @inside
    ldy #FIRST_FREE
@inside:
    dex
    bne @sprite
@done:
    rts

; The sprite A at s_x, s_y with s_attr. X is kept.
put:
    ldy oam_room
    beq @full
    dec oam_room
    ldy oam_at
    sta OAM+1,y
    lda s_y
    sta OAM,y
    lda s_attr
    sta OAM+2,y
    lda s_x
    sta OAM+3,y
    iny
    iny
    iny
    iny
    bne @inside
    ldy #FIRST_FREE
@inside:
    sty oam_at
@full:
    rts

; A small thing: sprite A, middle at s_x, s_y. Changes s_x, s_y.
put_small:
    pha
    lda s_x
    sec
    sbc #4
    sta s_x
    lda s_y
    sec
    sbc #9
    sta s_y
    pla
    jmp put

; A symmetric animal: left half A, middle at s_x, s_y. A half that would come out on the other side
; of the picture is left out. Changes s_x, s_y, s_attr, s_tile.
put_pair:
    sta s_tile
    lda s_y
    sec
    sbc #9
    sta s_y
    jsr @right
    lda s_attr
    eor #$40
    sta s_attr
    lda s_x
    sec
    sbc #8
    bcc @outside
    sta s_x
@right:
    lda s_attr
    eor #$40
    sta s_attr
    lda s_tile
    jsr put
    lda s_attr
    eor #$40
    sta s_attr
@outside:
    rts

draw_all:
    jsr draw_begin
    jsr draw_flock
    jsr draw_enemies
    jsr draw_shots
    jsr draw_notes
    jsr draw_picks
    jsr draw_puffs
    jsr draw_end
    ; falls through

; The head line: score, birds in the nest; and the meter of the great bird among the free sprites.
draw_head:
    lda score_dirty
    beq @drawn
    jsr score_digits
@drawn:
    ldx #5
    ldy #5 * 4
@digit:
    lda digit,x
    asl a
    ora #1
    sta OAM+1,y
    lda #15
    sta OAM,y
    lda #0
    sta OAM+2,y
    lda digit_x,x
    sta OAM+3,y
    dey
    dey
    dey
    dey
    dex
    bpl @digit
    lda #SPR_NEST
    sta OAM+6*4+1
    lda lives
    cmp #10
    bcc @few
    lda #9
@few:
    asl a
    ora #1
    sta OAM+7*4+1
    lda #15
    sta OAM+6*4
    sta OAM+7*4
    lda #1
    sta OAM+6*4+2
    lda #0
    sta OAM+7*4+2
    lda #220
    sta OAM+6*4+3
    lda #232
    sta OAM+7*4+3
    rts

digit_x:
    .byte 16, 24, 32, 40, 48, 56

; The score, in tens, by five divisions; the last digit is always 0.
score_digits:
    lda score
    sta d_lo
    lda score+1
    sta d_hi
    lda #10
    sta d_by
    ldx #4
@digit:
    jsr divide
    sta digit,x
    dex
    bpl @digit
    lda #0
    sta digit+5
    sta score_dirty
    rts

draw_flock:
    lda leader_gone
    bne @birds
    lda leader_safe         ; it blinks while it is safe
    and #4
    bne @birds
    lda leader_x
    sta s_x
    lda leader_y
    sta s_y
    lda #0
    sta s_attr
    lda ticks
    lsr a
    lsr a
    and #3
    tay
    lda leader_frames,y
    jsr put_pair
@birds:
    ldx flock
    beq @none
    dex
@bird:
    lda bird_x,x
    sta s_x
    lda bird_y,x
    sta s_y
    lda #0
    sta s_attr
    txa                     ; each bird beats its wings in its own time
    asl a
    clc
    adc ticks
    lsr a
    lsr a
    and #3
    tay
    lda bird_frames,y
    jsr put_small
    dex
    bpl @bird
@none:
    rts

leader_frames:
    .byte SPR_LEADER0, SPR_LEADER1, SPR_LEADER0, SPR_LEADER2
bird_frames:
    .byte SPR_BIRD0, SPR_BIRD1, SPR_BIRD0, SPR_BIRD2

draw_enemies:
    ldx #EN_MAX-1
@enemy:
    ldy en_type,x
    beq @next
    lda en_x,x
    sta s_x
    lda en_y,x
    sta s_y
    lda type_palette,y
    sta s_attr
    lda en_flash,x
    and #2
    beq @steady
    lda s_attr
    eor #2
    sta s_attr
@steady:
    lda type_shape,y
    asl a
    pha
    lda en_frame,x
    asl a
    clc
    adc type_sprite,y       ; frames follow each other
    sta s_tile
    pla
    tay
    lda shape_table,y
    sta vec
    lda shape_table+1,y
    sta vec+1
    lda s_tile
    jsr @dispatch
@next:
    dex
    bpl @enemy
    rts
@dispatch:
    jmp (vec)

; ORDER SHAPE
SHAPE_SMALL = 0
SHAPE_PAIR = 1
SHAPE_GREAT = 2
shape_table:
    .word put_small, put_pair, put_great

; 32 x 32: two rows of wing, body, body, wing. X is kept.
put_great:
    ldy boss_kind
    lda great_palette,y
    eor s_attr
    sta s_attr
    lda great_sprite,y
    sta t0                  ; body, upper half; the lower follows
    lda en_frame,x
    asl a
    asl a
    clc
    adc t0
    adc #4
    sta t1                  ; wing
    lda s_x
    sta t2
    lda s_y
    sec
    sbc #9
    sta s_y                 ; middle of the upper row
    jsr @row
    lda t0
    clc
    adc #2
    sta t0
    lda t1
    adc #2
    sta t1
    lda s_y
    clc
    adc #16
    sta s_y
@row:
    lda s_attr
    and #$BF
    sta s_attr
    lda s_y
    pha
    lda s_y
    sec
    sbc #8
    sta s_y
    lda t2
    sec
    sbc #16
    bcc @half
    sta s_x
    lda t1
    jsr put
@half:
    lda t2
    sec
    sbc #8
    sta s_x
    lda t0
    jsr put
    lda s_attr
    ora #$40
    sta s_attr
    lda t2
    sta s_x
    lda t0
    jsr put
    lda t2
    clc
    adc #8
    bcs @edge
    sta s_x
    lda t1
    jsr put
@edge:
    pla
    sta s_y
    rts

draw_shots:
    ldx #SH_MAX-1
@shot:
    ldy sh_type,x
    beq @next
    lda sh_x,x
    sta s_x
    lda sh_y,x
    sta s_y
    lda ticks               ; they shimmer
    lsr a
    and #1
    clc
    adc #2
    sta s_attr
    lda shot_sprite-1,y
    jsr put_small
@next:
    dex
    bpl @shot
    rts

shot_sprite:
    .byte SPR_QUILL, SPR_DROP, SPR_STRAW

draw_notes:
    ldx #NOTE_MAX-1
@note:
    ldy note_on,x
    beq @next
    lda note_x,x
    sta s_x
    lda note_y,x
    sta s_y
    lda note_attr-1,y
    sta s_attr
    lda note_sprite-1,y
    jsr put_small
@next:
    dex
    bpl @note
    rts

note_sprite:
    .byte SPR_NOTE0, SPR_NOTE1, SPR_NOTE2
note_attr:
    .byte 0, 2, 3

draw_picks:
    ldx #PICK_MAX-1
@pick:
    ldy pick_type,x
    beq @next
    lda pick_x,x
    sta s_x
    lda pick_y,x
    sta s_y
    dey
    bne @acorn
    lda pick_time,x
    lsr a
    lsr a
    and #3
    tay
    and #1
    sta s_attr              ; strays change colour as they beat their wings
    lda bird_frames,y
    jsr put_small
    jmp @next
@acorn:
    lda #1
    sta s_attr
    lda #SPR_ACORN
    jsr put_small
@next:
    dex
    bpl @pick
    rts

draw_puffs:
    ldx #PUFF_MAX-1
@puff:
    ldy puff_type,x
    beq @next
    lda puff_x,x
    sta s_x
    lda puff_y,x
    sta s_y
    cpy #PUFF_FEATHER
    beq @feather
    lda #1
    sta s_attr
    lda puff_time,x
    lsr a
    lsr a
    lsr a
    tay
    lda puff_frames,y
    jsr put_pair
    jmp @next
@feather:
    lda #0
    sta s_attr
    lda puff_time,x
    lsr a
    lsr a
    lsr a
    lsr a
    and #1
    asl a
    adc #SPR_FEATHER0       ; carry clear
    jsr put_small
@next:
    dex
    bpl @puff
    rts

puff_frames:
    .byte SPR_PUFF2, SPR_PUFF1, SPR_PUFF0

; Pips along the bottom: what is left of the great bird, one for every eight.
draw_meter:
    lda boss_hp
    lsr a
    lsr a
    lsr a
    tax
    beq @done
    lda #84
    sta t0
@pip:
    lda t0
    sta s_x
    lda #218
    sta s_y
    lda #3
    sta s_attr
    lda #SPR_PIP
    jsr put
    lda t0
    clc
    adc #8
    sta t0
    dex
    bne @pip
@done:
    rts
