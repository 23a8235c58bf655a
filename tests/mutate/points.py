"""Small changes that a test should notice: where a source file has operators, constants, conditions and statements.

    for p in points(text, "core/base/map.c"): mutated = p.apply(text)

No change adds or removes a line. Comments, strings, preprocessor lines and declarations' types are left alone. Sources
are taken to be as clang-format leaves them: a binary operator has blanks around it, a pointer's star has not.

Some changes make nothing else of a program, and are left out: `a <= b ? a : b` for the smaller of two, room for one more
in an allocation, and what only the speed depends on (HINTS).
"""
import bisect
import collections
import re


class Point(collections.namedtuple("Point", "start end new kind line")):
    """text[start:end] becomes new; line is that of start, from 1."""

    def apply(self, text):
        return text[:self.start] + self.new + text[self.end:]


BINARY = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"], "&&": ["||"], "||": ["&&"],
    "&": ["|"], "|": ["&"], "^": ["|"], "<<": [">>"], ">>": ["<<"],
    "+=": ["-=", "="], "-=": ["+=", "="], "*=": ["/=", "="], "/=": ["*=", "="], "|=": ["&=", "="], "&=": ["|=", "="],
    "^=": ["|=", "="], "<<=": [">>="], ">>=": ["<<="],
}
UNARY = {"++": "--", "--": "++", "!": "", "~": ""}
HINTS = {"__builtin_expect", "__builtin_prefetch", "gzbuffer", "setvbuf", "posix_fadvise"}
ALLOCATIONS = {"malloc", "calloc", "realloc", "arena_get", "vec_reserve"}
ORDERS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
TYPES = set("""const static struct enum union unsigned signed int char bool void long short double float register extern typedef
    static_assert _Static_assert _Thread_local inline volatile""".split())
CONTROL = {"if", "for", "while", "switch"}
JUMPS = {"break", "continue", "goto", "return"}
TOKEN = re.compile(r"""(?P<word>[A-Za-z_]\w*)|(?P<number>0[xX][0-9a-fA-F]+[uUlL]*|\d+\.\d*(?:[eE][-+]?\d+)?|\d+[uUlL]*)
    |(?P<operator><<=|>>=|\+\+|--|->|&&|\|\||[-+*/%&|^<>=!]=|<<|>>|[-+*/%&|^<>=!~?:;,.(){}\[\]\#])""", re.X)
SKIPPED = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*\#(?:\\\n|[^\n])*', re.S | re.M)
SQL_SKIPPED = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:''|[^'])*'|\"[^\"]*\"", re.S)

Token = collections.namedtuple("Token", "kind text start end")


def blanked(text, skipped):
    """The same text with blanks, where it is a comment, string or preprocessor line; line ends stay."""
    return skipped.sub(lambda m: re.sub(r"[^\n]", "\1" if m[0][:1] in "\"'" else " ", m[0]), text)


def tokens_of(code):
    return [Token(m.lastgroup, m[0], m.start(), m.end()) for m in TOKEN.finditer(code)]


def constants(number):
    """The replacements of a constant: one more, one less, 0."""
    digits = number.rstrip("uUlL")
    suffix = number[len(digits):]
    if "." in digits:
        value = float(digits)
        return [repr(value + 1)] + (["0.0"] if value != 0 else [])
    octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
    value = int(digits, 8) if octal else int(digits, 0)
    form = hex if digits[:2].lower() == "0x" else oct if octal else str
    others = {value + 1, max(value - 1, 0), 0} - {value}
    return [form(v).replace("0o", "0") + suffix for v in sorted(others)]


def partners(tokens):
    """Index of the bracket that closes the one at index i."""
    closes, open_ = {}, []
    for i, t in enumerate(tokens):
        if t.text in "([{" and t.kind == "operator":
            open_.append(i)
        elif t.text in ")]}" and t.kind == "operator" and open_:
            closes[open_.pop()] = i
    return closes


