# How the program is called: if this fails, a mistyped option is ignored, a script cannot tell a wrong
# call from a failed run, or --help does not help.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"
rom="$source/games/mazewisp.nes"

refuses 2 'a command is missing'
refuses 2 "did you mean 'replay'" repaly
refuses 2 "unknown option '--frames'" --frames 3
refuses 2 "did you mean '--frames'" replay "$rom" --farmes 3
refuses 2 'a whole number from 1' replay "$rom" --frames 0
refuses 2 'a whole number' replay "$rom" --frames 3x
refuses 2 'needs a value' replay "$rom" --frames
refuses 2 'takes no value' replay "$rom" --json=1
refuses 2 'the command takes' replay
refuses 2 'one operand too many' replay "$rom" "$rom"
for command in "replay $rom" "exact $rom --out a" "sample $rom --out a" "blocks $rom" "testrom $rom" "sweep a.cfg"; do
    # shellcheck disable=SC2086 # words of the command
    for wrong in "jit:--engine takes one of interp, dbt, auto, not 'jit'" \
        "interp:hot=1:--engine interp takes no options, but 'hot=1' is given; dbt takes hot, cache," \
        "auto:cache=4K:--engine auto takes no options, but 'cache=4K' is given; dbt takes hot, cache," \
        "dbt:fast=1:--engine dbt has no option 'fast'; dbt takes hot, cache," \
        "dbt:hot:--engine dbt: hot takes a whole number from 1 to 200, not ''" \
        "dbt:block=x:--engine dbt: block takes a whole number from 1 to 24, not 'x'" \
        "dbt:cache=1K:--engine dbt: cache takes a whole number from 4096 to 1073741824" \
        "dbt:no-chaining=0:--engine dbt: no-chaining takes no value"; do
        refuses 2 "--engine ${wrong#*:--engine }" $command --engine "${wrong%%:--engine*}"
        test "$(wc -c <"$work/.stderr")" -lt 250 || fail "a bad --engine is told at length: $(cat "$work/.stderr")"
    done
    "$hotgraph" ${command%% *} --help | grep 'dbt:hot=1,cache=4K' >/dev/null || fail "$command --help hides the options"
done
refuses 2 'FRAME:FILE.png' replay "$rom" --screenshot 3
refuses 2 '1 to 65536' sample "$rom" --out x.is --batch 65537 # as in configurations
refuses 2 '1 to 65536' record --stream x.is:every=70000,batch=65537 -- /bin/true
for wrong in 0 0: :a 800:a 00000:a '$0:a' -1:a; do
    refuses 2 'ADDR:FILE' replay "$rom" --dump-ram-at "$wrong"
done
refuses 2 'FROM:TO' replay "$rom" --trace 5:5
refuses 2 '--video is missing' replay "$rom" --every 3
refuses 2 'standard output' replay "$rom" --trace 1:2 --json
refuses 2 'the same file' replay "$rom" --ram-hash a --dump-ram a
refuses 2 'the same file' replay "$rom" --ram-hash a --dump-ram-at 11:a
refuses 2 '--out FILE is missing' sample "$rom"
refuses 2 '--out FILE is missing' exact "$rom"
refuses 2 '--out FILE is missing' build x.isampling
refuses 2 'three places' sample "$rom" --out a --interval-ms 0.0001
refuses 2 "did you mean 'gaussian'" build x.isampling --out a --technique gausian
# For a word that is no technique, or belongs to another command, the message says what to type,
# and that works.
cd "$source"
refuses 2 "not 'fifo': it is a live technique: 'hotgraph profile GAME --technique fifo --out FILE.graph'" build x.isampling --out "$work/a" --technique fifo
refuses 2 "not 'golden': it is a sampling mode: 'hotgraph sample GAME --by transfers --every N --place golden --out FILE.isampling', then 'hotgraph build FILE.isampling --technique observed --out FILE.graph'; and an experiment: 'hotgraph sweep configs/golden.cfg'" \
    build x.isampling --out "$work/a" --technique golden
refuses 2 "--place golden" profile mazewisp --out "$work/a" --technique golden
refuses 2 "not 'paper': it is an experiment: 'hotgraph sweep configs/paper.cfg'" profile mazewisp --out "$work/a" --technique paper
refuses 2 "not 'baseline': it is called observed here" build x.isampling --out "$work/a" --technique baseline
refuses 1 "configs/quick.cfg: has no technique 'golden' in its grid, but gaussian, observed" sweep configs/quick.cfg --techniques golden --db "$work/x.db"
for technique in transfers regular stratified calls; do
    refuses 2 "not '$technique': it is a sampling mode" build x.isampling --out "$work/a" --technique $technique
