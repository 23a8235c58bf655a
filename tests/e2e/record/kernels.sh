# What would break: the results of programs depend on the name of their folder, on the user, the current folder or the
# environment; the results for the kernels differ from configs/programs.digest, or the difference is not explained.
set -u
. "$(dirname "$0")/../record_lib.sh"

# The suite in a folder of that name.
plant() {
    mkdir -p "$1/configs" && cp "$source/configs/programs.cfg" "$source/configs/programs.digest" "$source/configs/recorded.cfg" "$source/configs/games.cfg" "$1/configs" &&
        ln -s "$source/games" "$source/movies" "$1" &&
        "$source/programs/build.sh" "$1/build/programs" 2>/dev/null || skip "no python3, or no compiler for the kernels"
}
mkdir longer && mv longer "a folder with a longer name than that" && long="$PWD/a folder with a longer name than that"
plant short
plant "$long"
mkdir "$long/out" short/out
[ -x short/build/programs/kernels-x86_64 ] || skip "no compiler for the kernels"

# In another environment: another user, if we may switch, and other limits.
as_another() {
    if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
        chmod -R a+rwX "$work"
        set -- setpriv --reuid 12345 --regid 12345 --clear-groups "$@"
    fi
    (cd / && trap '' HUP && umask 077 && ulimit -S -n 300 && ulimit -S -s 4096 &&
        exec env -i PATH="$PATH" SOMETHING="$*" TZ=Asia/Tokyo nice "$@")
}
# same PROGRAM INPUT COMMAND...: one graph and one stream of it, in both folders.
same() {
    program=$1 input=$2
    shift 2
    [ -x "$program" ] || { echo "no $program here"; return; }
    for folder in "$PWD/short" "$long"; do
        as=; [ "$folder" = "$long" ] && as=as_another
        $as "$hotgraph" record --folder "$folder/build/programs" --input "$folder/build/programs/$input" \
            --env LD_LIBRARY_PATH=/lib/x86_64-linux-gnu --env PWD=/proc/self/cwd --output /dev/null \
            --graph "$folder/out/graph" --stream "$folder/out/stream.hgstream:every=16661" -- "$@" 2>err || fail "$*: $(cat err)"
    done
    for file in graph stream.hgstream; do
        cmp "short/out/$file" "$long/out/$file" || fail "$*: another $file in another folder, for another user"
    done
}
for kernels in short/build/programs/kernels-*; do
    same "$kernels" work.py "/proc/self/cwd/${kernels##*/}" 1
done
same /usr/bin/gzip text-200k /usr/bin/gzip -c
same /usr/bin/python3 work.lua /usr/bin/python3 -S -s -B -P -c 'import json, os; print(json.dumps(os.listdir("/usr")))'
same /usr/bin/perl text-200k /usr/bin/perl -ne '$n{$_}++ for split; END { print scalar %n }'
same /usr/bin/gawk text-200k /usr/bin/gawk '{ n[$1]++ } END { print length(n) }'
same /usr/bin/sqlite3 work.lua /usr/bin/sqlite3 -init /dev/null :memory: 'select sum(length(hex(randomblob(100))))'

# The kernels give the expected results, or the message names those that this compiler built differently.
kernels=$(cd short/build/programs && echo kernels-* | sed 's/x86_64/x86-64/; s/ /,/g')
sanitized && kernels="kernels-x86-64"
for folder in short "$long"; do
    "$hotgraph" sweep "$folder/configs/programs.cfg" --games "$kernels" --db "$folder/out/db" >"$folder/out/text" 2>&1 ||
        fail "kernels: $(grep -v '^kernels.*done' "$folder/out/text" | tail -3)"
done
grep "^digest " short/out/text >digest && grep -qxF "$(cat digest)" "$long/out/text" || fail "another digest in another folder"
grep -qx 'digest of this part .*: [0-9a-f]\{32\}' digest || fail "no digest: $(cat digest)"
others=$(grep -c "^not compared: kernels-.* is another file: " short/out/text)
of=$(echo "$kernels" | tr ',' '\n' | wc -l)
[ "$others" = "$of" ] || grep -q "^reproduced: $((of - others)) game" short/out/text || fail "$others of $of are others, but: $(tail -3 short/out/text)"
# docs/programs.csv, from which docs/programs.md and docs/worth.md have their figures, has what these give.
if [ "$others" = 0 ]; then
    sqlite3 -readonly -csv short/out/db <"$source/docs/programs.sql" | tr -d '\r' >rows
    [ "$(wc -l <rows)" = "$of" ] || fail "rows of $of kernels: $(cat rows)"
    while IFS= read -r row; do
        grep -qxF -e "$row" "$source/docs/programs.csv" || fail "docs/programs.csv has another row than $row"
    done <rows
fi
# What recording costs is measured with the programs that `make bench-record` names.
if ! sanitized; then
    list=$(sed -n 's,.*bench_record\.py .*(here)\(configs/[a-z_]*\.cfg\)$,\1,p' "$source/Makefile")
    python3 "$source/tests/bench/bench_record.py" --quick "$hotgraph" "short/$list" >costs 2>&1 || fail "bench_record.py: $(tail -1 costs)"
    grep -q '^kernels-x86-64 .*\.' costs && tail -1 costs | grep -q '^mean  *[0-9]' || fail "bench_record.py: $(cat costs)"
fi
# A kernel that differs is left out and named.
printf '\0' >>short/build/programs/kernels-x86_64
"$hotgraph" sweep short/configs/programs.cfg --games kernels-x86-64 --db short/out/db >again 2>&1 || fail "another image: $(tail -1 again)"
grep -q "^not compared: kernels-x86-64: .*/kernels-x86_64 is another file: " again || fail "another image is not named: $(tail -2 again)"
echo "programs are recorded alike everywhere; $((of - others)) of $of kernels as known"
