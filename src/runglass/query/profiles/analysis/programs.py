"""What the instructions of XLA computed and moved: by the programs that a profile carries, for the events that executed them."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from runglass.query.profiles.analysis.columns import columns
from runglass.query.profiles.analysis.grouping import group
from runglass.query.profiles.analysis.kept import kept
from runglass.query.profiles.analysis.launching import on_device
from runglass.query.profiles.formats.programs import NOT_IN_KERNELS
from runglass.query.profiles.model import MISSING, Float64, Int32, Int64, Place, Trace

# Several kernels that are started at once: each is named after its own instruction.
COMMAND_BUFFER = "command_buffer"


class Executed(Struct):
    """For each of some events; 0 where nothing is known."""

    flops: Float64
    bytes: Float64
    # Index into the instructions, -1: none.
    instruction: Int32
    categories: list[str]
    sources: list[str]
    programs: list[str]

    def of(self, at: Int32) -> Executed | None:
        """Of some of the events."""
        own = self.instruction[at]
        if int(own.max(initial=-1)) < 0:
            return None
        return Executed(
            flops=self.flops[at],
            bytes=self.bytes[at],
            instruction=own,
            categories=self.categories,
            sources=self.sources,
            programs=self.programs,
        )

    def source(self, at: int) -> str:
        """ "file.py:12", or nothing."""
        number = int(self.instruction[at])
        return self.sources[number] if number >= 0 else ""

    def category(self, at: int) -> str:
        number = int(self.instruction[at])
        return self.categories[number] if number >= 0 else ""


def executed(trace: Trace, events: Int64, place: Place | None = None) -> Executed | None:
    """None: the profile has no programs, or none of these events is one of their instructions. `place`: where all of them are."""
    if trace.find_key("program_id", place) < 0:
        return None
    shared = on_devices(trace)
    found = shared.executed
    if found is not None and np.array_equal(events, shared.events):
        return found
    at = shared.place[events]
    if len(events) and int(at.min()) >= 0:
        return None if found is None else found.of(at)
    return find_executed(trace, events)


class OnDevices(Struct):
    events: Int64
    # For each event of the trace where it is in what was executed, -1: nowhere.
    place: Int32
    executed: Executed | None


@kept
def on_devices(trace: Trace) -> OnDevices:
    """Of all work of devices: several views ask for it."""
    events = np.flatnonzero(on_device(trace) & (trace.duration_ps > 0))
    place = np.full(len(trace), -1, np.int32)
    place[events] = np.arange(len(events), dtype=np.int32)
    return OnDevices(events, place, find_executed(trace, events))


def find_executed(trace: Trace, events: Int64) -> Executed | None:
    programs: dict[str, dict[str, list[object]]] = {}
    for metadata in trace.info.metadata:
        given = metadata.get("programs")
        if isinstance(given, dict):
            programs.update(given)
    if not programs or not len(events):
        return None
    (number,), (module, instruction) = columns(trace, ["program_id"], ["hlo_module", "hlo_op"], events)
    name = trace.name[events]
    alike = group([number, instruction, name])
    known = np.full(len(alike), -1, np.int32)
    costs = np.zeros((2, len(alike)))
    categories: list[str] = []
    sources: list[str] = []
    names: list[str] = []
    for at, first in enumerate(alike.first.tolist()):
        if number[first] == MISSING:
            continue
        of_program = programs.get(str(int(number[first])), {})
        text = trace.text(int(instruction[first]))
        if not text or text.startswith(COMMAND_BUFFER):
            text = trace.name_of(int(events[first]))
        found = of_program.get(NOT_IN_KERNELS.sub("_", text.rpartition("::")[2]))
        if found is None:
            continue
        known[at] = len(categories)
        costs[:, at] = float(str(found[0])), float(str(found[1]))
        categories.append(str(found[2]))
        sources.append(str(found[4]))
        names.append(trace.text(int(module[first])))
    if not categories:
        return None
    flops, moved = costs[:, alike.of]
    # Several kernels of one instruction follow each other and have different names; the first counts for all.
    executed = known[alike.of]
    same = 1 + np.flatnonzero(
        (instruction[1:] >= 0)
        & (instruction[1:] == instruction[:-1])
        & (number[1:] == number[:-1])
        & (executed[1:] == executed[:-1])
        & (name[1:] != name[:-1])
    )
    same = same[trace.track[events[same]] == trace.track[events[same - 1]]]
    flops[same], moved[same] = 0, 0
    return Executed(
        flops=flops,
        bytes=moved,
        instruction=executed,
        categories=categories,
        sources=sources,
        programs=names,
    )
