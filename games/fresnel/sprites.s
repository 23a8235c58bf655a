; Sprites in groups.
.include "ram.inc"
.include "tiles.inc"
.export _sprites_begin, _draw

.segment "CODE"
; void sprites_begin(void): none yet. The first slot moves on, so that what is too much on a line flickers.
_sprites_begin:
    lda #$f8
    ldx #0
@hide:
.repeat 8, i
    sta _oam + 4 * i, x
.endrepeat
    txa
    clc
    adc #32
    tax
    beq @hidden
    lda #$f8
    bne @hide
@hidden:
    lda _ticks
    asl a
    asl a
    asl a
    asl a
    sta _oam_at
    rts

; void __fastcall__ draw(byte group): feet at spr_x, spr_y; spr_flip $40 looks left; spr_pal is added to the palette.
_draw:
    asl a
    tax
    lda groups, x
    sta spr_at
    lda groups + 1, x
    sta spr_at + 1
    ldy #0
    lda (spr_at), y
    bmi block
    sta spr_count
    iny
    ldx _oam_at
    bit _spr_flip
    bvs @left
@right:
    lda (spr_at), y                     ; down from the feet
    clc
    adc _spr_y
    sta _oam, x
    iny
    lda (spr_at), y                     ; right of the centre
    clc
    adc _spr_x
    sta _oam + 3, x
    iny
    lda (spr_at), y
    sta _oam + 1, x
    iny
    lda (spr_at), y
    ora _spr_pal
    sta _oam + 2, x
    iny
    inx
    inx
    inx
    inx
    dec spr_count
    bne @right
    stx _oam_at
    rts
@left:
    lda (spr_at), y
    clc
    adc _spr_y
    sta _oam, x
    iny
    lda #$f8                            ; the other side of the centre, less a sprite's width
    sec
    sbc (spr_at), y
    clc
    adc _spr_x
    sta _oam + 3, x
    iny
    lda (spr_at), y
    sta _oam + 1, x
    iny
    lda (spr_at), y
    eor #$40
    ora _spr_pal
    sta _oam + 2, x
    iny
    inx
    inx
    inx
    inx
    dec spr_count
    bne @left
    stx _oam_at
    rts

; Two by two tiles that follow one another: most things, so it is done without a loop.
block:
    iny
    lda (spr_at), y
    sta spr_tile
    iny
    lda (spr_at), y
    ora _spr_pal
    eor _spr_flip
    ldx _oam_at
    cpx #$f4
    bcc @room
    ldx #0                              ; not past the end of the page
@room:
    sta _oam + 2, x
    sta _oam + 6, x
    sta _oam + 10, x
    sta _oam + 14, x
    lda _spr_y
    sec
    sbc #17
    sta _oam, x
    sta _oam + 4, x
    clc
    adc #8
    sta _oam + 8, x
    sta _oam + 12, x
    lda _spr_x
    bit _spr_flip
    bvs @left
    sta _oam + 7, x
    sta _oam + 15, x
    sec
    sbc #8
    sta _oam + 3, x
    sta _oam + 11, x
    jmp @tiles
@left:
    sta _oam + 3, x
    sta _oam + 11, x
    sec
    sbc #8
    sta _oam + 7, x
    sta _oam + 15, x
@tiles:
    lda spr_tile
    sta _oam + 1, x
    clc
    adc #1
    sta _oam + 5, x
    adc #1
    sta _oam + 9, x
    adc #1
    sta _oam + 13, x
    txa
    adc #16
    sta _oam_at
    rts

.segment "RODATA"
; Groups: number of sprites, then for each: y, x, tile, attributes. A sprite shows one line below its y.
.macro big name, tile, attr             ; a block
name:
    .byte $80, tile, attr
.endmacro
.macro turned name, tile, attr          ; upside down and back to front
name:
    .byte 4, <-9, 0, tile, attr + $c0, <-9, <-8, tile + 1, attr + $c0, <-17, 0, tile + 2, attr + $c0
    .byte <-17, <-8, tile + 3, attr + $c0
.endmacro
.macro one name, tile, attr
name:
    .byte 1, <-9, <-4, tile, attr
.endmacro

; The order is that of G_... in fresnel.h.
groups:
    .addr g_stand, g_walk1, g_walk2, g_jump, g_climb, g_out, g_cheer, g_float1, g_float2, g_float3, g_float4, g_crab1
    .addr g_crab2, g_drop, g_splash1, g_splash2, g_urchin1, g_urchin2, g_petrel1, g_petrel2, g_elmo1, g_elmo2, g_lift
    .addr g_100, g_200, g_300, g_light, g_rain, g_rain_down
big g_stand, T_STAND, 0
big g_walk1, T_WALK1, 0
big g_walk2, T_WALK2, 0
big g_jump, T_JUMP, 0
big g_climb, T_CLIMB, 0
big g_out, T_OUT, 0
big g_cheer, T_CHEER, 0
big g_float1, T_FLOAT1, 1
big g_float2, T_FLOAT2, 1
turned g_float3, T_FLOAT1, 1
turned g_float4, T_FLOAT2, 1
big g_crab1, T_CRAB1, 2
big g_crab2, T_CRAB2, 2
one g_drop, T_DROP, 1
one g_splash1, T_SPLASH1, 1
one g_splash2, T_SPLASH2, 1
big g_urchin1, T_URCHIN1, 3
big g_urchin2, T_URCHIN2, 3
big g_petrel1, T_PETREL1, 3
big g_petrel2, T_PETREL2, 3
big g_elmo1, T_ELMO1, 2
big g_elmo2, T_ELMO2, 2
g_lift:
    .byte 3, <-1, <-12, T_LIFT, 3, <-1, <-4, T_LIFT + 1, 3, <-1, 4, T_LIFT, $43
.macro points name, tile
name:
    .byte 2, <-9, <-8, tile, 3, <-9, 0, T_P00, 3
.endmacro
points g_100, T_P1
points g_200, T_P2
points g_300, T_P3
g_light:
    .byte 1, <-14, 5, T_LIGHT, 2
g_rain:
    .byte 1, <-8, <-4, T_RAIN, $23
g_rain_down:
    .byte 1, <-8, <-4, T_RAINDOWN, $23
