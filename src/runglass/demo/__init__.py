"""Logs to look at: small networks, really trained here with NumPy, that log every kind of value the writer knows.

Same seed, same values. Wall times are made up (a fifth of a second a step, ending now), because the training itself is
over in seconds; only the live run uses the real clock.
"""

from __future__ import annotations

import itertools
import json
import math
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from runglass.demo.pictures import boundary_picture, confusion_picture, enlarged, loss_tone, tiles
from runglass.demo.training import BATCH, SIDE, Network, Task, digits_task, measured, rate_at, spirals_task
from runglass.errors import BadArgument
from runglass.schema.hparams import SessionOutcome
from runglass.writer import hparams, summaries
from runglass.writer.record_file import EventFileWriter

MARKER = ".runglass-demo.json"
# Counts up with every change to what is written; older demos are replaced.
VERSION = 2
SEED = 20
STEPS = 1200
SECONDS_PER_STEP = 0.2
# A run that has diverged goes on for this many steps, then is given up.
PATIENCE_STEPS = 80

Settings = dict[str, hparams.HParam]

# The last of them is too much, and ends in NaN.
RATES = (0.01, 0.05, 0.2, 5.0)
DIGITS_LAYERS = [SIDE * SIDE, 48, 32, 10]
SPIRALS_LAYERS = [2, 32, 32, 3]


def digits_settings(rate: float, seed: int) -> Settings:
    return {"task": "digits", "lr": rate, "hidden": "48, 32", "batch": BATCH, "seed": seed}


def spirals_settings(seed: int) -> Settings:
    return {"task": "spirals", "lr": 0.05, "hidden": "32, 32", "batch": BATCH, "seed": seed}


@dataclass
class Job:
    """One network on its way: what is trained, and where each kind of value is logged."""

    task: Task
    network: Network
    rng: np.random.Generator
    settings: Settings
    train: EventFileWriter
    held: EventFileWriter
    steps: int
    losses: list[float] = field(default_factory=list)
    seconds_per_step: float = SECONDS_PER_STEP

    def run(self, first: int, last: int, wall_time: float) -> Iterator[float]:
        """Train and log steps first…last-1; gives the wall time after each, and stops early when it has diverged."""
        lost = 0
        for step in range(first, last):
            picked = self.rng.integers(0, len(self.task.train_y), BATCH)
            rate = rate_at(step, float(self.settings["lr"]), self.steps)
            found = self.network.learn(self.task.train_x[picked], self.task.train_y[picked], rate)
            took = self.seconds_per_step * float(self.rng.uniform(0.9, 1.1))
            if self.rng.random() < 0.005:
                took *= 3
            found["speed/samples_per_s"] = BATCH / took
            found["epoch"] = (step + 1) * BATCH / len(self.task.train_y)
            wall_time += took
            self.losses.append(found["loss"])
            values = [summaries.scalar(tag, value) for tag, value in found.items()]
            if step % 50 == 0 or step == last - 1:
                values += self.histograms()
                self.held.write(step, wall_time=wall_time, values=self.held_out(step))
            if step % 400 == 399:
                values.append(summaries.audio("loss melody", loss_tone(self.losses), 8000))
            self.train.write(step, wall_time=wall_time, values=values)
            lost = lost + 1 if math.isnan(found["loss"]) else 0
            if lost == PATIENCE_STEPS:
                return
            yield wall_time

    def histograms(self) -> list[bytes]:
        layers = self.network.forward(self.task.held_x[:BATCH])
        weights = [summaries.histogram(f"weights/layer{i}", w) for i, w in enumerate(self.network.weights)]
        return weights + [summaries.histogram(f"activations/layer{i}", a) for i, a in enumerate(layers[1:-1])]

    def held_out(self, step: int) -> list[bytes]:
        probabilities = self.network.predict(self.task.held_x)
        loss, accuracy = measured(probabilities, self.task.held_y)
        values = [summaries.scalar("loss", loss), summaries.scalar("accuracy", accuracy)]
        if self.task.classes == 3:
            values.append(summaries.image("decision boundary", boundary_picture(self.network, self.task)))
        elif step % 100 == 0:
            values.append(
                summaries.image("confusion", confusion_picture(probabilities, self.task.held_y, 10))
            )
            filters = self.network.weights[0].T.reshape(-1, SIDE, SIDE)
            values.append(summaries.image("first layer", enlarged(tiles(filters, 8), 3)))
            if np.isfinite(probabilities).all():
                values.append(
                    summaries.pr_curve(
                        "is it an 8?", self.task.held_y == 8, np.clip(probabilities[:, 8], 0, 1)
                    )
                )
        return values


def opening(task: Task, settings: Settings, note: str) -> list[bytes]:
    """What a run says about itself before it starts."""
    table = "| setting | value |\n|---|---|\n" + "".join(
        f"| {name} | `{value}` |\n" for name, value in settings.items()
    )
    values = [summaries.text("config", table), summaries.text("notes", note)]
    if task.classes == 10:
        pictures = task.train_x[:24].reshape(-1, SIDE, SIDE)
        values.append(
            summaries.image("samples", enlarged(tiles(pictures, 8), 5), description="What is to be read.")
        )
    return values


