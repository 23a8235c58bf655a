; What the creatures do, in the language of vm.s.
.segment "RODATA"
.export _script_start
scripts:

; Snip, the weevil: roams the tunnels, hunts Pim along them, rests now and then; cut off from Pim for long, it bores.
snip:
    .byte SPEED_, 11
snip_roam:
    .byte IFWET_, TO(snip_wet)
    .byte IFNEAR_, 18, TO(snip_hunt)
    .byte IFRAND_, 30, TO(snip_rest)
    .byte IFRAND_, 60, TO(snip_bore)
    .byte WANDER_, WALK_
    .byte JUMP_, TO(snip_roam)
snip_hunt:
    .byte SPEED_, 19
    .byte IFRAND_, 24, TO(snip_rest)
    .byte CHASE_, WALK_
    .byte JUMP_, TO(snip)
snip_rest:
    .byte WAIT_, 14
    .byte JUMP_, TO(snip)
snip_bore:
    .byte SPEED_, 4, LOOP_, 2
snip_gnash:
    .byte AIM_, IFSTUCK_, TO(snip)
    .byte BORE_
    .byte NEXT_, TO(snip_gnash)
    .byte JUMP_, TO(snip)
snip_wet:
    .byte SPEED_, 7, CLIMB_, WALK_
    .byte JUMP_, TO(snip)

; Mite, the thief: digs to the nearest bulb by scent and eats it, flees when Pim comes close.
mite:
    .byte SPEED_, 8
mite_seek:
    .byte IFWET_, TO(mite_wet)
    .byte IFNEAR_, 4, TO(mite_flee)
    .byte IFSCENT_, 2, TO(mite_eat)
    .byte IFRAND_, 40, TO(mite_loiter)
    .byte SEEK_, IFSTUCK_, TO(mite_loiter)
    .byte BORE_
    .byte JUMP_, TO(mite_seek)
mite_eat:
    .byte SOUND_, 6, GNAW_, WAIT_, 26
    .byte JUMP_, TO(mite_seek)
mite_loiter:
    .byte WANDER_, BORE_, WAIT_, 8
    .byte JUMP_, TO(mite)
mite_flee:
    .byte SPEED_, 17, FLEE_, WALK_
    .byte JUMP_, TO(mite)
mite_wet:
    .byte CLIMB_, BORE_
    .byte JUMP_, TO(mite_seek)

; Thread, the worm: bores straight at Pim for a while, then winds about; roots sprout where it went.
worm:
    .byte SPEED_, 6, LOOP_, 7
worm_aim:
    .byte IFNEAR_, 5, TO(worm_lunge)
    .byte AIM_, IFSTUCK_, TO(worm_wind)
    .byte BORE_
    .byte IFRAND_, 20, TO(worm_root)
worm_on:
    .byte NEXT_, TO(worm_aim)
worm_wind:
    .byte LOOP_, 4
worm_turn:
    .byte IFWET_, TO(worm_out)
    .byte WANDER_, BORE_
    .byte NEXT_, TO(worm_turn)
    .byte JUMP_, TO(worm)
worm_root:
    .byte SPROUT_
    .byte JUMP_, TO(worm_on)
worm_lunge:
    .byte SPEED_, 13, CHASE_, WALK_
    .byte JUMP_, TO(worm)
worm_out:
    .byte CLIMB_, BORE_
    .byte JUMP_, TO(worm)

; Drowse, the nymph: sleeps; woken by a thump or by Pim beside it, it charges, and charges again.
drowse:
    .byte IFSHAKE_, TO(drowse_wake)
    .byte IFNEAR_, 5, TO(drowse_wake)
    .byte IFWET_, TO(drowse_wake)
    .byte WAIT_, 6
    .byte IFRAND_, 10, TO(drowse_roll)
    .byte JUMP_, TO(drowse)
drowse_roll:
    .byte SPEED_, 6
    .byte CALL_, TO(drowse_stroll)
    .byte JUMP_, TO(drowse)
drowse_wake:
    .byte SOUND_, 7
    .byte CALL_, TO(drowse_charge)
    .byte WAIT_, 5
    .byte CALL_, TO(drowse_charge)
    .byte CALL_, TO(drowse_stroll)
    .byte WAIT_, 20
    .byte JUMP_, TO(drowse)
drowse_charge:
    .byte SPEED_, 20, LOOP_, 5
drowse_run:
    .byte IFNEAR_, 20, TO(drowse_after)
    .byte WANDER_
    .byte JUMP_, TO(drowse_step)
drowse_after:
    .byte CHASE_
drowse_step:
    .byte WALK_
    .byte NEXT_, TO(drowse_run)
    .byte RET_
drowse_stroll:
    .byte SPEED_, 8, LOOP_, 4
drowse_amble:
    .byte WANDER_, BORE_
    .byte NEXT_, TO(drowse_amble)
    .byte RET_

.assert * - scripts <= 256, error, "scripts are longer than a page"
_script_start:
    .byte TO(snip), TO(mite), TO(worm), TO(drowse)
