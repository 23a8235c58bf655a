; The states of the game, one routine a frame each (RTS trick).

mode_step:
    ldx state
    lda mode_hi, x
    pha
    lda mode_lo, x
    pha
    rts

; A = the new state.
enter:
    sta state
    lda #0
    sta phase
    sta timer
    rts

; -- CARD: the level's name in the bar, while its first columns are decoded and drawn in the dark.
mode_card:
    ldx phase
    beq card_begin
    dex
    beq card_forward
    dex
    beq card_draw
    dex
    beq card_wait
    lda ticks           ; it gets light
    and #3
    bne @done
    dec fade
    bne @done
    lda level
    bne @play
    lda #TITLE
    jmp enter
@play:
    lda #SAY_METERS
    sta message
    lda #PLAY
    jmp enter
@done:
    rts

; Columns before a cairn's are only decoded, four a frame.
card_forward:
    lda #4
    sta t4
@column:
    lda column
    cmp restart_col
    bcs @there
    jsr column_decode
    dec t4
    bne @column
    rts
@there:
    inc phase
    rts

card_draw:
    lda restart_col
    adc #AHEAD
    cmp column
    bcc @drawn
    jsr column_decode
    jmp column_show
@drawn:
    inc phase
    rts

card_wait:
    inc timer
    lda timer
    cmp #36
    bcc @done
    inc phase
@done:
    rts

card_begin:
    inc phase
    lda #4
    sta fade
    lda level           ; levels 1 to LEVELS come again and again
    beq @number
@less:
    cmp #LEVELS + 1
    bcc @number
    sbc #LEVELS
    bcs @less
@number:
    pha
    clc
    adc #SAY_LEVEL
    sta message
    pla
    asl a
    tay
    lda level_heads, y
    sta ptr
    lda level_heads + 1, y
    sta ptr + 1
    ldy #0
    lda (ptr), y
    sta dict
    iny
    lda (ptr), y
    sta dict + 1
    iny
    lda (ptr), y
    sta token
    iny
    lda (ptr), y
    sta token + 1
    iny
    lda (ptr), y
    sta spawn
    iny
    lda (ptr), y
    sta spawn + 1
    iny
    lda (ptr), y
    sta wide
    ldx #last_x
    jsr column_pixels
    lda wide
    sec
    sbc #16
    ldx #cam_end
    jsr column_pixels
    sec
    lda last_x
    sbc #16
    sta last_x
    bcs @same_page
    dec last_x + 1
@same_page:
    iny
    lda (ptr), y
    ldx #bell
    jsr column_pixels
    lda started
    bne @from_cairn
    sta restart_col
    iny
    lda (ptr), y
    sta restart_y
    dey
@from_cairn:
    iny
    iny
    lda (ptr), y
    sta theme
    iny
    lda (ptr), y
    jsr tune_play
    lda restart_col
    ldx #cam
    jsr column_pixels
    lda restart_col
    ldx #cam_low
    jsr column_pixels
    jsr goat_place

; Nothing else is there yet.
    ldx #OBJECTS - 1
    lda #NOBODY
@object:
    sta kind, x
    dex
    bpl @object
    ldx #DRIFTS - 1
@drift:
    jsr random
    sta drift_x, x
    lsr a
    sta drift_y, x
    dex
    bpl @drift
    lda #0
    sta column
    sta again
    sta time_frac
    lda cells_tail
    sta cells_head
    lda #200
    sta time
    lda level           ; beasts get faster
    asl a
    cmp #14
    bcc @rank
    lda #14
@rank:
    adc #14
    sta rank
    rts

goat_place:
    lda cam
    adc #80             ; carry is clear
    sta goat_x
    lda cam + 1
    adc #0
    sta goat_x + 1
    lda restart_y
    sta goat_y
    lda #0
    sta goat_xf
    sta goat_yf
    sta goat_vx
    sta goat_vx + 1
    sta goat_vy
    sta goat_vy + 1
    sta facing
    sta early
    sta coyote
    sta floating
    sta butting
    lda #60
    sta safe
    lda #1
    sta standing
    lda #$ff
    sta ride
    rts

; The two bytes at X = column A in pixels, carry clear. Keeps Y.
column_pixels:
    sta 0, x
    lda #0
.repeat 4
    asl 0, x
    rol a
.endrepeat
    sta 1, x
    rts

; -- TITLE: sends the big letters, then waits for Start. The beasts walk about.
mode_title:
    jsr herd_step
    jsr spawn_step
    jsr drift_step
    ldx phase
    cpx #7
    bcs @shown
    jsr title_line
    inc phase
    rts