def write_digits(logdir: Path, task: Task, rate: float, start: float, steps: int) -> None:
    """A run of the sweep: settings in its own folder, measurements in `train` and `validation` below it."""
    folder = logdir / f"lr={rate:g}"
    settings = digits_settings(rate, SEED)
    rng = np.random.default_rng(SEED)
    with (
        EventFileWriter(folder, clock=lambda: start) as top,
        EventFileWriter(folder / "train", clock=lambda: start) as train,
        EventFileWriter(folder / "validation", clock=lambda: start) as held,
    ):
        job = Job(task, Network.random(DIGITS_LAYERS, rng), rng, settings, train, held, steps)
        top.write(0, values=opening(task, settings, f"Digits with a peak learning rate of **{rate:g}**."))
        top.write(0, values=[hparams.session_start(settings, start_time_s=start)])
        end = max(job.run(0, steps, start))
        diverged = math.isnan(job.losses[-1])
        outcome = SessionOutcome.FAILURE if diverged else SessionOutcome.SUCCESS
        verdict = "**diverged**" if diverged else f"ended at a loss of {job.losses[-1]:.3f}"
        top.write(len(job.losses), wall_time=end, values=[summaries.text("notes", f"The run {verdict}.")])
        top.write(0, wall_time=end, values=[hparams.session_end(outcome, end_time_s=end)])


def write_spirals(logdir: Path, seed: int, start: float, steps: int) -> None:
    """One of several seeds of the same configuration."""
    folder = logdir / "spirals" / f"seed={seed}"
    settings = spirals_settings(seed)
    rng = np.random.default_rng(seed)
    task = spirals_task(rng)
    with (
        EventFileWriter(folder, clock=lambda: start) as train,
        EventFileWriter(folder / "validation", clock=lambda: start) as held,
    ):
        job = Job(task, Network.random(SPIRALS_LAYERS, rng), rng, settings, train, held, steps)
        train.write(0, values=opening(task, settings, "Three arms, two hidden layers."))
        train.write(0, values=[hparams.session_start(settings, start_time_s=start, group_name="spirals")])
        end = max(job.run(0, steps, start))
        train.write(0, wall_time=end, values=[hparams.session_end(SessionOutcome.SUCCESS, end_time_s=end)])


def write_resumed(logdir: Path, task: Task, start: float, steps: int) -> None:
    """Stopped after six tenths of its steps and continued, in new files, from a checkpoint after four tenths."""
    folder = logdir / "resumed"
    stopped, saved = steps * 6 // 10, steps * 4 // 10
    settings = digits_settings(0.05, SEED + 1)
    rng = np.random.default_rng(SEED + 1)
    network = Network.random(DIGITS_LAYERS, rng)
    checkpoint = network
    losses: list[float] = []
    for first, last, began in ((0, stopped, start), (saved, steps, start + steps * SECONDS_PER_STEP)):
        clock = itertools.repeat(began).__next__
        with (
            EventFileWriter(folder, clock=clock) as train,
            EventFileWriter(folder / "validation", clock=clock) as held,
        ):
            if first:
                train.write_session_start(first)
                held.write_session_start(first)
                network = checkpoint
            else:
                train.write(
                    0, values=opening(task, settings, f"Continued from a checkpoint of step {saved}.")
                )
            job = Job(task, network, rng, settings, train, held, steps, losses[:first])
            for step, _ in enumerate(job.run(first, last, began), start=first + 1):
                if step == saved:
                    checkpoint = network.copy()
            losses = job.losses


def write_demo(logdir: Path, *, live_s: float = 0.0, now: float | None = None, steps: int = STEPS) -> None:
    """Fill `logdir` with demo runs, unless they are there already; then train one more for `live_s` seconds.

    A directory with anything else in it is refused: nothing that the demo did not write is ever touched.
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
    """Train the run `live` at a pace that can be watched. Blocks; fit for a thread of its own."""
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
    """Whether the demo stands in `logdir`; when not, leaves a directory that is ready for it."""
    marker = logdir / MARKER
    if marker.exists():
        found = json.loads(marker.read_text())
        if found["version"] == VERSION and found["is_complete"]:
            return True
        # An older demo, or one that was interrupted.
        for name in found["folders"]:
            shutil.rmtree(logdir / name, ignore_errors=True)
    elif logdir.exists() and any(logdir.iterdir()):
        raise BadArgument(
            f"{logdir} is not empty and holds no demo. Name a directory that does not exist yet."
        )
    mark(logdir, is_complete=False)
    return False


def mark(logdir: Path, *, is_complete: bool) -> None:
    logdir.mkdir(parents=True, exist_ok=True)
    folders = [*(f"lr={rate:g}" for rate in RATES), "spirals", "resumed", "live"]
    marker = {"version": VERSION, "is_complete": is_complete, "folders": folders}
    (logdir / MARKER).write_text(json.dumps(marker))
