from __future__ import annotations

import itertools

import numpy as np
import pytest

from runglass.errors import BadArgument
from runglass.native.records import RecordCursor, frame
from runglass.native.wire import decode, encode
from runglass.schema.event import EVENT
from runglass.writer.files import record_file
from runglass.writer.files.event_writer import EventWriter
from runglass.writer.files.record_file import EventFileWriter
from runglass.writer.values.summaries import scalar

START = 1700000000.0
SCALAR_RECORD = bytes.fromhex(
    "3000000000000000 95f5d05f 0900000040fc54d94110052a230a210a046c6f7373420a080112002a040000003f"
    "4a0d0a090a077363616c617273 2001 06abbbdd"
)


def events(path):
    cursor = RecordCursor()
    cursor.feed(path.read_bytes())
    found = [decode(EVENT, payload) for _, payload, ok in cursor if ok]
    assert cursor.offset == path.stat().st_size
    return found


def writer_at(directory, clock=lambda: START, **more):
    return EventFileWriter(directory, clock=clock, host="host", pid=7, **more)


def test_the_version_record_is_the_one_every_writer_starts_with():
    payload = encode(EVENT, {"wall_time": START, "file_version": "brain.Event:2"})
    assert frame(payload).hex() == (
        "1800000000000000a37f4b220900000040fc54d9411a0d627261696e2e4576656e743a32eced8f9d"
    )


def test_a_file_is_named_and_filled_to_the_byte(tmp_path, monkeypatch):
    monkeypatch.setattr(record_file, "uids", itertools.count())
    with writer_at(tmp_path / "a" / "b", filename_suffix=".x") as writer:
        writer.write(5, values=[scalar("loss", 0.5)])
    assert writer.path == tmp_path / "a" / "b" / "events.out.tfevents.1700000000.host.7.0.x"
    first = {
        "wall_time": START,
        "file_version": "brain.Event:2",
        "source_metadata": {"writer": "runglass.writer"},
    }
    assert writer.path.read_bytes() == frame(encode(EVENT, first)) + SCALAR_RECORD


def test_the_run_can_be_seen_before_its_first_value(tmp_path):
    with writer_at(tmp_path) as writer:
        assert len(events(writer.path)) == 1


def test_values_wait_for_a_flush_and_come_in_one_write(tmp_path):
    with writer_at(tmp_path) as writer:
        size = writer.path.stat().st_size
        for step in range(3):
            writer.write(step, values=[scalar("loss", step)])
        assert writer.path.stat().st_size == size
        writer.flush()
        assert [event.get("step", 0) for event in events(writer.path)[1:]] == [0, 1, 2]


def test_a_full_buffer_is_written_without_a_flush(tmp_path):
    with writer_at(tmp_path) as writer:
        writer.write(0, values=[scalar("x" * record_file.PENDING_LIMIT_BYTES, 1.0)])
        assert len(events(writer.path)) == 2


def test_a_partial_write_is_continued_where_it_stopped(tmp_path):
    class Stingy:
        closed = False

        def __init__(self, file):
            self.file = file

        def write(self, data):
            return self.file.write(bytes(data[:10]))

        def close(self):
            self.file.close()

    writer = writer_at(tmp_path)
    writer._file = Stingy(writer._file)
    writer.write(1, values=[scalar("loss", 0.5)])
    writer.flush()
    assert len(events(writer.path)) == 2
    writer.close()


def test_two_writers_never_share_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(record_file, "uids", itertools.count())
    first = writer_at(tmp_path)
    monkeypatch.setattr(record_file, "uids", itertools.count())
    second = writer_at(tmp_path)
    assert first.path != second.path
    first.close()
    second.close()


def test_a_session_start_marks_the_step(tmp_path):
    with writer_at(tmp_path) as writer:
        writer.write_session_start(40)
    assert events(writer.path)[1] == {"wall_time": START, "step": 40, "session_log": {"status": 1}}


def test_times_and_steps_are_exact(tmp_path):
    with writer_at(tmp_path) as writer:
        writer.write(2**53 + 1, values=[], wall_time=0.1)
        writer.write(np.int64(-3), values=[])
    assert [(event["wall_time"], event["step"]) for event in events(writer.path)[1:]] == [
        (0.1, 2**53 + 1),
        (START, -3),
    ]


def test_wrong_steps_and_times_are_refused(tmp_path):
    with writer_at(tmp_path) as writer:
        with pytest.raises(BadArgument, match="64-bit"):
            writer.write(2**63, values=[])
        with pytest.raises(BadArgument, match="seconds since 1970"):
            writer.write(0, values=[], wall_time=float("nan"))
    with pytest.raises(BadArgument, match="closed"):
        writer.write(0, values=[])
    writer.close()


def test_after_a_clock_was_set_back_the_newest_file_still_comes_last(tmp_path):
    for start in (START, START - 3600, START + 10):
        writer_at(tmp_path, clock=lambda start=start: start).close()
    begun = [path.name.split(".")[3] for path in sorted(tmp_path.iterdir())]
    assert begun == ["1700000000", "1700000001", "1700000010"]
    with EventWriter(tmp_path, clock=lambda: START) as writer:
        writer.add_scalar("x", 1, 0)
    assert sorted(tmp_path.iterdir())[-1].name.startswith("events.out.tfevents.1700000011.")
