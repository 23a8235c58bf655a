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

; How title, introduction and end begin: the night sky over the hills with the best score, then
; what the state's own tables say.
night:
    jsr clear_tables
    sta scroll              ; A = 0
    sta scroll+1
    jsr clear_objects
    lda #<night_rows
    ldy #>night_rows
    jsr picture
    lda score               ; the best score, if it still is
    cmp best
    lda score+1
    sbc best+1
    bcc @not_best
    lda score
    sta best
    lda score+1
    sta best+1
@not_best:                  ; is shown through the digits of the score
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
    lda #1
    sta score_dirty
    lda #<night_palette
    ldy #>night_palette
    jsr palette_load
    ldx state
    lda night_song,x
    jsr song
    lda state
    asl a
    tax
    lda night_text,x
    ldy night_text+1,x
    jsr print
    jmp show

; ORDER STATE; only three of the states have these
night_song:
    .byte SONG_TITLE, SONG_NIGHT, SONG_NONE, SONG_NONE, SONG_OVER
night_text:
    .word title_text, intro_text, 0, 0, over_text

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
    sta leader_safe
    sta paused
    rts

; ---- title ----

title_enter:
    jsr leader_new
    jsr night
    lda #<logo
    ldy #>logo
    jsr picture
    lda #BIRD_MAX           ; the others come from wherever they were
    sta flock
    rts

; Y:A = a picture: rows of tiles, each an address high, low, then runs of (count, tile), ended by 0;
; bit 7 of the count: tiles that follow each other. The picture ends with a 0 for the address.
picture:
    sta ptr
    sty ptr+1
@row:
    jsr picture_byte
    beq @done
    sta PPUADDR
    jsr picture_byte
    sta PPUADDR
@run:
    jsr picture_byte
    beq @row
    tax
    bmi @in_order
    jsr picture_byte
@tile:
    sta PPUDATA
    dex
    bne @tile
    beq @run
@in_order:
    and #$7F
    tax
    jsr picture_byte
@up:
    sta PPUDATA
    clc
    adc #1
    dex
    bne @up
    beq @run
@done:
    rts

picture_byte:
    ldy #0
    lda (ptr),y
    inc ptr
    bne @same_page
    inc ptr+1
@same_page:
    cmp #0
    rts

; What goes on in the night: the flock, if there is one, flies a slow figure, a feather falls, a
; colour that only PRESS START has blinks.
night_step:
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
    adc #136
    sta leader_y
    jsr flock_step
    lda puff_type+PUFF_MAX-1
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
    jsr draw_flock
    jsr draw_puffs
    jsr draw_end
    lda ticks
    and #15
    bne @steady
    lda pal_want+15
    eor #$0F ^ $38
    sta pal_want+15
    jmp palette_dim
@steady:
    rts

title_step:
    jsr night_step
    jsr random              ; the dice fall differently by when Start is pressed
    lda pad_new
    and #PAD_START
    beq @done
    lda #0
    sta score
    sta score+1
    sta stage
    sta rank
    sta chain
    lda #3
    sta lives
    lda #16
    sta next_life
    jsr leader_new
    jmp next_stage
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
    jsr night
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
    ; rank: two for every stage, one more for every round
    lda stage
    asl a
    adc #<-2
    sta rank
    ; two young birds come along
    jsr young_bird
    ; falls through

young_bird:
    lda flock
    cmp #BIRD_MAX
    bcs @full
    jmp bird_join
@full:
    rts

; The flock flies under the name of the stage.
intro_step:
    jsr night_step
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
    lda entered             ; 0: the stage is won or the game over, nothing more may happen
    beq @paused
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
    jsr night
    inc leader_gone
    lda #0
    sta flock
    rts

over_step:
    jsr night_step
    jsr draw_head
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
