"""Scalars framed natively, against the same encoded field by field."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from runglass.native.records import frame
from runglass.native.wire import encode
from runglass.schema.event import EVENT
from runglass.writer.files.record_buffer import RecordBuffer
from runglass.writer.files.record_file import stamp
from runglass.writer.files.writer_threads import WriterThreads
from runglass.writer.values import summaries

int64s = st.integers(-(2**63), 2**63 - 1)
calls = st.tuples(
    # Few tags, so that what is remembered of a tag is used again; lone surrogates among them.
    st.sampled_from(["", "a", "loss/train", "\ud800", "ß" * 70, "x" * 20_000]) | st.text(),
    st.floats() | int64s | st.booleans(),
    st.integers(-2, 2) | int64s,
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(summaries.SCALAR_FORMS),
)


@given(st.lists(calls, max_size=20))
def test_a_record_buffer_holds_what_the_encoder_gives(made):
    buffer = RecordBuffer(None, threads=WriterThreads(), flush_interval_s=1000.0, clock=lambda: 0.0)  # type: ignore[arg-type]
    buffer.wake_bytes = 1 << 40
    expected = b""
    for tag, value, step, wall_time, form in made:
        buffer.add_scalar(tag, value, step, wall_time, form=form)
        scalar = summaries.scalar(tag, value, form=form)
        expected += frame(encode(EVENT, {**stamp(step, wall_time), "summary": {"value": [scalar]}}))
    assert bytes(buffer.take() or b"") == expected
