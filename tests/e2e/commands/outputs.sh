# Output files: if this fails, a result overwrites another result or its own input, or an hour of work is lost because the
# output cannot be written.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"
cp "$source/games/mazewisp.nes" game.nes
cp "$source/configs/quick.cfg" file.cfg
: >seen

# writes COMMAND OPERAND OUTPUTS INPUTS: options as NAME or NAME:PREFIX of its value; FOLDERS (databases, folders) are
# made or opened before the work, by messages of their own.
writes() {
    command=$1 operand=$2 outputs=$3 inputs=$4 folders=${5:-}
    for o in $outputs $inputs $folders; do echo "$command --${o%%:*}" >>seen; done
    earlier=
    for o in $outputs $folders; do
        name=${o%%:*} prefix=
        test "$name" = "$o" || prefix=${o#*:}:
        for other in $earlier; do
            prefix2=
            test "${other%%:*}" = "$other" || prefix2=${other#*:}:
            rm -f same.png
            refuses 2 "are the same file, '" $command --${other%%:*} "${prefix2}same.png" --$name "${prefix}./same.png" $operand
            : >same.png
            refuses 2 "are the same file, '" $command --${other%%:*} "${prefix2}same.png" --$name "${prefix}$work/same.png" $operand
            test ! -s same.png || fail "$command wrote it all the same"
        done
        earlier="$earlier $o"
        echo kept >input.png
        for input in $inputs; do
            refuses 2 "--$name would overwrite --$input, 'input.png'" $command --$input input.png --$name "${prefix}input.png" $operand
        done
        for file in $operand; do
            test ! -f "$file" || refuses 2 "--$name would overwrite " $command --$name "$prefix$file" $operand
        done
        grep -qx kept input.png || fail "$command --$name: its input is overwritten"
    done
    mkdir -p folder
    for o in $outputs; do
        name=${o%%:*} prefix=
        test "$name" = "$o" || prefix=${o#*:}:
        refuses 1 "none/new.png: cannot be written: its folder none does not exist" $command --$name "${prefix}none/new.png" $operand
        refuses 1 "game.nes/new.png: cannot be written: game.nes is not a folder" $command --$name "${prefix}game.nes/new.png" $operand
        refuses 1 "folder: cannot be written: Is a directory" $command --$name "${prefix}folder" $operand
    done
}
cat >work.c <<'END'
#include <stdio.h>
int main(void) { fclose(fopen("ran", "w")); return 0; }
END
cp "$(command -v ls)" program
! ${CC:-cc} -o program work.c 2>/dev/null || compiled=yes
cp program kept
: >stream; : >g.graph; : >h.graph; : >some.db
writes replay game.nes "ram-hash dump-ram dump-pictures dump-ram-at:11 screenshot:2 save-state" "movie load-state profile" video
writes sample game.nes out "structure movie load-state"
writes exact game.nes "out dot" "movie load-state"
writes structure game.nes out "movie load-state"
writes profile game.nes "out dot" "movie load-state"
writes cost game.nes functions "structure movie load-state"
writes costs file.cfg "" "" db
writes blocks game.nes "" "movie load-state"
writes lockstep game.nes "" "movie load-state"
writes testrom game.nes "" "table log"
writes build stream "out dot" structure
writes compare "g.graph h.graph" dot structure
writes export g.graph out "bolt structure"
writes import stream "graph structure stream" "images bolt qemu"
writes report some.db "" "" out
writes sweep file.cfg "" known "db report"
writes bench file.cfg "" "" db
writes optimise file.cfg "" "" db
writes "movie make" game.nes out ""
writes init "--game=game.nes=none.fm2" out ""
if "$hotgraph" help native >/dev/null 2>&1; then
    writes native ./program "json graph structure sample" "images placement" db
    writes measured ./program "" "" db
fi
if command -v qemu-x86_64 >/dev/null && test "$(uname -m)" = x86_64; then
    writes record ./program "graph stream meta dot structure trace output" input
    refuses 2 "GRAPH.meta and --stream are the same file, 'g.meta'" record --graph g --stream g.meta:every=50 -- ./program
    test ! -e ran || fail "the program ran before it was known whether its graph can be written"
    if test -n "${compiled:-}"; then
        "$hotgraph" record --graph ./ran.graph --stream ran.isampling --dot /dev/null --structure /dev/null -- ./program 2>errors || fail "$(cat errors)"
        test -e ran || fail "the program did not run"
    fi
else
    for o in graph stream meta dot structure trace output input; do echo "record --$o" >>seen; done
fi
same program kept

# Every option with a file in its manual is one of these.
printf '%s\n' 'record --folder' 'record --sysroot' 'import --sysroot' >>seen
"$hotgraph" --help=options | cut -f2 | while read -r command; do
    for part in "" $(test "$command" != movie || echo make); do
        "$hotgraph" $command $part --help=options 2>/dev/null | awk -F'\t' -v c="$command${part:+ $part}" '$2 == "file" {print c, $1}'
    done
done | while read -r option; do
    grep -qxF -e "$option" seen || fail "nobody looks at $option"
done

# Through links of all kinds, and other spellings of the path.
mkdir real && ln -s real linked && ln -s target dangling
: >there && ln there hard && ln -s there soft
for pair in "real/x linked/x" "there hard" "there soft" "soft hard" "real/../x x" "real/../real/y linked/./y"; do
    refuses 2 "are the same file" exact game.nes --out "${pair% *}" --dot "${pair#* }"
done
refuses 2 "are the same file" exact game.nes --out /dev/full --dot /dev/full
refuses 2 "would overwrite" exact linked/../game.nes --out real/../game.nes
ln game.nes twin
refuses 2 "would overwrite" exact game.nes --out twin
ln -s game.nes other
refuses 2 "would overwrite" exact game.nes --out other
same game.nes "$source/games/mazewisp.nes"
# No clash: several outputs to /dev/null, names that only look alike, a link to a file that does not
# exist yet.
"$hotgraph" exact game.nes --frames 2 --out /dev/null --dot /dev/null || fail "/dev/null takes everything"
"$hotgraph" exact game.nes --frames 2 --out real/x --dot x || fail "two folders"
"$hotgraph" exact game.nes --frames 2 --out dangling --dot soft || fail "links"
test -s x && test -s real/x && test -L soft && test -s there || fail "they are not written"
# A game's own ROM and movie are inputs, though only its name is typed.
mkdir project && cp -r "$source/games" "$source/movies" project && mkdir project/configs && cp "$source/configs/games.cfg" project/configs
cd project
refuses 2 "--save-state would overwrite the game's ROM" replay mazewisp --save-state games/mazewisp.nes
refuses 2 "--out would overwrite the game's movie" exact mazewisp --out movies/mazewisp.fm2
refuses 2 "--out would overwrite the game's movie" profile mazewisp --out movies/mazewisp.fm2
refuses 2 "--out would overwrite the game's movie" movie make mazewisp --out movies/mazewisp.fm2
# A read-only disk.
cd "$work"
if test "$(id -u)" != 0; then
    chmod 500 real
    refuses 1 "real/new: cannot be written: Permission denied" exact game.nes --out real/new
    : >closed && chmod 400 closed
    refuses 1 "closed: cannot be written: Permission denied" exact game.nes --out closed
fi
