# Similarity of every configuration of the grid. csv: x, y, whole, active in percent; title; nx, ny: how many; arrays of as
# many: xtic, ytic: values; xgroup, ygroup: that of the group which begins here, or empty; xfirst, yfirst: 1 where a thicker
# line stands before it; xname, yname: the parameters; base_whole, base_active: of the baseline;
# ink_NAME: the colours of palette.def.
set datafile separator comma
# From a twentieth of the first ink to all of it.
faint(shift) = 255 - 0.05 * (255 - (ink_s0 >> shift & 255))
set palette defined (0 sprintf('#%02x%02x%02x', faint(16), faint(8), faint(0)), 100 sprintf('#%06x', ink_s0))
set cbrange [0:100]
set xrange [-0.5:nx - 0.5]
set yrange [ny - 0.5:-0.5]
set tics scale 0
set xtics () noenhanced font ',8'
set ytics () noenhanced font ',8'
do for [i = 1:nx] {
    tic = xtic[i].(strlen(xgroup[i]) > 0 ? "\n".xgroup[i] : '')
    set xtics add (tic i - 1)
    if (xfirst[i]) { set arrow from i - 1.5, -0.5 to i - 1.5, ny - 0.5 nohead front lw 2 lc rgb ink_paper }
}
do for [i = 1:ny] {
    tic = (strlen(ygroup[i]) > 0 ? ygroup[i].'   ' : '').ytic[i]
    set ytics add (tic i - 1)
    if (yfirst[i]) { set arrow from -0.5, i - 1.5 to nx - 0.5, i - 1.5 nohead front lw 2 lc rgb ink_paper }
}
set xlabel xname noenhanced offset 0, -0.6
set ylabel yname noenhanced offset 0.5
unset key; unset colorbox
set multiplot layout 1, 2 title title font ',13' noenhanced margins 0.11, 0.98, 0.14, 0.85 spacing 0.09, 0
ink(v) = v > 58 ? ink_paper : ink_text
set title base_whole noenhanced
plot csv every ::1 using 1:2:($1 - 0.5):($1 + 0.5):($2 - 0.5):($2 + 0.5):3 with boxxyerror fs solid noborder palette, \
     csv every ::1 using 1:2:(sprintf('%.0f', $3)):(ink($3)) with labels font ',7' tc rgb variable
unset ylabel
set title base_active noenhanced
plot csv every ::1 using 1:2:($1 - 0.5):($1 + 0.5):($2 - 0.5):($2 + 0.5):4 with boxxyerror fs solid noborder palette, \
     csv every ::1 using 1:2:(sprintf('%.0f', $4)):(ink($4)) with labels font ',7' tc rgb variable
unset multiplot
