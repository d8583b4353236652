"""A search over hyperparameters: many small networks on the spirals, accurate ones against cheap ones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from runglass.demo.training import Network, Task, measured, rate_at, spirals_task
from runglass.schema.hparams import SessionOutcome
from runglass.writer.files.record_file import EventFileWriter
from runglass.writer.values import hparams, summaries

FOLDER = "search"
CONFIGURATIONS = 60
# The first ones are repeated with other seeds.
REPEATED = 6
SEEDS = (1, 2, 3)
WIDTHS = (4, 8, 16, 24, 32, 48)
BATCHES = (16, 32, 64)
DOMAINS: dict[str, list[hparams.HParam] | tuple[float, float]] = {
    "lr": (0.003, 1.0),
    "momentum": (0.0, 0.99),
    "width": list(WIDTHS),
    "depth": [1, 2, 3],
    "batch": list(BATCHES),
    "schedule": ["constant", "cosine"],
    "seed": list(SEEDS),
}
METRICS = ("search/accuracy", "search/loss", "search/cost")
SECONDS_PER_STEP = 0.02
PAUSE_S = 1.0

Settings = dict[str, hparams.HParam]


def draw_settings(rng: np.random.Generator) -> Settings:
    return {
        "lr": float(f"{10 ** rng.uniform(-2.5, 0):.3g}"),
        "momentum": float(rng.choice([0.0, 0.5, 0.9, 0.95])),
        "width": int(rng.choice(WIDTHS)),
        "depth": int(rng.integers(1, 4)),
        "batch": int(rng.choice(BATCHES)),
        "schedule": str(rng.choice(["constant", "cosine"])),
    }


def write_search(logdir: Path, start: float, steps: int, seed: int) -> None:
    """The experiment above, then a run for each configuration and seed, named by its number."""
    rng = np.random.default_rng(seed)
    task = spirals_task(rng, train=600)
    experiment = hparams.experiment(
        DOMAINS, METRICS, description="Small networks on three spirals", time_created_s=start
    )
    with EventFileWriter(logdir / FOLDER, clock=lambda: start) as writer:
        writer.write(0, values=[experiment])
    at = start
    for number in range(CONFIGURATIONS):
        settings = draw_settings(rng)
        for repeat in SEEDS if number < REPEATED else SEEDS[:1]:
            folder = logdir / FOLDER / f"{number + 1:02d}-{repeat}"
            at = write_trial(folder, task, {**settings, "seed": repeat}, f"{number + 1:02d}", at, steps)


def write_trial(folder: Path, task: Task, settings: Settings, group: str, start: float, steps: int) -> float:
    """Returns when it ended."""
    rng = np.random.default_rng([int(group), int(settings["seed"])])
    sizes = [2, *[int(settings["width"])] * int(settings["depth"]), task.classes]
    network = Network.random(sizes, rng, momentum=float(settings["momentum"]))
    cost = float(sum(weight.size for weight in network.weights))
    with EventFileWriter(folder, clock=lambda: start) as writer:
        writer.write(0, values=[hparams.session_start(settings, start_time_s=start, group_name=group)])
        is_finite, end = True, start
        for step, values in train(network, task, settings, rng, steps):
            end = start + (step + 1) * SECONDS_PER_STEP
            is_finite = math.isfinite(values["search/loss"])
            found = {**values, "search/cost": cost}
            writer.write(
                step, wall_time=end, values=[summaries.scalar(tag, value) for tag, value in found.items()]
            )
        outcome = SessionOutcome.SUCCESS if is_finite else SessionOutcome.FAILURE
        writer.write(0, wall_time=end, values=[hparams.session_end(outcome, end_time_s=end)])
    return end + PAUSE_S


def train(
    network: Network, task: Task, settings: Settings, rng: np.random.Generator, steps: int
) -> Iterator[tuple[int, dict[str, float]]]:
    """Now and then the step and what is logged; ends early if it has diverged."""
    peak, batch = float(settings["lr"]), int(settings["batch"])
    every = max(1, steps // 10)
    for step in range(steps):
        picked = rng.integers(0, len(task.train_y), batch)
        rate = peak if settings["schedule"] == "constant" else rate_at(step, peak, steps)
        loss = network.learn(task.train_x[picked], task.train_y[picked], rate)["loss"]
        if step % every == every - 1 or step == steps - 1:
            held_loss, accuracy = measured(network.predict(task.held_x), task.held_y)
            yield step, {"search/loss": held_loss, "search/accuracy": accuracy}
            if not math.isfinite(loss):
                return
