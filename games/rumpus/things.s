; Things: coroutines like the guests, but nobody throws them out. They live in the slots behind the guests'.

; -- Thimble: rolls in where a guest was thrown out, through the house, and out at a mouse hole.
thimble_new:
    lda #THIMBLE
    ldy #GUEST_LAST + 1
    jsr object_new
    bcs @none
    lda side
    eor #1
    sta side
    jsr guest_place
    lda #AWAKE
    sta o_mode, x
@none:
    rts

thimble_birth:
    jsr body_pace
@roll:
    jsr body_move
    ldy #P_thimble_a
    lda ticks
    and #8
    bne @side
    iny
@side:
    tya
    sta o_pic, x
    jsr yield
    lda o_lev, x
    cmp #FLOOR
    bne @roll
    lda o_x, x
    sbc #8              ; carry is set
    cmp #232
    bcc @roll
    jmp object_end

; Four thimbles make a stamp.
thimble_taken:
    jsr object_drop
    lda #10
    jsr score_add
    lda #FX_PICK
    jsr fx_start
    inc thimbles
    lda thimbles
    and #3
    sta thimbles
    bne @done
    lda stamps
    cmp #5
    bcs @done
    inc stamps
@done:
    rts

; Struck from below it is taken, too.
thimble_struck:
    jsr thimble_taken
    jmp object_end

; Frees object X from outside of its coroutine. Keeps X.
object_drop:
    lda #FREE
    sta o_kind, x
    lda #NONE
    sta o_y, x
    rts

; -- Steam, to the side A from the guest that runs.
steam_new:
    sta t5
    lda #STEAM
    ldy #GUEST_LAST + 1
    jsr object_new
    bcs @none
    lda t5
    jsr thing_from
    lda #AWAKE
    sta o_mode, x
@none:
    rts

; Sets the new object X to the place of cur, going to the side A.
thing_from:
    sta o_dir, x
    ldy cur
    lda o_x, y
    sta o_x, x
    lda o_y, y
    sta o_y, x
    lda o_lev, y
    sta o_lev, x
    rts

steam_birth:
    jsr body_pace
    lda #36
    sta o_t, x
@drift:
    ldy #P_steam_a
    lda o_t, x
    and #4
    beq @first
    iny
@first:
    tya
    sta o_pic, x
    jsr puff_free
    jsr yield
    dec o_t, x
    bne @drift
    jmp object_end

; Sideways only.
puff_free:
    clc
    lda o_xf, x
    adc o_vxf, x
    sta o_xf, x
    lda o_x, x
    adc o_vx, x
    sta o_x, x
    rts

; -- Cinder: crosses the house on a wavy line at the height of the hob. A blow below it puts it out.
cinder_new:
    lda #CINDER
    ldy #GUEST_LAST + 1
    jsr object_new
    bcs @none
    lda o_lev
    sta o_lev, x
    jsr chance
    and #$40
    sta o_dir, x
    cmp #1
    lda #0
    sbc #0
    eor #$ff            ; from x = 0, or from 255
    sta o_x, x
    lda #1
    sta o_ground, x
    lda #FX_CINDER
    jsr fx_start
@none:
    rts

cinder_birth:
    jsr body_pace
    lda #AWAKE
    sta o_mode, x
    lda #255
    sta o_t, x
@fly:
    jsr puff_free
    lda o_t, x
    lsr a
    lsr a
    and #15
    tay
    lda arc, y
    sta t0
    ldy o_lev, x
    lda line_y, y
    sec
    sbc t0
    sta o_y, x
    ldy #P_cinder_a
    lda ticks
    and #4
    bne @small
    iny
@small:
    tya
    sta o_pic, x
    jsr yield
    dec o_t, x
    bne @fly
    jmp object_end

cinder_struck:
    ldy o_lev, x        ; only while it is low
    lda line_y, y
    sec
    sbc o_y, x
    cmp #14
    bcc @out
    jmp object_resume
@out:
    lda #20
    jsr score_add
    lda #FX_PUFF
    jsr fx_start
    lda #AWAY
    sta o_mode, x
    lda #P_steam_a
    sta o_pic, x
    lda #12
    jsr co_sleep
    jmp object_end

; -- The wave of a stamp, to the side A: runs along the planks and strikes who stands on them.
wave_new:
    sta t5
    lda #WAVE
    ldy #GUEST_LAST + 1
    jsr object_new
    bcs @none
    lda t5
    jsr thing_from
@none:
    rts

wave_birth:
    lda #18
    sta o_t, x
    lda #192
    sta o_pace, x
    jsr body_pace
@run:
    jsr puff_free
    ldy o_lev, x
    jsr plank_under
    beq @end            ; the planks are at an end, so is the wave
    sty s0
    lda o_x, x
    sta s1
    jsr strike
    ldy #P_wave_a
    lda o_t, x
    and #2
    beq @high
    iny
@high:
    tya
    sta o_pic, x
    jsr yield
    dec o_t, x
    bne @run
@end:
    jmp object_end

; -- Points that rise from who was thrown out; more if the throws follow each other.
throw_points:
    lda chain_time
    bne @chained
    sta chain
@chained:
    lda #100
    sta chain_time
    ldy chain
    lda throw_tens, y
    jsr score_add
    lda #POINTS
    ldy #GUEST_LAST + 1
    jsr object_new
    bcs @none
    lda #0
    jsr thing_from
    lda chain
    adc #P_points_1     ; carry is clear
    sta o_pic, x
@none:
    lda chain
    cmp #4
    bcs @most
    inc chain
@most:
    rts

points_birth:
    lda #40
    sta o_t, x
@rise:
    dec o_y, x
    jsr yield
    dec o_t, x
    bne @rise
    jmp object_end

; -- Jar with a firefly, in bonus waves.
jar_birth:
    lda #AWAKE
    sta o_mode, x
@glow:
    txa                 ; each in its own time
    asl a
    asl a
    adc ticks
    and #16
    beq @dim
    lda #P_jar_b
    SKIP2
@dim:
    lda #P_jar_a
    sta o_pic, x
    jsr yield
    jmp @glow

jar_taken:
    jsr object_drop
    dec jars_left
    lda #20
    jsr score_add
    lda #FX_JAR
    jmp fx_start
