"""One value of a series: how it is named, when it is gone, and the headers of its bytes."""

from __future__ import annotations

import numpy as np
import pytest

from runglass.api.samples import (
    CACHE_FOREVER,
    OCTETS,
    SANDBOX,
    BlobQuery,
    SampleQuery,
    blob_answer,
    find_sample,
    pick,
    unexpected_value,
)
from runglass.errors import BadRequest, RunUnknown, SampleGone, SeriesUnknown
from runglass.query.memory import DEFAULT_START_S, MemorySource
from runglass.store.model import Kind


@pytest.fixture
def source():
    return MemorySource().add_values("a", "note", Kind.TEXT, step=[0, 5, 5, 9], values=["w", "x", "y", "z"])


def query(**more):
    return SampleQuery(run="a", tag="note", **more)


def load_sample(source, kind, query):
    return source.load_value(*find_sample(source, kind, query))


def test_the_default_is_the_newest(source):
    assert load_sample(source, Kind.TEXT, query()) == "z"


def test_by_step_it_is_the_last_logged_there(source):
    assert load_sample(source, Kind.TEXT, query(step=5)) == "y"


def test_by_row_it_is_exact(source):
    assert [load_sample(source, Kind.TEXT, query(row=row)) for row in range(4)] == ["w", "x", "y", "z"]
    assert load_sample(source, Kind.TEXT, query(row=1, step=5, wall_time=DEFAULT_START_S + 5)) == "x"


@pytest.mark.parametrize(
    "more",
    [
        {"row": 4},
        {"row": -1},
        {"row": 1, "step": 6},
        {"row": 1, "wall_time": DEFAULT_START_S},
        {"row": 1, "step": 5, "wall_time": DEFAULT_START_S + 5.5},
    ],
)
def test_a_row_that_holds_something_else_is_gone(source, more):
    with pytest.raises(SampleGone, match="list its steps again") as gone:
        find_sample(source, Kind.TEXT, query(**more))
    assert gone.value.where == "a/note"


def test_a_step_without_a_value(source):
    with pytest.raises(SampleGone, match="no value at step 6"):
        find_sample(source, Kind.TEXT, query(step=6))


def test_a_series_without_values():
    empty = MemorySource().add_values("a", "note", Kind.TEXT, step=[], values=[])
    with pytest.raises(SampleGone, match="no value"):
        find_sample(empty, Kind.TEXT, query())


def test_a_time_needs_a_row(source):
    with pytest.raises(BadRequest, match="`wall_time` needs `row`"):
        find_sample(source, Kind.TEXT, query(step=5, wall_time=DEFAULT_START_S + 5))


def test_rows_stay_when_a_restart_overwrites_them(source):
    before = query(row=2, step=5, wall_time=DEFAULT_START_S + 5)
    source.add_values("a", "note", Kind.TEXT, step=[3, 5], values=["p", "q"], restart=True)
    assert load_sample(source, Kind.TEXT, before) == "y"
    assert load_sample(source, Kind.TEXT, query(row=5)) == "q"
    assert load_sample(source, Kind.TEXT, query(step=5)) == "q"


def test_names_that_are_unknown(source):
    with pytest.raises(SeriesUnknown):
        find_sample(source, Kind.IMAGE, query())
    with pytest.raises(RunUnknown):
        find_sample(source, Kind.TEXT, SampleQuery(run="b", tag="note"))


def blob(*, media_type="image/png", **more):
    return blob_answer(b"bytes", BlobQuery(run="a/b", tag="t", **more), media_type=media_type, ending="png")


def test_bytes_from_a_log_can_never_run(source):
    for answer in (blob(), blob(media_type=OCTETS), blob(download=1)):
        assert SANDBOX in answer.headers
        assert answer.body == b"bytes"
    assert SANDBOX[1].startswith("sandbox;")
    assert "allow-scripts" not in SANDBOX[1]


def test_only_exactly_named_values_are_cached_forever():
    assert CACHE_FOREVER in blob(row=1, wall_time=1.5).headers
    for answer in (blob(), blob(row=1), blob(step=4), blob(row=1, step=4)):
        assert CACHE_FOREVER not in answer.headers


def test_downloads_have_safe_names():
    def saved_as(answer):
        return dict(answer.headers).get("content-disposition")

    assert saved_as(blob(step=4)) is None
    assert saved_as(blob(step=4, sample=2, download=1)) == 'attachment; filename="a_b_t_4_2.png"'
    # A browser must never render unknown bytes.
    assert saved_as(blob(media_type=OCTETS)) == 'attachment; filename="a_b_t.png"'
    odd = BlobQuery(run='../"x"\r\ny', tag="<t>", download=1)
    assert saved_as(blob_answer(b"", odd, media_type="image/png", ending="png")) == (
        'attachment; filename="x_y__t_.png"'
    )


def test_one_of_several_files():
    assert pick(["a", "b"], BlobQuery(run="r", tag="t", sample=1)) == "b"
    with pytest.raises(SampleGone, match=r"has no file 2\. Files are numbered from 0; it has 2\."):
        pick(["a", "b"], BlobQuery(run="r", tag="t", sample=2))


@pytest.mark.parametrize(
    ("value", "described"),
    [
        (np.zeros((2, 3), np.float32), "an array of float32 with shape [2, 3]"),
        (1.5, "a number"),
        ({}, "a dict"),
    ],
)
def test_an_unexpected_value_is_described(source, value, described):
    values, index = find_sample(source, Kind.TEXT, query(step=5))
    error = unexpected_value(values, index, value, expected="clips")
    assert (
        error.message == f"Step 5 of a/note holds {described}, expected clips. Other steps are not affected."
    )
    assert error.where == "a/note"
