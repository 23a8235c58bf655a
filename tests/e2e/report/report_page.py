"""report_page.py INDEX.html DATABASE: checks that the page is consistent and self-contained, and that its numbers are the answers of the queries beside them. Prints violations, or nothing."""
import re
import sqlite3
import sys
from html.parser import HTMLParser

VOID = {"meta", "input", "link", "br", "img", "hr"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.wrong, self.ids, self.links = [], [], set(), []
        self.queries, self.numbers, self.scripts, self.title = {}, {}, 0, ""
        self.query = self.number = None
        self.figures = self.described = 0

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if tag == "script":
            self.scripts += 1
        for name, value in attributes:
            if name.startswith("on"):
                self.wrong.append(f"<{tag} {name}=...>")
            if name in ("src", "action", "srcset") or (name == "href" and re.match(r"\s*(\w+:|//)", value or "")):
                self.wrong.append(f"<{tag} {name}={value}> is from elsewhere")
            if name == "href" and (value or "").startswith("#"):
                self.links.append(value[1:])
        if tag in ("iframe", "object", "embed", "link", "img", "base", "form", "foreignobject"):
            self.wrong.append(f"<{tag}> in the page")
        if "id" in a:
            if a["id"] in self.ids:
                self.wrong.append(f"two things are named {a['id']}")
            self.ids.add(a["id"])
        if tag == "svg":
            self.figures += 1
            self.described += a.get("role") == "img" and len(a.get("aria-labelledby", "").split()) == 2
            self.links += a.get("aria-labelledby", "").split()
        if tag == "details":
            self.query = a.get("id")
        if tag == "a" and a.get("class") == "n":
            self.number = a["href"][1:]
            self.numbers.setdefault(self.number, []).append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.wrong.append(f"</{tag}> at {self.getpos()} closes {self.open[-1:]}")
        else:
            self.open.pop()
        if tag == "details":
            self.query = None
        if tag == "a":
            self.number = None

    def handle_data(self, data):
        if self.query and self.open and self.open[-1] == "pre":
            self.queries[self.query] = self.queries.get(self.query, "") + data
        if self.number:
            self.numbers[self.number][-1] += data


page = Page()
page.feed(open(sys.argv[1], encoding="utf-8").read())
page.close()
wrong = page.wrong
if page.open:
    wrong.append(f"left open: {page.open}")
if page.scripts != 1:
    wrong.append(f"{page.scripts} scripts")
wrong += [f"nothing is named {link}" for link in page.links if link not in page.ids]
if page.figures != page.described:
    wrong.append("figures without alternative text")
# A caption names colours by swatches, which follow the mode; each is a colour of its figure, and text says the same by shape.
whole = open(sys.argv[1], encoding="utf-8").read()
swatches, charts = 0, ">gnuplot script<" in whole
if len(page.numbers) < 3 or page.figures < (5 if charts else 2):
    wrong.append(f"only {len(page.numbers)} findings and {page.figures} figures")
for figure, inside in re.findall(r"<figure id='([^']*)'(.*?)</figure>", whole, re.S):
    drawing, caption = inside.split("<figcaption>")
    said = re.sub(r"<[^>]*>", " ", re.split(r"<span class='about'>", caption)[0])
    for ink in re.findall(r"class='swatch' style='background:var\(--(\w+)\)'", caption):
        swatches += 1
        if not re.search(rf"class='[fk]-{ink}\b", drawing) and "<svg" in drawing and ink not in ("found", "missed", "invented"):
            wrong.append(f"the caption of {figure} has a swatch of {ink}, the drawing does not")
    for word in re.findall(r"\b(blue|red|green|orange|purple|gr[ea]y|black|white|pale|darker?|lighter)\b", said, re.I):
        wrong.append(f"the caption of {figure} names a colour: {word}")
    for ink in set(re.findall(r"class='[fk]-(found|missed|invented)\b", drawing)):
        if not re.match(r"hot-|means$", figure):
            wrong.append(f"{figure} has the colour of {ink} edges")
if charts and swatches == 0:
    wrong.append("no caption has a swatch")
db = sqlite3.connect(f"file:{sys.argv[2]}?mode=ro", uri=True)


def text(value):
    return repr(value)[:-2] if isinstance(value, float) and value == int(value) else str(value)


for query, shown in page.numbers.items():
    row = db.execute(page.queries[query]).fetchone()
    # 12,960 is written for 12960.
    shown = [s.replace(",", "") if re.fullmatch(r"\d{1,3}(,\d{3})+", s) else s for s in shown]
    if not set(shown) <= {text(value) for value in row}:
        wrong.append(f"{shown} is shown, but the query beside it says {row}")
print("\n".join(line[:200] for line in wrong[:10]), end="")
