# What has been found after how many batches. csv: curve number (from 1), batches, whole, active in percent; title;
# curves: how many; ink_NAME: the colours of palette.def; label[i]: their names; legend: its lines; bottom, top: where the plots end, of the height.
set datafile separator comma
set logscale x
set yrange [0:104]
set xlabel 'batches'
set ylabel 'similarity to the hot graph, %'
set grid lt 1 lw 0.6 lc rgb ink_grid
set border 3
set tics nomirror
set format x '10^{%L}'
array colour[6] = [ink_s0, ink_s1, ink_s2, ink_s3, ink_s4, ink_s7]
array point[6] = [7, 5, 9, 11, 13, 3]
set multiplot layout 1, 2 title title font ',13' noenhanced margins 0.07, 0.98, bottom, top spacing 0.09, 0
set key at screen 0.5, 0.02 center bottom horizontal noenhanced maxrows legend width 2
set title 'all edges'
plot for [i = 1:curves] csv every ::1 using ($1 == i ? $2 : NaN):3 with linespoints \
    lw 2 dt 1 + (i - 1) / 6 pt point[(i - 1) % 6 + 1] ps 0.7 lc rgb colour[(i - 1) % 6 + 1] title label[i]
unset key
unset ylabel
set title 'without busy-waits'
plot for [i = 1:curves] csv every ::1 using ($1 == i ? $2 : NaN):4 with linespoints \
    lw 2 dt 1 + (i - 1) / 6 pt point[(i - 1) % 6 + 1] ps 0.7 lc rgb colour[(i - 1) % 6 + 1]
unset multiplot
