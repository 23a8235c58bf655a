; The states of the game, a routine each, called once a frame.

; A = the state from the next step on.
enter:
    sta state
    lda #0
    sta sub
    sta timer
    rts

; -- BUILD: a stage is unpacked and drawn, a row a frame, in the dark; then it gets light.
state_build:
    lda sub
    beq build_begin
    lsr a
    bcc build_lighten
    jsr stage_row
    lda row
    cmp #MAP_ROWS
    bne @more
    inc sub             ; to 2
@more:
    rts

build_begin:
    inc sub
    jsr choose_stage
    jsr stage_open
    ldx #FLYERS - 1
    lda #F_NONE
@flyer:
    sta fst, x
    dex
    bpl @flyer
    jsr weather_clear
    lda #99
    sta light
    lda #3
    sta fade
    lda #MSG_HINT
    ldx level
    beq @titled
    lda #MSG_READY
@titled:
    sta msg
    jsr push_palette
    jsr push_frame
    jmp tune_for_stage

build_lighten:
    inc timer
    lda timer
    and #3
    bne @same
    dec fade
    jsr push_palette
    lda fade
    bne @same
    lda #TITLE
    ldx level
    beq @enter
    lda #READY
@enter:
    jsr enter
    jmp place_rivals
@same:
    rts

; layout 0 is the title's; the six stages come in turn, by other light. The rank rises with the level.
choose_stage:
    lda level
    beq @title
    sec
    sbc #1
@sixes:
    cmp #6
    bcc @first_six
    sbc #6
    bcs @sixes
@first_six:
    adc #1
@title:
    sta layout
    lda level
    lsr a
    cmp #7
    bcc @ranked
    lda #7
@ranked:
    sta rank
    lda level
    and #7
    sta theme
    rts

; -- TITLE: rivals fly about until Start is pressed.
state_title:
    lda ticks           ; whom they follow is not there
    lsr a
    adc timer
    sta px
    lda ticks + 1
    asl a
    asl a
    asl a
    and #$7f
    adc #40
    sta py
    jsr world_step
    inc timer
    ldx #MSG_START
    lda timer
    and #$40
    beq @say
    ldx #MSG_HINT
@say:
    stx msg
    lda pad_new
    and #PAD_START
    beq @wait
    jsr new_game
    jsr sfx_start
    lda #BUILD
    jmp enter
@wait:
    rts

new_game:
    lda ticks           ; the player's timing decides the game's chance
    eor rnd
    sta rnd
    lda timer
    and #$7f
    sta rnd + 2
    lda #0
    sta score
    sta score + 1
    sta score + 2
    sta safe
    sta fuzz
    lda #3
    sta lives
    lda #$02
    sta life_mark
    lda #1
    sta level
    rts

; -- READY: everybody in place.
state_ready:
    lda timer
    bne @waiting
    jsr place_player
@waiting:
    jsr fluffs_step
    inc timer
    lda timer
    cmp #80
    bne @stay
    lda #MSG_STATUS
    sta msg
    lda #PLAY
    jmp enter
@stay:
    rts

; -- PLAY
state_play:
    lda pad_new
    and #PAD_START
    beq @same
    lda paused
    eor #1
    sta paused
    beq @going_on
    lda #MSG_PAUSE
    bne @say
@going_on:
    lda #MSG_STATUS
@say:
    sta msg
@same:
    lda paused
    bne @stay
    jsr player_wishes
    jsr world_step
    jsr light_step
    lda fst
    beq @fallen
    cmp #F_FLY
    bne @stay
    lda foes
    beq @won
@stay:
    rts
@won:
    lda #CLEARED
    jmp enter
@fallen:
    lda #FALLEN
    jmp enter

; Light falls; at dusk all rivals are angry.
light_step:
    dec beats
    bne @same
    lda #20
    sta beats
    lda msg
    cmp #MSG_DUSK
    bne @quiet
    lda #MSG_STATUS
    sta msg
@quiet:
    lda light
    beq @same
    dec light
    bne @same
    lda #MSG_DUSK
    sta msg
    lda #1
    sta fade
    jsr push_palette
    jsr sfx_dusk
    ldx #6
    lda #7
@angry:
    sta fgrade, x
    dex
    bne @angry
@same:
    rts

; -- FALLEN: a life is lost. The others fly on.
state_fallen:
    lda timer
    bne @waiting
    dec lives
    lda #0
    sta fuzz
    lda #MSG_FALLEN
    sta msg
@waiting:
    jsr world_step
    inc timer
    lda timer
    cmp #100
    bne @stay
    lda lives
    beq @over
    lda #MSG_STATUS
    sta msg
    jsr place_player
    lda #150
    sta safe
    lda #PLAY
    jmp enter
@over:
    lda #OVER
    jmp enter
@stay:
    rts

; -- CLEARED: no rival is left. What light there is becomes points.
state_cleared:
    lda timer
    bne @going
    lda #MSG_CLEARED
    sta msg
    jsr sfx_cleared
@going:
    lda #2
    sta safe
    jsr player_wishes
    jsr world_step
    lda timer
    cmp #70
    bcc @wait
    lda light
    beq @wait
    dec light
    lda #$10
    ldx #0
    jsr add_score
    lda light
    and #3
    bne @stay
    jsr sfx_tick
@stay:
    rts
@wait:
    inc timer
    lda timer
    cmp #130
    bne @stay
    inc level
    lda #BUILD
    jmp enter

; -- OVER
state_over:
    lda timer
    bne @going
    lda #MSG_OVER
    sta msg
    jsr tune_over
@going:
    jsr world_step
    inc timer
    lda timer
    cmp #240
    bne @stay
    lda #0
    sta level
    lda #BUILD
    jmp enter
@stay:
    rts

; -- Who starts where
place_player:
    ldx #0
    stx chain
    stx safe
    lda startx
    sta fx
    lda starty
    sta fy
    lda #BEE
    sta fkind
    lda fuzz
    bne @fuzzy
    inc fuzz
@fuzzy:
    lda #F_FLY
    jmp set_still

; The level's rivals on the perches, and a burr in some.
place_rivals:
    lda rank
    clc
    adc #2
    sta reserve
    sta foes
    ldy level
    cpy #ROSTERS
    bcc @known
    ldy #ROSTERS - 1
@known:
    lda roster_start, y
    sta t5
    ldx #1
@rival:
    ldy t5
    inc t5
    lda rosters, y
    beq @nobody
    sta fkind, x
    lda spotx - 1, x
    sta fx, x
    lda spoty - 1, x
    sta fy, x
    lda rank
    sta fgrade, x
    lda #0
    sta fwing, x
    txa
    asl a
    asl a
    asl a
    asl a
    asl a               ; they start one after the other
    sta ftime, x
    lda #F_PERCH
    jsr set_still
    inc foes
@nobody:
    inx
    cpx #BURR
    bne @rival
    ldy level
    beq @burr           ; the title has one
    dey
    beq @no_burr
@burr:
    lda #THORN
    sta fkind, x
    jsr random
    sta fx, x
    lda #24
    sta fy, x
    lda #F_BURR
    jsr set_still
    lda #$a0            ; 5/8 of a pixel a frame, along and down
    sta vxl + BURR
    sta vyl + BURR
@no_burr:
    rts

; Flyer X is in state A and does not move. Keeps X.
set_still:
    sta fst, x
    lda #0
    sta vxl, x
    sta vx, x
    sta vyl, x
    sta vy, x
    sta fxl, x
    sta fyl, x
    sta fpad, x
    sta fface, x
    sta fsits, x
    sta fthink, x
    rts
