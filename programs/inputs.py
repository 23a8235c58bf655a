#!/usr/bin/env python3
"""Makes what the programs of configs/programs.cfg are fed with: programs/inputs.py FOLDER [SEED].

The same files from the same seed, on every machine: numbers come from splitmix64, not from a
library's generator. Existing files are written anew only where they differ.
"""
import os
import sys

MASK = (1 << 64) - 1


class Random:
    """splitmix64 (Steele, Lea, Flood 2014)"""

    def __init__(self, seed):
        self.state = seed & MASK

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, n):
        return self.next() % n

    def choice(self, items):
        return items[self.below(len(items))]


def make_words(random, count):
    """Words of one to four syllables; the first are the commonest (see text)."""
    syllables = [c + v + e for c in "bcdfghjklmnprstvw" for v in "aeiou" for e in ("", "n", "r", "s")]
    words = []
    for _ in range(count):
        words.append("".join(random.choice(syllables) for _ in range(1 + random.below(4))))
    return words


def text(random, size):
    """Sentences whose words are as unevenly common as in a language (about 1/rank)."""
    words = make_words(random, 4000)
    out, length, in_line = [], 0, 0
    while length < size:
        count = 4 + random.below(14)
        sentence = []
        for _ in range(count):
            # 2^(uniform): ranks with density 1/rank
            rank = int(2 ** (random.below(12000) / 1000.0)) - 1
            sentence.append(words[min(rank, len(words) - 1)])
        if random.below(9) == 0:
            sentence.append(str(random.below(100000)))
        line = " ".join(sentence).capitalize() + "."
        in_line += len(line) + 1
        line += "\n" if in_line > 90 else " "
        in_line = 0 if in_line > 90 else in_line
        out.append(line)
        length += len(line)
    return "".join(out)[:size]


def c_function(random, number):
    """A function of statements over a few variables, an array and functions made before."""
    names = ["a", "b", "i", "n", "total", "last"]

    def value(depth):
        kind = random.below(8)
        if depth > 1 or kind < 3:
            return random.choice(names)
        if kind == 3:
            return str(random.below(1000))
        if kind == 4 and number > 0:
            return f"f{random.below(number)}({value(depth + 1)}, {value(depth + 1)})"
        if kind == 5:
            return f"table[({value(depth + 1)}) & 63]"
        operator = random.choice(["+", "-", "*", "^", "&", "|", ">>", "<", "=="])
        right = str(1 + random.below(15)) if operator == ">>" else value(depth + 1)
        return f"({value(depth + 1)} {operator} {right})"

    def statements(depth, count):
        lines = []
        indent = "    " * (depth + 1)
        for _ in range(count):
            kind = random.below(7)
            if kind == 0 and depth < 3:
                lines.append(f"{indent}if ({value(0)}) {{")
                lines += statements(depth + 1, 1 + random.below(3))
                if random.below(2):
                    lines.append(f"{indent}}} else {{")
                    lines += statements(depth + 1, 1 + random.below(2))
                lines.append(indent + "}")
            elif kind == 1 and depth < 2:
                lines.append(f"{indent}for (i = 0; i < {2 + random.below(30)}; i++) {{")
                lines += statements(depth + 1, 1 + random.below(3))
                lines.append(indent + "}")
            elif kind == 2 and depth < 2:
                lines.append(f"{indent}switch (({value(0)}) & 7) {{")
                for case in range(2 + random.below(5)):
                    lines.append(f"{indent}case {case}:")
                    lines += statements(depth + 1, 1)
                    lines.append(f"{indent}    break;")
                lines.append(indent + "}")
            elif kind == 3:
                lines.append(f"{indent}table[({value(1)}) & 63] += {value(1)};")
            else:
                lines.append(f"{indent}{random.choice(names)} = {value(0)};")
        return lines

    lines = [f"static int f{number}(int a, int b) {{", "    int i = 0, n = a, total = b, last = 0;"]
    lines += statements(0, 3 + random.below(6))
    lines += ["    return total + last + n + i + a + b;", "}", ""]
    return lines


