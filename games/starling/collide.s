; Collisions, all pairs: song x enemies, shots x flock, enemies x flock, leader x finds.

; Every enemy against every note.
song_hits:
    ldx #EN_MAX-1
@enemy:
    ldy en_type,x
    beq @next_enemy
    lda type_rx,y
    sta c_rx
    lda type_ry,y
    sta c_ry
    lda en_x,x
    sta c_x
    lda en_y,x
    sta c_y
    ldy #NOTE_MAX-1
@note:
    lda note_on,y
    beq @next_note
    lda note_y,y
    sec
    sbc c_y
    bcs @below
    eor #$FF
    adc #1
@below:
    cmp c_ry
    bcs @next_note
    lda note_x,y
    sec
    sbc c_x
    bcs @beside
    eor #$FF
    adc #1
@beside:
    cmp c_rx
    bcs @next_note
    jsr song_hit
    lda en_type,x
    beq @next_enemy
@next_note:
    dey
    bpl @note
@next_enemy:
    dex
    bpl @enemy
    rts

; Note Y has met enemy X. Keeps both.
song_hit:
    lda #0
    sta note_on,y
    sty t7
    lda en_type,x
    cmp #EN_FIREFLY
    bne @frail
    lda en_frame,x          ; a dark firefly hears nothing
    beq @done
@frail:
    lda #4
    sta en_flash,x
    lda #1
    jsr enemy_hurt
@done:
    ldy t7
    rts

; A = damage to enemy X. Keeps X; changes t0-t6.
enemy_hurt:
    sta t0
    lda en_hp,x
    sec
    sbc t0
    beq @dead
    bcc @dead
    sta en_hp,x
    lda #SFX_HIT
    jmp sfx
@dead:
    ldy en_type,x
    lda #EN_NONE
    sta en_type,x
    stx self_slot
    ; points: those of the type times the length of the chain, which grows to 8
    lda type_score,y
    sta m_a
    lda chain
    cmp #24
    bcs @long
    inc chain
@long:
    lsr a
    lsr a
    adc #1
    sta m_b
    sty t6
    jsr multiply
    tay
    lda m_b
    jsr score_add
    ldx self_slot
    lda en_x,x
    sta t0
    lda en_y,x
    sta t1
    lda #PUFF_BURST
    jsr puff_make
    lda t6
    cmp #EN_BOSS
    beq @boss
    cmp #EN_FIREFLY
    bne @drop
    jsr ring_of_light
@drop:
    jsr drop
    ldx self_slot
    lda #SFX_PUFF
    jmp sfx
@boss:
    jmp boss_down

; A firefly bursts: from rank 2 on its light hurts.
ring_of_light:
    lda rank
    cmp #2
    bcc @dim
    lda t0
    pha
    lda t1
    pha
    lda #FIRE_RING
    jsr fire
    pla
    sta t1
    pla
    sta t0
@dim:
    rts

; Sometimes something good is left at t0, t1: a stray the more likely the smaller the flock.
drop:
    jsr random
    and #31
    sta t2
    lda #7
    sec
    sbc flock
    cmp t2
    bcs @stray
    lda t2
    cmp #22
    bcc @nothing
    lda #PICK_ACORN
    jmp pick_make
@stray:
    lda #PICK_STRAY
    jmp pick_make
@nothing:
    rts

; The great bird gives up: its shots vanish, feathers everywhere.
boss_down:
    lda #0
    sta boss
    sta boss_hp
    ldy #SH_MAX-1
@shot:
    lda sh_type,y
    beq @next
    lda sh_x,y
    sta t0
    lda sh_y,y
    sta t1
    lda #0
    sta sh_type,y
    sty t3
    lda #PUFF_SMALL
    jsr puff_make
    ldy t3
@next:
    dey
    bpl @shot
    ldy #4
@feather:
    sty t3
    lda en_x,x
    clc
    adc burst_x,y
    sta t0
    lda en_y,x
    adc burst_y,y
    sta t1
    lda #PUFF_BURST
    jsr puff_make
    ldy t3
    dey
    bpl @feather
    lda #SFX_WIN
    jmp sfx

burst_x:
    .byte <-14, 10, 0, <-8, 14
burst_y:
    .byte <-8, <-12, 4, 12, 9

; Every shot against the leader and every bird.
shot_hits:
    lda leader_gone
    bne @none
    ldx #SH_MAX-1
