"""Reads a file of protobuf messages without the weights in it: what is large and a tensor is skipped by its length, on disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from runglass.query.graphs.model import GraphDamaged

# Smaller fields are taken whole.
SMALL_BYTES = 16 << 10
# Larger fields that are no tensor, such as a long text, up to this.
LARGE_BYTES = 64 << 20
WINDOW_BYTES = 256 << 10
TENSOR = "tensor"
MAX_DEPTH = 64

# By kind of message: which of its fields hold messages of which kind.
KINDS: dict[str, dict[int, str]] = {
    "onnx": {7: "onnx.graph", 25: "onnx.function"},
    "onnx.graph": {1: "onnx.node", 5: TENSOR, 15: "onnx.sparse"},
    "onnx.sparse": {1: TENSOR, 2: TENSOR},
    "onnx.function": {7: "onnx.node"},
    "onnx.node": {5: "onnx.attribute"},
    "onnx.attribute": {5: TENSOR, 6: "onnx.graph", 10: TENSOR, 11: "onnx.graph", 22: "onnx.sparse"},
    "saved_model": {2: "meta_graph"},
    "meta_graph": {2: "graph"},
    "graph": {1: "node", 2: "library"},
    "library": {1: "function"},
    "function": {3: "node"},
    "node": {5: "attr"},
    "attr": {2: "value"},
    "value": {1: "list", 8: TENSOR},
    "list": {8: TENSOR},
    "hlo": {1: "hlo.module"},
    "hlo.module": {3: "hlo.computation"},
    "hlo.computation": {2: "hlo.instruction"},
    "hlo.instruction": {8: TENSOR},
    TENSOR: {},
}
# Those that are files.
TITLES = {
    "onnx": "an ONNX model",
    "saved_model": "a SavedModel",
    "meta_graph": "a MetaGraphDef",
    "graph": "a GraphDef",
    "hlo": "an HloProto",
}
# Kinds whose other large fields say nothing of the graph: checkpoints' objects, memory of a program.
LEFT_OUT = frozenset({"saved_model", "meta_graph", "hlo", TENSOR})


class Window:
    """Ranges of a file, read ahead."""

    def __init__(self, read: Callable[[int, int], bytes], size: int) -> None:
        self.size = size
        self._read = read
        self._start = 0
        self._data = b""

    def take(self, start: int, size: int) -> bytes:
        if size > WINDOW_BYTES:
            return self._read(start, size)
        if not self._start <= start or start + size > self._start + len(self._data):
            self._start = start
            self._data = self._read(start, WINDOW_BYTES)
        return self._data[start - self._start : start - self._start + size]


class Skimmed(NamedTuple):
    data: bytes
    # Where the file ends in the middle of a field; None if it is whole.
    cut_at: int | None


def skim(read: Callable[[int, int], bytes], size: int, kind: str) -> Skimmed:
    """The message without the values of large tensors. `read(offset, size)` gives bytes of the file.

    Of a file that is cut off, the fields that are whole: what they are in is closed.
    """
    copier = Copier(Window(read, size))
    try:
        data = copier.copy(0, size, kind, 0)
    except GraphDamaged as error:
        raise GraphDamaged(
            f"This is not {TITLES[kind]}: {error.message}. The file may be cut off, or of another format."
        ) from None
    return Skimmed(data, copier.cut_at)


class Copier:
    def __init__(self, window: Window) -> None:
        self._window = window
        self.cut_at: int | None = None

    def copy(self, start: int, end: int, kind: str, depth: int) -> bytes:
        window = self._window
        if depth > MAX_DEPTH:
            raise GraphDamaged(
                f"byte {start:,} of {window.size:,}: messages nested more than {MAX_DEPTH} deep"
            )
        fields = KINDS[kind]
        pieces: list[bytes] = []
        at = start
        while at < end and self.cut_at is None:
            head = window.take(at, min(20, end - at))
            try:
                key, used = read_varint(head, 0, at)
                length, used = read_varint(head, used, at) if key & 7 in (0, 2) else (0, used)
            except GraphDamaged:
                if end - at >= 20:
                    raise
                self.cut_at = at
                break
            wire = key & 7
            if wire != 2:
                used += {0: 0, 1: 8, 5: 4}.get(wire, -1 - used)
                if used < 0:
                    raise GraphDamaged(f"byte {at:,} of {window.size:,}: no field begins here")
                if used > end - at:
                    self.cut_at = at
                    break
                pieces.append(window.take(at, used))
                at += used
                continue
            body = at + used
            inner = fields.get(key >> 3)
            is_cut = length > end - body
            stop = min(end, body + length)
            if is_cut and (inner is None or inner == TENSOR):
                self.cut_at = at
                break
            if length <= SMALL_BYTES and not is_cut:
                pieces.append(window.take(at, used + length))
            elif inner is not None:
                reduced = self.copy(body, stop, inner, depth + 1)
                pieces.append(varint(key) + varint(len(reduced)) + reduced)
                if is_cut and self.cut_at is None:
                    self.cut_at = stop
            elif kind not in LEFT_OUT and length <= LARGE_BYTES:
                pieces.append(window.take(at, used + length))
            at = stop
        return b"".join(pieces)


def read_varint(data: bytes, at: int, offset: int) -> tuple[int, int]:
    """The number at `at`, and where it ends. `offset` is where `data` stands in the file, for the error."""
    value = shift = 0
    for number in range(at, min(len(data), at + 10)):
        value |= (data[number] & 0x7F) << shift
        if data[number] < 0x80:
            return value, number + 1
        shift += 7
    raise GraphDamaged(f"byte {offset:,}: no field begins here")


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
