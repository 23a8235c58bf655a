; Starling - a flock over the night country. For the NES, mapper 0, all assembly (ca65).
;
; The whole game runs inside the NMI handler; the main program is `self: jmp self`. One NMI is one
; game step. A step that takes longer than a frame is interrupted by the next NMI, which only counts
; itself (lag) and returns: the game slows down, the music does not (make_up in sound.s).

.include "ram.inc"
.include "chr.inc"

PPUCTRL = $2000
PPUMASK = $2001
PPUSTATUS = $2002
OAMADDR = $2003
PPUSCROLL = $2005
PPUADDR = $2006
PPUDATA = $2007
OAMDMA = $4014
APUSTATUS = $4015
JOY1 = $4016
FRAMECOUNTER = $4017

PAD_A = $80
PAD_B = $40
PAD_START = $10
PAD_UP = $08
PAD_DOWN = $04
PAD_LEFT = $02
PAD_RIGHT = $01

; ORDER STATE (enter_table, step_table)
ST_TITLE = 0
ST_INTRO = 1
ST_PLAY = 2
ST_CLEAR = 3
ST_OVER = 4

; ORDER JOB (job_table)
JOB_NONE = 0
JOB_TOP = 2
JOB_BOTTOM = 4
JOB_ATTR = 6

.segment "HEADER"
    .byte $4E, $45, $53, $1A, 1, 1, 0, 0     ; "NES" (text is in tile numbers here),
                            ; 16 KiB PRG, 8 KiB CHR, mapper 0, name tables one above the other
    .byte 0, 0, 0, 0, 0, 0, 0, 0

.segment "CHARS"
    .incbin "starling.chr"

.segment "CODE"

reset:
    sei
    cld
    ldx #$40
    stx FRAMECOUNTER        ; no frame interrupts
    ldx #$FF
    txs
    inx
    stx PPUCTRL
    stx PPUMASK
    stx $4010
    stx APUSTATUS
    bit PPUSTATUS
@warm:                      ; the PPU ignores writes for its first frame
    bit PPUSTATUS
    bpl @warm
    txa
@clear:
    sta $00,x
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
    bit PPUSTATUS
    bpl @warm2
    lda #$5A
    sta rng
    sta rng+1
    lda #>500
    sta best+1
    lda #<500
    sta best
    lda #4
    sta fade
    jsr hide_sprites
    jsr sound_reset
    lda #%10100000          ; NMI, sprites of 8 x 16, background from table 0
    sta ppu_ctrl
    sta PPUCTRL
self:
    jmp self

; One step. Guarded against itself: see the top of this file.
nmi:
    pha
    lda busy
    bne @late
    inc busy
    txa
    pha
    tya
    pha
    jsr upload
    jsr read_pad
    inc ticks
    jsr run_state
    jsr make_up
    jsr sound_step
    inc checkpoint
    dec busy
    pla
    tay
    pla
    tax
    pla
    rti
@late:
    inc lag
    pla
irq:
    rti

; ---- vertical blank: everything that touches the PPU while it shows a picture ----

upload:
    lda #0
    sta OAMADDR
    lda #>OAM
    sta OAMDMA
    ldx vram_job
    lda job_table,x
    sta vec
    lda job_table+1,x
    sta vec+1
    jmp (vec)

; Unrolled: 32 tiles cost 256 cycles, a loop would cost twice that, and the blank is short.
.macro COPY from, count
    .repeat count, I
    lda from+I
    sta PPUDATA
    .endrepeat
.endmacro

job_top:
    jsr set_address
    COPY row_top, 32
    jmp job_done

job_bottom:
    jsr set_address
    COPY row_bottom, 32
    jmp job_done

job_attr:
    jsr set_address
    COPY row_attr, 8
    ; falls through

job_done:
    lda #JOB_NONE
    sta vram_job
job_none:
    lda pal_dirty
    beq @scroll
    jsr upload_palette
@scroll:
    ; Line of the two name tables -> name table and line within it.
    lda ppu_ctrl
    and #%11111101
    ldx scroll
    ldy scroll+1
    bne @second
    cpx #240
    bcc @first
@second:
    ora #%00000010
    pha
    txa
    sec
    sbc #240                ; the borrow from the high byte is 256 - 240 = 16 lines, as wanted
    tax
    pla
@first:
    sta PPUCTRL
    lda #0
    sta PPUSCROLL
    stx PPUSCROLL
    lda ppu_mask
    sta PPUMASK
    rts

upload_palette:
    lda #$3F
    sta PPUADDR
    lda #$00
    sta PPUADDR
    sta pal_dirty
    COPY pal_now, 32
    rts

set_address:
    bit PPUSTATUS
    lda vram_to+1
    sta PPUADDR
    lda vram_to
    sta PPUADDR
    rts

job_table:
    .word job_none, job_top, job_bottom, job_attr

; ---- the pad ----

read_pad:
    lda pad
    pha
    ldx #1
    stx JOY1
    stx pad                 ; a ring counter: the bit falls out after eight
    dex
    stx JOY1
@bit:
    lda JOY1
    and #3
    cmp #1
    rol pad
    bcc @bit
    pla
    eor #$FF
    and pad
    sta pad_new
    rts

; ---- the state of the game ----

; A = new state. It blanks the screen in this step, loads in the next, runs from then on.
go_state:
    sta state
    lda #0
    sta entered
    sta state_time
    rts

run_state:
    lda entered
    beq @blank
    cmp #1
    beq @load
    lda state_time
    cmp #255
    beq @timed
    inc state_time
@timed:
    jsr fade_in
    lda state
    asl a
    tax
    lda step_table,x
    sta vec
    lda step_table+1,x
    sta vec+1
    jmp (vec)
@blank:
    ; ST_CLEAR goes on with the picture of ST_PLAY
    lda state
    cmp #ST_CLEAR
    beq @seamless
    lda #0
    sta ppu_mask
    sta vram_job
    jsr hide_sprites
    inc entered
    rts
@seamless:
    inc entered
@load:
    inc entered
    lda state
    asl a
    tax
    lda enter_table+1,x     ; the RTS trick
    pha
    lda enter_table,x
    pha
    rts

enter_table:
    .word title_enter-1, intro_enter-1, play_enter-1, clear_enter-1, over_enter-1
step_table:
    .word title_step, intro_step, play_step, clear_step, over_step

.include "math.s"
.include "screens.s"
.include "land.s"
.include "director.s"
.include "enemy.s"
.include "flock.s"
.include "collide.s"
.include "draw.s"
.include "sound.s"
.include "data.s"

.segment "VECTORS"
    .word nmi, reset, irq
