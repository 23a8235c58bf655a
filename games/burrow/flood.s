; The flood: breadth-first search over the soil, from the cells in the queue. Its code is copied to RAM and patched
; for each use - which kinds of cell it may enter, which field it fills, how far it goes - as operands of immediate
; and absolute instructions; a general routine would load and compare them for every neighbour.
.include "ram.inc"
.import _props
.import __RAMCODE_LOAD__, __RAMCODE_RUN__, __RAMCODE_SIZE__
.export _flood_clear, _flood_seed, _flood_run

.segment "CODE"
; void flood_clear(void): installs the routine for flood_mask, flood_page and flood_limit, empties field and queue
_flood_clear:
    ldx #<__RAMCODE_SIZE__
@copy:
    lda __RAMCODE_LOAD__-1,x
    sta __RAMCODE_RUN__-1,x
    dex
    bne @copy
    lda _flood_page
    sta patch_get+2
    sta patch_old+2
    sta patch_put+2
    lda _flood_mask
    sta patch_mask+1
    lda _flood_limit
    sta patch_limit+1
    lda #0
    sta flood_head
    sta _flood_tail
    sta _flood_pops
    lda _flood_page
    cmp #>_scent
    beq @scent
    ldx #224
    lda #$FF
@trail:
    sta _trail-1,x
    dex
    bne @trail
    rts
@scent:
    ldx #224
    lda #$FF
@fill:
    sta _scent-1,x
    dex
    bne @fill
    rts

; void __fastcall__ flood_seed(byte cell): distance 0 there
_flood_seed:
    pha
    lda #0
    sta flood_next
    pla
    jmp put

; byte flood_run(void): fills the field; says how many cells it looked around from
_flood_run:
    jsr flood
    ldx #0
    lda _flood_pops
    rts

.segment "RAMCODE"
flood:
    ldx flood_head
    cpx _flood_tail
    beq done
    lda _flood_queue,x
    sta flood_cell
    inx
    txa
    and #63
    sta flood_head
    inc _flood_pops
    ldx flood_cell
patch_get:
    lda _trail,x
    clc
    adc #1
patch_limit:
    cmp #0
    bcs flood
    sta flood_next
    lda flood_cell
    sec
    sbc #16
    jsr visit
    lda flood_cell
    clc
    adc #16
    jsr visit
    ldx flood_cell
    dex
    txa
    jsr visit
    ldx flood_cell
    inx
    txa
    jsr visit
    jmp flood
visit:
    tax
    lda _soil,x
    and #$1F
    tay
    lda _props,y
patch_mask:
    and #0
    beq done
patch_old:
    lda _trail,x
    bpl done                    ; has its distance
    txa
put:
    tax
    lda flood_next
patch_put:
    sta _trail,x
    txa
    ldx _flood_tail
    sta _flood_queue,x
    inx
    txa
    and #63
    sta _flood_tail
done:
    rts
