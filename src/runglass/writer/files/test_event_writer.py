from __future__ import annotations

import errno
import gc
import itertools
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest

from runglass.errors import BadArgument
from runglass.native.records import RecordCursor, frame
from runglass.native.wire import decode
from runglass.schema.event import EVENT
from runglass.schema.tensor_values import tensor_array
from runglass.writer.files import event_writer, record_file
from runglass.writer.files.event_writer import EventWriter
from runglass.writer.files.record_file import EventFileWriter
from runglass.writer.files.writer_threads import WriterThreads
from runglass.writer.values import summaries

START = 1700000000.0
DEADLINE_S = 30.0


def events(directory):
    """All events of a run but the first of each file, in the order of the files."""
    found = []
    for path in sorted(directory.iterdir()):
        cursor = RecordCursor()
        cursor.feed(path.read_bytes())
        read = [decode(EVENT, payload) for _, payload, ok in cursor if ok]
        assert cursor.offset == path.stat().st_size
        assert read[0]["file_version"] == "brain.Event:2"
        found += read[1:]
    return found


def steps(directory, tag=None):
    return [
        event.get("step", 0)
        for event in events(directory)
        if tag is None or event["summary"]["value"][0]["tag"] == tag
    ]


def scalars(directory):
    """Tag, step, value and NumPy type of every scalar."""
    for event in events(directory):
        (value,) = event["summary"]["value"]
        array = tensor_array(value["tensor"])
        yield value["tag"], event.get("step", 0), array.item(), array.dtype.name


def test_the_same_calls_give_the_same_bytes_as_the_plain_writer(tmp_path, monkeypatch):
    monkeypatch.setattr(record_file.socket, "gethostname", lambda: "host")
    monkeypatch.setattr(record_file.os, "getpid", lambda: 7)
    monkeypatch.setattr(record_file, "uids", itertools.count())
    clock = itertools.count(int(START)).__next__
    with EventWriter(tmp_path / "a", filename_suffix=".x", clock=clock) as writer:
        writer.add_scalar("loss", 0.5, 5)
        writer.add_scalar("loss", 0.1, 2**53 + 1, START, form="float64")
        writer.add_scalar("loß\ud800" * 300, 7, -1)
        writer.add_values([summaries.text("note", "hello")], 0)
        writer.add_event({"graph_def": b"graph"})
    monkeypatch.setattr(record_file, "uids", itertools.count())
    clock = itertools.count(int(START)).__next__
    with EventFileWriter(tmp_path / "b", filename_suffix=".x", clock=clock) as plain:
        plain.write(5, values=[summaries.scalar("loss", 0.5)])
        plain.write(2**53 + 1, values=[summaries.scalar("loss", 0.1, form="float64")], wall_time=START)
        plain.write(-1, values=[summaries.scalar("loß\ud800" * 300, 7)])
        plain.write(0, values=[summaries.text("note", "hello")])
        plain.write_fields(0, {"graph_def": b"graph"})
    (path,) = (tmp_path / "a").iterdir()
    assert path.name == plain.path.name == "events.out.tfevents.1700000000.host.7.0.x"
    assert str(path) == writer.path
    assert path.read_bytes() == plain.path.read_bytes()


def test_a_scalar_of_known_bytes(tmp_path):
    with EventWriter(tmp_path, clock=lambda: START) as writer:
        writer.add_scalar("loss", 0.5, 5)
    (path,) = tmp_path.iterdir()
    assert path.read_bytes().endswith(
        frame(
            bytes.fromhex(
                "0900000040fc54d94110052a230a210a046c6f7373420a080112002a040000003f"
                "4a0d0a090a077363616c6172732001"
            )
        )
    )


def test_the_run_can_be_seen_before_its_first_value(tmp_path):
    writer = EventWriter(tmp_path / "run")
    (path,) = (tmp_path / "run").iterdir()
    assert path.stat().st_size > 0
    writer.close()


def test_flushed_values_are_in_the_file(tmp_path):
    with EventWriter(tmp_path, flush_secs=1000) as writer:
        for step in range(3):
            writer.add_scalar("loss", step, step)
            writer.add_values([summaries.text("note", "hello")], step)
            writer.flush()
            assert steps(tmp_path, "loss") == steps(tmp_path, "note") == list(range(step + 1))