class CFile:
    def __init__(self, text):
        self.code = blanked(text, SKIPPED)
        self.text = text
        self.tokens = tokens_of(self.code)
        self.closes = partners(self.tokens)
        self.hints, self.allocations = self.calls(HINTS), self.calls(ALLOCATIONS)
        self.line_starts = [0] + [m.end() for m in re.finditer("\n", text)]
        self.found = []

    def add(self, start, end, new, kind):
        self.found.append(Point(start, end, new, kind, bisect.bisect_right(self.line_starts, start)))

    def calls(self, names):
        """Indices of the tokens that are arguments in calls of these."""
        return {k for i, t in enumerate(self.tokens) if t.text in names and i + 1 in self.closes
                for k in range(i + 2, self.closes[i + 1])}

    def chooses(self, i):
        """True if the comparison at token i chooses between its two sides, so that equality does not matter."""
        m = re.compile(r"\s*([\w.>\[\]-]+) \? ([\w.>\[\]-]+)\s+: ([\w.>\[\]-]+)\s*[;,)]").match(self.code, self.tokens[i].end)
        left = re.search(r"(?:^|[\s(])([\w.>\[\]-]+)\s*$", self.code[max(self.tokens[i].start - 120, 0):self.tokens[i].start])
        return m is not None and left is not None and {m[2], m[3]} == {left[1], m[1]}

    def spaced(self, t):
        return self.code[t.start - 1:t.start].isspace() and self.code[t.end:t.end + 1].isspace()

    def operators(self):
        for i, t in enumerate(self.tokens):
            if i in self.hints:
                continue
            if t.kind == "number" and not (self.tokens[i - 1].text == "[" and self.is_declaration(i)):
                more = i in self.allocations and self.tokens[i - 1].text == "+"
                for new in constants(t.text):
                    if not more or int(new.rstrip("uUlL"), 0) < int(t.text.rstrip("uUlL"), 0):
                        self.add(t.start, t.end, new, "constant")
            elif t.text in BINARY and t.kind == "operator" and self.spaced(t):
                for new in BINARY[t.text]:
                    if new != ORDERS.get(t.text) or not self.chooses(i):
                        self.add(t.start, t.end, new, "operator")
            elif t.text in UNARY and t.kind == "operator":
                self.add(t.start, t.end, UNARY[t.text], "operator")
            elif t.text == "?":
                self.add(t.start, t.end, "|| 1 ?", "condition")
                self.add(t.start, t.end, "&& 0 ?", "condition")

    def is_declaration(self, i):
        """True if the statement around token i is a declaration, so that [n] is a size."""
        while i > 0 and self.tokens[i - 1].text not in (";", "{", "}", "(", "="):
            i -= 1
        return self.declares(i)

    def declares(self, i):
        first, second = self.tokens[i], self.tokens[min(i + 1, len(self.tokens) - 1)]
        if first.text in TYPES or first.text.endswith("_t"):
            return True
        star = second.text == "*" and not self.spaced(second)
        return first.kind == "word" and first.text not in JUMPS | CONTROL and (second.kind == "word" or star)

    def conditions(self):
        for i, t in enumerate(self.tokens):
            if t.text in ("if", "while") and i + 1 in self.closes:
                self.condition(i + 2, self.closes[i + 1], t.text)
            elif t.text == "for" and i + 1 in self.closes:
                ends = [k for k in range(i + 2, self.closes[i + 1]) if self.tokens[k].text == ";"]
                if len(ends) == 2:
                    self.condition(ends[0] + 1, ends[1], "for")

    def condition(self, first, end, word):
        if first >= end:
            return
        start, stop = self.tokens[first].start, self.tokens[end - 1].end
        held = self.text[start:stop]
        self.add(start, stop, f"!({held})", "condition")
        self.add(start, stop, f"({held}) && 0", "condition")
        if word == "if":
            self.add(start, stop, f"({held}) || 1", "condition")

    def statements(self):
        """Each `...;` within a function that is an expression or a jump without a value."""
        tokens, depth, i = self.tokens, 0, 0
        start = None
        while i < len(tokens):
            word = tokens[i].text
            if word == "{" or word == "}":
                depth += 1 if word == "{" else -1
                start = i + 1
            elif word in CONTROL and i + 1 in self.closes:
                i = self.closes[i + 1]
                start = i + 1
            elif word in ("else", "do") or word == ":" and start is not None and tokens[start].text in ("case", "default"):
                start = i + 1
            elif word == "(" and i in self.closes:
                i = self.closes[i]
            elif word == ";":
                if depth > 0 and start is not None and start < i and self.can_go(start, i):
                    held = self.text[tokens[start].start:tokens[i].start]
                    self.add(tokens[start].start, tokens[i].start, re.sub(r"[^\n]", "", held), "statement")
                start = i + 1
            i += 1

    def can_go(self, start, end):
        first = self.tokens[start]
        if first.text in JUMPS:
            return first.text != "return" or end == start + 1
        return (first.kind == "word" or first.text in ("*", "(", "++", "--")) and not self.declares(start)


