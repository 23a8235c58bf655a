# The disk fills up while tables and figures are written: if this fails, half a picture gets printed, or
# a script continues without its tables.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
sweep experiment.cfg --db x.db --games one,two
"$hotgraph" report x.db --out whole 2>errors || fail "report: $(cat errors)"

# left FOLDER: each file in it is complete, that is, equal to that of the report that
# had room.
left() {
    (cd "$1" && find . -type f ! -name filler) >left.txt
    while read -r file; do
        cmp -s "$1/$file" "whole/$file" || fail "$2: $file is cut off, or was only for a while"
    done <left.txt
}

# A limit of 512-byte blocks for each file stands for a disk with little space.
for blocks in 1 4 16 40 60; do
    status=0
    (trap '' XFSZ && ulimit -f $blocks && exec "$hotgraph" report x.db --out "limit$blocks") \
        >/dev/null 2>errors || status=$?
    test $status = 1 || fail "files of at most $blocks blocks: status $status: $(cat errors)"
    grep -q '^hotgraph: ' errors || fail "files of at most $blocks blocks: $(cat errors)"
    test ! -d "limit$blocks" || left "limit$blocks" "files of at most $blocks blocks"
done

# Not every gnuplot reports a failed write: this one truncates its pictures and exits with 0.
mkdir bin
cat >bin/gnuplot <<END
#!/bin/sh
"$(command -v gnuplot)" "\$@" || exit
find "$work/cut" -name '*.part' -exec truncate -s -20 {} +
END
chmod +x bin/gnuplot
(PATH=$work/bin:$PATH && refuses 1 'has not drawn it whole' report x.db --out cut) || exit 1
left cut "a gnuplot that cuts pictures"

mkdir small
mount -t tmpfs -o size=4m tmpfs small 2>/dev/null || skip "mounting a small tmpfs is not allowed"
cleanup() { umount "$work/small" 2>/dev/null || :; }
for room in 8 48 96 200 300; do
    head -c $(((4096 - room) * 1024)) /dev/zero >small/filler
    refuses 1 'small/out' report x.db --out small/out
    test ! -d small/out || left small/out "$room KiB"
    rm -rf small/out small/filler
done
# The same for a sweep with nothing else to do; once there is room it completes the report.
head -c $((4000 * 1024)) /dev/zero >small/filler
refuses 1 'small/out' sweep experiment.cfg --db x.db --games one,two --report small/out
rm small/filler
sweep experiment.cfg --db x.db --games one,two --report small/out
(cd whole && find . -type f | sort) >expected.txt
(cd small/out && find . -type f ! -name stamp.txt | sort) | cmp - expected.txt || fail "not mended"
