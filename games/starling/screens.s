; The states of the game: title, introduction of a stage, play, stage won, game over.

; ---- loading ----

; Both name tables empty. Only with rendering off; longer than a frame together with what follows.
clear_tables:
    lda #$20
    jsr @table
    lda #$28
@table:
    bit PPUSTATUS
    sta PPUADDR
    lda #0
    sta PPUADDR
    ldx #4
    tay
@byte:
    sta PPUDATA
    iny
    bne @byte
    dex
    bne @byte
    rts

; Y:A = list of texts: address high, low, letters, 0; ended by a 0 for the address.
print:
    sta ptr
    sty ptr+1
    ldy #0
@text:
    lda (ptr),y
    beq @done
    sta PPUADDR
    jsr @on
    lda (ptr),y
    sta PPUADDR
@letter:
    jsr @on
    lda (ptr),y
    beq @end
    cmp #$FF                ; a blank: tile 0 ends a text
    bne @tile
    lda #0
@tile:
    sta PPUDATA
    jmp @letter
@end:
    jsr @on
    jmp @text
@on:
    inc ptr
    bne @done
    inc ptr+1
@done:
    rts

; Y:A = 16 background colours; the sprites' are always the same.
palette_load:
    sta ptr
    sty ptr+1
    ldy #15
@colour:
    lda (ptr),y
    sta pal_want,y
    lda sprite_palette,y
    sta pal_want+16,y
    dey
    bpl @colour
    lda #4
    sta fade
    jmp palette_dim

; Every four steps a little lighter.
fade_in:
    lda fade
    beq @done
    lda ticks
    and #3
    bne @done
    dec fade
    jmp palette_dim
@done:
    rts

; pal_now = pal_want, darker by `fade` rows of the palette.
palette_dim:
    lda fade
    asl a
    asl a
    asl a
    asl a
    sta t0
    ldx #31
@colour:
    lda pal_want,x
    sec
    sbc t0
    bcs @set
    lda #$0F
@set:
    sta pal_now,x
    dex
    bpl @colour
    lda #1
    sta pal_dirty
    rts

show:
    lda #%00011000          ; the leftmost 8 columns stay dark: things come in from behind them
    sta ppu_mask
    rts

; A = text of five digits of `score` at PPUADDR.
print_score:
    jsr score_digits
    ldx #0
@digit:
    lda digit,x
    clc
    adc #TILE_ZERO
    sta PPUDATA
    inx
    cpx #6
    bne @digit
    rts

clear_objects:
    lda #0
    ldx #15
@slot:
    sta en_type,x
    sta sh_type,x
    sta note_on,x
    dex
    bpl @slot
    ldx #7
@puff:
    sta puff_type,x
    dex
    bpl @puff
    ldx #PICK_MAX-1
@pick:
    sta pick_type,x
    dex
    bpl @pick
    sta boss
    sta boss_hp
    sta leader_gone
    sta paused
    rts

; ---- title ----

title_enter:
    jsr clear_tables
    lda #0
    sta scroll
    sta scroll+1
    jsr clear_objects
    jsr title_picture
    lda #<title_text
    ldy #>title_text
    jsr print
    ; the best score, through the same digits
    lda score
    pha
    lda score+1
    pha
    lda best
    sta score
    lda best+1
    sta score+1
    lda #$23
    sta PPUADDR
    lda #$72
    sta PPUADDR
    jsr print_score
    pla
    sta score+1
    pla
    sta score
    lda #<title_palette
    ldy #>title_palette
    jsr palette_load
    jsr leader_new
    lda #0
    sta leader_safe
@birds:
    jsr bird_join
    lda flock
    cmp #BIRD_MAX
    bne @birds
    lda #SONG_TITLE
    jsr song
    jmp show

; The logo: eight letters of 2 x 2 tiles. The moon, the hills, the wire.
title_picture:
    ldx #0
@letter:
    lda #$20
    sta PPUADDR
    txa
    asl a
    clc
    adc #$C8
    sta PPUADDR
    ldy logo,x
    sty PPUDATA
    iny
    sty PPUDATA
    lda #$20
    sta PPUADDR
    txa
    asl a
    clc
    adc #$E8
    sta PPUADDR
    iny
    sty PPUDATA
    iny
    sty PPUDATA
    inx
    cpx #8
    bne @letter
    ; rows of tiles: address, then runs of (count, tile), ended by 0;
    ; bit 7 of the count: tiles in order
    lda #<title_rows
    sta ptr
    lda #>title_rows
    sta ptr+1
@row:
    jsr title_byte
    beq @done
    sta PPUADDR
    jsr title_byte
    sta PPUADDR
@run:
    jsr title_byte
    beq @row
    tax
    bmi @in_order
    jsr title_byte
@tile:
    sta PPUDATA
    dex
    bne @tile
    beq @run
@in_order:                  ; tiles that follow each other, as a picture is stored
    and #$7F
    tax
    jsr title_byte
@up:
    sta PPUDATA
    clc
    adc #1
    dex
    bne @up
    beq @run
@done:
    rts

title_byte:
    ldy #0
    lda (ptr),y
    inc ptr
    bne @same_page
    inc ptr+1
@same_page:
    cmp #0
    rts

; The flock flies a slow figure before the moon until Start is pressed.
title_step:
    lda ticks
    jsr sine
    ldy #84
    jsr reach
    clc
    adc #128
    sta leader_x
    lda ticks
    asl a
    jsr sine
    ldy #26
    jsr reach
    clc
    adc #128
    sta leader_y
    jsr flock_step
    jsr draw_begin
    jsr draw_flock
    jsr draw_end
    jsr random              ; the dice fall differently by when Start is pressed
    lda ticks
    and #15
    bne @no_blink
    lda pal_want+15         ; PRESS START blinks in the colour nothing else has
    eor #$0F ^ $38
    sta pal_want+15
    jsr palette_dim
