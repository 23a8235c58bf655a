; The states of the game, one routine a frame each (run_state jumps here).

; A = the new state.
enter_state:
    sta state
    lda #0
    sta sub
    sta timer
    rts

; -- GROW: unpacks the maze (two columns a frame), then draws it (one a frame), in view. Then on to the title or the game.
state_grow:
    ldx sub
    beq grow_begin
    dex
    beq grow_unpack
    jmp grow_draw

grow_begin:
    ldx level
    beq @title
    dex
    txa                 ; mazes 1..6 in turn
    ldy #0
    sty num + 1
    sta num
    ldy #MAZES
    sty den
    jsr udiv16
    tax
    inx
@title:
    txa
    sta colour
    clc
    adc #MSG_NAMES
    sta name
    lda maze_lo, x
    sta lz_ptr
    lda maze_hi, x
    sta lz_ptr + 1
    ldx #SLIMES
    lda #0
@slime:
    sta sl_hi - 1, x
    dex
    bne @slime
    sta lz_cnt
    sta embers
    sta gate_n
    sta den_n
    sta exit_open
    sta lit + 1
    sta freeze
    sta flare_r
    sta growp
    lda #>map
    sta growp + 1
    lda #100
    sta ff_time         ; a firefly after so many frames
    ldx #ACTORS - 1
    lda #NOBODY
@actor:
    sta akind, x
    dex
    bpl @actor
    ldx #27
@display:
    lda display_line, x
    sta hud, x
    dex
    bpl @display
    ldx #2 * MOTES - 1  ; mote_x and mote_y: some in the air from the start
@mote:
    jsr random
    sta mote_x, x
    dex
    bpl @mote
    lda #120
    sta night
    lda #MSG_BLANK
    sta msg
    lda #4
    sta fade
    inc sub
    jmp music_for_state

grow_unpack:
    lda #32
    sta steps
@cell:
    jsr unpack_cell
    jsr place_cell
    dec steps
    bne @cell
    inc timer
    lda timer
    cmp #16
    bne @more
    inc sub
    lda #2
    sta fade
    jsr set_quota
    ldx #0
    ldy startp
    lda startp + 1
    jsr place_actor
    jsr camera_snap
    lda cam             ; draw from the left edge of the screen on; colours come in pairs of columns
    lsr a
    lsr a
    lsr a
    lsr a
    and #$0e
    sta col
    lda cam + 1
    beq @more
    lda col
    ora #$10
    sta col
@more:
    rts

; The moon gate asks for a part of the embers: a larger one each night.
set_quota:
    lda embers
    sta mul_b
    ldx level
    cpx #QUOTAS
    bcc @known
    ldx #QUOTAS - 1
@known:
    lda quota, x
    jsr umul8
    sta embers
    rts

grow_draw:
    jsr draw_column
    inc col
    lda col
    and #31
    sta col
    inc timer
    lda timer
    cmp #16 + 33
    beq @done
    and #7
    bne @same
    dec fade
    bpl @same
    inc fade
@same:
    rts
@done:
    lda level
    beq @title
    lda #READY
    .byte $2c           ; BIT skips the next load
@title:
    lda #TITLE
    jmp enter_state

; -- TITLE: the wisp and one hunter of each kind wander until Start is pressed.
state_title:
    lda sub
    bne @going
    inc sub
    sta cam
    sta cam + 1
    sta akind
    lda #20
    sta aspd
    lda #40
    sta glow
    jsr hunters_place
@going:
    jsr world_step
    inc timer
    ldx #MSG_START
    lda timer
    and #$20
    beq @message
    ldx #MSG_HINT
    lda timer
    bmi @message
    ldx #MSG_BLANK
@message:
    stx msg
    lda pad_new
    and #%00010000
    beq @done
    lda ticks           ; the player's timing seeds the game's chance
    eor rng
    ora #1
    sta rng
    lda #0
    sta score
    sta score + 1
    lda #<500
    sta next_life
    lda #>500
    sta next_life + 1
    lda #3
    sta lives
    lda #1
    sta level
    jsr sfx_start
    lda #GROW
    jmp enter_state
@done:
    rts

; -- READY: everybody in place, the maze's name on the display.
state_ready:
    lda sub
    bne @waiting
    inc sub
    lda #0
    sta akind
    sta fade
    sta slow
    sta flare_r
    sta paused
    sta lastp + 1
    sta glow_frac
    lda #48
    sta glow
    lda #$80
    sta want
    ldx #0
    ldy startp
    lda startp + 1
    jsr place_actor
    jsr hunters_place
    lda night
    bne @unhurried
    clc
    jsr hunters_hurry
@unhurried:
    jsr camera_snap
    lda name
    sta msg
@waiting:
    inc timer
    lda timer
    cmp #80
    bne @done
    lda #MSG_METERS
    sta msg
    lda #PLAY
    jmp enter_state
@done:
    rts

; -- PLAY
state_play:
    lda pad_new
    and #%00010000
    beq @no_pause
    lda paused
    eor #1
    sta paused
    beq @message
    lda #MSG_PAUSE
@message:
    sta msg
@no_pause:
    lda paused
    bne @done
    jsr wisp_controls
    jsr wisp_glow
    jsr world_step
    jsr camera_step
    jsr heart_step
    jmp night_step
@done:
    rts

; Everything that also lives on the title screen.
world_step:
    lda #0
    sta cur
    jsr move_actor
    jsr hunters_step
    jsr scent_step
    jsr flicker_step
    jmp firefly_step

; The night lasts 120 times 32 frames.
night_step:
    inc night_frac
    lda night_frac
    and #31
    bne @done
    lda night
    beq @done
    dec night
    bne @done
    clc
    jmp hunters_hurry
