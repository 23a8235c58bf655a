"""Readers of profiles for the tests, written from the formats' descriptions alone: callgrind.out, pprof's profile.proto and folded stacks."""
import collections
import gzip
import re


def callgrind(path):
    """(summary, {(object, function, address): instructions}, {(caller, callee): calls}) of a file with positions: instr."""
    names, costs, calls = {}, collections.Counter(), collections.Counter()
    at, where, callee, summary, inclusive = 0, {}, None, None, False
    for line in open(path, errors="replace"):
        line = line.rstrip("\n")
        if match := re.match(r"(c?)(ob|fn|fl|fi|fe)=(?:\((\d+)\))? ?(.*)$", line):
            called, kind, number, name = match.groups()
            kind = "fl" if kind in ("fi", "fe") else kind
            if number and name:
                names[kind, number] = name
            name = names[kind, number] if number else name
            if called and kind == "fn":
                callee = name
            elif not called:
                where[kind] = name
        elif line.startswith("calls="):
            calls[where["fn"], callee] += int(line[6:].split()[0])
            inclusive = True
        elif line.startswith(("jump=", "jcnd=")):
            inclusive = True  # its line has no cost
        elif line.startswith("summary:"):
            summary = int(line.split()[1])
        elif match := re.match(r"(0x[0-9a-f]+|[+-]\d+|\*)(?: (.*))?$", line):
            position = match[1]
            at = at if position == "*" else int(position, 16) if position.startswith("0x") else at + int(position)
            if not inclusive:
                costs[where.get("ob"), where["fn"], at] += int(match[2].split()[-1])
            inclusive = False
    return summary, costs, calls


def message(data):
    """The fields of a protocol buffer: {number: [values]}."""
    fields, at = collections.defaultdict(list), 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            fields[key >> 3].append(varint())
        elif key & 7 == 2:
            size = varint()
            fields[key >> 3].append(data[at:at + size])
            at += size
        else:
            raise ValueError(f"wire type {key & 7}")
    return fields


def packed(parts):
    """The integers of a packed field."""
    values = []
    for part in parts:
        value = shift = 0
        for byte in part:
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                values.append(value)
                value = shift = 0
    return values


def pprof(path):
    """{stack of names, the outermost first: value} and the mappings' files."""
    data = open(path, "rb").read()
    profile = message(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    strings = [s.decode() for s in profile[6]]
    assert strings[0] == ""
    functions = {f[1][0]: strings[f[2][0]] for f in map(message, profile[5])}
    locations = {p[1][0]: functions[message(p[4][0])[1][0]] for p in map(message, profile[4])}
    stacks = collections.Counter()
    for sample in map(message, profile[2]):
        (value,) = packed(sample[2])
        stacks[tuple(locations[i] for i in reversed(packed(sample[1])))] += value
    return stacks, [strings[m[5][0]] for m in map(message, profile[3])]


def folded(path):
    stacks = collections.Counter()
    for line in open(path, errors="replace"):
        stack, value = line.rstrip("\n").rsplit(" ", 1)
        stacks[tuple(stack.split(";"))] += int(value)
    return stacks
