#!/bin/sh
# Makes what configs/programs.cfg needs in a folder: inputs, and the kernels for each processor that there is a compiler for.
set -eu
folder=$1
case $folder in -*) folder=./$folder ;; esac
here=$(dirname -- "$(realpath -- "$0")")
mkdir -p "$folder"
python3 "$here/inputs.py" "$folder"
for of in x86_64:gcc aarch64:aarch64-linux-gnu-gcc riscv64:riscv64-linux-gnu-gcc; do
    cc=${of#*:} out=$folder/kernels-${of%%:*}
    command -v "$cc" >/dev/null || { echo "kernels: no $cc" >&2; continue; }
    test -n "$(find "$out" -newer "$here/kernels.c" 2>/dev/null)" || "$cc" -O2 -static -o "$out" "$here/kernels.c" ||
        echo "kernels: $cc cannot build them; is there a static C library?" >&2
done
touch "$folder" # for ninja: everything is built
