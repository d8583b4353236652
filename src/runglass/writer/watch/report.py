"""The numbers of one step, as they come from a device, turned to scalars of modules. Knows no framework.

Tags are a family and the name of a module, `grad_norm/encoder.layers.0`, so that a graph can show them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.writer.values import summaries

TOTAL = "total"
BUCKETS = 64


@dataclass
class Numbers:
    """Of one step. Every list of parameters or calls has the names of their modules; numbers follow in the same order."""

    grads: list[str] = field(default_factory=list)
    params: list[str] = field(default_factory=list)
    # Parameters whose change is measured, each with the norm before.
    updates: list[str] = field(default_factory=list)
    counts: list[str] = field(default_factory=list)
    # Calls of modules, in order, with how many numbers each returned.
    calls: list[tuple[str, int]] = field(default_factory=list)
    # Tags of histograms: two ends, then counts.
    histograms: list[str] = field(default_factory=list)

    def size(self) -> int:
        return (
            len(self.grads)
            + len(self.params)
            + 2 * len(self.updates)
            + len(self.counts)
            + 3 * len(self.calls)
            + (2 + BUCKETS) * len(self.histograms)
        )


@dataclass
class Found:
    scalars: dict[str, float]
    # Summary values of histograms.
    histograms: list[bytes]
    # The module whose numbers were first not finite, and which of its numbers.
    first_not_finite: tuple[str, str] | None


def read_numbers(names: Numbers, flat: NDArray[np.float64], *, counts_not_finite: bool) -> Found:
    """`flat` has the numbers in the order of the fields; those of one kind are in one stretch."""
    at = 0

    def take(count: int) -> NDArray[np.float64]:
        nonlocal at
        at += count
        return flat[at - count : at]

    scalars: dict[str, float] = {}
    grads = by_module(names.grads, take(len(names.grads)))
    params = by_module(names.params, take(len(names.params)))
    before, change = take(len(names.updates)), take(len(names.updates))
    befores, changes = by_module(names.updates, before), by_module(names.updates, change)
    bad = summed(names.counts, take(len(names.counts)))
    calls = take(3 * len(names.calls)).reshape(3, -1)
    add_norms(scalars, "grad_norm", grads)
    add_norms(scalars, "param_norm", params)
    weights = {**befores, **totals(befores)}
    for name, norm in {**changes, **totals(changes)}.items():
        weight = weights[name]
        scalars[f"update_ratio/{name}"] = norm / weight if weight else math.nan if norm else 0.0
    spoilt = add_activations(scalars, names.calls, calls)
    if counts_not_finite:
        for name, count in bad.items():
            scalars[f"not_finite/{name}"] = count
    histograms = [summaries.histogram_rows(tag, bucket_rows(take(2 + BUCKETS))) for tag in names.histograms]
    return Found(scalars, histograms, first_not_finite(spoilt, grads, bad, params))


def by_module(names: Sequence[str], norms: NDArray[np.float64]) -> dict[str, float]:
    """The norm of several parameters together."""
    squares: dict[str, float] = defaultdict(float)
    for name, norm in zip(names, norms.tolist(), strict=True):
        squares[name] += norm * norm
    return {name: math.sqrt(square) if square == square else square for name, square in squares.items()}


def summed(names: Sequence[str], counts: NDArray[np.float64]) -> dict[str, float]:
    found: dict[str, float] = defaultdict(float)
    for name, count in zip(names, counts.tolist(), strict=True):
        found[name] += count
    return dict(found)


def totals(norms: Mapping[str, float]) -> dict[str, float]:
    if not norms or TOTAL in norms:
        return {}
    square = sum(norm * norm for norm in norms.values())
    return {TOTAL: math.sqrt(square) if square == square else square}


def add_norms(scalars: dict[str, float], family: str, norms: Mapping[str, float]) -> None:
    for name, norm in {**norms, **totals(norms)}.items():
        scalars[f"{family}/{name}"] = norm


def add_activations(
    scalars: dict[str, float], calls: Sequence[tuple[str, int]], numbers: NDArray[np.float64]
) -> list[str]:
    """The calls of a module together. Returns the modules with numbers that are not finite, in the order of their calls."""
    sums: dict[str, tuple[float, float, float, float]] = {}
    for (name, size), (total, norm, nonzero) in zip(calls, numbers.T.tolist(), strict=True):
        n, x, xx, z = sums.get(name, (0.0, 0.0, 0.0, 0.0))
        sums[name] = n + size, x + total, xx + norm * norm, z + nonzero
    spoilt = []
    for name, (count, total, squares, nonzero) in sums.items():
        mean = total / count
        variance = squares / count - mean * mean
        scalars[f"activation_mean/{name}"] = mean
        # Rounding may push it below zero.
        scalars[f"activation_std/{name}"] = (
            math.sqrt(max(0.0, variance)) if variance == variance else variance
        )
        scalars[f"activation_zeros/{name}"] = 1 - nonzero / count
        if not math.isfinite(squares):
            spoilt.append(name)
    return spoilt


def first_not_finite(
    spoilt: Sequence[str],
    grads: Mapping[str, float],
    bad: Mapping[str, float],
    params: Mapping[str, float],
) -> tuple[str, str] | None:
    """Weights come before activations, in the order of calls, and those before gradients, which come from the end."""
    for name, norm in params.items():
        if not math.isfinite(norm):
            return name, "weights"
    if spoilt:
        return spoilt[0], "activations"
    for name in reversed(list(grads)):
        if not math.isfinite(grads[name]) or bad.get(name):
            return name, "gradient"
    return next(((name, "gradient") for name in reversed(list(bad)) if bad[name]), None)


def bucket_rows(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = float(numbers[0]), float(numbers[1])
    if not math.isfinite(low) or not math.isfinite(high):
        return np.zeros((0, 3))
    edges = np.linspace(low, high, BUCKETS + 1)
    return np.stack([edges[:-1], edges[1:], numbers[2:]], axis=1)


def described(step: int, first: tuple[str, str]) -> str:
    name, kind = first
    verb = "is" if kind == "gradient" else "are"
    return f"The {kind} of **{name}** {verb} not finite at step {step}: the first numbers of this kind in the model."


def stretches(tensors: Sequence[Any], key: Any) -> Iterator[tuple[Any, list[int]]]:
    """The places of tensors that are alike."""
    groups: dict[Any, list[int]] = {}
    for place, tensor in enumerate(tensors):
        groups.setdefault(key(tensor), []).append(place)
    yield from groups.items()