def test_values_reach_the_file_without_a_flush(tmp_path, monkeypatch):
    with EventWriter(tmp_path, flush_secs=0.05) as writer:
        written = threading.Semaphore(0)
        append = writer._buffer.sink.append

        def counted(data):
            size = append(data)
            written.release()
            return size

        writer._buffer.sink.append = counted
        # The first wakes the thread, the second waits for its time.
        for step in range(2):
            writer.add_scalar("loss", 1, step)
            assert written.acquire(timeout=DEADLINE_S)
        assert steps(tmp_path) == [0, 1]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, 1.0),
        (True, 1.0),
        (np.float32(0.5), 0.5),
        (np.float64(0.5), 0.5),
        (np.int8(-3), -3.0),
        (np.array([[2.0]]), 2.0),
        (np.array(4), 4.0),
        ([0.25], 0.25),
        (2**70, 2.0**70),
        (1e300, float("inf")),
    ],
)
def test_anything_that_is_one_number_is_a_scalar(tmp_path, value, expected):
    with EventWriter(tmp_path) as writer:
        writer.add_scalar("x", value, 1)
        writer.add_scalar("x", value, 1, form="float64")
    (_, _, single, kind), (_, _, double, wide) = scalars(tmp_path)
    assert (single, kind, wide) == (expected, "float32", "float64")
    assert double == expected or double == 1e300


@pytest.mark.parametrize(
    ("step", "expected"), [(np.int32(3), 3), (4.0, 4), (np.array(5), 5), (np.float32(6), 6), (True, 1)]
)
def test_anything_that_is_a_whole_number_is_a_step(tmp_path, step, expected):
    with EventWriter(tmp_path) as writer:
        writer.add_scalar("x", 1.0, step)
        writer.add_values([summaries.text("t", "x")], step)
        writer.add_later(lambda: [summaries.text("t", "x")], step, size_bytes=1)
    assert steps(tmp_path) == [expected] * 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("x", "1", 0), r"'x' needs one number, got '1'"),
        (("x", np.zeros(2), 0), r"'x' needs one number, got an array of shape \(2,\)"),
        (("x", None, 0), r"'x' needs one number, got None"),
        (("x", 1j, 0), r"'x' needs a real number, got 1j"),
        (("x", 10**400, 0), r"'x': .*too large"),
        ((3, 1.0, 0), r"tag must be a str, got 3"),
        (("x", 1.0, 1.5), r"Step must be a whole number, got 1.5"),
        (("x", 1.0, float("nan")), r"Step must be a whole number"),
        (("x", 1.0, "3"), r"Step must be a whole number, got '3'"),
        (("x", 1.0, 2**63), r"64-bit"),
        (("x", 1.0, 0, float("inf")), r"walltime must be .* got inf"),
        (("x", 1.0, 0, "now"), r"walltime needs one number, got 'now'"),
    ],
)
def test_wrong_arguments_are_refused_by_name(tmp_path, arguments, message):
    with EventWriter(tmp_path) as writer, pytest.raises(BadArgument, match=message):
        writer.add_scalar(*arguments)
    assert events(tmp_path) == []


def test_wrong_settings_are_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadArgument, match=r"logdir .*is a file"):
        EventWriter(tmp_path / "file")
    for wrong in (5, b"bytes", "", "a\0b", str(tmp_path / ("long" * 100))):
        with pytest.raises(BadArgument, match="logdir"):
            EventWriter(wrong)  # type: ignore[arg-type]
    with pytest.raises(BadArgument, match="filename_suffix"):
        EventWriter(tmp_path, filename_suffix="/../x")
    with pytest.raises(BadArgument, match="flush_secs"):
        EventWriter(tmp_path, flush_secs=-1)
    with EventWriter(tmp_path / "run") as writer, pytest.raises(BadArgument, match="form"):
        writer.add_scalar("x", 1.0, 0, form="float16")  # type: ignore[arg-type]


def test_a_directory_that_the_system_refuses_is_an_error_of_the_system(tmp_path, monkeypatch):
    def refuse(path, *_, **__):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(PermissionError, match=r"Permission denied: '.*run'"):
        EventWriter(tmp_path / "run")


