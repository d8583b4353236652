"""What the instructions of an XLA program took: time from the events of a profile, memory from the program's own buffers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from runglass.native.wire import Message, WireError, decode
from runglass.query.graphs.formats.hlo import METADATA_PLANE, Module, fields, plane_name
from runglass.query.graphs.formats.run_metadata import Profile
from runglass.query.graphs.formats.skim import Window
from runglass.schema.hlo import BUFFERS, HLO
from runglass.schema.xplane import EVENT_METADATA_ENTRY, LINE, STAT_METADATA_ENTRY

# Fields of a plane.
LINES, EVENT_METADATA, STAT_METADATA = 3, 4, 5
# An event takes a few dozen bytes, and many times that once it is decoded. Longer lines are those of Python calls.
LINE_LIMIT_BYTES = 16 << 20
ENTRY_LIMIT_BYTES = 1 << 20
PROGRAM = re.compile(r".*\((\d+)\)")
# Where several kernels are started at once, an event is named after its own instruction, and this is the start.
COMMAND_BUFFER = "command_buffer"
NOT_IN_KERNELS = re.compile(r"\W")
MEMORY_LIMIT_BYTES = 256 << 20


def read_module_profile(read: Callable[[int, int], bytes], size: int, module: Module) -> Profile | None:
    """Microseconds of all executions in the profile, by device, and bytes; None if the profile has no event of the program."""
    match = PROGRAM.fullmatch(module.name)
    if match is None:
        return None
    window = Window(read, size)
    time: dict[str, dict[str, float]] = {}
    for number, start, end in fields(window, 0, size):
        if number == 1:
            name = plane_name(window, start, end)
            found = plane_times(window, start, end, int(match[1])) if name != METADATA_PLANE else {}
            if found:
                time.setdefault(name, {}).update(found)
    if not time:
        return None
    names, memory = read_program(read, module)
    # Kernels are named like their instructions, without the characters that a kernel's name cannot have.
    kernels = {NOT_IN_KERNELS.sub("_", name): name for name in names.values()}
    known = set(names.values())
    for device, found in time.items():
        time[device] = {
            name if name in known else kernels.get(name, name): took for name, took in found.items()
        }
    first = next(iter(time))
    return Profile(time, {first: memory} if memory else {})


def plane_times(window: Window, start: int, end: int, program: int) -> dict[str, float]:
    stats: dict[int, str] = {}
    events: dict[int, dict[str, Any]] = {}
    lines: list[tuple[int, int]] = []
    for number, at, stop in fields(window, start, end):
        if number == LINES:
            lines.append((at, stop))
        elif number == STAT_METADATA:
            entry = read_message(window, at, stop, STAT_METADATA_ENTRY)
            stats[entry.get("key", 0)] = entry.get("value", {}).get("name", "")
        elif number == EVENT_METADATA:
            entry = read_message(window, at, stop, EVENT_METADATA_ENTRY)
            events[entry.get("key", 0)] = entry.get("value", {})
    if "hlo_op" not in stats.values():
        return {}
    found: dict[str, float] = {}
    for at, stop in lines:
        if stop - at > LINE_LIMIT_BYTES:
            continue
        for event in read_message(window, at, stop, LINE, LINE_LIMIT_BYTES).get("events", ()):
            about = events.get(event.get("metadata_id", 0), {})
            told = {
                stats.get(stat.get("metadata_id", 0), ""): stat
                for stat in (*about.get("stats", ()), *event.get("stats", ()))
            }
            if "hlo_op" not in told or number_of(told.get("program_id")) != program:
                continue
            op = text_of(told["hlo_op"], stats)
            name = about.get("name", "") if op.startswith(COMMAND_BUFFER) else op
            found[name] = found.get(name, 0.0) + max(0, event.get("duration_ps", 0)) / 1e6
    return found


def read_message(
    window: Window, start: int, end: int, message: Message, limit: int = ENTRY_LIMIT_BYTES
) -> dict[str, Any]:
    if end - start > limit:
        return {}
    try:
        return decode(message, window.take(start, end - start))
    except WireError:
        return {}


def number_of(stat: dict[str, Any] | None) -> int | None:
    return None if stat is None else stat.get("uint64_value", stat.get("int64_value", 0))


def text_of(stat: dict[str, Any], stats: dict[int, str]) -> str:
    return str(stat.get("str_value") or stats.get(stat.get("ref_value", 0), ""))


def read_program(
    read: Callable[[int, int], bytes], module: Module
) -> tuple[dict[int, str], dict[str, float]]:
    """Names of the instructions by number, and bytes of the buffers that each of them makes."""
    if module.end - module.start > MEMORY_LIMIT_BYTES:
        return {}, {}
    data = read(module.start, module.end - module.start)
    try:
        buffers = decode(BUFFERS, data).get("buffer_assignment", {}).get("logical_buffers", ())
        computations = decode(HLO, data).get("hlo_module", {}).get("computations", ())
    except WireError:
        return {}, {}
    names: dict[int, str] = {
        each.get("id", 0): each.get("name", "")
        for computation in computations
        for each in computation.get("instructions", ())
    }
    memory: dict[str, float] = {}
    for buffer in buffers:
        place = buffer.get("defined_at", {})
        name = place.get("instruction_name") or names.get(place.get("instruction_id", 0))
        if name:
            memory[name] = memory.get(name, 0.0) + max(0, buffer.get("size", 0))
    return names, memory
