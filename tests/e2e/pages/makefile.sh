# `make sweep`: if this fails, a user waits for a minute without knowing why, or is not told where the
# results are. Scripts stand in for Ninja and meson; the program is the real one.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
command -v make >/dev/null || skip "no make"
mkdir bin build
cat >bin/ninja <<'END'
#!/bin/sh
case " $* " in
*" -n "*) test -e built || printf '[1/3] Compiling C object a.o\n[2/3] Compiling C object b.o\n[3/3] Linking target x\n' ;;
*) echo "$*" >>built; test ! -e broken || { echo "a.c:1: error: broken"; exit 1; } ;;
esac
END
cat >bin/meson <<'END'
#!/bin/sh
case $1 in
setup) touch "$2/build.ninja" ;;
configure) seq 90; for word; do echo "$word"; done >configured ;;
install) seq 90 ;;
esac
END
printf '#!/bin/sh\nprintf " installed:%%s " "$@"\n' >bin/dpkg-query # everything is installed
chmod +x bin/*
ln -s "$hotgraph" build/hotgraph
run() {
    PATH=$work/bin:$PATH make -f "$source/Makefile" --no-print-directory "$@" >out 2>&1
}

run sweep CONFIG=experiment.cfg || fail "make sweep: $(cat out)"
head -4 out | tr '\n' '|' | grep -q '^Setting up build/|Building the program: 2 files to compile, .* at a time|Built in [0-9]* s|Sweeping experiment.cfg into results/hotgraph.db|' ||
    fail "make sweep does not say what it does: $(head -5 out)"
PATH=$work/bin:$PATH make -n -f "$source/Makefile" RESULTS=elsewhere programs 2>/dev/null | grep -q "^mkdir -p 'elsewhere'" ||
    fail "make programs writes into a folder that it does not make"
for of in programs:recorded optimise:optimise; do
    what=${of%:*} list=configs/${of#*:}.cfg
    folder=$(sed -n 's,.*folder = "\.\./\([^"]*\)".*,\1,p' "$source/$list" | sort -u)
    PATH=$work/bin:$PATH make -n -f "$source/Makefile" BUILD=elsewhere $what 2>/dev/null | grep -q "programs/build[a-z_]*\.sh $folder\$" ||
        fail "with another BUILD, make $what builds its programs where $list does not look: $folder"
done
grep -q ' program$' built || fail "make sweep builds more than the program: $(cat built)"
sed -n '/^In results\/:/,$p' out >last
grep -q '^  hotgraph.db ' last || fail "$(cat last)"
for kind in txt csv tex; do
    n=$(find results -name "*.$kind" | wc -l)
    grep -q "^ *$n files of .$kind " last || fail "$n files of .$kind: $(cat last)"
done
test "$(tail -1 out)" = "$(tail -1 last)" || fail "that is not at the end"
# In columns: the descriptions of all lines begin at the same position.
sed '1d' last | awk '{ at = match($0, /[^ ]  +[^ ]/) ? RSTART + RLENGTH - 1 : 26; if (substr($0, 25, 1) != " " || substr($0, 26, 1) == " ") bad = bad $0 "\n" }
    END { printf "%s", bad; exit bad != "" }' >crooked || fail "not in columns: $(cat crooked)"

# The help has every target.
run help || fail "make help: $(cat out)"
for target in $(sed -n 's/^.PHONY: //p' "$source/Makefile"); do
    test "$target" = all || test "$target" = help || grep -qE "(make|;|,) $target\\>|[ ,]${target}[:,]" out || fail "make help does not name $target"
done

# An installation prints where it installs, and its commands print nothing.
run install PREFIX="$work/it's in" DESTDIR=root || fail "make install: $(cat out)"
test "$(wc -l <out)" -le 2 && grep -qF "Installed under $work/root$work/it's in:" out || fail "make install says: $(cat out)"
grep -qxF -- "-Dprefix=$work/it's in" configured || fail "make install configures $(cat configured)"

# Again: nothing to build, and no message about it.
run sweep CONFIG=experiment.cfg || fail "$(cat out)"
head -1 out | grep -q '^Sweeping ' || fail "$(head -3 out)"
grep -q '^nothing to do' out || fail "$(cat out)"

# A compiler's messages are shown.
touch broken
! run sweep CONFIG=experiment.cfg || fail "a broken build is swept with"
grep -q 'a.c:1: error: broken' out || fail "$(cat out)"

# A sweep in parts, and its progress.
rm broken
if command -v parallel >/dev/null; then
    run parallel CONFIG=experiment.cfg SHARDS=2 || fail "make parallel: $(cat out)"
    grep -q '^nothing to do' out && grep -q '^digest ' out && test -s results/cluster/all.db || fail "$(cat out)"
    run cluster-status || fail "make cluster-status: $(cat out)"
    grep -q 'merged into results/cluster/all.db' out || fail "$(cat out)"
    rm "results/cluster/$(cat results/cluster/newest)/merged"
    rm "results/cluster/$(cat results/cluster/newest)/done/"*
    sed -i '/^parallel=/d' "results/cluster/$(cat results/cluster/newest)/plan"
    run cluster-status || fail "one that is on its way is an error: $(cat out)"
    grep -q '2 waiting' out && ! grep -q Error out || fail "$(cat out)"
fi

# Where there is no dpkg nothing is installed; a program that is named is run, and none is built.
mkdir tools
for tool in sh make test grep sed awk cat date mkdir rm mv cp realpath dirname basename uname find touch sort head tail cut tr wc sync \
    sleep nproc stat hostname env id ninja meson expr mktemp; do
    ! command -v $tool >/dev/null || ln -sf "$(command -v $tool)" tools/$tool
done
ln -sf "$work/bin/ninja" tools/ninja
ln -sf "$work/bin/meson" tools/meson
printf '#!/bin/sh\ncase $* in *merge*) echo 8 ;; *) echo 7 ;; esac\n' >tools/sbatch
printf '#!/bin/sh\necho "$*" >>"%s/called"\nexec "%s" "$@"\n' "$work" "$hotgraph" >mine
chmod +x tools/sbatch mine
PATH=$work/tools make -f "$source/Makefile" --no-print-directory cluster CONFIG=experiment.cfg SHARDS=2 CLUSTER=there >out 2>&1 ||
    fail "make cluster without dpkg: $(cat out)"
grep -q '^job 7: 2 shards of ' out || fail "$(cat out)"
rm -f built
touch broken
HOTGRAPH=$work/mine PATH=$work/tools make -f "$source/Makefile" --no-print-directory cluster CONFIG=experiment.cfg SHARDS=2 CLUSTER=there >out 2>&1 ||
    fail "make cluster with a program of one's own: $(cat out)"
test -s called && test ! -e built || fail "not the program that \$HOTGRAPH names: $(cat out)"
rm broken

# Names with blanks, quotes and a dash before them.
mkdir -- '-b l'
ln -s "$hotgraph" './-b l/hotgraph'
cp experiment.cfg "it's mine.cfg"
echo mine >b
echo mine >l
run sweep "CONFIG=it's mine.cfg" 'BUILD=-b l' 'RESULTS=a  $$(touch hacked) b' || fail "names with blanks: $(cat out)"
test -s 'a  $(touch hacked) b/hotgraph.db' && grep -q '^Setting up ./-b l/' out && test ! -e hacked || fail "$(cat out)"
run clean 'BUILD=-b l' || fail "make clean: $(cat out)"
test ! -e ./'-b l' && test -s b && test -s l || fail "make clean removes others: $(ls)"
mkdir 'b l'
cp "$source/Makefile" 'b l'
! make -f 'b l/Makefile' clean >out 2>&1 || fail "a Makefile in a folder with blanks, by -f"
grep -q 'make -C FOLDER does' out || fail "$(cat out)"

# `make program` builds whatever the program's commands load; a program without it says how to build it.
built_in=$(dirname "$hotgraph")
if test -f "$built_in/build.ninja" && command -v ninja >/dev/null; then
    parts=$(ninja -C "$built_in" -t query program | tr -d ' |')
    wanted="hotgraph core/qemu/hotgraph-qemu.so"
    ! "$hotgraph" help native >/dev/null 2>&1 || wanted="$wanted core/native/libhotprobe.so"
    for part in $wanted; do
        printf '%s\n' "$parts" | grep -qx "$part" || fail "make program does not build $part: $parts"
    done
fi
mkdir alone && cp "$hotgraph" alone/hotgraph
hotgraph=$work/alone/hotgraph
if "$hotgraph" help native >/dev/null 2>&1; then
    refuses 1 "'make program' builds it" native -- /bin/true
fi
refuses 1 "'make program' builds it" record --graph none.graph -- /bin/true
