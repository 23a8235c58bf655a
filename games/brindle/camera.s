; The camera, what it asks of the column decoder, and what drifts past it.

; The camera eases towards its aim: the goat ahead of the middle when it looks back, behind it when it looks forward.
camera_step:
    ldx facing
    sec
    lda goat_x
    sbc lead, x
    tax
    lda goat_x + 1
    sbc #0
    tay
    txa
    sec
    sbc cam
    sta ease
    tya
    sbc cam + 1
    bmi @back
    bne @fast           ; more than a screen to go
    lda ease
    jsr eased
    bcc @move
@fast:
    lda #3
@move:
    clc
    adc cam
    sta cam
    bcc @limit
    inc cam + 1
@limit:
    lda cam
    cmp cam_end
    lda cam + 1
    sbc cam_end + 1
    bcc @done
    lda cam_end
    sta cam
    lda cam_end + 1
    sta cam + 1
@done:
    rts
@back:
    cmp #$ff
    bne @fast_back
    lda #0
    sec
    sbc ease
    jsr eased
    bcc @move_back
@fast_back:
    lda #3
@move_back:
    sta ease
    sec
    lda cam
    sbc ease
    sta cam
    bcs @limit_back
    dec cam + 1
@limit_back:
    lda cam
    cmp cam_low
    lda cam + 1
    sbc cam_low + 1
    bpl @done           ; signed: it may be below 0
    lda cam_low
    sta cam
    lda cam_low + 1
    sta cam + 1
    rts

; A = pixels to go (0..255). Out: an eighth of them, 3 at most, carry clear.
eased:
    lsr a
    lsr a
    lsr a
    cmp #4
    bcc @done
    lda #3
    clc
@done:
    rts

; A = the camera's column.
camera_column:
    lda cam + 1
    sta t0
    lda cam
column_of:              ; t0, A = pixel
.repeat 4
    lsr t0
    ror a
.endrepeat
    rts

; Decodes and shows one column if the picture comes near it, and keeps the camera from going back to where the ring has
; already been overwritten.
columns_step:
    jsr camera_column
    clc
    adc #AHEAD
    bcs @wanted
    cmp column
    bcc @done
@wanted:
    lda column
    cmp wide
    bcs @done
    jsr column_decode
    jsr column_show
    lda column
    sec
    sbc #31             ; the ring's oldest column has just gone
    bcc @done
    sta t0
    lda #0
.repeat 4
    asl t0
    rol a
.endrepeat
    sta cam_low + 1
    lda t0
    sta cam_low
@done:
    rts

; Eight things drift at depths of their own: each shifts by its share of the camera's place, and falls.
drift_step:
    ldy theme
    lda drift_wind, y
    sta t4
    lda drift_fall, y
    sta t5
    ldx #DRIFTS - 1
@thing:
    lda ticks
    and #3
    bne @blown
    clc
    lda drift_x, x
    adc t4
    sta drift_x, x
@blown:
    txa                 ; each falls a little faster than the next
    asl a
    asl a
    asl a
    adc t5
    adc drift_f, x
    sta drift_f, x
    lda drift_y, x
    adc #0
    cmp #FLOOR_Y - 8
    bcc @in_sight
    jsr random
    sta drift_x, x
    lda #0
@in_sight:
    sta drift_y, x
    lda cam
    sta mul_b
    lda drift_depths, x
    jsr multiply
    sta t3
    lda cam + 1
    sta mul_b
    lda drift_depths, x
    jsr multiply
    sec
    lda drift_x, x
    sbc t3
    sec
    sbc product
    sta drift_dx, x
    dex
    bpl @thing
    rts
