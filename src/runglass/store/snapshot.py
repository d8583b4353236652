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
from runglass.store.model import Attempts
from runglass.store.parts import FileStage
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
        return Snapshot(epoch << COUNT_BITS | count, read, _one_segment(count), None, (parts[0].file,), None)
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


@lru_cache(maxsize=256)
def _one_segment(count: int) -> NDArray[np.int32]:
    return np.broadcast_to(np.int32(0), count)

