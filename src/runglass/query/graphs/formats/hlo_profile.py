"""What the instructions of an XLA program took: time from the events of a profile, memory from the program's own buffers."""

from __future__ import annotations

import re
from collections.abc import Callable
from tempfile import TemporaryFile
from typing import NamedTuple

import numpy as np

from runglass.native.trace_rows import TraceRows, columns_of
from runglass.native.wire import WireError, decode
from runglass.native.xplane import read_xplane
from runglass.query.graphs.formats.hlo import Module
from runglass.query.graphs.formats.run_metadata import Profile
from runglass.schema.hlo import BUFFERS, HLO

PROGRAM = re.compile(r".*\((\d+)\)")
# Where several kernels are started at once, an event is named after its own instruction, and this is the start.
COMMAND_BUFFER = "command_buffer"
NOT_IN_KERNELS = re.compile(r"\W")
MEMORY_LIMIT_BYTES = 256 << 20


class File(NamedTuple):
    read: Callable[[int, int], bytes]
    size_bytes: int


def read_module_profile(read: Callable[[int, int], bytes], size: int, module: Module) -> Profile | None:
    """Microseconds of all executions in the profile, by device, and bytes; None if the profile has no event of the program."""
    match = PROGRAM.fullmatch(module.name)
    if match is None:
        return None
    time = read_times(File(read, size), int(match[1]))
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


def read_times(file: File, program: int) -> dict[str, dict[str, float]]:
    """Microseconds of the program's instructions by plane and name."""
    with TemporaryFile() as spill:
        rows = TraceRows(spill)
        read_xplane(file, "", rows)
        keys = [rows.intern_text(key) for key in ("program_id", "hlo_op")]
        rows.freeze()
        numbers, texts = columns_of(rows.arguments, rows.arguments_end, keys[:1], keys[1:])
        chosen = np.flatnonzero((numbers[0] == program) & (texts[0] >= 0))
        pairs, where = np.unique(
            np.stack([rows.track[chosen], texts[0][chosen], rows.name[chosen]]), axis=1, return_inverse=True
        )
        took = np.bincount(where.reshape(-1), rows.duration_ps[chosen], pairs.shape[1]) / 1e6
        strings, processes = rows.strings, rows.processes
        found: dict[str, dict[str, float]] = {}
        for (track, op, name), time in zip(pairs.T.tolist(), took.tolist(), strict=True):
            device = strings[processes[rows.tracks[track][0]][1]]
            text = strings[op]
            shown = strings[name] if text.startswith(COMMAND_BUFFER) else text
            of_device = found.setdefault(device, {})
            of_device[shown] = of_device.get(shown, 0.0) + time
        return found


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
