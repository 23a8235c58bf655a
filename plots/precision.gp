# What is found, and how much of it is true. csv: number, similarity, precision (in percent), baseline (1 or 0), hint.
# ink: the game's; discs, diamonds: 1 where there are any.
eval frame; eval across; eval down
set xrange [x_low:x_high]; set xtics x_step
set yrange [y_low:y_high]; set ytics y_step
plot for [i = 1:discs] csv every ::1 using ($4 == 0 ? $2 : NaN):3:5 with labels hypertext point pt 7 ps disc(3.5) lc rgb ink, \
     for [i = 1:diamonds] csv every ::1 using ($4 == 1 ? $2 : NaN):3:5 with labels hypertext point pt 13 ps diamond(8) lc rgb ink_text
