"""Lines, nearest points and numbers of long series of a Store, which are drawn from their pyramids and kept until they grow.

All others are left to DerivedReads. The source that inherits from it reads columns.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from runglass.errors import RunUnknown, SeriesUnknown
from runglass.lru import LruCache
from runglass.native.long_lines import DrawnColumns, RowsDamaged
from runglass.query.derived import TIME_AXES, DerivedReads
from runglass.query.long_lines import draw_long_line, find_long_nearest, find_long_value
from runglass.query.source import AxisQuery, Line, LineQuery, Nearest
from runglass.store.model import Attempts, Kind, SeriesKey
from runglass.store.parts import file_order
from runglass.store.snapshot import LongSeries, is_long, read_long
from runglass.store.stage import COUNT_BITS, RunStage, SeriesStage, Store

KEPT_BYTES = 64 << 20


class LongReads(DerivedReads):
    def __init__(self, store: Store, *, keeps_overwritten: bool) -> None:
        self._store = store
        # Show every attempt, even if a query asks for the latest.
        self._keeps_overwritten = keeps_overwritten
        # A page that follows many runs asks for all of its lines when one run has grown.
        self._long_lines: LruCache[tuple[SeriesKey, LineQuery], _Kept] = LruCache(
            KEPT_BYTES, size_of=_bytes_of
        )

    def read_lines(self, keys: Sequence[SeriesKey], query: LineQuery) -> list[Line]:
        long = {key: found for key in keys if (found := self._find_long(key)) is not None}
        if not long or query.x not in TIME_AXES:
            return super().read_lines(keys, query)
        known: dict[SeriesKey, Line] = {}
        for key, (run, series) in long.items():
            kept = self._long_lines.get((key, query))
            if kept is None or kept.line.generation != series.generation:
                kept = self._read_long_line(key, run, series, query, kept)
                if kept is not None:
                    self._long_lines.put((key, query), kept)
            if kept is not None:
                known[key] = kept.line
        others = [key for key in keys if key not in known]
        try:
            read = super().read_lines(others, query) if others else []
        except (RunUnknown, SeriesUnknown):
            # The only other one is unknown; of many it is left out.
            if not known:
                raise
            read = []
        for line in read:
            known[line.key] = line
            if line.key in long:
                self._long_lines.put((line.key, query), _Kept(line))
        return [known[key] for key in keys if key in known]

    def read_nearest(self, keys: Sequence[SeriesKey], query: AxisQuery, *, at: float) -> list[Nearest]:
        known: dict[SeriesKey, Nearest] = {}
        for key in keys if query.x in TIME_AXES else ():
            found = self._find_long(key)
            long = None if found is None else self._read_long(*found, query.attempts)
            nearest = None if long is None else find_long_nearest(SeriesKey(*key), long, query, at)
            if nearest is not None:
                known[key] = nearest
        others = [key for key in keys if key not in known]
        if others:
            try:
                known.update((each.key, each) for each in super().read_nearest(others, query, at=at))
            except (RunUnknown, SeriesUnknown):
                if not known:
                    raise
        return [known[key] for key in keys if key in known]

    def _find_long(self, key: SeriesKey) -> tuple[RunStage, SeriesStage] | None:
        run = self._store.runs.get(key[0])
        series = run.find_series(key[1], Kind.SCALAR) if run is not None else None
        return None if run is None or series is None or not is_long(series) else (run, series)

    def _read_long(
        self, run: RunStage, series: SeriesStage, attempts: Attempts, *, is_checked: bool = True
    ) -> LongSeries | None:
        chosen: Attempts = "all" if self._keeps_overwritten else attempts
        return read_long(series, starts_elsewhere(run, series), chosen, is_checked=is_checked)

    def _read_long_line(
        self, key: SeriesKey, run: RunStage, series: SeriesStage, query: LineQuery, before: _Kept | None
    ) -> _Kept | None:
        """From pyramids; None if its points must be read."""

        def read(is_checked: bool) -> _Kept | None:
            long = self._read_long(run, series, query.attempts, is_checked=is_checked)
            if long is None:
                return None
            earlier = None if before is None or not _has_grown(before.line, long) else before.drawn
            found = draw_long_line(SeriesKey(*key), long, query, earlier)
            # Whoever asks for a line once does not follow it.
            return None if found is None else _Kept(found[0], None if before is None else found[1])

        try:
            # An average needs all values.
            return read(is_checked=query.smoothing.kind != "none")
        except RowsDamaged:
            return read(is_checked=True)

    def _read_long_value(self, key: SeriesKey, stat: str) -> float | None:
        """Of a series in several files or attempts, whose points would have to be copied; None for all others."""
        found = self._find_long(key)
        if found is None or (len(found[1].parts) == 1 and not found[1].parts[0].starts):
            return None
        long = self._read_long(*found, "latest")
        return None if long is None else find_long_value(long, stat)


class _Kept(Struct, frozen=True):
    line: Line
    # Of a line that is followed.
    drawn: DrawnColumns | None = None


def _has_grown(line: Line, series: LongSeries) -> bool:
    """Whether rows were only added since."""
    return (
        line.generation >> COUNT_BITS == series.generation >> COUNT_BITS
        and line.generation <= series.generation
    )


def _bytes_of(kept: _Kept) -> int:
    line = kept.line
    drawn_bytes = 0 if kept.drawn is None else kept.drawn.nbytes
    return drawn_bytes + line.x.nbytes + line.y.nbytes + (0 if line.kept is None else line.kept.nbytes)


def starts_elsewhere(run: RunStage, series: SeriesStage) -> list[tuple[str, int]]:
    """Session starts, as file name and step, in files without the series. They end its attempts too."""
    if len(run.files) == 1:
        return []
    own = {part.file.name for part in series.parts}
    starts = [
        (file.name, file.start_step)
        for file in list(run.files.values())
        if file.start_step is not None and file.start_step > 0 and file.name not in own
    ]
    return sorted(starts, key=lambda start: file_order(start[0]))
