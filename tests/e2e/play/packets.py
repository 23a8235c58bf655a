"""packets.py ROM TRACE GRAPH: decodes a processor's trace of a game without banks, independently of core/profile/packets, and compares the
counts with those of the exact graph; `packets.py TRACE GRAPH` does so with the trace of a program (.hgtrace). Where Intel's decoder library is installed (libipt, which gdb uses), it must read the same
packets."""

import collections
import ctypes
import struct
import sys

PSB = b"\x02\x82" * 8
KINDS = {0x0D: "tip", 0x11: "pge", 0x01: "pgd", 0x1D: "fup"}


def read_packets(data):
    """(kind, bytes, value): value is an outcome list, or (kind of compression, payload)."""
    at = 0
    while at < len(data):
        byte = data[at]
        if data.startswith(PSB, at):
            yield "psb", 16, None
            at += 16
        elif byte == 0x02 and data[at + 1] == 0x23:
            yield "psbend", 2, None
            at += 2
        elif byte == 0x02 and data[at + 1] == 0xA3:
            bits = bin(int.from_bytes(data[at + 2:at + 8], "little"))[3:]
            yield "tnt_64", 8, [bit == "1" for bit in bits]
            at += 8
        elif byte == 0x99:
            yield "mode", 2, data[at + 1]
            at += 2
        elif byte & 1 == 0:
            yield "tnt_8", 1, [bit == "1" for bit in bin(byte >> 1)[3:]]
            at += 1
        else:
            size = {0: 0, 1: 2, 2: 4}[byte >> 5]
            yield KINDS[byte & 31], 1 + size, (byte >> 5, int.from_bytes(data[at + 1:at + 1 + size], "little"))
            at += 1 + size


def library_packets(library, data):
    """The same, read by libipt 2."""
    names = {3: "psb", 4: "psbend", 5: "fup", 6: "tip", 7: "pge", 8: "pgd", 9: "tnt_8", 10: "tnt_64", 11: "mode"}
    library.pt_pkt_alloc_decoder.restype = ctypes.c_void_p
    buffer = ctypes.create_string_buffer(data, len(data))
    begin = ctypes.addressof(buffer)
    config = struct.pack("=QQQQQ", 40, begin, begin + len(data), 0, 0)
    decoder = ctypes.c_void_p(library.pt_pkt_alloc_decoder(config))
    assert decoder and library.pt_pkt_sync_forward(decoder) == 0, "libipt finds no PSB"
    packet = ctypes.create_string_buffer(8192)  # it clears what is unknown to it far behind the packet
    while library.pt_pkt_next(decoder, packet, ctypes.c_size_t(64)) > 0:
        kind, size = struct.unpack_from("=IB", packet.raw)
        first, second = struct.unpack_from("=IxxxxQ", packet.raw, 8)
        value = None
        if names[kind].startswith("tnt"):
            first &= 0xFF
            value = [second >> i & 1 == 1 for i in range(first - 1, -1, -1)]
        elif names[kind] in KINDS.values():
            value = (first, second)
        yield names[kind], size, value
    library.pt_pkt_free_decoder(decoder)


def size_of(opcode):
    """Bytes of an instruction of the 6502."""
    column = opcode & 0x1F
    if opcode == 0x20 or column in (0x0C, 0x0D, 0x0E, 0x0F, 0x19, 0x1B, 0x1C, 0x1D, 0x1E, 0x1F):
        return 3
    if opcode in (0x40, 0x60) or column in (0x08, 0x18, 0x0A, 0x1A):
        return 1
    assert column not in (0x02, 0x12) or opcode in (0x82, 0xA2, 0xC2, 0xE2), f"opcode {opcode:02x} stops the processor"
    return 2


class Decoder:
    def __init__(self, prg):
        self.prg = prg
        self.pairs = collections.Counter()
        self.calls, self.contexts = [], []
        self.at = self.left = None

    def byte(self, address):
        assert address >= 0x8000, f"code in RAM at {address:x}"
        return self.prg[(address - 0x8000) % len(self.prg)]

    def go(self, to):
        self.pairs[self.at, to] += 1
        self.at = to

    def begin(self, at):
        """A context begins."""
        self.at = at

    def resume(self, to):
        """The handler has ended with the instruction at self.at."""
        self.at = to

    def walk(self, until=None):
        """Up to an instruction that needs a packet, whose opcode it returns."""
        while self.at != until:
            opcode, at = self.byte(self.at), self.at
            word = self.byte(at + 1) | self.byte(at + 2) << 8 if at < 0xFFFE else 0
            if opcode & 0x1F == 0x10 or opcode in (0x60, 0x6C, 0x40, 0x00):
                assert until is None, f"{at:x} needs a packet before {until:x}"
                return opcode
            if opcode == 0x20:
                self.calls = (self.calls + [at + 3])[-64:]
            self.go(word if opcode in (0x20, 0x4C) else at + size_of(opcode))
        return None

    def outcome(self, taken):
        opcode = self.walk()
        if opcode == 0x60:
            assert taken
            self.go(self.calls.pop())
        else:
            assert opcode & 0x1F == 0x10
            offset = self.byte(self.at + 1)
            self.go(self.at + 2 + (taken and offset - (offset >> 7 << 8)))

    def target(self, to):
        opcode = self.walk()
        if opcode == 0x60 and self.calls:
            self.calls.pop()
        if opcode == 0x40 and to in self.contexts:
            while self.contexts.pop() != to:
                pass
            self.resume(to)
        else:
            self.go(to)

    def decode(self, packets):
        last, status, came_from, self.byte_number, size = 0, False, None, 0, 0
        for kind, next_size, value in packets:
            self.byte_number, size = self.byte_number + size, next_size
            if kind in KINDS.values() and value[0]:
                last = last & 0xFFFF0000 | value[1] if value[0] == 1 else value[1]
            if kind == "psb":
                last, status = 0, True
            elif kind == "psbend":
                status, self.calls = False, []
            elif status and kind == "fup":
                self.walk(last)
            elif kind.startswith("tnt"):
                for taken in value:
                    self.outcome(taken)
            elif kind == "fup":
                self.walk(last)
                came_from = last
            elif kind == "tip" and came_from is not None:
                self.contexts.append(came_from)
                came_from = None
                self.begin(last)
            elif kind == "tip":
                self.target(last)
            elif kind == "pgd":
                self.left, came_from, self.calls = came_from, None, []
            elif kind == "pge":
                if last == self.left:
                    self.at = last
                else:
                    self.contexts = []
                    self.begin(last)


