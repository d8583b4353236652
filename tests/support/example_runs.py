"""Runs an example as a user does, in a process of its own with this checkout's Runglass, and wants to be told what comes next and nothing
else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
# Small products gain nothing from threads, and lose much where another test has the second core.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def run_example(
    name: str, logdir: Path, *options: str, python: str | Path = sys.executable, is_quiet: bool = True
) -> None:
    """Without `is_quiet` it may print and warn, as frameworks do about themselves."""
    command = [python, *(["-W", "error"] if is_quiet else []), EXAMPLES / f"{name}.py", "--logdir", logdir]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **ONE_THREAD}
    told = subprocess.run(
        [*command, *options], cwd=logdir.parent, env=environment, capture_output=True, text=True
    )
    assert told.returncode == 0, told.stderr[-4000:]
    assert told.stdout.endswith(f"Show it: runglass {logdir}\n")
    assert not is_quiet or told.stdout + told.stderr == f"Show it: runglass {logdir}\n"
