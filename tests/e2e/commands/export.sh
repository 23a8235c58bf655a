# What would break: other tools cannot read an exported graph, or read another one.
set -eu
. "$(dirname "$0")/../lib.sh"
command -v python3 >/dev/null || skip "no python3"
cd "$work"
"$hotgraph" exact "$source/games/umbel.nes" --movie "$source/movies/umbel.fm2" --frames 300 --out u.graph >/dev/null
for format in dot json graphml; do
    "$hotgraph" export --format $format --all u.graph --out whole.$format
    "$hotgraph" export --format $format u.graph >hot.$format
    "$hotgraph" export --format $format --hot 0.5 u.graph >half.$format
done
python3 - "$source/docs/graph.schema.json" <<'END' || fail "see above"
import json, re, sys
import xml.etree.ElementTree as xml

# Read without hotgraph: each edge, and which of them are hot by the definition of
# docs/metrics.md.
edges = {}
blocks = {}
for line in open("u.graph"):
    if line.startswith("#block"):
        entry, last = (int(word, 16) for word in line.split()[1:])
        blocks[entry] = last
    elif not line.startswith("#"):
        source, target, count, busy = line.split()
        edges[int(source, 16), int(target, 16)] = int(count), busy == "1"
weight = sum(count for count, _ in edges.values())


def hot(share):
    chosen, total = {}, 0
    for edge in sorted(edges, key=lambda edge: (-edges[edge][0], edge)):
        if total * 1000 >= share * weight:
            break
        total += edges[edge][0]
        chosen[edge] = edges[edge]
    return chosen


def from_dot(path):
    return {(int(a, 16), int(b, 16)): (int(count), "dashed" in rest)
            for a, b, count, rest in re.findall(r'_(0x\w+) -> _(0x\w+) \[label="(\d+)"(.*)\]', open(path).read())}


def from_json(path):
    data = json.load(open(path))
    assert data["weight"] == weight and data["edge_count"] == len(edges) and data["kind"] == "exact", data
    entries = {b["entry"]: b["last"] for b in data["blocks"]}
    assert all(blocks[entry] == last for entry, last in entries.items())
    found = {(x["source"], x["target"]): (x["count"], x["busy"]) for x in data["edges"]}
    assert set(entries) == {end for edge in found for end in edge} | (set(blocks) if "whole" in path else set())
    schema = json.load(open(sys.argv[1]))
    try:
        import jsonschema
        jsonschema.validate(data, schema)
    except ImportError:
        pass
    assert set(data) == set(schema["required"])
    return found


def from_graphml(path):
    space = "{http://graphml.graphdrawing.org/xmlns}"
    graph = xml.parse(path).getroot().find(space + "graph")
    nodes = {node.get("id") for node in graph.iter(space + "node")}
    found = {}
    for edge in graph.iter(space + "edge"):
        data = {d.get("key"): d.text for d in edge.iter(space + "data")}
        assert {edge.get("source"), edge.get("target")} <= nodes
        assert abs(float(data["percent"]) - 100 * int(data["count"]) / weight) < 1e-3
        found[int(edge.get("source"), 16), int(edge.get("target"), 16)] = int(data["count"]), data["busy"] == "true"
    return found


for name, wanted in ("whole", edges), ("hot", hot(900)), ("half", hot(500)):
    for read, ending in (from_dot, "dot"), (from_json, "json"), (from_graphml, "graphml"):
        assert read(f"{name}.{ending}") == wanted, (name, ending)
assert 0 < len(hot(500)) < len(hot(900)) < len(edges)
END
# networkx, which many read GraphML with, finds the same nodes, counts and busy-waits.
if /usr/bin/python3 -c 'import networkx' 2>none; then
    /usr/bin/python3 - whole.graphml <<'END' >networkx || fail "networkx does not read it"
import sys

import networkx

graph = networkx.read_graphml(sys.argv[1])
for a, b, data in sorted(graph.edges(data=True), key=lambda e: (int(e[0], 16), int(e[1], 16))):
    print(f"{int(a, 16):#x}\t{int(b, 16):#x}\t{data['count']}\t{int(data['busy'])}")
END
    grep -v '^#' u.graph >edges
    same networkx edges
fi
# Graphviz draws it.
if command -v dot >/dev/null; then
    dot -Tsvg hot.dot -o hot.svg || fail "Graphviz does not read it"
    test "$(grep -c '<g id="edge' hot.svg)" = "$(grep -c -- '->' hot.dot)" || fail "edges are missing in the drawing"
fi
# --dot of the other commands is the hot part; a set is written whole.
"$hotgraph" exact "$source/games/umbel.nes" --movie "$source/movies/umbel.fm2" --frames 300 --out u2.graph --dot u.dot >/dev/null
same u.dot hot.dot
printf '0x8000\t0x8001\t0\n0x8001\t0x8000\t0\n' >set.graph
test "$("$hotgraph" export --format dot set.graph | grep -c -- '->')" = 2 || fail "a set is not written whole"
refuses 2 'give either --format WORD, or --bolt FILE' export u.graph
refuses 2 'give either --format WORD, or --bolt FILE' export --format dot --bolt u.graph u.graph
refuses 2 'one of dot, json, graphml' export --format svg u.graph
refuses 2 'give either --all or --hot' export --format dot --all --hot 0.5 u.graph
refuses 2 '--rare belongs to --bolt' export --format dot --rare 3 u.graph
refuses 1 'none.graph: there is no such file' export --format dot none.graph
