; How bodies move: X = the object, kept by all. A body stands with its feet (o_y) on a level's line, and is held by the plank under its
; middle. Rising bodies pass planks; only the hob's head does not (hob.s).

GRAVITY = $40           ; 1/256 pixel a frame, each frame
FALL_MAX = 4

; One step: sideways by o_vx, then standing, rising or falling.
body_move:
    clc
    lda o_xf, x
    adc o_vxf, x
    sta o_xf, x
    lda o_x, x          ; 256 pixels are the whole ring
    adc o_vx, x
    sta o_x, x
    lda o_ground, x
    beq body_fall
    ldy o_lev, x
    jsr plank_under
    bne @held
    sta o_ground, x     ; nothing there: it steps into the air
    sta o_vy, x
    sta o_vyf, x
@held:
    rts

body_fall:
    jsr body_weight
    bmi @rising
    lda t0              ; the level that was at or below its feet
    sec
    sbc #1
    lsr a
    lsr a
    lsr a
    tay
    lda band_of, y
    tay
    cpy #FLOOR + 1
    bcs @rising
    lda o_y, x
    cmp line_y, y
    bcc @rising
    jsr plank_under
    beq @rising
    lda line_y, y
    sta o_y, x
    tya
    sta o_lev, x
    lda #1
    sta o_ground, x
    lda #0
    sta o_vy, x
    sta o_vyf, x
    sta o_yf, x
@rising:
    rts

; Gravity and the step up or down. Out: t0 = o_y before, N set: it rises.
body_weight:
    clc
    lda o_vyf, x
    adc #GRAVITY
    sta o_vyf, x
    bcc @slow
    inc o_vy, x
@slow:
    lda o_vy, x
    bmi @free
    cmp #FALL_MAX
    bcc @free
    lda #FALL_MAX
    sta o_vy, x
    lda #0
    sta o_vyf, x
@free:
    lda o_y, x
    sta t0
    clc
    lda o_yf, x
    adc o_vyf, x
    sta o_yf, x
    lda t0
    adc o_vy, x
    sta o_y, x
    lda o_vy, x
    rts

; Who has been thrown passes everything until it is below the screen. Out: carry set: it is.
body_tumble:
    clc
    lda o_xf, x
    adc o_vxf, x
    sta o_xf, x
    lda o_x, x
    adc o_vx, x
    sta o_x, x
    jsr body_weight
    bmi @above
    lda o_y, x
    cmp #240
    SKIP1
@above:
    clc
    rts

; Level Y: A = what is there under the body's middle (Z set: a gap). Keeps Y.
plank_under:
    sty t1
    lda o_x, x
    clc
    adc #8
    lsr a
    lsr a
    lsr a
    ora level_row, y
    tay
    lda plank, y
    ldy t1
    cmp #0
    rts

; Throws the body up: A = whole pixels a frame (negative), Y = the fraction.
body_hop:
    sta o_vy, x
    tya
    sta o_vyf, x
    lda #0
    sta o_ground, x
    rts

; o_vx from o_pace (1/64 pixel) and o_dir.
body_pace:
    lda #0
    sta t0
    lda o_pace, x
    asl a
    rol t0
    asl a
    rol t0
    ldy o_dir, x
    beq @right
    eor #$ff
    clc
    adc #1
    sta o_vxf, x
    lda t0
    eor #$ff
    adc #0
    sta o_vx, x
    rts
@right:
    sta o_vxf, x
    lda t0
    sta o_vx, x
    rts

; It stops where it is.
body_stop:
    lda #0
    sta o_vx, x
    sta o_vxf, x
    rts

body_turn:
    lda o_dir, x
    eor #$40
    sta o_dir, x
    jmp body_pace
