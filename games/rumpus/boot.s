; Power-on, the main loop, the NMI.

CTRL = %10001000        ; NMI on, sprites from pattern table 1
MASK = %00011000        ; picture on, but the leftmost column hidden: who wraps round goes out and in behind it

reset:
    sei
    cld
    ldx #0
    stx $2000
    stx $2001
    stx $4010
    lda #$40
    sta $4017           ; no frame interrupts
    dex
    txs
    lda $2002
@cold:
    lda $2002
    bpl @cold
    inx
    txa
@wipe:
.repeat 8, page
    sta page * $100, x
.endrepeat
    inx
    bne @wipe
@warm:
    lda $2002
    bpl @warm
    lda #$20            ; both name tables empty, attributes too
    sta $2006
    stx $2006
    ldy #8
    txa
@blank:
    sta $2007
    inx
    bne @blank
    dey
    bne @blank
    ldx #NOBJ - 1       ; sprites need no clearing: the first step hides all that it does not draw
@order:
    txa
    sta order, x
    dex
    bpl @order
    lda #<500
    sta best
    lda #>500
    sta best + 1
    jsr sound_reset
    jsr host_begin
    lda #CTRL
    sta $2000

; Waits until the NMI has counted on, then does one step, which ends before the next.
main_loop:
    lda seen
@idle:
    cmp frame
    beq @idle
    lda frame
    sta seen
    lda #0
    sta complete
    inc ticks
    bne @counted
    inc ticks + 1
@counted:
    jsr read_pad
    jsr sound_step
    jsr host_resume
    lda paused
    bne @still
    jsr objects_run
    jsr levels_sort
    jsr touches
    jsr sway_step
@still:
    jsr values_step
    jsr rows_compose
    jsr pictures
    inc checkpoint
    lda #1
    sta complete
    jmp main_loop

; Eight bits in a row, then what is new of them.
read_pad:
    ldy pad
    lda #1
    sta $4016
    lsr a
    sta $4016
.repeat 8
    lda $4016
    lsr a
    rol pad
.endrepeat
    tya
    eor #$ff
    and pad
    sta pad_new
    rts

; Sprites, and the rows that the step has composed. They lie in page 1 from its start, so the stack pointer is sent there: a row is
; its address and 32 pulls.
nmi:
    pha
    txa
    pha
    tya
    pha
    lda complete
    bne @ready
    jmp @late
@ready:
    lda #0
    sta $2003
    lda #>oam
    sta $4014
    ldy packets
    bne @copy
    jmp @copied
@copy:
    tsx
    stx t_sp
    ldx #$ff
    txs
@packet:
    pla
    sta $2006
    pla
    sta $2006
.repeat 32
    pla
    sta $2007
.endrepeat
    dey
    beq @back
    jmp @packet
@back:
    ldx t_sp
    txs
    sty packets
@copied:
    bit $2002
    sty $2005
    lda shake           ; the house trembles: two pixels up and down
    and #2
    sta $2005
    lda #CTRL
    sta $2000
    lda #MASK
    sta $2001
@late:
    inc frame
    pla
    tay
    pla
    tax
    pla
    rti

irq:
    rti
