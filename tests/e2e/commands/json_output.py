#!/usr/bin/env python3
"""json_output.py HOTGRAPH SOURCE: calls every command with --json and compares what it prints with docs/json.schema.json, which must
have a definition for each of them; and numbers of the newer ones with the text or the database."""
import json
import os
import shutil
import sqlite3
import subprocess
import sys

HOTGRAPH, SOURCE = sys.argv[1:3]
SCHEMA = json.load(open(f"{SOURCE}/docs/json.schema.json", encoding="utf-8"))
PLAY = "game.nes --movie a.fm2 --frames 60"
# Commands with nothing to report as JSON, and why.
WITHOUT = {"movie": "it is `info`, `make` or `check`"}
CALLS = [
    ("replay", f"{PLAY}"), ("sample", f"{PLAY} --out s.isampling"), ("exact", f"{PLAY} --out g.graph"),
    ("structure", f"{PLAY} --out s.structure"), ("build", "s.isampling --technique observed --out o.graph"),
    ("build", "s.isampling --technique flow --structure s.structure --out f.graph"),
    ("profile", f"{PLAY} --technique entries --out e.graph"), ("profile", f"{PLAY} --technique fifo --out q.graph"),
    ("profile", f"{PLAY} --technique gaussian --where thread --out t.graph"),
    ("compare", "o.graph g.graph"), ("compare", "o.graph g.graph --structure s.structure"),
    ("export", "g.graph --format dot --out g.dot"), ("import", "counted.callgrind --graph c.graph"),
    ("import", "perf.txt --stream p.isampling"),
    ("flow", "net"), ("techniques", ""), ("doctor", ""), ("movie info", "a.fm2"),
    ("movie make", "game.nes --out m.fm2 --frames 60 --player mazewisp"),
    ("movie check", "game.nes --movie a.fm2 --frames 600"), ("testrom", "game.nes --frames 3"),
    ("lockstep", f"{PLAY} --way interp"), ("blocks", f"{PLAY} --top 2"), ("cost", f"{PLAY} --from 30"),
    ("sweep", "q.cfg --db q.db"), ("sweep", "q.cfg --db q.db --dry-run"), ("results", "q.db"), ("runs", "q.db"),
    ("sql", ""), ("sql", "q.db found"), ("report", "q.db"), ("report", "q.db --out report"),
    ("report", "--compare q.db other.db"), ("diff", "q.db other.db"), ("merge", "m.db q.db"),
    ("merge", "m.db q.db"), ("merge", "copy.db q.db --copy"), ("init", "--game game.nes=a.fm2 --out own.cfg"),
    ("init", "--program true --out programs.cfg"), ("bench", "q.cfg --db b.db --rounds 1 --frames 20"),
    ("bench", "live.cfg --db b.db --rounds 1 --frames 20 --games game"), ("costs", "q.cfg --db q.db --frames 60 --from 30"),
    ("optimise", "laid.cfg --db laid.db"),
    ("record", "--graph r.graph --structure r.structure --output /dev/null -- ./program"),
    ("record", "--follow --output /dev/null -- /bin/sh -c /bin/true;/bin/true"),
    ("export", "--bolt ./program --structure r.structure r.graph --out r.fdata"), ("native", "-- /bin/true"),
    ("native", "--graph native.graph -- /bin/true"),
    ("measured", "--db x.db --run r --what whole --tool perf --seconds 1.5 --base-seconds 1 -- /bin/true"),
    ("measured", "--db x.db --tool callgrind --call 4096:main:1 -- /bin/true"),
    ("measured", "--db x.db --run r --tool bolt --edges 9:8:1 -- /bin/true"),
]
# Other exit statuses than 0: verdicts.
STATUS = {"testrom": 1, "movie check": 1, "diff": 1}
wrong = []


def hotgraph(arguments):
    return subprocess.run([HOTGRAPH] + arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def missing():
    """The commands that this build lacks: with sanitizers there are no probes in native programs."""
    return set() if hotgraph(["help", "native"]).returncode == 0 else {"native", "measured"}


# ---- JSON Schema: of it, what json.schema.json uses ----
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "number": (int, float), "integer": int}


def has_type(value, name):
    return isinstance(value, TYPES[name]) and not (isinstance(value, bool) and name in ("number", "integer"))


