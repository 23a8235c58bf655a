# How the configurations are distributed. csv: game (from 1), its name, percent, configurations, height (of the highest bar),
# hint; in a game's first row also baseline, hint, and the paper's worst and best in percent, hint.
# games: how many; label[i], ink[i]: their names and colours; baselines, papers: 1 where any game has one.
eval frame; eval across
set xrange [0:100]; set xtics 20
set yrange [bottom:top]; unset ytics
base(i) = 46 + 40 * (i - 1)
do for [i = 1:games] {
    set arrow i from 0, base(i) to 100, base(i) nohead front lw 1 lc rgb ink_muted
    set label i label[i] at screen px(left - 8), text_y(base(i) - 8) right textcolor rgb ink_text
}
plot csv every ::1 using 9:(base($1)):9:10:(base($1) - 30):(base($1)) with boxxyerror lc rgb ink_band, \
     for [i = 1:papers] csv every ::1 using 9:(base($1)):11 with labels hypertext point pt 1 ps 0 lc rgb clear, \
     csv every ::1 using 3:(base($1)):3:($3 < 100 ? $3 + 0.83 : 100.4):(base($1) - 28 * $5):(base($1)):(ink[int($1)]) \
         with boxxyerror lc rgb variable, \
     csv every ::1 using 3:(base($1)):6 with labels hypertext point pt 1 ps 0 lc rgb clear, \
     for [i = 1:baselines] csv every ::1 using 7:(base($1) - 12):8 with labels hypertext point pt 13 ps diamond(7) lc rgb ink_text
