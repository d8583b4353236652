"""Runs a command and records it: the command starts first and never waits; recording happens beside it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from runglass.errors import BadRequest
from runglass.recorder.child import STDERR, Child
from runglass.recorder.console import Console
from runglass.visible import make_visible
from runglass.writer import RUN_DIR_VARIABLE

if TYPE_CHECKING:
    from runglass.recorder.log import RunLog

NOT_FOUND = 127
NOT_EXECUTABLE = 126
INTERPRETER = re.compile(r"^(python[\d.]*|bash|sh|zsh|node|julia|Rscript|perl|ruby)$")
MAX_NAME_CHARS = 60


def record(command: Sequence[str], *, logdir: str, name: str | None, interval_s: float) -> int:
    """Run `command` to its end and return its exit status. Errors of recording are reported and change nothing else."""
    if shutil.which(command[0]) is None and not os.path.exists(command[0]):
        note(f"Error: {command[0]}: command not found. Check its spelling, or name it with its path.")
        return NOT_FOUND
    if "://" in logdir:
        raise BadRequest(
            f"--logdir {logdir}: a run is recorded on a local disk. Name a directory.", where="logdir"
        )
    fill_closed_streams()
    run_dir, is_made = make_run_dir(Path(logdir), name, command)
    console = Console()
    environment = {**os.environ, RUN_DIR_VARIABLE: str(run_dir.absolute())}
    began_s = time.time()
    note(f"Runglass records this run in {run_dir}. To look at it: runglass {shlex.quote(logdir)}")
    try:
        child = Child(command, environment, console.feed)
    except OSError as error:
        if is_made:
            run_dir.rmdir()
        note(f"Error: {command[0]}: {why_not_started(error)}")
        return NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_EXECUTABLE

    def open_log() -> RunLog:
        from runglass.recorder.log import RunLog

        return RunLog(
            command, child.pid, run_dir=run_dir, console=console, began_s=began_s, interval_s=interval_s
        )

    recorder = RecorderThread(open_log)
    recorder.start()
    status = child.wait()
    for problem in recorder.finish(status):
        note(f"Note: {problem}")
    return status


class RecorderThread(threading.Thread):
    """Everything that takes time, even imports, while the command is already running."""

    def __init__(self, open_log: Callable[[], RunLog]) -> None:
        super().__init__(name="runglass-recorder", daemon=True)
        self._open_log = open_log
        self._ended = threading.Event()
        self._status = 0
        self._problems: list[str] = []

    def run(self) -> None:
        try:
            log = self._open_log()
            try:
                log.follow(self._ended)
            finally:
                # Whatever happened to us, log the end of the command.
                self._ended.wait()
                self._problems = log.finish(self._status)
        except Exception as error:
            self._problems.append(f"The run could not be recorded: {type(error).__name__}: {error}")

    def finish(self, status: int) -> list[str]:
        """What went wrong, for the user."""
        self._status = status
        self._ended.set()
        self.join()
        return self._problems


def fill_closed_streams() -> None:
    """The next file to open would get the number of a closed stream, and the command's output would go into that file."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= STDERR:
        pass
    os.close(descriptor)


def make_run_dir(logdir: Path, name: str | None, command: Sequence[str]) -> tuple[Path, bool]:
    """The directory, and whether we made it. A directory whose name the user did not choose is always new."""
    if name is not None:
        if not name.strip("./\\") or os.path.isabs(name) or ".." in Path(name).parts:
            raise BadRequest(
                f"--name {name!r} is not a name below the log directory; use one such as baseline or lr/0.1.",
                where="name",
            )
        is_made = not (logdir / name).exists()
        make_directory(logdir / name, exist_ok=True)
        return logdir / name, is_made
    stem = f"{time.strftime('%Y-%m-%d_%H-%M-%S')}_{short_name(command)}"
    make_directory(logdir, exist_ok=True)
    # Several may start in one second.
    for ending in ("", *(f"-{number}" for number in range(2, 10_000))):
        try:
            (logdir / f"{stem}{ending}").mkdir()
        except FileExistsError:
            continue
        except OSError as error:
            raise cannot_make(logdir, error) from error
        return logdir / f"{stem}{ending}", True
    raise BadRequest(f"{logdir} has 10,000 runs named {stem}. Choose a name: --name NAME.", where="name")


def make_directory(path: Path, *, exist_ok: bool) -> None:
    try:
        path.mkdir(parents=True, exist_ok=exist_ok)
    except OSError as error:
        raise cannot_make(path, error) from error


def cannot_make(path: Path, error: OSError) -> BadRequest:
    return BadRequest(
        f"{path} cannot be made: {error.strerror}. The command was not started. Choose another place: --logdir DIR.",
        where="logdir",
    )


def short_name(command: Sequence[str]) -> str:
    """A name for a command: "train" for `python -u train.py --lr 1`, "my.tool" for `python -m my.tool`."""
    words = list(command)
    if INTERPRETER.match(Path(words[0]).name):
        is_module = words[1:2] == ["-m"] and len(words) > 2
        scripts = [] if "-c" in words else [word for word in words[1:] if not word.startswith("-")]
        words = words[2:] if is_module else scripts or words
    name = Path(words[0]).name
    name = re.sub(r"[^\w.-]+", "_", name.removesuffix(".py").removesuffix(".sh")).strip("._")
    return name[:MAX_NAME_CHARS] or "command"


def why_not_started(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "its first line names an interpreter that is not there."
    if isinstance(error, PermissionError):
        return "permission denied. Is it a program, and executable (chmod +x)?"
    return f"{error.strerror}."


def note(text: str) -> None:
    # None if it is closed, as by 2>&-; print would then use standard output.
    if sys.stderr is not None:
        print(make_visible(text), file=sys.stderr, flush=True)