def test_a_closed_writer_says_so(tmp_path):
    writer = EventWriter(tmp_path)
    writer.close()
    writer.close()
    writer.flush()
    for add in (
        lambda: writer.add_scalar("x", 1.0, 0),
        lambda: writer.add_values([], 0),
        lambda: writer.add_later(list, 0, size_bytes=0),
        lambda: writer.add_event({"graph_def": b""}),
    ):
        with pytest.raises(BadArgument, match=r"tfevents.* is closed"):
            add()


def test_a_writer_that_is_collected_loses_nothing(tmp_path):
    writer = EventWriter(tmp_path, flush_secs=1000)
    for step in range(1000):
        writer.add_scalar("loss", 1.0, step)
    writer.add_later(lambda: [summaries.text("note", "x")], 1000, size_bytes=1)
    del writer
    gc.collect()
    # The thread serves requests in order, so this one comes after.
    with EventWriter(tmp_path / "other") as other:
        other.add_scalar("x", 1.0, 0)
    shutil.rmtree(tmp_path / "other")
    assert steps(tmp_path) == list(range(1001))


def test_deferred_values_keep_their_order_and_wall_time(tmp_path):
    gate = threading.Event()
    clock = itertools.count(int(START)).__next__

    def make(name):
        gate.wait(DEADLINE_S)
        return [summaries.text(name, "x")]

    with EventWriter(tmp_path, clock=clock) as writer:
        writer.add_later(lambda: make("first"), 1, size_bytes=10)
        writer.add_later(lambda: make("second"), 2, size_bytes=10)
        writer.add_values([summaries.text("third", "x")], 3)
        writer.add_scalar("scalar", 1.0, 4)
        gate.set()
        writer.add_event({"session_log": {"status": 1}}, 5)
        writer.add_scalar("scalar", 1.0, 6)
    found = events(tmp_path)
    told = [(event["summary"]["value"][0]["tag"], event["step"]) for event in found if "summary" in event]
    assert [pair for pair in told if pair[0] != "scalar"] == [("first", 1), ("second", 2), ("third", 3)]
    assert [pair for pair in told if pair[0] == "scalar"] == [("scalar", 4), ("scalar", 6)]
    # The start of a session is between the values before and after it.
    assert [event["step"] for event in found][-2:] == [5, 6]
    assert sorted(event["wall_time"] - START for event in found) == [1, 2, 3, 4, 5, 6]
    assert {event["step"]: event["wall_time"] - START for event in found}[2] == 2


def test_a_value_may_log_while_it_is_encoded(tmp_path):
    with EventWriter(tmp_path) as writer:

        def make():
            writer.add_scalar("scalar", 1.0, 1)
            writer.flush()
            writer.add_later(lambda: [summaries.text("inner", "x")], 2, size_bytes=10**9)
            return [summaries.text("outer", "x")]

        writer.add_later(make, 3, size_bytes=10**9)
        writer.flush()
        writer.flush()
        assert (steps(tmp_path, "scalar"), steps(tmp_path, "inner"), steps(tmp_path, "outer")) == (
            [1],
            [2],
            [3],
        )


