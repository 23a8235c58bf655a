; Arithmetic.

; A * mb. Out: ph, pl, and ph in A. As long as mb has bits. Keeps X.
mul:
    sta ml
    ldy #0
    sty mh
    sty pl
    sty ph
    lsr mb
@bit:
    bcc @even
    clc
    lda pl
    adc ml
    sta pl
    lda ph
    adc mh
    sta ph
@even:
    asl ml
    rol mh
    lsr mb
    bne @bit
    bcs @bit            ; the highest bit is yet to come
    lda ph
    rts

; val = val * A / 256, val signed, towards 0. Keeps X.
scale:
    sta t3
    sta mb
    lda val + 1
    sta t2              ; the sign
    bpl @low
    jsr negate
@low:
    lda val
    jsr mul
    sta t4
    lda val + 1
    beq @small
    ldy t3
    sty mb
    jsr mul
    clc
    lda pl
    adc t4
    sta val
    lda ph
    adc #0
    sta val + 1
    jmp @sign
@small:
    lda t4
    sta val
@sign:
    lda t2
    bpl scaled
negate:
    sec
    lda #0
    sbc val
    sta val
    lda #0
    sbc val + 1
    sta val + 1
scaled:
    rts

; A random byte: multiply with carry, x = 215 * (x two calls ago) + carry, period 7,045,119. Keeps X.
random:
    lda #215
    sta mb
    lda rnd + 1
    jsr mul
    clc
    lda pl
    adc rnd + 2
    tay
    lda ph
    adc #0
    sta rnd + 2
    lda rnd
    sta rnd + 1
    sty rnd
    tya
    rts

; dx, dy = place of flyer Y less place of flyer X. Keeps both; A = dy.
between:
    sec
    lda fx, y
    sbc fx, x
    sta dx
    sec
    lda fy, y
    sbc fy, x
    sta dy
    rts

; A = |A|.
absolute:
    cmp #$80
    bcc @positive
    eor #$ff
    adc #0              ; carry is set
@positive:
    rts
