from __future__ import annotations

import pytest

from runglass.native.records import RecordCursor, frame
from runglass.native.wire import decode
from runglass.schema.event import EVENT
from runglass.writer.files import record_buffer
from runglass.writer.files.record_buffer import RecordBuffer
from runglass.writer.files.writer_threads import WriterThreads


class Disk:
    """A sink in memory with limited room, which can lose its file."""

    path = "disk/events"
    device = "disk"

    def __init__(self):
        self.files = []
        self.room = 1 << 30
        self.is_gone = True
        self.begun = 0

    def needs_file(self):
        return self.is_gone

    def begin(self):
        self.begun += 1
        if not self.room:
            raise OSError(28, "No space left on device")
        self.files.append(bytearray())
        self.is_gone = False

    def append(self, data):
        taken = min(len(data), self.room, 30)
        if not taken:
            raise OSError(28, "No space left on device")
        self.files[-1] += data[:taken]
        self.room -= taken
        return taken

    def sync(self, *, is_forced):
        pass

    def finish(self):
        self.is_gone = True

    def unwritten(self):
        return memoryview(b"")

    def abandon(self):
        self.is_gone = True

    def records(self):
        found = []
        for file in self.files:
            cursor = RecordCursor()
            cursor.feed(bytes(file))
            found += [payload for _, payload, ok in cursor if ok]
        return found


@pytest.fixture
def disk():
    return Disk()


class NoThreads(WriterThreads):
    """The test encodes and writes."""

    def write_soon(self, buffer):
        pass

    def encode_soon(self, buffer):
        pass


@pytest.fixture
def made(disk):
    return RecordBuffer(disk, threads=NoThreads(), flush_interval_s=5.0, clock=lambda: 1.0)


def names(count):
    return [b"record %02d" % i for i in range(count)]


def add(made, payloads):
    for payload in payloads:
        made.add(payload)


def test_a_cut_record_is_completed_when_there_is_room_again(made, disk):
    disk.room = 40
    add(made, names(5))
    with pytest.warns(RuntimeWarning, match=r"disk/events: cannot be written .*No space left.*64 MB"):
        made.write_out()
    assert len(disk.files[0]) == 40
    add(made, names(7)[5:])
    disk.room = 1000
    made.write_out(is_forced=True)
    assert disk.records() == names(7)
    assert len(disk.files) == 1


def test_a_cut_record_is_written_whole_to_the_next_file(made, disk):
    disk.room = 40
    add(made, names(5))
    with pytest.warns(RuntimeWarning, match="cannot be written"):
        made.write_out()
    disk.is_gone = True
    disk.room = 1000
    made.write_out(is_forced=True)
    assert disk.files[0] == b"".join(map(frame, names(2)))[:40]
    assert disk.files[1] == b"".join(map(frame, names(5)[1:]))
    assert disk.records() == names(5)