def c_source(random, lines_least):
    """A C file as the preprocessor leaves it."""
    lines = ["extern int printf(const char *, ...);", "static int table[64];", ""]
    count = 0
    while len(lines) < lines_least:
        lines += c_function(random, count)
        count += 1
    lines.append("int main(void) {")
    lines += [f"    printf(\"%d\\n\", f{i}({random.below(90)}, {random.below(90)}));" for i in range(count)]
    lines += ["    return 0;", "}", ""]
    return "\n".join(lines)


SQL = """\
create table parts(id integer primary key, kind int, price int, name text);
create table orders(id integer primary key, part int, amount int, day int);
{rows}
create index orders_part on orders(part);
select kind, count(*), sum(amount * price) from orders join parts on parts.id = orders.part
 group by kind order by 3 desc;
select a.day, count(*) from orders a join orders b on a.part = b.part and a.day < b.day
 group by a.day order by a.day limit 20;
select p.name, sum(o.amount) s from parts p join orders o on o.part = p.id
 where p.name like '%a%' group by p.id order by s desc, p.name limit 25;
with recursive n(x) as (select 1 union all select x + 1 from n where x < 40000)
 select sum(x % 7), max(x * x % 1009), count(distinct x % 331) from n;
select substr(name, 1, 2) h, group_concat(id % 10, '') from parts group by h order by h limit 10;
"""


def sql(random):
    words = make_words(random, 400)
    rows = ["begin;"]
    for i in range(1, 401):
        rows.append(f"insert into parts values({i},{random.below(12)},{1 + random.below(500)},'{words[i - 1]}');")
    for i in range(1, 3001):
        rows.append(f"insert into orders values({i},{1 + random.below(400)},{1 + random.below(9)},{random.below(365)});")
    rows.append("commit;")
    return SQL.format(rows="\n".join(rows))


PYTHON = """\
import json


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


class Queue:
    def __init__(self):
        self.heap = []

    def push(self, item):
        self.heap.append(item)
        at = len(self.heap) - 1
        while at > 0 and self.heap[at] < self.heap[(at - 1) // 2]:
            self.heap[at], self.heap[(at - 1) // 2] = self.heap[(at - 1) // 2], self.heap[at]
            at = (at - 1) // 2

    def pop(self):
        top, last = self.heap[0], self.heap.pop()
        if self.heap:
            self.heap[0] = last
            at = 0
            while True:
                child = 2 * at + 1
                if child >= len(self.heap):
                    break
                if child + 1 < len(self.heap) and self.heap[child + 1] < self.heap[child]:
                    child += 1
                if self.heap[at] <= self.heap[child]:
                    break
                self.heap[at], self.heap[child] = self.heap[child], self.heap[at]
                at = child
        return top


records = [{"id": i, "name": "item%d" % i, "tags": ["t%d" % (i * k % 17) for k in range(4)],
            "value": i * 7919 % 1000 / 8} for i in range(600)]
for turn in range(6):
    records = json.loads(json.dumps(records, sort_keys=True))
counts = {}
for record in records:
    for tag in record["tags"]:
        counts[tag] = counts.get(tag, 0) + record["value"]
print(sorted(counts.items())[:5], sum(collatz(n) for n in range(1, 1500)))
queue = Queue()
for i in range(2500):
    queue.push(i * 7919 % 10007)
print([queue.pop() for _ in range(2500)][:8])
text = " ".join(record["name"] for record in records)
print(len(text.replace("item", "x").split()), text.count("7"), text.upper()[:20])
"""

LUA = """\
local function sieve(n)
  local composite, count = {}, 0
  for i = 2, n do
    if not composite[i] then
      count = count + 1
      for k = i * i, n, i do composite[k] = true end
    end
  end
  return count
end
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local function permute(list, n, visit)
  if n == 0 then return visit(list) end
  for i = 1, n do
    list[i], list[n] = list[n], list[i]
    permute(list, n - 1, visit)
    list[i], list[n] = list[n], list[i]
  end
end
local words = {}
for word in ("the quick brown fox jumps over the lazy dog and runs away from it all"):rep(60, " "):gmatch("%a+") do
  words[word] = (words[word] or 0) + 1
end
local names = {}
for word, count in pairs(words) do names[#names + 1] = string.format("%s=%d", word, count) end
table.sort(names)
local total = 0
permute({1, 2, 3, 4, 5, 6, 7, 8}, 8, function(list) total = total + list[1] * list[8] end)
local body = setmetatable({}, {__index = function(_, key) return #key end})
for i = 1, 20000 do total = total + body["k" .. i % 100] end
print(sieve(120000), fib(23), total, table.concat(names, " "))
"""

