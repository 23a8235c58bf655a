# Similarity of every configuration of the grid. csv: x, y, whole, active in percent; title; xt, yt: tics as gnuplot reads
# them; nx, ny: how many; xgroup, ygroup: after how many a thicker line stands; base_whole, base_active: of the baseline.
set datafile separator comma
set palette defined (0 '#f7fbff', 25 '#c6dbef', 50 '#6baed6', 75 '#2171b5', 100 '#08306b')
set cbrange [0:100]
set xrange [-0.5:nx - 0.5]
set yrange [ny - 0.5:-0.5]
set tics scale 0
eval 'set xtics ('.xt.') font ",8"'
eval 'set ytics ('.yt.') font ",8"'
set xlabel 'bin size, in groups of window size w' offset 0, -0.6
set ylabel 'stdev threshold, in groups of recurrent threshold r' offset 0.5
do for [i = 1:nx / xgroup - 1] {
    set arrow from i * xgroup - 0.5, -0.5 to i * xgroup - 0.5, ny - 0.5 nohead front lw 2 lc rgb 'white'
}
do for [i = 1:ny / ygroup - 1] {
    set arrow from -0.5, i * ygroup - 0.5 to nx - 0.5, i * ygroup - 0.5 nohead front lw 2 lc rgb 'white'
}
unset key; unset colorbox
set multiplot layout 1, 2 title title font ',13' noenhanced margins 0.11, 0.98, 0.14, 0.85 spacing 0.09, 0
ink(v) = v > 55 ? 0xffffff : 0x202020
set title base_whole noenhanced
plot csv every ::1 using 1:2:($1 - 0.5):($1 + 0.5):($2 - 0.5):($2 + 0.5):3 with boxxyerror fs solid noborder palette, \
     csv every ::1 using 1:2:(sprintf('%.0f', $3)):(ink($3)) with labels font ',7' tc rgb variable
unset ylabel
set title base_active noenhanced
plot csv every ::1 using 1:2:($1 - 0.5):($1 + 0.5):($2 - 0.5):($2 + 0.5):4 with boxxyerror fs solid noborder palette, \
     csv every ::1 using 1:2:(sprintf('%.0f', $4)):(ink($4)) with labels font ',7' tc rgb variable
unset multiplot
