# The addresses of a batch in order, and the means of its windows. csv: panel (from 1), batch, instruction (from 1), address, the
# mean of the window around it, hint, 1 where it is a high one, variance of the means. panels: how many; low[i], high[i]: addresses; last[i]: the last instruction; labels: texts.
eval frame; eval texts
unset xtics; unset ytics
set multiplot
do for [i = 1:panels] {
    set tmargin at screen py(38 + 164 * (i - 1)); set bmargin at screen py(134 + 164 * (i - 1))
    set xrange [1:last[i]]; set yrange [low[i]:high[i]]
    set arrow 1 from 1, low[i] to last[i], low[i] nohead back lw 1 lc rgb ink_grid
    set arrow 2 from 1, high[i] to last[i], high[i] nohead back lw 1 lc rgb ink_grid
    plot csv every ::1 using ($1 == i ? $3 : NaN):5 with lines lw 2.5 lc rgb ink_s1, \
         csv every ::1 using ($1 == i ? $3 : NaN):4:6 with labels hypertext point pt 7 ps disc(3.5) lc rgb ink_s0
    unset label
}
unset multiplot
