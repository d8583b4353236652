"""What a network sees and thinks, as pictures (float pixels from 0 to 1) and as a sound."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from runglass.demo.training import Floats, Network, Task

# Half the side of the square in which the spirals lie.
REACH = 1.15
COLOURS = np.array([[0.13, 0.40, 0.67], [0.84, 0.38, 0.10], [0.20, 0.60, 0.35]])


def enlarged(pixels: Floats, times: int) -> Floats:
    return pixels.repeat(times, axis=0).repeat(times, axis=1)


def tiles(pictures: Floats, columns: int) -> Floats:
    """Pictures (n, h, w) side by side, each stretched to the whole grey scale, with a line between them."""
    low = pictures.min(axis=(1, 2), keepdims=True)
    high = pictures.max(axis=(1, 2), keepdims=True)
    grey = np.pad((pictures - low) / np.maximum(high - low, 1e-9), ((0, 0), (0, 1), (0, 1)))
    rows, (n, h, w) = math.ceil(len(grey) / columns), grey.shape
    grid = np.zeros((rows * columns, h, w))
    grid[:n] = grey
    return grid.reshape(rows, columns, h, w).swapaxes(1, 2).reshape(rows * h, columns * w)


def confusion_picture(probabilities: Floats, y: NDArray[np.int64], classes: int) -> Floats:
    """True class down, predicted class across; dark is often."""
    counts = np.zeros((classes, classes))
    np.add.at(counts, (y, probabilities.argmax(axis=1)), 1.0)
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    ink = np.array([0.10, 0.25, 0.55])
    return enlarged(1.0 - share[:, :, np.newaxis] * (1.0 - ink), 16)


def boundary_picture(network: Network, task: Task, side: int = 72, zoom: int = 3) -> Floats:
    """The class of every place in the plane, paler where the network is unsure, and the training points on top."""
    axis = np.linspace(-REACH, REACH, side)
    grid = np.stack(np.meshgrid(axis, -axis), axis=-1).reshape(-1, 2).astype(np.float32)
    picture = enlarged((0.35 + 0.65 * network.predict(grid) @ COLOURS).reshape(side, side, 3), zoom)
    places = np.rint((task.train_x * [1, -1] + REACH) / (2 * REACH) * (side * zoom - 2)).astype(int)
    for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)):
        picture[places[:, 1] + dy, places[:, 0] + dx] = COLOURS[task.train_y] * 0.6
    return picture


def loss_tone(losses: list[float], seconds: float = 1.5, sample_rate: int = 8000) -> Floats:
    """The loss so far as a melody: the higher the pitch, the higher the loss."""
    places = np.linspace(0, len(losses) - 1, int(seconds * sample_rate))
    curve = np.interp(places, np.arange(len(losses)), np.nan_to_num(losses, nan=3.0))
    pitch_hz = 180.0 * 2.0 ** np.clip(curve, 0.0, 3.0)
    fade = np.minimum(1.0, np.linspace(0, 20, places.size)) * np.minimum(1.0, np.linspace(20, 0, places.size))
    return 0.4 * fade * np.sin(2 * np.pi * np.cumsum(pitch_hz) / sample_rate)