done
"$hotgraph" build x.isampling --out "$work/a" --technique magic 2>&1 | grep -q "observed, not 'magic'$" || fail "a word that nobody knows"
cd "$work"
"$hotgraph" profile "$rom" --frames 5 --technique fifo --out a >/dev/null 2>&1 || fail "profile, as was said, does not work"
for place in regular stratified golden calls; do
    "$hotgraph" sample "$rom" --frames 5 --by transfers --every 100 --place $place --out b.isampling >/dev/null 2>&1 || fail "sample, as was said, does not work"
done
"$hotgraph" build b.isampling --technique observed --out c >/dev/null 2>errors || fail "build, as was said, does not work: $(cat errors)"
rm a b.isampling c errors
refuses 2 'a number from 0.001 to 1' compare a b --hot 90
refuses 2 'the command takes' compare a
refuses 2 'info, check or make' movie
refuses 2 "did you mean 'make'" movie mkae
refuses 2 'needs the ROM' movie make --out a --player mazewisp
refuses 2 'must end in .png' replay x.nes --screenshot 1:x.jpg
refuses 2 '32 hexadecimal digits' movie make --out a --md5 12
refuses 2 'takes no operands' techniques x
refuses 1 'frames 0 to 4' replay "$rom" --frames 5 --screenshot 5:a.png
refuses 1 'frames 0 to 4' replay "$rom" --frames 5 --trace 3:6
for left in *; do
    test ! -e "$left" || fail "$left was written by a wrong call"
done

