"""Two small data sets and a network that learns them, in NumPy. Logs nothing."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

BATCH = 64
SIDE = 8
# The slope below zero. Without it a diverging network goes to zero instead of NaN.
LEAK = np.float32(0.1)

# Digits of five by seven pixels, five bits per row.
DIGITS = [
    (0x0E, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0E),
    (0x04, 0x0C, 0x04, 0x04, 0x04, 0x04, 0x0E),
    (0x0E, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1F),
    (0x1F, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0E),
    (0x02, 0x06, 0x0A, 0x12, 0x1F, 0x02, 0x02),
    (0x1F, 0x10, 0x1E, 0x01, 0x01, 0x11, 0x0E),
    (0x06, 0x08, 0x10, 0x1E, 0x11, 0x11, 0x0E),
    (0x1F, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08),
    (0x0E, 0x11, 0x11, 0x0E, 0x11, 0x11, 0x0E),
    (0x0E, 0x11, 0x11, 0x0F, 0x01, 0x02, 0x0C),
]


@dataclass(frozen=True)
class Task:
    """A data set, split in two."""

    train_x: Floats
    train_y: NDArray[np.int64]
    held_x: Floats
    held_y: NDArray[np.int64]
    classes: int


def digits_task(rng: np.random.Generator, train: int = 4000, held: int = 600) -> Task:
    """Noisy digits at random positions in a small picture."""
    bitmaps = np.array(
        [[[row >> (4 - x) & 1 for x in range(5)] for row in digit] for digit in DIGITS], dtype=float
    )
    n = train + held
    y = rng.integers(0, 10, n)
    pictures = rng.normal(0.0, 0.35, (n, SIDE, SIDE))
    tops, lefts = rng.integers(0, SIDE - 6, n), rng.integers(0, SIDE - 4, n)
    for picture, digit, top, left, ink in zip(
        pictures, y, tops, lefts, rng.uniform(0.6, 1.2, n), strict=True
    ):
        picture[top : top + 7, left : left + 5] += ink * bitmaps[digit]
    x = pictures.reshape(n, -1).astype(np.float32)
    return Task(x[:train], y[:train], x[train:], y[train:], 10)


def spirals_task(rng: np.random.Generator, train: int = 900, held: int = 300) -> Task:
    """Three interleaved spiral arms."""
    n = train + held
    y = rng.integers(0, 3, n)
    radius = rng.uniform(0.1, 1.0, n)
    angle = radius * 7.0 + y * (2 * math.pi / 3) + rng.normal(0.0, 0.3, n)
    x = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).astype(np.float32)
    return Task(x[:train], y[:train], x[train:], y[train:], 3)


@dataclass
class Network:
    """Dense layers with leaky ReLU between them, trained by gradient descent with momentum; float32 throughout."""

    weights: list[Floats]
    biases: list[Floats]
    velocity: list[Floats] = field(default_factory=list)
    # The gradients of the last step, weights before biases.
    gradients: list[Floats] = field(default_factory=list)
    momentum: float = 0.9

    @classmethod
    def random(cls, sizes: list[int], rng: np.random.Generator, *, momentum: float = 0.9) -> Network:
        shapes = list(itertools.pairwise(sizes))
        weights = [rng.normal(0, math.sqrt(2 / a), (a, b)).astype(np.float32) for a, b in shapes]
        biases: list[Floats] = [np.zeros(b, dtype=np.float32) for _, b in shapes]
        return cls(weights, biases, momentum=momentum)

    def parameters(self) -> list[Floats]:
        return [*self.weights, *self.biases]

    def copy(self) -> Network:
        def copies(arrays: list[Floats]) -> list[Floats]:
            return [array.copy() for array in arrays]

        return Network(
            copies(self.weights), copies(self.biases), copies(self.velocity), momentum=self.momentum
        )

    def forward(self, x: Floats) -> list[Floats]:
        """The input, every hidden activation, and the class probabilities."""
        layers = [x]
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            sums = layers[-1] @ weight + bias
            layers.append(np.maximum(sums, LEAK * sums))
        logits = layers[-1] @ self.weights[-1] + self.biases[-1]
        scores = np.exp(logits - logits.max(axis=1, keepdims=True))
        layers.append(scores / scores.sum(axis=1, keepdims=True))
        return layers

    def predict(self, x: Floats) -> Floats:
        """Class probabilities, in slices: larger products start BLAS threads, which then spin for longer than this takes."""
        return np.concatenate([self.forward(x[i : i + BATCH])[-1] for i in range(0, len(x), BATCH)])

    def learn(self, x: Floats, y: NDArray[np.int64], rate: float) -> dict[str, float]:
        """One step on one batch; returns its metrics before the update."""
        layers = self.forward(x)
        loss, accuracy = measured(layers[-1], y)
        delta = layers[-1].copy()
        delta[np.arange(len(y)), y] -= 1.0
        delta /= len(y)
        weight_gradients: list[Floats] = []
        bias_gradients: list[Floats] = []
        for i in reversed(range(len(self.weights))):
            weight_gradients.insert(0, layers[i].T @ delta)
            bias_gradients.insert(0, delta.sum(axis=0))
            if i:
                delta = (delta @ self.weights[i].T) * np.where(layers[i] > 0, np.float32(1), LEAK)
        self.gradients = gradients = weight_gradients + bias_gradients
        self.velocity = self.velocity or [np.zeros_like(gradient) for gradient in gradients]
        for parameter, speed, gradient in zip(self.parameters(), self.velocity, gradients, strict=True):
            speed *= self.momentum
            speed -= rate * gradient
            parameter += speed
        return {
            "loss": loss,
            "accuracy": accuracy,
            "optimizer/grad_norm": norm(gradients),
            "optimizer/lr": rate,
            "weights/norm": norm(self.weights),
        }


def norm(arrays: list[Floats]) -> float:
    return math.sqrt(sum(float(np.vdot(array, array)) for array in arrays))


def measured(probabilities: Floats, y: NDArray[np.int64]) -> tuple[float, float]:
    right = probabilities[np.arange(len(y)), y]
    # NumPy's maximum keeps NaN, so a diverged network stays visible.
    loss = -np.log(np.maximum(right, 1e-12)).mean()
    return float(loss), float((probabilities.argmax(axis=1) == y).mean())


def rate_at(step: int, peak: float, steps: int) -> float:
    """A short warm-up, then a cosine decay."""
    if step < 50:
        return peak * (step + 1) / 50
    return peak * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, (step - 50) / (steps - 50)))))
