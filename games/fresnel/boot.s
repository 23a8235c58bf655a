; Power-on, NMI, everything that touches the PPU directly, the pad, random numbers, turns of things.
.include "ram.inc"
.importzp sp                            ; cc65's stack of arguments
.import _main, sound_reset
.export _end_step, _read_pad, _wipe_screen, _rnd, _take_turn, _give_back, _run_fill
.export __STARTUP__ : absolute = 1      ; this is the startup code, not the library's

_vq = $0100                             ; under the processor's stack, where pla reads it
_oam = $0200

.segment "HEADER"
    .byte "NES", $1a, 2, 1, $01, $00    ; 32 KiB PRG, 8 KiB CHR, mapper 0, vertical mirroring
    .res 8, 0

; The end of the NMI's copy: jumped into so that as many bytes are left as the record has. Two instructions of four bytes
; a byte: 32 of them fill $80 bytes at the start of a page.
.segment "SLIDE"
slide_all:
.repeat 32
    pla
    sta $2007
.endrepeat
; The queue: records of address (high byte with bit 6 set: downwards), entry into the slide, the bytes; $FF ends it.
next_record:
    pla
    bmi queue_done
    tax
    asl a
    asl a
    lda #$88
    bcc @across
    lda #$8c
@across:
    sta $2000                           ; before the address: it shares bits with it
    stx $2006                           ; bit 6 is not there in the PPU
    pla
    sta $2006
    pla
    sta slide
    jmp (slide)
queue_done:
    ldx nmi_s
    txs
    lda #$ff
    sta _vq
    lda #0
    sta _vq_n
    jmp nmi_scroll

.segment "CODE"
reset:
    sei
    cld
    ldx #$40
    stx $4017                           ; no frame interrupts
    ldx #$ff
    txs
    inx
    stx $2000
    stx $2001
    stx $4010
    bit $2002
@warm1:
    bit $2002
    bpl @warm1
    txa
@clear:
    sta $00, x
    sta $0100, x
    sta $0200, x
    sta $0300, x
    sta $0400, x
    sta $0500, x
    sta $0600, x
    sta $0700, x
    inx
    bne @clear
@warm2:
    bit $2002
    bpl @warm2
    lda #$08                            ; arguments of C: $0740-$07FF
    sta sp + 1
    lda #>slide_all
    sta slide + 1
    lda #$ff
    sta _vq
    lda #$c3
    sta _seed
    sta _seed + 1
    jsr sound_reset
    lda #$88                            ; NMI on, sprites from pattern table 1
    sta $2000
    jmp _main

; The picture of the step that is done. A step that is not done yet is left alone and counted.
nmi:
    pha
    txa
    pha
    tya
    pha
    lda _ready
    bne @show
    inc _late
    bne nmi_done
@show:
    lda #0
    sta $2003
    lda #>_oam
    sta $4014
    tsx
    stx nmi_s
    ldx #<(_vq - 1)
    txs
    jmp next_record
nmi_scroll:
    bit $2002
    lda #$88
    sta $2000
    lda #0
    sta $2005
    sta $2005
    sta _ready
    lda _mask
    sta $2001
nmi_done:
    pla
    tay
    pla
    tax
    pla
irq:
    rti

; void end_step(void): a step is done; the next one begins after the vertical blank that shows it.
_end_step:
    ldx _vq_n
    lda #$ff
    sta _vq, x
    inc _ticks
    bne @same
    inc _ticks + 1
@same:
    inc _checkpoint
    lda #1
    sta _ready
wait:
    lda _ready                          ; the NMI clears it: the only busy-wait of a step
    bne wait
    rts

; void read_pad(void)
_read_pad:
    ldy _pad
    ldx #1
    stx $4016
    dex
    stx $4016
    ldx #8
@bit:
    lda $4016
    lsr a
    ror _pad
    dex
    bne @bit
    tya
    eor #$ff
    and _pad
    sta _pad_new
    rts

; void wipe_screen(void): with rendering off. Blank tiles, palette 0.
_wipe_screen:
    lda #$20
    sta $2006
    ldy #0
    sty $2006
    tya
    ldx #128                            ; times eight are 960 tiles and 64 attributes
@eight:
    sta $2007
    sta $2007
    sta $2007
    sta $2007
    sta $2007
    sta $2007
    sta $2007
    sta $2007
    dex
    bne @eight
    rts

; byte rnd(void): 16 bits, shifted and mixed by 7, 9 and 8 (Marsaglia's xorshift).
_rnd:
    lda _seed + 1
    lsr a
    lda _seed
    ror a
    eor _seed + 1
    sta _seed + 1                       ; high byte of x ^ x << 7
    ror a
    eor _seed
    sta _seed                           ; low byte of x ^ x >> 9
    eor _seed + 1
    sta _seed + 1                       ; x ^ x << 8
    ldx #0
    rts

; byte take_turn(void): copies things[self] into me, and its place into px and py; 0: there is no such thing now.
; void give_back(void): and back again.
_take_turn:
    jsr find_self
    lda _things, x
    beq @nobody
    sta _me
.repeat 15, i
    lda _things + 1 + i, x
    sta _me + 1 + i
.endrepeat
    lda _me + 3
    sta _px
    lda _me + 5
    sta _py
    lda _me
@nobody:
    ldx #0
    rts
_give_back:
    jsr find_self
.repeat 16, i
    lda _me + i
    sta _things + i, x
.endrepeat
    rts
find_self:
    lda _self
    asl a
    asl a
    asl a
    asl a
    tax
    rts

; void __fastcall__ run_fill(byte n): n times the tile fill_tile at the end of the queue
_run_fill:
    tay
    ldx _vq_n
    lda _fill_tile
@tile:
    sta _vq, x
    inx
    dey
    bne @tile
    stx _vq_n
    rts

.segment "VECTORS"
    .addr nmi, reset, irq

.segment "CHARS"
    .incbin "tiles.chr"