def test_eight_threads_log_into_one_run(tmp_path):
    """Into a shared writer and into one each, with many flushes between."""
    per_thread = 5_000

    def log(shared, number):
        with EventWriter(tmp_path, flush_secs=0.01) as own:
            for step in range(per_thread):
                shared.add_scalar(f"shared/{number}", step, step)
                own.add_scalar(f"own/{number}", step, step)
                if step % 1000 == number:
                    shared.flush()
                    own.add_later(lambda: [summaries.text("t", "x")], step, size_bytes=1)

    with EventWriter(tmp_path) as shared:
        threads = [threading.Thread(target=log, args=(shared, number)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    found = {}
    for event in events(tmp_path):
        found.setdefault(event["summary"]["value"][0]["tag"], []).append(event.get("step", 0))
    assert len(found.pop("t")) == 8 * per_thread // 1000
    assert len(found) == 16
    assert all(each == list(range(per_thread)) for each in found.values())


def test_a_removed_directory_is_made_again(tmp_path):
    run = tmp_path / "a" / "run"
    with EventWriter(run) as writer:
        writer.add_scalar("loss", 1.0, 1)
        writer.flush()
        shutil.rmtree(tmp_path / "a")
        writer.add_scalar("loss", 1.0, 2)
        writer.flush()
        assert steps(run) == [2]
        (path,) = run.iterdir()
        # Other code truncates it, in the middle of a record.
        path.write_bytes(path.read_bytes()[:-10])
        writer.add_scalar("loss", 1.0, 3)
        writer.flush()
        assert writer.path != str(path)
        path.unlink()
        assert steps(run) == [3]


def test_a_directory_that_becomes_a_file_loses_nothing_when_it_comes_back(tmp_path):
    run = tmp_path / "run"
    with EventWriter(run) as writer:
        shutil.rmtree(run)
        run.write_text("in the way")
        writer.add_scalar("loss", 1.0, 1)
        with pytest.warns(RuntimeWarning, match=r"run.* cannot be written \(NotADirectoryError"):
            writer.flush()
        writer.add_scalar("loss", 1.0, 2)
        writer.flush()
        run.unlink()
        writer.add_scalar("loss", 1.0, 3)
        writer.flush()
        assert steps(run) == [1, 2, 3]


def test_a_descriptor_that_other_code_closed_is_not_written_to(tmp_path):
    import os

    with EventWriter(tmp_path / "run") as writer:
        number = writer._buffer.sink._descriptor
        os.close(number)
        other = os.open(tmp_path / "other", os.O_CREAT | os.O_RDWR)
        assert other == number
        writer.add_scalar("loss", 1.0, 1)
        writer.flush()
    assert (tmp_path / "other").read_bytes() == b""
    assert steps(tmp_path / "run") == [1]
    os.close(other)


def test_without_a_thread_every_record_is_written_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(event_writer, "threads", WriterThreads())

    def refuse(thread):
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    writer = EventWriter(tmp_path)
    for step in range(3):
        writer.add_scalar("loss", 1.0, step)
        assert steps(tmp_path) == list(range(step + 1))
    writer.add_later(lambda: [summaries.text("t", "x")], 3, size_bytes=1)
    assert steps(tmp_path) == [0, 1, 2, 3]
    writer.flush()
    writer.close()


def test_urls_are_written_to_where_fsspec_knows_them(monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    from runglass.writer.files import sinks

    memory = fsspec.filesystem("memory")
    monkeypatch.setattr(sinks, "OBJECT_LIMIT_BYTES", 1000)
    with EventWriter("memory://bucket/run", flush_secs=1000) as writer:
        (first,) = memory.ls("/bucket/run", detail=False)
        for step in range(50):
            writer.add_scalar("loss", 1.0, step)
            writer.flush()
    names = sorted(memory.ls("/bucket/run", detail=False), key=lambda name: int(name.rpartition(".")[2]))
    assert names[0] == first
    found = []
    for name in names:
        cursor = RecordCursor()
        cursor.feed(memory.cat_file(name))
        read = [decode(EVENT, payload) for _, payload, ok in cursor]
        assert read[0]["file_version"] == "brain.Event:2"
        found += [event.get("step", 0) for event in read[1:]]
    assert found == list(range(50))
    assert len(names) > 3
    memory.rm("/bucket", recursive=True)


def test_after_an_error_of_an_object_store_it_warns_and_retries(monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    with EventWriter("memory://store/run", flush_secs=1000) as writer:

        def refuse(path, data):
            raise RuntimeError("no credentials")

        def log(writer):
            writer.add_scalar("loss", 1.0, 1)
            writer.flush()

        with monkeypatch.context() as broken:
            broken.setattr(type(memory), "pipe_file", lambda self, path, data: refuse(path, data))
            with pytest.warns(RuntimeWarning, match=r"memory://store/run.*no credentials"):
                log(writer)
        writer.flush()
        cursor = RecordCursor()
        cursor.feed(memory.cat_file(writer.path.removeprefix("memory:/")))
        assert len(list(cursor)) == 2
    memory.rm("/store", recursive=True)


def test_a_file_url_is_a_path_and_unknown_schemes_are_refused(tmp_path):
    with EventWriter(f"file://{tmp_path}/a%20b") as writer:
        writer.add_scalar("loss", 1.0, 1)
    assert steps(tmp_path / "a b") == [1]
    with pytest.raises(BadArgument, match="nowhere://x"):
        EventWriter("nowhere://x")
