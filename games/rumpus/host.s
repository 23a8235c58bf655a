; The host leads the evening: title, waves, bonus waves, game over, told as one story. It is a task with its own stack (tasks.s) and
; waits wherever it is: `jsr pause` for a step, `jsr nap` for A of them.

FIRST_LIFE = 1000       ; tens of points
HURRY_PACE = 14

host:
    jsr title
    jsr new_game
@wave:
    jsr wave
    bcc @wave
    jsr game_over
    jmp host

; -- Title: guests come and wander about until Start.
title:
    lda #TITLE
    sta state
    lda #0
    sta level
    sta screen
    sta pace_up
    sta style
    jsr everybody_out
    lda #0
    jsr house_build
    lda #120
    sta rest_time
    jsr roster_begin
    lda #TXT_START
    ldy #0
    jsr say
    lda #TXT_BEST
    ldy #2
    jsr say
    lda best
    sta num
    lda best + 1
    sta num + 1
    lda #5
    sta t3
    ldx #line2 - text + 20
    jsr put_number
    lda #TUNE_TITLE
    jsr tune_play
@step:
    jsr pause
    jsr roster_step
    jsr title_hints
    lda pad_new
    and #BTN_START
    beq @step
    lda ticks           ; when the player starts decides what comes
    sta chance_a
    eor ticks + 1
    sta chance_b
    sta chance_c
    lda #FX_START
    jmp fx_start

; The second line tells by turns what one must know.
title_hints:
    lda ticks
    and #63
    bne @none
    lda ticks
    asl a
    lda ticks + 1
    rol a
    tay
    lda ticks
    asl a
    asl a
    tya
    rol a
    and #3
    clc
    adc #TXT_HINTS
    ldy #1
    jmp say
@none:
    rts

; -- A game
new_game:
    lda #0
    sta score
    sta score + 1
    sta record
    sta level
    sta thimbles
    sta chain
    lda #3
    sta lives
    sta stamps
    lda #<FIRST_LIFE
    sta next_life
    lda #>FIRST_LIFE
    sta next_life + 1
    lda #'0'            ; scores are kept in tens
    sta text + 7
    sta text + 15
    lda #T_hobhead
    sta text + 17
    rts

; A wave from its name to its tally. Out: carry set: the last hob is lost.
wave:
    jsr wave_begin
    jsr is_bonus
    beq @bonus
    jsr wave_play
    bcs @over
    jsr wave_tally
    clc
@over:
    rts
@bonus:
    jsr bonus_play
    jsr bonus_tally
    clc
    rts

; Z set: this wave is a bonus wave: the second, and each third from there on.
is_bonus:
    lda level
    clc
    adc #1
@three:
    sec
    sbc #3
    beq @yes
    bcs @three
@yes:
    rts

wave_begin:
    lda #INTRO
    sta state
    inc level
    jsr everybody_out
    lda #0
    sta screen
    ldx level
    dex
    txa
    and #3
    sta style
    txa
@layout:
    cmp #LAYOUTS
    bcc @known
    sbc #LAYOUTS
    bcs @layout
@known:
    jsr house_build
    jsr hush
    jsr wave_pace
    jsr hob_place
    lda #TXT_WAVE
    ldy #1
    jsr say
    lda level
    ldx #line1 - text + 19
    jsr put_two
    jsr is_bonus
    bne @work
    lda #TXT_JARS
    SKIP2
@work:
    lda #TXT_WORK
    ldy #2
    jsr say
    jsr tune_for_wave
    lda #FX_START
    jsr fx_start
    lda #90
    jsr nap
    inc screen          ; the title's letters make room for the display
    lda #1
    sta dirty + 30
    ldx #5
@row:
    sta dirty, x
    dex
    bne @row
    jmp hush

; The later, the faster, and the shorter they lie.
wave_pace:
    lda level
    cmp #16
    bcc @early
    lda #16
@early:
    asl a
    sta pace_up
    asl a
    asl a
    eor #$ff
    sec
    adc #180
    sta rest_time
    rts

; Nobody is left in the house.
everybody_out:
    ldx #NOBJ - 1
@object:
    jsr object_drop
    dex
    bpl @object
    lda #0
    sta guests_left
    sta jars_left
    sta catch
    sta hurried
    sta fallen
    sta safe
    sta shake
    rts

; -- An ordinary wave, until all guests are thrown out. Carry set: the last hob is lost.
wave_play:
    jsr roster_begin
    lda #200
    sta next_cinder
    lda #PLAY
    sta state
    lda #90
    sta safe
@step:
    jsr pause
    jsr pause_key
    jsr roster_step
    jsr cinder_step
    jsr hurry_step
    lda fallen
    beq @alive
    jsr hob_lost
    bcs @over
@alive:
    lda guests_left
    bne @step
    clc
@over:
    rts

; Start stops everything until it is pressed again.
pause_key:
    lda pad_new
    and #BTN_START
    bne @stop
    rts
@stop:
    inc paused
    lda #TXT_PAUSE
    ldy #0
    jsr say
@wait:
    jsr pause
    lda pad_new
    and #BTN_START
    beq @wait
    dec paused
    lda state
    cmp #BONUS
    bne hush_first
    lda #TXT_TIME
    ldy #0
    jmp say
hush_first:
    lda #0
    sta s1
    jmp hush_line

; Who comes in this wave, and how many they are.
roster_begin:
    ldx level
    cpx #ROSTERS
    bcc @known
    ldx #ROSTERS - 1
@known:
    lda roster_start, x
    sta roster_at
    tay
    ldx #0
@count:
    lda rosters, y
    beq @counted
    inx
    iny
    bne @count
