#!/bin/sh
# coverage.sh [BUILD]: how many lines of each parser the seeds in tests/corpus execute, on their own.
# Fails when a parser has less than 95 %, and shows the lines that none of its seeds reaches.
#
# Each fuzz target replays its seeds once, built by clang with coverage; nothing is left out of the
# count. Lines that handle a lack of memory are reached because the targets let allocations fail.
set -eu
source=$(dirname "$(dirname "$(realpath "$0")")")
build=${1:-$source/build-coverage}
least=95
flags="-fprofile-instr-generate -fcoverage-mapping"
test -f "$build/build.ninja" ||
    CC=clang CFLAGS="$flags" LDFLAGS="$flags" meson setup "$build" "$source" -Dfuzz=true >/dev/null
failed=0

# measure TARGET FILE...: the lines of these files, from the target's seeds.
measure() {
    target=$1
    shift
    ninja --quiet -C "$build" "tests/fuzz_$target"
    program=$build/tests/fuzz_$target
    LLVM_PROFILE_FILE=$build/$target.profraw "$program" -runs=0 "$source/tests/corpus/$target" \
        >"$build/$target.log" 2>&1 || { cat "$build/$target.log"; exit 1; }
    llvm-profdata merge "$build/$target.profraw" -o "$build/$target.profdata"
    for file; do
        llvm-cov export -format=lcov -instr-profile="$build/$target.profdata" "$program" |
            awk -F '[:,]' -v least="$least" -v target="$target" -v file="$file" -v name="$source/$file" '
                BEGIN {while ((getline text <name) > 0) line[++n] = text}
                /^SF:/ {wanted = substr($0, length($0) - length(file)) == "/" file}
                wanted && /^DA:/ {all++; hit += $3 > 0; if ($3 == 0) missed = missed sprintf("    %d: %s\n", $2, line[$2])}
                END {
                    percent = all > 0 ? 100 * hit / all : 0
                    printf "%-10s %-28s %4d of %4d lines  %5.1f %%\n%s", target, file, hit, all, percent, missed
                    exit percent < least
                }' || failed=1
    done
}

measure callgrind core/qemu/import/callgrind_text.c
measure cartridge core/nes/media/cartridge.c
measure config sweep/config/config.c sweep/config/exec_technique.c sweep/config/fields.c sweep/config/includes.c \
    sweep/config/points.c sweep/config/product.c sweep/config/programs.c sweep/config/sampling.c
measure fdata core/qemu/import/fdata_text.c
measure graph core/graph/graph_text.c
measure movie core/nes/media/movie.c core/nes/media/movie_fm2.c core/nes/run/movie_play.c
measure perf core/qemu/import/perf_text.c
measure qemu_log core/qemu/import/qemu_log_text.c core/qemu/import/import_qemu.c
measure stream core/profile/stream/isampling.c core/profile/stream/stream.c
measure stream_binary core/profile/stream/stream_binary.c
measure trace core/profile/program/program_trace.c core/profile/program/program_trace_file.c
exit "$failed"
