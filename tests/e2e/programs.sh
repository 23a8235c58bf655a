# What would break: a program in a configuration gives other rows than `record` does, is recorded again
# without need, or not again when its input has changed; one that is not installed ends a sweep.
set -u
hotgraph=$(realpath "$1") root=$(realpath "$2")
command -v qemu-x86_64 >/dev/null || exit 77
[ "$(uname -m)" = x86_64 ] || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
fail() { echo "FAIL: $*"; exit 1; }
${CC:-cc} -O2 -static -o kernels "$root/programs/kernels.c" 2>/dev/null || exit 77
[ "$(./kernels 1 | sed -n 's/^interpret //p')" = 133988 ] || fail "kernels: $(./kernels 1)"
"$root/programs/inputs.py" inputs && "$root/programs/inputs.py" again || fail "inputs.py"
for file in inputs/*; do cmp "$file" "again/$(basename "$file")" || fail "$file is another each time"; done
"$root/programs/inputs.py" other 2 && cmp -s inputs/text-200k other/text-200k && fail "the seed of inputs.py does nothing"
head -c 20000 inputs/text-200k >text
cat >work.cfg <<'END'
name = "work";
grid = {technique = "gaussian"; bin_size = [10]; stdev_threshold = [15]; window_size = [13]; recurrent_threshold = [5, 8];};
programs = (
    {name = "kernels"; folder = "."; command = ("./kernels", "1"); every = 16661;},
    {name = "gzip"; command = ("/usr/bin/gzip", "-c"); input = "text";},
    {name = "absent"; command = ("/nowhere/at-all");}
);
END
"$hotgraph" sweep work.cfg --db a.db >a.out 2>a.err || fail "sweep: $(cat a.err)"
grep -q "^skipped: absent: /nowhere/at-all: there is no such file" a.out || fail "the missing program is not told: $(cat a.out)"
value() { sqlite3 a.db "$1"; }
"$hotgraph" record --graph k.graph --stream k.is:every=16661 --output /dev/null -- ./kernels 1 2>/dev/null
instructions=$(sed -n 's/^instructions	//p' k.graph.meta)
value "SELECT DISTINCT instructions FROM replay WHERE kind = 'program'" | grep -qx "$instructions" ||
    fail "kernels: $instructions instructions, the database has $(value 'SELECT instructions FROM replay')"
"$hotgraph" sweep work.cfg --db a.db | grep -q "nothing to do" || fail "a second sweep finds something to do"
printf 'more' >>text
"$hotgraph" sweep work.cfg --db a.db --dry-run >dry.out || fail "--dry-run"
grep -q "^kernels: .*nothing to do" dry.out || fail "kernels again: $(cat dry.out)"
grep -q "^gzip: .*one recording" dry.out || fail "gzip's input has changed: $(cat dry.out)"

# A program that is gone keeps its rows, as long as the configuration asks for the same; else the tables
# say that what it asks for is missing. Nothing is lost: where the program is, all is as it was.
mv kernels gone
"$hotgraph" sweep work.cfg --db a.db >gone.out 2>&1 || fail "without kernels: $(cat gone.out)"
grep -q "^skipped: kernels: " gone.out || fail "kernels is not told to be skipped: $(cat gone.out)"
"$hotgraph" report a.db | grep '^kernels ' >same.txt || fail "kernels' rows have left the tables"
grep missing same.txt && fail "kernels' rows are the same"
for change in 's/every = 16661/every = 20000/' 's/"1"/"2"/'; do
    sed "$change" work.cfg >changed.cfg
    "$hotgraph" sweep changed.cfg --db a.db >changed.out 2>&1 || fail "$change: $(cat changed.out)"
    "$hotgraph" report a.db | grep -q '^kernels (3 missing) ' || fail "$change: rows of another definition: $(cat changed.out)"
done
mv gone kernels
"$hotgraph" sweep work.cfg --db a.db | grep "nothing to do" >/dev/null || fail "kernels is there again"
"$hotgraph" report a.db | grep '^kernels ' | cmp - same.txt || fail "kernels' tables are others"

# What is wrong in a configuration is told with its line.
refuse() {
    printf 'grid = {technique = "gaussian"; bin_size = [10]; stdev_threshold = [15]; window_size = [13]; recurrent_threshold = [5];};\nprograms = (\n{%s}\n);\n' "$2" >bad.cfg
    "$hotgraph" sweep bad.cfg --db bad.db >bad.out 2>bad.err && fail "taken: $2"
    grep -q "bad.cfg:3: .*$1" bad.err || fail "$2: $(cat bad.err)"
}
refuse "whole path" 'name = "a"; command = ("gzip");'
refuse "without its command" 'name = "a";'
refuse "without a name" 'command = ("/bin/true");'
refuse "list of 1 to" 'name = "a"; command = "/bin/true";'
refuse "does not fit" 'name = "a"; command = ("/bin/true"); every = 10; batch = 11;'
refuse "32 hexadecimal" 'name = "a"; command = ("/bin/true"); images = ("x");'
echo "programs are swept like games"
