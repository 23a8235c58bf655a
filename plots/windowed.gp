# What is found in windows. csv: curve (from 1), seconds, mean over games, the worst window (both in percent), technique, number,
# hint of the mean, hint of the worst. labels: the curves' names, whose colours are theirs; marks: of the axis across.
eval frame; eval across; eval down; eval texts
set logscale x; set xrange [x_low * 0.99999:x_high * 1.00001]; eval 'set xtics ('.marks.')'
set yrange [y_low:y_high]; set ytics y_step
plot for [k = 1:labels] csv every ::1 using ($1 == k ? $2 : NaN):4 with lines lw 1.5 dt 2 lc rgb label_ink[k], \
     for [k = 1:labels] csv every ::1 using ($1 == k ? $2 : NaN):3 with lines lw 2 lc rgb label_ink[k], \
     for [k = 1:labels] csv every ::1 using ($1 == k ? $2 : NaN):4:8 with labels hypertext \
         point pt 13 ps diamond(4) lc rgb label_ink[k], \
     for [k = 1:labels] csv every ::1 using ($1 == k ? $2 : NaN):3:7 with labels hypertext \
         point pt 7 ps disc(4) lc rgb label_ink[k]
