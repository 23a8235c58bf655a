# Do games agree? csv: row, column (from 1), the games' names, tau, strength of the colour (0 to 1), 1 where tau is negative, hint.
# games: how many; labels: their names; numbers: 1 where tau is written into the squares.
eval frame; eval texts
set xrange [0:games]; set yrange [games:0]
unset xtics; unset ytics
gap = 2.0 * games / (right - left)
plot csv every ::1 using ($2 - 0.5):($1 - 0.5):($2 - 1):($2 - gap):($1 - 1):($1 - gap):(tint($7 == 1 ? ink_s1 : ink_s0, $6)) \
         with boxxyerror lc rgb variable, \
     csv every ::1 using ($2 - 0.5):($1 - 0.5):8 with labels hypertext point pt 1 ps 0 lc rgb clear, \
     for [i = 1:numbers] csv every ::1 using ($2 - 0.5 - gap / 2):($1 - 0.5 - gap / 2):(sprintf('%.2f', $5)) with labels \
         textcolor rgb ink_text