@counted:
    stx guests_left
    lda #1
    sta next_guest
    rts

; The next guest of the roster, where there is room.
roster_step:
    dec next_guest
    bne @none
    ldy roster_at
    lda rosters, y
    beq @none
    jsr guest_new
    lda #20
    bcs @wait
    inc roster_at
    lda #110
    sbc pace_up         ; carry is clear: one less
    sbc pace_up
@wait:
    sta next_guest
@none:
    rts

; A guest of kind A in the next window. Carry set: no room.
guest_new:
    ldy #GUEST_FIRST
    jsr object_new
    bcs @none
    cpx #GUEST_LAST + 1
    bcs @full
    lda o_pace, x
    adc pace_up         ; carry is clear
    sta o_pace, x
    lda side
    eor #1
    sta side
    jsr guest_place
    clc
@none:
    rts
@full:
    jmp object_drop

; After a while, cinders.
cinder_step:
    lda ticks
    and #3
    bne @none
    dec next_cinder
    bne @none
    inc next_cinder     ; not while the hob is where they come in
    lda o_x
    adc #44
    cmp #80
    bcc @none
    lda #180
    sec
    sbc pace_up
    sbc pace_up
    sta next_cinder
    jmp cinder_new
@none:
    rts

; The last guest hurries.
hurry_step:
    lda guests_left
    cmp #1
    bne @none
    lda hurried
    bne @none
    ldx #GUEST_LAST
@guest:
    lda o_kind, x
    beq @next
    cmp #THIMBLE
    bcs @next
    lda o_mode, x
    beq @next
    lda o_pace, x
    adc #HURRY_PACE
    sta o_pace, x
    inc hurried
    lda #FX_HURRY
    jmp fx_start
@next:
    dex
    bne @guest
@none:
    rts

; A hob less. Carry set: it was the last.
hob_lost:
    lda #LOST
    sta state
    lda #40
    jsr nap
    lda #0
    sta fallen
    dec lives
    sec
    beq @over
    ldx #NOBJ - 1       ; what flies about is gone
@thing:
    lda o_kind, x
    cmp #STEAM
    bcc @stays
    jsr object_drop
@stays:
    dex
    bne @thing
    jsr hob_place
    lda #150
    sta safe
    lda #PLAY
    sta state
    clc
@over:
    rts

; -- A bonus wave: ten jars, and the clock.
bonus_play:
    jsr jars_place
    lda #TXT_TIME
    ldy #0
    jsr say
    lda #110
    sta clock
    lda #BONUS
    sta state
@step:
    jsr pause
    jsr pause_key
    lda jars_left
    beq @done
    lda ticks
    and #7
    bne @step
    lda clock
    cmp #30
    bcs @calm
    lda #FX_TICK
    jsr fx_start
@calm:
    dec clock
    bne @step
@done:
    lda #DONE
    sta state
    jmp hush

jars_place:
    lda #10
    sta jars_left
    sta host_n
@jar:
    lda #JAR
    ldy #GUEST_FIRST
    jsr object_new
    ldy host_n
    lda jar_x - 1, y
    sta o_x, x
    lda jar_y - 1, y
    sta o_y, x
    dec host_n
    bne @jar
    rts

; -- What the wave has brought
wave_tally:
    lda #DONE
    sta state
    lda #TUNE_DONE
    jsr tune_play
    lda #TXT_CLEAR
    ldy #0
    jsr say
    lda #TXT_CATCH
    ldy #1
    jsr say
    lda catch
    ldx #line1 - text + 22
    jsr put_two
    lda #50
    jsr nap
@count:
    jsr tally_one
    dec catch
    bne @count
    lda #50
    jmp nap

tally_one:
    lda #5
    jsr score_add
    lda #FX_TICK
    jsr fx_start
    lda #6
    jmp nap

bonus_tally:
    lda #TUNE_DONE
    jsr tune_play
    lda jars_left
    bne @missed
    lda #TXT_PERFECT
    ldy #0
    jsr say
    lda #100
    jsr score_add
    lda #4
    sta catch
    bne @stamp
@missed:
    lda #TXT_CLEAR
    ldy #0
    jsr say
    sec
    lda #10
    sbc jars_left
    sta catch
    beq @done
@stamp:
    jsr tally_one
    dec catch
    bne @stamp
@done:
    lda stamps          ; a stamp for the next wave
    cmp #5
    bcs @full
    inc stamps
@full:
    lda #70
    jmp nap

; -- The end
game_over:
    lda #OVER
    sta state
    lda #TXT_OVER
    ldy #1
    jsr say
    lda #TUNE_OVER
    jsr tune_play
    lda record
    beq @not_best
    lda #TXT_RECORD
    ldy #2
    jsr say
@not_best:
    lda #240
    sta host_n
@wait:
    jsr pause
    lda pad_new
    and #BTN_START
    bne @done
    dec host_n
    bne @wait
@done:
    rts

; -- Texts: A = the text, Y = the line (0..2).
say:
    sta s0
    sty s1
    jsr hush_line
    ldy s0
    lda text_at, y
    tay
    lda texts, y        ; its column
    ora level_row + 1, x
    tax
@letter:
    iny
    lda texts, y
    bmi @done
    sta text, x
    inx
    bne @letter
@done:
    rts

; Nothing in line s1. Out: X = the line.
hush_line:
    ldx s1
    lda line_row, x
    tay
    lda #1
    sta dirty, y
    ldy level_row, x
    lda #32
    sta s2
    lda #0
@tile:
    sta line0, y
    iny
    dec s2
    bne @tile
    rts

hush:
    lda #2
    sta s1
@line:
    jsr hush_line
    dec s1
    bpl @line
    rts
