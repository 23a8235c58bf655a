# Pictures in text become one pattern table (256 tiles, .byte rows) and the numbers of the named tiles.
# Usage: awk -v prefix=BG_ -v header=FILE.h -f chr.awk TEXT... > FILE.s
# font glyphs lie 5 wide in columns of 6 at tile ASCII - 32; "at N" sets the number of the next tile.
BEGIN {
    colour["."] = 0; colour["-"] = 1; colour["+"] = 2; colour["#"] = 3
    for (i = 32; i < 127; i++) ascii[sprintf("%c", i)] = i
    mode = ""; next_tile = 0
}
function fail(what) {
    printf "%s:%d: %s\n", FILENAME, FNR, what > "/dev/stderr"
    failed = 1
    exit 1
}
function name_tile(name, number) {
    number_of[name] = number
    printf "#define %s%s %d\n", prefix, name, number > header
}
function pixel(tile, x, y, c) {
    if (!(c in colour)) fail("no colour: " c)
    pix[tile, x, y] = colour[c]
}
/^#/ && mode == "" { next }
NF == 0 { next }
mode == "" && $1 == "at" { next_tile = $2; next }
mode == "" && $1 == "font" { glyphs = $2; mode = "font"; row = 0; next }
mode == "" && ($1 == "tile" || $1 == "cell") {
    name_tile($2, next_tile)
    mode = $1; row = 0; first = next_tile
    next_tile += mode == "tile" ? 1 : 4
    next
}
mode == "" && $1 == "flip" {
    name_tile($2, next_tile)
    if (!($3 in number_of)) fail("no tile: " $3)
    for (y = 0; y < 8; y++)
        for (x = 0; x < 8; x++)
            pix[next_tile, x, y] = pix[number_of[$3], $4 ~ /h/ ? 7 - x : x, $4 ~ /v/ ? 7 - y : y]
    next_tile++
    next
}
mode == "font" {
    for (g = 0; g < length(glyphs); g++)
        for (x = 0; x < 5; x++)
            pixel(ascii[substr(glyphs, g + 1, 1)] - 32, x + 1, row, substr($0, g * 6 + x + 1, 1))
    if (++row == 7) mode = ""
    next
}
mode == "tile" {
    if (length($0) != 8) fail("a tile's row has 8 pixels")
    for (x = 0; x < 8; x++) pixel(first, x, row, substr($0, x + 1, 1))
    if (++row == 8) mode = ""
    next
}
mode == "cell" {
    if (length($0) != 16) fail("a cell's row has 16 pixels")
    for (x = 0; x < 16; x++)
        pixel(first + (x >= 8) + 2 * (row >= 8), x % 8, row % 8, substr($0, x + 1, 1))
    if (++row == 16) mode = ""
    next
}
{ fail("not understood: " $0) }
END {
    if (failed) exit 1
    if (next_tile > 256) { print "more than 256 tiles" > "/dev/stderr"; exit 1 }
    for (t = 0; t < 256; t++)
        for (plane = 1; plane <= 2; plane++) {
            line = "    .byte "
            for (y = 0; y < 8; y++) {
                bits = ""
                for (x = 0; x < 8; x++)
                    bits = bits (int(pix[t, x, y] / plane) % 2)
                line = line (y ? ", " : "") "%" bits
            }
            print line
        }
}
