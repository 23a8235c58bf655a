# Means and their intervals. csv: name, mean, low and high end of the interval (in percent), 1 where the edges are read directly
# off the samples, hint, y in pixels. directs, others: 1 where there are any; sures: 1 where there are intervals.
eval frame; eval across
set xrange [0:100]; set xtics 20
set yrange [bottom:top]; unset ytics
array ink[2] = [ink_found, ink_text]
plot csv every ::1 using (0):7:1 with labels offset screen px(-10), 0 right textcolor rgb ink_text, \
     for [i = 1:sures] csv every ::1 using 3:7:($4 - $3):(0):(ink[1 + int($5)]) with vectors nohead lw 3 lc rgb variable, \
     for [i = 1:sures] for [end in '3 4'] csv every ::1 using int(end):($7 - 5):(0):(10):(ink[1 + int($5)]) \
         with vectors nohead lw 1.5 lc rgb variable, \
     for [i = 1:others] csv every ::1 using ($5 == 0 ? $2 : NaN):7:6 with labels hypertext point pt 7 ps disc(6) lc rgb ink_found, \
     for [i = 1:directs] csv every ::1 using ($5 == 1 ? $2 : NaN):7:6 with labels hypertext point pt 13 ps diamond(7) lc rgb ink_text
