; Reset, NMI, pads and everything else that touches the PPU.
.include "ram.inc"
.importzp sp                    ; cc65's software stack
.import _main, sound_reset, sound_frame
.export _present, _read_pad, _ppu_off, _ppu_on, _ppu_at, _ppu_put, _ppu_fill
.import popa
.import __DATA_LOAD__, __DATA_RUN__, __DATA_SIZE__
.export __STARTUP__ : absolute = 1   ; this is the startup code, not the one in the library

.segment "HEADER"
    .byte "NES", $1A, 2, 1, $01, $00    ; 32 KiB PRG, 8 KiB CHR, mapper 0, vertical mirroring
    .res 8, 0

SCREEN_FRAMES = 30

.segment "CODE"
reset:
    sei
    cld
    ldx #$40
    stx $4017                   ; no frame interrupts
    ldx #$FF
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
@clear:                         ; all of RAM: nothing depends on what power-on left there
    sta $0000,x
    sta $0100,x
    sta $0200,x
    sta $0300,x
    sta $0400,x
    sta $0500,x
    sta $0600,x
    sta $0700,x
    inx
    bne @clear
@warm2:
    bit $2002
    bpl @warm2
    lda #<$0800
    sta sp
    lda #>$0800
    sta sp+1
    ldx #<__DATA_SIZE__         ; one jump, which the runtime patches to call through a pointer
@data:
    lda __DATA_LOAD__-1,x
    sta __DATA_RUN__-1,x
    dex
    bne @data
    jsr sound_reset
    lda #$A7
    sta _seed
    sta _seed+1
    lda #$88                    ; NMI on, sprites from the second pattern table
    sta $2000
    jmp _main

; NMI hands a finished step (_ready) to the PPU and plays the sound. It never decides anything about the game, and a
; step is never handed over half done, so it does not matter where in the main loop it strikes.
nmi:
    pha
    txa
    pha
    tya
    pha
    inc _frames
    inc _step_frames
    lda _ppu_mask
    beq @sound                  ; rendering is off: the main program has the PPU to itself
    lda _ready
    beq @scroll
    lda _step_frames            ; not before the step's last vertical blank: an even pace, and no difference between
    cmp _pace                   ; a step that is done just before another vertical blank and one done just after it
    bcc @scroll
    lda #0
    sta $2003
    lda #>_oam
    sta $4014
    jsr drain
    lda #0
    sta _ready
    lda _shake
    beq @scroll
    dec _shake
@scroll:
    bit $2002
    lda _shake
    and #2
    sta $2005
    lda #0
    sta $2005
    lda #$88
    sta $2000
    lda _ppu_mask
    sta $2001
@sound:
    jsr sound_frame
    pla
    tay
    pla
    tax
    pla
irq:
    rti

; Records of eight bytes: a cell (address, four tiles, low byte and value of its attribute) or, with bit 7 of the
; address set, six tiles of text. At most twelve, about 1,300 cycles.
drain:
    ldx #0
@record:
    cpx _ring_n
    beq @done
    lda _ring,x
    bmi @text
    sta $2006
    tay
    lda _ring+1,x
    sta $2006
    lda _ring+2,x
    sta $2007
    lda _ring+3,x
    sta $2007
    sty $2006
    lda _ring+1,x
    ora #$20                    ; the row below
    sta $2006
    lda _ring+4,x
    sta $2007
    lda _ring+5,x
    sta $2007
    lda #$23
    sta $2006
    lda _ring+6,x
    sta $2006
    lda _ring+7,x
    sta $2007
@next:
    txa
    clc
    adc #8
    tax
    bne @record                 ; never 0: the ring has 96 bytes
@text:
    and #$7F
    sta $2006
    lda _ring+1,x
    sta $2006
    ldy #6
@letter:
    lda _ring+2,x
    sta $2007
    inx
    dey
    bne @letter
    dex
    dex
    dex
    dex
    dex
    dex
    jmp @next
@done:
    ldx #0
    stx _ring_n
    rts

; void present(void): ends a step. It lasts _pace frames and is shown at the last one's vertical blank; a step that took
; longer than that is shown at the next.
_present:
    lda #1
    sta _ready
wait_frame:                     ; the poll of a frame flag, the game's only busy-wait
    lda _ready
    bne wait_frame
    sta _step_frames
    sta _pace                   ; unknown until the next step's work is done: see README.md, "At rest"
    lda _sfx
    beq @quiet
    sta sfx_now                 ; handed over here: when in a step NMI starts an effect does not hang on a few cycles
    lda #0
    sta _sfx
@quiet:
    inc _checkpoint             ; a vertical blank has just begun: all of RAM, the sound's too, is as the step left it
    rts

; void read_pad(void)
_read_pad:
    lda _pad
    eor #$FF
    sta _pad_new
    lda #1
    sta $4016
    lsr a
    sta $4016
    ldx #8
@bit:
    lda $4016
    lsr a
    ror _pad
    dex
    bne @bit
    lda _pad
    and _pad_new
    sta _pad_new
    rts

; void ppu_off(void), ppu_on(void): rendering stops and starts in a vertical blank
_ppu_off:
    jsr next_vblank
    lda #0
    sta _ppu_mask
    sta $2001
    sta _ring_n
    rts
_ppu_on:
    lda _step_frames            ; a screen takes the same time to build whatever is on it, so that the step's
    cmp #SCREEN_FRAMES          ; length in frames does not hang on a few cycles
    bcc _ppu_on
    lda #0
    sta _step_frames
    sta $2003
    lda #>_oam                  ; no sprites of the old screen on the new one
    sta $4014
    lda #$1E
    sta _ppu_mask
    rts
next_vblank:
    lda _frames
@wait:
    cmp _frames
    beq @wait
    rts

; void __fastcall__ ppu_at(word address); ppu_put(byte tile); ppu_fill(byte tile, byte times), 0 = 256 times
_ppu_at:                        ; never reads $2002, which could swallow an NMI; the writes come in pairs
    stx $2006
    sta $2006
    rts
_ppu_put:
    sta $2007
    rts
_ppu_fill:
    pha
    jsr popa
    tay
    pla
    tax
    tya
@loop:
    sta $2007
    dex
    bne @loop
    rts

.segment "VECTORS"
    .addr nmi, reset, irq

.segment "CHARS"
.include "background.s"
.include "sprites.s"
