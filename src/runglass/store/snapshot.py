"""The readable half of the store: a series as arrays at one moment, split into attempts.

If a series is in one file, the arrays are views of append-only memory. Of files it knows only their order.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.native.columns import Columns
from runglass.native.pyramid import MIN_ROWS, Pyramid
from runglass.store.model import Attempts
from runglass.store.parts import FileStage, Part
from runglass.store.segments import find_segments, split_rows
from runglass.store.stage import COUNT_BITS, SeriesStage

_reads = itertools.count(1)


class Snapshot(Struct, frozen=True):
    """All rows of a series in file order, the attempt of each, and which rows no later attempt overwrote."""

    generation: int
    # step, wall_time, then value; or step, wall_time, record, value_at, value_size.
    arrays: tuple[NDArray[Any], ...]
    segment: NDArray[np.int32]
    # Row mask of attempts="latest"; None if nothing was overwritten.
    latest: NDArray[np.bool_] | None
    # For byte ranges: the file of each row. None if there is only one file.
    files: tuple[FileStage, ...]
    file_of_row: NDArray[np.int32] | None
    # The part that has all rows, of a series of many points in one file and one attempt.
    long_part: Part | None = None

    def read_pyramid(self) -> Pyramid:
        """Over the rows of `long_part`, and maybe some that came since."""
        assert self.long_part is not None
        return self.long_part.look_at_rows(self.arrays)

    def rows(self, attempts: Attempts) -> NDArray[np.int64] | None:
        """Row numbers that `attempts` selects; None for all."""
        return None if attempts == "all" or self.latest is None else np.flatnonzero(self.latest)


def read_snapshot(series: SeriesStage, starts_elsewhere: Sequence[tuple[str, int]] = ()) -> Snapshot:
    """Read a series as it is now. `starts_elsewhere`: session starts in files that do not contain it, in file order."""
    series.last_read = next(_reads)
    epoch = series.epoch
    parts = series.parts
    if len(parts) == 1 and not parts[0].starts and not starts_elsewhere:
        # Most series have one file and one attempt: return views of the store's memory, compute nothing.
        columns = parts[0].columns
        read = columns.read_points() if series.is_points else columns.read_ranges()
        count = len(read[0])
        long_part = parts[0] if series.is_points and count >= MIN_ROWS else None
        return Snapshot(
            epoch << COUNT_BITS | count, read, _one_segment(count), None, (parts[0].file,), None, long_part
        )
    # The last file of a series may have been dropped just now; then the columns are empty.
    every = [part.columns for part in parts] or [Columns()]
    reads = [columns.read_points() if series.is_points else columns.read_ranges() for columns in every]
    counts = [len(read[0]) for read in reads]
    total = sum(counts)
    arrays: tuple[NDArray[Any], ...]
    if len(reads) == 1:
        arrays = reads[0]
        file_of_row = None
    else:
        arrays = tuple(np.concatenate(column) for column in zip(*reads, strict=True))
        file_of_row = np.repeat(np.arange(len(parts), dtype=np.int32), counts)
    segments = find_segments(parts, series.is_points, counts, starts_elsewhere)
    segment, latest = split_rows(segments, arrays[0])
    return Snapshot(
        generation=epoch << COUNT_BITS | total,
        arrays=arrays,
        segment=segment,
        latest=latest,
        files=tuple(part.file for part in parts),
        file_of_row=file_of_row,
    )


class LongPiece(Struct, frozen=True):
    """Consecutive rows of one file and one attempt, and the pyramid over all rows of that file.

    `columns`: if the arrays are views of an index file, of which nothing was checked.
    """

    pyramid: Pyramid
    step: NDArray[np.int64]
    wall_time: NDArray[np.float64]
    value: NDArray[Any]
    begin: int
    end: int
    segment: int
    columns: Columns | None = None


class LongSeries(Struct, frozen=True):
    """A series of many points as pieces of files, none of them copied or read whole."""

    generation: int
    pieces: tuple[LongPiece, ...]
    # Of the values in one array.
    dtype: np.dtype[Any]


def is_long(series: SeriesStage) -> bool:
    """Whether it has so many points that `read_long` pays."""
    return series.is_points and series.count >= MIN_ROWS


def read_long(
    series: SeriesStage,
    starts_elsewhere: Sequence[tuple[str, int]],
    attempts: Attempts,
    *,
    is_checked: bool = True,
) -> LongSeries | None:
    """The rows that `attempts` selects, in file order; None for short series, and where they are too many pieces.

    That is so where steps go back within a file that a later attempt overwrites. Without `is_checked`, rows of an index file may be
    left to the caller to check, which costs what is used of them.
    """
    if not is_long(series):
        return None
    series.last_read = next(_reads)
    epoch = series.epoch
    parts = series.parts
    if not is_checked and len(parts) == 1 and not parts[0].starts and not starts_elsewhere:
        columns = parts[0].columns.freeze()
        pyramid = parts[0].pyramid or columns.read_pyramid()
        if pyramid is not None and pyramid.count >= columns.count:
            parts[0].pyramid = pyramid
            views = columns.read_unchecked()
            piece = LongPiece(pyramid, *views, 0, columns.count, 0, columns)
            return LongSeries(epoch << COUNT_BITS | columns.count, (piece,), views[2].dtype)
    reads = [part.columns.read_points() for part in parts]
    counts = [len(read[0]) for read in reads]
    pyramids = [part.look_at_rows(read) for part, read in zip(parts, reads, strict=True)]
    segments = find_segments(parts, True, counts, starts_elsewhere)
    # The step from which later attempts overwrite each one.
    limits: list[int | None] = [None] * len(segments)
    if attempts == "latest":
        for number in range(len(segments) - 1, 0, -1):
            steps = [step for step in (segments[number].first_step, limits[number]) if step is not None]
            limits[number - 1] = min(steps, default=None)
    pieces: list[LongPiece] = []
    row = 0
    for pyramid, read, count in zip(pyramids, reads, counts, strict=True):
        for number, (first_row, _) in enumerate(segments):
            end_row = segments[number + 1].first_row if number + 1 < len(segments) else row + count
            begin, end = max(first_row - row, 0), min(end_row - row, count)
            limit = limits[number]
            if begin < end and limit is not None:
                if not pyramid.steps_rise:
                    return None
                end = begin + int(np.searchsorted(read[0][begin:end], limit))
            if begin < end:
                pieces.append(LongPiece(pyramid, *read, begin, end, number))
        row += count
    dtype = np.result_type(*(read[2] for read in reads))
    return LongSeries(epoch << COUNT_BITS | row, tuple(pieces), dtype)


@lru_cache(maxsize=256)
def _one_segment(count: int) -> NDArray[np.int32]:
    return np.broadcast_to(np.int32(0), count)
