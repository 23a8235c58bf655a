; Power-on, the game step, and the NMI handler.
;
; The main program never waits: it computes step after step, and the NMI handler shows what was handed over last. A step's inputs are
; read by one instruction at its start (the number of the last frame; pads of past frames are in a ring), and its results are
; handed over by one instruction at its end (the write of checkpoint, whose bit 0 says which half of the buffers is complete). So
; nothing depends on how far a step had come when an NMI arrived; only on which frame it began in.
;
; Sprites are written through $2004 instead of by DMA. DMA takes 513 or 514 cycles, depending on the parity of the cycle it begins in;
; every emulator would have to agree on that for five minutes, for the steps to begin in the same frames.

CTRL = %10101000        ; NMI on, sprites of 8 x 16, background from pattern table 0

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
    stx $4015
    bit $2002
@warm1:                 ; the PPU ignores writes for its first frame
    bit $2002
    bpl @warm1
    txa
@clear:
    sta $00, x
    sta $0100, x
    sta $0200, x
    sta $0600, x
    sta $0700, x
    inx
    bne @clear
    lda #CALM
@still:                 ; air and sea are level
    sta wind_u, x
    sta wind_v, x
    sta press, x
    inx
    bne @still
    txa
    ldx #31
@flat:
    sta sea_v, x
    sta fl_x, x
    dex
    bpl @flat
    ldx #0
@kernels:
    lda __KERNEL_LOAD__, x
    sta __KERNEL_RUN__, x
    inx
    cpx #<__KERNEL_SIZE__
    bne @kernels
    jsr sound_reset
    lda #$a7
    sta rng
    lda #$ff
    sta shown
    lda #>500
    sta hiscore + 1
    lda #<500
    sta hiscore
    jsr go_title
    nop                 ; by trial: with these four cycles the first NMI meets `spin` in the same place
    nop                 ; in all emulators that the game was compared in
@warm2:
    bit $2002
    bpl @warm2
    ldx #0
    stx $2003
    lda #$f8
@hide:
    sta $2004
    inx
    bne @hide
    lda #$20
    sta $2006
    stx $2006
    lda #T_sky
    ldy #4
@empty:
    sta $2007
    inx
    bne @empty
    dey
    bne @empty
    lda #CTRL
    sta $2000
spin:                   ; until the first NMI, which goes to first_step and never comes back here
    jmp spin

; One game step after the other. What it reads of the outside world is nmi_count, here, once.
step:
    lda nmi_count
    jsr latch_pad
    jsr wind_step
    jsr sea_step
    jsr run_state
    jsr rows_step
    jsr sprites_step
    jsr hand_over
    ldx checkpoint
    inx
    stx checkpoint      ; in this moment all RAM is consistent
    jmp step

run_state:
    inc steps
    bne @counted
    inc steps + 1
@counted:
    ldx state
    lda state_lo, x
    sta vec
    lda state_hi, x
    sta vec + 1
    jmp (vec)

; A = number of the last frame. Finds what is held in it, and what was newly pressed in any frame since the last step.
latch_pad:
    ldx frame
    sta frame
    lda #0
    sta pad_new
    cpx frame
    beq @done
@each:
    txa
    and #7
    tay
    lda ring, y
    eor #$ff
    sta t0
    inx
    txa
    and #7
    tay
    lda ring, y
    sta pad
    and t0
    ora pad_new
    sta pad_new
    cpx frame
    bne @each
@done:
    rts

; What the NMI handler will need goes to the half of this step. Then the halves change.
hand_over:
    ldx side
    lda sfx
    sta sfx_out, x
    lda song
    sta song_out, x
    lda #SFX_NONE
    sta sfx
    txa
    eor #1
    sta side
    rts

first_step:
    inc running
    ldx #$ff
    txs
    lda #1              ; checkpoint becomes 1 with the first hand-over
    sta side
    jmp step

nmi:
    pha
    txa
    pha
    tya
    pha
    lda running
    beq first_step
    lda checkpoint
    cmp shown
    beq @same
    sta shown
    jsr upload
    jsr sound_take
@same:
    lda #0
    sta $2005
    sta $2005
    lda #CTRL
    sta $2000
    lda #%00011110
    sta $2001
    jsr read_pad
    jsr sound_tick
    pla
    tay
    pla
    tax
    pla
    rti

read_pad:
    lda #1
    sta $4016
    lsr a
    sta $4016
    ldx #8
@bit:
    lda $4016
    lsr a
    rol n0
    dex
    bne @bit
    inc nmi_count
    lda nmi_count
    and #7
    tax
    lda n0
    sta ring, x
    rts

; 112 bytes of sprites and three rows, unrolled: eight cycles a byte. Vertical blank is 2273 cycles.
upload:
    ldx #0
    lda checkpoint
    lsr a
    bcc @half
    ldx #$80
@half:
    lda #0
    sta $2003
.repeat SPRITES * 4, i
    lda oam + i, x
    sta $2004
.endrepeat
    ldx #0
    ldy #0
    lda checkpoint
    lsr a
    bcc @rows
    ldx #ROWS_HALF
    ldy #3
@rows:
.repeat 3, r
    lda row_hi + r, y
    sta $2006
    lda row_lo + r, y
    sta $2006
.repeat 32, i
    lda rows + 32 * r + i, x
    sta $2007
.endrepeat
.endrepeat
    lda #0
    sta $2003           ; rendering begins with it at 0, or the first sprites suffer
    rts