def check(value, schema, at):
    """Lists what is wrong with value."""
    known = {"type", "properties", "required", "additionalProperties", "items", "enum", "pattern", "anyOf", "$ref", "description"}
    assert set(schema) <= known, f"{at}: this check does not know {set(schema) - known}"
    if "$ref" in schema:
        return check(value, SCHEMA["$defs"][schema["$ref"].split("/")[-1]], at)
    if "anyOf" in schema:
        found = [check(value, one, at) for one in schema["anyOf"]]
        return [] if [] in found else min(found, key=len)
    types = schema.get("type", list(TYPES))
    if not any(has_type(value, t) for t in ([types] if isinstance(types, str) else types)):
        return [f"{at}: {json.dumps(value)[:60]} is no {types}"]
    bad = []
    if "enum" in schema and value not in schema["enum"]:
        bad.append(f"{at}: {value!r} is none of {schema['enum']}")
    if isinstance(value, list) and "items" in schema:
        bad += [text for i, one in enumerate(value) for text in check(one, schema["items"], f"{at}[{i}]")]
    if isinstance(value, dict):
        properties, more = schema.get("properties", {}), schema.get("additionalProperties", True)
        bad += [f"{at}: no member {name}" for name in schema.get("required", []) if name not in value]
        for name, one in value.items():
            if name in properties:
                bad += check(one, properties[name], f"{at}.{name}")
            elif more is False:
                bad.append(f"{at}: unexpected member {name}")
            elif more is not True:
                bad += check(one, more, f"{at}.{name}")
    return bad


# ---- the calls ----
def prepare():
    shutil.copy(f"{SOURCE}/games/mazewisp.nes", "game.nes")
    shutil.copy(f"{SOURCE}/movies/mazewisp.fm2", "a.fm2")
    texts = {
        "perf.txt": "a 1/1 1.0: PERF_RECORD_MMAP2 1/1: [0x1000(0x1000) @ 0 1:2 3 4]: r-xp /bin/true\na 1/1 1.5: 1 c: 1000\n",
        "net": "p min 2 1\nn 1 1\nn 2 -1\na 1 2 0 1 1\n",
        "q.cfg": 'name = "q"; frames = 60; games = ({name = "game"; rom = "game.nes"; movie = "a.fm2";});\n'
                 'grid = {technique = "gaussian"; bin_size = [10]; stdev_threshold = [15]; window_size = [13];'
                 " recurrent_threshold = [5];};\n",
        "live.cfg": 'name = "live"; frames = 60; games = ({name = "game"; rom = "game.nes"; movie = "a.fm2";}, {name = "two"; rom = '
                    '"game.nes"; movie = "a.fm2";}); sampling = { by = "live"; }; grid = {technique = "exact";};\n',
        "laid.cfg": 'budgets = ( { every = 1667; } ); programs = ( {name = "absent"; folder = "."; command = ("absent");} );',
    }
    for name, text in texts.items():
        with open(name, "w", encoding="utf-8") as f:
            f.write(text)
    with open("other.cfg", "w", encoding="utf-8") as f:
        f.write(texts["q.cfg"].replace("60", "90"))
    result = hotgraph("sweep other.cfg --db other.db".split())
    assert result.returncode == 0, result.stderr
    kernels = f"{os.path.dirname(HOTGRAPH)}/programs/kernels-x86_64"
    if os.path.exists(kernels):
        shutil.copy(kernels, "program")
    if shutil.which("valgrind"):
        subprocess.run("valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no "
                       "--callgrind-out-file=counted.callgrind /bin/true".split(), check=True, capture_output=True)


def possible(command, line):
    """True if everything that the command needs is installed."""
    needs = {"optimise": shutil.which("llvm-bolt-19"), "record": shutil.which("qemu-x86_64") and os.path.exists("program"),
             "import": "perf" in line or os.path.exists("counted.callgrind")}
    return needs.get(command, True) and ("--bolt" not in line or os.path.exists("r.graph"))


def call(command, line):
    file = command == "native"  # its program has standard output
    end = ["--json", "n.json"] if file else ["--json"]
    result = hotgraph(command.split() + end + line.split())
    if result.returncode != STATUS.get(command, 0) and not (file and "not supported" in result.stderr):
        wrong.append(f"{command} {line}: status {result.returncode}: {result.stderr}")
        return None
    text = open("n.json", encoding="utf-8").read() if file else result.stdout
    try:
        value = json.loads(text)
    except ValueError as e:
        wrong.append(f"{command} {line}: {e}: {text[:300]}")
        return None
    wrong.extend(check(value, SCHEMA["$defs"][command], f"{command} {line}: $"))
    return value


def same(what, ours, other):
    if ours != other:
        wrong.append(f"{what}: {ours} is not {other}")


def rows(db, sql):
    with sqlite3.connect(db) as c:
        c.row_factory = sqlite3.Row
        return [dict(row) for row in c.execute(sql)]


