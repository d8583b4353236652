"""Demo logs: small networks, trained here with NumPy, that log every kind of value.

The same seed gives the same values. Wall times are invented (a fifth of a second per step, ending now), because the
training takes only seconds; the live runs use the real clock.
"""

from __future__ import annotations

import itertools
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
from runglass.demo.drawings import FOLDER as DRAWINGS
from runglass.demo.drawings import write_drawings
from runglass.demo.folder import MARKER, VERSION, is_complete
from runglass.demo.profiles import FOLDER as PROFILES
from runglass.demo.profiles import write_profiles
from runglass.demo.searching import FOLDER as SEARCH
from runglass.demo.searching import write_search
from runglass.demo.spelling import write_spelling
from runglass.demo.training import Network, digits_task, spirals_task
from runglass.demo.translating import FOLDER as TRANSLATE
from runglass.demo.translating import write_translating
from runglass.demo.words import FOLDER as WORDS
from runglass.demo.words import write_words
from runglass.schema.hparams import SessionOutcome
from runglass.writer.files.record_file import EventFileWriter
from runglass.writer.values import hparams

STEPS = 1200
# The last one is too large, and its run ends in NaN.
RATES = (0.01, 0.05, 0.2, 5.0)
# The live runs go on with the next ones.
SEEDS = (1, 2, 3)


def write_demo(logdir: Path, *, now: float | None = None, steps: int = STEPS) -> None:
    """Fill `logdir` with demo runs, unless it has them.

    Refuses a directory with other files: the demo changes only what it wrote.
    """
    if not is_written(logdir):
        end = time.time() if now is None else now
        start = end - 2.2 * steps * SECONDS_PER_STEP - 90
        task = digits_task(np.random.default_rng(SEED))
        with np.errstate(all="ignore"):
            for i, rate in enumerate(RATES):
                write_digits(logdir, task, rate, start + 7 * i, steps)
            for seed in SEEDS:
                write_spirals(logdir, seed, start + 30 + 7 * seed, steps)
            write_resumed(logdir, task, start + 60, steps)
            write_denoising(logdir, start + 12, steps * 2 // 3, SEED)
            write_spelling(logdir, start + 24, steps, SEED)
            write_translating(logdir, start + 18, steps // 4, SEED)
            write_drawings(logdir, start + 36, steps // 2, SEED)
            write_words(logdir, start + 48, steps // 2, SEED)
            write_search(logdir, start, steps // 8, SEED)
        write_profiles(logdir)
        mark(logdir, is_complete=True)


def train_live(
    logdir: Path,
    *,
    duration_s: float,
    steps: int = STEPS,
    steps_per_s: float = 1 / SECONDS_PER_STEP,
    clock: Callable[[], float] = time.time,
    wait: Callable[[float], Any] = time.sleep,
) -> None:
    """Train the runs `live/1`, `live/2`, … one after another, as long and as fast as the others.

    None begins after `duration_s`; the last one is trained to its end. Blocks, so call it in its own thread.
    """
    shutil.rmtree(logdir / "live", ignore_errors=True)
    end = clock() + duration_s
    for number in itertools.count(1):
        train_one_live(
            logdir / "live" / str(number),
            seed=len(SEEDS) + number,
            steps=steps,
            steps_per_s=steps_per_s,
            clock=clock,
            wait=wait,
        )
        if clock() >= end:
            return


def train_one_live(
    folder: Path,
    *,
    seed: int,
    steps: int,
    steps_per_s: float,
    clock: Callable[[], float],
    wait: Callable[[float], Any],
) -> None:
    start = clock()
    settings = spirals_settings(seed)
    rng = np.random.default_rng(seed)
    task = spirals_task(rng)
    with (
        EventFileWriter(folder, clock=clock) as train,
        EventFileWriter(folder / "validation", clock=clock) as held,
    ):
        job = Job(task, Network.random(SPIRALS_LAYERS, rng), rng, settings, train, held, steps)
        job.seconds_per_step = 1 / steps_per_s
        train.write(0, values=opening(task, settings, "Training right now."))
        train.write(0, values=[hparams.session_start(settings, start_time_s=start, group_name="live")])
        for wall_time in job.run(0, steps, start):
            wait(max(0.0, wall_time - clock()))
            train.flush()
            held.flush()
        train.write(0, values=[hparams.session_end(SessionOutcome.SUCCESS, end_time_s=clock())])


def is_written(logdir: Path) -> bool:
    """Whether `logdir` has the demo; if not, prepares the directory for it."""
    if is_complete(logdir):
        return True
    marker = logdir / MARKER
    if marker.exists():
        # An older or interrupted demo.
        for name in json.loads(marker.read_text())["folders"]:
            shutil.rmtree(logdir / name, ignore_errors=True)
    mark(logdir, is_complete=False)
    return False


def mark(logdir: Path, *, is_complete: bool) -> None:
    logdir.mkdir(parents=True, exist_ok=True)
    folders = [
        *(f"lr={rate:g}" for rate in RATES),
        "spirals",
        "resumed",
        "denoise",
        "spelling",
        TRANSLATE,
        DRAWINGS,
        WORDS,
        SEARCH,
        PROFILES,
        "live",
    ]
    marker = {"version": VERSION, "is_complete": is_complete, "folders": folders}
    (logdir / MARKER).write_text(json.dumps(marker))
