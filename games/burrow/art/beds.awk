# Beds in text become runs: one byte is kind * 16 + length - 1, in reading order, 154 cells a bed.
# Labels bed_NAME; a table bed_lo/bed_hi in the order of the text.
BEGIN {
    kinds = ".%#_~rNSb?@"
    cells = 14 * 11
}
function fail(what) {
    printf "%s:%d: %s\n", FILENAME, FNR, what > "/dev/stderr"
    failed = 1
    exit 1
}
function flush_run() {
    if (run) bytes = bytes (bytes == "" ? "    .byte " : ", ") sprintf("$%02x", kind * 16 + run - 1)
    run = 0
}
function end_bed() {
    if (name == "") return
    flush_run()
    if (total != cells) fail("bed " name " has " total " cells, not " cells)
    print "bed_" name ":"
    print bytes
}
/^# / || NF == 0 { next }
$1 == "bed" { end_bed(); name = $2; list = list (list == "" ? "" : ", ") "bed_" name; bytes = ""; run = total = 0; next }
{
    if (length($1) != 14) fail("a row has 14 cells")
    for (i = 1; i <= 14; i++) {
        k = index(kinds, substr($1, i, 1)) - 1
        if (k < 0) fail("no such cell")
        if (run && (k != kind || run == 16)) flush_run()
        kind = k
        run++
        total++
    }
}
END {
    if (failed) exit 1
    end_bed()
    print "bed_lo: .lobytes " list
    print "bed_hi: .hibytes " list
}
