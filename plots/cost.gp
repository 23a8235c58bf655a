# How much is found of what is looked at. csv: technique, looked at, overlap (in percent), the best overlap of this row and those
# above, technique's number (from 1), hint. rows: how many; labels: the techniques' names, whose colours are those of the points;
# number: of each among all techniques of the database.
eval frame; eval across; eval down; eval powers; eval texts
set yrange [y_low:y_high]; set ytics y_step
kind(k) = k % 3 == 1 ? 7 : k % 3 == 2 ? 13 : 9
size(k) = k % 3 == 1 ? disc(4) : k % 3 == 2 ? diamond(4) : triangle(4)
plot csv every ::1 using 2:4 with steps lw 1.5 dt 2 lc rgb ink_text, \
     csv every ::rows::rows using 2:4:(x_high - $2):(0) with vectors nohead lw 1.5 dt 2 lc rgb ink_text, \
     for [k = 1:labels] csv every ::1 using ($5 == k ? $2 : NaN):3:6 with labels hypertext \
         point pt kind(number[k]) ps size(number[k]) lc rgb label_ink[k]
