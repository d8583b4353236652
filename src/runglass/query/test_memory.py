"""MemorySource keeps the contract of DataSource: deltas, restarts, changes, and unknown names."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from runglass.errors import RunUnknown, SeriesUnknown
from runglass.query.memory import MemorySource
from runglass.query.source import DataSource
from runglass.store.model import FileState, Kind, Progress, SeriesKey

LOSS = SeriesKey("train", "loss")


def grown() -> MemorySource:
    return MemorySource().add_scalars("train", "loss", step=[0, 1, 2], value=[3.0, 2.0, 1.0])


def test_is_a_data_source():
    assert isinstance(MemorySource(), DataSource)


def test_delta_holds_only_what_was_added():
    source = grown()
    (before,) = source.read_columns([LOSS])
    source.add_scalars("train", "loss", step=[3, 4], value=[0.5, 0.25])
    (delta,) = source.read_columns([LOSS], since=[before.generation])
    assert (delta.offset, delta.step.tolist(), delta.value.tolist()) == (3, [3, 4], [0.5, 0.25])
    (nothing,) = source.read_columns([LOSS], since=[delta.generation])
    assert (nothing.offset, len(nothing.step)) == (5, 0)


@pytest.mark.parametrize("since", [0, 77, 2**62])
def test_unknown_generation_answers_with_everything(since):
    (all_of_it,) = grown().read_columns([LOSS], since=[since])
    assert (all_of_it.offset, len(all_of_it.step)) == (0, 3)


def test_restart_overwrites_from_its_first_step_on():
    source = grown()
    (before,) = source.read_columns([LOSS])
    source.add_scalars("train", "loss", step=[1, 2, 3], value=[20.0, 10.0, 5.0], restart=True)
    (latest,) = source.read_columns([LOSS])
    assert latest.step.tolist() == [0, 1, 2, 3]
    assert latest.value.tolist() == [3.0, 20.0, 10.0, 5.0]
    assert latest.segment.tolist() == [0, 1, 1, 1]
    (everything,) = source.read_columns([LOSS], attempts="all")
    assert everything.segment.tolist() == [0, 0, 0, 1, 1, 1]
    (not_a_delta,) = source.read_columns([LOSS], since=[before.generation])
    assert (not_a_delta.offset, len(not_a_delta.step)) == (0, 4)


def test_delta_after_a_restart_counts_in_what_is_shown():
    source = grown().add_scalars("train", "loss", step=[1], value=[9.0], restart=True)
    (before,) = source.read_columns([LOSS])
    source.add_scalars("train", "loss", step=[2], value=[8.0])
    (delta,) = source.read_columns([LOSS], since=[before.generation])
    assert (delta.offset, delta.step.tolist()) == (2, [2])


def test_values_keep_float32_only_when_all_are():
    single = MemorySource().add_scalars("a", "b", step=[0], value=np.float32([0.1]))
    assert single.read_columns([SeriesKey("a", "b")])[0].value.dtype == np.float32
    single.add_scalars("a", "b", step=[1], value=[0.1])
    assert single.read_columns([SeriesKey("a", "b")])[0].value.dtype == np.float64


def test_columns_cannot_be_written_to():
    (columns,) = grown().read_columns([LOSS])
    with pytest.raises(ValueError, match="read-only"):
        columns.value[0] = 5.0


def test_a_wrong_length_changes_nothing():
    source = grown()
    with pytest.raises(ValueError, match="2 steps"):
        source.add_scalars("train", "loss", step=[3, 4], value=[1.0])
    assert (source.generation, len(source.read_columns([LOSS])[0].step)) == (1, 3)


def test_one_unknown_name_is_explained_and_many_are_left_out():
    source = grown()
    with pytest.raises(SeriesUnknown, match="Close: 'loss'"):
        source.read_columns([SeriesKey("train", "los")])
    with pytest.raises(RunUnknown, match="'train'"):
        source.list_series(run="tain")
    with pytest.raises(RunUnknown, match="no runs were found yet"):
        MemorySource().list_series(run="tain")
    assert [each.key for each in source.read_columns([LOSS, SeriesKey("no", "no")])] == [LOSS]


def test_changes_name_the_runs_since_a_generation():
    source = grown()
    seen = source.generation
    assert source.list_changes(since=seen) == (seen, [])
    source.add_scalars("eval", "loss", step=[0], value=[1.0]).remove_run("train")
    now, runs = source.list_changes(since=seen)
    assert now == source.generation
    assert set(runs or []) == {"eval", "train"}
    assert source.list_changes(since=now + 1) == (now, None)


def test_waiting_ends_with_a_change():
    source = grown()
    began = source.generation
    answers: list[int] = []
    waiter = threading.Thread(target=lambda: answers.append(source.wait_for_change(began, timeout_s=30)))
    waiter.start()
    source.set_progress(Progress(False, 2, 1, 10, 5))
    waiter.join(30)
    assert answers == [began + 1]
    assert source.wait_for_change(source.generation, timeout_s=0) == began + 1


def test_listing():
    source = (
        grown()
        .add_scalars("eval", "loss", step=[0], value=[1.0], wall_time=[5.0])
        .add_scalars("other", "loss", step=[0], value=[1.0], wall_time=[7.0])
        .add_values("eval", "note", Kind.TEXT, step=[0], values=["hello"])
        .set_file("train", "train/events", FileState.SKIPPED, size_bytes=12, byte=4, reason="r")
        .add_run("empty")
    )
    runs = source.list_runs()
    assert [run.name for run in runs] == ["eval", "other", "train", "empty"]
    assert (runs[2].health, runs[2].size_bytes, runs[2].files, runs[2].points) == (
        FileState.SKIPPED,
        12,
        1,
        3,
    )
    assert (runs[0].start_time, runs[3].start_time) == (5.0, None)
    tag_set_of, tag_sets = source.list_tag_sets()
    assert tag_set_of["train"] == tag_set_of["other"] != tag_set_of["eval"]
    assert tag_sets[tag_set_of["eval"]] == {"loss": "scalar", "note": "text"}
    assert [info.key.tag for info in source.list_series(run="eval", kind=Kind.TEXT)] == ["note"]
    tag_set_of, tag_sets = source.list_tag_sets(kind=Kind.TEXT)
    assert {run: tag_sets[number] for run, number in tag_set_of.items()} == {
        "train": {},
        "eval": {"note": "text"},
        "other": {},
        "empty": {},
    }


def test_values_of_other_kinds_come_back_as_given():
    source = MemorySource().add_values("a", "note", Kind.TEXT, step=[0, 1, 2], values=["x", "y", "z"])
    source.add_values("a", "note", Kind.TEXT, step=[1], values=["again"], restart=True)
    values = source.read_values(SeriesKey("a", "note"), kind=Kind.TEXT)
    assert [source.load_value(values, index) for index in range(len(values.step))] == ["x", "again"]
    assert values.rows is not None
    assert values.rows.tolist() == [0, 3]
    assert source.read_values(SeriesKey("a", "note"), attempts="all").rows is None
    with pytest.raises(SeriesUnknown, match="no scalar series"):
        source.read_values(SeriesKey("a", "note"), kind=Kind.SCALAR)
    with pytest.raises(ValueError, match="holds text"):
        source.add_scalars("a", "note", step=[0], value=[1.0])
