# What each value of each parameter changes. csv: parameter, value, points, points without busy-waits, hint, y in pixels,
# place among the parameter's values. active: the column of the diamonds.
eval frame; eval across
set xrange [x_low:x_high]; set xtics x_step
set yrange [bottom:top]; unset ytics
set arrow 1 from 0, top to 0, bottom nohead lw 1.5 lc rgb ink_muted
plot csv every ::1 using (0):6:3:(0) with vectors nohead lw 2 lc rgb ink_s0, \
     csv every ::1 using active:6:5 with labels hypertext point pt 13 ps diamond(5) lc rgb ink_s1, \
     csv every ::1 using 3:6:5 with labels hypertext point pt 7 ps disc(4.5) lc rgb ink_s0, \
     csv every ::1 using (x_low):6:(strcol(2)[1:10]) with labels offset screen px(-8), 0 right textcolor rgb ink_muted, \
     csv every ::1 using ($7 == 1 ? x_low : NaN):($6 - 18):1 with labels offset screen px(4 - left), 0 left textcolor rgb ink_text
