# How similar every configuration of the grid is to the hot graph. csv: x, y (from 0), whole, active (in percent), number, hints of
# both. panels: 1 or 2; low, high: percents of the palest and the darkest colour; nx, ny: cells across and down; lefts[i]: the panels' left ends, wide: their width, in pixels; best_x[i],
# best_y[i]: the best cell, or -1; numbers: 1 where values are written into the cells; columns, rows: where groups begin; labels.
eval frame; eval texts
unset xtics; unset ytics
shade(percent) = tint(ink_s0, 0.04 + 0.51 * (percent - low) / (high - low))
# The colour bar.
bar_x = 908
bar_y(i) = bottom - (bottom - top) * i / 25.0
do for [i = 0:24] {
    set object 100 + i rectangle from screen px(bar_x), py(bar_y(i)) to screen px(bar_x + 16), py(bar_y(i + 1)) \
        fillstyle solid noborder fillcolor rgb shade(low + (high - low) * (i + 0.5) / 25)
}
set multiplot
set xrange [0:nx]; set yrange [ny:0]
do for [i = 1:panels] {
    set lmargin at screen px(lefts[i]); set rmargin at screen px(lefts[i] + wide)
    do for [k in columns] { set arrow 100 + int(k) from real(k), 0 to real(k), ny nohead front lw 3 lc rgb ink_paper }
    do for [k in rows] { set arrow 400 + int(k) from 0, real(k) to nx, real(k) nohead front lw 3 lc rgb ink_paper }
    if (best_x[i] >= 0) {
        set arrow 901 from best_x[i], best_y[i] to best_x[i] + 1, best_y[i] nohead front lw 2 lc rgb ink_s1
        set arrow 902 from best_x[i] + 1, best_y[i] to best_x[i] + 1, best_y[i] + 1 nohead front lw 2 lc rgb ink_s1
        set arrow 903 from best_x[i] + 1, best_y[i] + 1 to best_x[i], best_y[i] + 1 nohead front lw 2 lc rgb ink_s1
        set arrow 904 from best_x[i], best_y[i] + 1 to best_x[i], best_y[i] nohead front lw 2 lc rgb ink_s1
    }
    plot csv every ::1 using (column(2 + i) >= 0 ? $1 + 0.5 : NaN):($2 + 0.5):1:($1 + 1):2:($2 + 1):(shade(column(2 + i))) with boxxyerror lc rgb variable, \
         csv every ::1 using (column(2 + i) >= 0 ? $1 + 0.5 : NaN):($2 + 0.5):5 + i with labels hypertext point pt 1 ps 0 lc rgb clear, \
         for [k = 1:numbers] csv every ::1 using (column(2 + i) >= 0 ? $1 + 0.5 : NaN):($2 + 0.5):(sprintf('%.0f', column(2 + i))) \
             with labels textcolor rgb ink_text
    unset label; unset object; unset arrow
}
unset multiplot
