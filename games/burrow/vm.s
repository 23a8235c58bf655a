; The interpreter that drives the creatures. Each has a program counter into `scripts` (256 bytes at most), a wait, a
; loop counter and one return address; an operation is a byte, its arguments follow. vm_run executes the script of
; creature ci until an operation gives up the rest of its step, dispatching through a table of addresses and RTS.
.include "ram.inc"
.import _op_chase, _op_flee, _op_seek, _op_aim, _op_wander, _op_climb, _op_go, _op_gnaw, _op_sprout, _op_speed
.import _rnd, _props, _offsets
.export _vm_run
.importzp ptr1

FUEL = 14                       ; operations a step, so that no script can run away

.segment "CODE"
; void vm_run(void)
_vm_run:
    ldx _ci
    lda _en_wait,x
    beq @go
    dec _en_wait,x
    rts
@go:
    lda #FUEL
    sta vm_fuel
vm_next:
    dec vm_fuel
    beq vm_yield
    jsr vm_fetch
    asl a
    tax
    lda operations+1,x
    pha
    lda operations,x
    pha
    rts                         ; to the operation

vm_yield:
    lda #FUEL                   ; every operation counts six units for the pace (set_pace in game.c)
    sec
    sbc vm_fuel
    asl a
    sta vm_value
    asl a
    adc vm_value
    adc _work
    sta _work
    bcc @done
    inc _work+1
@done:
    rts

vm_fetch:                       ; next byte of the script -> A, X = creature
    ldx _ci
    ldy _en_pc,x
    inc _en_pc,x
    lda scripts,y
    rts

vm_branch:                      ; to the address that follows
    jsr vm_fetch
    sta _en_pc,x
    jmp vm_next
vm_skip:                        ; past it
    ldx _ci
    inc _en_pc,x
    jmp vm_next

vm_cell:                        ; kind of the creature's cell -> Y, the cell -> X
    ldy _ci
    ldx _en_cell,y
    rts

.define OPERATIONS op_wait-1, op_jump-1, op_call-1, op_ret-1, op_speed-1, op_ifnear-1, op_ifrand-1, op_ifwet-1, op_ifstuck-1, op_ifscent-1, op_ifshake-1, op_loop-1, op_next-1, op_chase-1, op_flee-1, op_seek-1, op_aim-1, op_wander-1, op_climb-1, op_walk-1, op_bore-1, op_gnaw-1, op_sprout-1, op_sound-1

operations: .word OPERATIONS

op_wait:                        ; n: rest n steps
    jsr vm_fetch
    sta _en_wait,x
    jmp vm_yield
op_call:                        ; a
    jsr vm_fetch
    tay
    lda _en_pc,x
    sta _en_ret,x
    tya
    sta _en_pc,x
    jmp vm_next
op_ret:
    ldx _ci
    lda _en_ret,x
    sta _en_pc,x
    jmp vm_next
op_speed:                       ; n: sixteenths of a pixel a step; later beds and dusk add to it
    jsr vm_fetch
    jsr _op_speed
    jmp vm_next
op_ifnear:                      ; n a: if Pim is fewer than n steps away through tunnels
    jsr vm_fetch
    sta vm_value
    jsr vm_cell
    lda _trail,x
    cmp vm_value
    bcc op_jump
    jmp vm_skip
op_ifrand:                      ; n a: with probability n / 256
    jsr vm_fetch
    sta vm_value
    jsr _rnd
    cmp vm_value
    bcc op_jump
    jmp vm_skip
op_ifwet:                       ; a: if the water here is deep
    jsr vm_cell
    lda _water,x
    cmp #4
    bcs op_jump
    jmp vm_skip
op_ifstuck:                     ; a: if the last choice of a way found none
    lda _stuck
    bne op_jump
    jmp vm_skip
op_ifscent:                     ; n a: if a bulb is fewer than n steps away
    jsr vm_fetch
    sta vm_value
    jsr vm_cell
    lda _scent,x
    cmp vm_value
    bcc op_jump
    jmp vm_skip
op_ifshake:                     ; a: if the ground shakes
    lda _shake
    bne op_jump
    jmp vm_skip
op_jump:                        ; a
    jmp vm_branch
op_loop:                        ; n: begin of a loop of n rounds
    jsr vm_fetch
    sta _en_loop,x
    jmp vm_next
op_next:                        ; a: back to it, if rounds are left
    ldx _ci
    dec _en_loop,x
    bne op_jump
    jmp vm_skip
op_chase:                       ; choose the way to Pim along tunnels
    jsr _op_chase
    jmp vm_next
op_flee:                        ; ... away from Pim
    jsr _op_flee
    jmp vm_next
op_seek:                        ; ... to the nearest bulb
    jsr _op_seek
    jmp vm_next
op_aim:                         ; ... towards Pim as the crow flies
    jsr _op_aim
    jmp vm_next
op_wander:                      ; ... any way, rather not back
    jsr _op_wander
    jmp vm_next
op_climb:                       ; ... out of the water
    jsr _op_climb
    jmp vm_next
op_walk:                        ; go one cell that way, if it is open
    lda #1
    bne vm_go
op_bore:                        ; the same through soil
    lda #1|4
vm_go:
    jsr _op_go
    jmp vm_yield
op_gnaw:                        ; eat of a bulb beside the creature
    jsr _op_gnaw
    jmp vm_yield
op_sprout:                      ; leave a root behind
    jsr _op_sprout
    jmp vm_next
op_sound:                       ; n
    jsr vm_fetch
    sta _sfx
    jmp vm_next

; --- the assembler of scripts
.enum
    WAIT_
    JUMP_
    CALL_
    RET_
    SPEED_
    IFNEAR_
    IFRAND_
    IFWET_
    IFSTUCK_
    IFSCENT_
    IFSHAKE_
    LOOP_
    NEXT_
    CHASE_
    FLEE_
    SEEK_
    AIM_
    WANDER_
    CLIMB_
    WALK_
    BORE_
    GNAW_
    SPROUT_
    SOUND_
.endenum
.define TO(label) <(label - scripts)
.include "scripts.s"
