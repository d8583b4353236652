"""Inputs and outputs of a network as pictures: float pixels from 0 to 1."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from runglass.demo.training import Floats, Network, Task

# Half the side of the square around the spirals.
HALF_SIDE = 1.15
COLOURS = np.array([[0.13, 0.40, 0.67], [0.84, 0.38, 0.10], [0.20, 0.60, 0.35]])


def enlarged(pixels: Floats, times: int) -> Floats:
    return pixels.repeat(times, axis=0).repeat(times, axis=1)


def tiles(pictures: Floats, columns: int) -> Floats:
    """Pictures (n, h, w) side by side with a line between them, each stretched to the whole grey scale."""
    low = pictures.min(axis=(1, 2), keepdims=True)
    high = pictures.max(axis=(1, 2), keepdims=True)
    grey = np.pad((pictures - low) / np.maximum(high - low, 1e-9), ((0, 0), (0, 1), (0, 1)))
    rows, (n, h, w) = math.ceil(len(grey) / columns), grey.shape
    grid = np.zeros((rows * columns, h, w))
    grid[:n] = grey
    return grid.reshape(rows, columns, h, w).swapaxes(1, 2).reshape(rows * h, columns * w)


def confusion_picture(probabilities: Floats, y: NDArray[np.int64], classes: int) -> Floats:
    """True class by row, predicted class by column; dark means often."""
    counts = np.zeros((classes, classes))
    np.add.at(counts, (y, probabilities.argmax(axis=1)), 1.0)
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    ink = np.array([0.10, 0.25, 0.55])
    return enlarged(1.0 - share[:, :, np.newaxis] * (1.0 - ink), 16)


def boundary_picture(network: Network, task: Task, side: int = 72, zoom: int = 3) -> Floats:
    """The predicted class of every point of the plane, paler if the network is unsure, with the training points on top."""
    axis = np.linspace(-HALF_SIDE, HALF_SIDE, side)
    grid = np.stack(np.meshgrid(axis, -axis), axis=-1).reshape(-1, 2).astype(np.float32)
    picture = enlarged((0.35 + 0.65 * network.predict(grid) @ COLOURS).reshape(side, side, 3), zoom)
    places = np.rint((task.train_x * [1, -1] + HALF_SIDE) / (2 * HALF_SIDE) * (side * zoom - 2)).astype(int)
    for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)):
        picture[places[:, 1] + dy, places[:, 0] + dx] = COLOURS[task.train_y] * 0.6
    return picture


def heat(share: Floats) -> Floats:
    """Colours from pale blue through sand to red, for numbers from 0 to 1."""
    stops = np.array([[0.75, 0.84, 0.93], [0.95, 0.83, 0.55], [0.80, 0.16, 0.13]])
    places = np.linspace(0, 1, len(stops))
    colours: Floats = np.stack([np.interp(share, places, stops[:, i]) for i in range(3)], axis=-1)
    return colours


def scenes(rng: np.random.Generator, count: int, side: int = 64) -> Floats:
    """Grey pictures of discs and bars on a gradient."""
    y, x = np.mgrid[0:side, 0:side] / side
    made = []
    for _ in range(count):
        picture = 0.25 + 0.3 * (x * rng.uniform(-1, 1) + y * rng.uniform(-1, 1))
        for _ in range(5):
            centre_x, centre_y, size = rng.uniform(0.1, 0.9), rng.uniform(0.1, 0.9), rng.uniform(0.06, 0.2)
            away = np.hypot(x - centre_x, y - centre_y)
            if rng.random() < 0.4:
                away = np.maximum(np.abs(x - centre_x) * 0.5, np.abs(y - centre_y) * 2)
            picture = np.where(away < size, rng.uniform(0, 1), picture)
        made.append(picture)
    clipped: Floats = np.clip(np.stack(made), 0, 1).astype(np.float32)
    return clipped


def enlarged_batch(pictures: Floats, times: int) -> Floats:
    """Grey pictures (n, h, w) as samples of one value."""
    return pictures.repeat(times, axis=1).repeat(times, axis=2)[..., np.newaxis]


def sixteen_bits(share: Floats) -> NDArray[np.uint16]:
    return np.rint(65535 * np.clip(share, 0, 1)).astype(np.uint16)


def predictions_picture(x: Floats, probabilities: Floats, y: NDArray[np.int64], side: int) -> Floats:
    """Digits in a grid with green frames for right and red frames for wrong predictions, dim if the network is unsure."""
    grey = x.reshape(-1, side, side)
    low, high = grey.min(axis=(1, 2), keepdims=True), grey.max(axis=(1, 2), keepdims=True)
    cells = np.pad(
        (grey - low) / np.maximum(high - low, 1e-9), ((0, 0), (1, 1), (1, 1)), constant_values=np.nan
    )
    is_right = probabilities.argmax(axis=1) == y
    sure = np.nan_to_num(probabilities.max(axis=1), nan=1.0)
    frame = np.where(is_right[:, np.newaxis], COLOURS[2], np.array([0.80, 0.16, 0.13])) * sure[:, np.newaxis]
    colour = np.where(
        np.isnan(cells)[..., np.newaxis], frame[:, np.newaxis, np.newaxis], cells[..., np.newaxis]
    )
    n, h, w, _ = colour.shape
    columns = 8
    rows = n // columns
    grid = colour[: rows * columns].reshape(rows, columns, h, w, 3).swapaxes(1, 2)
    return enlarged(grid.reshape(rows * h, columns * w, 3), 4)


def video_frames(frames: list[Floats]) -> NDArray[np.uint8]:
    """Pictures as frames (time, height, width, channels), reduced to every third pixel."""
    return np.rint(255 * np.clip(np.stack(frames)[:, ::3, ::3], 0, 1)).astype(np.uint8)
