"""How sessions stand: their status, start and end, and the machine they ran on. query/states.py has the rule."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from math import isfinite, isnan, nan
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from runglass.errors import RunUnknown, SeriesUnknown
from runglass.query.goals import is_loss
from runglass.query.hparams.model import Session
from runglass.query.source import DataSource, Values
from runglass.query.states import LONG_AGO_S, MIN_QUIET_S, Pace, SessionEnd, judge, read_pace
from runglass.schema.hparams import SESSION_END_TAG
from runglass.store.model import Kind, RunInfo, SeriesInfo, SeriesKey

# "unknown": nothing with a time was logged, so nothing can be said.
Status = Literal["running", "finished", "failed", "unknown", "silent"]
STATUSES: tuple[Status, ...] = ("running", "finished", "failed", "unknown", "silent")

# events.out.tfevents.1700000000.HOST.1234.0.v2; older writers leave out what follows the host.
HOST = re.compile(r"tfevents\.\d+\.(.+?)(?:\.\d+)*(?:\.v2)?$")
names_loss = lru_cache(maxsize=4096)(is_loss)


class SessionState(Struct, frozen=True, gc=False):
    status: Status
    started: float | None
    # None while it runs.
    ended: float | None


class _Judged:
    """A session as `judge` sees it: reads series only if the judgement depends on them."""

    def __init__(self, source: DataSource, session: Session, infos: Mapping[str, RunInfo]) -> None:
        self._source = source
        self._session = session
        self.name = session.run
        known = [info for run in session.members if (info := infos.get(run)) is not None]
        if len(known) == 1:
            self.start_time = known[0].start_time
            self.last_wall_time = known[0].last_wall_time
        else:
            starts = [each.start_time for each in known if each.start_time is not None]
            lasts = [each.last_wall_time for each in known if each.last_wall_time is not None]
            self.start_time = min(starts, default=None)
            self.last_wall_time = max(lasts, default=None)

    @property
    def folder(self) -> str:
        return self.name.rpartition("/")[0]

    @cached_property
    def ends(self) -> Sequence[SessionEnd]:
        return [self._timed(end) for end in self._session.ends]

    @property
    def expects_end(self) -> bool:
        return self._session.has_start and not self._session.ends

    def _timed(self, end: SessionEnd) -> SessionEnd:
        """With the time at which it was logged, which is read only if the time that it states is not that of the last value."""
        if not isnan(end.wall_time):
            return end
        stated, last = end.end_time, self.last_wall_time
        if stated is not None and last is not None and abs(last - stated) <= MIN_QUIET_S:
            return replace(end, wall_time=stated)
        times = [
            float(values.wall_time[-1])
            for run in (self._session.run, *self._session.merged)
            if (values := self._read(SeriesKey(run, SESSION_END_TAG), Kind.HPARAMS)) is not None
            and len(values.wall_time)
        ]
        return replace(end, wall_time=max(times, default=nan))

    @cached_property
    def _series(self) -> list[SeriesInfo]:
        found: list[SeriesInfo] = []
        for run in self._session.members:
            try:
                found += self._source.list_series(run=run)
            except RunUnknown:
                continue
        return [info for info in found if info.meta.kind not in (Kind.HPARAMS, Kind.CUSTOM_SCALARS)]

    def _read(self, key: SeriesKey, kind: Kind) -> Values | None:
        try:
            return self._source.read_values(key, kind=kind)
        except (RunUnknown, SeriesUnknown):
            return None

    @cached_property
    def _longest(self) -> list[Values]:
        """Of each run the series with the most values."""
        best: dict[str, SeriesInfo] = {}
        for info in self._series:
            now = best.get(info.key.run)
            rank = info.meta.kind == Kind.SCALAR, info.count
            if now is None or rank > (now.meta.kind == Kind.SCALAR, now.count):
                best[info.key.run] = info
        return [
            values for info in best.values() if (values := self._read(info.key, info.meta.kind)) is not None
        ]

    @cached_property
    def last_step(self) -> int | None:
        scalars = [info for info in self._series if info.meta.kind == Kind.SCALAR]
        read = [
            values for info in scalars if (values := self._read(info.key, info.meta.kind)) is not None
        ] or self._longest
        return max((int(values.step[-1]) for values in read if len(values.step)), default=None)

    @cached_property
    def pace(self) -> Pace | None:
        paces = [pace for values in self._longest if (pace := read_pace(values)) is not None]
        return min(paces, key=lambda pace: pace.usual_s, default=None)

    @property
    def ends_odd(self) -> bool:
        keys = [
            info.key for info in self._series if info.meta.kind == Kind.SCALAR and names_loss(info.key.tag)
        ]
        try:
            read = self._source.read_columns(keys) if keys else []
        except (RunUnknown, SeriesUnknown):
            return False
        return any(len(each.value) and not isfinite(each.value.item(-1)) for each in read)


def read_states(
    source: DataSource, sessions: Sequence[Session], infos: Mapping[str, RunInfo], *, now: float
) -> list[SessionState]:
    judged = [_Judged(source, session, infos) for session in sessions]
    states = judge(judged, now=now)
    return [_state(each, session, states[each.name]) for each, session in zip(judged, sessions, strict=True)]


def may_pass(state: SessionState, *, now: float) -> bool:
    """Whether it changes with the clock; other states stay as they are until something is logged."""
    if state.status == "silent":
        return state.ended is None or now - state.ended <= LONG_AGO_S
    return state.status == "running"


def _state(judged: _Judged, session: Session, state: str) -> SessionState:
    last = judged.last_wall_time
    status: Status = state  # type: ignore[assignment]
    if not session.ends and (last is None or not isfinite(last)):
        status = "unknown"
    stated = [end.end_time for end in session.ends if end.end_time is not None]
    ended = None if status in ("running", "unknown") else max(stated, default=last)
    return SessionState(status, session.start_time or judged.start_time, ended)


def read_hosts(source: DataSource, sessions: Sequence[Session]) -> list[str]:
    """The name of the machine as it is in the names of the event files; "" if it is not."""
    host_of: dict[str, str] = {}
    for file in source.list_files():
        if file.run not in host_of and (found := HOST.search(file.path)):
            host_of[file.run] = found[1]
    return [next((host_of[run] for run in session.members if run in host_of), "") for session in sessions]
