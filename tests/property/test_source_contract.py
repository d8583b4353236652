"""The contract on query/source.py, held by every DataSource: the same history gives the same answers, and deltas add up."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.sources import OpenFolder, examples, over_folder_sources

from runglass.errors import BadRequest, RunUnknown, SeriesUnknown
from runglass.query.memory import MemorySource
from runglass.query.source import AxisQuery, BandQuery, DataSource, LineQuery, RunColumn
from runglass.store.model import Kind, SeriesKey
from runglass.writer.files.record_file import EventFileWriter
from runglass.writer.values import summaries

KEY = SeriesKey("run", "loss")
START = 1_700_000_000.0

Flush = tuple[int, list[tuple[int, float]]]
"""An attempt's number, and the points it writes at once."""


@st.composite
def histories(draw: st.DrawFn) -> list[Flush]:
    """Attempts one after the other; each but the first begins at a step that was already written, so each is a restart."""
    flushes: list[Flush] = []
    highest: int | None = None
    for number in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, 12 if highest is None else highest))
        for size in draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)):
            numbers = draw(st.lists(st.floats(width=32), min_size=size, max_size=size))
            flushes.append((number, list(zip(range(at, at + size), numbers, strict=True))))
            at += size
        highest = at - 1 if highest is None else max(highest, at - 1)
    return flushes


def expected(flushes: list[Flush]) -> list[tuple[int, int, float, bool]]:
    """(segment, step, value, stands) of every point, by the rule in words: newer attempts win from their first step on."""
    points = [(number, step, value) for number, batch in flushes for step, value in batch]
    first_step = {number: step for number, step, _ in reversed(points)}
    return [
        (number, step, value, all(step < first_step[later] for later in first_step if later > number))
        for number, step, value in points
    ]


Source = AbstractContextManager[tuple[DataSource, Callable[[Flush], None]]]
Make = Callable[[], Source]


@contextmanager
def memory_source() -> Iterator[tuple[DataSource, Callable[[Flush], None]]]:
    source = MemorySource()
    seen: set[int] = set()

    def append(flush: Flush) -> None:
        number, batch = flush
        steps = [step for step, _ in batch]
        values = np.array([value for _, value in batch], np.float32)
        source.add_scalars(*KEY, step=steps, value=values, restart=number not in seen)
        seen.add(number)

    yield source, append


@contextmanager
def folder_source(open_folder: OpenFolder) -> Iterator[tuple[DataSource, Callable[[Flush], None]]]:
    """A source over a folder that event files are written to."""
    with tempfile.TemporaryDirectory() as folder, open_folder(Path(folder)) as (source, refresh):
        writers: dict[int, EventFileWriter] = {}

        def append(flush: Flush) -> None:
            number, batch = flush
            if number not in writers:
                writers[number] = EventFileWriter(
                    Path(folder) / KEY.run, clock=lambda: START + 1000 * number, pid=number
                )
            for step, value in batch:
                writers[number].write(step, values=[summaries.scalar(KEY.tag, np.float32(value))])
            writers[number].flush()
            refresh()

        yield source, append
        for writer in writers.values():
            writer.close()


@contextmanager
def filled(make: Make, flushes: list[Flush]) -> Iterator[DataSource]:
    with make() as (source, append):
        for flush in flushes:
            append(flush)
        yield source


sources = pytest.mark.parametrize(
    "make", [pytest.param(memory_source, id="memory"), *over_folder_sources(folder_source)]
)


@sources
@given(flushes=histories())
@examples(60)
def test_restarts(make: Make, flushes: list[Flush]) -> None:
    with filled(make, flushes) as source:
        points = expected(flushes)
        (everything,) = source.read_columns([KEY], attempts="all")
        assert everything.segment.tolist() == [segment for segment, _, _, _ in points]
        assert everything.step.tolist() == [step for _, step, _, _ in points]
        np.testing.assert_array_equal(everything.value, [value for _, _, value, _ in points])
        (latest,) = source.read_columns([KEY])
        assert latest.step.tolist() == [step for _, step, _, stands in points if stands]
        np.testing.assert_array_equal(latest.value, [value for _, _, value, stands in points if stands])
        overwritten = [not stands for _, _, _, stands in points]
        assert latest.overwritten is None
        if everything.overwritten is None:
            assert not any(overwritten)
        else:
            assert everything.overwritten.tolist() == overwritten


