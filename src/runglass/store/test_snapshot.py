from __future__ import annotations

import pytest

from runglass.native.columns import Columns
from runglass.store.model import Kind, SeriesMeta
from runglass.store.parts import FileStage, Part
from runglass.store.snapshot import read_snapshot
from runglass.store.stage import COUNT_BITS, SeriesStage


def put_steps(series: SeriesStage, file: FileStage, steps: list[int]) -> Part:
    """A part of byte ranges: values a second apart, each with its step as the byte at which its record begins."""
    columns = Columns()
    for step in steps:
        columns.append_range(step, float(step), step, 0, 1)
    part = Part(file, columns)
    series.put_part(part)
    return part


@pytest.fixture
def series() -> SeriesStage:
    return SeriesStage("tag", SeriesMeta(Kind.TEXT), is_points=False)


def file(name: str) -> FileStage:
    return FileStage(name, name, name)


def test_one_file_is_read_as_it_lies(series):
    part = put_steps(series, file("a"), [4, 2, 3])
    snapshot = read_snapshot(series)
    assert snapshot.arrays[0].tolist() == [4, 2, 3]
    assert snapshot.segment.tolist() == [0, 0, 0]
    assert (snapshot.latest, snapshot.file_of_row, snapshot.files) == (None, None, (part.file,))
    assert snapshot.rows("latest") is None


def test_a_view_stays_as_it_was_while_the_series_grows(series):
    part = put_steps(series, file("a"), [0, 1])
    before = read_snapshot(series)
    for step in range(2, 5000):
        part.columns.append_range(step, float(step), step, 0, 1)
    series.note_growth(part, ())
    now = read_snapshot(series)
    assert before.arrays[0].tolist() == [0, 1]
    assert len(now.arrays[0]) == 5000
    # Growth at the end keeps the epoch: the number of rows tells where the news begins.
    assert now.generation - before.generation == 4998
    assert before.generation >> COUNT_BITS == now.generation >> COUNT_BITS


def test_files_are_joined_in_the_order_of_their_numbers(series):
    for name, steps in (("e.10", [6]), ("e.9", [4, 5]), ("e.1", [1, 2, 3])):
        put_steps(series, file(name), steps)
    snapshot = read_snapshot(series)
    assert snapshot.arrays[0].tolist() == [1, 2, 3, 4, 5, 6]
    assert [each.name for each in snapshot.files] == ["e.1", "e.9", "e.10"]
    assert snapshot.file_of_row is not None
    assert snapshot.file_of_row.tolist() == [0, 0, 0, 1, 1, 2]


def test_a_restart_leaves_standing_what_it_did_not_write_again(series):
    put_steps(series, file("a"), [0, 1, 2, 3])
    put_steps(series, file("b"), [2, 3, 4])
    snapshot = read_snapshot(series)
    assert snapshot.segment.tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert snapshot.rows("all") is None
    rows = snapshot.rows("latest")
    assert rows is not None
    assert rows.tolist() == [0, 1, 4, 5, 6]


def test_a_start_elsewhere_cuts_the_only_file(series):
    put_steps(series, file("a"), [0, 1, 2, 3])
    rows = read_snapshot(series, [("b", 2)]).rows("latest")
    assert rows is not None
    assert rows.tolist() == [0, 1]


def test_a_series_whose_last_file_is_gone_is_empty(series):
    part = put_steps(series, file("a"), [0, 1])
    before = read_snapshot(series)
    series.drop_file(part.file)
    now = read_snapshot(series)
    assert [len(array) for array in now.arrays] == [0] * 5
    assert now.generation >> COUNT_BITS > before.generation >> COUNT_BITS