def compare_numbers(got):
    """Against the text, the database, and other commands."""
    def words(command, line):
        return hotgraph(command.split() + line.split()).stdout.replace(",", " ").split()
    s = got["structure"][0]
    text = words("structure", f"{PLAY} --out s.structure")
    same("structure", [str(s[k]) for k in ("blocks", "instructions", "edges", "busy_transitions", "probes")],
         [w for w in text if w.isdigit()])
    p = got["profile"][0]
    text = words("profile", f"{PLAY} --technique entries --out e.graph")
    for name in ("records", "probes", "observed", "steps", "blocks", "edges"):
        same(f"profile {name}", str(p[name]), text[text.index(name) + 1].rstrip(";"))
    kinds = [m["unchanged"] for m in got["merge"]]
    same("merge", (kinds, got["merge"][0]["rows"] > 0, got["merge"][2]["rows"]), ([False, True, False], True, None))
    stored = rows("b.db", "SELECT b.game, configuration, b.engine, mode, round, frames, instructions, seconds, base_seconds, batches, "
                          "technique_seconds, queue_longest, held FROM bench b")
    key = lambda row: tuple(str(row[k]) for k in ("configuration", "engine", "mode"))
    same("bench", sorted(got["bench"][0]["rows"] + got["bench"][1]["rows"], key=key), sorted(stored, key=key))
    same("bench --games", {row["game"] for row in got["bench"][1]["rows"]}, {"game"})
    if "costs" in got:
        names = list(got["costs"][0]["rows"][0])[1:]
        stored = [{"game": "game"} | row for row in rows("q.db", f"SELECT {', '.join(names)} FROM cost")]
        same("costs", *(sorted(some, key=lambda row: row["watcher"]) for some in (got["costs"][0]["rows"], stored)))
        assert len(stored) >= 4, stored
    tables = got["report"][0]["experiments"][0]["tables"]
    for name, table in tables.items():
        same(f"report {name}", table, json.loads(hotgraph(["results", "q.db", "--view", name, "--json"]).stdout))
    for path in ("index", "warning"):
        same(f"report {path}", got["report"][0][path], None)
    assert os.path.exists(got["report"][1]["index"]), got["report"][1]
    both = got["report"][2]
    same("report --compare", (both["compared"], both["differ"], both["games"][0]["compared"]), (2, both["games"][0]["moved"], 2))
    same("init", [(i["games"], i["programs"], i["movies_missing"]) for i in got["init"]], [(["game"], [], False), ([], ["true"], False)])
    if "measured" in got:
        times, calls, edges = got["measured"]
        same("measured", (times["seconds"], times["base_seconds"], calls["seconds"], calls["routines"], calls["edges"], edges["edges"],
                          times["native_program_id"]),
             (1.5, 1, None, 1, None, {"edges": 9, "equal": 8, "wrong": 1}, rows("x.db", "SELECT native_program_id FROM native_program")[0]["native_program_id"]))
    if len(got["import"]) == 2:
        same("import", [i["from"] for i in got["import"]], ["callgrind", "perf"])


def main():
    prepare()
    commands = [line.split("\t")[1] for line in hotgraph(["--help=options"]).stdout.splitlines()]
    for command in commands:
        lines = [line.split("\t") for line in hotgraph(command.split() + ["--help=options"]).stdout.splitlines()]
        commands += [f"{command} {line[1]}" for line in lines if line[0] == "word"]
        if any(line[0] == "--json" for line in lines) == (command in WITHOUT):
            wrong.append(f"{command} {'has' if command in WITHOUT else 'has no'} --json")
    same("the definitions of json.schema.json", sorted(set(SCHEMA["$defs"]) - {"rows"} - missing()), sorted(set(commands) - set(WITHOUT)))
    same("the calls here", sorted({command for command, _ in CALLS} - missing()), sorted(set(commands) - set(WITHOUT)))
    got = {}
    for command, line in CALLS:
        if command in ("cost", "costs", "blocks") and hotgraph(f"replay {PLAY} --engine dbt".split()).returncode != 0:
            continue
        if command not in missing() and possible(command, line):
            got.setdefault(command, []).append(call(command, line))
    if not wrong:
        compare_numbers(got)
    # One that fails midway prints no part of a value.
    shutil.copy("q.db", "part.db")
    subprocess.run(["sqlite3", "part.db", "DROP TABLE paper_result"], check=True)
    part = hotgraph("report part.db --json".split())
    same("report --json that fails", (part.returncode, part.stdout, "paper_result" in part.stderr), (1, "", True))
    # A run that fails halfway prints whole JSON, too.
    os.remove("q.db")
    failed = hotgraph("costs q.cfg --db q.db --frames 60 --from 30 --json".split())
    same("costs without a sweep", (failed.returncode, json.loads(failed.stdout)["rows"]), (1, []))
    assert json.loads(failed.stdout)["error"] in failed.stderr and "sweep q.cfg" in failed.stderr, failed
    for line in ("diff net net --json", "merge y.db net --json", "report net --json", "optimise net --json"):
        same(line, hotgraph(line.split()).stdout, "")
    nothing = hotgraph("export g.graph --format dot --json".split())
    same("export --json without --out", nothing.returncode, 2)
    if wrong:
        sys.exit("\n".join(wrong + [f"{len(wrong)} are wrong"]))


main()
