# What all figures of a report share. Above, the report writes the colours of palette.def as ink_NAME (0xRRGGBB).
# A figure's script sets name, width and height in pixels and csv, then draws twice: "eval start(format)" for svg and for pdf.
if (!exists('part')) part = ''  # the report draws into NAME.svg.part, and renames what is whole

# Positions in pixels from the upper left corner, as fractions of the picture. text_y: a text whose baseline is there.
px(x) = real(x) / width
py(y) = 1 - real(y) / height
text_y(y) = 1 - (real(y) - 4.5) / height
# Radii in pixels as point sizes; the two terminals have units of their own. pt 7 is a disc, 9 a triangle, 13 a diamond.
disc(r) = r / (format eq 'svg' ? 5.25 : 6.0)
triangle(r) = r / (format eq 'svg' ? 7.0 : 6.0)
diamond(r) = r / (format eq 'svg' ? 7.42 : 6.0)

# Of a hint on a cross (pt 1), which figures/svg.awk gives to the box of its row: drawn nowhere.
clear = 255 << 24

# SVG goes through figures/svg.awk, which gives it the page's classes, titles and dark colours. A PDF's date is always the same.
# Widths: 252 pt is a column, 516 pt a page; the text has at least 7 pt there.
points = width > 480 ? 516.0 / 980 : 252.0 / 480
to_svg(what) = "| LC_ALL=C awk -f figures/svg.awk figures/style.gp 'figures/".what.".gp' - >'figures/".what.".svg".part."'"
to_pdf(what) = 'figures/'.what.'.pdf'.part
undated(file) = "LC_ALL=C sed -i 's/\\(CreationDate (D:\\)[0-9]\\{14\\}/\\120000101000000/' '".file."'"
svg = "set term svg size width, height font 'DejaVu Sans,14' noenhanced; set output to_svg(name)"
pdf = "set term pdfcairo size width * points / 72, height * points / 72 font 'DejaVu Sans,14' fontscale 0.75 * points " \
    ."linewidth 2 * points noenhanced; set output to_pdf(name)"
start(format) = "reset; set encoding utf8; set datafile separator comma; unset key; set border 0; " \
    ."set tics scale 0 textcolor rgb ink_muted; set xtics offset 0, screen 8.5 / height; set ytics offset screen 3.0 / width, 0; set grid lt 1 lw 1 lc rgb ink_grid; set style fill solid noborder; set dashtype 2 (6, 4); set dashtype 3 (1.5, 2.5); " \
    .(format eq 'svg' ? svg : pdf)
finish(format) = "set output; ".(format eq 'svg' ? '' : "system(undated(to_pdf(name))); if (GPVAL_SYSTEM_ERRNO != 0) { exit status 1 }")
# Where the plot is, in pixels; a quantity's name at the end of its axis.
frame = "set lmargin at screen px(left); set rmargin at screen px(right); set tmargin at screen py(top); set bmargin at screen py(bottom)"
across = "set label 901 x_name at screen px(right), text_y(bottom + 35) right textcolor rgb ink_muted"
down = "set label 902 y_name at screen px(2), text_y(top - 12) left textcolor rgb ink_muted"
# A logarithmic axis across with a mark at each power of ten; texts that the report has placed, in pixels.
power_name(v) = v >= 1e6 ? sprintf('%.0f M', v / 1e6) : v >= 1e3 ? sprintf('%.0f k', v / 1e3) : sprintf('%g', v)
power_marks(low, high) = low > 1.001 * high ? '' : sprintf("'%s' %.9g%s", power_name(low), low, low > 0.999 * high ? '' : ', ') \
    .power_marks(low * 10, high)
powers = "set logscale x; set xrange [x_low * 0.99999:x_high * 1.00001]; eval 'set xtics ('.power_marks(10.0 ** ceil(log10(x_low) - 1e-9), x_high).')'"
texts = "do for [i = 1:labels] { eval sprintf(\"set label %d label_text[%d] at screen px(label_x[%d]), text_y(label_y[%d]) %s " \
    ."font label_font[%d] textcolor rgb label_ink[%d] front\", i, i, i, i, label_side[i], i, i) }"
# A colour of that strength from 0 (nothing of it) to 1.
tint(ink, strength) = ink + (int(255 * (1 - (strength >= 0 ? strength : 0))) << 24)