@sources
@given(flushes=histories())
@examples(40)
def test_steps_are_those_that_were_not_overwritten(make: Make, flushes: list[Flush]) -> None:
    with filled(make, flushes) as source:
        standing = sorted({step for _, step, _, stands in expected(flushes) if stands})
        for asked in ({}, {"kinds": {Kind.SCALAR}}, {"tags": {KEY.tag, "other"}}):
            assert source.read_steps([KEY.run, "other", KEY.run], **asked).tolist() == standing
        for nothing in ({"kinds": {Kind.IMAGE}}, {"kinds": set()}, {"tags": {"other"}}):
            assert source.read_steps([KEY.run], **nothing).tolist() == []
        assert source.read_steps([]).tolist() == []


@sources
@given(flushes=histories())
@examples(40)
def test_values_are_found_by_their_rows(make: Make, flushes: list[Flush]) -> None:
    with filled(make, flushes) as source:
        points = expected(flushes)
        everything = source.read_values(KEY, kind=Kind.SCALAR, attempts="all")
        assert everything.rows is None
        assert everything.step.tolist() == [step for _, step, _, _ in points]
        latest = source.read_values(KEY, kind=Kind.SCALAR)
        standing = [row for row, (_, _, _, stands) in enumerate(points) if stands]
        assert standing == (list(range(len(points))) if latest.rows is None else latest.rows.tolist())
        # What a row names is the same value, however the series was asked for.
        for index, row in enumerate(standing):
            assert int(latest.step[index]) == int(everything.step[row])
            np.testing.assert_array_equal(
                [source.load_value(latest, index), source.load_value(everything, row)], [points[row][2]] * 2
            )


@sources
@given(flushes=histories())
@examples(30)
def test_earlier_attempts(make: Make, flushes: list[Flush]) -> None:
    with filled(make, flushes) as source:
        lost: dict[int, list[tuple[int, float]]] = {}
        for segment, step, value, stands in expected(flushes):
            if not stands:
                lost.setdefault(segment, []).append((step, value))
        lines = source.read_earlier_lines([KEY], LineQuery())
        assert [line.x.tolist() for line in lines] == [[step for step, _ in each] for each in lost.values()]
        for line, points in zip(lines, lost.values(), strict=True):
            assert line.key == KEY
            np.testing.assert_array_equal(line.y, [value for _, value in points])


@sources
@given(flushes=histories())
@examples(60)
def test_deltas_add_up(make: Make, flushes: list[Flush]) -> None:
    with make() as (source, append):
        held: list[int] = []
        generation = 0
        for flush in flushes:
            append(flush)
            (delta,) = source.read_columns([KEY], since=[generation])
            held = held[: delta.offset] + delta.step.tolist()
            assert delta.generation != generation
            generation = delta.generation
            (whole,) = source.read_columns([KEY])
            assert held == whole.step.tolist()
            (nothing,) = source.read_columns([KEY], since=[generation])
            assert (len(nothing.step), nothing.offset) == (0, len(held))


@sources
@given(flushes=histories())
@examples(40)
def test_summaries_and_listings_agree_with_the_points(make: Make, flushes: list[Flush]) -> None:
    with filled(make, flushes) as source:
        (columns,) = source.read_columns([KEY])
        (summary,) = source.read_summaries([KEY])
        finite = columns.value[np.isfinite(columns.value)]
        assert summary.count == len(columns.step)
        assert summary.nan_count == int(np.isnan(columns.value).sum())
        assert summary.min == (float(finite.min()) if len(finite) else None)
        assert summary.max == (float(finite.max()) if len(finite) else None)
        band = source.read_band([KEY, SeriesKey("other", KEY.tag)], BandQuery(spread="bootstrap"))
        np.testing.assert_array_equal(
            band.center, np.where(np.isfinite(columns.value), columns.value, np.nan)
        )
        np.testing.assert_array_equal([band.low, band.high], [band.center] * 2)
        (info,) = source.list_series(run=KEY.run)
        assert (info.key, info.meta.kind.value) == (KEY, "scalar")
        assert info.count == len(expected(flushes))
        assert source.list_tag_sets() == ({KEY.run: 0}, [{KEY.tag: "scalar"}])
        assert source.list_tag_sets(kind=Kind.SCALAR) == source.list_tag_sets()
        assert source.list_tag_sets(kind=Kind.IMAGE) == ({KEY.run: 0}, [{}])
        assert [run.name for run in source.list_runs()] == [KEY.run]


@sources
@given(flushes=histories(), at=st.floats(-2, 40), width=st.floats(0, 20))
@examples(30)
def test_tables_agree_with_the_points(make: Make, flushes: list[Flush], at: float, width: float) -> None:
    with filled(make, flushes) as source:
        (columns,) = source.read_columns([KEY])
        (nearest,) = source.read_nearest([KEY], AxisQuery(), at=at)
        assert abs(nearest.step - at) == np.abs(columns.step - at).min()
        (summary,) = source.read_range_summaries([KEY], AxisQuery(), x_range=(at, at + width))
        inside = columns.value[(columns.step >= at) & (columns.step <= at + width)]
        finite = inside[np.isfinite(inside)]
        assert summary.count == len(inside)
        assert summary.value.min == (float(finite.min()) if len(finite) else None)


