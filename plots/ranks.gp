# A critical-difference diagram. csv: name and rank, mean rank, configuration, place by rank (from 1), the bar that begins here (from 1), the
# rank at which it ends, hint. ranked: how many; critical: the critical difference; bars: how many; half: places left of the middle.
eval frame
unset tics; unset grid
rank_px(x) = x * (ranked - 1.0) / (right - left - 24)  # pixels as ranks: the axis begins and ends 12 pixels inside the frame
set xrange [1 - rank_px(12):ranked + rank_px(12)]
set yrange [bottom:top]
axis = 72
row(place) = axis + 26 + 8 * bars + 26 * (place <= half ? place - 1 : ranked - place)
set arrow from 1, axis to ranked, axis nohead lw 1 lc rgb ink_text
do for [i = 1:ranked] {
    set arrow from i, axis - 6 to i, axis nohead lw 1 lc rgb ink_text
    set label sprintf('%d', i) at first i, screen text_y(axis - 12) center textcolor rgb ink_muted
}
set arrow from 1, 22 to 1 + critical, 22 nohead lw 2 lc rgb ink_text
do for [end in '0 1'] { set arrow from 1 + critical * end, 17 to 1 + critical * end, 27 nohead lw 2 lc rgb ink_text }
set label x_name at screen px(left - 8), text_y(axis - 12) right textcolor rgb ink_muted
set label sprintf('critical difference %.2f', critical) at screen px(left - 8), text_y(27) right textcolor rgb ink_muted
is_left(place) = place <= half
plot for [i = 1:bars] csv every ::1 using ($5 == i ? $2 - rank_px(4) : NaN):(axis + 8 * $5):($6 - $2 + rank_px(8)):(0) \
         with vectors nohead lw 4 lc rgb ink_cold, \
     csv every ::1 using 2:(axis):(0):(row($4) - axis) with vectors nohead lw 1 lc rgb ink_muted, \
     csv every ::1 using 2:(row($4)):((is_left($4) ? 1 - rank_px(12) : ranked + rank_px(12)) - $2):(0) \
         with vectors nohead lw 1 lc rgb ink_muted, \
     csv every ::1 using 2:(axis):7 with labels hypertext point pt 7 ps disc(4) lc rgb ink_s0, \
     csv every ::1 using (is_left($4) ? 1 - rank_px(12) : NaN):(row($4)):1 \
         with labels offset screen px(-8), 0 right textcolor rgb ink_text, \
     csv every ::1 using (is_left($4) ? NaN : ranked + rank_px(12)):(row($4)):1 \
         with labels offset screen px(8), 0 left textcolor rgb ink_text
