"""Small drawings of ten things, in several colours, sizes and styles, and a network that learns to tell them apart.

Logs what its last hidden layer makes of drawings that it was not trained on, at steps that lie closer together in the beginning,
where most happens.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from runglass.demo.embeddings import EmbeddingFiles, Table, logged_steps
from runglass.demo.training import BATCH, Floats, Network, measured, rate_at
from runglass.schema.hparams import SessionOutcome
from runglass.writer.files.record_file import EventFileWriter
from runglass.writer.values import hparams, summaries

FOLDER = "drawings"
# Units of the layers. Larger products start BLAS threads, which then spin for longer than this takes.
HIDDEN = 40
# Of the last hidden layer.
WIDTHS = {"wide": 32, "narrow": 6}
SIDE = 20
TRAIN, HELD = 3000, 1200
RATE = 0.03
LOGGED_TIMES = 15
HELD_EVERY = 25
SECONDS_PER_STEP = 0.2
NOISE = 0.1
LEVELS = 24

COLOURS = {
    "red": (0.93, 0.33, 0.31),
    "orange": (0.98, 0.62, 0.25),
    "yellow": (0.95, 0.85, 0.35),
    "green": (0.42, 0.80, 0.47),
    "blue": (0.38, 0.62, 0.96),
    "violet": (0.74, 0.52, 0.94),
}
STYLES = ("filled", "outlined")
SIZES = ("small", "large")

# A thing is where its function is negative; x to the right and y up, both from -1 to 1.
THINGS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "disc": lambda x, y: np.hypot(x, y) - 0.8,
    "square": lambda x, y: np.maximum(np.abs(x), np.abs(y)) - 0.7,
    "triangle": lambda x, y: np.maximum(0.87 * np.abs(x) + 0.5 * y, -y) - 0.45,
    "star": lambda x, y: np.hypot(x, y) - 0.58 - 0.28 * np.cos(5 * np.arctan2(x, y)),
    "cross": lambda x, y: np.minimum(box(x, y, 0.25, 0.85), box(x, y, 0.85, 0.25)),
    "heart": lambda x, y: np.hypot(x, y - 0.6 * np.sqrt(np.abs(x)) + 0.15) - 0.72,
    "moon": lambda x, y: np.maximum(np.hypot(x, y) - 0.85, 0.7 - np.hypot(x - 0.45, y)),
    "arrow": lambda x, y: np.minimum(
        np.maximum(0.75 * np.abs(x) + 0.66 * (y - 0.1), 0.1 - y) - 0.45, box(x, y + 0.3, 0.2, 0.55)
    ),
    "leaf": lambda x, y: np.hypot(np.abs(x) + 0.55, y) - 1.0,
    "house": lambda x, y: np.minimum(
        box(x, y + 0.35, 0.55, 0.5), np.maximum(0.7 * np.abs(x) + 0.7 * (y - 0.1), 0.05 - y) - 0.5
    ),
}


def box(x: Floats, y: Floats, half_width: float, half_height: float) -> Floats:
    away: Floats = np.maximum(np.abs(x) - half_width, np.abs(y) - half_height)
    return away


@dataclass(frozen=True)
class Drawings:
    """Pictures (n, side, side, 3) from 0 to 1, and what is on them."""

    pictures: Floats
    things: NDArray[np.int64]
    colours: NDArray[np.int64]
    styles: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @cached_property
    def inputs(self) -> Floats:
        """Brightness alone, so that shape is what tells things apart; of every four pixels the mean."""
        half = SIDE // 2
        grey = (
            self.pictures.max(axis=3).reshape(-1, half, 2, half, 2).mean(axis=(2, 4)).reshape(-1, half * half)
        )
        centred: Floats = grey - grey.mean(axis=1, keepdims=True)
        return centred


def draw(rng: np.random.Generator, count: int) -> Drawings:
    things, colours = rng.integers(0, len(THINGS), count), rng.integers(0, len(COLOURS), count)
    styles, sizes = rng.integers(0, 2, count), rng.integers(0, 2, count)
    across = (np.arange(SIDE) + 0.5) / SIDE * 2 - 1
    x, y = np.meshgrid(across, -across)
    inks = np.array(list(COLOURS.values()))
    functions = list(THINGS.values())
    pictures = np.empty((count, SIDE, SIDE, 3), np.float32)
    for at in range(count):
        scale = (0.7, 0.92)[sizes[at]] * rng.uniform(0.94, 1.06)
        room = 0.12
        left, top = rng.uniform(-room, room, 2)
        angle = rng.normal(0, 0.24)
        dx, dy = (x - left) / scale, (y - top) / scale
        away = functions[things[at]](
            np.cos(angle) * dx + np.sin(angle) * dy, np.cos(angle) * dy - np.sin(angle) * dx
        )
        if styles[at]:
            away = np.abs(away + 0.14) - 0.14
        # A soft edge, one pixel wide.
        ink = np.clip(0.5 - away * scale * SIDE / 2, 0, 1)[..., np.newaxis]
        pictures[at] = 0.07 + ink * (inks[colours[at]] * rng.uniform(0.75, 1.0) - 0.07)
    pictures += rng.normal(0, NOISE, (count, SIDE, SIDE, 1))
    # Few levels make a small file.
    levels = np.rint(LEVELS * np.clip(pictures, 0, 1)) / LEVELS
    return Drawings(levels.astype(np.float32), things, colours, styles, sizes)


def look(network: Network, inputs: Floats) -> tuple[Floats, Floats]:
    """The last hidden layer, and class probabilities."""
    parts = [network.forward(inputs[at : at + BATCH])[-2:] for at in range(0, len(inputs), BATCH)]
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def describe(drawings: Drawings, probabilities: Floats, losses: Floats) -> Table:
    names = list(THINGS)
    colours = list(COLOURS)
    rows = []
    for at, guess in enumerate(probabilities.argmax(axis=1).tolist()):
        thing, colour = names[drawings.things[at]], colours[drawings.colours[at]]
        style, size = STYLES[drawings.styles[at]], SIZES[drawings.sizes[at]]
        rows.append(
            [
                f"{size} {style} {colour} {thing}",
                thing,
                names[guess],
                f"{probabilities[at, guess]:.3f}",
                f"{losses[at]:.3f}",
                colour,
                style,
                size,
            ]
        )
    header = ["name", "label", "predicted", "confidence", "loss", "colour", "style", "size"]
    return Table(header, rows)


def write_drawings(logdir: Path, start: float, steps: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    train, held = draw(rng, TRAIN), draw(rng, HELD)
    for number, (name, width) in enumerate(WIDTHS.items()):
        began = start + 5 * number
        folder = logdir / FOLDER / name
        rng = np.random.default_rng(seed)
        network = Network.random([SIDE * SIDE // 4, HIDDEN, width, len(THINGS)], rng)
        files = EmbeddingFiles(folder, "last hidden layer", tiles=held.pictures)
        logged = logged_steps(steps, LOGGED_TIMES)
        with EventFileWriter(folder, clock=itertools.repeat(began).__next__) as writer:
            settings: dict[str, hparams.HParam] = {
                "task": "drawings",
                "lr": RATE,
                "hidden": f"{HIDDEN}, {width}",
            }
            writer.write(0, values=[hparams.session_start(settings, start_time_s=began)])
            for step in range(steps):
                if step in logged:
                    features, probabilities = look(network, held.inputs)
                    right = probabilities[np.arange(HELD), held.things]
                    losses = -np.log(np.maximum(right, 1e-6))
                    files.add(step, features, describe(held, probabilities, losses))
                picked = rng.integers(0, TRAIN, BATCH)
                found = network.learn(train.inputs[picked], train.things[picked], rate_at(step, RATE, steps))
                values = [summaries.scalar(f"train/{tag}", found[tag]) for tag in ("loss", "accuracy")]
                if step % HELD_EVERY == 0 or step == steps - 1:
                    loss, accuracy = measured(network.predict(held.inputs), held.things)
                    values += [summaries.scalar("loss", loss), summaries.scalar("accuracy", accuracy)]
                writer.write(step, wall_time=began + (step + 1) * SECONDS_PER_STEP, values=values)
            end = began + steps * SECONDS_PER_STEP
            ended = hparams.session_end(SessionOutcome.SUCCESS, end_time_s=end)
            writer.write(0, wall_time=end, values=[ended])
        files.close()
