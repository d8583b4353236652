"""Long series from an index: their pyramid comes with them, and a line checks only the rows that it uses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.support.indexed import IndexedLog, packs_of

from runglass import SummaryWriter
from runglass.errors import SeriesUnknown
from runglass.ingest import run_loader
from runglass.native.pyramid import MIN_ROWS
from runglass.query.derived import DerivedReads
from runglass.query.source import AxisQuery, LineQuery, Smoothing
from runglass.store.index.pack import Pack
from runglass.store.model import SeriesKey

COUNT = 2 * MIN_ROWS
KEY = SeriesKey("run", "loss")
QUERIES = [
    LineQuery(width=50),
    LineQuery(width=20, x="relative"),
    LineQuery(width=20, x="wall", x_range=(1.7e9 + 9_000.0, 1.7e9 + 30_000.0)),
    LineQuery(width=30, x_range=(20_000.0, 50_000.0)),
    LineQuery(width=30, x_range=(40_000.0, 40_500.0)),
    LineQuery(width=50, smoothing=Smoothing("ema", 0.9)),
]


def write(folder: Path, first: int, end: int) -> None:
    with SummaryWriter(str(folder)) as writer:
        for step in range(first, end):
            value = float("nan") if step % 9_001 == 77 else (step * 7919 % 1000) / 10
            writer.add_scalar("loss", value, step, walltime=1.7e9 + step)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Log directory and cache, with an index."""
    folder = tmp_path_factory.mktemp("long")
    write(folder / "logs" / "run", 0, COUNT)
    IndexedLog(folder / "logs", folder / "cache").write()
    return folder


@pytest.fixture
def again(made: Path) -> IndexedLog:
    return IndexedLog(made / "logs", made / "cache")


def part_of(log: IndexedLog):
    return log.watch.store.runs["run"].series["loss"].parts[0]


def lines(log: IndexedLog) -> list[tuple[list[float], list[float], int]]:
    found = [log.source.read_lines([KEY], query)[0] for query in QUERIES]
    return [(line.kept_x.tolist(), np.nan_to_num(line.y, nan=-1.0).tolist(), line.total) for line in found]


def test_the_pyramid_comes_from_the_pack(made, again):
    assert again.filled == 1
    assert lines(again) == lines(IndexedLog(made / "logs", None))
    # What has not changed since is not drawn again.
    assert again.source.read_lines([KEY], QUERIES[0])[0] is again.source.read_lines([KEY], QUERIES[0])[0]
    pyramid = part_of(again).pyramid
    # Averages are not in the pack.
    pyramid.update(*part_of(again).columns.read_points())
    assert (pyramid.count, part_of(again).columns.nbytes) == (COUNT, 0)
    mapped = IndexedLog(made / "logs", made / "cache")
    mapped.source.read_lines([KEY], QUERIES[0])
    assert part_of(mapped).pyramid.nbytes == 0


@pytest.mark.parametrize("query", [AxisQuery(), AxisQuery(x="relative", smoothing=Smoothing("ema", 0.9))])
def test_the_nearest_point_needs_no_copy_of_all(again, query):
    gone = SeriesKey("run", "gone")
    for at in (-5.0, 1_234.5, 40_000.0, 1e9):
        asked = [KEY, gone]
        found = again.source.read_nearest(asked, query, at=at)
        assert found == DerivedReads.read_nearest(again.source, asked, query, at=at) != []
    with pytest.raises(SeriesUnknown):
        again.source.read_nearest([gone], query, at=0.0)


def test_very_long_series_are_looked_at_while_they_are_read(made, monkeypatch):
    assert part_of(IndexedLog(made / "logs", None)).pyramid is None
    monkeypatch.setattr(run_loader, "EAGER_ROWS", MIN_ROWS)
    assert part_of(IndexedLog(made / "logs", None)).pyramid.count == COUNT


def damaged(made: Path, tmp_path: Path, at: int) -> IndexedLog:
    """The same logs, with a byte of their index flipped."""
    cache = tmp_path / "cache"
    (pack,) = packs_of(made / "cache", made / "logs")
    data = bytearray(pack.read_bytes())
    data[at] ^= 0x40
    copy = cache / pack.relative_to(made / "cache")
    copy.parent.mkdir(parents=True)
    copy.write_bytes(data)
    return IndexedLog(made / "logs", cache)


def places(made: Path) -> dict[str, int]:
    """Where the pack has steps, times, values, and the pyramid."""
    (path,) = packs_of(made / "cache", made / "logs")
    pack = Pack(path)
    row = pack._read_table("parts")[0]
    ((at, _, _),) = pack.pyramids.values()
    return {
        "step": int(row["steps_at"]),
        "wall_time": int(row["times_at"]),
        "value": int(row["rest_at"]),
        "pyramid": at,
    }


@pytest.mark.parametrize(("column", "width"), [("step", 8), ("wall_time", 8), ("value", 4)])
def test_damaged_rows_are_never_drawn(made, tmp_path, column, width):
    log = damaged(made, tmp_path, places(made)[column] + 45_000 * width)
    assert log.filled == 1
    # It uses none of the rows around the damage, so none of the pack is given up.
    narrow = LineQuery(width=30, x_range=(4_000.0, 5_000.0))
    (line,) = log.source.read_lines([KEY], narrow)
    assert (line.total, part_of(log).columns.nbytes) == (1_001, 0)
    assert lines(log) == lines(IndexedLog(made / "logs", None))
    assert part_of(log).columns.nbytes > 0


@pytest.mark.parametrize("byte", [1, 8, 5_000])
def test_a_damaged_pyramid_is_made_anew(made, tmp_path, byte):
    log = damaged(made, tmp_path, places(made)["pyramid"] + byte)
    assert lines(log) == lines(IndexedLog(made / "logs", None))
    assert part_of(log).pyramid.nbytes > 0


def test_a_pyramid_goes_on_when_the_file_grows(made, tmp_path):
    logs, cache = tmp_path / "logs", tmp_path / "cache"
    write(logs / "run", 0, COUNT)
    IndexedLog(logs, cache).write()
    log = IndexedLog(logs, cache)
    log.source.read_lines([KEY], QUERIES[0])
    pyramid = part_of(log).pyramid
    other = tmp_path / "more"
    write(other, COUNT, COUNT + 3_000)
    (source,), (target,) = other.iterdir(), (logs / "run").iterdir()
    with target.open("ab") as file:
        file.write(source.read_bytes())
    log.watch.load()
    assert lines(log) == lines(IndexedLog(logs, None))
    assert part_of(log).pyramid is pyramid
    log.write()
    assert lines(IndexedLog(logs, cache)) == lines(log)