@no_blink:
    lda pad_new
    and #PAD_START
    beq @done
    lda #0
    sta score
    sta score+1
    sta stage
    sta rank
    sta chain
    lda #1
    sta score_dirty
    lda #3
    sta lives
    lda #4
    sta next_life
    jsr leader_new
    jsr bird_join
    jsr next_stage
@done:
    rts

; ---- introduction of a stage ----

next_stage:
    inc stage
    lda #ST_INTRO
    jmp go_state

; A, X = stage counted from 0 round and round.
stage_index:
    ldx stage
    dex
    txa
@again:
    cmp #STAGES
    bcc @done
    sbc #STAGES
    bcs @again              ; always
@done:
    tax
    rts

intro_enter:
    jsr clear_tables
    lda #0
    sta scroll
    sta scroll+1
    jsr clear_objects
    lda #<intro_text
    ldy #>intro_text
    jsr print
    ; the number of the stage, by division
    lda stage
    sta d_lo
    lda #0
    sta d_hi
    lda #10
    sta d_by
    lda #$21
    sta PPUADDR
    lda #$71
    sta PPUADDR
    jsr divide
    clc
    adc #TILE_ZERO
    pha
    lda d_lo
    beq @units
    clc
    adc #TILE_ZERO
    sta PPUDATA
@units:
    pla
    sta PPUDATA
    jsr stage_index
    asl a
    tax
    lda stage_name,x
    ldy stage_name+1,x
    jsr print
    lda #<text_palette
    ldy #>text_palette
    jsr palette_load
    ; rank: two for every stage, one more for every round
    lda stage
    asl a
    adc #<-2
    sta rank
    lda #SONG_NIGHT
    jsr song
    jmp show

; The flock gathers under the name of the stage.
intro_step:
    lda state_time
    clc
    adc #70
    sta leader_x
    lda #176
    sta leader_y
    jsr flock_step
    jsr draw_begin
    jsr draw_flock
    jsr draw_end
    jsr draw_head
    lda pad_new
    and #PAD_START
    bne @go
    lda state_time
    cmp #110
    bcc @done
@go:
    lda #ST_PLAY
    jmp go_state
@done:
    rts

; ---- play ----

play_enter:
    jsr stage_index
    pha
    asl a
    tax
    lda stage_palette,x
    ldy stage_palette+1,x
    jsr palette_load
    pla
    pha
    jsr land_load
    pla
    jsr director_load
    lda #90
    sta leader_safe
    lda #128
    sta leader_x
    lda #196
    sta leader_y
    jmp show

play_step:
    lda pad_new
    and #PAD_START
    beq @no_start
    lda paused
    eor #1
    sta paused
@no_start:
    lda paused
    bne @paused
    jsr land_step
    jsr director_step
    jsr waves_step
    jsr leader_step
    jsr play_objects
    jsr song_hits
    jsr shot_hits
    jsr body_hits
    jsr pick_hits
    jsr draw_all
    jsr draw_meter_now
    jmp ripple
@paused:
    rts

; What goes on in the clear state as well.
play_objects:
    jsr flock_step
    jsr notes_step
    jsr enemies_step
    jsr shots_step
    jsr picks_step
    jmp puffs_step

draw_meter_now:
    lda boss
    beq @done
    jmp draw_meter
@done:
    rts

; Water glitters and windows flicker: two colours of the land change with time.
ripple:
    lda fade
    bne @done
    lda ticks
    and #7
    bne @done
    lda ticks
    lsr a
    lsr a
    lsr a
    and #3
    tay
    lda ripple_2,y
    sta pal_now+6
    lda ripple_3,y
    sta pal_now+11
    lda #1
    sta pal_dirty
@done:
    rts

ripple_2:
    .byte $11, $01, $0C, $01
ripple_3:
    .byte $28, $38, $28, $27

; ---- stage won ----

clear_enter:
    lda flock               ; 20 for each bird times the stage
    asl a
    asl a
    adc flock
    asl a
    asl a
    sta m_a
    lda stage
    sta m_b
    jsr multiply
    tay
    lda m_b
    jmp score_add

; The flock flies off, upwards.
clear_step:
    jsr land_step
    lda leader_y
    cmp #24
    bcc @above
    sbc #2
    sta leader_y
@above:
    jsr play_objects
    jsr draw_all
    lda state_time
    cmp #120
    bcc @done
    jmp next_stage
@done:
    rts

; ---- game over ----

over_enter:
    jsr clear_tables
    lda #0
    sta scroll
    sta scroll+1
    jsr clear_objects
    lda score
    cmp best
    lda score+1
    sbc best+1
    bcc @not_best
    lda score
    sta best
    lda score+1
    sta best+1
    lda #<best_text
    ldy #>best_text
    jsr print
@not_best:
    lda #<over_text
    ldy #>over_text
    jsr print
    lda #$22
    sta PPUADDR
    lda #$32
    sta PPUADDR
    jsr print_score
    lda #<text_palette
    ldy #>text_palette
    jsr palette_load
    lda #SONG_OVER
    jsr song
    jmp show

; One feather falls.
over_step:
    ldx #PUFF_MAX-1
    lda puff_type,x
    bne @falling
    jsr random
    ora #$40
    sta t0
    lda #40
    sta t1
    lda #PUFF_FEATHER
    jsr puff_make
@falling:
    jsr puffs_step
    jsr draw_begin
    jsr draw_puffs
    jsr draw_end
    lda pad_new
    and #PAD_START
    bne @title
    lda state_time
    cmp #250
    bcc @done
@title:
    lda #ST_TITLE
    jmp go_state
@done:
    rts