# Every command has a manual, on standard output, with exit status 0.
"$hotgraph" --help >help
grep -q '^Usage: hotgraph COMMAND' help || fail "--help has no usage"
for command in $(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' help); do
    "$hotgraph" "$command" --help >manual 2>errors || fail "$command --help fails"
    grep -q "^Usage: hotgraph $command" manual || fail "$command --help has no usage"
    test ! -s errors || fail "$command --help writes to standard error"
    echo "$command: $(wc -l <manual) lines of manual"
done
"$hotgraph" --version | grep -Eq '^hotgraph [0-9.]+ \(commit [0-9a-z-]+\)$' || fail "--version"

# What people type at first.
"$hotgraph" -h | cmp - help || fail "-h is not --help"
"$hotgraph" help | cmp - help || fail "help is not --help"
test "$("$hotgraph" -V)" = "$("$hotgraph" --version)" || fail "-V is not --version"
"$hotgraph" compare --help >manual
"$hotgraph" help compare | cmp - manual || fail "help COMMAND is not its --help"
"$hotgraph" compare -h | cmp - manual || fail "COMMAND -h is not its --help"
"$hotgraph" movie make --help >manual
"$hotgraph" help movie make | cmp - manual || fail "help movie make"
refuses 2 "did you mean 'compare'" help comapre
refuses 2 "unknown option '-x'" compare -x a b

# A reader that closes the pipe (| head): no message, and the status of SIGPIPE.
with="--movie $source/movies/mazewisp.fm2"
mkfifo pipe
for command in "--help" "techniques" "replay $rom $with --frames 3 --trace 0:3" "replay $rom $with --frames 9 --json" \
    "exact $rom $with --frames 9 --out /dev/stdout" "testrom $rom --frames 3"; do
    # shellcheck disable=SC2086 # words of the command
    {
        until test -e gone; do sleep 0.05; done
        status=0
        timeout 300 "$hotgraph" $command 2>errors || status=$? # a program that waits for a reader would never end
        echo $status >status
    } >pipe &
    : <pipe
    touch gone
    wait $!
    rm gone
    test "$(cat status)" = 141 || fail "$command, unread, exits with $(cat status), not 141: $(cat errors)"
    test ! -s errors || fail "$command, unread, says $(cat errors)"
done
# A full disk is still reported.
if test -c /dev/full; then
    status=0
    "$hotgraph" techniques >/dev/full 2>errors || status=$?
    test $status = 1 || fail "a full disk: exit status $status"
    grep -q 'standard output: cannot be written: No space' errors || fail "$(cat errors)"
fi

# Helps end with a newline and fit on 80 columns.
helps() {
    "$hotgraph" --help=options | cut -f 2 | while read -r command; do
        echo "$command"
        "$hotgraph" "$command" --help=options | sed -n "s/^word\t/$command /p"
    done
}
helps >"$work/helps"
test "$(wc -l <"$work/helps")" -ge 20 || fail "only $(wc -l <"$work/helps") commands"
while read -r command; do
    # shellcheck disable=SC2086 # words
    "$hotgraph" $command --help >"$work/help" </dev/null || fail "$command --help"
    test -z "$(tail -c 1 "$work/help")" || fail "$command --help does not end with a newline"
    # An example that was wrapped could not be copied: a line continues the previous one if that ends in a backslash.
    awk '/^Examples?[:,]/ { inside = 1; next } !/^  / { inside = 0 }
        inside { if (open != /^      /) { print; bad = 1 } open = /\\$/ } END { exit bad || open }' "$work/help" ||
        fail "$command --help has an example that cannot be copied, see above"
    LC_ALL=C.UTF-8 awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' "$work/help" || fail "$command --help is wider than 80 columns, see above"
done <"$work/helps"

# No typed value is silently lost.
refuses 2 "--frames is given twice, as '3' and as '4'" replay mazewisp --frames 3 --frames 4
refuses 2 "--engine is given twice, as 'dbt' and as 'interp'" replay mazewisp --engine dbt --engine interp
"$hotgraph" replay "$source/games/mazewisp.nes" --movie "$source/movies/mazewisp.fm2" --frames 3 --frames 3 >/dev/null || fail "the same twice"
refuses 2 '--where needs a non-empty value' sweep x.cfg --where=
refuses 2 '--frames takes a whole number from 1' replay mazewisp --frames -1
refuses 2 '--frames takes a whole number from 1' replay mazewisp --frames 99999999999999999999999
refuses 2 '--env takes NAME=VALUE' record --graph "$work/g" --env FOO -- /bin/true
refuses 2 '--env takes NAME=VALUE' record --graph "$work/g" --env =FOO -- /bin/true
refuses 2 "--stream 'a.txt' does not say which kind of stream to write: let it end in .isampling (text) or .hgstream" record --stream a.txt -- /bin/true
refuses 2 "--stream 'a.txt' does not say" record --stream b.isampling --stream a.txt:every=500 -- /bin/true
refuses 2 "--out 'a.isampling.txt' does not say" sample mazewisp --out a.isampling.txt
test ! -e b.isampling && test ! -e a.isampling.txt || fail "it worked before it refused"
refuses 2 "--input takes a file, but '/' is a folder" record --graph "$work/g" --input / -- /bin/true
refuses 2 "--sysroot takes a folder, but '/nosuch' is none" record --graph "$work/g" --sysroot /nosuch -- /bin/true
refuses 2 "--folder takes a folder, but '/nosuch' is none" record --graph "$work/g" --folder /nosuch -- /bin/true
refuses 2 "unknown setting 'every=0'; use every=N" record --stream "$work/f:every=0" -- /bin/true
# Exit statuses, as docs/configuration.md has them.
for status in '0 | done' '1 | an error, explained on standard error' '2 | a wrong command line' '128 + N | stopped by signal N' \
    '141 | standard output was closed'; do
    grep -q -e "^| $status" "$source/docs/configuration.md" || fail "docs/configuration.md: exit status $status"
done
if "$hotgraph" native --json "$work/n" -- /bin/true 2>/dev/null; then
    for status in 0 3 126 127; do
        got=0
        "$hotgraph" native --json "$work/n" -- /bin/sh -c "exit $status" 2>/dev/null || got=$?
        test $got = $status || fail "a program that ends with $status: native ends with $got"
    done
    got=0
    sh -c '"$@"; exit $?' sh "$hotgraph" native --json "$work/n" -- /bin/sh -c 'kill -9 $$' 2>/dev/null || got=$?
    test $got = 137 || fail "a program that signal 9 ends: native ends with $got"
fi
# Names of experiments: one rule, where they are read.
cd "$work"
for name in 'a b' 'a/b' '-a' ''; do
    echo "name = \"$name\"; grid = { bin_size = [8, 10]; };" >named.cfg
    refuses 1 'named.cfg:1: ' sweep named.cfg --db named.db
done
echo 'sampling = { by = "nothing"; }; grid = { bin_size = [8, 10]; };' >by.cfg
refuses 1 'or "live"' sweep by.cfg --db by.db
