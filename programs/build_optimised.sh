#!/bin/sh
# Builds in a folder the programs that configs/optimise.cfg has laid out by BOLT: the kernels, and programs from Debian's source
# packages, all static and with relocations; and their inputs. Programs that cannot be fetched or built are named in one line
# each and left out. Flags are several words, and awk fills in its own variables.
# shellcheck disable=SC2086,SC2016
set -u
folder=$1
case $folder in -*) folder=./$folder ;; esac
here=$(dirname -- "$(realpath -- "$0")")
mkdir -p "$folder/sources" || exit
folder=$(realpath -- "$folder")
cc=${CC:-gcc} cflags="-O2 -g0 -fno-reorder-blocks-and-partition" ldflags="-static -Wl,--emit-relocs"
logs=$folder/sources
export LC_ALL=C SOURCE_DATE_EPOCH=1

python3 "$here/inputs.py" "$folder" || exit

# Debian's sources, even on machines without deb-src entries: their own entries are used as source entries. Nothing outside
# the folder changes.
apt() {
    command apt-get -q -o Dir::Etc::SourceList="$logs/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::Lists="$logs/apt/lists" -o APT::Sandbox::User=root "$@"
}
set_up_apt() {
    test ! -e "$logs/apt/done" || return 0
    mkdir -p "$logs/apt/lists/partial" || return
    apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT) $(ORIGIN) $(SIGNED_BY)' 'Created-By: Packages' 2>/dev/null |
        awk '$4 == "Debian" && $3 == "main" { print "deb-src" ($5 ~ /^\// ? " [signed-by=" $5 "]" : ""), $1, $2, $3 }' |
        sort -u >"$logs/apt/sources.list"
    test -s "$logs/apt/sources.list" || { echo "apt has no source of Debian's packages" >&2; return 1; }
    apt update && touch "$logs/apt/done"
}

# sources PACKAGE: fetches and unpacks them as sources/PACKAGE.
sources() {
    test -e "$logs/$1.there" && return
    rm -rf "${logs:?}/$1" && mkdir "$logs/$1" && cd "$logs/$1" && set_up_apt && apt source --only-source "$1" &&
        mv "$logs/$1"/*/ "$logs/$1/source" && touch "$logs/$1.there"
}

# With the time stamps of patched files, make would need autoconf.
no_autotools="AUTOCONF=: AUTOHEADER=: AUTOMAKE=: ACLOCAL=: MAKEINFO=:"
configured() {
    test -e configured || { ./configure CC="$cc" CFLAGS="$cflags" LDFLAGS="$ldflags" --disable-dependency-tracking "$@" &&
        touch configured; }
}
make_kernels() { $cc $cflags $ldflags -o "$folder/kernels" "$here/kernels.c"; }
make_bzip2() {
    $cc $cflags $ldflags -D_FILE_OFFSET_BITS=64 -o "$folder/bzip2" bzip2.c blocksort.c huffman.c crctable.c randtable.c compress.c \
        decompress.c bzlib.c
}
# BOLT 19 refuses functions with computed goto. Debian's build generates the header.
make_lua() {
    cd src && rm -f luac.c && echo '#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"' >lua5.4-deb-multiarch.h && $cc -std=gnu99 $cflags -DLUA_COMPAT_5_3 -DLUA_USE_POSIX -DLUA_USE_JUMPTABLE=0 $ldflags -o "$folder/lua" ./*.c -lm
}
make_gzip() { configured && make $no_autotools version.c version.h && make $no_autotools -C lib && make $no_autotools gzip && cp gzip "$folder/gzip"; }
make_gawk() {
    configured --disable-nls --disable-mpfr --disable-extensions --disable-pma --without-readline &&
        make $no_autotools -C support && make $no_autotools gawk && cp gawk "$folder/gawk"
}
make_sqlite3() {
    { test -e configured || { ./configure --disable-tcl --disable-readline --disable-shared && touch configured; }; } &&
        make sqlite3.c shell.c &&
        $cc $cflags $ldflags -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -I. -o "$folder/sqlite3" sqlite3.c shell.c -lm
}

# build PROGRAM [PACKAGE]: in a log; one line if it fails.
build() {
    test ! -e "$folder/$1" || return 0
    log=$logs/$1.log
    if test $# = 1; then (make_"$1"); else (sources "$2" && cd "$logs/$2/source" && make_"$1"); fi >"$log" 2>&1 && return
    rm -f "$folder/$1"
    echo "$1 is left out: $(grep -m1 -i -E 'error|unable|cannot|not found|no source' "$log" || tail -1 "$log") ($log)" >&2
}
build kernels
build bzip2 bzip2
build lua lua5.4
build gzip gzip
build gawk gawk
build sqlite3 sqlite3
exit 0
