; Arithmetic the processor does not have.

; A = next of 65536 values: rng = 5 * rng + 12345, of which the high byte is the better one.
random:
    lda rng+1
    pha
    lda rng
    asl a
    rol rng+1
    asl a
    rol rng+1               ; A, rng+1 = 4 * rng
    clc
    adc rng
    sta rng
    pla
    adc rng+1
    sta rng+1
    lda rng
    clc
    adc #<12345
    sta rng
    lda rng+1
    adc #>12345
    sta rng+1
    rts

; A = high byte of m_a * m_b, m_b = low byte. Shift and add, unrolled. Y is kept.
multiply:
    lda #0
    lsr m_b
    .repeat 8
    bcc :+
    clc
    adc m_a
:   ror a
    ror m_b
    .endrepeat
    rts

; d_hi:d_lo / d_by -> quotient in d_hi:d_lo, remainder in A. Changes Y.
divide:
    lda #0
    ldy #16
@bit:
    asl d_lo
    rol d_hi
    rol a
    bcs @fits               ; the remainder has nine bits
    cmp d_by
    bcc @next
@fits:
    sbc d_by                ; carry is set on both ways here
    inc d_lo
@next:
    dey
    bne @bit
    rts

; Direction A (256 to the turn, 0 right, 64 down) -> A = |sin| * 255, carry = negative. Changes Y.
cosine:
    clc
    adc #64
sine:
    pha
    and #$7F
    cmp #$40
    bcc @rising
    eor #$7F
@rising:
    tay
    pla
    asl a
    lda quarter,y
    rts

; p_dir, p_speed (128 = one pixel a step) -> p_vx, p_vy as signed 8.8. Changes A, Y.
polar:
    lda p_dir
    jsr sine
    jsr scale
    sta p_vy
    sty p_vyl
    lda p_dir
    jsr cosine
    jsr scale
    sta p_vx
    sty p_vxl
    rts

; A * p_speed / 128, negated if carry: A = high byte, Y = low byte.
scale:
    ror p_sign              ; carry into bit 7
    sta m_a
    lda p_speed
    sta m_b
    jsr multiply
    asl m_b
    rol a
    tay
    lda #0
    rol a
    bit p_sign
    bpl @done
    pha
    tya
    eor #$FF
    clc
    adc #1
    tay
    pla
    eor #$FF
    adc #0
@done:
    rts

; A (magnitude, carry = sign, as from sine) * Y / 256 -> A signed.
reach:
    ror p_sign
    sta m_a
    sty m_b
    jsr multiply
    bit p_sign
    bpl @done
    eor #$FF
    clc
    adc #1
@done:
    rts

; Direction from a_x, a_y to a_tx, a_ty -> A. Changes Y.
aim:
    ldy #0
    lda a_tx
    sec
    sbc a_x
    bcs @right
    ldy #4
    eor #$FF
    adc #1
@right:
    sta a_dx
    lda a_ty
    sec
    sbc a_y
    bcs @down
    iny
    iny
    eor #$FF
    adc #1
@down:
    sta a_dy
    cmp a_dx
    bcc @flat
    iny
    sty a_oct
    sta d_by
    lda a_dx
    jmp @divide
@flat:
    sty a_oct
    ldy a_dx
    sty d_by
@divide:
    ; the smaller * 64 / the greater
    sta d_hi
    lda #0
    sta d_lo
    lsr d_hi
    ror d_lo
    lsr d_hi
    ror d_lo
    lda d_by
    beq @here
    jsr divide
    ldy d_lo
    lda slope,y
    ldy a_oct
    eor octant_flip,y
    clc
    adc octant_base,y
    rts
@here:
    lda #64                 ; on the very spot: straight down
    rts

; ORDER OCTANT: bit 0 steep, bit 1 up, bit 2 left. Where flipped the base makes up for -x = ~x + 1.
octant_flip:
    .byte $00, $FF, $FF, $00, $FF, $00, $00, $FF
octant_base:
    .byte 0, 65, 1, 192, 129, 64, 128, 193

; quarter of a sine wave, 255 * sin((i + 1/2) * pi / 128)
quarter:
    .byte 3, 9, 16, 22, 28, 34, 41, 47
    .byte 53, 59, 65, 71, 77, 83, 89, 95
    .byte 100, 106, 112, 117, 123, 128, 134, 139
    .byte 144, 149, 154, 159, 164, 169, 174, 178
    .byte 183, 187, 191, 195, 199, 203, 207, 210
    .byte 214, 217, 220, 223, 226, 229, 232, 234
    .byte 237, 239, 241, 243, 245, 247, 248, 249
    .byte 251, 252, 253, 253, 254, 255, 255, 255
; direction of a slope of i / 64, 256 to the full turn
slope:
    .byte 0, 1, 1, 2, 3, 3, 4, 4, 5, 6, 6, 7, 8
    .byte 8, 9, 9, 10, 11, 11, 12, 12, 13, 13, 14, 15, 15
    .byte 16, 16, 17, 17, 18, 18, 19, 19, 20, 20, 21, 21, 22
    .byte 22, 23, 23, 24, 24, 25, 25, 25, 26, 26, 27, 27, 27
    .byte 28, 28, 29, 29, 29, 30, 30, 30, 31, 31, 31, 32, 32
; periods of pulse and triangle, C2 to B6
period_lo:
    .byte $AD, $4D, $F3, $9D, $4C, $00, $B8, $74, $34, $F8, $BF, $89
    .byte $56, $26, $F9, $CE, $A6, $80, $5C, $3A, $1A, $FB, $DF, $C4
    .byte $AB, $93, $7C, $67, $52, $3F, $2D, $1C, $0C, $FD, $EF, $E1
    .byte $D5, $C9, $BD, $B3, $A9, $9F, $96, $8E, $86, $7E, $77, $70
    .byte $6A, $64, $5E, $59, $54, $4F, $4B, $46, $42, $3F, $3B, $38
period_hi:
    .byte $06, $06, $05, $05, $05, $05, $04, $04, $04, $03, $03, $03
    .byte $03, $03, $02, $02, $02, $02, $02, $02, $02, $01, $01, $01
    .byte $01, $01, $01, $01, $01, $01, $01, $01, $01, $00, $00, $00
    .byte $00, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00
    .byte $00, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00, $00
