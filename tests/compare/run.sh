#!/bin/sh
# run.sh HOTGRAPH ROM MOVIE [FRAMES] [--checkpoint ADDR | --pictures]: plays a movie here and in the emulators of
# Debian that are installed (packages fceux, libretro-nestopia), and compares RAM after every frame;
# with --checkpoint, right after each write to the byte ADDR (hexadecimal) of zero page instead, for
# games that compute across vertical blank; with --pictures, pictures instead. Exit status 77 when there is none to compare with.
set -eu
usage() {
    echo "usage: run.sh HOTGRAPH ROM MOVIE [FRAMES] [--checkpoint ADDR | --pictures]" >&2
    exit 2
}
checkpoint='' pictures='' operands=0
while test $# -gt 0; do
    case $1 in
    --checkpoint)
        test $# -ge 2 || usage
        checkpoint=$2
        shift
        ;;
    --pictures) pictures=yes ;;
    *)
        operands=$((operands + 1))
        eval "operand$operands=\$1"
        ;;
    esac
    shift
done
test "$operands" = 3 || test "$operands" = 4 || usage
hotgraph=$operand1 rom=$(realpath "$operand2") movie=$(realpath "$operand3") frames=${operand4:-}
case $checkpoint in # FCEUX reports both writes of an absolute INC, hence zero page.
'') byte='' mode='' ;;
[0-9A-Fa-f][0-9A-Fa-f]) byte=$((0x$checkpoint)) mode=--checkpoints ;;
*) usage ;;
esac
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Lines that reset the console (but the first) take no frame.
resets=$(awk '/^\|/ {if (n > 0 && $0 !~ /^\|0/) printf "%d ", n; n++}' "$movie")
test -n "$frames" || frames=$(($(grep -c '^|' "$movie") - $(echo "$resets" | wc -w)))
compared=0 failed=0

# compare NAME: our dump with the one that NAME has written, if it has.
compare() {
    compared=$((compared + 1))
    if test -n "$pictures" && test -s "$work/$1.pictures"; then
        python3 "$here/picturediff.py" "$work/ours.pictures" "$work/$1.pictures" "$1" ||
            failed=$((failed + 1))
        rm "$work/$1.pictures"
    elif test -z "$pictures" && test -s "$work/$1.ram"; then
        python3 "$here/ramdiff.py" "$work/ours.ram" "$work/$1.ram" "$1" $mode || failed=$((failed + 1))
    else
        cat "$work/$1.log"
        failed=$((failed + 1))
    fi
}

if test -n "$pictures"; then
    dump="--dump-pictures=$work/ours.pictures"
elif test -n "$checkpoint"; then
    dump="--dump-ram-at=$checkpoint:$work/ours.ram"
else
    dump="--dump-ram=$work/ours.ram"
fi
"$hotgraph" replay "$rom" --movie "$movie" --frames "$frames" "$dump" >/dev/null

fceux=$(command -v fceux || echo /usr/games/fceux)
if test -x "$fceux"; then
    mkdir "$work/home"
    export HOME="$work/home" XDG_RUNTIME_DIR="$work/home" QT_QPA_PLATFORM=offscreen
    # Its first start writes a configuration with an OpenGL window; 2 is the one without.
    mkdir "$HOME/.fceux"
    printf 'SDL.ShowFrameCount = 0\nSDL.ShowLagCount = 0\nSDL.VideoDriver = 2\nSDL.Sound = 0\nSDL.PauseFrame = 0\nSDL.ShowGuiMessages = 0\n' >"$HOME/.fceux/fceux.cfg"
    test -z "$pictures" || export PICTURES="$work/fceux.pictures"
    RESETS=$resets FRAMES=$frames OUT="$work/fceux.ram" MOVIE="$movie" CHECKPOINT=$byte timeout 600 \
        "$fceux" --sound 0 --loadlua "$here/fceux.lua" "$rom" >"$work/fceux.log" 2>&1 || :
    compare fceux
fi

for core in /usr/lib/*/libretro/nestopia_libretro.so; do
    test -f "$core" || continue
    ${CC:-cc} -O1 -D_GNU_SOURCE -o "$work/nestopia" "$here/nestopia.c" -ldl
    test -z "$resets" || { echo "nestopia: left out: the movie has resets"; continue; }
    status=0
    test -z "$pictures" || export PICTURES="$work/nestopia.pictures"
    (cd "$work" && ./nestopia "$core" "$rom" "$movie" "$frames" nestopia.ram $byte >nestopia.log 2>&1) ||
        status=$?
    test "$status" != 77 || { echo "nestopia: left out: $(tail -n 1 "$work/nestopia.log")"; continue; }
    compare nestopia
done

test "$compared" -gt 0 || { echo "neither fceux nor libretro-nestopia is installed: nothing compared"; exit 77; }
test "$failed" = 0
