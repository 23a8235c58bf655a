# What a code layout gains of what was observed. csv: series (from 1), name, looked at (in percent), benefit, with falls inferred,
# games, both benefits as drawn, hint, 1 if the line goes through it. ink: of each series; levels: 1 where there is a level of other input.
eval frame; eval across; eval down; eval powers; eval texts
set yrange [y_low:y_high]; set ytics y_step
kind(k) = k % 3 == 1 ? 7 : k % 3 == 2 ? 13 : 9
size(k) = k % 3 == 1 ? disc(4) : k % 3 == 2 ? diamond(5) : triangle(5)
do for [i = 1:levels] { set arrow i from x_low, level to x_high, level nohead dt 3 lw 1.5 lc rgb ink_text }
plot for [k = 1:series] csv every ::1 using ($1 == k && $10 == 1 ? $3 : NaN):8 with lines lw 1.5 dt 2 lc rgb ink[k], \
     for [k = 1:series] csv every ::1 using ($1 == k && $10 == 1 ? $3 : NaN):7 with lines lw 2 lc rgb ink[k], \
     for [k = 1:series] csv every ::1 using ($1 == k ? $3 : NaN):7:9 with labels hypertext point pt kind(k) ps size(k) lc rgb ink[k]