def test_retries_wait_longer_after_each_failure_and_warn_once(made, disk, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(record_buffer.time, "monotonic", lambda: now[0])
    disk.room = 0
    add(made, names(1))

    def pass_time():
        for _ in range(200):
            made.write_out()
            now[0] += 1.0

    with pytest.warns(RuntimeWarning, match="cannot be written") as warned:
        pass_time()
    assert len(warned) == 1
    # At 0, 1, 3, 7, 15, 31, 63, then every 60 seconds.
    assert disk.begun == 9
    disk.room = 1000
    made.write_out(is_forced=True)
    assert disk.records() == names(1)


def test_dropped_records_are_counted_in_a_warning(made, disk, monkeypatch):
    monkeypatch.setattr(record_buffer, "BUFFER_LIMIT_BYTES", 200)
    disk.room = 0
    add(made, names(2))
    with pytest.warns(RuntimeWarning, match="cannot be written"):
        made.write_out()
    add(made, names(20))
    disk.room = 1 << 20
    with pytest.warns(RuntimeWarning, match=r"disk/events: 14 records were dropped"):
        made.write_out(is_forced=True)
    assert disk.records() == names(2) + names(6)
    assert made.max_bytes == 200
    add(made, names(1))
    made.write_out(is_last=True)
    assert disk.records() == names(2) + names(6) + names(1)


def test_closing_after_an_error_warns_of_lost_records(made, disk):
    disk.room = 30
    add(made, names(3))
    made.add_later(lambda: b"later", 10)
    with pytest.warns(RuntimeWarning) as warned:
        made.write_out(is_last=True)
    # One whole record fits.
    assert [str(each.message) for each in warned][1:] == [
        "disk/events: 3 records were dropped, because they could not be written."
    ]
    assert disk.records() == names(1)


def test_jobs_are_encoded_in_order_and_scalars_do_not_wait_for_them(made, disk):
    def job(name):
        def encode():
            made.add(name + b" meanwhile")
            return name

        return encode

    made.add(b"first")
    made.add_later(job(b"a"), 10)
    made.add_later(job(b"b"), 10)
    made.add(b"second")
    made.write_out()
    assert disk.records() == [b"first", b"second"]
    made.encode(None)
    made.write_out()
    assert disk.records() == [b"first", b"second", b"a meanwhile", b"a", b"b meanwhile", b"b"]


def test_values_added_during_encoding_come_behind(made):
    seen = []
    made.add_later(lambda: seen.append(made.has_jobs) or b"a", 10)
    assert made.has_jobs
    made.encode(None)
    assert seen == [True]
    assert not made.has_jobs


def test_a_job_that_raises_is_left_out_with_a_warning(made, disk):
    def fail():
        raise ValueError("no picture")

    made.add_later(fail, 10)
    made.add_later(fail, 10)
    made.add_later(lambda: b"good", 10)
    with pytest.warns(RuntimeWarning, match="no picture") as warned:
        made.encode(None)
    assert len(warned) == 1
    with pytest.warns(RuntimeWarning, match="2 values could not be encoded"):
        made.write_out(is_last=True)
    assert disk.records() == [b"good"]


def test_encoding_pauses_after_a_time_slice(made, disk):
    for payload in names(3):
        made.add_later(lambda payload=payload: payload, 10)
    made.encode(0.0)
    made.write_out()
    assert disk.records() == names(1)
    assert made.has_jobs
    made.encode(None)
    made.write_out()
    assert disk.records() == names(3)


def test_too_many_jobs_wait_until_others_are_done(made, disk, monkeypatch):
    monkeypatch.setattr(record_buffer, "JOBS_LIMIT_BYTES", 25)
    # What the other thread does while this one sleeps.
    monkeypatch.setattr(record_buffer.time, "sleep", lambda _: made.encode(None))
    for payload in names(5):
        made.add_later(lambda payload=payload: payload, 10)
    made.encode(None)
    made.write_out()
    assert disk.records() == names(5)


def test_after_an_error_jobs_past_the_limit_are_dropped(made, disk, monkeypatch):
    monkeypatch.setattr(record_buffer, "JOBS_LIMIT_BYTES", 25)
    disk.room = 0
    made.add(b"x")
    with pytest.warns(RuntimeWarning, match="cannot be written"):
        made.write_out()
    for payload in names(5):
        made.add_later(lambda payload=payload: payload, 10)
    disk.room = 1000
    made.encode(None)
    with pytest.warns(RuntimeWarning, match="3 records were dropped"):
        made.write_out(is_forced=True)
    assert disk.records() == [b"x", *names(2)]


def test_a_child_starts_with_an_empty_buffer(made, disk):
    add(made, names(3))
    made.add_later(lambda: b"later", 10)
    made.begin_in_child()
    made.write_out(is_forced=True)
    assert disk.files == []
    made.add_scalar("loss", 0.5, 3)
    made.write_out()
    (payload,) = disk.records()
    assert decode(EVENT, payload)["step"] == 3
