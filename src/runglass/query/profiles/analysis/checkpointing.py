"""What activation checkpointing would save: a module that is called again and again keeps its output alone, and computes the rest again."""

from __future__ import annotations

import re

import numpy as np
from msgspec import Struct

from runglass.query.profiles.analysis.facts import show_bytes, show_count, show_time
from runglass.query.profiles.analysis.launching import launches, nearest
from runglass.query.profiles.analysis.model import Allocations, Saving
from runglass.query.profiles.model import MODULE, Int32, Int64, Trace, distinct, marked_numbers, names_of

# "Block_3" is a call of a Block.
NUMBER = re.compile(r"_\d+$")
# A module that is called once is the model, or a part that nothing repeats.
MIN_CALLS = 2
# Less is not worth a change.
WORTH_BYTES = 16 << 20


class Choice(Struct):
    """Modules of one class that are checkpointed."""

    name: str
    # Events of the outermost calls that made what is alive.
    calls: Int64
    # By call: what is alive of it, and the largest tensor among that.
    alive: Int64
    largest: Int64

    @property
    def saved(self) -> int:
        """One call is computed again at a time, and then all of it is there."""
        freed = self.alive - self.largest
        return int(freed.sum() - freed.max(initial=0))


def checkpointing(trace: Trace, made: Allocations, activations: Int64) -> Saving | None:
    """The class of modules that would save the most. `activations`: allocations that are alive. None where none would save much, or
    the profile does not tell of modules."""
    inside = module_calls(trace)
    if inside is None:
        return None
    events = made.event[activations]
    held = activations[events >= 0]
    choices = [choose(trace, made, held, calls, name) for name, calls in outermost(trace, inside, made, held)]
    choices = [each for each in choices if len(each.calls) >= MIN_CALLS]
    best = max(choices, key=lambda each: (each.saved, -len(each.calls)), default=None)
    if best is None or best.saved < WORTH_BYTES:
        return None
    cost, place = again(trace, inside, best)
    largest = int((best.alive - best.largest).max())
    return Saving(
        title=f"Checkpointing of {best.name}",
        evidence=f"{show_count(len(best.calls), 'call')} of {best.name} keep {show_bytes(float(best.alive.sum()))} for the backward pass. "
        f"Needed are an output of each, at most {show_bytes(float(best.largest.sum()))} by their largest tensors, and what one call "
        f"computes again, {show_bytes(largest)}. It costs their forward pass once more: {show_time(cost)} of the {place} in a step.",
        bytes=float(best.saved),
        cost_ps=cost,
    )


def why_unknown(trace: Trace, activations: float) -> str | None:
    """What keeps it from being told, if anything does."""
    if module_names(trace):
        return None
    if trace.info.kind == "torch":
        if activations < WORTH_BYTES:
            return None
        return "What activation checkpointing would save is told where calls of modules are recorded: with_stack=True."
    return (
        "What activation checkpointing would save is not known: this profile does not tell in which call of a module memory "
        "was made."
    )


def module_names(trace: Trace) -> list[int]:
    return [number for number, name in names_of(trace).items() if name.startswith(MODULE)]


def module_calls(trace: Trace) -> Int32 | None:
    """For each event the innermost call of a module around it or that it is itself, -1: none; None if the profile has no such calls."""
    names = module_names(trace)
    if not names:
        return None
    calls = np.flatnonzero(marked_numbers(trace, names, trace.name))
    own = np.full(len(trace), -1, np.int32)
    own[calls] = calls
    return nearest(own, trace.parent)


def around(trace: Trace, inside: Int32, call: int) -> list[int]:
    """A call of a module and those around it, the innermost first."""
    found = [call]
    while (above := int(trace.parent[found[-1]])) >= 0 and inside[above] >= 0:
        found.append(int(inside[above]))
    return found


def class_of(trace: Trace, call: int) -> str:
    return NUMBER.sub("", trace.name_of(call)[len(MODULE) :])


def outermost(trace: Trace, inside: Int32, made: Allocations, held: Int64) -> list[tuple[str, Int64]]:
    """By class of module: for each of these allocations the outermost call of the class in which it was made, -1: in none."""
    of_call, place = np.unique(inside[made.event[held]], return_inverse=True)
    found: dict[str, Int64] = {}
    for at, call in enumerate(of_call.tolist()):
        if call < 0:
            continue
        # From the innermost on, so that the outermost of a class is what stays.
        for each in around(trace, inside, call):
            name = class_of(trace, each)
            if name not in found:
                found[name] = np.full(len(of_call), -1, np.int64)
            found[name][at] = each
    return [(name, calls[place.reshape(-1)]) for name, calls in found.items()]


def choose(trace: Trace, made: Allocations, held: Int64, calls: Int64, name: str) -> Choice:
    here = calls >= 0
    used, place = np.unique(calls[here], return_inverse=True)
    size = made.bytes[held[here]]
    alive, largest = np.zeros((2, len(used)), np.int64)
    np.add.at(alive, place.reshape(-1), size)
    np.maximum.at(largest, place.reshape(-1), size)
    return Choice(name, used, alive, largest)


def again(trace: Trace, inside: Int32, choice: Choice) -> tuple[float, str]:
    """How long the forward pass of these calls takes: what they launched, or where nothing was launched, the calls themselves."""
    sources, work = launches(trace)
    wanted = {int(call) for call in choice.calls}
    known = {
        call: not wanted.isdisjoint(around(trace, inside, call))
        for call in distinct(inside[sources]).tolist()
        if call >= 0
    }
    launched = np.array([known.get(call, False) for call in inside[sources].tolist()], np.bool_)
    if launched.any():
        return float(trace.duration_ps[work[launched]].sum()), "device"
    return float(trace.duration_ps[choice.calls].sum()), "host"
