# Windows and paths of recorded programs: if this fails, the graph of a window is not that of what was executed in it, techniques that follow a
# trace, or samples, are judged by something else, or `profile` tells of a trace other paths than a sweep.
set -eu
. "$(dirname "$0")/../record_lib.sh"
command -v "${CC:-cc}" >/dev/null || skip "no C compiler"
command -v python3 >/dev/null || skip "no python3"
# Three phases; signals and code that is replaced in each of them.
cat >prog.c <<'END_OF_C'
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static volatile unsigned caught;
static void on_signal(int number) {
    for (int i = 0; i < 4000; i++)
        caught += (unsigned)(number & i);
}
static unsigned depth(unsigned n) { return n < 2 ? n : depth(n - 1) + depth(n - 2); }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static unsigned mix(unsigned n) {
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum = i % 3 == 0 ? sum * 31 + i : i % 7 == 0 ? sum ^ i : sum + 1;
    return sum;
}
int main(void) {
    static const unsigned char codes[2][8] = {{0xb8, 1, 0, 0, 0, 0xc3}, {0x90, 0x31, 0xc0, 0xeb, 0x00, 0x90, 0xc3}};
    unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    static int numbers[2000];
    unsigned sum = 0;
    signal(SIGUSR1, on_signal);
    for (unsigned round = 0; round < 12; round++) {
        memcpy(code, codes[round % 2], sizeof codes[0]);
        sum += (unsigned)((int (*)(void))(void *)code)();
        if (round < 4)
            sum += depth(16);
        else if (round < 8)
            sum += mix(8000);
        else {
            for (int i = 0; i < 300; i++)
                numbers[i] = i * 7919 % 2111;
            qsort(numbers, 300, sizeof *numbers, compare);
        }
        if (round % 5 == 1)
            raise(SIGUSR1);
    }
    printf("%u %u\n", sum, caught);
    return 0;
}
END_OF_C
"${CC:-cc}" -O1 -o prog prog.c
"$hotgraph" record --trace prog.hgtrace --graph prog.graph --stream prog.isampling:every=211,batch=20 --output /dev/null -- ./prog 2>said ||
    fail "record: $(cat said)"
ask() { sqlite3 -readonly "$1" "$2"; }
# config FILE LINES
config() {
    cat >"$1" <<END
name = "parts";
sampling = { by = "live"; };
grid = ( { technique = "net"; threshold = 5; }, { technique = "paths"; }, { technique = "trace"; buffer = [0, 1]; interval = 1; }, { technique = "flow"; } );
budgets = ( { every = 211; batch = 20; }, { by = "transfers"; every = 101; seed = 3; } );
$2
programs = ( {name = "prog"; folder = "."; command = ("./prog");} );
END
}
spans='100000, 300000, 9000000'
config parts.cfg "windows = { instructions = [$spans]; }; paths = true;"
"$hotgraph" sweep parts.cfg --db p.db --jobs 2 >out 2>&1 || fail "sweep: $(cat out)"
expected=$(sed -n 's/^digest //p' out)
"$hotgraph" sweep parts.cfg --db p.db | grep -q 'nothing to do' || fail "a second sweep finds something to do"

# The exact graphs and the samples of the windows, by another decoder.
python3 "$source/tests/e2e/sweep/trace_windows.py" prog.hgtrace 211 20 $(echo $spans | tr -d ,) >wanted || fail "the other decoder fails"
ask p.db "SELECT w.span, w.number, first_frame, w.frames, w.edges, w.weight, q.batches FROM replay_window w
    JOIN stream s USING (replay_id) JOIN sampling a USING (sampling_id) JOIN window_quality q USING (stream_id, span, number)
    JOIN configuration c USING (configuration_id) WHERE a.batch_length = 20 AND c.technique = 'observed' ORDER BY w.span, w.number" >found
cmp wanted found || fail "windows: $(diff wanted found)"
test "$(wc -l <found)" -gt 12 || fail "few windows: $(cat found)"

# zero QUERY MESSAGE: the query finds nothing.
zero() {
    test "$(ask p.db "SELECT count(*) FROM ($1)")" = 0 || fail "$2: $(ask p.db "$1")"
}
zero "SELECT w.replay_id FROM replay_window w JOIN replay p USING (replay_id) WHERE span = 9000000 AND (hash <> exact_hash OR number > 0)" "the whole"
# What follows the trace of a window finds all of it (paths know one instruction at an address), and in the longest one what it finds in the run.
zero "SELECT technique, span, number, overlap, hot_f1 FROM window_quality q JOIN configuration c USING (configuration_id)
    WHERE technique = 'paths' AND (overlap < 0.999 OR hot_f1 < 1) OR c.key LIKE 'trace buffer=0%' AND (round(overlap, 12) < 1 OR hot_f1 < 1)" "a whole trace of a window"
zero "SELECT c.key, w.overlap, q.fair_overlap FROM window_quality w JOIN quality q USING (stream_id, configuration_id, hot_permille)
    JOIN configuration c USING (configuration_id) WHERE w.span = 9000000 AND (w.overlap IS NOT q.fair_overlap OR w.hot_f1 IS NOT q.hot_f1
    OR w.edges <> q.edges OR w.hot_f1_active IS NOT q.hot_f1_active)" "a window that is the whole"
