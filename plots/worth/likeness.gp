# Overlap with the exact graph and benefit for code layout. csv: series (from 1), name, overlap, benefit, results, benefit as drawn,
# hint. ink: of each series, those with most results first; levels: 1 where there is a level of other input.
eval frame; eval across; eval down; eval texts
set xrange [x_low:x_high]; set xtics x_step
set yrange [y_low:y_high]; set ytics y_step
kind(k) = k % 3 == 1 ? 7 : k % 3 == 2 ? 13 : 9
size(k) = k % 3 == 1 ? disc(2.5) : k % 3 == 2 ? diamond(4) : triangle(4)
do for [i = 1:levels] { set arrow i from x_low, level to x_high, level nohead dt 3 lw 1.5 lc rgb ink_text }
plot for [k = 1:series] csv every ::1 using ($1 == k ? $3 : NaN):6:7 with labels hypertext point pt kind(k) ps size(k) lc rgb ink[k]
