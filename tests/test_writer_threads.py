"""A writer that hangs delays no other writer and not the training, and nothing ends the threads that write."""

from __future__ import annotations

import asyncio
import pickle
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.written import DEADLINE_S, files, ran, steps_by_tag, steps_of

import runglass
from runglass import summary
from runglass.writer.files import record_buffer
from runglass.writer.files.event_writer import EventWriter
from runglass.writer.files.process_hooks import threads
from runglass.writer.values import summaries

fsspec = pytest.importorskip("fsspec")
from fsspec.implementations.memory import MemoryFileSystem  # noqa: E402

unix = pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")


class Store(MemoryFileSystem):  # type: ignore[misc]
    """Answers when `gate` is open; raises `error` if it is set."""

    protocol = "store"
    gate = threading.Event()
    error: BaseException | None = None

    def pipe_file(self, *arguments: Any, **named: Any) -> None:
        Store.gate.wait()
        if Store.error is not None:
            raise Store.error
        super().pipe_file(*arguments, **named)


@pytest.fixture
def store() -> Iterator[type[Store]]:
    fsspec.register_implementation("store", Store, clobber=True)
    Store.gate.set()
    yield Store
    Store.error = None
    Store.gate.set()


def wait_for(run: Path, steps: list[int]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while steps_by_tag(files(run)[0], is_whole=False).get("loss", []) != steps:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_store_that_hangs_delays_no_other_writer(
    tmp_path: Path, store: type[Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_buffer, "ROOM_WAIT_S", 0.01)
    remote = EventWriter("store://bucket/run", flush_secs=1000)
    store.gate.clear()
    remote.add_scalar("loss", 1.0, 0)
    with EventWriter(tmp_path, flush_secs=1000) as local:
        local.add_scalar("loss", 1.0, 1)
        local.flush()
        assert steps_of(files(tmp_path)[0]) == [1]
    # Nor the training: records without room are dropped and counted.
    remote._buffer.max_bytes = 1000
    for step in range(1000):
        remote.add_scalar("loss", 1.0, step)
    assert remote._buffer.dropped > 900
    store.gate.set()
    with pytest.warns(RuntimeWarning, match=r"store://bucket/run.* records were dropped"):
        remote.close()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_error_of_a_store_ends_the_thread(store: type[Store]) -> None:
    writer = EventWriter("store://bucket/other", flush_secs=1000)
    store.error = asyncio.CancelledError()
    for step in range(2):
        writer.add_scalar("loss", 1.0, step)
        writer.flush()
    store.error = None
    writer.close()
    filesystem, path = fsspec.core.url_to_fs(writer.path)
    assert filesystem.size(path) > 100


def test_without_standard_error_an_error_does_not_end_the_thread(tmp_path: Path) -> None:
    code = """
import shutil
writer = EventWriter(sys.argv[1])
sys.stderr.close()
shutil.rmtree(sys.argv[1])
open(sys.argv[1], "w").close()
for step in range(2):
    writer.add_scalar("loss", 1.0, step)
    writer.flush()
print("done")
"""
    assert ran(code, tmp_path / "run")[:2] == (0, "done\n")


def test_a_value_that_takes_long_to_encode_delays_no_scalar(tmp_path: Path) -> None:
    gate = threading.Event()

    def encode() -> list[bytes]:
        gate.wait(DEADLINE_S)
        return [summaries.text("note", "x")]

    with EventWriter(tmp_path / "a", flush_secs=0.02) as writer, EventWriter(tmp_path / "b") as other:
        writer.add_later(encode, 0, size_bytes=1)
        for step in range(3):
            writer.add_scalar("loss", 1.0, step)
            other.add_scalar("loss", 1.0, step)
        other.flush()
        wait_for(tmp_path / "a", [0, 1, 2])
        wait_for(tmp_path / "b", [0, 1, 2])
        gate.set()
    assert steps_by_tag(files(tmp_path / "a")[0])["note"] == [0]


def test_threads_that_log_while_another_closes_lose_nothing(tmp_path: Path) -> None:
    writer = runglass.SummaryWriter(tmp_path)
    logged = [0, 0, 0]
    is_over = threading.Event()
    errors: list[BaseException] = []

    def log(number: int) -> None:
        try:
            while not is_over.is_set():
                writer.add_scalar(f"loss{number}", 1.0, logged[number])
                logged[number] += 1
        except BaseException as error:
            errors.append(error)

    interval_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=log, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(20):
            time.sleep(0.005)
            writer.close()
        is_over.set()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval_s)
    writer.close()
    assert errors == []
    found: dict[str, int] = {}
    for path in files(tmp_path):
        for tag, steps in steps_by_tag(path).items():
            found[tag] = found.get(tag, 0) + len(steps)
    assert found == {f"loss{number}": count for number, count in enumerate(logged)}


def test_the_first_value_may_come_from_an_exit_handler(tmp_path: Path) -> None:
    code = """
import atexit
import runglass

@atexit.register
def log():
    writer = runglass.SummaryWriter(sys.argv[1], flush_secs=1000)
    for step in range(100):
        writer.add_scalar("loss", 1.0, step)
"""
    assert ran(code, tmp_path) == (0, "", "")
    assert steps_of(files(tmp_path)[0]) == list(range(100))


@unix
def test_where_sigterm_cannot_be_handled_every_record_is_written_at_once(tmp_path: Path) -> None:
    code = """
import time
def log():
    writer = EventWriter(sys.argv[1], flush_secs=1000)
    for step in range(100):
        writer.add_scalar("loss", 1.0, step)
        time.sleep(0.001)
    size = -1
    while size != os.path.getsize(writer.path):
        size = os.path.getsize(writer.path)
        time.sleep(0.2)
    os.kill(os.getpid(), signal.SIGKILL)
threading.Thread(target=log).start()
"""
    ran(code, tmp_path)
    assert steps_of(files(tmp_path)[0]) == list(range(100))


@unix
def test_a_signal_handler_may_log_while_the_thread_is_being_started(tmp_path: Path) -> None:
    code = """
writer = EventWriter(sys.argv[1])
def handle(*arguments):
    writer.add_scalar("signal", 1.0, 0)
    writer.flush()
signal.signal(signal.SIGUSR1, handle)
start = threading.Thread.start
def interrupted(thread):
    os.kill(os.getpid(), signal.SIGUSR1)
    start(thread)
threading.Thread.start = interrupted
writer.add_scalar("loss", 1.0, 0)
writer.close()
"""
    assert ran(code, tmp_path) == (0, "", "")
    assert steps_by_tag(files(tmp_path)[0]) == {"loss": [0], "signal": [0]}


def test_flush_waits_for_the_last_upload_of_a_closed_writer(store: type[Store]) -> None:
    """By a thread that flushes meanwhile, and by the end of the process."""
    writer = EventWriter("store://bucket/last", flush_secs=1000)
    store.gate.clear()
    for step in range(100):
        writer.add_scalar("loss", 1.0, step)
    closing = threading.Thread(target=writer.close)
    closing.start()
    while not writer.is_closed:
        time.sleep(0.001)
    assert threads.is_pending(writer._buffer)
    assert threads.write_all(0.01) == {threads.sink_worker(writer._buffer)}
    store.gate.set()
    writer.flush()
    filesystem, path = fsspec.core.url_to_fs(writer.path)
    assert filesystem.size(path) > 100 * 50
    closing.join()
    assert not threads.is_pending(writer._buffer)


def test_a_store_that_hangs_does_not_keep_a_process_from_ending() -> None:
    code = """
import time
import fsspec
from fsspec.implementations.memory import MemoryFileSystem
from runglass.writer.files import process_hooks

class Store(MemoryFileSystem):
    protocol = "store"
    rest_s = 0

    def pipe_file(self, *arguments, **named):
        time.sleep(Store.rest_s)

fsspec.register_implementation("store", Store)
process_hooks.EXIT_WAIT_S = 0.1
writers = [EventWriter(f"store://bucket/{name}") for name in "ab"]
Store.rest_s = 1000
for writer in writers:
    writer.add_scalar("loss", 1.0, 0)
"""
    assert ran(code)[0] == 0


def test_a_very_long_flush_interval_works(tmp_path: Path) -> None:
    with EventWriter(tmp_path, flush_secs=1e300) as writer:
        for step in range(3):
            writer.add_scalar("loss", 1.0, step)
            writer.flush()
    assert steps_of(files(tmp_path)[0]) == [0, 1, 2]


def test_scalars_with_and_without_a_description_keep_their_order(tmp_path: Path) -> None:
    gate = threading.Event()

    def encode() -> list[bytes]:
        gate.wait(DEADLINE_S)
        return [summaries.text("note", "x")]

    with runglass.SummaryWriter(tmp_path) as writer:
        writer.events.add_later(encode, 0, size_bytes=1)
        for step in range(6):
            writer.add_scalar("loss", 1.0, step, summary_description="words" if step % 2 else "")
        gate.set()
    assert steps_by_tag(files(tmp_path)[0])["loss"] == list(range(6))


def test_files_of_one_second_are_read_in_the_order_of_their_start(tmp_path: Path) -> None:
    with runglass.SummaryWriter(tmp_path) as writer:
        for step in range(25):
            writer.add_scalar("loss", 1.0, step)
            writer.close()
        writer.add_hparams({"lr": 1}, {"loss": 2.0})
    series = runglass.open(tmp_path).scalars(".", "loss")
    assert series.step.tolist() == list(range(25))
    assert series.value[-1] == 2.0


def test_after_an_error_it_retries_soon_whatever_the_interval(store: type[Store]) -> None:
    writer = EventWriter("store://bucket/soon", flush_secs=1000)
    store.error = OSError("no way")
    writer.add_scalar("loss", 1.0, 0)
    with pytest.warns(RuntimeWarning, match="no way"):
        writer.flush()
    store.error = None
    filesystem, path = fsspec.core.url_to_fs(writer.path)
    before = filesystem.size(path)
    deadline = time.monotonic() + DEADLINE_S
    while filesystem.size(path) == before:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    writer.close()


def test_a_log_handler_that_flushes_may_get_a_warning(tmp_path: Path) -> None:
    code = """
import logging, shutil

class Handler(logging.Handler):
    def emit(self, record):
        writer.add_later(lambda: [summaries.text("log", record.getMessage())], 0, size_bytes=1)
        writer.flush()

writer = EventWriter(sys.argv[1])
logging.captureWarnings(True)
logging.getLogger().addHandler(Handler())
shutil.rmtree(sys.argv[1])
open(sys.argv[1], "w").close()
for _ in range(20):
    logging.warning("loss is high")
print("done", flush=True)
os._exit(0)
"""
    assert ran(code, tmp_path / "run")[:2] == (0, "done\n")


@unix
def test_a_forked_child_handles_sigterm_though_its_parent_could_not(tmp_path: Path) -> None:
    code = """
import time
def log():
    global writer
    writer = EventWriter(sys.argv[1], flush_secs=1000)
thread = threading.Thread(target=log)
thread.start()
thread.join()
child = os.fork()
if child == 0:
    for step in range(100):
        writer.add_scalar("loss", 1.0, step)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)
print(os.waitpid(child, 0)[1])
"""
    assert ran(code, tmp_path)[1] == f"{signal.SIGTERM:d}\n"
    assert steps_of(files(tmp_path)[-1]) == list(range(100))


def test_a_writer_of_the_tensorflow_style_can_be_sent_to_another_process(tmp_path: Path) -> None:
    with summary.create_file_writer(tmp_path, flush_millis=5, filename_suffix=".x") as writer:
        with pickle.loads(pickle.dumps(writer)) as copy, copy.as_default():
            summary.scalar("loss", 1, step=3)
            assert (copy.events.flush_secs, copy.events.filename_suffix) == (0.005, ".x")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert steps_of(files(tmp_path)[-1]) == [3]


def test_a_file_address_with_a_host_is_refused() -> None:
    with pytest.raises(runglass.errors.BadArgument, match="three slashes"):
        EventWriter("file://runs/one")
