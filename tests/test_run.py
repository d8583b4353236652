"""`runglass run` around real commands: they behave as if it were not there, and what they did can be read back."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import runglass
from runglass.errors import BadRequest
from runglass.flags import run as run_flags
from runglass.reader import Log

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and terminals are POSIX's")

RUN = [sys.executable, "-m", "runglass", "run"]
# Not `signal.pause`: a signal that comes just before it is seen by Python only after it, which is never.
CACHE_FOREVER = "\nwhile True: time.sleep(0.01)"
# Tells its readiness by a line, and what it gets afterwards by its exit status.
WAITS_FOR_SIGNAL = f"""
import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit(41))
signal.signal(signal.SIGUSR1, lambda *_: sys.exit(42))
print("ready", flush=True)
{CACHE_FOREVER}
"""


@pytest.fixture
def workdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    return tmp_path


def run(*words: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*RUN, *words], capture_output=True, timeout=60, **options)


def python(code: str) -> list[str]:
    return ["--", sys.executable, "-c", code]


def open_run(workdir: Path) -> tuple[Log, str]:
    log = runglass.open(workdir / "runs")
    (found,) = log.runs
    return log, found


def text(log: Log, run: str, tag: str) -> str:
    return "\n".join(str(value) for value in log.read(run, tag).value)


def test_a_command_and_what_is_recorded_of_it(workdir: Path) -> None:
    code = "import os, sys; print(os.environ['RUNGLASS_RUN_DIR']); print('oh', file=sys.stderr); sys.exit(7)"
    done = run(*python(code))
    assert done.returncode == 7
    (directory,) = (workdir / "runs").iterdir()
    assert done.stdout.decode() == f"{directory}\n"
    assert done.stderr.endswith(b"oh\n")
    log, name = open_run(workdir)
    console = text(log, name, "system/console")
    assert str(directory) in console
    assert "oh" in console
    command = text(log, name, "system/command")
    assert "| exit status | 7 |" in command
    assert "sys.exit(7)" in command
    assert "numpy==" in text(log, name, "system/environment")
    memory = log.scalars(name, "system/memory/machine_gb").value
    assert len(memory) >= 1
    assert 0 < memory[0] < 100_000


def test_curves_have_a_point_per_interval(workdir: Path) -> None:
    # Busy for a while, counted from when recording has begun.
    code = """