@shown:
    lda ticks
    and #$40
    beq @start
    lda #SAY_LEVEL - SAY_START
@start:
    clc
    adc #SAY_START
    sta message
    lda pad_new
    and #%00010000
    beq @done
    lda ticks           ; when Start is pressed makes each game another
    eor rng
    sta rng
    lda #0
    sta score
    sta score + 1
    sta clovers
    sta started
    lda #<1000
    sta next_life
    lda #>1000
    sta next_life + 1
    lda #3
    sta lives
    lda #1
    sta level
    lda #FX_CAIRN
    jsr effect_play
    lda #CARD
    jmp enter
@done:
    rts

; Line X of the seven: four bytes, a stone or sky for each bit.
title_line:
    txa
    asl a
    asl a
    sta t0
    lda #0
    sta t1
    ldy #0
@byte:
    ldx t0
    lda letters, x
    sta t2
    inc t0
    ldx #8
@tile:
    lda #T_sky
    asl t2
    bcc @sky
    lda #T_stone
@sky:
    sta line, y
    iny
    dex
    bne @tile
    cpy #32
    bne @byte
    lda phase           ; lines 8 to 14 of tiles
    asl a
    asl a
    asl a
    asl a
    asl a
    sta line_lo
    lda #$21
    sta line_hi
    inc line_ready
    rts

; -- PLAY. Start pauses.
mode_play:
    lda pad_new
    and #%00010000
    beq @same
    lda phase
    eor #1
    sta phase
    beq @goes_on
    lda #SAY_PAUSE
    bne @say
@goes_on:
    lda #SAY_METERS
@say:
    sta message
@same:
    lda phase
    bne @done
    jsr herd_step
    jsr goat_step
    jsr spawn_step
    jsr surroundings
    jsr time_step
    lda goat_x          ; past the bell?
    cmp bell
    lda goat_x + 1
    sbc bell + 1
    bcc @done
    lda state
    cmp #PLAY
    bne @done
    lda #BELL
    jmp enter
@done:
    rts

surroundings:
    jsr camera_step
    jsr columns_step
    jmp drift_step

time_step:
    inc time_frac
    lda time_frac
    cmp #24
    bcc @done
    lda #0
    sta time_frac
    dec time
    beq @up
    lda time
    cmp #20
    bcs @done
    lda #FX_TICK
    jmp effect_play
@up:
    jmp goat_lost
@done:
    rts

; -- HURT: the goat falls out of the picture, which darkens; then from the last cairn, or game over.
mode_hurt:
    lda phase
    bne @falling
    inc phase
    lda #SAY_OUCH
    sta message
    lda #<-$0400
    sta goat_vy
    lda #>-$0400
    sta goat_vy + 1
    lda #FX_HURT
    jsr effect_play
@falling:
    jsr herd_step
    jsr drift_step
    lda goat_y
    cmp #FLOOR_Y + 16
    bcs @gone
    jsr gravity
    clc
    lda goat_yf
    adc goat_vy
    sta goat_yf
    lda goat_y
    adc goat_vy + 1
    sta goat_y
@gone:
    lda #60
    jsr darken
    bcc @done
    dec lives
    beq @over
    lda #CARD
    jmp enter
@over:
    lda #OVER
    jmp enter
@done:
    rts

; From frame A of a state on it gets dark. Carry: it is. Ends the frame of the timer.
darken:
    sta t0
    inc timer
    lda timer
    sec
    sbc t0
    bcc @light
    lsr a
    lsr a
    sta fade
    cmp #4
    rts
@light:
    clc
    rts

; -- BELL: what is left of the time becomes points, while the goat walks on.
mode_bell:
    lda phase
    bne @going
    inc phase
    lda #SAY_BELL
    sta message
    lda #FX_BELL
    jsr effect_play
    lda #100
    jsr add_score
@going:
    lda #%00000001
    sta pad
    lda #0
    sta pad_new
    jsr herd_step
    jsr goat_step
    jsr surroundings
    lda time
    beq @counted
    dec time
    lda #1
    jsr add_score
    lda time
    and #3
    bne @done
    lda #FX_TICK
    jmp effect_play
@counted:
    lda #30
    jsr darken
    bcc @done
    inc level
    lda #0
    sta started
    lda #CARD
    jmp enter
@done:
    rts

; -- OVER: back to the title.
mode_over:
    lda phase
    bne @going
    inc phase
    lda #SAY_OVER
    sta message
    lda #SONG_OVER
    jsr tune_play
@going:
    inc timer
    lda timer
    cmp #180
    bcc @done
    lda #0
    sta level
    sta started
    lda #CARD
    jmp enter
@done:
    rts