@shot:
    lda sh_type,x
    beq @next
    lda leader_safe
    bne @birds
    lda sh_x,x
    sec
    sbc leader_x
    clc
    adc #4
    cmp #9
    bcs @birds
    lda sh_y,x
    sec
    sbc leader_y
    clc
    adc #5
    cmp #11
    bcs @birds
    lda #0
    sta sh_type,x
    stx t7
    jsr leader_hit
    ldx t7
    lda leader_gone
    bne @none
    beq @next
@birds:
    lda ouch
    bne @next
    ldy flock
    beq @next
    dey
@bird:
    lda sh_y,x
    sec
    sbc bird_y,y
    clc
    adc #3
    cmp #7
    bcs @next_bird
    lda sh_x,x
    sbc bird_x,y            ; carry clear: one less
    clc
    adc #4
    cmp #7
    bcs @next_bird
    lda #0
    sta sh_type,x
    stx t7
    tya
    tax
    jsr bird_lost
    ldx t7
    jmp @next
@next_bird:
    dey
    bpl @bird
@next:
    dex
    bpl @shot
@none:
    rts

; Every enemy against the leader and every bird.
body_hits:
    ldx #EN_MAX-1
@enemy:
    lda leader_gone
    bne @gone
    ldy en_type,x
    bne @body
@skip:
    dex
    bpl @enemy
@gone:
    rts
@body:
    lda type_body,y         ; those on the ground have none
    beq @skip
    sta c_rx
    asl a
    sta c_ry
    lda leader_safe
    bne @birds
    lda en_x,x
    sec
    sbc leader_x
    clc
    adc c_rx
    cmp c_ry
    bcs @birds
    lda en_y,x
    sec
    sbc leader_y
    clc
    adc c_rx
    cmp c_ry
    bcs @birds
    stx t7
    jsr leader_hit
    jmp @clash
@birds:
    lda ouch
    bne @next
    ldy flock
    beq @next
    lda c_rx                ; birds are smaller
    sec
    sbc #3
    sta c_x
    asl a
    sta c_y
    dey
@bird:
    lda en_x,x
    sec
    sbc bird_x,y
    clc
    adc c_x
    cmp c_y
    bcs @next_bird
    lda en_y,x
    sec
    sbc bird_y,y
    clc
    adc c_x
    cmp c_y
    bcs @next_bird
    stx t7
    tya
    tax
    jsr bird_lost
@clash:
    ldx t7                  ; a clash hurts both
    lda #8
    sta en_flash,x
    lda #3
    jsr enemy_hurt
    ldx t7
    jmp @next
@next_bird:
    dey
    bpl @bird
@next:
    dex
    bmi @done
    jmp @enemy
@done:
    rts

; The leader against what can be gathered.
pick_hits:
    lda leader_gone
    bne @done
    ldx #PICK_MAX-1
@pick:
    lda pick_type,x
    beq @next
    lda pick_x,x
    sec
    sbc leader_x
    clc
    adc #13
    cmp #27
    bcs @next
    lda pick_y,x
    sec
    sbc leader_y
    clc
    adc #13
    cmp #27
    bcs @next
    ldy pick_type,x
    lda #0
    sta pick_type,x
    stx t7
    dey
    bne @acorn
    lda flock
    cmp #BIRD_MAX
    bcs @full
    lda pick_x,x
    sta t0
    lda pick_y,x
    sta t1
    jsr bird_join_at
    lda #10
    bne @score              ; always
@full:
    lda #50
    bne @score              ; always
@acorn:
    lda rank                ; 20 + 5 * rank
    asl a
    asl a
    clc
    adc rank
    adc #20
@score:
    ldy #0
    jsr score_add
    lda #SFX_GATHER
    jsr sfx
    ldx t7
@next:
    dex
    bpl @pick
@done:
    rts

; Y:A points, in tens. Every 4096 of them another life. Changes nothing in X.
score_add:
    clc
    adc score
    sta score
    tya
    adc score+1
    bcc @fits
    lda #$FF
    sta score
@fits:
    sta score+1
    lda #1
    sta score_dirty
    lda score+1
    cmp next_life
    bcc @done
    lda next_life
    adc #15                 ; carry set: 16
    sta next_life
    inc lives
    lda #SFX_LIFE
    jmp sfx
@done:
    rts
