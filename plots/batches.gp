# What is found after how many batches. csv: curve (from 1), batches, percent, name, number, the percent that it has reached here
# for the first time, hint. labels: the curves' names, whose colours are theirs; marked: the curves that reach any.
eval frame; eval across; eval down; eval powers; eval texts
set yrange [y_low:y_high]; set ytics y_step
of(k) = strlen(k) > 0 ? int(k) : 1  # gnuplot looks at the colour where nothing is marked, too
plot for [k = 1:labels] csv every ::1 using ($1 == k ? $2 : NaN):3 with lines lw 2 lc rgb label_ink[k] \
         dt 1 + (k - 1) % 3, \
     for [k in marked] csv every ::1 using ($1 == of(k) && $6 > 0 ? $2 : NaN):3:7 with labels hypertext \
         point pt 13 ps diamond(5) lc rgb label_ink[of(k)]
