"""Shared marks are merged by field, whatever is written in which order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from runglass.overlay.model import Key, Mark, MarkChange, Value, merge

CHANGES = st.lists(
    st.builds(
        MarkChange,
        of=st.just("run"),
        field=st.sampled_from(["isStarred", "note", "label:x"]),
        value=st.sampled_from([None, True, "x", "y"]),
        name=st.sampled_from(["a", "b"]),
        base=st.integers(0, 4),
    ),
    max_size=4,
)


@given(st.lists(CHANGES, max_size=5))
def test_merging_is_the_last_writer_by_field(batches: list[list[MarkChange]]) -> None:
    marks: dict[Key, Mark] = {}
    expected: dict[Key, Value] = {}
    for revision, batch in enumerate(batches, 1):
        before = dict(marks)
        marks, written = merge(marks, batch, by="x", at=0.0, revision=revision)
        expected.update({each.key: each.value for each in batch})
        assert all(before[mark.key] == mark for mark in written.replaced)
        assert all(marks[mark.key] == mark for mark in written.marks)
    assert {key: mark.value for key, mark in marks.items() if mark.value is not None} == {
        key: value for key, value in expected.items() if value is not None
    }
