# Measured by BOLT against predicted by the graph. csv: series (1 flow, 2 observed, 3 GFCGaussiano, 4 others), predicted, measured, both as
# drawn, hint.
eval frame; eval across; eval down; eval texts
set xrange [x_low:x_high]; set xtics x_step
set yrange [y_low:y_high]; set ytics y_step
array inks[4] = [ink_s0, ink_s1, ink_s2, ink_cold]
set arrow 1 from x_low, x_low to x_high, x_high nohead dt 2 lc rgb ink_grid back
plot for [s = 4:1:-1] csv every ::1 using ($1 == s ? $4 : NaN):5:6 with labels hypertext point pt 7 ps disc(3) lc rgb inks[s]
