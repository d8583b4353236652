import numpy as np
import pytest

from runglass.errors import SqlError
from runglass.query.memory import MemorySource
from runglass.sql import tables
from runglass.sql.needs import parse_needs
from runglass.sql.tables import hparam_cells, read_points, read_tables
from runglass.store.model import FileState, SeriesKey


def make_source():
    return (
        MemorySource()
        .add_scalars("a", "loss", step=[0, 1, 2], value=[3, 2, 1], wall_time=[10, 11, 12])
        .add_scalars("a", "loss", step=[1], value=[9], wall_time=[13], restart=True)
        .add_scalars("b", "acc", step=[5], value=np.float32([0.5]), wall_time=[20])
        .set_file("a", "a/events", FileState.DAMAGED, size_bytes=7, reason="cut")
    )


def rows(query):
    (table,) = read_tables(make_source(), parse_needs(query))
    return list(zip(*(values.tolist() for _, values in table.columns.values()), strict=True))


def test_points_are_all_attempts_of_the_needed_series():
    points = read_points(make_source(), parse_needs("select * from points where tag = 'loss'"))
    assert points.keys == [SeriesKey("a", "loss")]
    assert points.number.tolist() == [0, 0, 0, 0]
    assert points.step.tolist() == [0, 1, 2, 1]
    assert points.wall_time.tolist() == [10, 11, 12, 13]
    assert points.value.tolist() == [3, 2, 1, 9]
    assert points.overwritten.tolist() == [False, True, True, False]
    both = read_points(make_source(), parse_needs("select * from points"))
    assert (both.number.tolist(), both.value.dtype) == ([0, 0, 0, 0, 1], np.float64)
    none = read_points(make_source(), parse_needs("select * from points where tag = 'nope'"))
    assert (none.keys, len(none.step)) == ([], 0)


def test_runs_series_and_files():
    assert rows("from runs") == [("a", 10, 13, 1, 4, 1, 7, "damaged"), ("b", 20, 20, 1, 1, 0, 0, "ok")]
    assert rows("from series")[0] == ("a", "loss", "scalar", "scalars", "", "", 4)
    assert rows("from files") == [("a", "a/events", "damaged", 7, 0, 0, "cut")]
    assert rows("from hparams") == []


@pytest.mark.parametrize(
    ("value", "cells"),
    [
        (64.0, ("64", 64.0)),
        (0.1, ("0.1", 0.1)),
        (1e-5, ("1e-05", 1e-5)),
        (True, ("true", None)),
        ("adam", ("adam", None)),
        ("Infinity", ("Infinity", float("inf"))),
    ],
)
def test_a_hyperparameter_as_text_and_number(value, cells):
    assert hparam_cells(value) == cells


def test_more_points_than_memory_are_refused(monkeypatch):
    monkeypatch.setattr(tables, "read_memory_bytes", lambda: 2 * 29 * 4)
    read_points(make_source(), parse_needs("select * from points where tag = 'loss'"))
    with pytest.raises(SqlError, match=r"needs 5 points of 2 series.*Ask for fewer tags or runs"):
        read_points(make_source(), parse_needs("select * from points"))
