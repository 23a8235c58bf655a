#!/bin/sh
# The rows that hotgraph native and hotgraph measured store, and the views on them: if this fails, every
# table made from these views has a wrong median, or a share of the wrong sites.
hotgraph=$(realpath "$1")
"$hotgraph" help native >/dev/null 2>&1 || exit 77
dir=$(mktemp -d) && cd "$dir" || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0
fail() { echo "FAILED: $*" >&2; failed=1; }
is() { [ "$2" = "$3" ] || fail "$1: '$2' is not '$3'"; }

cat >p.c <<'C'
#define LEAVE __attribute__((noinline, noclone))
volatile int sink;
LEAVE void leaf(int x) { sink += x; }
LEAVE void twice(int x) { leaf(x); leaf(x + 1); sink++; }
int main(int argc, char **argv) { for (int i = 0; i < 50; i++) twice(i); return argv == 0; }
C
gcc -O1 p.c -o p || exit 77

# ---- counts and shares ----
for how in "" --blocks "--assign greedy" "--strategy over-one,over-several"; do
    "$hotgraph" native $how --db r.db -- ./p || fail "native --db $how"
done
"$hotgraph" native --functions leaf --db r.db -- ./p || fail "native --functions --db"
shares=$("$hotgraph" results r.db --view native_fast_share | cut -d, -f1-3)
is "shares" "$shares" "program,kind,assignment
p,entry,greedy
p,entry,local
p,entry,\"local; over-one
p,leader,local"
row=$("$hotgraph" results r.db --view native_fast_share | sed -n 's/^p,entry,local,\([0-9]*\),\([0-9.]*\),.*/\1 \2/p')
"$hotgraph" native --json r.json -- ./p
sites=$(grep -o '"address"' r.json | wc -l)
fast=$(grep -o '"strategy"' r.json | wc -l)
is "entries" "${row% *}" "$sites"
awk "BEGIN { exit !(${row#* } - 100 * $fast / $sites < 0.01 && 100 * $fast / $sites - ${row#* } < 0.01) }" ||
    fail "fast share ${row#* }: $fast of $sites"
address() { sed -n 's/.*"address":\([0-9]*\),"function":"'"$1"'","offset":0,.*/\1/p' r.json; }
"$hotgraph" measured --db r.db --tool other --call "$(address leaf):leaf:100" --call "$(address twice):twice:51" -- ./p ||
    fail "measured --call"
is "calls" "$("$hotgraph" results r.db --view native_calls | cut -d, -f1-5)" "program,tool,functions,equal,equal_percent
p,other,2,1,50"

# ---- medians, for each run separately ----
put() { "$hotgraph" measured --db r.db --run "$1" --what "$2" --tool "$3" --threads "$4" --probes "$5" --round "$6" --seconds "$7" $8 $9 -- ./p ||
    fail "measured $*"; }
put one whole functions 1 0 0 1.2 --base-seconds 1
put one whole functions 1 0 1 9 --base-seconds 5
put one whole functions 1 0 2 2.2 --base-seconds 2
put one whole functions 1 0 2 7 --base-seconds 2 # the same row again: it stays
put one whole uftrace 1 0 0 40 --base-seconds 1
put two whole functions 1 0 0 3 --base-seconds 1
put two hit count 1 0 0 3e-9 --base-seconds 2e-9
put two hit count 1 0 1 5e-9 --base-seconds 3e-9
put two insertion hotprobe 4 1 0 2e-6
put two insertion uprobe 4 1 0 8e-6
put two insertion hotprobe 16 1 0 9e-6
put two insertion uprobe 16 1 0 9e-6
is "whole" "$("$hotgraph" results r.db --view native_whole | cut -d, -f1-9 | sort)" "p,1.2,,,,,,,40
p,3,,,,,,,
program,functions,with_threshold,per_thread,blocks,libraries,perf,pg,uftrace"
# Over programs, without those that end at once, whose time is that of their
# start.
cp p q
for row in "functions 4.8 1" "perf 1 0.001"; do
    set -- $row
    "$hotgraph" measured --db r.db --run one --what whole --tool $1 --seconds $2 --base-seconds $3 -- ./q more || fail "measured q"
