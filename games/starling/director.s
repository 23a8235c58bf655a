; The director: runs the stage's script, which lets formations, strays and the great bird in.
; Commands are bytes with arguments; dispatch is by the RTS trick. A command returns with carry
; clear to go on with the next one in the same step, set to rest.

; ORDER DIRECTION (direction_table)
.enum
    D_WAIT              ; steps
    D_ONE               ; type, x, path: one enemy now
    D_WAVE              ; type, count, x, dx, delay, path: a formation, one every `delay` steps
    D_STRAY             ; x: a stray bird
    D_SPEED             ; of the land
    D_LOOP              ; times, address
    D_CALL              ; address: one deep
    D_BACK
    D_RANK              ; n, address: goes there unless rank is n or more
    D_CALM              ; rests until no enemy is left
    D_BOSS              ; kind, path
    D_SONG
    D_END               ; the stage is won
.endenum

.macro WAIT n
    .byte D_WAIT, n
.endmacro
.macro ONE type, x0, path
    .byte D_ONE, type, x0
    .word path
.endmacro
.macro WAVE type, count, x0, dx, delay, path
    .byte D_WAVE, type, count, x0, <(dx), delay
    .word path
.endmacro
.macro STRAY x0
    .byte D_STRAY, x0
.endmacro
.macro SPEED n
    .byte D_SPEED, n
.endmacro
.macro REPEAT n, to
    .byte D_LOOP, n
    .word to
.endmacro
.macro CALL to
    .byte D_CALL
    .word to
.endmacro
.macro BACK
    .byte D_BACK
.endmacro
.macro FROM_RANK n, else
    .byte D_RANK, n
    .word else
.endmacro
.macro CALM
    .byte D_CALM
.endmacro
.macro BOSS kind, path
    .byte D_BOSS, kind
    .word path
.endmacro
.macro SONG n
    .byte D_SONG, n
.endmacro
.macro STAGE_END
    .byte D_END
.endmacro

; A = 0-based stage.
director_load:
    asl a
    tax
    lda stage_script,x
    sta dir_ptr
    lda stage_script+1,x
    sta dir_ptr+1
    lda #1
    sta dir_on
    lda #0
    sta dir_loop
    sta dir_wait
    ldx #WAVE_MAX-1
@wave:
    sta wave_count,x
    dex
    bpl @wave
    rts

director_step:
    lda dir_on
    beq @done
    lda dir_wait
    beq @command
    dec dir_wait
@done:
    rts
@command:
    jsr @dispatch
    bcc @command
    rts
@dispatch:
    jsr direct_byte
    asl a
    tay
    lda direction_table+1,y
    pha
    lda direction_table,y
    pha
    rts

; ORDER DIRECTION
direction_table:
    .word direct_wait-1, direct_one-1, direct_wave-1, direct_stray-1, direct_speed-1
    .word direct_loop-1, direct_call-1, direct_back-1, direct_rank-1, direct_calm-1
    .word direct_boss-1, direct_song-1, direct_end-1

; A = next byte of the script. X and the carry are kept.
direct_byte:
    ldy #0
    lda (dir_ptr),y
    inc dir_ptr
    bne @same_page
    inc dir_ptr+1
@same_page:
    rts

direct_wait:
    jsr direct_byte
    sta dir_wait
    sec
    rts

direct_one:
    jsr direct_byte
    sta t4
    jsr direct_byte
    sta t5
    jsr direct_byte
    sta t6
    jsr direct_byte
    sta t7
    jsr enemy_make
    clc
    rts

direct_wave:
    ldx #WAVE_MAX-1
@find:
    lda wave_count,x
    beq @free
    dex
    bne @find               ; none free: the last one gives way
@free:
    jsr direct_byte
    sta wave_type,x
    jsr direct_byte
    sta wave_count,x
    jsr direct_byte
    sta wave_x,x
    jsr direct_byte
    sta wave_dx,x
    jsr direct_byte
    sta wave_delay,x
    lda #0
    sta wave_wait,x
    jsr direct_byte
    sta wave_lo,x
    jsr direct_byte
    sta wave_hi,x
    clc
    rts

direct_stray:
    jsr direct_byte
    sta t0
    lda #4
    sta t1
    lda #PICK_STRAY
    jsr pick_make
    clc
    rts

direct_speed:
    jsr direct_byte
    sta scroll_speed
    clc
    rts

direct_loop:
    jsr direct_byte
    ldx dir_loop
    bne @running
    sta dir_loop
@running:
    dec dir_loop
    bne direct_goto
direct_skip:
    jsr direct_byte
    jsr direct_byte
    clc
    rts

direct_goto:
    jsr direct_byte
    pha
    jsr direct_byte
    sta dir_ptr+1
    pla
    sta dir_ptr
    clc
    rts

direct_call:
    lda dir_ptr
    clc
    adc #2
    sta dir_back
    lda dir_ptr+1
    adc #0
    sta dir_back+1
    jmp direct_goto

direct_back:
    lda dir_back
    sta dir_ptr
    lda dir_back+1
    sta dir_ptr+1
    clc
    rts

direct_rank:
    jsr direct_byte
    sta t0
    lda rank
    cmp t0
    bcs direct_skip
    jmp direct_goto

direct_calm:
    ldx #EN_MAX-1
@slot:
    lda en_type,x
    bne direct_again
    dex
    bpl @slot
    clc
    rts
direct_again:
    lda dir_ptr             ; the command comes again
    bne @same_page
    dec dir_ptr+1
@same_page:
    dec dir_ptr
    sec
    rts

direct_boss:
    jsr direct_byte
    sta boss_kind
    jsr direct_byte
    sta t6
    jsr direct_byte
    sta t7
    lda #EN_BOSS
    sta t4
    lda #128
    sta t5
    jsr enemy_make
    bcs @full
    ldx made
    inx
    stx boss
    lda #SFX_ALARM
    jsr sfx
@full:
    clc
    rts

direct_song:
    jsr direct_byte
    jsr song
    clc
    rts

direct_end:
    lda leader_gone         ; not without a leader
    bne direct_again
    lda #0
    sta dir_on
    lda #ST_CLEAR
    jsr go_state
    sec
    rts

; Lets the members of the formations in.
waves_step:
    ldx #WAVE_MAX-1
@wave:
    lda wave_count,x
    beq @next
    lda wave_wait,x
    beq @now
    dec wave_wait,x
    jmp @next
@now:
    lda wave_delay,x
    sta wave_wait,x
    lda wave_type,x
    sta t4
    lda wave_x,x
    sta t5
    lda wave_lo,x
    sta t6
    lda wave_hi,x
    sta t7
    dec wave_count,x
    lda wave_x,x
    clc
    adc wave_dx,x
    sta wave_x,x
    txa
    pha
    jsr enemy_make
    pla
    tax
@next:
    dex
    bpl @wave
    rts
