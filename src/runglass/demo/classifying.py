"""Classifiers and what they log: digits with several learning rates, spirals with several seeds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from runglass.demo import pictures, shapes, texts
from runglass.demo.training import BATCH, SIDE, Floats, Network, Task, measured, rate_at, spirals_task
from runglass.schema.hparams import SessionOutcome
from runglass.writer.files.record_file import EventFileWriter
from runglass.writer.values import hparams, summaries
from runglass.writer.values.layouts import layout_value
from runglass.writer.values.mesh import mesh
from runglass.writer.values.video import encode_gif

SEED = 20
SECONDS_PER_STEP = 0.2
# A run that has diverged stops after this many more steps.
PATIENCE_STEPS = 80
DIGITS_LAYERS = [SIDE * SIDE, 48, 32, 10]
SPIRALS_LAYERS = [2, 32, 32, 3]
# Validation measures this many parts of its data; the chart shows their spread around the accuracy.
PARTS = 6
THRESHOLDS = 101
FRAMES_PER_S = 6

Settings = dict[str, hparams.HParam]

LAYOUT = {
    "Learning": {
        "Loss": ["Multiline", ["^loss$"]],
        "Accuracy by part": ["Margin", ["parts/mean", "parts/worst", "parts/best"]],
    },
    "Optimizer": {"Gradients and weights": ["Multiline", ["optimizer/grad_norm", "weights/norm"]]},
}


def digits_settings(rate: float, seed: int) -> Settings:
    return {"task": "digits", "lr": rate, "hidden": "48, 32", "batch": BATCH, "seed": seed}


def spirals_settings(seed: int) -> Settings:
    return {"task": "spirals", "lr": 0.05, "hidden": "32, 32", "batch": BATCH, "seed": seed}


@dataclass
class Job:
    """The training of one network, and what it logs."""

    task: Task
    network: Network
    rng: np.random.Generator
    settings: Settings
    train: EventFileWriter
    held: EventFileWriter
    steps: int
    losses: list[float] = field(default_factory=list)
    seconds_per_step: float = SECONDS_PER_STEP
    boundaries: list[Floats] = field(default_factory=list)
    cloud_axes: Floats | None = None

    def run(self, first: int, last: int, wall_time: float) -> Iterator[float]:
        """Train and log steps first…last-1; yields the wall time after each, and stops early if it has diverged."""
        lost = 0
        for step in range(first, last):
            picked = self.rng.integers(0, len(self.task.train_y), BATCH)
            rate = rate_at(step, float(self.settings["lr"]), self.steps)
            found = self.network.learn(self.task.train_x[picked], self.task.train_y[picked], rate)
            took = self.seconds_per_step * float(self.rng.uniform(0.9, 1.1))
            if self.rng.random() < 0.005:
                took *= 3
            found["speed/samples_per_s"] = BATCH / took
            found["progress/epoch"] = (step + 1) * BATCH / len(self.task.train_y)
            wall_time += took
            self.losses.append(found["loss"])
            values = [summaries.scalar(tag, value) for tag, value in found.items()]
            if step % 50 == 0 or step == last - 1:
                values += self.histograms()
                self.held.write(step, wall_time=wall_time, values=self.held_out(step))
            self.train.write(step, wall_time=wall_time, values=values)
            lost = lost + 1 if math.isnan(found["loss"]) else 0
            if lost == PATIENCE_STEPS:
                return
            yield wall_time

    def histograms(self) -> list[bytes]:
        layers = {
            "weights": self.network.weights,
            "gradients": self.network.gradients[: len(self.network.weights)],
            "activations": self.network.forward(self.task.held_x[:BATCH])[1:-1],
        }
        return [
            summaries.histogram(f"{what}/layer{i}", numbers)
            for what, arrays in layers.items()
            for i, numbers in enumerate(arrays)
        ]

    def held_out(self, step: int) -> list[bytes]:
        probabilities = self.network.predict(self.task.held_x)
        loss, accuracy = measured(probabilities, self.task.held_y)
        is_right = probabilities.argmax(axis=1) == self.task.held_y
        parts = [float(part.mean()) for part in np.array_split(is_right, PARTS)]
        values = [
            summaries.scalar("loss", loss),
            summaries.scalar("accuracy", accuracy),
            summaries.scalar("parts/mean", accuracy),
            summaries.scalar("parts/worst", min(parts)),
            summaries.scalar("parts/best", max(parts)),
        ]
        if self.task.classes == 3:
            return values + self.spirals_seen(step)
        if step % 100 == 0:
            return values + self.digits_seen(probabilities)
        return values

    def spirals_seen(self, step: int) -> list[bytes]:
        picture = pictures.boundary_picture(self.network, self.task)
        self.boundaries.append(picture)
        places, colours, self.cloud_axes = shapes.hidden_cloud(self.network, self.task, self.cloud_axes)
        values = [
            summaries.image("spirals/decision boundary", picture),
            *mesh("spirals/hidden layer", places, colours, config=shapes.VIEW),
        ]
        if step % 400 == 350:
            gif = encode_gif(pictures.video_frames(self.boundaries), FRAMES_PER_S)
            values.append(summaries.images("spirals/decision boundary, video", [gif]))
        return values

    def digits_seen(self, probabilities: Floats) -> list[bytes]:
        held_x, held_y = self.task.held_x, self.task.held_y
        values = [
            summaries.image("digits/confusion", pictures.confusion_picture(probabilities, held_y, 10)),
            summaries.image(
                "digits/predictions",
                pictures.predictions_picture(held_x[:32], probabilities[:32], held_y[:32], SIDE),
                description="The same digits at every step: green is right, red is wrong, dim is unsure.",
            ),
        ]
        filters = self.network.weights[0].T.reshape(-1, SIDE, SIDE)
        values.append(summaries.image("digits/first layer", pictures.enlarged(pictures.tiles(filters, 8), 3)))
        if np.isfinite(probabilities).all():
            scores = np.clip(probabilities, 0, 1)
            values += [
                summaries.pr_curve(
                    f"is it this digit?/{digit}", held_y == digit, scores[:, digit], thresholds=THRESHOLDS
                )
                for digit in range(10)
            ]
        return values


def opening(task: Task, settings: Settings, note: str) -> list[bytes]:
    """What a run logs before it starts."""
    values = [summaries.text("config", texts.table(settings)), summaries.text("notes", note)]
    if task.classes == 10:
        samples = pictures.enlarged(pictures.tiles(task.train_x[:24].reshape(-1, SIDE, SIDE), 8), 5)
        values += [
            summaries.image("digits/samples", samples, description="What is to be read."),
            layout_value(LAYOUT),
        ]
    return values


def write_digits(logdir: Path, task: Task, rate: float, start: float, steps: int) -> None:
    """A run of the sweep: settings in its folder, metrics in `train` and `validation` below it."""
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
    """Stops after six tenths of its steps and continues, in new files, from a checkpoint at four tenths."""
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
                train.write(0, values=[hparams.session_start(settings, start_time_s=start)])
            job = Job(task, network, rng, settings, train, held, steps, losses[:first])
            end = began
            for step, wall_time in enumerate(job.run(first, last, began), start=first + 1):
                end = wall_time
                if step == saved:
                    checkpoint = network.copy()
            losses = job.losses
            if last == steps:
                ended = hparams.session_end(SessionOutcome.SUCCESS, end_time_s=end)
                train.write(0, wall_time=end, values=[ended])