done
is "mean" "$("$hotgraph" results r.db --view native_mean | cut -d, -f1-6 | sort)" "functions,1,3,3,3,two
functions,2,2.4,1.2,4.8,one
strategy,programs,geometric_mean,least,most,run
uftrace,1,40,40,40,one"
# ---- tools that count edges ----
# The start is left out of work_ratio; such runs are in no other mean; an edge count belongs to the run and the program, whatever its arguments.
whole="$("$hotgraph" results r.db --view native_whole; "$hotgraph" results r.db --view native_mean)"
peer() { # RUN PROGRAM WORK TOOL ROUND SECONDS BASE START BASE_START
    "$hotgraph" measured --db r.db --run "$1" --what whole --tool "$4" --round "$5" --seconds "$6" --base-seconds "$7" --start-seconds "$8" \
        --base-start-seconds "$9" -- "./$2" "$3" || fail "measured $*"
}
peer peers p many graph 0 5 2 1 0
peer peers p many graph 1 9 1 1 0
peer peers p many graph 2 3 2 1 0
peer peers q plenty graph 0 19 2 1 0
peer peers p few slow 0 11 1 1 .5
"$hotgraph" measured --db r.db --run peers --tool graph --edges 50:48:3 -- ./p few || fail "measured --edges"
"$hotgraph" measured --db r.db --run before --tool slow --edges 7:7:0 -- ./p few || fail "measured --edges"
is "peers" "$("$hotgraph" results r.db --view native_peers | cut -d, -f1-11)" "program,tool,rounds,alone_ms,ratio,work_ratio,edges,equal,wrong,equal_percent,command
p,graph,3,2000,2.5,2,50,48,3,96,p many
p,slow,1,1000,11,20,,,,,p few
q,graph,1,2000,9.5,9,,,,,q plenty"
is "means of peers" "$("$hotgraph" results r.db --view native_peers_mean | cut -d, -f1-7)" "tool,programs,ratio,work_ratio,edges,equal,wrong
graph,2,4.87,4.24,50,48,3
slow,1,11,20,,,"
is "other means" "$("$hotgraph" results r.db --view native_whole; "$hotgraph" results r.db --view native_mean)" "$whole"

is "hit" "$("$hotgraph" results r.db --view native_cost | grep ,hit, | cut -d, -f2-6,10)" "hit,count,1,0,2,1.5"
is "insertion" "$("$hotgraph" results r.db --view native_cost | grep insertion,hotprobe | cut -d, -f4,11)" "4,2
16,9"
is "published" "$("$hotgraph" results r.db --view native_published | sed -n 's/.*fewer than 16 threads",//p')" "ratio,,0.1667,0.25,0.25,1"

# ---- mistakes ----
says() { # PATTERN ARGUMENTS...
    pattern=$1
    shift
    "$hotgraph" "$@" >out 2>err && fail "$*: succeeded"
    grep -q -- "$pattern" err || fail "$*: says '$(cat err)'"
}
says "measured: --db FILE is missing" measured --tool x --what hit --seconds 1 --run r -- ./p
says "measured: --tool NAME is missing" measured --db r.db --what hit --seconds 1 --run r -- ./p
says "measured: --what KIND, --edges COUNTS, or --call CALL is missing" measured --db r.db --tool x -- ./p
says "measured: --seconds S, which --what needs, is missing" measured --db r.db --tool x --what hit --run r -- ./p
says "measured: --run NAME, which --what needs, is missing" measured --db r.db --tool x --what hit --seconds 1 -- ./p
says "measured: --run NAME, which --edges needs, is missing" measured --db r.db --tool x --edges 1:1:0 -- ./p
says "give one of --what, --edges and --call" measured --db r.db --run x --tool x --edges 1:1:0 --call 1:a:1 -- ./p
says "takes EDGES:EQUAL:WRONG" measured --db r.db --run x --tool x --edges 1:2:0 -- ./p
says "takes EDGES:EQUAL:WRONG" measured --db r.db --run x --tool x --edges 1:1 -- ./p
says "takes seconds" measured --db r.db --run x --tool x --what hit --seconds fast -- ./p
says "takes seconds" measured --db r.db --run x --tool x --what hit --seconds -1 -- ./p
says "ADDRESS:NAME:CALLS" measured --db r.db --tool x --call 12:main -- ./p
says "ADDRESS:NAME:CALLS" measured --db r.db --tool x --call 12:main:x -- ./p
says "program not found" measured --db r.db --tool x --call 12:main:1 -- nosuchprogram
says "have no experiments" results r.db --view native_cost --experiment x
says "nowhere/r.db" native --db nowhere/r.db -- ./p
exit $failed
