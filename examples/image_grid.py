"""Every batch of augmented pictures as a grid with names, drawn by matplotlib. The page shows all of them, not a sample."""

from __future__ import annotations

import argparse

import numpy as np
from digits import NAMES, make_digits
from matplotlib.figure import Figure

from runglass import SummaryWriter

SIDE = 6


def augment(images: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Shifts the pictures and inverts half of them."""
    moved = np.stack([np.roll(image, rng.integers(-3, 4), axis=1) for image in images])
    is_negative = rng.random(len(images)) < 0.5
    return np.where(is_negative[:, None, None], 1 - moved, moved)


def draw_grid(images: np.ndarray, labels: np.ndarray) -> Figure:
    figure = Figure(figsize=(6, 6), layout="tight")
    axes = figure.subplots()
    axes.set_axis_off()
    # Drawing one large picture is much faster than drawing 36. Each has room for its name above it.
    cells = np.pad(images, ((0, 0), (5, 1), (1, 1)), constant_values=np.nan)
    height, width = cells.shape[1:]
    rows = cells.reshape(SIDE, SIDE, height, width).swapaxes(1, 2)
    axes.imshow(rows.reshape(SIDE * height, SIDE * width), cmap="gray", vmin=0, vmax=1)
    for number, label in enumerate(labels):
        row, column = divmod(number, SIDE)
        axes.text((column + 0.5) * width, row * height + 3, NAMES[label], ha="center")
    return figure


def main(logdir: str, batches: int) -> None:
    rng = np.random.default_rng(0)
    with SummaryWriter(logdir) as writer:
        for step in range(batches):
            images, labels = make_digits(SIDE**2, seed=step)
            writer.add_figure("Augmented batch", draw_grid(augment(images, rng), labels), step)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logdir", default="logs/image_grid")
    parser.add_argument("--batches", type=int, default=94)
    options = parser.parse_args()
    main(options.logdir, options.batches)
    print(f"Show it: runglass {options.logdir}")
