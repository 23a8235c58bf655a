# What is found at what cost. csv: technique, host instructions added (percent), found (percent), what another movie's exact profile
# reaches, technique's number (from 1), hint, 1 if it was told nothing. others: is there such a line, at `other`; labels: the
# techniques' names, whose colours are those of the points, and the line's; number: of each among all techniques of the database.
eval frame; eval across; eval down; eval powers; eval texts
set yrange [y_low:y_high]; set ytics y_step
kind(k) = k % 3 == 1 ? 7 : k % 3 == 2 ? 13 : 9
size(k) = k % 3 == 1 ? disc(4) : k % 3 == 2 ? diamond(4) : triangle(4)
if (others) {
    set arrow 1 from graph 0, first other to graph 1, first other nohead lw 1.5 dt 2 lc rgb ink_text
}
plot for [k = 1:labels] for [alone = 0:1] csv every ::1 using ($5 == k && $7 == alone ? $2 : NaN):3:6 with labels hypertext \
    point pt kind(number[k]) ps size(number[k]) lc rgb tint(label_ink[k], alone ? 1 : 0.4)