PLAIN, BRANCH, JUMP, CALL, JUMP_INDIRECT, RETURN, HANDLER_RETURN, CALL_INDIRECT = 0, 1, 2, 3, 4, 5, 6, 9


class ProgramDecoder(Decoder):
    """Of a recorded program, whose instructions are in the file, and what changes them."""

    def __init__(self, data):
        super().__init__(None)
        assert data[:16] == b"hotgraph trace 1"
        _, insns, changes, images, packets = struct.unpack_from("<5Q", data, 56)
        at, self.code, self.changes = 96, {}, []
        for _ in range(insns):
            address, insn = self.read_insn(data, at)
            self.code.setdefault(address, insn)
            at += 12
        for _ in range(changes):
            self.changes.append((*struct.unpack_from("<Q", data, at), *self.read_insn(data, at + 8), *struct.unpack_from("<II", data, at + 20)))
            at += 28
        for _ in range(images):
            at += 40 + struct.unpack_from("<I", data, at + 4)[0]
        self.changes.reverse()
        self.packets = data[at:]
        assert len(self.packets) == packets

    @staticmethod
    def read_insn(data, at):
        address, target, size, kind = struct.unpack_from("<IIBB", data, at)
        return address, (address + size, target, kind)

    def change(self):
        """The code at this address is another one now: True. None: it is the same."""
        if not self.changes or self.changes[-1][0] > self.byte_number or self.changes[-1][1] != self.at:
            return None
        _, address, insn, once, to = self.changes.pop()
        if not once:
            self.code[address] = insn
        else:
            self.push(insn)
            self.go(to)
        return True

    def push(self, insn):
        if insn[2] in (CALL, CALL_INDIRECT):
            self.calls = (self.calls + [insn[0]])[-64:]

    def walk(self, until=None):
        while self.at != until:
            if self.change():
                continue
            after, target, kind = self.code[self.at]
            if kind not in (PLAIN, JUMP, CALL):
                assert until is None, f"{self.at:x} needs a packet before {until:x}"
                return kind
            self.push(self.code[self.at])
            self.go(after if kind == PLAIN else target)
        return None

    def outcome(self, taken):
        kind = self.walk()
        assert kind in (RETURN, BRANCH) and (taken or kind == BRANCH)
        self.go(self.calls.pop() if kind == RETURN else self.code[self.at][taken])

    def target(self, to):
        kind = self.walk()
        if kind == RETURN and self.calls:
            self.calls.pop()
        self.push(self.code[self.at])
        if kind == HANDLER_RETURN and to in self.contexts:
            while self.contexts.pop() != to:
                pass
            self.resume(to)
        else:
            self.go(to)


def decoder_of(files):
    """The decoder and the packets."""
    if len(files) == 1:
        program = ProgramDecoder(files[0])
        return program, program.packets
    rom, trace = files
    assert rom[6] >> 4 == 0, "a game without banks is needed"
    return Decoder(rom[16:16 + 16384 * rom[4]]), trace


def main():
    decoder, trace = decoder_of([open(path, "rb").read() for path in sys.argv[1:-1]])
    packets = list(read_packets(trace))
    decoder.decode(packets)
    last_of, edges = {}, {}
    for line in open(sys.argv[-1], encoding="utf-8"):
        words = line.split()
        if words[0] == "#block":
            last_of[int(words[1], 16)] = int(words[2], 16)
        elif not line.startswith("#"):
            edges[int(words[0], 16), int(words[1], 16)] = int(words[2])
    exact = {(last_of[source], target): count for (source, target), count in edges.items()}
    lasts = set(last_of.values())
    decoded = {pair: count for pair, count in decoder.pairs.items() if pair[0] in lasts}
    differences = set(exact.items()) ^ set(decoded.items())
    assert not differences, f"{len(differences)} differences: {sorted(differences)[:6]}"
    try:
        library = ctypes.CDLL("libipt.so.2")
    except OSError:
        print(f"{len(exact)} edges, {len(packets)} packets, without libipt")
        return
    read = list(library_packets(library, trace))
    assert len(read) == len(packets), f"libipt reads {len(read)} packets of {len(packets)}"
    for mine, its in zip(packets, read):
        assert mine[:2] == its[:2] and (mine[0] == "mode" or mine[2] == its[2]), f"{mine}, but libipt {its}"
    print(f"{len(exact)} edges, {len(packets)} packets, as libipt reads them")


if __name__ == "__main__":
    main()