zero "SELECT q.span, sum(q.batches), s.batches FROM window_quality q JOIN stream s USING (stream_id)
    GROUP BY q.stream_id, q.configuration_id, q.span HAVING sum(q.batches) <> s.batches" "batches"
test "$(ask p.db "SELECT count(*) FROM window_quality")" = "$(ask p.db "SELECT (SELECT count(*) FROM result) * (SELECT count(*) FROM replay_window)")" ||
    fail "rows: $(ask p.db 'SELECT count(*) FROM window_quality')"
# Phases are found, and a technique that has followed everything from the start finds them, too.
test "$(ask p.db "SELECT count(*) > 1 FROM phase WHERE unit = 'instructions' AND span = 100000")" = 1 || fail "phases: $(ask p.db 'SELECT * FROM phase')"
test "$(ask p.db "SELECT group_concat(DISTINCT kept) FROM phase_found JOIN configuration USING (configuration_id) WHERE technique = 'net'")" = "100000,0" ||
    test "$(ask p.db "SELECT group_concat(DISTINCT kept) FROM phase_found JOIN configuration USING (configuration_id) WHERE technique = 'net'")" = "0,100000" ||
    fail "what is kept: $(ask p.db 'SELECT * FROM phase_found')"
zero "SELECT f.* FROM phase_found f JOIN configuration USING (configuration_id) WHERE technique = 'paths' AND kept = 100000 AND lasts = 1
    AND found_after IS NOT 1" "all of a phase of one window"
zero "SELECT * FROM technique_phase WHERE unit <> 'instructions' OR median_seconds > 0.01" "times of the program's clock"
test "$(ask p.db "SELECT group_concat(DISTINCT unit) FROM technique_window")" = instructions || fail "units"

# What each graph tells of the paths, as `profile` says of the trace.
# told TECHNIQUE OPTION...: in the sweep's order of columns
told() {
    technique=$1
    shift
    "$hotgraph" profile prog.hgtrace --technique "$technique" --paths --json --out told.graph "$@" >told.json 2>said || fail "profile: $(cat said)"
    python3 -c 'import json; p = json.load(open("told.json"))["paths"]
print(p["paths"], p["path_flow"], p["hot_paths"], p["hot_path_flow"], p["fixed_flow"], p["edges_overlap"], p["edges_matched"], sep="|")'
}
# swept WHERE
swept() {
    ask p.db "SELECT p.paths, p.path_flow, p.hot_paths, p.hot_path_flow, r.fixed_flow, r.edges_overlap, r.edges_matched FROM result r
        JOIN stream s USING (stream_id) JOIN replay p USING (replay_id) JOIN sampling a USING (sampling_id) JOIN configuration c USING (configuration_id)
        WHERE $1"
}
# as_swept WHERE TECHNIQUE OPTION...
as_swept() {
    where=$1
    shift
    test "$(swept "$where")" = "$(told "$@")" || fail "$*: $(swept "$where") in a sweep, $(told "$@") by profile"
}
as_swept "technique = 'net'" net --threshold 5
as_swept "technique = 'paths'" paths
test "$(told paths | cut -d'|' -f4)" = "$(told paths | cut -d'|' -f6)" || test "$(told paths | cut -d'|' -f5)" -gt 0 || fail "paths tell nothing"
for technique in observed flow; do
    as_swept "technique = '$technique' AND a.batch_length = 20" $technique --by instructions --every 211 --batch 20
    as_swept "technique = '$technique' AND a.method = 'transfers'" $technique --by transfers --place stratified --every 101 --seed 3
done
# Samples of the trace are those of the recording.
"$hotgraph" build prog.isampling --technique observed --out recorded.graph >said 2>&1 || fail "build: $(cat said)"
"$hotgraph" profile prog.hgtrace --technique observed --by instructions --every 211 --batch 20 --out traced.graph >said || fail "$(cat said)"
grep -v '^#' recorded.graph >recorded
grep -v '^#' traced.graph >traced
cmp recorded traced || fail "samples of a trace"

# Windows and paths can be added later, and threads do not matter.
config parts.cfg ''
"$hotgraph" sweep parts.cfg --db q.db --jobs 1 >out 2>&1 || fail "sweep: $(cat out)"
config parts.cfg "windows = { instructions = [$spans]; }; paths = true;"
"$hotgraph" sweep parts.cfg --db q.db --dry-run >out
grep -q 'without windows' out || fail "--dry-run: $(cat out)"
"$hotgraph" sweep parts.cfg --db q.db --jobs 1 >out 2>&1 || fail "sweep: $(cat out)"
test "$(sed -n 's/^digest //p' out)" = "$expected" || fail "added later: $(cat out), not $expected"

# The page has the figure of programs.
if command -v gnuplot >/dev/null; then
    "$hotgraph" report p.db --out report >out 2>said || fail "report: $(cat said)"
    grep -q "<figure id='windowed_programs'" report/index.html || fail "no figure of windows"
    ! grep -q "<figure id='windowed'" report/index.html || fail "a figure of games"
    grep -q 'In windows of <[^>]*>100,000 instructions<' report/index.html || fail "no sentence: $(grep -o 'In windows[^<]*' report/index.html)"
fi
exit 0