@sources
@given(flushes=histories(), step=st.integers(-2, 40))
@examples(30)
def test_run_columns_agree_with_the_points(make: Make, flushes: list[Flush], step: int) -> None:
    with filled(make, flushes) as source:
        (columns,) = source.read_columns([KEY])
        (summary,) = source.read_summaries([KEY])
        asked = [
            RunColumn(KEY.tag, "last"),
            RunColumn(KEY.tag, "mean"),
            RunColumn(KEY.tag, "at_step", step=step),
            RunColumn(KEY.tag, "at_best", best_tag=KEY.tag, best="max"),
            RunColumn("other", "count"),
        ]
        before = columns.value[columns.step <= step]
        for runs in (["run"], ["other", "run"]):
            last, mean, at_step, at_best, other = source.read_run_columns(runs, asked)
            np.testing.assert_array_equal(last["run"], columns.value[-1])
            assert mean.get("run") == summary.mean
            np.testing.assert_array_equal(at_step.get("run"), before[-1] if len(before) else None)
            assert at_best.get("run") == summary.max
            assert other == {}
        found = source.read_last_values(["other", "run"], KEY.tag)
        np.testing.assert_array_equal(found[1], columns.value[-1])
        assert found[0] is None
        assert source.read_last_values(["run"], "other") == [None]
        (doubled,) = source.read_last_values(["run"], f"={{{KEY.tag}}} * 2")
        np.testing.assert_array_equal(doubled, 2.0 * float(columns.value[-1]))


@sources
@given(flushes=histories())
@examples(30)
def test_an_expression_is_a_series(make: Make, flushes: list[Flush]) -> None:
    key = SeriesKey(KEY.run, "={loss} * 2")
    with make() as (source, append):
        generation = None
        for flush in flushes:
            append(flush)
            (plain,) = source.read_columns([KEY], attempts="all")
            (derived,) = source.read_columns([key], attempts="all")
            assert (derived.key, derived.step.tolist()) == (key, plain.step.tolist())
            np.testing.assert_array_equal(derived.value, plain.value.astype(np.float64) * 2)
            np.testing.assert_array_equal(derived.segment, plain.segment)
            assert derived.generation != generation
            generation = derived.generation
        both = source.read_lines([KEY, key], LineQuery())
        assert [line.key for line in both] == [KEY, key]
        assert both[0].x.tolist() == both[1].x.tolist()
        with pytest.raises(SeriesUnknown):
            source.read_columns([SeriesKey(KEY.run, "={loss} - {other}")])
        with pytest.raises(BadRequest):
            source.read_columns([SeriesKey(KEY.run, "={loss} -")])
        assert source.read_columns([SeriesKey("other", key.tag), SeriesKey(KEY.run, "={other}")]) == []


@sources
@given(flushes=histories(), picked=st.lists(st.integers(0, 100), max_size=8))
@examples(30)
def test_many_values_are_each_of_them(make: Make, flushes: list[Flush], picked: list[int]) -> None:
    with filled(make, flushes) as source:
        values = source.read_values(KEY)
        indices = [each % len(values.step) for each in picked]
        np.testing.assert_array_equal(
            source.load_values(values, indices), [source.load_value(values, index) for index in indices]
        )


@sources
def test_what_is_not_there(make: Make) -> None:
    with make() as (source, append):
        append((0, [(0, 1.0)]))
        with pytest.raises(RunUnknown):
            source.list_series(run="other")
        with pytest.raises(SeriesUnknown):
            source.read_values(SeriesKey(KEY.run, "other"))
        with pytest.raises(SeriesUnknown):
            source.read_values(KEY, kind=Kind.IMAGE)
        with pytest.raises(SeriesUnknown):
            source.read_columns([SeriesKey(KEY.run, "other")])
        missing = [SeriesKey(KEY.run, "other"), KEY, SeriesKey("other", KEY.tag)]
        assert [columns.key for columns in source.read_columns(missing)] == [KEY]


@sources
def test_changes_are_told(make: Make) -> None:
    with make() as (source, append):
        before = source.generation
        append((0, [(0, 1.0)]))
        assert source.wait_for_change(before, timeout_s=10) != before
        now, changed = source.list_changes(since=before)
        assert (now, changed) == (source.generation, [KEY.run])
        assert source.list_changes(since=now) == (now, [])