PERL = """\
use strict; use warnings;
my (%seen, @lines, $long);
while (my $line = <STDIN>) {
    chomp $line;
    push @lines, $line;
    $seen{lc $_}++ for $line =~ /\\b[a-z]{3,}\\b/gi;
    $long++ if length($line) > 80;
    last if @lines == 2500;
}
my @top = sort { $seen{$b} <=> $seen{$a} || $a cmp $b } keys %seen;
print join(" ", map { "$_:$seen{$_}" } @top[0 .. 9]), " $long\\n";
my $text = join "\\n", @lines;
(my $swapped = $text) =~ s/(\\w+) (\\w+)/$2 $1/g;
my $digits = () = $text =~ /\\d/g;
$text =~ tr/a-z/b-za/;
my @reversed = reverse split //, substr $text, 0, 20000;
my %pairs;
$pairs{"$reversed[$_]$reversed[$_ + 1]"}++ for 0 .. $#reversed - 1;
printf "%d %d %d %s\\n", length $swapped, $digits, scalar keys %pairs, substr $swapped, 0, 30;
"""

AWK = """\
{
    for (i = 1; i <= NF; i++) {
        word = tolower($i)
        gsub(/[^a-z0-9]/, "", word)
        count[word]++
        letters[substr(word, 1, 1)] += length(word)
    }
    if ($0 ~ /[0-9]+\\./) numbers++
    width[int(length($0) / 10)]++
}
END {
    n = asorti(count, names)
    for (i = 1; i <= n; i++) if (count[names[i]] > 300) printf "%s %d\\n", names[i], count[names[i]]
    for (w = 0; w < 20; w++) if (w in width) printf "%d: %d\\n", w, width[w]
    printf "%d %d %d\\n", n, numbers, letters["s"]
}
"""

# Other inputs for programs above, whose profiles are used for them (configs/recorded.cfg and optimise.cfg).
OTHER_PYTHON = """\
def primes():
    found, n = [], 2
    while True:
        if all(n % p for p in found if p * p <= n):
            found.append(n)
            yield n
        n += 1


def multiply(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


class Account:
    def __init__(self, owner, balance=0):
        self.owner, self.balance = owner, balance

    def withdraw(self, amount):
        if amount > self.balance:
            raise ValueError(f"{self.owner} has {self.balance}, not {amount}")
        self.balance -= amount
        return self


generator = primes()
print([next(generator) for _ in range(600)][-3:])
matrix = [[(i * 7 + k * 3) % 11 for k in range(12)] for i in range(12)]
power = matrix
for _ in range(12):
    power = [[x % 1009 for x in row] for row in multiply(power, matrix)]
print(power[0], pow(3, 4000, 10 ** 40), len(str(7 ** 3000)))
refused = 0
accounts = [Account("owner %d" % i, i * 37 % 500) for i in range(400)]
for i in range(6000):
    try:
        accounts[i * 7919 % 400].withdraw(i % 90)
    except ValueError as error:
        refused += len(error.args[0])
print(refused, sorted(accounts, key=lambda a: (-a.balance, a.owner))[0].owner)
words = "the quick brown fox jumps over the lazy dog and runs away from it all".split()
lines = ["%-8s|%6.2f|%04x" % (words[i % 15], i / 7, i * i % 65536) for i in range(3000)]
kinds = {line.split("|")[0].strip() for line in lines}
print(len(kinds), "\\n".join(lines).replace("quick", "slow").count("slow"), sorted(lines, key=lambda s: s[::-1])[:2])
"""

