# A table as a picture. csv: file; title; lefts, rights: numbers of the columns that are set to the left and to the right;
# at: array of where each column is set, in characters; rows: how many; total: width in characters.
# (gnuplot 5.4 crashes on label plots without a single defined point, hence two lists of columns instead of NaN.)
unset key; unset tics; unset border
set datafile separator comma
set margins 2, 2, 1, 3
set xrange [0:total]
set yrange [rows + 0.6:-1.6]
set title title offset 0, 0.3 noenhanced
set arrow 1 from 0, -0.5 to total, -0.5 nohead lw 1.5
set arrow 2 from 0, -1.5 to total, -1.5 nohead lw 2
set arrow 3 from 0, rows - 0.4 to total, rows - 0.4 nohead lw 2
plot for [i in lefts] csv every ::1 using (at[int(i)]):0:(strcol(int(i))) with labels left noenhanced, \
     for [i in rights] csv every ::1 using (at[int(i)]):0:(strcol(int(i))) with labels right noenhanced, \
     for [i in lefts] csv every ::0::0 using (at[int(i)]):(-1):(strcol(int(i))) with labels left noenhanced, \
     for [i in rights] csv every ::0::0 using (at[int(i)]):(-1):(strcol(int(i))) with labels right noenhanced
