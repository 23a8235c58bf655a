#!/bin/sh
# manuals.sh HOTGRAPH FOLDER: a page of man(1) for each command, from the program's own tables.
set -eu
hotgraph=$1 out=$2
rm -rf "$out"
mkdir -p "$out"
"$hotgraph" --help=man >"$out/hotgraph.1"
for command in $("$hotgraph" --help=options | cut -f 2); do
    "$hotgraph" "$command" --help=man >"$out/hotgraph-$command.1"
    for word in $("$hotgraph" "$command" --help=options | sed -n 's/^word\t//p'); do
        "$hotgraph" "$command" "$word" --help=man >"$out/hotgraph-$command-$word.1"
    done
done