OTHER_PERL = """\
use strict; use warnings;
sub choose { my ($n, $k) = @_; return $k == 0 || $k == $n ? 1 : choose($n - 1, $k - 1) + choose($n - 1, $k); }
my @queue = map { { key => $_ * 7919 % 10007, name => sprintf("n%04x", $_) } } 1 .. 4000;
my @sorted = sort { $a->{key} <=> $b->{key} } @queue;
my @adders = map { my $by = $_; sub { return $_[0] + $by } } 1 .. 50;
my $total = 0;
$total = $_->($total) for map { @adders } 1 .. 400;
my $packed = join "", map { pack "nC", $_, $_ % 251 } 1 .. 6000;
my $sum = 0;
while (length $packed) { my ($n, $c) = unpack "nC", substr $packed, 0, 3, ""; $sum += $n * $c % 97; }
my %grid;
for my $y (0 .. 99) { $grid{"$y,$_"} = $y * $_ % 10 for 0 .. 99; }
my $around = 0;
for my $y (1 .. 98) { for my $x (1 .. 98) { $around += $grid{$y - 1 . ",$x"} + $grid{"$y," . ($x + 1)}; } }
my $line = join ",", map { $_->{name} } @sorted[0 .. 999];
my $fields = grep { /^n0[0-7]/ } split /,/, $line;
printf "%d %s %d %d %d %d\\n", choose(16, 6), $sorted[0]{name}, $total, $sum, $around, $fields;
"""

OTHER_LUA = """\
local Point = {}
Point.__index = Point
function Point.new(x, y) return setmetatable({x = x, y = y}, Point) end
function Point.__add(a, b) return Point.new(a.x + b.x, a.y + b.y) end
local sum = Point.new(0, 0)
for i = 1, 30000 do sum = sum + Point.new(i % 7, i / 3) end
local parts = {}
for i = 1, 8000 do parts[#parts + 1] = ("%d:%x"):format(i, i * 2654435761 % 65536) end
local text = table.concat(parts, ",")
local upper, digits = text:upper():reverse(), 0
for d in text:gmatch("%d") do digits = digits + tonumber(d) end
local generator = coroutine.wrap(function() for i = 1, 20000 do coroutine.yield(i * i % 97) end end)
local seen = {}
for _ = 1, 20000 do local v = generator() seen[v] = (seen[v] or 0) + 1 end
print(sum.x, sum.y, #upper, digits, #seen, select("#", table.unpack(parts, 1, 200)))
"""

OTHER_SQL = """\
create table words(id integer primary key, word text, length int);
with recursive n(x) as (select 1 union all select x + 1 from n where x < 6000)
 insert into words select x, hex(x * 2654435761 % 65536), x % 17 from n;
update words set length = length(word) + length where id % 3 = 0;
delete from words where id % 11 = 0;
create view longer as select length, count(*) n from words group by length having n > 10;
select * from longer order by n desc, length limit 7;
select word, row_number() over (partition by length order by word) r from words order by r desc, word limit 5;
select upper(substr(word, 2)) || '-' || replace(word, 'A', 'b') t from words order by t limit 9;
select count(*) from words where word glob '*[0-9]A*' or word between '3' and '7';
select json_group_array(id) from (select id from words where length > 19 order by id limit 40);
"""


def files(seed):
    yield "text-1500k", text(Random(seed), 1500000)
    yield "text-500k", text(Random(seed + 1), 500000)
    yield "text-200k", text(Random(seed + 2), 200000)
    yield "unit.i", c_source(Random(seed + 3), 3300)
    yield "joins.sql", sql(Random(seed + 4))
    yield "work.py", PYTHON
    yield "work.lua", LUA
    yield "work.pl", PERL
    yield "work.awk", AWK
    yield "other.lua", OTHER_LUA
    yield "other.sql", OTHER_SQL
    yield "other.pl", OTHER_PERL
    yield "other.py", OTHER_PYTHON
    yield "other.i", c_source(Random(seed + 5), 3300)


def write(path, content):
    data = content.encode()
    if os.path.exists(path):
        with open(path, "rb") as file:
            if file.read() == data:
                return
    part = path + ".part"
    with open(part, "wb") as file:
        file.write(data)
    os.replace(part, path)


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, content in files(int(sys.argv[2]) if len(sys.argv) == 3 else 1):
        write(os.path.join(sys.argv[1], name), content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
