"""However a process ends, except by SIGKILL, everything it logged is in the file. A full disk does not end it."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest
from tests.support.written import DEADLINE_S, files, program, ran, steps_by_tag

LOG = """
writer = EventWriter(sys.argv[1], flush_secs=1000)
for step in range(10_000):
    writer.add_scalar("loss", 1.0, step)
writer.add_later(lambda: [summaries.text("note", "x" * 1_000_000)], 10_000, size_bytes=1)
"""
unix = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of Unix")


ALL = {"loss": list(range(10_000)), "note": [10_000]}


def written(run: Path) -> dict[str, list[int]]:
    (path,) = files(run)
    return steps_by_tag(path)


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        ("", 0),
        ("sys.exit(3)", 3),
        ("raise ValueError('diverged')", 1),
        ("raise KeyboardInterrupt", None),
        ("writer = None", 0),
        ("del writer, EventWriter", 0),
    ],
)
def test_an_ending_process_loses_nothing(tmp_path: Path, ending: str, status: int | None) -> None:
    found, _, complaints = ran(LOG + ending, tmp_path)
    assert status is None or found == status, complaints
    assert "Exception ignored" not in complaints
    assert written(tmp_path) == ALL


def test_values_logged_at_interpreter_shutdown_are_written(tmp_path: Path) -> None:
    """By an atexit function that was registered before ours, and by a thread that still runs."""
    code = """
import atexit
atexit.register(lambda: writer.add_scalar("loss", 1.0, 10_002))
"""
    late = """
def late():
    threading.main_thread().join()
    writer.add_scalar("loss", 1.0, 10_001)
threading.Thread(target=late).start()
"""
    assert ran(code + LOG + late, tmp_path) == (0, "", "")
    assert written(tmp_path) == {**ALL, "loss": [*range(10_000), 10_001, 10_002]}


@unix
def test_sigterm_ends_the_process_after_everything_is_written(tmp_path: Path) -> None:
    # Not one long wait: a signal that comes just before it is seen by Python only after it.
    process = program(LOG + "print('ready', flush=True)\nwhile True: threading.Event().wait(0.1)", tmp_path)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=DEADLINE_S)
    assert process.returncode == -signal.SIGTERM
    assert written(tmp_path) == ALL


@unix
def test_sigterm_in_the_middle_of_logging_leaves_a_whole_file(tmp_path: Path) -> None:
    code = """
writer = EventWriter(sys.argv[1])
step = 0
while True:
    writer.add_scalar("loss", 1.0, step)
    step += 1
    if step == 5000:
        print("ready", flush=True)
    if step % 1000 == 0:
        writer.flush()
"""
    process = program(code, tmp_path)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=DEADLINE_S)
    assert process.returncode == -signal.SIGTERM
    found = written(tmp_path)["loss"]
    assert found == list(range(len(found)))
    assert len(found) >= 5000


@unix
@pytest.mark.parametrize(
    "handler",
    [
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))\n" + LOG,
        # One that was set later and calls the earlier one, as training frameworks do.
        LOG
        + """
before = signal.getsignal(signal.SIGTERM)
def handle(*arguments):
    before(*arguments)
    sys.exit(5)
signal.signal(signal.SIGTERM, handle)
""",
    ],
)
def test_a_handler_of_the_program_decides_what_sigterm_does(tmp_path: Path, handler: str) -> None:
    status, _, _ = ran(handler + "os.kill(os.getpid(), signal.SIGTERM)", tmp_path)
    assert status == 5
    assert written(tmp_path) == ALL


@unix
def test_after_a_full_disk_every_record_is_complete(tmp_path: Path) -> None:
    """A file size limit acts as the full disk: writes are cut in the middle, then refused."""
    code = """
import resource, warnings
warnings.simplefilter("always")
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
writer = EventWriter(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
for step in range(10_000):
    writer.add_scalar("loss", 1.0, step)
writer.flush()
assert os.path.getsize(writer.path) == 100_000
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
writer.flush()
writer.close()
"""
    status, _, complaints = ran(code, tmp_path)
    assert status == 0, complaints
    assert complaints.count("RuntimeWarning") == 1
    assert "cannot be written (OSError: [Errno 27]" in complaints
    assert written(tmp_path) == {"loss": list(range(10_000))}