import os, time
while not os.listdir(os.environ["RUNGLASS_RUN_DIR"]): pass
end = time.time() + 1
while time.time() < end: pass
"""
    assert run("--name", "a/b", "--interval", "0.2", *python(code)).returncode == 0
    log, name = open_run(workdir)
    assert name == "a/b"
    cores = log.scalars(name, "system/cpu/run_cores").value
    assert len(cores) >= 2
    assert max(cores) > 0
    assert max(log.scalars(name, "system/processes").value) == 1


def test_the_command_is_not_found(workdir: Path) -> None:
    done = run("--", "no-such-command-here")
    assert done.returncode == 127
    assert b"no-such-command-here: command not found" in done.stderr
    assert not (workdir / "runs").exists()


def test_the_command_cannot_be_started(workdir: Path) -> None:
    (workdir / "plain").write_text("text")
    (workdir / "script").write_text("#!/no/such/interpreter\n")
    (workdir / "script").chmod(0o755)
    assert run("--", "./plain").returncode == 126
    assert run("--", "./script").returncode == 127
    assert list((workdir / "runs").iterdir()) == []


def test_standard_input_and_bytes_pass_through(workdir: Path) -> None:
    data = bytes(range(256)) * 1000
    done = run("cat", input=data)
    assert done.stdout == data
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGTERM, 41), (signal.SIGUSR1, 42), (signal.SIGINT, 130), (signal.SIGHUP, 129)],
)
def test_signals_are_passed_on(workdir: Path, number: signal.Signals, status: int) -> None:
    with subprocess.Popen(
        [*RUN, *python(WAITS_FOR_SIGNAL)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Shells in the background and nohup hand down signals that are ignored.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            process.send_signal(number)
            assert process.wait(60) == status
        finally:
            process.kill()
    log, name = open_run(workdir)
    assert f"| exit status | {status} |" in text(log, name, "system/command")


def test_output_that_nobody_reads_ends_the_command(workdir: Path) -> None:
    with subprocess.Popen([*RUN, "--", "yes"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"y\n"
        process.stdout.close()
        assert process.wait(60) == 128 + signal.SIGPIPE
    log, name = open_run(workdir)
    assert "y\ny\n" in text(log, name, "system/console")


def test_what_is_left_running_is_not_waited_for(workdir: Path) -> None:
    done = run("--", "sh", "-c", "sleep 1000 & echo $!")
    assert done.returncode == 0
    os.kill(int(done.stdout), signal.SIGKILL)


def test_a_log_that_cannot_be_written_changes_nothing(workdir: Path) -> None:
    code = (
        "import os, shutil; d = os.environ['RUNGLASS_RUN_DIR']; shutil.rmtree(d); open(d, 'w'); print('done')"
    )
    done = run(*python(code))
    assert done.returncode == 0
    assert done.stdout == b"done\n"


def test_a_disk_that_takes_no_more_changes_nothing(workdir: Path) -> None:
    # No file may become longer than 2 kB.
    code = "import sys; print(('x' * 79 + chr(10)) * 1000); sys.exit(5)"
    done = subprocess.run(
        ["sh", "-c", 'ulimit -f 4; exec "$@"', "sh", *RUN, *python(code)], capture_output=True
    )
    assert done.returncode == 5
    assert done.stdout.count(b"\n") == 1001
    assert b"Note: " in done.stderr
    assert b"File too large" in done.stderr


def test_in_a_terminal_the_command_has_one_too(workdir: Path) -> None:
    code = (
        "import os, sys, time; print([os.isatty(fd) for fd in range(3)], os.get_terminal_size()); "
        f"print('got', input('? ')){CACHE_FOREVER}"
    )
    with in_terminal(*RUN, *python(code)) as (process, master):
        seen = read_until(master, b"? ")
        assert b"[True, True, True] os.terminal_size(columns=77, lines=33)\r\n" in seen
        os.write(master, b"abc\r")
        read_until(master, b"got abc")
        os.write(master, b"\x03")
        assert process.wait(60) == 130
    log, name = open_run(workdir)
    assert "? abc\ngot abc\n" in text(log, name, "system/console")


def test_with_only_its_output_redirected_the_command_still_has_the_keyboard(workdir: Path) -> None:
    code = f"import os, time; print([os.isatty(fd) for fd in range(3)], input(), flush=True){CACHE_FOREVER}"
    with in_terminal(*RUN, *python(code), stdout=subprocess.PIPE) as (process, master):
        os.write(master, b"abc\r")
        assert process.stdout is not None
        assert process.stdout.readline() == b"[True, False, False] abc\n"
        os.write(master, b"\x03")
        assert process.wait(60) == 130


@contextmanager
def in_terminal(*command: str, **options: int) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """As a shell would start it: in front, with the terminal as its own. That is as it was afterwards."""
    starter = (
        "import fcntl, os, signal, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
        # Shells in the background hand down that it is ignored.
        "signal.signal(signal.SIGINT, signal.SIG_DFL); "
        "os.execv(sys.argv[1], sys.argv[1:])"
    )
    master, slave = os.openpty()
    try:
        termios.tcsetwinsize(slave, (33, 77))
        before = termios.tcgetattr(slave)
        streams = {"stdin": slave, "stdout": slave, "stderr": slave, **options}
        with subprocess.Popen([sys.executable, "-c", starter, *command], **streams) as process:
            try:
                yield process, master
            finally:
                process.kill()
        assert termios.tcgetattr(slave) == before
    finally:
        os.close(master)
        os.close(slave)


def read_until(master: int, wanted: bytes) -> bytes:
    seen = b""
    while wanted not in seen:
        is_there, _, _ = select.select([master], [], [], 60)
        assert is_there, f"{wanted!r} did not come, only {seen!r}"
        seen += os.read(master, 1000)
    return seen


# -- flags


def test_flags_of_the_command_are_its_own() -> None:
    args = run_flags.parse(["--name", "x", "--", "python", "--name", "y", "--", "z"])
    assert (args.name, args.words) == ("x", ["python", "--name", "y", "--", "z"])
    assert run_flags.parse(["python", "--logdir", "y"]).words == ["python", "--logdir", "y"]
    assert run_flags.parse(["--interval=0.5", "x"]).interval == 0.5


@pytest.mark.parametrize("words", [[], ["--"], ["--name", "x"]])
def test_a_command_is_needed(words: list[str]) -> None:
    with pytest.raises(BadRequest, match="runglass run -- python"):
        run_flags.parse(words)


@pytest.mark.parametrize("interval", ["0", "-1", "often", "inf"])
def test_intervals(interval: str) -> None:
    with pytest.raises(SystemExit):
        run_flags.parse(["--interval", interval, "x"])
