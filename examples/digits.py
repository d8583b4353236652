"""Pictures of digits and a small NumPy network that learns them. The examples log these, so that nothing is downloaded."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
SIZE_PX = 12
SHAPES = (
    "01110 10001 10011 10101 11001 10001 01110",
    "00100 01100 00100 00100 00100 00100 01110",
    "01110 10001 00001 00010 00100 01000 11111",
    "11111 00010 00100 00010 00001 10001 01110",
    "00010 00110 01010 10010 11111 00010 00010",
    "11111 10000 11110 00001 00001 10001 01110",
    "00110 01000 10000 11110 10001 10001 01110",
    "11111 00001 00010 00100 01000 01000 01000",
    "01110 10001 10001 01110 10001 10001 01110",
    "01110 10001 10001 01111 00001 00010 01100",
)


def make_digits(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Pictures (count, 12, 12) from 0 to 1 and their labels, with random position, brightness and noise."""
    rng = np.random.default_rng(seed)
    shapes = np.array([[[int(dot) for dot in row] for row in shape.split()] for shape in SHAPES], np.float32)
    labels = rng.integers(0, 10, count)
    images = rng.uniform(0, 0.3, (count, SIZE_PX, SIZE_PX)).astype(np.float32)
    for image, label, top, left in zip(
        images, labels, rng.integers(2, 4, count), rng.integers(3, 5, count), strict=True
    ):
        image[top : top + 7, left : left + 5] += rng.uniform(0.4, 0.7) * shapes[label]
    return images.clip(0, 1), labels


def batches(
    images: np.ndarray, labels: np.ndarray, size: int = 50
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for start in range(0, len(images), size):
        yield images[start : start + size], labels[start : start + size]


class Network:
    """One hidden layer, trained by plain gradient descent, or by RMSProp, which needs small learning rates."""

    def __init__(
        self, units: int = 64, dropout: float = 0.0, seed: int = 0, *, uses_rmsprop: bool = False
    ) -> None:
        self.rng = np.random.default_rng(seed)
        self.dropout = dropout
        self.uses_rmsprop = uses_rmsprop
        self.squares: dict[str, np.ndarray] = {}
        self.hidden = self.rng.normal(0, 0.1, (SIZE_PX**2, units)).astype(np.float32)
        self.hidden_bias = np.zeros(units, np.float32)
        self.output = self.rng.normal(0, 0.1, (units, 10)).astype(np.float32)
        self.output_bias = np.zeros(10, np.float32)

    def predict(self, images: np.ndarray) -> np.ndarray:
        """The probability of every digit, (count, 10)."""
        return self._softmax(self._activate(images))

    def train(self, images: np.ndarray, labels: np.ndarray, learning_rate: float = 0.5) -> float:
        """One step; returns the loss before it."""
        active = self._activate(images)
        active *= (self.rng.random(active.shape) >= self.dropout).astype(np.float32) / (1 - self.dropout)
        probabilities = self._softmax(active)
        loss = cross_entropy(probabilities, labels)
        error = (probabilities - np.eye(10, dtype=np.float32)[labels]) / len(labels)
        hidden_error = error @ self.output.T * (active > 0)
        self._descend("output", active.T @ error, learning_rate)
        self._descend("output_bias", error.sum(axis=0), learning_rate)
        self._descend("hidden", self._flatten(images).T @ hidden_error, learning_rate)
        self._descend("hidden_bias", hidden_error.sum(axis=0), learning_rate)
        return loss

    def _descend(self, name: str, gradient: np.ndarray, learning_rate: float) -> None:
        if self.uses_rmsprop:
            self.squares[name] = 0.9 * self.squares.get(name, gradient**2) + 0.1 * gradient**2
            gradient = gradient / (np.sqrt(self.squares[name]) + 1e-8)
        weights = getattr(self, name)
        weights -= learning_rate * gradient

    def _activate(self, images: np.ndarray) -> np.ndarray:
        return np.maximum(self._flatten(images) @ self.hidden + self.hidden_bias, 0)

    def _flatten(self, images: np.ndarray) -> np.ndarray:
        return images.reshape(len(images), -1) - 0.25

    def _softmax(self, active: np.ndarray) -> np.ndarray:
        scores = active @ self.output + self.output_bias
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)


def cross_entropy(probabilities: np.ndarray, labels: np.ndarray) -> float:
    return float(-np.log(probabilities[np.arange(len(labels)), labels] + 1e-9).mean())


def accuracy(probabilities: np.ndarray, labels: np.ndarray) -> float:
    return float((probabilities.argmax(axis=1) == labels).mean())
