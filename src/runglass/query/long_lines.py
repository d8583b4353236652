"""Lines of long series, from the pyramids of their files: what `lines.make_line` gives, at the cost of the pixels and not of the points.
The same for the point nearest to an x.

Where that is not possible (x goes back, another scalar as x, smoothing that needs all points) there is no such line. Does not know where
the pieces come from.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from math import inf, isfinite

import numpy as np

from runglass.native.long_lines import DrawnColumns, Piece, SmoothedRows, reduce_pieces, smoothed_rows
from runglass.query.lines import reduce_line
from runglass.query.scales import range_on_axis
from runglass.query.source import AxisQuery, Floats, Line, LineQuery, Nearest
from runglass.store.model import SeriesKey
from runglass.store.snapshot import LongPiece, LongSeries

# Up to this many points per pixel column all of them are read, which is as fast; lines can then share their x and mark their points in
# it, which takes fewer bytes than the x of the kept points.
_DENSE = 256
LONG_STATS = frozenset({"last", "first", "min", "max", "count"})


def make_long_line(key: SeriesKey, series: LongSeries, query: LineQuery) -> Line | None:
    """The line of a series; None if its points must be read one by one, or may as well.

    Raises RowsDamaged for a series whose rows were not checked.
    """
    found = draw_long_line(key, series, query)
    return None if found is None else found[0]


def draw_long_line(
    key: SeriesKey, series: LongSeries, query: LineQuery, earlier: DrawnColumns | None = None
) -> tuple[Line, DrawnColumns | None] | None:
    """As `make_long_line`, with what the pixel columns show. `earlier`: that of the same line before the series grew at its end."""
    if query.width is None:
        return None
    pieces = _pieces(series, query)
    if pieces is None:
        return None
    count = all_rows = sum(map(len, pieces))
    if query.x_scale == "log":
        pieces = _cut(pieces, _find(pieces, 0.0, is_above=True), all_rows)
        count = sum(map(len, pieces))
    total = count
    if query.x_range is not None:
        start, stop = _find(pieces, query.x_range[0]), _find(pieces, query.x_range[1], is_above=True)
        total = stop - start
        pieces = _cut(pieces, max(start - 1, 0), stop + 1)
        count = sum(map(len, pieces))
    if count <= _DENSE * query.width:
        if len(series.pieces) == 1 and 2 * count > all_rows:
            return None
        x = np.concatenate([np.empty(0), *(piece.read_x(slice(piece.begin, piece.end)) for piece in pieces)])
        values = [piece.read_y(piece.begin, piece.end) for piece in pieces]
        y: Floats = np.concatenate([np.empty(0, series.dtype), *values])
        return reduce_line(key, series.generation, total, x, y, series.dtype, query), None
    lo, hi = range_on_axis((-inf, inf) if query.x_range is None else query.x_range, query.x_scale)
    rows, kept, drawn = reduce_pieces(pieces, lo, hi, query.width, query.x_scale, earlier)
    if len(pieces) == 1 and np.isfinite(kept).all():
        x = pieces[0].read_x(rows + pieces[0].begin)
        return Line(key, series.generation, total, x, None, kept.astype(series.dtype), True), drawn
    x, y = np.empty(len(rows)), kept.astype(series.dtype)
    row = 0
    for piece in pieces:
        here = slice(*np.searchsorted(rows, (row, row + len(piece))))
        own = rows[here] + (piece.begin - row)
        x[here] = piece.read_x(own)
        is_odd = ~np.isfinite(y[here])
        logged = piece.read_values(own[is_odd])
        # As they were logged, to the last bit. An average may overflow where no value does.
        y[here][is_odd] = np.where(np.isfinite(logged), y[here][is_odd], logged)
        row += len(piece)
    return Line(key, series.generation, total, x, None, y, True), drawn


def find_long_nearest(key: SeriesKey, series: LongSeries, query: AxisQuery, at: float) -> Nearest | None:
    """What `tables.make_nearest` gives; None if all points must be read for it."""
    pieces = _pieces(series, query)
    if pieces is None or not isfinite(at):
        return None
    start, stop = _find(pieces, at), _find(pieces, at, is_above=True)
    if start < stop:
        row = stop - 1
    else:
        row = start - 1
        if stop < sum(map(len, pieces)):
            x_above = _place(pieces, stop)
            # Halves, because the distance may overflow.
            if start == 0 or x_above / 2 - at / 2 <= at / 2 - _place(pieces, start - 1) / 2:
                row = _find(pieces, x_above, is_above=True) - 1
    number, own = _locate(pieces, row)
    piece, found = pieces[number], series.pieces[number]
    first_time = series.pieces[0].wall_time.item(series.pieces[0].begin)
    if not isfinite(first_time):
        return None
    wall_time = found.wall_time.item(own)
    return Nearest(
        key=key,
        x=piece.place(own),
        step=found.step.item(own),
        wall_time=wall_time,
        relative=wall_time - first_time,
        value=found.value.item(own),
        smoothed=piece.read_y(own, own + 1).item(0),
    )


def find_long_value(series: LongSeries, stat: str) -> float | None:
    """What `run_columns.run_value` gives for one of LONG_STATS; None if there is no such number."""
    if stat == "count":
        return sum(piece.end - piece.begin for piece in series.pieces)
    if not series.pieces:
        return None
    first, last = series.pieces[0], series.pieces[-1]
    if stat == "first":
        return float(first.value[first.begin])
    if stat == "last":
        return float(last.value[last.end - 1])
    rows = [each.pyramid.find_extremes(each.value, each.begin, each.end)[2:4] for each in series.pieces]
    place = ("min", "max").index(stat)
    values = [
        each.value.item(row[place]) for each, row in zip(series.pieces, rows, strict=True) if row[place] >= 0
    ]
    return (min if stat == "min" else max)(values, default=None)


def _locate(pieces: list[Piece], row: int) -> tuple[int, int]:
    """The piece that has a row, counted over all of them, and the row in its file."""
    for number, piece in enumerate(pieces):
        if row < len(piece):
            return number, piece.begin + row
        row -= len(piece)
    raise IndexError(row)


def _place(pieces: list[Piece], row: int) -> float:
    number, own = _locate(pieces, row)
    return pieces[number].place(own)


def _find(pieces: list[Piece], x: float, *, is_above: bool = False) -> int:
    """The first row, counted over all pieces, with an x of at least this, or above it."""
    return sum(piece.find(x, is_above=is_above) - piece.begin for piece in pieces)


def _cut(pieces: list[Piece], begin: int, end: int) -> list[Piece]:
    """The rows from `begin` to `end`, counted over all pieces."""
    found = []
    for piece in pieces:
        first, last = max(piece.begin, piece.begin + begin), min(piece.end, piece.begin + end)
        if first < last:
            found.append(piece.cut(first, last))
        begin -= len(piece)
        end -= len(piece)
    return found


def _pieces(series: LongSeries, query: AxisQuery) -> list[Piece] | None:
    """The rows with their x and their smoothing; None if x falls, or if they are smoothed by what needs all of them."""
    found = series.pieces
    if (
        not found
        or query.x not in ("step", "wall", "relative")
        or query.smoothing.kind not in ("none", "ema")
    ):
        return None
    is_step = query.x == "step"
    if not all(each.pyramid.steps_rise if is_step else each.pyramid.times_rise for each in found):
        return None
    origin = 0.0
    if query.x == "relative":
        first = found[0]
        at = Piece(first.wall_time, first.value, first.pyramid, first.begin, first.end, columns=first.columns)
        origin = at.place(first.begin)
    smoothed = _smooth(found, query) if query.smoothing.kind == "ema" else [None] * len(found)
    pieces = [
        Piece(
            each.step if is_step else each.wall_time,
            each.value,
            each.pyramid,
            each.begin,
            each.end,
            origin=origin,
            smoothed=rows,
            base=each.begin,
            columns=each.columns,
        )
        for each, rows in zip(found, smoothed, strict=True)
    ]
    ends = [(piece.place(piece.begin), piece.place(piece.end - 1)) for piece in pieces]
    rises = all(before[1] <= after[0] for before, after in pairwise(ends))
    return pieces if rises and isfinite(ends[0][0]) and isfinite(ends[-1][1]) else None


def _smooth(found: Sequence[LongPiece], query: AxisQuery) -> list[SmoothedRows | None]:
    """Every piece goes on from the one before it; with all attempts, from that of its own attempt."""
    smoothed: list[SmoothedRows | None] = []
    for _, group in groupby(found, lambda each: each.segment if query.attempts == "all" else 0):
        pieces = list(group)
        if _is_constant(pieces):
            # A constant series stays as it is.
            smoothed += [None] * len(pieces)
            continue
        state = 0.0, 0
        for each in pieces:
            rows = smoothed_rows(each.pyramid, each.value, each.begin, query.smoothing.amount, *state)
            if each is not pieces[-1]:
                state = rows.state_at(each.value[each.begin :], each.end - each.begin)
            smoothed.append(rows)
    return smoothed


def _is_constant(pieces: Sequence[LongPiece]) -> bool:
    first, last = pieces[0], pieces[-1]
    if first.value.item(first.begin) != last.value.item(last.end - 1):
        return False
    values = set()
    for each in pieces:
        *finite, nan, pos_inf, neg_inf = each.pyramid.find_extremes(each.value, each.begin, each.end)
        if max(nan, pos_inf, neg_inf) >= 0:
            return False
        values.update(each.value[finite].tolist())
    return len(values) == 1
