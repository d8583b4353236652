"""Memory snapshots of torch (`torch.cuda.memory._dump_snapshot`): what its allocator did, and which blocks are alive at the end.

One counter of each device for the bytes that are allocated and reserved, an instant for every action with its stack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from runglass.native.plain_pickle import PickleRefused, load_plain
from runglass.native.trace_rows import TraceFile, TraceRows
from runglass.query.profiles.formats.chrome import Reader
from runglass.query.profiles.model import ProfileDamaged

MAX_BYTES = 1 << 30
# A pickle can name one list many times.
MAX_ACTIONS = 20_000_000
MAX_FRAMES = 256
PS_PER_US = 10**6

# What an action changes. A block that is waited for is not allocated any more; older versions say "free" only.
ALLOCATED = {"alloc": 1, "free_requested": -1, "free": -1}
RESERVED = {"segment_alloc": 1, "segment_map": 1, "segment_free": -1, "segment_unmap": -1}


def read(
    reader: Reader,
    name: str,
    rows: TraceRows,
    *,
    flag: memoryview | None = None,
    report: Callable[[int], None] | None = None,
) -> TraceFile:
    """Add what one file says. Raises ProfileDamaged if it is no snapshot."""
    if reader.size_bytes > MAX_BYTES:
        raise ProfileDamaged(f"a snapshot of {reader.size_bytes:,} bytes; at most {MAX_BYTES:,} are read")
    try:
        found = load_plain(reader.read(0, reader.size_bytes))
    except PickleRefused as error:
        raise ProfileDamaged(f"{error}. A memory snapshot is a pickle of plain values only") from error
    if report is not None:
        report(reader.size_bytes)
    if not isinstance(found, dict) or not isinstance(found.get("device_traces"), list):
        raise ProfileDamaged("a pickle, but not a memory snapshot of torch: it has no device_traces")
    file = rows.begin_file(name)
    traces = [list(actions_of(trace)) for trace in found["device_traces"]]
    segments = [each for each in as_list(found.get("segments")) if isinstance(each, dict)]
    annotations = [each for each in as_list(found.get("external_annotations")) if isinstance(each, dict)]
    times = [time for trace in traces for each in trace if (time := number(each.get("time_us"))) is not None]
    origin = min(times, default=0)
    if origin > 0:
        file.base_ns = origin * 1000
    file.metadata = {
        "allocator_settings": found.get("allocator_settings"),
        "segments": len(segments),
        "end_us": max(times, default=0),
    }
    stacks = Stacks()
    for device, trace in enumerate(traces):
        own = [each for each in segments if number(each.get("device")) == device]
        if trace or own:
            if flag is not None and flag[0]:
                break
            add_device(rows, name, device, trace, own, stacks, origin)
            add_annotations(rows, device, annotations, origin, max(times, default=0))
    return file


def actions_of(trace: Any) -> Iterator[dict[str, Any]]:
    """The actions of one device, in the order of time."""
    listed = as_list(trace)
    if len(listed) > MAX_ACTIONS:
        raise ProfileDamaged(f"{len(listed):,} actions; at most {MAX_ACTIONS:,} are read")
    return (each for each in listed if isinstance(each, dict) and isinstance(each.get("action"), str))


def add_device(
    rows: TraceRows,
    name: str,
    device: int,
    trace: list[dict[str, Any]],
    segments: list[dict[str, Any]],
    stacks: Stacks,
    origin: int,
) -> None:
    track = rows.add_track(
        str(device),
        "allocator",
        process_name=f"GPU {device}",
        labels=f"GPU {device}",
        process_order=device,
        thread_name="Allocator",
    )
    counter = rows.add_track(str(device), "memory", thread_name="Memory")
    # The snapshot keeps the last actions only: what was there before them follows from what is there after them.
    allocated = sum(number(each.get("allocated_size")) or 0 for each in segments)
    reserved = sum(number(each.get("total_size")) or 0 for each in segments)
    for each in trace:
        size = number(each.get("size")) or 0
        allocated -= ALLOCATED.get(each["action"], 0) * size
        reserved -= RESERVED.get(each["action"], 0) * size
    if allocated < 0 or reserved < 0:
        rows.add_problem(
            f"{name}: device {device}: the actions free more than the segments and blocks account for"
        )
    allocated, reserved = max(allocated, 0), max(reserved, 0)
    freed = lifetimes(trace)
    time = 0
    for at, each in enumerate(trace):
        action, size = each["action"], number(each.get("size")) or 0
        said = number(each.get("time_us"))
        time = (said - origin) * PS_PER_US if said is not None else time
        allocated = max(allocated + ALLOCATED.get(action, 0) * size, 0)
        reserved = max(reserved + RESERVED.get(action, 0) * size, 0)
        arguments: dict[str, Any] = {
            "Bytes": size,
            "Addr": number(each.get("addr")),
            "Stream": number(each.get("stream")),
        }
        if action == "alloc":
            until = freed.get(at)
            arguments["Freed after µs"] = None if until is None or said is None else until - said
            arguments["Alive"] = until is None
        for key in ("compile_context", "user_metadata"):
            if isinstance(each.get(key), str) and each[key] not in ("", "N/A"):
                arguments[key] = each[key]
        stack = stacks.text(each.get("frames"))
        if stack:
            arguments["Call stack"] = stack
        rows.add_row("i", track, time, 0, action, "memory", arguments=arguments)
        if action in ALLOCATED or action in RESERVED:
            values = {"allocated": allocated, "reserved": reserved}
            rows.add_row("C", counter, time, 0, "Memory", "memory", arguments=values)
    add_alive(rows, track, segments, stacks, time)


def add_alive(rows: TraceRows, track: int, segments: list[dict[str, Any]], stacks: Stacks, time: int) -> None:
    """Blocks that are alive at the end: an instant each, largest first."""
    blocks = []
    for segment in segments:
        for block in as_list(segment.get("blocks")):
            if isinstance(block, dict) and str(block.get("state", "")).startswith("active"):
                blocks.append((number(block.get("size")) or 0, block))
    blocks.sort(key=lambda each: -each[0])
    for size, block in blocks[:MAX_ACTIONS]:
        arguments = {
            "Bytes": size,
            "Requested bytes": number(block.get("requested_size")),
            "Addr": number(block.get("address")),
            "State": str(block.get("state")),
        }
        stack = stacks.text(block.get("frames"))
        if stack:
            arguments["Call stack"] = stack
        rows.add_row("i", track, time, 0, "alive block", "alive", arguments=arguments)


def add_annotations(
    rows: TraceRows, device: int, annotations: list[dict[str, Any]], origin: int, last: int
) -> None:
    """Ranges that the training marked, such as the step of an optimizer."""
    opened: dict[str, list[int]] = {}
    found: list[tuple[int, int, str]] = []
    for each in annotations:
        time, name = number(each.get("time_us")), str(each.get("name"))
        if time is None or number(each.get("device")) != device:
            continue
        if each.get("stage") == "START":
            opened.setdefault(name, []).append(time)
        elif opened.get(name):
            begun = opened[name].pop()
            found.append((begun, time, name))
    found += [(begun, last, name) for name, times in opened.items() for begun in times]
    if found:
        track = rows.add_track(str(device), "annotations", thread_name="Annotations")
        for begun, end, name in sorted(found):
            start = (begun - origin) * PS_PER_US
            rows.add_row("X", track, start, max(end - begun, 0) * PS_PER_US, name, "user_annotation")


def lifetimes(trace: list[dict[str, Any]]) -> dict[int, int]:
    """By number of an allocation: the time at which its block was freed."""
    alive: dict[Any, int] = {}
    freed: dict[int, int] = {}
    for at, each in enumerate(trace):
        address = number(each.get("addr"))
        if each["action"] == "alloc":
            alive[address] = at
        elif each["action"] in ALLOCATED and address in alive:
            freed[alive.pop(address)] = number(each.get("time_us")) or 0
    return freed


class Stacks:
    """Stacks as text, as torch's traces have them. Most actions share a few of them."""

    def __init__(self) -> None:
        self._known: dict[int, str] = {}

    def text(self, frames: Any) -> str:
        if not isinstance(frames, list) or not frames:
            return ""
        known = self._known.get(id(frames))
        if known is None:
            lines = [frame_text(each) for each in frames[:MAX_FRAMES] if isinstance(each, dict)]
            known = ";".join(line for line in lines if line)
            self._known[id(frames)] = known
        return known


def frame_text(frame: dict[str, Any]) -> str:
    """ "train.py(12): step"; nothing for the frames of the allocator itself, whose file is not known."""
    file, function = str(frame.get("filename", "")), str(frame.get("name", ""))
    if file in ("", "??"):
        return ""
    # A semicolon separates frames.
    return f"{file}({number(frame.get('line')) or 0}): {function}".replace(";", ",")


def number(value: Any) -> int | None:
    return value if type(value) is int and -(2**63) <= value < 2**63 else None


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