def c_points(text):
    f = CFile(text)
    f.operators()
    f.conditions()
    f.statements()
    return f.found


SQL_WORDS = [
    (r"\bAND\b", ["OR"], "operator"), (r"\bOR\b", ["AND"], "operator"), (r"\bDESC\b", ["ASC"], "operator"),
    (r"\bLEFT JOIN\b", ["JOIN"], "operator"), (r"\bUNION ALL\b", ["UNION"], "operator"), (r"\bDISTINCT\b", [""], "operator"),
    (r"\bIS NOT NULL\b", ["IS NULL"], "condition"), (r"\bIS NULL\b", ["IS NOT NULL"], "condition"),
    (r"\bNOT EXISTS\b", ["EXISTS"], "condition"), (r"(?<!NOT )\bEXISTS\b", ["NOT EXISTS"], "condition"),
    (r"\bNOT IN\b", ["IN"], "condition"), (r"(?<!NOT )\bIN\b", ["NOT IN"], "condition"),
    (r"\bWHERE\b", ["WHERE 1 OR", "WHERE 0 AND"], "condition"), (r"\bHAVING\b", ["HAVING 1 OR"], "condition"),
    (r"\bmin(?=\()", ["max"], "operator"), (r"\bmax(?=\()", ["min"], "operator"), (r"\bsum(?=\()", ["max"], "operator"),
    (r"\bavg(?=\()", ["max"], "operator"),
    (r"(?<=\s)<=(?=\s)", ["<"], "operator"), (r"(?<=\s)>=(?=\s)", [">"], "operator"), (r"(?<=\s)<(?=\s)", ["<=", ">="], "operator"),
    (r"(?<=\s)>(?=\s)", [">=", "<="], "operator"), (r"(?<=\s)=(?=\s)", ["<>"], "operator"), (r"(?<=\s)<>(?=\s)", ["="], "operator"),
    (r"(?<=[\w)\"] )\+(?=\s)", ["-"], "operator"), (r"(?<=[\w)\"] )-(?=\s)", ["+"], "operator"),
    (r"(?<=[\w)\"] )\*(?= [^F])", ["/"], "operator"), (r"(?<=[\w)\"] )/(?=\s)", ["*"], "operator"),
]
ORDER = re.compile(r"\bORDER BY\b")


def last_terms(code):
    """The ranges of the second and later terms of an ORDER BY, from the comma on."""
    for m in ORDER.finditer(code):
        depth, comma = 0, None
        for i in range(m.end(), len(code)):
            c = code[i]
            done = c == ";" or c == ")" and depth == 0 or re.compile(r"\b(LIMIT|ROWS|UNION|SELECT)\b").match(code, i) is not None
            if (done or c == "," and depth == 0) and comma is not None:
                yield comma, i
            if done:
                break
            comma = i if c == "," and depth == 0 else comma
            depth += (c == "(") - (c == ")")


def sql_points(text):
    code = blanked(text, SQL_SKIPPED)
    starts = [0] + [m.end() for m in re.finditer("\n", text)]
    found = []

    def add(start, end, new, kind):
        found.append(Point(start, end, new, kind, bisect.bisect_right(starts, start)))

    for pattern, news, kind in SQL_WORDS:
        for m in re.finditer(pattern, code):
            for new in news:
                add(m.start(), m.end(), new, kind)
    for m in re.finditer(r"(?<![\w.$\"])\d+(?:\.\d+)?(?![\w.])", code):
        for new in constants(m[0]):
            add(m.start(), m.end(), new, "constant")
    for start, end in last_terms(code):
        add(start, end, re.sub(r"[^\n]", "", text[start:end]), "statement")
    return found


def points(text, name):
    """All changes of a file, by its name's ending; none for files that are neither C nor SQL."""
    if name.endswith((".c", ".h")):
        return c_points(text)
    return sql_points(text) if name.endswith(".sql") else []