@done:
    rts

; -- CAUGHT: the light goes out; the night goes on if there is another.
state_caught:
    lda sub
    bne @going
    inc sub
    jsr sfx_caught
    jsr quench
    lda #0
    sta freeze
    lda #MSG_CAUGHT
    sta msg
@going:
    inc timer
    lda timer
    and #15
    cmp #15
    bne @same
    lda timer
    lsr a
    lsr a
    lsr a
    lsr a
    lsr a
    sta fade
@same:
    lda timer
    cmp #100
    bne @done
    dec lives
    beq @over
    lda #READY
    .byte $2c           ; BIT skips the next load
@over:
    lda #OVER
    jmp enter_state
@done:
    rts

; -- CLEARED: what is left of the night becomes points, then the next maze grows.
state_cleared:
    lda sub
    bne @going
    inc sub
    jsr quench
    lda #0
    sta freeze
    lda #MSG_CLEARED
    sta msg
    jsr sfx_moon
@going:
    jsr camera_step
    jsr flicker_step
    lda night
    beq @counted
    dec night
    lda #1
    jsr add_score
    lda night
    and #7
    bne @done
    jmp sfx_ember
@counted:
    inc timer
    lda timer
    cmp #70
    bne @done
    inc level
    lda #GROW
    jmp enter_state
@done:
    rts

; -- OVER, then back to the title.
state_over:
    lda sub
    bne @going
    inc sub
    lda #SONG_OVER
    jsr music_play
    lda #MSG_OVER
    sta msg
@going:
    inc timer
    lda timer
    cmp #200
    bne @done
    lda #0
    sta level
    lda #GROW
    jmp enter_state
@done:
    rts

; -- Things that live in the maze besides the actors.

; Leaves and dust drift through the air of each maze in its own way. They stay where they are when the picture scrolls.
motes_step:
    sec
    lda cam
    sbc cam_old
    sta t2
    lda cam
    sta cam_old
    ldy colour
    lda mote_wind, y
    sta t3
    lda mote_fall, y
    sta t1
    ldx #MOTES - 1
@mote:
    txa                 ; each a little faster than the next
    asl a
    asl a
    asl a
    adc t1
    adc mote_f, x
    sta mote_f, x
    lda mote_y, x
    adc #0
    cmp #204
    bcc @in_air
    jsr random          ; a new one at the top
    sta mote_x, x
    lda #0
@in_air:
    sta mote_y, x
    sec
    lda mote_x, x
    sbc t2
    sta mote_x, x
    txa                 ; blown one way or back
    asl a
    asl a
    asl a
    asl a
    adc ticks
    and #$31
    beq @forth
    cmp #$21
    bne @still
    dec mote_x, x
    bcs @still
@forth:
    clc
    lda mote_x, x
    adc t3
    sta mote_x, x
@still:
    dex
    bpl @mote
    rts

; The camera follows the wisp round the ring, at most 3 pixels a frame, and slows down near its aim.
camera_step:
    sec
    lda ax_lo
    sbc #120
    tax
    lda ax_hi
    sbc #0
    tay                 ; the aim, of which bit 8 counts
    sec
    txa
    sbc cam
    sta t0
    tya
    sbc cam + 1
    and #1
    bne @back
    lda t0
    jsr camera_speed
    clc
    adc cam
    sta cam
    lda cam + 1
    adc #0
    and #1
    sta cam + 1
    rts
@back:
    lda #0
    sec
    sbc t0
    jsr camera_speed
    sta t0
    sec
    lda cam
    sbc t0
    sta cam
    lda cam + 1
    sbc #0
    and #1
    sta cam + 1
    rts

; A = pixels to go; out: pixels to go now.
camera_speed:
    cmp #9
    bcc @near
    lda #3
    rts
@near:
    adc #3
    lsr a
    lsr a
    rts

camera_snap:
    sec
    lda ax_lo
    sbc #120
    sta cam
    lda ax_hi
    sbc #0
    and #1
    sta cam + 1
    rts

; A firefly appears on some path cell now and then. It is worth points and a full glow.
firefly_step:
    lda ticks
    lsr a
    bcs @present
    dec ff_time
    beq @appear
@present:
    lda ff_time
    bmi @shown          ; 255..128: to be caught, 127..0: away
    rts
@appear:
    jsr random
    sta ff_cell
    and #$0f
    cmp #13
    bcs @again
    jsr random
    and #1
    clc
    adc #>map
    sta ff_cell + 1
    ldy #0
    lda (ff_cell), y
    cmp #C_LANTERN
    bcs @again
    lda ff_cell
    and #$f0
    sta ff_x
    lda ff_cell + 1
    sbc #>map - 1       ; carry is clear
    sta ff_x + 1
    lda ff_cell
    asl a
    asl a
    asl a
    asl a
    sta ff_y
    rts
@again:
    inc ff_time         ; try again next frame
    rts
@shown:
    ldx #0
    jsr actor_cell
    lda cellp
    cmp ff_cell
    bne @done
    lda cellp + 1
    cmp ff_cell + 1
    bne @done
    lda state
    cmp #PLAY
    bne @done
    lda #127
    sta ff_time
    lda #63
    sta glow
    jsr sfx_firefly
    lda level
    sta mul_b
    lda #20
    jsr umul8
    lda prod
    jmp add_score
@done:
    rts

; The nearer a hunter, the faster the heart.
heart_step:
    dec beat
    bne @done
    lda nearest
    cmp #160
    bcs @calm
    pha
    jsr noise_thump
    pla
@calm:
    lsr a
    lsr a
    adc #12
    sta beat
@done:
    rts
