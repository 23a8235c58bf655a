# What counting in native programs costs. csv: line (from 1), strategy, program, times the time without, hint; in the first
# row of a line also the mean over programs, and its hint. lines: how many; names[i]: the strategies; x_low: the axis' left end.
eval frame; eval across; eval powers
set yrange [bottom:top]; unset ytics
line(i) = 10 + 34 * i
do for [i = 1:lines] { set label i names[i] at screen px(left), text_y(line(i) - 10) left textcolor rgb ink_text }
plot csv every ::1 using (x_low):(line($1)):($6 - x_low):(0) with vectors nohead lw 2 lc rgb ink_s0, \
     csv every ::1 using 6:(line($1)):7 with labels hypertext point pt 13 ps diamond(5) lc rgb ink_s0, \
     csv every ::1 using 4:(line($1)):5 with labels hypertext point pt 7 ps disc(3) lc rgb ink_s1
