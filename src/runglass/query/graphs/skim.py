"""Reads a file of protobuf messages without the weights in it: what is large and a tensor is skipped by its length, on disk."""

from __future__ import annotations

from collections.abc import Callable

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


def skim(read: Callable[[int, int], bytes], size: int, kind: str) -> bytes:
    """The message without the values of large tensors. `read(offset, size)` gives bytes of the file."""
    return _copy(Window(read, size), 0, size, kind, 0)


def _copy(window: Window, start: int, end: int, kind: str, depth: int) -> bytes:
    if depth > MAX_DEPTH:
        raise GraphDamaged(f"Byte {start:,} of {window.size:,}: messages nested more than {MAX_DEPTH} deep.")
    fields = KINDS[kind]
    pieces: list[bytes] = []
    at = start
    while at < end:
        head = window.take(at, min(20, end - at))
        key, used = read_varint(head, 0, at)
        wire = key & 7
        if wire == 2:
            length, used = read_varint(head, used, at)
            body = at + used
            if length > end - body:
                # Cut off. What is there is handed on as it is, and its parser says where it ends.
                pieces.append(window.take(at, min(end - at, LARGE_BYTES)))
                break
            inner = fields.get(key >> 3)
            if length <= SMALL_BYTES:
                pieces.append(window.take(at, used + length))
            elif inner is not None:
                reduced = _copy(window, body, body + length, inner, depth + 1)
                pieces.append(varint(key) + varint(len(reduced)) + reduced)
            elif kind not in LEFT_OUT and length <= LARGE_BYTES:
                pieces.append(window.take(at, used + length))
            at = body + length
            continue
        if wire == 0:
            _, used = read_varint(head, used, at)
        elif wire in (1, 5):
            used += 8 if wire == 1 else 4
        else:
            raise GraphDamaged(f"Byte {at:,} of {window.size:,}: no field begins here.")
        pieces.append(window.take(at, min(used, end - at)))
        at += used
    return b"".join(pieces)


def read_varint(data: bytes, at: int, offset: int) -> tuple[int, int]:
    """The number at `at`, and where it ends. `offset` is where `data` stands in the file, for the error."""
    value = shift = 0
    for number in range(at, min(len(data), at + 10)):
        value |= (data[number] & 0x7F) << shift
        if data[number] < 0x80:
            return value, number + 1
        shift += 7
    raise GraphDamaged(
        f"Byte {offset:,}: no field begins here. The file may be cut off, or of another format."
    )


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
