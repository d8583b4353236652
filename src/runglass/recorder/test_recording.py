"""A recording whose own streams are closed: it prints nothing elsewhere, and the streams of the command stay separate."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import runglass

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell closes the streams")

COMMAND = ["--logdir", "runs", "--", "sh", "-c", "echo out; echo err >&2"]


def record(closed: str, workdir: Path, stdout: int) -> bytes | None:
    """The output of a recording with these shell redirections."""
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-m", "runglass", "run", *COMMAND],
        cwd=workdir,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        timeout=60,
        check=True,
    )
    return done.stdout


def console_of(workdir: Path) -> list[str]:
    log = runglass.open(workdir / "runs")
    (run,) = log.runs
    words = [word for text in log.read(run, "system/console").value for word in str(text).split()]
    return sorted(word for word in words if word != "```")


def test_notes_do_not_go_to_standard_output_when_standard_error_is_closed(tmp_path: Path) -> None:
    assert record("2>&-", tmp_path, subprocess.PIPE) == b"out\n"
    assert console_of(tmp_path) == ["err", "out"]


def test_in_a_terminal_with_standard_error_closed(tmp_path: Path) -> None:
    master, slave = os.openpty()
    try:
        record("2>&-", tmp_path, slave)
        assert os.read(master, 1000).split() == [b"out"]
    finally:
        os.close(master)
        os.close(slave)
    assert console_of(tmp_path) == ["err", "out"]


def test_all_streams_closed(tmp_path: Path) -> None:
    assert record("<&- >&- 2>&-", tmp_path, subprocess.PIPE) == b""
    assert console_of(tmp_path) == ["err", "out"]
