# Bins over time. csv: bin (from 1), batches, how far up its centre is (0 to 1; ways without bins are shortened), address, centre,
# times hit, 1 where it is recurrent at the end, 1 where it is first there, hint; a row of 0 batches ends a bin's line.
# up_low, up_high: the axis' ends; recurrents, others: 1 where there are any; labels: numbers and addresses; ticks: pixels of the marks at the axis; cuts: of the
# dotted lines where nothing is for long.
eval frame; eval across; eval powers; eval texts
set yrange [up_low:up_high]; unset ytics
do for [y in ticks] { set arrow from screen px(left - 6), py(real(y)) to screen px(left), py(real(y)) nohead lw 1 lc rgb ink_muted }
do for [y in cuts] { set arrow from screen px(left), py(real(y)) to screen px(right), py(real(y)) nohead lw 1 dt 3 lc rgb ink_cold }
plot for [i = 1:others] csv every ::1 using ($7 == 0 && $2 > 0 ? $2 : NaN):3 with lines lw 0.8 lc rgb ink_cold, \
     for [i = 1:recurrents] csv every ::1 using ($7 == 1 && $2 > 0 ? $2 : NaN):3 with lines lw 1.2 lc rgb ink_s0, \
     for [i = 1:recurrents] csv every ::1 using ($7 == 1 && $8 == 1 ? $2 : NaN):3:9 with labels hypertext point pt 7 ps disc(2.5) lc rgb ink_s0, \
     for [i = 1:others] csv every ::1 using ($7 == 0 && $8 == 1 ? $2 : NaN):3:9 with labels hypertext point pt 13 ps diamond(2.5) lc rgb ink_cold
