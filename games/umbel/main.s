; Power-on, the main loop and its wait, and what is copied in vertical blank. NMI stays off.

reset:
    sei
    cld
    lda #$40
    sta $4017           ; no frame interrupts
    ldx #$ff
    txs
    inx
    stx $2000
    stx $2001
    stx $4010
    bit $2002
warm_up:
    bit $2002
    bpl warm_up
    txa
@clear:
    sta $00, x
    sta $0100, x
    sta $0300, x
    sta $0400, x
    sta $0500, x
    sta $0600, x
    sta $0700, x
    inx
    bne @clear
warm_up_2:
    bit $2002
    bpl warm_up_2
    jsr first_screen
    jsr sound_off
    lda #$f8
    ldx #4
@hide:
    sta oam, x
    inx
    bne @hide
    ldx #3
@mark:
    lda mark, x
    sta oam, x
    dex
    bpl @mark
    lda #4
    sta oend
    sta fade
    lda #$21            ; never all 0, nor all $ff
    sta rnd
    lda #$50            ; 5,000 points to beat
    sta hiscore + 1
    lda #1
    sta beats
    lda #$ff
    sta msg_shown
    jsr copy_out        ; the picture begins in the middle of a frame; nothing depends on where
    jmp wait

interrupt:              ; there is none
    rti

; A turn is a game step and takes one frame.
;
; Reading $2002 in the very dot in which the vertical blank begins loses its flag. A tight loop would do
; that in one frame out of seven or so. So the wait has two parts: a tight one, for sprite 0 in the bog,
; after which it is known to 7 cycles where the picture is; and a wide one, for vertical blank, whose reads
; are 33 cycles apart. Sprite 0 stands where they keep 12 cycles and more from that dot, before it and
; after. (Code between the two would shift them, three pixels a cycle.) Should the flag be lost all the
; same, sprite 0's flag, which goes out at the end of vertical blank, ends the wait: the step is done, only
; what is to be copied waits for the next frame.
main_loop:
wait:
    bit $2002
    bvc wait
wait_blank:
    bit $2002
    bmi blank
.repeat 12
    nop
.endrepeat
    bvs wait_blank
    inc lost
    jmp step
blank:
    jsr copy_out
step:
    jsr read_pad
    jsr sound_step
    inc ticks
    bne @same
    inc ticks + 1
@same:
    jsr run_state
wait_picture:            ; sprite 0's flag is still the last frame's until the picture begins
    bit $2002
    bvs wait_picture
    jsr draw_sprites
    jsr status_step
    inc checkpoint
    jmp main_loop

mark:                   ; sprite 0: behind the bog
    .byte 218, P_mark, $20, 64

run_state:
    lda state
    asl a
    tay
    lda state_table, y
    sta vec
    lda state_table + 1, y
    sta vec + 1
    jmp (vec)

state_table:
    .word state_build, state_title, state_ready, state_play, state_fallen, state_cleared, state_over

read_pad:
    ldy pad
    ldx #1
    stx $4016
    dex
    stx $4016
    ldx #8
@button:
    lda $4016
    lsr a
    rol pad
    dex
    bne @button
    tya
    eor #$ff
    and pad
    sta pad_new
    rts

; Sprites and the queue of records, at most 96 bytes of it.
copy_out:
    lda #0
    sta $2003
    lda #>oam
    sta $4014
    ldx #0
@record:
    ldy vbuf, x
    beq @done
    lda vbuf + 1, x
    sta $2006
    lda vbuf + 2, x
    sta $2006
@byte:
    lda vbuf + 3, x
    sta $2007
    inx
    dey
    bne @byte
    inx
    inx
    inx
    jmp @record
@done:
    sty vpos
    sty vbuf
    lda #%00001000      ; no NMI; sprites from pattern table 1
    sta $2000
    sty $2005
    sty $2005
    lda #%00011110
    sta $2001
    rts

; Opens a record of A bytes at $2000 + X * 256 + Y. Out: X, where its bytes go (vbuf, x). The caller fills
; them all.
open_record:
    stx t0
    ldx vpos
    sta vbuf, x
    clc
    adc #3
    adc vpos
    sta vpos
    lda t0
    sta vbuf + 1, x
    tya
    sta vbuf + 2, x
    inx
    inx
    inx
    ldy vpos            ; the queue ends here
    lda #0
    sta vbuf, y
    rts

; Both name tables: empty sky; the bog; nothing there shows before the palette is set.
first_screen:
    lda #$20
    ldx #0
    sta $2006
    stx $2006
    lda #P_sky
    ldy #3              ; 26 rows
@sky:
    sta $2007
    inx
    bne @sky
    dey
    bne @sky
    ldx #64
@sky_end:
    sta $2007
    dex
    bne @sky_end
    ldx #32
    lda #P_wave_a
@shore:
    sta $2007
    dex
    bne @shore
    ldx #96             ; rows 27 to 29
    lda #0
@deep:
    sta $2007
    dex
    bne @deep
    ldx #48
@attribute:
    sta $2007
    dex
    bne @attribute
    ldx #16
    lda #$aa
@bog:
    sta $2007
    dex
    bne @bog
    rts
