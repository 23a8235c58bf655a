; The states of the game, and what leads from one to the other.

go_title:
    lda #0
    sta level
    sta screen
    lda #1              ; song of the title
    sta song
    lda #TITLE
    jsr enter
    lda #MSG_START
    sta msg
    jmp new_screen

; A = the state.
enter:
    sta state
    lda #0
    sta timer
    rts

; The title: the balloon throws, the wind blows, the sea takes it all.
state_title:
    jsr random          ; how long Start takes is the seed
    jsr world_step
    lda build
    bne @done
    lda pad_new
    and #PAD_START
    beq @done
    lda #3
    sta lives
    lda #0
    sta score
    sta score + 1
    sta level
    lda #<LIFE
    sta life_at
    lda #>LIFE
    sta life_at + 1
    inc games
    lda #SFX_START
    sta sfx
    lda frame           ; and the frame it came in
    eor rng
    bne @seed
    lda #$5d
@seed:
    sta rng
    jmp next_level
@done:
    rts

next_level:
    inc level
    ldx level
    dex
    txa
    and #3
    clc
    adc #1
    sta screen
    lda level
    asl a
    cmp #14
    bcc @quota
    lda #14
@quota:
    adc #8              ; 10, 12, ... (the carry makes 23 the most)
    sta left
    lda #3
    sta steam
    jsr new_screen
    ; falls through

; Everybody to their places; the sea and the wind go on.
ready:
    lda #READY
    jsr enter
    lda #MSG_READY
    sta msg
    lda #0
    sta blots
    sta horn
    sta kept
    jsr clear_mail
    jsr keeper_place
    jsr crab_place
    jsr gull_leave
    lda level
    and #1
    clc
    adc #2
    sta song
    rts

; Cells, floors and ladders of the screen, then the picture of it, a row a step.
new_screen:
    lda #1
    sta build
    ldx #2
    stx scan
    jsr unpack_screen
    jsr find_floors
    jsr find_ladders
    jsr clear_mail
    lda #120
    sta bx
    lda #1
    sta bstep
    lda #30
    sta btime
    rts

state_ready:
    inc timer
    lda build
    bne @done
    lda timer
    cmp #40
    bcc @done
    lda #PLAY
    jsr enter
    lda #MSG_NONE
    sta msg
@done:
    rts

state_play:
    jsr keeper_step
    jsr horn_step
    jsr crab_step
    jsr gull_step
    jsr world_step
    lda state
    cmp #PLAY
    bne @done           ; the keeper was hurt
    lda blots
    cmp #3
    bcs keeper_hurt
    lda left
    bne @done
    lda #DONE
    jsr enter
    lda #MSG_DONE
    sta msg
    lda #4
    sta song
@done:
    rts

; The balloon and the mail, with anybody or nobody to catch it.
world_step:
    jsr balloon_step
    jsr mail_step
    jsr forecast_step
    jmp flecks_step

; A life is lost: caught, drowned, or too much mail lost.
keeper_hurt:
    lda #HURT
    jsr enter
    lda #MSG_HURT
    sta msg
    lda #SFX_HURT
    sta sfx
    rts

state_hurt:
    jsr world_step
    inc timer
    lda timer
    cmp #45
    bcc @done
    dec lives
    beq @last
    jmp ready
@last:
    jsr compare_best
    lda #OVER
    jsr enter
    lda #MSG_OVER
    sta msg
    lda #5
    sta song
@done:
    rts

; All caught. Steam that is left becomes points, then the next screen.
state_done:
    jsr flecks_step
    inc timer
    lda timer
    and #7
    bne @done
    lda steam
    beq @counted
    dec steam
    lda #5
    jsr add_score
    lda #SFX_CATCH
    sta sfx
    rts
@counted:
    lda timer
    cmp #56
    bcc @done
    jmp next_level
@done:
    rts

state_over:
    jsr world_step
    inc timer
    lda timer
    cmp #140
    bcc @done
    jmp go_title
@done:
    rts

compare_best:
    lda hiscore
    cmp score
    lda hiscore + 1
    sbc score + 1
    bcs @done
    lda score
    sta hiscore
    lda score + 1
    sta hiscore + 1
@done:
    rts

; A tens of points. Each LIFE of them bring a life.
add_score:
    clc
    adc score
    sta score
    bcc @same
    inc score + 1
@same:
    lda score
    cmp life_at
    lda score + 1
    sbc life_at + 1
    bcc @done
    lda life_at
    adc #<LIFE - 1      ; carry is set
    sta life_at
    lda life_at + 1
    adc #>LIFE
    sta life_at + 1
    lda lives
    cmp #6
    bcs @done
    inc lives
    lda #SFX_LIFE
    sta sfx
@done:
    rts
