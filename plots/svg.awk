# svg.awk figures/style.gp figures/NAME.gp -: gnuplot's SVG becomes one for pages: a class and a plain colour for each ink, the
# colours of a dark screen, a title that is shown where the pointer rests, no identifiers, and no script.
# style.gp has "ink_NAME = 0xRRGGBB # dark RRGGBB", NAME.gp "# id:", "# title:" and "# description:".
# A text drawn as hypertext is the hint of its point; on a cross (pt 1) it is that of the next box of the plot before.
function digits(colour, part, n) {
    gsub(/[^0-9,]/, "", colour)
    n = split(colour, part, ",")
    return n == 3 ? sprintf("%02x%02x%02x", part[1], part[2], part[3]) : first
}
function value(line, key, at) {
    at = match(line, "[ ]" key " *= *['\"][^'\"]*['\"]")
    if (!at)
        return ""
    line = substr(line, RSTART, RLENGTH)
    sub(/^[^'"]*['"]/, "", line)
    return substr(line, 1, length(line) - 1)
}
function inked(attribute, colour, hex) {
    hex = digits(colour)
    return " class='" (attribute == "fill" ? "f" : "k") "-" (hex in ink ? ink[hex] : "text") "'" \
        (attribute == "fill" ? "" : " fill='none'") " " attribute "='#" hex "'"
}
function number(text) {
    if (text ~ /\./)
        sub(/\.?0+$/, "", text)
    return text
}
function shape(tag, more, hint) {
    lines[++count] = "<" tag more (hint == "" ? "/>" : "><title>" hint "</title></" tag ">")
}
function path(text, d, part, n, i, out, dashes) {
    d = value(text, "d")
    n = split(d, part, " ")
    for (i = 1; i <= n; i++) {
        if (part[i] ~ /^M/ && (i == n || part[i + 1] ~ /^M/))
            continue
        if (part[i] ~ /,/)
            out = out substr(part[i], 1, 1) number(substr(part[i], 2, index(part[i], ",") - 2)) " " \
                number(substr(part[i], index(part[i], ",") + 1))
        else
            out = out part[i]
    }
    dashes = value(text, "stroke-dasharray")
    gsub(/^ +/, "", dashes)
    gsub(/,/, " ", dashes)
    if (out ~ /L/)
        shape("path", " d='" out "'" inked("stroke", value(text, "stroke")) " stroke-width='" number(width) "'" \
            (dashes == "" ? "" : " stroke-dasharray='" dashes "'"))
}
# Boxes lie along the axes.
function box(text, part, n, i, xy, x1, y1, x2, y2, opacity) {
    n = split(value(text, "points"), part, " ")
    for (i = 1; i <= n; i++) {
        split(part[i], xy, ",")
        if (i == 1 || xy[1] < x1) x1 = xy[1]
        if (i == 1 || xy[1] > x2) x2 = xy[1]
        if (i == 1 || xy[2] < y1) y1 = xy[2]
        if (i == 1 || xy[2] > y2) y2 = xy[2]
    }
    opacity = value(text, "fill-opacity")
    shape("rect", " x='" number(x1 "") "' y='" number(y1 "") "' width='" number(sprintf("%.2f", x2 - x1)) "' height='" \
        number(sprintf("%.2f", y2 - y1)) "'" inked("fill", value(text, "fill")) (opacity == "" ? "" : " fill-opacity='" opacity "'"))
    boxes[++last_box] = count
}
function point(text, hint, kind, x, y, r, ink_of, opacity) {
    match(text, /translate\([^)]*\)/)
    x = substr(text, RSTART + 10, RLENGTH - 11)
    y = substr(x, index(x, ",") + 1)
    x = substr(x, 1, index(x, ",") - 1)
    match(text, /scale\([^)]*\)/)
    r = substr(text, RSTART + 6, RLENGTH - 7) + 0
    ink_of = inked("fill", value(text, "color"))
    opacity = value(text, "opacity")
    if (opacity != "")
        ink_of = ink_of " fill-opacity='" number(opacity) "'"
    kind = value(text, "xlink:href")
    if (kind == "#gpPt6")
        shape("circle", " cx='" number(x) "' cy='" number(y) "' r='" number(sprintf("%.2f", r)) "'" ink_of, hint)
    else if (kind == "#gpPt12")
        shape("path", " d='M" number(x) " " number(sprintf("%.2f", y - 1.414 * r)) "l" corners(1.414 * r) "Z'" ink_of, hint)
    else if (kind == "#gpPt8")
        shape("path", " d='M" number(x) " " number(sprintf("%.2f", y - 1.33 * r)) "l" number(sprintf("%.2f", 1.33 * r)) " " \
            number(sprintf("%.2f", 2 * r)) "h" number(sprintf("%.2f", -2.66 * r)) "Z'" ink_of, hint)
    else if (kind == "#gpPt0" && next_box <= last_box) {
        sub(/\/>$/, "><title>" hint "</title></rect>", lines[boxes[next_box]])
        next_box++
    }
}
function corners(r) {
    r = number(sprintf("%.2f", r))
    return r " " r "l-" r " " r "l-" r " -" r
}
function words(place, text, anchor, size, turn, x, y) {
    match(place, /translate\([^)]*\)/)
    x = substr(place, RSTART + 10, RLENGTH - 11)
    y = substr(x, index(x, ",") + 1)
    x = substr(x, 1, index(x, ",") - 1)
    anchor = value(place, "text-anchor")
    size = value(place, "font-size")
    turn = match(place, /rotate\([^)]*\)/) ? substr(place, RSTART + 7, RLENGTH - 8) : ""
    sub(/^ */, "", text)
    sub(/ *$/, "", text)
    if (text == "")
        return
    lines[++count] = "<text x='" number(x) "' y='" number(y) "'" (anchor == "start" ? "" : " text-anchor='" anchor "'") \
        (turn == "" ? "" : " transform='rotate(" number(turn) " " number(x) " " number(y) ")'") \
        (place ~ /Mono/ ? code(inked("fill", value(place, "fill"))) : inked("fill", value(place, "fill"))) ">" text "</text>"
}
function code(attributes) {
    sub(/' fill/, " code' fill", attributes)
    return attributes
}
FNR == 1 { file++ }
file == 1 && /^ink_[a-z0-9]+ = 0x/ {
    hex = substr($3, 3)
    if (first == "")
        first = hex
    name = substr($1, 5)
    if (!(hex in ink))
        ink[hex] = name
    if (name == "paper")
        paper = hex
    dark = dark ".f-" name "{fill:#" $6 "}.k-" name "{stroke:#" $6 "}\n"
}
file == 2 && /^# id: / { id = substr($0, 7) }
file == 2 && /^# title: / { title = substr($0, 10) }
file == 2 && /^# description: / { description = substr($0, 16) }
file < 3 { next }
/viewBox=/ { box_of = value($0, "viewBox") }
/<\/defs>/ { drawn = 1; next }
!drawn { next }
/<g id="gnuplot_plot_/ { fresh = 1 }
/stroke-width="/ { width = value($0, "stroke-width") }
/<path / && open != "" {
    path(open " " substr($0, 1, index($0, "<path ") - 1))
    open = ""
}
/<path / { open = substr($0, index($0, "<path ")) }
!/<path / && open != "" { open = open " " $0 }
open ~ /\/>/ {
    while ((at = index(open, "/>"))) {
        path(substr(open, 1, at + 1))
        open = substr(open, at + 2)
        open = index(open, "<path ") ? substr(open, index(open, "<path ")) : ""
    }
}
/<polygon / {
    if (fresh) {
        fresh = 0
        next_box = last_box + 1
    }
    box($0)
}
/onmousemove=/ {
    hint = $0
    sub(/^.*showHypertext\(evt,'/, "", hint)
    sub(/'\)" onmouseout=.*$/, "", hint)
}
/<use / { point($0, hint); hint = "" }
/<g transform="translate/ { place = $0; sub(/^.*<g transform/, "<g transform", place) }
/<text[ >]/ {
    text = $0
    sub(/^.*<text[^>]*>/, "", text)
    sub(/<\/text>.*$/, "", text)
    words(place, text)
}
END {
    split(box_of, size, " ")
    print "<svg xmlns='http://www.w3.org/2000/svg' viewBox='" box_of "' role='img' aria-labelledby='" id "-t " id "-d' class='fig" \
        (size[3] > 480 ? " wide" : "") "' width='" size[3] "' height='" size[4] "' font-size='14' " \
        "font-family=\"system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif\">"
    print "<style>\n:root{color-scheme:light dark}.code{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}"
    print "@media screen and (prefers-color-scheme:dark){\n" dark "}\n</style>"
    print "<rect width='100%' height='100%' class='f-paper' fill='#" paper "'/>"
    print "<title id='" id "-t'>" title "</title>\n<desc id='" id "-d'>" description "</desc>"
    for (i = 1; i <= count; i++)
        print lines[i]
    print "</svg>"
}
