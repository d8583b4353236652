"""JAX's device memory profile (pprof): who holds how many bytes, by call stack.

The axis is bytes: an event begins where those before it end and is as wide as what it and its callees hold. One track for each device
and kind of memory.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from runglass.native.trace_rows import TraceFile, TraceRows
from runglass.native.wire import WireError, decode
from runglass.query.profiles.formats.chrome import GZIP_MAGIC, GZIP_WINDOW, Reader
from runglass.query.profiles.model import ProfileDamaged
from runglass.schema.pprof import PROFILE

MAX_BYTES = 64 << 20
# Nodes of the tree; a recursion of millions of calls is not a memory profile.
MAX_NODES = 2_000_000
MAX_FRAMES = 1_000
BYTES = "bytes"
NOWHERE = "(no call stack)"


class Node:
    """A function in a stack, with the bytes and objects that it and its callees hold."""

    __slots__ = ("bytes", "children", "count", "frame")

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.bytes = 0
        self.count = 0
        self.children: dict[Frame, Node] = {}


class Frame(NamedTuple):
    function: str
    file: str
    line: int


def read(
    reader: Reader,
    name: str,
    rows: TraceRows,
    *,
    flag: memoryview | None = None,
    report: Callable[[int], None] | None = None,
) -> TraceFile:
    """Add one profile. Raises ProfileDamaged if it is none, or none of memory."""
    profile = parse(reader)
    if report is not None:
        report(reader.size_bytes)
    texts = profile.get("string_table") or [""]

    def text(number: int) -> str:
        return texts[number] if 0 <= number < len(texts) else ""

    types = profile.get("sample_type", ())
    units = [text(each.get("unit", 0)) for each in types]
    if BYTES not in units:
        what = ", ".join(f"{text(each.get('type', 0))} in {text(each.get('unit', 0))}" for each in types)
        raise ProfileDamaged(f"a profile in pprof's format, but not of memory: it holds {what or 'nothing'}")
    size_at = units.index(BYTES)
    count_at = units.index("count") if "count" in units else -1
    file = rows.begin_file(name)
    file.metadata = {"sample_types": units}
    frames = read_frames(profile, text)
    roots: dict[tuple[str, str], Node] = {}
    nodes = 0
    for sample in profile.get("sample", ()):
        labels = {text(each.get("key", 0)): text(each.get("str", 0)) for each in sample.get("label", ())}
        place = labels.get("device", ""), labels.get("kind", "")
        values = sample.get("value", ())
        size = int(values[size_at]) if size_at < len(values) else 0
        count = int(values[count_at]) if 0 <= count_at < len(values) else 1
        if size < 0 or count < 0 or size >= 2**60:
            rows.add_problem(f"{name}: a sample of {size} bytes, left out")
            continue
        device, kind = place
        node = roots.setdefault(place, Node(Frame(kind or "memory", device, 0)))
        stack = [frame for number in sample.get("location_id", ()) for frame in frames.get(int(number), ())]
        node.bytes += size
        node.count += count
        for frame in reversed(stack[:MAX_FRAMES] or [Frame(NOWHERE, "", 0)]):
            below = node.children.get(frame)
            if below is None:
                nodes += 1
                if nodes > MAX_NODES:
                    raise ProfileDamaged(f"more than {MAX_NODES:,} call stacks")
                below = node.children[frame] = Node(frame)
            node = below
            node.bytes += size
            node.count += count
    add_trees(rows, roots)
    return file


def parse(reader: Reader) -> dict[str, Any]:
    if reader.size_bytes > MAX_BYTES:
        raise ProfileDamaged(
            f"a memory profile of {reader.size_bytes:,} bytes; at most {MAX_BYTES:,} are read"
        )
    data = reader.read(0, reader.size_bytes)
    if data[:2] == GZIP_MAGIC:
        inflater = zlib.decompressobj(GZIP_WINDOW)
        try:
            data = inflater.decompress(data, MAX_BYTES)
        except zlib.error as error:
            raise ProfileDamaged(f"cannot be decompressed: {error}") from error
        if inflater.unconsumed_tail:
            raise ProfileDamaged(f"more than {MAX_BYTES:,} bytes when it is decompressed")
        if not inflater.eof:
            raise ProfileDamaged(f"byte {reader.size_bytes}: the compressed file is cut off here")
    try:
        return decode(PROFILE, data)
    except WireError as error:
        raise ProfileDamaged(f"byte {error.offset}: not a profile of pprof: {error}") from error


def read_frames(profile: Mapping[str, Any], text: Callable[[int], str]) -> dict[int, list[Frame]]:
    """The functions at each location, the innermost first."""
    functions = {each.get("id", 0): each for each in profile.get("function", ())}
    found = {}
    for location in profile.get("location", ()):
        frames = []
        for line in location.get("line", ()):
            function = functions.get(line.get("function_id", 0))
            if function is not None:
                shown = text(function.get("name", 0)) or text(function.get("system_name", 0)) or "?"
                frames.append(Frame(shown, text(function.get("filename", 0)), int(line.get("line", 0))))
        found[location.get("id", 0)] = frames or [Frame(f"0x{location.get('address', 0):x}", "", 0)]
    return found


def add_trees(rows: TraceRows, roots: Mapping[tuple[str, str], Node]) -> None:
    """The larger first, on every level."""
    for (device, kind), root in sorted(roots.items(), key=lambda each: -each[1].bytes):
        if not root.bytes:
            continue
        track = rows.add_track(
            device or "host", kind or "memory", process_name=device or "Memory", thread_name=kind or "Memory"
        )
        waiting = [(root, 0)]
        while waiting:
            node, start = waiting.pop()
            arguments: dict[str, Any] = {"bytes": node.bytes, "objects": node.count}
            if node.frame.file and node is not root:
                arguments["source"] = f"{node.frame.file}:{node.frame.line}"
            rows.add_row(
                "X", track, start, node.bytes, node.frame.function, kind or None, arguments=arguments
            )
            for child in sorted(node.children.values(), key=lambda each: -each.bytes):
                # What holds nothing has no place on an axis of bytes.
                if child.bytes:
                    waiting.append((child, start))
                    start += child.bytes
