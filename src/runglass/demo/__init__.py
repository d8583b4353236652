"""Demo logs: small networks, trained here with NumPy, that log every kind of value.

The same seed gives the same values. Wall times are invented (a fifth of a second per step, ending now), because the
training takes only seconds; the live run uses the real clock.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from runglass.demo.classifying import (
    SECONDS_PER_STEP,
    SEED,
    SPIRALS_LAYERS,
    Job,
    opening,
    spirals_settings,
    write_digits,
    write_resumed,
    write_spirals,
)
from runglass.demo.denoising import write_denoising
from runglass.demo.spelling import write_spelling
from runglass.demo.training import Network, digits_task, spirals_task
from runglass.errors import BadArgument
from runglass.writer.files.record_file import EventFileWriter

MARKER = ".runglass-demo.json"
# Increased with every change of the logs; older demos are replaced.
VERSION = 3
STEPS = 1200
# The last one is too large, and its run ends in NaN.
RATES = (0.01, 0.05, 0.2, 5.0)


def write_demo(logdir: Path, *, live_s: float = 0.0, now: float | None = None, steps: int = STEPS) -> None:
    """Fill `logdir` with demo runs, unless it has them; then train one more for `live_s` seconds.

    Refuses a directory with other files: the demo changes only what it wrote.
    """
    if not is_written(logdir):
        end = time.time() if now is None else now
        start = end - 2.2 * steps * SECONDS_PER_STEP - 90
        task = digits_task(np.random.default_rng(SEED))
        with np.errstate(all="ignore"):
            for i, rate in enumerate(RATES):
                write_digits(logdir, task, rate, start + 7 * i, steps)
            for seed in (1, 2, 3):
                write_spirals(logdir, seed, start + 30 + 7 * seed, steps)
            write_resumed(logdir, task, start + 60, steps)
            write_denoising(logdir, start + 12, steps * 2 // 3, SEED)
            write_spelling(logdir, start + 24, steps, SEED)
        mark(logdir, is_complete=True)
    if live_s > 0:
        train_live(logdir, duration_s=live_s)


def train_live(
    logdir: Path,
    *,
    duration_s: float,
    steps_per_s: float = 20.0,
    clock: Callable[[], float] = time.time,
    wait: Callable[[float], Any] = time.sleep,
) -> None:
    """Train the run `live` slowly enough to watch. Blocks, so call it in its own thread."""
    folder = logdir / "live"
    shutil.rmtree(folder, ignore_errors=True)
    start = clock()
    settings = spirals_settings(int(start))
    rng = np.random.default_rng(int(start))
    task = spirals_task(rng)
    steps = max(200, int(duration_s * steps_per_s))
    with (
        EventFileWriter(folder, clock=clock) as train,
        EventFileWriter(folder / "validation", clock=clock) as held,
    ):
        job = Job(task, Network.random(SPIRALS_LAYERS, rng), rng, settings, train, held, steps)
        job.seconds_per_step = 1 / steps_per_s
        train.write(0, values=opening(task, settings, "Training right now."))
        for wall_time in job.run(0, 2 * steps, start):
            wait(max(0.0, wall_time - clock()))
            train.flush()
            held.flush()
            if clock() >= start + duration_s:
                break


def is_written(logdir: Path) -> bool:
    """Whether `logdir` has the demo; if not, prepares the directory for it."""
    marker = logdir / MARKER
    if marker.exists():
        found = json.loads(marker.read_text())
        if found["version"] == VERSION and found["is_complete"]:
            return True
        # An older or interrupted demo.
        for name in found["folders"]:
            shutil.rmtree(logdir / name, ignore_errors=True)
    elif logdir.exists() and any(logdir.iterdir()):
        raise BadArgument(
            f"{logdir} is not empty and is not a demo. Name a directory that does not exist yet."
        )
    mark(logdir, is_complete=False)
    return False


def mark(logdir: Path, *, is_complete: bool) -> None:
    logdir.mkdir(parents=True, exist_ok=True)
    folders = [*(f"lr={rate:g}" for rate in RATES), "spirals", "resumed", "denoise", "spelling", "live"]
    marker = {"version": VERSION, "is_complete": is_complete, "folders": folders}
    (logdir / MARKER).write_text(json.dumps(marker))
