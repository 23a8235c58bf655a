# What two parameters explain only together. csv: name, percent, percent without busy-waits, how many are not defined, hint,
# y in pixels. active: the column of the diamonds.
eval frame; eval across
set xrange [x_low:x_high]; set xtics x_step
set yrange [bottom:top]; unset ytics
plot csv every ::1 using (0):6:2:(0) with vectors nohead lw 2 lc rgb ink_s0, \
     csv every ::1 using active:6:5 with labels hypertext point pt 13 ps diamond(5) lc rgb ink_s1, \
     csv every ::1 using 2:6:5 with labels hypertext point pt 7 ps disc(4.5) lc rgb ink_s0, \
     csv every ::1 using (0):($6 - 15):(strcol(1)[1:56]) with labels left textcolor rgb ink_text
