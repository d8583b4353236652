"""What is asked of a reduction and what comes of it, and how its code is followed and stopped."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.errors import BadArgument

Method = Literal["pca", "tsne", "umap", "custom"]
Metric = Literal["cosine", "euclidean"]
Preparation = Literal["none", "centre", "unit", "spherize", "whiten"]
METHODS: tuple[Method, ...] = ("pca", "tsne", "umap", "custom")
METRICS: tuple[Metric, ...] = ("cosine", "euclidean")
PREPARATIONS: tuple[Preparation, ...] = ("none", "centre", "unit", "spherize", "whiten")

COMPONENTS = 10
MAX_NEIGHBORS = 1_000
# How often positions are shown while they move.
SHOW_EVERY_S = 0.1

Floats = NDArray[np.float32]
# Rows `start` to `stop` of a matrix that need not be in memory.
ReadRows = Callable[[int, int], NDArray[np.generic]]


class Reduction(Struct, frozen=True, kw_only=True):
    """What is asked. A method ignores the fields of the others."""

    method: Method = "pca"
    # Of the picture; PCA gives up to ten components in any case.
    dimensions: int = 2
    metric: Metric = "cosine"
    # What happens to the vectors first.
    prepare: Preparation = "none"
    seed: int = 0

    # t-SNE. None: max(5, √n / 4) at most 30, and n / early_exaggeration.
    perplexity: float | None = None
    learning_rate: float | None = None
    early_exaggeration: float = 12.0
    # The first of them with early exaggeration.
    early_iterations: int = 250
    iterations: int = 750

    # UMAP. None: 750 epochs up to 10,000 points, 300 above.
    neighbors: int = 15
    min_dist: float = 0.1
    spread: float = 1.0
    negative_samples: int = 5
    epochs: int | None = None

    # How much labels count, 0 (not at all) to 1; `labels` of reduce() has them.
    supervise_weight: float = 0.0

    # t-SNE and UMAP begin anew from the positions they are given, moved at random by this share of their extent.
    perturb: float = 0.0


@dataclass(frozen=True, slots=True)
class Reduced:
    """What came of it: one row of `positions` for each row of the vectors that is finite."""

    positions: Floats
    # Which rows of the vectors these are; None: all.
    rows: NDArray[np.int32] | None
    # PCA: of each component, as a share of all variance.
    variance: NDArray[np.float64] | None = None
    iterations: int = 0
    seconds: float = 0.0
    # For users: what was done other than asked, and why.
    notes: tuple[str, ...] = field(default=())

    @property
    def left_out(self) -> str | None:
        return next((note for note in self.notes if "left out" in note), None)


class Report(Protocol):
    """Called with how far a phase is, and with positions whenever there are new ones to show. May raise, to stop it all."""

    def __call__(self, phase: str, done: int, total: int | None, positions: Floats | None, /) -> None: ...


class Stopped(Exception):
    """The flag was set, and `report` did not raise."""


def ignore(phase: str, done: int, total: int | None, positions: Floats | None, /) -> None:
    pass


class Follow:
    """How code reports and notices that it shall stop."""

    def __init__(self, report: Report = ignore, flag: memoryview | None = None) -> None:
        self.report = report
        # Native loops poll it.
        self.flag = memoryview(bytearray(1)) if flag is None else flag
        self.phase = ""
        self.shown_at = 0.0

    def at(
        self, phase: str, done: int = 0, total: int | None = None, positions: Floats | None = None
    ) -> None:
        self.phase = phase
        self.report(phase, done, total, positions)
        self.check()

    def show(self, phase: str, done: int, total: int, positions: Floats) -> None:
        """Like `at`, with positions now and then."""
        now = time.monotonic()
        is_due = now - self.shown_at >= SHOW_EVERY_S
        if is_due:
            self.shown_at = now
        self.at(phase, done, total, positions if is_due else None)

    def check(self) -> None:
        if self.flag[0]:
            self.report(self.phase, 0, None, None)
            raise Stopped


def check_asked(asked: Reduction, n: int, d: int) -> None:
    """Raise BadArgument for what makes no sense for any vectors."""
    if n < 1 or d < 1:
        raise BadArgument(f"There is nothing to reduce: {n:,} rows of {d:,} dimensions.", where="vectors")
    for name, value, choices in (
        ("method", asked.method, METHODS),
        ("metric", asked.metric, METRICS),
        ("prepare", asked.prepare, PREPARATIONS),
    ):
        if value not in choices:
            raise BadArgument(f"{name} is {value!r}; it can be {', '.join(choices)}.", where=name)
    limits: tuple[tuple[str, float | None, float, float], ...] = (
        ("dimensions", asked.dimensions, 1, 3),
        ("perplexity", asked.perplexity, 1, MAX_NEIGHBORS / 3),
        ("learning_rate", asked.learning_rate, 1e-6, 1e9),
        ("early_exaggeration", asked.early_exaggeration, 1, 1_000),
        ("early_iterations", asked.early_iterations, 0, 100_000),
        ("iterations", asked.iterations, 0, 100_000),
        ("neighbors", asked.neighbors, 2, MAX_NEIGHBORS),
        ("min_dist", asked.min_dist, 0, 10),
        ("spread", asked.spread, 1e-3, 10),
        ("negative_samples", asked.negative_samples, 0, 100),
        ("epochs", asked.epochs, 0, 100_000),
        ("supervise_weight", asked.supervise_weight, 0, 1),
        ("perturb", asked.perturb, 0, 1),
    )
    for name, number, low, high in limits:
        if number is not None and not low <= number <= high:
            raise BadArgument(f"{name} is {number:g}; it can be {low:g} to {high:g}.", where=name)
