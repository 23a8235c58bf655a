; Tasks. The host (host.s) has a stack of its own and can wait anywhere, however deep. An object's coroutine has none: it waits at its
; top level only, and what it leaves behind is one address.

host_begin:
    lda #>(host - 1)
    sta buffer + HOST_STACK
    lda #<(host - 1)
    sta buffer + HOST_STACK - 1
    lda #HOST_STACK - 2
    sta host_sp
    rts

; Called by the main task: runs the host until it waits.
host_resume:
    tsx
    stx main_sp
    ldx host_sp
    txs
    rts

; Called by the host: runs the main task until its next step.
pause:
    tsx
    stx host_sp
    ldx main_sp
    txs
    rts

; The host sleeps A frames.
nap:
    sta naps
@frame:
    jsr pause
    dec naps
    bne @frame
    rts

; -- Objects

objects_run:
    ldx #NOBJ - 1
@object:
    stx cur
    lda o_kind, x
    beq @free
    jsr object_run
    ldx cur
@free:
    dex
    bpl @object
    rts

; An event comes before what the object was about to do.
object_run:
    ldy o_ev, x
    bne object_event
object_resume:
    lda o_pch, x
    pha
    lda o_pcl, x
    pha
    rts
object_event:
    lda #0
    sta o_ev, x
    dey
    beq @struck
    jmp guest_thrown
@struck:
    ldy o_kind, x
    RTS_GO struck_lo, struck_hi

; jsr yield: the object goes on behind it in the next step. Out: X = cur.
yield:
    ldx cur
    pla
    sta o_pcl, x
    pla
    sta o_pch, x
    rts

; First thing in a subroutine that yields: puts the return address away, so that the subroutine is at top level.
; Its last is jmp unlink. One at a time.
link:
    ldx cur
    pla
    sta t0
    pla
    sta t1
    pla
    sta o_lkl, x
    pla
    sta o_lkh, x
    lda t1
    pha
    lda t0
    pha
    rts
unlink:
    ldx cur
    lda o_lkh, x
    pha
    lda o_lkl, x
    pha
    rts

; Waits A steps.
co_sleep:
    sta t2
    jsr link
    lda t2
    sta o_t, x
@step:
    jsr yield
    dec o_t, x
    bne @step
    jmp unlink

; Falls or flies until there are planks under it.
co_land:
    jsr link
@step:
    jsr yield
    jsr body_move
    lda o_ground, x
    beq @step
    jmp unlink

; The coroutine of an object at its end: the slot is free.
object_end:
    ldx cur
    lda #FREE
    sta o_kind, x
    rts

; A new object of kind A in the first free slot from Y on. Out: X its slot and carry clear, or carry set: there is no room.
object_new:
    sta t0
    tya
    tax
@look:
    lda o_kind, x
    beq @found
    inx
    cpx #NOBJ
    bcc @look
    rts
@found:
    lda #0
.repeat 8, i            ; the fields from o_ground to o_dir
    sta o_ground + i * NOBJ, x
.endrepeat
    sta o_mode, x
    sta o_t, x
    sta o_u, x
    sta o_pic, x
    sta o_ev, x
    ldy t0
    lda kind_colour, y
    sta o_attr, x
    lda kind_pace, y
    sta o_pace, x
    lda birth_lo, y
    sta o_pcl, x
    lda birth_hi, y
    sta o_pch, x
    tya
    sta o_kind, x
    clc
    rts
