"""What runs inside torch's DataLoader while the training waits for it: ops, and if stacks were recorded functions of the dataset."""

from __future__ import annotations

import re

import numpy as np

from runglass.native.trace_groups import places_of
from runglass.query.profiles.analysis.facts import Facts
from runglass.query.profiles.analysis.grouping import group
from runglass.query.profiles.analysis.launching import PYTHON, framework_ops, has_category, is_python
from runglass.query.profiles.analysis.model import LoaderRow
from runglass.query.profiles.model import Int64, distinct, marked_numbers, marks_of
from runglass.query.profiles.stacks import parse_frame

NEXT = re.compile(r"enumerate\(Data(?:Loader|Pipe)\)#(\w+)\.__next__")
# The iterator that makes batches in the training's own process.
SINGLE_PROCESS = "_SingleProcessDataLoaderIter"
READS = re.compile(r"<built-in (?:method|function) (?:read\w*|open\w*|fromfile|mmap|recv\w*|seek)\b")
BUILT_IN = re.compile(
    r"<built-in (?:method|function) (\w+)(?: of (?:type object|([\w.]+) object) at 0x[0-9a-f]+)?>"
)


def plain_name(text: str) -> str:
    """numpy.ndarray.sort for <built-in method sort of numpy.ndarray object at 0x7f…>."""
    found = BUILT_IN.fullmatch(text)
    return text if found is None else f"{found[2]}.{found[1]}" if found[2] else found[1]


class Loading:
    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        trace = facts.trace
        kinds: dict[int, str] = {}
        for number, name in facts.names.items():
            found = NEXT.match(name)
            if found is not None:
                kinds[number] = found[1]
        events = places_of(marks_of(trace, kinds), trace.name, len(trace))
        python = np.array([is_python(each) for each in trace.info.categories], np.bool_)
        self._calls: Int64 = facts.in_steps(events[~python[trace.category[events]]])
        used = {kinds[number] for number in distinct(trace.name[self._calls]).tolist()}
        self.is_single_process = SINGLE_PROCESS in used
        self.has_workers = bool(used - {SINGLE_PROCESS})
        own = [number for number, kind in kinds.items() if kind == SINGLE_PROCESS]
        self._making: Int64 = self._calls[marked_numbers(trace, own, trace.name[self._calls])]

    @property
    def made_ps(self) -> int:
        """How long the training's own process made batches."""
        return int(self._facts.trace.duration_ps[self._making].sum())

    def rows(self) -> list[LoaderRow]:
        """The most time of its own first."""
        trace = self._facts.trace
        inside = self._inside()
        if not len(inside):
            return []
        chosen = inside[(has_category(trace, PYTHON) | framework_ops(trace))[inside]]
        if not len(chosen):
            return []
        # Names of built-in functions differ by the address of their object.
        names = distinct(trace.name[chosen])
        clean = [plain_name(trace.text(number)) for number in names.tolist()]
        known = {text: number for number, text in enumerate(dict.fromkeys(clean))}
        codes = np.array([known[text] for text in clean], np.int64)
        groups = group([codes[np.searchsorted(names, trace.name[chosen])]])
        own = groups.total(trace.self_ps[chosen])
        total, calls = groups.total(trace.duration_ps[chosen]), groups.count()
        rows = []
        for at, first in enumerate(groups.first.tolist()):
            event = int(chosen[first])
            text = trace.name_of(event)
            frame = parse_frame(text)
            rows.append(
                LoaderRow(
                    name=plain_name(text) if frame is None else frame.function,
                    source=self._facts.source(event) if frame is None else f"{frame.file}:{frame.line}",
                    is_read=READS.search(text) is not None,
                    calls=int(calls[at]),
                    total_ps=int(total[at]),
                    self_ps=int(own[at]),
                )
            )
        return sorted(rows, key=lambda row: -row.self_ps)

    def _inside(self) -> Int64:
        """Events of the threads that ask loaders, within these calls."""
        trace = self._facts.trace
        found: list[Int64] = []
        keys = [(track.host, track.process_id, track.thread_id) for track in trace.tracks]
        for track in distinct(trace.track[self._calls]).tolist():
            calls = self._calls[trace.track[self._calls] == track]
            start = np.sort(trace.start_ps[calls])
            end = np.sort(trace.start_ps[calls] + trace.duration_ps[calls])
            events = np.flatnonzero(trace.events_on([key == keys[track] for key in keys]))
            names = trace.name[events]
            is_call = marked_numbers(trace, distinct(trace.name[calls]).tolist(), names)
            events = events[(trace.duration_ps[events] > 0) & ~is_call]
            at = np.searchsorted(start, trace.start_ps[events], side="right") - 1
            ends = trace.start_ps[events] + trace.duration_ps[events]
            found.append(events[(at >= 0) & (ends <= end[np.maximum(at, 0)])])
        return np.concatenate(found) if found else np.empty(0, np.int64)
