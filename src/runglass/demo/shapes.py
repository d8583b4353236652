"""Meshes and point clouds: a picture as a relief, and hidden activations in three dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.demo.pictures import COLOURS, heat
from runglass.demo.training import Floats, Network, Task

# Camera and lights of three.js.
VIEW: dict[str, Any] = {
    "camera": {"cls": "PerspectiveCamera", "fov": 60},
    "lights": [{"cls": "AmbientLight"}],
}
RELIEF_HEIGHT = 0.35
# Larger products start BLAS threads, which then spin for longer than this takes.
CLOUD_POINTS = 250
ITERATIONS = 6


def relief(picture: Floats, error: Floats) -> tuple[Floats, NDArray[np.uint8], NDArray[np.int32]]:
    """A relief, high where bright and red where wrong: vertices, colours and triangles."""
    rows, columns = picture.shape
    y, x = np.mgrid[0:rows, 0:columns]
    vertices = np.stack([x / columns - 0.5, RELIEF_HEIGHT * picture, y / rows - 0.5], axis=-1).reshape(-1, 3)
    numbers = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    a, b, c, d = numbers[:-1, :-1], numbers[:-1, 1:], numbers[1:, :-1], numbers[1:, 1:]
    faces = np.concatenate([np.stack([a, c, b], -1), np.stack([b, c, d], -1)]).reshape(-1, 3)
    colours = np.rint(255 * heat(np.clip(4 * error, 0, 1)).reshape(-1, 3)).astype(np.uint8)
    return vertices.astype(np.float32), colours, faces


def hidden_cloud(
    network: Network, task: Task, axes: Floats | None
) -> tuple[Floats, NDArray[np.uint8], Floats]:
    """Held-out points in the last hidden layer, along the three directions of largest variance.

    `axes` are those of the previous call: starting there, directions neither flip nor swap.
    """
    layer = network.forward(task.held_x[:CLOUD_POINTS])[-2].astype(np.float64)
    layer -= layer.mean(axis=0)
    spread = layer.T @ layer
    directions = np.eye(len(spread), 3) if axes is None else axes
    # Each iteration turns them towards the largest variance.
    for _ in range(ITERATIONS):
        directions, scale = np.linalg.qr(spread @ directions)
        directions = directions * np.where(np.diag(scale) < 0, -1.0, 1.0)
    places = layer @ directions
    places /= max(float(np.abs(places).max()), 1e-9)
    colours = np.rint(255 * COLOURS[task.held_y[:CLOUD_POINTS]]).astype(np.uint8)
    return places.astype(np.float32), colours, directions
